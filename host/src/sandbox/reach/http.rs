//! Requests of an extension to the hosts it was granted.
//!
//! In comes a request as the guest made it, out comes the answer's head and a bounded body. Every request is checked by
//! itself (a guest follows redirects itself, so each step of one is a request like any other). Names are resolved here,
//! each address is checked, and the connection goes to the very address that was checked, so that a name cannot answer
//! differently the second time. Nothing of this process's own credentials, cookies or proxies is used.
//!
//! `hyper` itself rather than a client of more comfort: it takes a connection we made, which is the point, and its
//! bodies are the ones `wasi:http` hands to the guest.

use super::address::is_public;
use crate::model::Extent;
use crate::sandbox::WebBounds;
use hyper::Request;
use hyper::Uri;
use hyper::body::{Body, Bytes, Frame, Incoming};
use hyper::client::conn::http1;
use hyper::http::uri::{Authority, Scheme};
use hyper::{Method, Response};
use rustls_platform_verifier::BuilderVerifierExt;
use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, timeout, timeout_at};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, crypto};
use wasmtime_wasi_http::io::TokioIo;
use wasmtime_wasi_http::{Error, RequestOptions, WasiBody, WasiHttpHooks};

/// Refusals kept for the message about a failed call; more would say nothing new.
const KEPT: usize = 4;

/// Characters of a refused method that are told; a guest may invent one of any length.
const LONGEST_METHOD: usize = 20;

/// A future as `wasi:http` wants it.
type Boxed<T> = Box<dyn Future<Output = Result<T, Error>> + Send>;

/// Looks names up.
trait Resolve: fmt::Debug + Send + Sync {
    /// The addresses of a name.
    fn lookup(&self, host: &str, port: u16) -> Lookup;
}

type Lookup = Pin<Box<dyn Future<Output = io::Result<Vec<SocketAddr>>> + Send>>;

/// The machine's own resolver.
#[derive(Debug)]
struct System;

impl Resolve for System {
    fn lookup(&self, host: &str, port: u16) -> Lookup {
        let host = host.to_owned();
        Box::pin(async move { Ok(tokio::net::lookup_host((host, port)).await?.collect()) })
    }
}

/// The hosts of one call.
#[derive(Debug)]
pub(super) struct Web {
    listed: Arc<[Listed]>,
    resolver: Arc<dyn Resolve>,
    extent: Extent,
    bounds: WebBounds,
    /// Requests left.
    left: u32,
    refused: Arc<Mutex<Vec<(String, Refused)>>>,
}

/// Why a request was not sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refused {
    /// The host is not among the granted ones.
    NotListed,
    /// Its name leads to an address that is not of the public internet and is not itself listed.
    NotPublic(IpAddr),
    /// The call may only read, and this method may do more.
    NotReading(String),
    /// The call made too many.
    TooMany(u32),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotListed => f.write_str("it is not granted"),
            Self::NotPublic(address) => write!(f, "it has the private address {address}, which is not itself granted"),
            Self::NotReading(method) => write!(f, "a call that may only read sends no {method}"),
            Self::TooMany(limit) => write!(f, "one call may make {limit} requests"),
        }
    }
}

/// One granted host.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Listed {
    host: String,
    /// The only port; without one, the scheme's own.
    port: Option<u16>,
}

/// Whether a text names a host as a grant does: `example.org`, `example.org:8443`, `127.0.0.1:9000`, `[::1]:9000`.
#[must_use]
pub fn is_host(text: &str) -> bool {
    Listed::parse(text).is_some()
}

impl Listed {
    /// Reads `example.org`, `example.org:8443`, `127.0.0.1:9000`, `[::1]:9000` or `::1`; `None` for anything else.
    fn parse(text: &str) -> Option<Self> {
        if let Ok(address) = text.parse::<IpAddr>() {
            return Some(Self { host: plain(&address.to_string()), port: None });
        }
        let authority: Authority = text.parse().ok()?;
        let host = plain(authority.host());
        // A pattern would look like a grant and be none.
        let exact = |host: &str| host.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'));
        let bare = !text.contains('@') && !host.is_empty();
        let named = bare && (exact(&host) || host.parse::<IpAddr>().is_ok());
        named.then(|| Self { host, port: authority.port_u16() })
    }

    fn is(&self, target: &Target) -> bool {
        let usual = if target.secure { 443 } else { 80 };
        self.host == target.host && self.port.unwrap_or(usual) == target.port
    }

    /// Whether it is this very address.
    fn is_address(&self, address: SocketAddr, secure: bool) -> bool {
        let usual = if secure { 443 } else { 80 };
        let same = self.host.parse::<IpAddr>().is_ok_and(|host| host.to_canonical() == address.ip().to_canonical());
        same && self.port.unwrap_or(usual) == address.port()
    }
}

/// A host in one spelling: lower case, no brackets, no root dot.
fn plain(host: &str) -> String {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase()
}

/// Where a request goes.
#[derive(Debug, Clone)]
struct Target {
    host: String,
    port: u16,
    secure: bool,
}

impl Target {
    fn of(uri: &Uri) -> Result<Self, Error> {
        let authority = uri.authority().ok_or(Error::HttpRequestUriInvalid)?;
        // `listed.host@elsewhere` is read differently by different people.
        if authority.as_str().contains('@') || authority.host().is_empty() {
            return Err(Error::HttpRequestUriInvalid);
        }
        let secure = uri.scheme() != Some(&Scheme::HTTP);
        let port = authority.port_u16().unwrap_or(if secure { 443 } else { 80 });
        Ok(Self { host: plain(authority.host()), port, secure })
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let usual = if self.secure { 443 } else { 80 };
        let host = if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        if self.port == usual { f.write_str(&host) } else { write!(f, "{host}:{}", self.port) }
    }
}

impl Web {
    /// The hosts of one call; entries that name no host grant nothing.
    pub(super) fn new(hosts: &[String], extent: Extent, bounds: WebBounds) -> Self {
        let listed = hosts.iter().filter_map(|host| Listed::parse(host)).collect();
        Self { listed, resolver: Arc::new(System), extent, bounds, left: bounds.requests, refused: Arc::default() }
    }

    /// What was refused, as the guest named it.
    pub(super) fn refused(&self) -> Vec<(String, Refused)> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Checks a request before anything is resolved.
    fn admit(&mut self, request: &Request<WasiBody>) -> Result<Target, Error> {
        // A tunnel would reach what nobody has checked.
        if request.method() == Method::CONNECT {
            return Err(Error::HttpRequestMethodInvalid);
        }
        let target = Target::of(request.uri())?;
        if !self.listed.iter().any(|listed| listed.is(&target)) {
            note(&self.refused, &target, Refused::NotListed);
            return Err(Error::HttpRequestDenied);
        }
        if self.extent == Extent::Reading && !reads(request.method()) {
            let method = request.method().as_str().chars().take(LONGEST_METHOD).collect();
            note(&self.refused, &target, Refused::NotReading(method));
            return Err(Error::HttpRequestDenied);
        }
        let Some(left) = self.left.checked_sub(1) else {
            note(&self.refused, &target, Refused::TooMany(self.bounds.requests));
            return Err(Error::ConnectionLimitReached);
        };
        self.left = left;
        Ok(target)
    }
}

/// Whether a method asks for nothing to be changed (RFC 9110 §9.2.1). `TRACE`, which is safe too, sends back what it got,
/// and nobody needs that.
fn reads(method: &Method) -> bool {
    [Method::GET, Method::HEAD, Method::OPTIONS].contains(method)
}

fn note(refused: &Mutex<Vec<(String, Refused)>>, target: &Target, why: Refused) {
    let mut refused = refused.lock().unwrap_or_else(PoisonError::into_inner);
    let entry = (target.to_string(), why);
    if refused.len() < KEPT && !refused.contains(&entry) {
        refused.push(entry);
    }
}

impl WasiHttpHooks for Web {
    fn send_request(
        &mut self,
        request: Request<WasiBody>,
        options: Option<RequestOptions>,
        _: Boxed<()>,
    ) -> Boxed<(Response<WasiBody>, Boxed<()>)> {
        let admitted = self.admit(&request);
        let sending = Sending {
            listed: Arc::clone(&self.listed),
            resolver: Arc::clone(&self.resolver),
            bounds: self.bounds,
            options: options.unwrap_or_default(),
            refused: Arc::clone(&self.refused),
        };
        Box::new(async move { sending.send(admitted?, request).await })
    }
}

/// One request under way; needs the store no more.
struct Sending {
    listed: Arc<[Listed]>,
    resolver: Arc<dyn Resolve>,
    bounds: WebBounds,
    options: RequestOptions,
    refused: Arc<Mutex<Vec<(String, Refused)>>>,
}

impl Sending {
    async fn send(self, target: Target, request: Request<WasiBody>) -> Result<(Response<WasiBody>, Boxed<()>), Error> {
        let connecting = self.options.connect_timeout.unwrap_or(Duration::MAX).min(self.bounds.connect);
        let until = Instant::now() + connecting;
        let addresses = timeout_at(until, self.resolve(&target)).await.map_err(|_| Error::DnsTimeout)??;
        let stream = connect(&addresses, until).await?;
        if target.secure {
            let name = ServerName::try_from(target.host.clone()).map_err(|_| Error::HttpRequestUriInvalid)?;
            let handshake = tls()?.connect(name, stream);
            let stream =
                timeout_at(until, handshake).await.map_err(|_| Error::ConnectionTimeout)?.map_err(Error::Tls)?;
            self.exchange(stream, request).await
        } else {
            self.exchange(stream, request).await
        }
    }

    /// The addresses that may be reached, in the resolver's order.
    async fn resolve(&self, target: &Target) -> Result<Vec<SocketAddr>, Error> {
        if let Ok(address) = target.host.parse::<IpAddr>() {
            // It was compared with the list as it stands.
            return Ok(vec![SocketAddr::new(address, target.port)]);
        }
        let unknown = |_| Error::DnsError { rcode: None, info_code: None };
        let found = self.resolver.lookup(&target.host, target.port).await.map_err(unknown)?;
        let (allowed, others): (Vec<_>, Vec<_>) =
            found.into_iter().partition(|address| self.may_reach(*address, target.secure));
        match (allowed.is_empty(), others.first()) {
            (false, _) => Ok(allowed),
            (true, Some(other)) => {
                note(&self.refused, target, Refused::NotPublic(other.ip()));
                Err(Error::DestinationIpProhibited)
            }
            (true, None) => Err(Error::DestinationNotFound),
        }
    }

    fn may_reach(&self, address: SocketAddr, secure: bool) -> bool {
        is_public(address.ip()) || self.listed.iter().any(|listed| listed.is_address(address, secure))
    }

    async fn exchange(
        &self,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        mut request: Request<WasiBody>,
    ) -> Result<(Response<WasiBody>, Boxed<()>), Error> {
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        // Driven on its own while head and body are waited for; ends with the guest's interest in it.
        let driven = wasmtime_wasi::runtime::spawn(connection);
        let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
        *request.uri_mut() = path.parse().map_err(|_| Error::HttpRequestUriInvalid)?;
        let first = self.options.first_byte_timeout.unwrap_or(Duration::MAX).min(self.bounds.silence);
        let answer = timeout(first, sender.send_request(request)).await.map_err(|_| Error::ConnectionReadTimeout)??;
        let silence = self.options.between_bytes_timeout.unwrap_or(Duration::MAX).min(self.bounds.silence);
        let answer = answer.map(|body| WasiBody::new(Bounded::new(body, self.bounds.response, silence)));
        Ok((answer, Box::new(async move { driven.await.map_err(Error::Hyper) })))
    }
}

/// Connects to the first address that answers.
async fn connect(addresses: &[SocketAddr], until: Instant) -> Result<TcpStream, Error> {
    let mut last = Error::DestinationNotFound;
    for address in addresses {
        match timeout_at(until, TcpStream::connect(address)).await {
            Err(_) => return Err(Error::ConnectionTimeout),
            Ok(Ok(stream)) => return Ok(stream),
            Ok(Err(error)) if error.kind() == io::ErrorKind::ConnectionRefused => last = Error::ConnectionRefused,
            Ok(Err(error)) => last = Error::Connect(error),
        }
    }
    Err(last)
}

/// The machine's own trust in certificates, as for a node.
fn tls() -> Result<TlsConnector, Error> {
    static TLS: OnceLock<Option<TlsConnector>> = OnceLock::new();
    let make = || {
        let provider = Arc::new(crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .and_then(BuilderVerifierExt::with_platform_verifier)
            .inspect_err(|error| tracing::warn!(%error, "no TLS for plugins"))
            .ok()?
            .with_no_client_auth();
        Some(TlsConnector::from(Arc::new(config)))
    };
    TLS.get_or_init(make).clone().ok_or(Error::ConfigurationError)
}

/// A body of bounded length that does not fall silent for long.
struct Bounded {
    body: Incoming,
    limit: usize,
    left: usize,
    silence: Duration,
    asleep: Pin<Box<Sleep>>,
}

impl Bounded {
    fn new(body: Incoming, limit: usize, silence: Duration) -> Self {
        Self { body, limit, left: limit, silence, asleep: Box::pin(tokio::time::sleep(silence)) }
    }
}

impl Body for Bounded {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        let frame = match Pin::new(&mut self.body).poll_frame(context) {
            Poll::Pending => {
                return self.asleep.as_mut().poll(context).map(|()| Some(Err(Error::ConnectionReadTimeout)));
            }
            Poll::Ready(None) => return Poll::Ready(None),
            Poll::Ready(Some(frame)) => frame?,
        };
        let until = Instant::now() + self.silence;
        self.asleep.as_mut().reset(until);
        let length = frame.data_ref().map_or(0, Bytes::len);
        let Some(left) = self.left.checked_sub(length) else {
            return Poll::Ready(Some(Err(Error::HttpResponseBodySize(Some(self.limit as u64)))));
        };
        self.left = left;
        Poll::Ready(Some(Ok(frame)))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_listed(listed: &str, uri: &str) -> bool {
        Target::of(&uri.parse().unwrap())
            .is_ok_and(|target| Listed::parse(listed).is_some_and(|entry| entry.is(&target)))
    }

    #[test]
    fn a_host_is_granted_exactly_and_with_its_port() {
        assert!(is_listed("example.org", "https://example.org/x"));
        assert!(is_listed("example.org", "http://EXAMPLE.org./x"));
        assert!(is_listed("example.org:8443", "https://example.org:8443/"));
        assert!(is_listed("[::1]:9000", "http://[::1]:9000/"));
        assert!(is_listed("::1", "http://[::1]/"));
        for uri in [
            "https://example.org:8443/",
            "https://www.example.org/",
            "https://example.org.evil.net/",
            "https://evil.net/example.org",
            "https://example.org@evil.net/",
            "https://evil.net@example.org/",
            "http://example.org:443/",
        ] {
            assert!(!is_listed("example.org", uri), "{uri}");
        }
        assert!(!is_listed("127.0.0.1:9000", "http://2130706433:9000/"), "another spelling is another name");
        for text in ["", "*", "*.example.org", "a b", "user@example.org", "https://example.org", "example.org/x"] {
            assert_eq!(Listed::parse(text), None, "{text}");
        }
    }

    #[test]
    fn an_address_of_this_machine_is_reached_only_where_it_is_itself_listed_with_its_port() {
        let sending = |hosts: &[&str]| Sending {
            listed: hosts.iter().filter_map(|host| Listed::parse(host)).collect(),
            resolver: Arc::new(System),
            bounds: WebBounds::default(),
            options: RequestOptions::default(),
            refused: Arc::default(),
        };
        let address: SocketAddr = "127.0.0.1:9000".parse().unwrap();
        let mapped: SocketAddr = "[::ffff:127.0.0.1]:9000".parse().unwrap();
        assert!(!sending(&["localhost:9000"]).may_reach(address, false));
        assert!(!sending(&["127.0.0.1", "localhost:9000"]).may_reach(address, false));
        assert!(sending(&["127.0.0.1:9000"]).may_reach(address, false));
        assert!(sending(&["127.0.0.1:9000"]).may_reach(mapped, false));
        assert!(sending(&[]).may_reach("8.8.8.8:80".parse().unwrap(), false));
    }

    /// Answers each question with the next of its answers.
    #[derive(Debug)]
    struct Scripted(Mutex<Vec<Vec<IpAddr>>>);

    impl Scripted {
        fn answering(answers: &[&[&str]]) -> Arc<Self> {
            let addresses = |answer: &&[&str]| answer.iter().map(|address| address.parse().unwrap()).collect();
            Arc::new(Self(Mutex::new(answers.iter().map(addresses).collect())))
        }

        fn unasked(&self) -> usize {
            self.0.lock().unwrap().len()
        }
    }

    impl Resolve for Scripted {
        fn lookup(&self, _: &str, port: u16) -> Lookup {
            let answer = self.0.lock().unwrap().remove(0);
            Box::pin(async move { Ok(answer.into_iter().map(|address| SocketAddr::new(address, port)).collect()) })
        }
    }

    /// A body without a byte.
    struct Nothing;

    impl Body for Nothing {
        type Data = Bytes;
        type Error = Error;

        fn poll_frame(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
            Poll::Ready(None)
        }
    }

    /// Two servers on one port of two addresses of this machine, and how often each was connected to.
    fn twins() -> (u16, [Arc<Mutex<usize>>; 2]) {
        use std::io::{Read, Write};
        use std::net::TcpListener;
        let (first, second) = (0..100)
            .find_map(|_| {
                let first = TcpListener::bind("127.0.0.1:0").unwrap();
                let second = TcpListener::bind(("127.0.0.2", first.local_addr().unwrap().port())).ok()?;
                Some((first, second))
            })
            .expect("a port that both have");
        let port = first.local_addr().unwrap().port();
        let counted = [first, second].map(|listener| {
            let count = Arc::new(Mutex::new(0));
            let counter = Arc::clone(&count);
            std::thread::spawn(move || {
                for mut stream in listener.incoming().flatten() {
                    *counter.lock().unwrap() += 1;
                    let _ = stream.read(&mut [0; 1024]);
                    let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
                }
            });
            count
        });
        (port, counted)
    }

    #[tokio::test]
    async fn a_name_that_answers_differently_the_second_time_gains_nothing() {
        let (port, [good, bad]) = twins();
        let asked = || (*good.lock().unwrap(), *bad.lock().unwrap());
        let name = format!("name.example:{port}");
        let hosts = [name.as_str(), &format!("127.0.0.1:{port}")];
        // One answer a request; the private address that is not listed comes second, first of two, and alone.
        let resolver = Scripted::answering(&[&["127.0.0.1"], &["127.0.0.2"], &["127.0.0.2", "127.0.0.1"]]);
        let send = || {
            let sending = Sending {
                listed: hosts.iter().filter_map(|host| Listed::parse(host)).collect(),
                resolver: Arc::clone(&resolver) as Arc<dyn Resolve>,
                bounds: WebBounds::default(),
                options: RequestOptions::default(),
                refused: Arc::default(),
            };
            let request = Request::get(format!("http://{name}/")).body(WasiBody::new(Nothing)).unwrap();
            let target = Target::of(request.uri()).unwrap();
            sending.send(target, request)
        };
        assert_eq!(send().await.ok().map(|(answer, _)| answer.status().as_u16()), Some(200));
        assert_eq!((asked(), resolver.unasked()), ((1, 0), 2), "it is resolved once, and that is where it goes");
        assert!(matches!(send().await.err(), Some(Error::DestinationIpProhibited)));
        assert_eq!((asked(), resolver.unasked()), ((1, 0), 1));
        assert_eq!(send().await.ok().map(|(answer, _)| answer.status().as_u16()), Some(200));
        assert_eq!((asked(), resolver.unasked()), ((2, 0), 0), "of several answers only what may be reached");
    }
}

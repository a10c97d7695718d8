//! One HTTP exchange with a node, with every bound on it.
//!
//! In: a base URL, a bearer, a request and the call's scope. Out: a whole success body, or an error that says what
//! happened. It follows no redirect, uses no proxy, keeps no cookie and never retries; it knows no route's meaning.

use super::base_url::NodeUrl;
use super::bearer::{Bearer, rejection};
use super::error::{Error, node_message, unreachable};
use super::route::Route;
use super::settings::Limits;
use crate::model::{CallScope, Failure, HttpFailure};
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION};
use reqwest::{Client, Response, StatusCode};
use std::error::Error as _;
use std::future::Future;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// How much of a refusal's body is kept, in bytes; a decoder reads sentences, not pages.
const FAILURE_BODY: usize = 64 << 10;

/// Response headers that may explain a refusal.
const TELLING_HEADERS: [&str; 4] = ["content-type", "retry-after", "www-authenticate", "x-auth-error"];

/// A request before it is sent.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) route: Route,
    body: Option<(&'static str, Vec<u8>)>,
    takes_long: bool,
    at_most: usize,
}

impl Request {
    /// A request without a body.
    pub(crate) fn new(route: Route) -> Self {
        Self { route, body: None, takes_long: false, at_most: usize::MAX }
    }

    /// With a JSON body.
    pub(crate) fn json(mut self, body: Vec<u8>) -> Self {
        self.body = Some(("application/json", body));
        self
    }

    /// With a body of bytes.
    pub(crate) fn bytes(mut self, body: Vec<u8>) -> Self {
        self.body = Some(("application/octet-stream", body));
        self
    }

    /// With an answer of at most so many bytes, where that is less than [`Limits::body`].
    pub(crate) fn at_most(mut self, bytes: usize) -> Self {
        self.at_most = bytes;
        self
    }

    /// Allows the time of [`Limits::long`].
    pub(crate) fn taking_long(mut self) -> Self {
        self.takes_long = true;
        self
    }
}

/// A success.
#[derive(Debug)]
pub(crate) struct Answer {
    /// Which request it answers, for messages.
    pub(crate) route: String,
    /// The announced content type, or `none`.
    pub(crate) content_type: String,
    /// The whole body.
    pub(crate) body: Vec<u8>,
}

/// The HTTP client, built on first use: building costs more than the whole rest of start-up.
#[derive(Debug, Default)]
pub(crate) struct Http {
    cleartext: OnceLock<Client>,
    encrypted: OnceLock<Client>,
}

impl Http {
    /// Sends one request and reads its whole answer.
    ///
    /// # Errors
    ///
    /// Everything from [`Error::Failure`] to [`Error::BodyTooLarge`]; see there.
    pub(crate) async fn send(
        &self,
        url: &NodeUrl,
        bearer: Option<&Bearer>,
        limits: &Limits,
        request: &Request,
        scope: &CallScope,
    ) -> Result<Answer, Error> {
        let route = request.route.to_string();
        let after = if request.takes_long { limits.long } else { limits.request };
        let exchange =
            self.exchange(url, bearer, limits.body.min(request.at_most), request, scope.traceparent.as_deref());
        let started = Instant::now();
        let answer = within(scope, after, exchange).await.unwrap_or_else(|stop| Err(stop.error(url, &route, after)));
        let elapsed_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        tracing::debug!(
            route,
            elapsed_ms,
            outcome = answer.as_ref().map_or_else(Error::code, |_| "ok"),
            "node request"
        );
        answer
    }

    async fn exchange(
        &self,
        url: &NodeUrl,
        bearer: Option<&Bearer>,
        limit: usize,
        request: &Request,
        traceparent: Option<&str>,
    ) -> Result<Answer, Error> {
        let Request { route, body, .. } = request;
        let address = url.join(route)?;
        // Shown in failures: the whole address, so that it is clear which node refused, without the query, where
        // credentials travel. A node URL holds no user info.
        let path = {
            let mut shown = address.clone();
            shown.set_query(None);
            shown.to_string()
        };
        let mut builder = self.client(url.is_https())?.request(route.method.clone(), address);
        builder = builder.header(ACCEPT, HeaderValue::from_static("application/json, */*;q=0.5"));
        if let Some(bearer) = bearer {
            builder = builder.header(AUTHORIZATION, bearer.header());
        }
        // Already checked where the call came in; a value no header can carry is not worth failing a call for.
        if let Some(Ok(header)) = traceparent.map(HeaderValue::from_str) {
            builder = builder.header(HeaderName::from_static("traceparent"), header);
        }
        if let Some((content_type, body)) = body {
            builder = builder.header(CONTENT_TYPE, HeaderValue::from_static(content_type)).body(body.clone());
        }
        let response =
            builder.send().await.map_err(|error| Failure::Transport(unreachable(&url.to_string(), &detail(&error))))?;
        let route = route.to_string();
        match response.status() {
            status if status.is_success() => whole(response, route, limit).await,
            status if status.is_redirection() => Err(redirected(&response, url, route, status)),
            _ => Err(refused(response, url, bearer.is_some(), route, path).await),
        }
    }

    fn client(&self, encrypted: bool) -> Result<&Client, Error> {
        let slot = if encrypted { &self.encrypted } else { &self.cleartext };
        if let Some(client) = slot.get() {
            return Ok(client);
        }
        let client = build(encrypted)?;
        Ok(slot.get_or_init(|| client))
    }
}

/// Builds a client; only one for `https` URLs reads the system's certificates.
fn build(encrypted: bool) -> Result<Client, Error> {
    // The library refuses to build without a provider, even for cleartext. An error means that one is there already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none());
    if !encrypted {
        builder = builder.tls_certs_only([]);
    }
    builder.build().map_err(|error| Error::Client { detail: detail(&error) })
}

/// Why waiting ended without an answer.
enum Stop {
    Cancelled,
    Deadline,
    Timeout,
}

impl Stop {
    fn error(self, url: &NodeUrl, route: &str, after: Duration) -> Error {
        let route = route.to_owned();
        match self {
            Self::Cancelled => Error::Cancelled { route },
            Self::Deadline => Error::DeadlinePassed { route },
            Self::Timeout => Error::TimedOut { url: url.to_string(), route, after },
        }
    }
}

/// Waits for some work no longer than allowed, the caller's deadline and its patience included.
async fn within<T>(scope: &CallScope, after: Duration, work: impl Future<Output = T>) -> Result<T, Stop> {
    let now = Instant::now();
    let (until, stop) = match scope.deadline {
        Some(deadline) if deadline < now + after => (deadline, Stop::Deadline),
        _ => (now + after, Stop::Timeout),
    };
    tokio::select! {
        biased;
        () = scope.cancel.cancelled() => Err(Stop::Cancelled),
        done = tokio::time::timeout_at(until.into(), work) => done.map_err(|_| stop),
    }
}

async fn whole(mut response: Response, route: String, limit: usize) -> Result<Answer, Error> {
    let content_type = header(response.headers(), "content-type").unwrap_or("none").to_owned();
    let mut body = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) if body.len() + chunk.len() > limit => return Err(Error::BodyTooLarge { route, limit }),
            Ok(Some(chunk)) => body.extend_from_slice(&chunk),
            Ok(None) => return Ok(Answer { route, content_type, body }),
            Err(error) => return Err(Error::BodyCut { route, received: body.len(), detail: detail(&error) }),
        }
    }
}

fn redirected(response: &Response, url: &NodeUrl, route: String, status: StatusCode) -> Error {
    let location = header(response.headers(), LOCATION.as_str()).unwrap_or_default();
    // Only the origin: a redirect's path and query are where credentials travel.
    let target = match url::Url::parse(location).map(|target| target.origin()) {
        Ok(origin) if origin.is_tuple() => origin.ascii_serialization(),
        Ok(_) => "another scheme".to_owned(),
        Err(_) if location.is_empty() => "nowhere".to_owned(),
        Err(_) => format!("another path of {url}"),
    };
    Error::Redirected { route, status: status.as_u16(), target }
}

async fn refused(response: Response, url: &NodeUrl, sent: bool, route: String, path: String) -> Error {
    let status = response.status();
    let headers: Vec<_> = TELLING_HEADERS
        .iter()
        .filter_map(|&name| header(response.headers(), name).map(|value| (name.to_owned(), value.to_owned())))
        .collect();
    let auth_error = header(response.headers(), "x-auth-error").map(str::to_owned);
    let failure = HttpFailure {
        status: status.as_u16(),
        reason: status.canonical_reason().unwrap_or_default().to_owned(),
        path,
        headers,
        body: start_of_body(response).await,
    };
    let has_message = node_message(&failure.body).is_some();
    match rejection(sent, failure.status, auth_error.as_deref(), has_message) {
        Some(rejection) => Error::LoginNeeded { url: url.to_string(), route, rejection, failure: Box::new(failure) },
        None => Failure::Http(failure).into(),
    }
}

/// The first [`FAILURE_BODY`] bytes of a refusal as text; what does arrive is enough, so a broken end is no error.
async fn start_of_body(mut response: Response) -> String {
    let mut body = Vec::new();
    while let Ok(Some(chunk)) = response.chunk().await {
        body.extend_from_slice(&chunk);
        if body.len() >= FAILURE_BODY {
            body.truncate(FAILURE_BODY);
            break;
        }
    }
    String::from_utf8_lossy(&body).into_owned()
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// The innermost cause: the outer ones say only that a request failed, and repeat its URL.
fn detail(error: &reqwest::Error) -> String {
    let mut cause = error.source();
    let mut text = None;
    while let Some(error) = cause {
        text = Some(error.to_string());
        cause = error.source();
    }
    text.unwrap_or_else(|| if error.is_builder() { "malformed request".to_owned() } else { "network error".to_owned() })
}

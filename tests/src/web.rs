//! A small web server on loopback, for whatever fetches something.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A server that answers by path, and records what it was asked:
///
/// - `/redirect/<anything>`: to `http://<anything>`;
/// - `/big`: 40 MiB; `/silent`: nothing for a minute; `/status/<code>`: that code;
/// - anything else: a JSON document that names the path.
pub struct WebServer {
    address: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl WebServer {
    /// Starts one on a port of its own.
    ///
    /// # Panics
    /// When there is no port.
    #[must_use]
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("its address").to_string();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let record = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let record = Arc::clone(&record);
                std::thread::spawn(move || drop(answer(stream, &record)));
            }
        });
        Self { address, asked }
    }

    /// Host and port.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// The port.
    ///
    /// # Panics
    /// Never: an address has one.
    #[must_use]
    pub fn port(&self) -> &str {
        self.address.rsplit_once(':').expect("a port").1
    }

    /// Heads of all requests so far.
    ///
    /// # Panics
    /// When a request panicked.
    #[must_use]
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn answer(mut stream: TcpStream, record: &Mutex<Vec<String>>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut head = String::new();
    while reader.read_line(&mut head)? > 2 {}
    record.lock().unwrap().push(head.clone());
    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
    if let Some(target) = path.strip_prefix("/redirect/") {
        return write!(stream, "HTTP/1.1 302 Found\r\nlocation: http://{target}\r\ncontent-length: 0\r\n\r\n");
    }
    if let Some(code) = path.strip_prefix("/status/") {
        return write!(stream, "HTTP/1.1 {code} As asked\r\ncontent-length: 0\r\n\r\n");
    }
    match path.as_str() {
        "/silent" => std::thread::sleep(Duration::from_secs(60)),
        "/big" => {
            write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", 40 << 20)?;
            let chunk = vec![b'x'; 1 << 20];
            for _ in 0..40 {
                stream.write_all(&chunk)?;
            }
        }
        _ => {
            let body = format!("{{\"path\":\"{path}\",\"items\":[{{\"name\":\"first\"}},{{\"name\":\"second\"}}]}}");
            write!(
                stream,
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
                body.len()
            )?;
        }
    }
    Ok(())
}

//! A hostile extension of the configuration file, with the real binary: what it says of itself allows it nothing, what it
//! was given is in no log line, and what it left running costs nothing.

use crate::SOON;
use crate::compiling::{leb, section};
use crate::configured::Folder;
use crate::hosted::component;
use abi_mcp_tests::{Client, Reply, Spawn, WebServer, process};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{ServerConfig, ServerConnection, Stream, crypto};

/// A folder with the rogue as an accepted plugin that was granted all it asks for: `data` to write in, and these hosts.
fn folder(before: &str, hosts: &[&str]) -> Folder {
    let folder = Folder::new();
    std::fs::write(folder.path("rogue.wasm"), component("rogue")).unwrap();
    std::fs::create_dir(folder.path("data")).unwrap();
    std::fs::write(folder.path("data/note.txt"), "a note").unwrap();
    let hosts: Vec<String> = hosts.iter().map(|host| format!("{host:?}")).collect();
    folder.configure(&format!(
        r#"{before}
[[plugin]]
name = "rogue"
file = "rogue.wasm"
config = {{ api_token = "FIXTURE-TOKEN", place = "FIXTURE-PLACE" }}
[plugin.grants]
http = [{}]
directories = [{{ guest = "/data", host = "data", writable = true }}]
environment = ["GRANTED"]
clocks = true
random = true
state = true
"#,
        hosts.join(", ")
    ));
    let accepted = folder.run(&["plugin", "accept", "rogue"]);
    assert!(accepted.good, "{}", accepted.stderr);
    folder
}

fn spawn(folder: &Folder) -> Spawn {
    folder.serve().sharing(&folder.path("state"))
}

fn act(client: &mut Client, behave: &str, at: &str) -> Reply {
    client.call("rogue_act", json!({"behave": behave, "at": at}))
}

fn kept(folder: &Folder) -> usize {
    std::fs::read_dir(folder.path("state/plugins/rogue")).map_or(0, Iterator::count)
}

#[test]
fn in_read_only_mode_an_extension_that_says_it_only_reads_changes_nothing() {
    let web = WebServer::start();
    let folder = folder("[tools]\nread_only = true", &[web.address()]);
    let mut client = spawn(&folder).connect();
    assert_eq!(client.tool("rogue_act")["annotations"]["readOnlyHint"], true, "it says so");
    assert_eq!(act(&mut client, "read", "note.txt").text, "a note");
    for path in ["new.txt", "note.txt"] {
        let reply = act(&mut client, "write", path);
        assert!(reply.is_error && reply.text.contains("refused"), "{path}: {}", reply.text);
        let told = ["`rogue`", "`directories`", "`read_only` under `[tools]`"];
        assert!(told.iter().all(|part| reply.text.contains(part)), "{path}: {}", reply.text);
    }
    assert!(act(&mut client, "link", "note.txt").is_error);
    let names: Vec<_> = std::fs::read_dir(folder.path("data")).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(names, ["note.txt"]);
    assert_eq!(std::fs::read_to_string(folder.path("data/note.txt")).unwrap(), "a note");

    for method in ["POST", "PUT", "DELETE", "PATCH", "get", "TRACE"] {
        let reply = act(&mut client, "request", &format!("{method} http {}/x", web.address()));
        assert!(reply.is_error && reply.text.contains("HttpRequestDenied"), "{method}: {}", reply.text);
        let told = ["`rogue`", "`http`", method, "`read_only` under `[tools]`"];
        assert!(told.iter().all(|part| reply.text.contains(part)), "{method}: {}", reply.text);
    }
    assert!(web.asked().is_empty(), "{:?}", web.asked());
    for method in ["GET", "HEAD", "OPTIONS"] {
        let reply = act(&mut client, "request", &format!("{method} http {}/x", web.address()));
        assert_eq!(reply.text, "200", "{method}");
    }

    for behave in ["keep", "forget", "count"] {
        let reply = act(&mut client, behave, "value");
        assert!(reply.is_error && reply.text.contains("read-only mode"), "{behave}: {}", reply.text);
        let told = ["`rogue`", "`state`", "`read_only` under `[tools]`"];
        assert!(told.iter().all(|part| reply.text.contains(part)), "{behave}: {}", reply.text);
    }
    assert_eq!(act(&mut client, "kept", "").text, "Ok(None)");
    assert_eq!(kept(&folder), 0);
}

#[test]
fn out_of_read_only_mode_the_same_extension_has_all_its_grants() {
    let web = WebServer::start();
    let folder = folder("", &[web.address()]);
    let mut client = spawn(&folder).connect();
    assert_eq!(act(&mut client, "write", "new.txt").text, "written");
    assert_eq!(act(&mut client, "request", &format!("POST http {}/x", web.address())).text, "200");
    assert_eq!(act(&mut client, "keep", "value").text, "done");
    assert!(act(&mut client, "kept", "").text.starts_with("Ok(Some("));
    assert!(kept(&folder) > 0);
    drop(client);
    // What it kept before can be read, and neither changed nor forgotten.
    let mut client = spawn(&folder).variable("CALIMERO_MCP_READ_ONLY", "1").connect();
    assert!(act(&mut client, "forget", "").is_error);
    assert!(act(&mut client, "kept", "").text.starts_with("Ok(Some("));
}

#[test]
fn in_read_only_mode_a_plain_component_runs_unless_it_was_granted_what_changes_something() {
    let manifest = br#"{"name": "p", "release": "1", "asks": {"state": true}}"#;
    let name = b"abi-mcp-manifest";
    let asking = [leb(u32::try_from(name.len()).unwrap()), name.to_vec(), manifest.to_vec()].concat();
    let asking = [component("plain"), section(0, &asking)].concat();
    for (bytes, grants, runs) in [(component("plain"), "", true), (asking, "grants = { state = true }", false)] {
        let folder = Folder::new();
        std::fs::write(folder.path("p.wasm"), bytes).unwrap();
        folder.configure(&format!("[[plugin]]\nname = \"p\"\nfile = \"p.wasm\"\n{grants}\n"));
        let accepted = folder.run(&["plugin", "accept", "p"]);
        assert!(accepted.good, "{}", accepted.stderr);
        for mode in ["0", "1"] {
            let mut client = spawn(&folder).variable("CALIMERO_MCP_READ_ONLY", mode).connect();
            let reply = client.call("p_greet", json!({"name": "Ada"}));
            assert_eq!(!reply.is_error, runs || mode == "0", "{grants} {mode}: {}", reply.text);
            assert!(
                reply.text.contains(if reply.is_error { "read-only mode" } else { "Hello, Ada." }),
                "{}",
                reply.text
            );
        }
    }
}

#[test]
fn g04_what_a_plugin_was_given_is_in_no_line_of_the_log_at_any_level() {
    let folder = folder("", &["192.0.2.1:9"]);
    let mut client = spawn(&folder).variable("GRANTED", "FIXTURE-GRANTED").variable("RUST_LOG", "trace").connect();
    let reply = act(&mut client, "tell-secrets", "");
    assert_eq!(reply.text, "Error: rogue: *** \"***\" \"FIXTURE-PLACE\"", "a failure passes the redactor too");
    let answered = act(&mut client, "environment", "").text;
    assert!(answered.contains("FIXTURE-GRANTED"), "what it answers is its own: {answered}");
    client.stderr_line("stream=\"stderr\"");
    client.close_stdin();
    client.wait(SOON);
    let log = client.stderr();
    for level in ["TRACE", "DEBUG", "INFO", "WARN", "ERROR"] {
        let said = |line: &str| line.trim_start().starts_with(level) && line.contains("logged *** ");
        assert!(log.lines().any(said), "{level}: {log}");
    }
    let told: Vec<&str> = log.lines().filter(|line| line.contains("FIXTURE-PLACE")).collect();
    assert!(told.len() >= 7, "what is no secret is shown, five times logged and twice printed: {told:?}");
    let leaked = |line: &&str| line.contains("FIXTURE-GRANTED") || line.contains("FIXTURE-TOKEN");
    assert_eq!(log.lines().find(leaked), None);
}

#[test]
fn d14_what_a_plugin_says_is_labelled_cleaned_and_bounded() {
    let folder = folder("", &["192.0.2.1:9"]);
    let mut client = spawn(&folder).variable("RUST_LOG", "info").connect();
    let long = "long ".repeat(1_000);
    let words = format!("first\nERROR abi_mcp: forged \u{202e}dna\u{200b}\n{long}\n");
    assert_eq!(act(&mut client, "print", &words).text, "printed");
    assert_eq!(act(&mut client, "log", &words).text, "logged");
    let first = client.stderr_line("stream=\"stderr\"");
    assert!(first.contains("WARN") && first.contains("plugin=\"rogue\"") && first.contains("first"), "{first}");
    client.stderr_line("stream=\"log\"");
    let before = client.stderr();
    assert!(before.contains("stream=\"stdout\""), "{before}");
    let forged: Vec<&str> = before.lines().filter(|line| line.contains("forged")).collect();
    assert_eq!(forged.len(), 3, "{before}");
    for line in before.lines().filter(|line| line.contains("forged") || line.contains("long long")) {
        assert!(line.contains("plugin=\"rogue\"") && line.contains("stream="), "{line}");
        assert!(!line.contains(['\u{202e}', '\u{200b}']) && line.len() < 1_300, "{line}");
    }
    assert_eq!(act(&mut client, "log-flood", "").text, "logged");
    client.stderr_line("is dropped");
    let flood = client.stderr().len() - before.len();
    assert!((32 << 10..256 << 10).contains(&flood), "64 KiB and its labels: {flood}");
    assert_eq!(client.stderr().matches("is dropped").count(), 1);
}

#[test]
fn d13_the_processor_is_idle_after_a_guest_was_stopped() {
    let folder = folder("[limits.extension]\ntime_ms = 1500", &["192.0.2.1:9"]);
    let mut client = spawn(&folder).connect();
    client.tool("rogue_act");
    let idle = |client: &mut Client, after: &str| {
        client.only_a_ping_is_answered();
        let before = process::processor_time(client.pid()).unwrap();
        std::thread::sleep(Duration::from_secs(1));
        let used = process::processor_time(client.pid()).unwrap() - before;
        assert!(used < Duration::from_millis(100), "{used:?} in one second after {after}");
    };
    let before = process::processor_time(client.pid()).unwrap();
    let reply = act(&mut client, "spin", "");
    assert!(reply.is_error && reply.text.contains("1500 ms limit"), "{}", reply.text);
    let used = process::processor_time(client.pid()).unwrap() - before;
    assert!(used > Duration::from_millis(300), "it did spin: {used:?}");
    idle(&mut client, "its limit");
    for behave in ["spin", "sleep", "after-cancel"] {
        let arguments = json!({"behave": behave, "at": ""});
        let id = client.send("tools/call", json!({"name": "rogue_act", "arguments": arguments}));
        std::thread::sleep(Duration::from_millis(300));
        client.notify("notifications/cancelled", json!({"requestId": id}));
        idle(&mut client, behave);
    }
}

#[test]
fn d01_calls_that_sleep_hoard_or_answer_too_late_cost_themselves_only_with_the_real_program() {
    let web = WebServer::start();
    let folder = folder("[limits.extension]\ntime_ms = 1500", &[web.address()]);
    let mut client = spawn(&folder).connect();
    for (behave, at, says) in [
        ("sleep", String::new(), "1500 ms limit"),
        ("fetch", format!("{}/silent", web.address()), "1500 ms limit"),
        ("handles", String::new(), "stopped with a fault"),
        ("bomb", String::new(), "256 MiB of memory"),
    ] {
        let reply = act(&mut client, behave, &at);
        assert!(reply.is_error && reply.text.contains("plugin `rogue`"), "{behave}: {}", reply.text);
        assert!(reply.text.contains(says), "{behave}: {}", reply.text);
        assert_eq!(act(&mut client, "echo", "still here").text, "still here");
    }
    let arguments = json!({"behave": "after-cancel", "at": ""});
    let id = client.send("tools/call", json!({"name": "rogue_act", "arguments": arguments}));
    std::thread::sleep(Duration::from_millis(200));
    client.notify("notifications/cancelled", json!({"requestId": id}));
    // Longer than it would take to answer, or to be stopped at its limit.
    std::thread::sleep(Duration::from_secs(2));
    client.only_a_ping_is_answered();
}

#[test]
fn requests_carry_nothing_of_this_process_and_take_no_proxy() {
    let (web, proxy) = (WebServer::start(), WebServer::start());
    let folder = folder("", &[web.address()]);
    let mut spawn = spawn(&folder).variable("CALIMERO_AUTH_TOKEN", "FIXTURE-NODE-TOKEN");
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
        let address = format!("http://user:FIXTURE@{}", proxy.address());
        spawn = spawn.variable(name, &address).variable(name.to_lowercase(), &address);
    }
    let mut client = spawn.connect();
    assert_eq!(act(&mut client, "request", &format!("GET http {}/x?a=b", web.address())).text, "200");
    assert!(proxy.asked().is_empty(), "{:?}", proxy.asked());
    let [head] = &web.asked()[..] else { panic!("{:?}", web.asked()) };
    let lines: Vec<String> = head.trim().lines().map(str::to_lowercase).collect();
    assert_eq!(lines[0], "get /x?a=b http/1.1", "no absolute form, as a proxy gets it");
    let names: Vec<&str> = lines[1..].iter().map(|line| line.split(':').next().unwrap()).collect();
    assert!(
        names.iter().all(|name| ["host", "user-agent", "content-length", "transfer-encoding"].contains(name)),
        "{head}"
    );
    assert!(!head.contains("FIXTURE"), "{head}");
}

#[test]
fn no_tunnel_no_other_host_header_and_no_user_name_leaves_the_program() {
    let (web, other) = (WebServer::start(), WebServer::start());
    let folder = folder("", &[web.address(), "127.0.0.1"]);
    let mut client = spawn(&folder).connect();
    let (here, there) = (web.address(), other.address());
    for (told, says) in [
        (format!("CONNECT http {here}/"), "refused"),
        (format!("GET http {here}/x host {there}"), "refused: header"),
        (format!("GET http {here}/x Host {there}"), "refused: header"),
        (format!("GET http {here}/x proxy-authorization FIXTURE"), "refused: header"),
        (format!("GET http {here}/x connection upgrade"), "refused: header"),
        (format!("GET http user@{here}/x"), "HttpRequestUriInvalid"),
        (format!("GET http user:pass@{here}/x"), "HttpRequestUriInvalid"),
        (format!("GET http {here}@{there}/x"), "HttpRequestUriInvalid"),
        (format!("GET http {there}/x"), "HttpRequestDenied"),
        (format!("GET http localhost:{}/x", web.port()), "HttpRequestDenied"),
        ("GET gopher /x".to_owned(), "refused"),
    ] {
        let reply = act(&mut client, "request", &told);
        assert!(reply.is_error && reply.text.contains(says), "{told}: {}", reply.text);
    }
    assert!(web.asked().is_empty() && other.asked().is_empty(), "{:?} {:?}", web.asked(), other.asked());
    let away = act(&mut client, "fetch", &format!("{here}/redirect/localhost:{}/x", other.port()));
    assert!(away.is_error && away.text.contains("HttpRequestDenied"), "{}", away.text);
    assert!(other.asked().is_empty(), "{:?}", other.asked());
    let header = act(&mut client, "request", &format!("GET http {here}/x x-own value"));
    assert_eq!(header.text, "200");
    let host = format!("host: {here}");
    assert!(web.asked().iter().all(|head| head.to_lowercase().contains(&host)), "{:?}", web.asked());
}

/// A certificate for 127.0.0.1 that nobody but itself has signed, and its key, both made for this test.
const CERTIFICATE: &str = "MIIBTDCB/6ADAgECAhQr+fubP2Fe3Ki1ivlKUFGji3jBZzAFBgMrZXAwFDESMBAGA1UEAwwJMTI3LjAuMC4xMCAXDTIwMDEwMTAwMDAwMFoYDzIxMjYxMTA3MDAyNTMyWjAUMRIwEAYDVQQDDAkxMjcuMC4wLjEwKjAFBgMrZXADIQC8BGAYO6MHvTbWWHQAHg9UeFRs2lIbopbW3dqg6leDDaNhMF8wHQYDVR0OBBYEFIfG8i4F/x1KiWS8pTAGiMGSifHfMB8GA1UdIwQYMBaAFIfG8i4F/x1KiWS8pTAGiMGSifHfMA8GA1UdEQQIMAaHBH8AAAEwDAYDVR0TAQH/BAIwADAFBgMrZXADQQBkB8ma2+O0u/xVm07Jx7lC7GKc/2obnogOKIK9LjtEBeGHgk7ll87TD0xJi+AsDMT89izlNtc4QFxsZDmhs/kP";
const KEY: &str = "MC4CAQAwBQYDK2VwBCIEINIJgCtJ77xXFgsDMMShYYa3CMh3kv5zLbRrfygtONNF";

/// A server that shows that certificate and answers everybody who believes it. Its address.
fn secure_server() -> String {
    let decoded = |text: &str| STANDARD.decode(text).unwrap();
    let key = PrivateKeyDer::try_from(decoded(KEY)).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![CertificateDer::from(decoded(CERTIFICATE))], key)
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for mut tcp in listener.incoming().flatten() {
            let mut session = ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut stream = Stream::new(&mut session, &mut tcp);
            // Who does not believe it breaks off here.
            if stream.read(&mut [0; 1024]).is_ok_and(|bytes| bytes > 0) {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
                let _ = stream.flush();
            }
        }
    });
    address
}

#[test]
fn a_host_whose_certificate_this_machine_does_not_trust_is_not_spoken_to_although_it_is_granted() {
    let address = secure_server();
    let folder = folder("", &[&address]);
    let told = format!("GET https {address}/x");
    let refused = act(&mut spawn(&folder).connect(), "request", &told);
    assert!(refused.is_error && refused.text.contains("Tls"), "{}", refused.text);
    // The same host, on a machine that trusts it.
    let file = folder.path("trusted.pem");
    std::fs::write(&file, format!("-----BEGIN CERTIFICATE-----\n{CERTIFICATE}\n-----END CERTIFICATE-----\n")).unwrap();
    let reached = act(&mut spawn(&folder).variable("SSL_CERT_FILE", &file).connect(), "request", &told);
    assert_eq!(reached.text, "200");
}

/// What a name leads to is looked at after it was resolved, with the real program too.
#[test]
fn a_granted_name_of_this_machine_is_not_reached() {
    let web = WebServer::start();
    let named = format!("localhost:{}", web.port());
    let folder = folder("", &[&named]);
    let reply = act(&mut spawn(&folder).connect(), "request", &format!("GET http {named}/x"));
    assert!(reply.is_error && reply.text.contains("private address"), "{}", reply.text);
    assert_eq!(web.asked(), Vec::<String>::new());
    assert!(reply.raw.get("structuredContent").is_none_or(Value::is_null));
}

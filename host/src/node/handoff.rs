//! The handoff file: a node and a credential that the Calimero desktop app left for this program ("Connect AI agent").
//!
//! In: `agent.json` of the state folder. Out: what it says, or nothing and the reason in one line. The file is another
//! program's; it is read and never written. It is trusted only for a node of this machine: whoever can make a user
//! take over a file must not be able to point the credentials elsewhere.

use super::base_url::NodeUrl;
use crate::redact::Secret;
use serde_json::Value;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use url::{Host, Url};

/// The file's name in the state folder.
pub(crate) const FILE: &str = "agent.json";

/// The file holds two tokens and a URL. Protects from reading a huge file into memory.
const LONGEST_FILE: u64 = 1 << 20;

/// What the file gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Handoff {
    /// Where it lies.
    pub(crate) path: PathBuf,
    /// The node, always on this machine; without one, discovery finds it.
    pub(crate) url: Option<NodeUrl>,
    /// The access token.
    pub(crate) access_token: Secret,
    /// The refresh token, if any.
    pub(crate) refresh_token: Option<Secret>,
}

/// Reads the file of a state folder: `Ok(None)` when there is none, `Err` with one line when it is not to be used.
///
/// The line shows the file's path and at most an origin, never user info, path, query or token.
pub(crate) fn read(state_dir: Option<&Path>) -> Result<Option<Handoff>, String> {
    let Some(path) = state_dir.map(|folder| folder.join(FILE)) else { return Ok(None) };
    let shown = path.display().to_string();
    let text = match text_of(&path) {
        Ok(text) => text,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(format!("{shown} cannot be read ({error}); ignoring it.")),
    };
    // The parser's own message may quote the line, and with it a token.
    let file: Value = serde_json::from_str(&text).map_err(|_| format!("{shown} is not valid JSON; ignoring it."))?;
    let token = |member: &str| {
        let text = file.get(member)?.as_str()?.trim();
        (!text.is_empty()).then(|| Secret::new(text))
    };
    let access_token = token("accessToken").ok_or_else(|| format!("{shown} has no accessToken; ignoring it."))?;
    let url =
        match file.get("nodeUrl") {
            None | Some(Value::Null) => None,
            Some(value) => Some(local(value.as_str().unwrap_or_default()).map_err(|origin| {
                format!("{shown} points at {origin}, which is not a local node; ignoring the file.")
            })?),
        };
    Ok(Some(Handoff { path, url, access_token, refresh_token: token("refreshToken") }))
}

fn text_of(path: &Path) -> io::Result<String> {
    // A pipe in the file's place must not block the reader.
    let flags = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    let file = std::fs::OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() || metadata.len() > LONGEST_FILE {
        return Err(io::Error::other("not a file of a few kilobytes"));
    }
    let mut text = String::new();
    file.take(LONGEST_FILE).read_to_string(&mut text)?;
    Ok(text)
}

/// The URL if it is one of this machine; else what may be shown of it.
fn local(text: &str) -> Result<NodeUrl, String> {
    const UNPARSEABLE: &str = "an unparseable url";
    let url = Url::parse(text.trim()).map_err(|_| UNPARSEABLE.to_owned())?;
    let shown = match url.origin() {
        origin if origin.is_tuple() => origin.ascii_serialization(),
        _ => format!("{}:", url.scheme()),
    };
    // Stricter than `NodeUrl::is_loopback`: exactly the four spellings that the app writes.
    let is_local = match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address == std::net::Ipv4Addr::LOCALHOST,
        Some(Host::Ipv6(address)) => address == std::net::Ipv6Addr::LOCALHOST,
        None => false,
    };
    match NodeUrl::parse(FILE, text) {
        Ok(node) if is_local => Ok(node),
        _ => Err(shown),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Result<Option<Handoff>, String> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(FILE), text).unwrap();
        let read = read(Some(folder.path()));
        read.map_err(|line| line.replace(&folder.path().join(FILE).display().to_string(), "FILE"))
    }

    fn pointing_at(url: &str) -> Result<Option<Handoff>, String> {
        let json = serde_json::json!({"nodeUrl": url, "accessToken": "FIXTURE.aaa.bbb", "refreshToken": "FIXTURE.r"});
        read_text(&json.to_string())
    }

    #[test]
    fn an_absent_file_says_nothing_and_a_whole_one_is_read() {
        assert_eq!(read(None), Ok(None));
        assert_eq!(read(Some(Path::new("/nowhere/at/all"))), Ok(None));
        let handoff = pointing_at("http://localhost:2528/").unwrap().unwrap();
        assert_eq!(handoff.url.unwrap().to_string(), "http://localhost:2528");
        assert_eq!(handoff.access_token.expose(), "FIXTURE.aaa.bbb");
        assert_eq!(handoff.refresh_token.unwrap().expose(), "FIXTURE.r");
    }

    #[test]
    fn a_file_with_only_a_token_is_kept() {
        let handoff = read_text(r#"{"accessToken":"t"}"#).unwrap().unwrap();
        assert_eq!((handoff.url, handoff.refresh_token), (None, None));
    }

    #[test]
    fn every_loopback_spelling_is_accepted() {
        for url in ["http://localhost", "https://localhost:1", "http://127.0.0.1", "http://[::1]:2528", "http://[::1]"]
        {
            assert!(pointing_at(url).unwrap().is_some(), "{url}");
        }
    }

    #[test]
    fn f11_a_file_that_points_elsewhere_is_rejected_whole_by_its_origin_alone() {
        for (url, origin) in [
            ("https://user:FIXTURE@node.example:8443/FIXTURE?t=FIXTURE", "https://node.example:8443"),
            ("http://127.0.0.1.evil.example.com:2528/x", "http://127.0.0.1.evil.example.com:2528"),
            ("http://localhost.example", "http://localhost.example"),
            ("http://10.0.0.1:2528", "http://10.0.0.1:2528"),
            ("file:///FIXTURE", "file:"),
            ("ftp://localhost/FIXTURE", "ftp://localhost"),
            ("FIXTURE", "an unparseable url"),
            ("", "an unparseable url"),
        ] {
            let line = pointing_at(url).unwrap_err();
            assert_eq!(line, format!("FILE points at {origin}, which is not a local node; ignoring the file."));
        }
        assert!(read_text(r#"{"accessToken":"t","nodeUrl":7}"#).unwrap_err().contains("an unparseable url"));
    }

    #[test]
    fn g03_a_damaged_file_is_rejected_without_a_word_of_it() {
        for text in ["", "{\"accessToken\":\"FIXTURE", "FIXTURE"] {
            assert_eq!(read_text(text).unwrap_err(), "FILE is not valid JSON; ignoring it.", "{text}");
        }
        for text in [
            "{}",
            r#"["http://localhost","FIXTURE"]"#,
            r#"{"accessToken":" "}"#,
            r#"{"accessToken":7}"#,
            r#"{"nodeUrl":"http://localhost"}"#,
        ] {
            assert_eq!(read_text(text).unwrap_err(), "FILE has no accessToken; ignoring it.", "{text}");
        }
    }

    #[test]
    fn what_is_no_file_is_passed_over_at_once() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(FILE)).unwrap();
        assert!(read(Some(folder.path())).unwrap_err().contains("cannot be read"));
    }
}

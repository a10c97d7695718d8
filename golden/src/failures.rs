//! `failures.json`: each failure and how an error decoder explains it.

use crate::case::{Case, unknown};
use crate::subject::{Decoder, Failure, GuestFailure, HttpFailure};
use crate::{Document, print};

/// The file.
pub(crate) const FILE: &str = "failures.json";

/// Holds each failure to the explanation written beside it.
pub(crate) fn check(case: &mut Case, decoder: &mut dyn Decoder) {
    let Some(failures) = case.list(FILE) else { return };
    let mut answered = Vec::with_capacity(failures.len());
    for (index, written) in failures.iter().enumerate() {
        let explained = failure(written)
            .and_then(|failure| decoder.explain(&failure).map_err(|stopped| format!("the decoder {}", stopped.0)));
        match explained {
            Ok(explanation) => {
                let mut entry = written.without(&["explanation"]);
                entry.set("explanation", explanation.map_or_else(Document::null, |it| print::explanation(&it)));
                answered.push(entry);
            }
            Err(problem) => return case.complain(FILE, &format!("entry {}: {problem}", index + 1)),
        }
    }
    case.compare(FILE, &Document::Array(answered));
}

/// Reads `{"guest": {…}}`, `{"http": {…}}` or `{"transport": "…"}`.
fn failure(entry: &Document) -> Result<Failure, String> {
    let kinds: Vec<&str> =
        ["guest", "http", "transport"].into_iter().filter(|kind| entry.get(kind).is_some()).collect();
    let [kind] = kinds.as_slice() else {
        return Err(format!("not one guest, http or transport failure: {}", entry.compact()));
    };
    if let Some(problem) = unknown(entry, &[kind, "explanation"]) {
        return Err(problem);
    }
    match (*kind, entry.get(kind)) {
        ("guest", Some(given)) => guest(given).map(Failure::Guest),
        ("http", Some(given)) => http(given).map(Failure::Http),
        (_, given) => {
            let words = given.and_then(Document::text).ok_or("`transport`: expected a string")?;
            Ok(Failure::Transport(words.to_owned()))
        }
    }
}

fn guest(given: &Document) -> Result<GuestFailure, String> {
    let problem = unknown(given, &["kind", "data", "message", "method", "signature"]);
    problem.map_or(Ok(()), |problem| Err(format!("`guest`: {problem}")))?;
    Ok(GuestFailure {
        kind: text(given, "kind").unwrap_or_default(),
        data: given.get("data").map(Document::compact),
        message: text(given, "message"),
        method: text(given, "method").unwrap_or_default(),
        signature: text(given, "signature"),
    })
}

fn http(given: &Document) -> Result<HttpFailure, String> {
    let problem = unknown(given, &["status", "reason", "path", "headers", "body"]);
    problem.map_or(Ok(()), |problem| Err(format!("`http`: {problem}")))?;
    let status = given.get("status").map(Document::compact).and_then(|status| status.parse().ok());
    let headers = given.get("headers").and_then(Document::members).unwrap_or_default();
    Ok(HttpFailure {
        status: status.ok_or("`http`: expected a `status` from 0 to 65535")?,
        reason: text(given, "reason").unwrap_or_default(),
        path: text(given, "path").unwrap_or_default(),
        headers: headers.iter().filter_map(|(name, value)| Some((name.clone(), value.text()?.to_owned()))).collect(),
        body: text(given, "body").unwrap_or_default(),
    })
}

fn text(object: &Document, name: &str) -> Option<String> {
    object.get(name).and_then(Document::text).map(str::to_owned)
}

//! Finds what looks like a credential.
//!
//! Every rule takes a text and answers the changed text, or `None` when there is nothing to change. They know no
//! configured secret. They are written by hand because each is a few lines and runs on every log line.

use super::MASK;

/// Fields whose values are credentials wherever they stand, in a query, a form or a JSON text.
const CREDENTIAL_FIELDS: [&str; 9] = [
    "access_token",
    "refresh_token",
    "accessToken",
    "refreshToken",
    "api_key",
    "apikey",
    "password",
    "client_secret",
    "token",
];

/// A bearer value of at least this many characters is hidden whatever it is made of; shorter ones only if they have a
/// digit, so that the prose "bearer authentication" stays readable.
const SURELY_A_TOKEN: usize = 20;
const MAYBE_A_TOKEN: usize = 6;

/// Removes user names, passwords, queries and fragments from every URL.
pub(super) fn urls(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        out.push_str(before);
        let end = after.find(ends_a_url).unwrap_or(after.len());
        let (url, tail) = after.split_at(end);
        out.push_str(&without_credentials(url));
        rest = tail;
    }
    if out.is_empty() {
        return None;
    }
    out.push_str(rest);
    (out != text).then_some(out)
}

fn ends_a_url(character: char) -> bool {
    character.is_whitespace() || character.is_control() || matches!(character, '"' | '`' | '<' | '>')
}

/// `user:pass@host/path?query#fragment` without its first, fourth and fifth part.
fn without_credentials(url: &str) -> String {
    let authority = url.split(['/', '?', '#']).next().unwrap_or_default();
    let start = match authority.rfind('@') {
        Some(at) => at + 1,
        // `user:pa/ss@host`: what looks like the port is no number, so the password holds a `/`, `?` or `#`.
        None if has_odd_port(authority) => url.rfind('@').map_or(0, |at| at + 1),
        None => 0,
    };
    let url = url.get(start..).unwrap_or_default();
    let kept = url.split(['?', '#']).next().unwrap_or_default();
    // The punctuation of a sentence around the URL belongs to the sentence.
    let cut = url.get(kept.len()..).unwrap_or_default();
    let closing = cut.len() - cut.trim_end_matches([')', ']', '}', '\'', ',', ';', '.', ':', '\\']).len();
    let punctuation = cut.get(cut.len() - closing..).unwrap_or_default();
    format!("{kept}{punctuation}")
}

fn has_odd_port(authority: &str) -> bool {
    // The port of `[::1]:2528` follows the bracket.
    let after_host = authority.rsplit(']').next().unwrap_or_default();
    after_host.split_once(':').is_some_and(|(_, port)| port.chars().any(|character| !character.is_ascii_digit()))
}

/// Hides JSON web tokens: `eyJ` (an object in base64) with at least one dot.
pub(super) fn web_tokens(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("eyJ") {
        let (before, token) = rest.split_at(at);
        let end = token.find(|c: char| !(is_base64_url(c) || c == '.')).unwrap_or(token.len());
        let (token, tail) = token.split_at(end);
        let starts_a_word = !before.ends_with(is_base64_url);
        let parts = token.trim_end_matches('.').split('.').count();
        out.push_str(before);
        if starts_a_word && parts >= 2 {
            out.push_str(MASK);
        } else {
            out.push_str(token);
        }
        rest = tail;
    }
    if out.is_empty() {
        return None;
    }
    out.push_str(rest);
    (out != text).then_some(out)
}

fn is_base64_url(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '-' | '_')
}

/// Hides what follows the word `bearer` when it looks like a token.
pub(super) fn bearer_tokens(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    let mut out = String::new();
    let mut done = 0;
    for (at, word) in lower.match_indices("bearer ") {
        let start = at + word.len();
        let Some(rest) = text.get(start..) else { continue };
        let end = rest.find(|c: char| !is_token_character(c)).unwrap_or(rest.len());
        let token = rest.get(..end).unwrap_or_default();
        if start < done || !looks_like_a_token(token) {
            continue;
        }
        out.push_str(text.get(done..start).unwrap_or_default());
        out.push_str(MASK);
        done = start + end;
    }
    (done > 0).then(|| out + text.get(done..).unwrap_or_default())
}

/// The token of `Bearer <token>`, the scheme in any case.
pub(super) fn after_bearer(text: &str) -> Option<&str> {
    let (scheme, token) = text.split_once(char::is_whitespace)?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim_start())
}

/// RFC 6750 §2.1, `b64token`.
fn is_token_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '-' | '.' | '_' | '~' | '+' | '/' | '=')
}

fn looks_like_a_token(text: &str) -> bool {
    text.len() >= SURELY_A_TOKEN || (text.len() >= MAYBE_A_TOKEN && text.bytes().any(|byte| byte.is_ascii_digit()))
}

/// Hides the value of `password=…`, `"access_token": "…"` and their kin.
pub(super) fn credential_fields(text: &str) -> Option<String> {
    let mut hidden = None;
    for field in CREDENTIAL_FIELDS {
        if let Some(changed) = credential_field(hidden.as_deref().unwrap_or(text), field) {
            hidden = Some(changed);
        }
    }
    hidden
}

fn credential_field(text: &str, field: &str) -> Option<String> {
    let mut out = String::new();
    let mut done = 0;
    for (at, name) in text.match_indices(field) {
        let Some(before) = text.get(..at) else { continue };
        let Some(after) = text.get(at + name.len()..) else { continue };
        if at < done || before.ends_with(is_base64_url) {
            continue;
        }
        let Some((skipped, length)) = value_of_field(after) else { continue };
        let start = at + name.len() + skipped;
        if text.get(start..start + length) == Some(MASK) {
            continue;
        }
        out.push_str(text.get(done..start).unwrap_or_default());
        out.push_str(MASK);
        done = start + length;
    }
    (done > 0).then(|| out + text.get(done..).unwrap_or_default())
}

/// Where a value starts after the field's name, and how long it is: `=value` or `": "value"`.
///
/// A colon in prose ("invalid token: expected …") is not a value; the quotes of JSON decide.
fn value_of_field(after: &str) -> Option<(usize, usize)> {
    if let Some(value) = after.strip_prefix('=') {
        let length = value.find(|c: char| c.is_whitespace() || matches!(c, '&' | '"' | '\'' | '`' | ',' | ';'));
        let length = length.unwrap_or(value.len());
        return (length > 0).then_some((1, length));
    }
    // Inside a JSON string, quotes are escaped.
    let quote = if after.starts_with("\\\"") { "\\\"" } else { "\"" };
    let colon = after.strip_prefix(quote)?.trim_start().strip_prefix(':')?.trim_start();
    let value = colon.strip_prefix(quote)?;
    let length = value.find(quote).unwrap_or(value.len());
    (length > 0).then_some((after.len() - value.len(), length))
}

/// Shows the operator's home as `~`, where a whole path component ends.
pub(super) fn home_paths(text: &str, home: &str) -> Option<String> {
    let mut out = String::new();
    let mut done = 0;
    for (at, found) in text.match_indices(home) {
        let end = at + found.len();
        let goes_on = text.get(end..).is_some_and(|after| after.starts_with(|c: char| is_base64_url(c) || c == '.'));
        // `/srv/root` is not the home `/root`.
        let is_inside = text.get(..at).is_some_and(|before| before.ends_with(|c: char| is_base64_url(c) || c == '.'));
        if goes_on || is_inside {
            continue;
        }
        out.push_str(text.get(done..at).unwrap_or_default());
        out.push('~');
        done = end;
    }
    (done > 0).then(|| out + text.get(done..).unwrap_or_default())
}

/// Percent-encodes everything but RFC 3986's unreserved characters.
pub(crate) fn percent_encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

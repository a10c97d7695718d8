//! Keeps secrets out of every text that leaves the process.
//!
//! In: any text meant for a model, a person or a log. Out: the same text without credentials, query strings, user
//! names in URLs and the operator's home path. It does not know where a text comes from or goes to; `report`, the MCP
//! reply and the log writer all pass through it, so that one place decides.
//!
//! Two nets, because either alone leaks: *known* secrets (registered when they are read, in every spelling that is
//! easily made of them) and *shapes* (bearer tokens, JSON web tokens, credential fields, URLs), for secrets nobody
//! registered, such as one that a node quotes back.

mod scan;

pub(crate) use scan::percent_encode;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use std::borrow::Cow;
use std::fmt;
use std::path::Path;
use std::sync::{PoisonError, RwLock};

/// What stands where a secret stood.
pub const MASK: &str = "***";

/// Shorter secrets are not searched for: a three-letter password would blank out ordinary words everywhere.
const SHORTEST_KNOWN_SECRET: usize = 4;

/// A text that no formatting shows.
///
/// `Debug` and `Display` print [`MASK`]; only [`Secret::expose`] gives the text, so its uses can be counted.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps a text as it is.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The secret itself, for a header or a request body only.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}

/// Knows this run's secrets and takes them, and everything shaped like one, out of a text.
///
/// Shared by reference; tokens that arrive later (a login, a refresh) are added with [`Redactor::learn`].
#[derive(Default)]
pub struct Redactor {
    /// Longest first, so that a secret inside another does not leave the rest of the longer one behind.
    known: RwLock<Vec<String>>,
    home: Option<String>,
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redactor").field("known", &self.spellings().len()).finish_non_exhaustive()
    }
}

impl Redactor {
    /// A redactor that shows `home` as `~` and knows no secret yet.
    #[must_use]
    pub fn new(home: Option<&Path>) -> Self {
        let home = home.and_then(Path::to_str).map(|text| text.trim_end_matches('/').to_owned());
        // An empty home or `/` would turn every path into `~`.
        Self { known: RwLock::default(), home: home.filter(|text| text.len() > 1) }
    }

    /// Registers a secret in its plain, percent-encoded and base64 spellings. Secrets under four bytes are ignored.
    pub fn learn(&self, secret: &Secret) {
        let text = secret.expose().trim();
        // A token configured with its scheme must stay hidden when only the token is shown, and the other way round.
        let bare = scan::after_bearer(text).unwrap_or(text);
        for form in [text, bare] {
            self.add(form.to_owned());
            self.add(scan::percent_encode(form));
            for engine in [&STANDARD, &STANDARD_NO_PAD, &URL_SAFE, &URL_SAFE_NO_PAD] {
                self.add(engine.encode(form));
            }
        }
    }

    /// Registers a login: the password, and the `user:password` pair as HTTP's basic scheme spells it.
    pub fn learn_login(&self, user: &str, password: &Secret) {
        self.learn(password);
        self.learn(&Secret::new(format!("{user}:{}", password.expose())));
    }

    /// The text without secrets. Running it on its own output changes nothing.
    #[must_use]
    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut out = Cow::Borrowed(text);
        for secret in self.spellings().iter() {
            replace(&mut out, |text| text.contains(secret.as_str()).then(|| text.replace(secret.as_str(), MASK)));
        }
        replace(&mut out, scan::urls);
        replace(&mut out, scan::web_tokens);
        replace(&mut out, scan::bearer_tokens);
        replace(&mut out, scan::credential_fields);
        if let Some(home) = &self.home {
            replace(&mut out, |text| scan::home_paths(text, home));
        }
        out
    }

    fn add(&self, spelling: String) {
        let hides_itself = spelling.chars().all(|character| character == '*');
        if spelling.len() < SHORTEST_KNOWN_SECRET || hides_itself {
            return;
        }
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if !known.contains(&spelling) {
            known.push(spelling);
            known.sort_by_key(|spelling| std::cmp::Reverse(spelling.len()));
        }
    }

    fn spellings(&self) -> std::sync::RwLockReadGuard<'_, Vec<String>> {
        self.known.read().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Applies a rule that answers `None` when it has nothing to change, so that clean texts are never copied.
fn replace(text: &mut Cow<'_, str>, rule: impl FnOnce(&str) -> Option<String>) {
    if let Some(changed) = rule(text) {
        *text = Cow::Owned(changed);
    }
}

#[cfg(test)]
mod tests;

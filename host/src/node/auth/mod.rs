//! Who this client is to the node, and how it stays so.
//!
//! In: settings, the handoff file, the token file. Out: requests that carry a credential, renewed when the node says
//! that it has expired. The order of the modes and every rule of the token file are a contract with other programs
//! (§4 of the peer's description).
//!
//! ```text
//! mode (whose credential) ─► acquire (which pair is in force) ─► exchange (send, renew, forget) ─► wire (login, refresh)
//!                                   └────── store + lock (the token file) ──────┘
//! ```
//!
//! A refresh token works once: using it twice makes the node revoke the whole family. So a refresh is sent only when
//! the node says `token_expired`, by one task of one process, after the file was read again under the lock. Only the
//! node's word that a credential is revoked clears the tokens; a fault on the way never does.

mod acquire;
mod exchange;
mod flight;
mod lock;
mod mode;
mod store;
#[cfg(test)]
mod tests;
mod tokens;
mod wire;

pub use mode::AuthMode;

use super::NodeUrl;
use super::bearer::Bearer;
use super::error::{Error, Rejection};
use super::handoff::Handoff;
use super::http::Http;
use super::settings::{Limits, NodeSettings};
use crate::redact::{Redactor, Secret};
use flight::Flight;
pub(super) use flight::passed;
use mode::Plan;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use store::TokenStore;
use tokens::Tokens;

/// The credential for one node; cheap to clone, clones share it.
#[derive(Debug, Clone)]
pub(crate) struct Auth(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    plan: Plan,
    url: NodeUrl,
    http: Arc<Http>,
    limits: Limits,
    redactor: Arc<Redactor>,
    /// `None` without a state folder: tokens then end with the process.
    store: Option<TokenStore>,
    held: Mutex<Held>,
    renewals: Flight<Result<(), Rejection>>,
    acquisitions: Flight<Result<(), Error>>,
}

/// What is in force now.
#[derive(Debug, Default)]
struct Held {
    pair: Option<Pair>,
    /// The node said that the last pair will never work again.
    revoked: bool,
    /// A login was made because the node no longer knew the tokens; a second one would not help either.
    logged_in_again: bool,
    /// Access tokens of which it said so, and those that were supplied beside them; never taken up again.
    refused: Vec<Secret>,
}

/// Tokens, and the header they travel in.
#[derive(Debug, Clone)]
struct Pair {
    tokens: Tokens,
    bearer: Bearer,
}

impl Auth {
    /// Picks the credential for a node and makes it ready: adopts or keeps stored tokens, logs in if there are none.
    ///
    /// # Errors
    ///
    /// [`Error::BadToken`] for a token that no header can carry, [`Error::CleartextToken`] when it would travel
    /// unencrypted to another machine without the operator's consent, and those of a login.
    pub(crate) async fn open(
        settings: &NodeSettings,
        url: &NodeUrl,
        handoff: Option<&Handoff>,
        http: &Arc<Http>,
    ) -> Result<Self, Error> {
        let plan = Plan::choose(settings, url, handoff);
        if plan.mode() != AuthMode::None && url.requires_opt_in() && !settings.allow_cleartext {
            return Err(Error::CleartextToken { url: url.to_string() });
        }
        let account = settings.username.as_deref().unwrap_or_default();
        let store = settings.state_dir.as_deref().filter(|_| plan.mode() != AuthMode::None);
        let auth = Self(Arc::new(Inner {
            plan,
            url: url.clone(),
            http: Arc::clone(http),
            limits: settings.limits.clone(),
            redactor: Arc::clone(&settings.redactor),
            store: store.map(|folder| TokenStore::new(folder, url, account)),
            held: Mutex::default(),
            renewals: Flight::default(),
            acquisitions: Flight::default(),
        }));
        auth.acquire().await?;
        Ok(auth)
    }

    /// Which kind it is.
    pub(crate) fn mode(&self) -> AuthMode {
        self.0.plan.mode()
    }

    /// The header of the next request.
    fn bearer(&self) -> Option<Bearer> {
        self.held().pair.as_ref().map(|pair| pair.bearer.clone())
    }

    /// Takes a pair up; the redactor knows it before anything is sent.
    fn hold(&self, tokens: Tokens) -> Result<(), Error> {
        self.0.redactor.learn(&tokens.access);
        self.0.redactor.learn(&tokens.refresh);
        let bearer = Bearer::new(self.0.plan.setting(), &tokens.access)?;
        let mut held = self.held();
        held.pair = Some(Pair { tokens, bearer });
        held.revoked = false;
        Ok(())
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.0.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

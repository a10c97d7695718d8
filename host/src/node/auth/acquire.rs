//! Which pair of tokens is in force: the supplied one, the stored one, or that of a new login.

use super::lock::FileLock;
use super::mode::Plan;
use super::store::{Stored, TokenStore};
use super::tokens::Tokens;
use super::wire::{AuthService, Login};
use super::{Auth, Pair};
use crate::node::Error;
use crate::node::bearer::Bearer;
use std::io;

impl Auth {
    /// Takes up the pair that counts now; leaves what is in force when there is none that the node has not refused.
    ///
    /// # Errors
    ///
    /// [`Error::BadToken`], and those of a login.
    pub(super) async fn acquire(&self) -> Result<(), Error> {
        let tokens = match &self.0.plan {
            Plan::None => None,
            Plan::Credentials(login) => self.stored_or_login(login).await?,
            Plan::Handoff { .. } | Plan::Token(_) => {
                let supplied = self.0.plan.supplied_now(&self.0.url).filter(|tokens| !self.is_refused(tokens));
                if let Some(tokens) = &supplied {
                    self.0.redactor.learn(&tokens.access);
                    self.0.redactor.learn(&tokens.refresh);
                    // Before it is stored, so that nothing a header cannot carry gets into the file.
                    Bearer::new(self.0.plan.setting(), &tokens.access)?;
                }
                self.newer_of(supplied).await
            }
        };
        match tokens {
            Some(tokens) => self.hold(tokens),
            None => Ok(()),
        }
    }

    /// The supplied pair if the store is empty or older; then it is stored. Otherwise the stored one, which may have
    /// been rotated since the supplied one was issued.
    async fn newer_of(&self, supplied: Option<Tokens>) -> Option<Tokens> {
        let Some(store) = &self.0.store else {
            let held = self.held().pair.as_ref().map(|pair| pair.tokens.clone());
            return supplied.filter(|supplied| wins(supplied, held.as_ref()));
        };
        let stored = self.usable(store);
        let Some(supplied) = supplied else { return stored };
        if !wins(&supplied, stored.as_ref()) {
            return stored.inspect(|stored| self.tell_which(stored, &supplied, "the stored"));
        }
        let _lock = locked(store).await;
        // Another process may have been here first.
        let stored = self.usable(store);
        if !wins(&supplied, stored.as_ref()) {
            return stored;
        }
        if let Some(stored) = &stored {
            self.tell_which(stored, &supplied, "the supplied");
        }
        keep(store, &supplied);
        Some(supplied)
    }

    /// The stored pair; without one, a login. Processes that start together log in once. `None` for a node without an
    /// auth service, which wants no login.
    async fn stored_or_login(&self, login: &Login) -> Result<Option<Tokens>, Error> {
        let Some(store) = &self.0.store else { return self.login(login).await };
        if let Some(stored) = self.usable(store) {
            return Ok(Some(stored));
        }
        let _lock = locked(store).await;
        if let Some(stored) = self.usable(store) {
            return Ok(Some(stored));
        }
        let tokens = self.login(login).await?;
        if let Some(tokens) = &tokens {
            keep(store, tokens);
        }
        Ok(tokens)
    }

    async fn login(&self, login: &Login) -> Result<Option<Tokens>, Error> {
        match self.service().login(login).await {
            Err(Error::LoginFailed { failure, .. }) if failure.status == 404 => {
                tracing::warn!("the node at {} has no auth service; going on without a login", self.0.url);
                Ok(None)
            }
            Err(error) => Err(error),
            Ok(tokens) => {
                self.0.redactor.learn(&tokens.access);
                self.0.redactor.learn(&tokens.refresh);
                Ok(Some(tokens))
            }
        }
    }

    /// The stored pair, unless it cannot be used, which is said in a line.
    fn usable(&self, store: &TokenStore) -> Option<Tokens> {
        match store.load() {
            Stored::Unusable(line) => {
                tracing::warn!("{line}");
                None
            }
            stored => stored.tokens().filter(|tokens| {
                // What no header can carry was not written by this client or its peers.
                !self.is_refused(tokens) && Bearer::new("the token file", &tokens.access).is_ok()
            }),
        }
    }

    fn is_refused(&self, tokens: &Tokens) -> bool {
        self.held().refused.contains(&tokens.access)
    }

    /// Says which of two pairs is used, where they differ.
    fn tell_which(&self, stored: &Tokens, supplied: &Tokens, used: &str) {
        if stored.access != supplied.access {
            tracing::warn!("using {used} token: the token file and {} differ", self.0.plan.setting());
        }
    }

    /// Clears what the node has refused for good: from memory at once, from the file unless another process has put
    /// newer tokens there.
    pub(super) async fn revoke(&self, sent: &Bearer) {
        self.forget(sent);
        if let Some(store) = &self.0.store {
            let _lock = locked(store).await;
            self.clear(store, sent);
        }
    }

    /// The part of [`Auth::revoke`] for the holder of the lock.
    pub(super) fn clear(&self, store: &TokenStore, sent: &Bearer) {
        if store.load().tokens().is_some_and(|tokens| tokens.access == *sent.token())
            && let Err(error) = store.clear()
        {
            tracing::warn!("cannot remove {}: {error}", store.path().display());
        }
    }

    /// The part of [`Auth::revoke`] that is about memory.
    pub(super) fn forget(&self, sent: &Bearer) {
        let mut held = self.held();
        let is_current = held.pair.as_ref().is_some_and(|Pair { bearer, .. }| bearer == sent);
        if is_current {
            held.pair = None;
            held.revoked = true;
        }
        // A supplied pair that was not newer belongs to the same family, or to an older one.
        let supplied = self.0.plan.supplied().map(|tokens| tokens.access.clone());
        for token in [Some(sent.token().clone()), supplied].into_iter().flatten() {
            if !held.refused.contains(&token) {
                held.refused.push(token);
            }
        }
    }

    pub(super) fn service(&self) -> AuthService<'_> {
        AuthService { http: &self.0.http, url: &self.0.url, limits: &self.0.limits }
    }
}

fn wins(supplied: &Tokens, stored: Option<&Tokens>) -> bool {
    stored.is_none_or(|stored| supplied.is_newer_than(stored))
}

/// The lock, if it can be had; a folder that cannot be written to must not keep a session from its node.
async fn locked(store: &TokenStore) -> Option<FileLock> {
    store.lock().await.inspect_err(|error| not_kept(store, error)).ok()
}

/// Stores a pair; in memory it is good all the same.
pub(super) fn keep(store: &TokenStore, tokens: &Tokens) {
    if let Err(error) = store.save(tokens) {
        not_kept(store, &error);
    }
}

fn not_kept(store: &TokenStore, error: &io::Error) {
    tracing::warn!("cannot keep tokens in {}, so they end with this process: {error}", store.path().display());
}

//! A request with whatever credential is in force, renewed once if the node says that it has expired.
//!
//! A call costs at most two requests and one refresh or login, whatever the node answers.

use super::acquire::keep;
use super::tokens::Tokens;
use super::wire::RefreshFault;
use super::{Auth, AuthMode};
use crate::model::CallScope;
use crate::node::bearer::Bearer;
use crate::node::error::{Error, Rejection};
use crate::node::http::{Answer, Request};
use std::io;

impl Auth {
    /// Sends a request.
    ///
    /// # Errors
    ///
    /// Those of an exchange. When a refresh fails, the node's answer to the request itself.
    pub(crate) async fn send(&self, request: &Request, scope: &CallScope) -> Result<Answer, Error> {
        let sent = self.credential(scope).await?;
        let first = self.once(sent.as_ref(), request, scope).await;
        let Err(Error::LoginNeeded { rejection, .. }) = &first else { return first };
        match (sent, rejection) {
            (Some(sent), Rejection::Expired) => match self.renewed(&sent, scope).await? {
                Ok(fresh) => self.once(Some(&fresh), request, scope).await,
                Err(rejection) => first.map_err(|error| explained(error, rejection)),
            },
            (Some(sent), Rejection::NotAccepted) => match self.replaced(&sent, scope).await {
                Some(other) => self.once(Some(&other), request, scope).await,
                None => first,
            },
            // Without a credential because the last one is dead: that is what the caller has to know.
            (None, Rejection::NoCredential) if self.held().revoked => {
                first.map_err(|error| explained(error, Rejection::Revoked))
            }
            _ => first,
        }
    }

    async fn once(&self, bearer: Option<&Bearer>, request: &Request, scope: &CallScope) -> Result<Answer, Error> {
        let answer = self.0.http.send(&self.0.url, bearer, &self.0.limits, request, scope).await;
        if let (Some(bearer), Err(Error::LoginNeeded { rejection: Rejection::Revoked, .. })) = (bearer, &answer) {
            self.revoke(bearer).await;
        }
        answer
    }

    /// The credential of the next request. After a revocation it is looked for anew: the handoff file may have been
    /// written again, another process may have logged in, and credentials are good for another login.
    async fn credential(&self, scope: &CallScope) -> Result<Option<Bearer>, Error> {
        if self.held().revoked {
            let auth = self.clone();
            let acquired = self.0.acquisitions.join("a new credential", scope, || async move { auth.acquire().await });
            acquired.await??;
        }
        Ok(self.bearer())
    }

    /// A newer credential than `sent`, or why there is none.
    async fn renewed(&self, sent: &Bearer, scope: &CallScope) -> Result<Result<Bearer, Rejection>, Error> {
        if !self.is_current(sent) {
            return Ok(self.bearer().ok_or(Rejection::Revoked));
        }
        let (auth, expired) = (self.clone(), sent.clone());
        let renewal = self.0.renewals.join("POST /auth/refresh", scope, || async move { auth.refresh(&expired).await });
        Ok(renewal.await?.and_then(|()| self.bearer().ok_or(Rejection::Revoked)))
    }

    /// Another credential than one that the node refuses without a reason. It may have been revoked, on a node that has
    /// no word for that, or be of a node that was set up anew. A newer handoff and another process's tokens are taken
    /// up; with credentials one login is made, once in the life of this process.
    async fn replaced(&self, sent: &Bearer, scope: &CallScope) -> Option<Bearer> {
        if self.is_current(sent) {
            self.allow_another_login(sent);
            let auth = self.clone();
            let acquired =
                self.0.acquisitions.join("another credential", scope, || async move { auth.acquire().await });
            if let Ok(Err(error)) = acquired.await {
                tracing::warn!("no other credential: {error}");
            }
        }
        self.bearer().filter(|bearer| bearer != sent)
    }

    fn allow_another_login(&self, sent: &Bearer) {
        let mut held = self.held();
        if self.mode() == AuthMode::Credentials && !held.logged_in_again {
            held.logged_in_again = true;
            held.refused.push(sent.token().clone());
        }
    }

    /// Replaces an expired pair, by another process's if there is one, else by a refresh.
    async fn refresh(&self, expired: &Bearer) -> Result<(), Rejection> {
        let Some(held) = self.held().pair.clone() else { return Err(Rejection::Revoked) };
        if held.bearer != *expired {
            return Ok(());
        }
        let Some(store) = &self.0.store else { return self.spend(held.tokens, expired).await };
        let _lock = match store.lock().await {
            Ok(lock) => Some(lock),
            Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                tracing::warn!("cannot refresh the access token: {error}");
                return Err(Rejection::NotRefreshed);
            }
            // Nothing can be written there, so no other process has these very tokens from there.
            Err(_) => None,
        };
        match store.load().tokens() {
            Some(stored) if stored.access == held.tokens.access => self.spend(stored, expired).await,
            Some(stored) if self.hold(stored.clone()).is_ok() => Ok(()),
            _ => self.spend(held.tokens, expired).await,
        }
    }

    /// Uses a refresh token up. For the holder of the lock.
    async fn spend(&self, tokens: Tokens, expired: &Bearer) -> Result<(), Rejection> {
        if !tokens.can_refresh() {
            return Err(Rejection::Expired);
        }
        let store = self.0.store.as_ref();
        match self.service().refresh(&tokens).await {
            Ok(fresh) => {
                self.0.redactor.learn(&fresh.access);
                self.0.redactor.learn(&fresh.refresh);
                // First of all: from here on the old pair is worth nothing.
                if let Some(store) = store {
                    keep(store, &fresh);
                }
                self.hold(fresh).map_err(|_| Rejection::NotRefreshed)
            }
            Err(RefreshFault::Terminal) => {
                self.forget(expired);
                if let Some(store) = store {
                    self.clear(store, expired);
                }
                Err(Rejection::Revoked)
            }
            Err(RefreshFault::Other(error)) => {
                tracing::warn!("cannot refresh the access token: {error}");
                Err(Rejection::NotRefreshed)
            }
        }
    }

    fn is_current(&self, bearer: &Bearer) -> bool {
        self.held().pair.as_ref().is_some_and(|pair| pair.bearer == *bearer)
    }
}

/// The node's own answer with what is known beyond it.
fn explained(error: Error, rejection: Rejection) -> Error {
    match error {
        Error::LoginNeeded { url, route, failure, .. } => Error::LoginNeeded { url, route, rejection, failure },
        other => other,
    }
}

//! The connection to the node, made when it is first needed.
//!
//! A session costs nothing until its first use. That use finds the node and picks the credential; a success is kept
//! for the life of the process, a failure is not, so a node started later needs no restart of the server. Uses that
//! come while an attempt is under way wait for that same attempt.

use super::auth::{Auth, AuthMode, passed};
use super::base_url::NodeUrl;
use super::discovery::{self, Discovered, DiscoverySource, KnownNode};
use super::envelope::{Wrap, payload, read};
use super::error::Error;
use super::handoff::{self, Handoff};
use super::http::{Answer, Http, Request};
use super::settings::NodeSettings;
use crate::model::CallScope;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// A lazy connection to one node; cheap to clone, clones share it.
#[derive(Debug, Clone)]
pub struct Session(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    settings: NodeSettings,
    http: Arc<Http>,
    /// The last line said about the handoff file, so that a status report does not say it again.
    said: Mutex<Option<String>>,
    state: Mutex<State>,
}

type Attempt = Option<Result<Arc<Connection>, Error>>;

#[derive(Debug)]
enum State {
    Idle,
    Connecting(watch::Receiver<Attempt>),
    Connected(Arc<Connection>),
}

/// A node that was found, and who this process is to it.
#[derive(Debug)]
pub struct Connection {
    url: NodeUrl,
    source: DiscoverySource,
    name: Option<String>,
    auth: Auth,
}

impl Connection {
    /// The node's base URL.
    #[must_use]
    pub fn url(&self) -> &NodeUrl {
        &self.url
    }

    /// How the node was found.
    #[must_use]
    pub fn source(&self) -> DiscoverySource {
        self.source
    }

    /// The node's name, if a configured folder or the operator gives it one.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Where the credential comes from.
    #[must_use]
    pub fn auth_mode(&self) -> AuthMode {
        self.auth.mode()
    }
}

impl Session {
    /// A session that has not looked for its node yet.
    #[must_use]
    pub fn new(settings: NodeSettings) -> Self {
        let (http, said) = (Arc::default(), Mutex::default());
        Self(Arc::new(Shared { settings, http, said, state: Mutex::new(State::Idle) }))
    }

    /// The connection, if it was made already; waits for nothing.
    #[must_use]
    pub fn connected(&self) -> Option<Arc<Connection>> {
        match &*self.0.state() {
            State::Connected(connection) => Some(Arc::clone(connection)),
            State::Idle | State::Connecting(_) => None,
        }
    }

    /// The connection, made now if need be. Cancelling one caller does not end the attempt for the others.
    ///
    /// # Errors
    ///
    /// Those of discovery and of the settings, [`Error::Cancelled`] and [`Error::DeadlinePassed`].
    pub async fn connect(&self, scope: &CallScope) -> Result<Arc<Connection>, Error> {
        let mut attempt = match self.join_attempt() {
            Ok(connection) => return Ok(connection),
            Err(attempt) => attempt,
        };
        let route = || "the node's discovery".to_owned();
        tokio::select! {
            biased;
            () = scope.cancel.cancelled() => Err(Error::Cancelled { route: route() }),
            () = passed(scope.deadline) => Err(Error::DeadlinePassed { route: route() }),
            done = attempt.wait_for(Option::is_some) => match done {
                Ok(result) => result.clone().unwrap_or(Err(Error::Abandoned)),
                Err(_) => Err(Error::Abandoned),
            },
        }
    }

    /// Looks for the node afresh, as a status report does, without touching the connection in use.
    ///
    /// # Errors
    ///
    /// Those of discovery.
    pub async fn discover(&self, scope: &CallScope) -> Result<DiscoverySource, Error> {
        let handoff = self.0.handoff();
        discovery::discover(&self.0.settings, handoff.as_ref(), &self.0.http, scope).await.map(|found| found.source)
    }

    /// Every node this machine knows of: the configured ones, then those that answer on a usual port.
    pub async fn known_nodes(&self, scope: &CallScope) -> Vec<KnownNode> {
        discovery::known_nodes(&self.0.settings, &self.0.http, scope).await
    }

    /// Gives the connection, or the attempt under way, which is started if there is none.
    fn join_attempt(&self) -> Result<Arc<Connection>, watch::Receiver<Attempt>> {
        let mut state = self.0.state();
        match &*state {
            State::Connected(connection) => return Ok(Arc::clone(connection)),
            // A sender that is gone without a result died with its runtime; a new attempt replaces it.
            State::Connecting(attempt) if attempt.has_changed().is_ok() => return Err(attempt.clone()),
            State::Connecting(_) | State::Idle => {}
        }
        let (done, attempt) = watch::channel(None);
        *state = State::Connecting(attempt.clone());
        drop(state);
        let shared = Arc::clone(&self.0);
        tokio::spawn(async move {
            let result = shared.connect().await;
            *shared.state() = match &result {
                Ok(connection) => State::Connected(Arc::clone(connection)),
                Err(_) => State::Idle,
            };
            // The last waiter may be gone; the state above is what counts then.
            let _ = done.send(Some(result));
        });
        Err(attempt)
    }

    /// Sends a request to the node, connecting first if need be.
    pub(super) async fn send(&self, request: Request, scope: &CallScope) -> Result<Answer, Error> {
        let connection = self.connect(scope).await?;
        connection.auth.send(&request, scope).await
    }

    /// Sends a request and reads its answer as `T`.
    pub(super) async fn ask<T: DeserializeOwned>(
        &self,
        request: Request,
        wrap: Wrap,
        expected: &'static str,
        scope: &CallScope,
    ) -> Result<T, Error> {
        read(&self.send(request, scope).await?, wrap, expected)
    }

    /// Sends a request whose success says all there is to say, whatever its body.
    pub(super) async fn tell(&self, request: Request, scope: &CallScope) -> Result<(), Error> {
        payload(&self.send(request, scope).await?, Wrap::Flat).map(drop)
    }
}

impl Shared {
    async fn connect(&self) -> Result<Arc<Connection>, Error> {
        // The attempt belongs to all who wait for it, so no single caller's scope bounds it; discovery bounds itself.
        let handoff = self.handoff();
        let Discovered { url, source, name } =
            discovery::discover(&self.settings, handoff.as_ref(), &self.http, &CallScope::default()).await?;
        let auth = Auth::open(&self.settings, &url, handoff.as_ref(), &self.http).await?;
        tracing::debug!(url = %url, source = %source, auth = %auth.mode(), "node found");
        Ok(Arc::new(Connection { url, source, name, auth }))
    }

    /// The handoff file as it is now; a reason not to use it is said once.
    fn handoff(&self) -> Option<Handoff> {
        let (handoff, line) = match handoff::read(self.settings.state_dir.as_deref()) {
            Ok(handoff) => (handoff, None),
            Err(line) => (None, Some(line)),
        };
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(line) = line.as_deref().filter(|line| said.as_deref() != Some(*line)) {
            tracing::warn!("{line}");
        }
        *said = line;
        handoff
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes a request body. Wire types have string keys and no failing serialisers, so this cannot fail in practice.
pub(super) fn json_body(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).unwrap_or_default()
}

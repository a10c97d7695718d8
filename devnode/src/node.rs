//! The node as its routes see it: settings, state, faults and the log of requests, each behind its own lock.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::http::HeaderMap;
use axum::http::header::{AUTHORIZATION, HOST};
use tokio::sync::watch;

use crate::auth::{AuthService, Denied, needed_permission};
use crate::faults::Fault;
use crate::ids::Id;
use crate::setup::{Access, Generation, GuestErrorText, IdText, Setup};
use crate::state::World;

/// One request as it came, for tests that count or look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedRequest {
    /// The verb.
    pub method: String,
    /// The path, base path included, still percent-encoded.
    pub path: String,
    /// The query string without `?`; empty when there is none.
    pub query: String,
    /// The body; of a longer one the first MiB.
    pub body: Vec<u8>,
    /// Headers with lower-case names; of a repeated one the last.
    pub headers: BTreeMap<String, String>,
}

impl RecordedRequest {
    /// The body as JSON; `null` when it is not.
    #[must_use]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

/// How many requests are kept: more than any test sends, and an embedded node that runs for weeks stays small.
const REQUESTS_KEPT: usize = 10_000;

/// How much of a body is kept, in bytes.
pub(crate) const BODY_KEPT: usize = 1 << 20;

/// What all routes share.
pub(crate) struct Inner {
    pub(crate) base_path: String,
    pub(crate) generation: Generation,
    pub(crate) context_ids: IdText,
    pub(crate) guest_errors: GuestErrorText,
    pub(crate) verify_manifests: bool,
    world: Mutex<World>,
    pub(crate) faults: Mutex<Vec<Fault>>,
    pub(crate) requests: Mutex<VecDeque<RecordedRequest>>,
    pub(crate) auth: Mutex<AuthService>,
    access: Mutex<Access>,
    ready: Mutex<Option<String>>,
    /// Turns true when the node stops.
    pub(crate) stopping: watch::Receiver<bool>,
}

/// The shared node.
pub(crate) type Node = Arc<Inner>;

/// A lock that a panic elsewhere does not spoil.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Inner {
    pub(crate) fn new(setup: &Setup, base_path: String, stopping: watch::Receiver<bool>) -> Self {
        Self {
            base_path,
            generation: setup.generation,
            context_ids: setup.context_ids,
            guest_errors: setup.guest_errors,
            verify_manifests: setup.verify_manifests,
            world: Mutex::new(World::with_registry(setup.registry.clone())),
            faults: Mutex::default(),
            requests: Mutex::default(),
            auth: Mutex::default(),
            access: Mutex::new(setup.access.clone()),
            ready: Mutex::default(),
            stopping,
        }
    }

    /// Writes a request down, over the oldest one when there are too many.
    pub(crate) fn record(&self, request: RecordedRequest) {
        let mut requests = lock(&self.requests);
        if requests.len() >= REQUESTS_KEPT {
            requests.pop_front();
        }
        requests.push_back(request);
    }

    /// The state. Never held over a wait.
    pub(crate) fn world(&self) -> MutexGuard<'_, World> {
        lock(&self.world)
    }

    /// Changes who may come in.
    pub(crate) fn set_access(&self, access: Access) {
        *lock(&self.access) = access;
    }

    /// The status word of a node that is not ready.
    pub(crate) fn unready(&self) -> Option<String> {
        lock(&self.ready).clone()
    }

    /// Sets it; `None` is ready.
    pub(crate) fn set_unready(&self, status: Option<String>) {
        *lock(&self.ready) = status;
    }

    /// The account of a node with embedded auth: user and password.
    pub(crate) fn account(&self) -> Option<(String, String)> {
        match &*lock(&self.access) {
            Access::Embedded { user, password } => Some((user.clone(), password.clone())),
            Access::Open | Access::Closed | Access::Bearer(_) => None,
        }
    }

    /// Whether a request to a route that is not public may pass; `path` is without the base path.
    pub(crate) fn admit(&self, method: &str, path: &str, query: &str, headers: &HeaderMap) -> Result<(), Denied> {
        let (closed, own) = match &*lock(&self.access) {
            Access::Open => return Ok(()),
            Access::Closed => (true, None),
            Access::Bearer(token) => (true, Some(token.clone())),
            Access::Embedded { .. } => (false, None),
        };
        let sent = sent_token(headers, query);
        if closed {
            return if own.is_some() && sent == own { Ok(()) } else { Err(Denied::Missing) };
        }
        let sent = sent.ok_or(Denied::Missing)?;
        let caller = lock(&self.auth).check(&sent, host(headers))?;
        if caller.may(needed_permission(method, path)) { Ok(()) } else { Err(Denied::NotPermitted) }
    }

    /// Whether this is the node after the recorded one.
    pub(crate) fn is_newer(&self) -> bool {
        self.generation == Generation::Newer
    }

    /// A context id as this node writes it.
    pub(crate) fn context_text(&self, id: &Id) -> String {
        match self.context_ids {
            IdText::Base58 => id.base58(),
            IdText::Hex => id.hex(),
        }
    }

    /// A context id as this node reads it.
    pub(crate) fn read_context(&self, text: &str) -> Result<Id, String> {
        match (self.context_ids, Id::from_hex(text)) {
            (IdText::Hex, Some(id)) => Ok(id),
            _ => Id::from_base58(text),
        }
    }
}

/// The token of a request: its header's, or the query's where there is no such header.
pub(crate) fn sent_token(headers: &HeaderMap, query: &str) -> Option<String> {
    match headers.get(AUTHORIZATION) {
        Some(value) => value.to_str().ok()?.strip_prefix("Bearer ").map(str::to_owned),
        None => query.split('&').find_map(|pair| pair.strip_prefix("token=")).map(str::to_owned),
    }
}

/// The host a request was meant for, without its port.
pub(crate) fn host(headers: &HeaderMap) -> &str {
    let host = headers.get(HOST).and_then(|value| value.to_str().ok()).unwrap_or_default();
    host.rsplit_once(':').map_or(host, |(name, _)| name)
}

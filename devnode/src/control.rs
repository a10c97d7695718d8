//! The running node and what its owner can do to it without HTTP.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::app::App;
use crate::auth::IssuedTokens;
use crate::faults::Fault;
use crate::ids::Id;
use crate::node::{Inner, Node, RecordedRequest, lock};
use crate::server;
use crate::setup::{Access, Seed, Setup};
use crate::state::{AliasKind, CreateFault, NewContext};

/// A running node. Dropping it stops it: the port is closed and requests in flight end.
pub struct DevNode {
    address: SocketAddr,
    node: Node,
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

/// What a context is made from; see [`DevNode::create_context`].
#[derive(Clone, Debug, Default)]
pub struct ContextRequest {
    /// The namespace or group, in hex.
    pub group: String,
    /// The service, for an application with several.
    pub service: Option<String>,
    /// A name for people.
    pub name: Option<String>,
    /// The initialiser's arguments; `null` sends no bytes.
    pub init: Value,
}

/// Why a control call did nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ControlError {
    /// The text is no id of the expected form.
    BadId(String),
    /// There is no such application, group or service.
    Unknown(String),
    /// The guest's initialiser refused, in its words.
    Refused(String),
}

impl std::fmt::Display for ControlError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::BadId(text) => write!(f, "not an id of the node: {text}"),
            Self::Unknown(what) => write!(f, "the node does not have {what}"),
            Self::Refused(text) => write!(f, "the application refused to initialise: {text}"),
        }
    }
}

impl std::error::Error for ControlError {}

impl DevNode {
    /// Starts a node on loopback. Must be called inside a tokio runtime with I/O and time.
    ///
    /// # Errors
    /// The port is taken, the base path does not begin with `/`, or an application of the setup cannot be made ready.
    pub async fn start(setup: Setup) -> io::Result<Self> {
        let base_path = setup.base_path.trim_end_matches('/').to_owned();
        if !(base_path.is_empty() || base_path.starts_with('/')) || base_path.contains(['{', '}', '*']) {
            let text = format!("the base path must begin with `/` and be plain, got `{base_path}`");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, setup.port)).await?;
        let address = listener.local_addr()?;
        let (stop, stopping) = watch::channel(false);
        let node = Arc::new(Inner::new(&setup, base_path, stopping));
        for seed in setup.installed {
            plant(&node, seed).map_err(io::Error::other)?;
        }
        let task = tokio::spawn(server::serve(Node::clone(&node), listener));
        Ok(Self { address, node, stop, task })
    }

    /// The base URL without a trailing slash, e.g. `http://127.0.0.1:41234/calimero/node1`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}{}", self.address, self.node.base_path)
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Stops and waits until the port is free again.
    pub async fn shutdown(mut self) {
        self.stop.send_replace(true);
        // The task only serves; how it ended does not matter any more.
        let _ = (&mut self.task).await;
    }

    /// Installs a version; the row of an earlier one is overwritten, contexts keep what they run. Gives the id.
    pub fn install(&self, app: App) -> String {
        self.node.world().install(app).base58()
    }

    /// Installs a version and moves all groups and contexts of the application to it. Gives the id.
    pub fn upgrade(&self, app: App) -> String {
        let mut world = self.node.world();
        let id = world.install(app);
        let groups: Vec<Id> =
            world.groups.iter().filter(|(_, group)| group.application == id).map(|(group, _)| *group).collect();
        for group in groups {
            world.upgrade_group(&group, id);
        }
        id.base58()
    }

    /// Removes the row; contexts go on. Tells whether it was there.
    pub fn uninstall(&self, application: &str) -> bool {
        Id::from_base58(application).is_ok_and(|id| self.node.world().applications.remove(&id).is_some())
    }

    /// Makes an application known to `install-application`.
    pub fn publish(&self, app: App) {
        self.node.world().registry.push(app);
    }

    /// The id of the installed application with this package name.
    #[must_use]
    pub fn application(&self, package: &str) -> Option<String> {
        self.node.world().by_package(package).map(|(id, _)| id.base58())
    }

    /// Makes a namespace for an application. Gives its id in hex.
    ///
    /// # Errors
    /// [`ControlError::BadId`], [`ControlError::Unknown`].
    pub fn create_namespace(&self, application: &str, name: Option<&str>) -> Result<String, ControlError> {
        let id = Id::from_base58(application).map_err(ControlError::BadId)?;
        let made = self.node.world().create_group(id, None, name.map(Into::into));
        made.map(|id| id.hex()).ok_or_else(|| ControlError::Unknown(format!("application {application}")))
    }

    /// Makes a context. Gives its id in the node's text form.
    ///
    /// # Errors
    /// All of [`ControlError`].
    pub fn create_context(&self, wanted: ContextRequest) -> Result<String, ControlError> {
        let group = Id::from_hex(&wanted.group).ok_or_else(|| ControlError::BadId(wanted.group.clone()))?;
        let application = self.node.world().groups.get(&group).map(|group| group.application);
        let application = application.ok_or_else(|| ControlError::Unknown(format!("group {}", wanted.group)))?;
        let id = create(&self.node, application, group, wanted.service, wanted.name, &wanted.init)?;
        Ok(self.node.context_text(&id))
    }

    /// Removes a context; tells whether it was there.
    pub fn delete_context(&self, context: &str) -> bool {
        self.node.read_context(context).is_ok_and(|id| self.node.world().delete_context(&id))
    }

    /// What the guest keeps in a context.
    #[must_use]
    pub fn state(&self, context: &str) -> Option<Value> {
        let id = self.node.read_context(context).ok()?;
        self.node.world().contexts.get(&id).map(|context| Value::Object(context.state.clone()))
    }

    /// Sets an alias, over an old one too.
    ///
    /// # Errors
    /// [`ControlError::BadId`].
    pub fn set_alias(&self, kind: AliasKind, alias: &str, target: &str) -> Result<(), ControlError> {
        let id = match kind {
            AliasKind::Context => self.node.read_context(target),
            AliasKind::Application => Id::from_base58(target),
        };
        let id = id.map_err(ControlError::BadId)?;
        self.node.world().aliases(kind).insert(alias.into(), id);
        Ok(())
    }

    /// What an alias stands for, in the node's text form.
    #[must_use]
    pub fn alias(&self, kind: AliasKind, alias: &str) -> Option<String> {
        let id = self.node.world().aliases(kind).get(alias).copied()?;
        Some(match kind {
            AliasKind::Context => self.node.context_text(&id),
            AliasKind::Application => id.base58(),
        })
    }

    /// The context with this alias.
    #[must_use]
    pub fn context(&self, alias: &str) -> Option<String> {
        self.alias(AliasKind::Context, alias)
    }

    /// Changes who may come in.
    pub fn set_access(&self, access: Access) {
        self.node.set_access(access);
    }

    /// Gives out an admin pair without a login, as `merod auth` does; of use with [`Access::Embedded`].
    pub fn issue_tokens(&self) -> IssuedTokens {
        lock(&self.node.auth).issue_root("")
    }

    /// Ends the life of every access token given out so far; their refresh tokens stay good.
    pub fn expire_access_tokens(&self) {
        lock(&self.node.auth).expire_all();
    }

    /// Withdraws every token given out so far.
    pub fn revoke_tokens(&self) {
        lock(&self.node.auth).revoke_all();
    }

    /// How often a refresh token was presented that had been used before.
    #[must_use]
    pub fn token_reuses(&self) -> usize {
        lock(&self.node.auth).reuses()
    }

    /// Makes `/ready` answer 503 with this word (`starting`, `shutting_down`, `store_unavailable`), or well again.
    pub fn set_unready(&self, status: Option<&str>) {
        self.node.set_unready(status.map(Into::into));
    }

    /// Adds a fault after those already there.
    pub fn inject(&self, fault: Fault) {
        lock(&self.node.faults).push(fault);
    }

    /// Takes all faults away.
    pub fn clear_faults(&self) {
        lock(&self.node.faults).clear();
    }

    /// The requests so far, in the order in which they came: the last 10000 of them.
    #[must_use]
    pub fn requests(&self) -> Vec<RecordedRequest> {
        lock(&self.node.requests).iter().cloned().collect()
    }

    /// How many requests came with this verb (`"*"` for any) and a path, without the base path, that begins so.
    #[must_use]
    pub fn count(&self, method: &str, path: &str) -> usize {
        let own = |full: &str| full.strip_prefix(&self.node.base_path).is_some_and(|rest| rest.starts_with(path));
        let requests = lock(&self.node.requests);
        requests.iter().filter(|request| (method == "*" || request.method == method) && own(&request.path)).count()
    }

    /// Forgets the requests so far.
    pub fn clear_requests(&self) {
        lock(&self.node.requests).clear();
    }
}

impl Drop for DevNode {
    fn drop(&mut self) {
        self.stop.send_replace(true);
    }
}

/// Installs what a seed says.
fn plant(node: &Inner, seed: Seed) -> Result<(), ControlError> {
    let application = node.world().install(seed.app);
    if let Some(alias) = seed.alias {
        node.world().application_aliases.insert(alias, application);
    }
    let Some(wanted) = seed.context else { return Ok(()) };
    let unknown = || ControlError::Unknown(format!("application {}", application.base58()));
    let group = node.world().create_group(application, None, wanted.name.clone()).ok_or_else(unknown)?;
    let context = create(node, application, group, wanted.service, wanted.name, &wanted.init)?;
    if let Some(alias) = wanted.alias {
        node.world().context_aliases.insert(alias, context);
    }
    Ok(())
}

fn create(
    node: &Inner,
    application: Id,
    group: Id,
    service: Option<String>,
    name: Option<String>,
    init: &Value,
) -> Result<Id, ControlError> {
    let init = if init.is_null() { Vec::new() } else { init.to_string().into_bytes() };
    let new = NewContext { application, group, service: service.clone(), init, name, seed: None };
    node.world().create_context(new, node.guest_errors).map_err(|fault| match fault {
        CreateFault::Refused(text) => ControlError::Refused(text),
        CreateFault::Masked => ControlError::Unknown(match service {
            Some(service) => format!("service {service}"),
            None => "one service to run; name it".into(),
        }),
    })
}

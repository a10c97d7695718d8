//! What the operator said about the node, as plain values.
//!
//! The command line reads the environment and fills this in; nothing below it looks at the environment again.

use crate::redact::{Redactor, Secret};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The variable that names the node; named in messages.
pub(crate) const NODE_URL_VARIABLE: &str = "CALIMERO_NODE_URL";
/// The variable that picks a node directory.
pub(crate) const NODE_NAME_VARIABLE: &str = "CALIMERO_NODE_NAME";
/// The variable that holds the access token.
pub(crate) const AUTH_TOKEN_VARIABLE: &str = "CALIMERO_AUTH_TOKEN";
/// The variable that holds the token to renew it with.
pub(crate) const REFRESH_TOKEN_VARIABLE: &str = "CALIMERO_REFRESH_TOKEN";
/// The variable that holds the user name of a login.
pub(crate) const USERNAME_VARIABLE: &str = "CALIMERO_USERNAME";
/// The variable that holds its password.
pub(crate) const PASSWORD_VARIABLE: &str = "CALIMERO_PASSWORD";
/// The variable that names a file with the password.
pub(crate) const PASSWORD_FILE_VARIABLE: &str = "CALIMERO_PASSWORD_FILE";
/// The variable that permits a token over cleartext HTTP to another machine.
pub(crate) const ALLOW_CLEARTEXT_VARIABLE: &str = "CALIMERO_ALLOW_CLEARTEXT";

/// The ports a node listens on by default, in order of preference: the desktop app's and `merod`'s, then their
/// second instances.
const PROBE_PORTS: [u16; 4] = [2528, 2428, 2529, 2429];

/// How to find a node and who to be there. Blank values count as unset: pass `None`.
#[derive(Clone, Default)]
pub struct NodeSettings {
    /// `CALIMERO_NODE_URL`: the node's base URL; skips discovery.
    pub node_url: Option<String>,
    /// `CALIMERO_NODE_NAME`: a directory below `node_home`; beside `node_url` only a label.
    pub node_name: Option<String>,
    /// `CALIMERO_NODE_HOME`, or `.calimero` in the user's home; absent when there is no home at all.
    pub node_home: Option<PathBuf>,
    /// `CALIMERO_AUTH_TOKEN`: an access token, with or without the word `Bearer`.
    pub auth_token: Option<Secret>,
    /// `CALIMERO_REFRESH_TOKEN`: renews `auth_token`, once.
    pub refresh_token: Option<Secret>,
    /// `CALIMERO_USERNAME`: who to log in as; also tells the token files of two accounts apart.
    pub username: Option<String>,
    /// `CALIMERO_PASSWORD`, or what `CALIMERO_PASSWORD_FILE` holds.
    pub password: Option<Secret>,
    /// `CALIMERO_MCP_STATE_DIR`: the handoff file and the token files. Without one there is no handoff, and tokens end
    /// with the process.
    pub state_dir: Option<PathBuf>,
    /// `CALIMERO_ALLOW_CLEARTEXT`: send credentials over `http:` to a host that is not this machine.
    pub allow_cleartext: bool,
    /// Bounds on every exchange.
    pub limits: Limits,
    /// Is told of every credential this client holds, before it is first sent.
    pub redactor: Arc<Redactor>,
}

impl NodeSettings {
    /// Tells the redactor of every credential the operator supplied, used or not.
    pub(crate) fn learn_secrets(&self) {
        let secrets = [&self.auth_token, &self.refresh_token, &self.password];
        secrets.into_iter().flatten().for_each(|secret| self.redactor.learn(secret));
        if let (Some(username), Some(password)) = (&self.username, &self.password) {
            self.redactor.learn_login(username, password);
        }
    }
}

impl fmt::Debug for NodeSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The URL is shown before it was checked, so it may still carry a password.
        let node_url = self.node_url.as_deref().map(|url| self.redactor.redact(url));
        f.debug_struct("NodeSettings")
            .field("node_url", &node_url)
            .field("node_name", &self.node_name)
            .field("node_home", &self.node_home)
            .field("auth_token", &self.auth_token)
            .field("refresh_token", &self.refresh_token)
            .field("username", &self.username)
            .field("password", &self.password)
            .field("state_dir", &self.state_dir)
            .field("allow_cleartext", &self.allow_cleartext)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

/// Bounds on an exchange with the node; tests shrink them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// From sending a request to the last byte of its answer.
    pub request: Duration,
    /// The same where the node itself works or waits long: joining a namespace waits up to a minute for another member,
    /// creating a context compiles the application first, installing downloads it.
    pub long: Duration,
    /// For each probed port.
    pub probe: Duration,
    /// Bytes of an answer kept in memory; a longer one is an error. Protects this process from the node.
    pub body: usize,
    /// Ports of this machine to look at when nothing names a node, best first.
    pub probe_ports: Vec<u16>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            request: Duration::from_secs(10),
            long: Duration::from_secs(65),
            probe: Duration::from_secs(2),
            body: 64 << 20,
            probe_ports: PROBE_PORTS.to_vec(),
        }
    }
}

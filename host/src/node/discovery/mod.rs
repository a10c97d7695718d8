//! Finds the node to talk to.
//!
//! The rungs are tried in order and the first that matches wins; each has its own file. In: the settings. Out: a URL,
//! how it was found, and a name only if a folder or the operator gives one. Nothing here needs a credential.

mod config_scan;
mod env;
mod handoff;
mod named;
mod probe;

use super::base_url::NodeUrl;
use super::error::Error;
use super::handoff::Handoff;
use super::http::Http;
use super::settings::NodeSettings;
use crate::model::CallScope;
use config_scan::configured_nodes;
use std::fmt;
use std::path::Path;

/// The rung that matched, in the order they are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DiscoverySource {
    /// `CALIMERO_NODE_URL`.
    Env,
    /// The desktop app's handoff file.
    Handoff,
    /// `CALIMERO_NODE_NAME` among the configured nodes.
    Named,
    /// The only configured node, or the one called `default`.
    ConfigScan,
    /// A usual port of this machine that answers.
    Probe,
}

impl fmt::Display for DiscoverySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Env => "env",
            Self::Handoff => "handoff",
            Self::Named => "named",
            Self::ConfigScan => "config-scan",
            Self::Probe => "probe",
        })
    }
}

/// A node this machine knows of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownNode {
    /// Its base URL.
    pub url: NodeUrl,
    /// Its folder's name; absent for a node that only answered.
    pub name: Option<String>,
}

/// The node to use.
#[derive(Debug, Clone)]
pub(crate) struct Discovered {
    pub(crate) url: NodeUrl,
    pub(crate) source: DiscoverySource,
    pub(crate) name: Option<String>,
}

/// Walks the rungs.
///
/// # Errors
///
/// [`Error::BadUrl`], [`Error::NoSuchNode`], [`Error::SeveralNodes`], [`Error::NoNode`].
pub(crate) async fn discover(
    settings: &NodeSettings,
    handoff: Option<&Handoff>,
    http: &Http,
    scope: &CallScope,
) -> Result<Discovered, Error> {
    let configured = configured_nodes(settings.node_home.as_deref()).await;
    let home = shown_home(settings.node_home.as_deref());
    let (url, source) = if let Some(url) = env::node(settings)? {
        (url, DiscoverySource::Env)
    } else if let Some(url) = handoff::node(handoff) {
        (url, DiscoverySource::Handoff)
    } else if let Some(name) = &settings.node_name {
        (named::node(name, &configured, &home)?, DiscoverySource::Named)
    } else if let Some(url) = config_scan::node(&configured, &home)? {
        (url, DiscoverySource::ConfigScan)
    } else if let Some(url) = probe::live_nodes(&settings.limits, http, scope).await.into_iter().next() {
        (url, DiscoverySource::Probe)
    } else {
        return Err(Error::NoNode { home });
    };
    let folder = configured.into_iter().find(|node| node.url.is_same_node(&url)).and_then(|node| node.name);
    Ok(Discovered { url, source, name: settings.node_name.clone().or(folder) })
}

/// The configured nodes and those that answer, each URL once.
pub(crate) async fn known_nodes(settings: &NodeSettings, http: &Http, scope: &CallScope) -> Vec<KnownNode> {
    let mut nodes = configured_nodes(settings.node_home.as_deref()).await;
    for url in probe::live_nodes(&settings.limits, http, scope).await {
        if !nodes.iter().any(|node| node.url.is_same_node(&url)) {
            nodes.push(KnownNode { url, name: None });
        }
    }
    nodes
}

fn shown_home(home: Option<&Path>) -> String {
    home.map_or_else(|| "no home folder".to_owned(), |home| home.display().to_string())
}

#[cfg(test)]
mod tests;

//! Rung 4: the nodes whose configuration lies below the node home.
//!
//! A node keeps `<home>/<name>/config.toml`; its `[server]` table lists listen addresses as multiaddrs
//! (`calimero-network/core` 051f0848e, `merod init`). The file also holds the node's key pair, so nothing of its text
//! is ever shown: a folder that cannot be read is passed over.

use crate::node::{Error, KnownNode, NodeUrl};
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// The node that is used when nothing chooses between several.
const DEFAULT_NAME: &str = "default";

/// A configuration is a few kilobytes; anything beyond this is not one. Protects from reading a huge file into memory.
const LONGEST_CONFIG: u64 = 1 << 20;

#[derive(Deserialize)]
struct NodeConfig {
    server: ServerConfig,
}

#[derive(Deserialize)]
struct ServerConfig {
    listen: Vec<String>,
}

/// The only configured node, or the one called `default`; `None` when there is none at all.
pub(super) fn node(configured: &[KnownNode], home: &str) -> Result<Option<NodeUrl>, Error> {
    if let [] | [_] = configured {
        return Ok(configured.first().map(|node| node.url.clone()));
    }
    match configured.iter().find(|node| node.name.as_deref() == Some(DEFAULT_NAME)) {
        Some(node) => Ok(Some(node.url.clone())),
        None => Err(Error::SeveralNodes {
            home: home.to_owned(),
            nodes: configured
                .iter()
                .map(|node| format!("{} ({})", node.name.as_deref().unwrap_or_default(), node.url))
                .collect(),
        }),
    }
}

/// Reads every node folder below `home`, by name; unreadable ones are passed over.
pub(super) async fn configured_nodes(home: Option<&Path>) -> Vec<KnownNode> {
    let Some(home) = home.map(Path::to_owned) else { return Vec::new() };
    tokio::task::spawn_blocking(move || scan(&home)).await.unwrap_or_default()
}

fn scan(home: &Path) -> Vec<KnownNode> {
    let Ok(folders) = std::fs::read_dir(home) else { return Vec::new() };
    let mut nodes: Vec<_> = folders.flatten().filter_map(|folder| node_in(folder.path())).collect();
    nodes.sort_by(|a, b| a.name.cmp(&b.name));
    nodes
}

fn node_in(folder: PathBuf) -> Option<KnownNode> {
    let name = folder.file_name()?.to_str()?.to_owned();
    let file = folder.join("config.toml");
    let metadata = std::fs::metadata(&file).ok()?;
    if !metadata.is_file() || metadata.len() > LONGEST_CONFIG {
        return None;
    }
    let url = url_of(&std::fs::read_to_string(file).ok()?);
    if url.is_none() {
        tracing::debug!(node = name, "its configuration has no usable server address");
    }
    Some(KnownNode { url: url?, name: Some(name) })
}

/// The URL to reach the server at: its first address on this machine, else its first one at all.
fn url_of(config: &str) -> Option<NodeUrl> {
    let config: NodeConfig = toml::from_str(config).ok()?;
    let urls: Vec<_> = config.server.listen.iter().filter_map(|address| url_of_multiaddr(address)).collect();
    urls.iter().find(|url| url.is_loopback()).or(urls.first()).cloned()
}

/// Reads a multiaddr such as `/ip4/0.0.0.0/tcp/2528` or `/dns4/node.local/tcp/443/tls/http`.
///
/// Addresses that mean "every interface" are reached over the loopback one.
fn url_of_multiaddr(address: &str) -> Option<NodeUrl> {
    let mut parts = address.strip_prefix('/')?.split('/');
    let host = match (parts.next()?, parts.next()?) {
        ("ip4", "127.0.0.1" | "0.0.0.0") => "localhost".to_owned(),
        ("ip4" | "dns" | "dns4" | "dns6" | "dnsaddr", host) => host.to_owned(),
        ("ip6", "::" | "::1") => "[::1]".to_owned(),
        ("ip6", host) => format!("[{host}]"),
        _ => return None,
    };
    let ("tcp", port) = (parts.next()?, parts.next()?.parse::<u16>().ok()?) else { return None };
    let encrypted = parts.any(|part| matches!(part, "tls" | "https" | "wss"));
    let scheme = if encrypted { "https" } else { "http" };
    NodeUrl::parse("a node's configuration", &format!("{scheme}://{host}:{port}")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(address: &str) -> Option<String> {
        url_of_multiaddr(address).map(|url| url.to_string())
    }

    #[test]
    fn every_form_of_a_listen_address_becomes_a_url() {
        for (address, url) in [
            ("/ip4/127.0.0.1/tcp/2528", "http://localhost:2528"),
            ("/ip4/0.0.0.0/tcp/2428", "http://localhost:2428"),
            ("/ip4/192.168.1.5/tcp/2528", "http://192.168.1.5:2528"),
            ("/ip6/::1/tcp/2528", "http://[::1]:2528"),
            ("/ip6/::/tcp/2528", "http://[::1]:2528"),
            ("/ip6/fd00::7/tcp/2528", "http://[fd00::7]:2528"),
            ("/dns4/node.local/tcp/8080/http", "http://node.local:8080"),
            ("/dns/node.example/tcp/8443/tls/http", "https://node.example:8443"),
            ("/ip4/127.0.0.1/tcp/2528/ws", "http://localhost:2528"),
            ("/dns6/node.example/tcp/8443/wss", "https://node.example:8443"),
        ] {
            assert_eq!(shown(address).as_deref(), Some(url), "{address}");
        }
        for address in ["", "/", "/ip4/127.0.0.1", "/ip4/127.0.0.1/udp/1/quic-v1", "/ip4/h/tcp/99999", "/unix/x/tcp/1"]
        {
            assert_eq!(shown(address), None, "{address}");
        }
    }

    #[test]
    fn only_the_server_table_counts_and_loopback_is_preferred() {
        let config = r#"
            [swarm]
            listen = ["/ip4/127.0.0.1/tcp/9999"]
            [server]
            listen = ["/ip4/10.0.0.7/tcp/2528", "/ip6/::1/tcp/2529"]
        "#;
        assert_eq!(url_of(config).unwrap().to_string(), "http://[::1]:2529");
        assert_eq!(url_of("[swarm]\nlisten = [\"/ip4/127.0.0.1/tcp/9999\"]"), None);
        assert_eq!(url_of("[server]\nlisten = []"), None);
        assert_eq!(url_of("password = FIXTURE"), None);
    }
}

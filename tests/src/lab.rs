//! The development node, for tests whose calls take time or carry much.

use abi_mcp_devnode::{DevNode, Setup};

/// A development node with its demonstration apps, on a runtime of its own. Stops when dropped.
pub struct Lab {
    url: String,
    // Before the runtime: dropping the node needs it.
    _node: DevNode,
    _runtime: tokio::runtime::Runtime,
}

impl Lab {
    /// The app with a method for every way in which a call can take its time, be large or fail.
    pub const APP: &str = "com.abi-mcp.types-lab";

    /// Starts it.
    ///
    /// # Panics
    /// When no loopback port can be had.
    #[must_use]
    pub fn start() -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("runtime");
        let node = runtime.block_on(DevNode::start(Setup::demo())).expect("a development node");
        Self { url: node.url(), _node: node, _runtime: runtime }
    }

    /// Its address.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }
}

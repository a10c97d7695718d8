//! The stateful development node for tests that are not async themselves.

use abi_mcp_devnode::{ContextRequest, DevNode, Setup};
use serde_json::Value;
use std::ops::Deref;

/// A running [`DevNode`] with a runtime of its own. Stops when dropped.
pub struct LiveNode {
    node: DevNode,
    _runtime: tokio::runtime::Runtime,
}

impl LiveNode {
    /// Starts a node.
    ///
    /// # Panics
    /// When it cannot be started.
    #[must_use]
    pub fn start(setup: Setup) -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("runtime");
        let node = runtime.block_on(DevNode::start(setup)).expect("a development node");
        Self { node, _runtime: runtime }
    }

    /// Another context of an installed application, in a namespace of its own. Answers its id.
    ///
    /// # Panics
    /// When the node refuses.
    #[must_use]
    pub fn another_context(&self, package: &str, init: Value) -> String {
        let application = self.application(package).expect("an installed application");
        let group = self.create_namespace(&application, None).expect("a namespace");
        self.create_context(ContextRequest { group, init, ..ContextRequest::default() }).expect("a context")
    }
}

impl Deref for LiveNode {
    type Target = DevNode;

    fn deref(&self) -> &DevNode {
        &self.node
    }
}

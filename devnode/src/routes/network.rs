//! Identity, peers, network and usage. The node is alone, so most of it is constant.

use axum::Router;
use axum::extract::State;
use axum::routing::{get, post};
use serde_json::{Value, json};

use crate::node::Node;
use crate::reply::{Answer, Failure, bare, data};
use crate::state::Identity;

pub(super) fn routes() -> Router<Node> {
    Router::new()
        .route("/identity", get(identity))
        .route("/identity/context", post(new_key))
        .route("/peers", get(peers))
        .route("/network/status", get(status))
        .route("/usage", get(usage))
}

async fn identity(State(node): State<Node>) -> Answer {
    if node.world().groups.is_empty() {
        return Err(Failure::missing("No namespace identity found"));
    }
    data(json!({
        "accountId": Identity::account().hex(),
        "deviceId": Identity::device().hex(),
        "publicKey": Identity::key().base58(),
        "accountRootPublicKey": Identity::root().hex(),
    }))
}

async fn new_key(State(node): State<Node>) -> Answer {
    data(json!({ "publicKey": node.world().fresh_key().base58() }))
}

async fn peers() -> Answer {
    bare(json!({ "count": 0 }))
}

async fn status() -> Answer {
    bare(json!({
        "localPeerId": "12D3KooWPRHHFLFBe9X6jWRPMyap9xS5t1Uw5d8PME6B58cgtbfK",
        "listenAddrs": [],
        "externalAddrs": [],
        "relays": [],
        "rendezvous": [],
        "directUpgrades": [],
        "autonat": {
            "reachability": "unknown", "lastTestAddr": null, "lastTestResult": null, "lastTestReason": null,
            "lastTestObservedAddr": null, "lastTestAt": null,
        },
    }))
}

async fn usage(State(node): State<Node>) -> Answer {
    let world = node.world();
    let namespaces: Vec<Value> = world
        .groups
        .iter()
        .filter(|(_, group)| group.parent.is_none())
        .map(|(id, group)| {
            let state: usize =
                world.contexts_of(id).map(|(_, context)| Value::Object(context.state.clone()).to_string().len()).sum();
            json!({
                "namespaceId": id.hex(),
                "contextCount": world.contexts_of(id).count(),
                "memberCount": group.members.len(),
                "subgroupCount": world.subgroups(id).count(),
                "bytes": { "state": state, "privateState": 0, "delta": 0, "governance": 0, "total": state },
            })
        })
        .collect();
    bare(json!({ "namespaces": namespaces }))
}

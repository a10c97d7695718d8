//! Rung 5: a node that answers on one of the usual ports of this machine.

use crate::model::CallScope;
use crate::node::http::{Http, Request};
use crate::node::route::Route;
use crate::node::{Limits, NodeUrl};
use std::future::Future;
use std::pin::Pin;
use std::task::Poll;

/// The nodes that answer their health check with a success, best port first. No credential is sent.
pub(super) async fn live_nodes(limits: &Limits, http: &Http, scope: &CallScope) -> Vec<NodeUrl> {
    let limits = &Limits { request: limits.probe, ..limits.clone() };
    let urls: Vec<_> = limits.probe_ports.iter().filter_map(|&port| NodeUrl::of_local_port(port).ok()).collect();
    let answers = at_once(urls.iter().map(|url| answers(url, limits, http, scope)).collect()).await;
    urls.into_iter().zip(answers).filter_map(|(url, answers)| answers.then_some(url)).collect()
}

async fn answers(url: &NodeUrl, limits: &Limits, http: &Http, scope: &CallScope) -> bool {
    let request = Request::new(Route::get(&["admin-api", "health"]));
    http.send(url, None, limits, &request, scope).await.is_ok()
}

/// Waits for all at once, in this task, so that borrowed arguments suffice.
async fn at_once<F: Future<Output = bool>>(probes: Vec<F>) -> Vec<bool> {
    let mut probes: Vec<(Pin<Box<F>>, Option<bool>)> =
        probes.into_iter().map(|probe| (Box::pin(probe), None)).collect();
    std::future::poll_fn(|context| {
        for (probe, result) in probes.iter_mut().filter(|(_, result)| result.is_none()) {
            if let Poll::Ready(answers) = probe.as_mut().poll(context) {
                *result = Some(answers);
            }
        }
        if probes.iter().all(|(_, result)| result.is_some()) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    probes.into_iter().map(|(_, result)| result.unwrap_or(false)).collect()
}

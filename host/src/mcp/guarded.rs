//! Stands around the [`Server`] for what is true of every request: a panic is an answer, and each result gets the
//! shape of its era.

use super::era::Era;
use super::listen::Changes;
use super::reply;
use super::server::Server;
use super::service::Service;
use rmcp::model::{ClientNotification, ClientRequest, ProtocolVersion, ServerConfig, ServerResult};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use std::borrow::Cow;
use std::panic::AssertUnwindSafe;

/// A server that always answers.
pub(super) struct Guarded<S>(pub(super) Server<S>);

impl<S: Service> rmcp::Service<RoleServer> for Guarded<S> {
    async fn handle_request(
        &self,
        request: ClientRequest,
        mut context: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        if matches!(request, ClientRequest::SubscriptionsListenRequest(_)) {
            context.extensions.insert(Changes(self.0.service().changes()));
        }
        let era = Era::of(&context.meta);
        let mut result = unpanicked(rmcp::Service::handle_request(&self.0, request, context)).await??;
        reply::finish(era, &mut result, &self.0.service().identity());
        Ok(result)
    }

    async fn handle_notification(
        &self,
        notification: ClientNotification,
        context: NotificationContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        unpanicked(rmcp::Service::handle_notification(&self.0, notification, context)).await?
    }

    fn get_info(&self) -> ServerConfig {
        ServerHandler::get_info(&self.0)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        ServerHandler::supported_protocol_versions(&self.0)
    }
}

/// Turns a panic of the future into -32603; without it the SDK would never answer. The panic's own text and place are
/// on stderr already, by the panic hook.
async fn unpanicked<T>(future: impl Future<Output = T>) -> Result<T, ErrorData> {
    let mut future = std::pin::pin!(future);
    let polled = std::future::poll_fn(|context| {
        // A future that panicked is dropped and never polled again, so no broken state of its is seen.
        match std::panic::catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
            Ok(poll) => poll.map(Ok),
            Err(_) => std::task::Poll::Ready(Err(())),
        }
    });
    polled.await.map_err(|()| ErrorData::internal_error("internal error: the handler of this request panicked", None))
}

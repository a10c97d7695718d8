//! The SDK's typed requests, answered by the [`Service`].
//!
//! In: requests that `admit` has let through. Out: typed results, which `guarded` finishes. Knows how a call is
//! bounded and cancelled; knows no line and no era.

use super::era::SUPPORTED;
use super::progress::Progress;
use super::service::{Service, UnknownTool};
use super::shutdown::Shutdown;
use super::{listen, reply, traceparent};
use crate::model::{CallScope, Cancel, JsonObject, ProgressSink, ToolReply};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, DiscoverResult,
    InitializeRequestParams, InitializeResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    Reference, ServerConfig, SubscriptionFilter,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::json;
use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{Semaphore, watch};

/// Serves one connection.
pub(super) struct Server<S> {
    service: Arc<S>,
    shutdown: Shutdown,
    calls: Semaphore,
    progress: Duration,
    /// Changes since `initialize` was answered; taken when the client says it is ready for notifications.
    legacy_changes: Mutex<Option<watch::Receiver<u64>>>,
    /// Whether a handshake has taken the changes already.
    broadcasting: AtomicBool,
}

impl<S: Service> Server<S> {
    /// A server that runs at most `calls` calls at once, the rest wait, and tells of each every `progress`.
    pub(super) fn new(service: Arc<S>, shutdown: Shutdown, calls: usize, progress: Duration) -> Self {
        Self {
            service,
            shutdown,
            calls: Semaphore::new(calls),
            progress,
            legacy_changes: Mutex::new(None),
            broadcasting: AtomicBool::new(false),
        }
    }

    /// What is served.
    pub(super) fn service(&self) -> &S {
        &self.service
    }

    fn config(&self) -> ServerConfig {
        ServerConfig::new(reply::capabilities())
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
            .with_server_info(reply::implementation(&self.service.identity()))
            .with_instructions(self.service.instructions())
    }

    /// Runs a call when there is room for it. A cancelled call is told so and then awaited: its place is free only
    /// when its work has really stopped.
    async fn run(&self, name: &str, arguments: JsonObject, context: &RequestContext<RoleServer>) -> Answer {
        let unwanted = async {
            tokio::select! {
                () = context.ct.cancelled() => {}
                () = self.shutdown.hurry.cancelled() => {}
            }
        };
        tokio::pin!(unwanted);
        let _place = tokio::select! {
            place = self.calls.acquire() => place.map_err(|_| Unanswered::NotStarted)?,
            () = &mut unwanted => return Err(Unanswered::NotStarted),
        };
        let cancel = Cancel::new();
        let traceparent = context.meta.get_traceparent().and_then(traceparent::checked).map(str::to_owned);
        let (sink, reports) = ProgressSink::watched();
        let scope = CallScope { cancel: cancel.clone(), deadline: None, traceparent, progress: sink };
        let token = context.meta.get_progress_token();
        let progress = Progress { peer: context.peer.clone(), token, every: self.progress, reports };
        let call = progress.of(self.service.call(name, arguments, scope));
        tokio::pin!(call);
        let reply = tokio::select! {
            reply = &mut call => reply,
            () = unwanted => {
                cancel.cancel();
                call.await
            }
        };
        reply.map_err(Unanswered::Unknown)
    }
}

type Answer = Result<ToolReply, Unanswered>;

/// Why a call has no reply.
enum Unanswered {
    Unknown(UnknownTool),
    NotStarted,
}

impl From<Unanswered> for ErrorData {
    fn from(reason: Unanswered) -> Self {
        match reason {
            Unanswered::Unknown(unknown) => Self::invalid_params(unknown.to_string(), None),
            Unanswered::NotStarted => Self::internal_error("the server ended before the call could start", None),
        }
    }
}

impl<S: Service> ServerHandler for Server<S> {
    fn get_info(&self) -> ServerConfig {
        self.config()
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(&SUPPORTED)
    }

    async fn initialize(
        &self,
        mut request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let result = self.negotiate_initialize(&request)?;
        // What was agreed, not what was asked for: the SDK reads the era of later requests from here.
        request.protocol_version = result.protocol_version.clone();
        context.peer.set_peer_info(request);
        // A second handshake on one connection must not announce every change twice.
        if !self.broadcasting.swap(true, Ordering::SeqCst) {
            *self.legacy_changes.lock().unwrap_or_else(PoisonError::into_inner) = Some(self.service.changes());
        }
        Ok(result)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let changes = self.legacy_changes.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(changes) = changes {
            tokio::spawn(listen::broadcast(context.peer, changes, self.shutdown.clone()));
        }
    }

    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        Ok(DiscoverResult::from_server_info(SUPPORTED.to_vec(), self.config()))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.service.tools().await;
        Ok(ListToolsResult::with_all_items(tools.iter().map(reply::tool).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let reply = self.run(&request.name, request.arguments.unwrap_or_default(), &context).await?;
        Ok(CallToolResponse::Complete(reply::call(reply)))
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let resources = self.service.resources().await;
        Ok(ListResourcesResult::with_all_items(resources.into_iter().map(reply::resource).collect()))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let templates = self.service.resource_templates().into_iter().map(reply::template).collect();
        Ok(ListResourceTemplatesResult::with_all_items(templates))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let Some(contents) = self.service.read(&request.uri).await else {
            let data = json!({ "uri": request.uri });
            return Err(ErrorData::resource_not_found(format!("Resource not found: {}", request.uri), Some(data)));
        };
        Ok(ReadResourceResponse::Complete(ReadResourceResult::new(vec![reply::contents(contents)])))
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let Reference::Resource(template) = &request.r#ref else {
            return Err(ErrorData::invalid_params("there are no prompts to complete", None));
        };
        if !self.service.resource_templates().iter().any(|known| known.uri_template == template.uri) {
            return Err(ErrorData::invalid_params(format!("no resource template `{}`", template.uri), None));
        }
        let values = self.service.complete(&template.uri, &request.argument.name, &request.argument.value).await;
        Ok(CompleteResult::new(reply::completion(values)))
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        // The SDK leaves of it what the capabilities promise.
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        listen::stream(context, &self.shutdown).await;
        Ok(())
    }
}

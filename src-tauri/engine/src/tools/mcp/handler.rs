//! What a server may ask of us: its roots and a person's answer. A model is never asked for it. It must not know how
//! messages travel.

#![expect(
    deprecated,
    reason = "servers of older revisions still ask for roots and sampling"
)]

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::ClientHandler;
use rmcp::RoleClient;
use rmcp::model::{
    ClientCapabilities, ClientConfig, CustomRequest, CustomResult, ElicitRequestParams, ElicitResult,
    ElicitationCapability, ErrorCode, ErrorData, FormElicitationCapability, Implementation, ListRootsResult,
    ProtocolVersion, Root, RootsCapabilities,
};
use rmcp::service::{NotificationContext, RequestContext};
use serde_json::json;

use super::calls::Calls;
use super::elicit::elicit;
use crate::model::Json;
use crate::model::redactor::Redactor;

/// Answers for one server.
#[derive(Clone)]
pub(super) struct Handler {
    pub server: Arc<str>,
    pub calls: Arc<Calls>,
    pub folders: Arc<[PathBuf]>,
    /// Set when the server's list of tools is another one.
    pub is_stale: Arc<AtomicBool>,
    pub version: ProtocolVersion,
    /// What the server was given stands in no question of its own.
    pub veil: Redactor,
}

impl Handler {
    /// The answers to what a call needs before it can be completed, by the server's own keys.
    pub async fn input(&self, method: &str, params: &Json) -> Result<Json, ErrorData> {
        match method {
            "elicitation/create" => {
                let params = self.veil.value(params.clone());
                let asked = elicit(&self.calls, &self.server, &params).await;
                asked.map_err(|bad| ErrorData::invalid_params(bad.to_string(), None))
            }
            "roots/list" => Ok(json!({ "roots": self.roots() })),
            other => {
                let message = format!("`{other}` is not offered here");
                Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None))
            }
        }
    }

    fn roots(&self) -> Vec<Root> {
        let roots = self
            .folders
            .iter()
            .filter_map(|folder| url::Url::from_directory_path(folder).ok());
        roots
            .map(|url| Root::new(url.as_str().trim_end_matches('/')))
            .collect()
    }
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        capabilities.roots = Some(RootsCapabilities::default());
        capabilities.elicitation =
            Some(ElicitationCapability::new().with_form(FormElicitationCapability::new()));
        let client = Implementation::new("planloom", env!("CARGO_PKG_VERSION"));
        let mut info = ClientConfig::new(capabilities, client);
        info.protocol_version = self.version.clone();
        info
    }

    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        Ok(ListRootsResult::new(self.roots()))
    }

    async fn create_elicitation(
        &self,
        params: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let params = serde_json::to_value(&params).unwrap_or_default();
        let answer = self.input("elicitation/create", &params).await?;
        serde_json::from_value(answer)
            .map_err(|_| ErrorData::internal_error("the answer can't be sent", None))
    }

    /// Also questions whose form the library does not know.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleClient>,
    ) -> Result<CustomResult, ErrorData> {
        let params = request.params.unwrap_or_default();
        self.input(&request.method, &params).await.map(CustomResult::new)
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.is_stale.store(true, Ordering::Release);
    }

    async fn on_progress(
        &self,
        params: rmcp::model::ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let token = serde_json::to_value(&params.progress_token).unwrap_or_default();
        self.calls.progress(&token);
    }
}

//! One call of a server's tool: sent once with its key, waited for as long as it gives signs of life, and taken back when
//! it is not waited for any longer. It must not know plans.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CancelledNotification, CancelledNotificationParam, ClientRequest,
    InputRequiredResult, RequestId, RequestMetaObject, ServerResult,
};
use rmcp::service::{Peer, PeerRequestOptions, RequestHandle, ServiceError};
use serde_json::json;
use tokio::time::Instant;

use super::calls::Open;
use super::clean;
use super::lines::{LONGEST_LINE, is_too_long};
use super::listing::json_of;
use super::results::BAD_RESULT;
use super::server::Connection;
use super::start::Patience;
use crate::model::Json;
use crate::tools::{CallContext, ToolError};

/// The name of the idempotency key in a call's `_meta` (DESIGN rule 5).
pub const KEY: &str = "planloom/idempotency-key";
/// Rounds in which a server may ask for more before it answers.
const MOST_ROUNDS: usize = 10;
/// Bytes of the state that a server wants back.
const MOST_STATE: usize = 1 << 20;
/// How often is looked whether a call still lives.
const LOOK: Duration = Duration::from_millis(500);

/// What is called.
pub(super) struct Call<'a> {
    pub connection: &'a Arc<Connection>,
    /// `server/tool`, as people know it.
    pub who: &'a str,
    pub tool: &'a str,
    pub arguments: Json,
    pub patience: Patience,
    pub cx: &'a CallContext,
}

/// Tells the server that nobody waits any more, unless the answer has come.
struct Abandoned<'p> {
    peer: &'p Peer<RoleClient>,
    id: Option<RequestId>,
}

impl Drop for Abandoned<'_> {
    fn drop(&mut self) {
        let Some(id) = self.id.take() else { return };
        let (peer, reason) = (self.peer.clone(), "nobody waits for it any more".to_owned());
        let notification =
            CancelledNotification::new(CancelledNotificationParam::new(Some(id), Some(reason)));
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move { peer.send_notification(notification.into()).await });
        }
    }
}

impl Call<'_> {
    /// The final answer as it came.
    pub async fn make(self) -> Result<Json, ToolError> {
        let entry = self.connection.calls.begin(self.who, self.cx.ask.clone());
        let begun = Instant::now();
        let (mut state, mut responses) = (None, None);
        for _ in 0..MOST_ROUNDS {
            let answer = self
                .round(&entry.open, begun, state.take(), responses.take())
                .await?;
            match answer.get("resultType").and_then(Json::as_str) {
                None | Some("complete") => return Ok(answer),
                Some("input_required") => {
                    let wanted: InputRequiredResult =
                        serde_json::from_value(answer).map_err(|_| self.strange("input"))?;
                    state = wanted
                        .request_state
                        .clone()
                        .filter(|state| state.len() <= MOST_STATE);
                    responses = Some(self.inputs(&wanted).await?);
                }
                Some(other) => return Err(self.strange(other)),
            }
        }
        Err(self.strange("input without end"))
    }

    async fn inputs(&self, wanted: &InputRequiredResult) -> Result<BTreeMap<String, Json>, ToolError> {
        let mut responses = BTreeMap::new();
        for (key, request) in wanted.input_requests.iter().flatten() {
            let request = serde_json::to_value(request).unwrap_or_default();
            let method = request.get("method").and_then(Json::as_str).unwrap_or_default();
            let params = request.get("params").cloned().unwrap_or_default();
            let answer = tokio::select! {
                answer = self.connection.handler.input(method, &params) => answer,
                () = self.cx.cancel.cancelled() => return Err(ToolError::Cancelled),
            };
            let answer = answer.map_err(|error| {
                let what = clean::line(&error.message, 200);
                ToolError::permanent(
                    "tool_failed",
                    format!("{} wants what it can't have: {what}", self.who),
                )
            })?;
            responses.insert(key.clone(), answer);
        }
        Ok(responses)
    }

    async fn round(
        &self,
        open: &Open,
        begun: Instant,
        state: Option<String>,
        responses: Option<BTreeMap<String, Json>>,
    ) -> Result<Json, ToolError> {
        let Json::Object(arguments) = self.arguments.clone() else {
            return Err(ToolError::permanent(
                "bad_arguments",
                "the arguments are no object",
            ));
        };
        let mut params = CallToolRequestParams::new(self.tool.to_owned()).with_arguments(arguments);
        params.request_state = state;
        params.input_responses = responses;
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let mut meta = RequestMetaObject::new();
        meta.insert(KEY.to_owned(), json!(self.cx.idempotency_key));
        let options = PeerRequestOptions::no_options().with_meta(meta);
        let peer = &self.connection.peer;
        let sent = peer.send_request_with_option(request, options).await;
        let handle = match sent {
            Ok(handle) => handle,
            // Nothing has left this program.
            Err(_) => return Err(self.unsent("it has just gone")),
        };
        open.marked(serde_json::to_value(&handle.progress_token).unwrap_or_default());
        open.beat();
        self.wait(open, begun, handle).await
    }

    async fn wait(
        &self,
        open: &Open,
        begun: Instant,
        handle: RequestHandle<RoleClient>,
    ) -> Result<Json, ToolError> {
        let mut abandoned = Abandoned {
            peer: &self.connection.peer,
            id: Some(handle.id.clone()),
        };
        let mut answer = handle.rx;
        let mut longest = begun + self.patience.longest_call;
        loop {
            let looked = Instant::now();
            tokio::select! {
                answer = &mut answer => {
                    abandoned.id = None;
                    return match answer {
                        Ok(answer) => self.read(answer).await,
                        Err(_) => Err(self.lost().await),
                    };
                }
                () = self.cx.cancel.cancelled() => return Err(ToolError::Cancelled),
                () = tokio::time::sleep(LOOK.min(self.patience.call)) => {}
            }
            let now = Instant::now();
            if open.is_asking() {
                // A person may think for as long as they like.
                longest += now.duration_since(looked);
                open.beat();
                continue;
            }
            let silent = now.duration_since(open.last_beat());
            if silent >= self.patience.call || now >= longest {
                return Err(self.too_late(silent, now.duration_since(begun)));
            }
        }
    }

    async fn read(&self, answer: Result<ServerResult, ServiceError>) -> Result<Json, ToolError> {
        match answer {
            Ok(result) => json_of(result).ok_or_else(|| self.strange("nothing that can be read")),
            Err(ServiceError::McpError(error)) => {
                let message = format!(
                    "{} refused the call: {}",
                    self.who,
                    clean::text(&error.message, 2000)
                );
                let message = format!("{message} ({})", error.code.0);
                Err(match error.code.0 {
                    // What goes wrong inside may have gone wrong half way.
                    -32603 | -32099..=-32000 => ToolError::Unknown {
                        code: "server_error",
                        message,
                        retry_after: None,
                    },
                    _ => ToolError::permanent("tool_refused", message),
                })
            }
            Err(ServiceError::TransportSend(error)) => Err(self.not_delivered(&error)),
            Err(ServiceError::UnexpectedResponse) => Err(self.strange("nothing that can be read")),
            Err(_) => Err(self.lost().await),
        }
    }

    /// Only a connection that was never made is known to have carried nothing.
    fn not_delivered(&self, error: &rmcp::transport::DynamicTransportError) -> ToolError {
        let mut source: Option<&(dyn std::error::Error + 'static)> = Some(&*error.error);
        let mut said = Vec::new();
        let mut is_unsent = false;
        let mut status = None;
        while let Some(cause) = source {
            if let Some(http) = cause.downcast_ref::<reqwest::Error>() {
                is_unsent |= http.is_connect();
                status = status.or(http.status().map(|status| status.as_u16()));
            }
            said.push(cause.to_string());
            source = cause.source();
        }
        let said = clean::of_transport(&clean::line(&said.join(": "), 500));
        if is_too_long(&said) {
            return ToolError::Unknown {
                code: BAD_RESULT,
                message: format!(
                    "{} was called and answered with more than {} MiB",
                    self.who,
                    LONGEST_LINE >> 20
                ),
                retry_after: None,
            };
        }
        match status.or_else(|| status_in(&said)) {
            _ if is_unsent => self.unsent(&said),
            Some(429 | 503) => ToolError::Transient {
                code: "server_down",
                message: format!("{} was turned away for now: {said}", self.who),
                retry_after: None,
            },
            Some(400..=499) => {
                ToolError::permanent("tool_refused", format!("{} was refused: {said}", self.who))
            }
            Some(_) | None => ToolError::Unknown {
                code: "server_gone",
                message: format!("{} was sent, and no result came back: {said}", self.who),
                retry_after: None,
            },
        }
    }

    fn unsent(&self, what: &str) -> ToolError {
        ToolError::Transient {
            code: "server_down",
            message: format!("{} was not called: {what}", self.who),
            retry_after: None,
        }
    }

    fn strange(&self, what: &str) -> ToolError {
        let what = clean::line(what, 100);
        ToolError::permanent(
            BAD_RESULT,
            format!("{} was called and answered with {what}", self.who),
        )
    }

    async fn lost(&self) -> ToolError {
        let words = self.connection.last_words().await;
        ToolError::Unknown {
            code: "server_gone",
            message: format!(
                "the server of {} went away while the call was under way{words}",
                self.who
            ),
            retry_after: None,
        }
    }

    fn too_late(&self, silent: Duration, all: Duration) -> ToolError {
        ToolError::Unknown {
            code: "timeout",
            message: format!(
                "{} gave no result within {} s ({} s without a sign of life); the server was told to stop",
                self.who,
                all.as_secs(),
                silent.as_secs()
            ),
            retry_after: None,
        }
    }
}

/// As the library words it.
fn status_in(said: &str) -> Option<u16> {
    let after = said
        .split("HTTP ")
        .nth(1)
        .or_else(|| said.split("status ").nth(1))?;
    let digits: String = after.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok().filter(|status| (100..600).contains(status))
}

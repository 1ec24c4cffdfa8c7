//! A server's tool as any other tool. It must not know how a call travels.

use std::sync::Arc;

use async_trait::async_trait;
use jsonschema::Validator;

use super::call::Call;
use super::definition::Definition;
use super::results;
use super::server::{NoConnection, Server};
use crate::model::Json;
use crate::model::tool::{Idempotency, ToolSpec};
use crate::tools::{CallContext, Tool, ToolError};

pub(super) struct McpTool {
    spec: Arc<ToolSpec>,
    server: Arc<Server>,
    /// As it was when plans were checked against it.
    definition: Definition,
    output: Option<Arc<Validator>>,
}

impl McpTool {
    pub fn new(server: Arc<Server>, definition: Definition) -> Result<Self, String> {
        Ok(Self {
            spec: Arc::new(definition.spec(&server.setup)?),
            output: definition.output_schema(),
            server,
            definition,
        })
    }

    /// What was approved is what is called: a definition that has changed since is no longer that.
    fn unchanged(&self, now: Option<&Definition>) -> Result<(), ToolError> {
        let name = &self.spec.name;
        let message = match now {
            Some(now) if *now == self.definition => return Ok(()),
            Some(now) => format!(
                "`{name}` is defined otherwise than when the plan was approved ({} changed); it was not called. Look at it \
                 with `planloom servers check {}`.",
                self.definition.changes(now),
                self.server.setup.name
            ),
            None => format!(
                "`{name}` is not offered by its server any more; it was not called. See what it offers with `planloom \
                 servers check {}`.",
                self.server.setup.name
            ),
        };
        Err(ToolError::permanent("definition_changed", message))
    }
}

#[async_trait]
impl Tool for McpTool {
    fn spec(&self) -> &Arc<ToolSpec> {
        &self.spec
    }

    async fn call(&self, arguments: Json, cx: &CallContext) -> Result<Json, ToolError> {
        let connection = self.server.connection(&cx.cancel).await.map_err(not_called)?;
        let definition = tokio::select! {
            definition = connection.tool(&self.definition.name) => definition,
            () = cx.cancel.cancelled() => return Err(ToolError::Cancelled),
        };
        self.unchanged(definition.as_ref())?;
        // Made again under its key, it is done once all the same.
        let is_repeatable = cx.is_idempotent || self.spec.idempotency_of(&arguments) != Idempotency::Not;
        let may_act = self.spec.effect_of(&arguments).is_effect() && !is_repeatable;
        let call = Call {
            connection: &connection,
            who: &self.spec.name,
            tool: &self.definition.name,
            arguments,
            patience: self.server.patience(),
            cx,
        };
        let answer = Box::pin(call.make()).await;
        let result =
            answer.and_then(|answer| results::read(&answer, self.output.as_deref(), &self.spec.name));
        match result {
            Ok(result) => Ok(connection.veil.value(result)),
            Err(error) if may_act => Err(veiled(made(error), &connection.veil)),
            Err(error) => Err(veiled(error, &connection.veil)),
        }
    }
}

/// The server has answered a call that may change something: what it says can't be taken, but the call was made, so that
/// it is in doubt rather than failed.
fn made(error: ToolError) -> ToolError {
    match error {
        ToolError::Permanent {
            code: code @ results::BAD_RESULT,
            message,
        } => ToolError::Unknown {
            code,
            message: format!("{message}; the call WAS made, and what it was to do may be done"),
            retry_after: None,
        },
        other @ (ToolError::Transient { .. }
        | ToolError::Unknown { .. }
        | ToolError::Permanent { .. }
        | ToolError::NotGranted { .. }
        | ToolError::Cancelled) => other,
    }
}

fn veiled(error: ToolError, veil: &crate::model::redactor::Redactor) -> ToolError {
    match error {
        ToolError::Transient {
            code,
            message,
            retry_after,
        } => ToolError::Transient {
            code,
            message: veil.text(&message),
            retry_after,
        },
        ToolError::Unknown {
            code,
            message,
            retry_after,
        } => ToolError::Unknown {
            code,
            message: veil.text(&message),
            retry_after,
        },
        ToolError::Permanent { code, message } => ToolError::Permanent {
            code,
            message: veil.text(&message),
        },
        other @ (ToolError::NotGranted { .. } | ToolError::Cancelled) => other,
    }
}

/// Nothing was sent, so nothing is in doubt.
fn not_called(none: NoConnection) -> ToolError {
    match none {
        NoConnection::Cancelled => ToolError::Cancelled,
        NoConnection::NotUp { why, .. } if why.is_final => ToolError::permanent("server_down", why.message),
        NoConnection::NotUp { why, again_in } => ToolError::Transient {
            code: "server_down",
            message: why.message,
            retry_after: again_in,
        },
    }
}

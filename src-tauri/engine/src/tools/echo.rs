//! `echo`: gives its value back. Touches nothing.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::json;

use super::{CallContext, Tool, ToolError, arguments, spec};
use crate::model::Json;
use crate::model::tool::{Effect, Idempotency, ToolSpec};

pub(super) struct Echo(Arc<ToolSpec>);

impl Echo {
    pub(super) fn new() -> Self {
        Self(Arc::new(ToolSpec {
            name: "echo".to_owned(),
            description: "Gives its value back, unchanged.".to_owned(),
            arguments: spec::shown(
                spec::object(json!({ "value": { "description": "Any value" } }), &["value"]),
                json!({ "value": "hello" }),
            ),
            result: json!({}),
            effect: Effect::Pure,
            idempotency: Idempotency::Natural,
            touches: Vec::new(),
            method_argument: None,
            is_source_untrusted: false,
            needs: Vec::new(),
            definition: None,
        }))
    }
}

#[async_trait]
impl Tool for Echo {
    fn spec(&self) -> &Arc<ToolSpec> {
        &self.0
    }

    async fn call(&self, arguments: Json, _: &CallContext) -> Result<Json, ToolError> {
        arguments::required(&arguments, "value").cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{call, parse};
    use super::*;

    #[tokio::test]
    async fn the_value_keeps_its_digits() {
        let value = parse(r#"{"value": [18446744073709551615, 1.10, 1e400, null]}"#);
        assert_eq!(
            call(&Echo::new(), value).await.unwrap().to_string(),
            "[18446744073709551615,1.10,1e+400,null]"
        );
        assert_eq!(
            call(&Echo::new(), json!({"value": null})).await.unwrap(),
            Json::Null
        );
    }
}

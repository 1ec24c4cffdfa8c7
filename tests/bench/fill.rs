//! A pure tool that gives a text of so many bytes which no compression makes small, so that plans stay short.

use std::sync::Arc;

use async_trait::async_trait;
use planloom_engine::model::Json;
use planloom_engine::model::tool::{Effect, Idempotency, ToolSpec};
use planloom_engine::tools::{CallContext, Tool, ToolError};
use serde_json::json;

pub struct Fill(Arc<ToolSpec>);

impl Default for Fill {
    fn default() -> Self {
        Self(Arc::new(ToolSpec {
            name: "bench.fill".to_owned(),
            description: "Gives a text of so many bytes".to_owned(),
            arguments: json!({ "type": "object" }),
            result: json!({ "type": "string" }),
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
impl Tool for Fill {
    fn spec(&self) -> &Arc<ToolSpec> {
        &self.0
    }

    async fn call(&self, arguments: Json, _: &CallContext) -> Result<Json, ToolError> {
        let bytes = arguments["bytes"].as_u64().unwrap_or(0);
        let mut seed = arguments["seed"]
            .as_u64()
            .unwrap_or(0)
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            | 1;
        let text: String = (0..bytes)
            .map(|_| {
                seed ^= seed << 13;
                seed ^= seed >> 7;
                seed ^= seed << 17;
                char::from(b'0' + (seed % 43) as u8)
            })
            .collect();
        Ok(Json::String(text))
    }
}

//! `wait`: lets time pass. Touches nothing.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::json;

use super::{CallContext, Tool, ToolError, arguments, spec};
use crate::model::Json;
use crate::model::tool::{Effect, Idempotency, ToolSpec};

/// A year; whoever wants more has mixed up units.
const LONGEST_MS: f64 = 366.0 * 86_400_000.0;

pub(super) struct Wait(Arc<ToolSpec>);

impl Wait {
    pub(super) fn new() -> Self {
        let ms = json!({ "type": "number", "minimum": 0, "maximum": LONGEST_MS, "description": "Milliseconds, fractions allowed" });
        Self(Arc::new(ToolSpec {
            name: "wait".to_owned(),
            description: "Waits for some milliseconds.".to_owned(),
            arguments: spec::shown(spec::object(json!({ "ms": ms }), &["ms"]), json!({ "ms": 500 })),
            result: spec::object(json!({}), &[]),
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
impl Tool for Wait {
    fn spec(&self) -> &Arc<ToolSpec> {
        &self.0
    }

    async fn call(&self, arguments: Json, cx: &CallContext) -> Result<Json, ToolError> {
        let ms = arguments::required(&arguments, "ms")?
            .as_f64()
            .filter(|ms| (0.0..=LONGEST_MS).contains(ms));
        let ms = ms.ok_or_else(|| arguments::bad("`ms` must be a number from 0 to a year"))?;
        tokio::select! {
            () = tokio::time::sleep(Duration::from_secs_f64(ms / 1000.0)) => Ok(json!({})),
            () = cx.cancel.cancelled() => Err(ToolError::Cancelled),
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::Instant;

    use super::super::testing::{Rig, call};
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn waits_as_long_as_it_says() {
        let started = Instant::now();
        assert_eq!(
            call(&Wait::new(), json!({"ms": 1500.5})).await.unwrap(),
            json!({})
        );
        assert!(started.elapsed() >= Duration::from_micros(1_500_500));
        assert!(call(&Wait::new(), json!({"ms": 0})).await.is_ok());
        assert!(call(&Wait::new(), json!({"ms": -1})).await.is_err());
        assert!(call(&Wait::new(), json!({"ms": 1e300})).await.is_err());
    }

    #[tokio::test]
    async fn cancelling_ends_it() {
        let rig = Rig::new();
        rig.cx.cancel.cancel();
        assert_eq!(
            Wait::new().call(json!({"ms": 1e9}), &rig.cx).await,
            Err(ToolError::Cancelled)
        );
    }
}

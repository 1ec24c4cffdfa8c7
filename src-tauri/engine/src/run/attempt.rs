//! One attempt of one task: it works alone, touches neither the store nor the state, and only reports.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::model::Json;
use crate::model::caps::Slot;
use crate::model::grants::Labels;
use crate::model::plan::TaskIx;
use crate::model::tool::Effect;
use crate::tools::code;
use crate::tools::{CallContext, Tool, ToolError};

/// What an attempt is told: only its own instruction, its inputs and what it may touch (rule 1).
pub struct Job {
    pub ix: TaskIx,
    pub work: Work,
    pub timeout: Option<Duration>,
    pub cancel: CancellationToken,
}

pub enum Work {
    Tool {
        tool: Arc<dyn Tool>,
        arguments: Json,
        cx: Box<CallContext>,
    },
    Code {
        source: String,
        inputs: Vec<(String, Json)>,
    },
}

/// What came of it.
pub struct Report {
    pub ix: TaskIx,
    pub result: Result<Json, ToolError>,
}

/// What the driver remembers of an attempt in flight.
pub struct Flight {
    /// Its tokio task, once launched.
    pub job: Option<tokio::task::Id>,
    pub cancel: CancellationToken,
    /// With secrets as their references; kept only where a check will ask for them.
    pub inputs: Json,
    pub labels: Labels,
    /// The call changes something outside, so its outcome matters even when nobody waits for it.
    pub is_effect: bool,
    /// The call may be made again with its key when its outcome is unknown.
    pub is_repeatable: bool,
    pub is_call: bool,
    /// Whose breaker hears how it ended.
    pub endpoint: Option<Arc<str>>,
    /// It is the one call that finds out whether the endpoint is up again.
    pub is_probe: bool,
    /// The place that it takes until it has ended.
    pub slot: Option<Slot>,
}

impl Flight {
    /// An attempt that calls nothing.
    pub fn new(cancel: CancellationToken) -> Self {
        Self {
            job: None,
            cancel,
            inputs: Json::Null,
            labels: Labels::default(),
            is_effect: false,
            is_repeatable: true,
            is_call: false,
            endpoint: None,
            is_probe: false,
            slot: None,
        }
    }
}

impl Job {
    /// It only computes: there is nothing that its intent would have to be stored for.
    pub fn is_pure(&self) -> bool {
        match &self.work {
            Work::Tool { tool, arguments, .. } => tool.spec().effect_of(arguments) == Effect::Pure,
            Work::Code { .. } => true,
        }
    }

    pub fn is_effect(&self) -> bool {
        match &self.work {
            Work::Tool { tool, arguments, .. } => tool.spec().effect_of(arguments).is_effect(),
            Work::Code { .. } => false,
        }
    }

    pub async fn run(self) -> Report {
        let Self {
            ix,
            work,
            timeout,
            cancel,
        } = self;
        let doing = async {
            match work {
                Work::Tool { tool, arguments, cx } => tool.call(arguments, &cx).await,
                Work::Code { source, inputs } => run_code(source, inputs, cancel.clone()).await,
            }
        };
        let result = match timeout {
            Some(limit) => match tokio::time::timeout(limit, doing).await {
                Ok(result) => result,
                Err(_) => {
                    // What still runs on another thread must end too.
                    cancel.cancel();
                    Err(ToolError::Unknown {
                        code: "timeout",
                        message: format!("no result within {} s", limit.as_secs_f64()),
                        retry_after: None,
                    })
                }
            },
            None => doing.await,
        };
        Report { ix, result }
    }
}

async fn run_code(
    source: String,
    inputs: Vec<(String, Json)>,
    cancel: CancellationToken,
) -> Result<Json, ToolError> {
    match code::run(source, inputs, code::Limits::default(), cancel).await {
        Ok(value) => Ok(value),
        Err(code::CodeError::Cancelled) => Err(ToolError::Cancelled),
        Err(error) => Err(ToolError::Permanent {
            code: error.code(),
            message: error.to_string(),
        }),
    }
}

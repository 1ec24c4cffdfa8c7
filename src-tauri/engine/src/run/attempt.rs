//! One attempt of one task: it works alone, touches neither the store nor the state, and only reports.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::aloud::{self, Words};
use super::billing::priced;
use super::growing::Teller;
use crate::llm::{Cancelled, Entry, Reply, Request};
use crate::model::Json;
use crate::model::caps::Slot;
use crate::model::grants::Labels;
use crate::model::plan::TaskIx;
use crate::model::redactor::Redactor;
use crate::model::tool::Effect;
use crate::tools::code;
use crate::tools::{Ask, CallContext, Tool, ToolError, Workers};

/// While a person thinks, what is left of a limit does not become less.
const SHORTEST_LOOK: Duration = Duration::from_millis(5);

/// What an attempt is told: only its own instruction, its inputs and what it may touch (rule 1).
pub struct Job {
    pub ix: TaskIx,
    /// Which call of the attempt: its place among the calls in the log.
    pub call: u32,
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
        workers: Workers,
    },
    Model {
        entry: Entry,
        request: Box<Request>,
        /// Who tells of its words as they come, and what is taken out of them.
        told: (Teller, Arc<Redactor>),
    },
}

/// What came of it.
pub struct Report {
    pub ix: TaskIx,
    pub call: u32,
    pub result: Result<Came, ToolError>,
}

/// What an attempt gave.
pub enum Came {
    Value(Json),
    Reply(Box<Reply>),
}

/// Which part of its task an attempt is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// All of it: what came of it is the task's output.
    Whole,
    /// A question to the model of an agent or model task.
    Question,
    /// A call that an agent asked for.
    Call,
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
    /// The call was given secrets, which its errors may quote in part.
    pub has_secrets: bool,
    pub part: Part,
    /// Whose breaker hears how it ended.
    pub endpoint: Option<Arc<str>>,
    /// It is the one call that finds out whether the endpoint is up again.
    pub is_probe: bool,
    /// The place that it takes until it has ended.
    pub slot: Option<Slot>,
}

impl Flight {
    /// A question or a call of an agent: its inputs and labels are kept with the agent.
    pub fn of_agent(part: Part, cancel: CancellationToken) -> Self {
        Self {
            is_call: true,
            part,
            ..Self::new(cancel)
        }
    }

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
            has_secrets: false,
            part: Part::Whole,
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
            Work::Model { .. } => false,
        }
    }

    /// It changes something, or costs money.
    pub fn is_effect(&self) -> bool {
        match &self.work {
            Work::Tool { tool, arguments, .. } => tool.spec().effect_of(arguments).is_effect(),
            Work::Code { .. } => false,
            Work::Model { .. } => true,
        }
    }

    pub async fn run(self) -> Report {
        let Self {
            ix,
            call,
            work,
            timeout,
            cancel,
        } = self;
        let asker = match &work {
            Work::Tool { cx, .. } => cx.ask.clone(),
            Work::Code { .. } | Work::Model { .. } => None,
        };
        let doing = async {
            match work {
                Work::Tool { tool, arguments, cx } => tool.call(arguments, &cx).await.map(Came::Value),
                Work::Code {
                    source,
                    inputs,
                    workers,
                } => {
                    let limits = code::Limits::default();
                    let value = workers.code(source, inputs, limits, cancel.clone()).await;
                    value.map(Came::Value)
                }
                Work::Model { entry, request, told } => ask((&entry, &request), &told, &cancel).await,
            }
        };
        let result = match timeout {
            Some(limit) => match within(limit, asker.as_deref(), doing).await {
                Some(result) => result,
                None => {
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
        Report { ix, call, result }
    }
}

/// `None`: it took longer, without the time in which a person was waited for.
async fn within<T>(limit: Duration, ask: Option<&dyn Ask>, doing: impl Future<Output = T>) -> Option<T> {
    let begun = Instant::now();
    let mut doing = std::pin::pin!(doing);
    loop {
        let thought = ask.map_or(Duration::ZERO, Ask::thought);
        let left = limit.saturating_sub(begun.elapsed().saturating_sub(thought));
        let is_over = left.is_zero();
        tokio::select! {
            biased;
            done = &mut doing => return Some(done),
            () = tokio::time::sleep(left.max(SHORTEST_LOOK)), if !is_over => {}
            () = std::future::ready(()), if is_over => return None,
        }
    }
}

/// Asks once, and knows the price of what was used where the wire doesn't.
async fn ask(
    (entry, request): (&Entry, &Request),
    (teller, redactor): &(Teller, Arc<Redactor>),
    cancel: &CancellationToken,
) -> Result<Came, ToolError> {
    let told = (teller, &**redactor, Words::All);
    match aloud::ask((entry, request), told, cancel).await {
        Ok(reply) => Ok(Came::Reply(Box::new(priced(entry, request, reply)))),
        Err(Cancelled) => Err(ToolError::Cancelled),
    }
}

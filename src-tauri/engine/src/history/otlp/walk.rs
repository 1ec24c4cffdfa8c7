//! From a run's log to its spans.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::names;
use super::span::{Kind, Outcome, Span, event, flag, money, number, span_id, text, trace_id};
use crate::history::detail;
use crate::history::load::Loaded;
use crate::history::told::{Attempt, Call, Told};
use crate::model::events::{Event, EventBody, Failure};
use crate::model::ledger::CostKind;
use crate::model::plan::{TaskIx, TaskKind};
use crate::model::redactor::Redactor;
use crate::model::status::RunStatus;
use crate::model::title::cut_at;
use crate::model::value::ValueRef;
use crate::model::{Json, RunId};
use crate::store::{Store, StoreError};

/// Whether what was said, given and returned goes along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contents {
    LeftOut,
    Included,
}

/// A run as spans.
pub struct Traced {
    pub spans: Vec<Value>,
    pub trace: String,
}

/// Letters of one value, and bytes of one that is read at all.
const LONGEST: usize = 16_000;
const READ: u64 = 1024 * 1024;

/// All spans of the run, the root first. `inputs` are the arguments of calls that name none, by the tasks' addresses.
pub async fn trace(
    store: &Store,
    loaded: &Loaded,
    run: &RunId,
    contents: Contents,
    redactor: &Redactor,
    inputs: &HashMap<String, String>,
) -> Result<Traced, StoreError> {
    let told = Told::of(&loaded.events);
    let mut walk = Walk {
        store,
        loaded,
        run,
        contents,
        redactor,
        inputs,
        trace: trace_id(run),
        end_ms: loaded
            .events
            .iter()
            .map(|event| event.at_ms)
            .max()
            .unwrap_or_default(),
        spans: Vec::new(),
        happened: happened(&loaded.events),
    };
    walk.root();
    for call in &told.aside {
        let root = walk.root_id();
        walk.call(call, &root, "").await?;
    }
    for ix in loaded.state.nodes() {
        walk.task(ix, &told).await?;
    }
    Ok(Traced {
        spans: walk.spans,
        trace: walk.trace,
    })
}

struct Walk<'w> {
    store: &'w Store,
    loaded: &'w Loaded,
    run: &'w RunId,
    contents: Contents,
    redactor: &'w Redactor,
    /// What a task was given, as JSON text, by its address: the arguments of calls that name none.
    inputs: &'w HashMap<String, String>,
    trace: String,
    /// When the log ends: what is still open ends there.
    end_ms: i64,
    spans: Vec<Value>,
    /// What happened to the run and its tasks beside attempts and calls.
    happened: HashMap<Option<String>, Vec<usize>>,
}

/// The events that are told as events of a span, by task.
fn happened(events: &[Event]) -> HashMap<Option<String>, Vec<usize>> {
    let mut found: HashMap<Option<String>, Vec<usize>> = HashMap::new();
    for (at, event) in events
        .iter()
        .enumerate()
        .filter(|(_, event)| is_told(&event.body))
    {
        let task = event.task.as_ref().map(ToString::to_string);
        found.entry(task).or_default().push(at);
    }
    found
}

fn is_told(body: &EventBody) -> bool {
    !matches!(
        body,
        EventBody::CallStarted(_)
            | EventBody::CallFinished(_)
            | EventBody::TaskStarted(_)
            | EventBody::PlanRevised(_)
            | EventBody::RunClaimed(_)
    )
}

impl Walk<'_> {
    fn root_id(&self) -> String {
        span_id(self.run, "run", 1)
    }

    fn has_contents(&self) -> bool {
        self.contents == Contents::Included
    }

    fn root(&mut self) {
        let state = &self.loaded.state;
        let mut attributes = vec![
            text(names::OPERATION, "invoke_workflow"),
            text(names::CONVERSATION, self.run.as_str()),
            text("planloom.run.id", self.run.as_str()),
            text("planloom.run.state", &state.status.to_string()),
            number("planloom.run.revision", u64::from(state.revision)),
        ];
        if let (true, Some(goal)) = (self.has_contents(), &self.loaded.goal) {
            attributes.push(text("planloom.run.goal", &self.cut(goal)));
        }
        let file = state
            .path
            .as_deref()
            .and_then(|path| path.rsplit(['/', '\\']).next());
        let name = file.map_or_else(
            || "invoke_workflow".to_owned(),
            |file| {
                attributes.push(text(names::WORKFLOW_NAME, file));
                format!("invoke_workflow {file}")
            },
        );
        if let Some(error) = &state.error {
            attributes.push(text(names::ERROR_TYPE, &error.code));
        }
        let outcome = match state.status {
            RunStatus::Succeeded => Outcome::Ok,
            RunStatus::Failed => Outcome::Error(self.said(state.error.as_ref())),
            RunStatus::AwaitingApproval
            | RunStatus::Running
            | RunStatus::Paused
            | RunStatus::Waiting
            | RunStatus::Blocked
            | RunStatus::Cancelled => Outcome::Unset,
        };
        let root = Span {
            id: self.root_id(),
            parent: None,
            name: self.redactor.text(&name),
            kind: Kind::Internal,
            start_ms: self.loaded.events.first().map_or(0, |event| event.at_ms),
            end_ms: self.end_ms,
            attributes,
            events: self.events_of(None),
            links: Vec::new(),
            outcome,
        };
        self.spans.push(root.json(&self.trace));
    }

    async fn task(&mut self, ix: TaskIx, told: &Told) -> Result<(), StoreError> {
        let state = &self.loaded.state;
        let address = state.tree.address(ix).to_string();
        let attempts = told.attempts(&address);
        let own = self
            .happened
            .get(&Some(address.clone()))
            .cloned()
            .unwrap_or_default();
        let began = own.first().map(|&at| self.loaded.events[at].at_ms);
        let Some(start_ms) = began
            .into_iter()
            .chain(attempts.first().map(|a| a.started_ms))
            .min()
        else {
            // Nothing has happened to it.
            return Ok(());
        };
        let id = self.task_id(&address);
        let task = state.task(ix);
        let is_over = task.ended_ms > 0;
        let parent = state
            .tree
            .owner(ix)
            .map(|owner| self.task_id(state.tree.address(owner).as_str()));
        let links = state
            .tree
            .parents(ix)
            .map(|before| self.task_id(state.tree.address(before).as_str()));
        let span = Span {
            id: id.clone(),
            parent: Some(parent.unwrap_or_else(|| self.root_id())),
            name: task_name(&state.def(ix).kind, &address),
            kind: Kind::Internal,
            start_ms,
            end_ms: if is_over { task.ended_ms } else { self.end_ms },
            attributes: self.about_task(ix, &address),
            events: self.events_of(Some(address.clone())),
            links: links.take(128).collect(),
            outcome: match (&task.error, &task.output) {
                (Some(error), _) => Outcome::Error(self.said(Some(error))),
                (None, Some(_)) => Outcome::Ok,
                (None, None) => Outcome::Unset,
            },
        };
        self.spans.push(span.json(&self.trace));
        for attempt in attempts {
            self.attempt(attempt, &id, &address).await?;
        }
        Ok(())
    }

    fn task_id(&self, address: &str) -> String {
        span_id(self.run, &format!("task {address}"), 0)
    }

    fn about_task(&self, ix: TaskIx, address: &str) -> Vec<Value> {
        let state = &self.loaded.state;
        let (task, def) = (state.task(ix), state.def(ix));
        let status = serde_json::to_value(task.status).unwrap_or_default();
        let mut attributes = vec![
            text("planloom.task.id", address),
            text("planloom.task.type", def.kind.word()),
            text("planloom.task.state", status.as_str().unwrap_or_default()),
            number("planloom.task.attempts", u64::from(task.attempts)),
        ];
        if let TaskKind::Agent { .. } = def.kind {
            attributes.push(text(names::OPERATION, "invoke_agent"));
            attributes.push(text(names::AGENT_NAME, address));
            attributes.push(text(names::AGENT_ID, &format!("{}/{address}", self.run)));
        }
        if self.has_contents() {
            attributes.push(text("planloom.task.title", &self.cut(&state.name(ix))));
            attributes.push(text("planloom.task.instruction", &self.cut(&def.instruction)));
        }
        if let Some(error) = &task.error {
            attributes.push(text(names::ERROR_TYPE, &error.code));
        }
        attributes
    }

    async fn attempt(&mut self, attempt: &Attempt, task: &str, address: &str) -> Result<(), StoreError> {
        let id = span_id(self.run, "attempt", attempt.seq);
        let mut attributes = vec![
            number("planloom.attempt", u64::from(attempt.number)),
            number("planloom.seq", attempt.seq),
            flag("planloom.goes_on", attempt.goes_on),
        ];
        attributes.extend(set_aside(attempt.is_set_aside));
        if let Some(error) = &attempt.error {
            attributes.push(text(names::ERROR_TYPE, &error.code));
        }
        let span = Span {
            id: id.clone(),
            parent: Some(task.to_owned()),
            name: format!("attempt {}", attempt.number),
            kind: Kind::Internal,
            start_ms: attempt.started_ms,
            end_ms: attempt.ended_ms.unwrap_or(self.end_ms),
            attributes,
            events: Vec::new(),
            links: Vec::new(),
            outcome: self.outcome(attempt.error.as_ref(), attempt.ended_ms),
        };
        self.spans.push(span.json(&self.trace));
        for call in &attempt.calls {
            self.call(call, &id, address).await?;
        }
        Ok(())
    }

    async fn call(&mut self, call: &Call, parent: &str, address: &str) -> Result<(), StoreError> {
        let mut attributes = vec![number("planloom.seq", call.seq)];
        attributes.extend(set_aside(call.is_set_aside));
        let (name, kind) = if call.is_model {
            attributes.extend(self.about_question(call).await?);
            let model = call
                .tool
                .split_once('/')
                .map_or(call.tool.as_str(), |(_, model)| model);
            (format!("chat {model}"), Kind::Client)
        } else {
            attributes.extend(self.about_call(call, address).await?);
            (format!("execute_tool {}", call.tool), Kind::Internal)
        };
        if let Some(error) = &call.error {
            attributes.push(text(names::ERROR_TYPE, &error.code));
        }
        let span = Span {
            id: span_id(self.run, "call", call.seq),
            parent: Some(parent.to_owned()),
            name: self.redactor.text(&name),
            kind,
            start_ms: call.started_ms,
            end_ms: call.ended_ms.unwrap_or(self.end_ms),
            attributes,
            events: Vec::new(),
            links: Vec::new(),
            outcome: self.outcome(call.error.as_ref(), call.ended_ms),
        };
        self.spans.push(span.json(&self.trace));
        Ok(())
    }

    async fn about_question(&self, call: &Call) -> Result<Vec<Value>, StoreError> {
        let (provider, model) = call
            .tool
            .split_once('/')
            .unwrap_or(("_OTHER", call.tool.as_str()));
        let mut attributes = vec![
            text(names::OPERATION, "chat"),
            text(names::PROVIDER, names::provider(provider)),
            text(names::MODEL, model),
            text(names::CONVERSATION, self.run.as_str()),
            text("planloom.role", call.role),
        ];
        if let Some(usage) = &call.usage {
            attributes.push(number(names::INPUT_TOKENS, usage.input_tokens));
            attributes.push(number(names::OUTPUT_TOKENS, usage.output_tokens));
            attributes.push(flag("planloom.usage.counted", usage.counted.is_told()));
            if usage.kind != CostKind::Unknown {
                attributes.push(money("planloom.cost.usd", &usage.usd.to_string()));
            }
        }
        if let (true, Some(reply)) = (self.has_contents(), &call.result) {
            let reply = self.value(reply).await?;
            let message = json!([{ "role": "assistant", "parts": [{ "type": "text", "content": reply }] }]);
            attributes.push(text(names::OUTPUT_MESSAGES, &message.to_string()));
        }
        Ok(attributes)
    }

    async fn about_call(&self, call: &Call, address: &str) -> Result<Vec<Value>, StoreError> {
        let kind = if call.tool.contains('/') {
            "extension"
        } else {
            "function"
        };
        let effect = serde_json::to_value(call.effect).unwrap_or_default();
        let mut attributes = vec![
            text(names::OPERATION, "execute_tool"),
            text(names::TOOL_NAME, &self.redactor.text(&call.tool)),
            text(names::TOOL_TYPE, kind),
            text(names::TOOL_CALL_ID, &call.key.to_string()),
            text("planloom.effect", effect.as_str().unwrap_or_default()),
        ];
        if self.has_contents() {
            let arguments = match (&call.arguments, self.inputs.get(address)) {
                (Some(arguments), _) => Some(self.value(arguments).await?),
                (None, inputs) => inputs.map(|inputs| self.cut(inputs)),
            };
            attributes.extend(arguments.map(|arguments| text(names::TOOL_ARGUMENTS, &arguments)));
            if let Some(result) = &call.result {
                attributes.push(text(names::TOOL_RESULT, &self.value(result).await?));
            }
        }
        Ok(attributes)
    }

    /// A value as JSON text, without secrets, not endless.
    async fn value(&self, value: &ValueRef) -> Result<String, StoreError> {
        if value.bytes() > READ {
            return Ok(format!("{} bytes, left out", value.bytes()));
        }
        let json = detail::text(self.store, value).await?;
        // Secrets are found in words as they are, not as JSON quotes them.
        let clean = match serde_json::from_str::<Json>(&json) {
            Ok(parsed) => self.redactor.value(parsed).to_string(),
            Err(_) => json,
        };
        Ok(self.cut(&clean))
    }

    fn cut(&self, text: &str) -> String {
        cut_at(&self.redactor.told(text), LONGEST)
    }

    fn outcome(&self, error: Option<&Failure>, ended_ms: Option<i64>) -> Outcome {
        match (error, ended_ms) {
            (Some(error), _) => Outcome::Error(self.said(Some(error))),
            (None, Some(_)) => Outcome::Ok,
            (None, None) => Outcome::Unset,
        }
    }

    /// What may be said of a failure: messages quote what came back, so without contents it is the code alone.
    fn said(&self, error: Option<&Failure>) -> String {
        let Some(error) = error else { return String::new() };
        if self.has_contents() {
            return self.cut(&error.message);
        }
        error.code.clone()
    }

    fn events_of(&self, task: Option<String>) -> Vec<Value> {
        let found = self.happened.get(&task).map_or(&[][..], Vec::as_slice);
        found
            .iter()
            .map(|&at| self.told(&self.loaded.events[at]))
            .collect()
    }

    fn told(&self, happened: &Event) -> Value {
        let mut attributes = vec![number("planloom.seq", happened.seq)];
        if let EventBody::TaskRetrying(retrying) = &happened.body {
            attributes.push(text(names::ERROR_TYPE, &retrying.error.code));
            let wait = retrying.not_before_ms.saturating_sub(happened.at_ms).max(0);
            attributes.push(number("planloom.wait_ms", wait.unsigned_abs()));
        }
        if let EventBody::TaskWaiting(waiting) = &happened.body {
            attributes.push(text("planloom.decision", waiting.decision.as_str()));
        }
        if self.has_contents() {
            let sentence = crate::history::sentences::view(happened, &self.loaded.state).text;
            attributes.push(text("planloom.text", &self.cut(&sentence)));
        }
        event(happened.at_ms, happened.body.kind(), attributes)
    }
}

fn set_aside(is_set_aside: bool) -> Option<Value> {
    is_set_aside.then(|| flag("planloom.set_aside", true))
}

fn task_name(kind: &TaskKind, address: &str) -> String {
    if let TaskKind::Agent { .. } = kind {
        return format!("invoke_agent {address}");
    }
    format!("task {address}")
}

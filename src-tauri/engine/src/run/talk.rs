//! What an agent or model task has said and heard, read from its calls in the log: each value is read once, however
//! many turns follow. It must not know what follows from a step.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::chain::{CUT, EXECUTOR, OVERFLOW};
use super::driver::{DriveError, Driver};
use super::inputs::{Resolved, load_recent};
use super::strands::Strand;
use super::worth::untrusted_names;
use crate::agents::executor::{Assignment, Bounds, CallId, Happened, Kind, Step, next};
use crate::llm::{Answer, Fault, Outcome, Reply};
use crate::model::events::{CallOutcome, Failure, FailureClass};
use crate::model::grants::{Labels, Need};
use crate::model::key::CallIdentity;
use crate::model::plan::{Task, TaskIx, TaskKind};
use crate::model::state::Call;
use crate::model::status::DecisionKind;
use crate::model::tool::Catalog;
use crate::model::{Digest, Json};
use crate::store::StoreError;
use crate::tools::Tool;

pub(super) struct Talk {
    inputs: Vec<(String, Json)>,
    labels: Labels,
    strands: Vec<Strand>,
    tools: Vec<Arc<dyn Tool>>,
    past: Vec<Happened>,
    /// How many of the task's calls are in `past`, or never will be.
    seen: usize,
    /// Every call that was asked for, by what it has in common with equal calls.
    known: BTreeMap<CallId, Digest>,
    /// What the calls of each turn brought in.
    heard: Vec<Heard>,
    /// When the attempt must have ended.
    pub deadline: Option<Instant>,
    /// A failure after which the attempt rests before it goes on.
    pub retry: Option<Retry>,
    /// A call wanted, in mid-call, what was not granted.
    pub wants: Option<(Digest, Vec<Need>)>,
}

/// Something that a call gave to the model.
struct Heard {
    turn: u32,
    tool: String,
    labels: Labels,
}

pub(super) struct Retry {
    pub error: Failure,
    pub asked: Option<Duration>,
    /// How often in a row it has failed so.
    pub fails: u32,
}

impl Talk {
    pub fn new(resolved: Resolved, tools: Vec<Arc<dyn Tool>>) -> Self {
        let inputs = match resolved.shown {
            Json::Object(map) => map.into_iter().collect(),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) => Vec::new(),
        };
        Self {
            inputs,
            labels: resolved.labels,
            strands: resolved.strands,
            tools,
            past: Vec::new(),
            seen: 0,
            known: BTreeMap::new(),
            heard: Vec::new(),
            deadline: None,
            retry: None,
            wants: None,
        }
    }

    /// What is to be done next, by what has happened alone.
    pub fn next(&self, task: &Task, catalog: &Catalog, context_tokens: Option<u64>) -> Step {
        let kind = match task.kind {
            TaskKind::Agent { max_steps, .. } => Kind::Agent { max_steps },
            TaskKind::Model
            | TaskKind::Tool { .. }
            | TaskKind::Code { .. }
            | TaskKind::Human { .. }
            | TaskKind::Map { .. }
            | TaskKind::Subplan { .. } => Kind::Model,
        };
        let assignment = Assignment {
            kind,
            model: task.model.as_deref().unwrap_or(EXECUTOR),
            instruction: &task.instruction,
            inputs: &self.inputs,
            tools: &self.tools,
            output_schema: task.output_schema.as_deref(),
            check: task.check.as_deref(),
            catalog: Some(catalog),
            bounds: Bounds {
                context_tokens,
                ..Bounds::default()
            },
        };
        next(&assignment, &self.past)
    }

    /// Of all that the task has read.
    pub fn labels(&self) -> Labels {
        self.labels_before(u32::MAX)
    }

    /// Of what the model had read when it asked for the calls of this turn.
    pub fn labels_before(&self, turn: u32) -> Labels {
        let heard = self.heard.iter().filter(|heard| heard.turn < turn);
        heard.fold(self.labels, |labels, heard| labels.join(heard.labels))
    }

    /// The names by which what somebody outside wrote had come to it by then: tasks, and its own tools.
    pub fn untrusted_names(&self, turn: u32) -> Vec<String> {
        let heard = self.heard.iter().filter(|h| h.turn < turn && h.labels.untrusted);
        let given = untrusted_names(&self.strands).map(str::to_owned);
        given.chain(heard.map(|heard| heard.tool.clone())).collect()
    }

    pub fn strands(&self) -> &[Strand] {
        &self.strands
    }

    /// Whether the question is nothing but an address that stands, whole, in what the plan itself says to the model.
    pub fn was_told_to_ask(&self, task: &Task, arguments: &Json) -> bool {
        let Some(map) = arguments.as_object() else {
            return false;
        };
        let Some(url) = map.get("url").and_then(Json::as_str) else {
            return false;
        };
        let is_all = map
            .keys()
            .all(|name| matches!(name.as_str(), "url" | "method" | "accept_status"));
        let literals = task.inputs.iter().filter_map(|(_, input)| input.as_literal());
        let says = |text: &str| stands_whole(text, url);
        is_all && (says(&task.instruction) || literals.into_iter().any(|value| says(&value.to_string())))
    }

    /// How many equal calls were asked for before this one.
    pub fn occurrence(&mut self, call: CallId, base: Digest) -> u32 {
        self.known.insert(call, base);
        let before = self.known.range(..call);
        before.filter(|(_, known)| **known == base).count() as u32
    }

    pub fn is_out_of_time(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    pub fn time_left(&self) -> Option<Duration> {
        let deadline = self.deadline?;
        Some(deadline.saturating_duration_since(Instant::now()))
    }

    pub(super) fn tool(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.tools.iter().find(|tool| tool.spec().name == name)
    }
}

impl Driver {
    /// Takes what has happened since the last step into the talk.
    pub(super) async fn catch_up(&mut self, ix: TaskIx) -> Result<(), DriveError> {
        let Some(mut talk) = self.talks.remove(&ix) else {
            return Ok(());
        };
        let calls = &self.state.task(ix).calls;
        for (at, call) in calls.iter().enumerate().skip(talk.seen) {
            let id = call.started.call.as_deref().map(str::parse::<CallId>);
            match id {
                None => self.take_question(&mut talk, call).await?,
                Some(Ok(id)) => self.take_call(ix, &mut talk, at, id).await?,
                // Nothing that this version has written.
                Some(Err(_)) => {}
            }
        }
        talk.seen = calls.len();
        self.talks.insert(ix, talk);
        Ok(())
    }

    async fn take_question(&self, talk: &mut Talk, call: &Call) -> Result<(), DriveError> {
        let value = match &call.outcome {
            Some(CallOutcome::Result(value)) => value,
            Some(CallOutcome::Error(error)) => {
                talk.past.extend(asked_otherwise(error).map(Happened::Replied));
                return Ok(());
            }
            None => return Ok(()),
        };
        let value = load_recent(&self.store, &self.recent, value).await?;
        let reply: Reply = serde_json::from_value(value).map_err(|e| StoreError::Io(e.into()))?;
        talk.past.push(Happened::Replied(reply));
        Ok(())
    }

    async fn take_call(&self, ix: TaskIx, talk: &mut Talk, at: usize, id: CallId) -> Result<(), DriveError> {
        let call = &self.state.task(ix).calls[at];
        if let Some(arguments) = &call.started.arguments
            && !talk.known.contains_key(&id)
        {
            let arguments = load_recent(&self.store, &self.recent, arguments).await?;
            let base = self.key_of_nth(ix, &call.started.tool, &arguments, 0);
            talk.known.insert(id, base);
        }
        let result = match &call.outcome {
            None => return Ok(()),
            Some(CallOutcome::Result(value)) => Ok(load_recent(&self.store, &self.recent, value).await?),
            Some(CallOutcome::Error(error)) if self.is_final(ix, at, error) => Err(error.clone()),
            Some(CallOutcome::Error(_)) => return Ok(()),
        };
        let is_refused = result.as_ref().is_err_and(is_refusal);
        let tool = talk.tool(&call.started.tool);
        let mut labels = call.labels;
        labels.untrusted |= tool.is_none_or(|tool| tool.spec().is_source_untrusted);
        if !is_refused && !labels.is_default() {
            let tool = call.started.tool.clone();
            let turn = id.turn;
            talk.heard.push(Heard { turn, tool, labels });
        }
        talk.past.push(Happened::Called { call: id, result });
        Ok(())
    }

    /// Whether the agent is to be told of the failure; else the call is made again, or a person decides first.
    fn is_final(&self, ix: TaskIx, at: usize, error: &Failure) -> bool {
        let call = &self.state.task(ix).calls[at];
        match error.class {
            FailureClass::Permanent => true,
            FailureClass::Cancelled => false,
            FailureClass::Transient | FailureClass::Unknown if call.is_unknown() => false,
            FailureClass::Transient | FailureClass::Unknown => {
                self.failures_of(ix, call, at) >= self.state.def(ix).retry.max_attempts
            }
            FailureClass::NotGranted => self.times_allowed(ix, call.started.key) < self.times_refused(ix, at),
        }
    }

    /// How often this very call has failed in a way that a retry may mend, up to and with that place.
    pub(super) fn failures_of(&self, ix: TaskIx, call: &Call, at: usize) -> u32 {
        let is_failure = |c: &&Call| {
            let class = match &c.outcome {
                Some(CallOutcome::Error(error)) => error.class,
                Some(CallOutcome::Result(_)) | None => return false,
            };
            let may_pass = matches!(class, FailureClass::Transient | FailureClass::Unknown);
            c.started.call == call.started.call && may_pass
        };
        let calls = &self.state.task(ix).calls[..=at];
        calls.iter().filter(is_failure).count() as u32
    }

    fn times_refused(&self, ix: TaskIx, at: usize) -> usize {
        let calls = &self.state.task(ix).calls[..=at];
        let is_refused = |c: &&Call| {
            let outcome = c.outcome.as_ref();
            let error = outcome.and_then(|o| match o {
                CallOutcome::Error(error) => Some(error),
                CallOutcome::Result(_) => None,
            });
            c.started.call == calls[at].started.call
                && error.is_some_and(|e| e.class == FailureClass::NotGranted)
        };
        calls.iter().filter(is_refused).count()
    }

    fn times_allowed(&self, ix: TaskIx, key: Digest) -> usize {
        let answers = self.answers_about(ix, key);
        let is_allowed = |(kind, word): &(DecisionKind, String)| {
            *kind == DecisionKind::Grant && matches!(word.as_str(), "once" | "task" | "run")
        };
        answers.filter(is_allowed).count()
    }

    /// What a person has said about this very call since the task began anew, oldest first.
    pub(super) fn answers_about(
        &self,
        ix: TaskIx,
        key: Digest,
    ) -> impl DoubleEndedIterator<Item = (DecisionKind, String)> {
        let from = self.state.task(ix).asked_from as usize;
        let own = self.state.decisions.iter().skip(from);
        own.filter(move |d| d.task == Some(ix) && d.binds == Some(key))
            .filter_map(|d| Some((d.kind, d.word()?)))
    }

    /// The key of one of several equal calls of a task.
    pub(super) fn key_of_nth(&self, ix: TaskIx, tool: &str, arguments: &Json, occurrence: u32) -> Digest {
        let address = self.state.tree.address(ix);
        CallIdentity {
            run: &self.run,
            address: address.as_str(),
            generation: self.state.generation(ix),
            tool,
            arguments,
            occurrence,
        }
        .key()
    }
}

/// A failed question that is asked in another way; others are asked again as they are, or end the attempt.
fn asked_otherwise(error: &Failure) -> Option<Reply> {
    let outcome = match error.code.as_str() {
        OVERFLOW => Outcome::Overflow(Fault::new(OVERFLOW, &error.message)),
        CUT => Outcome::Cut(Answer::default()),
        _ => return None,
    };
    Some(Reply::of(outcome))
}

/// The codes of calls that were never made.
pub(super) const DENIED: &str = "denied";
pub(super) const NOT_GRANTED: &str = "not_granted";
pub(super) const BAD_ARGUMENTS: &str = "bad_arguments";

/// Whether the address stands in the text with nothing of an address around it.
fn stands_whole(text: &str, url: &str) -> bool {
    let is_around = |c: Option<char>| {
        c.is_none_or(|c| {
            c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<' | '>' | '(' | ')' | ',' | ';' | '.')
        })
    };
    text.match_indices(url).any(|(at, _)| {
        let end = at + url.len();
        let behind = text[end..].trim_start_matches(['.', ',', ';']);
        is_around(text[..at].chars().next_back()) && is_around(behind.chars().next())
    })
}

fn is_refusal(error: &Failure) -> bool {
    let is_ours = [DENIED, NOT_GRANTED, BAD_ARGUMENTS].contains(&error.code.as_str());
    is_ours && error.class == FailureClass::Permanent
}

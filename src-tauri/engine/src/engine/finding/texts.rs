//! What of an event and of a plan can be found by its words. Everything comes from the log as it is stored, so that what was
//! redacted there is not here either. It must not know how words are kept.

use crate::history::detail;
use crate::history::drafting::Drafting;
use crate::llm::{Outcome, Reply};
use crate::model::events::{CallFinished, CallOutcome, CallStarted, Event, EventBody, OF_PLANS};
use crate::model::query::Found;
use crate::model::value::ValueRef;
use crate::model::{Json, RunId, Seq, TaskId};
use crate::store::search::{NewText, TextAct};
use crate::store::{Store, StoreError};

/// Bytes of a value's JSON that are taken apart; of a larger one the text is looked through as it is stored.
const TAKEN_APART: usize = 8 << 20;
/// Bytes of a value's text that are looked through.
const LOOKED_THROUGH: usize = 1 << 20;
/// A value of more bytes is not read at all.
const READ: u64 = 64 << 20;
/// Parts of the run's own output, each for itself.
const MOST_ENTRIES: usize = 1_000;
const DEEPEST: usize = 64;

/// What a step has come to: how much was read, and whether the plan is another one after it.
#[derive(Default)]
pub(super) struct Gathered {
    pub acts: Vec<TextAct>,
    pub bytes: usize,
    pub is_plan_stale: bool,
}

impl Gathered {
    /// Takes in one more event. A value that can't be read is passed over: the log tells of it where it is looked at.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other kinds hold no words of their own"
    )]
    pub async fn take(&mut self, store: &Store, event: &Event) {
        match &event.body {
            body if OF_PLANS.contains(&body.number()) => self.is_plan_stale = true,
            EventBody::RunForked(_) | EventBody::RunOpened(_) => self.is_plan_stale = true,
            EventBody::CallStarted(started) => self.call(store, event, started).await,
            EventBody::CallFinished(finished) => self.came(store, event, finished).await,
            EventBody::TaskCompleted(done) => match (&done.output, &event.task) {
                (Some(value), _) => {
                    let text = plain(store, value).await;
                    self.add(event, Found::Output, text);
                }
                (None, Some(task)) => self.acts.push(TextAct::Promote {
                    seq: event.seq,
                    task: task.clone(),
                }),
                (None, None) => {}
            },
            EventBody::TaskFailed(failed) => {
                self.add(event, Found::Observation, failed.error.message.clone());
            }
            EventBody::DecisionOpened(opened) => self.add(event, Found::Question, opened.question.clone()),
            EventBody::RunFinished(done) => {
                if let Some(value) = &done.output {
                    self.output(event, read(store, value).await);
                }
            }
            _ => {}
        }
    }

    async fn call(&mut self, store: &Store, event: &Event, started: &CallStarted) {
        // What a model is asked is the plan and what came before.
        if started.model {
            return;
        }
        let Some(value) = &started.arguments else { return };
        let text = plain(store, value).await;
        self.add(event, Found::Call, format!("{}\n{text}", started.tool));
    }

    async fn came(&mut self, store: &Store, event: &Event, finished: &CallFinished) {
        let value = match &finished.outcome {
            CallOutcome::Error(error) => return self.add(event, Found::Observation, error.message.clone()),
            CallOutcome::Result(value) => value,
        };
        let read = read(store, value).await;
        // Only models cost something.
        let reply = finished.usage.as_ref().and(read.as_deref());
        match reply.and_then(|text| serde_json::from_str::<Reply>(text).ok()) {
            Some(reply) => self.add(event, Found::Answer, said(&reply)),
            None => self.add(
                event,
                Found::Observation,
                read.as_deref().map_or_else(String::new, flat),
            ),
        }
    }

    /// Of several outputs each is looked through for itself, so that what a task gave is not found a second time.
    fn output(&mut self, event: &Event, read: Option<String>) {
        let Some(text) = read else { return };
        let entries = (text.len() <= TAKEN_APART)
            .then(|| serde_json::from_str::<serde_json::Map<String, Json>>(&text).ok())
            .flatten();
        match entries {
            Some(entries) => {
                for value in entries.values().take(MOST_ENTRIES) {
                    self.add(event, Found::Output, flat_of(value));
                }
            }
            None => self.add(event, Found::Output, flat(&text)),
        }
    }

    fn add(&mut self, event: &Event, place: Found, text: String) {
        if text.trim().is_empty() {
            return;
        }
        self.bytes += text.len();
        self.acts.push(TextAct::Add(NewText {
            seq: event.seq,
            task: event.task.clone(),
            place,
            text,
        }));
    }
}

async fn read(store: &Store, value: &ValueRef) -> Option<String> {
    if value.bytes() > READ {
        return None;
    }
    detail::text(store, value).await.ok()
}

async fn plain(store: &Store, value: &ValueRef) -> String {
    read(store, value).await.as_deref().map_or_else(String::new, flat)
}

/// The words of a JSON text: names and values, one under the other.
fn flat(json: &str) -> String {
    if json.len() > TAKEN_APART {
        return cut(json).to_owned();
    }
    serde_json::from_str(json).map_or_else(|_| cut(json).to_owned(), |value: Json| flat_of(&value))
}

fn cut(text: &str) -> &str {
    let end = (0..=text.len().min(LOOKED_THROUGH))
        .rev()
        .find(|&at| text.is_char_boundary(at));
    &text[..end.unwrap_or(0)]
}

fn flat_of(value: &Json) -> String {
    let mut out = String::new();
    walk(value, &mut out, 0);
    out
}

fn walk(value: &Json, out: &mut String, depth: usize) {
    if out.len() > LOOKED_THROUGH || depth > DEEPEST {
        return;
    }
    match value {
        Json::Null => {}
        Json::Bool(is) => line(out, if *is { "true" } else { "false" }),
        Json::Number(number) => line(out, &number.to_string()),
        Json::String(text) => line(out, cut(text)),
        Json::Array(items) => items.iter().for_each(|item| walk(item, out, depth + 1)),
        Json::Object(entries) => {
            for (name, value) in entries {
                if !out.is_empty() && !out.ends_with('\n') {
                    out.push('\n');
                }
                out.push_str(name);
                out.push_str(": ");
                walk(value, out, depth + 1);
            }
        }
    }
}

fn line(out: &mut String, text: &str) {
    out.push_str(text);
    out.push('\n');
}

/// What a model thought, said and asked for.
fn said(reply: &Reply) -> String {
    match &reply.outcome {
        Outcome::Complete(answer) | Outcome::Cut(answer) => {
            let thoughts = answer.thoughts.iter().map(|thought| thought.text.clone());
            let calls = answer
                .calls
                .iter()
                .map(|call| format!("{} {}", call.name, flat(&call.arguments)));
            let parts = std::iter::once(answer.text.clone()).chain(calls).chain(thoughts);
            parts
                .filter(|part| !part.is_empty())
                .collect::<Vec<_>>()
                .join("\n")
        }
        // These stand as errors, in words.
        Outcome::Rate(_)
        | Outcome::Quota(_)
        | Outcome::Overflow(_)
        | Outcome::Auth(_)
        | Outcome::Transient(_)
        | Outcome::Permanent(_)
        | Outcome::Unknown(_) => String::new(),
    }
}

/// The texts of the plan as it is at this position: what it is called and for, and what each task is to do.
pub(super) async fn of_plan(
    store: &Store,
    run: &RunId,
    title: &str,
    upto: Seq,
) -> Result<Vec<NewText>, StoreError> {
    let events = store.events_of(run, OF_PLANS, upto).await?;
    let at = events
        .iter()
        .rev()
        .find(|e| e.body.as_revision().is_some())
        .map_or(1, |e| e.seq);
    let given = events
        .iter()
        .rev()
        .find_map(|e| e.body.gives_goal())
        .map(str::to_owned);
    // A plan that can't be read has no words; its trouble is told where it is looked at.
    let drafting = Drafting::fold(store, &events).await.unwrap_or_default();
    let goal = drafting
        .plan
        .goal()
        .map(str::to_owned)
        .or(given)
        .unwrap_or_default();
    let head = match goal == title {
        true => goal,
        false => format!("{title}\n{goal}"),
    };
    let mut texts = vec![NewText {
        seq: at,
        task: None,
        place: Found::Plan,
        text: head,
    }];
    of_tasks(drafting.plan.document(), "", at, 0, &mut texts);
    Ok(texts)
}

/// Also those inside of maps and nested plans, under the addresses that events give them.
fn of_tasks(plan: &Json, before: &str, at: Seq, depth: usize, texts: &mut Vec<NewText>) {
    let tasks = plan.get("tasks").and_then(Json::as_array);
    for task in tasks.into_iter().flatten() {
        let Some(id) = task.get("id").and_then(Json::as_str) else {
            continue;
        };
        let address = format!("{before}{id}");
        of_task(task, &address, at, depth, texts);
    }
}

fn of_task(task: &Json, address: &str, at: Seq, depth: usize, texts: &mut Vec<NewText>) {
    let part = |field: &str| task.get(field).and_then(Json::as_str).unwrap_or_default();
    let mut text = format!(
        "{}\n{}\n{}",
        part("title"),
        part("instruction"),
        cut(part("source"))
    );
    // What a call writes to a file is not recorded with the call: here it stands.
    for given in [task.get("inputs"), task.get("over")].into_iter().flatten() {
        text.push('\n');
        text.push_str(&flat_of(given));
    }
    if !text.trim().is_empty() {
        texts.push(NewText {
            seq: at,
            task: Some(TaskId::from(address)),
            place: Found::Plan,
            text,
        });
    }
    if depth > DEEPEST {
        return;
    }
    // A map's own items have no address before it runs: what its task says is found at the map.
    if let Some(inner) = task.get("task") {
        of_task(inner, address, at, depth + 1, texts);
    }
    if let Some(plan) = task.get("plan") {
        of_tasks(plan, &format!("{address}/"), at, depth + 1, texts);
    }
}

//! What a report tells, gathered from a run that was read: bounded texts, no secrets. Large values are left where they are.

use std::collections::BTreeSet;

use crate::history::bill::Bill;
use crate::history::load::Loaded;
use crate::history::told::Told;
use crate::history::{detail, rows};
use crate::model::Json;
use crate::model::draft_view::NeedView;
use crate::model::events::EventBody;
use crate::model::redactor::Redactor;
use crate::model::title::cut_at;
use crate::model::value::ValueRef;
use crate::store::{Store, StoreError};
use crate::views::{BillView, BudgetView, EffectView, RunRow};

/// Bytes of a value that is still read for a report.
const READ: u64 = 1024 * 1024;
/// Letters of the final answer, of an output or an answer of a person, and of an error.
const ANSWER: usize = 60_000;
const OUTPUT: usize = 1_500;
pub(super) const MESSAGE: usize = 600;

/// What the engine knows beside the log.
pub struct Around<'a> {
    pub row: RunRow,
    pub title: String,
    pub needs: Vec<NeedView>,
    pub effects: Vec<EffectView>,
    pub redactor: &'a Redactor,
    /// What to type to see the whole of something.
    pub version: &'static str,
}

/// Everything that a report says.
pub struct Story {
    pub title: String,
    pub goal: Option<String>,
    pub row: RunRow,
    pub version: &'static str,
    pub plan_file: Option<String>,
    pub document: String,
    pub is_draft: bool,
    pub approvals: Vec<Approval>,
    pub needs: Vec<NeedView>,
    pub cap: BudgetView,
    pub error: Option<(String, String)>,
    pub answer: Option<Text>,
    /// Foreign text has gone into the answer.
    pub is_untrusted: bool,
    /// What the tasks behind the answer have read: what, and by which task.
    pub sources: Vec<(String, String)>,
    pub sources_left_off: usize,
    pub tasks: Vec<super::tasks::Task>,
    pub decisions: Vec<Asked>,
    pub replans: Vec<Replan>,
    pub effects: Vec<EffectView>,
    pub bill: BillView,
    pub rewinds: Vec<(i64, u64)>,
}

pub struct Approval {
    pub at_ms: i64,
    pub by: String,
    pub revision: u32,
    pub digest: String,
    pub parameters: Vec<(String, String)>,
    pub off: Vec<String>,
    pub left_out: Vec<String>,
}

pub struct Asked {
    pub at_ms: i64,
    pub task: Option<String>,
    pub question: String,
    /// What was answered, by whom and when.
    pub answer: Option<(String, String, i64)>,
    pub is_closed: bool,
}

pub struct Replan {
    pub at_ms: i64,
    pub text: String,
}

/// A value as text, perhaps cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    pub text: String,
    /// It was text, not another kind of value.
    pub is_words: bool,
    /// Bytes of the whole, where not all of it is here.
    pub whole: Option<u64>,
}

/// Sources that are named.
const MOST_SOURCES: usize = 60;

/// Reads what the report needs and nothing more.
pub async fn gather(store: &Store, loaded: &Loaded, around: Around<'_>) -> Result<Story, StoreError> {
    let state = &loaded.state;
    let told = Told::of(&loaded.events);
    let bill = Bill::of(&loaded.events, state);
    let clean = |text: &str| around.redactor.told(text);
    let answer = match &state.output {
        Some(value) => Some(text_of(store, value, ANSWER, around.redactor).await?),
        None => None,
    };
    let (sources, sources_left_off) = sources(&told, loaded, around.redactor);
    let asked = asked(store, loaded, around.redactor).await?;
    let tasks = super::tasks::gather(store, loaded, &told, &bill, around.redactor).await?;
    Ok(Story {
        title: clean(&around.title),
        goal: loaded.goal.as_deref().map(|goal| cut_at(&clean(goal), 8_000)),
        version: around.version,
        plan_file: state.path.as_deref().map(clean),
        document: state
            .document
            .map_or_else(String::new, |digest| digest.to_string()),
        is_draft: !state.has_begun,
        approvals: approvals(loaded, around.redactor),
        needs: around.needs,
        cap: rows::budget(state.cap()),
        error: state
            .error
            .as_ref()
            .map(|e| (e.code.clone(), cut_at(&clean(&e.message), 4_000))),
        answer,
        is_untrusted: state.output_labels.untrusted,
        sources,
        sources_left_off,
        tasks,
        decisions: asked,
        replans: replans(loaded, around.redactor),
        effects: around.effects,
        bill: bill.view(),
        rewinds: rewinds(loaded),
        row: around.row,
    })
}

/// The value's beginning; a large one is not even read.
pub(super) async fn text_of(
    store: &Store,
    value: &ValueRef,
    most: usize,
    redactor: &Redactor,
) -> Result<Text, StoreError> {
    let bytes = value.bytes();
    if bytes > READ {
        return Ok(Text {
            text: String::new(),
            is_words: false,
            whole: Some(bytes),
        });
    }
    let json = detail::text(store, value).await?;
    let (text, is_words) = match serde_json::from_str::<Json>(&json) {
        Ok(Json::String(text)) => (text, true),
        Ok(other) => (serde_json::to_string_pretty(&other).unwrap_or(json), false),
        Err(_) => (json, false),
    };
    let text = redactor.text(&text);
    let is_cut = text.chars().nth(most).is_some();
    Ok(Text {
        text: cut_at(&text, most),
        is_words,
        whole: is_cut.then_some(bytes),
    })
}

pub(super) async fn output_of(
    store: &Store,
    value: &ValueRef,
    redactor: &Redactor,
) -> Result<Text, StoreError> {
    text_of(store, value, OUTPUT, redactor).await
}

fn approvals(loaded: &Loaded, redactor: &Redactor) -> Vec<Approval> {
    let signed = loaded.events.iter().filter_map(|event| {
        let EventBody::Approved(approved) = &event.body else {
            return None;
        };
        let parameters = approved.parameters.iter();
        Some(Approval {
            at_ms: event.at_ms,
            by: approved.by.clone(),
            revision: approved.revision,
            digest: approved.digest.to_string(),
            parameters: parameters
                .map(|(name, value)| {
                    (
                        redactor.text(name),
                        cut_at(&redactor.text(&value.to_string()), 400),
                    )
                })
                .collect(),
            off: approved
                .conditions
                .off
                .iter()
                .map(|off| {
                    redactor.text(&format!(
                        "{} {}",
                        super::compose::access(off.access),
                        off.resource
                    ))
                })
                .collect(),
            left_out: approved
                .conditions
                .left_out
                .iter()
                .map(ToString::to_string)
                .collect(),
        })
    });
    signed.collect()
}

/// What calls that have brought something have read, each once, with the first task that did.
fn sources(told: &Told, loaded: &Loaded, redactor: &Redactor) -> (Vec<(String, String)>, usize) {
    let state = &loaded.state;
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for ix in state.nodes() {
        let address = state.tree.address(ix);
        let attempts = told.attempts(address.as_str()).iter().filter(|a| !a.is_set_aside);
        let calls = attempts.flat_map(|attempt| &attempt.calls);
        for call in calls.filter(|call| call.result.is_some() && !call.effect.is_effect()) {
            for need in &call.touches {
                let what = need.to_string();
                if seen.insert(what.clone()) {
                    found.push((redactor.text(&what), redactor.text(&state.name(ix))));
                }
            }
        }
    }
    let left_off = found.len().saturating_sub(MOST_SOURCES);
    found.truncate(MOST_SOURCES);
    (found, left_off)
}

async fn asked(store: &Store, loaded: &Loaded, redactor: &Redactor) -> Result<Vec<Asked>, StoreError> {
    let state = &loaded.state;
    let mut found: Vec<Asked> = Vec::new();
    let mut places = std::collections::HashMap::new();
    for event in &loaded.events {
        if let EventBody::DecisionOpened(opened) = &event.body {
            places.insert(opened.decision.clone(), found.len());
            let task = event.task.as_ref();
            found.push(Asked {
                at_ms: event.at_ms,
                task: task.map(|task| redactor.text(&crate::history::tasks::named(state, task))),
                question: cut_at(&redactor.told(&opened.question), MESSAGE),
                answer: None,
                is_closed: false,
            });
        } else if let EventBody::DecisionAnswered(answered) = &event.body
            && let Some(&at) = places.get(&answered.decision)
        {
            let said = text_of(store, &answered.answer, MESSAGE, redactor).await?;
            found[at].answer = Some((said.text, answered.by.clone(), event.at_ms));
        } else if let EventBody::DecisionClosed(closed) = &event.body
            && let Some(&at) = places.get(&closed.decision)
        {
            found[at].is_closed = true;
        }
    }
    Ok(found)
}

fn replans(loaded: &Loaded, redactor: &Redactor) -> Vec<Replan> {
    let events = loaded.events.iter().filter(|event| {
        let is_change = event
            .body
            .as_revision()
            .is_some_and(|revised| revised.signed.is_some());
        is_change
            || matches!(
                event.body,
                EventBody::ReplanAsked(_) | EventBody::ReplanProposed(_)
            )
    });
    let told = events.map(|event| Replan {
        at_ms: event.at_ms,
        text: redactor.told(&crate::history::sentences::view(event, &loaded.state).text),
    });
    told.collect()
}

fn rewinds(loaded: &Loaded) -> Vec<(i64, u64)> {
    let back = loaded.events.iter().filter_map(|event| {
        if let EventBody::RunRewound(rewound) = &event.body {
            return Some((event.at_ms, rewound.to));
        }
        None
    });
    back.collect()
}

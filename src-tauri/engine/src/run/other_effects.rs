//! Another effect than the one that its task has made in what was taken back: a person decides whether it is made too.
//! What is an effect of which task, the state says; this file must not know how a call is made.

use super::driver::{DriveError, Driver};
use super::inputs::load_recent;
use crate::model::events::{Before, Content};
use crate::model::json::canonical;
use crate::model::plan::{Task, TaskIx, TaskKind};
use crate::model::provenance::{Earlier, Provenance};
use crate::model::state::{Made, PastEffect};
use crate::model::status::DecisionKind;
use crate::model::tool::Effect;
use crate::model::value::ValueRef;
use crate::model::{Digest, Json};

/// Effects that are told one by one.
const MOST: usize = 8;
/// Of each one's arguments, so many characters.
const SHOWN: usize = 600;

/// What becomes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Other {
    /// There is none before it, or a person wants it made as well.
    Make,
    Ask,
    /// A person does not want it.
    Leave,
}

impl Driver {
    /// Whether the effect may be made beside what the task has made already. `bound` is what a person's word is bound to.
    pub(super) fn beside_others(
        &self,
        ix: TaskIx,
        (key, bound): (Digest, Digest),
        tools: &[&str],
        effect: Effect,
    ) -> Other {
        if !effect.is_effect() || self.is_signed_as_it_stands(ix) {
            return Other::Make;
        }
        let address = self.state.tree.address(ix);
        if self.state.other_effects(&address, tools, key).next().is_none() {
            return Other::Make;
        }
        let newest = self.answers_about(ix, bound).next_back();
        if newest.is_some_and(|(kind, word)| kind == DecisionKind::Effect && word == "deny") {
            return Other::Leave;
        }
        // A call that was allowed and did not get through is made without being asked about once more.
        let is_allowed = self.state.decisions.iter().any(|d| {
            let word = d.word();
            d.task == Some(ix)
                && d.binds == Some(bound)
                && d.is_about_another()
                && word.as_deref() == Some("allow")
        });
        if is_allowed { Other::Make } else { Other::Ask }
    }

    /// The call stands in the plan, word for word: whoever let it run after the earlier one has seen both.
    fn is_signed_as_it_stands(&self, ix: TaskIx) -> bool {
        let task = self.state.def(ix);
        let mut inputs = task.inputs.iter();
        self.state.tree.owner(ix).is_none()
            && matches!(task.kind, TaskKind::Tool { .. })
            && inputs.all(|(_, input)| input.as_literal().is_some())
    }

    /// The task's own effect whose result can stand for the one that is not made.
    pub(super) fn result_before(
        &self,
        ix: TaskIx,
        key: Digest,
        tools: &[&str],
    ) -> Option<(PastEffect, Made)> {
        let address = self.state.tree.address(ix);
        let others = self.state.other_effects(&address, tools, key);
        let own = others.filter(|effect| effect.task == address);
        own.filter_map(|effect| {
            let made = self.state.made.get(&effect.key)?;
            matches!(made, Made::Done(_)).then(|| (effect.clone(), made.clone()))
        })
        .last()
    }

    /// The arguments of a call that is one task, to be recorded with its intent: once the task is set back, nothing else
    /// tells what went out.
    pub(super) fn remember(
        &mut self,
        effect: Effect,
        before: &[Before],
        arguments: Option<Json>,
    ) -> Option<ValueRef> {
        let arguments = arguments.filter(|_| is_remembered(effect, before))?;
        Some(self.store_value(&arguments))
    }

    /// What was made before, told.
    pub(super) async fn earlier(
        &self,
        ix: TaskIx,
        key: Digest,
        tools: &[&str],
    ) -> Result<Vec<Earlier>, DriveError> {
        let address = self.state.tree.address(ix);
        let mut told: Vec<Earlier> = Vec::new();
        let mut known = Vec::new();
        for effect in self.state.other_effects(&address, tools, key) {
            if known.len() >= MOST {
                break;
            }
            if known.contains(&effect.key) {
                continue;
            }
            known.push(effect.key);
            let arguments = match &effect.arguments {
                Some(value) => {
                    let value = load_recent(&self.store, &self.recent, value).await?;
                    Some(cut(&canonical(&value)))
                }
                None => None,
            };
            told.push(Earlier {
                task: effect.task.clone(),
                tool: effect.tool.clone(),
                at_ms: effect.at_ms,
                arguments,
                is_known: matches!(self.state.made.get(&effect.key), Some(Made::Done(_))),
            });
        }
        Ok(told)
    }
}

/// Whether the arguments are recorded with the intent: not of what can be undone, so that a text which is written to a
/// file is not stored twice.
fn is_remembered(effect: Effect, before: &[Before]) -> bool {
    let is_lost = |file: &Before| matches!(file.content, Content::NotKept(_));
    match effect {
        Effect::WriteExternal | Effect::Exec | Effect::Spend => true,
        Effect::Write => before.is_empty() || before.iter().any(is_lost),
        Effect::Pure | Effect::Read | Effect::ReadExternal => false,
    }
}

/// The tools that a task of one call may call.
pub(super) fn tools_of_call(task: &Task) -> Vec<&str> {
    let own = match &task.kind {
        TaskKind::Tool { tool } => Some(&**tool),
        TaskKind::Agent { .. }
        | TaskKind::Model
        | TaskKind::Code { .. }
        | TaskKind::Human { .. }
        | TaskKind::Map { .. }
        | TaskKind::Subplan { .. } => None,
    };
    own.into_iter().chain(task.fallback_tool()).collect()
}

/// Both, so that a person sees what they differ in.
pub(super) fn question(name: &str, provenance: &Provenance, arguments: &str) -> String {
    let earlier: Vec<String> = provenance.earlier.iter().map(ToString::to_string).collect();
    let why: Vec<&str> = provenance.concerns.iter().map(|c| c.sentence()).collect();
    let why = if why.is_empty() {
        String::new()
    } else {
        format!(" Beside that, {}.", why.join("; "))
    };
    format!(
        "{name} would make another effect than before: {}. That was taken back in the run, but it stays made outside. Now \
         it would call {} with {}.{why} Make it too?",
        earlier.join("; "),
        provenance.tool,
        cut(arguments)
    )
}

fn cut(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

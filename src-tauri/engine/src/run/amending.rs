//! A proposal as a person accepts it: whole, in part, or in their own version, judged by the one rule of all replans. It
//! must not record anything, nor know who proposed it.

use std::collections::HashSet;

use serde_json::json;

use super::judging::{bound, judge, judge_recorded};
use crate::model::decision::Acceptance;
use crate::model::events::{Amended, Event, EventBody, ReplanProposed};
use crate::model::json::canonical;
use crate::model::proposal::{self, Piece};
use crate::model::replan::{Ask, Replanned, Standing, as_text, describe};
use crate::model::state::{Decision, OpenReplan, RunState};
use crate::model::{Digest, DraftPlan, Setting, TaskId};

/// Fields of a task whose change leaves its call as it was.
const HARMLESS: [&str; 9] = [
    "title",
    "dependencies",
    "retry",
    "timeout_s",
    "optional",
    "when",
    "check",
    "output_schema",
    "writes",
];

/// A run whose proposal a person looks at.
pub struct Before<'a> {
    pub state: &'a RunState,
    pub events: &'a [Event],
    /// The plan as it runs now.
    pub draft: &'a DraftPlan,
    pub setting: Setting<'a>,
}

/// What would be signed.
#[derive(Debug)]
pub struct Amendment {
    pub replanned: Replanned,
    /// `None`: exactly what was proposed.
    pub amended: Option<Amended>,
    /// What it asks for that the proposal did not.
    pub beyond: Vec<Ask>,
    /// Names this very version for this very plan.
    pub digest: Digest,
}

impl<'a> Before<'a> {
    /// The proposal, cut into pieces that can be taken one by one.
    pub fn pieces(&self) -> Vec<Piece> {
        let proposed = self.proposed();
        let shown = proposed.and_then(|proposed| self.draft.patched(&proposed.patch).ok());
        shown.map_or_else(Vec::new, |shown| proposal::pieces(self.draft, &shown))
    }

    fn current(&self) -> Option<&'a OpenReplan> {
        self.state.replans.current.as_ref()
    }

    fn proposed(&self) -> Option<&'a ReplanProposed> {
        self.current()?.proposed.as_deref()
    }

    /// What an acceptance would come to as the run stands now. `Err`: why it can't be taken, in sentences.
    pub fn amend(&self, how: &Acceptance) -> Result<Amendment, Vec<String>> {
        let gone = || vec!["There is no proposal any more.".to_owned()];
        let (current, proposed) = (
            self.current().ok_or_else(gone)?,
            self.proposed().ok_or_else(gone)?,
        );
        let (mut replanned, amended) = match how {
            Acceptance::Whole => {
                let replanned = judge_recorded(self.state, self.draft, &self.setting)?;
                return Ok(self.amendment(replanned, None, proposed));
            }
            Acceptance::Part { pieces, .. } => self.part(current, proposed, pieces)?,
            Acceptance::Edited { document, .. } => {
                let replanned = judge(self.state, &current.failed, self.draft, document, &self.setting)?;
                (replanned, Amended::Edited)
            }
        };
        replanned
            .asks
            .extend(stays_done(&made_in(self.state, self.events), &replanned));
        Ok(self.amendment(replanned, Some(amended), proposed))
    }

    fn part(
        &self,
        current: &OpenReplan,
        proposed: &ReplanProposed,
        ids: &[String],
    ) -> Result<(Replanned, Amended), Vec<String>> {
        let one = |message: String| vec![message];
        let shown = self.draft.patched(&proposed.patch).map_err(one)?;
        let pieces = proposal::pieces(self.draft, &shown);
        let taken =
            proposal::take_only(&pieces, ids, self.draft).map_err(|refused| one(refused.to_string()))?;
        let replanned = judge(
            self.state,
            &current.failed,
            self.draft,
            taken.document(),
            &self.setting,
        )?;
        let named: HashSet<&str> = ids.iter().map(String::as_str).collect();
        let left = pieces.iter().filter(|piece| !named.contains(piece.id.as_str()));
        let left_out = left.map(|piece| piece.id.clone()).collect();
        Ok((replanned, Amended::Part { left_out }))
    }

    fn amendment(
        &self,
        replanned: Replanned,
        amended: Option<Amended>,
        proposed: &ReplanProposed,
    ) -> Amendment {
        let is_new = |ask: &&Ask| !proposed.asks.contains(ask);
        let beyond = replanned.asks.iter().filter(is_new).cloned().collect();
        let named = json!([
            replanned.patch,
            bound(self.state).map(|digest| digest.to_string()),
            replanned.asks
        ]);
        Amendment {
            digest: Digest::of(canonical(&named).as_bytes()),
            replanned,
            amended,
            beyond,
        }
    }

    /// Whether a person may accept so what this decision is about. `Err` says why not.
    pub fn may_accept(&self, decision: &Decision, how: &Acceptance) -> Result<(), String> {
        if decision.binds.is_none() || decision.binds != bound(self.state) {
            return Err("it was made for another version of the plan.".to_owned());
        }
        let amendment = self.amend(how).map_err(|reasons| reasons.join(" "))?;
        let looked_at = match how {
            Acceptance::Whole => return Ok(()),
            Acceptance::Part { digest, .. } | Acceptance::Edited { digest, .. } => digest.as_deref(),
        };
        let digest = amendment.digest.to_string();
        match looked_at {
            Some(looked_at) if looked_at != digest => {
                Err("it is not what was looked at: look at it again.".to_owned())
            }
            None if !amendment.beyond.is_empty() => {
                let lines = describe(self.draft, &amendment.replanned, &self.setting);
                Err(format!(
                    "it asks for something that was not shown to you before. Look at all of it, and say so with \
                     `\"digest\": \"{digest}\"` beside it:\n{}",
                    as_text(&lines)
                ))
            }
            Some(_) | None => Ok(()),
        }
    }
}

/// Tasks of the run's own plan that have made an effect, or may have.
#[expect(clippy::wildcard_enum_match_arm, reason = "only intents name keys")]
pub(super) fn made_in(state: &RunState, events: &[Event]) -> HashSet<TaskId> {
    let calls = events.iter().filter_map(|event| match &event.body {
        EventBody::CallStarted(call) if state.made.contains_key(&call.key) => event.task.as_ref(),
        _ => None,
    });
    calls.map(|task| TaskId::from(top_of(task.as_str()))).collect()
}

/// The task of the run's own plan that an address stands in.
fn top_of(address: &str) -> &str {
    &address[..address.find(['/', '[']).unwrap_or(address.len())]
}

/// Failed tasks that did something outside and shall now be done otherwise: it might happen again.
pub(super) fn stays_done(made: &HashSet<TaskId>, replanned: &Replanned) -> Vec<Ask> {
    let changed = replanned.changed.iter().filter(|changed| {
        let is_harmless = |field: &String| HARMLESS.contains(&field.as_str());
        changed.was == Standing::Failed && !changed.fields.iter().all(is_harmless)
    });
    let pruned = replanned.pruned.iter().filter(|_| !replanned.added.is_empty());
    changed
        .map(|changed| &changed.task)
        .chain(pruned)
        .filter(|task| made.contains(*task))
        .map(|task| Ask::StaysDone { task: task.clone() })
        .collect()
}

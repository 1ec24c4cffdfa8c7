//! The replans of a run, read from its log: how each began, what was proposed, what became of it. It must not know what a
//! proposal may do.

use crate::history::load::TakenBack;
use crate::model::decision::word;
use crate::model::events::{
    Amended, Change, DecisionAnswered, Event, EventBody, PlanRevised, ReplanProposed,
};
use crate::model::status::DecisionKind;
use crate::model::{DecisionId, Seq, TaskId};
use crate::views::{ReplanFate, ReplanRow};

/// At most so many replans in one run (rule 7).
pub use crate::model::state::MOST_REPLANS;

/// One replan, with where it stands in the log.
#[derive(Clone, Debug)]
pub struct Replan {
    pub row: ReplanRow,
    pub asked_at: Seq,
    /// The first proposal, the replanner's own, and the last, which may be a person's version of it.
    pub proposed: Option<(Seq, ReplanProposed)>,
    pub version: Option<(Seq, ReplanProposed)>,
    pub failed: Vec<TaskId>,
    /// The newest model that was asked.
    pub model: Option<String>,
    decision: Option<DecisionId>,
}

/// Oldest first; what a rewind has taken back is left out.
#[expect(clippy::wildcard_enum_match_arm, reason = "other kinds tell of no replan")]
pub fn replans(events: &[Event]) -> Vec<Replan> {
    let taken_back = TakenBack::of(events);
    let mut all: Vec<Replan> = Vec::new();
    for event in events.iter().filter(|event| !taken_back.has(event.seq)) {
        if let EventBody::ReplanAsked(asked) = &event.body {
            if let Some(last) = all.last_mut() {
                last.end(ReplanFate::Left);
            }
            all.push(Replan {
                row: ReplanRow {
                    attempt: asked.attempt,
                    at: event.at_ms as f64,
                    failed: asked.failed.iter().map(ToString::to_string).collect(),
                    fate: ReplanFate::Looking,
                    by: None,
                    decision: None,
                    asked_with: asked.note.clone(),
                    refused: Vec::new(),
                    left_out: Vec::new(),
                    has_proposal: false,
                },
                asked_at: event.seq,
                proposed: None,
                version: None,
                failed: asked.failed.clone(),
                model: None,
                decision: None,
            });
            continue;
        }
        let Some(last) = all.last_mut() else { continue };
        match &event.body {
            EventBody::CallStarted(call)
                if event.task.is_none() && call.model && last.row.fate == ReplanFate::Looking =>
            {
                last.model = Some(call.tool.clone());
            }
            EventBody::ReplanProposed(proposed) => last.propose(event.seq, proposed),
            EventBody::DecisionOpened(opened) if opened.kind == DecisionKind::Replan => {
                last.decision = Some(opened.decision.clone());
                last.row.decision = Some(opened.decision.to_string());
                last.row.fate = ReplanFate::Waiting;
            }
            EventBody::DecisionAnswered(answered) => last.answer(answered),
            EventBody::DecisionClosed(closed) if last.decision.as_ref() == Some(&closed.decision) => {
                last.end(ReplanFate::Left);
            }
            EventBody::PlanRevised(revised) => last.revise(revised),
            EventBody::RunFinished(_) => last.end(ReplanFate::Left),
            _ => {}
        }
    }
    all
}

impl Replan {
    fn is_over(&self) -> bool {
        !matches!(self.row.fate, ReplanFate::Looking | ReplanFate::Waiting)
    }

    fn end(&mut self, fate: ReplanFate) {
        if !self.is_over() {
            self.row.fate = fate;
        }
    }

    fn propose(&mut self, seq: Seq, proposed: &ReplanProposed) {
        if !proposed.refused.is_empty() {
            self.row.refused.clone_from(&proposed.refused);
            self.row.fate = ReplanFate::Refused;
            return;
        }
        if let Some(Amended::Part { left_out }) = &proposed.amended {
            self.row.left_out.clone_from(left_out);
        }
        let told = (seq, proposed.clone());
        self.proposed.get_or_insert_with(|| told.clone());
        self.version = Some(told);
        self.row.has_proposal = true;
    }

    fn answer(&mut self, answered: &DecisionAnswered) {
        if self.decision.as_ref() != Some(&answered.decision) {
            return;
        }
        self.row.by = Some(answered.by.clone());
        let chosen = answered.choice.clone().or_else(|| word(&answered.answer));
        match chosen.as_deref() {
            Some("accept") => {}
            Some("again") => self.end(ReplanFate::AskedAgain),
            Some("stop") => self.end(ReplanFate::Left),
            Some(_) | None => self.end(ReplanFate::Rejected),
        }
    }

    fn revise(&mut self, revised: &PlanRevised) {
        if !matches!(revised.change, Change::Replan(_)) || self.is_over() {
            return;
        }
        let signed = revised.signed.as_ref();
        self.row.by = signed.map(|signed| signed.by.clone());
        let amended = self
            .version
            .as_ref()
            .and_then(|(_, version)| version.amended.as_ref());
        self.row.fate = match (amended, signed.and_then(|signed| signed.decision.as_ref())) {
            (Some(Amended::Part { .. }), _) => ReplanFate::AcceptedInPart,
            (Some(Amended::Edited), _) => ReplanFate::AcceptedEdited,
            (None, Some(_)) => ReplanFate::Accepted,
            (None, None) => ReplanFate::Applied,
        };
    }
}

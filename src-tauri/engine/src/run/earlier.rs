//! What was proposed before in a run and what became of it, for the replanner that is asked once more. It must not know
//! what is proposed next.

use super::driver::{DriveError, Driver};
use super::inputs::load;
use crate::agents::replanner::Earlier;
use crate::history::load::TakenBack;
use crate::model::decision::{ReplanAnswer, read_replan};
use crate::model::events::{Amended, Change, DecisionAnswered, Event, EventBody};
use crate::model::state::Decision;
use crate::model::status::DecisionKind;

impl Driver {
    /// Oldest first; what a rewind has taken back is left out.
    #[expect(clippy::wildcard_enum_match_arm, reason = "other kinds tell of no replan")]
    pub(super) async fn earlier_replans(&self, events: &[Event]) -> Result<Vec<Earlier>, DriveError> {
        let taken_back = TakenBack::of(events);
        let mut earlier: Vec<Earlier> = Vec::new();
        for event in events.iter().filter(|event| !taken_back.has(event.seq)) {
            match &event.body {
                EventBody::ReplanAsked(asked) => {
                    if !asked.note.is_empty()
                        && let Some(last) = earlier.last_mut()
                    {
                        last.note.clone_from(&asked.note);
                    }
                    earlier.push(Earlier::of(asked.attempt));
                }
                EventBody::ReplanProposed(proposed) => {
                    let Some(last) = earlier.last_mut() else { continue };
                    match &proposed.amended {
                        Some(Amended::Part { left_out }) => {
                            last.fate = format!("a person took it without {}", left_out.join(", "));
                        }
                        Some(Amended::Edited) => {
                            "a person took their own version of it".clone_into(&mut last.fate)
                        }
                        None if proposed.refused.is_empty() => last.proposed = proposed.patch.to_string(),
                        None => last.fate = format!("it could not be taken: {}", proposed.refused.join(" ")),
                    }
                }
                EventBody::PlanRevised(revised) if matches!(revised.change, Change::Replan(_)) => {
                    let taken = earlier.last_mut().filter(|last| last.fate.is_empty());
                    if let Some(last) = taken {
                        "it was taken over, and is part of the plan above".clone_into(&mut last.fate);
                    }
                }
                EventBody::DecisionAnswered(answered) => {
                    if let (Some(last), Some(fate)) = (earlier.last_mut(), self.fate_by(answered).await?) {
                        last.fate = fate;
                    }
                }
                _ => {}
            }
        }
        // The one that is asked for now has come to nothing yet.
        earlier.retain(|replan| !replan.fate.is_empty());
        Ok(earlier)
    }

    /// A person's no to a proposal.
    async fn fate_by(&self, answered: &DecisionAnswered) -> Result<Option<String>, DriveError> {
        let is_it = |decision: &&Decision| decision.kind == DecisionKind::Replan;
        if self.state.decision(&answered.decision).filter(is_it).is_none() {
            return Ok(None);
        }
        let answer = load(&self.store, &answered.answer).await?;
        Ok(match read_replan(&answer) {
            Ok(ReplanAnswer::Reject) => Some("a person rejected it".to_owned()),
            Ok(ReplanAnswer::Again(_)) => Some("a person did not take it and wants another one".to_owned()),
            Ok(ReplanAnswer::Accept(_) | ReplanAnswer::Stop) | Err(_) => None,
        })
    }
}

//! What the replies of a replan come to: a proposal that can be taken, another question, or nothing. The same replies
//! lead to the same step, so that it goes on after a crash. It must not know what becomes of a proposal.

use super::driver::{DriveError, Driver};
use super::judging::judge;
use super::situation::Given;
use super::stand_ins::{Line, Rest};
use crate::agents::replanner::{self, Proposal};
use crate::agents::{Failed, MOST_SENT_BACK, SentBack};
use crate::llm::{Entry, Reply};
use crate::model::DraftPlan;
use crate::model::events::Failure;
use crate::model::replan::Replanned;
use crate::model::state::OpenReplan;

pub(super) enum Next {
    Ask { sent_back: Vec<SentBack>, rest: Rest },
    Take(Box<Replanned>),
    GiveUp(String),
}

/// What was said so far.
struct Talk {
    sent_back: Vec<SentBack>,
    line: Line,
}

impl Talk {
    fn next(mut self) -> Next {
        let rest = match self.line.rest() {
            Ok(rest) => rest,
            Err(failed) => return Next::GiveUp(failed.error.message),
        };
        if self.sent_back.len() > MOST_SENT_BACK {
            let last = self
                .sent_back
                .pop()
                .map_or_else(String::new, |back| back.problems);
            let last: Vec<&str> = last.lines().map(|line| line.trim_start_matches("- ")).collect();
            return Next::GiveUp(format!(
                "What was proposed could not be taken: {}",
                last.join("; ")
            ));
        }
        Next::Ask {
            sent_back: self.sent_back,
            rest,
        }
    }
}

impl Driver {
    /// From all replies so far, in their order.
    pub(super) async fn next_of(
        &mut self,
        current: &OpenReplan,
        given: &Given,
        chain: Vec<Entry>,
    ) -> Result<Next, DriveError> {
        let mut calls = self.state.aside.clone();
        calls.retain(|call| call.outcome.is_some());
        let mut talk = Talk {
            sent_back: Vec::new(),
            line: Line::new(chain),
        };
        for (number, call) in calls.iter().enumerate() {
            let (proposal, text) = match self.reply_of(call).await? {
                None => continue,
                Some(Err(error)) => (Proposal::Failed(lost(error)), String::new()),
                Some(Ok(reply)) => (replanner::read(&reply), text_of(&reply)),
            };
            let is_newest = number + 1 == calls.len();
            let name = &call.started.tool;
            match proposal {
                Proposal::Failed(failed) => {
                    talk.line.failed(name, failed);
                    continue;
                }
                Proposal::SendBack(back) => talk.sent_back.push(back),
                Proposal::Plan(plan) => match self.judged(current, given, &plan, text) {
                    Ok(replanned) if is_newest => return Ok(Next::Take(replanned)),
                    Ok(_) => {
                        // It was sent back then; the run has moved on since.
                        let (answer, problems) =
                            (plan.to_text(), "- It did not fit the run then.".to_owned());
                        talk.sent_back.push(SentBack { answer, problems });
                    }
                    Err(back) => talk.sent_back.push(back),
                },
            }
            talk.line.answered(name);
        }
        Ok(talk.next())
    }

    fn judged(
        &self,
        current: &OpenReplan,
        given: &Given,
        plan: &DraftPlan,
        answer: String,
    ) -> Result<Box<Replanned>, SentBack> {
        let failed = &current.failed;
        let judged = judge(
            &self.state,
            failed,
            &given.draft,
            plan.document(),
            &self.setting(),
        );
        judged.map(Box::new).map_err(|problems| {
            let problems: Vec<String> = problems.iter().map(|p| format!("- {p}")).collect();
            let problems = problems.join("\n");
            SentBack { answer, problems }
        })
    }
}

fn text_of(reply: &Reply) -> String {
    let answer = reply.outcome.answer();
    answer.map_or_else(String::new, |answer| answer.text.clone())
}

/// Of a call that has no reply.
fn lost(error: Failure) -> Failed {
    Failed {
        error,
        retry_after_ms: None,
    }
}

//! What the replies of a replan come to: a proposal that can be taken, another question, or nothing. The same replies
//! lead to the same step, so that it goes on after a crash. It must not know what becomes of a proposal.

use std::time::Duration;

use super::driver::{DriveError, Driver};
use super::judging::judge;
use super::situation::Given;
use crate::agents::replanner::{self, Proposal};
use crate::agents::{Failed, MOST_SENT_BACK, SentBack};
use crate::llm::Reply;
use crate::model::DraftPlan;
use crate::model::events::{Failure, FailureClass};
use crate::model::plan::RetryPolicy;
use crate::model::replan::Replanned;
use crate::model::state::OpenReplan;

pub(super) enum Next {
    Ask {
        sent_back: Vec<SentBack>,
        /// Failures since the last answer.
        tries: u32,
        /// As the provider asked.
        wait: Option<Duration>,
    },
    Take(Box<Replanned>),
    GiveUp(String),
}

/// What was said so far.
#[derive(Default)]
struct Talk {
    sent_back: Vec<SentBack>,
    tries: u32,
    wait: Option<Duration>,
    error: String,
}

impl Talk {
    /// Something where that ends it.
    fn fail(&mut self, failed: Failed) -> Option<Next> {
        if failed.error.class != FailureClass::Transient {
            return Some(Next::GiveUp(failed.error.message));
        }
        self.tries += 1;
        self.wait = failed.retry_after_ms.map(Duration::from_millis);
        self.error = failed.error.message;
        None
    }

    fn send_back(&mut self, back: SentBack) {
        (self.tries, self.wait) = (0, None);
        self.sent_back.push(back);
    }

    fn next(mut self) -> Next {
        if self.tries >= RetryPolicy::default().max_attempts {
            return Next::GiveUp(self.error);
        }
        if self.sent_back.len() > MOST_SENT_BACK {
            let last = self
                .sent_back
                .pop()
                .map_or_else(String::new, |back| back.problems);
            return Next::GiveUp(format!("What was proposed could not be taken:\n{last}"));
        }
        Next::Ask {
            sent_back: self.sent_back,
            tries: self.tries,
            wait: self.wait,
        }
    }
}

impl Driver {
    /// From all replies so far, in their order.
    pub(super) async fn next_of(&mut self, current: &OpenReplan, given: &Given) -> Result<Next, DriveError> {
        let mut calls = self.state.aside.clone();
        calls.retain(|call| call.outcome.is_some());
        let mut talk = Talk::default();
        for (number, call) in calls.iter().enumerate() {
            let (proposal, text) = match self.reply_of(call).await? {
                None => continue,
                Some(Err(error)) => (Proposal::Failed(lost(error)), String::new()),
                Some(Ok(reply)) => (replanner::read(&reply), text_of(&reply)),
            };
            let is_newest = number + 1 == calls.len();
            match proposal {
                Proposal::Failed(failed) => {
                    if let Some(next) = talk.fail(failed) {
                        return Ok(next);
                    }
                }
                Proposal::SendBack(back) => talk.send_back(back),
                Proposal::Plan(plan) => match self.judged(current, given, &plan, text) {
                    Ok(replanned) if is_newest => return Ok(Next::Take(replanned)),
                    Ok(_) => {
                        // It was sent back then; the run has moved on since.
                        let (answer, problems) =
                            (plan.to_text(), "- It did not fit the run then.".to_owned());
                        talk.send_back(SentBack { answer, problems });
                    }
                    Err(back) => talk.send_back(back),
                },
            }
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

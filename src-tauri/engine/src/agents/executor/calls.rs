//! Turns of an agent that call tools: which calls can be made, which are still open, and what the model is told of
//! each. It makes no call itself.

use super::finals::Source;
use super::guarded::{Checked, print_after, print_before};
use super::offers::SUBMIT;
use super::step::Turn;
use super::talk::Talk;
use super::{CallId, Step, Wanted};
use crate::agents::Failed;
use crate::agents::data::{cut, text_of};
use crate::agents::repeats::{Print, Verdict};
use crate::llm::{Answer, Message, ToolCall};
use crate::model::Json;
use crate::model::events::Failure;

/// One call of a reply and what becomes of it.
struct Made<'t> {
    call: &'t ToolCall,
    fate: Fate<'t>,
}

enum Fate<'t> {
    /// It can't be made; the model is told why.
    Refused(String),
    Done(Checked, &'t Result<Json, Failure>),
    Open(Checked),
}

impl<'a> Talk<'a> {
    pub(super) fn take_calls(&mut self, turn: &Turn<'a>, is_open: bool) -> Option<Step> {
        let answer = turn.answer;
        let submitted: Vec<&ToolCall> = answer.calls.iter().filter(|call| call.name == SUBMIT).collect();
        let is_last = self.is_last(self.steps);
        let is_alone = submitted.len() == answer.calls.len();
        match submitted[..] {
            // In the last step nothing else was offered, so nothing else is made.
            [call] if is_alone || is_last => {
                let is_wrapped = self.offers.is_wrapped();
                return self.conclude(answer, Source::Submitted { call, is_wrapped });
            }
            [_, _, ..] if is_alone => {
                return self.conclude(
                    answer,
                    Source::Missing("There were several results; there must be one."),
                );
            }
            _ => {}
        }
        // Nobody would see what they give.
        if is_last {
            return self.used_up().map(Step::Fail);
        }
        self.text_turns = 0;
        let made = self.fates(turn);
        if is_open && let Some(step) = self.open(&made) {
            return Some(step);
        }
        self.observe(answer, &made)
    }

    fn fates<'t>(&self, turn: &Turn<'t>) -> Vec<Made<'t>> {
        let most = self.assignment.bounds.calls_at_once;
        let fate = |ix: usize, call: &ToolCall| {
            if call.name == SUBMIT {
                let told = format!(
                    "Not taken: call `{SUBMIT}` alone, when you have seen what the other calls gave."
                );
                return Fate::Refused(told);
            }
            if ix >= most {
                return Fate::Refused(format!(
                    "The call was not made: at most {most} calls can be made at once."
                ));
            }
            match (
                self.offers.check(call),
                u32::try_from(ix).ok().and_then(|ix| turn.results.get(&ix)),
            ) {
                (Err(told), _) => Fate::Refused(told),
                (Ok(checked), Some(result)) => Fate::Done(checked, result),
                (Ok(checked), None) => Fate::Open(checked),
            }
        };
        let calls = turn.answer.calls.iter().enumerate();
        calls
            .map(|(ix, call)| Made {
                call,
                fate: fate(ix, call),
            })
            .collect()
    }

    /// The calls that are still to be made; or the end, if all of them would only repeat what the agent was warned of.
    fn open(&self, made: &[Made<'_>]) -> Option<Step> {
        let mut wanted = Vec::new();
        let mut prints = Vec::new();
        for (index, made) in (0u32..).zip(made) {
            if let Fate::Open(checked) = &made.fate {
                prints.push(print_before(made.call, checked));
                wanted.push(Wanted {
                    call: CallId {
                        turn: self.steps,
                        index,
                    },
                    tool: made.call.name.clone(),
                    arguments: checked.arguments.clone(),
                });
            }
        }
        if wanted.is_empty() {
            return None;
        }
        let certain: Option<Vec<Print>> = prints.into_iter().collect();
        if wanted.len() == made.len() && certain.is_some_and(|prints| self.repeats.would_stop(&prints)) {
            return Some(Step::Fail(self.no_progress()));
        }
        Some(Step::Call(wanted))
    }

    fn observe(&mut self, answer: &Answer, made: &[Made<'_>]) -> Option<Step> {
        let told: Vec<(String, bool)> = made.iter().map(|made| self.told(made)).collect();
        let print = |(made, (told, _)): (&Made<'_>, &(String, bool))| match &made.fate {
            Fate::Refused(_) => Print::of_refused(&made.call.name, &made.call.arguments),
            Fate::Done(checked, result) => match result {
                Ok(value) => print_after(made.call, checked, &text_of(value)),
                Err(_) => print_after(made.call, checked, told),
            },
            Fate::Open(checked) => print_after(made.call, checked, ""),
        };
        let prints: Vec<Print> = made.iter().zip(&told).map(print).collect();
        self.say(answer, &told);
        match self.repeats.take(&prints) {
            Verdict::Fine => None,
            Verdict::Warn => {
                self.messages.push(Message::User(format!(
                    "Your last calls were all made before, with the same arguments and the same results. Making them \
                     again changes nothing. Try another way, or call `{SUBMIT}` with what you have found, saying \
                     what is missing."
                )));
                None
            }
            Verdict::Stop => Some(Step::Fail(self.no_progress())),
        }
    }

    fn no_progress(&self) -> Failed {
        let message = format!(
            "The agent was stopped in step {}: it made the same calls again and again, also after it was told.{}",
            self.steps,
            self.noted()
        );
        Failed::permanent("no_progress", message)
    }

    fn told(&self, made: &Made<'_>) -> (String, bool) {
        let most = self.assignment.bounds.observation_bytes;
        match &made.fate {
            Fate::Refused(told) => (cut(told, most).into_owned(), true),
            Fate::Done(_, Ok(value)) => (cut(&text_of(value), most).into_owned(), false),
            Fate::Done(_, Err(error)) => {
                let told = format!("The call failed ({}): {}", error.code, error.message);
                (cut(&told, most).into_owned(), true)
            }
            Fate::Open(_) => ("The result of this call was not recorded.".to_owned(), true),
        }
    }
}

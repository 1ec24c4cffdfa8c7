//! Turns of an agent that call tools: which calls can be made, which are still open, and what the model is told of
//! each. It makes no call itself.

use super::finals::Source;
use super::guarded::{Checked, print_after, print_before};
use super::offers::{SUBMIT, Wrong};
use super::shown::READ_ON;
use super::step::Turn;
use super::talk::{Talk, call_id};
use super::{CallId, Step, Wanted};
use crate::agents::Failed;
use crate::agents::data::{cut, text_of};
use crate::agents::repeats::{Print, Verdict};
use crate::llm::{Answer, Message, ToolCall};
use crate::model::Json;
use crate::model::events::Failure;

/// Turns in a row with nothing but unknown tools that end the attempt.
const MOST_UNKNOWN: u32 = 3;

/// One call of a reply and what becomes of it.
struct Made<'t> {
    call: &'t ToolCall,
    fate: Fate<'t>,
}

enum Fate<'t> {
    /// It can't be made; the model is told why.
    Refused(String),
    /// The same: there is no such tool.
    Unknown(String),
    /// A part of what was shown before.
    Read(Result<String, String>),
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
            if call.name == READ_ON && !self.kept.is_empty() {
                return Fate::Read(self.kept.read(call, self.assignment.bounds.observation_bytes));
            }
            match (
                self.offers.check(call),
                u32::try_from(ix).ok().and_then(|ix| turn.results.get(&ix)),
            ) {
                (Err(Wrong::Name(told)), _) => Fate::Unknown(told),
                (Err(Wrong::Arguments(told)), _) => Fate::Refused(told),
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
                prints.push(print_before(checked));
                wanted.push(Wanted {
                    call: CallId {
                        turn: self.steps,
                        index,
                    },
                    tool: checked.tool.clone(),
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

    fn observe(&mut self, answer: &Answer, made: &[Made<'a>]) -> Option<Step> {
        let told: Vec<(String, bool)> = (0..).zip(made).map(|(ix, made)| self.told(ix, made)).collect();
        let print = |(made, (told, _)): (&Made<'_>, &(String, bool))| match &made.fate {
            Fate::Refused(_) | Fate::Unknown(_) | Fate::Read(_) => {
                Print::of_refused(&made.call.name, &made.call.arguments)
            }
            Fate::Done(checked, result) => match result {
                Ok(value) => print_after(checked, &text_of(value)),
                Err(_) => print_after(checked, told),
            },
            Fate::Open(checked) => print_after(checked, ""),
        };
        let prints: Vec<Print> = made.iter().zip(&told).map(print).collect();
        self.say(answer, &told);
        if let Some(failed) = self.knows_no_tool(made) {
            return Some(Step::Fail(failed));
        }
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

    /// An agent that calls nothing but tools that don't exist, also after it was told which there are.
    fn knows_no_tool(&mut self, made: &[Made<'_>]) -> Option<Failed> {
        let is_lost = made.iter().all(|made| matches!(made.fate, Fate::Unknown(_)));
        self.unknown_turns = if is_lost { self.unknown_turns + 1 } else { 0 };
        if self.unknown_turns < MOST_UNKNOWN {
            return None;
        }
        let name = made.first().map_or("", |made| made.call.name.as_str());
        let message = format!(
            "The agent called tools that don't exist {MOST_UNKNOWN} times in a row, the last time {:?}.{}",
            cut(name, 100),
            self.noted()
        );
        Some(Failed::permanent("unknown_tool", message))
    }

    fn told(&mut self, ix: u32, made: &Made<'a>) -> (String, bool) {
        let most = self.assignment.bounds.observation_bytes;
        match &made.fate {
            Fate::Refused(told) | Fate::Unknown(told) | Fate::Read(Err(told)) => {
                (cut(told, most).into_owned(), true)
            }
            Fate::Read(Ok(part)) => (part.clone(), false),
            Fate::Done(_, Ok(value)) => {
                let name = call_id(self.steps, ix);
                (self.kept.show(&name, value, most), false)
            }
            Fate::Done(_, Err(error)) => {
                let told = format!("The call failed ({}): {}", error.code, error.message);
                (cut(&told, most).into_owned(), true)
            }
            Fate::Open(_) => ("The result of this call was not recorded.".to_owned(), true),
        }
    }
}

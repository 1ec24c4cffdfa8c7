//! The talk with a planner so far: what was sent back, asked, cut, and how often. It must not know the wire.

use serde_json::{Map, json};

use super::choose::{self, Judged, Question, Reading};
use super::{Brief, MOST_CUT, MOST_ROUNDS, Planned, Step, Turn};
use crate::agents::answers::{MOST_SENT_BACK, SentBack};
use crate::agents::data;
use crate::agents::faults::Failed;
use crate::llm::{Answer, Fault, Message, Outcome, Usage};
use crate::model::Json;
use crate::model::counted;
use crate::model::problem::{Problem, Severity};

/// Tokens that an answer may have at first; doubled after each one that was cut.
const LIMIT: u32 = 8192;
/// The same where the context is short, as most providers count it in.
const SMALL_LIMIT: u32 = 2048;
/// Problems of one answer that are told to the planner.
const MOST_TOLD: usize = 40;

/// Bytes of what a provider says of a call that it could not read.
const MALFORMED_TOLD: usize = 2000;

#[derive(Default)]
pub(super) struct Talk {
    /// After the first question.
    pub messages: Vec<Message>,
    pub cuts: usize,
    sent_back: usize,
    empties: usize,
    malformed: usize,
    rounds: usize,
}

impl Talk {
    /// The most that the next answer may have.
    pub fn limit(&self, brief: &Brief<'_>) -> u32 {
        let first = if brief.is_small { SMALL_LIMIT } else { LIMIT };
        let limit = first << self.cuts.min(MOST_CUT);
        brief.most_output.map_or(limit, |most| most.min(limit))
    }

    /// What follows from this turn at once; `None`: the planner is asked again.
    pub fn take(&mut self, brief: &Brief<'_>, turn: &Turn) -> Option<Step> {
        match &turn.reply.outcome {
            Outcome::Complete(answer) => self.take_whole(brief, answer, turn.answers.as_ref()),
            Outcome::Cut(answer) => self.take_cut(brief, answer, &turn.reply.usage),
            Outcome::Transient(fault) if fault.code == Fault::MALFORMED_CALL => self.take_malformed(fault),
            // Faults are no turns; one that came here says nothing.
            Outcome::Rate(_)
            | Outcome::Quota(_)
            | Outcome::Overflow(_)
            | Outcome::Auth(_)
            | Outcome::Transient(_)
            | Outcome::Permanent(_)
            | Outcome::Unknown(_) => None,
        }
    }

    fn take_whole(&mut self, brief: &Brief<'_>, answer: &Answer, answers: Option<&Json>) -> Option<Step> {
        match choose::read(brief, answer) {
            Reading::Plan(judged) if !judged.has_errors() => Some(planned(judged)),
            Reading::Plan(judged) => {
                let told = told(&judged.problems);
                self.send_back(brief, answer, told, Some(judged))
            }
            Reading::Unfit(why, judged) => self.send_back(brief, answer, why, judged),
            Reading::Empty(words) => self.take_empty(brief, answer, &words),
            Reading::Questions(questions) if brief.may_ask && self.rounds < MOST_ROUNDS => {
                let Some(answers) = answers else {
                    return Some(question(&questions));
                };
                self.rounds += 1;
                self.say(answer, answered(&questions, answers));
                None
            }
            Reading::Questions(_) => {
                let why =
                    "- Don't ask. Decide by yourself, say so in `assumptions`, and give the plan.".to_owned();
                self.send_back(brief, answer, why, None)
            }
        }
    }

    fn send_back(
        &mut self,
        brief: &Brief<'_>,
        answer: &Answer,
        problems: String,
        judged: Option<Judged>,
    ) -> Option<Step> {
        if self.sent_back == MOST_SENT_BACK {
            let judged = judged.unwrap_or_else(|| {
                unplanned(
                    brief,
                    "The planner's last answer is no plan that can be read; it is kept as it came.",
                )
            });
            return Some(planned(judged));
        }
        self.sent_back += 1;
        let back = SentBack {
            answer: text_of(answer),
            problems,
        };
        self.messages.extend(crate::agents::answers::talk(&[back]));
        None
    }

    fn take_empty(&mut self, brief: &Brief<'_>, answer: &Answer, words: &str) -> Option<Step> {
        if self.empties > 0 {
            let note = format!("The planner proposed no steps. It said: {words}");
            return Some(planned(unplanned(brief, &note)));
        }
        self.empties += 1;
        let told = "The plan has no tasks. Give one JSON object with `tasks`: at least one task that reaches the goal.";
        self.say(answer, told.to_owned());
        None
    }

    /// What was written is not known, so only what was wrong with it is said; once.
    fn take_malformed(&mut self, fault: &Fault) -> Option<Step> {
        let why = data::cut(&fault.message, MALFORMED_TOLD);
        if self.malformed > 0 {
            let message = format!("The planner answered with calls that can't be read, twice: {why}");
            return Some(Step::Failed(Failed::permanent(Fault::MALFORMED_CALL, message)));
        }
        self.malformed += 1;
        let told = format!(
            "Your last answer can't be read and nothing of it was used:\n{why}\nThere is nothing to call here. Give the \
             plan as text: one JSON object and nothing around it."
        );
        self.messages.push(Message::User(told));
        None
    }

    /// What was cut is not sent again, and nothing of it is read: the request changes instead.
    fn take_cut(&mut self, brief: &Brief<'_>, answer: &Answer, usage: &Usage) -> Option<Step> {
        let limit = self.limit(brief);
        self.cuts += 1;
        if self.cuts <= MOST_CUT {
            return None;
        }
        let reached = usage
            .output
            .map_or(String::new(), |n| format!(", {n} were written"));
        let why = if answer.is_empty() {
            "its thinking used up the limit"
        } else {
            "the plan did not fit"
        };
        Some(Step::Failed(Failed::permanent(
            "cut",
            format!(
                "The planner's answer was cut at its limit of output, {} ({limit} tokens at last{reached}): {why}. \
                 Nothing of it is used. Give a smaller goal, or a model that can write more.",
                counted(self.cuts, "time")
            ),
        )))
    }

    fn say(&mut self, answer: &Answer, told: String) {
        self.messages.push(Message::Assistant {
            text: text_of(answer),
            calls: Vec::new(),
            thoughts: Vec::new(),
        });
        self.messages.push(Message::User(told));
    }
}

/// As the planner gave it; what came as a call's arguments is told as text.
fn text_of(answer: &Answer) -> String {
    if !answer.text.trim().is_empty() {
        return answer.text.clone();
    }
    let calls = answer.calls.iter().map(|call| call.arguments.as_str());
    calls.collect::<Vec<_>>().join("\n")
}

fn planned(judged: Judged) -> Step {
    let Judged {
        draft,
        problems,
        notes,
    } = judged;
    Step::Planned(Box::new(Planned {
        draft,
        problems,
        notes,
    }))
}

fn unplanned(brief: &Brief<'_>, note: &str) -> Judged {
    let draft = choose::nothing(brief);
    Judged {
        problems: choose::problems_of(brief, &draft),
        draft,
        notes: vec![note.to_owned()],
    }
}

/// The errors, one a line, by code and place.
fn told(problems: &[Problem]) -> String {
    let errors: Vec<&Problem> = problems
        .iter()
        .filter(|p| p.severity == Severity::Error)
        .collect();
    let mut lines: Vec<String> = errors
        .iter()
        .take(MOST_TOLD)
        .map(|problem| {
            let code = serde_json::to_value(problem.code).unwrap_or_default();
            let code = code.as_str().unwrap_or_default();
            format!("- {code} at \"{}\": {}", problem.pointer, problem.message)
        })
        .collect();
    if errors.len() > MOST_TOLD {
        lines.push(format!("- and {} more", errors.len() - MOST_TOLD));
    }
    lines.join("\n")
}

/// One decision for all questions; its form has a field for each.
fn question(questions: &[Question]) -> Step {
    let mut fields = Map::new();
    for (ix, question) in questions.iter().enumerate() {
        let mut field = json!({ "type": "string", "title": question.question });
        if !question.options.is_empty() {
            // Suggestions: any other answer is as good.
            field["examples"] = json!(question.options);
            field["description"] = json!(format!("For example: {}.", question.options.join(" · ")));
        }
        fields.insert(key(ix), field);
    }
    let names: Vec<String> = (0..questions.len()).map(key).collect();
    let form = json!({
        "type": "object", "required": names, "additionalProperties": false, "properties": fields,
    });
    let all: Vec<&str> = questions.iter().map(|q| q.question.as_str()).collect();
    Step::Question {
        question: format!("Before it plans, the planner asks: {}", all.join(" ")),
        form,
    }
}

fn key(ix: usize) -> String {
    format!("q{}", ix + 1)
}

fn answered(questions: &[Question], answers: &Json) -> String {
    let mut told = "The answers:\n".to_owned();
    for (ix, question) in questions.iter().enumerate() {
        let answer = match answers.get(key(ix)) {
            Some(Json::String(text)) => text.clone(),
            Some(other) => other.to_string(),
            None => "(none)".to_owned(),
        };
        told.push_str(&format!("- {} {answer}\n", question.question));
    }
    told.push_str("\nGive the plan now.");
    told
}

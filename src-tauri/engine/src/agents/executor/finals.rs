//! Final answers: read, judged, sent back at most three times (rule 3), and looked at with suspicion after that.
//! It must not know how the talk goes on.

use jsonschema::Validator;

use super::{Assignment, Finished};
use crate::agents::Failed;
use crate::agents::data::cut;
use crate::agents::output::{self, Rejection};
use crate::agents::suspicion;
use crate::llm::{ToolCall, json_of};
use crate::model::Json;
use crate::model::expr;

/// Answers that are sent back; the next one that doesn't fit fails the attempt.
pub(super) const MOST_REJECTIONS: u32 = 3;
/// Bytes of the last rejection in the failure's message.
const SHOWN: usize = 2000;
/// What frameworks put in the place of an answer when their own limit is reached. Models repeat it.
const NO_ANSWERS: [&str; 3] = ["need more steps", "agent stopped due to", "max iterations"];
/// Longer texts say more than that.
const LONGEST_NO_ANSWER: usize = 120;

/// Where a final answer stands.
#[derive(Clone, Copy)]
pub(super) enum Source<'t> {
    Text(&'t str),
    Submitted {
        call: &'t ToolCall,
        is_wrapped: bool,
    },
    /// There is none where one was asked for; the reason is for the model.
    Missing(&'t str),
}

/// What became of it.
pub(super) enum Judged {
    Accepted(Finished),
    /// To be told to the model.
    SentBack(Rejection),
    Failed(Failed),
}

pub(super) struct Finals {
    validator: Option<Validator>,
    rejections: u32,
    heaviest: usize,
}

impl Finals {
    pub fn new(schema: Option<&Json>) -> Result<Self, Failed> {
        let validator = schema.map(output::compile).transpose().map_err(|error| {
            let message = format!("The task's output schema can't be used: {error}. Nothing was asked.");
            Failed::permanent("bad_schema", message)
        })?;
        Ok(Self {
            validator,
            rejections: 0,
            heaviest: 0,
        })
    }

    /// Whether a text that was not asked for as the answer is meant as one: JSON that is alike at the outermost level.
    pub fn is_meant(schema: Option<&Json>, text: &str) -> bool {
        let inner = output::without_fence(text);
        let Some(schema) = schema.filter(|_| inner.starts_with(['{', '['])) else {
            return false;
        };
        match json_of(inner) {
            Ok(Json::Object(map)) => {
                let known = schema.get("properties").and_then(Json::as_object);
                known.is_some_and(|known| map.keys().any(|key| known.contains_key(key)))
            }
            Ok(Json::Array(_)) => schema.get("type").and_then(Json::as_str) == Some("array"),
            Ok(Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_)) | Err(_) => false,
        }
    }

    pub fn judge(&mut self, assignment: &Assignment<'_>, source: Source<'_>) -> Judged {
        let read = self.read(source).and_then(|output| {
            let holds = check(assignment, &output);
            holds.map(|()| output)
        });
        match read {
            Ok(output) => Judged::Accepted(self.finished(output)),
            Err(Refused::Fail(failed)) => Judged::Failed(failed),
            Err(Refused::Mend(rejection)) => self.reject(source, rejection),
        }
    }

    fn read(&self, source: Source<'_>) -> Result<Json, Refused> {
        match source {
            Source::Missing(reason) => Err(Rejection::unfit(reason).into()),
            Source::Text(text) => Ok(self.read_text(text)?),
            Source::Submitted { call, is_wrapped } => {
                let unread = |error| Rejection::unfit(format!("It is not JSON that can be read: {error}."));
                let value = call.parsed().map_err(unread)?;
                Ok(self.read_value(if is_wrapped { unwrapped(value)? } else { value })?)
            }
        }
    }

    fn read_text(&self, text: &str) -> Result<Json, Rejection> {
        if let Some(validator) = &self.validator {
            return output::value_of(validator, text);
        }
        if is_no_answer(text) {
            return Err(Rejection::unfit(
                "It says that it is not finished, which is no result.",
            ));
        }
        Ok(Json::String(text.to_owned()))
    }

    fn read_value(&self, value: Json) -> Result<Json, Rejection> {
        match &self.validator {
            Some(validator) => output::judge(validator, &value)?,
            None if value.as_str().is_some_and(is_no_answer) => {
                return Err(Rejection::unfit(
                    "It says that it is not finished, which is no result.",
                ));
            }
            None => {}
        }
        Ok(value)
    }

    fn finished(&self, output: Json) -> Finished {
        let flags = match self.rejections {
            0 => Vec::new(),
            _ => suspicion::flags(&output, self.heaviest),
        };
        Finished {
            output,
            accepted_after_rejections: self.rejections,
            flags,
        }
    }

    fn reject(&mut self, source: Source<'_>, rejection: Rejection) -> Judged {
        self.heaviest = self.heaviest.max(match source {
            Source::Text(text) => suspicion::weight_of(text),
            Source::Submitted { call, .. } => suspicion::weight_of(&call.arguments),
            Source::Missing(_) => 0,
        });
        self.rejections += 1;
        if self.rejections <= MOST_REJECTIONS {
            return Judged::SentBack(rejection);
        }
        let message = format!(
            "The model's result did not fit in {} tries; nothing of it was used. The last one:\n{}",
            self.rejections,
            cut(rejection.to_string().trim_end(), SHOWN)
        );
        Judged::Failed(Failed::permanent("output_schema", message))
    }
}

enum Refused {
    Mend(Rejection),
    Fail(Failed),
}

impl From<Rejection> for Refused {
    fn from(rejection: Rejection) -> Self {
        Self::Mend(rejection)
    }
}

fn unwrapped(mut value: Json) -> Result<Json, Rejection> {
    let result = value.as_object_mut().and_then(|map| map.shift_remove("result"));
    result.ok_or_else(|| Rejection {
        missing: vec!["/result".to_owned()],
        ..Rejection::default()
    })
}

fn check(assignment: &Assignment<'_>, output: &Json) -> Result<(), Refused> {
    let Some(check) = assignment.check else {
        return Ok(());
    };
    let inputs = assignment
        .inputs
        .iter()
        .map(|(name, value)| (name.as_str(), value));
    let known = inputs
        .filter(|(name, _)| *name != "output")
        .chain([("output", output)]);
    match expr::eval_bool(check, known) {
        Ok(true) => Ok(()),
        Ok(false) => Err(Rejection::unfit(format!("This must hold for it and does not: {check}")).into()),
        Err(error) => Err(Refused::Fail(Failed::permanent(
            "bad_expression",
            format!("check: {error}"),
        ))),
    }
}

fn is_no_answer(text: &str) -> bool {
    let plain = text.trim().to_lowercase();
    plain.len() <= LONGEST_NO_ANSWER && NO_ANSWERS.iter().any(|words| plain.contains(words))
}

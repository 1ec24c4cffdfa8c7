//! Whether a value can be a task's output: it must fit the schema, and the check must hold. It must not know where the value
//! comes from.

use super::start::pairs;
use crate::model::events::{Failure, FailureClass};
use crate::model::plan::Task;
use crate::model::{Json, expr, misfit};

/// `inputs`: what the task was given, with secrets as their references.
pub fn fits(task: &Task, inputs: &Json, value: &Json) -> Result<(), Failure> {
    if let Some(schema) = &task.output_schema {
        let validator = jsonschema::validator_for(schema).map_err(|e| fail("bad_schema", e.to_string()))?;
        let wrong: Vec<String> = validator
            .iter_errors(value)
            .take(5)
            .map(|e| misfit(&shorten(&e.to_string()), e.instance_path().as_str()))
            .collect();
        if !wrong.is_empty() {
            let message = format!("the output does not fit its schema: {}", wrong.join("; "));
            return Err(fail("output_schema", message));
        }
    }
    let Some(check) = &task.check else { return Ok(()) };
    let known = pairs(inputs)
        .filter(|(name, _)| *name != "output")
        .chain([("output", value)]);
    match expr::eval_bool(check, known) {
        Ok(true) => Ok(()),
        Ok(false) => Err(fail("check_failed", format!("the check does not hold: {check}"))),
        Err(error) => Err(fail("bad_expression", format!("check: {error}"))),
    }
}

/// There is something that its output has to fit.
pub(super) fn has_to_fit(task: &Task) -> bool {
    task.output_schema.is_some() || task.check.is_some()
}

fn fail(code: &str, message: String) -> Failure {
    Failure {
        class: FailureClass::Permanent,
        code: code.to_owned(),
        message,
    }
}

/// Validation messages quote the whole instance; people need the beginning.
fn shorten(text: &str) -> String {
    let mut short: String = text.chars().take(200).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

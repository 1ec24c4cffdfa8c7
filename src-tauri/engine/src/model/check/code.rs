//! The code of a task: that it can be read as the body of a function, and that it gives something.

use super::Check;
use super::object::Object;
use crate::model::foreseen::CodeVerdict;
use crate::model::plan::{Input, TaskKind, Word};
use crate::model::problem::Code;

pub(super) fn read(check: &mut Check<'_>, object: &Object<'_, '_>, inputs: &[(Word, Input)]) -> TaskKind {
    let written = object.required_text(check, "source");
    if let Some(source) = written {
        let names: Vec<&str> = inputs.iter().map(|(name, _)| &**name).collect();
        tell(check, object, source, &names);
    }
    let source = written.unwrap_or_default();
    TaskKind::Code {
        source: source.into(),
    }
}

fn tell(check: &mut Check<'_>, object: &Object<'_, '_>, source: &str, names: &[&str]) {
    let catalog = check.setting.catalog;
    let reader = check.code.get_or_insert_with(|| catalog.code_reader());
    let verdict = reader
        .as_mut()
        .map_or(CodeVerdict::Fine, |reader| reader.read(source, names));
    let (who, at) = (object.who, object.at.key("source"));
    match verdict {
        CodeVerdict::Wrong {
            line,
            column,
            message,
        } => {
            let message = format!(
                "{who}: the JavaScript in `source` can't be read{}: {message}.",
                place(line, column)
            );
            check.error(Code::BadExpression, &at, who, message);
        }
        CodeVerdict::Unread => {
            let message = format!(
                "{who}: `source` takes too long to be looked at beforehand; whether it can be read will only show in the run."
            );
            check.warn(Code::BadExpression, &at, who, message);
        }
        CodeVerdict::Fine if gives_nothing(source) => {
            let message =
                format!("{who}: `source` has no `return`, so the task would fail for want of an output.");
            check.warn(Code::BadExpression, &at, who, message);
        }
        CodeVerdict::Fine => {}
    }
}

/// Neither word can be written otherwise, so that code without them only ends or runs on for ever.
fn gives_nothing(source: &str) -> bool {
    !source.contains("return") && !source.contains("throw")
}

fn place(line: Option<u32>, column: Option<u32>) -> String {
    match (line, column) {
        (None, _) => String::new(),
        (Some(line), None) => format!(" (line {line})"),
        (Some(line), Some(column)) => format!(" (line {line}, column {column})"),
    }
}

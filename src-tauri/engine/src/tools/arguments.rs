//! Reading a call's arguments. The run has checked them against the schema; what is wrong nevertheless is told, not guessed.

use super::ToolError;
use super::decode::is_known;
use crate::model::Json;
use crate::model::foreseen::{Fault, Foreseen};

pub(super) fn bad(message: impl Into<String>) -> ToolError {
    ToolError::permanent("bad_arguments", message)
}

/// The argument, if it is there and not null.
pub(super) fn given<'a>(arguments: &'a Json, name: &str) -> Option<&'a Json> {
    arguments.get(name).filter(|v| !v.is_null())
}

pub(super) fn required<'a>(arguments: &'a Json, name: &str) -> Result<&'a Json, ToolError> {
    arguments
        .get(name)
        .ok_or_else(|| bad(format!("`{name}` is missing")))
}

pub(super) fn text<'a>(arguments: &'a Json, name: &str) -> Result<&'a str, ToolError> {
    required(arguments, name)?
        .as_str()
        .ok_or_else(|| bad(format!("`{name}` must be text")))
}

pub(super) fn optional_text<'a>(arguments: &'a Json, name: &str) -> Result<Option<&'a str>, ToolError> {
    given(arguments, name)
        .map(|v| v.as_str().ok_or_else(|| bad(format!("`{name}` must be text"))))
        .transpose()
}

/// The name of an encoding.
pub(super) fn known_encoding(label: &str) -> Result<(), ToolError> {
    if is_known(label) {
        return Ok(());
    }
    let shown: String = label.chars().take(40).collect();
    Err(bad(format!(
        "there is no encoding `{shown}`; there are utf-8, gbk, shift_jis, windows-1252, …"
    )))
}

/// The same before the run.
pub(super) fn unknown_encoding(known: &Foreseen<'_>) -> Option<Fault> {
    let wrong = known_encoding(known.text("encoding")?).err()?;
    Some(Fault::argument("encoding", wrong.to_string()))
}

/// Before the run, of the argument that names the file: whether it can be nothing but a folder.
pub(super) fn folder(known: &Foreseen<'_>, argument: &str) -> Option<Fault> {
    let path = known.text(argument)?;
    let parts = path.strip_prefix("run:/").unwrap_or(path);
    let is_folder = parts.split('/').all(|part| matches!(part, "" | "." | ".."));
    (is_folder && !path.is_empty()).then(|| names_a_folder(argument, path))
}

pub(super) fn names_a_folder(argument: &str, path: &str) -> Fault {
    Fault::argument(
        argument,
        format!("`{path}` names a folder, and this is to be a file"),
    )
}

pub(super) fn flag(arguments: &Json, name: &str, default: bool) -> Result<bool, ToolError> {
    let flag = |v: &Json| {
        v.as_bool()
            .ok_or_else(|| bad(format!("`{name}` must be true or false")))
    };
    given(arguments, name).map_or(Ok(default), flag)
}

/// The same before the run. What is told begins with the argument's name, as in "`glob`: …".
pub(super) fn fault(error: &ToolError) -> Fault {
    let told = error.to_string();
    let named = told.strip_prefix('`').and_then(|rest| rest.split_once('`'));
    let (name, rest) = named.unwrap_or(("", &told));
    Fault::argument(name, rest.trim_start_matches([':', ' ']))
}

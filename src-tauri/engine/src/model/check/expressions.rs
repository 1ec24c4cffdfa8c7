//! Expressions and templates in a plan: that they can be compiled, and that the names they read exist.

use std::collections::BTreeSet;

use super::{Check, Who, joined};
use crate::model::expr::{self, ExprError};
use crate::model::json::At;
use crate::model::near::Names;
use crate::model::problem::Code;

/// What a source is.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Template,
    Expression,
}

/// Tells what is wrong with a source; gives the names that it reads.
pub(super) fn check<'n>(
    check: &mut Check<'_>,
    (kind, source): (Kind, &str),
    at: &At<'_>,
    who: &Who,
    known: impl IntoIterator<Item = &'n str>,
    reference: &dyn Fn(&str) -> Option<String>,
) -> BTreeSet<String> {
    let names = compiled(check, (kind, source), at, who);
    if !names.is_empty() {
        tell_unknown(check, &names, at, who, known.into_iter().collect(), reference);
    }
    names
}

/// The names that a source reads; what is wrong with it by itself is told.
fn compiled(check: &mut Check<'_>, (kind, source): (Kind, &str), at: &At<'_>, who: &Who) -> BTreeSet<String> {
    let read = match kind {
        Kind::Template => expr::variables_of_template(source),
        Kind::Expression => expr::variables_of_expression(source),
    };
    read.unwrap_or_else(|error| {
        tell_bad(check, kind, &error, at, who);
        BTreeSet::new()
    })
}

/// `when` and `check` of a task.
pub(super) struct Condition<'c> {
    pub field: &'c str,
    pub source: &'c str,
    /// What it sees.
    pub known: Vec<&'c str>,
    /// Its inputs are arguments: no other can be added for it to see.
    pub is_tool: bool,
    /// How an input is written that would give the name, where the plan has something of that name.
    pub reference: &'c dyn Fn(&str) -> Option<String>,
}

/// The same of a condition: what it can't see may be in the plan all the same.
pub(super) fn check_condition(check: &mut Check<'_>, condition: &Condition<'_>, at: &At<'_>, who: &Who) {
    let names = compiled(check, (Kind::Expression, condition.source), at, who);
    let (elsewhere, unknown): (BTreeSet<String>, BTreeSet<String>) = names
        .into_iter()
        .filter(|name| !condition.known.contains(&name.as_str()))
        .partition(|name| (condition.reference)(name).is_some());
    for name in elsewhere {
        let reference = (condition.reference)(&name).unwrap_or_default();
        let Condition { field, known, .. } = condition;
        let message = if condition.is_tool {
            let seen: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
            format!(
                "{who}: `{field}` reads `{name}`, but of a `tool` task it sees only the arguments of its tool ({}). Put it on a \
                 `code` task before it, with the input {reference}: what depends only on a skipped task is skipped too.",
                joined(&seen)
            )
        } else {
            format!(
                "{who}: `{field}` reads `{name}`, but sees only the task's own inputs: add \"{name}\": {reference} to `inputs`."
            )
        };
        check.error(Code::UnknownInput, at, who, message);
    }
    if !unknown.is_empty() {
        tell_unknown(check, &unknown, at, who, condition.known.clone(), &|_| None);
    }
}

fn tell_bad(check: &mut Check<'_>, kind: Kind, error: &ExprError, at: &At<'_>, who: &Who) {
    let what = match kind {
        Kind::Template => "template",
        Kind::Expression => "expression",
    };
    let message = format!("{who}: this {what} can't be used: {error}");
    check.error(Code::BadExpression, at, who, message);
}

fn tell_unknown(
    check: &mut Check<'_>,
    names: &BTreeSet<String>,
    at: &At<'_>,
    who: &Who,
    known: Vec<&str>,
    reference: &dyn Fn(&str) -> Option<String>,
) {
    let known_set: BTreeSet<&str> = known.iter().copied().collect();
    for name in names.iter().filter(|name| !known_set.contains(name.as_str())) {
        let meant = super::did_you_mean(Names::new(known.iter().copied()).nearest(name));
        let there_are = if known_set.is_empty() {
            "It has none.".to_owned()
        } else {
            let shown: Vec<String> = known_set
                .iter()
                .take(super::SHOWN)
                .map(|name| format!("`{name}`"))
                .collect();
            format!("There are {}.", joined(&shown))
        };
        let how = reference(name).map_or_else(String::new, |reference| {
            format!(" Hand it over: \"with\": {{\"{name}\": {reference}}}.")
        });
        let message = format!("{who} reads `{name}` here, which is no input.{meant} {there_are}{how}");
        check.error(Code::UnknownInput, at, who, message);
    }
}

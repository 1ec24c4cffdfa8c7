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
) -> BTreeSet<String> {
    let read = match kind {
        Kind::Template => expr::variables_of_template(source),
        Kind::Expression => expr::variables_of_expression(source),
    };
    match read {
        Ok(names) if names.is_empty() => names,
        Ok(names) => {
            tell_unknown(check, &names, at, who, known.into_iter().collect());
            names
        }
        Err(error) => {
            tell_bad(check, kind, &error, at, who);
            BTreeSet::new()
        }
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

fn tell_unknown(check: &mut Check<'_>, names: &BTreeSet<String>, at: &At<'_>, who: &Who, known: Vec<&str>) {
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
        let message = format!("{who} reads `{name}` here, which is no input.{meant} {there_are}");
        check.error(Code::UnknownInput, at, who, message);
    }
}

//! Fields of one object, read by type: what is absent or null is not there, what is of another type is told.

use serde_json::Map;

use super::{Check, Who, did_you_mean, kind_of};
use crate::model::Json;
use crate::model::edit::PlanEdit;
use crate::model::json::At;
use crate::model::near::Names;
use crate::model::problem::Code;

/// One object of the document under inspection.
pub(super) struct Object<'o, 'd> {
    pub map: &'d Map<String, Json>,
    pub at: &'o At<'o>,
    pub who: &'o Who,
}

impl<'o, 'd> Object<'o, 'd> {
    /// The field's value, unless it is absent or null.
    pub fn get(&self, name: &str) -> Option<&'d Json> {
        self.map.get(name).filter(|value| !value.is_null())
    }

    pub fn text(&self, check: &mut Check<'_>, name: &str) -> Option<&'d str> {
        let value = self.get(name)?;
        if value.as_str().is_none() {
            self.wrong_type(check, name, value, "text");
        }
        value.as_str()
    }

    /// A field that must be there. `null` is no text either.
    pub fn required_text(&self, check: &mut Check<'_>, name: &str) -> Option<&'d str> {
        match self.map.get(name) {
            None => {
                self.missing(check, name);
                None
            }
            Some(Json::String(text)) => Some(text),
            Some(other) => {
                self.wrong_type(check, name, other, "text");
                None
            }
        }
    }

    pub fn missing(&self, check: &mut Check<'_>, name: &str) {
        let message = format!("{} has no `{name}`.", self.who);
        check.error(Code::MissingField, self.at, self.who, message);
    }

    pub fn wrong_type(&self, check: &mut Check<'_>, name: &str, value: &Json, wanted: &str) {
        let message = format!("{}: `{name}` must be {wanted}, not {}.", self.who, kind_of(value));
        check.error(Code::Type, &self.at.key(name), self.who, message);
    }

    pub fn flag(&self, check: &mut Check<'_>, name: &str) -> bool {
        match self.get(name) {
            None => false,
            Some(Json::Bool(flag)) => *flag,
            Some(other) => {
                self.wrong_type(check, name, other, "true or false");
                false
            }
        }
    }

    /// A whole number in a range, both ends included.
    pub fn count(&self, check: &mut Check<'_>, name: &str, least: u64, most: u64) -> Option<u64> {
        let value = self.get(name)?;
        let number = value.as_u64().filter(|number| (least..=most).contains(number));
        if number.is_none() {
            let given = short(value);
            let message = format!(
                "{}: `{name}` must be a whole number from {least} to {most}, not {given}.",
                self.who
            );
            check.error(Code::Type, &self.at.key(name), self.who, message);
        }
        number
    }

    /// A number in a range; the lower end itself counts only if `with_least`.
    pub fn number(&self, check: &mut Check<'_>, name: &str, range: Range) -> Option<f64> {
        let value = self.get(name)?;
        let number = value
            .as_number()
            .and_then(|n| n.as_str().parse().ok())
            .filter(|n| range.holds(*n));
        if number.is_none() {
            let message = format!("{}: `{name}` must be {range}, not {}.", self.who, short(value));
            check.error(Code::Type, &self.at.key(name), self.who, message);
        }
        number
    }

    /// A list of texts; entries of another kind, and empty ones, are told one by one.
    pub fn texts(&self, check: &mut Check<'_>, name: &str) -> Vec<(usize, &'d str)> {
        let items = match self.get(name) {
            None => return Vec::new(),
            Some(Json::Array(items)) => items,
            Some(other) => {
                self.wrong_type(check, name, other, "a list of texts");
                return Vec::new();
            }
        };
        let mut texts = Vec::with_capacity(items.len());
        for (ix, item) in items.iter().enumerate() {
            match item.as_str() {
                Some(text) if !text.is_empty() => texts.push((ix, text)),
                Some(_) | None => {
                    let given = if item.is_string() { "empty" } else { kind_of(item) };
                    let message = format!(
                        "{}: entry {} of `{name}` must be text, not {given}.",
                        self.who,
                        ix + 1
                    );
                    check.error(Code::Type, &self.at.key(name).item(ix), self.who, message);
                }
            }
        }
        texts
    }

    /// A field that is an object.
    pub fn object(&self, check: &mut Check<'_>, name: &str) -> Option<&'d Map<String, Json>> {
        let value = self.get(name)?;
        if value.as_object().is_none() {
            self.wrong_type(check, name, value, "an object");
        }
        value.as_object()
    }

    /// Warns about fields that nothing reads, with the known one that may be meant.
    pub fn unknown(&self, check: &mut Check<'_>, known: &[&'static str]) {
        for name in self.map.keys().filter(|name| !known.contains(&name.as_str())) {
            let meant = Names::new(known.iter().copied()).nearest(name);
            self.unknown_field(check, name, meant);
        }
    }

    pub fn unknown_field(&self, check: &mut Check<'_>, name: &str, meant: Option<&str>) {
        let meant = meant.filter(|meant| !self.map.contains_key(*meant));
        let message = format!(
            "{}: `{name}` is no known field; it is kept and does nothing.{}",
            self.who,
            did_you_mean(meant)
        );
        let fix = meant.and_then(|meant| self.renamed(name, meant));
        check
            .warn(Code::UnknownField, &self.at.key(name), self.who, message)
            .fix = fix;
    }

    /// The mend that moves a field of the task to another name.
    pub fn renamed(&self, name: &str, meant: &str) -> Option<super::QuickFix> {
        let is_task = matches!(self.at, At::Item(At::Key(At::Root, "tasks"), _));
        let value = self.map.get(name).filter(|_| is_task)?.to_string();
        self.who.fix(format!("Use `{meant}`"), |id| {
            let set = |name: &str, value| PlanEdit::SetTask {
                id: id.to_owned(),
                field: At::Root.key(name).pointer(),
                value,
            };
            vec![set(meant, Some(value)), set(name, None)]
        })
    }
}

/// A range of numbers, for the check and for its message.
#[derive(Clone, Copy)]
pub(super) enum Range {
    /// From the first to the second, both included.
    From(f64, f64),
    /// More than 0, up to and with the number.
    Above0(f64),
}

impl Range {
    fn holds(self, number: f64) -> bool {
        match self {
            Self::From(least, most) => (least..=most).contains(&number),
            Self::Above0(most) => number > 0.0 && number <= most,
        }
    }
}

impl std::fmt::Display for Range {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::From(least, most) if *most == f64::MAX => write!(f, "a number of at least {least}"),
            Self::From(least, most) => write!(f, "a number from {least} to {most}"),
            Self::Above0(most) if *most == f64::MAX => f.write_str("a number above 0"),
            Self::Above0(most) => write!(f, "a number above 0 and at most {most}"),
        }
    }
}

/// The value itself where it is short, else its kind.
fn short(value: &Json) -> String {
    match value {
        Json::Number(number) if number.as_str().len() <= 30 => number.to_string(),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) | Json::Object(_) => {
            kind_of(value).to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_without_an_end_names_none() {
        assert_eq!(Range::Above0(f64::MAX).to_string(), "a number above 0");
        assert_eq!(Range::Above0(60.0).to_string(), "a number above 0 and at most 60");
    }
}

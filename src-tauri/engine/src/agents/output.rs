//! A final answer against the schema that it must fit: everything that is missing, wrong or extra at once.
//! It must not know who answered.

use std::fmt;

use jsonschema::Validator;
use jsonschema::error::ValidationErrorKind;

use super::candidates;
use super::data::cut;
use crate::llm::json_of;
use crate::model::Json;
use crate::model::json::push_step;

/// Places of each kind that are told; beyond them only the count.
const MOST_TOLD: usize = 40;
/// Faults that are looked at in all, so that a hostile answer costs little.
const MOST_LOOKED_AT: usize = 1000;

/// What keeps an answer from being the result, for the model to mend.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rejection {
    /// It can't be read at all, or breaks another rule than the schema.
    pub unfit: Option<String>,
    /// JSON Pointers of required fields that are not there.
    pub missing: Vec<String>,
    /// JSON Pointers with the rule that is broken; never the value.
    pub wrong: Vec<(String, String)>,
    /// JSON Pointers of fields that must not be there.
    pub extra: Vec<String>,
}

impl Rejection {
    pub fn unfit(reason: impl Into<String>) -> Self {
        Self {
            unfit: Some(reason.into()),
            ..Self::default()
        }
    }

    fn is_none(&self) -> bool {
        self.unfit.is_none() && self.missing.is_empty() && self.wrong.is_empty() && self.extra.is_empty()
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(reason) = &self.unfit {
            writeln!(f, "- {reason}")?;
        }
        let wrong: Vec<String> = self
            .wrong
            .iter()
            .map(|(at, rule)| format!("{at} ({rule})"))
            .collect();
        for (word, places) in [
            ("missing", &self.missing),
            ("wrong", &wrong),
            ("extra", &self.extra),
        ] {
            if places.is_empty() {
                continue;
            }
            let told = places.iter().take(MOST_TOLD).map(String::as_str);
            write!(f, "- {word}: {}", told.collect::<Vec<_>>().join(", "))?;
            match places.len().saturating_sub(MOST_TOLD) {
                0 => writeln!(f)?,
                more => writeln!(f, " and {more} more")?,
            }
        }
        Ok(())
    }
}

/// Compiles a schema; one that refers outside of itself is refused.
pub(super) fn compile(schema: &Json) -> Result<Validator, String> {
    jsonschema::options()
        .offline()
        .build(schema)
        .map_err(|error| cut(&error.to_string(), 600).into_owned())
}

/// Everything in which a value does not fit.
pub(super) fn judge(validator: &Validator, value: &Json) -> Result<(), Rejection> {
    if validator.is_valid(value) {
        return Ok(());
    }
    let mut rejection = Rejection::default();
    for error in validator.iter_errors(value).take(MOST_LOOKED_AT) {
        let at = error.instance_path().to_string();
        let below = |field: &str| {
            let mut pointer = at.clone();
            push_step(&mut pointer, field);
            pointer
        };
        if let ValidationErrorKind::Required { property } = error.kind() {
            let name = property
                .as_str()
                .map_or_else(|| property.to_string(), str::to_owned);
            rejection.missing.push(below(&name));
        } else if let ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } = error.kind()
        {
            rejection
                .extra
                .extend(unexpected.iter().map(|field| below(field)));
        } else {
            let place = if at.is_empty() { "the whole".to_owned() } else { at };
            rejection
                .wrong
                .push((place, cut(&error.masked().to_string(), 300).into_owned()));
        }
    }
    if rejection.is_none() {
        rejection.unfit = Some("It does not fit the schema.".to_owned());
    }
    Err(rejection)
}

/// The text without the one code fence that is all around it.
pub(super) fn without_fence(text: &str) -> &str {
    let text = text.trim();
    let inner = text
        .strip_prefix("```")
        .and_then(|rest| rest.strip_suffix("```"))
        .and_then(|rest| rest.split_once('\n'))
        .filter(|(language, inner)| is_word(language.trim()) && !inner.contains("```"));
    inner.map_or(text, |(_, inner)| inner.trim())
}

fn is_word(text: &str) -> bool {
    text.chars().all(char::is_alphanumeric)
}

/// The value that a text gives: its JSON, or the text itself where the schema takes text.
pub(super) fn value_of(validator: &Validator, text: &str) -> Result<Json, Rejection> {
    match json_of(without_fence(text)) {
        Ok(value) => judge(validator, &value).map(|()| value),
        Err(error) => {
            let plain = Json::String(text.trim().to_owned());
            if validator.is_valid(&plain) {
                return Ok(plain);
            }
            // Between words, where only one value can be meant.
            let mut fitting = candidates::find(text).values;
            fitting.retain(|value| validator.is_valid(value));
            if let ([_], Some(only)) = (&fitting[..], fitting.first().cloned()) {
                return Ok(only);
            }
            Err(Rejection::unfit(format!(
                "It is not JSON that can be read: {error}."
            )))
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_between_words_is_taken_where_only_one_can_be_meant() {
        let validator = compile(
            &json!({ "type": "object", "required": ["n"], "additionalProperties": false,
            "properties": { "n": { "type": "integer" } } }),
        )
        .unwrap();
        let value = |text: &str| value_of(&validator, text).ok();
        let one = Some(json!({ "n": 1 }));
        assert_eq!(value("Here:\n```json\n{\"n\": 1}\n```\nThat is all."), one);
        assert_eq!(value("<think>{\"n\": 7}</think>{\"n\": 1}"), one);
        assert_eq!(value("It is {\"n\": 1}, not {\"m\": 1}."), one);
        assert_eq!(value("Either {\"n\": 1} or {\"n\": 2}."), None);
        assert_eq!(value("There is none."), None);
    }

    #[test]
    fn everything_is_named_at_once_without_the_values() {
        let schema = json!({
            "type": "object", "additionalProperties": false, "required": ["a", "b/c", "list"],
            "properties": {
                "a": {"type": "string"}, "b/c": {},
                "list": {"type": "array", "items": {"type": "object", "required": ["x"]}},
                "n": {"maximum": 5}
            }
        });
        let value = json!({"a": 31337, "list": [{"x": 1}, {"y": 2}], "n": 9, "more": 1, "other": 2});
        let told = judge(&compile(&schema).unwrap(), &value).unwrap_err();
        assert_eq!(told.missing, ["/b~1c", "/list/1/x"]);
        assert_eq!(told.extra, ["/more", "/other"]);
        let wrong: Vec<&str> = told.wrong.iter().map(|(at, _)| at.as_str()).collect();
        assert_eq!(wrong, ["/a", "/n"]);
        assert!(!told.to_string().contains("31337"), "{told}");
    }

    #[test]
    fn only_a_fence_around_the_whole_is_taken_off() {
        for (text, inner) in [
            ("```json\n{\"a\":1}\n```", "{\"a\":1}"),
            ("  ```\n1\n```\n", "1"),
            (
                "```json\n1\n```\nand\n```\n2\n```",
                "```json\n1\n```\nand\n```\n2\n```",
            ),
            ("Here:\n```\n1\n```", "Here:\n```\n1\n```"),
            ("```", "```"),
            ("``````", "``````"),
        ] {
            assert_eq!(without_fence(text), inner);
        }
    }

    #[test]
    fn digits_survive_and_repeated_keys_are_refused() {
        let any = compile(&json!({"type": ["object", "number"]})).unwrap();
        for text in ["9007199254740993", "1.10", "18446744073709551616"] {
            assert_eq!(value_of(&any, text).unwrap().to_string(), text);
        }
        assert!(value_of(&any, r#"{"a": 1, "a": 2}"#).unwrap_err().unfit.is_some());
    }

    #[test]
    fn a_schema_that_takes_text_takes_plain_text() {
        let text = compile(&json!({"type": "string"})).unwrap();
        assert_eq!(value_of(&text, "Hello.").unwrap(), json!("Hello."));
        assert_eq!(value_of(&text, "\"Hello.\"").unwrap(), json!("Hello."));
    }

    proptest! {
        #[test]
        fn any_text_is_judged(text in ".{0,80}|[\\[\\]{}\",:0-9a` \n]{0,60}") {
            let validator = compile(&json!({"type": "object", "required": ["a"]})).unwrap();
            if let Err(rejection) = value_of(&validator, &text) {
                prop_assert!(!rejection.is_none() && !rejection.to_string().is_empty());
            }
        }
    }
}

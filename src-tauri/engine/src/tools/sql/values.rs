//! JSON values as SQL parameters, and rows as JSON. No digit changes on the way; what can't be held is refused.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rusqlite::Statement;
use rusqlite::types::{Value, ValueRef};
use serde_json::json;

use super::text::{Parameters, Spoken};
use crate::model::{Json, counted};
use crate::tools::{ToolError, arguments, decimal};

/// Fills the statement's parameters: an array by position, an object by name (`:name`, `@name` or `$name`).
pub(super) fn bind(statement: &mut Statement<'_>, parameters: Option<&Json>) -> Result<(), ToolError> {
    let wanted = statement.parameter_count();
    match parameters {
        None if wanted == 0 => Ok(()),
        None => Err(arguments::bad(format!("`params` is missing: {}", has(wanted)))),
        Some(Json::Array(values)) if values.len() == wanted => values
            .iter()
            .enumerate()
            .try_for_each(|(i, v)| set(statement, i + 1, &format!("number {}", i + 1), v)),
        Some(Json::Array(values)) => Err(arguments::bad(format!(
            "{}, `params` holds {}",
            has(wanted),
            values.len()
        ))),
        Some(Json::Object(values)) => bind_names(statement, values),
        Some(_) => Err(arguments::bad("`params` must be an array or an object")),
    }
}

fn has(wanted: usize) -> String {
    format!("the statement has {}", counted(wanted as u64, "parameter"))
}

/// Why these can't be given to statements that are known by their text alone, if so. `is_known` says of a position whether
/// its value is known already.
pub(super) fn misfit(
    statements: &[Spoken],
    given: Option<&Json>,
    is_known: impl Fn(usize) -> bool,
) -> Option<String> {
    let [Spoken { parameters, .. }] = statements else {
        let wants = statements.iter().any(|one| one.parameters.count > 0);
        return (wants || given.is_some()).then(|| format!("they {ONLY_ONE}"));
    };
    let wanted = parameters.count;
    match given {
        None => (wanted > 0).then(|| format!("it is missing: {}", has(wanted))),
        Some(Json::Array(values)) if values.len() != wanted => {
            Some(format!("{}, and this holds {}", has(wanted), values.len()))
        }
        Some(Json::Array(values)) => {
            let known = values.iter().enumerate().filter(|(ix, _)| is_known(*ix));
            let mut wrong = known.filter_map(|(ix, value)| Some((ix, to_sql(value).err()?)));
            wrong.next().map(|(ix, why)| format!("number {}: {why}", ix + 1))
        }
        Some(Json::Object(values)) => misnamed(parameters, values),
        // Told by the schema.
        Some(Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_)) => None,
    }
}

fn misnamed(parameters: &Parameters, values: &serde_json::Map<String, Json>) -> Option<String> {
    let names = parameters.names();
    if parameters.has_unnamed() {
        return Some("a parameter without a name needs this to be an array".to_owned());
    }
    let missing = names.iter().find(|name| !values.contains_key(**name));
    let missing = missing.map(|name| format!("it holds no `{name}`"));
    let unknown = || values.keys().find(|name| !names.contains(&name.as_str()));
    missing.or_else(|| unknown().map(|name| format!("the statement has no parameter `{name}`")))
}

/// Of `params`, where there are several statements.
pub(super) const ONLY_ONE: &str = "go with a single statement; this is more than one";

fn bind_names(
    statement: &mut Statement<'_>,
    values: &serde_json::Map<String, Json>,
) -> Result<(), ToolError> {
    let mut used = 0;
    for index in 1..=statement.parameter_count() {
        let Some(name) = statement.parameter_name(index).map(|n| n[1..].to_owned()) else {
            return Err(arguments::bad(
                "a parameter without a name needs `params` to be an array",
            ));
        };
        let missing = || arguments::bad(format!("`params` holds no `{name}`"));
        set(
            statement,
            index,
            &format!("`{name}`"),
            values.get(&name).ok_or_else(missing)?,
        )?;
        used += 1;
    }
    if used < values.len() {
        let is_used = |name: &str| {
            [":", "@", "$"]
                .iter()
                .any(|p| matches!(statement.parameter_index(&format!("{p}{name}")), Ok(Some(_))))
        };
        if let Some(name) = values.keys().find(|name| !is_used(name)) {
            return Err(arguments::bad(format!("the statement has no parameter `{name}`")));
        }
    }
    Ok(())
}

fn set(statement: &mut Statement<'_>, index: usize, name: &str, value: &Json) -> Result<(), ToolError> {
    let value = to_sql(value).map_err(|e| arguments::bad(format!("parameter {name}: {e}")))?;
    statement
        .raw_bind_parameter(index, value)
        .map_err(|e| arguments::bad(format!("parameter {name}: {e}")))
}

/// Lists and objects are bound as JSON text, for SQLite's JSON functions.
fn to_sql(value: &Json) -> Result<Value, String> {
    match value {
        Json::Null => Ok(Value::Null),
        Json::Bool(b) => Ok(Value::Integer(i64::from(*b))),
        Json::Number(n) => number_to_sql(n.as_str()),
        Json::String(s) => Ok(Value::Text(s.clone())),
        Json::Array(_) | Json::Object(_) => Ok(Value::Text(value.to_string())),
    }
}

fn number_to_sql(digits: &str) -> Result<Value, String> {
    if !digits.contains(['.', 'e', 'E']) {
        let too_big = |_| {
            format!(
                "{digits} is beyond the 64 bits, one of them for the sign, of an SQL integer; give it as text"
            )
        };
        return digits.parse().map(Value::Integer).map_err(too_big);
    }
    let too_long = || format!("{digits} has more digits than SQLite's REAL can hold; give it as text");
    decimal::exact_double(digits)
        .map(Value::Real)
        .ok_or_else(too_long)
}

/// One value of a row. A BLOB becomes `{"base64": "…"}`.
pub(super) fn to_json(value: ValueRef<'_>) -> Result<Json, String> {
    match value {
        ValueRef::Null => Ok(Json::Null),
        ValueRef::Integer(i) => Ok(Json::from(i)),
        ValueRef::Real(r) => match serde_json::Number::from_f64(r) {
            Some(number) => Ok(Json::Number(number)),
            None => Err("is infinite; JSON has no such number".to_owned()),
        },
        ValueRef::Text(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Json::from(text)),
            Err(_) => Err("holds text that is not UTF-8; select hex(…) of it instead".to_owned()),
        },
        ValueRef::Blob(bytes) => Ok(json!({ "base64": STANDARD.encode(bytes) })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_go_in_as_they_are_or_not_at_all() {
        for (text, value) in [
            ("9223372036854775807", Value::Integer(i64::MAX)),
            ("-0", Value::Integer(0)),
            ("1.10", Value::Real(1.1)),
            ("1e3", Value::Real(1000.0)),
            ("0.1", Value::Real(0.1)),
            ("-0.0", Value::Real(-0.0)),
            ("1E-7", Value::Real(1e-7)),
            ("123456789012.5", Value::Real(123_456_789_012.5)),
        ] {
            assert_eq!(number_to_sql(text), Ok(value), "{text}");
        }
        for text in [
            "9223372036854775808",
            "1e999",
            "0.1234567890123456789",
            "9007199254740993.0",
            "1e-400",
        ] {
            assert!(number_to_sql(text).is_err(), "{text}");
        }
        let told = number_to_sql("18446744073709551615").unwrap_err();
        assert!(told.contains("one of them for the sign"), "{told}");
    }
}

//! JSON values as minijinja sees them, and back. Numbers that it can't hold exactly keep their text.
//! It must not know templates.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use minijinja::value::{DynObject, Enumerator, Kwargs, Object, ObjectRepr, Value, ValueKind};
use minijinja::{Error, ErrorKind, State};
use serde_json::{Map, Number};

use crate::model::Json;

/// Deeper values than any document may have come from a template that nests by itself.
const DEPTH: usize = 200;

/// The variables of one rendering.
pub(super) fn context<'v>(variables: impl IntoIterator<Item = (&'v str, &'v Json)>) -> Value {
    Value::from_pairs(
        variables
            .into_iter()
            .map(|(name, value)| (name, from_json(value))),
    )
}

/// Integers of up to 128 bits are exact; decimals are floats where that means the same number. Every other
/// number is its own text, on which arithmetic fails instead of being wrong.
fn from_json(value: &Json) -> Value {
    match value {
        Json::Null => Value::from(()),
        Json::Bool(flag) => Value::from(*flag),
        Json::Number(number) => from_number(number.as_str()),
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(items) => Value::from_object(JsonList {
            items: items.iter().map(from_json).collect(),
            digits: digits_of(items.iter()),
        }),
        Json::Object(map) => Value::from_object(JsonMap {
            keys: map.keys().map(|key| Arc::from(key.as_str())).collect(),
            places: (0..)
                .zip(map.keys())
                .map(|(ix, key)| (Box::from(key.as_str()), ix))
                .collect(),
            values: map.values().map(from_json).collect(),
            digits: digits_of(map.values()),
        }),
    }
}

fn from_number(text: &str) -> Value {
    if let Ok(integer) = text.parse::<i64>() {
        return Value::from(integer);
    }
    if let Ok(integer) = text.parse::<u64>() {
        return Value::from(integer);
    }
    if let Ok(integer) = text.parse::<i128>() {
        return Value::from(integer);
    }
    match text.parse::<f64>() {
        Ok(float) if Decimal::of(text) == Decimal::of(&format!("{float:e}")) => Value::from(float),
        Ok(_) | Err(_) => Value::from_object(Digits(text.into())),
    }
}

/// A decimal number without its spelling: 1.10, 1.1 and 11e-1 are one.
#[derive(PartialEq, Eq)]
struct Decimal<'t> {
    is_negative: bool,
    /// Digits without leading and trailing zeros; empty for zero.
    digits: String,
    /// Power of ten of the last digit; `None` where it can't be told.
    exponent: Option<i64>,
    /// The text itself where it is no number, so that it only equals itself.
    odd: Option<&'t str>,
}

impl<'t> Decimal<'t> {
    fn of(text: &'t str) -> Self {
        let (is_negative, rest) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (mantissa, exponent) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all: String = [whole, fraction].concat();
        let is_number = !all.is_empty() && all.bytes().all(|b| b.is_ascii_digit());
        let kept = all.trim_end_matches('0');
        let exponent = exponent.parse::<i64>().ok().and_then(|exponent| {
            exponent
                .checked_sub(fraction.len() as i64)?
                .checked_add((all.len() - kept.len()) as i64)
        });
        let digits = kept.trim_start_matches('0').to_owned();
        let exponent = if digits.is_empty() { Some(0) } else { exponent };
        let odd = (!is_number || exponent.is_none()).then_some(text);
        Self {
            is_negative,
            digits,
            exponent,
            odd,
        }
    }
}

/// The texts of those numbers whose digits the converted value does not show: position → text.
fn digits_of<'v>(values: impl Iterator<Item = &'v Json>) -> Vec<(u32, Box<str>)> {
    let is_float = |text: &str| text.contains(['.', 'e', 'E']);
    let numbers = (0u32..)
        .zip(values)
        .filter_map(|(ix, value)| Some((ix, value.as_number()?.as_str())));
    numbers
        .filter(|(_, text)| is_float(text))
        .map(|(ix, text)| (ix, text.into()))
        .collect()
}

fn own_digits(digits: &[(u32, Box<str>)], ix: usize) -> Option<Json> {
    let place = digits.binary_search_by_key(&(ix as u32), |(at, _)| *at).ok()?;
    Some(number(&digits[place].1))
}

fn number(text: &str) -> Json {
    Json::Number(Number::from_string_unchecked(text.to_owned()))
}

/// A number that minijinja can't hold: it prints and compares as its digits.
#[derive(Debug)]
struct Digits(Box<str>);

impl Object for Digits {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }
    fn custom_cmp(self: &Arc<Self>, other: &DynObject) -> Option<Ordering> {
        other.downcast_ref::<Self>().map(|other| self.0.cmp(&other.0))
    }
    fn render(self: &Arc<Self>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[derive(Debug)]
struct JsonList {
    items: Vec<Value>,
    digits: Vec<(u32, Box<str>)>,
}

impl Object for JsonList {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Seq
    }
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.items.get(key.as_usize()?).cloned()
    }
    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Seq(self.items.len())
    }
    fn render(self: &Arc<Self>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        render_json(Value::from_dyn_object(self.clone()), f)
    }
}

#[derive(Debug)]
struct JsonMap {
    keys: Vec<Arc<str>>,
    places: HashMap<Box<str>, usize>,
    values: Vec<Value>,
    digits: Vec<(u32, Box<str>)>,
}

impl Object for JsonMap {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Map
    }
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.values.get(*self.places.get(key.as_str()?)?).cloned()
    }
    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Values(self.keys.iter().map(|key| Value::from(key.clone())).collect())
    }
    fn enumerator_len(self: &Arc<Self>) -> Option<usize> {
        Some(self.keys.len())
    }
    fn render(self: &Arc<Self>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        render_json(Value::from_dyn_object(self.clone()), f)
    }
}

fn render_json(value: Value, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let json = to_json(&value).map_err(|_| fmt::Error)?;
    write!(f, "{json}")
}

/// The JSON of a value; numbers that came from JSON have the digits that they came with.
pub(super) fn to_json(value: &Value) -> Result<Json, Error> {
    convert(value, DEPTH)
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "an enum of another crate that may grow"
)]
fn convert(value: &Value, depth: usize) -> Result<Json, Error> {
    let failed = |what: String| Error::new(ErrorKind::BadSerialization, what);
    let depth = depth
        .checked_sub(1)
        .ok_or_else(|| failed("the value is nested too deep".to_owned()))?;
    if let Some(Digits(text)) = value.downcast_object_ref() {
        return Ok(number(text));
    }
    if let Some(list) = value.downcast_object_ref::<JsonList>() {
        let item = |(ix, item)| own_digits(&list.digits, ix).map_or_else(|| convert(item, depth), Ok);
        return list
            .items
            .iter()
            .enumerate()
            .map(item)
            .collect::<Result<_, _>>()
            .map(Json::Array);
    }
    if let Some(map) = value.downcast_object_ref::<JsonMap>() {
        let entry = |(ix, item)| {
            let value = own_digits(&map.digits, ix).map_or_else(|| convert(item, depth), Ok)?;
            Ok((map.keys[ix].to_string(), value))
        };
        return map
            .values
            .iter()
            .enumerate()
            .map(entry)
            .collect::<Result<_, _>>()
            .map(Json::Object);
    }
    match value.kind() {
        ValueKind::None => Ok(Json::Null),
        ValueKind::Bool => Ok(Json::Bool(value.is_true())),
        ValueKind::String => Ok(Json::String(value.to_string())),
        ValueKind::Number => number_of(value).ok_or_else(|| failed(format!("{value} is no JSON number"))),
        ValueKind::Seq | ValueKind::Iterable => value
            .try_iter()?
            .map(|item| convert(&item, depth))
            .collect::<Result<_, _>>()
            .map(Json::Array),
        ValueKind::Map => map_of(value, depth).map(Json::Object),
        kind => Err(failed(format!("a value of the kind {kind} has no JSON"))),
    }
}

fn number_of(value: &Value) -> Option<Json> {
    let text = value.to_string();
    if value.is_integer() {
        Some(number(&text))
    } else {
        Number::from_f64(text.parse().ok()?).map(Json::Number)
    }
}

fn map_of(value: &Value, depth: usize) -> Result<Map<String, Json>, Error> {
    let mut map = Map::new();
    for key in value.try_iter()? {
        map.insert(key.to_string(), convert(&value.get_item(&key)?, depth)?);
    }
    Ok(map)
}

/// `tojson`: compact, or with `indent=true` over several lines.
pub(super) fn tojson(state: &State<'_, '_>, value: &Value, kwargs: Kwargs) -> Result<String, Error> {
    let indent: Option<Value> = kwargs.get("indent")?;
    kwargs.assert_all_used()?;
    let json = to_json(value)?;
    let text = if indent.is_some_and(|indent| indent.is_true()) {
        format!("{json:#}")
    } else {
        json.to_string()
    };
    state.consume_fuel(text.len() as u64 / 64)?;
    Ok(text)
}

/// `int` and `float` as minijinja has them, also for numbers that are kept as digits.
pub(super) fn int(
    state: &State<'_, '_>,
    value: &Value,
    default: Option<Value>,
    base: Option<u32>,
    kwargs: Kwargs,
) -> Result<Value, Error> {
    minijinja::filters::int(state, &plain(value), default, base, kwargs)
}

pub(super) fn float(
    state: &State<'_, '_>,
    value: &Value,
    default: Option<Value>,
    kwargs: Kwargs,
) -> Result<Value, Error> {
    minijinja::filters::float(state, &plain(value), default, kwargs)
}

fn plain(value: &Value) -> Value {
    match value.downcast_object_ref::<Digits>() {
        Some(Digits(text)) => Value::from(text.as_ref()),
        None => value.clone(),
    }
}

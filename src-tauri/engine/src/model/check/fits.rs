//! Values that can't be: a schema that nothing fits, and an output that its task can't give. Told only where it is plain from
//! the schemas' own words; what it takes a solver to see is left to the run. It must not know tasks.

use serde_json::Map;

use crate::model::Json;

/// Why no value fits the schema, where that is plain; `None` says nothing.
pub(super) fn impossible(schema: &Json) -> Option<String> {
    let map = match schema {
        Json::Bool(false) => return Some("`false` allows no value at all".to_owned()),
        Json::Object(map) => map,
        Json::Null | Json::Bool(true) | Json::Number(_) | Json::String(_) | Json::Array(_) => return None,
    };
    no_word(map)
        .or_else(|| bounds(map))
        .or_else(|| match only_type(map) {
            Some("object") => impossible_object(map),
            Some("array") => impossible_array(map),
            Some(_) | None => None,
        })
        .or_else(|| of_ways(map, &impossible))
}

/// Why what fits the first never fits the second, where that is plain.
pub(super) fn conflict(given: &Json, wanted: &Json) -> Option<String> {
    let wanted = match wanted {
        Json::Bool(false) => return Some("`false` allows no value at all".to_owned()),
        Json::Object(map) => map,
        Json::Null | Json::Bool(true) | Json::Number(_) | Json::String(_) | Json::Array(_) => return None,
    };
    let given = given.as_object()?;
    other_type(given, wanted)
        .or_else(|| match only_type(given) {
            Some("object") => other_fields(given, wanted),
            Some("array") => other_items(given, wanted),
            Some(_) | None => None,
        })
        .or_else(|| of_ways(wanted, &|way| conflict(&Json::Object(given.clone()), way)))
}

/// Of `allOf` one that is impossible; of `anyOf` and `oneOf` all of them.
fn of_ways(map: &Map<String, Json>, why_not: &dyn Fn(&Json) -> Option<String>) -> Option<String> {
    let ways = |word: &str| {
        map.get(word)
            .and_then(Json::as_array)
            .filter(|ways| !ways.is_empty())
    };
    let of_all = ways("allOf").and_then(|all| all.iter().find_map(why_not));
    let of_any = |word: &str| {
        let found: Option<Vec<String>> = ways(word)?.iter().map(why_not).collect();
        Some(format!("`{word}`: {}", found?.into_iter().next()?))
    };
    of_all.or_else(|| of_any("anyOf")).or_else(|| of_any("oneOf"))
}

fn types(map: &Map<String, Json>) -> Option<Vec<&str>> {
    match map.get("type")? {
        Json::String(one) => Some(vec![one]),
        Json::Array(several) => several.iter().map(Json::as_str).collect(),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Object(_) => None,
    }
}

fn only_type(map: &Map<String, Json>) -> Option<&str> {
    match types(map)?[..] {
        [one] => Some(one),
        _ => None,
    }
}

fn is_of(value: &Json, kind: &str) -> bool {
    match value {
        Json::Null => kind == "null",
        Json::Bool(_) => kind == "boolean",
        Json::Number(number) => {
            let is_whole = number.as_f64().is_none_or(|number| number.fract() == 0.0);
            kind == "number" || (kind == "integer" && is_whole)
        }
        Json::String(_) => kind == "string",
        Json::Array(_) => kind == "array",
        Json::Object(_) => kind == "object",
    }
}

/// An `enum` without anything in it, or with nothing of the type that is asked for.
fn no_word(map: &Map<String, Json>) -> Option<String> {
    let (word, named) = match (map.get("enum").and_then(Json::as_array), map.get("const")) {
        (Some(named), _) => ("enum", named.iter().collect::<Vec<_>>()),
        (None, Some(one)) => ("const", vec![one]),
        (None, None) => return None,
    };
    if named.is_empty() {
        return Some("its `enum` is empty".to_owned());
    }
    let kinds = types(map)?;
    let fits = |value: &&Json| kinds.iter().any(|kind| is_of(value, kind));
    let none = !named.iter().any(fits);
    none.then(|| format!("its `{word}` names nothing of the type {}", kinds.join(" or ")))
}

/// A least that lies above the most, for the one type that it bounds.
fn bounds(map: &Map<String, Json>) -> Option<String> {
    let pairs: &[(&str, &str)] = match only_type(map)? {
        "string" => &[("minLength", "maxLength")],
        "array" => &[("minItems", "maxItems")],
        "object" => &[("minProperties", "maxProperties")],
        "number" | "integer" => &[
            ("minimum", "maximum"),
            ("exclusiveMinimum", "maximum"),
            ("minimum", "exclusiveMaximum"),
            ("exclusiveMinimum", "exclusiveMaximum"),
        ],
        _ => return None,
    };
    let number = |word: &str| map.get(word).and_then(Json::as_number);
    pairs.iter().find_map(|(least, most)| {
        let (low, high) = (number(least)?, number(most)?);
        let is_exclusive = least.starts_with("exclusive") || most.starts_with("exclusive");
        let is_above = low.as_f64()? > high.as_f64()?;
        let is_wrong = is_above || (is_exclusive && low == high);
        is_wrong.then(|| format!("`{least}` {low} and `{most}` {high} leave nothing"))
    })
}

fn names(map: &Map<String, Json>, word: &str) -> impl Iterator<Item = String> + use<> {
    let listed = map.get(word).and_then(Json::as_array).cloned();
    let texts = |value: Json| value.as_str().map(str::to_owned);
    listed.into_iter().flatten().filter_map(texts)
}

fn properties(map: &Map<String, Json>) -> Option<&Map<String, Json>> {
    map.get("properties").and_then(Json::as_object)
}

/// Whether it has its `properties` and no others.
fn is_closed(map: &Map<String, Json>) -> bool {
    let has_others = ["patternProperties", "unevaluatedProperties"];
    map.get("additionalProperties") == Some(&Json::Bool(false))
        && !has_others.iter().any(|word| map.contains_key(*word))
}

fn impossible_object(map: &Map<String, Json>) -> Option<String> {
    let known = properties(map);
    names(map, "required").find_map(|name| match known.and_then(|known| known.get(&name)) {
        Some(field) => impossible(field).map(|why| format!("`{name}` is required, and {why}")),
        None => is_closed(map).then(|| {
            format!("`{name}` is required, and not among its `properties`, beside which nothing is allowed")
        }),
    })
}

fn impossible_array(map: &Map<String, Json>) -> Option<String> {
    let why = impossible(map.get("items")?)?;
    has_items(map).then(|| format!("an item is required, and {why}"))
}

fn has_items(map: &Map<String, Json>) -> bool {
    map.get("minItems")
        .and_then(Json::as_f64)
        .is_some_and(|least| least >= 1.0)
}

fn other_type(given: &Map<String, Json>, wanted: &Map<String, Json>) -> Option<String> {
    let kinds = types(given)?;
    let is_met = |kind: &str| {
        kinds.contains(&kind)
            || (kind == "number" && kinds.contains(&"integer"))
            || (kind == "integer" && kinds.contains(&"number"))
    };
    if let Some(asked) = types(wanted)
        && !asked.iter().any(|kind| is_met(kind))
    {
        return Some(format!(
            "it is of the type {}, and never {}",
            kinds.join(" or "),
            asked.join(" or ")
        ));
    }
    let named = wanted
        .get("enum")
        .and_then(Json::as_array)
        .map_or_else(Vec::new, |all| all.iter().collect());
    let named: Vec<&Json> = named.into_iter().chain(wanted.get("const")).collect();
    let fits = |value: &&Json| kinds.iter().any(|kind| is_of(value, kind));
    let is_none = !named.is_empty() && !named.iter().any(fits);
    is_none.then(|| {
        format!(
            "it is of the type {}, of which nothing is named",
            kinds.join(" or ")
        )
    })
}

fn other_fields(given: &Map<String, Json>, wanted: &Map<String, Json>) -> Option<String> {
    let none = Map::new();
    let (has, asks) = (
        properties(given).unwrap_or(&none),
        properties(wanted).unwrap_or(&none),
    );
    let missing = || names(wanted, "required").find(|name| is_closed(given) && !has.contains_key(name));
    if let Some(name) = missing() {
        let known: Vec<String> = has.keys().map(|name| format!("`{name}`")).collect();
        return Some(format!("it has no `{name}`, but only {}", super::joined(&known)));
    }
    let refused = || names(given, "required").find(|name| is_closed(wanted) && !asks.contains_key(name));
    if let Some(name) = refused() {
        return Some(format!("it always has `{name}`, which is not allowed here"));
    }
    let certain = names(given, "required").chain(names(wanted, "required"));
    certain.into_iter().find_map(|name| {
        let why = conflict(has.get(&name)?, asks.get(&name)?)?;
        Some(format!("its `{name}`: {why}"))
    })
}

fn other_items(given: &Map<String, Json>, wanted: &Map<String, Json>) -> Option<String> {
    let why = conflict(given.get("items")?, wanted.get("items")?)?;
    (has_items(given) || has_items(wanted)).then(|| format!("its items: {why}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn schemas_that_nothing_fits_are_found() {
        for (schema, expected) in [
            (json!(false), "allows no value"),
            (json!({"enum": []}), "`enum` is empty"),
            (
                json!({"type": "string", "enum": [1, true]}),
                "nothing of the type string",
            ),
            (
                json!({"type": "integer", "const": 1.5}),
                "nothing of the type integer",
            ),
            (
                json!({"type": "integer", "minimum": 3, "maximum": 2}),
                "`minimum` 3 and `maximum` 2",
            ),
            (
                json!({"type": "number", "exclusiveMinimum": 3, "maximum": 3}),
                "leave nothing",
            ),
            (
                json!({"type": "string", "minLength": 3, "maxLength": 2}),
                "leave nothing",
            ),
            (
                json!({"type": "array", "minItems": 2, "maxItems": 1}),
                "leave nothing",
            ),
            (
                json!({"type": "object", "required": ["zz"], "properties": {"a": {}}, "additionalProperties": false}),
                "`zz` is required, and not among",
            ),
            (
                json!({"type": "object", "required": ["a"], "properties": {"a": {"enum": []}}}),
                "`a` is required, and its `enum`",
            ),
            (
                json!({"type": "array", "minItems": 1, "items": false}),
                "an item is required",
            ),
            (json!({"anyOf": [false, {"enum": []}]}), "`anyOf`: "),
            (json!({"allOf": [{}, false]}), "allows no value"),
        ] {
            let told = impossible(&schema).unwrap_or_default();
            assert!(told.contains(expected), "{schema}: {told}");
        }
    }

    #[test]
    fn what_some_value_fits_is_not_told() {
        for schema in [
            json!({}),
            json!(true),
            json!({"minimum": 3, "maximum": 2}),
            json!({"type": ["number", "null"], "minimum": 3, "maximum": 2}),
            json!({"type": "number", "minimum": 3, "maximum": 3}),
            json!({"type": ["string", "integer"], "enum": ["a", 1]}),
            json!({"type": "integer", "const": 1.0}),
            json!({"type": "object", "properties": {"a": false}}),
            json!({"type": "object", "required": ["x1"], "patternProperties": {"^x": {}}, "additionalProperties": false}),
            json!({"required": ["zz"], "additionalProperties": false}),
            json!({"type": "array", "items": false}),
            json!({"oneOf": [false, {"type": "null"}]}),
        ] {
            assert_eq!(impossible(&schema), None, "{schema}");
        }
    }

    #[test]
    fn outputs_that_can_not_be_are_found() {
        let text = json!({"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"], "additionalProperties": false});
        let told = |wanted: &Json| conflict(&text, wanted).unwrap_or_default();
        for (wanted, expected) in [
            (json!({"type": "array"}), "of the type object, and never array"),
            (
                json!({"type": "object", "required": ["nope"]}),
                "no `nope`, but only `text`",
            ),
            (
                json!({"type": "object", "properties": {"a": {}}, "additionalProperties": false}),
                "always has `text`",
            ),
            (
                json!({"properties": {"text": {"type": "integer"}}}),
                "its `text`: it is of the type string",
            ),
            (json!({"enum": ["a"]}), "nothing is named"),
            (
                json!({"anyOf": [{"type": "null"}, {"type": "array"}]}),
                "`anyOf`: ",
            ),
            (json!(false), "no value at all"),
        ] {
            assert!(told(&wanted).contains(expected), "{wanted}: {}", told(&wanted));
        }
        for wanted in [
            json!({}),
            json!({"type": "object", "required": ["text"], "properties": {"text": {"minLength": 1}}}),
            json!({"type": ["object", "array"]}),
            json!({"properties": {"other": {"type": "integer"}}}),
            json!({"oneOf": [{"type": "null"}, {"type": "object"}]}),
        ] {
            assert_eq!(told(&wanted), "", "{wanted}");
        }
        assert_eq!(
            conflict(&json!({"type": "integer"}), &json!({"type": "number"})),
            None
        );
        assert_eq!(conflict(&json!({}), &json!({"type": "number"})), None);
    }
}

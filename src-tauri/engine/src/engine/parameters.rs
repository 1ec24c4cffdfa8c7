//! Parameter values at launch: read from what a face has, and checked against the plan. It must not know runs.

use super::Error;
use crate::model::Json;
use crate::model::misread;
use crate::model::plan::Plan;

/// Parameter values as a face has them.
#[derive(Clone, Debug, PartialEq)]
pub enum Parameters {
    Json(Json),
    /// `name=value` as typed: JSON where the schema is not a string, else text.
    Text(Vec<(String, String)>),
}

impl Parameters {
    pub(super) fn read(&self, plan: &Plan) -> Result<Json, Error> {
        let pairs = match self {
            Self::Json(value) => return Ok(value.clone()),
            Self::Text(pairs) => pairs,
        };
        let mut values = serde_json::Map::new();
        for (name, text) in pairs {
            let schema = plan.parameters.iter().find(|(n, _)| n == name).map(|(_, s)| s);
            let is_text = schema.is_some_and(|s| s.get("type").and_then(Json::as_str) == Some("string"));
            let value = if is_text || schema.is_none() {
                Json::String(text.clone())
            } else {
                serde_json::from_str(text).map_err(|e| {
                    Error::invalid(
                        "parameters",
                        format!("the parameter \"{name}\" must be JSON: {}", misread(&e)),
                    )
                })?
            };
            values.insert(name.clone(), value);
        }
        Ok(Json::Object(values))
    }
}

/// Each given value against its schema; each parameter has a value.
pub(super) fn check_parameters(plan: &Plan, given: &Json) -> Result<serde_json::Map<String, Json>, Error> {
    let given = match given {
        Json::Null => serde_json::Map::new(),
        Json::Object(map) => map.clone(),
        Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) => {
            return Err(Error::invalid(
                "parameters",
                "parameters are an object, name → value",
            ));
        }
    };
    let known: Vec<&str> = plan.parameters.iter().map(|(n, _)| n.as_str()).collect();
    if let Some(name) = given.keys().find(|n| !known.contains(&n.as_str())) {
        let there = match known.is_empty() {
            true => "it has none".to_owned(),
            false => format!("it has: {}", known.join(", ")),
        };
        let message = format!("the plan has no parameter \"{name}\"; {there}");
        return Err(Error::invalid("parameters", message));
    }
    for (name, schema) in &plan.parameters {
        let value = given.get(name).or_else(|| schema.get("default"));
        let Some(value) = value else {
            return Err(Error::invalid(
                "parameters",
                format!("the parameter \"{name}\" needs a value"),
            ));
        };
        let validator = jsonschema::validator_for(schema)
            .map_err(|e| Error::invalid("parameters", format!("the schema of \"{name}\": {e}")))?;
        if let Err(wrong) = validator.validate(value) {
            return Err(Error::invalid(
                "parameters",
                format!("the parameter \"{name}\": {wrong}"),
            ));
        }
    }
    Ok(given)
}

//! Short ways to write a tool's declaration and its JSON Schemas. Knows no tool.

use serde_json::json;

use crate::model::Json;

/// An object with these fields and no others; `required` of them must be there.
pub(super) fn object(fields: Json, required: &[&str]) -> Json {
    json!({ "type": "object", "properties": fields, "required": required, "additionalProperties": false })
}

/// The same schema with a call as it is meant, for models.
pub(super) fn shown(mut schema: Json, example: Json) -> Json {
    schema["examples"] = json!([example]);
    schema
}

pub(super) fn text(description: &str) -> Json {
    json!({ "type": "string", "description": description })
}

/// A path as the file tools take it.
pub(super) fn path(what: &str) -> Json {
    let description =
        format!("{what}: relative to the plan's folder, absolute, or `run:/name` in the run's own folder");
    json!({ "type": "string", "minLength": 1, "description": description })
}

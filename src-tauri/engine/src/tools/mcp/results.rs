//! What came of a call, as plain JSON: `{"content": [...]}` as the server gave it, with `structuredContent` where it has
//! one. An error that the server tells is one. It must not know how the answer travelled.

use jsonschema::Validator;
use serde_json::json;

use super::clean;
use crate::model::Json;
use crate::tools::ToolError;

/// Characters of a server's own error that are told.
const MOST_TOLD: usize = 4000;
/// Parts of one answer.
const MOST_PARTS: usize = 10_000;

/// The code of an answer that can't be taken.
pub(super) const BAD_RESULT: &str = "bad_result";

/// The final answer of a `tools/call`. An answer that does not hold what it promised is an error: it is made up.
pub(super) fn read(answer: &Json, schema: Option<&Validator>, who: &str) -> Result<Json, ToolError> {
    let bad =
        |what: &str| ToolError::permanent(BAD_RESULT, format!("{who} was called, and its answer {what}"));
    let Some(answer) = answer.as_object() else {
        return Err(bad("is no object"));
    };
    let content = match answer.get("content") {
        Some(Json::Array(parts)) if parts.len() > MOST_PARTS => return Err(bad("has too many parts")),
        Some(Json::Array(parts)) => parts.iter().map(part).collect::<Option<Vec<_>>>(),
        None | Some(Json::Null) => Some(Vec::new()),
        Some(_) => None,
    };
    let content = content.ok_or_else(|| bad("has a `content` that can't be read"))?;
    let structured = answer.get("structuredContent").filter(|value| !value.is_null());
    if answer.get("isError").and_then(Json::as_bool) == Some(true) {
        return Err(ToolError::permanent(
            "tool_failed",
            told(&content, structured, who),
        ));
    }
    if let Some(schema) = schema {
        let structured =
            structured.ok_or_else(|| bad("lacks the structured content that its definition promises"))?;
        if let Some(error) = schema.iter_errors(structured).next() {
            let place = error.instance_path().to_string();
            return Err(bad(&format!(
                "breaks its own output schema at \"{}\"",
                clean::line(&place, 100)
            )));
        }
    }
    let mut result = json!({ "content": content });
    if let Some(structured) = structured {
        result["structuredContent"] = structured.clone();
    }
    Ok(result)
}

/// Metadata is between programs, and is handed on to nobody.
fn part(raw: &Json) -> Option<Json> {
    let mut part = raw.as_object()?.clone();
    part.get("type")?.as_str()?;
    part.shift_remove("_meta");
    if let Some(resource) = part.get_mut("resource").and_then(Json::as_object_mut) {
        resource.shift_remove("_meta");
    }
    Some(Json::Object(part))
}

fn told(content: &[Json], structured: Option<&Json>, who: &str) -> String {
    let texts: Vec<&str> = content
        .iter()
        .filter_map(|part| part.get("text")?.as_str())
        .collect();
    let text = match (texts.is_empty(), structured) {
        (false, _) => texts.join("\n"),
        (true, Some(value)) => value.to_string(),
        (true, None) => "no reason was given".to_owned(),
    };
    format!("{who} failed: {}", clean::text(&text, MOST_TOLD))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(answer: &Json, schema: Option<&Json>) -> String {
        let schema = schema.map(|schema| jsonschema::validator_for(schema).unwrap());
        crate::tools::testing::code_of(read(answer, schema.as_ref(), "s/t"))
    }

    #[test]
    fn an_answer_is_handed_on_as_it_is() {
        let answer = json!({
            "content": [{ "type": "text", "text": "a", "_meta": { "x": 1 } }, { "type": "hologram", "n": 9_007_199_254_740_993_u64 }],
            "structuredContent": { "n": 1 }, "isError": false, "_meta": {}, "approved": true,
        });
        let want = json!({
            "content": [{ "type": "text", "text": "a" }, { "type": "hologram", "n": 9_007_199_254_740_993_u64 }],
            "structuredContent": { "n": 1 },
        });
        assert_eq!(read(&answer, None, "s/t"), Ok(want));
        assert_eq!(read(&json!({}), None, "s/t"), Ok(json!({ "content": [] })));
    }

    #[test]
    fn answers_that_are_none_are_errors() {
        let schema =
            json!({ "type": "object", "required": ["n"], "properties": { "n": { "type": "integer" } } });
        for (answer, schema, want) in [
            (json!([]), None, "bad_result"),
            (json!({ "content": "x" }), None, "bad_result"),
            (json!({ "content": ["x"] }), None, "bad_result"),
            (json!({ "content": [{ "text": "no type" }] }), None, "bad_result"),
            (json!({ "content": [] }), Some(&schema), "bad_result"),
            (
                json!({ "structuredContent": { "n": "1" } }),
                Some(&schema),
                "bad_result",
            ),
            (
                json!({ "content": [{ "type": "text", "text": "no" }], "isError": true }),
                Some(&schema),
                "tool_failed",
            ),
            (json!({ "isError": true }), None, "tool_failed"),
        ] {
            assert_eq!(code(&answer, schema), want, "{answer}");
        }
    }
}

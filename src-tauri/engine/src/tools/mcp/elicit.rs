//! A server's question to the person, in the midst of a call: shown as coming from that server, answered by a form, and
//! declined where nobody can answer. It must not know how the person is reached.

use serde_json::{Map, json};

use super::calls::Calls;
use super::clean;
use crate::model::Json;

/// Characters of a question.
const MOST_QUESTION: usize = 2000;
/// Fields of a form, and bytes of all that is said of them.
const MOST_FIELDS: usize = 32;
const MOST_BYTES: usize = 32 << 10;

/// Why a question is not put to anybody.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(super) struct BadQuestion(pub &'static str);

/// The answer, as the protocol wants it.
pub(super) async fn elicit(calls: &Calls, server: &str, params: &Json) -> Result<Json, BadQuestion> {
    let form = Form::read(params)?;
    let Some(call) = calls.to_ask() else {
        return Ok(json!({ "action": "decline" }));
    };
    let message = params.get("message").and_then(Json::as_str).unwrap_or_default();
    let question = format!(
        "The server `{server}`, called as {}, asks: {}\n(Give no password or key here. To give nothing, set `{}`.)",
        call.tool,
        clean::text(message, MOST_QUESTION),
        form.decline
    );
    Ok(match call.ask(question, form.schema()).await {
        Some(answer) => form.answer(answer),
        None => json!({ "action": "cancel" }),
    })
}

/// A flat object of simple fields, which is all that the protocol allows.
struct Form {
    fields: Map<String, Json>,
    required: Vec<Json>,
    /// The field by which the person declines: a name that the server does not use.
    decline: String,
}

impl Form {
    fn read(params: &Json) -> Result<Self, BadQuestion> {
        if params
            .get("mode")
            .and_then(Json::as_str)
            .is_some_and(|mode| mode != "form")
        {
            return Err(BadQuestion("only questions with a form are supported"));
        }
        let schema = params.get("requestedSchema").and_then(Json::as_object);
        let schema = schema.ok_or(BadQuestion("the question has no form"))?;
        let fields = schema
            .get("properties")
            .and_then(Json::as_object)
            .cloned()
            .unwrap_or_default();
        let is_object = schema.get("type").and_then(Json::as_str) == Some("object");
        if !is_object || fields.len() > MOST_FIELDS || !fields.values().all(is_simple) {
            return Err(BadQuestion("the form is no flat object of simple fields"));
        }
        let fields = clean::schema(&Json::Object(fields), MOST_QUESTION);
        if fields.to_string().len() > MOST_BYTES || jsonschema::validator_for(&fields_only(&fields)).is_err()
        {
            return Err(BadQuestion("the form is too large, or no usable JSON Schema"));
        }
        let Json::Object(fields) = fields else {
            return Err(BadQuestion("the form has no fields"));
        };
        let required = schema
            .get("required")
            .and_then(Json::as_array)
            .into_iter()
            .flatten();
        let required = required.filter(|name| name.as_str().is_some_and(|name| fields.contains_key(name)));
        let mut decline = "decline".to_owned();
        while fields.contains_key(&decline) {
            decline.push('_');
        }
        Ok(Self {
            required: required.cloned().collect(),
            fields,
            decline,
        })
    }

    /// What the person answers: the fields, or only that nothing is given.
    fn schema(&self) -> Json {
        let mut fields = self.fields.clone();
        let declined =
            json!({ "type": "boolean", "title": "Decline", "description": "Give the server no answer" });
        fields.insert(self.decline.clone(), declined);
        json!({
            "type": "object",
            "properties": fields,
            "additionalProperties": false,
            "anyOf": [
                { "required": self.required },
                { "required": [self.decline], "properties": { self.decline.as_str(): { "const": true } } },
            ],
        })
    }

    fn answer(&self, mut answer: Json) -> Json {
        let declined = answer
            .as_object_mut()
            .and_then(|map| map.shift_remove(&self.decline));
        let is_whole = self
            .required
            .iter()
            .filter_map(Json::as_str)
            .all(|name| answer.get(name).is_some());
        if declined == Some(Json::Bool(true)) || !is_whole {
            return json!({ "action": "decline" });
        }
        json!({ "action": "accept", "content": answer })
    }
}

fn fields_only(fields: &Json) -> Json {
    json!({ "type": "object", "properties": fields })
}

/// A text, a number, a flag, or choices among texts.
fn is_simple(field: &Json) -> bool {
    let kind = field.get("type").and_then(Json::as_str);
    let has_reference = field.get("$ref").is_some() || field.get("properties").is_some();
    matches!(kind, Some("string" | "number" | "integer" | "boolean" | "array")) && !has_reference
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params(fields: &Json, required: &Json) -> Json {
        json!({ "message": "Which?", "requestedSchema": { "type": "object", "properties": fields, "required": required } })
    }

    #[test]
    fn an_answer_is_given_or_declined() {
        let params = params(
            &json!({ "n": { "type": "integer", "minimum": 1 }, "decline": { "type": "string" } }),
            &json!(["n"]),
        );
        let form = Form::read(&params).unwrap();
        assert_eq!(form.decline, "decline_");
        let fits = |answer: &Json| jsonschema::is_valid(&form.schema(), answer);
        assert!(fits(&json!({ "n": 1 })) && fits(&json!({ "decline_": true })));
        for bad in [
            json!({}),
            json!({ "n": 0 }),
            json!({ "decline_": false }),
            json!({ "n": 1, "x": 1 }),
        ] {
            assert!(!fits(&bad), "{bad}");
        }
        assert_eq!(
            form.answer(json!({ "n": 1, "decline_": false })),
            json!({ "action": "accept", "content": { "n": 1 } })
        );
        assert_eq!(
            form.answer(json!({ "n": 1, "decline_": true })),
            json!({ "action": "decline" })
        );
    }

    #[test]
    fn strange_forms_are_refused() {
        let many: Map<String, Json> = (0..40)
            .map(|n| (n.to_string(), json!({ "type": "string" })))
            .collect();
        for fields in [
            json!({ "a": { "type": "object", "properties": {} } }),
            json!({ "a": { "$ref": "#" } }),
            json!({ "a": 5 }),
            json!({ "a": { "type": "string", "pattern": "(" } }),
            json!({ "a": { "type": "string", "description": "x".repeat(1900), "enum": ["y".repeat(40_000)] } }),
            Json::Object(many),
        ] {
            assert!(
                Form::read(&params(&fields, &json!([]))).is_err(),
                "{}",
                fields.to_string().len()
            );
        }
        assert!(Form::read(&json!({ "message": "x", "mode": "url", "url": "https://x" })).is_err());
        assert!(Form::read(&json!({ "message": "x" })).is_err());
    }
}

//! `text.template`: fills a minijinja template. What the variables hold is data; touches nothing.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::json;

use super::{CallContext, Tool, ToolError, arguments, blocking, spec};
use crate::model::expr::{self, ExprError};
use crate::model::foreseen::{Fault, Foresee, Foreseen};
use crate::model::tool::{Effect, Idempotency, ToolSpec};
use crate::model::{Json, unstopped};

pub(super) struct TextTemplate(Arc<ToolSpec>);

impl TextTemplate {
    pub(super) fn new() -> Self {
        let arguments = json!({
            "template": spec::text("minijinja text, such as `Hello {{ name }}`"),
            "with": { "type": "object", "description": "The variables by name" },
        });
        Self(Arc::new(ToolSpec {
            name: "text.template".to_owned(),
            description: "Fills a template with values.".to_owned(),
            arguments: spec::shown(
                spec::object(arguments, &["template"]),
                json!({ "template": "Hello {{ name }}", "with": { "name": "Ada" } }),
            ),
            result: spec::object(json!({ "text": { "type": "string" } }), &["text"]),
            effect: Effect::Pure,
            idempotency: Idempotency::Natural,
            touches: Vec::new(),
            method_argument: None,
            is_source_untrusted: false,
            needs: Vec::new(),
            definition: None,
        }))
    }
}

#[async_trait]
impl Tool for TextTemplate {
    fn spec(&self) -> &Arc<ToolSpec> {
        &self.0
    }

    fn foresee(&self) -> Foresee {
        foresee
    }

    async fn call(&self, arguments: Json, cx: &CallContext) -> Result<Json, ToolError> {
        blocking::reading(&cx.cancel, move |_| fill(&arguments)).await
    }
}

fn fill(arguments: &Json) -> Result<Json, ToolError> {
    let template = arguments::text(arguments, "template")?;
    let with = match arguments::given(arguments, "with") {
        None => None,
        Some(with) => Some(
            with.as_object()
                .ok_or_else(|| arguments::bad("`with` must be an object"))?,
        ),
    };
    let variables = with
        .into_iter()
        .flatten()
        .map(|(name, value)| (name.as_str(), value));
    let text =
        expr::render(template, variables).map_err(|e| ToolError::permanent(code_of(&e), e.to_string()))?;
    Ok(json!({ "text": text }))
}

/// A template that can't be read, and names that nothing gives.
fn foresee(known: &Foreseen<'_>) -> Vec<Fault> {
    let Some(template) = known.text("template") else {
        return Vec::new();
    };
    let fault = |message: String| Fault::unreadable("template", message);
    let read = match expr::variables_of_template(template) {
        Ok(read) => read,
        Err(error) => {
            return vec![fault(format!(
                "it can't be used: {}",
                unstopped(&error.to_string())
            ))];
        }
    };
    let Some(given) = known.names_in("with") else {
        return Vec::new();
    };
    let chains = expr::chains_of_template(template);
    // Where it asks whether there is a value, it can do without.
    let is_needed = |name: &str| match &chains {
        Some(chains) => chains.iter().any(|chain| chain[0] == name),
        None => true,
    };
    let missing = read
        .iter()
        .filter(|name| !given.contains(&name.as_str()) && is_needed(name));
    missing
        .map(|name| fault(format!("it reads `{name}`, which `with` does not give")))
        .collect()
}

fn code_of(error: &ExprError) -> &'static str {
    match error {
        ExprError::Syntax(_) => "bad_template",
        ExprError::Undefined(_) => "undefined_variable",
        ExprError::TooMuch(_) => "too_large",
        ExprError::Failed(_) => "template_failed",
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{call, code_of as error_code, parse};
    use super::*;

    async fn text(template: &str, with: Json) -> Json {
        call(&TextTemplate::new(), json!({"template": template, "with": with}))
            .await
            .unwrap()["text"]
            .clone()
    }

    #[tokio::test]
    async fn fills_in_values() {
        assert_eq!(
            text("Hello {{ name }}", json!({"name": "Ada"})).await,
            json!("Hello Ada")
        );
        let rows = json!({"rows": [{"a": 1}, {"a": 2}]});
        assert_eq!(
            text("{% for r in rows %}{{ r.a }};{% endfor %}", rows).await,
            json!("1;2;")
        );
        let data = json!({"x": "{{ secret }}", "secret": 1});
        assert_eq!(text("{{ x }}", data).await, json!("{{ secret }}"));
        let big = parse(r#"{"n": 18446744073709551615}"#);
        assert_eq!(text("{{ n }}", big).await, json!("18446744073709551615"));
        let bare = call(&TextTemplate::new(), json!({"template": "x"})).await;
        assert_eq!(bare, Ok(json!({"text": "x"})));
    }

    #[tokio::test]
    async fn what_is_wrong_has_its_own_code() {
        let tool = TextTemplate::new();
        let code = async |template: &str| error_code(call(&tool, json!({"template": template})).await);
        assert_eq!(code("{{ nothing }}").await, "undefined_variable");
        assert_eq!(code("{% if %}").await, "bad_template");
        assert_eq!(
            code("{% for i in range(100000) %}{% for j in range(100000) %}x{% endfor %}{% endfor %}").await,
            "too_large"
        );
    }
}

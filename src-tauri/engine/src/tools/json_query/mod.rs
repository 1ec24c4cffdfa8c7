//! `json.query`: picks and reshapes a value with JMESPath. Touches nothing.
//! The library reckons in doubles; what would lose a digit there is reckoned exactly here or refused.

mod expression;
mod faults;
mod functions;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use jmespath::{Context, Rcvar, Variable, interpret};
use serde_json::json;

use super::{CallContext, Tool, ToolError, arguments, blocking, spec};
use crate::model::Json;
use crate::model::foreseen::{Fault, Foresee, Foreseen};
use crate::model::tool::{Effect, Idempotency, ToolSpec};

const MOST_NODES: usize = 2_000_000;
/// The library reads and evaluates by recursion, as deep as an expression of that length can be.
const STACK: usize = 128 << 20;
/// Bytes of an expression that any stack bears.
const SHALLOW: usize = 200;

pub(super) struct JsonQuery(Arc<ToolSpec>);

impl JsonQuery {
    pub(super) fn new() -> Self {
        let arguments = json!({
            "value": { "description": "Any value" },
            "expression": spec::text("JMESPath, such as `items[?price > `5`].name`"),
        });
        Self(Arc::new(ToolSpec {
            name: "json.query".to_owned(),
            description: "Picks and reshapes parts of a value with a JMESPath expression.".to_owned(),
            arguments: spec::shown(
                spec::object(arguments, &["value", "expression"]),
                json!({ "value": [{ "sku": "A-1", "cost": 3 }], "expression": "[?cost > `2`].sku" }),
            ),
            result: json!({}),
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
impl Tool for JsonQuery {
    fn spec(&self) -> &Arc<ToolSpec> {
        &self.0
    }

    fn foresee(&self) -> Foresee {
        foresee
    }

    async fn call(&self, arguments: Json, cx: &CallContext) -> Result<Json, ToolError> {
        blocking::reading(&cx.cancel, move |_| on_a_deep_stack(move || query(&arguments))).await
    }
}

/// An expression that can't be read, and functions that there are not.
fn foresee(known: &Foreseen<'_>) -> Vec<Fault> {
    let Some(text) = known.text("expression") else {
        return Vec::new();
    };
    let read = if text.len() <= SHALLOW {
        expression::check(text)
    } else {
        let text = text.to_owned();
        on_a_deep_stack(move || expression::check(&text))
    };
    let fault = |error: ToolError| Fault::unreadable("expression", error.to_string());
    read.err().map(fault).into_iter().collect()
}

fn on_a_deep_stack<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ToolError> + Send + 'static,
) -> Result<T, ToolError> {
    let broken = || ToolError::permanent("bad_expression", "the expression can't be evaluated");
    let thread = std::thread::Builder::new()
        .name("json.query".to_owned())
        .stack_size(STACK)
        .spawn(work);
    thread
        .map_err(|_| broken())?
        .join()
        .unwrap_or_else(|_| Err(broken()))
}

fn query(arguments: &Json) -> Result<Json, ToolError> {
    let text = arguments::text(arguments, "expression")?;
    let ast = expression::read(text)?;
    let value = Rcvar::new(variable(arguments::required(arguments, "value")?));
    let runtime = functions::runtime();
    let found = interpret(&value, &ast, &mut Context::new(text, &runtime));
    let found =
        found.map_err(|e| ToolError::permanent("bad_expression", faults::told_of_result(text, &e)))?;
    let mut nodes = 0;
    json_of(&found, &mut nodes)
}

/// Numbers go in with their digits; the library's own way in would take them apart.
fn variable(value: &Json) -> Variable {
    match value {
        Json::Null => Variable::Null,
        Json::Bool(b) => Variable::Bool(*b),
        Json::Number(n) => Variable::Number(n.clone()),
        Json::String(s) => Variable::String(s.clone()),
        Json::Array(items) => Variable::Array(items.iter().map(|v| Rcvar::new(variable(v))).collect()),
        Json::Object(map) => {
            let entries: BTreeMap<_, _> = map
                .iter()
                .map(|(k, v)| (k.clone(), Rcvar::new(variable(v))))
                .collect();
            Variable::Object(entries)
        }
    }
}

fn json_of(value: &Variable, nodes: &mut usize) -> Result<Json, ToolError> {
    *nodes += 1;
    if *nodes > MOST_NODES {
        return Err(ToolError::permanent(
            "too_large",
            format!("the result holds more than {MOST_NODES} values"),
        ));
    }
    match value {
        Variable::Null => Ok(Json::Null),
        Variable::Bool(b) => Ok(Json::Bool(*b)),
        Variable::Number(n) => Ok(Json::Number(n.clone())),
        Variable::String(s) => Ok(Json::String(s.clone())),
        Variable::Array(items) => items.iter().map(|v| json_of(v, nodes)).collect(),
        Variable::Object(map) => map
            .iter()
            .map(|(k, v)| Ok((k.clone(), json_of(v, nodes)?)))
            .collect(),
        Variable::Expref(_) => Err(ToolError::permanent(
            "bad_expression",
            "the result is an expression, no value",
        )),
    }
}

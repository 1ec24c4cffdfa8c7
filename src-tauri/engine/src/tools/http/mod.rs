//! `http.get` and `http.request`: one request, its redirects walked by hand, its outcome told by rule 4 of the design.

mod addresses;
mod hops;
mod outcome;
mod request;
mod send;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::json;

use self::hops::Hops;
use self::request::Request;
use super::{CallContext, Tool, ToolError, spec};
use crate::model::Json;
use crate::model::foreseen::Foresee;
use crate::model::tool::{Access, Effect, Idempotency, ToolSpec, Touch};

pub(super) struct HttpGet(Arc<ToolSpec>);

impl HttpGet {
    pub(super) fn new() -> Self {
        Self(Arc::new(ToolSpec {
            name: "http.get".to_owned(),
            description: "Fetches a URL with GET.".to_owned(),
            arguments: spec::shown(
                spec::object(common_arguments(), &["url"]),
                json!({ "url": "https://api.example.com/rates", "query": { "base": "EUR" } }),
            ),
            result: result_schema(),
            effect: Effect::ReadExternal,
            idempotency: Idempotency::Natural,
            touches: vec![Touch::one("url", Access::Host)],
            method_argument: None,
            is_source_untrusted: true,
            needs: Vec::new(),
            definition: None,
        }))
    }
}

#[async_trait]
impl Tool for HttpGet {
    fn spec(&self) -> &Arc<ToolSpec> {
        &self.0
    }

    fn foresee(&self) -> Foresee {
        |known| request::foresee(known, "GET")
    }

    async fn call(&self, arguments: Json, cx: &CallContext) -> Result<Json, ToolError> {
        walk(Request::read(&arguments, "GET")?, cx).await
    }
}

pub(super) struct HttpRequest(Arc<ToolSpec>);

impl HttpRequest {
    pub(super) fn new() -> Self {
        let mut arguments = common_arguments();
        arguments["method"] = json!({
            "type": "string", "pattern": "^[A-Za-z]{1,20}$", "default": "GET", "description": "GET, HEAD, POST, PUT, PATCH, DELETE …",
        });
        arguments["body"] = json!({ "description": "Text is sent as it stands, any other value as JSON; not with GET and HEAD" });
        Self(Arc::new(ToolSpec {
            name: "http.request".to_owned(),
            description: "Sends an HTTP request with any method.".to_owned(),
            arguments: spec::shown(
                spec::object(arguments, &["url"]),
                json!({ "method": "POST", "url": "https://api.example.com/orders", "body": { "sku": "A-1", "count": 2 } }),
            ),
            result: result_schema(),
            effect: Effect::WriteExternal,
            idempotency: Idempotency::Not,
            touches: vec![Touch::one("url", Access::Host)],
            method_argument: Some("method"),
            is_source_untrusted: true,
            needs: Vec::new(),
            definition: None,
        }))
    }
}

#[async_trait]
impl Tool for HttpRequest {
    fn spec(&self) -> &Arc<ToolSpec> {
        &self.0
    }

    fn foresee(&self) -> Foresee {
        |known| {
            // What only the run will know may well send a body.
            let usual = if known.holes.iter().any(|hole| hole == "/method") {
                "POST"
            } else {
                "GET"
            };
            let method = known.text("method").unwrap_or(usual).to_ascii_uppercase();
            request::foresee(known, &method)
        }
    }

    async fn call(&self, arguments: Json, cx: &CallContext) -> Result<Json, ToolError> {
        let method = self.0.method_of(&arguments).unwrap_or_else(|| "GET".to_owned());
        let request = Request::read(&arguments, &method)?.with_key(&cx.idempotency_key)?;
        walk(request, cx).await
    }
}

async fn walk(request: Request, cx: &CallContext) -> Result<Json, ToolError> {
    tokio::select! {
        done = Hops::new(request, cx).walk() => done,
        () = cx.cancel.cancelled() => Err(ToolError::Cancelled),
    }
}

fn common_arguments() -> Json {
    let plain = json!(["string", "number", "boolean"]);
    json!({
        "url": { "type": "string", "minLength": 1, "description": "An http or https URL" },
        "headers": { "type": "object", "additionalProperties": { "type": plain } },
        "query": {
            "type": "object",
            "description": "Added to the URL's own query; a list repeats the name, null leaves it out",
            "additionalProperties": {
                "anyOf": [{ "type": ["string", "number", "boolean", "null"] }, { "type": "array", "items": { "type": plain } }],
            },
        },
        "accept_status": {
            "type": "array", "items": { "type": "integer", "minimum": 100, "maximum": 599 },
            "description": "Statuses that are a result although they are not 2xx, such as [404]",
        },
    })
}

fn result_schema() -> Json {
    let fields = json!({
        "status": { "type": "integer" },
        "headers": { "type": "object", "additionalProperties": { "type": "string" }, "description": "Names in lower case" },
        "body": { "description": "The value where it is JSON, else text" },
        "body_base64": { "type": "string", "description": "The bytes, where they are not UTF-8; `body` then has marks in their place" },
        "body_is_cut": { "type": "boolean", "description": "The request was carried out, but of its over-long answer only the beginning is here; sending it again would do it twice" },
    });
    spec::object(fields, &["status", "headers", "body"])
}

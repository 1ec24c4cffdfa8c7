//! An attempt told turn by turn, with tools that only have names. Knows no case.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use planloom_engine::agents::Failed;
use planloom_engine::agents::executor::{
    Assignment, Bounds, CallId, Finished, Happened, Kind, Step, Wanted, next,
};
use planloom_engine::llm::{Answer, Message, Reply, Request, ToolCall};
use planloom_engine::model::Json;
use planloom_engine::model::events::{Failure, FailureClass};
use planloom_engine::model::tool::{Catalog, Effect, Idempotency, ToolSpec};
use planloom_engine::tools::{CallContext, Tool, ToolError};
use serde_json::json;

pub fn case(folder: &str, file: &str) -> Json {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/cases")
        .join(folder)
        .join(file);
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// A tool that is only offered; these tests make no call.
struct Named(Arc<ToolSpec>);

#[async_trait]
impl Tool for Named {
    fn spec(&self) -> &Arc<ToolSpec> {
        &self.0
    }
    async fn call(&self, arguments: Json, _: &CallContext) -> Result<Json, ToolError> {
        tokio::task::yield_now().await;
        Ok(arguments)
    }
}

pub fn tool(name: &str, effect: Effect, arguments: Json) -> Arc<dyn Tool> {
    Arc::new(Named(Arc::new(ToolSpec {
        name: name.to_owned(),
        description: format!("Does {name}"),
        arguments,
        result: json!({}),
        effect,
        idempotency: Idempotency::Not,
        touches: Vec::new(),
        method_argument: None,
        is_source_untrusted: true,
        needs: Vec::new(),
        definition: None,
    })))
}

/// A task with an attempt under way.
pub struct Attempt {
    pub kind: Kind,
    pub inputs: Vec<(String, Json)>,
    pub tools: Vec<Arc<dyn Tool>>,
    pub schema: Option<Json>,
    pub check: Option<&'static str>,
    pub catalog: Catalog,
    pub bounds: Bounds,
    pub past: Vec<Happened>,
}

impl Attempt {
    pub fn agent(max_steps: u32) -> Self {
        let object = || json!({ "type": "object" });
        Self {
            kind: Kind::Agent { max_steps },
            inputs: Vec::new(),
            tools: vec![
                tool("read", Effect::Read, json!({"type": "object", "required": ["q"]})),
                tool("write", Effect::Write, object()),
            ],
            schema: None,
            check: None,
            catalog: Catalog::new([]),
            bounds: Bounds::default(),
            past: Vec::new(),
        }
    }

    pub fn model() -> Self {
        Self {
            kind: Kind::Model,
            tools: Vec::new(),
            ..Self::agent(0)
        }
    }

    pub fn with_schema(mut self, schema: Json) -> Self {
        self.schema = Some(schema);
        self
    }

    pub fn next(&self) -> Step {
        next(
            &Assignment {
                kind: self.kind,
                model: "executor",
                instruction: "Find the total.",
                inputs: &self.inputs,
                tools: &self.tools,
                output_schema: self.schema.as_ref(),
                check: self.check,
                catalog: Some(&self.catalog),
                bounds: self.bounds,
            },
            &self.past,
        )
    }

    pub fn replies(&mut self, reply: Reply) -> &mut Self {
        self.past.push(Happened::Replied(reply));
        self
    }

    pub fn says(&mut self, text: &str) -> &mut Self {
        self.replies(Reply::complete(Answer::text(text)))
    }

    pub fn calls(&mut self, calls: &[(&str, Json)]) -> &mut Self {
        let calls = calls
            .iter()
            .map(|(name, arguments)| call(name, &arguments.to_string()));
        self.replies(Reply::complete(Answer::calls(calls.collect())))
    }

    pub fn submits(&mut self, result: Json) -> &mut Self {
        self.calls(&[("submit_result", result)])
    }

    pub fn gives(&mut self, id: &str, result: Json) -> &mut Self {
        self.done(id, Ok(result))
    }

    pub fn fails(&mut self, id: &str, code: &str, message: &str) -> &mut Self {
        self.done(
            id,
            Err(Failure {
                class: FailureClass::Permanent,
                code: code.to_owned(),
                message: message.to_owned(),
            }),
        )
    }

    fn done(&mut self, id: &str, result: Result<Json, Failure>) -> &mut Self {
        let call: CallId = id.parse().unwrap();
        self.past.push(Happened::Called { call, result });
        self
    }

    pub fn asked(&self) -> Request {
        match self.next() {
            Step::Ask(request) => *request,
            other => panic!("asks nothing: {other:?}"),
        }
    }

    pub fn wanted(&self) -> Vec<Wanted> {
        match self.next() {
            Step::Call(wanted) => wanted,
            other => panic!("calls nothing: {other:?}"),
        }
    }

    pub fn finished(&self) -> Finished {
        match self.next() {
            Step::Finish(finished) => finished,
            other => panic!("not finished: {other:?}"),
        }
    }

    pub fn failed(&self) -> Failed {
        match self.next() {
            Step::Fail(failed) => failed,
            other => panic!("not failed: {other:?}"),
        }
    }

    pub fn code(&self) -> String {
        self.failed().error.code
    }

    /// The last thing that the model would be told.
    pub fn told(&self) -> String {
        match self.asked().messages.pop().unwrap() {
            Message::User(text) => text,
            Message::Observation { content, .. } => content,
            Message::Assistant { .. } => panic!("the model comes next"),
        }
    }
}

impl std::fmt::Debug for Attempt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let has_schema = self.schema.is_some();
        write!(
            f,
            "{:?}, {} tools, schema: {has_schema}",
            self.kind,
            self.tools.len()
        )
    }
}

pub fn call(name: &str, arguments: &str) -> ToolCall {
    ToolCall {
        id: "same".to_owned(),
        name: name.to_owned(),
        arguments: arguments.to_owned(),
        sealed: None,
    }
}

pub fn offered(request: &Request) -> Vec<&str> {
    request.tools.iter().map(|offer| offer.name.as_str()).collect()
}

//! Fetches what a task's inputs read and resolves them: once with secrets as references, for keys and the log,
//! and once with their values, for the call alone.

use std::collections::HashMap;

use super::driver::{DriveError, Driver};
use super::recent::Recent;
use crate::model::grants::Labels;
use crate::model::plan::{Input, Plan, TaskIx};
use crate::model::resolve::{self, ResolveError, Sources};
use crate::model::state::RunState;
use crate::model::taint::read_tasks;
use crate::model::value::ValueRef;
use crate::model::{Json, Seq};
use crate::store::{Store, StoreError};

/// A task's inputs, resolved: one object, name → value.
pub struct Resolved {
    /// With `{"$secret": NAME}` where a secret goes.
    pub shown: Json,
    /// With the values, where there is a secret.
    pub real: Option<Json>,
    pub secrets: Vec<String>,
    pub labels: Labels,
}

fn object(values: Vec<(String, Json)>) -> Json {
    Json::Object(values.into_iter().collect())
}

/// The value behind a reference.
pub async fn load(store: &Store, value: &ValueRef) -> Result<Json, StoreError> {
    match value {
        ValueRef::Inline(raw) => parse(raw.get()),
        ValueRef::Payload { hash, .. } => parse(&store.payload(*hash).await?),
    }
}

fn parse(text: &str) -> Result<Json, StoreError> {
    serde_json::from_str(text).map_err(|e| StoreError::Io(e.into()))
}

fn has_secret(inputs: &[(String, Input)]) -> bool {
    let mut open: Vec<&Input> = inputs.iter().map(|(_, input)| input).collect();
    while let Some(input) = open.pop() {
        match input {
            Input::Secret(_) => return true,
            Input::Template { with, .. } => open.extend(with.iter().flatten().map(|(_, input)| input)),
            Input::Object(entries) => open.extend(entries.iter().map(|(_, input)| input)),
            Input::Array(items) => open.extend(items),
            Input::From { .. } | Input::Literal(_) | Input::Param(_) | Input::Item { .. } | Input::Index => {}
        }
    }
    false
}

/// Outputs and parameters at one position of a run.
struct Known<'a> {
    outputs: HashMap<TaskIx, Json>,
    state: &'a RunState,
    secrets: Option<std::cell::RefCell<Vec<String>>>,
}

impl Sources for Known<'_> {
    fn output(&self, task: TaskIx) -> Result<Json, String> {
        Ok(self.outputs.get(&task).cloned().unwrap_or(Json::Null))
    }

    fn parameter(&self, name: &str) -> Option<Json> {
        let given = self
            .state
            .approved
            .as_ref()
            .and_then(|a| a.parameters.get(name))
            .cloned();
        given.or_else(|| default_of(&self.state.plan, name))
    }

    fn secret(&self, name: &str) -> Result<Json, String> {
        let Some(used) = &self.secrets else {
            return Ok(serde_json::json!({ "$secret": name }));
        };
        let value = std::env::var(name).map_err(|_| {
            format!("the secret {name} is not set; set it as an environment variable and retry")
        })?;
        used.borrow_mut().push(value.clone());
        Ok(Json::String(value))
    }
}

fn default_of(plan: &Plan, name: &str) -> Option<Json> {
    plan.parameters
        .iter()
        .find(|(n, _)| n == name)
        .and_then(|(_, schema)| schema.get("default"))
        .cloned()
}

/// The inputs as anybody may see them, at one position of a run at rest or alive.
pub async fn resolve_shown(
    store: &Store,
    state: &RunState,
    ix: TaskIx,
) -> Result<Result<Vec<(String, Json)>, ResolveError>, StoreError> {
    let outputs = outputs_for(store, &Recent::default(), state, ix).await?;
    Ok(resolve::resolve(
        &state.plan,
        ix,
        &Known {
            outputs,
            state,
            secrets: None,
        },
    ))
}

async fn outputs_for(
    store: &Store,
    recent: &Recent,
    state: &RunState,
    ix: TaskIx,
) -> Result<HashMap<TaskIx, Json>, StoreError> {
    let mut outputs = HashMap::new();
    for source in read_tasks(&state.plan.task(ix).inputs) {
        if let Some(value) = &state.task(source).output {
            outputs.insert(source, load_recent(store, recent, value).await?);
        }
    }
    Ok(outputs)
}

/// The value behind a reference, also when its commit is still to come.
pub async fn load_recent(store: &Store, recent: &Recent, value: &ValueRef) -> Result<Json, StoreError> {
    if let ValueRef::Payload { hash, .. } = value
        && let Some(text) = recent.find(*hash)
    {
        return parse(text);
    }
    load(store, value).await
}

impl Driver {
    pub(super) async fn resolve(&self, ix: TaskIx) -> Result<Result<Resolved, ResolveError>, DriveError> {
        let plan = &self.state.plan;
        let inputs = &plan.task(ix).inputs;
        let outputs = outputs_for(&self.store, &self.recent, &self.state, ix).await?;
        let labels = read_tasks(inputs)
            .into_iter()
            .fold(Labels::default(), |labels, source| {
                labels.join(self.state.task(source).labels)
            });
        let mut known = Known {
            outputs,
            state: &self.state,
            secrets: None,
        };
        let shown = match resolve::resolve(plan, ix, &known) {
            Ok(shown) => object(shown),
            Err(error) => return Ok(Err(error)),
        };
        if !has_secret(inputs) {
            return Ok(Ok(Resolved {
                shown,
                real: None,
                secrets: Vec::new(),
                labels,
            }));
        }
        known.secrets = Some(std::cell::RefCell::default());
        let real = match resolve::resolve(plan, ix, &known) {
            Ok(real) => Some(object(real)),
            Err(error) => return Ok(Err(error)),
        };
        let secrets = known
            .secrets
            .take()
            .map(std::cell::RefCell::into_inner)
            .unwrap_or_default();
        Ok(Ok(Resolved {
            shown,
            real,
            secrets,
            labels,
        }))
    }
}

/// The end of the log, for readers that want all of it.
pub const END: Seq = Seq::MAX;

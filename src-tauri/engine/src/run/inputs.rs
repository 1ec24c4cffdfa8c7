//! Fetches what a task's inputs read and resolves them: once with secrets as references, for keys and the log,
//! and once with their values, for the call alone.

use std::collections::HashMap;
use std::sync::Arc;

use super::driver::{DriveError, Driver};
use super::recent::Recent;
use super::secrets::Secrets;
use super::strands::{Strand, joined, strands_of};
use crate::model::grants::Labels;
use crate::model::plan::{Input, Over, Plan, TaskIx, Word};
use crate::model::resolve::{self, ResolveError, Sources};
use crate::model::state::RunState;
use crate::model::taint::reads_of;
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
    /// What of it did not stand in the plan, part by part.
    pub strands: Vec<Strand>,
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

fn any(inputs: &[(Word, Input)], is: impl Fn(&Input) -> bool) -> bool {
    let mut open: Vec<&Input> = inputs.iter().map(|(_, input)| input).collect();
    while let Some(input) = open.pop() {
        match input {
            found if is(found) => return true,
            Input::Template { with, .. } => open.extend(with.iter().flatten().map(|(_, input)| input)),
            Input::Object(entries) => open.extend(entries.iter().map(|(_, input)| input)),
            Input::Array(items) => open.extend(items),
            Input::From { .. }
            | Input::Secret(_)
            | Input::Literal(_)
            | Input::Param(_)
            | Input::Item { .. }
            | Input::Index => {}
        }
    }
    false
}

fn has_secret(inputs: &[(Word, Input)]) -> bool {
    any(inputs, |input| matches!(input, Input::Secret(_)))
}

/// What one task may read at one position of a run.
struct Known<'a> {
    state: &'a RunState,
    reader: TaskIx,
    /// By the index in the plan around the reader.
    outputs: HashMap<TaskIx, Json>,
    /// Of the nested plan around the reader.
    bound: Option<Arc<Json>>,
    item: Option<(Arc<Json>, u32)>,
    secrets: Option<(Secrets, std::cell::RefCell<Vec<String>>)>,
}

impl Sources for Known<'_> {
    fn output(&self, task: TaskIx) -> Result<Json, String> {
        Ok(self.outputs.get(&task).cloned().unwrap_or(Json::Null))
    }

    fn name(&self, task: TaskIx) -> String {
        self.state.tree.scope(self.reader).plan.task(task).id.to_string()
    }

    fn item(&self) -> Option<Json> {
        let (items, number) = self.item.as_ref()?;
        items.get(*number as usize).cloned()
    }

    fn index(&self) -> Option<u32> {
        self.item.as_ref().map(|(_, number)| *number)
    }

    fn parameter(&self, name: &str) -> Option<Json> {
        let scope = self.state.tree.scope(self.reader);
        let given = match (&self.bound, scope.owner) {
            (Some(bound), Some(_)) => bound.get(name),
            (_, None) => self.state.approved.as_ref().and_then(|a| a.parameters.get(name)),
            (None, Some(_)) => None,
        };
        given.cloned().or_else(|| default_of(&scope.plan, name))
    }

    fn secret(&self, name: &str) -> Result<Json, String> {
        let Some((known, used)) = &self.secrets else {
            return Ok(serde_json::json!({ "$secret": name }));
        };
        let value = known.get(name).ok_or_else(|| {
            format!(
                "the secret {name} is not set; set it as an environment variable, or keep it with \
                 `planloom secret set {name}`, and retry"
            )
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
    let mut lists = Lists::default();
    let known = known(store, &Recent::default(), &mut lists, state, ix).await?;
    Ok(resolve::resolve(state.def(ix), &known))
}

/// The lists of maps and the parameters of nested plans, so that each item need not read them again.
#[derive(Default)]
pub struct Lists {
    kept: HashMap<TaskIx, Arc<Json>>,
}

impl Lists {
    async fn of(
        &mut self,
        store: &Store,
        recent: &Recent,
        state: &RunState,
        owner: TaskIx,
    ) -> Result<Option<Arc<Json>>, StoreError> {
        if let Some(known) = self.kept.get(&owner) {
            return Ok(Some(known.clone()));
        }
        let Some(inner) = &state.task(owner).inner else {
            return Ok(None);
        };
        let value = Arc::new(load_recent(store, recent, &inner.value).await?);
        self.kept.insert(owner, value.clone());
        Ok(Some(value))
    }

    /// The map or plan is through.
    pub fn drop_of(&mut self, owner: TaskIx) {
        self.kept.remove(&owner);
    }
}

async fn known<'a>(
    store: &Store,
    recent: &Recent,
    lists: &mut Lists,
    state: &'a RunState,
    reader: TaskIx,
) -> Result<Known<'a>, StoreError> {
    let mut outputs = HashMap::new();
    for task in reads_of(state.def(reader)) {
        if let Some(value) = &state.task(state.tree.source(reader, task)).output {
            outputs.insert(task, load_recent(store, recent, value).await?);
        }
    }
    let bound = match state.tree.scope(reader).owner {
        Some(owner) => lists.of(store, recent, state, owner).await?,
        None => None,
    };
    let item = match state.tree.item(reader) {
        Some((map, number)) => {
            let items = lists.of(store, recent, state, map).await?;
            items.map(|items| (items, number))
        }
        None => None,
    };
    Ok(Known {
        state,
        reader,
        outputs,
        bound,
        item,
        secrets: None,
    })
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
    pub(super) async fn resolve(&mut self, ix: TaskIx) -> Result<Result<Resolved, ResolveError>, DriveError> {
        let def = self.state.def(ix).clone();
        let is_secret = has_secret(&def.inputs);
        if is_secret {
            self.secrets.load(super::redact::secrets_of(&def)).await;
        }
        let mut known = known(&self.store, &self.recent, &mut self.lists, &self.state, ix).await?;
        let strands = strands_of(&self.state, ix, &def, |task| known.outputs.get(&task));
        let labels = joined(&strands);
        let shown = match resolve::resolve(&def, &known) {
            Ok(shown) => object(shown),
            Err(error) => return Ok(Err(error)),
        };
        if !is_secret {
            return Ok(Ok(Resolved {
                shown,
                real: None,
                secrets: Vec::new(),
                labels,
                strands,
            }));
        }
        known.secrets = Some((self.secrets.clone(), std::cell::RefCell::default()));
        let real = match resolve::resolve(&def, &known) {
            Ok(real) => Some(object(real)),
            Err(error) => return Ok(Err(error)),
        };
        let secrets = known
            .secrets
            .take()
            .map(|(_, used)| used.into_inner())
            .unwrap_or_default();
        Ok(Ok(Resolved {
            shown,
            real,
            secrets,
            labels,
            strands,
        }))
    }

    /// What a map runs over, beside its resolved inputs.
    pub(super) async fn resolve_over(
        &mut self,
        ix: TaskIx,
        over: &Over,
        inputs: &Json,
    ) -> Result<Result<Json, String>, DriveError> {
        match over {
            Over::Input(name) => Ok(Ok(inputs.get(&**name).cloned().unwrap_or(Json::Null))),
            Over::Value(input) => {
                let known = known(&self.store, &self.recent, &mut self.lists, &self.state, ix).await?;
                Ok(resolve::value_of(input, &known))
            }
        }
    }
}

/// The end of the log, for readers that want all of it.
pub const END: Seq = Seq::MAX;

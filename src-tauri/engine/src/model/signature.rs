//! What a signature covers: the plan, the tools as they are defined now, where relative paths lie, and its models.
//! This file must not know who signs, nor when.

use std::collections::BTreeMap;

use serde_json::json;

use super::grants::Place;
use super::json::canonical;
use super::plan::{Plan, TaskKind};
use super::tool::Catalog;
use super::{Digest, Json};

/// The digest that an approval freezes. `models` are those of the tasks, best first, by what the tasks name.
pub fn signature_of(
    plan: &Plan,
    catalog: &Catalog,
    place: &Place,
    models: &BTreeMap<String, Vec<String>>,
) -> Digest {
    let mut tools: BTreeMap<&str, Json> = BTreeMap::new();
    let mut add = |name: &str| {
        if let Some(spec) = catalog.get(name) {
            let text = || serde_json::to_value(&**spec).unwrap_or_default();
            tools.entry(&spec.name).or_insert_with(text);
        }
    };
    plan.visit(&mut |task, _| {
        match &task.kind {
            TaskKind::Tool { tool } => add(tool),
            TaskKind::Agent { tools, .. } => tools.iter().for_each(|tool| add(tool)),
            TaskKind::Model
            | TaskKind::Code { .. }
            | TaskKind::Human { .. }
            | TaskKind::Map { .. }
            | TaskKind::Subplan { .. } => {}
        }
        task.fallback_tool().into_iter().for_each(&mut add);
    });
    let folder = place.folder.as_ref().map(|f| f.to_string_lossy());
    let mut signed = vec![json!(plan.digest.to_string()), json!(tools), json!(folder)];
    if !models.is_empty() {
        signed.push(json!(models));
    }
    Digest::of(canonical(&Json::Array(signed)).as_bytes())
}

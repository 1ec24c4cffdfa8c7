//! Edges that a plan lacks although its references need them. Only the reader of a planner's answer adds such an edge by
//! itself, and says so. It must not know how references are judged: the validator has done that.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use crate::model::edit::PlanEdit;
use crate::model::problem::{Code, Problem};
use crate::model::{DraftPlan, Json};

/// The plan with the edges that its references need, and a sentence for each; `None` where nothing is to be added. An
/// edge that would close a loop is not offered by the validator, so it is not added.
pub(super) fn completed(draft: &DraftPlan, problems: &[Problem]) -> Option<(DraftPlan, Vec<String>)> {
    let mut missing: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for problem in problems.iter().filter(|p| p.code == Code::MissingDependency) {
        for edit in problem.fix.iter().flat_map(|fix| &fix.edits) {
            if let PlanEdit::Connect { from, to } = edit {
                missing.entry(to).or_default().insert(from);
            }
        }
    }
    if missing.is_empty() {
        return None;
    }
    let mut document = draft.document().clone();
    let mut notes = Vec::new();
    for task in document.get_mut("tasks")?.as_array_mut()? {
        let Some(sources) = task
            .get("id")
            .and_then(Json::as_str)
            .and_then(|id| missing.get(id))
        else {
            continue;
        };
        let id = task["id"].as_str().unwrap_or_default().to_owned();
        let mut all: Vec<Json> = task["dependencies"].as_array().cloned().unwrap_or_default();
        for source in sources {
            all.push(json!(source));
            notes.push(format!(
                "The edge {source} → {id} was added: {id} reads what {source} gives."
            ));
        }
        task["dependencies"] = Json::Array(all);
    }
    let draft = DraftPlan::parse(&document.to_string()).ok()?;
    Some((draft, notes))
}

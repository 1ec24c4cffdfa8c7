//! The secrets of a plan, for the redactor that takes them out of whatever comes back, before anything is stored.

use super::secrets::Secrets;
use crate::llm::Models;
use crate::model::plan::{Input, Plan, Task};
use crate::model::redactor::Redactor;

/// Takes out every secret that the plan names and that can be had now; a later call may add one that was set since.
pub fn redactor_of(plan: &Plan, secrets: &Secrets) -> Redactor {
    let mut redactor = Redactor::default();
    add_plan(&mut redactor, plan, secrets);
    redactor
}

/// The same of another version of the plan, beside those that are known.
pub fn add_plan(redactor: &mut Redactor, plan: &Plan, secrets: &Secrets) {
    for name in names_in(plan) {
        let value = secrets.get(&name);
        super::told::know(value.as_deref());
        redactor.add(value.as_deref());
    }
}

/// The keys of the providers that are set up: a tool may come across one of them too.
pub fn add_keys(redactor: &mut Redactor, models: &Models) {
    super::told::know(models.keys().map(|key| key.expose()));
    redactor.add(models.keys().map(|key| key.expose()));
}

/// Names of all secrets that tasks of the plan take.
pub fn names_in(plan: &Plan) -> Vec<String> {
    let mut names = Vec::new();
    plan.visit(&mut |task, _| names.extend(secrets_of(task)));
    names.sort();
    names.dedup();
    names
}

/// Names of the secrets that a task's arguments take.
pub fn secrets_of(task: &Task) -> Vec<String> {
    let mut names = Vec::new();
    let mut open: Vec<&Input> = task.inputs.iter().map(|(_, i)| i).collect();
    while let Some(input) = open.pop() {
        match input {
            Input::Secret(name) => names.push(name.to_string()),
            Input::Template { with, .. } => open.extend(with.iter().flatten().map(|(_, input)| input)),
            Input::Object(entries) => open.extend(entries.iter().map(|(_, input)| input)),
            Input::Array(items) => open.extend(items),
            Input::From { .. } | Input::Literal(_) | Input::Param(_) | Input::Item { .. } | Input::Index => {}
        }
    }
    names.reverse();
    names
}

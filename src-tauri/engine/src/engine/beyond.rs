//! What a planner has put into a plan beyond what its goal was granted: nobody has seen that yet. It must not know how a
//! person is asked.

use super::{Engine, Error};
use crate::agents::planner::SEVERAL;
use crate::model::RunId;
use crate::model::grants::{self, Grants, Place};
use crate::model::plan::{Plan, Task, TaskKind};
use crate::model::tool::Catalog;
use crate::run::END;

impl Engine {
    /// Each in words, such as `write out/`, `POST example.com:443` and `the secret KEY, handed over by send`, in the order of
    /// the plan; no grant of a goal's covers a secret. Empty for a plan that no
    /// planner made, or that a person has changed since: it is theirs.
    pub async fn beyond_goal(&self, run: &RunId) -> Result<Vec<String>, Error> {
        let state = self.state(run, END).await?;
        let Some((planning, _)) = state.planned_draft() else {
            return Ok(Vec::new());
        };
        // What can't be read grants nothing.
        let given: Grants = serde_json::from_value(planning.given.grants.clone()).unwrap_or_default();
        let cached = self.cached(run).await?;
        let whole = self.whole(&cached).await?;
        let document = whole.as_ref().unwrap_or(&cached.drafting.plan);
        let plan = self.plan_of(document, &cached.place)?;
        Ok(beyond(&plan, &given, &self.catalog(), &cached.place))
    }

    /// Whether the planner's answer held other plans too, and nobody has said or made of it what is meant.
    pub async fn is_one_of_several(&self, run: &RunId) -> Result<bool, Error> {
        let state = self.state(run, END).await?;
        let ended = state
            .planned_draft()
            .and_then(|(planning, _)| planning.ended.as_ref());
        Ok(ended.is_some_and(|ended| ended.notes.iter().any(|note| note == SEVERAL)))
    }
}

fn beyond(plan: &Plan, given: &Grants, catalog: &Catalog, place: &Place) -> Vec<String> {
    let mut found = Vec::new();
    plan.visit(&mut |task, around| {
        for entry in entries_beyond(&around.grants, given).chain(needs_beyond(task, given, catalog, place)) {
            if !found.contains(&entry) {
                found.push(entry);
            }
        }
    });
    let secrets = super::approving::secrets(plan).into_iter();
    found.extend(secrets.map(|secret| {
        let tasks = secret.tasks.join(", ");
        format!("the secret {}, handed over by {tasks}", secret.name)
    }));
    found
}

fn entries_beyond<'g>(grants: &'g Grants, given: &'g Grants) -> impl Iterator<Item = String> + 'g {
    let kinds = [
        ("read", &grants.read, &given.read),
        ("write", &grants.write, &given.write),
        ("hosts", &grants.hosts, &given.hosts),
        ("databases", &grants.databases, &given.databases),
        ("commands", &grants.commands, &given.commands),
        ("mcp", &grants.mcp, &given.mcp),
        ("own_work", &grants.own_work, &given.own_work),
        ("private_to", &grants.private_to, &given.private_to),
    ];
    kinds.into_iter().flat_map(|(kind, asked, given)| {
        let new = asked.iter().filter(|entry| !given.contains(entry));
        new.map(move |entry| format!("{kind} {entry}"))
    })
}

/// What its arguments say already, whatever the plan grants.
fn needs_beyond(task: &Task, given: &Grants, catalog: &Catalog, place: &Place) -> Vec<String> {
    let TaskKind::Tool { tool } = &task.kind else {
        return Vec::new();
    };
    let names = std::iter::once(&**tool).chain(task.fallback_tool());
    let specs = names.filter_map(|name| catalog.get(name));
    let needs = specs.flat_map(|spec| grants::needs_of_inputs(spec, &task.inputs, place).0);
    let new = needs.filter(|need| !grants::covers(given, need, place));
    new.map(|need| need.to_string()).collect()
}

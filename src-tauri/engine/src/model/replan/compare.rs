//! Finds what the new and changed tasks of a replan ask for beyond the approved plan. Where it can't be told that
//! something was approved, it is asked for. It must not know whether the plan as it would be is valid.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::Map;

use super::Standing;
use super::ask::Ask;
use super::calls::{Leaf, leaves};
use super::merge::{Fate, Merge};
use crate::model::draft_view::needs::KINDS;
use crate::model::edit::names::id_of;
use crate::model::grants::{self, Grants, Need};
use crate::model::{Json, Setting, TaskId};

/// What the approved plan has, so that it need not be asked for again.
pub(super) struct Approved<'d> {
    setting: &'d Setting<'d>,
    grants: &'d Grants,
    /// Literal needs of calls without effect.
    reads: HashSet<Need>,
    /// Tools that some agent has.
    offered: HashSet<&'d str>,
    models: HashSet<&'d str>,
    /// Calls with an effect of tasks that have begun, and the task.
    made: HashMap<(String, String), &'d str>,
    entries: HashSet<(&'d str, &'d str)>,
}

impl<'d> Approved<'d> {
    pub fn new(
        current: &'d Json,
        grants: &'d Grants,
        merge: &'d Merge<'d>,
        setting: &'d Setting<'d>,
    ) -> Self {
        let mut approved = Self {
            setting,
            grants,
            reads: HashSet::new(),
            offered: HashSet::new(),
            models: HashSet::new(),
            made: HashMap::new(),
            entries: HashSet::new(),
        };
        let top = current.get("grants").and_then(Json::as_object);
        approved.entries.extend(top.into_iter().flat_map(entries_of));
        for (task, standing) in merge.old.iter().zip(&merge.standing) {
            for leaf in leaves(task) {
                approved.add(&leaf, *standing, id_of(task).unwrap_or_default());
            }
        }
        approved
    }

    fn add(&mut self, leaf: &Leaf<'d>, standing: Standing, id: &'d str) {
        let catalog = self.setting.catalog;
        for spec in leaf.called(catalog) {
            let (needs, effect) = leaf.needs(spec, self.setting.place);
            if !effect.is_effect() {
                self.reads.extend(needs);
            } else if standing != Standing::Untouched {
                self.made.extend(leaf.call().map(|call| (call, id)));
            }
        }
        self.offered
            .extend(leaf.offered(catalog).into_iter().map(|spec| spec.name.as_str()));
        self.models.extend(leaf.models(catalog));
    }

    /// What a task asks for that is new, or was `old` before.
    pub fn asks(&self, old: Option<&Json>, new: &Json) -> Vec<Ask> {
        let before: BTreeMap<String, Leaf<'_>> = old
            .into_iter()
            .flat_map(leaves)
            .map(|leaf| (leaf.address.clone(), leaf))
            .collect();
        let mut asks = Vec::new();
        let mut seen = HashSet::new();
        for leaf in leaves(new) {
            let before = before.get(&leaf.address);
            self.of_calls(&leaf, before, &mut asks);
            self.of_agent(&leaf, before, &mut asks);
            self.of_words(&leaf, before, &mut asks);
            if before.is_none() {
                self.of_repeats(&leaf, &mut asks);
            }
            seen.insert(leaf.address);
        }
        let lost = before.into_values().filter(|leaf| !seen.contains(&leaf.address));
        asks.extend(lost.filter(Leaf::is_attended).map(|leaf| unattended(&leaf)));
        asks
    }

    fn of_calls(&self, leaf: &Leaf<'_>, before: Option<&Leaf<'_>>, asks: &mut Vec<Ask>) {
        let Setting { catalog, place, .. } = *self.setting;
        let old_specs = before.map(|old| old.called(catalog)).unwrap_or_default();
        let own: HashSet<Need> = before
            .into_iter()
            .flat_map(|old| old_specs.iter().flat_map(|spec| old.needs(spec, place).0))
            .collect();
        for spec in leaf.called(catalog) {
            let (needs, effect) = leaf.needs(spec, place);
            let is_silent = effect.is_effect() && spec.touches_nothing();
            if is_silent && !old_specs.iter().any(|old| old.name == spec.name) {
                asks.push(tool(leaf, &spec.name, spec.effect));
            }
            for need in needs {
                let is_read_before = !effect.is_effect() && self.reads.contains(&need);
                if !own.contains(&need) && !is_read_before && !grants::covers(self.grants, &need, place) {
                    asks.push(Ask::Need {
                        task: address(leaf),
                        need,
                    });
                }
            }
        }
    }

    fn of_agent(&self, leaf: &Leaf<'_>, before: Option<&Leaf<'_>>, asks: &mut Vec<Ask>) {
        let catalog = self.setting.catalog;
        let had = before.map(|old| old.offered(catalog)).unwrap_or_default();
        let had: HashSet<&str> = had.into_iter().map(|spec| spec.name.as_str()).collect();
        for spec in leaf.offered(catalog) {
            let is_known = !spec.effect.is_effect() && self.offered.contains(spec.name.as_str());
            if !is_known && !had.contains(spec.name.as_str()) {
                asks.push(tool(leaf, &spec.name, spec.effect));
            }
        }
    }

    /// What a task says that only a person may say, and whom it tells what.
    fn of_words(&self, leaf: &Leaf<'_>, before: Option<&Leaf<'_>>, asks: &mut Vec<Ask>) {
        let task = || address(leaf);
        let had = before.map(Leaf::secrets).unwrap_or_default();
        let secrets = leaf.secrets().into_iter().filter(|name| !had.contains(name));
        asks.extend(secrets.map(|name| Ask::Secret {
            task: task(),
            name: name.to_owned(),
        }));
        let models = leaf.models(self.setting.catalog).into_iter();
        asks.extend(
            models
                .filter(|model| !self.models.contains(model))
                .map(|model| Ask::Model {
                    task: task(),
                    model: model.to_owned(),
                }),
        );
        let file = leaf.plan_file();
        if let Some(path) = file.filter(|_| before.and_then(Leaf::plan_file) != file) {
            asks.push(Ask::PlanFile {
                task: task(),
                path: path.to_owned(),
            });
        }
        if leaf.is_idempotent() && !before.is_some_and(Leaf::is_idempotent) {
            asks.push(Ask::Idempotent { task: task() });
        }
        if before.is_some_and(Leaf::is_attended) && !leaf.is_attended() {
            asks.push(unattended(leaf));
        }
        self.of_inner_grants(leaf, before, asks);
    }

    fn of_inner_grants(&self, leaf: &Leaf<'_>, before: Option<&Leaf<'_>>, asks: &mut Vec<Ask>) {
        let had: HashSet<(&str, &str)> = before
            .and_then(|old| old.grants)
            .into_iter()
            .flat_map(entries_of)
            .collect();
        for (name, entry) in leaf.grants.into_iter().flat_map(entries_of) {
            let kind = KINDS.iter().find(|(_, field, _)| *field == name);
            // What is one's own, and who may have what is private, is a person's word.
            if matches!(name, "own_work" | "private_to") && !had.contains(&(name, entry)) {
                asks.push(Ask::Flow {
                    path: vec![address(leaf)],
                });
            }
            if let Some((access, ..)) = kind
                && !had.contains(&(name, entry))
                && !self.entries.contains(&(name, entry))
            {
                asks.push(Ask::Grant {
                    access: *access,
                    entry: entry.to_owned(),
                    task: Some(address(leaf)),
                });
            }
        }
    }

    fn of_repeats(&self, leaf: &Leaf<'_>, asks: &mut Vec<Ask>) {
        if let Some(of) = leaf.call().and_then(|call| self.made.get(&call)) {
            asks.push(Ask::Repeats {
                task: address(leaf),
                of: TaskId::from(*of),
            });
        }
    }
}

/// Asks of all tasks: changed ones in the plan's order, then new ones, then those that go.
pub(super) fn of_tasks(approved: &Approved<'_>, merge: &Merge<'_>) -> Vec<Ask> {
    let mut asks = Vec::new();
    for (old, fate) in merge.old.iter().zip(&merge.fates) {
        match fate {
            Fate::Becomes(task, fields) if !fields.is_empty() => asks.extend(approved.asks(Some(old), task)),
            Fate::Becomes(..) | Fate::Stays | Fate::Goes => {}
        }
    }
    for entry in &merge.added {
        asks.extend(approved.asks(None, &merge.proposal.entries[*entry]));
    }
    for (old, fate) in merge.old.iter().zip(&merge.fates) {
        if matches!(fate, Fate::Goes) {
            let attended = leaves(old).into_iter().filter(Leaf::is_attended);
            asks.extend(attended.map(|leaf| unattended(&leaf)));
        }
    }
    asks
}

fn entries_of(grants: &Map<String, Json>) -> impl Iterator<Item = (&str, &str)> {
    grants.iter().flat_map(|(name, entries)| {
        let entries = entries.as_array().into_iter().flatten();
        entries
            .filter_map(Json::as_str)
            .map(move |entry| (name.as_str(), entry))
    })
}

fn address(leaf: &Leaf<'_>) -> TaskId {
    TaskId::from(leaf.address.as_str())
}

fn tool(leaf: &Leaf<'_>, name: &str, effect: crate::model::tool::Effect) -> Ask {
    Ask::Tool {
        task: address(leaf),
        tool: name.to_owned(),
        effect,
    }
}

fn unattended(leaf: &Leaf<'_>) -> Ask {
    Ask::Unattended { task: address(leaf) }
}

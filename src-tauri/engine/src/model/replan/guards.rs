//! Tasks that were to run only after a person had been asked, and in the new plan no longer wait for that. It must
//! not know what the person is asked.

use std::collections::{HashMap, HashSet};

use super::ask::Ask;
use super::calls::leaves;
use super::merge::{Fate, Merge};
use crate::model::Json;
use crate::model::edit::names::id_of;
use crate::model::plan::{Plan, Task, TaskIx, TaskKind};
use crate::model::tool::Catalog;

/// Guards that are followed in one pass, one bit each.
const AT_ONCE: usize = 64;

/// A changed task is asked about where a guard stood before it and no longer does; a new task with an effect where a
/// guard stood before one of the tasks that go. Guards that go are asked about by themselves.
pub(super) fn lost(old: &Plan, new: &Plan, merge: &Merge<'_>, catalog: &Catalog) -> Vec<Ask> {
    let is_open = |task: &Task| {
        is_guard(task)
            && new.find(task.id.as_str()).is_some()
            && merge
                .standing_of(task.id.as_str())
                .is_some_and(|standing| !standing.is_over())
    };
    let guards: Vec<&str> = old
        .tasks
        .iter()
        .filter(|task| is_open(task))
        .map(|task| task.id.as_str())
        .collect();
    let mut found: HashSet<&str> = HashSet::new();
    for guards in guards.chunks(AT_ONCE) {
        let (before, after) = (behind(old, guards), behind(new, guards));
        let of = |plan: &Plan, masks: &[u64], id: &str| plan.find(id).map_or(0, |ix| masks[ix as usize]);
        let mut gone = 0;
        for (task, fate) in merge.old.iter().zip(&merge.fates) {
            let id = id_of(task).unwrap_or_default();
            match fate {
                Fate::Goes => gone |= of(old, &before, id),
                Fate::Becomes(..) if of(old, &before, id) & !of(new, &after, id) != 0 => {
                    found.insert(id);
                }
                Fate::Becomes(..) | Fate::Stays => {}
            }
        }
        for task in merge.added.iter().map(|entry| &merge.proposal.entries[*entry]) {
            let id = id_of(task).unwrap_or_default();
            if gone & !of(new, &after, id) != 0 && has_effect(task, catalog) {
                found.insert(id);
            }
        }
    }
    let in_order = new.tasks.iter().filter(|task| found.contains(task.id.as_str()));
    in_order
        .map(|task| Ask::Unattended {
            task: task.id.clone(),
        })
        .collect()
}

/// For each task, which of the guards come before it.
fn behind(plan: &Plan, guards: &[&str]) -> Vec<u64> {
    let bits = guards.iter().enumerate();
    let bits: HashMap<TaskIx, u64> = bits
        .filter_map(|(bit, id)| Some((plan.find(id)?, 1 << bit)))
        .collect();
    let mut masks = vec![0; plan.tasks.len()];
    for ix in plan.order() {
        let before = plan.dependencies(*ix).iter();
        masks[*ix as usize] = before.fold(0, |mask, dependency| {
            mask | masks[*dependency as usize] | bits.get(dependency).copied().unwrap_or_default()
        });
    }
    masks
}

fn is_guard(task: &Task) -> bool {
    task.needs_approval || matches!(task.kind, TaskKind::Human { .. })
}

/// Whether it may change something outside the run; what can't be told counts as such.
fn has_effect(task: &Json, catalog: &Catalog) -> bool {
    leaves(task).iter().any(|leaf| {
        let mut specs = leaf.called(catalog).into_iter().chain(leaf.offered(catalog));
        leaf.plan_file().is_some() || specs.any(|spec| spec.effect.is_effect())
    })
}

//! Ways by which text from outside could leave, that the approved plan did not have. It must not know single calls.

use std::collections::{HashMap, HashSet};

use super::ask::Ask;
use crate::model::TaskId;
use crate::model::plan::{Plan, Task, TaskIx};
use crate::model::taint;

/// A sink is asked about where its nearest way from outside is another one than before, or leads through a task that
/// is new or changed. `is_over` names tasks that will make no call any more.
pub(super) fn new_flows(
    old: Option<&Plan>,
    new: &Plan,
    touched: &HashSet<&str>,
    is_over: impl Fn(&str) -> bool,
    around: &taint::Around<'_>,
) -> Vec<Ask> {
    let before: HashMap<&str, (&Plan, Vec<TaskIx>)> = old
        .into_iter()
        .flat_map(|plan| {
            taint::paths(plan, around)
                .into_iter()
                .map(move |path| (plan, path))
        })
        .filter_map(|(plan, path)| Some((id(plan, *path.last()?), (plan, path))))
        .collect();
    let is_known = |path: &[TaskIx]| {
        let Some((plan, known)) = path.last().and_then(|sink| before.get(id(new, *sink))) else {
            return false;
        };
        known.len() == path.len()
            && path
                .iter()
                .zip(known)
                .all(|(a, b)| id(new, *a) == id(plan, *b) && !touched.contains(id(new, *a)))
    };
    let accepts = |task: &Task| {
        let mut is_accepting = false;
        new.visit_task(task, &mut |task, _| {
            is_accepting |= !task.accepts_untrusted.is_empty()
        });
        is_accepting
    };
    let accepting = new.tasks.iter().filter(|task| accepts(task));
    // Whatever a new or changed task accepts is a person's word that no person has given.
    let accepted = accepting
        .filter(|task| touched.contains(task.id.as_str()) && !is_over(task.id.as_str()))
        .map(|task| Ask::Flow {
            path: vec![task.id.clone()],
        });
    let ways = taint::paths(new, around)
        .into_iter()
        .filter(|path| !path.last().is_some_and(|sink| is_over(id(new, *sink))) && !is_known(path))
        .map(|path| Ask::Flow {
            path: path.iter().map(|ix| TaskId::from(id(new, *ix))).collect(),
        });
    ways.chain(accepted).collect()
}

fn id(plan: &Plan, ix: TaskIx) -> &str {
    plan.task(ix).id.as_str()
}

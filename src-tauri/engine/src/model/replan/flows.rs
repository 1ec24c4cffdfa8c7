//! Ways by which text from outside could leave, that the approved plan did not have. It must not know single calls.

use std::collections::{HashMap, HashSet};

use super::ask::Ask;
use crate::model::TaskId;
use crate::model::plan::{Plan, TaskIx};
use crate::model::taint;
use crate::model::tool::Catalog;

/// A sink is asked about where its nearest way from outside is another one than before, or leads through a task that
/// is new or changed. `is_over` names tasks that will make no call any more.
pub(super) fn new_flows(
    old: Option<&Plan>,
    new: &Plan,
    touched: &HashSet<&str>,
    is_over: impl Fn(&str) -> bool,
    catalog: &Catalog,
) -> Vec<Ask> {
    let before: HashMap<&str, (&Plan, Vec<TaskIx>)> = old
        .into_iter()
        .flat_map(|plan| {
            taint::paths(plan, catalog)
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
    taint::paths(new, catalog)
        .into_iter()
        .filter(|path| !path.last().is_some_and(|sink| is_over(id(new, *sink))) && !is_known(path))
        .map(|path| Ask::Flow {
            path: path.iter().map(|ix| TaskId::from(id(new, *ix))).collect(),
        })
        .collect()
}

fn id(plan: &Plan, ix: TaskIx) -> &str {
    plan.task(ix).id.as_str()
}

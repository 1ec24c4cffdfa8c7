//! Where text from outside could go, told before anything runs: from tools that read the world, along the data that
//! tasks read from each other, to calls that send, run or spend. Pure; the run itself asks the gate with real labels.

use std::collections::VecDeque;

use super::plan::{Input, Over, Plan, Task, TaskIx, TaskKind, Word};
use super::tool::{Catalog, Effect, ToolSpec};

/// The tasks whose outputs these inputs read, in order, each once.
pub fn read_tasks(inputs: &[(Word, Input)]) -> Vec<TaskIx> {
    let mut found = Vec::new();
    let mut open: Vec<&Input> = inputs.iter().map(|(_, input)| input).collect();
    while let Some(input) = open.pop() {
        match input {
            Input::From { task, .. } => found.push(*task),
            Input::Template { with, .. } => open.extend(with.iter().flatten().map(|(_, input)| input)),
            Input::Object(entries) => open.extend(entries.iter().map(|(_, input)| input)),
            Input::Array(items) => open.extend(items),
            Input::Literal(_) | Input::Param(_) | Input::Secret(_) | Input::Item { .. } | Input::Index => {}
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// For each task that could send out foreign text, one shortest way of it, source first. Linear in tasks and reads.
pub fn paths(plan: &Plan, catalog: &Catalog) -> Vec<Vec<TaskIx>> {
    let count = plan.tasks.len();
    let mut readers: Vec<Vec<TaskIx>> = vec![Vec::new(); count];
    for (ix, task) in (0..).zip(&plan.tasks) {
        for source in reads_of(task) {
            readers[source as usize].push(ix);
        }
    }
    // One search from all sources at once gives each task its nearest source.
    let mut came_from: Vec<Option<TaskIx>> = vec![None; count];
    let mut is_reached = vec![false; count];
    let mut queue: VecDeque<TaskIx> = VecDeque::new();
    for (ix, task) in (0..).zip(&plan.tasks) {
        if is_source(task, catalog) {
            is_reached[ix as usize] = true;
            queue.push_back(ix);
        }
    }
    let sources = is_reached.clone();
    let mut sinks = Vec::new();
    while let Some(ix) = queue.pop_front() {
        for &reader in &readers[ix as usize] {
            // A source that reads foreign text is a sink like any other, reached by that text.
            if came_from[reader as usize].is_some()
                || (is_reached[reader as usize] && !sources[reader as usize])
            {
                continue;
            }
            came_from[reader as usize] = Some(ix);
            if !is_reached[reader as usize] {
                is_reached[reader as usize] = true;
                queue.push_back(reader);
            }
            sinks.push(reader);
        }
    }
    sinks.sort_unstable();
    sinks
        .into_iter()
        .filter(|&ix| sends(plan.task(ix), catalog))
        .map(|ix| way(ix, &came_from, &sources))
        .collect()
}

fn way(sink: TaskIx, came_from: &[Option<TaskIx>], sources: &[bool]) -> Vec<TaskIx> {
    let mut path = vec![sink];
    let mut at = sink;
    while let Some(before) = came_from[at as usize] {
        path.push(before);
        at = before;
        if sources[at as usize] || path.len() > came_from.len() {
            break;
        }
    }
    path.reverse();
    path
}

/// Whether the task, or one inside it, reads what somebody outside wrote.
fn is_source(task: &Task, catalog: &Catalog) -> bool {
    match &task.kind {
        TaskKind::Tool { tool } => tools_of(task, tool, catalog).any(|s| s.is_source_untrusted),
        TaskKind::Agent { tools, .. } => tools
            .iter()
            .any(|tool| catalog.get(tool).is_some_and(|s| s.is_source_untrusted)),
        TaskKind::Map { task, .. } => is_source(task, catalog),
        TaskKind::Subplan { plan: Some(plan), .. } => plan.tasks.iter().any(|task| is_source(task, catalog)),
        TaskKind::Model
        | TaskKind::Code { .. }
        | TaskKind::Human { .. }
        | TaskKind::Subplan { plan: None, .. } => false,
    }
}

fn sends(task: &Task, catalog: &Catalog) -> bool {
    match &task.kind {
        TaskKind::Tool { tool } => {
            let literals: serde_json::Map<_, _> = task
                .inputs
                .iter()
                .filter_map(|(name, input)| Some((name.to_string(), input.as_literal()?.clone())))
                .collect();
            let literals = literals.into();
            tools_of(task, tool, catalog).any(|spec| is_outward(spec.effect_of(&literals)))
        }
        TaskKind::Agent { tools, .. } => tools
            .iter()
            .filter_map(|tool| catalog.get(tool))
            .any(|spec| is_outward(spec.effect)),
        TaskKind::Map { task, .. } => sends(task, catalog),
        TaskKind::Subplan { plan: Some(plan), .. } => plan.tasks.iter().any(|task| sends(task, catalog)),
        TaskKind::Model
        | TaskKind::Code { .. }
        | TaskKind::Human { .. }
        | TaskKind::Subplan { plan: None, .. } => false,
    }
}

/// The tool of a `tool` task, and the one that takes its place when it is down.
fn tools_of<'a>(task: &'a Task, tool: &'a str, catalog: &'a Catalog) -> impl Iterator<Item = &'a ToolSpec> {
    let names = std::iter::once(tool).chain(task.fallback_tool());
    names.filter_map(|name| catalog.get(name)).map(|spec| &**spec)
}

fn is_outward(effect: Effect) -> bool {
    match effect {
        Effect::WriteExternal | Effect::Exec | Effect::Spend => true,
        Effect::Pure | Effect::Read | Effect::ReadExternal | Effect::Write => false,
    }
}

/// The tasks that a task reads: by its inputs, by what a map runs over, and by the inputs of the map's inner task.
pub fn reads_of(task: &Task) -> Vec<TaskIx> {
    let mut reads = read_tasks(&task.inputs);
    if let TaskKind::Map {
        over, task: inner, ..
    } = &task.kind
    {
        if let Over::Value(over) = &**over {
            reads.extend(read_tasks(&[(Word::from(""), over.clone())]));
        }
        reads.extend(reads_of(inner));
    }
    reads.sort_unstable();
    reads.dedup();
    reads
}

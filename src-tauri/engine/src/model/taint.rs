//! Where text from outside and private data could go, told before anything runs: from what reads the world, along the
//! data that tasks read from each other and the files that they hand on, to what sends, runs, spends or asks outside.
//! Pure; the run itself asks the gate with real labels.

mod accepted;
mod ends;
mod strangers;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, VecDeque};

use super::grants::{Concern, OwnWork, Place};
use super::plan::{Input, Over, Plan, Task, TaskIx, TaskKind, Word};
use super::tool::Catalog;
use super::{Json, TaskId, narrow};
use accepted::Acceptance;
use ends::Ends;
use strangers::{Strangers, place_of};

pub use ends::may_be_foreign;

/// What a plan's flows are judged by.
#[derive(Clone, Copy)]
pub struct Around<'a> {
    pub catalog: &'a Catalog,
    pub place: &'a Place,
    /// Folders of the person's own work, by the settings.
    pub own_folders: &'a [String],
    /// Whether a program or a server of an earlier run may have written what lies there now.
    pub is_foreign: &'a dyn Fn(&str) -> bool,
}

/// One shortest way on which data could come to where a person would be asked about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flow {
    pub concern: Concern,
    /// Addresses, source first.
    pub path: Vec<TaskId>,
    /// The plan names this way, so that nobody is asked (`accepts_untrusted`).
    pub is_accepted: bool,
}

/// All flows of a plan and of the plans inside it.
pub fn flows(plan: &Plan, around: &Around<'_>) -> Vec<Flow> {
    let whole = Strangers::of(plan, around.catalog, around.place);
    flows_in(plan, around, &whole)
}

fn flows_in(plan: &Plan, around: &Around<'_>, strangers: &Strangers) -> Vec<Flow> {
    let mut found = Vec::new();
    for way in [Concern::Untrusted, Concern::Private, Concern::OwnWork] {
        let graph = Ways::new(plan, around, way, strangers);
        let searched = graph.search();
        for path in graph.paths(&searched) {
            found.push(Flow {
                concern: way,
                is_accepted: graph.is_accepted(&path, &searched),
                path: path.iter().map(|ix| plan.task(*ix).id.clone()).collect(),
            });
        }
    }
    for task in &plan.tasks {
        found.extend(flows_inside(task, around, strangers));
    }
    found
}

/// Of the plan inside a task, under its address. Recursion is bounded by the depth of the document.
fn flows_inside(task: &Task, around: &Around<'_>, strangers: &Strangers) -> Vec<Flow> {
    match &task.kind {
        TaskKind::Subplan { plan: Some(plan), .. } => {
            let place = place_of(plan, around.place);
            let around = Around {
                place: &place,
                ..*around
            };
            let inside = |mut flow: Flow| {
                let address = |id: &TaskId| TaskId::from(format!("{}/{id}", task.id));
                flow.path = flow.path.iter().map(address).collect();
                flow
            };
            flows_in(plan, &around, strangers)
                .into_iter()
                .map(inside)
                .collect()
        }
        TaskKind::Map { task: inner, .. } => {
            let named = |mut flow: Flow| {
                for id in &mut flow.path {
                    *id = TaskId::from(format!(
                        "{}[]{}",
                        task.id,
                        id.as_str().trim_start_matches(inner.id.as_str())
                    ));
                }
                flow
            };
            flows_inside(inner, around, strangers)
                .into_iter()
                .map(named)
                .collect()
        }
        TaskKind::Subplan { plan: None, .. }
        | TaskKind::Agent { .. }
        | TaskKind::Model
        | TaskKind::Tool { .. }
        | TaskKind::Code { .. }
        | TaskKind::Human { .. } => Vec::new(),
    }
}

/// For each task that could send out foreign text, one shortest way of it, source first. Linear in tasks and reads.
pub fn paths(plan: &Plan, around: &Around<'_>) -> Vec<Vec<TaskIx>> {
    let strangers = Strangers::of(plan, around.catalog, around.place);
    let graph = Ways::new(plan, around, Concern::Untrusted, &strangers);
    graph.paths(&graph.search())
}

/// The ways of one kind of data through one plan.
struct Ways<'p> {
    plan: &'p Plan,
    ends: Ends<'p>,
    /// For each task, who takes in what it gives. Behind the tasks stand two that are none: the files that somebody has
    /// written where only the run knows, and all files that were written.
    readers: Vec<Vec<TaskIx>>,
}

/// What a search from all sources at once has found.
struct Searched {
    sources: Vec<bool>,
    is_reached: Vec<bool>,
    came_from: Vec<Option<TaskIx>>,
    reached: Vec<TaskIx>,
}

impl<'p> Ways<'p> {
    fn new(plan: &'p Plan, around: &Around<'p>, concern: Concern, strangers: &'p Strangers) -> Self {
        let own = OwnWork {
            folders: around.own_folders,
            grants: &plan.grants,
            place: around.place,
        };
        let ends = Ends::new(plan, around, own, concern, strangers);
        let count = plan.tasks.len() as TaskIx;
        let (open, any) = (count, count + 1);
        let mut readers: Vec<Vec<TaskIx>> = vec![Vec::new(); plan.tasks.len() + 2];
        for (ix, task) in (0..).zip(&plan.tasks) {
            for source in sources_in(plan, task, concern) {
                readers[source as usize].push(ix);
            }
            for writer in ends.writers_for(ix) {
                readers[writer as usize].push(ix);
            }
            let (writes, reads) = (ends.writes(task), ends.reads(task));
            if writes.is_open {
                readers[ix as usize].extend([open, any]);
            } else if writes.is_any {
                readers[ix as usize].push(any);
            }
            if reads.is_any {
                readers[any as usize].push(ix);
            } else if reads.is_open {
                readers[open as usize].push(ix);
            }
        }
        Self { plan, ends, readers }
    }

    fn search(&self) -> Searched {
        let count = self.plan.tasks.len();
        // One search from all sources at once gives each task its nearest source.
        let mut came_from: Vec<Option<TaskIx>> = vec![None; count + 2];
        let mut sources: Vec<bool> = (0..count as TaskIx).map(|ix| self.ends.is_source(ix)).collect();
        sources.extend([false, false]);
        let mut is_reached = sources.clone();
        let mut queue: VecDeque<TaskIx> = (0..count as TaskIx).filter(|&ix| sources[ix as usize]).collect();
        let mut reached = Vec::new();
        while let Some(ix) = queue.pop_front() {
            for &reader in &self.readers[ix as usize] {
                // A source that reads foreign text is a sink like any other, reached by that text.
                let at = reader as usize;
                if came_from[at].is_some() || (is_reached[at] && !sources[at]) {
                    continue;
                }
                came_from[at] = Some(ix);
                if !is_reached[at] {
                    is_reached[at] = true;
                    queue.push_back(reader);
                }
                if at < count {
                    reached.push(reader);
                }
            }
        }
        reached.sort_unstable();
        Searched {
            sources,
            is_reached,
            came_from,
            reached,
        }
    }

    fn paths(&self, searched: &Searched) -> Vec<Vec<TaskIx>> {
        let count = self.plan.tasks.len() as TaskIx;
        let sinks = searched.reached.iter().filter(|&&ix| self.ends.is_sink(ix));
        let way = |&ix: &TaskIx| {
            let mut path = way(ix, &searched.came_from, &searched.sources);
            path.retain(|ix| *ix < count);
            path
        };
        let mut found: Vec<Vec<TaskIx>> = sinks.map(way).collect();
        // One that brings it in and sends it out by itself, and that nothing else reaches.
        let alone = |ix: &TaskIx| {
            let is_one = || self.ends.is_both(*ix) || self.ends.runs_what_is_filled(*ix);
            searched.came_from[*ix as usize].is_none() && is_one()
        };
        found.extend((0..count).filter(alone).map(|ix| vec![ix]));
        found
    }

    /// Whether the sink accepts all that comes to it from outside.
    fn is_accepted(&self, path: &[TaskIx], searched: &Searched) -> bool {
        let Some(&sink) = path.last() else {
            return false;
        };
        let acceptance = Acceptance {
            ends: &self.ends,
            plan: self.plan,
            is_foreign: &|ix| searched.is_reached[ix as usize],
            is_nested: false,
        };
        self.ends.concern != Concern::Private && acceptance.accepts(self.plan.task(sink), false)
    }
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

/// The tasks that a task takes foreign text from: those that it reads, but for what is narrow by its schema (R4).
fn sources_in(plan: &Plan, task: &Task, concern: Concern) -> Vec<TaskIx> {
    let mut found = Vec::new();
    each_read(task, &mut |source, path| {
        let schema = plan.task(source).output_schema.as_deref();
        let place = schema.and_then(|schema| narrow::schema_at(schema, path));
        if concern == Concern::Private || !place.is_some_and(narrow::is_narrow_schema) {
            found.push(source);
        }
    });
    found.sort_unstable();
    found.dedup();
    found
}

/// Every place that the task reads, its inner task's too. Recursion is bounded by the depth of the document.
fn each_read(task: &Task, see: &mut dyn FnMut(TaskIx, &str)) {
    task.inputs.iter().for_each(|(_, input)| each_place(input, see));
    if let TaskKind::Map {
        over, task: inner, ..
    } = &task.kind
    {
        if let Over::Value(over) = &**over {
            each_place(over, see);
        }
        each_read(inner, see);
    }
}

fn each_place(input: &Input, see: &mut dyn FnMut(TaskIx, &str)) {
    match input {
        Input::From { task, path } => see(*task, path),
        Input::Template { with, .. } => with
            .iter()
            .flatten()
            .for_each(|(_, input)| each_place(input, see)),
        Input::Object(entries) => entries.iter().for_each(|(_, input)| each_place(input, see)),
        Input::Array(items) => items.iter().for_each(|input| each_place(input, see)),
        Input::Literal(_) | Input::Param(_) | Input::Secret(_) | Input::Item { .. } | Input::Index => {}
    }
}

/// What a task's output is free of, place by place, for people: the places that are narrow by its schema (R4).
pub fn endorsed(plan: &Plan) -> Vec<(TaskId, String)> {
    let mut found = Vec::new();
    for task in &plan.tasks {
        each_read(task, &mut |source, path| {
            let schema = plan.task(source).output_schema.as_deref();
            let place = schema.and_then(|schema| narrow::schema_at(schema, path));
            if place.is_some_and(narrow::is_narrow_schema) {
                found.push((plan.task(source).id.clone(), path.to_owned()));
            }
        });
    }
    found.sort();
    found.dedup();
    found
}

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

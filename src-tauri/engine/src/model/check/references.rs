//! References to other tasks that are not among the direct dependencies: they must be among the indirect ones.

use super::Check;
use super::sketch::Outline;
use crate::model::TaskId;
use crate::model::edit::PlanEdit;
use crate::model::graph::{Components, Graph, Node, reaches};
use crate::model::problem::{Code, Problem, QuickFix, Severity};

/// A reference that is waiting to be judged, because that is done for all of them at once.
pub(super) struct Reference {
    pub source: Node,
    pub reader: Node,
    pub pointer: String,
    pub task: Option<TaskId>,
    /// Whether an edit can reach the task by its id.
    pub is_editable: bool,
}

/// Tells references to tasks that need not have run, and drops quick fixes that would close a loop.
pub(super) fn tell(
    check: &mut Check<'_>,
    outline: &Outline<'_>,
    (graph, components): (&Graph, &Components),
    references: Vec<Reference>,
    renames: &[(usize, Node, Node)],
) {
    let pairs: Vec<(Node, Node)> = references.iter().map(|r| (r.source, r.reader)).collect();
    let is_above = reaches(graph, components, &pairs);
    let missing: Vec<Reference> = references
        .into_iter()
        .zip(is_above)
        .filter(|(_, is_above)| !is_above)
        .map(|(r, _)| r)
        .collect();

    // A new edge is only offered where its end does not lead to its start.
    let mut back: Vec<(Node, Node)> = missing.iter().map(|r| (r.reader, r.source)).collect();
    back.extend(renames.iter().map(|(_, reader, source)| (*reader, *source)));
    let leads_back = reaches(graph, components, &back);
    for ((problem, _, _), _) in renames
        .iter()
        .zip(&leads_back[missing.len()..])
        .filter(|(_, leads)| **leads)
    {
        check.problems[*problem].fix = None;
    }
    for (reference, leads_back) in missing.into_iter().zip(leads_back) {
        let source = outline.first(reference.source);
        let problem = missing_dependency(
            reference,
            source.id.as_ref().map_or("", TaskId::as_str),
            leads_back,
        );
        check.problems.push(problem);
    }
}

fn missing_dependency(reference: Reference, source: &str, leads_back: bool) -> Problem {
    let Reference {
        pointer,
        task,
        is_editable,
        ..
    } = reference;
    let reader = task.as_ref().map_or("?", TaskId::as_str);
    let mut message = format!(
        "Task `{reader}` reads the output of `{source}` but does not depend on it, directly or indirectly."
    );
    if leads_back {
        message.push_str(&format!(
            " `{source}` itself waits for `{reader}`, so a dependency would close a loop."
        ));
    }
    let editable = task.as_ref().filter(|_| is_editable && !leads_back);
    let fix = editable.map(|to| QuickFix {
        label: format!("Let it depend on `{source}`"),
        edits: vec![PlanEdit::Connect {
            from: source.to_owned(),
            to: to.to_string(),
        }],
        unpins: None,
    });
    let tasks = task.into_iter().collect();
    Problem {
        code: Code::MissingDependency,
        severity: Severity::Error,
        message,
        pointer,
        tasks,
        fix,
    }
}

//! Plan files named inside plans: read once, when the plan is opened or signed, and from then on part of its document.
//! So what was approved is what runs, whatever becomes of the files.

use std::path::{Path, PathBuf};

use super::drafts::CachedDraft;
use super::plan_files::read_plan_file;
use super::{Engine, Error};
use crate::model::Json;
use crate::model::document::DraftPlan;
use crate::model::problem::{Code, Problem, Severity};

/// How deep plan files may name each other; the depth of a document bounds the rest.
const DEEPEST: usize = 16;
/// How many plan files one plan may bring in.
const MOST_FILES: usize = 1_000;

impl Engine {
    /// The draft with the plan files that it names in their places; none where it names none.
    pub(super) async fn whole(&self, cached: &CachedDraft) -> Result<Option<DraftPlan>, Error> {
        let document = cached.drafting.plan.document();
        if !names_files(document) {
            return Ok(None);
        }
        read_in(document.clone(), cached.place.folder.as_deref())
            .await
            .map(Some)
    }
}

/// The text of a plan file, and of all that it names, in one document.
pub(super) async fn read_whole(path: PathBuf) -> Result<String, Error> {
    let text = read_plan_file(path.clone()).await?;
    // Only a plan that can name files at all is worth its tree.
    if !text.contains("subplan") {
        return Ok(text);
    }
    let draft = super::drafts::parse(&text)?;
    if !names_files(draft.document()) {
        return Ok(text);
    }
    let whole = read_in(draft.document().clone(), path.parent()).await?;
    Ok(whole.to_text())
}

/// Whether a plan names plan files that are still to be read.
pub(super) fn names_files(document: &Json) -> bool {
    let mut open = vec![document];
    while let Some(value) = open.pop() {
        let tasks = value.get("tasks").and_then(Json::as_array);
        for task in tasks.into_iter().flatten() {
            let Some(plan) = place_of_plan(task).and_then(|place| task.pointer(&place)) else {
                continue;
            };
            if plan.is_string() {
                return true;
            }
            open.push(plan);
        }
    }
    false
}

/// Where in a task its nested plan stands: in itself, or in the inner task of its maps. A field of that name in another
/// type of task is nobody's plan.
fn place_of_plan(task: &Json) -> Option<String> {
    let (mut at, mut place) = (task, String::new());
    loop {
        match at.get("task_type").and_then(Json::as_str) {
            Some("subplan") => return Some(place + "/plan"),
            Some("map") => {
                at = at.get("task")?;
                place.push_str("/task");
            }
            Some(_) | None => return None,
        }
    }
}

/// The document with every plan file that it names in its place. `folder` is where its own relative paths lie.
pub(super) async fn read_in(document: Json, folder: Option<&Path>) -> Result<DraftPlan, Error> {
    let mut reading = Reading {
        line: Vec::new(),
        files: 0,
    };
    let whole = reading
        .plan(document, folder.map(Path::to_owned), String::new())
        .await?;
    // The bounds of a document hold for the whole of it.
    super::drafts::parse(&whole.to_string())
}

struct Reading {
    /// The files that are being read, the outermost first.
    line: Vec<PathBuf>,
    files: usize,
}

impl Reading {
    async fn plan(
        &mut self,
        mut plan: Json,
        folder: Option<PathBuf>,
        pointer: String,
    ) -> Result<Json, Error> {
        let count = plan.get("tasks").and_then(Json::as_array).map_or(0, Vec::len);
        for ix in 0..count {
            let task = format!("/tasks/{ix}");
            let Some(place) = plan.pointer(&task).and_then(place_of_plan) else {
                continue;
            };
            let place = task + &place;
            let Some(slot) = plan.pointer_mut(&place) else {
                continue;
            };
            let named = std::mem::take(slot);
            let here = format!("{pointer}{place}");
            let read = match named {
                Json::String(path) if !path.is_empty() => {
                    Box::pin(self.file(&path, folder.as_deref(), &here)).await?
                }
                inner @ Json::Object(_) => Box::pin(self.plan(inner, folder.clone(), here)).await?,
                other @ (Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_)) => {
                    other
                }
            };
            if let Some(slot) = plan.pointer_mut(&place) {
                *slot = read;
            }
        }
        Ok(plan)
    }

    async fn file(&mut self, path: &str, folder: Option<&Path>, pointer: &str) -> Result<Json, Error> {
        let wrong = |code, message: String| problem(code, message, pointer);
        let full = match (Path::new(path).is_absolute(), folder) {
            (true, _) => PathBuf::from(path),
            (false, Some(folder)) => folder.join(path),
            (false, None) => {
                let message =
                    format!("the plan file {path} is named relative to a plan that lies in no folder");
                return Err(wrong(Code::Type, message));
            }
        };
        let full = full.canonicalize().unwrap_or(full);
        if let Some(at) = self.line.iter().position(|known| *known == full) {
            let ring = self.line[at..].iter().chain([&full]);
            let ring: Vec<String> = ring.map(|p| p.display().to_string()).collect();
            return Err(wrong(
                Code::Cycle,
                format!("plan files name each other in a ring: {}", ring.join(" → ")),
            ));
        }
        self.files += 1;
        if self.line.len() >= DEEPEST || self.files > MOST_FILES {
            let message =
                format!("plan files may lie {DEEPEST} deep in each other and be {MOST_FILES} in all");
            return Err(wrong(Code::TooLarge, message));
        }
        let text = read_plan_file(full.clone())
            .await
            .map_err(|e| at(e, path, pointer))?;
        let document = super::drafts::parse(&text).map_err(|e| at(e, path, pointer))?;
        if !document.document().is_object() {
            return Err(wrong(Code::Type, format!("the plan file {path} holds no plan")));
        }
        self.line.push(full.clone());
        let inner = full.parent().map(Path::to_owned);
        let read = self
            .plan(document.document().clone(), inner, pointer.to_owned())
            .await;
        self.line.pop();
        let mut read = read?;
        if let Some(map) = read.as_object_mut() {
            map.insert("file".to_owned(), Json::String(path.to_owned()));
        }
        Ok(read)
    }
}

/// What is wrong inside a plan file, told at the place that names it.
fn at(error: Error, path: &str, pointer: &str) -> Error {
    let Error::Problems { problems } = error else {
        return error;
    };
    let first = problems.into_iter().next();
    let (code, message) = first.map_or((Code::Syntax, String::new()), |p| (p.code, p.message));
    problem(code, format!("In the plan file {path}: {message}"), pointer)
}

fn problem(code: Code, message: String, pointer: &str) -> Error {
    Error::Problems {
        problems: vec![Problem {
            code,
            severity: Severity::Error,
            message,
            pointer: pointer.to_owned(),
            tasks: Vec::new(),
            fix: None,
        }],
    }
}

//! Which files a run wrote after a position, what each held there, and what the run left. Read off the log alone:
//! it must not know what the files hold now.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::model::events::{CallOutcome, Content, Event, EventBody, Restored};
use crate::model::{Digest, Seq, TaskId};

/// A file's bytes by their hash; `None`: there is no such file.
pub type Bytes = Option<Digest>;

/// One file that the run wrote after the position.
#[derive(Clone, Debug)]
pub struct WrittenFile {
    pub path: String,
    /// The tool of the earliest write, and where its intent stands.
    pub tool: String,
    pub seq: Seq,
    /// What the file held at the position.
    pub content: Content,
    /// What later writes found, in order.
    pub later: Vec<Content>,
    /// What the run may have left there; `None`: that can't be told.
    pub left: Option<BTreeSet<Bytes>>,
    /// Between two writes of the run the file had become something that the run never saw.
    pub is_touched_between: bool,
    /// The calls that wrote it.
    pub keys: Vec<Digest>,
}

struct Write {
    seq: Seq,
    finished: Option<Seq>,
    is_done: bool,
    tool: String,
    /// None: it was no call, but a restoring.
    key: Option<Digest>,
    content: Content,
    after: Option<Bytes>,
}

enum Step {
    Write(Write),
    /// Found to be so; nothing was changed.
    Seen(Bytes),
}

/// The files that were written after event `after`, by path. Stretches that were taken back count: they happened.
/// Up to `inherited` the log is another run's, or another machine's: of that, only the copies in the run's own folder
/// are this run's to put back.
pub fn written_since(events: &[Event], after: Seq, inherited: Seq) -> Vec<WrittenFile> {
    let files = steps(events, after, inherited).into_iter();
    files.filter_map(|(path, steps)| file(path, steps)).collect()
}

fn steps(events: &[Event], after: Seq, inherited: Seq) -> BTreeMap<String, Vec<Step>> {
    let mut files: BTreeMap<String, Vec<Step>> = BTreeMap::new();
    // The calls of each task's newest attempt, with where their writes stand.
    let mut calls: HashMap<TaskId, Vec<Vec<(String, usize)>>> = HashMap::new();
    for event in events.iter().filter(|e| e.seq > after) {
        let task = event.task.clone();
        match (&event.body, task) {
            (EventBody::TaskStarted(_), Some(task)) => {
                calls.remove(&task);
            }
            (EventBody::CallStarted(call), Some(task)) => {
                let mut places = Vec::new();
                let is_own = |path: &str| event.seq > inherited || path.starts_with("run:/");
                for before in call.before.iter().filter(|b| is_own(&b.path)) {
                    let steps = files.entry(before.path.clone()).or_default();
                    places.push((before.path.clone(), steps.len()));
                    steps.push(Step::Write(Write {
                        seq: event.seq,
                        finished: None,
                        is_done: false,
                        tool: call.tool.clone(),
                        key: Some(call.key),
                        content: before.content.clone(),
                        after: before.after.map(Some),
                    }));
                }
                calls.entry(task).or_default().push(places);
            }
            (EventBody::CallFinished(finished), Some(task)) => {
                let known = calls.get(&task);
                let places = known.and_then(|calls| match finished.call {
                    Some(number) => calls.get(number as usize),
                    None => calls.last(),
                });
                let is_done = matches!(finished.outcome, CallOutcome::Result(_));
                for (path, at) in places.into_iter().flatten() {
                    if let Some(Step::Write(write)) = files.get_mut(path).and_then(|s| s.get_mut(*at)) {
                        (write.finished, write.is_done) = (Some(event.seq), is_done);
                    }
                }
            }
            (EventBody::FilesRestored(restored), _) => {
                for file in &restored.paths {
                    let steps = files.entry(file.path.clone()).or_default();
                    steps.push(restoring(event.seq, file));
                }
            }
            _ => {}
        }
    }
    files
}

/// Putting back is a write like any other.
fn restoring(seq: Seq, file: &Restored) -> Step {
    match &file.before {
        None => Step::Seen(file.hash),
        Some(content) => Step::Write(Write {
            seq,
            finished: Some(seq),
            is_done: true,
            tool: file.tool.clone(),
            key: None,
            content: content.clone(),
            after: Some(file.hash),
        }),
    }
}

fn file(path: String, steps: Vec<Step>) -> Option<WrittenFile> {
    let (left, is_touched_between) = (left(&steps), is_touched(&steps));
    let mut writes = steps.into_iter().filter_map(|step| match step {
        Step::Write(write) => Some(write),
        Step::Seen(_) => None,
    });
    let first = writes.next()?;
    let mut keys = Vec::from_iter(first.key);
    let mut later = Vec::new();
    for write in writes {
        keys.extend(write.key);
        later.push(write.content);
    }
    Some(WrittenFile {
        path,
        tool: first.tool,
        seq: first.seq,
        content: first.content,
        later,
        left,
        is_touched_between,
        keys,
    })
}

/// What a file held by this; `None`: not known.
pub fn bytes_of(content: &Content) -> Option<Bytes> {
    match content {
        Content::Absent => Some(None),
        Content::Kept(kept) => Some(Some(kept.hash)),
        Content::Beginning(size) => Some(Some(size.hash)),
        Content::NotKept(not) => not.size.map(|size| Some(size.hash)),
    }
}

/// Every write that may have been the last one gives what it makes, and what it found where it may not have happened.
fn left(steps: &[Step]) -> Option<BTreeSet<Bytes>> {
    let last_seq = match steps.last()? {
        Step::Seen(bytes) => return Some([*bytes].into()),
        Step::Write(write) => write.seq,
    };
    let mut left = BTreeSet::new();
    for step in steps {
        let Step::Write(write) = step else { continue };
        if write.finished.is_some_and(|at| at < last_seq) {
            continue;
        }
        left.insert(write.after?);
        if !write.is_done {
            left.insert(bytes_of(&write.content)?);
        }
    }
    Some(left)
}

fn is_touched(steps: &[Step]) -> bool {
    let mut seen: BTreeSet<Bytes> = BTreeSet::new();
    // After a write of which nothing is known, the next find may be its own.
    let mut is_open = true;
    for step in steps {
        match step {
            Step::Seen(bytes) => {
                seen.insert(*bytes);
                is_open = false;
            }
            Step::Write(write) => {
                let found = bytes_of(&write.content);
                if !is_open && found.is_some_and(|found| !seen.contains(&found)) {
                    return true;
                }
                seen.extend(found);
                seen.extend(write.after);
                is_open = write.after.is_none() || found.is_none();
            }
        }
    }
    false
}

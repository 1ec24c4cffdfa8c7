//! What must hold after every death and at every end, judged from the log and from the receivers' books.

use std::collections::{BTreeMap, HashMap};

use planloom_engine::model::RunId;
use planloom_engine::views::{EventView, TaskStatus};
use planloom_engine::{Engine, Shown};

use crate::people::Repeats;
use crate::world::World;

/// What was seen of the log before: it may only grow, and its past never changes.
#[derive(Default)]
pub struct Memory {
    lines: Vec<String>,
    pictures: BTreeMap<u64, String>,
}

impl Memory {
    pub fn story(&self) -> String {
        self.lines.join("\n")
    }

    pub fn turn_to_another_run(&mut self) {
        self.lines.clear();
        self.pictures.clear();
    }
}

pub async fn at_rest(engine: &Engine, run: &RunId, memory: &mut Memory, world: &World, repeats: &Repeats) {
    let mut watch = engine.watch_all(run, 0).await.unwrap();
    let news = watch.next().await.unwrap().unwrap();
    let lines: Vec<String> = news.events.iter().map(line).collect();
    assert!(lines.len() >= memory.lines.len(), "the log has become shorter");
    assert_eq!(
        memory.lines,
        lines[..memory.lines.len()],
        "what was recorded has changed"
    );
    for (event, seq) in news.events.iter().zip(1..) {
        assert_eq!(event.seq, seq, "the log has a gap");
    }
    memory.lines = lines;
    if std::env::var_os("PLANLOOM_TELL").is_some() {
        println!("{}\n----\n{:#?}", memory.story(), world.entries());
    }
    one_start_per_attempt(&news.events);
    effects_once(world, &news.events, repeats);
    pictures_hold(engine, run, memory).await;
}

fn line(event: &EventView) -> String {
    let said = if matches!(event.kind.as_str(), "run_rewound" | "run_finished") {
        event.text.as_str()
    } else {
        ""
    };
    let task = event.task.as_deref().unwrap_or("-");
    format!("{} {} {task} {} {said}", event.seq, event.kind, event.at)
        .trim_end()
        .to_owned()
}

/// The fold from zero, at any earlier position, is the state that was seen there.
async fn pictures_hold(engine: &Engine, run: &RunId, memory: &mut Memory) {
    let now = engine.show(run, None).await.unwrap();
    // What nobody drives is shown as left alone; at its own position the past was driven by somebody.
    let at_head = engine.show(run, Some(now.seq)).await.unwrap();
    memory.pictures.insert(at_head.seq, picture(&at_head));
    // From any kept fold and from zero it is the same.
    let middle = 1 + at_head.seq / 2;
    let warm = engine.show(run, Some(middle)).await.unwrap();
    engine.forget_folds();
    let cold = engine.show(run, Some(middle)).await.unwrap();
    assert_eq!(
        picture(&warm),
        picture(&cold),
        "the fold at {middle} hangs on where it begins"
    );
    if let Some((&seq, _)) = memory.pictures.iter().next() {
        let again = engine.show(run, Some(seq)).await.unwrap();
        let before = memory.pictures.insert(seq, picture(&again));
        assert_eq!(
            before.as_deref(),
            Some(picture(&again).as_str()),
            "the past at {seq} has changed"
        );
    }
    if memory.pictures.len() > 3 {
        memory.pictures.pop_first();
    }
}

/// By the tasks' own states, as those of a run at rest are shown otherwise.
fn picture(shown: &Shown) -> String {
    let hold = |status: TaskStatus| match status {
        // Shown by whether somebody is at work now.
        TaskStatus::Running | TaskStatus::Ready | TaskStatus::InDoubt | TaskStatus::Waiting => {
            "open".to_owned()
        }
        TaskStatus::Pending
        | TaskStatus::Retrying
        | TaskStatus::Completed
        | TaskStatus::Failed
        | TaskStatus::Skipped
        | TaskStatus::Cancelled
        | TaskStatus::Pruned => status.to_string(),
    };
    let tasks: Vec<String> = shown
        .tasks
        .iter()
        .zip(&shown.outputs)
        .map(|(task, output)| format!("{} {} {:?}", task.id, hold(task.status), output))
        .collect();
    tasks.join("\n")
}

/// Between two starts of a task something has ended the first or cut it off; nothing completes that has not started.
fn one_start_per_attempt(events: &[EventView]) {
    let mut is_running: HashMap<&str, bool> = HashMap::new();
    for event in events {
        let Some(task) = event.task.as_deref() else {
            if matches!(event.kind.as_str(), "run_rewound" | "run_forked") {
                // Each task is where it was then.
                is_running.clear();
            }
            continue;
        };
        match event.kind.as_str() {
            "task_started" => {
                let was = is_running.insert(task, true);
                assert_ne!(was, Some(true), "{task} was started twice at {}", event.seq);
            }
            "task_ready" | "task_retrying" | "task_waiting" | "task_completed" | "task_failed"
            | "task_skipped" | "task_cancelled" | "task_in_doubt" | "task_reset" => {
                is_running.insert(task, false);
            }
            _ => {}
        }
    }
}

/// No key without an honouring receiver has happened twice, unless a person chose that for its task.
fn effects_once(world: &World, events: &[EventView], repeats: &Repeats) {
    let mut happened: BTreeMap<(String, String), u32> = BTreeMap::new();
    for entry in world
        .entries()
        .into_iter()
        .filter(|e| e.tool == "effect.do" && e.has_happened)
    {
        *happened.entry((entry.id, entry.key)).or_default() += 1;
    }
    let mut twice: BTreeMap<String, u32> = BTreeMap::new();
    for ((id, _), times) in happened {
        *twice.entry(id).or_default() += times - 1;
    }
    for (id, more) in twice {
        let chosen = repeats.get(&id).copied().unwrap_or(0);
        assert!(
            more <= chosen,
            "{id} has happened {more} times too often; people chose {chosen} repeats in {} events",
            events.len()
        );
    }
}

/// A run that is over has nothing left that could go on, and gives nothing that no receiver gave.
pub fn at_the_end(shown: &Shown, world: &World) {
    let entries = world.entries();
    for (task, output) in shown.tasks.iter().zip(&shown.outputs) {
        let is_settled = match task.status {
            TaskStatus::Completed
            | TaskStatus::Skipped
            | TaskStatus::Cancelled
            | TaskStatus::Failed
            | TaskStatus::Pruned => true,
            TaskStatus::Pending
            | TaskStatus::Ready
            | TaskStatus::Running
            | TaskStatus::Retrying
            | TaskStatus::Waiting
            | TaskStatus::InDoubt => false,
        };
        assert!(
            is_settled,
            "{} is {} though the run is over",
            task.id, task.status
        );
        // What a tool gave is what the task gives: the receiver knows of it.
        let given = output
            .as_deref()
            .and_then(|o| serde_json::from_str::<serde_json::Value>(o).ok());
        let Some(id) = given
            .as_ref()
            .and_then(|g| g.get("id"))
            .and_then(|id| id.as_str())
        else {
            continue;
        };
        assert!(
            entries.iter().any(|e| e.id == id && e.has_happened),
            "{} has an output that nobody gave",
            task.id
        );
    }
}

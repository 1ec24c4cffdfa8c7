//! What must hold after every death and at every end, judged from the log, event by event, and from the receivers' books.

use std::collections::BTreeMap;

use planloom_engine::history::load::Surroundings;
use planloom_engine::model::RunId;
use planloom_engine::model::events::Event;
use planloom_engine::store::Store;
use planloom_engine::views::TaskStatus;
use planloom_engine::{Engine, Shown};

use crate::dice::Dice;
use crate::fold::Fold;
use crate::heard::{Heard, told};
use crate::people::Repeats;
use crate::rules::Rules;
use crate::world::World;

/// How many events in a hundred are folded once more from zero and from what is kept.
const FOLDED_AGAIN: u64 = 2;
/// How many looks in a hundred read the whole log, not only what is new.
const READ_WHOLE: u64 = 10;

/// What was seen of the log before: it may only grow, and its past never changes.
pub struct Memory {
    lines: Vec<String>,
    rules: Rules,
    fold: Fold,
    heard: Heard,
    dice: Dice,
    has_lost_power: bool,
    pub events: u64,
}

impl Memory {
    pub fn new(around: Surroundings, heard: Heard, dice: Dice) -> Self {
        Self {
            lines: Vec::new(),
            rules: Rules::default(),
            fold: Fold::new(around),
            heard,
            dice,
            has_lost_power: false,
            events: 0,
        }
    }

    pub fn story(&self) -> String {
        self.lines.join("\n")
    }

    pub fn turn_to_another_run(&mut self) {
        self.lines.clear();
        self.begin_anew();
    }

    pub fn note_loss_of_power(&mut self) {
        self.has_lost_power = true;
    }

    fn begin_anew(&mut self) {
        self.rules = Rules::default();
        self.fold.begin_anew();
    }

    /// Reads the log, holds its past against what was seen and said of it, and judges each event that is new.
    pub async fn look(&mut self, store: &Store, run: &RunId) {
        let has_lost_power = std::mem::take(&mut self.has_lost_power);
        let is_whole = has_lost_power || self.dice.chance(READ_WHOLE);
        let from = if is_whole { 0 } else { self.lines.len() };
        let record = store.run(run).await.unwrap();
        let events = store
            .events(run, from as u64, u64::MAX, usize::MAX)
            .await
            .unwrap();
        let length = from + events.len();
        assert_eq!(length as u64, record.head, "the log is as long as its row says");
        self.heard.compare(record.key, &events, length, has_lost_power);
        self.compare(&events, has_lost_power);
        if has_lost_power {
            self.lines.clear();
            self.begin_anew();
        }
        let seen = self.lines.len() - from;
        for event in &events[seen..] {
            self.lines.push(line(event));
            self.rules.take(event);
            self.fold.take(store, run, event).await;
            if self.dice.chance(FOLDED_AGAIN) {
                self.fold.holds_from_anywhere(store, run).await;
            }
        }
        self.events += (events.len() - seen) as u64;
    }

    fn compare(&self, events: &[Event], has_lost_power: bool) {
        let Some(first) = events.first() else { return };
        let seen = &self.lines[(first.seq - 1) as usize..];
        if !has_lost_power {
            assert!(events.len() >= seen.len(), "the log has become shorter");
        }
        for (event, seen) in events.iter().zip(seen) {
            assert_eq!(&line(event), seen, "what was recorded has changed");
        }
    }
}

pub async fn at_rest(
    engine: &Engine,
    store: &Store,
    run: &RunId,
    memory: &mut Memory,
    world: &World,
    repeats: &Repeats,
) {
    if std::env::var_os("PLANLOOM_TELL").is_some() {
        let events = store.events(run, 0, u64::MAX, usize::MAX).await.unwrap();
        let lines: Vec<String> = events.iter().map(line).collect();
        println!("{}\n----\n{:#?}", lines.join("\n"), world.entries());
    }
    memory.look(store, run).await;
    effects_once(world, memory, repeats);
    if memory.dice.chance(20) {
        pictures_hold(engine, run, memory).await;
    }
}

fn line(event: &Event) -> String {
    format!(
        "{} {}",
        event.seq,
        told(event.at_ms, event.task.as_ref(), &event.body)
    )
}

/// What a face is shown of any position hangs on nothing but the log.
async fn pictures_hold(engine: &Engine, run: &RunId, memory: &mut Memory) {
    let at = 1 + memory.dice.below(memory.lines.len() as u64);
    let warm = engine.show(run, Some(at)).await.unwrap();
    engine.forget_folds();
    let cold = engine.show(run, Some(at)).await.unwrap();
    let told = |shown: &Shown| format!("{:?} {:?}", shown.tasks, shown.outputs);
    assert_eq!(
        told(&warm),
        told(&cold),
        "the picture at {at} hangs on where it begins"
    );
}

/// No key without an honouring receiver has happened twice, unless a person chose that for its task.
fn effects_once(world: &World, memory: &Memory, repeats: &Repeats) {
    let mut happened: BTreeMap<(String, String), (u32, bool)> = BTreeMap::new();
    for entry in world.entries().into_iter().filter(|e| e.has_happened) {
        let times = happened.entry((entry.id, entry.key)).or_default();
        match entry.honours {
            None => {}
            Some(true) => times.1 = true,
            Some(false) => times.0 += 1,
        }
    }
    let mut more_by_id: BTreeMap<String, u32> = BTreeMap::new();
    for ((id, _), (blind, has_keyed)) in happened {
        // Receivers that honour the key make one of it, however often they are asked.
        *more_by_id.entry(id).or_default() += (blind + u32::from(has_keyed)).saturating_sub(1);
    }
    for (id, more) in more_by_id {
        let chosen = repeats.get(&id).copied().unwrap_or(0);
        assert!(
            more <= chosen,
            "{id} has happened {more} times too often; people chose {chosen} repeats in {} events",
            memory.lines.len()
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

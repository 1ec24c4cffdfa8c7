//! The fold, looked at after every single event: what it counts is what is there, nothing that was done is lost, and
//! from zero, from any kept fold and by going on event by event it is the same. It must not know the world.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::sync::Arc;

use planloom_engine::history::load::{self, Surroundings};
use planloom_engine::model::events::{Event, EventBody};
use planloom_engine::model::plan::Plan;
use planloom_engine::model::state::{Made, RunState};
use planloom_engine::model::{Digest, RunId, Seq};
use planloom_engine::store::Store;
use planloom_engine::views::TaskStatus;

pub struct Fold {
    around: Surroundings,
    state: RunState,
    /// Before its beginning, a fork knows the other run's effects; they are none of its own.
    is_fork: bool,
    effects: Turns,
}

/// What became of each effect as the log grew.
#[derive(Default)]
struct Turns(HashMap<Digest, Turn>);

#[derive(Default)]
struct Turn {
    /// Since when it has been known, or no longer.
    known: Vec<(Seq, bool)>,
    /// Where it was begun last.
    begun: Seq,
    /// Where the outcome of a call said last that it surely did not happen.
    freed: Option<Seq>,
}

impl Turns {
    fn take(&mut self, before: &HashMap<Digest, Made>, state: &RunState, event: &Event) {
        let gone = before.keys().filter(|key| !state.made.contains_key(key));
        let come = state.made.keys().filter(|key| !before.contains_key(key));
        for (key, is_known) in gone.map(|k| (k, false)).chain(come.map(|k| (k, true))) {
            let turn = self.0.entry(*key).or_default();
            turn.known.push((event.seq, is_known));
            if !is_known && matches!(event.body, EventBody::CallFinished(_)) {
                turn.freed = Some(event.seq);
            }
        }
        if let EventBody::CallStarted(started) = &event.body {
            self.0.entry(started.key).or_default().begun = event.seq;
        }
    }

    /// Whether nothing was known of it at this position, or its last call was to come to nothing; nor has it been begun
    /// since.
    fn is_free_since(&self, key: &Digest, seq: Seq) -> bool {
        let Some(turn) = self.0.get(key) else {
            return true;
        };
        let here = turn.known.iter().rev().find(|(at, _)| *at <= seq);
        let was_known = here.is_some_and(|&(_, is_known)| is_known);
        let came_to_nothing = turn.freed.is_some_and(|at| at > turn.begun);
        (!was_known || came_to_nothing) && turn.begun <= seq
    }
}

impl Fold {
    pub fn new(around: Surroundings) -> Self {
        Self {
            around,
            state: RunState::new(Arc::new(Plan::empty())),
            is_fork: false,
            effects: Turns::default(),
        }
    }

    pub fn begin_anew(&mut self) {
        self.around.folds.forget();
        self.is_fork = false;
        self.effects = Turns::default();
        self.state = RunState::new(Arc::new(Plan::empty()));
    }

    /// Takes one more event, and looks at what has become of the state.
    pub async fn take(&mut self, store: &Store, run: &RunId, event: &Event) {
        let brings_a_plan = matches!(
            event.body,
            EventBody::PlanRevised(_) | EventBody::Approved(_) | EventBody::RunRewound(_)
        );
        let made = std::mem::take(&mut self.state.made);
        if brings_a_plan {
            self.state = self.begun_at_zero(store, run, event.seq).await;
        } else {
            self.state.made.clone_from(&made);
            let taken = self.state.apply(event);
            taken.unwrap_or_else(|e| panic!("event {} is illegal: {e}", event.seq));
        }
        self.is_fork |= matches!(event.body, EventBody::RunForked(_));
        if !(self.is_fork && matches!(event.body, EventBody::RunForked(_) | EventBody::RunRewound(_))) {
            no_effect_is_forgotten(&made, &self.state, event, &self.effects);
        }
        self.effects.take(&made, &self.state, event);
        counts_are_true(&self.state);
        nodes_are_sound(&self.state, event);
    }

    async fn begun_at_zero(&self, store: &Store, run: &RunId, upto: Seq) -> RunState {
        let loaded = load::load(store, &self.around, run, upto).await;
        loaded.unwrap_or_else(|e| panic!("at {upto}: {e}")).state
    }

    /// The state here is the same from zero and from whatever is kept.
    pub async fn holds_from_anywhere(&self, store: &Store, run: &RunId) {
        let seq = self.state.seq;
        let here = picture(&self.state);
        let kept = load::see(store, &self.around, run, seq).await.unwrap().state;
        assert_eq!(here, picture(&kept), "the fold at {seq} hangs on what is kept");
        let zero = self.begun_at_zero(store, run, seq).await;
        assert_eq!(here, picture(&zero), "the fold at {seq} hangs on where it begins");
    }
}

fn no_effect_is_forgotten(before: &HashMap<Digest, Made>, state: &RunState, event: &Event, effects: &Turns) {
    // One that surely did not happen, or that a person does again, may be made anew.
    let may_free = matches!(
        event.body,
        EventBody::CallFinished(_) | EventBody::TaskReady(_) | EventBody::FilesRestored(_)
    );
    for (key, was) in before {
        let is_known = match (was, state.made.get(key)) {
            (Made::Done(_), Some(Made::Done(_))) | (Made::Begun, Some(_)) => true,
            // A person's word that it happened can be taken back; then it is in doubt again.
            (Made::Done(_), Some(Made::Begun)) => matches!(event.body, EventBody::RunRewound(_)),
            (Made::Done(_), None) => matches!(event.body, EventBody::FilesRestored(_)),
            (Made::Begun, None) => match &event.body {
                // A doubt that another answer had settled where the rewind goes to.
                EventBody::RunRewound(rewound) => effects.is_free_since(key, rewound.to),
                _ => may_free,
            },
        };
        // One that may be repeated with its key may also be begun again.
        let is_repeated = matches!(&event.body, EventBody::CallStarted(c) if c.key == *key && c.repeatable);
        assert!(
            is_known || is_repeated,
            "{} {} forgets effect {key}: {was:?}, then {:?}",
            event.body.kind(),
            event.seq,
            state.made.get(key)
        );
    }
}

fn counts_are_true(state: &RunState) {
    let mut counts = [0; 11];
    for ix in state.nodes() {
        counts[state.task(ix).status.index()] += 1;
    }
    assert_eq!(counts, state.counts, "tasks by state at {}", state.seq);
    let open = state.open_decisions().count();
    assert_eq!(open, state.open_count as usize, "open decisions at {}", state.seq);
}

fn nodes_are_sound(state: &RunState, event: &Event) {
    for ix in state.nodes() {
        let task = state.task(ix);
        let at = || format!("{} at {}", state.tree.address(ix), state.seq);
        let open = state.tree.parents(ix).filter(|&p| !state.is_settled(p)).count();
        match task.status {
            TaskStatus::Completed => assert!(task.output.is_some(), "{} has lost its output", at()),
            TaskStatus::Pending => assert_eq!(open, task.open as usize, "what {} waits for", at()),
            TaskStatus::Running => assert!(!state.status.is_over(), "{} runs in a run that is over", at()),
            TaskStatus::Ready
            | TaskStatus::Retrying
            | TaskStatus::Waiting
            | TaskStatus::InDoubt
            | TaskStatus::Failed
            | TaskStatus::Skipped
            | TaskStatus::Cancelled
            | TaskStatus::Pruned => {}
        }
    }
    let started = event.task.as_ref().and_then(|id| state.find(id.as_str()));
    if let (EventBody::TaskStarted(_), Some(ix)) = (&event.body, started) {
        let is_early = state.tree.parents(ix).any(|p| !state.is_settled(p));
        assert!(
            !is_early,
            "{:?} started before what it depends on, at {}",
            event.task, event.seq
        );
    }
}

/// All of a state that can be seen, in the same words for the same state.
fn picture(state: &RunState) -> String {
    let made: BTreeMap<[u8; 32], String> = state
        .made
        .iter()
        .map(|(key, made)| (*key.as_bytes(), format!("{made:?}")))
        .collect();
    let mut text = String::new();
    for ix in state.nodes() {
        let _ = writeln!(text, "{} {:?}", state.tree.address(ix), state.task(ix));
    }
    let _ = write!(
        text,
        "{:?}\n{:?}\n{:?}\n{made:?}",
        (
            state.seq,
            state.status,
            state.revision,
            state.document,
            state.epoch,
            &state.counts
        ),
        (
            &state.decisions,
            state.open_count,
            &state.allowed,
            &state.output,
            &state.error,
            &state.aside
        ),
        (
            &state.replans,
            state.ran_ms,
            state.going_since_ms,
            &state.pins,
            &state.breakpoints,
            &state.ledger
        ),
    );
    text
}

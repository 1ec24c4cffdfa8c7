//! The state of a run: the fold of its events. The only place where a transition is legal or not.
//! Pure: the same events give the same state, wherever the fold begins. It must not know clocks, tools or stores.

mod again;
mod apply;
mod deciding;
mod effects;
mod holds;
mod limits;
mod nested;
mod past;
mod planning;
mod questions;
mod replans;
mod task;
mod transition;
mod tree;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use super::breaker::Open;
use super::events::{Approved, CallOutcome, CallStarted, Failure, FailureClass, Stop};
use super::grants::{FileMarks, Labels, Need};
use super::ledger::{Cap, Ledger};
use super::plan::{Plan, Task, TaskIx};
use super::provenance::{Origin, Provenance};
use super::status::{DecisionKind, RunStatus, TaskStatus};
use super::tags::Tags;
use super::value::ValueRef;
use super::{DecisionId, Digest, Json, Seq, TaskId, title};

pub use holds::{Breakpoint, Pin};
pub use past::PastEffect;
pub use planning::{Edit, Planning};
pub use replans::{MOST_REPLANS, OpenReplan, Replans, Tried, digest_of_proposal};
pub use tree::{Scope, Tree};

/// Characters of a task's name in texts.
const LONGEST_NAME: usize = 120;

/// An event that the state does not admit. The log or the caller is wrong; the state is as before.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Illegal {
    #[error("the plan has no task {0}")]
    UnknownTask(String),
    #[error("a {kind} event names no task")]
    NoTask { kind: &'static str },
    #[error("task {task} can't become {to} from {from}")]
    Task {
        task: TaskId,
        from: TaskStatus,
        to: TaskStatus,
    },
    #[error("a {kind} event can't follow while the run is {status}")]
    Run { kind: &'static str, status: RunStatus },
    #[error("decision {0} is not open")]
    Decision(DecisionId),
    #[error("task {0} has no such tasks inside it")]
    Nested(TaskId),
    #[error("event {got} does not follow event {head}")]
    Order { head: Seq, got: Seq },
    #[error("a {kind} event can't follow in a run that was imported")]
    Imported { kind: &'static str },
}

/// One run at one position of its log.
#[derive(Clone, Debug)]
pub struct RunState {
    pub seq: Seq,
    pub plan: Arc<Plan>,
    pub status: RunStatus,
    pub revision: u32,
    pub document: Option<Digest>,
    pub path: Option<Arc<str>>,
    /// What a person calls it.
    pub name: Option<Arc<str>>,
    /// By which a person finds it again.
    pub tags: Tags,
    pub approved: Option<Approved>,
    pub epoch: u64,
    pub owner: Option<Arc<str>>,
    /// Who is who among the nodes.
    pub tree: Tree,
    /// The state of each node, by its index.
    pub tasks: Vec<TaskState>,
    /// How many tasks are in each state, by [`TaskStatus::index`].
    pub counts: [u32; 11],
    /// All decisions, in the order in which they were opened: `d1` first.
    pub decisions: Vec<Decision>,
    /// How many of them are open.
    pub open_count: u32,
    /// What a person has allowed for the whole run.
    pub allowed: Vec<Need>,
    pub pause_requested: bool,
    pub cancel_requested: bool,
    /// It ran on another machine: its log takes in nothing more.
    pub is_imported: bool,
    pub output: Option<ValueRef>,
    pub error: Option<Failure>,
    /// Of the output.
    pub output_labels: Labels,
    /// What the run was last answered with by a model, and the question that it answers.
    pub answered: Option<(Digest, ValueRef)>,
    /// Calls of models that belong to no task: those of the replan under way, or for the final answer.
    pub aside: Vec<Call>,
    pub replans: Replans,
    /// A person lets the run end without the final answer that the plan describes.
    pub skips_answer: bool,
    pub opened_ms: i64,
    pub changed_ms: i64,
    /// Milliseconds in which the run was going on, up to `going_since_ms`.
    pub ran_ms: i64,
    pub going_since_ms: Option<i64>,
    /// Tasks whose last dependency has just been settled; the driver takes them.
    pub unlocked: Vec<TaskIx>,
    /// Maps and nested plans whose last task has just been settled; the driver takes them.
    pub joined: Vec<TaskIx>,
    /// Every effect of the run by its key. It is never taken back, whatever the run rewinds to.
    pub made: HashMap<Digest, Made>,
    /// What was known of writes to files that have been put back since, so that they are not there.
    undone: HashMap<Digest, (Made, bool)>,
    /// The same by the task that it was made for; forgotten only where a person chose to do it again.
    past: past::Past,
    /// What the run has written to which file is worth; never taken back either.
    pub files: FileMarks,
    /// Keys of effects of which an earlier call has no known outcome, whatever came of later ones.
    lost: HashSet<Digest>,
    /// Questions to models in a stretch that was taken back, which have no outcome there yet.
    questions_taken_back: Vec<(Option<TaskId>, CallStarted)>,
    /// Words of persons to make an effect again that a call of a taken back stretch has used up: each is good for one.
    spent_words: HashSet<DecisionId>,
    /// Outputs that a person holds, by address; they are never taken back by a rewind.
    pub pins: BTreeMap<TaskId, Pin>,
    /// Where the run stops, by address; never taken back either.
    pub breakpoints: BTreeMap<TaskId, Breakpoint>,
    /// The breakpoint that it is paused at.
    pub paused_at: Option<Stop>,
    /// It has been approved once, so that another version of the plan is merged with what has run.
    pub has_begun: bool,
    /// How often a person has chosen to do effects again; never taken back.
    pub generations: u32,
    /// Endpoints that are down, by name.
    pub breakers: BTreeMap<String, Open>,
    /// What the run has spent, and whether it may go on spending.
    pub ledger: Box<Ledger>,
    /// How the plan came to be, where the log begins with a goal.
    pub planning: Option<Box<Planning>>,
    /// The last change of the draft that a planner was asked for.
    pub edit: Option<Box<Edit>>,
}

/// What is known of an effect.
#[derive(Clone, Debug)]
pub enum Made {
    /// Its intent is recorded, its outcome is not.
    Begun,
    Done(ValueRef),
}

/// One task at one position of its run's log.
#[derive(Clone, Debug)]
pub struct TaskState {
    pub status: TaskStatus,
    /// Attempts started in this generation; an interrupted one that starts again is the same attempt.
    pub attempts: u32,
    /// Attempts that ended with a failure which a retry may mend, since the last word of a person.
    pub tries: u32,
    pub generation: u32,
    /// Dependencies that are not settled yet.
    pub open: u32,
    /// Dependencies that were skipped.
    pub skipped: u32,
    pub output: Option<ValueRef>,
    pub labels: Labels,
    /// The calls by which it has brought in what its output is worth, once it is completed.
    pub origins: Option<Box<[Origin]>>,
    pub error: Option<Box<Failure>>,
    /// The calls of the newest attempt and of those that it goes on from, in the order of their intents.
    pub calls: Vec<Call>,
    /// The nodes of a map or a nested plan, once it has them.
    pub inner: Option<Box<Inner>>,
    /// The decision that it is waiting for, or that decides about its failure.
    pub decision: Option<DecisionId>,
    pub not_before_ms: i64,
    /// The endpoint that was down when the task would have called it; it waits for that.
    pub held_by: Option<Box<str>>,
    /// How many answers of its model were sent back before its output.
    pub rejections: u32,
    pub started_ms: i64,
    pub ended_ms: i64,
    pub allowed: Option<Box<TaskAllowed>>,
    /// How many decisions there were when it began anew; earlier ones say nothing of its calls.
    pub asked_from: u32,
    /// It belonged to a map or a nested plan that was set back; it is no part of the run any more.
    pub is_gone: bool,
}

/// What a person has allowed for one task.
#[derive(Clone, Debug, Default)]
pub struct TaskAllowed {
    /// For as long as the run lasts.
    pub task: Vec<Need>,
    /// For the next call only.
    pub once: Vec<Need>,
    /// Which call that is, by its key, where a task makes several.
    pub once_for: Option<Digest>,
    /// This very effect, by its key.
    pub effect: Option<Digest>,
    /// The decision in which a person has put other arguments in the place of that effect's.
    pub changed_in: Option<DecisionId>,
    /// The approval that was asked before the task.
    pub start: bool,
}

/// The nodes that a map or a nested plan has added.
#[derive(Clone, Debug)]
pub struct Inner {
    pub first: TaskIx,
    pub count: u32,
    /// How many of them are not settled yet.
    pub open: u32,
    /// The list of items, or the parameters by name.
    pub value: ValueRef,
    pub labels: Labels,
}

/// One call of an attempt.
#[derive(Clone, Debug)]
pub struct Call {
    pub started: CallStarted,
    pub outcome: Option<CallOutcome>,
    /// Of what came back.
    pub labels: Labels,
    /// Its attempt was cut short and went on without its outcome.
    pub is_lost: bool,
}

#[derive(Clone, Debug)]
pub struct Decision {
    pub id: DecisionId,
    pub kind: DecisionKind,
    pub task: Option<TaskIx>,
    pub question: String,
    pub form: Option<Json>,
    pub binds: Option<Digest>,
    pub needs: Vec<Need>,
    pub about: Option<ValueRef>,
    /// Of an effect: why it is asked, and what it is made of.
    pub provenance: Option<Arc<Provenance>>,
    /// Another way can be asked for.
    pub may_replan: bool,
    /// It is about a call in the midst of an agent's work, not about a task as a whole.
    pub is_in_talk: bool,
    pub opened_ms: i64,
    pub answer: Option<ValueRef>,
    /// The choice that the answer comes to, where it says more than that word.
    pub choice: Option<String>,
    pub is_closed: bool,
}

impl Call {
    pub fn has_result(&self) -> bool {
        matches!(self.outcome, Some(CallOutcome::Result(_)))
    }

    /// It may have changed something, and nobody knows whether it did.
    pub fn is_unknown(&self) -> bool {
        let is_unknown = match &self.outcome {
            Some(CallOutcome::Error(error)) => error.class == FailureClass::Unknown,
            Some(CallOutcome::Result(_)) => false,
            None => !self.is_lost,
        };
        is_unknown && self.started.effect.is_effect() && !self.started.repeatable
    }
}

impl Decision {
    pub fn is_open(&self) -> bool {
        self.answer.is_none() && !self.is_closed
    }

    /// It is about an effect beside others that were made in what has been taken back.
    pub fn is_about_another(&self) -> bool {
        self.provenance.as_deref().is_some_and(|p| !p.earlier.is_empty())
    }
}

impl TaskState {
    fn new(open: u32) -> Self {
        Self {
            status: TaskStatus::Pending,
            attempts: 0,
            tries: 0,
            generation: 0,
            open,
            skipped: 0,
            output: None,
            labels: Labels::default(),
            origins: None,
            error: None,
            calls: Vec::new(),
            inner: None,
            decision: None,
            not_before_ms: 0,
            held_by: None,
            rejections: 0,
            started_ms: 0,
            ended_ms: 0,
            allowed: None,
            asked_from: 0,
            is_gone: false,
        }
    }

    /// The calls without an outcome: in flight, or lost with the process that made them.
    pub fn open_calls(&self) -> impl Iterator<Item = &CallStarted> {
        self.calls
            .iter()
            .filter(|c| c.outcome.is_none() && !c.is_lost)
            .map(|c| &c.started)
    }

    /// A model was asked, so that the task goes on from its calls instead of making them again.
    pub fn has_asked(&self) -> bool {
        self.calls.iter().any(|c| c.started.model)
    }

    fn lose_open_calls(&mut self) {
        for call in self.calls.iter_mut().filter(|c| c.outcome.is_none()) {
            call.is_lost = true;
        }
    }
}

impl RunState {
    /// The state before the first event. A draft folds over [`Plan::empty`].
    pub fn new(plan: Arc<Plan>) -> Self {
        let tasks: Vec<TaskState> = (0..plan.tasks.len() as TaskIx)
            .map(|ix| TaskState::new(plan.dependencies(ix).len() as u32))
            .collect();
        let mut counts = [0; 11];
        counts[TaskStatus::Pending.index()] = tasks.len() as u32;
        Self {
            seq: 0,
            tree: Tree::new(plan.clone()),
            plan,
            status: RunStatus::AwaitingApproval,
            revision: 0,
            document: None,
            path: None,
            name: None,
            tags: Tags::default(),
            approved: None,
            epoch: 0,
            owner: None,
            tasks,
            counts,
            decisions: Vec::new(),
            open_count: 0,
            allowed: Vec::new(),
            pause_requested: false,
            cancel_requested: false,
            is_imported: false,
            output: None,
            error: None,
            output_labels: Labels::default(),
            answered: None,
            aside: Vec::new(),
            replans: Replans::default(),
            skips_answer: false,
            opened_ms: 0,
            changed_ms: 0,
            ran_ms: 0,
            going_since_ms: None,
            unlocked: Vec::new(),
            joined: Vec::new(),
            made: HashMap::new(),
            undone: HashMap::new(),
            past: past::Past::default(),
            files: FileMarks::default(),
            lost: HashSet::new(),
            questions_taken_back: Vec::new(),
            spent_words: HashSet::new(),
            pins: BTreeMap::new(),
            breakpoints: BTreeMap::new(),
            paused_at: None,
            has_begun: false,
            generations: 0,
            breakers: BTreeMap::new(),
            ledger: Box::default(),
            planning: None,
            edit: None,
        }
    }

    /// What people call the node: its title, else its address; items and inner tasks with what they belong to.
    pub fn name(&self, ix: TaskIx) -> String {
        // Whoever writes a title of a page still gets lines that can be read.
        let own = || title::cut_at(self.def(ix).name(), LONGEST_NAME);
        match (self.tree.owner(ix), self.tree.item(ix)) {
            (None, _) => own(),
            (Some(map), Some((_, number))) => format!("{}[{number}]", self.name(map)),
            (Some(owner), None) => format!("{} / {}", self.name(owner), own()),
        }
    }

    /// What the node does.
    pub fn def(&self, ix: TaskIx) -> &Arc<Task> {
        self.tree.def(ix)
    }

    pub fn task(&self, ix: TaskIx) -> &TaskState {
        &self.tasks[ix as usize]
    }

    pub fn count(&self, status: TaskStatus) -> u32 {
        self.counts[status.index()]
    }

    pub fn decision(&self, id: &DecisionId) -> Option<&Decision> {
        let number: usize = id.as_str().strip_prefix('d')?.parse().ok()?;
        self.decisions.get(number.checked_sub(1)?).filter(|d| d.id == *id)
    }

    /// The id that the next opened decision gets.
    pub fn next_decision(&self) -> DecisionId {
        DecisionId::from(format!("d{}", self.decisions.len() + 1))
    }

    pub fn open_decisions(&self) -> impl Iterator<Item = &Decision> {
        self.decisions.iter().filter(|d| d.is_open())
    }

    /// Whether the task is over in a way that lets its dependents go on.
    pub fn is_settled(&self, ix: TaskIx) -> bool {
        match self.task(ix).status {
            TaskStatus::Completed | TaskStatus::Skipped | TaskStatus::Cancelled | TaskStatus::Pruned => true,
            TaskStatus::Failed => self.def(ix).is_optional,
            TaskStatus::Pending
            | TaskStatus::Ready
            | TaskStatus::Running
            | TaskStatus::Retrying
            | TaskStatus::Waiting
            | TaskStatus::InDoubt => false,
        }
    }

    /// The caps of the run as they are now: the plan's, and what a person has raised since.
    pub fn cap(&self) -> Cap {
        // The plan itself is read when it is approved; until then its budget is the goal's, whatever came of it.
        let left = || self.planned_draft().map(|(planning, _)| planning);
        match self.open_planning().or_else(left) {
            Some(planning) => self.ledger.cap(&planning.budget),
            None => self.ledger.cap(&self.plan.budget),
        }
    }

    /// Milliseconds in which the run has been going on until `now_ms`; never negative, whatever the clock does.
    pub fn ran_until(&self, now_ms: i64) -> i64 {
        self.ran_ms + self.going_since_ms.map_or(0, |since| (now_ms - since).max(0))
    }
}

/// What the log says of a running task's newest call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallIntent {
    /// None was begun, or it has its outcome.
    None,
    /// It may be made again with its key.
    Repeatable,
    /// Making it again might do its effect twice.
    Unrepeatable,
}

impl RunState {
    /// What the calls that the task has under way mean for taking it up. An effect whose outcome has come to be known (in
    /// a stretch that was taken back since: done, or surely not) is no doubt any more.
    pub fn intent(&self, task: &TaskState) -> CallIntent {
        let is_safe =
            |call: &CallStarted| call.repeatable || !matches!(self.made.get(&call.key), Some(Made::Begun));
        let worst = task.open_calls().map(is_safe).min();
        match worst {
            None => CallIntent::None,
            Some(true) => CallIntent::Repeatable,
            Some(false) => CallIntent::Unrepeatable,
        }
    }
}

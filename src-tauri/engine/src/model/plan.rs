//! A valid plan: a DAG by construction. The only way to one is through the validator; this file knows no JSON text.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use super::grants::Grants;
use super::graph::Graph;
use super::{Digest, Json, TaskId};

/// Index of a task in its plan's list, in document order. Only meaningful beside that plan.
pub type TaskIx = u32;

/// An immutable, validated plan. Edges only lead from earlier to later in [`Plan::order`].
#[derive(Clone, Debug)]
pub struct Plan {
    pub goal: Option<String>,
    /// Name → JSON Schema (with `default`), in the document's order.
    pub parameters: Vec<(String, Json)>,
    pub tasks: Vec<Arc<Task>>,
    pub grants: Arc<Grants>,
    pub budget: Budget,
    pub synthesis: Synthesis,
    /// The plan file that a nested plan was read from, as named there: its relative paths lie in that file's folder.
    pub file: Option<Box<str>>,
    /// What an approval freezes of the plan itself: see `digest::of_plan`.
    pub digest: Digest,
    pub(super) index: HashMap<TaskId, TaskIx>,
    /// The tasks as nodes of the same number.
    pub(super) graph: Graph,
    /// A topological order (Kahn), ties in document order.
    pub(super) order: Vec<TaskIx>,
    /// Hops from the task to the farthest leaf below it: 0 for a leaf. The scheduler's priority.
    pub(super) remaining: Vec<u32>,
}

impl Plan {
    pub fn find(&self, id: &str) -> Option<TaskIx> {
        self.index.get(id).copied()
    }
    pub fn task(&self, ix: TaskIx) -> &Arc<Task> {
        &self.tasks[ix as usize]
    }
    /// Distinct, in the document's order.
    pub fn dependencies(&self, ix: TaskIx) -> &[TaskIx] {
        self.graph.parents(ix)
    }
    pub fn children(&self, ix: TaskIx) -> &[TaskIx] {
        self.graph.children(ix)
    }
    pub fn order(&self) -> &[TaskIx] {
        &self.order
    }
    pub fn remaining(&self, ix: TaskIx) -> u32 {
        self.remaining[ix as usize]
    }
    /// Every task of the plan, of its maps and of the plans inside it, each with the plan around it.
    pub fn visit(&self, see: &mut dyn FnMut(&Task, &Self)) {
        for task in &self.tasks {
            self.visit_task(task, see);
        }
    }

    /// The task and those inside it. Recursion is bounded by the depth of the document.
    pub fn visit_task(&self, task: &Task, see: &mut dyn FnMut(&Task, &Self)) {
        see(task, self);
        match &task.kind {
            TaskKind::Map { task, .. } => self.visit_task(task, see),
            TaskKind::Subplan { plan: Some(plan), .. } => plan.visit(see),
            TaskKind::Agent { .. }
            | TaskKind::Model
            | TaskKind::Tool { .. }
            | TaskKind::Code { .. }
            | TaskKind::Human { .. }
            | TaskKind::Subplan { plan: None, .. } => {}
        }
    }

    /// Tasks that nothing depends on, in document order.
    pub fn leaves(&self) -> impl Iterator<Item = TaskIx> + '_ {
        self.graph.nodes().filter(|ix| self.children(*ix).is_empty())
    }
}

/// A name under which a secret can be kept.
pub fn is_secret_name(name: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    (1..=100).contains(&name.len()) && name.chars().all(is_letter)
}

/// A word that many tasks share, such as the name of a tool or of an input: held once for all of them.
pub type Word = Arc<str>;

/// One task. Plans of 10,000 are ordinary, so it has no room to spare: see [`Terms`].
#[derive(Clone, Debug)]
pub struct Task {
    pub id: TaskId,
    pub instruction: Box<str>,
    pub kind: TaskKind,
    pub inputs: Box<[(Word, Input)]>,
    /// Read as if they were the task's own fields.
    pub terms: Arc<Terms>,
}

/// What most tasks leave as it is by default; those tasks share one of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Terms {
    pub title: Option<Box<str>>,
    pub output_schema: Option<Arc<Json>>,
    pub retry: RetryPolicy,
    pub timeout: Option<Duration>,
    pub is_optional: bool,
    pub when: Option<Box<str>>,
    pub check: Option<Box<str>>,
    pub writes: Box<[Box<str>]>,
    /// The ways on which data from outside may reach what the task sends, runs or pays: tasks that it reads, `$item`,
    /// `$param`, and of an agent its own tools.
    pub accepts_untrusted: Box<[Box<str>]>,
    pub needs_approval: bool,
    pub is_idempotent: bool,
    pub model: Option<Box<str>>,
    pub fallback: Option<Box<str>>,
}

impl std::ops::Deref for Task {
    type Target = Terms;

    fn deref(&self) -> &Terms {
        &self.terms
    }
}

impl Task {
    /// A stand-in for what could not be read; the problems of its document keep it from ever running.
    pub(super) fn nothing() -> Self {
        Self {
            id: TaskId::new(""),
            instruction: Box::default(),
            kind: TaskKind::Model,
            inputs: Box::default(),
            terms: Arc::default(),
        }
    }
    /// The tool that is called when a `tool` task's own is down. A fallback of other tasks names a model.
    pub fn fallback_tool(&self) -> Option<&str> {
        self.fallback
            .as_deref()
            .filter(|_| matches!(self.kind, TaskKind::Tool { .. }))
    }
    /// Attempts in all: a fallback has as many as the first.
    pub fn most_attempts(&self) -> u32 {
        let tools = 1 + u32::from(self.fallback_tool().is_some());
        self.retry.max_attempts.saturating_mul(tools)
    }
    /// The name that a person sees: the title, else the id.
    pub fn name(&self) -> &str {
        self.title.as_deref().unwrap_or(self.id.as_str())
    }
}

#[derive(Clone, Debug)]
pub enum TaskKind {
    Agent {
        tools: Box<[Word]>,
        max_steps: u32,
    },
    Model,
    Tool {
        tool: Word,
    },
    Code {
        source: Box<str>,
    },
    Human {
        form: Arc<Json>,
    },
    /// The inner task runs once for each item; its references mean the tasks around the map.
    Map {
        over: Box<Over>,
        task: Arc<Task>,
        max_parallel: Option<u32>,
    },
    /// A plan of its own, whose parameters the inputs bind.
    Subplan {
        /// None where the plan file was not at hand when the document was read; such a task can't run.
        plan: Option<Arc<Plan>>,
        /// The plan file as it is named in the document, if it stands in one.
        file: Option<Box<str>>,
    },
}

/// What a map runs over.
#[derive(Clone, Debug)]
pub enum Over {
    /// The name of one of the map's own inputs.
    Input(Word),
    /// A list, or a reference to one.
    Value(Input),
}

/// The `model` of samples: it plays answers that were recorded, and is there without any set-up.
pub const RECORDED: &str = "recorded/samples";

impl TaskKind {
    /// Whether a language model does the work.
    pub fn asks_model(&self) -> bool {
        match self {
            Self::Agent { .. } | Self::Model => true,
            Self::Tool { .. }
            | Self::Code { .. }
            | Self::Human { .. }
            | Self::Map { .. }
            | Self::Subplan { .. } => false,
        }
    }

    /// The word in the document: `agent`, `model`, `tool`, `code`, `human`, `map`, `subplan`.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Agent { .. } => "agent",
            Self::Model => "model",
            Self::Tool { .. } => "tool",
            Self::Code { .. } => "code",
            Self::Human { .. } => "human",
            Self::Map { .. } => "map",
            Self::Subplan { .. } => "subplan",
        }
    }
}

/// Where a value comes from. Objects and arrays that hold no reference are one `Literal`.
#[derive(Clone, Debug)]
pub enum Input {
    /// Plain values that many tasks are given, such as `true` or `100`, are held once.
    Literal(Arc<Json>),
    /// Another task's output, or a place in it (JSON Pointer, `""` for the whole).
    From {
        task: TaskIx,
        path: Word,
    },
    Param(Word),
    Secret(Word),
    /// minijinja text; without `with`, over the task's other inputs.
    Template {
        source: Box<str>,
        with: Option<Box<[(Word, Input)]>>,
    },
    Item {
        path: Word,
    },
    Index,
    Object(Box<[(Word, Input)]>),
    Array(Box<[Input]>),
}

impl Input {
    pub fn as_literal(&self) -> Option<&Json> {
        match self {
            Self::Literal(value) => Some(value),
            Self::From { .. }
            | Self::Param(_)
            | Self::Secret(_)
            | Self::Template { .. }
            | Self::Item { .. }
            | Self::Index
            | Self::Object(_)
            | Self::Array(_) => None,
        }
    }
}

/// How often and how patiently a transient failure is tried again.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RetryPolicy {
    /// Tries in all, the first included; at least 1.
    pub max_attempts: u32,
    pub initial_ms: u64,
    pub multiplier: f64,
    pub max_ms: u64,
}

impl RetryPolicy {
    /// Whether its waits are not the usual ones.
    pub fn names_waits(&self) -> bool {
        let waits = |policy: &Self| (policy.initial_ms, policy.multiplier.to_bits(), policy.max_ms);
        waits(self) != waits(&Self::default())
    }
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            max_attempts: 4,
            initial_ms: 1000,
            multiplier: 2.0,
            max_ms: 8000,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Budget {
    /// Decimal text, as written.
    pub usd: Option<String>,
    pub tokens: Option<u64>,
    pub seconds: Option<f64>,
}

/// How the final answer is made.
#[derive(Clone, Debug, Default)]
pub enum Synthesis {
    /// An object, leaf id → output.
    #[default]
    Leaves,
    /// minijinja over `goal`, `parameters` and the leaves' outputs by id.
    Template(String),
    Model {
        model: String,
        instruction: String,
    },
}

/// Parameter values at launch, by name.
pub type Parameters = BTreeMap<String, Json>;

impl Plan {
    /// A plan without tasks: what a draft's log folds over until it is approved.
    pub fn empty() -> Self {
        Self {
            goal: None,
            parameters: Vec::new(),
            tasks: Vec::new(),
            grants: Arc::default(),
            file: None,
            budget: Budget::default(),
            synthesis: Synthesis::Leaves,
            digest: Digest::of(b""),
            index: HashMap::new(),
            graph: Graph::new(0, &[]),
            order: Vec::new(),
            remaining: Vec::new(),
        }
    }
}

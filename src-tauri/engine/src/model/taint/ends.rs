//! Which tasks bring foreign text or private data in, and from which it could leave: by their tools, by the grants and
//! by what is literal. It must not know the ways between them.

use super::*;
use crate::model::grants::{self, Grants, Need, is_sink};
use crate::model::tool::{Access, Effect, ToolSpec};

/// The two ends of every way of one kind of data.
pub(super) struct Ends<'p> {
    pub concern: Concern,
    plan: &'p Plan,
    catalog: &'p Catalog,
    own: OwnWork<'p>,
    is_foreign: &'p dyn Fn(&str) -> bool,
    /// Who writes a file that is named literally.
    writers: HashMap<String, Vec<TaskIx>>,
}

/// Whether what a tool gives may have been written by somebody outside, whatever its arguments.
pub fn may_be_foreign(spec: &ToolSpec) -> bool {
    spec.is_source_untrusted || spec.effect == Effect::Exec || reads_files(spec)
}

fn reads_files(spec: &ToolSpec) -> bool {
    let reads = |access| matches!(access, Access::Read | Access::Database);
    spec.touches.iter().any(|touch| reads(touch.access))
}

impl<'p> Ends<'p> {
    pub fn new(plan: &'p Plan, around: &Around<'p>, own: OwnWork<'p>, concern: Concern) -> Self {
        let mut ends = Self {
            concern,
            plan,
            catalog: around.catalog,
            own,
            is_foreign: around.is_foreign,
            writers: HashMap::new(),
        };
        let mut writers: HashMap<String, Vec<TaskIx>> = HashMap::new();
        for (ix, task) in (0..).zip(&plan.tasks) {
            for need in ends.literal_needs(task).0 {
                if need.access == Access::Write {
                    writers.entry(need.resource).or_default().push(ix);
                }
            }
        }
        ends.writers = writers;
        ends
    }

    /// The tasks that write what this one reads, by their literal names.
    pub fn writers_for(&self, ix: TaskIx) -> Vec<TaskIx> {
        if self.writers.is_empty() {
            return Vec::new();
        }
        let (needs, _) = self.literal_needs(self.plan.task(ix));
        let reads = needs
            .iter()
            .filter(|need| matches!(need.access, Access::Read | Access::Database));
        let writers = reads
            .filter_map(|need| self.writers.get(&need.resource))
            .flatten();
        writers.copied().filter(|writer| *writer != ix).collect()
    }

    pub fn is_source(&self, ix: TaskIx) -> bool {
        self.brings(self.plan.task(ix))
    }

    pub fn is_sink(&self, ix: TaskIx) -> bool {
        self.lets_out(self.plan.task(ix))
    }

    /// Whether an agent (or what is inside a task) brings it in and could send it out by itself.
    pub fn is_both(&self, ix: TaskIx) -> bool {
        let task = self.plan.task(ix);
        let inner = match &task.kind {
            TaskKind::Map { task, .. } => task,
            TaskKind::Agent { .. }
            | TaskKind::Model
            | TaskKind::Tool { .. }
            | TaskKind::Code { .. }
            | TaskKind::Human { .. }
            | TaskKind::Subplan { .. } => task,
        };
        matches!(inner.kind, TaskKind::Agent { .. }) && self.brings(inner) && self.lets_out(inner)
    }

    /// An agent's own tools that bring in foreign text.
    pub fn foreign_tools(&self, ix: TaskIx) -> impl Iterator<Item = &str> {
        let names: &[Word] = match &self.plan.task(ix).kind {
            TaskKind::Agent { tools, .. } => tools,
            TaskKind::Map { .. }
            | TaskKind::Model
            | TaskKind::Tool { .. }
            | TaskKind::Code { .. }
            | TaskKind::Human { .. }
            | TaskKind::Subplan { .. } => &[],
        };
        let is_foreign = |name: &&Word| self.catalog.get(name).is_some_and(|spec| may_be_foreign(spec));
        names.iter().filter(is_foreign).map(|name| &**name)
    }

    fn grants(&self) -> &Grants {
        self.own.grants
    }

    /// Of a `tool` task: what its literals tell, and the kinds that only the run will know.
    fn literal_needs(&self, task: &Task) -> (Vec<Need>, Vec<Access>) {
        let TaskKind::Tool { tool } = &task.kind else {
            return (Vec::new(), Vec::new());
        };
        let (mut needs, mut open) = (Vec::new(), Vec::new());
        for spec in self.tools_of(task, tool) {
            let (more, unknown) = grants::needs_of_inputs(spec, &task.inputs, self.own.place);
            needs.extend(more);
            open.extend(unknown);
        }
        (needs, open)
    }

    /// The tool of a `tool` task, and the one that takes its place when it is down.
    fn tools_of<'t>(&'t self, task: &'t Task, tool: &'t str) -> impl Iterator<Item = &'t ToolSpec> {
        let names = std::iter::once(tool).chain(task.fallback_tool());
        names
            .filter_map(|name| self.catalog.get(name))
            .map(|spec| &**spec)
    }

    /// Recursion is bounded by the depth of the document.
    fn brings(&self, task: &Task) -> bool {
        match &task.kind {
            TaskKind::Tool { tool } => self.tools_of(task, tool).any(|spec| self.tool_brings(task, spec)),
            TaskKind::Agent { tools, .. } => {
                let mut specs = tools.iter().filter_map(|tool| self.catalog.get(tool));
                specs.any(|spec| self.agent_tool_brings(spec))
            }
            TaskKind::Map { task, .. } => self.brings(task),
            TaskKind::Subplan { plan: Some(plan), .. } => plan.tasks.iter().any(|task| self.brings(task)),
            TaskKind::Model
            | TaskKind::Code { .. }
            | TaskKind::Human { .. }
            | TaskKind::Subplan { plan: None, .. } => false,
        }
    }

    fn is_private(&self) -> bool {
        self.concern == Concern::Private
    }

    fn tool_brings(&self, task: &Task, spec: &ToolSpec) -> bool {
        if spec.effect == Effect::Exec || (spec.is_source_untrusted && !self.is_private()) {
            return true;
        }
        let (needs, open) = grants::needs_of_inputs(spec, &task.inputs, self.own.place);
        let reads = |access| matches!(access, Access::Read | Access::Database);
        open.into_iter().any(reads)
            || needs
                .iter()
                .any(|need| reads(need.access) && self.file_brings(need))
    }

    fn file_brings(&self, need: &Need) -> bool {
        if need.resource.starts_with("run:/") {
            return !self.is_private() && !self.writers.contains_key(&need.resource);
        }
        self.is_private() || !self.is_own(&need.resource)
    }

    fn is_own(&self, path: &str) -> bool {
        self.own.covers(path) && !(self.is_foreign)(path)
    }

    fn agent_tool_brings(&self, spec: &ToolSpec) -> bool {
        if spec.effect == Effect::Exec || (spec.is_source_untrusted && !self.is_private()) {
            return true;
        }
        let all = self.grants().read.iter().chain(&self.grants().databases);
        let mut places = all.filter_map(|entry| grants::resource_of_path(entry, self.own.place).ok());
        let is_outside = |path: &String| !path.starts_with("run:/");
        // The run's own folder is open to it as well, with whatever lies there.
        reads_files(spec)
            && if self.is_private() {
                places.any(|path| is_outside(&path))
            } else {
                places.any(|path| is_outside(&path) && !self.is_own(&path))
            }
    }

    fn lets_out(&self, task: &Task) -> bool {
        match &task.kind {
            TaskKind::Tool { tool } => self
                .tools_of(task, tool)
                .any(|spec| self.tool_lets_out(task, spec)),
            TaskKind::Agent { tools, .. } => {
                let mut specs = tools.iter().filter_map(|tool| self.catalog.get(tool));
                specs.any(|spec| self.agent_tool_lets_out(spec))
            }
            TaskKind::Map { task, .. } => self.lets_out(task),
            TaskKind::Subplan { plan: Some(plan), .. } => plan.tasks.iter().any(|task| self.lets_out(task)),
            TaskKind::Model
            | TaskKind::Code { .. }
            | TaskKind::Human { .. }
            | TaskKind::Subplan { plan: None, .. } => false,
        }
    }

    fn tool_lets_out(&self, task: &Task, spec: &ToolSpec) -> bool {
        let effect = effect_of(task, spec);
        let (needs, open) = grants::needs_of_inputs(spec, &task.inputs, self.own.place);
        match self.concern {
            Concern::Untrusted => is_sink(effect) || asks_outside(spec, effect),
            Concern::Private => {
                let leaves = is_sink(effect) && effect != Effect::Exec || asks_outside(spec, effect);
                let is_known = open.is_empty() && !needs.is_empty();
                leaves && !(is_known && grants::may_be_private(self.grants(), effect, &needs))
            }
            Concern::OwnWork => needs
                .iter()
                .any(|need| need.access == Access::Write && self.own.covers(&need.resource)),
        }
    }

    fn agent_tool_lets_out(&self, spec: &ToolSpec) -> bool {
        match self.concern {
            Concern::Untrusted => is_sink(spec.effect) || asks_outside(spec, spec.effect),
            Concern::Private => {
                let leaves = is_sink(spec.effect) && spec.effect != Effect::Exec;
                let granted = &self.grants().hosts;
                let is_named = |entry: &String| self.grants().private_to.contains(entry);
                let is_all_named = !granted.is_empty() && granted.iter().all(is_named);
                (leaves || asks_outside(spec, spec.effect)) && !is_all_named
            }
            Concern::OwnWork => {
                let mut places = self
                    .grants()
                    .write
                    .iter()
                    .filter_map(|entry| grants::resource_of_path(entry, self.own.place).ok());
                spec.writes_files() && places.any(|path| self.own.covers(&path))
            }
        }
    }
}

/// Whether a question to somebody outside goes out with it.
fn asks_outside(spec: &ToolSpec, effect: Effect) -> bool {
    let is_outside = |access| matches!(access, Access::Host | Access::Mcp);
    effect == Effect::ReadExternal && spec.touches.iter().any(|touch| is_outside(touch.access))
}

/// The effect of the call by its literals; where only the run knows the method, the greatest.
fn effect_of(task: &Task, spec: &ToolSpec) -> Effect {
    let method = spec
        .method_argument
        .and_then(|argument| task.inputs.iter().find(|(name, _)| **name == *argument));
    match method.map(|(name, input)| (name, input.as_literal())) {
        Some((_, None)) => spec.effect,
        Some((name, Some(value))) => spec.effect_of(&serde_json::json!({ &**name: value })),
        None => spec.effect_of(&Json::Null),
    }
}

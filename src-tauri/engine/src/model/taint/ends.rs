//! Which tasks bring foreign text or private data in, and from which it could leave: by their tools, by the grants and
//! by what is literal. It must not know the ways between them.

use super::strangers::{Strangers, writes_by_argument};
use super::*;
use crate::model::grants::{self, Extent, Grants, Need, is_sink};
use crate::model::tool::{Access, Effect, ToolSpec};

/// The two ends of every way of one kind of data.
pub(super) struct Ends<'p> {
    pub concern: Concern,
    plan: &'p Plan,
    catalog: &'p Catalog,
    own: OwnWork<'p>,
    is_foreign: &'p dyn Fn(&str) -> bool,
    strangers: &'p Strangers,
    /// Who writes a file that is named literally.
    writers: HashMap<String, Vec<TaskIx>>,
}

/// Which files somebody has to do with.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Files {
    /// Some that only the run knows.
    pub is_open: bool,
    pub is_any: bool,
}

impl Files {
    fn join(&mut self, other: Self) {
        self.is_open |= other.is_open;
        self.is_any |= other.is_any;
    }

    /// Of a task inside another: what it names literally is not looked for from outside.
    fn inside(self) -> Self {
        Self {
            is_open: self.is_any,
            ..self
        }
    }
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
    pub fn new(
        plan: &'p Plan,
        around: &Around<'p>,
        own: OwnWork<'p>,
        concern: Concern,
        strangers: &'p Strangers,
    ) -> Self {
        let mut ends = Self {
            concern,
            plan,
            catalog: around.catalog,
            own,
            is_foreign: around.is_foreign,
            strangers,
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
        let read = reads
            .map(|need| need.resource.clone())
            .chain(self.files_run(self.plan.task(ix)));
        let writers = read.filter_map(|resource| self.writers.get(&resource)).flatten();
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
        let mut inner = self.plan.task(ix);
        while let TaskKind::Map { task, .. } = &inner.kind {
            inner = task;
        }
        matches!(inner.kind, TaskKind::Agent { .. }) && self.brings(inner) && self.lets_out(inner)
    }

    /// Whether a person could be asked about a call of it.
    pub fn may_call(&self, task: &Task) -> bool {
        self.lets_out(task)
    }

    /// An agent's own tools that bring in foreign text.
    pub fn foreign_tools(&self, task: &'p Task) -> impl Iterator<Item = &'p str> {
        let names: &[Word] = match &task.kind {
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

    /// The tools that a task may call by itself.
    pub fn specs_of<'t>(&'t self, task: &'t Task) -> Vec<&'t ToolSpec> {
        match &task.kind {
            TaskKind::Tool { tool } => self.tools_of(task, tool).collect(),
            TaskKind::Agent { tools, .. } => {
                let specs = tools.iter().filter_map(|tool| self.catalog.get(tool));
                specs.map(|spec| &**spec).collect()
            }
            TaskKind::Map { .. }
            | TaskKind::Model
            | TaskKind::Code { .. }
            | TaskKind::Human { .. }
            | TaskKind::Subplan { .. } => Vec::new(),
        }
    }

    /// The files whose content a literal command would run.
    fn files_run(&self, task: &Task) -> Vec<String> {
        let (needs, _) = self.literal_needs(task);
        let cwd = task.inputs.iter().find(|(name, _)| &**name == "cwd");
        let cwd = cwd
            .and_then(|(_, input)| input.as_literal()?.as_str())
            .unwrap_or("run:/");
        let commands = needs.iter().filter(|need| need.access == Access::Command);
        let found = commands.flat_map(|command| grants::files_run(command, cwd, self.own.place));
        found.collect()
    }

    /// Whether a command would run what a program, or a task that only the run tells where, may have written.
    pub fn runs_what_is_filled(&self, ix: TaskIx) -> bool {
        let mut inner = self.plan.task(ix);
        while let TaskKind::Map { task, .. } = &inner.kind {
            inner = task;
        }
        let is_filled = |resource: &String| {
            self.strangers.may_fill(resource)
                || self.strangers.may_write_openly(resource)
                || (self.is_foreign)(resource)
        };
        self.concern == Concern::Untrusted && self.files_run(inner).iter().any(is_filled)
    }

    /// Whether a command would run a file that the plan writes, whoever's words are in it.
    pub fn runs_written_file(&self, task: &Task) -> bool {
        self.files_run(task).iter().any(|resource| {
            self.writers.contains_key(resource)
                || self.strangers.is_written_elsewhere(resource, 0)
                || self.strangers.may_fill(resource)
                || self.strangers.may_write_openly(resource)
                || (self.is_foreign)(resource)
        })
    }

    /// What a task, or one inside it, writes by its arguments. Recursion is bounded by the depth of the document.
    pub fn writes(&self, task: &Task) -> Files {
        let mut found = Files::default();
        match &task.kind {
            TaskKind::Map { task, .. } => found = self.writes(task).inside(),
            TaskKind::Subplan { plan: Some(plan), .. } => {
                plan.tasks
                    .iter()
                    .for_each(|task| found.join(self.writes(task).inside()));
            }
            TaskKind::Agent { .. } => {
                found.is_open = self.specs_of(task).iter().any(|spec| writes_by_argument(spec));
                found.is_any = found.is_open;
            }
            TaskKind::Tool { .. } => {
                let (needs, open) = self.literal_needs(task);
                found.is_open = open.contains(&Access::Write);
                found.is_any = found.is_open || needs.iter().any(|need| need.access == Access::Write);
            }
            TaskKind::Model
            | TaskKind::Code { .. }
            | TaskKind::Human { .. }
            | TaskKind::Subplan { plan: None, .. } => {}
        }
        found
    }

    /// Whether it may read files that somebody wrote where only the run knows, and whether it may read any.
    pub fn reads(&self, task: &Task) -> Files {
        let mut found = Files::default();
        match &task.kind {
            TaskKind::Map { task, .. } => found = self.reads(task),
            TaskKind::Subplan { plan: Some(plan), .. } => {
                plan.tasks.iter().for_each(|task| found.join(self.reads(task)));
            }
            TaskKind::Agent { .. } => found.is_any = self.specs_of(task).iter().any(|spec| reads_files(spec)),
            TaskKind::Tool { .. } => {
                let (needs, open) = self.literal_needs(task);
                let reads = |access| matches!(access, Access::Read | Access::Database);
                let mut read = needs.iter().filter(|need| reads(need.access));
                found.is_any = open.iter().any(|access| reads(*access));
                found.is_open = read.any(|need| {
                    let here = self.writers.get(&need.resource).map_or(0, Vec::len);
                    self.strangers.may_write_openly(&need.resource)
                        || self.strangers.is_written_elsewhere(&need.resource, here)
                });
            }
            TaskKind::Model
            | TaskKind::Code { .. }
            | TaskKind::Human { .. }
            | TaskKind::Subplan { plan: None, .. } => {}
        }
        found
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
        if self.strangers.may_fill(&need.resource) {
            return true;
        }
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
        if reads_files(spec) && self.strangers.may_fill_something() {
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
            Concern::OwnWork => {
                let mut written = needs.iter().filter(|need| need.access == Access::Write);
                written.any(|need| self.own.covers(&need.resource))
                    || (open.contains(&Access::Write) && self.may_write_own())
            }
        }
    }

    fn agent_tool_lets_out(&self, spec: &ToolSpec) -> bool {
        match self.concern {
            Concern::Untrusted => is_sink(spec.effect) || asks_outside(spec, spec.effect),
            Concern::Private => {
                let leaves = is_sink(spec.effect) && spec.effect != Effect::Exec;
                let granted = &self.grants().hosts;
                let is_named = |entry: &String| self.grants().private_to.contains(entry);
                let by_host = spec.touches.iter().any(|touch| touch.access == Access::Host);
                let by_name = spec.needs.iter().all(|need| is_named(&need.resource));
                let is_all_named = by_name
                    && (by_host || !spec.needs.is_empty())
                    && (!by_host || (!granted.is_empty() && granted.iter().all(is_named)));
                (leaves || asks_outside(spec, spec.effect)) && !is_all_named
            }
            Concern::OwnWork => writes_by_argument(spec) && self.may_write_own(),
        }
    }

    /// Whether the plan may write among the person's own work.
    fn may_write_own(&self) -> bool {
        let place = self.own.place;
        let base = |entry: &String| match grants::extent_of(entry, place) {
            Ok(Extent::Named { path, .. } | Extent::Below(path)) => Some(path),
            Err(_) => None,
        };
        let marked: Vec<String> = self.grants().own_work.iter().filter_map(base).collect();
        let mut written = self.grants().write.iter().filter_map(base);
        written.any(|path| {
            let mut own = marked.iter().chain(self.own.folders);
            self.own.covers(&path)
                || own.any(|own| grants::is_in_folder(own, &path) || grants::is_in_folder(&path, own))
        })
    }
}

/// Whether a question to somebody outside goes out with it.
fn asks_outside(spec: &ToolSpec, effect: Effect) -> bool {
    let is_outside = |access| matches!(access, Access::Host | Access::Mcp);
    let touched = spec.touches.iter().map(|touch| touch.access);
    let mut all = touched.chain(spec.needs.iter().map(|need| need.access));
    effect == Effect::ReadExternal && all.any(is_outside)
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

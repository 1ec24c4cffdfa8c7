//! An engine in memory (or on a file) with scripted tools, and runs told as stories.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use planloom_engine::model::caps::Caps;
use planloom_engine::model::tool::{Effect, Idempotency};
use planloom_engine::model::{DecisionId, Json, RunId};
use planloom_engine::run::{Clock, WhenIdle};
use planloom_engine::tools::{Registry, Tool};
use planloom_engine::views::{RunStatus, TaskStatus};
use planloom_engine::{Config, Consent, Engine, Error, Parameters, Shown};
use serde_json::json;

use crate::models::ScriptedModel;
use crate::script::Script;

pub struct Rig {
    pub engine: Engine,
    /// `read.do`: reads, so it may always be repeated.
    pub read: Script,
    /// `effect.do`: changes something outside and can't be repeated blindly.
    pub effect: Script,
    /// `keyed.do`: changes something outside, and the receiver honours the key.
    pub keyed: Script,
    /// `spare.do`: reads, for when `read.do` is down.
    pub spare: Script,
    /// `spare.send`: changes something outside and can't be repeated blindly, for when another is down.
    pub spare_effect: Script,
    /// `spare.keyed`: changes something outside, and the receiver honours the key, for when another is down.
    pub spare_keyed: Script,
    /// `outside.do`: reads what somebody outside wrote.
    pub outside: Script,
    /// Set up only where a test asks for models: for agents, and first of the role `planner`.
    pub model: ScriptedModel,
    /// Stands in for it in the role `planner`.
    pub spare_model: ScriptedModel,
    folder: tempfile::TempDir,
    db: Option<PathBuf>,
}

impl Default for Rig {
    fn default() -> Self {
        Self::in_memory()
    }
}

impl Rig {
    pub fn in_memory() -> Self {
        Self::make(None, Clock::for_tests(), WhenIdle::Leave)
    }

    /// Like the window: waits for answers instead of leaving the run.
    pub fn that_stays() -> Self {
        Self::make(None, Clock::for_tests(), WhenIdle::Stay)
    }

    pub fn on_file() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let db = folder.path().join("planloom.db");
        Self::with_folder(folder, Some(db), Clock::System, WhenIdle::Leave)
    }

    /// Like `in_memory`, with caps on tools.
    pub fn with_caps(caps: &[(&str, u32)]) -> Self {
        let caps = Caps {
            tools: caps.iter().map(|&(tool, most)| (tool.to_owned(), most)).collect(),
            ..Caps::default()
        };
        Self::set_up(|config| Config { caps, ..config })
    }

    /// Like `in_memory`, with its settings changed, such as the models that are set up.
    pub fn set_up(change: impl FnOnce(Config) -> Config) -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self::build(folder, None, Clock::for_tests(), WhenIdle::Leave, change)
    }

    /// Like `in_memory`, with scripted models for agents.
    pub fn with_models() -> Self {
        Self::in_memory().modelled(Clock::for_tests())
    }

    /// Like `on_file`, with scripted models for agents.
    pub fn on_file_with_models() -> Self {
        Self::on_file().modelled(Clock::System)
    }

    fn modelled(mut self, clock: Clock) -> Self {
        self.engine = self.another_modelled(clock);
        self
    }

    /// Another engine on the same file, with the scripted models.
    pub fn another_modelled(&self, clock: Clock) -> Engine {
        let models = self.model.models_with(&self.spare_model);
        let (db, folder) = (self.db.as_deref(), self.folder.path());
        let set_up = |config| Config { models, ..config };
        open(
            db,
            folder,
            clock,
            WhenIdle::Leave,
            &self.tools(&self.read),
            set_up,
        )
    }

    /// Another engine on the same file, with the scripted models and these secrets.
    pub fn another_keeping(&self, secrets: planloom_engine::run::Secrets) -> Engine {
        let models = self.model.models_with(&self.spare_model);
        let (db, folder) = (self.db.as_deref(), self.folder.path());
        let set_up = |config| Config {
            models,
            secrets,
            ..config
        };
        let tools = self.tools(&self.read);
        open(db, folder, Clock::System, WhenIdle::Leave, &tools, set_up)
    }

    /// Another engine on the same file, with its settings changed.
    pub fn engine_on(&self, change: impl FnOnce(Config) -> Config) -> Engine {
        let (db, folder) = (self.db.as_deref(), self.folder.path());
        let tools = self.tools(&self.read);
        open(db, folder, Clock::System, WhenIdle::Leave, &tools, change)
    }

    fn tools<'a>(&'a self, read: &'a Script) -> [&'a Script; 7] {
        let spares = [&self.spare, &self.spare_effect, &self.spare_keyed];
        let [one, two, three] = spares;
        [read, &self.effect, &self.keyed, one, two, three, &self.outside]
    }

    fn make(db: Option<PathBuf>, clock: Clock, when_idle: WhenIdle) -> Self {
        Self::with_folder(tempfile::tempdir().unwrap(), db, clock, when_idle)
    }

    fn with_folder(
        folder: tempfile::TempDir,
        db: Option<PathBuf>,
        clock: Clock,
        when_idle: WhenIdle,
    ) -> Self {
        Self::build(folder, db, clock, when_idle, |config| config)
    }

    fn build(
        folder: tempfile::TempDir,
        db: Option<PathBuf>,
        clock: Clock,
        when_idle: WhenIdle,
        change: impl FnOnce(Config) -> Config,
    ) -> Self {
        let sends = |name, idempotency| Script::new(name, Effect::WriteExternal, idempotency);
        let read = Script::new("read.do", Effect::Read, Idempotency::Natural);
        let effect = sends("effect.do", Idempotency::Not);
        let keyed = sends("keyed.do", Idempotency::ByKey);
        let spare = Script::new("spare.do", Effect::Read, Idempotency::Natural);
        let spare_effect = sends("spare.send", Idempotency::Not);
        let spare_keyed = sends("spare.keyed", Idempotency::ByKey);
        let outside = Script::new("outside.do", Effect::ReadExternal, Idempotency::Natural).from_outside();
        let tools = [
            &read,
            &effect,
            &keyed,
            &spare,
            &spare_effect,
            &spare_keyed,
            &outside,
        ];
        let engine = open(db.as_deref(), folder.path(), clock, when_idle, &tools, change);
        Self {
            engine,
            read,
            effect,
            keyed,
            spare,
            spare_effect,
            spare_keyed,
            outside,
            model: ScriptedModel::default(),
            spare_model: ScriptedModel::default(),
            folder,
            db,
        }
    }

    /// A second engine on the same file, as another process would have it.
    pub fn another(&self) -> Engine {
        self.beside(&self.read, Clock::System)
    }

    /// The same with this clock.
    pub fn another_at(&self, clock: Clock) -> Engine {
        self.beside(&self.read, clock)
    }

    /// The same with `read.do` defined otherwise.
    pub fn another_version(&self) -> Engine {
        self.beside(&self.read.redefined(), Clock::System)
    }

    /// The same with `spare.send` defined otherwise.
    pub fn another_spare(&self) -> Engine {
        let spare = self.spare_effect.redefined();
        let tools = [&self.read, &self.effect, &self.keyed, &spare];
        self.with_tools(Clock::System, &tools)
    }

    fn beside(&self, read: &Script, clock: Clock) -> Engine {
        self.with_tools(clock, &self.tools(read))
    }

    fn with_tools(&self, clock: Clock, tools: &[&Script]) -> Engine {
        let (db, folder) = (self.db.as_deref(), self.folder.path());
        open(db, folder, clock, WhenIdle::Leave, tools, |config| config)
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn db(&self) -> &Path {
        self.db.as_deref().unwrap()
    }

    pub fn write_plan(&self, name: &str, plan: &Json) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::write(&path, plan.to_string()).unwrap();
        path
    }

    /// Opens and approves; nothing runs yet.
    pub async fn open(&self, plan: &Json) -> RunId {
        self.try_open(plan).await.unwrap()
    }

    pub async fn try_open(&self, plan: &Json) -> Result<RunId, Error> {
        let path = self.write_plan("test.plan.json", plan);
        self.engine
            .open_run(path, &Parameters::Json(Json::Null), &Consent::Given)
            .await
    }

    /// Opens, approves and drives until nothing more can go on.
    pub async fn run(&self, plan: &Json) -> Shown {
        let run = self.open(plan).await;
        self.go_on(&run).await
    }

    pub async fn go_on(&self, run: &RunId) -> Shown {
        self.engine.resume(run).await.unwrap();
        let end = self.engine.until_left(run).await.unwrap();
        assert!(end.trouble.is_none(), "{:?}", end.trouble);
        self.show(run).await
    }

    pub async fn show(&self, run: &RunId) -> Shown {
        self.engine.show(run, None).await.unwrap()
    }

    pub async fn answer(&self, run: &RunId, decision: &str, answer: Json) {
        self.engine
            .decide(run, &DecisionId::from(decision), answer)
            .await
            .unwrap();
    }

    /// Waits (in turned time) until the run's task is in this state.
    pub async fn until(&self, run: &RunId, task: &str, status: TaskStatus) {
        for _ in 0..2000 {
            let shown = self.show(run).await;
            if shown.tasks.iter().any(|t| t.id == task && t.status == status) {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
        panic!("{task} never became {status}: {}", states(&self.show(run).await));
    }
}

fn open(
    db: Option<&Path>,
    folder: &Path,
    clock: Clock,
    when_idle: WhenIdle,
    tools: &[&Script],
    change: impl FnOnce(Config) -> Config,
) -> Engine {
    let mut all: Vec<Arc<dyn Tool>> = planloom_engine::tools::builtin();
    all.extend(tools.iter().map(|&t| Arc::new(t.clone()) as Arc<dyn Tool>));
    let config = Config {
        tools: Registry::new(all),
        workspaces: Some(folder.join("runs")),
        when_idle,
        clock,
        ..Config::new(db.map(Path::to_owned), "test")
    };
    Engine::open(change(config)).unwrap()
}

/// A task that calls a scripted tool with its own id.
pub fn task(id: &str, tool: &str, after: &[&str]) -> Json {
    json!({
        "id": id, "instruction": format!("Do {id}."), "task_type": "tool", "tool": tool,
        "inputs": { "id": id }, "dependencies": after,
    })
}

/// A task that lets a model work with these tools.
pub fn agent(id: &str, tools: &[&str]) -> Json {
    json!({ "id": id, "instruction": format!("Work on {id}."), "task_type": "agent", "tools": tools })
}

/// A plan whose agents may call scripted tools with these ids.
pub fn granting(ids: &[&str], tasks: &[Json]) -> Json {
    json!({ "goal": "Test", "tasks": tasks, "grants": { "commands": ids } })
}

pub fn plan(tasks: &[Json]) -> Json {
    json!({ "goal": "Test", "tasks": tasks })
}

/// The task with these fields set.
pub fn with(mut task: Json, fields: Json) -> Json {
    for (name, value) in fields.as_object().unwrap() {
        task[name] = value.clone();
    }
    task
}

pub fn state_of(shown: &Shown, task: &str) -> TaskStatus {
    shown.tasks.iter().find(|t| t.id == task).unwrap().status
}

pub fn states(shown: &Shown) -> String {
    let states: Vec<String> = shown
        .tasks
        .iter()
        .map(|t| format!("{} {}", t.id, t.status))
        .collect();
    format!("{}: {}", shown.row.status, states.join(", "))
}

pub fn output_of(shown: &Shown, task: &str) -> Json {
    let at = shown.tasks.iter().position(|t| t.id == task).unwrap();
    shown.outputs[at]
        .as_deref()
        .map_or(Json::Null, |text| serde_json::from_str(text).unwrap())
}

pub fn final_output(shown: &Shown) -> Json {
    serde_json::from_str(shown.output.as_deref().unwrap_or("null")).unwrap()
}

pub fn is_over(shown: &Shown) -> bool {
    match shown.row.status {
        RunStatus::Succeeded | RunStatus::Failed | RunStatus::Cancelled => true,
        RunStatus::AwaitingApproval
        | RunStatus::Running
        | RunStatus::Paused
        | RunStatus::Waiting
        | RunStatus::Blocked => false,
    }
}

/// The run as a story: one line per event, without what differs from run to run.
pub async fn story(engine: &Engine, run: &RunId) -> String {
    let mut watch = engine.watch_all(run, 0).await.unwrap();
    let news = watch.next().await.unwrap().unwrap();
    let lines: Vec<String> = news
        .events
        .iter()
        .map(|e| {
            format!("{:>3} {:<18} {}", e.seq, e.kind, e.task.as_deref().unwrap_or(""))
                .trim_end()
                .to_owned()
        })
        .collect();
    lines.join("\n")
}

/// Position of the first event of this kind and task (none for the run's own).
pub async fn seq_of(rig: &Rig, run: &RunId, kind: &str, task: &str) -> u64 {
    let story = story(&rig.engine, run).await;
    let found = story.lines().find(|line| {
        let mut words = line.split_whitespace().skip(1);
        words.next() == Some(kind) && words.next().unwrap_or("") == task
    });
    let line = found.unwrap_or_else(|| panic!("no {kind} {task} in\n{story}"));
    line.split_whitespace().next().unwrap().parse().unwrap()
}

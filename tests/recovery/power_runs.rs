//! Power loss in whole runs: agents, items, nested plans, decisions, a rewind and a fork. Wherever the write-ahead log
//! is cut or its bytes are flipped, each run is at an earlier position of its own story, with all that it had then, and
//! what was synced before is there.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use planloom_engine::model::tool::{Effect, Idempotency};
use planloom_engine::model::{Json, RunId};
use planloom_engine::run::WhenIdle;
use planloom_engine::store::{Durability, RunKey, Store};
use planloom_engine::tools::{Registry, Tool};
use planloom_engine::views::{RunStatus, TaskStatus};
use planloom_engine::{Config, Consent, Engine, Files as Restore, Parameters, Shown};
use planloom_tests::models::{ScriptedModel, call, submit};
use planloom_tests::rig::{agent, is_over, task};
use planloom_tests::script::{Act, Script};
use serde_json::json;

use crate::dice::{Dice, number, seed};
use crate::truth::{FRAME, Files, Truth, WAL_HEADER};

/// Something was synced: the log's length and generation, and up to where each run's story stood on disk then.
struct Synced {
    length: usize,
    salt: Vec<u8>,
    run: RunKey,
    head: u64,
}

struct Workload {
    truth: Truth,
    files: Files,
    synced: Vec<Synced>,
    keys: BTreeMap<String, RunKey>,
    /// Each run at each of its positions.
    pictures: BTreeMap<String, Vec<String>>,
    tools: Vec<Arc<dyn Tool>>,
    model: ScriptedModel,
}

fn salt(wal: &[u8]) -> Vec<u8> {
    wal.get(16..24).unwrap_or_default().to_vec()
}

fn scripts() -> (Vec<Arc<dyn Tool>>, ScriptedModel) {
    let read = Script::new("read.do", Effect::Read, Idempotency::Natural);
    let effect = Script::new("effect.do", Effect::WriteExternal, Idempotency::Not);
    let keyed = Script::new("keyed.do", Effect::WriteExternal, Idempotency::ByKey);
    for n in 0..9 {
        read.on(
            "large",
            [Act::Give(
                json!({ "n": n, "text": format!("{n} ").repeat(4_000) }),
            )],
        );
        effect.on("pay", [Act::Unknown, Act::Give(json!(n))]);
    }
    let model = ScriptedModel::default();
    let line = |n: u64| match n % 3 {
        0 => call(&[
            ("read.do", json!({ "id": "seen" })),
            ("effect.do", json!({ "id": "sent" })),
        ]),
        1 => call(&[("read.do", json!({ "id": "large" }))]),
        _ => submit(json!({ "result": "looked and sent" })),
    };
    model.on("Work on look", (0..30).map(line));
    let tools = [read, effect, keyed].map(|tool| Arc::new(tool) as Arc<dyn Tool>);
    let mut all = planloom_engine::tools::builtin();
    all.extend(tools);
    (all, model)
}

fn plan() -> Json {
    let ask = json!({
        "id": "ask", "instruction": "Well?", "task_type": "human", "form": { "type": "integer" },
        "dependencies": ["large"],
    });
    let each = json!({
        "id": "each", "instruction": "Each.", "task_type": "map", "over": ["a", "b", "c"], "dependencies": ["ask"],
        "task": { "instruction": "One.", "task_type": "tool", "tool": "keyed.do", "inputs": { "id": { "$item": "" } } },
    });
    let inner = json!({ "tasks": [task("in", "read.do", &[])], "grants": { "commands": ["in"] } });
    let nest = json!({ "id": "nest", "instruction": "Nest.", "task_type": "subplan", "plan": inner });
    json!({
        "goal": "Outlast the power",
        "tasks": [
            task("large", "read.do", &[]), ask, each, nest, task("pay", "effect.do", &[]),
            agent("look", &["read.do", "effect.do"]), task("last", "read.do", &["each", "pay", "nest", "look"]),
        ],
        "grants": { "commands": ["a", "b", "c", "in", "seen", "sent", "large"] },
    })
}

fn engine_on(store: Store, folder: &Path, tools: &[Arc<dyn Tool>], model: &ScriptedModel) -> Engine {
    let config = Config {
        tools: Registry::new(tools.to_vec()),
        models: model.models(),
        workspaces: Some(folder.join("runs")),
        when_idle: WhenIdle::Leave,
        ..Config::new(None, "test")
    };
    Engine::open_on(store, config)
}

/// Drives the run, answering all that is asked.
async fn go_on(engine: &Engine, run: &RunId) {
    loop {
        let shown = engine.show(run, None).await.unwrap();
        if is_over(&shown) {
            return;
        }
        if shown.row.status == RunStatus::AwaitingApproval {
            engine.approve_as_opened(run).await.unwrap();
        }
        for decision in shown.decisions.iter().filter(|d| d.task.is_some()) {
            let word = decision.options.first().map_or(json!(7), |o| json!(o.answer));
            engine
                .decide(run, &decision.id.as_str().into(), word)
                .await
                .unwrap();
        }
        engine.resume(run).await.unwrap();
        let end = engine.until_left(run).await.unwrap();
        assert!(end.trouble.is_none(), "{:?}", end.trouble);
    }
}

/// What is under way is shown by whether somebody drives it now; so that is told in one word.
fn picture(shown: &Shown) -> String {
    let word = |status: TaskStatus| match status {
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
    let tasks = shown.tasks.iter().zip(&shown.outputs);
    let told = tasks.map(|(task, output)| format!("{} {} {output:?}", task.id, word(task.status)));
    told.collect::<Vec<_>>().join("\n")
}

async fn workload() -> Workload {
    let folder = tempfile::tempdir().unwrap();
    let db = folder.path().join("planloom.db");
    let store = Store::open(&db).unwrap();
    let synced: Arc<Mutex<Vec<Synced>>> = Arc::default();
    let (noted, at) = (synced.clone(), db.clone());
    // By the time that this looks, the log may have grown: then more has to be left of it for the promise to count.
    store.set_witness(Arc::new(move |committed| {
        if committed.durability == Durability::Disk {
            let wal = Files::of(&at).wal;
            noted.lock().unwrap().push(Synced {
                length: wal.len(),
                salt: salt(&wal),
                run: committed.run,
                head: committed.first + committed.events.len() as u64 - 1,
            });
        }
    }));
    let (tools, model) = scripts();
    let engine = engine_on(store.clone(), folder.path(), &tools, &model);
    let path = folder.path().join("outlast.plan.json");
    std::fs::write(&path, plan().to_string()).unwrap();
    let none = Parameters::Json(Json::Null);
    let run = engine.open_run(path, &none, &Consent::Given).await.unwrap();
    go_on(&engine, &run).await;
    let middle = engine.show(&run, None).await.unwrap().seq / 2;
    let fork = engine
        .fork(&run, Some(middle), None, Restore::Leave)
        .await
        .unwrap()
        .run;
    go_on(&engine, &fork).await;
    engine.rewind(&run, middle, Restore::Leave).await.unwrap();
    go_on(&engine, &run).await;
    let mut keys = BTreeMap::new();
    let mut pictures = BTreeMap::new();
    for run in [run, fork] {
        keys.insert(run.to_string(), store.run(&run).await.unwrap().key);
        let mut seen = Vec::new();
        for seq in 1..=engine.show(&run, None).await.unwrap().seq {
            seen.push(picture(&engine.show(&run, Some(seq)).await.unwrap()));
        }
        pictures.insert(run.to_string(), seen);
    }
    let truth = Truth::read(&store).await;
    let files = Files::of(&db);
    let synced = std::mem::take(&mut *synced.lock().unwrap());
    assert!(synced.len() > 20, "much of it is worth a sync: {}", synced.len());
    Workload {
        truth,
        files,
        synced,
        keys,
        pictures,
        tools,
        model,
    }
}

impl Workload {
    /// Looks at what is left, as the store does and as a face does, and gives how many events there are.
    async fn look(&self, files: &Files, whole_until: usize, what: &str) -> usize {
        let folder = tempfile::tempdir().unwrap();
        let db = files.put(folder.path());
        let seen = self.truth.look(&db, what).await;
        let own = salt(&self.files.wal);
        for (run, key) in &self.keys {
            let promised = self
                .synced
                .iter()
                .filter(|s| s.run == *key && (s.salt != own || s.length <= whole_until))
                .map(|s| s.head)
                .max();
            let head = seen.heads.get(run).copied().unwrap_or(0) as u64;
            assert!(
                promised.unwrap_or(0) <= head,
                "{what}: {run} is at {head}, not at {promised:?}"
            );
        }
        if let Ok(store) = Store::open(&db) {
            let engine = engine_on(store, folder.path(), &self.tools, &self.model);
            for (run, &head) in seen.heads.iter().filter(|(_, head)| **head > 0) {
                let shown = engine.show(&run.as_str().into(), None).await;
                let shown = shown.unwrap_or_else(|e| panic!("{what}: {run} at {head}: {e}"));
                assert_eq!(shown.seq as usize, head, "{what}");
                assert_eq!(
                    picture(&shown),
                    self.pictures[run][head - 1],
                    "{what}: {run} at {head}"
                );
            }
        }
        seen.heads.values().sum()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whole_runs_cut_anywhere_are_where_they_once_were() {
    let seed = seed();
    let mut dice = Dice::new(seed);
    let work = workload().await;
    let wal = &work.files.wal;
    let mut cuts: Vec<usize> = (WAL_HEADER..=wal.len()).step_by(FRAME).collect();
    cuts.extend((0..40).map(|_| dice.below(wal.len() as u64) as usize));
    cuts.push(wal.len());
    cuts.sort_unstable();
    let mut last = 0;
    for cut in cuts {
        let mut files = work.files.clone();
        files.wal.truncate(cut);
        let what = format!("log cut at {cut} of {} (seed {seed})", wal.len());
        let events = work.look(&files, cut, &what).await;
        assert!(events >= last, "a longer log never says less: {what}");
        last = events;
    }
    let all: usize = work.truth.0.values().map(Vec::len).sum();
    assert_eq!(last, all, "the whole log says all");
}

#[tokio::test(flavor = "multi_thread")]
async fn whole_runs_with_flipped_bytes_are_where_they_once_were() {
    let seed = seed();
    let mut dice = Dice::new(seed);
    let work = workload().await;
    for round in 0..number("PLANLOOM_SEEDS").unwrap_or(60).min(2_000) {
        let mut files = work.files.clone();
        let at = dice.below(files.wal.len() as u64) as usize;
        files.wal[at] ^= 1 << dice.below(8);
        let what = format!("log flipped at {at}, round {round} (seed {seed})");
        work.look(&files, at, &what).await;
    }
}

//! What a run costs: commits, syncs, rows, bytes and CPU per task; and what a resume does again.

use std::path::Path;
use std::time::Instant;

use cpu_time::ProcessTime;
use planloom_engine::model::RunId;
use planloom_engine::run::WhenIdle;
use planloom_engine::store::Counts;
use planloom_engine::tools::{Registry, Workers};
use planloom_engine::{Config, Consent, Engine, MAX_PARALLEL, Parameters};
use serde_json::Value;

use crate::fill::Fill;
use crate::plans;
use crate::table::Table;

pub fn engine(folder: &Path) -> Engine {
    let mut tools = planloom_engine::tools::builtin();
    tools.push(std::sync::Arc::new(Fill::default()));
    let config = Config {
        when_idle: WhenIdle::Leave,
        tools: Registry::new(tools).with_workers(Workers::of_this_program()),
        ..Config::new(Some(folder.join("bench.db")), "bench")
    };
    Engine::open(config).expect("the bench has a folder of its own")
}

pub async fn open(engine: &Engine, folder: &Path, plan: &Value) -> RunId {
    let path = folder.join("bench.plan.json");
    std::fs::write(&path, plan.to_string()).expect("the folder can be written");
    let none = Parameters::Json(Value::Null);
    engine
        .open_run(path, &none, &Consent::Given)
        .await
        .expect("the plan is valid")
}

pub async fn drive(engine: &Engine, run: &RunId, cap: usize) {
    engine
        .resume_with(run, cap, false)
        .await
        .expect("nobody else drives it");
    let end = engine.until_left(run).await.expect("it is driven");
    assert!(end.trouble.is_none(), "{:?}", end.trouble);
}

pub fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("threads can be made")
}

pub struct Cost {
    pub counts: Counts,
    pub cpu_us: f64,
    pub wall_ms: f64,
    pub bytes: u64,
}

/// One run on a fresh database. The CPU time is the whole process's and its workers' while the run is driven.
pub fn cost(plan: &Value, cap: usize) -> Cost {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let runtime = runtime();
    let (counts, cpu_us, wall_ms) = runtime.block_on(async {
        let engine = engine(folder.path());
        let run = open(&engine, folder.path(), plan).await;
        let before = engine.store_counts();
        let (cpu, wall) = (ProcessTime::now(), Instant::now());
        let others = workers_cpu_us();
        drive(&engine, &run, cap).await;
        let others = workers_cpu_us() - others;
        let (cpu_us, wall_ms) = (
            cpu.elapsed().as_secs_f64() * 1e6 + others,
            wall.elapsed().as_secs_f64() * 1e3,
        );
        let after = engine.store_counts();
        engine.close().await;
        let counts = Counts {
            commits: after.commits - before.commits,
            synced: after.synced - before.synced,
            rows: after.rows - before.rows,
        };
        (counts, cpu_us, wall_ms)
    });
    drop(runtime);
    // A last checkpoint, so that the WAL counts only where it holds something.
    let db = folder.path().join("bench.db");
    if let Ok(conn) = rusqlite::Connection::open(&db) {
        let _ = conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
    }
    let bytes = std::fs::metadata(&db).map_or(0, |m| m.len());
    Cost {
        counts,
        cpu_us,
        wall_ms,
        bytes,
    }
}

/// What the worker processes of this one have used; nothing where the system does not tell it as Linux does.
fn workers_cpu_us() -> f64 {
    const TICKS_A_SECOND: f64 = 100.0;
    let own = std::process::id().to_string();
    let stats = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let ticks = stats.filter_map(|entry| {
        let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let ticks = |at: usize| fields.get(at)?.parse::<f64>().ok();
        (*fields.get(1)? == own).then_some(ticks(11)? + ticks(12)?)
    });
    ticks.sum::<f64>() / TICKS_A_SECOND * 1e6
}

fn best(plan: &Value, cap: usize) -> Cost {
    let runs = (0..5).map(|_| cost(plan, cap));
    runs.min_by(|a, b| a.cpu_us.total_cmp(&b.cpu_us))
        .expect("five runs")
}

pub fn fan(table: &mut Table) {
    let cost = best(&plans::fan(1000), MAX_PARALLEL);
    let per = |n: u64| n as f64 / 1000.0;
    table.at_most(
        "fan-1000 commits per task",
        per(cost.counts.commits),
        0.2,
        "",
        "16 in flight; best of 5 by CPU",
    );
    table.at_most(
        "fan-1000 CPU per task",
        cost.cpu_us / 1000.0,
        100.0,
        "µs",
        "LangGraph 512–717 µs elsewhere",
    );
    table.tell("fan-1000 syncs", cost.counts.synced as f64, "", "barriers");
    table.tell("fan-1000 rows per task", per(cost.counts.rows), "", "");
    table.tell(
        "fan-1000 bytes per task",
        per(cost.bytes),
        "B",
        "whole file, plan included",
    );
    table.tell("fan-1000 wall", cost.wall_ms, "ms", "");
}

pub fn chain(table: &mut Table) {
    let cost = best(&plans::chain(1000, 1024), MAX_PARALLEL);
    let small = best(&plans::chain(100, 1024), MAX_PARALLEL);
    let mb = |c: &Cost| c.bytes as f64 / 1e6;
    table.at_most(
        "chain-1000-1k commits per task",
        cost.counts.commits as f64 / 1000.0,
        1.0,
        "",
        "",
    );
    table.at_most(
        "chain-1000-1k file",
        mb(&cost),
        1.6,
        "MB",
        "in all; LangGraph 589, 80 with its delta channel",
    );
    table.at_most(
        "chain bytes(1000) ÷ bytes(100)",
        mb(&cost) / mb(&small),
        10.5,
        "",
        "linear",
    );
    let wide = cost_of_wide_chain();
    table.at_most(
        "chain-1000-10k file ÷ payload",
        wide,
        1.3,
        "",
        "10.24 MB of text that hardly packs; LangGraph 5,100 MB",
    );
    table.tell("chain-1000-1k CPU per task", cost.cpu_us / 1000.0, "µs", "");
    table.tell("chain-1000-1k syncs", cost.counts.synced as f64, "", "barriers");
    table.tell("chain-1000-1k wall", cost.wall_ms, "ms", "");
}

/// The same chain, each link a task of code in the worker process.
pub fn chain_of_code(table: &mut Table) {
    let cost = best(&plans::chain_of_code(1000, 1024), MAX_PARALLEL);
    table.at_most(
        "chain-1000-1k of code CPU per task",
        cost.cpu_us / 1000.0,
        400.0,
        "µs",
        "engine and worker process together",
    );
}

fn cost_of_wide_chain() -> f64 {
    const BYTES: usize = 10 * 1024;
    let cost = cost(&plans::chain(1000, BYTES), MAX_PARALLEL);
    cost.bytes as f64 / (1000 * BYTES) as f64
}

/// A run of 1,000 tasks is cut off; what is left to do is done, and nothing else.
pub fn resume(table: &mut Table) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut plan = plans::chain(1000, 64);
    plan["tasks"][998]["tool"] = "wait".into();
    plan["tasks"][998]["inputs"] = serde_json::json!({ "ms": 60_000 });
    let (first_ms, again) = runtime().block_on(async {
        let engine = engine(folder.path());
        let run = open(&engine, folder.path(), &plan).await;
        engine.resume(&run).await.expect("nobody else drives it");
        let mut watch = engine.watch(&run, 0).await.expect("it exists");
        while let Some(Ok(news)) = watch.next().await {
            if news.run.counts.iter().any(|c| c.count >= 998) && news.seq > 4000 {
                break;
            }
        }
        engine.close().await;
        let second = self::engine(folder.path());
        let began = Instant::now();
        second.resume(&run).await.expect("it was left");
        let head = second.show(&run, None).await.expect("it can be read").seq;
        let mut watch = second.watch_all(&run, 0).await.expect("it exists");
        let mut started = 0;
        let mut first_ms = began.elapsed().as_secs_f64() * 1e3;
        'all: while let Some(Ok(news)) = watch.next().await {
            for event in &news.events {
                if event.kind == "task_started" && u64::from(event.seq) + 8 > head {
                    started += 1;
                    first_ms = first_ms.min(began.elapsed().as_secs_f64() * 1e3);
                    break 'all;
                }
            }
        }
        second.close().await;
        (first_ms, started)
    });
    table.tell(
        "resume of 1,000 tasks",
        first_ms,
        "ms",
        "open, fold and start what was in flight",
    );
    table.at_most(
        "resume: tasks run again",
        f64::from(again),
        1.0,
        "",
        "only the one in flight",
    );
}

//! What the past costs: a state at any position of a long log, a fork, and a map of many items.

use std::time::Instant;

use planloom_engine::model::RunId;
use planloom_engine::{Effects, Engine, MAX_PARALLEL};
use serde_json::json;

use crate::disk::{cost, drive, engine, open, runtime};
use crate::plans;
use crate::table::Table;

const LONG: u64 = 50_000;

/// A run of few tasks that was run again until its log is long: a state must not cost more the later it is.
pub fn state_at(table: &mut Table) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (early, late, worst, head) = runtime().block_on(async {
        let engine = engine(folder.path());
        let run = open(&engine, folder.path(), &plans::fan(200)).await;
        drive(&engine, &run, MAX_PARALLEL).await;
        let mut head = head_of(&engine, &run).await;
        while head < LONG {
            engine
                .rerun(&run, None, None, Effects::Keep)
                .await
                .expect("it is at rest");
            drive(&engine, &run, MAX_PARALLEL).await;
            head = head_of(&engine, &run).await;
        }
        let early = at(&engine, &run, 2_000).await;
        let late = at(&engine, &run, head - 7).await;
        let mut worst: f64 = 0.0;
        for part in 1..20 {
            worst = worst.max(at(&engine, &run, head * part / 20).await);
        }
        (early, late, worst, head)
    });
    table.at_most(
        "state_at: event 50,000 ÷ event 2,000",
        late / early,
        2.0,
        "",
        format!("200 tasks, {head} events; best of 5 each"),
    );
    table.at_most(
        "state_at: worst of 20 places ÷ event 2,000",
        worst / early,
        3.0,
        "",
        "",
    );
    table.tell(
        "state_at near event 50,000",
        late,
        "ms",
        "with all outputs loaded",
    );
}

async fn head_of(engine: &Engine, run: &RunId) -> u64 {
    engine.show(run, None).await.expect("it can be read").seq
}

/// Milliseconds, the best of five.
async fn at(engine: &Engine, run: &RunId, seq: u64) -> f64 {
    let mut best = f64::MAX;
    for _ in 0..5 {
        let began = Instant::now();
        engine.show(run, Some(seq)).await.expect("it is in the log");
        best = best.min(began.elapsed().as_secs_f64() * 1e3);
    }
    best
}

/// A fork is a row and its first event, however long the log behind it is.
pub fn fork(table: &mut Table) {
    let (short, small) = fork_of(100);
    let (long, large) = fork_of(2_000);
    table.at_most("fork: rows of the runs table", f64::from(long.0), 1.0, "", "");
    table.at_most(
        "fork: rows of the log",
        f64::from(long.1),
        1.0,
        "",
        "its own first event",
    );
    table.at_most(
        "fork: rows at 10,000 events ÷ at 500",
        f64::from(long.0 + long.1) / f64::from(short.0 + short.1),
        1.0,
        "",
        "constant",
    );
    table.tell(
        "fork at 10,000 events ÷ at 500, time",
        large / small,
        "",
        "reading the parent is linear in its tasks",
    );
}

fn fork_of(tasks: usize) -> ((u32, u32), f64) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let db = folder.path().join("bench.db");
    runtime().block_on(async {
        let engine = engine(folder.path());
        let run = open(&engine, folder.path(), &plans::fan(tasks)).await;
        drive(&engine, &run, MAX_PARALLEL).await;
        let before = rows(&db);
        let began = Instant::now();
        engine
            .fork(&run, None, None, planloom_engine::Files::Leave)
            .await
            .expect("it can be forked");
        let ms = began.elapsed().as_secs_f64() * 1e3;
        let after = rows(&db);
        ((after.0 - before.0, after.1 - before.1), ms)
    })
}

fn rows(db: &std::path::Path) -> (u32, u32) {
    let conn = rusqlite::Connection::open(db).expect("it is a database");
    let count = |table: &str| {
        conn.query_row(&format!("SELECT count(*) FROM {table}"), [], |r| r.get(0))
            .expect("the table is there")
    };
    (count("runs"), count("events"))
}

/// 10,000 items, each scheduled and checkpointed as a task of its own.
pub fn map(table: &mut Table) {
    const ITEMS: f64 = 10_000.0;
    let items: Vec<u32> = (0..10_000).collect();
    let inner = json!({
        "instruction": "Fill.", "task_type": "tool", "tool": "bench.fill",
        "inputs": { "seed": { "$item": "" }, "bytes": 64 },
    });
    let each =
        json!({ "id": "each", "instruction": "Each.", "task_type": "map", "over": items, "task": inner });
    let cost = cost(&json!({ "goal": "map", "tasks": [each] }), MAX_PARALLEL);
    table.at_most(
        "map-10000 commits per item",
        cost.counts.commits as f64 / ITEMS,
        0.2,
        "",
        "",
    );
    table.at_most("map-10000 CPU per item", cost.cpu_us / ITEMS, 100.0, "µs", "");
    table.tell("map-10000 bytes per item", cost.bytes as f64 / ITEMS, "B", "");
    table.tell("map-10000 wall", cost.wall_ms, "ms", "");
}

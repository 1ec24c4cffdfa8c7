//! kill -9 at random moments of runs with side effects, until each run is done; an outside ledger counts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use planloom_tests::ledger::Ledger;
use planloom_tests::process::Desk;
use serde_json::{Value, json};

/// A small generator of our own, so that a failing seed can be run again.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }
}

/// Waves of effects with honoured keys, effects without, file writes and code, each wave behind the one before.
fn plan(ledger: &Ledger) -> Value {
    let post = |id: &str, after: &[String], is_idempotent: bool| {
        json!({
            "id": id, "instruction": "Post.", "task_type": "tool", "tool": "http.request",
            "idempotent": is_idempotent, "dependencies": after,
            "inputs": { "url": ledger.url(id), "method": "POST", "body": { "id": id } },
        })
    };
    let mut tasks = Vec::new();
    let mut before: Vec<String> = Vec::new();
    for wave in 0..5 {
        let (keyed, once, file, code) = (
            format!("keyed{wave}"),
            format!("once{wave}"),
            format!("file{wave}"),
            format!("code{wave}"),
        );
        tasks.push(post(&keyed, &before, true));
        tasks.push(post(&once, &before, false));
        tasks.push(json!({
            "id": file, "instruction": "Write.", "task_type": "tool", "tool": "file.write", "dependencies": before,
            "inputs": { "path": format!("run:/{file}.txt"), "text": format!("wave {wave}") },
        }));
        tasks.push(json!({
            "id": code, "instruction": "Count.", "task_type": "code", "source": "return { wave: n };",
            "inputs": { "n": wave }, "dependencies": before,
        }));
        before = vec![keyed, once, file, code];
    }
    json!({ "goal": "Survive", "tasks": tasks })
}

#[test]
fn random_kills_lose_nothing_and_repeat_no_effect() {
    let wanted: u32 = std::env::var("PLANLOOM_KILLS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(50);
    let seed = std::env::var("PLANLOOM_SEED")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(20_261_129);
    let mut dice = Dice(seed);
    let (mut kills, mut doubts) = (0, 0);
    while kills < wanted {
        let (k, d) = one_run(&mut dice, seed);
        kills += k;
        doubts += d;
    }
    println!("{kills} kills, {doubts} effects in doubt, seed {seed}");
}

fn one_run(dice: &mut Dice, seed: u64) -> (u32, u32) {
    let desk = Desk::default();
    let ledger = Ledger::open(Duration::from_millis(8));
    let path = desk.write("survive.plan.json", &plan(&ledger));
    let lines = desk.folder.path().join("lines");
    let (mut kills, mut doubts) = (0, 0);
    for round in 0..200 {
        let run = desk.newest();
        let args = match &run {
            None => vec!["run", path.to_str().unwrap(), "--yes"],
            Some(run) => vec!["resume", run.as_str()],
        };
        let mut child = desk.start(&args, &lines);
        std::thread::sleep(Duration::from_micros(dice.below(140_000)));
        let is_alive = child.try_wait().unwrap().is_none();
        if is_alive && round < 12 {
            child.kill().unwrap();
            kills += 1;
        }
        child.wait().unwrap();
        let Some(run) = desk.newest() else { continue };
        check(&desk, &ledger, &run, &lines, seed);
        let shown = desk.say(&["show", &run]).last();
        match shown["state"].as_str().unwrap() {
            "SUCCEEDED" => {
                assert_eq!(
                    ledger.entries().len(),
                    10,
                    "each effect once: {:?} (seed {seed})",
                    ledger.entries()
                );
                return (kills, doubts);
            }
            "WAITING" => doubts += settle(&desk, &ledger, &run, &shown),
            "RUNNING" | "PAUSED" => {}
            other => panic!("the run ended as {other} (seed {seed}): {shown}"),
        }
    }
    panic!("the run never ended (seed {seed})");
}

/// A person looks into the receiver's books and answers accordingly.
fn settle(desk: &Desk, ledger: &Ledger, run: &str, shown: &Value) -> u32 {
    let decisions = desk.say(&["decide", run]).last();
    let mut settled = 0;
    for decision in decisions["decisions"].as_array().unwrap() {
        let task = decision["task"].as_str().unwrap();
        assert!(
            task.starts_with("once"),
            "only effects without an honoured key may be in doubt, not {task}"
        );
        assert_eq!(shown["tasks"][task]["state"], "IN_DOUBT");
        let happened = ledger.entries().values().any(|e| e.path == format!("/{task}"));
        let answer = if happened {
            r#"{"done": {"did": "seen in the books"}}"#
        } else {
            "retry"
        };
        let said = desk.say(&["decide", run, decision["id"].as_str().unwrap(), answer]);
        assert_eq!(said.code, 0, "{}", said.stderr);
        settled += 1;
    }
    settled
}

/// What must hold after every crash.
fn check(desk: &Desk, ledger: &Ledger, run: &str, lines: &Path, seed: u64) {
    // Effects: never two requests where the receiver does not honour the key.
    for entry in ledger.entries().values() {
        let limit = if entry.path.starts_with("/once") {
            1
        } else {
            u32::MAX
        };
        assert!(entry.requests <= limit, "{entry:?} was done twice (seed {seed})");
    }
    // What was told is in the log, at the same place.
    let told = told(lines);
    let events = events(&desk.db());
    for (seq, kind) in &told {
        assert_eq!(
            events.get(seq).map(|e| e.0.as_str()),
            Some(kind.as_str()),
            "event {seq} was told (seed {seed})"
        );
    }
    let seqs: Vec<u64> = events.keys().copied().collect();
    assert_eq!(
        seqs,
        (1..=seqs.len() as u64).collect::<Vec<_>>(),
        "the log has no gap (seed {seed})"
    );
    in_order(&events, seed);
    assert_eq!(
        desk.say(&["show", run]).code,
        0,
        "the log can be read (seed {seed})"
    );
}

fn told(lines: &Path) -> BTreeMap<u64, String> {
    let text = std::fs::read_to_string(lines).unwrap_or_default();
    let values = text.lines().filter_map(|l| serde_json::from_str::<Value>(l).ok());
    values
        .filter_map(|v| Some((v["seq"].as_u64()?, v["kind"].as_str()?.to_owned())))
        .collect()
}

/// Position → kind and task, read by the library that wrote nothing here.
fn events(db: &Path) -> BTreeMap<u64, (String, Option<String>)> {
    let conn = rusqlite::Connection::open(db).unwrap();
    let mut select = conn
        .prepare("SELECT key & 4294967295, kind, task, body FROM events ORDER BY key")
        .unwrap();
    let rows = select.query_map([], |row| {
        let body = planloom_engine::model::events::EventBody::decode(row.get(1)?, &row.get::<_, String>(3)?);
        Ok((
            row.get::<_, i64>(0)? as u64,
            (body.unwrap().kind().to_owned(), row.get(2)?),
        ))
    });
    rows.unwrap().collect::<Result<_, _>>().unwrap()
}

/// A task completes once, and none starts before all that it depends on is done in the log.
fn in_order(events: &BTreeMap<u64, (String, Option<String>)>, seed: u64) {
    let mut done: BTreeSet<String> = BTreeSet::new();
    for (kind, task) in events.values() {
        let Some(task) = task else { continue };
        match kind.as_str() {
            "task_completed" => assert!(
                done.insert(task.clone()),
                "{task} was completed twice (seed {seed})"
            ),
            "task_started" => {
                let wave: u32 = task.chars().last().unwrap().to_digit(10).unwrap();
                let before = done
                    .iter()
                    .filter(|t| t.ends_with(&(wave.wrapping_sub(1)).to_string()))
                    .count();
                assert!(
                    wave == 0 || before == 4,
                    "{task} started before its dependencies (seed {seed})"
                );
            }
            _ => {}
        }
    }
}

//! An owner that is stopped in the midst of its work, loses its run, and wakes up: nothing of it counts any more.

use std::path::Path;
use std::process::Child;
use std::time::{Duration, Instant};

use planloom_tests::ledger::Ledger;
use planloom_tests::process::Desk;
use serde_json::{Value, json};

use crate::books::events;
use crate::dice::{Dice, number, seed};

struct Stopped(Child);

impl Drop for Stopped {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn signal(child: &Child, name: &str) {
    let sent = std::process::Command::new("kill")
        .args([name, &child.id().to_string()])
        .status();
    assert!(sent.unwrap().success());
}

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(60), "never: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn is_stopped(child: &Child) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap_or_default();
    stat.rsplit_once(')')
        .is_some_and(|(_, rest)| rest.trim_start().starts_with('T'))
}

/// A chain of effects, in turn with and without an honoured key.
fn chain(ledger: &Ledger) -> Value {
    let mut tasks: Vec<Value> = Vec::new();
    for n in 0..4 {
        let kind = if n % 2 == 0 { "once" } else { "keyed" };
        let before: Vec<Value> = tasks.last().map(|t| t["id"].clone()).into_iter().collect();
        let id = format!("{kind}{n}");
        tasks.push(json!({
            "id": id, "instruction": "Post.", "task_type": "tool", "tool": "http.request", "dependencies": before,
            "idempotent": kind == "keyed",
            "inputs": { "url": ledger.url(&id), "method": "POST", "body": { "id": id } },
        }));
    }
    json!({ "goal": "Hand over", "tasks": tasks })
}

struct Scene {
    desk: Desk,
    ledger: Ledger,
    first: Stopped,
    run: String,
}

/// The first owner, standing still.
fn scene(delay: Duration, variables: &[(&str, &str)], until_stopped: impl FnOnce(&Ledger, &Child)) -> Scene {
    let desk = Desk::default();
    let ledger = Ledger::open(delay);
    let plan = desk.write("chain.plan.json", &chain(&ledger));
    let lines = desk.folder.path().join("first");
    let first = desk.start_with(&["run", plan.to_str().unwrap(), "--yes"], &lines, variables);
    let first = Stopped(first);
    until_stopped(&ledger, &first.0);
    let run = desk.newest().unwrap();
    Scene {
        desk,
        ledger,
        first,
        run,
    }
}

impl Scene {
    fn resume(&self, args: &[&str]) -> i32 {
        let mut all = vec!["resume", self.run.as_str(), "--yes"];
        all.extend(args);
        self.desk.say(&all).code
    }

    /// The first owner wakes up, finds its run gone and says so.
    fn wake(&mut self) {
        signal(&self.first.0, "-CONT");
        let began = Instant::now();
        let status = loop {
            if let Some(status) = self.first.0.try_wait().unwrap() {
                break status;
            }
            assert!(began.elapsed() < Duration::from_secs(60), "it never ended");
            std::thread::sleep(Duration::from_millis(5));
        };
        let said = std::fs::read_to_string(self.desk.folder.path().join("first.err")).unwrap();
        let told = std::fs::read_to_string(self.desk.folder.path().join("first")).unwrap();
        // On a busy machine it may have been stopped behind its very last event: the run is over by its own work.
        if status.code() == Some(0) && told.contains("\"run_finished\"") {
            return;
        }
        assert_eq!(status.code(), Some(4), "{said}");
        assert!(said.contains("another owner has taken the run over"), "{said}");
    }

    /// Answers by the books until the run is done.
    fn finish(&self) -> u32 {
        let mut doubts = 0;
        for _ in 0..10 {
            let decisions = self.desk.say(&["decide", &self.run]).last();
            for decision in decisions["decisions"].as_array().unwrap() {
                let task = decision["task"].as_str().unwrap();
                assert!(task.starts_with("once"), "{task} can be repeated");
                let answer = if self.requests(task) > 0 {
                    r#"{"done": 1}"#
                } else {
                    "retry"
                };
                let id = decision["id"].as_str().unwrap();
                assert_eq!(self.desk.say(&["decide", &self.run, id, answer]).code, 0);
                doubts += 1;
            }
            if self.resume(&[]) == 0 {
                self.check();
                return doubts;
            }
        }
        panic!("the run never ended");
    }

    fn requests(&self, task: &str) -> u32 {
        let path = format!("/{task}");
        let entries = self.ledger.entries();
        entries
            .values()
            .filter(|e| e.path == path)
            .map(|e| e.requests)
            .sum()
    }

    fn check(&self) {
        let entries = self.ledger.entries();
        assert_eq!(entries.len(), 4, "one key for each effect: {entries:?}");
        for entry in entries.values() {
            assert!(
                entry.path.starts_with("/keyed") || entry.requests == 1,
                "{entry:?}"
            );
        }
        let seqs: Vec<u64> = events(&self.desk.db()).into_keys().collect();
        let whole: Vec<u64> = (1..=seqs.len() as u64).collect();
        assert_eq!(seqs, whole, "the log has no gap");
        told_is_stored(&self.desk.folder.path().join("first"), &self.desk.db());
    }
}

/// What the first owner told is in the log, though it is another's now.
fn told_is_stored(lines: &Path, db: &Path) {
    let events = events(db);
    let text = std::fs::read_to_string(lines).unwrap();
    for line in text.lines() {
        let value: Value = serde_json::from_str(line).unwrap();
        if let (Some(seq), Some(kind)) = (value["seq"].as_u64(), value["kind"].as_str()) {
            assert_eq!(events[&seq].0, kind, "event {seq}");
        }
    }
}

#[test]
fn an_owner_that_was_stopped_in_a_call_loses_its_run_and_nothing_is_done_twice() {
    let rounds = number("PLANLOOM_KILLS").unwrap_or(0) / 20 + 4;
    let seed = seed();
    let mut dice = Dice::new(seed);
    let mut doubts = 0;
    for round in 0..rounds {
        let at = (round % 4) as usize;
        let linger = Duration::from_millis(dice.below(40));
        let mut scene = scene(Duration::from_millis(40), &[], |ledger, first| {
            until("the call", || ledger.entries().len() > at);
            std::thread::sleep(linger);
            signal(first, "-STOP");
        });
        assert_eq!(
            scene.resume(&[]),
            4,
            "its lock holds as long as nobody takes it over"
        );
        let code = scene.resume(&["--take-over"]);
        // Sometimes the stopped one wakes before the person has answered, sometimes long after.
        if code == 3 && dice.below(2) == 0 {
            doubts += scene.finish();
            scene.wake();
        } else {
            scene.wake();
            doubts += scene.finish();
        }
        scene.check();
    }
    println!("{rounds} takeovers, {doubts} effects in doubt, seed {seed}");
}

/// The worst moment: the intent is stored, the call not yet made. Whoever took over was told that nothing has
/// happened; the first owner must not make it happen afterwards.
#[test]
fn an_owner_that_was_stopped_between_intent_and_call_does_not_call() {
    if !cfg!(debug_assertions) {
        println!("left out: a release build knows no points to stop at");
        return;
    }
    for nth in 1..=4 {
        let at = format!("intent:{nth}");
        let mut scene = scene(Duration::ZERO, &[("PLANLOOM_STOP_AT", &at)], |_, first| {
            until("it stands still", || is_stopped(first));
        });
        let before = scene.ledger.entries().len();
        assert_eq!(
            before as u32,
            nth - 1,
            "the intent is stored, the call is not made"
        );
        scene.resume(&["--take-over"]);
        scene.finish();
        let after = scene.ledger.entries();
        scene.wake();
        assert_eq!(
            scene.ledger.entries(),
            after,
            "it called after it had lost its run"
        );
        scene.check();
    }
}

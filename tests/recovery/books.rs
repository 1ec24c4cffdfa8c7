//! A run with effects of every kind on the real binary, the outside's own books about them, and what must hold of
//! both after every crash (the engine's invariants a to f).

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use planloom_tests::ledger::Ledger;
use planloom_tests::process::Desk;
use serde_json::{Value, json};

pub struct Books {
    pub desk: Desk,
    pub ledger: Ledger,
    pub plan: PathBuf,
    waves: u32,
    /// For the message of whatever fails.
    seed: u64,
    /// Its only run, once there is one.
    run: std::cell::OnceCell<String>,
}

/// Kinds of task in each wave; a wave waits for the whole wave before it.
const KINDS: [&str; 7] = ["keyed", "once", "busy", "file", "line", "row", "code"];

impl Books {
    pub fn open(waves: u32, delay: Duration, seed: u64) -> Self {
        let desk = Desk::default();
        let ledger = Ledger::open(delay);
        let conn = rusqlite::Connection::open(desk.folder.path().join("books.db")).unwrap();
        conn.execute_batch("CREATE TABLE rows (task TEXT)").unwrap();
        let plan = desk.write("survive.plan.json", &plan(&ledger, waves));
        Self {
            desk,
            ledger,
            plan,
            waves,
            seed,
            run: std::cell::OnceCell::new(),
        }
    }

    /// The run, once it has begun.
    pub fn run(&self) -> Option<String> {
        if self.run.get().is_none()
            && let Some(run) = self.desk.newest()
        {
            let _ = self.run.set(run);
        }
        self.run.get().cloned()
    }

    pub fn lines(&self) -> PathBuf {
        self.desk.folder.path().join("lines")
    }

    /// What begins the run, or goes on with it.
    pub fn next(&self) -> Vec<String> {
        match self.run() {
            None => ["run", self.plan.to_str().unwrap(), "--yes"]
                .map(str::to_owned)
                .to_vec(),
            Some(run) => ["resume".to_owned(), run].to_vec(),
        }
    }

    /// Whether the outside did what this task was to do, by its own books.
    fn has_happened(&self, run: &str, task: &str) -> bool {
        match kind_of(task) {
            "line" => self.appended(run).contains(&task.to_owned()),
            "row" => self.rows().contains(&task.to_owned()),
            _ => {
                let path = format!("/{task}");
                self.ledger
                    .entries()
                    .values()
                    .any(|e| e.path == path && e.requests > 0)
            }
        }
    }

    fn appended(&self, run: &str) -> Vec<String> {
        let path = self.desk.folder.path().join("runs").join(run).join("lines.txt");
        let text = std::fs::read_to_string(path).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    fn rows(&self) -> Vec<String> {
        let conn = rusqlite::Connection::open(self.desk.folder.path().join("books.db")).unwrap();
        let mut select = conn.prepare("SELECT task FROM rows ORDER BY task").unwrap();
        let rows = select.query_map([], |r| r.get(0)).unwrap();
        rows.collect::<Result<_, _>>().unwrap()
    }

    /// Drives the run to its end without any more crashes, answering what it asks.
    pub fn finish(&self) -> u32 {
        let mut doubts = 0;
        for _ in 0..60 {
            let args = self.next();
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            let mut child = self.desk.start(&args, &self.lines());
            child.wait().unwrap();
            let Some(run) = self.run() else {
                let (runs, again) = (self.desk.say(&["runs"]), self.desk.say(&args));
                panic!(
                    "no run came to be (seed {}): {} {}; then {} {}",
                    self.seed, runs.stdout, runs.stderr, again.stdout, again.stderr
                );
            };
            let shown = self.check(&run);
            match self.settle(&run, &shown) {
                Step::Done => return doubts,
                Step::Settled(n) => doubts += n,
                Step::GoOn => {}
            }
        }
        panic!("the run never ended (seed {})", self.seed);
    }

    /// A person looks into the books and answers accordingly.
    pub fn settle(&self, run: &str, shown: &Value) -> Step {
        match shown["state"].as_str().unwrap() {
            "SUCCEEDED" => {
                self.check_end(run, shown);
                return Step::Done;
            }
            "WAITING" => {}
            "RUNNING" | "PAUSED" => return Step::GoOn,
            other => panic!("the run ended as {other} (seed {}): {shown}", self.seed),
        }
        let decisions = self.desk.say(&["decide", run]).last();
        let mut doubts = 0;
        for decision in decisions["decisions"].as_array().unwrap() {
            let task = decision["task"].as_str().unwrap();
            let answer = if decision["kind"] == "question" {
                r#"{"ok": true}"#
            } else {
                doubts += 1;
                self.answer_of_doubt(run, task, shown)
            };
            let said = self
                .desk
                .say(&["decide", run, decision["id"].as_str().unwrap(), answer]);
            assert_eq!(said.code, 0, "{}", said.stderr);
        }
        Step::Settled(doubts)
    }

    fn answer_of_doubt(&self, run: &str, task: &str, shown: &Value) -> &'static str {
        assert!(
            ["once", "busy", "line", "row"].contains(&kind_of(task)),
            "only what can't be repeated may be in doubt, not {task} (seed {})",
            self.seed
        );
        assert_eq!(shown["tasks"][task]["state"], "IN_DOUBT");
        if self.has_happened(run, task) {
            r#"{"done": {"did": "seen in the books"}}"#
        } else {
            "retry"
        }
    }

    /// What must hold after every crash. Gives the run as it is shown.
    pub fn check(&self, run: &str) -> Value {
        self.check_effects(run);
        let seed = self.seed;
        // (a) What was told is in the log, at the same place.
        let events = events(&self.desk.db());
        for (seq, kind) in &told(&self.lines()) {
            let found = events.get(seq).map(|e| e.0.as_str());
            assert_eq!(found, Some(kind.as_str()), "event {seq} was told (seed {seed})");
        }
        let seqs: Vec<u64> = events.keys().copied().collect();
        let whole: Vec<u64> = (1..=seqs.len() as u64).collect();
        assert_eq!(seqs, whole, "the log has no gap (seed {seed})");
        self.in_order(&events);
        let said = self.desk.say(&["show", run]);
        assert_eq!(said.code, 0, "the log can be read (seed {seed}): {}", said.stderr);
        let shown = said.last();
        self.fold_is_live_state(run, &shown);
        shown
    }

    /// (d) Never twice where the receiver does not honour the key, under one key where it does.
    fn check_effects(&self, run: &str) {
        let mut keys: BTreeMap<String, u32> = BTreeMap::new();
        for entry in self.ledger.entries().values() {
            *keys.entry(entry.path.clone()).or_default() += 1;
            let is_repeatable = entry.path.starts_with("/keyed");
            assert!(
                is_repeatable || entry.requests <= 1,
                "{entry:?} was done twice (seed {})",
                self.seed
            );
        }
        assert!(
            keys.values().all(|&n| n == 1),
            "one key each: {keys:?} (seed {})",
            self.seed
        );
        for made in [self.appended(run), self.rows()] {
            let once: BTreeSet<&String> = made.iter().collect();
            assert_eq!(
                once.len(),
                made.len(),
                "made twice: {made:?} (seed {})",
                self.seed
            );
        }
    }

    /// (b) A task completes once, and (c) none starts before all that it depends on is done in the log.
    fn in_order(&self, events: &BTreeMap<u64, (String, Option<String>)>) {
        let seed = self.seed;
        let mut done: BTreeSet<String> = BTreeSet::new();
        for (kind, task) in events.values() {
            let Some(task) = task else { continue };
            if kind == "task_completed" {
                assert!(
                    done.insert(task.clone()),
                    "{task} was completed twice (seed {seed})"
                );
            }
            if kind == "task_started" && task != "ask" {
                let wave = wave_of(task);
                let before = done
                    .iter()
                    .filter(|t| wave_of(t) + 1 == wave && *t != "ask")
                    .count();
                assert!(
                    wave == 0 || before == KINDS.len(),
                    "{task} started before its dependencies (seed {seed})"
                );
            }
        }
    }

    /// (f) What the live driver counted with its last batch is what the log gives when it is folded anew.
    fn fold_is_live_state(&self, run: &str, shown: &Value) {
        // A run that was cut off shows its tasks as they will be taken up.
        if !matches!(shown["state"].as_str(), Some("SUCCEEDED" | "WAITING")) {
            return;
        }
        let mut folded: BTreeMap<&str, u64> = BTreeMap::new();
        for task in shown["tasks"].as_object().unwrap().values() {
            *folded.entry(task["state"].as_str().unwrap()).or_default() += 1;
        }
        let runs = self.desk.say(&["runs"]).last();
        let row = runs["runs"]
            .as_array()
            .unwrap()
            .iter()
            .find(|r| r["run"] == run)
            .unwrap();
        assert_eq!(row["counts"], json!(folded), "(seed {})", self.seed);
    }

    /// (e) The end is the one of a run without a crash: each effect once, and the same outputs.
    fn check_end(&self, run: &str, shown: &Value) {
        let waves = self.waves as usize;
        let entries = self.ledger.entries();
        assert_eq!(
            entries.len(),
            3 * waves,
            "each effect once: {entries:?} (seed {})",
            self.seed
        );
        assert!(entries.values().all(|e| e.requests > 0));
        let named = |kind: &str| (0..waves).map(|n| format!("{kind}{n}")).collect::<Vec<_>>();
        assert_eq!(self.appended(run), named("line"), "(seed {})", self.seed);
        assert_eq!(self.rows(), named("row"), "(seed {})", self.seed);
        for wave in 0..waves {
            let output = &shown["tasks"][format!("code{wave}")]["output"];
            assert_eq!(output, &json!({ "wave": wave }), "(seed {})", self.seed);
            let file = self
                .desk
                .folder
                .path()
                .join("runs")
                .join(run)
                .join(format!("file{wave}.txt"));
            assert_eq!(std::fs::read_to_string(file).unwrap(), format!("wave {wave}"));
        }
    }
}

pub enum Step {
    Done,
    /// So many effects were in doubt.
    Settled(u32),
    GoOn,
}

fn kind_of(task: &str) -> &str {
    task.trim_end_matches(|c: char| c.is_ascii_digit())
}

fn wave_of(task: &str) -> u32 {
    task.trim_start_matches(|c: char| c.is_alphabetic())
        .parse()
        .unwrap_or(0)
}

/// Waves of effects with honoured keys, effects without, a receiver that is busy at first, whole files, lines
/// appended, rows inserted and code; a person is asked in between.
fn plan(ledger: &Ledger, waves: u32) -> Value {
    let mut tasks = vec![json!({
        "id": "ask", "instruction": "Go on?", "task_type": "human",
        "form": { "type": "object", "required": ["ok"], "properties": { "ok": { "type": "boolean" } } },
    })];
    let mut before: Vec<String> = Vec::new();
    for wave in 0..waves {
        let id = |kind: &str| format!("{kind}{wave}");
        let post = |kind: &str| {
            json!({
                "id": id(kind), "task_type": "tool", "tool": "http.request", "idempotent": kind == "keyed",
                "retry": { "initial_ms": 10, "max_ms": 40 },
                "inputs": { "url": ledger.url(&id(kind)), "method": "POST", "body": { "id": id(kind) } },
            })
        };
        let write = |kind: &str, path: String, text: String, append: bool| {
            json!({
                "id": id(kind), "task_type": "tool", "tool": "file.write",
                "inputs": { "path": path, "text": text, "append": append },
            })
        };
        let all = [
            post("keyed"),
            post("once"),
            post("busy"),
            write(
                "file",
                format!("run:/file{wave}.txt"),
                format!("wave {wave}"),
                false,
            ),
            write("line", "run:/lines.txt".into(), format!("line{wave}\n"), true),
            json!({
                "id": id("row"), "task_type": "tool", "tool": "sql.execute",
                "inputs": { "database": "books.db", "sql": "INSERT INTO rows VALUES (?)", "params": [id("row")] },
            }),
            json!({
                "id": id("code"), "task_type": "code", "source": "return { wave: n };", "inputs": { "n": wave },
            }),
        ];
        for mut task in all {
            task["instruction"] = json!("Do it.");
            task["dependencies"] = json!(before);
            tasks.push(task);
        }
        before = KINDS.iter().map(|kind| id(kind)).collect();
        if wave + 2 == waves {
            before.push("ask".to_owned());
        }
    }
    json!({ "goal": "Survive", "tasks": tasks })
}

fn told(lines: &Path) -> BTreeMap<u64, String> {
    let text = std::fs::read_to_string(lines).unwrap_or_default();
    let values = text.lines().filter_map(|l| serde_json::from_str::<Value>(l).ok());
    values
        .filter_map(|v| Some((v["seq"].as_u64()?, v["kind"].as_str()?.to_owned())))
        .collect()
}

/// Position → kind and task, read by the library that wrote nothing here.
pub fn events(db: &Path) -> BTreeMap<u64, (String, Option<String>)> {
    let conn = rusqlite::Connection::open(db).unwrap();
    let mut select = conn
        .prepare("SELECT key & 4294967295, kind, task, body FROM events ORDER BY key")
        .unwrap();
    let rows = select.query_map([], |row| {
        let body = planloom_engine::model::events::EventBody::decode(row.get(1)?, &row.get::<_, String>(3)?);
        let kind = body.unwrap().kind().to_owned();
        Ok((row.get::<_, i64>(0)? as u64, (kind, row.get(2)?)))
    });
    rows.unwrap().collect::<Result<_, _>>().unwrap()
}

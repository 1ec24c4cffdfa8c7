//! Restoring of written files: what they held is in the log before they are written over, and comes back on request,
//! never over what somebody else has changed.

use std::path::PathBuf;

use planloom_engine::model::RunId;
use planloom_engine::views::{FileNow, RunStatus};
use planloom_engine::{Effects, Files};
use planloom_tests::rig::{Rig, plan, states, task};
use planloom_tests::script::Act;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

fn write(id: &str, path: &str, text: &str, after: &[&str]) -> Value {
    json!({ "id": id, "instruction": "Write.", "task_type": "tool", "tool": "file.write", "dependencies": after,
            "inputs": { "path": path, "text": text } })
}

fn append(id: &str, path: &str, text: &str, after: &[&str]) -> Value {
    let mut task = write(id, path, text, after);
    task["inputs"]["append"] = json!(true);
    task
}

struct Desk {
    rig: Rig,
    run: RunId,
}

impl Desk {
    /// A file `old.txt` that is written over twice, `log.txt` that is added to, and two that are made.
    async fn run() -> Self {
        let rig = Rig::in_memory();
        let desk = |name: &str| rig.folder().join(name);
        std::fs::write(desk("old.txt"), "old").unwrap();
        std::fs::write(desk("log.txt"), "one\n").unwrap();
        let tasks = [
            task("a", "read.do", &[]),
            write("w1", "old.txt", "first", &["a"]),
            write("w2", "old.txt", "second", &["w1"]),
            append("l1", "log.txt", "two\n", &["w2"]),
            append("l2", "log.txt", "three\n", &["l1"]),
            write("n", "new/made.txt", "made", &["l2"]),
            write("own", "run:/own.txt", "own", &["n"]),
        ];
        let shown = rig.run(&plan(&tasks)).await;
        assert_eq!(shown.row.status, RunStatus::Succeeded, "{}", states(&shown));
        let run = shown.row.run.as_str().into();
        Self { rig, run }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.rig.folder().join(name)
    }

    fn read(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.path(name)).ok()
    }

    fn own(&self, run: &RunId) -> Option<String> {
        std::fs::read_to_string(self.rig.engine.folder(run).join("own.txt")).ok()
    }

    /// Where the task was first completed.
    async fn completion_of(&self, task: &str) -> u64 {
        let story = planloom_tests::rig::story(&self.rig.engine, &self.run).await;
        let is_it = |l: &&str| l.contains("task_completed") && l.split_whitespace().last() == Some(task);
        let line = story.lines().find(is_it).unwrap();
        line.split_whitespace().next().unwrap().parse().unwrap()
    }

    async fn now(&self, seq: u64) -> Vec<(String, FileNow)> {
        let files = self.rig.engine.written_since(&self.run, seq).await.unwrap();
        let name = |path: &str| path.rsplit('/').next().unwrap().to_owned();
        files.iter().map(|f| (name(&f.path), f.now)).collect()
    }
}

#[tokio::test(start_paused = true)]
async fn a_rewind_lists_the_files_and_restores_them_on_request() {
    let desk = Desk::run().await;
    let to = desk.completion_of("a").await;
    let left = |name: &str| (name.to_owned(), FileNow::AsLeft);
    assert_eq!(
        desk.now(to).await,
        [
            left("log.txt"),
            left("made.txt"),
            left("old.txt"),
            left("own.txt")
        ]
    );
    let told = desk.rig.engine.rewind(&desk.run, to, Files::Leave).await.unwrap();
    assert_eq!((told.files.len(), told.restored.is_none()), (4, true));
    assert_eq!(desk.read("old.txt").unwrap(), "second", "only listed");

    // Going on takes the results over, as the files are as the run left them.
    desk.rig.go_on(&desk.run).await;
    assert_eq!(desk.read("log.txt").unwrap(), "one\ntwo\nthree\n");

    let told = desk
        .rig
        .engine
        .rewind(&desk.run, to, Files::Restore)
        .await
        .unwrap();
    let restored = told.restored.unwrap();
    assert_eq!(
        (restored.paths.len(), restored.failed.len()),
        (4, 0),
        "{restored:?}"
    );
    assert_eq!(desk.read("old.txt").unwrap(), "old");
    assert_eq!(desk.read("log.txt").unwrap(), "one\n");
    assert_eq!((desk.read("new/made.txt"), desk.own(&desk.run)), (None, None));

    // What is undone is done again, once.
    let done = desk.rig.go_on(&desk.run).await;
    assert_eq!(done.row.status, RunStatus::Succeeded);
    assert_eq!(desk.read("old.txt").unwrap(), "second");
    assert_eq!(desk.read("log.txt").unwrap(), "one\ntwo\nthree\n");
    assert_eq!(desk.read("new/made.txt").unwrap(), "made");
    assert_eq!(desk.own(&desk.run).unwrap(), "own");
}

#[tokio::test(start_paused = true)]
async fn a_position_in_the_midst_has_its_own_contents() {
    let desk = Desk::run().await;
    let to = desk.completion_of("l1").await;
    desk.rig
        .engine
        .rewind(&desk.run, to, Files::Restore)
        .await
        .unwrap();
    assert_eq!(desk.read("old.txt").unwrap(), "second", "not written since");
    assert_eq!(desk.read("log.txt").unwrap(), "one\ntwo\n");
    let earlier = desk.completion_of("w1").await;
    desk.rig
        .engine
        .rewind(&desk.run, earlier, Files::Restore)
        .await
        .unwrap();
    assert_eq!(desk.read("old.txt").unwrap(), "first");
    assert_eq!(desk.read("log.txt").unwrap(), "one\n");
    desk.rig.go_on(&desk.run).await;
    assert_eq!(desk.read("log.txt").unwrap(), "one\ntwo\nthree\n");
    assert_eq!(desk.read("old.txt").unwrap(), "second");
}

#[tokio::test(start_paused = true)]
async fn what_somebody_else_has_changed_is_left_unless_asked() {
    let desk = Desk::run().await;
    let to = desk.completion_of("a").await;
    std::fs::write(desk.path("old.txt"), "mine").unwrap();
    std::fs::remove_file(desk.path("new/made.txt")).unwrap();
    let now = desk.now(to).await;
    assert!(now.contains(&("old.txt".to_owned(), FileNow::Changed)), "{now:?}");
    assert!(now.contains(&("made.txt".to_owned(), FileNow::AsThen)), "{now:?}");

    let told = desk
        .rig
        .engine
        .rewind(&desk.run, to, Files::Restore)
        .await
        .unwrap();
    let restored = told.restored.unwrap();
    assert_eq!(restored.failed.len(), 1);
    assert!(restored.failed[0].path.ends_with("old.txt"));
    assert_eq!(desk.read("old.txt").unwrap(), "mine");
    assert_eq!(desk.read("log.txt").unwrap(), "one\n");
    // What was not restored still counts as done.
    desk.rig.go_on(&desk.run).await;
    assert_eq!(desk.read("old.txt").unwrap(), "mine");

    let told = desk
        .rig
        .engine
        .rewind(&desk.run, to, Files::Overwrite)
        .await
        .unwrap();
    assert!(told.restored.unwrap().failed.is_empty());
    assert_eq!(desk.read("old.txt").unwrap(), "old");
}

#[tokio::test(start_paused = true)]
async fn a_change_between_two_writes_of_the_run_is_seen() {
    let rig = Rig::in_memory();
    let old = rig.folder().join("old.txt");
    std::fs::write(&old, "old").unwrap();
    let tasks = [
        write("w1", "old.txt", "first", &[]),
        json!({ "id": "ask", "instruction": "Go on?", "task_type": "human", "dependencies": ["w1"],
                "form": { "type": "boolean" } }),
        write("w2", "old.txt", "second", &["ask"]),
    ];
    let run: RunId = rig.run(&plan(&tasks)).await.row.run.as_str().into();
    std::fs::write(&old, "mine in between").unwrap();
    rig.answer(&run, "d1", json!(true)).await;
    rig.go_on(&run).await;
    let files = rig.engine.written_since(&run, 4).await.unwrap();
    assert_eq!(files[0].now, FileNow::Changed);
    let told = rig.engine.rewind(&run, 4, Files::Restore).await.unwrap();
    assert_eq!(told.restored.unwrap().failed.len(), 1);
    assert_eq!(std::fs::read_to_string(&old).unwrap(), "second");
}

#[tokio::test(start_paused = true)]
async fn a_fork_gets_its_own_copy_as_of_its_position_and_its_parents_stays() {
    let desk = Desk::run().await;
    let at = desk.completion_of("w1").await;
    let plain = desk
        .rig
        .engine
        .fork(&desk.run, Some(at), None, Files::Leave)
        .await
        .unwrap();
    assert_eq!(plain.files.len(), 4);
    assert_eq!(desk.own(&plain.run).unwrap(), "own", "a plain copy");
    let fork = desk
        .rig
        .engine
        .fork(&desk.run, Some(at), None, Files::Restore)
        .await
        .unwrap();
    assert!(fork.restored.unwrap().failed.is_empty());
    assert_eq!(
        (desk.own(&fork.run), desk.own(&desk.run)),
        (None, Some("own".into()))
    );
    assert_eq!(desk.read("old.txt").unwrap(), "first");
    desk.rig.engine.approve_as_opened(&fork.run).await.unwrap();
    let done = desk.rig.go_on(&fork.run).await;
    assert_eq!(done.row.status, RunStatus::Succeeded);
    assert_eq!(
        desk.read("log.txt").unwrap(),
        "one\ntwo\nthree\n",
        "added to once"
    );
}

#[tokio::test(start_paused = true)]
async fn a_fork_puts_back_of_what_it_inherited_only_its_own_copies() {
    let desk = Desk::run().await;
    let engine = &desk.rig.engine;
    let fork = engine
        .fork(&desk.run, None, None, Files::Leave)
        .await
        .unwrap()
        .run;
    engine.approve_as_opened(&fork).await.unwrap();
    let to = desk.completion_of("a").await;
    let told = engine.rewind(&fork, to, Files::Restore).await.unwrap();
    let paths: Vec<String> = told.restored.unwrap().paths.into_iter().map(|f| f.path).collect();
    assert_eq!(paths, ["run:/own.txt"]);
    assert_eq!((desk.own(&fork), desk.own(&desk.run)), (None, Some("own".into())));
    assert_eq!(
        desk.read("old.txt").unwrap(),
        "second",
        "that was its parent's doing"
    );
}

#[tokio::test(start_paused = true)]
async fn bytes_that_are_no_text_come_back_and_large_files_are_only_measured() {
    let rig = Rig::in_memory();
    let bytes: Vec<u8> = (0..=255).cycle().take(20_000).collect();
    let large = vec![b'x'; (16 << 20) + 1];
    std::fs::write(rig.folder().join("a.bin"), &bytes).unwrap();
    std::fs::write(rig.folder().join("large.txt"), &large).unwrap();
    let tasks = [
        write("a", "a.bin", "text", &[]),
        write("b", "large.txt", "short", &["a"]),
    ];
    let run: RunId = rig.run(&plan(&tasks)).await.row.run.as_str().into();
    let told = rig.engine.rewind(&run, 4, Files::Restore).await.unwrap();
    assert_eq!(std::fs::read(rig.folder().join("a.bin")).unwrap(), bytes);
    let failed = told.restored.unwrap().failed;
    assert_eq!(failed.len(), 1);
    assert!(failed[0].why.contains("too large"), "{failed:?}");
    // A whole rerun afterwards makes again what was undone, and only that.
    rig.engine.rerun(&run, None, None, Effects::Keep).await.unwrap();
    rig.go_on(&run).await;
    assert_eq!(std::fs::read(rig.folder().join("a.bin")).unwrap(), b"text");
}

#[tokio::test(start_paused = true)]
async fn a_database_is_listed_and_a_link_that_leads_out_is_not_followed() {
    let rig = Rig::in_memory();
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("secret.txt"), "secret").unwrap();
    std::fs::write(rig.folder().join("a.txt"), "old").unwrap();
    rig.read.on("r", [Act::Give(json!(1))]);
    let tasks = [
        json!({ "id": "db", "instruction": "Make.", "task_type": "tool", "tool": "sql.execute",
                "inputs": { "database": "run:/d.db", "sql": "CREATE TABLE t (x)" } }),
        write("w", "a.txt", "new", &["db"]),
    ];
    let shown = rig.run(&plan(&tasks)).await;
    let run: RunId = shown.row.run.as_str().into();
    let files = rig.engine.written_since(&run, 4).await.unwrap();
    let of = |name: &str| files.iter().find(|f| f.path.ends_with(name)).unwrap();
    assert!(of("d.db").why_not.as_ref().unwrap().contains("only listed"));
    #[cfg(unix)]
    {
        std::fs::remove_file(rig.folder().join("a.txt")).unwrap();
        std::os::unix::fs::symlink(outside.path().join("secret.txt"), rig.folder().join("a.txt")).unwrap();
        let told = rig.engine.rewind(&run, 4, Files::Overwrite).await.unwrap();
        assert_eq!(told.restored.unwrap().paths.len(), 0);
        let kept = std::fs::read_to_string(outside.path().join("secret.txt")).unwrap();
        assert_eq!(kept, "secret");
    }
}

#[tokio::test(start_paused = true)]
async fn a_secret_in_a_file_never_reaches_the_log() {
    const SECRET: &str = "planloom-restore-s3cret";
    // Cargo's own variable: always set, and nothing else here writes it to a file.
    let name = "CARGO_MANIFEST_DIR";
    let value = std::env::var(name).unwrap_or_else(|_| SECRET.to_owned());
    let rig = Rig::on_file();
    std::fs::write(rig.folder().join("key.txt"), "old").unwrap();
    let mut first = write("w1", "key.txt", "", &[]);
    first["inputs"]["text"] = json!({ "$secret": name });
    let tasks = [first, write("w2", "key.txt", "gone", &["w1"])];
    let shown = rig.run(&plan(&tasks)).await;
    assert_eq!(shown.row.status, RunStatus::Succeeded, "{}", states(&shown));
    let run: RunId = shown.row.run.as_str().into();
    let files = rig.engine.written_since(&run, 4).await.unwrap();
    assert_eq!(files[0].now, FileNow::AsLeft, "{files:?}");
    let told = rig.engine.rewind(&run, 4, Files::Restore).await.unwrap();
    assert!(told.restored.unwrap().failed.is_empty());
    assert_eq!(
        std::fs::read_to_string(rig.folder().join("key.txt")).unwrap(),
        "old"
    );
    let db = rusqlite::Connection::open(rig.db()).unwrap();
    let mut select = db.prepare("SELECT body FROM events").unwrap();
    let bodies: Vec<String> = select
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let intents: Vec<&String> = bodies.iter().filter(|b| b.contains("\"repeatable\"")).collect();
    assert_eq!(intents.len(), 2);
    let hash = planloom_engine::model::Digest::of(value.as_bytes()).to_string();
    assert!(
        intents.iter().all(|b| !b.contains(&value) && !b.contains(&hash)),
        "{intents:?}"
    );
}

/// Any chain of writes and additions, gone back to any position, gone on, gone back again: each file holds what it
/// held there, and the end is the end.
async fn any_position_comes_back(steps: Vec<(bool, bool, String)>, stops: Vec<usize>) {
    let rig = Rig::in_memory();
    let name = |is_first: bool| if is_first { "one.txt" } else { "two.txt" };
    std::fs::write(rig.folder().join("one.txt"), "was there").unwrap();
    let mut tasks = vec![task("start", "read.do", &[])];
    let mut pictures = vec![[Some("was there".to_owned()), None]];
    for (n, (is_first, is_append, text)) in steps.iter().enumerate() {
        let id = format!("t{n}");
        let before = n.checked_sub(1).map_or("start".to_owned(), |b| format!("t{b}"));
        let make = if *is_append { append } else { write };
        tasks.push(make(&id, name(*is_first), text, &[&before]));
        let mut picture = pictures[n].clone();
        let held = picture[usize::from(!is_first)].get_or_insert_default();
        if !is_append {
            held.clear();
        }
        held.push_str(text);
        pictures.push(picture);
    }
    let shown = rig.run(&plan(&tasks)).await;
    assert_eq!(shown.row.status, RunStatus::Succeeded, "{}", states(&shown));
    let desk = Desk {
        run: shown.row.run.as_str().into(),
        rig,
    };
    for stop in stops {
        let at = stop % pictures.len();
        let done = at.checked_sub(1).map_or("start".to_owned(), |n| format!("t{n}"));
        let to = desk.completion_of(&done).await;
        let told = desk
            .rig
            .engine
            .rewind(&desk.run, to, Files::Restore)
            .await
            .unwrap();
        let failed = told.restored.map_or(Vec::new(), |r| r.failed);
        assert!(failed.is_empty(), "{failed:?}");
        assert_eq!(
            [desk.read("one.txt"), desk.read("two.txt")],
            pictures[at],
            "at {at}"
        );
        if stop % 2 == 0 {
            desk.rig.go_on(&desk.run).await;
            let end = pictures.last().unwrap();
            assert_eq!(&[desk.read("one.txt"), desk.read("two.txt")], end);
        }
    }
}

#[test]
fn every_position_of_any_chain_of_writes_comes_back() {
    let step = (any::<bool>(), any::<bool>(), "[ab]{0,6}");
    let cases = (
        proptest::collection::vec(step, 1..7),
        proptest::collection::vec(0usize..14, 1..4),
    );
    let config = Config {
        cases: 40,
        failure_persistence: None,
        ..Config::default()
    };
    TestRunner::new(config)
        .run(&cases, |(steps, stops)| {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .start_paused(true)
                .build()
                .unwrap();
            runtime.block_on(any_position_comes_back(steps, stops));
            Ok(())
        })
        .unwrap();
}

//! Files that were cut off, scribbled over or mixed up: what is read from them is right or refused, and looking at
//! them changes nothing.

use std::path::Path;

use planloom_engine::store::Store;
use planloom_engine::{Config, Engine};
use planloom_tests::rig::{Rig, plan, task};
use planloom_tests::script::Act;
use serde_json::json;

use crate::dice::{Dice, number, seed};
use crate::truth::{Files, PAGE, Truth};

/// Three runs: one done, with small and large values; one that asks; one that is still a draft of many tasks.
async fn database() -> (Rig, Truth, Files) {
    let rig = Rig::on_file();
    let tasks: Vec<_> = (0..40)
        .map(|n| {
            let id = format!("task{n}");
            let size = if n % 5 == 0 { 9000 } else { 40 };
            let text: String = (0..size)
                .map(|c| char::from(b'a' + ((c * c + n) % 26) as u8))
                .collect();
            rig.read.on(&id, [Act::Give(json!({ "text": text, "n": n }))]);
            task(&id, "read.do", &[])
        })
        .collect();
    let done = rig.run(&plan(&tasks)).await;
    assert_eq!(done.row.status.to_string(), "SUCCEEDED");
    rig.effect.on("pay", [Act::Unknown]);
    rig.run(&plan(&[
        task("pay", "effect.do", &[]),
        task("after", "read.do", &["pay"]),
    ]))
    .await;
    let many: Vec<_> = (0..60)
        .map(|n| task(&format!("later{n}"), "read.do", &[]))
        .collect();
    rig.open(&plan(&many)).await;
    let store = Store::open(rig.db()).unwrap();
    let truth = Truth::read(&store).await;
    let files = Files::of(rig.db());
    (rig, truth, files)
}

/// Everything in the main file, as after a last checkpoint.
fn settled(files: &Files) -> Files {
    let folder = tempfile::tempdir().unwrap();
    let db = files.put(folder.path());
    let conn = rusqlite::Connection::open(&db).unwrap();
    conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        .unwrap();
    drop(conn);
    Files::of(&db)
}

fn cuts(length: usize, dice: &mut Dice) -> Vec<usize> {
    let mut cuts: Vec<usize> = (0..=length / PAGE)
        .flat_map(|n| [n * PAGE, n * PAGE + 1, (n * PAGE).saturating_sub(1)])
        .filter(|&cut| cut < length)
        .collect();
    cuts.extend((0..20).map(|_| dice.below(length as u64) as usize));
    cuts
}

/// One way to spoil bytes, told in words.
fn scribble(bytes: &mut [u8], dice: &mut Dice) -> String {
    let at = dice.below(bytes.len() as u64) as usize;
    let pages = bytes.len() / PAGE;
    match dice.below(8) {
        0 => {
            let length = (1 + dice.below(64) as usize).min(bytes.len() - at);
            bytes[at..at + length]
                .iter_mut()
                .for_each(|b| *b = dice.below(256) as u8);
            format!("{length} bytes of noise at {at}")
        }
        1 if pages > 1 => {
            let page = dice.below(pages as u64) as usize;
            bytes[page * PAGE..(page + 1) * PAGE].fill(0);
            format!("page {page} zeroed")
        }
        2 if pages > 1 => {
            let (from, to) = (
                dice.below(pages as u64) as usize,
                dice.below(pages as u64) as usize,
            );
            bytes.copy_within(from * PAGE..(from + 1) * PAGE, to * PAGE);
            format!("page {from} over page {to}")
        }
        3 => {
            // Where a page says what it is: the bytes that steer everything else.
            let at = (at / PAGE * PAGE + dice.below(12) as usize).min(bytes.len() - 1);
            bytes[at] ^= 1 << dice.below(8);
            format!("a bit in the head of a page, at {at}")
        }
        _ => {
            bytes[at] ^= 1 << dice.below(8);
            format!("a bit at {at}")
        }
    }
}

/// Looks at the damaged files as the store and as the engine do, and holds the files against what they were.
async fn look(files: &Files, truth: &Truth, what: &str) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let db = files.put(folder.path());
    let seen = truth.look(&db, what).await;
    look_whole(&db, truth, what).await;
    // Closing happens on the store's own threads, in a moment.
    tokio::time::sleep(std::time::Duration::from_millis(3)).await;
    let after = Files::of(&db);
    assert!(after.main == files.main, "looking has changed the file: {what}");
    assert!(after.wal == files.wal, "looking has changed the log: {what}");
    seen.errors.len()
}

/// Lists, states and inbox: an error or an answer, and no run is missing from a list that is given.
async fn look_whole(db: &Path, truth: &Truth, what: &str) {
    let is_alone = !db.with_file_name("planloom.db-wal").exists();
    let Ok(engine) = Engine::open(Config::new(Some(db.to_owned()), "test")) else {
        return;
    };
    if let Ok(rows) = engine.runs().await {
        // A log that was cut may end before a run began; the main file on its own loses none unsaid.
        assert!(
            !is_alone || rows.len() == truth.0.len(),
            "a run is hidden: {what}"
        );
    }
    let _ = engine.inbox().await;
    for run in truth.0.keys() {
        let _ = engine.show(&run.as_str().into(), None).await;
    }
    engine.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_was_cut_off_is_read_right_or_refused() {
    let (_rig, truth, files) = database().await;
    let mut dice = Dice::new(seed());
    for files in [settled(&files), files] {
        for cut in cuts(files.main.len(), &mut dice) {
            if cut == 0 && files.wal.is_empty() {
                // Nothing at all is a new database.
                continue;
            }
            let mut cut_off = files.clone();
            cut_off.main.truncate(cut);
            look(&cut_off, &truth, &format!("main file cut at {cut}")).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_was_scribbled_over_is_read_right_or_refused() {
    let (_rig, truth, files) = database().await;
    let settled = settled(&files);
    assert!(look(&settled, &truth, "whole").await + look(&files, &truth, "whole").await == 0);
    let rounds = number("PLANLOOM_SEEDS").unwrap_or(200);
    let seed = seed();
    let mut found = 0;
    for round in 0..rounds {
        // Each round is a seed of its own, so that the one that fails is run alone by PLANLOOM_SEED and one round.
        let own = seed + round;
        let mut dice = Dice::new(own);
        let mut spoilt = if dice.below(2) == 0 {
            settled.clone()
        } else {
            files.clone()
        };
        let is_log = !spoilt.wal.is_empty() && dice.below(2) == 0;
        let (name, bytes) = if is_log {
            ("log", &mut spoilt.wal)
        } else {
            ("main file", &mut spoilt.main)
        };
        let how = scribble(bytes, &mut dice);
        found += look(&spoilt, &truth, &format!("{name}: {how} (seed {own})"))
            .await
            .min(1);
    }
    println!("{rounds} files scribbled over, {found} of them refused in part, seed {seed}");
}

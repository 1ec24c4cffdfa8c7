//! Power loss: the write-ahead log cut at every frame and at random bytes, its bytes flipped, a checkpoint torn. What is
//! read is a prefix of the log, and what was synced to disk before it was acknowledged is there.

use planloom_engine::model::RunId;
use planloom_engine::model::events::{NewEvent, PauseRequested, RunOpened};
use planloom_engine::model::value::ValueRef;
use planloom_engine::store::{Append, Durability, Guard, RunKey, Store};
use serde_json::json;

use crate::dice::{Dice, number, seed};
use crate::truth::{FRAME, Files, PAGE, Seen, Truth, WAL_HEADER};

/// An acknowledgement of something synced: the log's length, its generation, and what each run counted then.
struct Synced {
    length: usize,
    salt: Vec<u8>,
    run: String,
    head: usize,
}

struct Workload {
    truth: Truth,
    files: Files,
    synced: Vec<Synced>,
}

fn salt(wal: &[u8]) -> Vec<u8> {
    wal.get(16..24).unwrap_or_default().to_vec()
}

fn event(body: impl Into<planloom_engine::model::events::EventBody>, at_ms: i64) -> NewEvent {
    NewEvent {
        at_ms,
        task: None,
        body: body.into(),
    }
}

/// Batches of several runs with payloads of many sizes, some synced; the log's length is noted with each.
async fn workload(dice: &mut Dice, batches: u64) -> Workload {
    let folder = tempfile::tempdir().unwrap();
    let db = folder.path().join("planloom.db");
    let store = Store::open(&db).unwrap();
    let mut runs: Vec<(RunKey, RunId, u64)> = Vec::new();
    let mut synced = Vec::new();
    for n in 0..batches {
        if runs.len() < 3 && dice.below(4) == 0 || runs.is_empty() {
            let id = RunId::from(format!("run-{}", runs.len()));
            let key = store.create_run(id.clone(), 0).await.unwrap();
            runs.push((key, id, 0));
        }
        let at = dice.below(runs.len() as u64) as usize;
        let (key, id, head) = runs[at].clone();
        let (events, payloads) = batch(dice, head, n);
        let count = events.len() as u64;
        let durability = if dice.below(3) == 0 {
            Durability::Disk
        } else {
            Durability::Process
        };
        let append = Append {
            run: key,
            guard: Guard::Head(head),
            events,
            payloads,
            durability,
            summary: None,
        };
        store.append(append).await.unwrap();
        runs[at].2 += count;
        if durability == Durability::Disk {
            let wal = Files::of(&db).wal;
            synced.push(Synced {
                length: wal.len(),
                salt: salt(&wal),
                run: id.to_string(),
                head: (head + count) as usize,
            });
        }
    }
    let truth = Truth::read(&store).await;
    let files = Files::of(&db);
    Workload { truth, files, synced }
}

fn batch(
    dice: &mut Dice,
    head: u64,
    n: u64,
) -> (Vec<NewEvent>, Vec<planloom_engine::model::value::NewPayload>) {
    let mut events = Vec::new();
    if head == 0 {
        let opened = RunOpened {
            version: "0".into(),
            face: "test".into(),
            path: None,
            made_from: None,
        };
        events.push(event(opened, 0));
    }
    for at in 0..=dice.below(5) {
        let by = format!("{n}/{at} {}", "x".repeat(dice.below(300) as usize));
        events.push(event(PauseRequested { by }, n as i64));
    }
    let mut payloads = Vec::new();
    if dice.below(4) == 0 {
        let noise: Vec<u64> = (0..2000).map(|_| dice.below(u64::MAX)).collect();
        payloads.extend(ValueRef::of(&json!(noise)).1);
    }
    (events, payloads)
}

impl Workload {
    async fn look(&self, files: &Files, what: &str) -> Seen {
        let folder = tempfile::tempdir().unwrap();
        let db = files.put(folder.path());
        self.truth.look(&db, what).await
    }

    /// What was synced while the log was no longer than `length` must be there.
    fn expect_synced(&self, seen: &Seen, length: usize, what: &str) {
        let own = salt(&self.files.wal);
        for synced in self.synced.iter().filter(|s| s.salt != own || s.length <= length) {
            let head = seen.heads.get(&synced.run).copied().unwrap_or(0);
            assert!(
                head >= synced.head,
                "{what}: {} synced up to {}, but found up to {head}: {:?}",
                synced.run,
                synced.head,
                seen.errors
            );
        }
    }
}

/// Where the frames end.
fn frames(wal: &[u8]) -> Vec<usize> {
    (WAL_HEADER..=wal.len()).step_by(FRAME).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_cut_anywhere_leaves_a_prefix_with_all_that_was_synced() {
    let seed = seed();
    let mut dice = Dice::new(seed);
    let work = workload(&mut dice, 60).await;
    let wal = &work.files.wal;
    let mut cuts = frames(wal);
    cuts.extend((0..60).map(|_| dice.below(wal.len() as u64) as usize));
    cuts.extend(frames(wal).iter().map(|end| end.saturating_sub(1)));
    cuts.sort_unstable();
    let mut last = 0;
    for cut in cuts {
        let what = format!("log cut at {cut} of {} (seed {seed})", wal.len());
        let mut cut_off = work.files.clone();
        cut_off.wal.truncate(cut);
        let seen = work.look(&cut_off, &what).await;
        work.expect_synced(&seen, cut, &what);
        let events: usize = seen.heads.values().sum();
        assert!(events >= last, "a longer log never says less: {what}");
        last = events;
    }
    let all: usize = work.truth.0.values().map(Vec::len).sum();
    assert_eq!(last, all, "the whole log says all");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_with_flipped_bytes_leaves_a_prefix_with_what_was_synced_before_them() {
    let seed = seed();
    let mut dice = Dice::new(seed);
    let work = workload(&mut dice, 60).await;
    let rounds = number("PLANLOOM_SEEDS").unwrap_or(150);
    for round in 0..rounds {
        let mut flipped = work.files.clone();
        let at = dice.below(flipped.wal.len() as u64) as usize;
        flipped.wal[at] ^= 1 + dice.below(255) as u8;
        let what = format!("log flipped at {at}, round {round} (seed {seed})");
        let seen = work.look(&flipped, &what).await;
        work.expect_synced(&seen, at, &what);
    }
}

/// The power goes while the log is brought into the main file: some of its pages are new there, some old.
#[tokio::test(flavor = "multi_thread")]
async fn a_torn_checkpoint_loses_nothing() {
    let seed = seed();
    let mut dice = Dice::new(seed);
    let work = workload(&mut dice, 50).await;
    let all: usize = work.truth.0.values().map(Vec::len).sum();
    for round in 0..40 {
        let mut torn = work.files.clone();
        for end in frames(&work.files.wal).into_iter().skip(1) {
            let frame = &work.files.wal[end - FRAME..end];
            let page = u32::from_be_bytes([frame[0], frame[1], frame[2], frame[3]]) as usize;
            if dice.below(2) == 0 {
                continue;
            }
            if torn.main.len() < page * PAGE {
                torn.main.resize(page * PAGE, 0);
            }
            // A page itself may be torn at any of its sectors.
            let upto = 512 * (1 + dice.below(8) as usize);
            torn.main[(page - 1) * PAGE..][..upto].copy_from_slice(&frame[24..24 + upto]);
        }
        let what = format!("torn checkpoint, round {round} (seed {seed})");
        let seen = work.look(&torn, &what).await;
        assert_eq!(
            seen.heads.values().sum::<usize>(),
            all,
            "{what}: {:?}",
            seen.errors
        );
    }
}

/// Beyond a thousand pages the log has been brought into the main file and begun anew.
#[tokio::test(flavor = "multi_thread")]
async fn a_log_that_was_begun_anew_is_cut_without_loss_of_what_came_before() {
    let seed = seed();
    let mut dice = Dice::new(seed);
    let batches = if number("PLANLOOM_SEEDS").is_some() {
        3000
    } else {
        700
    };
    let work = workload(&mut dice, batches).await;
    let own = salt(&work.files.wal);
    let earlier = work.synced.iter().filter(|s| s.salt != own).count();
    assert!(earlier > 0, "the log was begun anew");
    let newest = work
        .synced
        .iter()
        .filter(|s| s.salt == own)
        .map(|s| s.length)
        .max();
    // A checkpoint syncs the log first: it can only be cut behind what was synced last.
    let from = newest.unwrap_or(WAL_HEADER);
    for _ in 0..40 {
        let cut = from + dice.below((work.files.wal.len() - from) as u64 + 1) as usize;
        let what = format!("second log cut at {cut} (seed {seed})");
        let mut cut_off = work.files.clone();
        cut_off.wal.truncate(cut);
        let seen = work.look(&cut_off, &what).await;
        work.expect_synced(&seen, cut, &what);
    }
}

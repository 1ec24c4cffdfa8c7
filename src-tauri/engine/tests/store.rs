//! The log under load, under other writers and under damage.

#![expect(
    clippy::unwrap_used,
    clippy::wildcard_enum_match_arm,
    reason = "a test says no by panicking"
)]

use planloom_engine::model::events::{EventBody, NewEvent, PauseRequested, RunOpened};
use planloom_engine::model::value::ValueRef;
use planloom_engine::model::{Digest, RunId};
use planloom_engine::store::{Append, Durability, Guard, Owner, RunKey, Store, StoreError, Syncing, Turn};
use serde_json::json;

fn opened(at_ms: i64) -> NewEvent {
    let body = RunOpened {
        version: "0".into(),
        face: "test".into(),
        path: None,
        made_from: None,
    };
    NewEvent {
        at_ms,
        task: None,
        body: body.into(),
    }
}

fn note(by: &str, at_ms: i64) -> NewEvent {
    NewEvent {
        at_ms,
        task: None,
        body: PauseRequested { by: by.into() }.into(),
    }
}

fn append(run: RunKey, guard: Guard, events: Vec<NewEvent>, durability: Durability) -> Append {
    Append {
        run,
        guard,
        events,
        payloads: Vec::new(),
        durability,
        summary: None,
    }
}

async fn begin(store: &Store, id: &str) -> RunKey {
    let key = store.create_run(RunId::from(id), 0).await.unwrap();
    store
        .append(append(key, Guard::Head(0), vec![opened(0)], Durability::Process))
        .await
        .unwrap();
    key
}

/// Case state-08: 32 writers and readers at once lose nothing; every acknowledged event is there, in order.
#[tokio::test(flavor = "multi_thread")]
async fn thirty_two_parallel_writers_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("p.db")).unwrap();
    // A second handle on the same file stands for a second process.
    let other = Store::open(&folder.path().join("p.db")).unwrap();
    let key = begin(&store, "r").await;
    let mut writers = tokio::task::JoinSet::new();
    for writer in 0..32 {
        let store = if writer % 2 == 0 {
            store.clone()
        } else {
            other.clone()
        };
        writers.spawn(async move {
            let mut acked = Vec::new();
            for n in 0..10 {
                loop {
                    let head = store.run(&"r".into()).await.unwrap().head;
                    let name = format!("{writer}/{n}");
                    let add = append(key, Guard::Head(head), vec![note(&name, 0)], Durability::Process);
                    match store.append(add).await {
                        Ok(appended) => {
                            acked.push((appended.first, name));
                            break;
                        }
                        Err(StoreError::Moved { .. }) => {}
                        Err(error) => panic!("{error}"),
                    }
                }
            }
            acked
        });
    }
    let acked: Vec<_> = writers.join_all().await.into_iter().flatten().collect();
    let events = store.events(&"r".into(), 0, u64::MAX, usize::MAX).await.unwrap();
    let seqs: Vec<u64> = events.iter().map(|e| e.seq).collect();
    assert_eq!(seqs, (1..=321).collect::<Vec<_>>());
    for (seq, name) in acked {
        let EventBody::PauseRequested(stored) = &events[seq as usize - 1].body else {
            panic!()
        };
        assert_eq!(stored.by, name);
    }
}

#[tokio::test]
async fn waiting_batches_share_commits_and_barriers_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("p.db")).unwrap();
    let mut keys = Vec::new();
    for n in 0..200 {
        keys.push(begin(&store, &format!("r{n}")).await);
    }
    let before = store.counts();
    let mut set = tokio::task::JoinSet::new();
    for key in keys {
        let store = store.clone();
        set.spawn(async move {
            store
                .append(append(key, Guard::Head(1), vec![note("x", 0)], Durability::Disk))
                .await
                .unwrap()
        });
    }
    set.join_all().await;
    let after = store.counts();
    assert_eq!(after.rows - before.rows, 200);
    assert!(
        after.commits - before.commits < 100,
        "{} commits for 200 batches",
        after.commits - before.commits
    );
    assert!(after.synced > before.synced);
}

/// The setting of DESIGN 5: nothing is told that a power loss could take back.
#[tokio::test]
async fn everything_is_synced_where_that_is_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("p.db")).unwrap();
    let key = begin(&store, "r").await;
    for (head, syncing, more) in [
        (1, Syncing::Usual, 0),
        (2, Syncing::Everything, 1),
        (3, Syncing::Usual, 0),
    ] {
        store.sync(syncing);
        let before = store.counts().synced;
        let add = append(key, Guard::Head(head), vec![note("x", 0)], Durability::Process);
        store.append(add).await.unwrap();
        assert_eq!(store.counts().synced - before, more, "{syncing:?}");
    }
}

#[tokio::test]
async fn an_owner_gets_foreign_events_back_and_a_deposed_one_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("p.db")).unwrap();
    let key = begin(&store, "r").await;
    let run = RunId::from("r");
    let me = Owner::this_process("test");
    let claim = store.claim(&run, 1, &me, 0, false).await.unwrap();
    assert!(matches!(
        store.claim(&run, 2, &me, 0, false).await,
        Err(StoreError::Owned(..))
    ));
    store
        .append(append(
            key,
            Guard::Head(2),
            vec![note("other", 0)],
            Durability::Process,
        ))
        .await
        .unwrap();
    let guard = Guard::Owner {
        epoch: claim.epoch,
        head: 2,
    };
    let appended = store
        .append(append(key, guard, vec![note("me", 0)], Durability::Process))
        .await
        .unwrap();
    assert_eq!((appended.first, appended.foreign.len()), (4, 1));
    let second = store.claim(&run, 4, &me, 0, true).await.unwrap();
    assert_eq!(second.epoch, claim.epoch + 1);
    let late = store
        .append(append(key, guard, vec![note("late", 0)], Durability::Process))
        .await;
    assert!(matches!(late, Err(StoreError::Deposed)));
    assert_eq!(store.run(&run).await.unwrap().head, 5);
    drop((claim, second));
    assert!(store.holder(&run).is_none(), "the lock goes with its lease");
}

/// Case state-13: order is by position, whatever the clocks said.
#[tokio::test]
async fn order_is_by_position_never_by_clock() {
    let store = Store::in_memory().unwrap();
    let case: serde_json::Value =
        serde_json::from_str(include_str!("cases/state-13-order-by-clock/rows.json")).unwrap();
    let rows: Vec<&str> = case["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["at"].as_str().unwrap())
        .collect();
    assert_eq!(rows.len(), 6);
    let key = store.create_run("r".into(), 0).await.unwrap();
    let events: Vec<NewEvent> = rows
        .iter()
        .map(|at| note(at, at.parse::<jiff::Timestamp>().unwrap().as_millisecond()))
        .collect();
    store
        .append(append(key, Guard::Head(0), events, Durability::Process))
        .await
        .unwrap();
    let read = store.events(&"r".into(), 0, u64::MAX, usize::MAX).await.unwrap();
    let told: Vec<String> = read
        .iter()
        .map(|e| match &e.body {
            EventBody::PauseRequested(p) => p.by.clone(),
            other => panic!("{}", other.kind()),
        })
        .collect();
    assert_eq!(told, rows);
    assert_eq!(
        read.last().unwrap().seq,
        6,
        "the latest is the last, though its clock stood in 1970"
    );
    // Runs are listed by the order of opening, not by their times.
    let early = store.create_run("early".into(), -5_000_000).await.unwrap();
    store
        .append(append(
            early,
            Guard::Head(0),
            vec![opened(-5_000_000)],
            Durability::Process,
        ))
        .await
        .unwrap();
    let listed: Vec<String> = store
        .runs(9)
        .await
        .unwrap()
        .iter()
        .map(|r| r.id.to_string())
        .collect();
    assert_eq!(listed, ["early", "r"]);
}

#[tokio::test]
async fn large_values_are_stored_once_and_checked_when_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.db");
    let store = Store::open(&path).unwrap();
    let key = begin(&store, "r").await;
    let value = json!({ "rows": vec!["a long enough row of text"; 4000] });
    let (reference, payload) = ValueRef::of(&value);
    let ValueRef::Payload { hash, .. } = reference else {
        panic!("it is large")
    };
    let payload = payload.unwrap();
    for _ in 0..3 {
        let head = store.run(&"r".into()).await.unwrap().head;
        let mut add = append(key, Guard::Head(head), vec![note("x", 0)], Durability::Process);
        add.payloads = vec![payload.clone()];
        store.append(add).await.unwrap();
    }
    assert_eq!(store.payload(hash).await.unwrap(), value.to_string());
    let conn = rusqlite::Connection::open(&path).unwrap();
    let (rows, bytes): (i64, i64) = conn
        .query_row("SELECT count(*), sum(length(data)) FROM payloads", [], |r| {
            Ok((r.get(0)?, r.get(1)?))
        })
        .unwrap();
    assert!(
        rows == 1 && bytes < 2000,
        "once, and compressed: {rows} rows, {bytes} bytes"
    );
    conn.execute("UPDATE payloads SET data = zeroblob(40), codec = 0", [])
        .unwrap();
    let damaged = store.payload(hash).await.unwrap_err();
    assert!(damaged.to_string().contains("damaged"), "{damaged}");
    let missing = store.payload(Digest::of(b"other")).await.unwrap_err();
    assert!(missing.to_string().contains("missing"), "{missing}");
}

#[tokio::test]
async fn a_damaged_event_is_named_and_the_events_before_it_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.db");
    let store = Store::open(&path).unwrap();
    let key = begin(&store, "r").await;
    store
        .append(append(
            key,
            Guard::Head(1),
            vec![note("a", 0), note("b", 0)],
            Durability::Process,
        ))
        .await
        .unwrap();
    let conn = rusqlite::Connection::open(&path).unwrap();
    conn.execute(
        "UPDATE events SET body = '{\"by\":\"c\"}' WHERE key & 4294967295 = 3",
        [],
    )
    .unwrap();
    let changed = store
        .events(&"r".into(), 0, u64::MAX, usize::MAX)
        .await
        .unwrap_err();
    assert!(matches!(changed, StoreError::Cut { after: 2, .. }), "{changed}");
    // As a log from before there were seals.
    conn.execute(
        "UPDATE events SET seal = NULL, body = '{' WHERE key & 4294967295 = 3",
        [],
    )
    .unwrap();
    let error = store
        .events(&"r".into(), 0, u64::MAX, usize::MAX)
        .await
        .unwrap_err();
    assert!(matches!(error, StoreError::Event { seq: 3, .. }), "{error}");
    assert_eq!(
        store.events(&"r".into(), 0, 2, usize::MAX).await.unwrap().len(),
        2
    );
    conn.execute("DELETE FROM events WHERE key & 4294967295 = 2", [])
        .unwrap();
    conn.execute(
        "UPDATE events SET body = '{\"by\":\"b\"}' WHERE key & 4294967295 = 3",
        [],
    )
    .unwrap();
    let gap = store
        .events(&"r".into(), 0, u64::MAX, usize::MAX)
        .await
        .unwrap_err();
    assert!(matches!(gap, StoreError::Gap { after: 1 }), "{gap}");
}

/// A commit that was reported as failed, but had gone through: the batch is found and not written again.
#[tokio::test]
async fn a_batch_that_is_offered_again_stands_in_the_log_once() {
    let store = Store::in_memory().unwrap();
    let key = begin(&store, "r").await;
    let claim = store
        .claim(&"r".into(), 1, &Owner::this_process("test"), 0, false)
        .await
        .unwrap();
    let guard = Guard::Owner {
        epoch: claim.epoch,
        head: 2,
    };
    let batch = || append(key, guard, vec![note("a", 7), note("b", 7)], Durability::Disk);
    let other = |head| append(key, Guard::Head(head), vec![note("other", 7)], Durability::Disk);
    store.append(other(2)).await.unwrap();
    store.append(batch()).await.unwrap();
    store.append(other(5)).await.unwrap();
    for _ in 0..3 {
        let Ok(again) = store.offer(batch(), Turn::Again).await else {
            panic!("it stands there")
        };
        assert_eq!(again.first, 4);
        let foreign: Vec<u64> = again.foreign.iter().map(|e| e.seq).collect();
        assert_eq!(foreign, [3, 6]);
    }
    assert_eq!(store.run(&"r".into()).await.unwrap().head, 6);
    // What does not stand there is written.
    let fresh = append(key, guard, vec![note("a", 8)], Durability::Disk);
    let Ok(written) = store.offer(fresh, Turn::Again).await else {
        panic!("it is new")
    };
    assert_eq!((written.first, written.foreign.len()), (7, 4));
}

/// Every batch of a commit that failed learns why, and gets its batch back.
#[tokio::test]
async fn a_full_disk_refuses_the_batch_and_gives_it_back() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("p.db")).unwrap();
    let key = begin(&store, "r").await;
    store.limit_pages(1).await.unwrap();
    let large = || {
        append(
            key,
            Guard::Head(1),
            vec![note(&"x".repeat(50_000), 0)],
            Durability::Disk,
        )
    };
    let mut set = tokio::task::JoinSet::new();
    for _ in 0..20 {
        let (store, large) = (store.clone(), large());
        set.spawn(async move { store.offer(large, Turn::First).await });
    }
    for offered in set.join_all().await {
        let Err(refused) = offered else {
            panic!("there is no space")
        };
        assert!(matches!(refused.error, StoreError::Full(_)), "{}", refused.error);
        assert_eq!(refused.append.unwrap().events.len(), 1);
    }
    assert_eq!(store.run(&"r".into()).await.unwrap().head, 1);
    store.limit_pages(0).await.unwrap();
    store.append(large()).await.unwrap();
}

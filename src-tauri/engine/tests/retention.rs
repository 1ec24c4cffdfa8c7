//! Deleting runs and collecting payloads: what anybody still needs stays, while others write.

#![expect(clippy::unwrap_used, reason = "a test says no by panicking")]

use std::path::Path;

use planloom_engine::model::events::{
    CallFinished, CallOutcome, EventBody, NewEvent, PauseRequested, RunOpened,
};
use planloom_engine::model::value::{NewPayload, ValueRef};
use planloom_engine::model::{Digest, RunId, Seq};
use planloom_engine::store::{Append, Durability, Guard, Owner, RunKey, Store, StoreError};
use serde_json::json;

fn event(body: impl Into<EventBody>) -> NewEvent {
    NewEvent {
        at_ms: 1,
        task: None,
        body: body.into(),
    }
}

fn opened() -> NewEvent {
    event(RunOpened {
        version: "0".into(),
        face: "test".into(),
        path: None,
        made_from: None,
    })
}

fn note(by: &str) -> NewEvent {
    event(PauseRequested { by: by.into() })
}

/// An event that names a payload of its own, made from `seed`.
fn large(seed: &str) -> (NewEvent, NewPayload) {
    let (value, payload) = ValueRef::of(&json!(seed.repeat(5000)));
    let finished = CallFinished {
        labels: planloom_engine::model::grants::Labels::default(),
        call: None,
        outcome: CallOutcome::Result(value),
        usage: None,
    };
    (event(finished), payload.unwrap())
}

async fn add(
    store: &Store,
    run: RunKey,
    head: Seq,
    events: Vec<NewEvent>,
    payloads: Vec<NewPayload>,
) -> Result<Seq, StoreError> {
    let append = Append {
        run,
        guard: Guard::Head(head),
        events,
        payloads,
        durability: Durability::Process,
        summary: None,
    };
    store.append(append).await.map(|appended| appended.first)
}

async fn begin(store: &Store, id: &str, notes: usize) -> RunKey {
    let key = store.create_run(RunId::from(id), 0).await.unwrap();
    let mut events = vec![opened()];
    events.extend((0..notes).map(|n| note(&format!("{id}/{n}"))));
    add(store, key, 0, events, Vec::new()).await.unwrap();
    key
}

/// A fork as the database has it: its own log goes on at the parent's position + 1.
async fn fork(store: &Store, db: &Path, id: &str, parent: &str, at: Seq, own: usize) {
    let key = store.create_run(RunId::from(id), 0).await.unwrap();
    let conn = rusqlite::Connection::open(db).unwrap();
    conn.execute(
        "UPDATE runs SET parent = (SELECT run FROM runs WHERE id = ?2), fork_seq = ?3, head = ?3 WHERE id = ?1",
        rusqlite::params![id, parent, at as i64],
    )
    .unwrap();
    let events = (0..own).map(|n| note(&format!("{id}/{n}"))).collect();
    add(store, key, at, events, Vec::new()).await.unwrap();
}

async fn told(store: &Store, id: &str) -> Vec<String> {
    let events = store.events(&id.into(), 0, Seq::MAX, usize::MAX).await.unwrap();
    events.iter().map(|e| format!("{:?}", e.body)).collect()
}

fn count(db: &Path, sql: &str) -> i64 {
    let conn = rusqlite::Connection::open(db).unwrap();
    conn.query_row(sql, [], |row| row.get(0)).unwrap()
}

fn me() -> Owner {
    Owner::this_process("test")
}

struct Desk {
    folder: tempfile::TempDir,
    store: Store,
}

impl Desk {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("p.db")).unwrap();
        Self { folder, store }
    }
    fn db(&self) -> std::path::PathBuf {
        self.folder.path().join("p.db")
    }
    async fn delete(&self, id: &str) -> (u64, Seq) {
        let removed = self.store.delete_run(&id.into(), &me(), 7).await.unwrap();
        (removed.events, removed.kept)
    }
    fn events(&self) -> i64 {
        count(&self.db(), "SELECT count(*) FROM events")
    }
}

#[tokio::test]
async fn a_deleted_run_is_gone_for_good_and_its_number_and_id_never_come_again() {
    let desk = Desk::new();
    let store = &desk.store;
    begin(store, "a", 3).await;
    let last = begin(store, "b", 12_000).await;
    let claim = store.claim(&"a".into(), 4, &me(), 0, false).await.unwrap();
    let refused = store.delete_run(&"a".into(), &me(), 0).await;
    assert!(matches!(refused, Err(StoreError::Owned(..))), "it is driven");
    drop(claim);

    assert_eq!(desk.delete("b").await, (12_001, 0));
    assert_eq!(desk.delete("a").await, (5, 0));
    assert_eq!(desk.events(), 0);
    assert!(store.runs(10).await.unwrap().is_empty());
    let b = RunId::from("b");
    let deleted = |e: StoreError| matches!(e, StoreError::Deleted { at_ms: 7, .. });
    assert!(deleted(store.run(&b).await.unwrap_err()));
    assert!(deleted(store.events(&b, 0, 9, 9).await.unwrap_err()));
    assert!(deleted(
        add(store, last, 0, vec![note("x")], Vec::new())
            .await
            .unwrap_err()
    ));
    assert!(deleted(store.claim(&b, 0, &me(), 0, true).await.err().unwrap()));
    assert!(deleted(store.delete_run(&b, &me(), 0).await.unwrap_err()));
    assert!(store.create_run(b, 0).await.is_err(), "the id is taken");
    let next = begin(store, "c", 0).await;
    assert_ne!(next, last, "the number is not used again");
    assert_eq!(told(store, "c").await.len(), 1);
    assert!(
        !std::fs::read_dir(desk.folder.path().join("p.db.locks"))
            .unwrap()
            .any(|f| f.unwrap().file_name() == "a.lock")
    );
}

#[tokio::test]
async fn what_forks_read_stays_until_the_last_of_them_goes() {
    let desk = Desk::new();
    let store = &desk.store;
    begin(store, "root", 9).await; // 1..=10
    fork(store, &desk.db(), "early", "root", 3, 2).await; // 4, 5
    fork(store, &desk.db(), "late", "root", 6, 4).await; // 7..=10
    fork(store, &desk.db(), "grand", "late", 8, 1).await; // root to 6, late to 8, 9
    fork(store, &desk.db(), "aside", "late", 2, 1).await; // only root's, through late
    let mut logs = Vec::new();
    for id in ["early", "late", "grand", "aside"] {
        logs.push(told(store, id).await);
    }

    assert_eq!(desk.delete("root").await, (4, 6));
    assert!(store.run(&"root".into()).await.is_err());
    for (id, log) in ["early", "late", "grand", "aside"].iter().zip(&logs) {
        assert_eq!(&told(store, id).await, log, "{id} reads what it read");
    }
    assert_eq!(desk.delete("late").await, (2, 8), "its 9 and 10 go");
    for (id, log) in [("early", 0), ("grand", 2), ("aside", 3)] {
        assert_eq!(told(store, id).await, logs[log], "{id} reads what it read");
    }
    // Of late nothing of its own is read any more, of root only 3.
    assert_eq!(desk.delete("grand").await, (1 + 2 + 3, 0));
    assert_eq!(told(store, "early").await, logs[0]);
    assert_eq!(told(store, "aside").await, logs[3]);
    assert_eq!(desk.delete("early").await, (2 + 1, 0));
    assert_eq!(told(store, "aside").await, logs[3]);
    assert_eq!(desk.delete("aside").await, (1 + 2, 0));
    assert_eq!(desk.events(), 0, "all of it goes by itself");
}

#[tokio::test]
async fn a_deletion_that_was_cut_short_is_finished_later() {
    let desk = Desk::new();
    begin(&desk.store, "a", 20).await;
    let conn = rusqlite::Connection::open(desk.db()).unwrap();
    conn.execute_batch("UPDATE runs SET deleted_ms = 1").unwrap();
    assert_eq!(desk.store.trim().await.unwrap(), 21);
    assert_eq!(desk.store.trim().await.unwrap(), 0);
    assert_eq!(desk.events(), 0);
}

#[tokio::test]
async fn only_payloads_that_no_event_names_go() {
    let desk = Desk::new();
    let store = &desk.store;
    let (one, two) = (begin(store, "one", 0).await, begin(store, "two", 0).await);
    let (shared, own) = (large("shared"), large("own"));
    let orphans: Vec<NewPayload> = (0..700).map(|n| large(&format!("orphan {n}")).1).collect();
    add(
        store,
        one,
        1,
        vec![shared.0.clone(), own.0],
        vec![shared.1.clone(), own.1.clone()],
    )
    .await
    .unwrap();
    let mut payloads = orphans;
    payloads.push(shared.1.clone());
    add(store, two, 1, vec![shared.0], payloads).await.unwrap();
    let swept = store.collect().await.unwrap();
    assert_eq!(swept.payloads, 700);
    assert!(swept.bytes > 0);
    assert_eq!(store.collect().await.unwrap().payloads, 0);
    store.payload(own.1.hash).await.unwrap();

    desk.delete("one").await;
    assert_eq!(store.collect().await.unwrap().payloads, 1);
    assert!(store.payload(own.1.hash).await.is_err());
    assert_eq!(store.payload(shared.1.hash).await.unwrap(), *shared.1.text);
    desk.delete("two").await;
    assert_eq!(store.collect().await.unwrap().payloads, 1);
    assert_eq!(count(&desk.db(), "SELECT count(*) FROM payloads"), 0);
}

/// A kind of a newer version names payloads too; it can't be read, and what it names stays.
#[tokio::test]
async fn what_an_unknown_event_names_stays() {
    let desk = Desk::new();
    let run = begin(&desk.store, "a", 0).await;
    let payload = large("kept").1;
    add(&desk.store, run, 1, vec![note("x")], vec![payload.clone()])
        .await
        .unwrap();
    let conn = rusqlite::Connection::open(desk.db()).unwrap();
    let body = json!({ "list": [{ "of": payload.hash }] }).to_string();
    let change = "UPDATE events SET kind = 9999, body = ?1, seal = NULL WHERE kind = 23";
    conn.execute(change, [body]).unwrap();
    assert_eq!(desk.store.collect().await.unwrap().payloads, 0);
}

/// An event that was damaged may have named anything: then nothing is thrown away.
#[tokio::test]
async fn nothing_is_collected_beside_a_damaged_event() {
    let desk = Desk::new();
    let run = begin(&desk.store, "a", 0).await;
    let payload = large("kept").1;
    add(&desk.store, run, 1, vec![note("x")], vec![payload.clone()])
        .await
        .unwrap();
    let conn = rusqlite::Connection::open(desk.db()).unwrap();
    conn.execute("UPDATE events SET body = '{}' WHERE kind = 23", [])
        .unwrap();
    let refused = desk.store.collect().await.unwrap_err();
    assert!(refused.to_string().contains("event 2"), "{refused}");
    desk.store.payload(payload.hash).await.unwrap();
}

/// Another process (a second handle on the same file) takes up payloads again that nothing named when the collection
/// began, makes new ones and deletes runs, all the time: none that an event names is ever missing.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn collecting_beside_writers_loses_nothing_that_is_named() {
    let desk = Desk::new();
    let orphans: Vec<(NewEvent, NewPayload)> = (0..1500).map(|n| large(&format!("{n}."))).collect();
    let first = begin(&desk.store, "first", 0).await;
    let payloads = orphans.iter().map(|o| o.1.clone()).collect();
    add(&desk.store, first, 1, vec![note("x")], payloads)
        .await
        .unwrap();

    let other = Store::open(&desk.db()).unwrap();
    let writer = tokio::spawn({
        let other = other.clone();
        async move {
            let mut named = Vec::new();
            for (n, chunk) in orphans.chunks(10).enumerate() {
                let run = begin(&other, &format!("w{n}"), 0).await;
                let (event, payload) = chunk[n % 10].clone();
                let new = large(&format!("new {n} "));
                named.extend([payload.hash, new.1.hash]);
                add(&other, run, 1, vec![event, new.0], vec![payload, new.1])
                    .await
                    .unwrap();
                // An old run goes on as well: its events stand before what the marking has read last.
                let (event, payload) = chunk[(n + 5) % 10].clone();
                named.push(payload.hash);
                add(&other, first, 2 + n as Seq, vec![event], vec![payload])
                    .await
                    .unwrap();
                begin(&other, &format!("gone{n}"), 3).await;
                other
                    .delete_run(&format!("gone{n}").into(), &me(), 0)
                    .await
                    .unwrap();
            }
            named
        }
    });
    let mut swept = 0;
    while !writer.is_finished() {
        swept += desk.store.collect().await.unwrap().payloads;
    }
    let named: Vec<Digest> = writer.await.unwrap();
    swept += desk.store.collect().await.unwrap().payloads;
    assert!(swept >= 1000, "{swept} were swept");
    for hash in &named {
        other.payload(*hash).await.unwrap();
    }
    let distinct: std::collections::BTreeSet<&Digest> = named.iter().collect();
    assert_eq!(
        count(&desk.db(), "SELECT count(*) FROM payloads"),
        distinct.len() as i64
    );
}

#[tokio::test]
async fn vacuum_takes_what_was_deleted_out_of_the_file() {
    let desk = Desk::new();
    let run = begin(&desk.store, "a", 2000).await;
    let (event, payload) = large("canary");
    add(
        &desk.store,
        run,
        2001,
        vec![note("canary-canary"), event],
        vec![payload],
    )
    .await
    .unwrap();
    begin(&desk.store, "b", 1).await;
    desk.delete("a").await;
    desk.store.collect().await.unwrap();
    let freed = desk.store.vacuum().await.unwrap();
    assert!(freed.after < freed.before, "{freed:?}");
    let bytes = std::fs::read(desk.db()).unwrap();
    assert!(!bytes.windows(13).any(|w| w == b"canary-canary"));
    assert_eq!(told(&desk.store, "b").await.len(), 2);
}

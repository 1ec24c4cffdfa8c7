//! What was said to be stored, at the very moment when it was said: what a later look at the log is held against, and
//! what a receiver asks when a call arrives. It must not know what may follow what.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use planloom_engine::model::events::{Event, EventBody, NewEvent};
use planloom_engine::model::ledger::CostKind;
use planloom_engine::model::{Seq, TaskId};
use planloom_engine::store::{Committed, Durability, RunKey, Store};

use crate::calls::Calls;

/// The write-ahead log's own header, and where in it stands which generation it is of.
const HEADER: usize = 32;
const SALT: std::ops::Range<usize> = 16..24;

/// Lives as long as the life: no process and no disk that dies takes it along.
#[derive(Clone, Default)]
pub struct Heard(Arc<Mutex<Book>>);

#[derive(Default)]
struct Book {
    wal: Option<PathBuf>,
    /// Events as they were said to be stored, until a look at the log has found them.
    said: HashMap<RunKey, BTreeMap<Seq, String>>,
    heads: HashMap<RunKey, Head>,
    /// Keys of effects whose intent is on disk.
    intents: HashSet<String>,
    loose_intents: Vec<String>,
    /// Generation and length of the log when something was synced last.
    synced: Option<(Vec<u8>, usize)>,
    calls: HashMap<RunKey, Calls>,
    wrong: Vec<String>,
}

/// Up to where a run's log was said to be stored, and to be on disk.
#[derive(Clone, Copy, Default)]
struct Head {
    stored: Seq,
    synced: Seq,
}

impl Heard {
    pub fn listen_to(&self, store: &Store, file: Option<&Path>) {
        self.0.lock().unwrap().wal = file.map(wal_of);
        let book = self.0.clone();
        store.set_witness(Arc::new(move |committed| book.lock().unwrap().note(committed)));
    }

    /// A receiver is asked for an effect: that it would be must be on disk by now.
    pub fn expect_intent(&self, tool: &str, id: &str, key: &str) {
        let mut book = self.0.lock().unwrap();
        if !book.intents.contains(key) {
            let wrong = format!("{tool} was asked for {id} before that was on disk");
            book.wrong.push(wrong);
        }
    }

    /// How many bytes of the log surely are on disk.
    pub fn synced_bytes(&self, wal: &[u8]) -> usize {
        let book = self.0.lock().unwrap();
        match &book.synced {
            // A log that was begun anew holds nothing that was synced since; what it held before is in the main file.
            Some((salt, length)) if wal.get(SALT) == Some(salt) => (*length).min(wal.len()),
            Some(_) | None => HEADER.min(wal.len()),
        }
    }

    /// Holds the newest events of the log against what was said of it; a fork's with those of its parent. Where the
    /// power has gone, they are all of it, and what was not synced may be missing.
    pub fn compare(&self, key: RunKey, newest: &[Event], length: usize, has_lost_power: bool) {
        let mut book = self.0.lock().unwrap();
        assert!(book.wrong.is_empty(), "{}", book.wrong.join("; "));
        book.learn_calls(key, newest);
        let Some(head) = book.heads.get_mut(&key) else {
            return;
        };
        let length = length as Seq;
        let promised = if has_lost_power { head.synced } else { head.stored };
        assert!(
            length >= promised,
            "{promised} events were stored, and only {length} are there"
        );
        (head.stored, head.synced) = (length, if has_lost_power { length } else { head.synced });
        if has_lost_power {
            book.loose_intents.clear();
        }
        let said = book.said.remove(&key).unwrap_or_default();
        for event in newest {
            if let Some(said) = said.get(&event.seq) {
                let text = told(event.at_ms, event.task.as_ref(), &event.body);
                assert_eq!(&text, said, "event {} is not what was stored", event.seq);
            }
        }
    }
}

impl Book {
    fn note(&mut self, committed: Committed) {
        let head = self.heads.entry(committed.run).or_default();
        head.stored = committed.first + committed.events.len() as Seq - 1;
        let said = self.said.entry(committed.run).or_default();
        for (event, seq) in committed.events.iter().zip(committed.first..) {
            said.insert(seq, told(event.at_ms, event.task.as_ref(), &event.body));
        }
        for (event, seq) in committed.events.iter().zip(committed.first..) {
            if self.is_worth_a_sync(committed.run, event) && committed.durability != Durability::Disk {
                self.wrong.push(format!(
                    "{} was stored without a sync",
                    told(0, event.task.as_ref(), &event.body)
                ));
            }
            if let EventBody::CallStarted(started) = &event.body
                && started.effect.is_effect()
            {
                self.loose_intents.push(started.key.to_string());
            }
            let calls = self.calls.entry(committed.run).or_default();
            calls.take(seq, event.task.as_ref(), &event.body);
        }
        if committed.durability == Durability::Disk {
            self.sync();
        }
    }

    /// What was stored in a process's last moment was said to nobody.
    fn learn_calls(&mut self, run: RunKey, newest: &[Event]) {
        let calls = self.calls.entry(run).or_default();
        if newest.first().is_some_and(|first| first.seq == 1) {
            *calls = Calls::default();
        }
        for event in newest {
            calls.take(event.seq, event.task.as_ref(), &event.body);
        }
    }

    /// What came from a person, cost money, or had an effect outside.
    fn is_worth_a_sync(&self, run: RunKey, event: &NewEvent) -> bool {
        match &event.body {
            EventBody::Approved(_)
            | EventBody::RunRejected(_)
            | EventBody::DecisionAnswered(_)
            | EventBody::CancelRequested(_)
            | EventBody::RunRewound(_)
            | EventBody::RunForked(_)
            | EventBody::RunReopened(_)
            | EventBody::OutputPinned(_)
            | EventBody::BudgetRaised(_)
            | EventBody::RunFinished(_) => true,
            EventBody::CallFinished(finished) => {
                let calls = self.calls.get(&run).zip(event.task.as_ref());
                let call = calls.and_then(|(calls, task)| calls.named(task, finished.call));
                let has_cost = finished.usage.is_some_and(|usage| usage.kind != CostKind::Zero);
                has_cost || call.is_some_and(|call| call.is_effect)
            }
            _ => false,
        }
    }

    /// One sync brings everything before it to disk, of whatever run.
    fn sync(&mut self) {
        self.heads.values_mut().for_each(|head| head.synced = head.stored);
        self.intents.extend(self.loose_intents.drain(..));
        self.synced = self.wal.as_deref().and_then(mark);
    }
}

/// Generation and length of the log.
fn mark(wal: &Path) -> Option<(Vec<u8>, usize)> {
    let mut file = std::fs::File::open(wal).ok()?;
    let mut header = [0; HEADER];
    file.read_exact(&mut header).ok()?;
    Some((header[SALT].to_vec(), file.metadata().ok()?.len() as usize))
}

pub fn wal_of(db: &Path) -> PathBuf {
    let mut name = db.as_os_str().to_owned();
    name.push("-wal");
    name.into()
}

/// An event in full, as a line.
pub fn told(at_ms: i64, task: Option<&TaskId>, body: &EventBody) -> String {
    let task = task.map_or("-", |task| task.as_str());
    format!("{} {task} {at_ms} {}", body.kind(), body.encode().unwrap())
}

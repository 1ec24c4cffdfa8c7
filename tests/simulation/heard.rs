//! What was said to be stored, at the very moment when it was said: what a later look at the log is held against, and
//! what a receiver asks when a call arrives. It must not know what may follow what.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use planloom_engine::model::Seq;
use planloom_engine::model::events::{Event, EventBody, NewEvent};
use planloom_engine::store::{Committed, Durability, RunKey, Store};

/// The write-ahead log's own header, and where in it stands which generation it is of.
const HEADER: usize = 32;
const SALT: std::ops::Range<usize> = 16..24;

/// Lives as long as the life: no process and no disk that dies takes it along.
#[derive(Clone, Default)]
pub struct Heard(Arc<Mutex<Book>>);

#[derive(Default)]
struct Book {
    wal: Option<PathBuf>,
    said: HashMap<RunKey, BTreeMap<Seq, Said>>,
    /// Of these it was not said that they are on disk.
    loose: Vec<(RunKey, Seq)>,
    /// Keys of effects whose intent is on disk.
    intents: HashSet<String>,
    loose_intents: Vec<String>,
    /// Generation and length of the log when something was synced last.
    synced: Option<(Vec<u8>, usize)>,
    wrong: Vec<String>,
}

struct Said {
    text: String,
    is_synced: bool,
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

    /// Holds the log against what was said of it. Where the power has gone, what was not synced may be missing.
    pub fn compare(&self, key: RunKey, own: &[Event], has_lost_power: bool) {
        let mut book = self.0.lock().unwrap();
        assert!(book.wrong.is_empty(), "{}", book.wrong.join("; "));
        let found: BTreeMap<Seq, &Event> = own.iter().map(|event| (event.seq, event)).collect();
        let Some(said) = book.said.get_mut(&key) else {
            return;
        };
        said.retain(|seq, said| match found.get(seq) {
            Some(event) => {
                let text = told(event.at_ms, event.task.as_ref(), &event.body);
                assert_eq!(text, said.text, "event {seq} is not what was stored");
                true
            }
            None => {
                assert!(
                    has_lost_power && !said.is_synced,
                    "event {seq} was stored and is gone: {}",
                    said.text
                );
                false
            }
        });
        if has_lost_power {
            // What is left is what the disk has.
            said.values_mut().for_each(|said| said.is_synced = true);
            book.loose.retain(|(run, _)| *run != key);
            book.loose_intents.clear();
        }
    }
}

impl Book {
    fn note(&mut self, committed: Committed) {
        let said = self.said.entry(committed.run).or_default();
        for (event, seq) in committed.events.iter().zip(committed.first..) {
            let text = told_new(event);
            said.insert(
                seq,
                Said {
                    text,
                    is_synced: false,
                },
            );
            self.loose.push((committed.run, seq));
            if let EventBody::CallStarted(started) = &event.body
                && started.effect.is_effect()
            {
                self.loose_intents.push(started.key.to_string());
            }
        }
        if committed.durability == Durability::Disk {
            self.sync();
        }
    }

    fn sync(&mut self) {
        for (run, seq) in std::mem::take(&mut self.loose) {
            if let Some(said) = self.said.get_mut(&run).and_then(|said| said.get_mut(&seq)) {
                said.is_synced = true;
            }
        }
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

fn told_new(event: &NewEvent) -> String {
    told(event.at_ms, event.task.as_ref(), &event.body)
}

/// An event in full, as a line.
pub fn told(at_ms: i64, task: Option<&planloom_engine::model::TaskId>, body: &EventBody) -> String {
    let task = task.map_or("-", |task| task.as_str());
    format!("{} {task} {at_ms} {}", body.kind(), body.encode().unwrap())
}

//! Where the facts of a life lie: in memory, or on a file that may lose its power at any moment. What was synced is
//! there then; of the rest an end is lost, torn at any byte, never something in the midst. It must not know what the
//! facts mean.

use std::path::{Path, PathBuf};

use planloom_engine::store::Store;

use crate::dice::Dice;
use crate::heard::{Heard, wal_of};

pub struct Disk {
    store: Option<Store>,
    heard: Heard,
    file: Option<File>,
}

struct File {
    folder: tempfile::TempDir,
    /// Each loss of power leaves a file of its own, so that nothing of the old one is still at work on it.
    number: u32,
}

impl File {
    fn path(&self) -> PathBuf {
        self.folder.path().join(format!("life-{}.db", self.number))
    }
}

impl Disk {
    pub fn in_memory(heard: &Heard) -> Self {
        Self::with(Store::in_memory().unwrap(), heard, None)
    }

    pub fn on_file(heard: &Heard) -> Self {
        let file = File {
            folder: quick_folder(),
            number: 0,
        };
        Self::with(Store::inline_on(&file.path()).unwrap(), heard, Some(file))
    }

    fn with(store: Store, heard: &Heard, file: Option<File>) -> Self {
        heard.listen_to(&store, file.as_ref().map(|f| f.path()).as_deref());
        Self {
            store: Some(store),
            heard: heard.clone(),
            file,
        }
    }

    pub fn store(&self) -> &Store {
        self.store.as_ref().unwrap()
    }

    /// The power goes: nothing that was on its way to the disk need have arrived there. False: it lies in memory.
    pub fn lose_power(&mut self, dice: &mut Dice) -> bool {
        let Some(file) = &mut self.file else { return false };
        let old = file.path();
        let main = std::fs::read(&old).unwrap();
        let mut wal = std::fs::read(wal_of(&old)).unwrap_or_default();
        let synced = self.heard.synced_bytes(&wal);
        tear(&mut wal, synced, dice);
        // Closing would bring into the main file what is lost.
        self.store = None;
        let _ = std::fs::remove_file(&old);
        file.number += 1;
        std::fs::write(file.path(), &main).unwrap();
        if !wal.is_empty() {
            std::fs::write(wal_of(&file.path()), &wal).unwrap();
        }
        let store = Store::inline_on(&file.path()).unwrap();
        self.heard.listen_to(&store, Some(&file.path()));
        self.store = Some(store);
        true
    }
}

/// What lies behind the bytes that were synced is cut off, or was never written over what the disk held there.
fn tear(wal: &mut Vec<u8>, synced: usize, dice: &mut Dice) {
    let loose = wal.len() - synced;
    let cut = synced + dice.below(loose as u64 + 1) as usize;
    match dice.below(3) {
        0 => wal[cut..].fill(0),
        1 => wal[cut..]
            .iter_mut()
            .for_each(|byte| *byte = dice.below(256) as u8),
        _ => wal.truncate(cut),
    }
}

/// In memory where the system has such a folder: what is synced to it costs nothing.
fn quick_folder() -> tempfile::TempDir {
    let quick = Path::new("/dev/shm");
    let made = quick.is_dir().then(|| tempfile::tempdir_in(quick).ok()).flatten();
    made.unwrap_or_else(|| tempfile::tempdir().unwrap())
}

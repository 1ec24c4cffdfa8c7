//! Folds that are kept in memory, so that a look at any position of a long log need not begin at its beginning. They
//! can go at any time: what they save is only the work. It must not know how a log is folded.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use std::sync::{Arc, Mutex};

use crate::model::Seq;

/// No fold is kept closer to the one before than this many events, nor than the run has tasks: so the folds of a run
/// take no more room than its events, and going on from one takes no longer than the run has tasks.
pub const SPACING: u64 = 1024;
/// How many tasks' states are kept in all. Beyond that, the run that was looked at least lately is forgotten.
const MOST_TASKS: usize = 200_000;

/// The folds of the runs that were looked at lately. `K` is a run's number, which never comes again, as its id may when
/// it is deleted and imported; `F` is a fold with all that belongs to it.
pub struct Folds<K, F>(Arc<Mutex<Kept<K, F>>>);

impl<K, F> Clone for Folds<K, F> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

struct Kept<K, F> {
    spacing: u64,
    runs: HashMap<K, Run<F>>,
    tasks: usize,
    looks: u64,
    /// One fold just before where somebody looked last, whatever the spacing.
    near: Option<(K, Seq, Arc<F>)>,
}

struct Run<F> {
    folds: BTreeMap<Seq, Arc<F>>,
    tasks: usize,
    looked: u64,
}

impl<K: Copy + Eq + Hash, F> Folds<K, F> {
    pub fn spaced(spacing: u64) -> Self {
        Self(Arc::new(Mutex::new(Kept {
            spacing: spacing.max(1),
            runs: HashMap::new(),
            tasks: 0,
            looks: 0,
            near: None,
        })))
    }

    /// The newest fold of the run at or before `seq`.
    pub fn before(&self, run: K, seq: Seq) -> Option<(Seq, Arc<F>)> {
        let mut kept = self.0.lock().ok()?;
        kept.looks += 1;
        let now = kept.looks;
        let near = kept.near.as_ref().filter(|&&(of, at, _)| of == run && at <= seq);
        let near = near.map(|(_, at, fold)| (*at, fold.clone()));
        let spaced = kept.runs.get_mut(&run).and_then(|known| {
            known.looked = now;
            let (&at, fold) = known.folds.range(..=seq).next_back()?;
            Some((at, fold.clone()))
        });
        near.into_iter().chain(spaced).max_by_key(|&(at, _)| at)
    }

    /// Whoever steps through a log looks near here next. Only the newest such fold is kept.
    pub fn keep_near(&self, run: K, seq: Seq, fold: F) {
        if let Ok(mut kept) = self.0.lock() {
            kept.near = Some((run, seq, Arc::new(fold)));
        }
    }

    /// How many events have to lie between two folds of a run of so many tasks.
    pub fn spacing(&self, tasks: usize) -> u64 {
        let least = self.0.lock().map_or(SPACING, |kept| kept.spacing);
        least.max(tasks as u64)
    }

    pub fn keep(&self, run: K, seq: Seq, tasks: usize, fold: F) {
        let Ok(mut kept) = self.0.lock() else { return };
        kept.looks += 1;
        let now = kept.looks;
        let known = kept.runs.entry(run).or_insert_with(|| Run {
            folds: BTreeMap::new(),
            tasks: 0,
            looked: now,
        });
        known.looked = now;
        if known.folds.insert(seq, Arc::new(fold)).is_none() {
            known.tasks += tasks;
            kept.tasks += tasks;
        }
        while kept.tasks > MOST_TASKS && kept.runs.len() > 1 {
            kept.forget_one();
        }
    }

    /// Lets every fold go.
    pub fn forget(&self) {
        if let Ok(mut kept) = self.0.lock() {
            kept.runs.clear();
            kept.tasks = 0;
            kept.near = None;
        }
    }
}

impl<K: Copy + Eq + Hash, F> Kept<K, F> {
    fn forget_one(&mut self) {
        let oldest = self.runs.iter().min_by_key(|(_, run)| run.looked);
        let Some(oldest) = oldest.map(|(&run, _)| run) else {
            return;
        };
        if let Some(gone) = self.runs.remove(&oldest) {
            self.tasks -= gone.tasks;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_fold_before_a_position_is_found_and_the_oldest_run_goes_first() {
        let folds = Folds::spaced(10);
        let (a, b) = (1, 2);
        folds.keep(a, 10, MOST_TASKS / 2, 'x');
        folds.keep(a, 20, 1, 'y');
        assert_eq!(folds.before(a, 19).map(|(seq, f)| (seq, *f)), Some((10, 'x')));
        assert_eq!(folds.before(a, 20).map(|(seq, f)| (seq, *f)), Some((20, 'y')));
        assert!(folds.before(a, 9).is_none());
        folds.keep(b, 5, MOST_TASKS, 'z');
        assert!(folds.before(a, 99).is_none());
        assert!(folds.before(b, 5).is_some());
    }

    #[test]
    fn the_fold_near_the_last_look_is_found_beside_those_in_their_spacing() {
        let folds = Folds::spaced(10);
        folds.keep(1, 10, 1, 'x');
        folds.keep_near(1, 17, 'n');
        assert_eq!(folds.before(1, 18).map(|(seq, f)| (seq, *f)), Some((17, 'n')));
        assert_eq!(folds.before(1, 16).map(|(seq, f)| (seq, *f)), Some((10, 'x')));
        assert!(folds.before(2, 18).is_none());
        folds.forget();
        assert!(folds.before(1, 18).is_none());
    }
}

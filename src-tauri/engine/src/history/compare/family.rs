//! Which runs a run can be compared with: its forks as a tree, then others of its plan, then the rest. It must not know logs.

use std::collections::{HashMap, HashSet};

use super::narrow;
use crate::store::{RunKey, RunRecord};
use crate::views::{FamilyRow, Kin, RunRow};

/// Rows beyond the run's own forks.
const MOST_OTHERS: usize = 500;

/// A run that is told, before it is made a row.
pub struct Told<'r> {
    pub record: &'r RunRecord,
    kin: Kin,
    depth: u32,
    parent: Option<String>,
}

/// The runs, in their order, and how many more there are.
pub struct Family<'r> {
    pub rows: Vec<Told<'r>>,
    pub left_off: u32,
}

impl Told<'_> {
    pub fn with(&self, row: RunRow) -> FamilyRow {
        FamilyRow {
            row,
            kin: self.kin,
            depth: self.depth,
            forked_at: self
                .record
                .parent
                .map(|(_, at)| u32::try_from(at).unwrap_or(u32::MAX)),
            parent: self.parent.clone(),
        }
    }
}

/// `records` are all runs, the newest first.
pub fn family<'r>(of: &RunRecord, records: &'r [RunRecord]) -> Family<'r> {
    let by_key: HashMap<RunKey, &RunRecord> = records.iter().map(|record| (record.key, record)).collect();
    let mut rows = tree(of, records, &by_key);
    let kin: HashSet<RunKey> = rows.iter().map(|told| told.record.key).collect();
    let (mut same, mut other) = (Vec::new(), Vec::new());
    for record in records.iter().filter(|record| !kin.contains(&record.key)) {
        let is_same = is_of_same_plan(of, record);
        let (list, kin) = if is_same {
            (&mut same, Kin::SamePlan)
        } else {
            (&mut other, Kin::Other)
        };
        list.push(told(record, kin, 0, &by_key));
    }
    let others = same.len() + other.len();
    rows.extend(same.into_iter().chain(other).take(MOST_OTHERS));
    Family {
        rows,
        left_off: narrow(others.saturating_sub(MOST_OTHERS)),
    }
}

fn told<'r>(record: &'r RunRecord, kin: Kin, depth: u32, by_key: &HashMap<RunKey, &RunRecord>) -> Told<'r> {
    let parent = record.parent.and_then(|(key, _)| by_key.get(&key));
    Told {
        record,
        kin,
        depth,
        parent: parent.map(|parent| parent.id.to_string()),
    }
}

/// All that share a log with the run, each behind what it was forked from, the older ones first.
fn tree<'r>(
    of: &RunRecord,
    records: &'r [RunRecord],
    by_key: &HashMap<RunKey, &'r RunRecord>,
) -> Vec<Told<'r>> {
    let mut forks: HashMap<RunKey, Vec<&RunRecord>> = HashMap::new();
    for record in records {
        if let Some((parent, _)) = record.parent {
            forks.entry(parent).or_default().push(record);
        }
    }
    // Deleted ones are no rows, and their forks are kin all the same.
    let mut root = of.key;
    let mut parent = of.parent;
    while let Some((key, _)) = parent {
        root = key;
        parent = by_key.get(&key).and_then(|record| record.parent);
    }
    let mut rows = Vec::new();
    let mut open = vec![(root, 0)];
    while let Some((key, depth)) = open.pop() {
        let record = by_key.get(&key);
        rows.extend(record.map(|&record| told(record, Kin::Fork, depth, by_key)));
        let below = depth + u32::from(record.is_some());
        // The newest first, so that the oldest is taken next.
        let forks = forks.get(&key).into_iter().flatten();
        open.extend(forks.map(|fork| (fork.key, below)));
    }
    rows
}

fn is_of_same_plan(of: &RunRecord, other: &RunRecord) -> bool {
    let (Some(one), Some(two)) = (&of.summary, &other.summary) else {
        return false;
    };
    match (&one.path, &two.path) {
        (Some(one), Some(two)) => one == two,
        (None, None) => one.goal.is_some() && one.goal == two.goal,
        (Some(_), None) | (None, Some(_)) => false,
    }
}

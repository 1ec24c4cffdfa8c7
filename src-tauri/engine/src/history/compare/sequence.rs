//! Two sequences side by side: which stretches are equal. The work is bounded whatever they hold. It must not know what
//! the entries are: equal ones have equal numbers.

use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Range;

use similar::{Algorithm, DiffTag, capture_diff_slices};

/// Steps that the exact comparison may take in all: its cost grows with the square of what is left between anchors.
const EFFORT: u64 = 40_000_000;

/// A stretch of both; where they are equal, of the same length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretch {
    pub a: Range<usize>,
    pub b: Range<usize>,
    pub is_same: bool,
}

/// Both, cut into stretches in order, without a gap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sequence {
    pub stretches: Vec<Stretch>,
    /// Somewhere it was too much: there, all of one stands against all of the other.
    pub is_coarse: bool,
}

/// Gives equal entries equal numbers.
pub fn numbered<K: Hash + Eq>(
    a: impl Iterator<Item = K>,
    b: impl Iterator<Item = K>,
) -> (Vec<u32>, Vec<u32>) {
    let mut known: HashMap<K, u32> = HashMap::new();
    let mut number = |key: K| {
        let next = u32::try_from(known.len()).unwrap_or(u32::MAX);
        *known.entry(key).or_insert(next)
    };
    let a = a.map(&mut number).collect();
    (a, b.map(&mut number).collect())
}

/// Ends that are equal are cut off, entries that both have once are anchors in the order that keeps most of them, and what
/// lies between is compared exactly as long as that is not too much.
pub fn compare(a: &[u32], b: &[u32]) -> Sequence {
    compare_within(a, b, EFFORT)
}

fn compare_within(a: &[u32], b: &[u32], effort: u64) -> Sequence {
    let mut cut = Cut {
        a,
        b,
        left: effort,
        found: Sequence::default(),
    };
    let (begin, end) = ends(a, b);
    let middle = (begin..a.len() - end, begin..b.len() - end);
    cut.add(0..begin, 0..begin, true);
    cut.between_anchors(middle.0, middle.1);
    cut.add(a.len() - end..a.len(), b.len() - end..b.len(), true);
    cut.found
}

/// How many entries are equal at the beginning and at the end.
fn ends(a: &[u32], b: &[u32]) -> (usize, usize) {
    let begin = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[begin..], &b[begin..]);
    let end = a
        .iter()
        .rev()
        .zip(b.iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    (begin, end)
}

struct Cut<'s> {
    a: &'s [u32],
    b: &'s [u32],
    left: u64,
    found: Sequence,
}

impl Cut<'_> {
    fn add(&mut self, a: Range<usize>, b: Range<usize>, is_same: bool) {
        if a.is_empty() && b.is_empty() {
            return;
        }
        match self.found.stretches.last_mut() {
            Some(last) if last.is_same == is_same => {
                (last.a.end, last.b.end) = (a.end, b.end);
            }
            Some(_) | None => self.found.stretches.push(Stretch { a, b, is_same }),
        }
    }

    fn between_anchors(&mut self, a: Range<usize>, b: Range<usize>) {
        let (mut at_a, mut at_b) = (a.start, b.start);
        for (in_a, in_b) in anchors(&self.a[a.clone()], &self.b[b.clone()]) {
            let (in_a, in_b) = (a.start + in_a, b.start + in_b);
            self.gap(at_a..in_a, at_b..in_b);
            self.add(in_a..in_a + 1, in_b..in_b + 1, true);
            (at_a, at_b) = (in_a + 1, in_b + 1);
        }
        self.gap(at_a..a.end, at_b..b.end);
    }

    fn gap(&mut self, a: Range<usize>, b: Range<usize>) {
        let (begin, end) = ends(&self.a[a.clone()], &self.b[b.clone()]);
        self.add(a.start..a.start + begin, b.start..b.start + begin, true);
        self.exactly(a.start + begin..a.end - end, b.start + begin..b.end - end);
        self.add(a.end - end..a.end, b.end - end..b.end, true);
    }

    fn exactly(&mut self, a: Range<usize>, b: Range<usize>) {
        if a.is_empty() || b.is_empty() {
            self.add(a, b, false);
            return;
        }
        let length = (a.len() + b.len()) as u64;
        let cost = length.saturating_mul(length);
        if cost > self.left {
            self.found.is_coarse = true;
            self.add(a, b, false);
            return;
        }
        self.left -= cost;
        let (mut at_a, mut at_b) = (a.start, b.start);
        for op in capture_diff_slices(Algorithm::Myers, &self.a[a], &self.b[b]) {
            // Of what is only on one side, the other side's place can be off by what was moved along: lengths are not.
            let (tag, in_a, in_b) = op.as_tag_tuple();
            let (end_a, end_b) = (at_a + in_a.len(), at_b + in_b.len());
            self.add(at_a..end_a, at_b..end_b, tag == DiffTag::Equal);
            (at_a, at_b) = (end_a, end_b);
        }
    }
}

/// Entries that each side has exactly once, in the longest order that both keep.
fn anchors(a: &[u32], b: &[u32]) -> Vec<(usize, usize)> {
    let (in_a, in_b) = (once(a), once(b));
    let shared = a
        .iter()
        .enumerate()
        .filter(|(ix, key)| in_a.get(key) == Some(&Some(*ix)));
    let pairs: Vec<(usize, usize)> = shared
        .filter_map(|(ix, key)| Some((ix, (*in_b.get(key)?)?)))
        .collect();
    longest_rise(&pairs)
}

/// The place of each entry that is there once; none of those that come again.
fn once(entries: &[u32]) -> HashMap<&u32, Option<usize>> {
    let mut places: HashMap<&u32, Option<usize>> = HashMap::with_capacity(entries.len());
    for (ix, key) in entries.iter().enumerate() {
        places
            .entry(key)
            .and_modify(|place| *place = None)
            .or_insert(Some(ix));
    }
    places
}

/// The longest part of the pairs in which the second numbers rise, as the first ones do (Fredman 1975).
fn longest_rise(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // By length: the pair that ends a rise of that length lowest; and before each pair the one that it follows.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (ix, &(_, height)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|&end| pairs[end].1 < height);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        if length == ends.len() {
            ends.push(ix);
        } else {
            ends[length] = ix;
        }
    }
    let mut rise = Vec::with_capacity(ends.len());
    let mut at = ends.last().copied();
    while let Some(ix) = at {
        rise.push(pairs[ix]);
        at = before[ix];
    }
    rise.reverse();
    rise
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// B, put together from A and what the comparison says.
    fn applied(a: &[u32], b: &[u32], found: &Sequence) -> Vec<u32> {
        let piece = |stretch: &Stretch| match stretch.is_same {
            true => a[stretch.a.clone()].to_vec(),
            false => b[stretch.b.clone()].to_vec(),
        };
        found.stretches.iter().flat_map(piece).collect()
    }

    fn expect_whole(a: &[u32], b: &[u32], found: &Sequence) {
        let (mut at_a, mut at_b, mut last) = (0, 0, None);
        for stretch in &found.stretches {
            assert_eq!(
                (stretch.a.start, stretch.b.start),
                (at_a, at_b),
                "no gap: {found:?}"
            );
            assert_ne!(last, Some(stretch.is_same), "two alike side by side: {found:?}");
            if stretch.is_same {
                assert_eq!(a[stretch.a.clone()], b[stretch.b.clone()]);
            }
            (at_a, at_b, last) = (stretch.a.end, stretch.b.end, Some(stretch.is_same));
        }
        assert_eq!((at_a, at_b), (a.len(), b.len()));
    }

    proptest! {
        #[test]
        fn b_follows_from_a(a in prop::collection::vec(0..6u32, 0..60), b in prop::collection::vec(0..6u32, 0..60)) {
            let found = compare(&a, &b);
            expect_whole(&a, &b, &found);
            prop_assert_eq!(applied(&a, &b, &found), b);
            prop_assert!(!found.is_coarse);
        }

        #[test]
        fn with_little_effort_it_is_coarse_and_still_right(
            a in prop::collection::vec(0..4u32, 0..60),
            b in prop::collection::vec(0..4u32, 0..60),
            effort in 0..2_000u64,
        ) {
            let found = compare_within(&a, &b, effort);
            expect_whole(&a, &b, &found);
            prop_assert_eq!(applied(&a, &b, &found), b);
        }

        #[test]
        fn equal_ones_are_one_stretch(a in prop::collection::vec(0..9u32, 1..60)) {
            let whole = Stretch { a: 0..a.len(), b: 0..a.len(), is_same: true };
            prop_assert_eq!(compare(&a, &a).stretches, vec![whole]);
        }
    }

    #[test]
    fn a_change_in_the_middle_is_found_between_what_is_equal() {
        let found = compare(&[1, 2, 3, 4, 5], &[1, 2, 9, 9, 4, 5]);
        let told: Vec<_> = found
            .stretches
            .iter()
            .map(|s| (s.a.clone(), s.b.clone(), s.is_same))
            .collect();
        assert_eq!(
            told,
            [(0..2, 0..2, true), (2..3, 2..4, false), (3..5, 4..6, true)]
        );
    }

    /// Without the anchors this would be too much, and all of it would be one change.
    #[test]
    fn far_apart_changes_in_very_many_entries_are_found() {
        let a: Vec<u32> = (0..300_000).collect();
        let mut b = a.clone();
        (b[10], b[299_990]) = (1_000_000, 1_000_001);
        let found = compare(&a, &b);
        let changes: Vec<_> = found
            .stretches
            .iter()
            .filter(|s| !s.is_same)
            .map(|s| s.a.clone())
            .collect();
        assert_eq!(
            (changes, found.is_coarse),
            (vec![10..11, 299_990..299_991], false)
        );
    }

    #[test]
    fn what_has_nothing_to_hold_on_to_is_told_as_one_change() {
        let a: Vec<u32> = (0..50_000).map(|n| n % 2).collect();
        let b: Vec<u32> = (0..50_000).map(|n| 2 + n % 3).collect();
        let found = compare(&a, &b);
        assert!(found.is_coarse);
        assert_eq!(found.stretches.len(), 1);
    }
}

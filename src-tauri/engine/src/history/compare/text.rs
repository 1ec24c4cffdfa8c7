//! Two texts line by line, as hunks with a few equal lines around. What is shown is bounded, and says what it left out.

use std::ops::Range;

use super::sequence::{self, Sequence, Stretch};
use crate::views::{Hunk, HunkLine, Pointers, TextDiff};

/// Equal lines around a change.
const AROUND: usize = 3;
/// Lines of one stretch that are shown of either side, and lines of one text in all.
const MOST_OF_STRETCH: usize = 1_000;
const MOST_LINES: usize = 6_000;
/// Characters of one line.
const LONGEST_LINE: usize = 2_000;

/// Whether lines that differ in nothing but spaces count as equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Spaces {
    #[default]
    Count,
    Ignored,
}

pub fn compare(a: &str, b: &str, at: Pointers, spaces: Spaces) -> TextDiff {
    let (a, b) = (lines(a), lines(b));
    let found = match spaces {
        Spaces::Count => {
            let (a, b) = sequence::numbered(a.iter().copied(), b.iter().copied());
            sequence::compare(&a, &b)
        }
        Spaces::Ignored => {
            let (a, b) = sequence::numbered(
                a.iter().map(|line| squeezed(line)),
                b.iter().map(|line| squeezed(line)),
            );
            sequence::compare(&a, &b)
        }
    };
    shown(&a, &b, at, &found)
}

/// A and B change places; within a change, what only A has stands first as ever.
pub(super) fn mirrored(text: TextDiff, turned: impl Fn(Pointers) -> Pointers) -> TextDiff {
    let hunks = text.hunks.into_iter().map(|hunk| {
        let mut lines: Vec<HunkLine> = Vec::with_capacity(hunk.lines.len());
        // Where lines of B, which are those of A now, begin to stand behind those of A.
        let mut change = 0;
        for line in hunk.lines {
            let line = turned_line(line);
            if line.a.is_some() && line.b.is_some() {
                lines.push(line);
                change = lines.len();
            } else if line.a.is_some() {
                lines.insert(change, line);
                change += 1;
            } else {
                lines.push(line);
            }
        }
        Hunk {
            lines,
            a_left_out: hunk.b_left_out,
            b_left_out: hunk.a_left_out,
        }
    });
    TextDiff {
        at: turned(text.at),
        hunks: hunks.collect(),
        a_lines: text.b_lines,
        b_lines: text.a_lines,
        ..text
    }
}

fn turned_line(line: HunkLine) -> HunkLine {
    let (text, other) = match line.other {
        Some(other) => (other, Some(line.text)),
        None => (line.text, None),
    };
    HunkLine {
        a: line.b,
        b: line.a,
        text,
        other,
        ..line
    }
}

/// A carriage return stays with its line: it may be all that differs. Nothing at all is no line.
fn lines(text: &str) -> Vec<&str> {
    if text.is_empty() {
        return Vec::new();
    }
    text.split('\n').collect()
}

fn squeezed(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn shown(a: &[&str], b: &[&str], at: Pointers, found: &Sequence) -> TextDiff {
    let changes = found.stretches.iter().filter(|s| !s.is_same);
    let equal = found.stretches.iter().filter(|s| s.is_same);
    let (hunks, hunks_left_off) = hunks(a, b, &found.stretches);
    TextDiff {
        at,
        hunks,
        changes: narrow(changes.count()),
        hunks_left_off,
        equal_lines: narrow(equal.map(|s| s.a.len()).sum()),
        a_lines: narrow(a.len()),
        b_lines: narrow(b.len()),
        is_coarse: found.is_coarse,
    }
}

/// Each change with what is around it; two whose surroundings meet are one hunk.
fn hunks(a: &[&str], b: &[&str], stretches: &[Stretch]) -> (Vec<Hunk>, u32) {
    let (mut made, mut left_off, mut room) = (Vec::new(), 0, MOST_LINES);
    for group in groups(stretches) {
        if room == 0 {
            left_off += 1;
            continue;
        }
        let mut hunk = Hunk {
            lines: Vec::new(),
            a_left_out: 0,
            b_left_out: 0,
        };
        let before = group.start.checked_sub(1).map(|ix| tail(&stretches[ix], AROUND));
        let after = stretches.get(group.end).map(|same| head(same, AROUND));
        let all = before.iter().chain(&stretches[group]).chain(&after);
        for stretch in all {
            match stretch.is_same {
                true => equal_lines(&mut hunk, a, b, stretch),
                false => changed_lines(&mut hunk, a, b, stretch),
            }
        }
        room = room.saturating_sub(hunk.lines.len());
        made.push(hunk);
    }
    (made, left_off)
}

/// From the first to the last change of each hunk.
fn groups(stretches: &[Stretch]) -> Vec<Range<usize>> {
    let mut groups: Vec<Range<usize>> = Vec::new();
    for (ix, _) in stretches.iter().enumerate().filter(|(_, s)| !s.is_same) {
        match groups.last_mut() {
            Some(last) if stretches[last.end].a.len() <= 2 * AROUND => last.end = ix + 1,
            Some(_) | None => groups.push(ix..ix + 1),
        }
    }
    groups
}

fn tail(same: &Stretch, most: usize) -> Stretch {
    let skip = same.a.len().saturating_sub(most);
    Stretch {
        a: same.a.start + skip..same.a.end,
        b: same.b.start + skip..same.b.end,
        is_same: true,
    }
}

fn head(same: &Stretch, most: usize) -> Stretch {
    let keep = same.a.len().min(most);
    Stretch {
        a: same.a.start..same.a.start + keep,
        b: same.b.start..same.b.start + keep,
        is_same: true,
    }
}

fn equal_lines(hunk: &mut Hunk, a: &[&str], b: &[&str], same: &Stretch) {
    for (in_a, in_b) in same.a.clone().zip(same.b.clone()) {
        let (text, left_out) = shortened(a[in_a]);
        let other = (a[in_a] != b[in_b]).then(|| shortened(b[in_b]).0);
        hunk.lines.push(HunkLine {
            a: Some(narrow(in_a + 1)),
            b: Some(narrow(in_b + 1)),
            text,
            other,
            left_out,
        });
    }
}

fn changed_lines(hunk: &mut Hunk, a: &[&str], b: &[&str], stretch: &Stretch) {
    let line = |text: &str, in_a: Option<usize>, in_b: Option<usize>| {
        let (text, left_out) = shortened(text);
        HunkLine {
            a: in_a.map(|ix| narrow(ix + 1)),
            b: in_b.map(|ix| narrow(ix + 1)),
            text,
            other: None,
            left_out,
        }
    };
    let (of_a, of_b) = (stretch.a.clone(), stretch.b.clone());
    hunk.lines
        .extend(of_a.take(MOST_OF_STRETCH).map(|ix| line(a[ix], Some(ix), None)));
    hunk.lines
        .extend(of_b.take(MOST_OF_STRETCH).map(|ix| line(b[ix], None, Some(ix))));
    hunk.a_left_out += narrow(stretch.a.len().saturating_sub(MOST_OF_STRETCH));
    hunk.b_left_out += narrow(stretch.b.len().saturating_sub(MOST_OF_STRETCH));
}

fn shortened(line: &str) -> (String, u32) {
    match line.char_indices().nth(LONGEST_LINE) {
        None => (line.to_owned(), 0),
        Some((at, _)) => (line[..at].to_owned(), narrow(line[at..].chars().count())),
    }
}

pub(super) fn narrow(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn told(a: &str, b: &str, spaces: Spaces) -> String {
        let found = compare(a, b, Pointers::default(), spaces);
        let line = |line: &HunkLine| {
            let sign = match (line.a, line.b) {
                (Some(_), Some(_)) => ' ',
                (Some(_), None) => '-',
                (None, _) => '+',
            };
            format!("{sign}{}", line.text)
        };
        let hunk = |hunk: &Hunk| hunk.lines.iter().map(line).collect::<Vec<_>>().join("\n");
        found.hunks.iter().map(hunk).collect::<Vec<_>>().join("\n…\n")
    }

    #[test]
    fn a_change_has_three_equal_lines_around_it_and_far_ones_are_apart() {
        let a = (1..=30)
            .map(|n| format!("line {n}"))
            .collect::<Vec<_>>()
            .join("\n");
        let b = a
            .replace("line 5\n", "line five\n")
            .replace("line 25", "line 25!");
        insta::assert_snapshot!(told(&a, &b, Spaces::Count), @r"
         line 2
         line 3
         line 4
        -line 5
        +line five
         line 6
         line 7
         line 8
        …
         line 22
         line 23
         line 24
        -line 25
        +line 25!
         line 26
         line 27
         line 28
        ");
    }

    #[test]
    fn near_changes_are_one_hunk() {
        let told = told("a\nb\nc\nd\ne", "A\nb\nc\nd\nE", Spaces::Count);
        assert_eq!(told, "-a\n+A\n b\n c\n d\n-e\n+E");
    }

    #[test]
    fn spaces_can_be_passed_over_and_line_ends_count() {
        assert_eq!(told("a  b\nc", "a b\nc", Spaces::Ignored), "");
        assert_eq!(told("a  b", "a b", Spaces::Count), "-a  b\n+a b");
        assert_eq!(told("a\r\nb", "a\nb", Spaces::Count), "-a\r\n+a\n b");
        assert_eq!(told("a\n", "a", Spaces::Count), " a\n-");
        assert_eq!(told("", "a", Spaces::Count), "+a");
        assert_eq!(told("", "", Spaces::Count), "");
    }

    #[test]
    fn long_stretches_and_long_lines_say_what_they_left_out() {
        let a: String = (0..5_000).map(|n| format!("a {n}\n")).collect();
        let found = compare(&a, &"x".repeat(3_000), Pointers::default(), Spaces::Count);
        assert_eq!((found.a_lines, found.b_lines, found.equal_lines), (5_001, 1, 0));
        let hunk = &found.hunks[0];
        assert_eq!(
            (hunk.a_left_out, hunk.b_left_out, hunk.lines.len()),
            (4_001, 0, 1_001)
        );
        assert_eq!(hunk.lines[1_000].left_out, 1_000);
    }

    #[test]
    fn very_many_changes_are_counted_and_not_all_shown() {
        let a: String = (0..60_000).map(|n| format!("line {n}\n")).collect();
        let b: String = (0..60_000)
            .map(|n| {
                if n % 20 == 10 {
                    format!("other {n}\n")
                } else {
                    format!("line {n}\n")
                }
            })
            .collect();
        let found = compare(&a, &b, Pointers::default(), Spaces::Count);
        assert_eq!((found.changes, found.is_coarse), (3_000, false));
        assert_eq!(found.hunks.len() + found.hunks_left_off as usize, 3_000);
        assert!(found.hunks_left_off > 0);
    }

    proptest! {
        /// What is shown, put back between what is equal, is the whole of both.
        #[test]
        fn every_line_is_told_once(a in "[ab\n ]{0,80}", b in "[ab\n ]{0,80}") {
            let found = compare(&a, &b, Pointers::default(), Spaces::Count);
            let lines = || found.hunks.iter().flat_map(|hunk| &hunk.lines);
            let (of_a, of_b) = (super::lines(&a), super::lines(&b));
            for line in lines() {
                if let Some(at) = line.a { prop_assert_eq!(&line.text, of_a[at as usize - 1]); }
                if let Some(at) = line.b { prop_assert_eq!(&line.text, of_b[at as usize - 1]); }
            }
            let only_a = lines().filter(|line| line.b.is_none()).count();
            let only_b = lines().filter(|line| line.a.is_none()).count();
            prop_assert_eq!(only_a + found.equal_lines as usize, of_a.len());
            prop_assert_eq!(only_b + found.equal_lines as usize, of_b.len());
            let numbers: Vec<u32> = lines().filter_map(|line| line.a).collect();
            prop_assert!(numbers.is_sorted() && numbers.windows(2).all(|two| two[0] != two[1]));
            prop_assert_eq!(found.changes == 0, a == b);
        }
    }
}

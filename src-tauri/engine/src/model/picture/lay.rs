//! The steps of the layout: the order inside waves, lines of wide ones, and places that keep order and distance.

use super::layout::LANE;
use super::{COLUMN, SNAP};

const SWEEPS: usize = 4;
/// Cards in one line before a wave gets several, and the fewest then.
const MOST_IN_A_LINE: usize = 4;
const LEAST_IN_A_LINE: usize = 3;

/// A card in its wave, or the place where a long edge passes it.
pub(super) struct Slot {
    /// The edge that passes; nothing: a card.
    pub link: Option<usize>,
    pub line: usize,
    pub lines: usize,
    pub across: f64,
    pub along: f64,
    pub centre: f64,
    pub up: Vec<usize>,
    pub down: Vec<usize>,
    sort: f64,
}

impl Slot {
    pub fn card(across: f64, along: f64) -> Self {
        Self {
            link: None,
            line: 0,
            lines: 1,
            across,
            along,
            centre: 0.0,
            up: Vec::new(),
            down: Vec::new(),
            sort: 0.0,
        }
    }

    pub fn lane(link: usize) -> Self {
        Self {
            link: Some(link),
            ..Self::card(LANE, 0.0)
        }
    }
}

/// Sorts each wave by the middle of its neighbours in the wave before (or after), ties as they were.
pub(super) fn order_rows(slots: &mut [Slot], rows: &mut [Vec<usize>], downwards: bool) {
    let count = rows.len();
    for step in 0..count {
        let row = &mut rows[if downwards { step } else { count - 1 - step }];
        let last = row.len().saturating_sub(1).max(1) as f64;
        for (place, &ix) in row.iter().enumerate() {
            let near = if downwards { &slots[ix].up } else { &slots[ix].down };
            let sort = mean(near.iter().map(|&n| slots[n].sort)).unwrap_or(place as f64 / last);
            slots[ix].sort = sort;
        }
        row.sort_by(|&a, &b| slots[a].sort.total_cmp(&slots[b].sort));
        let is_one = row.len() == 1;
        for (place, &ix) in row.iter().enumerate() {
            slots[ix].sort = if is_one { 0.5 } else { place as f64 / last };
        }
    }
}

/// A wave too wide to be read becomes lines of about as many cards as there are lines, taken in turn.
pub(super) fn lay_bricks(slots: &mut [Slot], row: &[usize]) {
    let cards: Vec<usize> = row
        .iter()
        .copied()
        .filter(|&ix| slots[ix].link.is_none())
        .collect();
    if cards.len() <= MOST_IN_A_LINE {
        return;
    }
    let square = (cards.len() as f64).sqrt().ceil() as usize;
    let lines = cards.len().div_ceil(square.max(LEAST_IN_A_LINE));
    for (place, &ix) in cards.iter().enumerate() {
        slots[ix].lines = lines;
        slots[ix].line = place % lines;
    }
}

pub(super) fn place_rows(slots: &mut [Slot], rows: &[Vec<usize>]) {
    for row in rows {
        let wishes = vec![0.0; row.len()];
        spread(slots, row, &wishes);
    }
    for _ in 0..SWEEPS {
        for row in rows {
            let wishes = wishes(slots, row, |slot| (&slot.up, &[]));
            spread(slots, row, &wishes);
        }
        for row in rows.iter().rev() {
            let wishes = wishes(slots, row, |slot| (&slot.down, &[]));
            spread(slots, row, &wishes);
        }
    }
    for row in rows {
        let wishes = wishes(slots, row, |slot| (&slot.up, &slot.down));
        spread(slots, row, &wishes);
        gather(slots, row);
    }
}

fn wishes(slots: &[Slot], row: &[usize], near: impl Fn(&Slot) -> (&[usize], &[usize])) -> Vec<f64> {
    let wish = |&ix: &usize| {
        let (some, more) = near(&slots[ix]);
        let centres = some.iter().chain(more).map(|&n| slots[n].centre);
        mean(centres).unwrap_or(slots[ix].centre)
    };
    row.iter().map(wish).collect()
}

/// Cards without any edge stand beside the others of their wave.
fn gather(slots: &mut [Slot], row: &[usize]) {
    let is_alone = |slot: &Slot| slot.up.is_empty() && slot.down.is_empty();
    let first = row.iter().position(|&ix| !is_alone(&slots[ix]));
    for place in first.unwrap_or(0) + 1..row.len() {
        let (before, ix) = (row[place - 1], row[place]);
        if is_alone(&slots[ix]) {
            slots[ix].centre = slots[before].centre + distance(&slots[before], &slots[ix]);
        }
    }
    for place in (0..first.unwrap_or(0)).rev() {
        let (ix, after) = (row[place], row[place + 1]);
        slots[ix].centre = slots[after].centre - distance(&slots[ix], &slots[after]);
    }
}

fn distance(a: &Slot, b: &Slot) -> f64 {
    if a.lines > 1 && b.lines > 1 {
        return (a.across.max(b.across) + COLUMN) / a.lines as f64;
    }
    f64::midpoint(a.across, b.across) + COLUMN
}

/// A run of neighbours that stand as close as they may.
struct Block {
    sum: f64,
    weight: f64,
    from: usize,
    to: usize,
}

impl Block {
    fn at(&self) -> f64 {
        self.sum / self.weight
    }
}

/// The least squares nearest places to the wished ones that keep order and distance (pool adjacent violators).
fn spread(slots: &mut [Slot], row: &[usize], wishes: &[f64]) {
    let mut offsets = Vec::with_capacity(row.len());
    let mut offset = 0.0;
    for (place, &ix) in row.iter().enumerate() {
        if place > 0 {
            offset += distance(&slots[row[place - 1]], &slots[ix]);
        }
        offsets.push(offset);
    }
    let mut blocks: Vec<Block> = Vec::new();
    for (place, &ix) in row.iter().enumerate() {
        let weight = if slots[ix].link.is_some() { 3.0 } else { 1.0 };
        let mut block = Block {
            sum: (wishes[place] - offsets[place]) * weight,
            weight,
            from: place,
            to: place,
        };
        while let Some(before) = blocks.pop_if(|before| before.at() > block.at()) {
            block = Block {
                sum: before.sum + block.sum,
                weight: before.weight + block.weight,
                from: before.from,
                to: block.to,
            };
        }
        blocks.push(block);
    }
    for block in &blocks {
        for place in block.from..=block.to {
            // Rounded far below what can be seen, so that equal layouts are equal on every machine.
            slots[row[place]].centre = ((block.at() + offsets[place]) * SNAP).round() / SNAP;
        }
    }
}

fn mean(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = numbers.fold((0.0, 0_u32), |(sum, count), n| (sum + n, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

//! Where cards lie when nobody has moved them, as on the canvas: waves from top to bottom, parents over children; a wide
//! wave is laid like bricks. Linear but for the sorting inside a wave. It must not know what cards say.

use super::lay::{Slot, lay_bricks, order_rows, place_rows};
use super::{COLUMN, HEIGHT, LINE, Link, Rect, SNAP, WAVE, WIDTH};

/// Room that an edge takes in a wave that it passes.
pub(super) const LANE: f64 = 24.0;
const SWEEPS: usize = 4;
const MOST_LANES_PER_TASK: usize = 4;

pub(super) struct Layout {
    pub places: Vec<Rect>,
    /// For a link that passes other waves: the x of its long part.
    pub lanes: Vec<Option<f64>>,
}

/// Cards of these heights, with these links, in the order of the plan.
pub(super) fn lay_out(heights: &[f64], links: &[Link]) -> Layout {
    let waves = waves_of(heights.len(), links);
    let (mut slots, mut rows) = slots_of(heights, links, &waves);
    for sweep in 0..SWEEPS {
        order_rows(&mut slots, &mut rows, sweep % 2 == 0);
    }
    for row in &rows {
        lay_bricks(&mut slots, row);
    }
    place_rows(&mut slots, &rows);
    read(&slots, &rows, heights.len(), links.len())
}

/// Kahn's algorithm. Where only loops are left, the first task in order is let through, so that all get a wave.
fn waves_of(count: usize, links: &[Link]) -> Vec<u32> {
    let mut open = vec![0_u32; count];
    let mut children = vec![Vec::new(); count];
    for link in links.iter().filter(|link| link.from != link.to) {
        open[link.to] += 1;
        children[link.from].push(link.to);
    }
    let mut waves = vec![0_u32; count];
    let mut least = vec![1_u32; count];
    let mut queue: Vec<usize> = (0..count).filter(|&task| open[task] == 0).collect();
    let (mut next, mut forced) = (0, 0);
    loop {
        while next >= queue.len() {
            if forced == count {
                return waves;
            }
            if waves[forced] == 0 {
                queue.push(forced);
            }
            forced += 1;
        }
        let task = queue[next];
        next += 1;
        if waves[task] > 0 {
            continue;
        }
        waves[task] = least[task];
        for &child in children[task].iter().filter(|&&child| waves[child] == 0) {
            least[child] = least[child].max(waves[task] + 1);
            open[child] = open[child].saturating_sub(1);
            if open[child] == 0 {
                queue.push(child);
            }
        }
    }
}

/// One slot for each card, and one for each wave that a long edge passes.
fn slots_of(heights: &[f64], links: &[Link], waves: &[u32]) -> (Vec<Slot>, Vec<Vec<usize>>) {
    let count = waves.iter().max().map_or(0, |&most| most as usize);
    let mut rows: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut slots: Vec<Slot> = Vec::with_capacity(heights.len());
    for (task, &height) in heights.iter().enumerate() {
        rows[waves[task] as usize - 1].push(task);
        slots.push(Slot::card(WIDTH, height));
    }
    let mut left = heights.len() * MOST_LANES_PER_TASK;
    for (number, link) in links.iter().enumerate() {
        let (from, to) = (waves[link.from], waves[link.to]);
        if from >= to || (to - from - 1) as usize > left {
            continue;
        }
        left -= (to - from - 1) as usize;
        let mut above = link.from;
        for wave in from + 1..to {
            let lane = slots.len();
            slots.push(Slot::lane(number));
            rows[wave as usize - 1].push(lane);
            join(&mut slots, above, lane);
            above = lane;
        }
        join(&mut slots, above, link.to);
    }
    (slots, rows)
}

fn join(slots: &mut [Slot], above: usize, below: usize) {
    slots[above].down.push(below);
    slots[below].up.push(above);
}

fn read(slots: &[Slot], rows: &[Vec<usize>], cards: usize, links: usize) -> Layout {
    let mut places = vec![Rect::default(); cards];
    let mut passed: Vec<Vec<f64>> = vec![Vec::new(); links];
    // The plan's first task always lies at 0.
    let shift = slots
        .first()
        .map_or(0.0, |first| first.across / 2.0 - first.centre);
    let mut top = 0.0;
    for row in rows {
        let lines = row.iter().map(|&ix| slots[ix].lines).max().unwrap_or(1);
        let tops = line_tops(slots, row, lines);
        let mut least = vec![f64::NEG_INFINITY; lines];
        for &ix in row {
            let slot = &slots[ix];
            let wish = ((slot.centre + shift - slot.across / 2.0) / SNAP).round() * SNAP;
            let x = wish.max(least[slot.line]);
            least[slot.line] = x + slot.across + COLUMN;
            match slot.link {
                None => {
                    places[ix] = Rect {
                        x,
                        y: top + tops[slot.line],
                        width: WIDTH,
                        height: slot.along,
                    }
                }
                Some(link) => passed[link].push(x + LANE / 2.0),
            }
        }
        top += tops[lines] + (WAVE - HEIGHT) - (LINE - HEIGHT);
    }
    let middle = |mut xs: Vec<f64>| {
        xs.sort_by(f64::total_cmp);
        xs.get(xs.len() / 2).copied()
    };
    Layout {
        places,
        lanes: passed.into_iter().map(middle).collect(),
    }
}

/// Where each line of a wave begins, and after the last one where the next would.
fn line_tops(slots: &[Slot], row: &[usize], lines: usize) -> Vec<f64> {
    let mut heights = vec![HEIGHT; lines];
    for slot in row.iter().map(|&ix| &slots[ix]) {
        heights[slot.line] = heights[slot.line].max(slot.along);
    }
    let mut tops = vec![0.0];
    for height in heights {
        let last = tops.last().copied().unwrap_or_default();
        tops.push(last + height + (LINE - HEIGHT));
    }
    tops
}

//! Where the cards are: where a person put them, else where the layout lays them, clear of those that were put.

use std::collections::HashMap;

use super::layout::{Layout, lay_out};
use super::{COLUMN, HEIGHT, Picture, Rect, SNAP, WIDTH};

const MOST_STEPS: usize = 200;

/// The layout of the picture with the places that its cards have at last.
pub(super) fn place(picture: &Picture) -> Layout {
    let heights: Vec<f64> = picture.cards.iter().map(super::Card::height).collect();
    let mut layout = lay_out(&heights, &picture.links);
    let mut cells = Cells::default();
    let mut is_moved = false;
    for (card, place) in picture.cards.iter().zip(&mut layout.places) {
        if let Some(at) = card.position {
            (place.x, place.y) = (f64::from(at.x), f64::from(at.y));
            cells.add(*place);
            is_moved = true;
        }
    }
    if is_moved {
        layout.lanes.fill(None);
        for (card, place) in picture.cards.iter().zip(&mut layout.places) {
            if card.position.is_none() {
                *place = cells.next_free(*place);
            }
        }
    }
    layout
}

/// Cards by coarse cells, so that asking for a free place looks at a handful of them.
#[derive(Default)]
struct Cells(HashMap<(i64, i64), Vec<Rect>>);

impl Cells {
    fn add(&mut self, at: Rect) {
        let lines = (at.height / HEIGHT).ceil() as i64;
        let (x, y) = cell_of(at);
        for line in 0..lines {
            self.0.entry((x, y + line)).or_default().push(at);
        }
    }

    fn next_free(&mut self, wish: Rect) -> Rect {
        let mut at = wish;
        for _ in 0..MOST_STEPS {
            let Some(hit) = self.hit(at) else { break };
            at.x = ((hit.right() + COLUMN) / SNAP).ceil() * SNAP;
        }
        self.add(at);
        at
    }

    fn hit(&self, at: Rect) -> Option<Rect> {
        let (x, y) = cell_of(at);
        let lines = (at.height / HEIGHT).ceil() as i64;
        let near = (-1..=1).flat_map(|dx| (-1..=lines).map(move |dy| (x + dx, y + dy)));
        let mut cards = near.filter_map(|cell| self.0.get(&cell)).flatten();
        let lies_on =
            |other: &&Rect| (other.x - at.x).abs() < WIDTH && other.y < at.bottom() && at.y < other.bottom();
        cards.find(lies_on).copied()
    }
}

fn cell_of(at: Rect) -> (i64, i64) {
    ((at.x / WIDTH).floor() as i64, (at.y / HEIGHT).floor() as i64)
}

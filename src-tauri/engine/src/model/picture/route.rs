//! The course of an edge, as on the canvas: right angles, a shared bus just above the child, long parts beside the cards.
//! Geometry; it must not know states.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::{BUS, HEIGHT, Rect};

const RADIUS: f64 = 8.0;
/// The arrow's tip touches the ring of the in-port.
const RING: f64 = 5.0;
const ARROW: (f64, f64) = (7.0, 4.5);
const CLEAR: f64 = 12.0;
/// Cards that one edge is led around.
const MOST_OBSTACLES: usize = 48;
/// Lines that one edge looks at: beyond that it goes its way.
const MOST_LINES: i64 = 400;

type Point = (f64, f64);

/// The path of the line, and that of its arrow.
pub(super) struct Route {
    pub path: String,
    pub arrow: String,
}

/// All cards by the lines that they stand in, so that an edge looks only at those that it passes.
pub(super) struct Obstacles(HashMap<i64, Vec<Rect>>);

impl Obstacles {
    pub fn of(places: &[Rect]) -> Self {
        let mut lines: HashMap<i64, Vec<Rect>> = HashMap::new();
        for place in places {
            for line in line_of(place.y)..=line_of(place.bottom()) {
                lines.entry(line).or_default().push(*place);
            }
        }
        for line in lines.values_mut() {
            line.sort_by(|a, b| a.x.total_cmp(&b.x));
        }
        Self(lines)
    }

    /// Those between two heights that are near `from` and `to`.
    fn between(&self, (top, bottom): (f64, f64), (from, to): (f64, f64)) -> Vec<Rect> {
        let (first, last) = (line_of(top), line_of(bottom));
        let (left, right) = (from.min(to) - 480.0, from.max(to) + 480.0);
        let mut found: Vec<Rect> = Vec::new();
        for line in first..=last.min(first + MOST_LINES) {
            let Some(cards) = self.0.get(&line) else { continue };
            let begin = cards.partition_point(|card| card.right() < left);
            for card in cards[begin..].iter().take_while(|card| card.x < right) {
                let is_between = card.y < bottom && card.bottom() > top;
                if is_between && !found.contains(card) {
                    found.push(*card);
                }
                if found.len() == MOST_OBSTACLES {
                    return found;
                }
            }
        }
        found
    }
}

fn line_of(y: f64) -> i64 {
    (y / HEIGHT).floor() as i64
}

pub(super) fn route(from: Rect, to: Rect, around: &Obstacles, lane: Option<f64>) -> Route {
    let points = if to.y - from.bottom() >= BUS {
        forward(from, to, around, lane)
    } else {
        back(from, to)
    };
    drawn(&points)
}

fn forward(from: Rect, to: Rect, around: &Obstacles, lane: Option<f64>) -> Vec<Point> {
    let (start, end) = ((from.middle(), from.bottom()), (to.middle(), to.y));
    let bus = end.1 - BUS;
    let leave = (start.1 + BUS).min(bus);
    let x = if bus - leave < CLEAR {
        start.0
    } else {
        best_lane((start.0, end.0), (leave, bus), around, lane)
    };
    vec![start, (start.0, leave), (x, leave), (x, bus), (end.0, bus), end]
}

/// The x at which the long part runs: through no card, then the fewest bends, then the shortest way.
fn best_lane((start, end): (f64, f64), span: (f64, f64), around: &Obstacles, lane: Option<f64>) -> f64 {
    let between = around.between(span, (start, end));
    let beside = between
        .iter()
        .flat_map(|card| [card.x - CLEAR, card.right() + CLEAR]);
    let choices = [start, end].into_iter().chain(lane).chain(beside);
    let cost = |x: f64| {
        let hit = |card: &&Rect| x > card.x - CLEAR / 2.0 && x < card.right() + CLEAR / 2.0;
        let hits = between.iter().filter(hit).count() as f64;
        let bends = if x == start || x == end { 0.0 } else { 60.0 };
        let own = if Some(x) == lane { -40.0 } else { 0.0 };
        hits * 100_000.0 + bends + own + (x - start).abs() + (x - end).abs()
    };
    let best = choices.map(|x| (cost(x), x)).min_by(|a, b| a.0.total_cmp(&b.0));
    best.map_or(start, |(_, x)| x)
}

/// Upwards: out of the right side and up past both, down into the child's top.
fn back(from: Rect, to: Rect) -> Vec<Point> {
    let start = (from.right(), from.y + from.height / 2.0);
    let aside = if from == to { 0.0 } else { 40.0 };
    let end = (to.middle() + aside, to.y);
    let right = start.0.max(to.right()) + 18.0;
    vec![
        start,
        (right, start.1),
        (right, end.1 - BUS),
        (end.0, end.1 - BUS),
        end,
    ]
}

fn drawn(raw: &[Point]) -> Route {
    let mut points = simplified(raw);
    let Some(end) = points.pop() else {
        return Route {
            path: String::new(),
            arrow: String::new(),
        };
    };
    let tip = end.1 - RING;
    let (length, half) = ARROW;
    points.push((end.0, tip - length + 1.0));
    Route {
        path: rounded(&points),
        arrow: format!(
            "M{} {}L{} {}L{} {}Z",
            n(end.0 - half),
            n(tip - length),
            n(end.0),
            n(tip),
            n(end.0 + half),
            n(tip - length)
        ),
    }
}

/// Without points that lie on a straight line or on each other.
fn simplified(raw: &[Point]) -> Vec<Point> {
    let mut kept: Vec<Point> = Vec::new();
    for &point in raw {
        if kept.last() == Some(&point) {
            continue;
        }
        if let [.., a, b] = kept[..]
            && ((a.0 == b.0 && b.0 == point.0) || (a.1 == b.1 && b.1 == point.1))
        {
            kept.pop();
        }
        kept.push(point);
    }
    kept
}

fn rounded(points: &[Point]) -> String {
    let mut path = String::new();
    let Some((first, rest)) = points.split_first() else {
        return path;
    };
    // Writing into a text does not fail.
    let _ = write!(path, "M{} {}", n(first.0), n(first.1));
    for three in points.windows(3) {
        let (a, b, c) = (three[0], three[1], three[2]);
        let radius = RADIUS.min(length(a, b) / 2.0).min(length(b, c) / 2.0);
        let (before, after) = (towards(b, a, radius), towards(b, c, radius));
        let _ = write!(
            path,
            "L{} {}Q{} {} {} {}",
            n(before.0),
            n(before.1),
            n(b.0),
            n(b.1),
            n(after.0),
            n(after.1)
        );
    }
    if let Some(last) = rest.last() {
        let _ = write!(path, "L{} {}", n(last.0), n(last.1));
    }
    path
}

fn length(a: Point, b: Point) -> f64 {
    (a.0 - b.0).abs() + (a.1 - b.1).abs()
}

fn towards(from: Point, to: Point, by: f64) -> Point {
    let whole = length(from, to).max(f64::MIN_POSITIVE);
    (
        from.0 + (to.0 - from.0) * by / whole,
        from.1 + (to.1 - from.1) * by / whole,
    )
}

/// A number in as few letters as say it to a hundredth.
pub(super) fn n(number: f64) -> String {
    let rounded = (number * 100.0).round() / 100.0;
    // No negative nought.
    format!("{}", if rounded == 0.0 { 0.0 } else { rounded })
}

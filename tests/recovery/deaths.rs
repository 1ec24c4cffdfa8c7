//! Death exactly before and after each commit, acknowledgement, call and report, at points that debug builds know by
//! name: better than chance, since none is left out.

use std::time::Duration;

use crate::books::Books;
use crate::dice::{Dice, number, seed};

const POINTS: [&str; 8] = [
    "claim",
    "claimed",
    "commit",
    "committed",
    "answered",
    "intent",
    "dispatch",
    "report",
];

#[test]
fn death_at_every_point_loses_nothing_and_repeats_no_effect() {
    if !cfg!(debug_assertions) {
        println!("left out: a release build knows no points to die at");
        return;
    }
    let seed = seed();
    // All of them in the long campaign; every seventh otherwise, another one with each seed.
    let stride = if number("PLANLOOM_KILLS").unwrap_or(0) >= 500 {
        1
    } else {
        7
    };
    let mut deaths = 0;
    for (at, point) in POINTS.iter().enumerate() {
        let mut nth = 1 + (seed + at as u64) % stride;
        while dies_at(point, nth, seed) {
            deaths += 1;
            nth += stride;
        }
    }
    println!("{deaths} deaths, seed {seed}");
    assert!(deaths >= 10, "the points are there: {deaths}");
}

/// False: the run was over, or asked something, before it came to the point.
fn dies_at(point: &str, nth: u64, waves: u32, seed: u64) -> bool {
    let books = Books::open(waves, Duration::from_millis(1), seed);
    let args = books.next();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let at = format!("{point}:{nth}");
    let mut child = books
        .desk
        .start_with(&args, &books.lines(), &[("PLANLOOM_DIE_AT", &at)]);
    let status = child.wait().unwrap();
    let has_died = status.code().is_none();
    if let Some(run) = books.desk.newest() {
        books.check(&run);
    }
    books.finish();
    has_died
}

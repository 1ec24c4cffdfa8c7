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
    // All of them in the long campaign; one of each kind otherwise, another one with each seed.
    let is_long = number("PLANLOOM_KILLS").unwrap_or(0) >= 500;
    let mut dice = Dice::new(seed);
    let mut deaths = 0;
    for point in POINTS {
        if !is_long {
            // A run of one wave passes each of these often enough, but claims its run once.
            let most = if point.starts_with("claim") { 1 } else { 4 };
            deaths += u32::from(dies_at(point, 1 + dice.below(most), 1, seed));
            continue;
        }
        for nth in 1.. {
            if !dies_at(point, nth, 2, seed) {
                break;
            }
            deaths += 1;
        }
    }
    println!("{deaths} deaths, seed {seed}");
    assert!(
        deaths as usize >= POINTS.len() - 1,
        "the points are there: {deaths}"
    );
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
    if let Some(run) = books.run() {
        books.check(&run);
    }
    books.finish();
    has_died
}

//! kill -9 at random moments of runs with side effects, with a pause now and then, until each run is done.

use std::time::Duration;

use crate::books::{Books, Step};
use crate::dice::{Dice, number, seed};

#[test]
fn random_kills_lose_nothing_and_repeat_no_effect() {
    let wanted = number("PLANLOOM_KILLS").unwrap_or(60);
    let seed = seed();
    let mut dice = Dice::new(seed);
    let (mut kills, mut doubts, mut runs) = (0, 0, 0);
    while kills < wanted {
        let (k, d) = one_run(&mut dice, seed);
        (kills, doubts, runs) = (kills + k, doubts + u64::from(d), runs + 1);
    }
    println!("{kills} kills in {runs} runs, {doubts} effects in doubt, seed {seed}");
}

/// Kills in one run, so that its end is seen too.
const MOST: u64 = 24;

fn one_run(dice: &mut Dice, seed: u64) -> (u64, u32) {
    let books = Books::open(5, Duration::from_millis(dice.below(12)), seed);
    let (mut kills, mut doubts) = (0, 0);
    while kills < MOST {
        let args = books.next();
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let mut child = books.desk.start(&args, &books.lines());
        std::thread::sleep(Duration::from_micros(dice.below(160_000)));
        if dice.below(8) == 0
            && let Some(run) = books.run()
        {
            // It may be over already; then it is told so.
            books.desk.say(&["pause", &run]);
        } else if child.try_wait().unwrap().is_none() {
            child.kill().unwrap();
            kills += 1;
        }
        child.wait().unwrap();
        let Some(run) = books.run() else { continue };
        let shown = books.check(&run);
        match books.settle(&run, &shown) {
            Step::Done => return (kills, doubts),
            Step::Settled(n) => doubts += n,
            Step::GoOn => {}
        }
    }
    (kills, doubts + books.finish())
}

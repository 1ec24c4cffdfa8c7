//! Readers of foreign bytes against bytes that were made to break them. Seeds are replayed and some thousand mutants
//! tried; `PLANLOOM_FUZZ_SECONDS=n` tries on for so long, each target. A failing input is kept, and its path printed;
//! put into `corpus/TARGET` it is tried ever after. A nightly compiler does better: see `scripts/fuzz`.

mod mutant;
mod seeds;
mod targets;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use mutant::{Dice, mutant};
use targets::{Target, target};

/// So many without a time.
const MUTANTS: u64 = 2_000;
/// No input of this size is worth more.
const SLOW: Duration = Duration::from_secs(20);

fn seconds() -> Option<Duration> {
    let seconds = std::env::var("PLANLOOM_FUZZ_SECONDS").ok()?;
    Some(Duration::from_secs(seconds.parse().expect("a number of seconds")))
}

fn fuzz(name: &str) {
    let target = target(name);
    let seeds = seeds::seeds(name, target.seeds);
    assert!(seeds.len() > 3, "{name} has {} seeds", seeds.len());
    for (path, bytes) in &seeds {
        try_one(target, &path.display().to_string(), bytes);
    }
    let seeds: Vec<Vec<u8>> = seeds.into_iter().map(|(_, bytes)| bytes).collect();
    let (started, limit) = (Instant::now(), seconds());
    let goes_on = |number: u64| limit.map_or(number < MUTANTS, |limit| started.elapsed() < limit);
    let mut number = 0;
    while goes_on(number) {
        let bytes = mutant(&seeds, &mut Dice::new(number));
        if limit.is_some() {
            // What takes the whole process down can't be told afterwards.
            keep(name, "under-way", &bytes);
        }
        try_one(target, &format!("mutant {number}"), &bytes);
        number += 1;
    }
    println!(
        "{name}: {} seeds and {number} mutants in {:?}",
        seeds.len(),
        started.elapsed()
    );
}

fn try_one(target: &Target, what: &str, bytes: &[u8]) {
    let started = Instant::now();
    let tried = catch_unwind(AssertUnwindSafe(|| (target.try_it)(bytes)));
    let took = started.elapsed();
    if tried.is_err() || took > SLOW {
        let kept = keep(target.name, "found", bytes);
        panic!(
            "{}: {what} broke it or took {took:?}; kept as {}",
            target.name,
            kept.display()
        );
    }
}

fn keep(target: &str, what: &str, bytes: &[u8]) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("fuzz-{target}.{what}"));
    std::fs::write(&path, bytes).expect("the folder for temporary files can be written");
    path
}

#[test]
fn streams_of_events() {
    fuzz("sse");
}

#[test]
fn lines_of_json() {
    fuzz("ndjson");
}

#[test]
fn plans() {
    fuzz("plan");
}

#[test]
fn arguments_of_calls() {
    fuzz("arguments");
}

#[test]
fn schemas() {
    fuzz("schema");
}

#[test]
fn hosts_and_their_grants() {
    fuzz("hosts");
}

#[test]
fn paths_and_their_grants() {
    fuzz("paths");
}

#[test]
fn secrets_in_texts() {
    fuzz("secrets");
}

#[test]
fn web_pages() {
    fuzz("html");
}

#[test]
fn pdfs() {
    fuzz("pdf");
}

#[test]
fn workbooks() {
    fuzz("sheet");
}

#[test]
fn the_same_number_gives_the_same_mutant() {
    let seeds = vec![b"data: {\"index\": 17}\n\n".to_vec(), b"other".to_vec()];
    let all: Vec<Vec<u8>> = (0..500)
        .map(|number| mutant(&seeds, &mut Dice::new(number)))
        .collect();
    let again = (0..500).map(|number| mutant(&seeds, &mut Dice::new(number)));
    assert!(all.iter().cloned().eq(again));
    let different: std::collections::HashSet<_> = all.into_iter().collect();
    assert!(different.len() > 300, "{}", different.len());
}

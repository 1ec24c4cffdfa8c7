//! The target `ndjson` under libFuzzer. It must not know more of it.
#![no_main]

#[path = "../targets.rs"]
#[expect(dead_code, reason = "each program has one target of all")]
mod targets;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| targets::ndjson(bytes));

//! The target `html` under libFuzzer. It must not know more of it.
#![no_main]

#[path = "../targets/mod.rs"]
mod targets;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| (targets::target("html").try_it)(bytes));

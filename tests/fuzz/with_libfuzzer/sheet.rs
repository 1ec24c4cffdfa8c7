//! The target `sheet` under libFuzzer. It must not know more of it.
#![no_main]

#[path = "../targets/mod.rs"]
mod targets;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| (targets::target("sheet").try_it)(bytes));

//! What is fuzzed: for each target a function that takes any bytes and panics when a promise is broken. It must not know
//! who makes up the bytes: a test does on any compiler, libFuzzer on a nightly one.

mod documents;
mod hosts;
mod paths;
mod readers;
mod secrets;
mod wires;

/// A target and the names of the files that are its seeds, by their ends; what lies in its corpus always is one.
pub struct Target {
    pub name: &'static str,
    pub try_it: fn(&[u8]),
    pub seeds: &'static [&'static str],
}

pub const TARGETS: [Target; 11] = [
    Target {
        name: "sse",
        try_it: wires::sse,
        seeds: &[".sse", ".sse.txt"],
    },
    Target {
        name: "ndjson",
        try_it: wires::ndjson,
        seeds: &[".ndjson"],
    },
    Target {
        name: "plan",
        try_it: documents::plan,
        seeds: &[".plan.json"],
    },
    Target {
        name: "arguments",
        try_it: documents::arguments,
        seeds: &[".json", ".args"],
    },
    Target {
        name: "schema",
        try_it: documents::schema,
        seeds: &[".schema.json", ".request.json", ".plan.json"],
    },
    Target {
        name: "hosts",
        try_it: hosts::hosts,
        seeds: &[],
    },
    Target {
        name: "paths",
        try_it: paths::paths,
        seeds: &[],
    },
    Target {
        name: "secrets",
        try_it: secrets::secrets,
        seeds: &[],
    },
    Target {
        name: "html",
        try_it: readers::html,
        seeds: &[".html"],
    },
    Target {
        name: "pdf",
        try_it: readers::pdf,
        seeds: &[],
    },
    Target {
        name: "sheet",
        try_it: readers::sheet,
        seeds: &[],
    },
];

/// The one of this name.
pub fn target(name: &str) -> &'static Target {
    TARGETS
        .iter()
        .find(|target| target.name == name)
        .expect("it is a target")
}

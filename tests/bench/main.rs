//! `make bench`: the gates of the engine, each beside its bound, all from one run on this machine.
//! Counts and ratios are compared; times only tell the story.

mod disk;
mod fill;
mod gate;
mod latency;
mod memory;
mod models;
mod past;
mod plans;
mod servers;
mod table;
mod validation;

use std::process::ExitCode;

use planloom_engine::tools::worker;
use table::Table;

type Measure = fn(&mut Table);

/// All of them, or those that are named: `bench code memory`.
const MEASURES: [(&str, Measure); 15] = [
    ("fan", disk::fan),
    ("chain", disk::chain),
    ("code", disk::chain_of_code),
    ("makespans", latency::makespans),
    ("resume", disk::resume),
    ("state_at", past::state_at),
    ("fork", past::fork),
    ("map", past::map),
    ("memory", memory::peak),
    ("validation", validation::ten_thousand),
    ("gate", gate::per_call),
    ("turns", models::turns),
    ("streams", models::streams),
    ("bill", models::bill),
    ("servers", servers::calls),
];

fn main() -> ExitCode {
    // Code is run by another process of this program, as in the others.
    if std::env::args().nth(1).as_deref() == Some(worker::WORD) {
        return worker::serve();
    }
    // The memory gate measures a process of its own.
    if std::env::args().nth(1).as_deref() == Some("memory-of") {
        memory::child();
        return ExitCode::SUCCESS;
    }
    // So does the server that plays a model.
    if std::env::args().nth(1).as_deref() == Some("serve-model") {
        models::child();
        return ExitCode::SUCCESS;
    }
    if std::env::args().nth(1).as_deref() == Some("serve-mcp") {
        servers::child();
        return ExitCode::SUCCESS;
    }
    let asked: Vec<String> = std::env::args().skip(1).collect();
    let mut table = Table::default();
    for (name, measure) in MEASURES {
        if asked.is_empty() || asked.iter().any(|word| word == name) {
            measure(&mut table);
        }
    }
    table.print();
    if table.is_all_well() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

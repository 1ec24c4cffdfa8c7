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
    let mut table = Table::default();
    disk::fan(&mut table);
    disk::chain(&mut table);
    disk::chain_of_code(&mut table);
    latency::makespans(&mut table);
    disk::resume(&mut table);
    past::state_at(&mut table);
    past::fork(&mut table);
    past::map(&mut table);
    memory::peak(&mut table);
    validation::ten_thousand(&mut table);
    gate::per_call(&mut table);
    models::turns(&mut table);
    models::streams(&mut table);
    models::bill(&mut table);
    servers::calls(&mut table);
    table.print();
    if table.is_all_well() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

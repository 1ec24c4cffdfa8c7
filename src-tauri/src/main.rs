//! The program `planloom-desktop`: the built page, and a start. All else is in the library, which the page's changes do not touch.
#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

use std::process::ExitCode;

use planloom_engine::tools::worker;

fn main() -> ExitCode {
    // Before anything of the window is touched.
    if std::env::args().nth(1).as_deref() == Some(worker::WORD) {
        return worker::serve();
    }
    std::process::exit(planloom_desktop::start(tauri::generate_context!()));
}

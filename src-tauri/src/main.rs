//! The program `planloom-desktop`: the built page, and a start. All else is in the library, which the page's changes do not touch.
#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

fn main() {
    std::process::exit(planloom_desktop::start(tauri::generate_context!()));
}

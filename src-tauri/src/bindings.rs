//! The one list of commands: what the window may ask, and the TypeScript that asks it.

use tauri_specta::{Builder, collect_commands};

use crate::commands::{drafts, home, runs, window};

pub fn builder() -> Builder<tauri::Wry> {
    Builder::new().disable_serde_phases().commands(collect_commands![
        home::home,
        home::list_runs,
        home::list_tools,
        home::open_plan,
        home::new_plan,
        home::choose_plan_file,
        home::choose_save_file,
        drafts::draft,
        drafts::draft_from_run,
        drafts::edit_draft,
        drafts::undo_draft,
        drafts::redo_draft,
        drafts::connect_verdicts,
        drafts::save_plan,
        runs::approval,
        runs::approve,
        runs::resume_run,
        runs::pause_run,
        runs::cancel_run,
        runs::inbox,
        runs::decide,
        runs::task_detail,
        runs::watch_run,
        runs::unwatch,
        window::load_settings,
        window::save_setting,
        window::report_first_paint,
        window::environment,
        window::use_safe_renderer,
    ])
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use specta_typescript::Typescript;

    use super::*;

    const HEADER: &str = "// Generated from the commands of the shell by `cargo test -p planloom-desktop`. Not to be edited.\n";

    /// Writes the bindings, and fails once when they were not current.
    #[test]
    fn typescript_bindings_are_current() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ui/src/ipc/bindings.ts");
        let before = std::fs::read_to_string(&path).unwrap_or_default();
        builder()
            .export(Typescript::default().header(HEADER), &path)
            .expect("the types can be written as TypeScript");
        let after = std::fs::read_to_string(&path).expect("it was just written");
        assert!(
            before == after,
            "ui/src/ipc/bindings.ts was not current and has been written anew: commit it"
        );
    }
}

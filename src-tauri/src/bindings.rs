//! The one list of commands: what the window may ask, and the TypeScript that asks it.

use serde::{Deserialize, Serialize};
use tauri_specta::{Builder, Event, collect_commands, collect_events};

use crate::commands::{
    approval, compare, drafts, exporting, finding, home, models, planning, proposals, replans, review,
    revisions, runs, servers, storage, window,
};

/// Somebody has started Planloom a second time, with this plan file.
#[derive(Clone, Debug, Serialize, Deserialize, specta::Type, Event)]
pub struct PlanNamed {
    pub path: String,
}

/// A person has clicked on a notification of this run.
#[derive(Clone, Debug, Serialize, Deserialize, specta::Type, Event)]
pub struct RunNamed {
    pub run: String,
    /// The decision that it is about, where it is about one.
    pub decision: Option<String>,
}

#[expect(clippy::too_many_lines, reason = "one list of all commands")]
pub fn builder() -> Builder<tauri::Wry> {
    Builder::new()
        .disable_serde_phases()
        .events(collect_events![PlanNamed, RunNamed])
        .commands(collect_commands![
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
            revisions::revisions,
            revisions::name_revision,
            revisions::draft_at,
            revisions::diff,
            revisions::restore_revision,
            revisions::hold,
            revisions::held_output,
            revisions::break_at,
            revisions::last_output,
            revisions::try_task,
            planning::open_goal,
            planning::plan_on,
            planning::leave_planning,
            planning::planning,
            planning::watch_planning,
            planning::choose_attachments,
            approval::estimate,
            approval::dry_run,
            approval::approval,
            approval::weigh_choices,
            approval::approve,
            proposals::ask_change,
            proposals::change_on,
            proposals::stop_change,
            proposals::proposal,
            proposals::take_pieces,
            proposals::drop_pieces,
            runs::resume_run,
            runs::pause_run,
            runs::cancel_run,
            runs::inbox,
            runs::decide,
            replans::replans,
            replans::replan,
            replans::preview_replan,
            replans::check_answer,
            runs::task_detail,
            runs::watch_run,
            runs::watch_words,
            runs::unwatch,
            review::timeline,
            review::moment,
            review::plan_at,
            review::rewind_preview,
            review::fork_preview,
            review::rerun_preview,
            review::rewind_run,
            review::fork_run,
            review::rerun_from,
            compare::compare_runs,
            compare::compare_outputs,
            compare::run_family,
            exporting::choose_export_file,
            exporting::export_run,
            models::models,
            models::find_models,
            models::test_model,
            models::keep_key,
            models::forget_key,
            models::choose_role,
            servers::servers,
            servers::check_server,
            servers::add_server,
            servers::import_servers,
            servers::remove_server,
            servers::choose_servers_file,
            storage::rename_run,
            finding::find_runs,
            finding::search,
            finding::tag_run,
            finding::run_sizes,
            storage::what_goes,
            storage::delete_runs,
            storage::old_runs,
            storage::storage,
            storage::choose_backup_file,
            storage::backup,
            storage::show_folder,
            storage::tidy_up,
            storage::limits,
            storage::keep_limits,
            storage::keep_sync,
            window::load_settings,
            window::save_setting,
            window::report_first_paint,
            window::environment,
            window::choose_database,
            window::look_at_database,
            window::use_safe_renderer,
        ])
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use std::collections::BTreeSet;

    use specta_typescript::Typescript;
    use tauri_specta::{BuilderConfiguration, LanguageExt};

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

    /// An "exporter" that only reads the names of the registered commands.
    struct Names<'a>(&'a mut BTreeSet<String>);

    impl LanguageExt for Names<'_> {
        type Error = std::io::Error;
        fn export(self, registered: &BuilderConfiguration, _: &Path) -> Result<(), Self::Error> {
            self.0.extend(
                registered
                    .commands
                    .iter()
                    .map(|command| command.name().to_string()),
            );
            Ok(())
        }
    }

    /// A command that is registered but not under access control could be called by any page.
    #[test]
    fn registered_commands_manifest_and_capability_agree() {
        let mut registered = BTreeSet::new();
        builder()
            .export(Names(&mut registered), "")
            .expect("names are read");
        let manifest: BTreeSet<String> = include!("command_names.rs").map(String::from).into();
        assert_eq!(registered, manifest);

        let capability: serde_json::Value =
            serde_json::from_str(include_str!("../capabilities/main.json")).expect("JSON");
        assert_eq!(capability["windows"], serde_json::json!(["main"]));
        assert_eq!(capability.get("remote"), None);
        let permissions = capability["permissions"].as_array().expect("a list");
        let (own, foreign): (Vec<&str>, Vec<&str>) = permissions
            .iter()
            .map(|p| p.as_str().expect("a name"))
            .partition(|p| !p.contains(':'));
        let granted: BTreeSet<String> = own
            .iter()
            .map(|p| p.trim_start_matches("allow-").replace('-', "_"))
            .collect();
        assert_eq!(registered, granted);
        // The window's own frame and listening to events; nothing else of Tauri or its plugins.
        assert!(
            foreign
                .iter()
                .all(|p| p.starts_with("core:window:allow-") || p.starts_with("core:event:allow-"))
        );
    }

    /// The policy that the page lives under, word for word.
    #[test]
    fn the_content_security_policy_is_strict() {
        let config: serde_json::Value =
            serde_json::from_str(include_str!("../tauri.conf.json")).expect("JSON");
        let security = &config["app"]["security"];
        let csp = security["csp"].as_str().expect("a policy");
        assert!(csp.starts_with("default-src 'none'; script-src 'self'; style-src 'self'; "));
        for loose in ["unsafe", "*", "https:", "strict-dynamic"] {
            assert!(!csp.contains(loose), "{loose}");
        }
        assert_eq!(security.get("dangerousDisableAssetCspModification"), None);
        assert_eq!(config["app"]["withGlobalTauri"], false);
    }
}

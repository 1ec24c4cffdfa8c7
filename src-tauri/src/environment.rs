//! The process's environment before there is any window. What must change there needs the process to start anew.

use std::path::Path;

use crate::renderer::{self, AUTOMATION, Change, Renderer};
use crate::settings;

/// Starts this process anew where its environment must differ; returns where nothing must.
pub fn renew_if_needed(settings: &Path) {
    let is_safe_chosen = settings::safe_renderer_chosen(settings);
    let mut changes = renderer::changes(std::env::consts::OS, Renderer::current(), is_safe_chosen).to_vec();
    // A released window can't be taken over by whoever can set a variable of its surroundings:
    // approvals given in it would not be a person's.
    if !cfg!(debug_assertions) && std::env::var_os(AUTOMATION).is_some() {
        changes.push(Change::Remove(AUTOMATION));
    }
    if !changes.is_empty() {
        renew(&changes);
    }
}

/// Keeps the process id, the arguments and the open terminal. Comes back only when it has failed.
#[cfg(unix)]
fn renew(changes: &[Change]) {
    use std::os::unix::process::CommandExt;
    let Ok(program) = std::env::current_exe() else {
        return;
    };
    let mut command = std::process::Command::new(program);
    command.args(std::env::args_os().skip(1));
    for change in changes {
        match change {
            Change::Set(name) => command.env(name, "1"),
            Change::Remove(name) => command.env_remove(name),
        };
    }
    let error = command.exec();
    tracing::warn!(%error, "Planloom could not start anew, and goes on with the environment as it is");
}

#[cfg(not(unix))]
fn renew(_changes: &[Change]) {}

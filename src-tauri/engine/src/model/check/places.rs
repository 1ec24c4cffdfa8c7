//! The paths that calls name as literals: those that no grant opens, and what is done in the run's own folder. It must not
//! know the disk.

use super::inputs::{Reader, Scope};
use super::tools::argument_pointer;
use super::{Check, Severity, Who};
use crate::model::Json;
use crate::model::grants::{self, Need};
use crate::model::json::At;
use crate::model::problem::Code;
use crate::model::tool::{Access, ToolSpec};

/// Literal paths that no grant opens.
pub(super) fn check_closed(
    check: &mut Check<'_>,
    who: &Who,
    spec: &ToolSpec,
    needs: &[Need],
    (written, at): (Option<&Json>, &At<'_>),
) {
    if !check.foresees() {
        return;
    }
    let mut told: Vec<&str> = Vec::new();
    for Need { access, resource, .. } in needs {
        let is_path = matches!(access, Access::Read | Access::Write | Access::Database);
        if !is_path || told.contains(&resource.as_str()) {
            continue;
        }
        let own = || {
            let _ = check.setting.catalog.closed_around(resource)?;
            Some(format!(
                "`{resource}` lies in Planloom's own data, which no plan may touch"
            ))
        };
        if let Some(why) = grants::closed_to_all(resource).or_else(own) {
            told.push(resource);
            let pointer = argument_pointer(spec, *access, written, at);
            let message = format!("{who}: {why}.");
            check.say(Severity::Error, Code::BadArguments, pointer, who.tasks(), message);
        }
    }
}

/// What the call reads and writes in the run's own folder.
pub(super) fn note_own_files(
    check: &mut Check<'_>,
    scope: &Scope<'_, '_>,
    reader: Reader<'_>,
    spec: &ToolSpec,
    (needs, written, at): (&[Need], Option<&Json>, &At<'_>),
) {
    let is_written = |path: &str| {
        let mut writes = needs.iter().filter(|need| need.access == Access::Write);
        writes.any(|need| need.resource == path)
    };
    // Where nothing comes of it that it is missing, it may well be missing.
    let is_optional =
        scope.outline.entries.get(reader.entry as usize).get("optional") == Some(&Json::Bool(true));
    for Need { access, resource, .. } in needs {
        match access {
            Access::Write => check.own.writes(resource, reader.node),
            Access::Read | Access::Database if !is_optional && !is_written(resource) => {
                let pointer = argument_pointer(spec, *access, written, at);
                check.own.read(resource, reader.node, pointer, reader.who);
            }
            Access::Read | Access::Database | Access::Host | Access::Command | Access::Mcp => {}
        }
    }
}

//! What a person switches off when they sign: it stays refused, whatever else would cover it. Pure.

use serde::{Deserialize, Serialize};

use super::{Grants, Need, Place, covers, entry_as_compared, paths};
use crate::model::tool::Access;

/// One row of what the approval shows, by the words in which it shows it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, specta::Type)]
pub struct Withheld {
    pub access: Access,
    /// A need as it is shown, or an entry of the plan's grants.
    pub resource: String,
    /// For hosts that a literal address names.
    pub method: Option<String>,
}

impl Withheld {
    /// Whether the row is this entry of the plan's grants, as it is shown or as it is written.
    fn is_entry(&self, entry: &str) -> bool {
        self.resource == entry || self.resource == entry_as_compared(self.access, entry)
    }

    /// Whether a call may not touch this. What the row names as an entry covers more than the row: then all of it.
    pub fn bars(&self, need: &Need, place: &Place) -> bool {
        if self.access != need.access || (self.method.is_some() && self.method != need.method) {
            return false;
        }
        if self.resource == need.resource {
            return true;
        }
        // No entry is needed for the run's own folder, so that none says anything of it.
        if paths::is_in_workspace(&need.resource) {
            return false;
        }
        let entry = match (&self.method, self.access) {
            (Some(method), Access::Host) => format!("{method} {}", self.resource),
            (Some(_) | None, _) => self.resource.clone(),
        };
        covers(&alone(self.access, entry), need, place)
    }
}

/// The grants without the entries that are switched off.
#[must_use]
pub fn without(grants: &Grants, off: &[Withheld]) -> Grants {
    let mut left = grants.clone();
    for (access, entries) in [
        (Access::Read, &mut left.read),
        (Access::Write, &mut left.write),
        (Access::Host, &mut left.hosts),
        (Access::Database, &mut left.databases),
        (Access::Command, &mut left.commands),
        (Access::Mcp, &mut left.mcp),
    ] {
        entries.retain(|entry| !off.iter().any(|row| row.access == access && row.is_entry(entry)));
    }
    left
}

fn alone(access: Access, entry: String) -> Grants {
    let entries = vec![entry];
    let none = Grants::default();
    match access {
        Access::Read => Grants {
            read: entries,
            ..none
        },
        Access::Write => Grants {
            write: entries,
            ..none
        },
        Access::Host => Grants {
            hosts: entries,
            ..none
        },
        Access::Database => Grants {
            databases: entries,
            ..none
        },
        Access::Command => Grants {
            commands: entries,
            ..none
        },
        Access::Mcp => Grants { mcp: entries, ..none },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(access: Access, resource: &str, method: Option<&str>) -> Withheld {
        Withheld {
            access,
            resource: resource.to_owned(),
            method: method.map(str::to_owned),
        }
    }

    fn need(access: Access, resource: &str, method: Option<&str>) -> Need {
        Need {
            access,
            resource: resource.to_owned(),
            method: method.map(str::to_owned),
        }
    }

    #[test]
    fn a_row_bars_what_it_shows_and_what_its_entry_covers() {
        let place = Place {
            folder: Some("/plans".into()),
            workspace: "/w".into(),
        };
        let reads = |resource: &str| need(Access::Read, resource, None);
        let host = |method: &str| need(Access::Host, "a.example:443", Some(method));
        for (row, need, is_barred) in [
            (
                row(Access::Read, "data/a.csv", None),
                reads("/plans/data/a.csv"),
                true,
            ),
            (
                row(Access::Read, "data/", None),
                reads("/plans/data/deep/a.csv"),
                true,
            ),
            (
                row(Access::Read, "data/a.csv", None),
                reads("/plans/data/b.csv"),
                false,
            ),
            (row(Access::Read, "data/", None), reads("run:/a.csv"), false),
            (
                row(Access::Write, "run:/a.md", None),
                need(Access::Write, "run:/a.md", None),
                true,
            ),
            (
                row(Access::Write, "data/", None),
                reads("/plans/data/a.csv"),
                false,
            ),
            (row(Access::Host, "a.example", None), host("GET"), true),
            (
                row(Access::Host, "a.example:443", Some("POST")),
                host("POST"),
                true,
            ),
            (
                row(Access::Host, "a.example:443", Some("POST")),
                host("GET"),
                false,
            ),
            (
                row(Access::Mcp, "s/tool", None),
                need(Access::Mcp, "s/tool", None),
                true,
            ),
        ] {
            assert_eq!(row.bars(&need, &place), is_barred, "{row:?} {need:?}");
        }
    }

    #[test]
    fn entries_that_are_off_are_no_grants() {
        let grants = Grants {
            read: vec!["data/".into(), "notes/".into()],
            write: vec!["data/".into()],
            ..Grants::default()
        };
        let left = without(&grants, &[row(Access::Read, "data/", None)]);
        assert_eq!(
            (left.read, left.write),
            (vec!["notes/".to_owned()], vec!["data/".to_owned()])
        );
    }
}

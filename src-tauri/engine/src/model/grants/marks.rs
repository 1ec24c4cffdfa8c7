//! What a file is worth to whoever reads it: which folders hold a person's own work, and what the run itself has
//! written. Compares text alone; where links lead is the run's business.

use std::collections::BTreeMap;

use super::{Grants, Labels, Need, Place, paths};
use crate::model::tool::{Access, Effect, ToolSpec};

/// Folders of which a person says that what lies in them was written by nobody else.
#[derive(Clone, Copy, Debug)]
pub struct OwnWork<'a> {
    /// From the settings, for every plan: absolute folders in their normal form.
    pub folders: &'a [String],
    /// The plan's `grants.own_work`, as signed.
    pub grants: &'a Grants,
    pub place: &'a Place,
}

impl OwnWork<'_> {
    /// The marked folder that the path (in its normal form) lies in; for a marked file, the file's folder.
    pub fn folder_of(&self, resource: &str) -> Option<String> {
        let set_up = self.folders.iter().find(|f| paths::is_in_folder(resource, f));
        if let Some(folder) = set_up {
            return Some(folder.clone());
        }
        let mut entries = self.grants.own_work.iter();
        entries.find_map(|entry| paths::folder_covering(entry, resource, self.place))
    }

    pub fn covers(&self, resource: &str) -> bool {
        !paths::is_in_workspace(resource) && self.folder_of(resource).is_some()
    }
}

/// Of what nobody knows who wrote it, after reading what.
const STRANGE: Labels = Labels {
    untrusted: true,
    private: true,
};

/// What the run has written where, by the path in one spelling for all file systems: it outlives every rewind, as the
/// files do. A file is as foreign as anything that was ever written to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileMarks(BTreeMap<String, Labels>, Strangers);

/// Who beside the run's own tools may have written, nobody knows what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Strangers {
    #[default]
    Nobody,
    /// A program: in the run's folder, and where the plan may write.
    Program,
    /// A server, which has folders of its own.
    Server,
}

impl FileMarks {
    pub fn note(&mut self, resource: &str, labels: Labels) {
        let kept = self.0.entry(folded(resource)).or_default();
        *kept = kept.join(labels);
    }

    /// A program was run: from here on its hand may be in whatever the plan may write.
    pub fn note_program(&mut self) {
        self.1 = self.1.max(Strangers::Program);
    }

    /// A server was told to change something, wherever that is.
    pub fn note_server(&mut self) {
        self.1 = self.1.max(Strangers::Server);
    }

    /// Whether somebody beside the run's own tools may have written there.
    fn is_strange(&self, resource: &str, own: &OwnWork<'_>) -> bool {
        match self.1 {
            Strangers::Nobody => false,
            Strangers::Program => {
                paths::is_in_workspace(resource)
                    || own
                        .grants
                        .write
                        .iter()
                        .any(|entry| paths::entry_covers(entry, resource, own.place))
            }
            Strangers::Server => true,
        }
    }

    /// What a call may have come to read since it began: what was written by then, or by anybody.
    pub fn by_now(&self, resource: &str, own: &OwnWork<'_>) -> Labels {
        match self.is_strange(resource, own) {
            true => STRANGE,
            false => self.of(resource).unwrap_or_default(),
        }
    }

    /// Of the file, or of all that was written in the folder; `None`: the run has written nothing there.
    pub fn of(&self, resource: &str) -> Option<Labels> {
        let name = folded(resource);
        let below = format!("{}/", name.strip_suffix('/').unwrap_or(&name));
        let inside = self
            .0
            .range(below.clone()..)
            .take_while(|(path, _)| path.starts_with(&below));
        let all = self
            .0
            .get(&name)
            .into_iter()
            .chain(inside.map(|(_, labels)| labels));
        all.copied().reduce(Labels::join)
    }
}

/// One spelling of a path for all file systems: those that ignore case, and those that ignore the Unicode form.
pub(super) fn folded(path: &str) -> String {
    use unicode_normalization::UnicodeNormalization as _;
    if path.is_ascii() {
        return path.to_ascii_lowercase();
    }
    // Lower case may come apart again, so that the form is made last.
    path.nfc().flat_map(char::to_lowercase).nfc().collect()
}

/// The labels of what one call gives, beside those of its arguments. `is_real` tells whether a marked path really lies
/// where its name says, with no link on the way.
pub fn brought(
    spec: &ToolSpec,
    effect: Effect,
    needs: &[Need],
    own: &OwnWork<'_>,
    files: &FileMarks,
    is_real: impl Fn(&str) -> bool,
) -> Labels {
    // What a program has read nobody knows.
    let is_program = effect == Effect::Exec;
    let mut labels = Labels {
        untrusted: spec.is_source_untrusted || is_program,
        private: is_program,
    };
    for need in needs {
        match need.access {
            Access::Read | Access::Database => {
                labels = labels.join(of_file(&need.resource, own, files, &is_real));
            }
            Access::Write | Access::Host | Access::Command | Access::Mcp => {}
        }
    }
    labels
}

fn of_file(resource: &str, own: &OwnWork<'_>, files: &FileMarks, is_real: impl Fn(&str) -> bool) -> Labels {
    if files.is_strange(resource, own) {
        return STRANGE;
    }
    let written = files.of(resource);
    if paths::is_in_workspace(resource) {
        // What the run has not written there, somebody else has.
        let foreign = Labels {
            untrusted: true,
            private: false,
        };
        return written.unwrap_or(foreign);
    }
    let is_own = own.covers(resource) && is_real(resource);
    let found = Labels {
        untrusted: !is_own,
        private: true,
    };
    found.join(written.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_found_in_every_spelling_and_in_its_folder() {
        let mut marks = FileMarks::default();
        let foreign = Labels {
            untrusted: true,
            private: false,
        };
        marks.note("run:/Notes/U\u{308}bersicht.md", foreign);
        marks.note("run:/Notes/übersicht.md", Labels::default());
        for path in [
            "run:/notes/übersicht.md",
            "run:/NOTES/ÜBERSICHT.MD",
            "run:/Notes",
            "run:/",
        ] {
            assert_eq!(marks.of(path), Some(foreign), "{path}");
        }
        assert_eq!(marks.of("run:/Note"), None);
        assert_eq!(marks.of("run:/Notes/other.md"), None);
    }

    #[test]
    fn after_a_program_nothing_that_it_may_write_is_known() {
        let grants = Grants {
            write: vec!["/own/out/".to_owned()],
            own_work: vec!["/own/".to_owned()],
            ..Grants::default()
        };
        let place = Place {
            folder: None,
            workspace: "/runs/1".into(),
        };
        let own = OwnWork {
            folders: &[],
            grants: &grants,
            place: &place,
        };
        let mut files = FileMarks::default();
        files.note("run:/t", Labels::default());
        let of = |path, files: &FileMarks| {
            let labels = of_file(path, &own, files, |_| true);
            (labels.untrusted, labels.private)
        };
        assert_eq!(of("run:/t", &files), (false, false));
        files.note_program();
        assert_eq!(of("run:/t", &files), (true, true));
        assert_eq!(of("/own/out/a", &files), (true, true));
        assert_eq!(of("/own/in/a", &files), (false, true));
        files.note_server();
        assert_eq!(of("/own/in/a", &files), (true, true));
    }
}

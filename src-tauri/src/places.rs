//! Where things lie on this machine: database, settings, samples. Opens nothing.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::arguments::Arguments;

/// The database that a test or a script chooses without arguments.
const DB: &str = "PLANLOOM_DB";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    pub db: PathBuf,
    pub settings: PathBuf,
    /// False where somebody named another database: that is another Planloom, with a window of its own.
    pub is_default: bool,
}

impl Places {
    pub fn find(arguments: &Arguments) -> Self {
        Self::from(arguments, |name| std::env::var_os(name))
    }

    fn from(arguments: &Arguments, variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let named = arguments.db.clone().or_else(|| variable(DB).map(PathBuf::from));
        let named = named.filter(|db| !db.as_os_str().is_empty());
        let is_default = named.is_none();
        let db = named.unwrap_or_else(|| data_home(&variable).join("planloom").join("planloom.db"));
        let db = std::path::absolute(&db).unwrap_or(db);
        Self {
            settings: db.with_file_name("settings.json"),
            db,
            is_default,
        }
    }
}

/// As the XDG base directory specification has it: relative paths there count as not set.
fn data_home(variable: &impl Fn(&str) -> Option<OsString>) -> PathBuf {
    let absolute = |name| {
        variable(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    absolute("XDG_DATA_HOME")
        .or_else(|| {
            absolute("HOME")
                .or_else(|| absolute("USERPROFILE"))
                .map(|home| home.join(".local/share"))
        })
        .unwrap_or_default()
}

/// The sample plans: beside the installed program, or in the source tree that a debug build came from.
pub fn samples(resources: Option<&Path>) -> Option<PathBuf> {
    let installed = resources.map(|folder| folder.join("samples"));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../assets/samples");
    let source = if cfg!(debug_assertions) {
        std::fs::canonicalize(source).ok()
    } else {
        None
    };
    installed.filter(|folder| folder.is_dir()).or(source)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(db: Option<&str>, variables: &[(&str, &str)]) -> Places {
        let arguments = Arguments {
            db: db.map(PathBuf::from),
            plan: None,
        };
        Places::from(&arguments, |name| {
            variables
                .iter()
                .find(|(key, _)| *key == name)
                .map(|(_, value)| OsString::from(value))
        })
    }

    #[test]
    fn the_argument_wins_over_the_variable_over_the_default() {
        let all = [
            ("PLANLOOM_DB", "/b/b.db"),
            ("XDG_DATA_HOME", "/c"),
            ("HOME", "/home/ada"),
        ];
        assert_eq!(find(Some("/a/a.db"), &all).db, Path::new("/a/a.db"));
        assert_eq!(find(None, &all).db, Path::new("/b/b.db"));
        assert_eq!(find(None, &all[1..]).db, Path::new("/c/planloom/planloom.db"));
        assert_eq!(
            find(None, &all[2..]).db,
            Path::new("/home/ada/.local/share/planloom/planloom.db")
        );
    }

    #[test]
    fn settings_lie_beside_the_database() {
        let places = find(Some("/a/a.db"), &[]);
        assert_eq!(places.settings, Path::new("/a/settings.json"));
        assert!(!places.is_default);
        assert!(find(None, &[("HOME", "/home/ada")]).is_default);
    }

    #[test]
    fn relative_and_empty_variables_count_as_not_set() {
        let places = find(
            None,
            &[
                ("PLANLOOM_DB", ""),
                ("XDG_DATA_HOME", "data"),
                ("HOME", "/home/ada"),
            ],
        );
        assert_eq!(
            places.db,
            Path::new("/home/ada/.local/share/planloom/planloom.db")
        );
        assert!(find(Some("x.db"), &[]).db.is_absolute());
    }
}

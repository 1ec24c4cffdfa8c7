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
    /// `None` where this user has no data folder and named no database.
    pub fn find(arguments: &Arguments) -> Option<Self> {
        Self::from(arguments, std::env::var_os(DB), planloom_engine::default_db())
    }

    fn from(arguments: &Arguments, variable: Option<OsString>, default: Option<PathBuf>) -> Option<Self> {
        let named = arguments.db.clone().or_else(|| variable.map(PathBuf::from));
        let named = named.filter(|db| !db.as_os_str().is_empty());
        let is_default = named.is_none();
        let db = named.or(default)?;
        let db = std::path::absolute(&db).unwrap_or(db);
        Some(Self {
            settings: db.with_file_name("settings.json"),
            db,
            is_default,
        })
    }
}

/// The database of a folder of data.
pub fn in_folder(folder: &Path) -> PathBuf {
    folder.join("planloom.db")
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

    fn find(db: Option<&str>, variable: Option<&str>) -> Places {
        let arguments = Arguments {
            db: db.map(PathBuf::from),
            plan: None,
        };
        let default = Some(PathBuf::from("/home/ada/planloom.db"));
        Places::from(&arguments, variable.map(OsString::from), default).expect("a place")
    }

    #[test]
    fn the_argument_wins_over_the_variable_over_the_default() {
        assert_eq!(find(Some("/a/a.db"), Some("/b/b.db")).db, Path::new("/a/a.db"));
        assert_eq!(find(None, Some("/b/b.db")).db, Path::new("/b/b.db"));
        assert_eq!(find(None, None).db, Path::new("/home/ada/planloom.db"));
        assert_eq!(find(None, Some("")).db, Path::new("/home/ada/planloom.db"));
        assert_eq!(Places::from(&Arguments::default(), None, None), None);
    }

    #[test]
    fn settings_lie_beside_the_database() {
        let places = find(Some("/a/a.db"), None);
        assert_eq!(places.settings, Path::new("/a/settings.json"));
        assert!(!places.is_default);
        assert!(find(None, None).is_default);
        assert!(find(Some("x.db"), None).settings.is_absolute());
    }
}

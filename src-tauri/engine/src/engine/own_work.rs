//! The folders of which the settings say that they hold the person's own work. It must not know what follows from that.

use std::path::Path;

use crate::model::Json;
use crate::model::grants::{Place, resource_of_path};

/// A larger file is no file of settings.
const MOST_BYTES: u64 = 4 << 20;

/// `own_work` of the settings beside the database: a list of absolute folders, or such as begin with `~/`. What is
/// no such folder marks nothing, which is the safe side.
pub(super) fn own_work_beside(db: &Path) -> Vec<String> {
    let path = super::real_path(db).with_file_name("settings.json");
    let is_fine = std::fs::metadata(&path).is_ok_and(|file| file.is_file() && file.len() <= MOST_BYTES);
    let bytes = is_fine.then(|| std::fs::read(&path).ok()).flatten();
    let settings = bytes.and_then(|bytes| serde_json::from_slice::<Json>(&bytes).ok());
    let listed = settings.as_ref().and_then(|s| s.get("own_work")?.as_array());
    let listed: Vec<String> = listed
        .into_iter()
        .flatten()
        .filter_map(|folder| folder.as_str().map(str::to_owned))
        .collect();
    let kept = normal(&listed).len();
    if kept < listed.len() {
        let wrong = listed.len() - kept;
        tracing::warn!(
            "{wrong} of `own_work` in the settings can't be used: write absolute folders, or `~/folder`"
        );
    }
    listed
}

/// The folders in the form in which paths are compared.
pub(super) fn normal(folders: &[String]) -> Vec<String> {
    let nowhere = Place {
        folder: None,
        workspace: Path::new("/").to_owned(),
    };
    let absolute = |folder: &String| {
        let whole = match folder.strip_prefix("~/") {
            Some(rest) => directories::UserDirs::new()?.home_dir().join(rest),
            None => Path::new(folder).to_owned(),
        };
        let text = whole.to_str().filter(|_| whole.is_absolute())?;
        resource_of_path(text, &nowhere).ok()
    };
    // The whole disk, or everybody's home, is nobody's own work.
    let is_narrow = |folder: &String| folder.matches('/').count() >= 2;
    folders.iter().filter_map(absolute).filter(is_narrow).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_folders_of_some_depth_are_taken() {
        let given = [
            "/home/ada/papers/",
            "/",
            "/home",
            "work",
            "~/notes",
            "/home/ada/../..",
            "/home/ada/./x/../y",
        ];
        let taken = normal(&given.map(str::to_owned));
        let home = directories::UserDirs::new().map(|dirs| dirs.home_dir().join("notes"));
        let home = home
            .and_then(|home| Some(home.to_str()?.to_owned()))
            .filter(|h| h.matches('/').count() >= 2);
        let mut expected = vec!["/home/ada/papers".to_owned()];
        expected.extend(home);
        expected.push("/home/ada/y".to_owned());
        assert_eq!(taken, expected);
    }

    #[test]
    fn the_settings_beside_the_database_say_which() {
        let folder = tempfile::tempdir().unwrap();
        let db = folder.path().join("planloom.db");
        assert!(own_work_beside(&db).is_empty());
        std::fs::write(
            folder.path().join("settings.json"),
            r#"{"own_work": ["/home/ada/papers", 7]}"#,
        )
        .unwrap();
        assert_eq!(own_work_beside(&db), ["/home/ada/papers"]);
        std::fs::write(
            folder.path().join("settings.json"),
            r#"{"own_work": "/home/ada/papers"}"#,
        )
        .unwrap();
        assert!(own_work_beside(&db).is_empty());
    }
}

//! What of `settings.json` nobody reads, told with its place: a name that was mistyped sets nothing. It must not know what
//! the parts mean that are read, nor change any.

use std::path::Path;

use crate::model::json::At;
use crate::model::reader::{BOUNDS, Reader, Trouble};

const NAME: &str = "settings.json";

/// What the engine reads, then what the window keeps for itself.
pub const PARTS: [&str; 18] = [
    "models",
    "mcp",
    "own_work",
    "limits",
    "sync",
    "theme",
    "motion",
    "textSize",
    "notifications",
    "language",
    "direction",
    "panels",
    "planView",
    "goalCap",
    "goalMinutes",
    "keys",
    "frame",
    "safeRenderer",
];

/// Of a file that can't be read as a whole, whoever reads its parts has told that.
pub(super) fn troubles(path: &Path) -> Vec<Trouble> {
    let is_fine =
        std::fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() <= BOUNDS.bytes as u64);
    let bytes = is_fine.then(|| std::fs::read(path).ok()).flatten();
    bytes.map_or_else(Vec::new, |bytes| of_bytes(&bytes))
}

fn of_bytes(bytes: &[u8]) -> Vec<Trouble> {
    let mut troubles = Vec::new();
    let mut reader = Reader::new(NAME, &mut troubles);
    let Some(file) = reader.file(bytes) else {
        return Vec::new();
    };
    reader.only(&At::Root, &file, &PARTS);
    if let Some(value) = file.get("own_work") {
        let root = At::Root;
        let at = root.key("own_work");
        for folder in reader.texts(&at, value) {
            if super::own_work::normal(std::slice::from_ref(&folder)).is_empty() {
                let shown: String = folder.chars().take(100).collect();
                reader.say(
                    &at,
                    format!("`{shown}` is no absolute folder below the disk's first level, nor `~/folder`; it marks nothing"),
                );
            }
        }
    }
    troubles
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Vec<String> {
        of_bytes(text.as_bytes())
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    #[test]
    fn a_name_that_nothing_reads_is_told_with_what_was_meant() {
        assert_eq!(told(r#"{ "theme": "dark", "models": {}, "keys": {} }"#), [""; 0]);
        let found = told(
            r#"{ "modles": {}, "ownWork": [], "own_work": ["/home/ada/papers", "papers", 7], "x/y": 1 }"#,
        );
        assert_eq!(found.len(), 5, "{found:?}");
        for part in [
            "settings.json#/modles: this field is not known and not used; did you mean `models`?",
            "settings.json#/own_work: `papers` is no absolute folder",
            "settings.json#/own_work/2: this must be a text",
            "settings.json#/x~1y: this field is not known",
        ] {
            assert!(
                found.iter().any(|told| told.starts_with(part)),
                "{part}: {found:?}"
            );
        }
        assert_eq!(told("[1]"), [""; 0], "told by whoever reads the parts");
    }

    /// A setting that the window keeps is no mistyped one.
    #[test]
    fn what_the_window_keeps_is_known() {
        let page = include_str!("../../../../ui/src/state/settings.ts");
        let read = page.split("raw.").skip(1).map(|rest| {
            rest.chars()
                .take_while(|c| c.is_ascii_alphanumeric())
                .collect::<String>()
        });
        let unknown: Vec<String> = read.filter(|name| !PARTS.contains(&name.as_str())).collect();
        assert_eq!(unknown, [""; 0]);
        let shell = include_str!("../../../src/settings.rs");
        let kept = shell
            .lines()
            .filter_map(|line| line.strip_prefix("const ")?.split('"').nth(1));
        let unknown: Vec<&str> = kept.filter(|name| !PARTS.contains(name)).collect();
        assert_eq!(unknown, [""; 0]);
    }
}

//! The seeds of a target: recorded and hand-made bodies, inputs of cases, samples, and what was found before. It must not
//! know what they are tried on.

use std::path::{Path, PathBuf};

/// Larger ones are tried in tests of their own.
const LARGEST: u64 = 64 << 10;

/// All of them, in the same order on every machine.
pub fn seeds(target: &str, ends: &[&str]) -> Vec<(PathBuf, Vec<u8>)> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    walk(&tests.join("fuzz/corpus").join(target), &|_| true, &mut files);
    let is_seed = |name: &str| ends.iter().any(|end| name.ends_with(end));
    for folder in ["wire/samples", "cases", "../assets/samples"] {
        walk(&tests.join(folder), &is_seed, &mut files);
    }
    files.sort();
    files
        .into_iter()
        .map(|file| {
            let bytes = std::fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            (file, bytes)
        })
        .collect()
}

fn walk(folder: &Path, is_seed: &dyn Fn(&str) -> bool, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let is_small = entry.metadata().is_ok_and(|about| about.len() <= LARGEST);
        if path.is_dir() {
            walk(&path, is_seed, found);
        } else if is_small && is_seed(&entry.file_name().to_string_lossy()) {
            found.push(path);
        }
    }
}

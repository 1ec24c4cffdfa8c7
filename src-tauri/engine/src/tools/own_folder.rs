//! The folder of a run: what a run keeps there is its owner's alone. It must not know runs.

use std::path::Path;

/// Makes it, and what is missing above it, so that nobody else can look in. One that is there already stays as it is.
pub fn make(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn nobody_else_can_look_into_it() {
        let outside = tempfile::tempdir().unwrap();
        let folder = outside.path().join("runs/r1");
        make(&folder).unwrap();
        make(&folder).unwrap();
        for made in [&*folder, folder.parent().unwrap()] {
            let mode = std::fs::metadata(made).unwrap().permissions().mode();
            assert_eq!(mode & 0o077, 0, "{}: {mode:o}", made.display());
        }
    }
}

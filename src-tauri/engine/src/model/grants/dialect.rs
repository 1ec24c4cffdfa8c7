//! How paths are written and compared on each system. All three are known everywhere: plans travel between machines.

use super::marks::folded;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    Unix,
    /// Like Unix, but case and Unicode form do not tell files apart.
    Mac,
    Windows,
}

/// Of this machine.
pub(super) const HERE: Dialect = if cfg!(windows) {
    Dialect::Windows
} else if cfg!(target_os = "macos") {
    Dialect::Mac
} else {
    Dialect::Unix
};

/// Names that open a device, whatever stands behind their first dot.
const DEVICES: &[&str] = &[
    "con", "prn", "aux", "nul", "conin$", "conout$", "com0", "com1", "com2", "com3", "com4", "com5", "com6",
    "com7", "com8", "com9", "com¹", "com²", "com³", "lpt0", "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6",
    "lpt7", "lpt8", "lpt9", "lpt¹", "lpt²", "lpt³",
];

impl Dialect {
    pub fn ignores_case(self) -> bool {
        match self {
            Self::Unix => false,
            Self::Mac | Self::Windows => true,
        }
    }

    pub fn is_separator(self, c: char) -> bool {
        c == '/' || (self == Self::Windows && c == '\\')
    }

    pub fn is_absolute(self, path: &str) -> bool {
        match self {
            Self::Unix | Self::Mac => path.starts_with('/'),
            Self::Windows => drive_of(path).is_some_and(|rest| rest.starts_with(['/', '\\'])),
        }
    }

    /// What stands before the first part of an absolute path.
    pub fn start(self) -> &'static str {
        match self {
            Self::Unix | Self::Mac => "/",
            Self::Windows => "",
        }
    }

    /// One spelling for all that name the same file.
    pub fn key(self, path: &str) -> String {
        if self.ignores_case() {
            folded(path)
        } else {
            path.to_owned()
        }
    }

    /// Why this can't be the path of a file here.
    pub fn problem(self, path: &str) -> Option<String> {
        match self {
            Self::Unix | Self::Mac => {
                let is_foreign = drive_of(path).is_some() || path.starts_with("\\\\");
                is_foreign.then(|| format!("`{path}` is a path of Windows; this machine has none"))
            }
            Self::Windows => windows_problem(path),
        }
    }

    /// A part of a path as it stands in a normal form: drives in one case.
    pub fn part(self, part: &str) -> String {
        match self {
            Self::Windows if part.len() == 2 && part.ends_with(':') => part.to_ascii_uppercase(),
            Self::Windows | Self::Unix | Self::Mac => part.to_owned(),
        }
    }
}

/// What follows a drive's letter.
fn drive_of(path: &str) -> Option<&str> {
    let bytes = path.as_bytes();
    let is_drive = bytes.get(1) == Some(&b':') && bytes[0].is_ascii_alphabetic();
    is_drive.then(|| &path[2..])
}

fn windows_problem(path: &str) -> Option<String> {
    let begins = |with: &str| path.replace('/', "\\").starts_with(with);
    if begins("\\\\") {
        return Some(format!(
            "`{path}` is a network or device path; name a file on a drive of this machine"
        ));
    }
    if begins("\\") {
        return Some(format!(
            "`{path}` names no drive; write it whole, such as `C:\\folder\\file`"
        ));
    }
    let rest = match drive_of(path) {
        Some(rest) if !rest.starts_with(['/', '\\']) => {
            return Some(format!(
                "`{path}` depends on the drive's current folder; write it whole, such as `C:\\folder\\file`"
            ));
        }
        Some(rest) => rest,
        None => path,
    };
    let parts = rest
        .split(['/', '\\'])
        .filter(|part| !matches!(*part, "" | "." | ".."));
    parts
        .into_iter()
        .find_map(|part| windows_part_problem(path, part))
}

fn windows_part_problem(path: &str, part: &str) -> Option<String> {
    if part.contains(':') {
        return Some(format!("`{path}`: a colon would open a hidden stream of a file"));
    }
    if part.contains(['<', '>', '"', '|']) {
        return Some(format!(
            "`{path}` holds a character that no file name has on Windows"
        ));
    }
    if part.ends_with(['.', ' ']) {
        return Some(format!(
            "`{path}`: a name that ends with a dot or a space would be another file on Windows"
        ));
    }
    let stem = part.split('.').next().unwrap_or(part).trim_end();
    if DEVICES.contains(&stem.to_lowercase().as_str()) {
        return Some(format!("`{path}`: `{stem}` is a device on Windows, not a file"));
    }
    let is_short = part
        .split('~')
        .nth(1)
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    is_short.then(|| format!("`{path}`: `{part}` is a short name; write the whole one"))
}

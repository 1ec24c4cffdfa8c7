//! The folders in which a person's terminal would look for a program. An application that was started from a desktop
//! has a short PATH of its own. It must not know what is looked for.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::process::Command;
use tokio::sync::OnceCell;

/// A profile that takes longer is not waited for.
const PATIENCE: Duration = Duration::from_secs(4);
/// More than any profile prints before its PATH.
const MOST_BYTES: usize = 256 << 10;
/// Stands around the PATH, so that whatever a profile prints is passed over.
const MARK: &str = "<planloom-path>";
/// Set while the profile is read, so that one which starts this program does not do so for ever.
const READING: &str = "PLANLOOM_READS_PROFILE";

/// Where programs are looked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchPath {
    pub folders: Vec<PathBuf>,
    /// What stood in the way of the login shell's own PATH.
    pub trouble: Option<String>,
}

/// A program that is in none of the folders.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotFound {
    #[error("`{0}` has spaces: put the program into `command` and each argument into `args`")]
    Spaces(String),
    #[error("the program `{program}` was not found in {}{}", list(.folders), .trouble.as_ref().map_or(String::new(), |t| format!(" ({t})")))]
    Nowhere {
        program: String,
        folders: Vec<PathBuf>,
        trouble: Option<String>,
    },
    #[error("there is no program that can be run at {0}")]
    NoProgram(PathBuf),
}

fn list(folders: &[PathBuf]) -> String {
    let names: Vec<String> = folders
        .iter()
        .map(|folder| folder.display().to_string())
        .collect();
    names.join(", ")
}

/// This process's search path: read once, by whoever needs it first.
pub async fn search_path() -> &'static SearchPath {
    static READ: OnceCell<SearchPath> = OnceCell::const_new();
    READ.get_or_init(|| async {
        let own = std::env::var_os("PATH").unwrap_or_default();
        let (login, trouble) = match login_path().await {
            Ok(login) => (Some(login), None),
            Err(trouble) => (None, Some(trouble)),
        };
        let package = std::env::var_os("APPDIR").map(PathBuf::from);
        let home = directories::BaseDirs::new().map(|dirs| dirs.home_dir().to_owned());
        SearchPath {
            folders: merged(
                login.as_deref(),
                &own,
                package.as_deref(),
                &usual(home.as_deref()),
            ),
            trouble,
        }
    })
    .await
}

/// The login shell's PATH first, then this process's own, then folders in which package managers put programs. Each
/// once, absolute ones only, and none that belongs to the package this program came in.
pub fn merged(login: Option<&OsStr>, own: &OsStr, package: Option<&Path>, usual: &[PathBuf]) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = Vec::new();
    let written = login.into_iter().chain([own]).flat_map(std::env::split_paths);
    for folder in written.chain(usual.iter().cloned()) {
        let is_packaged = package.is_some_and(|package| folder.starts_with(package));
        if folder.is_absolute() && !is_packaged && !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    folders
}

fn usual(home: Option<&Path>) -> Vec<PathBuf> {
    let in_home = [
        ".local/bin",
        ".cargo/bin",
        ".volta/bin",
        ".bun/bin",
        ".deno/bin",
        "bin",
    ];
    let in_home = home
        .into_iter()
        .flat_map(|home| in_home.iter().map(|folder| home.join(folder)));
    let fixed = ["/opt/homebrew/bin", "/usr/local/bin", "/usr/bin", "/bin"];
    let fixed = fixed.iter().filter(|_| cfg!(unix)).map(PathBuf::from);
    in_home.chain(fixed).filter(|folder| folder.is_dir()).collect()
}

impl SearchPath {
    /// The whole path of a program. One that is named by a path is that path.
    pub fn find(&self, program: &str) -> Result<PathBuf, NotFound> {
        let named = Path::new(program);
        if named.is_absolute() {
            return candidates(named)
                .find(|path| is_program(path))
                .ok_or_else(|| spaces_or(program, NotFound::NoProgram(named.to_owned())));
        }
        if named.components().count() != 1 {
            return Err(spaces_or(program, NotFound::NoProgram(named.to_owned())));
        }
        let found = self
            .folders
            .iter()
            .flat_map(|folder| candidates(&folder.join(program)).collect::<Vec<_>>());
        let nowhere = || NotFound::Nowhere {
            program: program.to_owned(),
            folders: self.folders.clone(),
            trouble: self.trouble.clone(),
        };
        found
            .into_iter()
            .find(|path| is_program(path))
            .ok_or_else(|| spaces_or(program, nowhere()))
    }

    /// The PATH of a child, with the folder of its own program in it: a script beside it is looked for by name.
    pub fn for_child(&self, program: &Path) -> OsString {
        let own = program
            .parent()
            .filter(|folder| !self.folders.iter().any(|known| known == folder));
        let folders = self.folders.iter().map(PathBuf::as_path).chain(own);
        std::env::join_paths(folders).unwrap_or_default()
    }
}

fn spaces_or(program: &str, other: NotFound) -> NotFound {
    if program.trim().contains(char::is_whitespace) {
        return NotFound::Spaces(program.to_owned());
    }
    other
}

/// On Windows a program is named without its ending.
fn candidates(path: &Path) -> impl Iterator<Item = PathBuf> {
    let endings: &[&str] = if cfg!(windows) && path.extension().is_none() {
        &["exe", "cmd", "bat", "com"]
    } else {
        &[""]
    };
    let path = path.to_owned();
    endings.iter().map(move |ending| {
        if ending.is_empty() {
            path.clone()
        } else {
            path.with_extension(ending)
        }
    })
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata()
        .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

/// The PATH that a login shell ends up with. `Err` says why there is none.
async fn login_path() -> Result<OsString, String> {
    if cfg!(windows) {
        return Err("Windows has one PATH for all programs".to_owned());
    }
    if std::env::var_os(READING).is_some() {
        return Err("the profile starts this program itself".to_owned());
    }
    let shell = std::env::var_os("SHELL").filter(|shell| Path::new(shell).is_absolute());
    let shell = shell.unwrap_or_else(|| "/bin/sh".into());
    path_of_shell(Path::new(&shell), PATIENCE).await
}

/// The same of this shell, within this time.
pub async fn path_of_shell(shell: &Path, patience: Duration) -> Result<OsString, String> {
    let name = shell.display();
    let mut command = Command::new(shell);
    command
        .args([
            "-l",
            "-i",
            "-c",
            &format!("printf '%s' '{MARK}'; printenv PATH; printf '%s' '{MARK}'"),
        ])
        .env(READING, "1")
        .env("TERM", "dumb")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    // Of its own group, an interactive shell can't take this program's terminal.
    #[cfg(unix)]
    command.process_group(0);
    let mut child = command
        .spawn()
        .map_err(|error| format!("the login shell {name} did not start: {error}"))?;
    let mut stdout = child.stdout.take().ok_or("the login shell has no output")?;
    let reading = async {
        let mut said = Vec::new();
        while said.len() < MOST_BYTES && stdout.read_buf(&mut said).await.is_ok_and(|n| n > 0) {
            if let Some(path) = between_marks(&said) {
                return Some(path);
            }
        }
        between_marks(&said)
    };
    let read = tokio::time::timeout(patience, reading).await;
    let _ = child.start_kill();
    match read {
        Ok(Some(path)) => Ok(path),
        Ok(None) => Err(format!("the login shell {name} told no PATH")),
        Err(_) => Err(format!(
            "the profile of the login shell {name} took more than {} s",
            patience.as_secs_f32()
        )),
    }
}

fn between_marks(said: &[u8]) -> Option<OsString> {
    let said = String::from_utf8_lossy(said);
    let inner = said
        .split(MARK)
        .nth(1)
        .filter(|_| said.matches(MARK).count() >= 2)?;
    let path = inner.trim();
    (!path.is_empty()).then(|| path.into())
}

#[cfg(test)]
mod tests;

//! The command line that puts a program behind bubblewrap's walls. It must not know how processes are started or ended.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use super::masks::{self, Mask};
use super::{Confined, Limits, SandboxError, Shown, system};

/// A bubblewrap that works here, and what it can do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Walls {
    pub path: PathBuf,
    pub(super) can_size: bool,
    pub(super) can_disable_userns: bool,
    /// The system counts a namespace's processes apart from the person's others.
    pub(super) can_count_processes: bool,
    pub(super) has_second_wall: bool,
}

impl Walls {
    /// Whether Landlock stands behind bubblewrap.
    pub fn has_landlock(&self) -> bool {
        self.has_second_wall
    }
}

/// Runs first inside: says that the walls stand, and begins with the program only at a word from outside. Without it a
/// program could begin before bubblewrap has bound its life to that of its parent, and outlive an engine that is killed in
/// that moment; where the word does not come, all ends. It reads no more than that line.
const GATE: [&str; 4] = [
    "/bin/sh",
    "-c",
    r#"printf . && read -r word && exec "$@"; exit 125"#,
    "sh",
];
/// What the gate says, and what it waits for.
pub(super) const READY: u8 = b'.';
pub(super) const WORD: &[u8] = b"go\n";

const PRLIMIT: &str = "/usr/bin/prlimit";

/// What is seen at one place.
struct Mount {
    at: PathBuf,
    what: What,
}

enum What {
    ReadOnly(PathBuf),
    /// Not there on every system.
    ReadOnlyTry(PathBuf),
    ReadWrite(PathBuf),
    Link(PathBuf),
    Empty {
        bytes: u64,
    },
    HiddenFolder {
        is_empty: bool,
        /// What lies in it is mounted later, so that it is closed for writing at the very end.
        leads_on: bool,
    },
    Processes,
    Devices,
}

/// Everything but the streams. Nothing of this process's environment goes along, not to bubblewrap either: inside,
/// `/proc/1/environ` would show it.
pub(super) fn command(walls: &Walls, confined: &Confined) -> Result<(Command, Vec<Mask>), SandboxError> {
    check(confined)?;
    let hidden = masks::masks(confined)?;
    let mut mounts = of_system(confined.network, confined.limits.memory_bytes);
    grant(&mut mounts, confined);
    show_program(&mut mounts, confined);
    hide(&mut mounts, &hidden)?;
    // What lies deeper comes later, over what is around it.
    mounts.sort_by_key(|mount| mount.at.components().count());
    let mut command = Command::new(&walls.path);
    command.env_clear().envs(system::ENVIRONMENT.iter().copied());
    command.envs(confined.env.iter().map(|(name, value)| (name, value)));
    command.current_dir("/").args(namespaces(walls, confined.network));
    mounts.iter().for_each(|mount| add(&mut command, walls, mount));
    for mask in hidden.iter().filter(|mask| mask.leads_on) {
        command.arg("--remount-ro").arg(&mask.at);
    }
    command.args(["--remount-ro", "/dev", "--remount-ro", "/"]);
    let cwd = confined.cwd.as_deref().unwrap_or(Path::new("/tmp"));
    command.arg("--chdir").arg(cwd).arg("--");
    command.args(GATE).args(limited(walls, &confined.limits));
    command.arg(&confined.program).args(&confined.args);
    Ok((command, hidden))
}

/// The same walls around the smallest program, to see whether they stand.
pub(super) fn trial(walls: &Walls) -> Command {
    let mut command = Command::new(&walls.path);
    command.args(namespaces(walls, false));
    let mounts = of_system(false, 1 << 20);
    mounts.iter().for_each(|mount| add(&mut command, walls, mount));
    command.args([
        "--remount-ro",
        "/dev",
        "--remount-ro",
        "/",
        "--chdir",
        "/tmp",
        "--",
    ]);
    command.args(limited(walls, &Limits::default()));
    command.args(["/bin/sh", "-c", ":"]);
    command
}

fn check(confined: &Confined) -> Result<(), SandboxError> {
    let absolute = [Some(&confined.program), confined.cwd.as_ref()];
    if let Some(path) = absolute.into_iter().flatten().find(|path| !path.is_absolute()) {
        return Err(SandboxError::NotAbsolute(path.clone()));
    }
    let has_nul = |text: &OsStr| text.as_encoded_bytes().contains(&0);
    let texts = confined.args.iter().map(OsString::as_os_str);
    if texts.chain([confined.program.as_os_str()]).any(has_nul) {
        return Err(SandboxError::SetUp(
            "an argument holds a NUL character".to_owned(),
        ));
    }
    let is_bad =
        |(name, value): &&(String, String)| system::is_refused_variable(name) || value.contains('\0');
    match confined.env.iter().find(is_bad) {
        Some((name, _)) => Err(SandboxError::SetUp(format!(
            "the variable `{}` can't be set",
            name.escape_debug()
        ))),
        None => Ok(()),
    }
}

fn namespaces(walls: &Walls, network: bool) -> Vec<&'static str> {
    let mut flags = vec![
        "--unshare-all",
        "--unshare-user",
        "--die-with-parent",
        "--new-session",
        "--cap-drop",
        "ALL",
        "--hostname",
        "planloom",
    ];
    if walls.can_disable_userns {
        flags.push("--disable-userns");
    }
    if network {
        flags.push("--share-net");
    }
    flags
}

fn of_system(network: bool, memory: u64) -> Vec<Mount> {
    let mut mounts = Vec::new();
    let mut put = |at: &str, what| {
        mounts.push(Mount {
            at: PathBuf::from(at),
            what,
        });
    };
    for folder in system::FOLDERS {
        match std::fs::read_link(folder) {
            Ok(target) => put(folder, What::Link(target)),
            Err(_) => put(folder, What::ReadOnlyTry(PathBuf::from(folder))),
        }
    }
    let network = if network { system::NETWORK_SETTINGS } else { &[] };
    for file in system::SETTINGS.iter().chain(network) {
        put(file, What::ReadOnlyTry(PathBuf::from(file)));
    }
    put("/proc", What::Processes);
    put("/dev", What::Devices);
    // What lies there is memory too, and is in no process's count.
    put("/tmp", What::Empty { bytes: memory / 4 });
    put("/dev/shm", What::Empty { bytes: memory / 16 });
    mounts
}

fn grant(mounts: &mut Vec<Mount>, confined: &Confined) {
    let own = confined.own.iter().cloned().map(Shown::from);
    let writable: Vec<Shown> = confined.write.iter().cloned().chain(own).collect();
    let is_writable = |path: &Path| writable.iter().any(|shown| path.starts_with(&shown.at));
    for shown in &confined.read {
        if !is_writable(&shown.at) {
            mounts.push(Mount {
                at: shown.at.clone(),
                what: What::ReadOnly(shown.from.clone()),
            });
        }
    }
    for shown in writable {
        mounts.push(Mount {
            at: shown.at,
            what: What::ReadWrite(shown.from),
        });
    }
}

/// Programs outside the system's folders are shown one by one, under the name that they are called by.
fn show_program(mounts: &mut Vec<Mount>, confined: &Confined) {
    let program = &confined.program;
    let granted = confined.read.iter().chain(&confined.write).map(|shown| &shown.at);
    let is_granted = granted.chain(&confined.own).any(|at| program.starts_with(at));
    if system::is_visible(program) || is_granted {
        return;
    }
    if let Ok(real) = std::fs::canonicalize(program) {
        mounts.push(Mount {
            at: program.clone(),
            what: What::ReadOnly(real),
        });
    }
}

fn hide(mounts: &mut Vec<Mount>, hidden: &[Mask]) -> Result<(), SandboxError> {
    for mask in hidden {
        let what = match mask.is_folder {
            true => What::HiddenFolder {
                is_empty: mask.is_empty,
                leads_on: mask.leads_on,
            },
            false => {
                let instead = if mask.is_empty {
                    nothing(&EMPTY, 0o444)
                } else {
                    nothing(&BARRED, 0)
                };
                What::ReadOnly(instead.map_err(|e| SandboxError::SetUp(e.to_string()))?)
            }
        };
        mounts.push(Mount {
            at: mask.at.clone(),
            what,
        });
    }
    Ok(())
}

static EMPTY: Mutex<Option<PathBuf>> = Mutex::new(None);
static BARRED: Mutex<Option<PathBuf>> = Mutex::new(None);

/// A file that is shown in the place of a hidden one: empty, or one that nobody may open. What looks empty would be taken
/// for a change: `git commit -a` would commit that the keys are gone.
fn nothing(made: &Mutex<Option<PathBuf>>, mode: u32) -> std::io::Result<PathBuf> {
    let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(path) = made.as_ref().filter(|path| path.is_file()) {
        return Ok(path.clone());
    }
    let path = std::env::temp_dir().join(format!("planloom-nothing-{}", uuid::Uuid::now_v7()));
    std::fs::File::create_new(&path)?;
    #[cfg(unix)]
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(mode))?;
    #[cfg(not(unix))]
    let _ = mode;
    *made = Some(path.clone());
    Ok(path)
}

fn add(command: &mut Command, walls: &Walls, mount: &Mount) {
    let at = &mount.at;
    match &mount.what {
        What::ReadOnly(from) => command.arg("--ro-bind").arg(from).arg(at),
        What::ReadOnlyTry(from) => command.arg("--ro-bind-try").arg(from).arg(at),
        What::ReadWrite(from) => command.arg("--bind").arg(from).arg(at),
        What::Link(target) => command.arg("--symlink").arg(target).arg(at),
        What::Empty { bytes } => {
            if walls.can_size {
                command.arg("--size").arg(bytes.to_string());
            }
            command.arg("--tmpfs").arg(at)
        }
        What::HiddenFolder { is_empty, leads_on } => {
            // As old as sizes. What leads on can be gone through, and not be read.
            if walls.can_size && !is_empty {
                command.args(["--perms", if *leads_on { "0111" } else { "0000" }]);
            }
            command.arg("--tmpfs").arg(at);
            if *leads_on {
                return;
            }
            command.arg("--remount-ro").arg(at)
        }
        // Whoever is root outside could else set the kernel's own switches in `/proc/sys`, without any capability.
        What::Processes => command.arg("--proc").arg(at).arg("--remount-ro").arg(at),
        What::Devices => command.arg("--dev").arg(at),
    };
}

/// Sets limits inside, where processes are counted apart; without the program for it only the watch from outside is left.
fn limited(walls: &Walls, limits: &Limits) -> Vec<String> {
    if !Path::new(PRLIMIT).is_file() {
        return Vec::new();
    }
    let mut words = vec![PRLIMIT.to_owned(), "--core=0".to_owned()];
    words.push(format!("--data={}", lowest(Resource::Data, limits.memory_bytes)));
    if walls.can_count_processes {
        // Two are the sandbox's own.
        let most = u64::from(limits.processes) + 2;
        words.push(format!("--nproc={}", lowest(Resource::Processes, most)));
    }
    words.push("--".to_owned());
    words
}

enum Resource {
    Data,
    Processes,
}

/// A limit can only be lowered.
fn lowest(resource: Resource, wanted: u64) -> u64 {
    #[cfg(unix)]
    {
        use rustix::process::{Resource as Known, getrlimit};
        let known = match resource {
            Resource::Data => Known::Data,
            Resource::Processes => Known::Nproc,
        };
        getrlimit(known)
            .maximum
            .map_or(wanted, |maximum| maximum.min(wanted))
    }
    #[cfg(not(unix))]
    match resource {
        Resource::Data | Resource::Processes => wanted,
    }
}

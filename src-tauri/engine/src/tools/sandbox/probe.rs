//! Whether there is a sandbox on this machine: found out once, by really using it. It must not know what runs in it.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use super::bubblewrap::{self, Walls};

/// What child processes can be held by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Confinement {
    Bubblewrap(Walls),
    /// In words for people, with what can be done about it.
    None {
        why: String,
    },
}

impl Confinement {
    pub fn why_not(&self) -> Option<&str> {
        match self {
            Self::Bubblewrap(_) => None,
            Self::None { why } => Some(why),
        }
    }
}

/// A slow disk may take its time; whoever waits is told that there is no sandbox rather than kept.
const PATIENCE: Duration = Duration::from_secs(5);

/// Looked for at the first question, which takes some 30 ms; at most seconds where something hangs.
pub fn confinement() -> &'static Confinement {
    static FOUND: OnceLock<Confinement> = OnceLock::new();
    FOUND.get_or_init(|| match look() {
        Ok(walls) => Confinement::Bubblewrap(walls),
        Err(why) => Confinement::None { why },
    })
}

/// Around the calling thread and all that it starts from now on. Does nothing on kernels that do not know it.
///
/// Landlock holds only signals and abstract sockets: rules for files would forbid the mounts that bubblewrap needs, and a
/// program that has no network may well talk to itself over TCP. A filter takes the calls away that no program of a plan
/// needs: the kernel's key rings, which are no file and no process, and what is mostly used to break out.
pub(super) fn second_wall() -> Result<(), String> {
    #[cfg(target_os = "linux")]
    {
        use landlock::{Ruleset, RulesetAttr, Scope};
        let ruleset = Ruleset::default()
            .scope(Scope::AbstractUnixSocket)
            .and_then(|rules| rules.scope(Scope::Signal))
            .and_then(Ruleset::create);
        let done = ruleset.and_then(landlock::RulesetCreated::restrict_self);
        done.map_err(|e| format!("Landlock: {e}"))?;
        match filter() {
            Some(program) => seccompiler::apply_filter(&program).map_err(|e| format!("seccomp: {e}")),
            // A machine that the filter's library does not know.
            None => Ok(()),
        }
    }
    #[cfg(not(target_os = "linux"))]
    Ok(())
}

#[cfg(target_os = "linux")]
fn filter() -> Option<seccompiler::BpfProgram> {
    use seccompiler::{SeccompAction, SeccompFilter};
    let refused = [
        libc::SYS_keyctl,
        libc::SYS_add_key,
        libc::SYS_request_key,
        libc::SYS_bpf,
        libc::SYS_perf_event_open,
        libc::SYS_userfaultfd,
        libc::SYS_io_uring_setup,
        libc::SYS_kexec_load,
        libc::SYS_init_module,
        libc::SYS_finit_module,
        libc::SYS_open_by_handle_at,
    ];
    let rules = refused.into_iter().map(|call| (call, Vec::new())).collect();
    let refusal = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let architecture = std::env::consts::ARCH.try_into().ok()?;
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refusal, architecture).ok()?;
    filter.try_into().ok()
}

fn look() -> Result<Walls, String> {
    if !cfg!(target_os = "linux") {
        return Err("commands run only in a sandbox, and Planloom has none for this system yet".to_owned());
    }
    let path = [
        "/usr/bin/bwrap",
        "/bin/bwrap",
        "/usr/local/bin/bwrap",
        "/run/current-system/sw/bin/bwrap",
    ]
    .into_iter()
    .map(PathBuf::from)
    .find(|path| path.is_file());
    let Some(path) = path else {
        return Err(
            "commands run only in a sandbox, and bubblewrap is not installed; install the package `bubblewrap`"
                .to_owned(),
        );
    };
    let help = answer_of(Command::new(&path).arg("--help")).unwrap_or_default();
    let walls = Walls {
        can_size: help.contains("--size"),
        can_disable_userns: help.contains("--disable-userns"),
        can_count_processes: counts_processes(),
        has_second_wall: true,
        path,
    };
    // The strongest first. An older bubblewrap that is set-uid root can't start behind a second wall.
    let weaker = Walls {
        has_second_wall: false,
        can_disable_userns: false,
        ..walls.clone()
    };
    match try_out(&walls) {
        Ok(()) => Ok(walls),
        Err(first) => try_out(&weaker).map(|()| weaker).map_err(|_| explain(&first)),
    }
}

/// Before Linux 5.14 the limit counted all processes of the person.
fn counts_processes() -> bool {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let mut numbers = release
        .split(['.', '-'])
        .map(|part| part.parse::<u32>().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) >= (5, 14)
}

fn try_out(walls: &Walls) -> Result<(), String> {
    let walls = walls.clone();
    // The second wall stays around its thread.
    let tried = std::thread::spawn(move || {
        if walls.has_second_wall {
            second_wall()?;
        }
        answer_of(&mut bubblewrap::trial(&walls)).map(drop)
    });
    tried
        .join()
        .unwrap_or_else(|_| Err("the trial broke down".to_owned()))
}

/// Runs it for a few seconds at most. `Err`: what it said when it failed.
fn answer_of(command: &mut Command) -> Result<String, String> {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .env_clear();
    let mut child = command.spawn().map_err(|e| e.to_string())?;
    let since = Instant::now();
    while let Ok(None) = child.try_wait() {
        if since.elapsed() > PATIENCE {
            let _ = child.kill();
            let _ = child.wait();
            return Err(format!("it did not answer within {} s", PATIENCE.as_secs()));
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    // What a trial says fits into a pipe.
    let output = child.wait_with_output().map_err(|e| e.to_string())?;
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    if output.status.success() {
        Ok(said(&output.stdout))
    } else {
        Err(said(&output.stderr))
    }
}

fn explain(said: &str) -> String {
    let is_set =
        |file: &str, value: &str| std::fs::read_to_string(file).is_ok_and(|text| text.trim() == value);
    let advice = if is_set("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1") {
        "AppArmor keeps it from making user namespaces, as on Ubuntu 24.04; allow it with a profile \
         (`/etc/apparmor.d/bwrap` with `userns,` for /usr/bin/bwrap) and reload AppArmor"
    } else if is_set("/proc/sys/kernel/unprivileged_userns_clone", "0") {
        "user namespaces are switched off; switch them on with `sysctl kernel.unprivileged_userns_clone=1`"
    } else if is_set("/proc/sys/user/max_user_namespaces", "0") {
        "user namespaces are switched off; switch them on with `sysctl user.max_user_namespaces=10000`"
    } else {
        "in a container it may need the right to make user namespaces"
    };
    format!(
        "commands run only in a sandbox, and bubblewrap does not work here: {}; {advice}",
        super::words::plain(said)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_bubblewrap_says_is_passed_on_with_advice() {
        let told = explain("bwrap: setting up uid map: Permission denied");
        assert!(told.contains("setting up uid map"), "{told}");
        assert!(told.contains("user namespaces"), "{told}");
    }

    #[test]
    fn one_that_hangs_or_fails_is_told() {
        assert_eq!(
            answer_of(Command::new("/bin/sh").args(["-c", "echo yes"])),
            Ok("yes".to_owned())
        );
        assert_eq!(
            answer_of(Command::new("/bin/sh").args(["-c", "echo no >&2; exit 3"])),
            Err("no".to_owned())
        );
        assert!(answer_of(&mut Command::new("/nowhere/bwrap")).is_err());
    }
}

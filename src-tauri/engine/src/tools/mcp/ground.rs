//! What a server's process finds around it: its environment, and behind the sandbox's walls the few places that it needs.
//! It must not know how it is started.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::setup::{Setup, Way};
use crate::tools::Hands;
use crate::tools::login_path::SearchPath;
use crate::tools::sandbox::{Confined, Limits, Shown};

/// Programs that fetch what they start.
const FETCHERS: [&str; 6] = ["npx", "bunx", "pnpx", "uvx", "uv", "pipx"];
/// What a server may use; more than a command, since it stays.
const LIMITS: Limits = Limits {
    wall: std::time::Duration::MAX,
    output_bytes: 0,
    processes: 512,
    memory_bytes: 4 << 30,
};

/// Where servers have folders of their own, and what none of them may see.
#[derive(Clone, Debug, Default)]
pub struct Ground {
    /// Each server gets a folder in it: what it installs stays there.
    pub homes: Option<PathBuf>,
    /// Planloom's own files.
    pub closed: Arc<[PathBuf]>,
    /// Where it is noted what they may write.
    pub hands: Hands,
}

/// How far a start goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// With network for the first time, but without folders and secrets: only to fetch what it consists of.
    Install,
    Work,
}

impl Ground {
    fn home(&self, setup: &Setup) -> Option<PathBuf> {
        Some(self.homes.as_ref()?.join(&setup.name))
    }

    /// Written when what a server consists of was fetched.
    fn mark(&self, setup: &Setup) -> Option<PathBuf> {
        let identity = setup.identity().to_string();
        Some(
            self.home(setup)?
                .join(format!(".installed-{}", &identity[..16.min(identity.len())])),
        )
    }

    /// Whether it must fetch itself first, which is what it gets network for.
    pub(super) fn must_install(&self, setup: &Setup) -> bool {
        let is_confined = !setup.is_unconfined && !setup.has_network;
        is_confined && fetches(setup) && self.mark(setup).is_some_and(|mark| !mark.exists())
    }

    pub(super) fn note_installed(&self, setup: &Setup) {
        if let Some(mark) = self.mark(setup) {
            // Without the mark it is fetched once more.
            let _ = std::fs::write(mark, "");
        }
    }

    pub(super) fn confined(
        &self,
        setup: &Setup,
        program: PathBuf,
        env: Vec<(String, String)>,
        search: &SearchPath,
        stage: Stage,
    ) -> Confined {
        let (args, cwd) = match &setup.way {
            Way::Stdio { args, cwd, .. } => (args.as_slice(), cwd.clone()),
            Way::Http { .. } => (&[][..], None),
        };
        let home = self.home(setup).filter(|_| !setup.is_unconfined);
        let home = home.filter(|home| std::fs::create_dir_all(home).is_ok());
        let mut confined = Confined::new(program, args.iter().map(Into::into).collect());
        confined.env = environment(setup, search, &confined.program, home.as_deref(), stage);
        confined.env.extend(env);
        confined.limits = LIMITS;
        confined.hands = self.hands.clone();
        confined.cwd = cwd;
        if setup.is_unconfined {
            return confined;
        }
        confined.network = setup.has_network || stage == Stage::Install;
        confined.closed = self.closed.to_vec();
        confined.read = seen(&confined, args);
        confined.own = home.clone().into_iter().collect();
        if stage == Stage::Work {
            confined.write = setup.folders.iter().cloned().map(Shown::from).collect();
        }
        confined.cwd = confined.cwd.or(home);
        confined
    }
}

fn fetches(setup: &Setup) -> bool {
    let Way::Stdio { command, .. } = &setup.way else {
        return false;
    };
    let name = Path::new(command).file_stem().and_then(|name| name.to_str());
    name.is_some_and(|name| FETCHERS.contains(&name))
}

/// What the person wrote into the command line is meant to be read: the program with what lies beside it, and files and
/// folders among its arguments.
fn seen(confined: &Confined, args: &[String]) -> Vec<Shown> {
    let mut seen: Vec<PathBuf> = Vec::new();
    let real = std::fs::canonicalize(&confined.program).unwrap_or_else(|_| confined.program.clone());
    for program in [&confined.program, &real] {
        let folder = program.parent().filter(|folder| folder.ends_with("bin"));
        let libraries = folder.and_then(Path::parent).map(|prefix| prefix.join("lib"));
        seen.extend(folder.map(Path::to_owned));
        seen.extend(libraries.filter(|libraries| {
            libraries.join("node_modules").is_dir() || libraries.join("python3").exists()
        }));
    }
    let named = args
        .iter()
        .map(PathBuf::from)
        .filter(|path| path.is_absolute() && path.exists());
    seen.extend(named);
    seen.extend(confined.cwd.clone());
    let is_system = |path: &PathBuf| {
        ["/usr", "/bin", "/sbin", "/lib", "/lib64"]
            .iter()
            .any(|own| path.starts_with(own))
    };
    let is_all = |path: &PathBuf| path.components().count() < 3;
    let mut shown: Vec<Shown> = Vec::new();
    for path in seen.into_iter().filter(|path| !is_system(path) && !is_all(path)) {
        let one = Shown::from(path);
        if !shown.contains(&one) {
            shown.push(one);
        }
    }
    shown
}

/// What a child is told of this machine. Keys that stand in this process's environment are not among it, nor what belongs
/// to the package in which this program came.
fn environment(
    setup: &Setup,
    search: &SearchPath,
    program: &Path,
    home: Option<&Path>,
    stage: Stage,
) -> Vec<(String, String)> {
    const SHARED: [&str; 5] = ["LANG", "LC_ALL", "LC_CTYPE", "TZ", "NO_PROXY"];
    const PERSONS: [&str; 16] = [
        "HOME",
        "USER",
        "LOGNAME",
        "SHELL",
        "TMPDIR",
        "TEMP",
        "TMP",
        "SYSTEMROOT",
        "SYSTEMDRIVE",
        "WINDIR",
        "APPDATA",
        "LOCALAPPDATA",
        "USERPROFILE",
        "PROGRAMDATA",
        "COMSPEC",
        "PATHEXT",
    ];
    let variable = |name: &&str| Some(((*name).to_owned(), std::env::var(name).ok()?));
    let persons = PERSONS.iter().filter(|_| setup.is_unconfined);
    let mut environment: Vec<(String, String)> = SHARED.iter().chain(persons).filter_map(variable).collect();
    for proxy in [
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "http_proxy",
        "https_proxy",
        "no_proxy",
    ] {
        // One with a password in it is a secret.
        environment.extend(variable(&proxy).filter(|(_, value)| !value.contains('@')));
    }
    environment.push((
        "PATH".to_owned(),
        search.for_child(program).to_string_lossy().into_owned(),
    ));
    environment.push(("TERM".to_owned(), "dumb".to_owned()));
    if let Some(home) = home {
        environment.push(("HOME".to_owned(), home.to_string_lossy().into_owned()));
    }
    if stage == Stage::Work && !setup.is_unconfined && !setup.has_network && fetches(setup) {
        // What was fetched is used as it is: there is nobody to ask for a newer one.
        let offline = [
            ("npm_config_offline", "true"),
            ("npm_config_update_notifier", "false"),
            ("UV_OFFLINE", "1"),
        ];
        environment.extend(offline.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }
    environment
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::mcp::testing::setup;

    #[test]
    fn only_what_is_named_is_seen() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("server.py");
        std::fs::write(&script, "").unwrap();
        let mut own = setup(
            "x",
            "python3",
            &[script.to_str().unwrap(), "/", "relative", "/no/such/file"],
        );
        own.is_unconfined = false;
        own.folders = vec![folder.path().join("data")];
        let ground = Ground {
            homes: Some(folder.path().join("servers")),
            ..Ground::default()
        };
        let search = SearchPath::default();
        let confined = |stage| ground.confined(&own, "/usr/bin/python3".into(), Vec::new(), &search, stage);
        let work = confined(Stage::Work);
        assert_eq!(
            work.read.iter().map(|shown| &shown.at).collect::<Vec<_>>(),
            [&script]
        );
        assert_eq!((work.write.len(), work.network), (1, false));
        assert_eq!(work.own, [folder.path().join("servers/x")]);
        let install = confined(Stage::Install);
        assert_eq!((install.write.len(), install.network), (0, true));
        assert!(!ground.must_install(&own));
        let mut npx = setup("y", "/opt/node/bin/npx", &["-y", "pkg"]);
        npx.is_unconfined = false;
        assert!(ground.must_install(&npx));
        std::fs::create_dir_all(folder.path().join("servers/y")).unwrap();
        ground.note_installed(&npx);
        assert!(!ground.must_install(&npx));
        npx.has_network = true;
        assert!(!ground.must_install(&npx));
    }
}

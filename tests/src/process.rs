//! The real `planloom` binary, built first and run as a person would.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;

use planloom_engine::model::Json;
use serde_json::Value;

/// The workspace's root.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the tests lie in the workspace")
}

/// Builds the command line once and gives its path.
pub fn planloom() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        // The folder of the test's own executable is `<profile>/deps`.
        let exe = std::env::current_exe().unwrap();
        let profile = exe.parent().and_then(Path::parent).unwrap();
        // `make test` has built everything with one set of features; building again would take other ones.
        if std::env::var_os("PLANLOOM_BUILT").is_some() {
            return profile.join("planloom");
        }
        let mut build = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".into()));
        build.args(["build", "--quiet", "--package", "planloom-cli", "--target-dir"]);
        build.arg(profile.parent().unwrap()).current_dir(root());
        if profile.ends_with("release") {
            build.arg("--release");
        }
        assert!(build.status().unwrap().success(), "planloom does not build");
        profile.join("planloom")
    })
}

/// What one command said and how it ended.
pub struct Said {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Said {
    pub fn of(output: &Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// The lines of a JSON stream.
    pub fn lines(&self) -> Vec<Json> {
        self.stdout
            .lines()
            .map(|l| serde_json::from_str(l).unwrap_or_else(|e| panic!("{e}: {l}")))
            .collect()
    }

    pub fn last(&self) -> Json {
        self.lines()
            .pop()
            .unwrap_or_else(|| panic!("nothing on stdout; stderr: {}", self.stderr))
    }
}

/// A folder with a database of its own, and commands on it.
pub struct Desk {
    pub folder: tempfile::TempDir,
    /// From the folder.
    db: PathBuf,
}

impl Default for Desk {
    fn default() -> Self {
        Self::on("planloom.db")
    }
}

impl Desk {
    /// With the database at this path from the folder.
    pub fn on(db: &str) -> Self {
        let desk = Self {
            folder: tempfile::tempdir().unwrap(),
            db: db.into(),
        };
        if desk.db().parent().is_some_and(Path::is_dir) {
            desk.choose_models(&serde_json::json!({ "discover": false }));
        }
        desk
    }

    pub fn db(&self) -> PathBuf {
        self.folder.path().join(&self.db)
    }

    pub fn write(&self, name: &str, plan: &Value) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::write(&path, plan.to_string()).unwrap();
        path
    }

    /// On this machine alone: no provider's key, no keychain and no server of models that happen to be here.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(planloom());
        command.args(args).arg("--db").arg(self.db()).arg("--json");
        command.stdin(Stdio::null()).current_dir(self.folder.path());
        let is_secret = |name: &str| name.ends_with("_API_KEY") || name.ends_with("_BASE_URL");
        for (name, _) in std::env::vars().filter(|(name, _)| is_secret(name)) {
            command.env_remove(name);
        }
        command
            .env_remove("DBUS_SESSION_BUS_ADDRESS")
            .env_remove("OLLAMA_HOST");
        command.env("XDG_RUNTIME_DIR", self.folder.path());
        command
    }

    /// What the person chose about models; without it, the usual choice holds but servers are not looked for.
    pub fn choose_models(&self, models: &Value) {
        let settings = serde_json::json!({ "theme": "dark", "models": models });
        std::fs::write(self.db().with_file_name("settings.json"), settings.to_string()).unwrap();
    }

    pub fn say(&self, args: &[&str]) -> Said {
        Said::of(&self.command(args).output().unwrap())
    }

    /// As a person reads it: text instead of JSON.
    pub fn say_plainly(&self, args: &[&str]) -> Said {
        let mut command = Command::new(planloom());
        let whole = self.command(args);
        command.args(whole.get_args().filter(|&arg| arg != "--json"));
        command.stdin(Stdio::null()).current_dir(self.folder.path());
        for (name, value) in whole.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        Said::of(&command.output().unwrap())
    }

    /// Starts a command with these variables set; what it says to people goes to a file too.
    pub fn start_with(&self, args: &[&str], lines: &Path, variables: &[(&str, &str)]) -> Child {
        let file = |path: PathBuf| {
            std::fs::OpenOptions::new()
                .create(true)
                .append(true)
                .open(path)
                .unwrap()
        };
        let mut command = self.command(args);
        command.envs(variables.iter().copied());
        command
            .stdout(file(lines.to_owned()))
            .stderr(file(lines.with_extension("err")));
        command.spawn().unwrap()
    }

    /// Starts a command and lets it run; its lines go to a file, so that a kill loses none that were written.
    pub fn start(&self, args: &[&str], lines: &Path) -> Child {
        let out = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(lines)
            .unwrap();
        self.command(args)
            .stdout(out)
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    }

    /// The newest run.
    pub fn newest(&self) -> Option<String> {
        let runs = self.say(&["runs"]).last();
        runs["runs"][0]["run"].as_str().map(str::to_owned)
    }
}

//! A home with secrets, a plan in it, an engine, and two listeners that nobody may reach.

use std::net::{TcpListener, UdpSocket};
use std::path::{Path, PathBuf};

use planloom_engine::model::Json;
use planloom_engine::run::WhenIdle;
use planloom_engine::tools::sandbox::confinement;
use planloom_engine::{Config, Consent, Engine, Parameters, Shown};
use serde_json::json;

pub const SECRET: &str = "TOP-SECRET-5f2c";

pub struct World {
    home: tempfile::TempDir,
    engine: Engine,
    tcp: TcpListener,
    udp: UdpSocket,
    _socket: std::os::unix::net::UnixListener,
}

impl World {
    /// Or none, where there is no sandbox.
    pub fn new() -> Option<Self> {
        if let Some(why) = confinement().why_not() {
            eprintln!("skipped: {why}");
            return None;
        }
        // Not below `/tmp`, which is a command's own there.
        let home = tempfile::tempdir_in("/var/tmp").unwrap();
        let at = |name: &str| home.path().join(name);
        for folder in [".ssh", "db", "plan/data/deep", "plan/out"] {
            std::fs::create_dir_all(at(folder)).unwrap();
        }
        for file in [
            ".ssh/id",
            "secret.txt",
            "db/settings.json",
            "plan/data/.netrc",
            "plan/data/.env",
            "plan/data/deep/id_rsa",
        ] {
            std::fs::write(at(file), SECRET).unwrap();
        }
        std::fs::write(at("plan/data/a.txt"), "a\n").unwrap();
        std::os::unix::fs::symlink(at("secret.txt"), at("plan/data/link")).unwrap();
        std::os::unix::fs::symlink(home.path(), at("plan/data/folder")).unwrap();
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
        tcp.set_nonblocking(true).unwrap();
        udp.set_nonblocking(true).unwrap();
        Some(Self {
            engine: open(home.path()),
            tcp,
            udp,
            _socket: std::os::unix::net::UnixListener::bind(at("plan/data/socket")).unwrap(),
            home,
        })
    }

    pub fn at(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    pub fn filled_in(&self, script: &str) -> String {
        let port = |address: std::io::Result<std::net::SocketAddr>| address.unwrap().port().to_string();
        script
            .replace("{home}", self.home.path().to_str().unwrap())
            .replace("{plan}", self.at("plan").to_str().unwrap())
            .replace("{pid}", &std::process::id().to_string())
            .replace("{tcp}", &port(self.tcp.local_addr()))
            .replace("{udp}", &port(self.udp.local_addr()))
    }

    /// One task that runs one command, with arguments that only the run knows.
    pub async fn run(&self, grants: Json, inputs: Json) -> Shown {
        let given = inputs.as_object().unwrap();
        let named = |name: &String| (name.clone(), json!({ "$param": name }));
        let plan = json!({
            "goal": "Attack", "grants": grants,
            "parameters": given.keys().map(|name| (name.clone(), json!({}))).collect::<serde_json::Map<_, _>>(),
            "tasks": [{ "id": "run", "instruction": "Run it.", "task_type": "tool", "tool": "shell.run",
                "inputs": given.keys().map(named).collect::<serde_json::Map<_, _>>(), "dependencies": [] }],
        });
        self.run_plan(&plan, &Parameters::Json(inputs)).await
    }

    pub async fn run_plan(&self, plan: &Json, parameters: &Parameters) -> Shown {
        let path = self.at("plan/attack.plan.json");
        std::fs::write(&path, plan.to_string()).unwrap();
        let opened = self.engine.open_run(path, parameters, &Consent::Given).await;
        let run = opened.unwrap_or_else(|e| panic!("{plan}: {e}"));
        self.engine.resume(&run).await.unwrap();
        self.engine.until_left(&run).await.unwrap();
        self.engine.show(&run, None).await.unwrap()
    }

    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Ends the engine and opens another one on the same database.
    pub fn open_anew(&mut self) {
        self.engine = open(self.home.path());
    }

    /// Files outside of what may be written, with what they hold.
    pub fn elsewhere(&self) -> Vec<(PathBuf, Option<String>)> {
        let mut found = Vec::new();
        let mut open = vec![self.home.path().to_owned()];
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(folder).unwrap().flatten() {
                let path = entry.path();
                let is_own = ["plan/out", "db", "plan/attack.plan.json"]
                    .map(|name| self.at(name) == path)
                    .contains(&true);
                match entry.file_type().unwrap() {
                    _ if is_own => {}
                    kind if kind.is_dir() => open.push(path),
                    kind if kind.is_file() => found.push((path.clone(), std::fs::read_to_string(path).ok())),
                    _ => found.push((path, None)),
                }
            }
        }
        found.sort();
        found
    }

    pub fn assert_unreached(&self, script: &str) {
        assert!(self.tcp.accept().is_err(), "{script} reached a listener");
        assert!(self.udp.recv(&mut [0; 8]).is_err(), "{script} reached a socket");
    }
}

fn open(home: &Path) -> Engine {
    let db = home.join("db");
    let config = Config {
        workspaces: Some(db.join("runs")),
        when_idle: WhenIdle::Leave,
        ..Config::new(Some(db.join("planloom.db")), "test")
    };
    Engine::open(config).unwrap()
}

//! What a granted program, or a plan that is granted one, tries beyond its grant: against real processes.
//!
//! The programs of the first table are shells that may run whatever they find: what holds them is the sandbox alone. The
//! second table is about which commands a grant covers, the third about programs that try to stay.

use std::net::{TcpListener, UdpSocket};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use planloom_engine::model::Json;
use planloom_engine::run::WhenIdle;
use planloom_engine::tools::sandbox::confinement;
use planloom_engine::views::{DecisionKind, RunStatus};
use planloom_engine::{Config, Consent, Engine, Parameters, Shown};
use serde_json::json;

const SECRET: &str = "TOP-SECRET-5f2c";

/// How an attempt has to end.
enum Ends {
    /// The program itself meets the wall and says this.
    Says(&'static str),
    /// The call fails with this code.
    Fails(&'static str),
    /// Either way, as long as nothing was reached.
    Anyhow,
}
use Ends::{Anyhow, Fails, Says};

/// `{home}` holds secrets, `{plan}` the plan with `data` (granted for reading) and `out` (granted for writing). Whatever
/// prints the secret, changes a file elsewhere, reaches the listener or leaves a process has escaped.
const SCRIPTS: &[(&str, Ends)] = &[
    // files that are not granted
    ("cat /etc/passwd || echo refused", Says("refused\n")),
    ("cat /etc/shadow || echo refused", Says("refused\n")),
    ("getent passwd root || echo refused", Says("refused\n")),
    ("cat {home}/.ssh/id || echo refused", Says("refused\n")),
    ("cat {home}/secret.txt || echo refused", Says("refused\n")),
    ("cat ~/.bashrc ~/.ssh/* || echo refused", Says("refused\n")),
    (
        "cat {plan}/data/../../secret.txt || echo refused",
        Says("refused\n"),
    ),
    (
        "cd {plan}/data && cat ../../secret.txt || echo refused",
        Says("refused\n"),
    ),
    (
        "cat {home}/db/planloom.db {home}/db/settings.json || echo refused",
        Says("refused\n"),
    ),
    (
        "ls {home} {home}/db",
        Says("{home}:\ndb\nplan\n\n{home}/db:\nruns\n"),
    ),
    ("ls /root /run /boot /sys || echo refused", Says("refused\n")),
    (
        "find / -path /proc -prune -o -path /usr -prune -o -path '*.ssh*' -print | wc -l",
        Says("0\n"),
    ),
    ("cat {plan}/attack.plan.json || echo refused", Says("refused\n")),
    ("cat {plan}/data/.netrc", Says("")),
    ("cat {plan}/data/link || echo refused", Says("refused\n")),
    (
        "cat {plan}/data/folder/secret.txt || echo refused",
        Says("refused\n"),
    ),
    ("cat {plan}/data/socket", Says("")),
    ("test -S {plan}/data/socket || echo refused", Says("refused\n")),
    // links that a program makes itself
    (
        "ln -s {home}/secret.txt {plan}/out/l1; cat {plan}/out/l1 || echo refused",
        Says("refused\n"),
    ),
    (
        "ln -s {home} {plan}/out/l2; echo x > {plan}/out/l2/new || echo refused",
        Says("refused\n"),
    ),
    (
        "ln {home}/secret.txt {plan}/out/hard || echo refused",
        Says("refused\n"),
    ),
    (
        "ln {plan}/data/a.txt {plan}/out/hard || echo refused",
        Says("refused\n"),
    ),
    // writing elsewhere
    ("echo x > {home}/secret.txt || echo refused", Says("refused\n")),
    ("echo x > {home}/new.txt || echo refused", Says("refused\n")),
    ("echo x > {plan}/new.txt || echo refused", Says("refused\n")),
    ("echo x > {plan}/data/new.txt || echo refused", Says("refused\n")),
    ("echo x >> {plan}/data/a.txt || echo refused", Says("refused\n")),
    ("rm -f {plan}/data/a.txt || echo refused", Says("refused\n")),
    ("chmod 777 {plan}/data/a.txt || echo refused", Says("refused\n")),
    (
        "touch -d 2000-01-01 {plan}/data/a.txt || echo refused",
        Says("refused\n"),
    ),
    (
        "mv {plan}/out {plan}/elsewhere || echo refused",
        Says("refused\n"),
    ),
    ("rmdir {plan}/out || echo refused", Says("refused\n")),
    ("echo x > /usr/bin/planted || echo refused", Says("refused\n")),
    ("echo x > /etc/planted || echo refused", Says("refused\n")),
    ("echo x > /planted || echo refused", Says("refused\n")),
    ("echo x > /dev/planted || echo refused", Says("refused\n")),
    // what would run by itself later
    ("echo x > {plan}/out/.bashrc", Fails("closed_path")),
    (
        "mkdir -p {plan}/out/r/.git/hooks; echo x > {plan}/out/r/.git/hooks/pre-commit",
        Fails("closed_path"),
    ),
    (
        "mkdir -p {plan}/out/.SSH; echo x > {plan}/out/.SSH/authorized_keys",
        Fails("closed_path"),
    ),
    // the kernel's doors
    ("mount --bind / {plan}/out || echo refused", Says("refused\n")),
    ("umount {plan}/data || echo refused", Says("refused\n")),
    (
        "mount -o remount,rw {plan}/data || echo refused",
        Says("refused\n"),
    ),
    ("unshare -Urm true || echo refused", Says("refused\n")),
    ("mknod {plan}/out/disk b 8 0 || echo refused", Says("refused\n")),
    (
        "echo x > /proc/sys/kernel/core_pattern || echo refused",
        Says("refused\n"),
    ),
    ("echo b > /proc/sysrq-trigger || echo refused", Says("refused\n")),
    (
        "echo 1 > /proc/self/oom_score_adj || echo refused",
        Says("refused\n"),
    ),
    ("echo said > /dev/stdout", Says("said\n")),
    ("chroot /proc/1/root true || echo refused", Says("refused\n")),
    // other processes
    ("cat /proc/{pid}/environ || echo refused", Says("refused\n")),
    (
        "cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep -c CARGO",
        Fails("exit_code"),
    ),
    (
        "env | grep -vE '^(PATH|HOME|TMPDIR|LANG|TERM|PWD|OLDPWD|SHLVL|_)=' || echo refused",
        Says("refused\n"),
    ),
    (
        "cat /proc/[0-9]*/root{home}/secret.txt || echo refused",
        Says("refused\n"),
    ),
    (
        "cat /proc/[0-9]*/cwd/../secret.txt || echo refused",
        Says("refused\n"),
    ),
    ("kill -9 {pid} || echo refused", Says("refused\n")),
    ("kill -9 -1", Anyhow),
    ("kill -STOP 1; kill -9 1; echo refused", Says("refused\n")),
    (
        "python3 -c 'import ctypes; print(ctypes.CDLL(None).ptrace(16, {pid}, 0, 0))'",
        Says("-1\n"),
    ),
    ("ls /proc | grep -cE '^[0-9]{5,}$' || true", Says("0\n")),
    (
        "LD_PRELOAD={plan}/data/a.txt cat {home}/secret.txt || echo refused",
        Says("refused\n"),
    ),
    ("ulimit -c unlimited || echo refused", Says("refused\n")),
    ("ulimit -d unlimited || echo refused", Says("refused\n")),
    (
        "prlimit --nproc=unlimited true || echo refused",
        Says("refused\n"),
    ),
    // the network
    (
        "bash -c 'echo x > /dev/tcp/127.0.0.1/{tcp}' || echo refused",
        Says("refused\n"),
    ),
    (
        "bash -c 'echo x > /dev/tcp/localhost/{tcp}' || echo refused",
        Says("refused\n"),
    ),
    (
        "bash -c 'echo x > /dev/tcp/::1/{tcp}' || echo refused",
        Says("refused\n"),
    ),
    (
        "bash -c 'echo x > /dev/tcp/169.254.169.254/80' || echo refused",
        Says("refused\n"),
    ),
    (
        "bash -c 'echo x > /dev/tcp/1.1.1.1/443' || echo refused",
        Says("refused\n"),
    ),
    ("bash -c 'echo x > /dev/udp/127.0.0.1/{udp}'; true", Anyhow),
    (
        "bash -c 'echo x > /dev/udp/8.8.8.8/53' || echo refused",
        Says("refused\n"),
    ),
    ("getent hosts example.com || echo refused", Says("refused\n")),
    (
        "python3 -c 'import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW)' || echo refused",
        Says("refused\n"),
    ),
    // more than its share
    ("bomb() { bomb | bomb & }; bomb; sleep 3", Anyhow),
    ("yes", Anyhow),
    ("tail /dev/zero", Anyhow),
    (
        "head -c 5G /dev/zero > /tmp/full || echo refused",
        Says("refused\n"),
    ),
    (
        "head -c 5G /dev/zero > /dev/shm/full || echo refused",
        Says("refused\n"),
    ),
    ("while :; do :; done", Fails("timeout")),
    ("trap '' TERM INT HUP; while :; do :; done", Fails("timeout")),
];

struct World {
    home: tempfile::TempDir,
    engine: Engine,
    tcp: TcpListener,
    udp: UdpSocket,
    _socket: std::os::unix::net::UnixListener,
}

impl World {
    /// Or none, where there is no sandbox.
    fn new() -> Option<Self> {
        if let Some(why) = confinement().why_not() {
            eprintln!("skipped: {why}");
            return None;
        }
        // Not below `/tmp`, which is a command's own there.
        let home = tempfile::tempdir_in("/var/tmp").unwrap();
        let at = |name: &str| home.path().join(name);
        for folder in [".ssh", "db", "plan/data", "plan/out"] {
            std::fs::create_dir_all(at(folder)).unwrap();
        }
        for file in [".ssh/id", "secret.txt", "db/settings.json", "plan/data/.netrc"] {
            std::fs::write(at(file), SECRET).unwrap();
        }
        std::fs::write(at("plan/data/a.txt"), "a\n").unwrap();
        std::os::unix::fs::symlink(at("secret.txt"), at("plan/data/link")).unwrap();
        std::os::unix::fs::symlink(home.path(), at("plan/data/folder")).unwrap();
        let config = Config {
            workspaces: Some(at("db/runs")),
            when_idle: WhenIdle::Leave,
            ..Config::new(Some(at("db/planloom.db")), "test")
        };
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
        tcp.set_nonblocking(true).unwrap();
        udp.set_nonblocking(true).unwrap();
        Some(Self {
            engine: Engine::open(config).unwrap(),
            tcp,
            udp,
            _socket: std::os::unix::net::UnixListener::bind(at("plan/data/socket")).unwrap(),
            home,
        })
    }

    fn at(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    fn filled_in(&self, script: &str) -> String {
        let port = |address: std::io::Result<std::net::SocketAddr>| address.unwrap().port().to_string();
        script
            .replace("{home}", self.home.path().to_str().unwrap())
            .replace("{plan}", self.at("plan").to_str().unwrap())
            .replace("{pid}", &std::process::id().to_string())
            .replace("{tcp}", &port(self.tcp.local_addr()))
            .replace("{udp}", &port(self.udp.local_addr()))
    }

    /// One task that runs one command, with arguments that only the run knows.
    async fn run(&self, grants: Json, inputs: Json) -> Shown {
        let given = inputs.as_object().unwrap();
        let named = |name: &String| (name.clone(), json!({ "$param": name }));
        let plan = json!({
            "goal": "Attack", "grants": grants,
            "parameters": given.keys().map(|name| (name.clone(), json!({}))).collect::<serde_json::Map<_, _>>(),
            "tasks": [{ "id": "run", "instruction": "Run it.", "task_type": "tool", "tool": "shell.run",
                "inputs": given.keys().map(named).collect::<serde_json::Map<_, _>>(), "dependencies": [] }],
        });
        let path = self.at("plan/attack.plan.json");
        std::fs::write(&path, plan.to_string()).unwrap();
        let opened = self
            .engine
            .open_run(path, &Parameters::Json(inputs), &Consent::Given)
            .await;
        let run = opened.unwrap_or_else(|e| panic!("{plan}: {e}"));
        self.engine.resume(&run).await.unwrap();
        self.engine.until_left(&run).await.unwrap();
        self.engine.show(&run, None).await.unwrap()
    }

    /// Files outside of what may be written, with what they hold.
    fn elsewhere(&self) -> Vec<(PathBuf, Option<String>)> {
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

    fn assert_unreached(&self, script: &str) {
        assert!(self.tcp.accept().is_err(), "{script} reached a listener");
        assert!(self.udp.recv(&mut [0; 8]).is_err(), "{script} reached a socket");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_script_leaves_the_sandbox() {
    let Some(world) = World::new() else { return };
    let before = world.elsewhere();
    let grants = json!({ "commands": ["sh"], "read": ["data/"], "write": ["out/"] });
    let mut escaped = Vec::new();
    for (script, ends) in SCRIPTS {
        let script = world.filled_in(script);
        let inputs = json!({ "program": "sh", "args": ["-c", script], "timeout_s": 3 });
        let shown = world.run(grants.clone(), inputs).await;
        let output: Json = serde_json::from_str(shown.outputs[0].as_deref().unwrap_or("{}")).unwrap();
        let error = shown.tasks[0].error.clone();
        let told = format!("{script}\n{output}\n{error:?}");
        let is_held = match ends {
            Says(text) => output["stdout"] == world.filled_in(text),
            Fails(code) => error.as_ref().is_some_and(|e| e.code == *code),
            Anyhow => true,
        };
        if !is_held || told.contains(SECRET) || world.elsewhere() != before {
            escaped.push(told);
        }
        world.assert_unreached(&script);
    }
    assert!(
        escaped.is_empty(),
        "{} of {}:\n{}",
        escaped.len(),
        SCRIPTS.len(),
        escaped.join("\n")
    );
}

/// A grant, a command, and what the person reads of it when it is not covered.
const COMMANDS: &[(&str, &str, &[&str], &str)] = &[
    (
        "git log *",
        "git",
        &["-c", "core.sshCommand=touch x", "log"],
        "where word 2 is `log`; here it is `-c`",
    ),
    ("git log *", "git", &["-C", "/", "log"], "word 2"),
    ("git log *", "git", &["--exec-path=/tmp", "log"], "word 2"),
    ("git log *", "git", &["log --help"], "word 2"),
    ("git log *", "git", &[], "here it is missing"),
    (
        "git log",
        "git",
        &["log", "--output=x"],
        "exactly these words; here more follow",
    ),
    ("git log", "git", &["log", ""], "here more follow"),
    ("git", "/usr/bin/git", &["log"], "a path counts as itself"),
    ("git", "./git", &[], "a path counts as itself"),
    ("git", "../git", &[], "a path counts as itself"),
    ("git", "run:/git", &[], "a path counts as itself"),
    ("/usr/bin/git", "git", &[], "it could be another program"),
    ("/usr/bin/git", "/usr/bin/../../tmp/git", &[], "another program"),
    ("git", "GIT", &[], "another program"),
    ("git", "g\u{456}t", &[], ""),
    ("git", "gitx", &[], ""),
    ("git", "git ", &[], ""),
    ("git", " git", &[], ""),
    ("git", "git log", &[], ""),
    ("git", "git;sh", &[], ""),
    ("git", "$(git)", &[], ""),
    ("git", "`git`", &[], ""),
    ("git", "--", &["git"], ""),
    ("git", "-c", &["git"], ""),
    ("ls", "sh", &["-c", "ls"], ""),
    ("ls", "env", &["ls"], ""),
    ("ls", "xargs", &["ls"], ""),
    ("ls", "ls|sh", &[], ""),
    ("ls -l", "ls", &["-l -a"], "word 2"),
    ("ls *", "/bin/ls", &[], "a path counts as itself"),
    ("echo '*'", "echo", &["/etc"], "word 2"),
    ("* ", "sh", &[], ""),
    ("s*", "sh", &[], ""),
    ("'sh", "sh", &[], ""),
    ("sh # only ls", "sh", &[], ""),
    ("sh\nls", "sh", &[], ""),
];

#[tokio::test(flavor = "multi_thread")]
async fn no_command_is_run_but_what_the_words_say() {
    let Some(world) = World::new() else { return };
    for (entry, program, args, why) in COMMANDS {
        let shown = world
            .run(
                json!({ "commands": [entry] }),
                json!({ "program": program, "args": args }),
            )
            .await;
        let told = format!(
            "{entry:?} for {program:?} {args:?}: {:?} {:?}",
            shown.tasks[0].error, shown.decisions
        );
        assert_eq!(shown.row.status, RunStatus::Waiting, "{told}");
        assert_eq!(shown.decisions[0].kind, DecisionKind::Grant, "{told}");
        assert!(shown.decisions[0].question.contains(why), "{told}");
        assert_eq!(shown.tasks[0].attempts, 0, "{told}");
    }
}

/// Arguments that are no command at all, under a grant of everything that could be meant.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_command_fails_before_anything_starts() {
    let Some(world) = World::new() else { return };
    let rows = [
        (json!({ "program": "" }), "bad_arguments"),
        (json!({ "program": "." }), "bad_arguments"),
        (json!({ "program": "sh\n" }), "bad_arguments"),
        (json!({ "program": "sh\u{0}" }), "bad_arguments"),
        (json!({ "program": "run:/../sh" }), "bad_arguments"),
        (json!({ "program": "run:sh/x" }), "bad_arguments"),
        (json!({ "program": "sh", "args": ["-c\u{0}"] }), "bad_arguments"),
        (json!({ "program": "sh", "args": "-c ls" }), "bad_arguments"),
        (json!({ "program": "sh", "args": ["a", 1] }), "bad_arguments"),
        (json!({ "program": "sh", "timeout_s": 1e9 }), "bad_arguments"),
        (json!({ "program": "sh", "cwd": "run:/../.." }), "bad_arguments"),
        (json!({ "program": "sh", "cwd": "run:/none" }), "not_found"),
        (json!({ "program": "nowhere-to-be-found" }), "program_not_found"),
        (json!({ "program": "{plan}/.git/hooks/x" }), "closed_path"),
        (json!({ "program": "{home}/.ssh/id" }), "closed_path"),
        (json!({ "program": "{plan}/data/a.txt" }), "program_not_found"),
    ];
    for (inputs, code) in rows {
        let inputs: Json = serde_json::from_str(&world.filled_in(&inputs.to_string())).unwrap();
        let program = inputs["program"].as_str().unwrap_or_default();
        let named = if program.starts_with('/') { program } else { "sh" };
        let grants = json!({ "commands": ["sh", "nowhere-to-be-found", named], "read": ["data/"] });
        let shown = world.run(grants, inputs.clone()).await;
        let error = shown.tasks[0].error.as_ref();
        assert_eq!(
            error.map(|e| e.code.as_str()),
            Some(code),
            "{inputs}: {error:?} {:?}",
            shown.decisions
        );
    }
}

/// A place to start in that is not granted is asked for, and Planloom's own data can't be had even with a grant.
#[tokio::test(flavor = "multi_thread")]
async fn no_folder_is_opened_by_starting_in_it() {
    let Some(world) = World::new() else { return };
    for cwd in [
        "/",
        "{home}",
        "..",
        "data/..",
        "{plan}/data/folder",
        "/proc/self",
        "/etc",
        "{home}/db",
    ] {
        let inputs = json!({ "program": "sh", "args": ["-c", "ls"], "cwd": world.filled_in(cwd) });
        let shown = world
            .run(json!({ "commands": ["sh"], "read": ["data/a.txt"] }), inputs)
            .await;
        let told = format!("{cwd}: {:?} {:?}", shown.tasks[0].error, shown.decisions);
        assert_eq!(
            shown.decisions.first().map(|d| d.kind),
            Some(DecisionKind::Grant),
            "{told}"
        );
    }
    for (grants, code) in [
        (json!({ "write": ["{home}/db/"] }), "closed_path"),
        (json!({ "write": ["{home}/**"] }), "closed_path"),
        (json!({ "write": ["/"] }), "closed_path"),
        (json!({ "read": ["/"] }), "closed_path"),
        (json!({ "read": ["/proc/"] }), "closed_path"),
        (json!({ "write": ["/dev/shm/"] }), "closed_path"),
        (json!({ "read": ["{home}/.ssh/"] }), "closed_path"),
        (json!({ "read": ["data/folder/"] }), "leads_outside"),
        (json!({ "write": ["data/link"] }), "leads_outside"),
    ] {
        let mut grants: Json = serde_json::from_str(&world.filled_in(&grants.to_string())).unwrap();
        grants["commands"] = json!(["sh"]);
        let shown = world
            .run(grants.clone(), json!({ "program": "sh", "args": ["-c", "true"] }))
            .await;
        let error = shown.tasks[0].error.as_ref();
        assert_eq!(error.map(|e| e.code.as_str()), Some(code), "{grants}: {error:?}");
    }
    // Read as a whole, the home shows neither keys nor the database.
    let grants = json!({ "commands": ["sh"], "read": [world.filled_in("{home}/")] });
    let script = world.filled_in(
        "cat {home}/.ssh/id {home}/db/planloom.db {home}/db/settings.json; ls -A {home}/.ssh | wc -l",
    );
    let shown = world
        .run(grants, json!({ "program": "sh", "args": ["-c", script] }))
        .await;
    let output: Json = serde_json::from_str(shown.outputs[0].as_deref().unwrap()).unwrap();
    assert_eq!(
        (&output["stdout"], &output["stderr"]),
        (
            &json!("0\n"),
            &json!(format!(
                "cat: {}: No such file or directory\n",
                world.at(".ssh/id").display()
            ))
        )
    );
}

/// Programs that try to outlive their call.
const STAYING: &[&str] = &[
    "sleep {n} & true",
    "setsid sleep {n} & true",
    "nohup sleep {n} >/dev/null 2>&1 & true",
    "(setsid sh -c 'sleep {n} & sleep {n}' >/dev/null 2>&1 </dev/null &) ; true",
    "trap '' HUP TERM INT; (trap '' HUP TERM INT; setsid sleep {n} >&- 2>&- <&-) & true",
    "perl -e 'fork and exit; setpgrp; fork and exit; exec \"sleep\", \"{n}\"'",
    "for i in 1 2 3 4 5 6 7 8 9; do setsid sh -c 'setsid sleep {n} &' & done; true",
    "setsid sleep {n}; true",
];

#[tokio::test(flavor = "multi_thread")]
async fn nothing_outlives_its_call() {
    let Some(world) = World::new() else { return };
    for (ix, script) in STAYING.iter().enumerate() {
        let number = format!("62.81{ix}");
        let script = script.replace("{n}", &number);
        let inputs = json!({ "program": "sh", "args": ["-c", script], "timeout_s": 1 });
        world.run(json!({ "commands": ["sh"] }), inputs).await;
        let since = Instant::now();
        while is_living(&number) {
            assert!(since.elapsed() < Duration::from_secs(1), "{script} lives on");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

/// An engine that is killed without a word takes its commands with it.
#[test]
fn a_killed_engine_leaves_no_command() {
    if World::new().is_none() {
        return;
    }
    // One is killed at its first sign of life, when the walls may not even stand, the other a moment later.
    for (pause, script) in [
        (0, "setsid sleep 62.8299 & trap '' TERM; sleep 62.8299"),
        (300, "setsid sleep 62.8298 & trap '' TERM; sleep 62.8298"),
    ] {
        kill_engine_that_runs(script, Duration::from_millis(pause));
    }
}

fn kill_engine_that_runs(script: &str, pause: Duration) {
    let mark = script.rsplit(' ').next().unwrap();
    let desk = planloom_tests::process::Desk::default();
    let plan = json!({ "tasks": [{ "id": "run", "instruction": "Run it.", "task_type": "tool", "tool": "shell.run",
        "inputs": { "program": "/bin/sh", "args": ["-c", script] } }] });
    let plan = desk.write("a.plan.json", &plan);
    let lines = desk.folder.path().join("lines");
    let mut engine = desk.start(&["run", plan.to_str().unwrap(), "--yes"], &lines);
    let until = |is_wanted: &dyn Fn() -> bool| {
        let since = Instant::now();
        while !is_wanted() && since.elapsed() < Duration::from_secs(10) {
            std::thread::sleep(Duration::from_millis(20));
        }
        is_wanted()
    };
    assert!(until(&|| is_living(mark)), "it did not start");
    std::thread::sleep(pause);
    engine.kill().unwrap();
    engine.wait().unwrap();
    assert!(until(&|| !is_living(mark)), "it lives on after {pause:?}");
}

/// A process that is more than a name waiting to be read by whoever has to.
fn is_living(mark: &str) -> bool {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let mut lines = entries.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    lines.any(|line| String::from_utf8_lossy(&line).contains(mark))
}

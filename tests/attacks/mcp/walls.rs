//! What a server's process can reach behind the sandbox's walls.

use planloom_engine::tools::sandbox::{Confinement, confinement};
use planloom_tests::servers::{call, tool};

use super::*;

/// Where there is no sandbox nothing starts in it, which has a test of its own.
fn has_walls() -> bool {
    let is_there =
        matches!(confinement(), Confinement::Bubblewrap(_)) && Path::new("/usr/bin/python3").exists();
    if !is_there {
        eprintln!("skipped: there is no sandbox, or no /usr/bin/python3");
    }
    is_there
}

/// What it tries: one file and one place that it may have, and all others.
fn wanted(root: &Path, granted: &Path, bench: &Bench, port: u16) -> serde_json::Value {
    json!({
        "read": {
            "granted": granted.join("in.txt"), "secret": root.join("secret.txt"), "link": granted.join("link.txt"),
            "climb": granted.join("../secret.txt"), "accounts": "/etc/passwd", "memory": "/proc/1/environ",
            "database": bench.cache(), "other_home": "/root/.bashrc", "keys": format!("{}/.ssh/id_rsa", std::env::var("HOME").unwrap_or_default()),
        },
        "write": {
            "own": granted.join("out.txt"), "beside": root.join("out.txt"), "system": "/usr/bin/planloom-was-here",
            "program": script("hostile.py"), "root": "/planloom-was-here",
        },
        "connect": { "network": port },
        "kill": { "parent": std::process::id() },
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_confined_server_reaches_its_folders_and_nothing_else() {
    if !has_walls() {
        return;
    }
    let outside = tempfile::tempdir().unwrap();
    let root = outside.path().canonicalize().unwrap();
    let granted = root.join("granted");
    std::fs::create_dir(&granted).unwrap();
    for file in ["secret.txt", "granted/in.txt"] {
        std::fs::write(root.join(file), "words").unwrap();
    }
    std::os::unix::fs::symlink(root.join("secret.txt"), granted.join("link.txt")).unwrap();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let mut bench = Bench::default();
    let (marks, script) = (granted.to_str().unwrap().to_owned(), script("hostile.py"));
    let entry =
        json!({ "command": "/usr/bin/python3", "args": [script, "reach", marks], "folders": [granted] });
    bench.set("h", entry);
    bench.look("h").await.unwrap();
    let servers = bench.servers();
    let wanted = wanted(&root, &granted, &bench, listener.local_addr().unwrap().port());
    let arguments = json!({ "text": wanted.to_string() });
    let result = call(
        &*tool(&servers, "h/good").unwrap(),
        arguments,
        &bench.context(None),
    )
    .await
    .unwrap();
    let had: serde_json::Value =
        serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(
        (&had["granted"], &had["own"]),
        (&json!("words"), &json!(true)),
        "{had}"
    );
    for name in [
        "secret",
        "link",
        "climb",
        "accounts",
        "database",
        "other_home",
        "keys",
        "system",
        "program",
        "root",
        "network",
        "parent",
    ] {
        assert_eq!(had[name], json!(null), "{name}: {had}");
    }
    assert!(!root.join("out.txt").exists());
    let variables = had["variables"].to_string();
    assert!(
        !variables.contains("CARGO") && !variables.contains("USER"),
        "{variables}"
    );
    // Its own process environment holds no more than that either.
    assert!(!had["memory"].to_string().contains("CARGO"), "{had}");
}

/// What it installs stays in a folder of its own from one start to the next.
#[tokio::test(flavor = "multi_thread")]
async fn a_confined_server_keeps_a_home_of_its_own() {
    if !has_walls() {
        return;
    }
    let bench = Bench::default();
    let home = bench.folder().join("servers/h");
    let bench = bench.with(
        "h",
        json!({ "command": "/usr/bin/python3", "args": [script("hostile.py"), "reach", "/tmp"] }),
    );
    bench.look("h").await.unwrap();
    let servers = bench.servers();
    let write = json!({ "text": json!({ "write": { "own": home.join("kept.txt") } }).to_string() });
    let tool = tool(&servers, "h/good").unwrap();
    call(&*tool, write, &bench.context(None)).await.unwrap();
    assert_eq!(std::fs::read_to_string(home.join("kept.txt")).unwrap(), "x");
}

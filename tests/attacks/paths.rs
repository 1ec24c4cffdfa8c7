//! File tools that are led out of what was granted: by spelling, by links, by special files.

use planloom_engine::model::Json;
use planloom_tests::rig::Rig;
use serde_json::json;

use crate::support::{all_refused, attempts, ends};

const SECRET: &str = "TOP-SECRET-7f3a";

fn prepare(folder: &std::path::Path) {
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("secret.txt", SECRET);
    write("private/key.txt", SECRET);
    write("in/ok.txt", "fine");
    write("in/.ssh/id_ed25519", SECRET);
    write("in/.aws/credentials", SECRET);
    write("in/.netrc", SECRET);
    for name in KEYS {
        write(&format!("in/{name}"), SECRET);
    }
    write("in/.env.example", "fine");
    write("out/ok.txt", "fine");
    write("out/.git/hooks/sample", "x");
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        symlink(folder.join("secret.txt"), folder.join("in/link.txt")).unwrap();
        symlink("../private", folder.join("in/linked")).unwrap();
        symlink("/dev/zero", folder.join("in/zero")).unwrap();
        symlink("/proc/self/environ", folder.join("in/environ")).unwrap();
        symlink(folder.join("secret.txt"), folder.join("out/link.txt")).unwrap();
        symlink("../private", folder.join("out/linked")).unwrap();
        symlink(folder.join("private/new.txt"), folder.join("out/dangling.txt")).unwrap();
        std::fs::hard_link(folder.join("secret.txt"), folder.join("out/hard.txt")).unwrap();
        std::fs::hard_link(folder.join("private/key.txt"), folder.join("in/hard.txt")).unwrap();
        let made = std::process::Command::new("mkfifo")
            .args([folder.join("in/pipe"), folder.join("out/pipe")])
            .status();
        assert!(made.unwrap().success());
    }
}

fn reads(folder: &std::path::Path) -> Vec<Json> {
    let absolute = |name: &str| folder.join(name).to_string_lossy().into_owned();
    [
        "../secret.txt".to_owned(),
        "secret.txt".to_owned(),
        "in/../secret.txt".to_owned(),
        "in/./x/../../secret.txt".to_owned(),
        "in//..//secret.txt".to_owned(),
        absolute("secret.txt"),
        absolute("in/../secret.txt"),
        "/etc/passwd".to_owned(),
        "/proc/self/environ".to_owned(),
        "/dev/zero".to_owned(),
        "in/link.txt".to_owned(),
        "in/linked/key.txt".to_owned(),
        "in/hard.txt".to_owned(),
        "in/zero".to_owned(),
        "in/environ".to_owned(),
        "in/pipe".to_owned(),
        "in/.ssh/id_ed25519".to_owned(),
        "in/.SSH/id_ed25519".to_owned(),
        "in/.aws/credentials".to_owned(),
        "in/.netrc".to_owned(),
        "IN/ok.txt".to_owned(),
        "out/ok.txt".to_owned(),
        "run:/../secret.txt".to_owned(),
        "RUN:/secret.txt".to_owned(),
        "file:///etc/passwd".to_owned(),
        "~/.bashrc".to_owned(),
        "in/%2e%2e/secret.txt".to_owned(),
        "C:\\Windows\\win.ini".to_owned(),
        "\\\\server\\share\\x".to_owned(),
        "in/ok.txt\u{0}.png".to_owned(),
        "in/ok\n.txt".to_owned(),
        "in".to_owned(),
        String::new(),
        "x/".repeat(3000),
    ]
    .into_iter()
    .chain(KEYS.iter().map(|name| format!("in/{name}")))
    .map(Json::from)
    .collect()
}

/// Files that no folder and no pattern grants.
const KEYS: &[&str] = &[
    ".env",
    ".env.production",
    "deep/.env.local",
    "id_rsa",
    "deep/ID_ED25519",
    "server.pem",
    "tls/Server.KEY",
    "cert.p12",
    "cert.pfx",
    "words.kdbx",
    "store.jks",
    "credentials.json",
    ".my.cnf",
    "main.tfstate",
];

const WRITES: &[&str] = &[
    "secret.txt",
    "out/../secret.txt",
    "/var/planloom-attack-file",
    "in/new.txt",
    "out/link.txt",
    "out/linked/new.txt",
    "out/dangling.txt",
    "out/hard.txt",
    "out/pipe",
    "out/.git/hooks/post-checkout",
    "out/.GIT/Hooks/pre-commit",
    "out/.bashrc",
    "out/.Bash_Profile",
    "out/.ssh/authorized_keys",
    "out/.config/autostart/x.desktop",
    "out/sub/",
    "run:/../../x",
];

#[tokio::test(start_paused = true)]
async fn no_spelling_link_or_device_leads_a_reading_tool_out() {
    let rig = Rig::in_memory();
    prepare(rig.folder());
    let tools = ["file.read", "csv.read"];
    let rows: Vec<(&str, Json)> = reads(rig.folder())
        .into_iter()
        .enumerate()
        .map(|(ix, path)| (tools[ix % 2], json!({ "path": path })))
        .collect();
    let shown = rig.run(&attempts(&json!({ "read": ["in/"] }), &rows)).await;
    all_refused(&shown, &rows, SECRET);
    assert!(rows.len() >= 30);
}

#[tokio::test(start_paused = true)]
async fn no_spelling_link_or_device_leads_a_writing_tool_out() {
    let rig = Rig::in_memory();
    prepare(rig.folder());
    let rows: Vec<(&str, Json)> = WRITES
        .iter()
        .map(|path| ("file.write", json!({ "path": path, "text": "overwritten" })))
        .collect();
    let shown = rig.run(&attempts(&json!({ "write": ["out/"] }), &rows)).await;
    all_refused(&shown, &rows, "");
    let text = |name: &str| std::fs::read_to_string(rig.folder().join(name)).unwrap();
    assert_eq!(
        (text("secret.txt").as_str(), text("private/key.txt").as_str()),
        (SECRET, SECRET)
    );
    for name in [
        "private/new.txt",
        "in/new.txt",
        "out/.bashrc",
        "out/.git/hooks/post-checkout",
    ] {
        assert!(!rig.folder().join(name).exists(), "{name}");
    }
    assert!(rows.len() >= 16);
}

/// The table itself is right: what is granted goes through.
#[tokio::test(start_paused = true)]
async fn what_is_granted_is_read() {
    let rig = Rig::in_memory();
    prepare(rig.folder());
    let rows = [
        "in/../in/ok.txt",
        "in/.env.example",
        "in/.env",
        "in/deep/.env.local",
    ]
    .map(|path| ("file.read", json!({ "path": path })));
    let grants = json!({ "read": ["in/", "in/.env", "./in/deep/.env.local"] });
    let shown = rig.run(&attempts(&grants, &rows)).await;
    for end in ends(&shown, rows.len()) {
        assert!(end.starts_with("NOT REFUSED"), "{end}");
    }
    // As it stands in the plan that was approved, where it is called what it is.
    let literal = json!({ "id": "a", "instruction": "x", "task_type": "tool", "tool": "file.read", "inputs": { "path": "in/.env" } });
    let run = rig.open(&json!({ "tasks": [literal] })).await;
    let told = rig.engine.approval(&run).await.unwrap().needs;
    assert!(told[0].note.contains("SECRET FILE"), "{}", told[0].note);
    let shown = rig.go_on(&run).await;
    assert_eq!(planloom_tests::rig::output_of(&shown, "a")["text"], SECRET);
}

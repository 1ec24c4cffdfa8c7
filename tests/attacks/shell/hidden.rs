//! What a command makes of files that it may not see: it must not take them for gone.

use planloom_engine::views::RunStatus;
use serde_json::json;

use super::world::{SECRET, World};

/// `git commit -a` of a program that sees an empty file would take the keys out of the repository.
#[tokio::test(flavor = "multi_thread")]
async fn a_commit_does_not_drop_what_is_hidden() {
    let Some(world) = World::new() else { return };
    let repository = world.at("plan/out/repo");
    std::fs::create_dir_all(repository.join(".aws")).unwrap();
    for name in [".npmrc", ".env", "server.pem", ".aws/config", "a.txt"] {
        std::fs::write(repository.join(name), SECRET).unwrap();
    }
    let git = |args: &[&str]| {
        let mut command = std::process::Command::new("git");
        let who = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
        let done = command
            .arg("-C")
            .arg(&repository)
            .args(who)
            .args(args)
            .output()
            .unwrap();
        String::from_utf8_lossy(&done.stdout).into_owned()
    };
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    git(&["commit", "-qm", "first"]);
    std::fs::write(repository.join("a.txt"), "changed").unwrap();
    for script in [
        "git commit -qam x",
        "git add -A; git commit -qm x",
        "git stash -q",
        "git add -u && git commit -qm x",
    ] {
        let script = world.filled_in(&format!("cd {{plan}}/out/repo; git config --global user.name a; git config --global user.email a@b; {script}; true"));
        let shown = world
            .run(
                json!({ "commands": ["sh"], "write": ["out/"] }),
                json!({ "program": "sh", "args": ["-c", script] }),
            )
            .await;
        assert_eq!(
            shown.row.status,
            RunStatus::Succeeded,
            "{script}: {:?}",
            shown.tasks
        );
        for name in [".npmrc", ".env", "server.pem", ".aws/config"] {
            assert_eq!(
                git(&["show", &format!("HEAD:{name}")]),
                SECRET,
                "{script}: {name}"
            );
            assert_eq!(
                std::fs::read_to_string(repository.join(name)).unwrap(),
                SECRET,
                "{script}: {name}"
            );
        }
    }
}

//! Real processes behind real walls. Where there is no sandbox, the tests say so and pass.

use std::path::Path;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::*;

/// Whether to go on; else says why not.
fn is_off() -> bool {
    match confinement().why_not() {
        None => false,
        Some(why) => {
            eprintln!("skipped: {why}");
            true
        }
    }
}

fn sh(script: &str) -> Confined {
    let mut confined = Confined::new("/bin/sh".into(), vec!["-c".into(), script.into()]);
    confined.limits.wall = Duration::from_secs(10);
    confined
}

async fn ended(confined: &Confined) -> (End, String, String) {
    let ended = run(confined, None, &CancellationToken::new()).await.unwrap();
    let text = |caught: Caught| String::from_utf8(caught.into_bytes()).unwrap();
    (ended.end, text(ended.stdout), text(ended.stderr))
}

/// Processes whose command line holds this mark.
fn living(mark: &str) -> usize {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = entries.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    lines
        .filter(|line| String::from_utf8_lossy(line).contains(mark))
        .count()
}

async fn until_none(mark: &str) {
    let since = Instant::now();
    while living(mark) > 0 {
        assert!(since.elapsed() < Duration::from_secs(3), "`{mark}` lives on");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn only_what_is_granted_is_there() {
    if is_off() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (read, write) = (folder.path().join("read"), folder.path().join("write"));
    for path in [&read, &write] {
        std::fs::create_dir(path).unwrap();
        std::fs::write(path.join("a.txt"), "a").unwrap();
    }
    std::fs::write(folder.path().join("beside.txt"), "no").unwrap();
    let script = format!(
        "cd {}; cat read/a.txt; ls; echo b > write/b.txt; echo c > read/c.txt || echo no; cat /etc/passwd || echo no; env; id -u",
        folder.path().display()
    );
    let mut confined = sh(&script);
    confined.read = vec![read.clone().into()];
    confined.write = vec![write.clone().into()];
    let (end, stdout, stderr) = ended(&confined).await;
    assert_eq!(end, End::Exited(0), "{stderr}");
    assert!(stdout.starts_with("aread\nwrite\nno\nno\n"), "{stdout}\n{stderr}");
    assert!(
        stdout.contains("HOME=/tmp\n") && stdout.contains("TERM=dumb\n"),
        "{stdout}"
    );
    assert!(!stdout.contains("CARGO"), "{stdout}");
    assert_eq!(std::fs::read_to_string(write.join("b.txt")).unwrap(), "b\n");
    assert!(!read.join("c.txt").exists());
}

#[tokio::test]
async fn a_server_talks_until_it_is_let_go_and_takes_its_children_with_it() {
    if is_off() {
        return;
    }
    use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
    let mark = "86431.5";
    let mut child = spawn(&sh(&format!("sleep {mark} & setsid sleep {mark} & cat"))).unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    child.stdin.as_mut().unwrap().write_all(b"hello\n").await.unwrap();
    assert_eq!(lines.next_line().await.unwrap().unwrap(), "hello");
    assert!(living(mark) >= 2);
    drop(child);
    until_none(mark).await;
}

#[tokio::test]
async fn a_server_ends_when_its_input_does() {
    if is_off() {
        return;
    }
    let mut child = spawn(&sh("cat; exit 7")).unwrap();
    drop(child.stdin.take());
    let gone = child.wait().await;
    assert_eq!(
        gone,
        Gone {
            code: 7,
            excess: None
        }
    );
}

#[tokio::test]
async fn an_unconfined_one_is_ended_too() {
    let mark = "86432.5";
    let child = spawn_unconfined(&sh(&format!("sleep {mark} & sleep {mark}"))).unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(living(mark) >= 2 || !Path::new("/proc").exists());
    drop(child);
    until_none(mark).await;
}

#[tokio::test]
async fn cancelling_and_dropping_end_the_whole_tree() {
    if is_off() {
        return;
    }
    let mark = "86433.5";
    let confined = sh(&format!(
        "trap '' TERM; (trap '' TERM; sleep {mark}) & sleep {mark}; sleep {mark}"
    ));
    let cancel = CancellationToken::new();
    let cancelling = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        assert!(living(mark) > 0);
        cancel.cancel();
        Instant::now()
    };
    let (ended, since) = tokio::join!(run(&confined, None, &cancel), cancelling);
    assert!(matches!(ended, Err(SandboxError::Cancelled)), "{ended:?}");
    assert!(since.elapsed() < Duration::from_secs(1), "{:?}", since.elapsed());
    until_none(mark).await;

    let never = CancellationToken::new();
    let dropped = tokio::time::timeout(Duration::from_millis(200), run(&confined, None, &never));
    assert!(dropped.await.is_err());
    until_none(mark).await;
}

#[tokio::test]
async fn limits_end_it() {
    if is_off() {
        return;
    }
    let mut confined = sh("while :; do sleep 9 & done");
    confined.limits.processes = 40;
    let since = Instant::now();
    let (end, ..) = ended(&confined).await;
    assert_ne!(end, End::Exited(0));
    assert!(since.elapsed() < Duration::from_secs(9));

    let mut confined = sh("yes");
    confined.limits.output_bytes = 1000;
    let flooded = run(&confined, None, &CancellationToken::new()).await.unwrap();
    assert_eq!(flooded.end, End::Flood);
    assert!(flooded.stdout.left_out() > 0);
    assert!(flooded.stdout.into_bytes().len() < 1100);

    // Memory that is filled through a pipe of this process's own.
    let mut confined = sh("head -c 400000000 /dev/zero | tail -c 390000000 | wc -c");
    confined.limits.memory_bytes = 100 << 20;
    let (end, stdout, _) = ended(&confined).await;
    assert!(
        end == End::Excess(Excess::Memory) || !stdout.contains("390000000"),
        "{end:?} {stdout}"
    );
}

#[tokio::test]
async fn hidden_places_are_barred_and_planted_ones_are_moved_aside() {
    if is_off() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir_all(at("deep/.ssh")).unwrap();
    std::fs::write(at("deep/.ssh/id"), "key").unwrap();
    std::fs::write(at("deep/.netrc"), "password").unwrap();
    std::fs::create_dir_all(at(".git/hooks")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
    for name in ["deep/.env", "deep/server.key", "named.pem"] {
        std::fs::write(at(name), "password").unwrap();
    }
    std::fs::write(at("deep/.env.example"), "shown\n").unwrap();
    std::fs::write(at(".git/config"), "password").unwrap();
    let mut confined = sh(
        "ls deep/.ssh 2>&1; cat deep/.netrc deep/.env deep/server.key 2>&1; cat deep/.env.example named.pem .git/config; \
         ls .git/hooks; echo key > deep/new.pem; test -S socket || echo no socket; \
         echo x > deep/.netrc || echo no; echo x > .git/hooks/post-commit || echo no; echo evil > deep/.bashrc",
    );
    confined.write = vec![folder.path().to_owned().into()];
    confined.read = vec![at("named.pem").into()];
    confined.cwd = Some(folder.path().to_owned());
    let ended = run(&confined, None, &CancellationToken::new()).await.unwrap();
    let stdout = String::from_utf8(ended.stdout.into_bytes()).unwrap();
    let barred = |what: &str| format!("{what}: Permission denied\n");
    let expected = [
        barred("ls: cannot open directory 'deep/.ssh'"),
        barred("cat: deep/.netrc"),
        barred("cat: deep/.env"),
        barred("cat: deep/server.key"),
        "shown\npasswordno socket\nno\nno\n".to_owned(),
    ];
    assert_eq!(stdout, expected.concat());
    assert!(
        at("deep/new.pem").exists(),
        "what a program makes for itself stays"
    );
    assert_eq!(ended.moved_aside, [at("deep/.bashrc.planloom-closed-0")]);
    assert!(!at("deep/.bashrc").exists() && !at(".git/hooks/post-commit").exists());
    assert_eq!(std::fs::read_to_string(at("deep/.netrc")).unwrap(), "password");
}

#[tokio::test]
async fn what_can_not_be_shown_is_refused() {
    if is_off() {
        return;
    }
    for place in [
        "/proc",
        "/proc/self",
        "/dev/shm",
        "/sys/kernel",
        "/home/me/.ssh",
        "/",
    ] {
        let mut confined = sh(":");
        confined.write = vec![Path::new(place).to_owned().into()];
        let refused = run(&confined, None, &CancellationToken::new()).await;
        assert!(
            matches!(refused, Err(SandboxError::Closed(..))),
            "{place}: {refused:?}"
        );
    }
    let mut confined = sh(":");
    confined.env = vec![("LD_PRELOAD".to_owned(), "/var/x.so".to_owned())];
    assert!(matches!(
        run(&confined, None, &CancellationToken::new()).await,
        Err(SandboxError::SetUp(_))
    ));
    let confined = Confined::new("sh".into(), Vec::new());
    assert!(matches!(
        run(&confined, None, &CancellationToken::new()).await,
        Err(SandboxError::NotAbsolute(_))
    ));
}

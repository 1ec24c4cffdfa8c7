//! Servers as processes: full pipes, slow starts, early ends.

use std::path::PathBuf;
use std::time::Instant;

use super::*;
use crate::tools::mcp::server::{Around, NoConnection, Server, Standing};
use crate::tools::mcp::setup::Value as Setting;
use crate::tools::mcp::setup::{Setup, Way};
use crate::tools::mcp::testing::setup;
use crate::tools::sandbox::Confinement;

fn file(path: &str) -> String {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(path)
        .to_str()
        .unwrap()
        .to_owned()
}

fn started(setup: Setup, patience: Patience) -> Arc<Server> {
    Server::new(
        setup,
        Around {
            patience,
            ..Around::default()
        },
    )
}

async fn come(server: &Arc<Server>) -> Result<Arc<Connection>, String> {
    let come = timeout(LONG, server.connection(&Default::default()))
        .await
        .unwrap();
    come.map_err(|none| match none {
        NoConnection::NotUp { why, .. } => why.message,
        NoConnection::Cancelled => "cancelled".to_owned(),
    })
}

#[tokio::test]
async fn mcp_02_a_full_stderr_holds_nothing_up() {
    for mode in ["lines", "cr", "bytes"] {
        let script = file("cases/mcp-02-stderr-fills-the-pipe/server.py");
        let server = started(setup("noisy", "python3", &[&script, mode]), Patience::default());
        let connection = come(&server).await.unwrap();
        let begun = Instant::now();
        for text in ["one", "two", "three"] {
            let rig = Rig::new();
            let call = Call {
                connection: &connection,
                who: "noisy/echo",
                tool: "echo",
                arguments: json!({ "t": text }),
                patience: Patience::default(),
                cx: &rig.cx,
            };
            assert_eq!(
                timeout(LONG, call.make()).await.unwrap().unwrap()["content"][0]["text"],
                text
            );
        }
        assert!(
            begun.elapsed() < Duration::from_secs(6),
            "{mode}: {:?}",
            begun.elapsed()
        );
        let kept = connection.stderr();
        assert!(
            !kept.is_empty() && kept.len() <= 4 * (64 << 10),
            "{mode}: {}",
            kept.len()
        );
        assert_eq!(server.standing(), Standing::Ready);
    }
}

/// A second of the case: an interpreter that begins on a busy machine takes several of them.
const SECOND: Duration = Duration::from_millis(150);

#[tokio::test]
async fn mcp_03_a_slow_start_is_waited_for_and_an_end_is_told() {
    let rows: Vec<Value> = serde_json::from_str(&case("mcp-03-slow-or-dead-at-start/starts.json")).unwrap();
    assert_eq!(rows.len(), 5);
    let mut starting: Vec<_> = rows.into_iter().map(|row| tokio::spawn(start_of(row))).collect();
    for start in starting.drain(..) {
        start.await.unwrap();
    }
}

async fn start_of(row: Value) {
    let events = row["events"].to_string();
    let script = file("../../../tests/mcp/play.py");
    let patience = Patience {
        silence: SECOND * 60,
        install: SECOND * 900,
        ..Patience::default()
    };
    let server = started(setup("x", "python3", &[&script, &events, "0.15"]), patience);
    let begun = Instant::now();
    let waiting = tokio::spawn({
        let server = server.clone();
        async move { come(&server).await }
    });
    if row.get("shown_at_10s").is_some() {
        let mut standing = server.watch();
        let shown = standing.wait_for(|standing| matches!(standing, Standing::Installing(_)));
        timeout(SECOND * 70, shown).await.unwrap().unwrap();
    }
    let come = waiting.await.unwrap();
    let message = come.as_ref().err().cloned().unwrap_or_default();
    let has = |words: &[&str]| assert!(words.iter().all(|word| message.contains(word)), "{message}");
    match row["name"].as_str().unwrap() {
        "cold-npx" => assert!(come.is_ok() && begun.elapsed() > SECOND * 70, "{message}"),
        "dies-early" => {
            has(&["API_TOKEN is not set", "exit status: 1"]);
            assert!(begun.elapsed() < SECOND * 59, "its end is told before any limit");
            assert!(matches!(server.standing(), Standing::Failed(why) if why.contains("API_TOKEN")));
        }
        "silent" => has(&["no output at all within the limit"]),
        "exits-0" => has(&["ended before the handshake", "usage: demo"]),
        "port-taken" => has(&["within the limit", "EADDRINUSE"]),
        other => panic!("{other}"),
    }
}

/// What is written is no reason to wait for ever: neither messages of the protocol, nor a flood of anything.
#[tokio::test]
async fn a_flood_before_the_handshake_is_given_up_within_its_limit() {
    let note = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}"#;
    let unknown = r#"{"jsonrpc":"2.0","id":"other","result":{}}"#;
    let drip = |line: &str| format!("while :; do echo '{line}'; sleep 0.1; done");
    let (slow_note, slow_noise) = (drip(note), drip("still fetching"));
    let (short, long) = (Duration::from_secs(4), Duration::from_secs(600));
    let cases: [(&str, &[&str], Duration, &str); 6] = [
        (
            "yes",
            &[note],
            long,
            "messages that nobody asked for (the first: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"",
        ),
        ("sh", &["-c", &slow_note], long, "messages that nobody asked for"),
        ("yes", &[unknown], long, "to other ids than were sent"),
        (
            "yes",
            &["downloading"],
            long,
            "lines on stdout that are no messages of the protocol, within the limit of 4 s",
        ),
        (
            "sh",
            &["-c", "yes downloading >&2"],
            long,
            "no answer to the handshake within the limit of 4 s",
        ),
        // What may well be an installation is waited for, but not for ever.
        (
            "sh",
            &["-c", &slow_noise],
            Duration::from_secs(6),
            "within the limit of 6 s",
        ),
    ];
    let mut given_up = tokio::task::JoinSet::new();
    for (program, args, install, want) in cases {
        let patience = Patience {
            silence: short,
            install,
            ..Patience::default()
        };
        let server = started(setup("flood", program, args), patience);
        given_up.spawn(async move {
            let begun = Instant::now();
            let message = come(&server).await.unwrap_err();
            assert!(message.contains(want), "{message}");
            assert!(
                begun.elapsed() < Duration::from_secs(20),
                "{want}: {:?}",
                begun.elapsed()
            );
        });
    }
    while let Some(one) = given_up.join_next().await {
        one.unwrap();
    }
}

#[tokio::test]
async fn what_is_too_large_is_said_and_not_that_the_transport_closed() {
    let script = r#"
import json, sys
big = sys.argv[1]
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    if asked["method"] == big:
        print("x" * (17 << 20), flush=True)
    result = {"protocolVersion": asked["params"].get("protocolVersion"), "capabilities": {"tools": {}}, "serverInfo": {"name": "big", "version": "1"}} \
        if asked["method"] == "initialize" else {"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"#;
    for big in ["initialize", "tools/list", "tools/call"] {
        let server = started(setup("big", "python3", &["-c", script, big]), Patience::default());
        let said = match come(&server).await {
            Err(message) => message,
            Ok(connection) => {
                let rig = Rig::new();
                call(&connection, &rig.cx, Patience::default())
                    .await
                    .unwrap_err()
                    .to_string()
            }
        };
        assert!(
            said.contains("a line of more than 16 MiB") && !said.contains("Transport"),
            "{big}: {said}"
        );
    }
}

#[tokio::test]
async fn a_server_that_failed_rests_and_is_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    let marker = folder.path().join("second");
    let script = format!(
        "if [ ! -e '{0}' ]; then touch '{0}'; echo 'first start' >&2; exit 3; fi; exec python3 '{1}' '[[0, \"initialize ok\"]]' 0.01",
        marker.display(),
        file("../../../tests/mcp/play.py")
    );
    let server = started(setup("x", "sh", &["-c", &script]), Patience::default());
    assert!(come(&server).await.unwrap_err().contains("first start"));
    // At once it is not started again; what it said is told again.
    let again = server.connection(&Default::default()).await.err().unwrap();
    assert!(
        matches!(&again, NoConnection::NotUp { again_in: Some(rest), .. } if *rest <= Duration::from_secs(1)),
        "{again:?}"
    );
    tokio::time::sleep(Duration::from_millis(1100)).await;
    assert!(come(&server).await.is_ok());
}

#[tokio::test]
async fn an_end_in_the_midst_of_a_call_leaves_it_in_doubt() {
    let script = file("../../../tests/mcp/play.py");
    let server = started(
        setup(
            "x",
            "python3",
            &[&script, "[[0, \"initialize ok\"]]", "0.01", "die"],
        ),
        Patience::default(),
    );
    let connection = come(&server).await.unwrap();
    let error = call(&connection, &Rig::new().cx, Patience::default())
        .await
        .unwrap_err();
    let ToolError::Unknown {
        code: "server_gone",
        message,
        ..
    } = error
    else {
        panic!("{error:?}")
    };
    assert!(message.contains("dying in mid-call"), "{message}");
    assert!(connection.is_gone());
    assert!(come(&server).await.is_ok(), "the next call starts it anew");
}

#[tokio::test]
async fn the_process_ends_with_all_that_it_started() {
    let folder = tempfile::tempdir().unwrap();
    let pid = folder.path().join("pid");
    let script = format!(
        "sleep 300 & echo $! > '{}'; exec python3 '{}' '[[0, \"initialize ok\"]]' 0.01",
        pid.display(),
        file("../../../tests/mcp/play.py")
    );
    let server = started(setup("x", "sh", &["-c", &script]), Patience::default());
    let connection = come(&server).await.unwrap();
    let grandchild = std::fs::read_to_string(&pid).unwrap().trim().to_owned();
    let lives = || {
        std::fs::read_to_string(format!("/proc/{grandchild}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
    };
    if !PathBuf::from("/proc/self").exists() {
        return;
    }
    assert!(lives());
    drop(connection);
    server.stop();
    for _ in 0..100 {
        if !lives() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{grandchild} lives on");
}

#[tokio::test]
async fn nothing_of_this_environment_is_handed_on_unasked() {
    let mut own = setup(
        "x",
        "python3",
        &[
            &file("../../../tests/mcp/play.py"),
            "[[0, \"initialize ok\"]]",
            "0.01",
            "env",
        ],
    );
    if let Way::Stdio { env, .. } = &mut own.way {
        env.insert("ASKED".to_owned(), Setting::parse("plain ${CARGO_MANIFEST_DIR}"));
    }
    let server = started(own, Patience::default());
    let connection = come(&server).await.unwrap();
    let answer = call(&connection, &Rig::new().cx, Patience::default())
        .await
        .unwrap();
    let text = answer["content"][0]["text"].as_str().unwrap();
    let names: Vec<String> = serde_json::from_str(text).unwrap();
    assert!(
        names.iter().any(|name| name.starts_with("ASKED=plain /")),
        "{names:?}"
    );
    for name in [
        "CARGO_PKG_NAME",
        "CARGO_MANIFEST_DIR",
        "LD_LIBRARY_PATH",
        "PYTHONHOME",
    ] {
        assert!(
            !names.iter().any(|found| found.starts_with(&format!("{name}="))),
            "{name} is there"
        );
    }
}

#[tokio::test]
async fn without_a_word_nothing_runs_unconfined() {
    let mut confined = setup("x", "/bin/sh", &["-c", "echo 'no server' >&2; exit 1"]);
    confined.is_unconfined = false;
    let message = come(&started(confined, Patience::default())).await.unwrap_err();
    match crate::tools::sandbox::confinement() {
        Confinement::Bubblewrap(_) => assert!(message.contains("no server"), "{message}"),
        Confinement::None { .. } => assert!(message.contains("\"unconfined\": true"), "{message}"),
    }
    let message = come(&started(setup("x", "npx -y pkg", &[]), Patience::default()))
        .await
        .unwrap_err();
    assert!(message.contains("each argument into `args`"), "{message}");
    let message = come(&started(setup("x", "no-such-tool", &[]), Patience::default()))
        .await
        .unwrap_err();
    assert!(message.contains("was not found in /"), "{message}");
}

//! The reference servers of the protocol, as they come from the registry. Where they are not installed these tests say so
//! and pass.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use async_trait::async_trait;
use planloom_engine::tools::{Ask, ToolError};
use planloom_tests::servers::{call, end, reference, tool};

use super::*;

fn node(name: &str, server: &str, arguments: &[&str]) -> Option<Bench> {
    let script = reference(server)?;
    let arguments: Vec<&str> = std::iter::once(script.as_str())
        .chain(arguments.iter().copied())
        .collect();
    Some(Bench::default().with(
        name,
        json!({ "command": "node", "args": arguments, "unconfined": true }),
    ))
}

fn text(result: &Result<Json, ToolError>) -> String {
    let result = result.as_ref().unwrap_or_else(|error| panic!("{error:?}"));
    result["content"][0]["text"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_filesystem_server_works_in_a_run() {
    let data = tempfile::tempdir().unwrap();
    let root = data.path().canonicalize().unwrap();
    let Some(bench) = node("files", "server-filesystem", &[root.to_str().unwrap()]) else {
        return;
    };
    let looked = bench.look("files").await.unwrap();
    assert!(
        looked.row.tools.len() > 8 && looked.row.tools.iter().all(|tool| tool.problem.is_none()),
        "{:?}",
        looked.row
    );
    std::fs::write(root.join("in.txt"), "from the file").unwrap();
    let engine = engine(&bench, WhenIdle::Leave);
    let read = task(
        "read",
        "files/read_text_file",
        &json!({ "path": root.join("in.txt") }),
        &[],
    );
    let write = json!({ "path": root.join("out.txt"), "content": "fixed" });
    let write = task("write", "files/write_file", &write, &["read"]);
    let run = open(&bench, &engine, &[read, write]).await;
    let shown = go_on(&engine, &run).await;
    assert_eq!(shown.row.status, RunStatus::Succeeded, "{}", states(&shown));
    assert_eq!(output_of(&shown, "read")["content"][0]["text"], "from the file");
    assert_eq!(std::fs::read_to_string(root.join("out.txt")).unwrap(), "fixed");
    // What it refuses by itself is an error with its words, not a result.
    let servers = bench.servers();
    let tool = tool(&servers, "files/read_text_file").unwrap();
    let refused = call(&*tool, json!({ "path": "/etc/passwd" }), &bench.context(None)).await;
    assert_eq!(end(&refused), "permanent tool_failed", "{refused:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_memory_server_keeps_what_it_was_told() {
    let Some(mut bench) = node("memory", "server-memory", &[]) else {
        return;
    };
    let file = bench.folder().join("memory.json");
    let script = reference("server-memory").unwrap();
    let entry = json!({ "command": "node", "args": [script], "unconfined": true, "env": { "MEMORY_FILE_PATH": file } });
    bench.set("memory", entry);
    bench.look("memory").await.unwrap();
    let servers = bench.servers();
    let cx = bench.context(None);
    let entities =
        json!({ "entities": [{ "name": "Ada", "entityType": "person", "observations": ["likes looms"] }] });
    let made = call(&*tool(&servers, "memory/create_entities").unwrap(), entities, &cx).await;
    assert_eq!(end(&made), "done", "{made:?}");
    drop(servers);
    let again = bench.servers();
    let found = call(
        &*tool(&again, "memory/search_nodes").unwrap(),
        json!({ "query": "looms" }),
        &cx,
    )
    .await;
    let structured = &found.as_ref().unwrap()["structuredContent"];
    assert_eq!(structured["entities"][0]["name"], "Ada", "{found:?}");
    let wrong = call(
        &*tool(&again, "memory/create_entities").unwrap(),
        json!({ "entities": 5 }),
        &cx,
    )
    .await;
    assert_eq!(end(&wrong), "permanent bad_arguments");
}

/// A person with one answer.
struct Person;

#[async_trait]
impl Ask for Person {
    async fn ask(&self, _: String, form: Json) -> Option<Json> {
        let mut answer = json!({});
        for name in form["anyOf"][0]["required"].as_array().unwrap() {
            answer[name.as_str().unwrap()] = json!("Ada");
        }
        Some(answer)
    }
}

/// The same over both transports.
async fn everything(bench: &Bench, names: &mut Vec<String>) {
    let looked = bench.look("all").await.unwrap();
    names.extend(looked.row.tools.iter().map(|tool| tool.name.clone()));
    assert!(
        looked.row.tools.iter().all(|tool| tool.problem.is_none()),
        "{:?}",
        looked.row
    );
    let servers = bench.servers();
    let cx = bench.context(Some(Arc::new(Person)));
    let run = async |name: &str, arguments: Json| call(&*tool(&servers, name).unwrap(), arguments, &cx).await;
    assert_eq!(
        text(&run("all/echo", json!({ "message": "hello" })).await),
        "Echo: hello"
    );
    let structured = run("all/get-structured-content", json!({ "location": "Chicago" }))
        .await
        .unwrap();
    assert!(
        structured["structuredContent"]["temperature"].is_number(),
        "{structured}"
    );
    let image = run("all/get-tiny-image", json!({})).await.unwrap();
    let kinds: Vec<&Json> = image["content"]
        .as_array()
        .unwrap()
        .iter()
        .map(|part| &part["type"])
        .collect();
    assert!(kinds.contains(&&json!("image")), "{kinds:?}");
    let long = run(
        "all/trigger-long-running-operation",
        json!({ "duration": 2, "steps": 4 }),
    )
    .await;
    assert!(text(&long).contains("completed"), "{long:?}");
    let wrong = run("all/echo", json!({ "message": 5 })).await;
    assert_eq!(end(&wrong), "permanent bad_arguments");
    if names.iter().any(|name| name == "all/trigger-elicitation-request") {
        let asked = run("all/trigger-elicitation-request", json!({})).await;
        assert!(
            text(&asked).contains("provided") || text(&asked).contains("Ada"),
            "{asked:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_everything_server_answers_over_stdio() {
    let Some(bench) = node("all", "server-everything", &[]) else {
        return;
    };
    let mut names = Vec::new();
    everything(&bench, &mut names).await;
    assert!(
        names.iter().any(|name| name == "all/trigger-elicitation-request"),
        "{names:?}"
    );
    assert!(
        !names.iter().any(|name| name == "all/trigger-sampling-request"),
        "sampling is not offered: {names:?}"
    );
}

/// Ends the server with the test.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_everything_server_answers_over_http() {
    let Some(script) = reference("server-everything") else {
        return;
    };
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let child = Command::new("node")
        .args([script.as_str(), "streamableHttp"])
        .env("PORT", port.to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut child = Ended(child);
    let mut errors = child.0.stderr.take().unwrap();
    for _ in 0..200 {
        if std::net::TcpStream::connect(("127.0.0.1", port)).is_ok() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    // Its log is read, so that it never waits for a reader.
    std::thread::spawn(move || {
        let mut rest = Vec::new();
        let _ = errors.read_to_end(&mut rest);
    });
    let bench = Bench::default().with("all", json!({ "url": format!("http://127.0.0.1:{port}/mcp") }));
    let mut names = Vec::new();
    everything(&bench, &mut names).await;
    assert!(names.len() > 5, "{names:?}");
}

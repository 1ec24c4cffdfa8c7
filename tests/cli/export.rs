//! `export` in its other forms and `trace`: what stands in the files, that nothing else does, and where a trace goes.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::mpsc;

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::trace::v1::Span;
use planloom_tests::process::Desk;
use serde_json::{Value, json};

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// A run that is over: a map, a file written, a task that was skipped, and titles that want to be more.
fn finished(desk: &Desk) -> String {
    let plan = json!({ "goal": "Sum up <b>all</b> [of it](https://a.example)", "budget": { "usd": 2 }, "tasks": [
        { "id": "list", "title": "List # the </title><script>alert(1)</script>", "instruction": "Echo.", "task_type": "tool",
          "tool": "echo", "inputs": { "value": ["a", "b", "c"] } },
        { "id": "each", "title": "Each of them", "instruction": "Echo each.", "task_type": "map", "dependencies": ["list"],
          "over": { "$from": "list" },
          "task": { "id": "one", "instruction": "Echo.", "task_type": "tool", "tool": "echo", "inputs": { "value": { "$item": "" } } } },
        { "id": "save", "instruction": "Save.", "task_type": "tool", "tool": "file.write", "dependencies": ["each"],
          "inputs": { "path": "run:/out.txt", "text": "secret-looking words" } },
        { "id": "never", "instruction": "Echo.", "task_type": "tool", "tool": "echo", "dependencies": ["save"], "when": "false",
          "inputs": { "value": "# Big\n\n[link](https://b.example)" } },
    ] });
    let path = desk.write("sum.plan.json", &plan);
    let ran = desk.say(&["run", text(&path), "--yes"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    ran.last()["run"].as_str().unwrap().to_owned()
}

fn exported(desk: &Desk, run: &str, name: &str, more: &[&str]) -> Vec<u8> {
    let file = desk.folder.path().join(name);
    let mut args = vec!["export", run, "--to", text(&file)];
    args.extend(more);
    let said = desk.say(&args);
    assert_eq!(said.code, 0, "{}", said.stderr);
    assert_eq!(said.last()["file"], text(&file));
    std::fs::read(file).unwrap()
}

fn words(desk: &Desk, run: &str, name: &str, more: &[&str]) -> String {
    String::from_utf8(exported(desk, run, name, more)).unwrap()
}

fn spans(text: &str) -> Vec<Span> {
    let mut all = Vec::new();
    for line in text.lines() {
        let request: ExportTraceServiceRequest = serde_json::from_str(line).unwrap();
        for resource in request.resource_spans {
            all.extend(resource.scope_spans.into_iter().flat_map(|scope| scope.spans));
        }
    }
    all
}

#[test]
fn the_ending_says_the_form_and_every_form_holds_the_run() {
    let desk = Desk::default();
    let run = finished(&desk);
    let markdown = words(&desk, &run, "report.md", &[]);
    assert!(markdown.starts_with("# Sum\n"), "{markdown}");
    for said in [
        "**Succeeded**",
        "Each of them",
        "file.write",
        "## What was approved",
        "Caps: \\$2",
        &run,
    ] {
        assert!(markdown.contains(said), "{said}: {markdown}");
    }
    assert!(!markdown.contains("<script") && !markdown.contains("[of it]("));
    let page = words(&desk, &run, "report.html", &[]);
    assert!(
        page.starts_with("<!doctype html>")
            && page.contains("<svg ")
            && page.contains("Content-Security-Policy")
    );
    assert!(!page.contains("<script") && page.contains("&lt;script&gt;"));
    let drawn = words(&desk, &run, "plan.svg", &["--theme", "dark"]);
    assert!(drawn.starts_with("<svg ") && drawn.contains("#0d1318") && drawn.contains("3 of 3"));
    assert!(exported(&desk, &run, "plan.png", &[]).starts_with(b"\x89PNG\r\n"));
    let mermaid = words(&desk, &run, "plan.mmd", &[]);
    assert!(
        mermaid.starts_with("flowchart TD\n")
            && mermaid.contains("subgraph t1")
            && !mermaid.contains("<script")
    );
    let whole = words(&desk, &run, "run.jsonl", &[]);
    assert!(whole.starts_with("{\"planloom_run\""));
    let forced = words(&desk, &run, "odd.json", &["--as", "markdown"]);
    assert_eq!(forced, markdown);
}

#[test]
fn a_file_that_is_there_stays_and_stdout_gets_the_text_alone() {
    let desk = Desk::default();
    let run = finished(&desk);
    words(&desk, &run, "report.md", &[]);
    let file = desk.folder.path().join("report.md");
    std::fs::write(&file, "mine").unwrap();
    let refused = desk.say(&["export", &run, "--to", text(&file)]);
    assert_eq!(
        (refused.code, refused.last()["error"]["code"].as_str()),
        (2, Some("file_exists"))
    );
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine");
    assert!(words(&desk, &run, "report.md", &["--replace"]).starts_with("# Sum"));
    let said = desk.say_plainly(&["export", &run, "--to", "-", "--as", "mermaid"]);
    assert_eq!(said.code, 0);
    assert!(said.stdout.starts_with("flowchart TD\n"), "{}", said.stdout);
    for args in [
        &["--to", "-"][..],
        &["--to", "-", "--as", "png"],
        &["--to", "-", "--as", "run"],
        &[],
    ] {
        let said = desk.say(&[&["export", &run], args].concat());
        assert_eq!(said.code, 2, "{args:?}");
    }
}

#[test]
fn a_trace_is_what_the_protocol_says_and_holds_no_contents_unasked() {
    let desk = Desk::default();
    let run = finished(&desk);
    let first = words(&desk, &run, "a.otlp.jsonl", &[]);
    assert_eq!(
        first,
        words(&desk, &run, "b.otlp.jsonl", &[]),
        "ids follow from the run"
    );
    let all = spans(&first);
    let root = all.iter().find(|span| span.parent_span_id.is_empty()).unwrap();
    assert_eq!(root.name, "invoke_workflow sum.plan.json");
    let ids: std::collections::HashSet<_> = all.iter().map(|span| span.span_id.clone()).collect();
    assert_eq!(ids.len(), all.len(), "ids are distinct");
    for span in &all {
        assert_eq!((span.trace_id.len(), span.span_id.len()), (16, 8));
        assert!(
            span.parent_span_id.is_empty() || ids.contains(&span.parent_span_id),
            "{}",
            span.name
        );
        assert!(span.end_time_unix_nano >= span.start_time_unix_nano && span.start_time_unix_nano > 0);
        assert!(
            span.links.iter().all(|link| ids.contains(&link.span_id)),
            "{}",
            span.name
        );
    }
    let names: Vec<&str> = all.iter().map(|span| span.name.as_str()).collect();
    for name in [
        "task each",
        "task each[1]",
        "attempt 1",
        "execute_tool echo",
        "execute_tool file.write",
    ] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    assert!(!first.contains("secret-looking") && !first.contains("Each of them"));
    let with = words(&desk, &run, "c.otlp.jsonl", &["--with-content"]);
    assert!(with.contains("secret-looking") && with.contains("Each of them"));
    spans(&with);
}

/// Answers each request with the next of these, and hands on what came.
fn receiver(answers: Vec<&'static str>) -> (String, mpsc::Receiver<(String, String)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || {
        for answer in answers {
            let Ok((mut stream, _)) = listener.accept() else {
                return;
            };
            let _ = tell.send(request(&mut stream));
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    (url, told)
}

fn request(stream: &mut TcpStream) -> (String, String) {
    let mut bytes = Vec::new();
    let mut piece = [0; 65536];
    loop {
        let got = stream.read(&mut piece).unwrap();
        bytes.extend_from_slice(&piece[..got]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .lines()
                .find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
            if body.len() >= length.unwrap_or(0) || got == 0 {
                return (head.to_owned(), body.to_owned());
            }
        }
        assert!(got > 0, "the request ended early");
    }
}

const OK: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}";
const BUSY: &str = "HTTP/1.1 503 Busy\r\nretry-after: 0\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
const AWAY: &str =
    "HTTP/1.1 307 Away\r\nlocation: http://127.0.0.1:9/\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
const BAD: &str = "HTTP/1.1 400 Bad\r\ncontent-type: application/json\r\ncontent-length: 27\r\nconnection: close\r\n\r\n{\"message\":\"no such token\"}";
const SOME: &str = "HTTP/1.1 200 OK\r\ncontent-length: 71\r\nconnection: close\r\n\r\n{\"partialSuccess\":{\"rejectedSpans\":\"2\",\"errorMessage\":\"too old spans\"}}";

#[test]
fn a_trace_arrives_where_it_was_sent_and_is_sent_again_where_that_is_allowed() {
    let desk = Desk::default();
    let run = finished(&desk);
    let (url, told) = receiver(vec![BUSY, OK]);
    let said = desk.say(&["export", &run, "--otlp", &url]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    assert!(said.stderr.contains(&url), "{}", said.stderr);
    let (first, second) = (told.recv().unwrap(), told.recv().unwrap());
    assert!(first.0.starts_with("POST /v1/traces HTTP/1.1"), "{}", first.0);
    assert_eq!(first.1, second.1);
    assert_eq!(said.last()["spans"].as_u64(), Some(spans(&second.1).len() as u64));
}

#[test]
fn a_trace_goes_nowhere_else_and_is_not_forced_on_anybody() {
    let desk = Desk::default();
    let run = finished(&desk);
    for (answer, why) in [(AWAY, "sends elsewhere"), (BAD, "no such token")] {
        let (url, told) = receiver(vec![answer]);
        let said = desk.say(&["export", &run, "--otlp", &format!("{url}/other/path")]);
        assert_eq!(said.code, 4, "{}", said.stderr);
        assert!(said.stderr.contains(why), "{}", said.stderr);
        assert!(told.recv().unwrap().0.starts_with("POST /other/path "));
    }
    let (url, _told) = receiver(vec![SOME]);
    let said = desk.say(&["export", &run, "--otlp", &url]);
    assert_eq!(
        (said.code, said.last()["rejected"].as_u64()),
        (4, Some(2)),
        "{}",
        said.stderr
    );
    for wrong in ["ftp://x", "http://me:pw@127.0.0.1/", "nowhere", "http://"] {
        let said = desk.say(&["export", &run, "--otlp", wrong]);
        assert_eq!(
            (said.code, said.last()["error"]["code"].as_str()),
            (2, Some("bad_endpoint")),
            "{wrong}"
        );
        assert!(
            !said.stdout.contains("pw") && !said.stderr.contains("pw"),
            "{wrong}"
        );
    }
}

#[test]
fn a_draft_can_be_drawn() {
    let desk = Desk::default();
    let plan = json!({ "tasks": [{ "id": "ask", "instruction": "Ask me.", "task_type": "human", "form": { "type": "string" } }] });
    let path = desk.write("draft.plan.json", &plan);
    let waiting = desk.say(&["run", text(&path)]);
    assert_eq!(waiting.code, 3, "{}", waiting.stderr);
    let run = desk.newest().unwrap();
    assert!(words(&desk, &run, "draft.mmd", &[]).contains("t0{{"));
    assert!(words(&desk, &run, "draft.svg", &[]).contains("Ask a person"));
    assert!(words(&desk, &run, "draft.md", &[]).contains("was not approved"));
}

#[test]
fn a_trace_is_read_attempt_by_attempt() {
    let desk = Desk::default();
    let run = finished(&desk);
    let said = desk.say(&["trace", &run, "save"]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    let task = said.last();
    assert_eq!(
        (&task["task"], &task["state"]),
        (&json!("save"), &json!("COMPLETED"))
    );
    let call: &Value = &task["attempts"][0]["calls"][0];
    assert_eq!(
        (&call["name"], &call["arguments"]["path"]),
        (&json!("file.write"), &json!("run:/out.txt"))
    );
    let all = desk.say_plainly(&["trace", &run]).stdout;
    assert!(
        all.contains("Called file.write") && all.contains("each[2]") && !all.contains("never"),
        "{all}"
    );
    assert_eq!(desk.say(&["trace", &run, "nobody"]).code, 2);
}

//! What a person sees of the gate on the command line: flows before a run, where data came from when it asks, secrets.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::Stdio;

use planloom_engine::model::Json;
use planloom_tests::process::{Desk, Said};
use serde_json::json;

/// A page for everybody who asks.
fn serve() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { continue };
            let _ = stream.read(&mut [0; 4096]);
            let _ =
                stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nnews");
        }
    });
    port
}

fn sending(port: u16) -> Json {
    json!({ "goal": "Tell", "tasks": [
        { "id": "page", "instruction": "x", "task_type": "tool", "tool": "http.get", "inputs": { "url": format!("http://127.0.0.1:{port}/in") } },
        { "id": "send", "instruction": "x", "task_type": "tool", "tool": "http.request", "dependencies": ["page"],
          "inputs": { "url": format!("http://127.0.0.1:{port}/out"), "method": "POST", "body": { "$from": "page", "path": "/body" } } },
    ] })
}

#[test]
fn flows_are_told_before_and_provenance_when_it_asks() {
    let desk = Desk::default();
    let port = serve();
    let path = desk.write("send.plan.json", &sending(port));
    let path = path.to_str().unwrap();

    let checked = desk.say(&["check", path]).last();
    assert_eq!(
        checked["flows"],
        json!([{ "path": ["page", "send"], "source": "page", "sink": "send", "concern": "untrusted", "accepted": false }])
    );
    let told = desk.say_plainly(&["check", path]).stdout;
    assert!(
        told.contains("text from outside can reach send: page → send (you will be asked)"),
        "{told}"
    );
    let shown = desk.say(&["run", path]);
    assert_eq!(shown.code, 3);
    assert!(
        shown.stderr.contains("text from outside can reach send"),
        "{}",
        shown.stderr
    );

    let ran = desk.say(&["run", path, "--yes"]);
    assert_eq!(ran.code, 3, "{} {}", ran.stdout, ran.stderr);
    let run = ran.last()["run"].as_str().unwrap().to_owned();
    let asked = desk.say(&["decide", &run]).last()["decisions"][0].clone();
    assert_eq!(
        (&asked["kind"], &asked["about"]["body"]),
        (&json!("effect"), &json!("news"))
    );
    let provenance = &asked["provenance"];
    assert_eq!(provenance["touches"], json!([format!("POST 127.0.0.1:{port}")]));
    let part = &provenance["parts"][0];
    assert_eq!(
        (&part["at"], &part["task"], &part["isUntrusted"]),
        (&json!("/body"), &json!("page"), &json!(true))
    );
    assert_eq!(
        part["origins"][0]["touches"],
        json!([format!("GET 127.0.0.1:{port}")])
    );
    let told = desk.say_plainly(&["decide", &run]).stdout;
    for words in [
        "/body: the output of page at /body  [from outside]".to_owned(),
        format!("made of what page got: http.get GET 127.0.0.1:{port}"),
        format!("would: POST 127.0.0.1:{port}"),
    ] {
        assert!(told.contains(&words), "{words}: {told}");
    }

    assert_eq!(desk.say(&["decide", &run, "d1", "allow"]).code, 0);
    assert_eq!(desk.say(&["resume", &run]).code, 0);
    let touched = desk.say(&["show", &run]).last()["tasks"]["page"]["touched"].clone();
    assert_eq!(touched, json!([format!("GET 127.0.0.1:{port}")]));
}

#[test]
fn a_plan_that_names_the_way_is_not_asked_about() {
    let desk = Desk::default();
    let mut plan = sending(serve());
    plan["tasks"][1]["accepts_untrusted"] = json!(["page"]);
    let path = desk.write("send.plan.json", &plan);
    let path = path.to_str().unwrap();
    assert_eq!(
        desk.say(&["check", path]).last()["flows"][0]["accepted"],
        json!(true)
    );
    let ran = desk.say(&["run", path, "--yes"]);
    assert_eq!(ran.code, 0, "{} {}", ran.stdout, ran.stderr);
}

const VALUE: &str = "CANARY-8d1f/not a \"real\" one";

fn said_with(desk: &Desk, args: &[&str], input: &str) -> Said {
    let mut child = desk
        .command(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    Said::of(&child.wait_with_output().unwrap())
}

#[test]
fn a_secret_is_never_an_argument_and_without_a_keychain_is_kept_nowhere() {
    let desk = Desk::default();
    let said = said_with(&desk, &["secret", "set", "SHOP_KEY"], VALUE);
    assert_eq!(said.code, 4, "{} {}", said.stdout, said.stderr);
    let message = said.last()["error"]["message"].as_str().unwrap().to_owned();
    for words in ["no keychain", "not kept anywhere", "environment variable"] {
        assert!(message.contains(words), "{message}");
    }
    assert_eq!(said_with(&desk, &["secret", "set", "SHOP_KEY"], "\n").code, 2);
    assert_eq!(said_with(&desk, &["secret", "set", "a b"], VALUE).code, 2);
    assert_eq!(desk.say(&["secret", "set", "SHOP_KEY", VALUE]).code, 2);
    assert_eq!(desk.say(&["secret", "list"]).last(), json!({ "secrets": [] }));
    let removed = desk.say(&["secret", "remove", "SHOP_KEY"]);
    assert_eq!(
        (removed.code, &removed.last()["removed"]),
        (0, &json!(false)),
        "{}",
        removed.stderr
    );
    assert!(!said.stdout.contains("CANARY") && !said.stderr.contains("CANARY"));
    for entry in std::fs::read_dir(desk.folder.path()).unwrap().flatten() {
        let text = std::fs::read(entry.path()).unwrap_or_default();
        assert!(
            !String::from_utf8_lossy(&text).contains("CANARY"),
            "{:?}",
            entry.path()
        );
    }
}

/// The variable is found by its name, handed over, and shown nowhere.
#[test]
fn a_pasted_secret_is_warned_of_by_check() {
    let desk = Desk::default();
    let plan = json!({ "tasks": [
        { "id": "a", "instruction": format!("Log in with {VALUE}."), "task_type": "tool", "tool": "http.request",
          "inputs": { "url": "http://127.0.0.1:9/", "method": "POST", "headers": { "x-key": { "$secret": "SHOP_KEY" } } } },
    ] });
    let path = desk.write("pasted.plan.json", &plan);
    let mut command = desk.command(&["check", path.to_str().unwrap()]);
    let said = Said::of(&command.env("SHOP_KEY", VALUE).output().unwrap());
    let problems = said.last()["problems"].clone();
    let found = problems
        .as_array()
        .unwrap()
        .iter()
        .find(|p| p["code"] == "secret_in_plan")
        .unwrap()
        .clone();
    assert_eq!(
        (&found["pointer"], &found["severity"]),
        (&json!("/tasks/0/instruction"), &json!("warning"))
    );
    assert!(!said.stdout.contains("CANARY"), "{}", said.stdout);
}

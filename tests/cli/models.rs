//! Models from a terminal: what is found, chosen, asked and refused, with a real server on loopback; and that a key
//! shows up nowhere.

use std::io::Write;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use planloom_engine::model::Json;
use planloom_tests::model_server::{self, ModelServer};
use planloom_tests::process::{Desk, Said};
use serde_json::{Value, json};

const KEY: &str = "sk-canary-5f1e9c77b2";

fn say_with(desk: &Desk, args: &[&str], variables: &[(&str, &str)]) -> Said {
    let mut command = desk.command(args);
    command.envs(variables.iter().copied());
    Said::of(&command.output().unwrap())
}

fn said_with_input(desk: &Desk, args: &[&str], input: &str) -> Said {
    let mut command = desk.command(args);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    Said::of(&child.wait_with_output().unwrap())
}

/// Looked for at the server's address alone.
fn desk_beside(server: &ModelServer) -> Desk {
    let desk = Desk::default();
    desk.choose_models(&json!({ "discover": [server.address()] }));
    desk
}

#[test]
fn with_nothing_at_hand_one_sentence_says_what_to_do() {
    let desk = Desk::default();
    let said = desk.say(&["models"]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    let shown = said.last();
    assert_eq!((&shown["models"], &shown["providers"]), (&json!([]), &json!([])));
    let advice = shown["advice"].as_str().unwrap();
    assert!(
        advice.contains("Ollama") && advice.contains("ANTHROPIC_API_KEY"),
        "{advice}"
    );

    let plan = json!({ "tasks": [{ "id": "a", "instruction": "Think." }] });
    let path = desk.write("p.plan.json", &plan);
    let refused = desk.say(&["run", path.to_str().unwrap(), "--yes"]);
    assert_eq!(refused.code, 2);
    let error = &refused.last()["error"];
    assert_eq!(error["code"], "unknown_model");
    let message = error["message"].as_str().unwrap();
    assert!(
        message.contains("agent (a)") && message.contains("ANTHROPIC_API_KEY"),
        "{message}"
    );
}

/// Also where every request is told to go through a proxy that is not there.
#[test]
fn a_server_on_this_machine_is_found_past_any_proxy() {
    let server = ModelServer::able("qwen", "ok");
    let desk = desk_beside(&server);
    let dead = "http://127.0.0.1:1";
    let proxies = [
        "http_proxy",
        "HTTP_PROXY",
        "https_proxy",
        "HTTPS_PROXY",
        "all_proxy",
        "ALL_PROXY",
    ];
    let proxies = proxies.map(|name| (name, dead));
    let said = say_with(&desk, &["models"], &proxies);
    let shown = said.last();
    assert_eq!(shown["providers"][0]["kind"], "vllm", "{shown}");
    let model = &shown["models"][0];
    assert_eq!(model["model"], "vllm/qwen");
    assert_eq!(
        (&model["price"], &model["context_tokens"]),
        (&json!("free"), &json!(32768))
    );
    for role in ["planner", "executor", "replanner", "synthesizer"] {
        assert_eq!(shown["roles"][role], json!(["vllm/qwen"]));
    }
    assert!(server.chats().is_empty(), "looking asks no model");
}

/// `localhost` is both addresses of this machine, whatever its files say.
#[test]
fn a_server_that_listens_on_one_family_only_is_found() {
    let list = json!({ "data": [{ "id": "six", "owned_by": "llamacpp" }] });
    let Ok(listener) = std::net::TcpListener::bind("[::1]:0") else {
        println!("skipped: this machine has no IPv6");
        return;
    };
    let port = listener.local_addr().unwrap().port();
    ModelServer::start_on(listener, &[("/v1/models", list)], |_| (500, Value::Null));
    for address in [format!("localhost:{port}"), format!("http://[::1]:{port}/")] {
        let desk = Desk::default();
        desk.choose_models(&json!({ "discover": [address] }));
        assert_eq!(
            desk.say(&["models"]).last()["models"][0]["model"],
            "llama_cpp/six",
            "{address}"
        );
    }
}

#[test]
fn a_run_whose_server_is_down_waits_for_it() {
    let server = ModelServer::able("qwen", "a word");
    let desk = desk_beside(&server);
    let plan = json!({ "tasks": [
        { "id": "ask", "instruction": "Go on?", "task_type": "human", "form": { "type": "object" } },
        { "id": "a", "instruction": "Think of a word.", "dependencies": ["ask"] } ] });
    let path = desk.write("later.plan.json", &plan);
    let ran = desk.say(&["run", path.to_str().unwrap(), "--yes"]);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    let run = ran.last()["run"].as_str().unwrap().to_owned();
    desk.say(&["decide", &run, "d1", "{}"]);
    desk.choose_models(&json!({ "discover": false }));
    let refused = desk.say(&["resume", &run]);
    assert_eq!(
        (refused.code, &refused.last()["error"]["code"]),
        (2, &json!("unknown_model"))
    );
    assert!(refused.stderr.contains("Start Ollama"), "{}", refused.stderr);
    desk.choose_models(&json!({ "discover": [server.address()] }));
    let resumed = desk.say(&["resume", &run]);
    assert_eq!(resumed.code, 0, "{} {}", resumed.stdout, resumed.stderr);
    assert_eq!(resumed.last()["output"], json!({ "a": "a word" }));
}

#[test]
fn a_hostile_server_on_this_machine_is_passed_over() {
    let odd = [
        json!({ "data": 5 }),
        json!([[[[]]]]),
        json!({ "data": [{ "id": "\u{1b}[31mred" }, { "id": "x".repeat(100_000) }] }),
    ];
    for body in odd {
        let server = ModelServer::start(&[("/v1/models", body)], |_| (500, Value::Null));
        let said = desk_beside(&server).say(&["models"]);
        assert_eq!(said.code, 0, "{}", said.stderr);
        assert_eq!(said.last()["models"], json!([]));
    }
}

#[test]
fn bad_settings_are_named_and_good_ones_hold() {
    let desk = Desk::default();
    desk.choose_models(
        &json!({ "discover": false, "roles": { "executor": ["openai/gpt-5.4", "broken"] },
        "providers": { "x": { "kind": "chatgpt", "api_key": KEY } } }),
    );
    let said = say_with(&desk, &["models"], &[("OPENAI_API_KEY", "k")]);
    assert_eq!(said.code, 0);
    let shown = said.last();
    assert_eq!(shown["roles"]["executor"], json!(["openai/gpt-5.4"]));
    let places: Vec<&str> = shown["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| p["place"].as_str().unwrap())
        .collect();
    for place in ["roles/executor", "providers/x/kind", "providers/x/api_key"] {
        let place = format!("settings.json#/models/{place}");
        assert!(
            places.contains(&place.as_str()) && said.stderr.contains(&place),
            "{place}: {places:?}"
        );
    }
    assert!(!said.stdout.contains(KEY) && !said.stderr.contains(KEY));
}

#[test]
fn a_mistyped_setting_is_named_and_stays_and_a_file_that_is_none_is_wrong() {
    let desk = Desk::default();
    let file = desk.db().with_file_name("settings.json");
    let text = r#"{ "theme": "dark", "modles": { "roles": {} }, "models": { "discover": false } }"#;
    std::fs::write(&file, text).unwrap();
    let said = desk.say(&["models"]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    assert!(
        said.stderr
            .contains("settings.json#/modles: this field is not known and not used; did you mean `models`?"),
        "{}",
        said.stderr
    );
    assert_eq!(said.last()["problems"][0]["place"], "settings.json#/modles");
    let mut add = desk.command(&["servers", "add", "mine", "--unconfined"]);
    assert!(add.args(["--", "true"]).output().unwrap().status.success());
    let kept: Json = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    assert_eq!(
        (&kept["modles"], &kept["theme"]),
        (&json!({ "roles": {} }), &json!("dark"))
    );
    for broken in ["{ \"theme\": ", "[]", "\u{0}"] {
        std::fs::write(&file, broken).unwrap();
        let said = desk.say(&["models"]);
        assert_eq!(said.code, 2, "{broken}: {}", said.stderr);
        assert!(said.stderr.contains("settings.json: "), "{}", said.stderr);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), broken);
    }
}

#[test]
fn a_model_is_chosen_for_one_call_or_refused() {
    let desk = Desk::default();
    let keys = [("OPENAI_API_KEY", "k")];
    let chosen = say_with(&desk, &["models", "--model", "planner=openai/new-one"], &keys).last();
    assert_eq!(chosen["roles"]["planner"], json!(["openai/new-one"]));
    assert_ne!(chosen["roles"]["executor"], json!(["openai/new-one"]));
    let refused = say_with(&desk, &["models", "--model", "planner=gemini/x"], &keys);
    assert_eq!(refused.code, 2);
    let message = refused.last()["error"]["message"].as_str().unwrap().to_owned();
    assert!(message.contains("Set GEMINI_API_KEY"), "{message}");
    for wrong in ["planner", "boss=openai/x", "=x"] {
        let refused = say_with(&desk, &["models", "--model", wrong], &keys);
        assert_eq!(refused.code, 2, "{wrong}: {}", refused.stderr);
    }
}

fn think(desk: &Desk) -> String {
    let plan = json!({ "goal": "Think", "tasks": [{ "id": "a", "instruction": "Think of a word." }] });
    let path = desk.write("think.plan.json", &plan);
    path.to_str().unwrap().to_owned()
}

#[test]
fn a_plan_runs_on_a_server_of_this_machine_which_is_probed_once() {
    let server = ModelServer::able("qwen", "a word");
    let desk = desk_beside(&server);
    let path = think(&desk);
    let ran = desk.say(&["run", &path, "--yes"]);
    assert_eq!(ran.code, 0, "{} {}", ran.stdout, ran.stderr);
    assert_eq!(ran.last()["output"], json!({ "a": "a word" }));
    assert_eq!(
        server.chats().len(),
        3,
        "two questions of the probe, one of the task"
    );
    let again = desk.say(&["run", &path, "--yes"]);
    assert_eq!(again.code, 0, "{}", again.stderr);
    assert_eq!(server.chats().len(), 4, "what was found is remembered");
    let shown = desk.say(&["models"]).last();
    let model = &shown["models"][0];
    assert_eq!(
        (&model["tools"], &model["structured"]),
        (&json!("yes"), &json!("yes"))
    );
    assert!(model["probed"].as_str().unwrap().ends_with('Z'), "{model}");
    for chat in server.chats() {
        assert_eq!(
            (chat.header("authorization"), &chat.body["model"]),
            (None, &json!("qwen"))
        );
    }
}

#[test]
fn the_model_that_was_chosen_for_a_call_is_asked() {
    let list = json!({ "data": [{ "id": "one", "owned_by": "vllm" }, { "id": "two", "owned_by": "vllm" }] });
    let server = ModelServer::start(&[("/v1/models", list)], |asked| {
        (200, model_server::able(&asked.body, "x"))
    });
    let desk = desk_beside(&server);
    let ran = desk.say(&["run", &think(&desk), "--yes", "--model", "executor=vllm/two"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(server.chats().iter().all(|chat| chat.body["model"] == "two"));
}

#[test]
fn models_are_probed_when_that_is_asked_for() {
    let server = ModelServer::able("qwen", "ok");
    let desk = desk_beside(&server);
    let said = desk.say(&["models", "--probe"]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    assert_eq!(said.last()["models"][0]["tools"], "yes");
    assert_eq!(server.chats().len(), 2);
    let refused = desk.say(&["models", "--probe", "vllm/other"]);
    assert_eq!(
        (refused.code, &refused.last()["error"]["code"]),
        (2, &json!("unknown_model"))
    );
    let down = ModelServer::start(
        &[(
            "/v1/models",
            json!({ "data": [{ "id": "m", "owned_by": "vllm" }] }),
        )],
        |_| (503, json!({ "error": { "message": "loading" } })),
    );
    let said = desk_beside(&down).say(&["models", "--probe"]);
    assert_eq!(said.code, 4, "{}", said.stderr);
    assert!(said.last()["models"][0]["probed"].is_null());
}

/// A provider that shows the key in everything that it says: in errors of every kind and in answers.
#[test]
fn a_key_goes_to_its_provider_and_stands_nowhere_else() {
    let desk = Desk::default();
    let round = Arc::new(AtomicUsize::new(0));
    let count = round.clone();
    let server = ModelServer::start(&[], move |asked| {
        let echoed = format!(
            "You sent {} and {KEY}",
            asked.header("authorization").unwrap_or_default()
        );
        match count.fetch_add(1, Ordering::Relaxed) {
            0 => (
                401,
                json!({ "error": { "message": echoed, "code": "invalid_api_key" } }),
            ),
            1 => (400, json!({ "error": { "message": echoed, "code": KEY } })),
            2 => (500, json!(echoed)),
            3 => (200, model_server::call(KEY, &json!({ "x": echoed }))),
            _ => (
                200,
                model_server::call("submit_result", &json!({ "result": echoed })),
            ),
        }
    });
    let base = format!("http://{}/v1", server.address());
    let variables = [("OPENAI_API_KEY", KEY), ("OPENAI_BASE_URL", base.as_str())];
    let path = think(&desk);
    let mut said = Vec::new();
    // Refused twice, then run to its end.
    for _ in 0..3 {
        said.push(say_with(&desk, &["run", &path, "--yes"], &variables));
    }
    assert_eq!(said[2].code, 0, "{} {}", said[2].stdout, said[2].stderr);
    for listed in desk.say(&["runs"]).last()["runs"].as_array().unwrap() {
        let run = listed["run"].as_str().unwrap();
        let file = format!("{run}.jsonl");
        said.push(desk.say(&["show", run]));
        said.push(desk.say(&["decide", run]));
        said.push(desk.say(&["export", run, "--to", &file]));
    }
    said.push(say_with(&desk, &["models"], &variables));
    said.push(say_with(&desk, &["models", "--probe"], &variables));
    let bearer = format!("Bearer {KEY}");
    assert!(server.chats().len() >= 6, "every kind of answer was given");
    assert!(
        server
            .chats()
            .iter()
            .all(|chat| chat.header("authorization") == Some(&bearer))
    );
    assert_nowhere(&desk, &said.iter().collect::<Vec<_>>());
}

/// Whatever comes across a key, such as a tool that reads a file with it in it.
#[test]
fn a_key_that_a_tool_comes_across_is_taken_out() {
    let desk = Desk::default();
    let notes = desk.folder.path().join("notes.txt");
    std::fs::write(&notes, format!("export OPENAI_API_KEY={KEY}\n")).unwrap();
    let plan = json!({ "grants": { "read": ["notes.txt"] }, "tasks": [{ "id": "a", "instruction": "Read.",
        "task_type": "tool", "tool": "file.read", "inputs": { "path": "notes.txt" } }] });
    let path = desk.write("read.plan.json", &plan);
    let ran = say_with(
        &desk,
        &["run", path.to_str().unwrap(), "--yes"],
        &[("OPENAI_API_KEY", KEY)],
    );
    assert_eq!(ran.code, 0, "{} {}", ran.stdout, ran.stderr);
    assert_eq!(ran.last()["output"]["a"]["text"], "export OPENAI_API_KEY=•••\n");
    std::fs::remove_file(notes).unwrap();
    assert_nowhere(&desk, &[&ran]);
}

#[test]
fn where_there_is_no_keychain_a_key_is_kept_nowhere_and_that_is_said() {
    let desk = Desk::default();
    let said = said_with_input(&desk, &["models", "key", "openai"], &format!("{KEY}\n"));
    assert_eq!(said.code, 4, "{} {}", said.stdout, said.stderr);
    let message = said.last()["error"]["message"].as_str().unwrap().to_owned();
    for words in ["no keychain", "not kept anywhere", "OPENAI_API_KEY"] {
        assert!(message.contains(words), "{message}");
    }
    assert_eq!(said_with_input(&desk, &["models", "key", "openai"], "\n").code, 2);
    let unknown = said_with_input(&desk, &["models", "key", "nosuch"], "x\n");
    assert_eq!(
        (unknown.code, &unknown.last()["error"]["code"]),
        (2, &serde_json::json!("unknown_provider"))
    );
    for name in ["anthropic", "gemini", "openai"] {
        assert!(unknown.stderr.contains(name), "{}", unknown.stderr);
    }
    assert_eq!(said_with_input(&desk, &["models", "key", "a/b"], "x\n").code, 2);
    assert_eq!(desk.say(&["models", "key", "openai", "--forget"]).code, 4);
    assert_nowhere(&desk, &[&said]);
}

/// With a Secret Service of its own, where this machine has one to start.
#[test]
fn a_key_lives_in_the_keychain_and_nowhere_else() {
    let has = |program: &str| {
        std::process::Command::new(program)
            .arg("--version")
            .output()
            .is_ok()
    };
    if !has("dbus-run-session") || !has("gnome-keyring-daemon") {
        println!("skipped: there is no dbus-run-session or no gnome-keyring-daemon to try a keychain with");
        return;
    }
    let desk = Desk::default();
    let script = r#"printf pw | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1
        say() { "$PLANLOOM" "$@" --db "$DB" --json; }
        printf '%s\n' "$CANARY" | say models key anthropic && say models &&
        say models key anthropic --forget && say models key anthropic --forget && say models"#;
    let home = desk.folder.path();
    let mut command = std::process::Command::new("dbus-run-session");
    command.args(["--", "sh", "-c", script]).stdin(Stdio::null());
    command
        .env("PLANLOOM", planloom_tests::process::planloom())
        .env("DB", desk.db());
    command
        .env("CANARY", KEY)
        .env("XDG_DATA_HOME", home.join("data"))
        .env("XDG_RUNTIME_DIR", home);
    command.env_remove("ANTHROPIC_API_KEY");
    let said = Said::of(&command.output().unwrap());
    assert_eq!(said.code, 0, "{} {}", said.stdout, said.stderr);
    let lines = said.lines();
    assert_eq!(lines[0], json!({ "provider": "anthropic", "kept": "keychain" }));
    let anthropic = &lines[1]["providers"][0];
    assert_eq!(
        (&anthropic["provider"], &anthropic["key"]),
        (&json!("anthropic"), &json!("keychain"))
    );
    assert!(
        lines[1]["roles"]["planner"][0]
            .as_str()
            .unwrap()
            .starts_with("anthropic/")
    );
    assert_eq!(
        (&lines[2]["forgotten"], &lines[3]["forgotten"]),
        (&json!(true), &json!(false))
    );
    assert_eq!(lines[4]["providers"], json!([]));
    assert_nowhere(&desk, &[&said]);
}

/// The key stands in no file beside the database and in nothing that was said.
fn assert_nowhere(desk: &Desk, said: &[&Said]) {
    for said in said {
        assert!(
            !said.stdout.contains(KEY) && !said.stderr.contains(KEY),
            "{} {}",
            said.stdout,
            said.stderr
        );
    }
    let mut folders = vec![desk.folder.path().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
                continue;
            }
            let bytes = std::fs::read(entry.path()).unwrap_or_default();
            let has = bytes.windows(KEY.len()).any(|part| part == KEY.as_bytes());
            assert!(!has, "{}", entry.path().display());
        }
    }
}

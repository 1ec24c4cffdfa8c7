//! A registered secret, and every way on which it could get into the log, an export, an error or the words to a model.

use base64::Engine as _;
use planloom_engine::Replace;
use planloom_engine::model::redactor::Redactor;
use planloom_engine::run::{Secrets, told};
use planloom_tests::models::submit;
use planloom_tests::rig::{Rig, agent, plan, task, with};
use planloom_tests::script::Act;
use serde_json::{Value, json};

fn case(name: &str) -> Value {
    let folder = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/cases/safety-04-secrets-in-logs-and-exports/"
    );
    serde_json::from_str(&std::fs::read_to_string(format!("{folder}{name}")).unwrap()).unwrap()
}

/// The value and the encodings that must not be found anywhere.
fn forms(value: &str) -> Vec<String> {
    let form: String = url::form_urlencoded::byte_serialize(value.as_bytes()).collect();
    vec![
        value.to_owned(),
        form,
        "FAKEKEY%2D7Qd9".to_owned(),
        base64::engine::general_purpose::STANDARD_NO_PAD.encode(value),
        json!(value).to_string().trim_matches('"').to_owned(),
    ]
}

/// Other attempts than those of the case: each text holds the secret in some form.
fn more(value: &str) -> Vec<Value> {
    let b64 = |text: String| base64::engine::general_purpose::STANDARD.encode(text);
    let url = |text: String| base64::engine::general_purpose::URL_SAFE.encode(text);
    let hex: String = value.bytes().map(|b| format!("{b:02x}")).collect();
    let percent: String = value.bytes().map(|b| format!("%{b:02X}")).collect();
    vec![
        json!(b64(format!("user:{value}"))),
        json!(b64(format!("a:{value}"))),
        json!(b64(format!("ab:{value}!"))),
        json!(url(format!("{{\"key\":\"{value}\"}}"))),
        json!(hex),
        json!(hex.to_uppercase()),
        json!(percent),
        json!(percent.replace('%', "%25")),
        json!({ value: 1 }),
        json!({ "deep": [[[{ "x": [value] }]]] }),
        json!(json!({ "k": value }).to_string()),
        json!(
            value
                .encode_utf16()
                .map(|unit| format!("\\u{unit:04x}"))
                .collect::<String>()
        ),
    ]
}

fn is_clean(what: &str, text: &str, value: &str) {
    for form in forms(value) {
        assert!(!text.contains(&form), "{what} holds {form}: {text:.400}");
    }
    let left = Redactor::of([value]);
    assert!(!left.finds_in(text.as_bytes()), "{what}: {text:.400}");
}

/// A plan in which each row comes back as a result and as an error, and a model sees all of them.
fn telling(rig: &Rig, rows: &[Value], value: &str) -> Value {
    let mut tasks = vec![with(
        task("handed", "effect.do", &[]),
        json!({ "inputs": { "id": "handed", "key": { "$secret": "GEMINI_KEY" } } }),
    )];
    for (ix, row) in rows.iter().enumerate() {
        let (gives, fails) = (format!("give{ix}"), format!("fail{ix}"));
        rig.read.on(&gives, [Act::Give(row.clone())]);
        rig.read.on(&fails, [Act::Say(row.to_string())]);
        tasks.push(task(&gives, "read.do", &["handed"]));
        tasks.push(with(
            task(&fails, "read.do", &["handed"]),
            json!({ "optional": true }),
        ));
    }
    rig.outside
        .on("env", rows.iter().map(|row| Act::Give(row.clone())));
    rig.model.on(
        "Look around",
        [
            planloom_tests::models::call(&[("outside.do", json!({ "id": "env" }))]),
            submit(json!({ "result": value })),
        ],
    );
    tasks.push(with(
        agent("look", &["outside.do"]),
        json!({ "instruction": "Look around.", "dependencies": ["handed"] }),
    ));
    let mut plan = plan(&tasks);
    plan["grants"] = json!({ "commands": ["env"] });
    plan
}

/// The database, its log included, and whatever else lies beside it.
fn is_clean_on_disk(folder: &std::path::Path, value: &str) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        if entry.path().is_file() {
            let bytes = std::fs::read(entry.path()).unwrap();
            is_clean(
                &entry.path().display().to_string(),
                &String::from_utf8_lossy(&bytes),
                value,
            );
        }
    }
}

#[tokio::test]
async fn no_row_gives_the_secret_away_in_log_error_export_or_to_a_model() {
    let secret = case("secret.json");
    let value = secret["value"].as_str().unwrap().to_owned();
    let rows: Vec<Value> = case("texts.json")
        .as_array()
        .unwrap()
        .iter()
        .cloned()
        .chain(more(&value))
        .collect();
    assert!(rows.len() >= 20);
    let rig = Rig::on_file_with_models();
    let store = rig.folder().join("facts.json");
    let keychain = planloom_engine::llm::setup::Keychain::of(keyring_core::mock::Store::new().unwrap());
    let secrets = Secrets::of(keychain, Some(store));
    secrets.keep("GEMINI_KEY", &value).await.unwrap();
    let engine = rig.another_keeping(secrets);

    let plan = telling(&rig, &rows, &value);
    let path = rig.write_plan("test.plan.json", &plan);
    let run = engine
        .open_run(
            path,
            &planloom_engine::Parameters::Json(Value::Null),
            &planloom_engine::Consent::Given,
        )
        .await
        .unwrap();
    engine.resume(&run).await.unwrap();
    engine.until_left(&run).await.unwrap();
    let shown = engine.show(&run, None).await.unwrap();
    for (task, output) in shown.tasks.iter().zip(&shown.outputs) {
        is_clean(&task.id, output.as_deref().unwrap_or_default(), &value);
        is_clean(&task.id, task.error.as_ref().map_or("", |e| &e.message), &value);
    }
    for request in rig.model.requests() {
        is_clean(
            "a question to a model",
            &serde_json::to_string(&request).unwrap(),
            &value,
        );
    }
    let exported = rig.folder().join("run.planloom");
    engine.export_run(&run, &exported, Replace::Never).await.unwrap();
    is_clean(
        "the export",
        &String::from_utf8_lossy(&std::fs::read(&exported).unwrap()),
        &value,
    );
    engine.close().await;
    is_clean_on_disk(rig.folder(), &value);
    // What this process says on stderr, a panic included, goes through the same.
    for row in &rows {
        is_clean("the log", &told(&row.to_string()), &value);
    }
}

/// Cut only afterwards, and masked whoever wrote it.
#[test]
fn cutting_and_headers_leave_nothing() {
    let secret = case("secret.json");
    let value = secret["value"].as_str().unwrap();
    let redactor = Redactor::of([value]);
    for row in case("texts.json").as_array().unwrap() {
        let clean = redactor.value(row.clone()).to_string();
        let told = redactor.told(&row.to_string());
        for text in [clean, told] {
            is_clean("a text", &text, value);
            let short: String = text.chars().take(120).collect();
            assert!(!short.contains(&value[..12]), "{short}");
        }
    }
    let nobody = Redactor::default();
    let headers = nobody
        .value(json!({ "headers": { "Authorization": "Basic eA==", "Cookie": "s=1", "X-Api-Key": "k" } }));
    assert!(!headers.to_string().contains("eA==") && !headers.to_string().contains("s=1"));
}

/// A secret that was pasted into a plan is found by its value, and its place is told without it.
#[tokio::test]
async fn a_pasted_secret_is_warned_of() {
    let secret = case("secret.json");
    let value = secret["value"].as_str().unwrap();
    let rig = Rig::on_file_with_models();
    let keychain = planloom_engine::llm::setup::Keychain::of(keyring_core::mock::Store::new().unwrap());
    let secrets = Secrets::of(keychain, Some(rig.folder().join("facts.json")));
    secrets.keep("GEMINI_KEY", value).await.unwrap();
    let engine = rig.another_keeping(secrets);
    for (field, pasted, is_told) in [
        (
            "instruction",
            format!("Use the key {value} to call the service"),
            true,
        ),
        (
            "instruction",
            "Use the key FAKEKEY%2D7Qd9%2Dnot%2Da%2Dreal%2Dkey%2D31".to_owned(),
            true,
        ),
        ("title", format!("x{value}y"), true),
        ("instruction", "Use the key of the service".to_owned(), false),
    ] {
        let path = rig.write_plan(
            "pasted.plan.json",
            &plan(&[with(task("a", "read.do", &[]), json!({ field: pasted }))]),
        );
        let problems = engine.check(path).await;
        let found: Vec<_> = problems
            .iter()
            .filter(|p| p.pointer == format!("/tasks/0/{field}"))
            .collect();
        assert_eq!(!found.is_empty(), is_told, "{problems:?}");
        for problem in found {
            is_clean("the warning", &problem.message, value);
            assert_eq!(problem.tasks[0].as_str(), "a");
        }
    }
}

/// However many secrets there are, a place of a text is looked at once.
#[test]
fn long_texts_cost_no_more_than_their_length() {
    let keys: Vec<String> = (0..20)
        .map(|n| format!("sk-fake-{n:02}-0123456789abcdef"))
        .collect();
    let redactor = Redactor::of(keys.iter().map(String::as_str));
    let bytes: Vec<u8> = (0..60_000_u32).flat_map(u32::to_le_bytes).collect();
    let text = base64::engine::general_purpose::STANDARD.encode(bytes);
    let began = cpu_time::ThreadTime::now();
    assert_eq!(redactor.text(&text), text);
    assert!(began.elapsed().as_secs() < 15, "{:?}", began.elapsed());
}

/// Keys that nobody here knows, by their look; and secrets that nothing could hide.
#[tokio::test]
async fn what_looks_like_a_key_is_warned_of() {
    let rig = Rig::on_file();
    let long = "a1B2".repeat(12);
    for (pasted, is_told) in [
        (format!("Bearer sk-ant-api03-{long}"), true),
        (format!("ghp_{long}"), true),
        ("AKIAIOSFODNN7EXAMPLE".to_owned(), true),
        ("-----BEGIN RSA PRIVATE KEY-----\nMII".to_owned(), true),
        ("a task-force-of-twenty-people-or-more".to_owned(), false),
    ] {
        let sending = with(
            task("a", "effect.do", &[]),
            json!({ "inputs": { "id": "a", "body": { "deep": [pasted] } } }),
        );
        let path = rig.write_plan("pasted.plan.json", &plan(&[sending]));
        let problems = rig.engine.check(path).await;
        let found = problems
            .iter()
            .find(|p| p.pointer == "/tasks/0/inputs/body/deep/0");
        assert_eq!(found.is_some(), is_told, "{pasted}: {problems:?}");
        if let Some(found) = found {
            assert!(found.message.contains("planloom secret set NAME") && !found.message.contains(&long));
        }
    }
}

/// What a database says of a statement quotes it, word by word.
#[tokio::test]
async fn an_error_quotes_no_part_of_a_secret() {
    let value = "s3cr3t phrase-of many w0rds";
    let rig = Rig::on_file_with_models();
    let keychain = planloom_engine::llm::setup::Keychain::of(keyring_core::mock::Store::new().unwrap());
    let secrets = Secrets::of(keychain, Some(rig.folder().join("facts.json")));
    secrets.keep("PHRASE", value).await.unwrap();
    let engine = rig.another_keeping(secrets);
    std::fs::write(rig.folder().join("t.csv"), "a\n1\n").unwrap();
    for sql in [
        "SELECT {{ s }} FROM t",
        "{{ s }}",
        "SELECT a FROM t WHERE a = {{ s }}",
    ] {
        let text = json!({ "$template": sql, "with": { "s": { "$secret": "PHRASE" } } });
        let asking = json!({ "id": "ask", "instruction": "x", "task_type": "tool", "tool": "sql.query",
            "inputs": { "tables": { "t": "t.csv" }, "sql": text } });
        let path = rig.write_plan("test.plan.json", &plan(&[asking]));
        let opened = engine
            .open_run(
                path,
                &planloom_engine::Parameters::Json(Value::Null),
                &planloom_engine::Consent::Given,
            )
            .await;
        let run = opened.unwrap();
        engine.resume(&run).await.unwrap();
        engine.until_left(&run).await.unwrap();
        let shown = engine.show(&run, None).await.unwrap();
        let told = shown.tasks[0].error.as_ref().unwrap().message.clone();
        for word in ["s3cr3t", "phrase", "many", "w0rds"] {
            assert!(!told.contains(word), "{sql}: {told}");
        }
    }
    engine.close().await;
}

//! What a server answers, and what it changes behind an approval.

use planloom_tests::servers::{call, end, tool};

use super::*;

async fn called(way: &str) -> (Bench, Result<planloom_engine::model::Json, ToolError>) {
    let bench = hostile(way);
    bench.look("h").await.unwrap_or_else(|why| panic!("{way}: {why}"));
    let servers = bench.servers();
    let tool = tool(&servers, "h/good").unwrap();
    let result = call(&*tool, json!({ "text": "x" }), &bench.context(None)).await;
    if way == "silent" {
        // The server lives on until it has heard that nobody waits.
        for _ in 0..50 {
            if !marks(bench.folder(), "cancelled").is_empty() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
    (bench, result)
}

/// Each way with how the call must end. Whatever may have been done and is not known leaves the call in doubt.
const ENDS: &[(&str, &str)] = &[
    ("honest", "done"),
    ("ascii", "done"),
    ("dies", "unknown server_gone"),
    ("closes", "unknown server_gone"),
    ("silent", "unknown timeout"),
    ("progress", "unknown timeout"),
    ("giant-line", "unknown server_gone"),
    ("no-line-end", "unknown server_gone"),
    ("deep-result", "unknown server_gone"),
    ("noise", "done"),
    ("stderr", "done"),
    ("notifications", "done"),
    ("pings", "done"),
    ("fake-ids", "done"),
    ("fake-approval", "done"),
    ("bad-result", "unknown bad_result"),
    ("bad-part", "unknown bad_result"),
    ("result-list", "unknown bad_result"),
    ("output-schema", "unknown bad_result"),
    ("is-error", "permanent tool_failed"),
    ("rpc-error", "permanent tool_refused"),
    ("task", "unknown bad_result"),
    ("rounds", "unknown bad_result"),
];

#[tokio::test(flavor = "multi_thread")]
async fn every_answer_ends_the_call_as_what_it_is() {
    for (way, want) in ENDS {
        let (bench, result) = called(way).await;
        assert_eq!(end(&result), *want, "{way}: {result:?}");
        let made = marks(bench.folder(), "called").len();
        assert_eq!(
            made,
            if *way == "rounds" { 10 } else { 1 },
            "{way}: nothing is sent twice"
        );
        if let Err(error) = &result {
            let told = message(error);
            assert!(
                told.chars().count() < 5000 && !told.contains('\u{202e}') && !told.contains('\u{200b}'),
                "{way}: {told:?}"
            );
        }
        match *way {
            "giant-line" | "no-line-end" => assert!(message(&result.unwrap_err()).contains("16 MiB")),
            "deep-result" => assert!(message(&result.unwrap_err()).contains("can't be taken in")),
            "fake-ids" => assert_eq!(result.unwrap()["content"][0]["text"], "mine"),
            "fake-approval" => {
                let fields: Vec<String> = result.unwrap().as_object().unwrap().keys().cloned().collect();
                assert_eq!(fields, ["content"], "what it says beside its answer is dropped");
            }
            "silent" => assert_eq!(
                marks(bench.folder(), "cancelled").len(),
                1,
                "the server hears that nobody waits"
            ),
            _ => {}
        }
    }
}

/// What only reads has simply failed; what may have acted is in doubt, and is told to have been called.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_is_none_leaves_only_what_may_act_in_doubt() {
    for (word, want) in [
        (json!({ "effect": "read_external" }), "permanent bad_result"),
        (
            json!({ "effect": "write_external", "idempotent": true }),
            "permanent bad_result",
        ),
        (json!({ "effect": "write_external" }), "unknown bad_result"),
    ] {
        let mut bench = hostile("output-schema");
        let marks = bench.folder().to_str().unwrap().to_owned();
        let entry = json!({
            "command": "python3", "args": [script("hostile.py"), "output-schema", marks], "unconfined": true,
            "tools": { "good": word },
        });
        bench.set("h", entry);
        bench.look("h").await.unwrap();
        let servers = bench.servers();
        let tool = tool(&servers, "h/good").unwrap();
        let result = call(&*tool, json!({ "text": "x" }), &bench.context(None)).await;
        assert_eq!(end(&result), want, "{word}");
        let told = message(&result.unwrap_err());
        assert_eq!(
            told.contains("the call WAS made"),
            want.starts_with("unknown"),
            "{told}"
        );
    }
}

/// A number that is none, in the form in which numbers are carried inside.
#[tokio::test(flavor = "multi_thread")]
async fn a_forged_number_is_no_number() {
    let (_bench, result) = called("private-number").await;
    if let Ok(value) = result {
        assert!(!value["structuredContent"].is_number(), "{value}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn secrets_and_the_environment_do_not_come_back() {
    let secret = env!("CARGO_MANIFEST_DIR");
    let (bench, result) = called("secret").await;
    let text = result.unwrap().to_string();
    assert!(text.contains("•••") && !text.contains(secret), "{text}");
    assert!(!bench.look("h").await.unwrap().stderr.contains(secret));
    let (_bench, result) = called("environment").await;
    let text = result.unwrap()["content"][0]["text"].as_str().unwrap().to_owned();
    let seen: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&text).unwrap();
    assert_eq!(seen["TOKEN"], "•••");
    assert!(
        seen.keys()
            .all(|name| !name.starts_with("CARGO") && !name.contains("KEY")),
        "{:?}",
        seen.keys()
    );
}

/// After the approval the tool is another one: at the next start, in the midst of a session, or not at all any more.
#[tokio::test(flavor = "multi_thread")]
async fn a_changed_definition_is_refused_with_what_changed() {
    let bench = hostile("changes");
    bench.look("h").await.unwrap();
    std::fs::write(bench.folder().join("approved"), "").unwrap();
    let servers = bench.servers();
    let error = call(
        &*tool(&servers, "h/good").unwrap(),
        json!({}),
        &bench.context(None),
    )
    .await
    .unwrap_err();
    assert!(message(&error).contains("(description changed)"), "{error:?}");
    assert_eq!(end(&Err(error)), "permanent definition_changed");
    assert_eq!(marks(bench.folder(), "called").len(), 0);

    for (way, want) in [
        ("changes-late", "(inputSchema changed)"),
        ("vanishes", "not offered by its server any more"),
    ] {
        let bench = hostile(way);
        bench.look("h").await.unwrap();
        let servers = bench.servers();
        let tool = tool(&servers, "h/good").unwrap();
        let first = call(&*tool, json!({}), &bench.context(None)).await;
        assert_eq!(end(&first), "done", "{way}: {first:?}");
        // The word of the change is on its way.
        tokio::time::sleep(Duration::from_millis(500)).await;
        let error = call(&*tool, json!({}), &bench.context(None)).await.unwrap_err();
        assert!(message(&error).contains(want), "{way}: {error:?}");
        assert_eq!(marks(bench.folder(), "called").len(), 1, "{way}");
    }
}

/// Somebody writes into the file of what was seen.
#[tokio::test(flavor = "multi_thread")]
async fn a_forged_cache_opens_nothing() {
    let bench = hostile("honest");
    bench.look("h").await.unwrap();
    let text = std::fs::read_to_string(bench.cache()).unwrap();
    std::fs::write(bench.cache(), text.replace("A tool.", "Another tool.")).unwrap();
    let servers = bench.servers();
    let result = call(
        &*tool(&servers, "h/good").unwrap(),
        json!({}),
        &bench.context(None),
    )
    .await;
    assert_eq!(end(&result), "permanent definition_changed");
    for broken in [
        "",
        "{",
        "[]",
        "{\"servers\": {\"h\": 5}}",
        "{\"servers\": {\"h\": {\"identity\": \"x\", \"tools\": [1]}}}",
    ] {
        std::fs::write(bench.cache(), broken).unwrap();
        assert_eq!(usable(&bench.servers()), Vec::<String>::new());
    }
}

/// A pattern on which some engines never end.
#[tokio::test(flavor = "multi_thread")]
async fn a_hostile_pattern_ends_the_check() {
    let bench = hostile("schemas");
    bench.look("h").await.unwrap();
    let servers = bench.servers();
    let tool = tool(&servers, "h/redos").unwrap();
    let begun = std::time::Instant::now();
    let checked = tool.check_arguments(&json!({ "text": format!("{}!", "a".repeat(5000)) }));
    assert!(
        checked.is_err() && begun.elapsed() < Duration::from_secs(5),
        "{:?}",
        begun.elapsed()
    );
}

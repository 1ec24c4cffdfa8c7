//! What a server says of itself and its tools.

use planloom_engine::model::tool::{Effect, Idempotency};

use super::*;

fn is_hidden(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{e0000}'..='\u{e007f}')
        || (c.is_control() && c != '\n')
}

/// Each way with the tools that can be used afterwards.
#[tokio::test(flavor = "multi_thread")]
async fn one_bad_tool_hides_no_other_and_is_told() {
    for (way, want, told) in [
        ("names", &["h/good"][..], 10),
        ("slashes", &["h/good", "h/http.get", "h/other/good"], 1),
        ("twins", &["h/good"], 1),
        ("nameless", &["h/good"], 0),
        ("schemas", &["h/good", "h/redos", "h/self"], 7),
    ] {
        let (bench, looked) = look(way).await;
        let row = looked.unwrap().row;
        let bad = row.tools.iter().filter(|tool| tool.problem.is_some());
        assert_eq!(bad.count(), told, "{way}: {:?}", row.tools);
        let mut names = usable(&bench.servers());
        names.sort();
        assert_eq!(names, want, "{way}");
        assert!(
            row.tools.iter().all(|tool| !tool.name.contains(is_hidden)),
            "{way}: {:?}",
            row.tools
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn descriptions_are_short_and_hide_nothing() {
    for way in ["poisoned", "long-description"] {
        let (bench, looked) = look(way).await;
        let row = looked.unwrap().row;
        let said = &row.tools[0].description;
        assert!(
            said.chars().count() <= 1025 && !said.contains(is_hidden),
            "{way}: {said:?}"
        );
        assert!(
            !row.server.contains(is_hidden) && !row.server.contains('\n'),
            "{:?}",
            row.server
        );
        let tools = bench.servers().tools();
        assert!(tools[0].spec().description.chars().count() <= 1025);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn annotations_loosen_nothing() {
    let (bench, looked) = look("annotations").await;
    looked.unwrap();
    let tools = bench.servers().tools();
    let spec = tools[0].spec();
    assert_eq!(
        (spec.effect, spec.idempotency),
        (Effect::WriteExternal, Idempotency::Not)
    );
    assert!(spec.is_source_untrusted && !spec.needs.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_have_an_end() {
    for way in ["pages", "many"] {
        let (_bench, looked) = look(way).await;
        let row = looked.unwrap().row;
        assert!(
            row.tools.len() <= 2000
                && row.warnings.iter().any(|w| w.contains("does not end")) == (way == "pages")
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_session_is_told() {
    for (way, want) in [
        ("no-list", "a page without `tools`"),
        ("bad-hello", "names no version"),
        ("future", "2999-01-01"),
        ("nonsense", "they can't talk"),
    ] {
        let (_bench, looked) = look(way).await;
        let why = looked.map(|looked| looked.row).unwrap_err().message;
        assert!(why.contains(want), "{way}: {why}");
    }
    let mut bench = hostile("no-handshake");
    bench.patience.silence = Duration::from_secs(1);
    let why = bench
        .look("h")
        .await
        .map(|looked| looked.row)
        .unwrap_err()
        .message;
    assert!(why.contains("no output at all within the limit of 1 s"), "{why}");
    let mut bench = hostile("text-ids");
    bench.patience.silence = Duration::from_secs(2);
    let why = bench
        .look("h")
        .await
        .map(|looked| looked.row)
        .unwrap_err()
        .message;
    assert!(
        why.contains("answers to other ids") || why.contains("1 answer to other ids"),
        "{why}"
    );
    let (_bench, looked) = look("chatty-start").await;
    let warnings = looked.unwrap().row.warnings;
    assert!(
        warnings
            .iter()
            .any(|w| w.contains("writes to stdout (50000 lines")),
        "{warnings:?}"
    );
}

/// Under the name of a server that was looked at another program is set up.
#[tokio::test(flavor = "multi_thread")]
async fn another_command_inherits_nothing() {
    let (mut bench, looked) = look("honest").await;
    looked.unwrap();
    assert_eq!(usable(&bench.servers()), ["h/good"]);
    bench.set(
        "h",
        json!({ "command": "python3", "args": ["/another.py"], "unconfined": true }),
    );
    assert_eq!(usable(&bench.servers()), Vec::<String>::new());
    bench.set("h", json!({ "url": "http://127.0.0.1:9/" }));
    assert_eq!(usable(&bench.servers()), Vec::<String>::new());
}

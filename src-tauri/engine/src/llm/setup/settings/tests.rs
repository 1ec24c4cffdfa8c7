//! What is read of `settings.json`, and what is told of what can't be.

use super::*;
use crate::llm::Support;

fn read(text: &str) -> (Settings, Vec<Trouble>) {
    let mut troubles = Vec::new();
    let catalog = Catalog::read(None, "", &mut troubles);
    let settings = Settings::read(text.as_bytes(), &catalog, &mut troubles);
    (settings, troubles)
}

fn places(troubles: &[Trouble]) -> Vec<&str> {
    troubles.iter().map(|t| t.place.as_str()).collect()
}

#[test]
fn a_whole_setting_is_read() {
    let (settings, troubles) = read(
        r#"{ "theme": "dark", "models": {
            "discover": ["127.0.0.1:8090", "http://[::1]:9000/"],
            "providers": {
                "home": { "kind": "llama_cpp", "base_url": "localhost:8090/v1", "limits": { "first_byte_s": 600 },
                          "models": ["qwen"] },
                "work": { "kind": "openai_compatible", "base_url": "https://llm.example/v1", "key_from": "WORK_KEY",
                          "models": { "big": { "tools": true, "context_tokens": 131072 } } },
                "openai": { "kind": "openai" } },
            "roles": { "planner": ["work/big", "openai/gpt-5.6"], "executor": "home/qwen" },
            "prices": { "work/big": { "input": 0.10, "output": "1" }, "home/qwen": "free" } } }"#,
    );
    assert_eq!(troubles, []);
    assert!(matches!(&settings.discover, Discover::At(urls) if urls.len() == 2));
    let home = &settings.providers["home"];
    assert_eq!(
        home.base_url.as_ref().unwrap().as_str(),
        "http://localhost:8090/v1"
    );
    assert_eq!((home.waits.first_byte_s, home.waits.connect_s), (Some(600), None));
    assert_eq!(home.models[0].0, "qwen");
    let work = &settings.providers["work"];
    assert_eq!(work.key_from.as_deref(), Some("WORK_KEY"));
    assert_eq!(work.models[0].1.tools, Support::Yes);
    assert_eq!(settings.providers["openai"].base_url, None);
    assert_eq!(settings.roles[&Role::Planner], ["work/big", "openai/gpt-5.6"]);
    assert_eq!(settings.roles[&Role::Executor], ["home/qwen"]);
    assert_eq!(settings.prices["home/qwen"], Price::Free);
    assert!(matches!(settings.prices["work/big"], Price::PerMillion { .. }));
}

#[test]
fn bad_parts_are_told_and_good_ones_kept() {
    let (settings, troubles) = read(
        r#"{ "models": {
            "discover": ["example.com", 7],
            "providers": { "a b": { "kind": "ollama" }, "planner": { "kind": "ollama" }, "x": { "kind": "chatgpt" },
                "y": { "kind": "openai_compatible" }, "z": { "kind": "vllm", "base_url": 7 },
                "w": { "kind": "openai", "base_url": "https://me:pw@h.example" },
                "good": { "kind": "ollama", "limits": { "idle_s": 0, "whole": 3 }, "model": [] } },
            "roles": { "planner": ["gpt", "good/m"], "boss": "good/m", "executor": 5 },
            "prices": { "good/m": { "input": "1" }, "good/n": [] },
            "extra": 1 } }"#,
    );
    let at = |place: &str| format!("settings.json#/models/{place}");
    for place in [
        "extra",
        "discover",
        "discover/1",
        "providers/a b",
        "providers/planner",
        "providers/x/kind",
        "providers/y",
        "providers/z/base_url",
        "providers/w/base_url",
        "providers/good/limits/idle_s",
        "providers/good/limits/whole",
        "providers/good/model",
        "roles/planner",
        "roles/boss",
        "roles/executor",
        "prices/good~1m",
        "prices/good~1n",
    ] {
        assert!(
            places(&troubles).contains(&at(place).as_str()),
            "{place}: {troubles:#?}"
        );
    }
    assert_eq!(settings.providers.keys().collect::<Vec<_>>(), ["good"]);
    assert_eq!(settings.roles[&Role::Planner], ["good/m"]);
    assert!(!settings.roles.contains_key(&Role::Executor));
}

#[test]
fn a_key_in_the_file_is_neither_read_nor_shown() {
    let (settings, troubles) =
        read(r#"{ "models": { "providers": { "openai": { "kind": "openai", "api_key": "sk-canary" } } } }"#);
    assert_eq!(
        places(&troubles),
        ["settings.json#/models/providers/openai/api_key"]
    );
    assert!(settings.providers.contains_key("openai"));
    assert!(!format!("{troubles:?} {settings:?}").contains("sk-canary"));
}

#[test]
fn what_discover_may_be_is_said() {
    for (value, words) in [
        (r#""gpu.example:8000""#, "gpu.example:8000 is not on this machine"),
        (r#"{"at": 1}"#, "true, false, or addresses of this machine"),
        ("7", "true, false, or addresses of this machine"),
        (
            r#""http://me:pw@localhost""#,
            "one of its addresses is not looked at",
        ),
    ] {
        let (_, troubles) = read(&format!(r#"{{"models": {{"discover": {value}}}}}"#));
        let [trouble] = &troubles[..] else {
            panic!("{troubles:?}")
        };
        assert!(
            trouble.message.contains(words) && !trouble.message.contains("pw"),
            "{trouble}"
        );
    }
}

#[test]
fn hostile_files_leave_the_defaults() {
    let deep = "[".repeat(100_000);
    let many: String = (0..5000).map(|n| format!(r#""x{n}": 1,"#)).collect();
    let many = format!(r#"{{ "models": {{ {many} "discover": false }} }}"#);
    for text in [
        "",
        "null",
        "[]",
        r#"{"models": 5}"#,
        r#"{"models": {"models"#,
        deep.as_str(),
    ] {
        let (settings, troubles) = read(text);
        assert_eq!(settings, Settings::default(), "{}", &text[..text.len().min(30)]);
        assert!(!troubles.is_empty());
    }
    let (settings, troubles) = read(&many);
    assert_eq!((settings.discover, troubles.len()), (Discover::Nowhere, 50));
    assert_eq!(read("{}").1, []);
}

#[test]
fn names_are_taken_apart_at_their_first_slash() {
    assert_eq!(
        split("openrouter/anthropic/claude"),
        Some(("openrouter", "anthropic/claude"))
    );
    for wrong in ["", "gpt", "/gpt", "openai/", "executor/x", "a b/c", "a/\u{7}"] {
        assert_eq!(split(wrong), None, "{wrong}");
    }
}

//! What people write into settings, and what other programs wrote.

use serde_json::json;

use super::*;
use crate::model::tool::Effect;
use crate::tools::mcp::setup::Way;

fn read_text(text: &str) -> (BTreeMap<String, Setup>, Vec<String>) {
    let mut troubles = Vec::new();
    let servers = read(text.as_bytes(), &mut troubles);
    (servers, troubles.iter().map(ToString::to_string).collect())
}

#[test]
fn servers_are_read_whole() {
    let (servers, troubles) = read_text(
        r#"{"models": 7, "mcp": {"servers": {
            "files": {"command": "npx", "args": ["-y", "pkg"], "env": {"KEY": {"$secret": "K"}, "N": 5}, "unconfined": true,
                      "folders": ["/a/b"], "timeout_s": 5, "tools": {"x": {"effect": "read_external", "trusted": true}}},
            "web": {"url": "https://example.com/mcp", "headers": {"Authorization": "Bearer ${T}"}}
        }}}"#,
    );
    assert_eq!(troubles, Vec::<String>::new());
    assert_eq!(servers["files"].shown(), "KEY=${K} N=… npx -y pkg");
    assert!(servers["files"].is_unconfined && servers["files"].tools["x"].is_trusted);
    assert_eq!(servers["files"].tools["x"].effect, Some(Effect::ReadExternal));
    assert!(matches!(&servers["web"].way, Way::Http { headers, .. } if headers.len() == 1));
}

#[test]
fn one_bad_server_hides_no_other() {
    let (servers, troubles) = read_text(
        r#"{"mcp": {"servers": {
            "good": {"command": "a"},
            "a/b": {"command": "a"},
            "both": {"command": "a", "url": "http://x"},
            "none": {},
            "args": {"command": "a", "args": ["a", 1]},
            "pass": {"url": "https://user:hunter2@example.com"},
            "file": {"url": "file:///etc/passwd"},
            "list": ["a"],
            "effect": {"command": "a", "tools": {"x": {"effect": "pure"}}, "comand": 1},
            "folder": {"command": "a", "folders": ["../x", "/a/../b", "/ok"]}
        }}}"#,
    );
    assert_eq!(
        servers.keys().map(String::as_str).collect::<Vec<_>>(),
        ["effect", "folder", "good"]
    );
    assert_eq!(servers["effect"].tools["x"].effect, None);
    assert_eq!(servers["folder"].folders, [std::path::PathBuf::from("/ok")]);
    assert!(
        troubles
            .iter()
            .any(|t| t.starts_with("settings.json#/mcp/servers/a~1b:")),
        "{troubles:#?}"
    );
    assert!(
        troubles.iter().any(|t| t.contains("did you mean `command`")),
        "{troubles:#?}"
    );
    assert!(troubles.iter().all(|t| !t.contains("hunter2")), "{troubles:#?}");
}

#[test]
fn files_of_other_programs_are_taken_over() {
    let claude = br#"{"mcpServers": {"fs": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "/x"],
        "alwaysAllow": ["write_file"], "unconfined": true}}, "globalShortcut": ""}"#;
    let imported = import(claude, "claude.json");
    assert_eq!(imported.entries["fs"]["command"], "npx");
    assert!(!imported.servers["fs"].is_unconfined, "a file can't say that");
    assert_eq!(imported.entries["fs"].get("alwaysAllow"), None);
    assert_eq!(imported.troubles.len(), 2, "{:#?}", imported.troubles);

    let code = b"{ // my servers\n \"inputs\": [],\n \"servers\": {\n /* one */ \"gh\": {\"type\": \"http\", \"url\": \"https://example.com/a//b\",},\n \
        \"db\": {\"type\": \"stdio\", \"command\": \"uvx\", \"env\": {\"T\": \"${input:token}\"}}, },\n}";
    let imported = import(code, "mcp.json");
    assert!(imported.troubles.is_empty(), "{:#?}", imported.troubles);
    assert_eq!(imported.servers["gh"].shown(), "https://example.com/a//b");
    assert_eq!(imported.servers["db"].shown(), "T=${token} uvx");

    let settings =
        br#"{"mcp": {"servers": {"x": {"command": "a"}, "old": {"type": "sse", "url": "http://x"}}}}"#;
    let imported = import(settings, "settings.json");
    assert_eq!(imported.servers.len(), 1);
    for nothing in [&b"[]"[..], b"{}", b"{", b"{\"mcpServers\": []}", b"\xff"] {
        let imported = import(nothing, "x.json");
        assert!(
            imported.servers.is_empty() && !imported.troubles.is_empty(),
            "{:?}",
            String::from_utf8_lossy(nothing)
        );
    }
}

#[test]
fn an_edit_changes_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("settings.json");
    std::fs::write(
        &path,
        r#"{"b": 1.10, "mcp": {"servers": {"old": {"command": "a"}}}, "a": 9007199254740993}"#,
    )
    .unwrap();
    edit(&path, |servers| {
        servers.insert("new".to_owned(), json!({ "command": "b" }))
    })
    .unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(
        text.contains("1.10") && text.contains("9007199254740993"),
        "{text}"
    );
    assert_eq!(read_text(&text).0.len(), 2);
    #[cfg(unix)]
    {
        let mode = std::os::unix::fs::MetadataExt::mode(&std::fs::metadata(&path).unwrap());
        assert_eq!(mode & 0o077, 0, "keys may stand in it: {mode:o}");
    }
    std::fs::write(&path, "{ broken").unwrap();
    assert!(edit(&path, |_| ()).is_err());
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "{ broken");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

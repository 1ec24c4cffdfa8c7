//! The cases of servers in the field: noise, full pipes, slow starts, endless lists, other versions.

mod asked;
mod http;
mod processes;

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::timeout;

use super::call::Call;
use super::server::Connection;
use super::start::Patience;
use super::testing::{case, hello, pipes};
use crate::model::Json;
use crate::tools::testing::Rig;
use crate::tools::{CallContext, ToolError};

const LONG: Duration = Duration::from_secs(40);

async fn call(connection: &Arc<Connection>, cx: &CallContext, patience: Patience) -> Result<Json, ToolError> {
    let call = Call {
        connection,
        who: "stub/a",
        tool: "a",
        arguments: json!({}),
        patience,
        cx,
    };
    timeout(LONG, call.make()).await.unwrap()
}

fn names(connection: &[super::definition::Definition]) -> Vec<&str> {
    connection.iter().map(|tool| tool.name.as_str()).collect()
}

#[tokio::test]
async fn mcp_01_noise_is_passed_over_and_counted() {
    let text = case("mcp-01-noise-on-stdout/server-stdout.txt");
    let (near, mut far) = pipes();
    let pipe = near.pipe.clone();
    tokio::spawn(async move {
        let mut lines = text.split('\n');
        while let Some(asked) = far.hear().await {
            let Some(id) = asked.get("id") else { continue };
            for line in lines.by_ref() {
                far.say(line).await;
                let said: Option<Value> = serde_json::from_str(line.trim()).ok();
                if said.is_some_and(|said| said.get("result").is_some() && said["id"] == *id) {
                    break;
                }
            }
        }
    });
    let connection = timeout(LONG, near.connect()).await.unwrap().unwrap();
    assert_eq!(names(&connection.tools().await.tools), ["a", "b"]);
    let answer = call(&connection, &Rig::new().cx, Patience::default())
        .await
        .unwrap();
    assert_eq!(answer["content"][0]["text"], "ok");
    let noise = pipe.noise();
    assert_eq!((noise.lines, noise.unknown_ids), (5, 1));
    assert_eq!(noise.first.as_deref(), Some("Starting Demo MCP Server v1.2"));
}

/// One server of the case: what it lists, and how often it was asked.
async fn listed(pages: Value) -> (Result<super::listing::Listing, String>, usize) {
    let (near, far) = pipes();
    let asked = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let count = asked.clone();
    tokio::spawn(far.serve(move |method, params| {
        if method == "initialize" {
            return Some(hello("2025-06-18"));
        }
        count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let cursor = params.get("cursor").and_then(Value::as_str);
        let tool = |name: &str| json!({ "name": name, "inputSchema": { "type": "object" } });
        let Some(pages) = pages.as_object() else {
            let page: usize = cursor.map_or(0, |cursor| cursor.parse().unwrap());
            let tools = [tool(&format!("t{page}"))];
            return Some(json!({ "result": { "tools": tools, "nextCursor": (page + 1).to_string() } }));
        };
        // The first request has no cursor; its page is named "first" where the empty cursor means another.
        let first = if pages.contains_key("first") { "first" } else { "" };
        let page = &pages[cursor.unwrap_or(first)];
        let Some(names) = page.get(0).and_then(Value::as_array) else {
            return Some(json!({ "error": { "code": -32603, "message": "no such page" } }));
        };
        let tools: Vec<Value> = names.iter().map(|name| tool(name.as_str().unwrap())).collect();
        Some(json!({ "result": { "tools": tools, "nextCursor": page[1] } }))
    }));
    let link = near.link().await.unwrap();
    let listing = timeout(LONG, super::listing::list(link.session.peer(), LONG, &link.veil))
        .await
        .unwrap();
    (listing, asked.load(std::sync::atomic::Ordering::Relaxed))
}

#[tokio::test]
async fn mcp_06_every_page_is_read_and_there_is_an_end() {
    let rows: Vec<Value> = serde_json::from_str(&case("mcp-06-paged-tool-lists/servers.json")).unwrap();
    assert_eq!(rows.len(), 7);
    for row in rows {
        let (listing, requests) = listed(row["pages"].clone()).await;
        let listing = listing.unwrap();
        if row.get("tools").is_some() {
            assert_eq!(json!(names(&listing.tools)), row["tools"], "{row}");
        }
        let most = row["requests_max"]
            .as_u64()
            .or(row["requests"].as_u64())
            .unwrap_or(3);
        assert!(requests as u64 <= most, "{requests} requests for {row}");
        assert_eq!(
            !listing.warnings.is_empty(),
            row["warning"] == true,
            "{row}: {:?}",
            listing.warnings
        );
    }
    let (none, _) = listed(json!({ "": "error" })).await;
    assert!(none.is_err());
}

/// A server that says what it was given, wherever it can: that goes to every model, and is kept.
#[tokio::test]
async fn what_a_server_was_given_stands_nowhere_in_its_list() {
    const KEY: &str = "sk-listed-4hG7";
    let (near, far) = pipes();
    tokio::spawn(far.serve(move |method, _| {
        if method == "initialize" {
            return Some(hello("2025-06-18"));
        }
        let told = format!("Bearer {KEY}");
        let schema = json!({ "type": "object", "properties": { "at": {
            "type": "string", "description": told, "default": KEY, "enum": [KEY, "b"], "examples": [told],
            "const": format!("https://a.example/?key={KEY}"),
        } } });
        let tools = json!([
            { "name": "go", "title": told, "description": told, "inputSchema": schema, "outputSchema": schema,
              "annotations": { "title": told } },
            { "name": KEY, "inputSchema": { "type": "object" } },
        ]);
        Some(json!({ "result": { "tools": tools } }))
    }));
    let link = near.link().await.unwrap();
    let mut veil = crate::model::redactor::Redactor::default();
    veil.add([KEY]);
    let listing = super::listing::list(link.session.peer(), LONG, &veil)
        .await
        .unwrap();
    assert_eq!(listing.tools.len(), 2);
    let told = format!("{:?}", listing.tools);
    assert!(!told.contains(KEY), "{told}");
    assert!(told.contains("Bearer •••"), "{told}");
}

#[tokio::test]
async fn mcp_06_a_changed_list_is_read_again_and_calls_go_on() {
    let (near, far) = pipes();
    let lists = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let count = lists.clone();
    let (tell, mut hear) = tokio::sync::mpsc::channel::<Json>(4);
    tokio::spawn(far.serve(move |method, params| match method {
        "initialize" => Some(hello("2025-06-18")),
        "tools/list" => {
            let many = count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let tools = if many == 0 {
                json!([{ "name": "a", "inputSchema": { "type": "object" } }])
            } else {
                json!([])
            };
            Some(json!({ "result": { "tools": tools } }))
        }
        _ => {
            let _ = tell.try_send(params.clone());
            None
        }
    }));
    let connection = near.connect().await.unwrap();
    let (rig, patience) = (
        Rig::new(),
        Patience {
            call: Duration::from_millis(900),
            ..Patience::default()
        },
    );
    let going = call(&connection, &rig.cx, patience);
    let changing = async {
        let params = hear.recv().await.unwrap();
        assert_eq!(params["_meta"][super::KEY], "key-1");
        near.handler
            .is_stale
            .store(true, std::sync::atomic::Ordering::Release);
        assert_eq!(connection.tool("a").await, None);
        assert_eq!(lists.load(std::sync::atomic::Ordering::Relaxed), 2);
    };
    let (ended, ()) = tokio::join!(going, changing);
    // It was neither cut off by the change nor answered: only its own time has run out.
    assert!(
        matches!(ended, Err(ToolError::Unknown { code: "timeout", .. })),
        "{ended:?}"
    );
}

#[tokio::test]
async fn mcp_07_versions_are_negotiated_or_refused_by_name() {
    let rows: Vec<Value> =
        serde_json::from_str(&case("mcp-07-versions-and-server-requests/handshakes.json")).unwrap();
    let mut seen = 0;
    for row in rows.iter().filter(|row| row.get("http").is_none()) {
        let (near, far) = pipes();
        let (row_there, tries) = (row.clone(), Arc::new(std::sync::Mutex::new(Vec::new())));
        let sent = tries.clone();
        tokio::spawn(far.serve(move |method, params| {
            if method != "initialize" {
                return Some(json!({ "error": { "code": -32601, "message": "no" } }));
            }
            sent.lock()
                .unwrap()
                .push(params["protocolVersion"].as_str().unwrap().to_owned());
            let is_second = sent.lock().unwrap().len() > 1;
            match (row_there["server"].as_str(), row_there.get("error"), is_second) {
                (Some(version), _, _) => Some(hello(version)),
                (None, Some(error), false) => Some(json!({ "error": error })),
                (None, Some(_), true) => Some(hello(params["protocolVersion"].as_str().unwrap())),
                (None, None, _) => Some(json!({ "result": {} })),
            }
        }));
        let shaken = timeout(LONG, near.link()).await.unwrap();
        let (want, tries) = (row["want"].as_str().unwrap(), tries.lock().unwrap().clone());
        seen += 1;
        match (want, shaken) {
            ("accept", Ok(link)) => {
                let info = link.session.peer().peer_info().unwrap();
                assert_eq!(info.protocol_version.as_str(), row["server"].as_str().unwrap());
            }
            ("retry with 2024-11-05 once", Ok(_)) => assert_eq!(tries[1..], ["2024-11-05"]),
            ("refuse or accept with warning", Err(refused)) => {
                let message = refused.to_string();
                assert!(
                    message.contains(row["server"].as_str().unwrap()) && message.contains("2026-07-28"),
                    "{message}"
                );
            }
            ("refuse: no version in the answer", Err(refused)) => {
                assert!(refused.to_string().contains("names no version"), "{refused}");
            }
            (want, shaken) => panic!("{want}: {:?}", shaken.err()),
        }
    }
    assert_eq!(seen, 7);
}

/// The newest revision has no handshake: what the server says of itself is asked for instead.
#[tokio::test]
async fn mcp_07_the_newest_revision_is_spoken() {
    let (near, far) = pipes();
    tokio::spawn(far.serve(|method, params| match method {
        "server/discover" => {
            let result = json!({ "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": { "tools": {} },
                "ttlMs": 0, "cacheScope": "private" });
            Some(json!({ "result": result }))
        }
        "tools/list" if params["_meta"].to_string().contains("2026-07-28") => {
            Some(json!({ "result": { "resultType": "complete", "tools": [{ "name": "a", "inputSchema": { "type": "object" } }],
                "ttlMs": 0, "cacheScope": "private" } }))
        }
        "tools/call" if params.get("requestState").is_none() => {
            let roots = json!({ "r": { "method": "roots/list" } });
            Some(json!({ "result": { "resultType": "input_required", "inputRequests": roots, "requestState": "s1" } }))
        }
        "tools/call" => {
            let roots = params["inputResponses"]["r"]["roots"][0]["uri"].clone();
            Some(json!({ "result": { "resultType": "complete", "content": [{ "type": "text", "text": roots }] } }))
        }
        _ => Some(json!({ "error": { "code": -32601, "message": "no such method" } })),
    }));
    let connection = timeout(LONG, near.connect()).await.unwrap().unwrap();
    assert_eq!(connection.names().1, "2026-07-28");
    let answer = call(&connection, &Rig::new().cx, Patience::default())
        .await
        .unwrap();
    assert_eq!(answer["content"][0]["text"], "file:///root/of/it");
}

//! Servers at an address.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::*;
use crate::tools::mcp::server::{Around, Server};
use crate::tools::mcp::setup::Way;
use crate::tools::mcp::testing::setup;

/// One request: its head in lower case, and its body.
type Asked = (String, Value);

/// Answers requests one by one, each on a connection of its own. Gives the address and all that was asked.
async fn serve(
    answer: impl Fn(&Asked, usize) -> (u16, String) + Send + 'static,
) -> (String, Arc<std::sync::Mutex<Vec<Asked>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let all = Arc::new(std::sync::Mutex::new(Vec::new()));
    let heard = all.clone();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut bytes = Vec::new();
            let (head, mut length) = loop {
                if stream.read_buf(&mut bytes).await.unwrap_or(0) == 0 {
                    break (String::new(), 0);
                }
                let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
                    continue;
                };
                let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
                let length = head
                    .lines()
                    .find_map(|line| line.strip_prefix("content-length: ")?.parse().ok())
                    .unwrap_or(0);
                bytes.drain(..end + 4);
                break (head, length);
            };
            while bytes.len() < length && stream.read_buf(&mut bytes).await.unwrap_or(0) > 0 {}
            length = length.min(bytes.len());
            let asked = (head, serde_json::from_slice(&bytes[..length]).unwrap_or_default());
            let (status, body) = answer(&asked, heard.lock().unwrap().len());
            heard.lock().unwrap().push(asked);
            let kind = if body.starts_with('{') {
                "application/json"
            } else {
                "text/plain"
            };
            let answer = format!(
                "HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                body.len()
            );
            let _ = stream.write_all(answer.as_bytes()).await;
        }
    });
    (url, all)
}

fn at(url: &str, headers: &[(&str, &str)]) -> Arc<Server> {
    let mut setup = setup("web", "x", &[]);
    setup.way = Way::Http {
        url: url.parse().unwrap(),
        headers: headers
            .iter()
            .map(|(name, value)| ((*name).to_owned(), crate::tools::mcp::setup::Value::parse(value)))
            .collect(),
    };
    let patience = Patience {
        silence: Duration::from_secs(5),
        ..Patience::default()
    };
    Server::new(
        setup,
        Around {
            patience,
            ..Around::default()
        },
    )
}

fn plain(asked: &Asked) -> (u16, String) {
    let (head, body) = asked;
    let answer = |mut given: Value| {
        given["jsonrpc"] = json!("2.0");
        given["id"] = body["id"].clone();
        (200, given.to_string())
    };
    match body["method"].as_str() {
        Some("initialize") => answer(hello(body["params"]["protocolVersion"].as_str().unwrap())),
        Some("tools/list") => {
            answer(json!({ "result": { "tools": [{ "name": "a", "inputSchema": { "type": "object" } }] } }))
        }
        Some("tools/call") => answer(
            json!({ "result": { "content": [{ "type": "text", "text": "ok" }], "structuredContent": { "n": 9_007_199_254_740_993_u64 } } }),
        ),
        Some(_) => (202, String::new()),
        None if head.starts_with("get") => (405, String::new()),
        None => (202, String::new()),
    }
}

/// The row of mcp-07 that is about HTTP, and the header of all that follows.
#[tokio::test]
async fn mcp_07_a_refusal_over_http_names_what_to_speak_instead() {
    let rows: Vec<Value> =
        serde_json::from_str(&case("mcp-07-versions-and-server-requests/handshakes.json")).unwrap();
    let row = rows.into_iter().find(|row| row.get("http").is_some()).unwrap();
    let (url, all) = serve(move |asked, before| {
        if before == 0 {
            return (
                row["http"].as_u64().unwrap() as u16,
                row["body"].as_str().unwrap().to_owned(),
            );
        }
        plain(asked)
    })
    .await;
    let server = at(&url, &[("X-Own", "yes")]);
    let connection = timeout(LONG, server.connection(&Default::default()))
        .await
        .unwrap()
        .unwrap();
    let answer = call(&connection, &Rig::new().cx, Patience::default())
        .await
        .unwrap();
    assert_eq!(answer["content"][0]["text"], "ok");
    assert_eq!(answer["structuredContent"]["n"].to_string(), "9007199254740993");
    let all = all.lock().unwrap();
    assert_eq!(all[1].1["params"]["protocolVersion"], "2025-03-26");
    let after = all[2..].iter().filter(|(head, _)| head.starts_with("post"));
    assert!(after.clone().count() >= 3);
    for (head, body) in after {
        assert!(
            head.contains("mcp-protocol-version: 2025-03-26") && head.contains("x-own: yes"),
            "{head} {body}"
        );
    }
}

#[tokio::test]
async fn what_was_not_delivered_is_told_apart_from_what_may_have_been() {
    for (status, is_known, want, words) in [
        (307, false, "server_gone", "was sent, and no result came back"),
        (400, true, "tool_refused", "was refused"),
        (429, true, "server_down", "was turned away for now"),
        (500, false, "server_gone", "was sent, and no result came back"),
        (503, true, "server_down", "was turned away for now"),
    ] {
        let (url, _) = serve(move |asked, _| {
            if asked.1["method"] == "tools/call" {
                (status, "broken".to_owned())
            } else {
                plain(asked)
            }
        })
        .await;
        let connection = at(&url, &[]).connection(&Default::default()).await.unwrap();
        let error = call(&connection, &Rig::new().cx, Patience::default())
            .await
            .unwrap_err();
        assert_eq!(
            matches!(error, ToolError::Unknown { .. }),
            !is_known,
            "{status}: {error:?}"
        );
        // The person is asked by these words whether it happened.
        let said = error.to_string();
        assert!(
            said.contains(words) && said.contains(&status.to_string()) && !said.ends_with(':'),
            "{said}"
        );
        assert!(
            !said.contains("reached") && !said.contains("not called"),
            "{said}"
        );
        let code = crate::tools::testing::code_of(Err(error));
        assert_eq!(code, want, "{status}");
    }
}

#[tokio::test]
async fn nobody_there_is_told_with_the_address_and_without_secrets() {
    let server = at("http://127.0.0.1:1/mcp?key=hunter2", &[]);
    let none = server.connection(&Default::default()).await.err().unwrap();
    let message = format!("{none:?}");
    assert!(
        message.contains("http://127.0.0.1:1/mcp") && !message.contains("hunter2"),
        "{message}"
    );
    let server = at(
        "http://127.0.0.1:1/mcp",
        &[("Authorization", "Bearer ${PLANLOOM_TEST_NO_SUCH_SECRET}")],
    );
    let none = format!(
        "{:?}",
        server.connection(&Default::default()).await.err().unwrap()
    );
    assert!(
        none.contains("PLANLOOM_TEST_NO_SUCH_SECRET") && none.contains("is_final: true"),
        "{none}"
    );
}

#[tokio::test]
async fn an_answer_that_is_too_large_says_so() {
    for method in ["tools/list", "tools/call"] {
        let (url, _) = serve(move |asked, _| match asked.1["method"] == method {
            true => (200, format!("{{\"x\":\"{}\"}}", "y".repeat(17 << 20))),
            false => plain(asked),
        })
        .await;
        let said = match at(&url, &[]).connection(&Default::default()).await {
            Err(none) => format!("{none:?}"),
            Ok(connection) => {
                let called = call(&connection, &Rig::new().cx, Patience::default()).await;
                let error = called.unwrap_err();
                assert!(matches!(error, ToolError::Unknown { .. }), "{error:?}");
                error.to_string()
            }
        };
        assert!(
            said.contains("more than 16 MiB") && !said.contains("not reached"),
            "{method}: {said}"
        );
    }
}

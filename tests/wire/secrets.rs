//! A key is sent in a header and is in nothing that comes back, however it is echoed.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use planloom_engine::llm::wire::{Gemini, NoConnection, Provider, Wire, connect};
use planloom_engine::llm::{Key, Price, Traits};
use std::sync::Arc;

use crate::ask::{anthropic, ask, code, compatible, message, model};
use crate::server::{Act, Server, json, provider, response};

const KEY: &str = "sk-canary-4711/abc+def";
const OTHER: &str = "canary-header-0815";

fn with_key(provider: Provider) -> Provider {
    Provider {
        key: Some(Key::new(KEY).unwrap()),
        extra_headers: vec![("x-team".to_owned(), OTHER.to_owned())],
        ..provider
    }
}

fn wires() -> [Arc<dyn Wire>; 3] {
    [
        compatible(),
        anthropic(),
        Arc::new(Gemini::new("m", Traits::default())),
    ]
}

#[tokio::test]
async fn no_echo_of_a_key_comes_back() {
    let echoes = [
        format!("Incorrect API key provided: {KEY}."),
        format!("Authorization: Bearer {KEY}; {OTHER}"),
        "https://x/v1?key=sk-canary-4711%2Fabc%2Bdef".to_owned(),
        "https://x/v1?key=sk-canary-4711%2fabc%2bdef".to_owned(),
        format!("Basic {}", STANDARD.encode(format!("user:{KEY}"))),
        URL_SAFE_NO_PAD.encode(KEY),
        KEY.bytes().map(|byte| format!("%{byte:02x}")).collect(),
        KEY.bytes().map(|byte| format!("{byte:02X}")).collect(),
        "Incorrect API key provided: sk-canary-4711****+def".to_owned(),
    ];
    for echo in &echoes {
        let body =
            serde_json::json!({"error": {"message": echo, "code": echo}, "headers": {"authorization": echo}});
        for (status, body) in [
            (401, body.to_string()),
            (422, echo.clone()),
            (500, body.to_string()),
            (200, echo.clone()),
        ] {
            for wire in wires() {
                let script = response(status, &[("x-request-id", echo)], body.as_bytes());
                let server = Server::playing(vec![script]).await;
                let reply = ask(model(wire, with_key(server.base())).as_ref()).await;
                let said = format!("{reply:?}{}", serde_json::to_string(&reply).unwrap());
                for part in [
                    "canary",
                    "c2stY2FuYXJ5",
                    "4711",
                    "stY2Fu",
                    "%63%61%6e",
                    "63616E617279",
                ] {
                    assert!(!said.contains(part), "{part} in {said}");
                }
            }
        }
    }
}

#[tokio::test]
async fn a_key_is_sent_in_a_header_and_nowhere_else() {
    for wire in wires() {
        let server = Server::playing(vec![json(200, "{}")]).await;
        ask(model(wire, with_key(server.base())).as_ref()).await;
        let asked = server.asked();
        let (line, headers) = asked[0].head.split_once("\r\n").unwrap();
        assert!(!line.contains("canary"), "{line}");
        assert_eq!(headers.matches(KEY).count(), 1, "{headers}");
        assert!(headers.contains(OTHER));
        assert!(!asked[0].body.to_string().contains("canary"));
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let elsewhere = Server::playing(vec![json(200, "{}")]).await;
    let to = format!("{}/v1?key={KEY}", elsewhere.url());
    for status in [301, 302, 307, 308] {
        let server = Server::playing(vec![response(status, &[("location", &to)], b"")]).await;
        let [wire, ..] = wires();
        let reply = ask(model(wire, with_key(server.base())).as_ref()).await;
        assert_eq!(code(&reply), ("permanent", "redirect"));
        assert!(message(&reply).contains(&elsewhere.url()) && !message(&reply).contains("canary"));
    }
    assert!(elsewhere.asked().is_empty());
}

#[tokio::test]
async fn a_failed_connection_tells_no_key_and_no_password() {
    let [wire, ..] = wires();
    let server = Server::playing(vec![vec![Act::Reset]]).await;
    let url = format!("http://me:{KEY}@127.0.0.1:{}", server.address.port())
        .replace('/', "%2F")
        .replace("http:%2F%2F", "http://");
    let reply = ask(model(wire.clone(), provider(&url)).as_ref()).await;
    assert!(!format!("{reply:?}").contains("canary"), "{reply:?}");
    let reply = ask(model(wire, with_key(provider("http://127.0.0.1:1"))).as_ref()).await;
    assert!(!format!("{reply:?}").contains("canary"), "{reply:?}");
    assert!(!format!("{:?}", with_key(provider("http://127.0.0.1:1"))).contains("canary"));
}

#[test]
fn a_key_is_not_sent_in_the_clear_to_somebody_far_away() {
    let [wire, ..] = wires();
    let far = with_key(provider("http://api.example.com"));
    assert!(matches!(
        connect(wire.clone(), far, Price::Free),
        Err(NoConnection::Unencrypted(_))
    ));
    for near in [
        "http://192.168.1.5:8000",
        "http://gpu-box:8000",
        "https://api.example.com",
        "http://localhost:1",
    ] {
        assert!(
            connect(wire.clone(), with_key(provider(near)), Price::Free).is_ok(),
            "{near}"
        );
    }
    let mut odd = provider("http://localhost:1");
    odd.extra_headers = vec![("x\ny".to_owned(), "v".to_owned())];
    assert!(matches!(
        connect(wire, odd, Price::Free),
        Err(NoConnection::Header { .. })
    ));
}

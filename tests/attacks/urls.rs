//! Requests that are led to where nothing was granted: by spelling, by redirects, by method. Over real servers here.

use planloom_engine::model::Json;
use planloom_tests::rig::Rig;
use serde_json::json;

use crate::support::{Server, all_refused, attempts, ends};

/// Ways to write this machine, with the port.
fn spellings(port: u16) -> Vec<String> {
    [
        "http://127.0.0.1:P/",
        "http://localhost:P/",
        "http://LOCALHOST.:P/",
        "http://127.1:P/",
        "http://2130706433:P/",
        "http://0x7f.1:P/",
        "http://0x7f000001:P/",
        "http://0177.0.0.1:P/",
        "http://0:P/",
        "http://0.0.0.0:P/",
        "http://[::1]:P/",
        "http://[::ffff:127.0.0.1]:P/",
        "http://[::ffff:7f00:1]:P/",
        "http://127。0。0。1:P/",
        "http://%31%32%37.0.0.1:P/",
        "http://granted.example@127.0.0.1:P/",
        "http://granted.example:80@127.0.0.1:P/",
        "http://127.0.0.1:P#@granted.example/",
        "http://127.0.0.1:P?@granted.example/",
        "http://127.0.0.1:P\\@granted.example/",
        "http:127.0.0.1:P",
        "http:\\\\127.0.0.1:P\\",
        "ht\ttp://127.0.0.1:P/",
        "http://127.0.0.1:P/granted.example",
    ]
    .iter()
    .map(|url| url.replace('P', &port.to_string()))
    .collect()
}

const ELSEWHERE: &[&str] = &[
    "http://169.254.169.254/latest/meta-data/",
    "http://[fd00:ec2::254]/latest/",
    "http://metadata.google.internal/",
    "http://10.0.0.1/",
    "http://192.168.1.1/",
    "http://[64:ff9b::7f00:1]/",
    "http://[2002:7f00:1::]/",
    "http://100.64.0.1/",
    "http://granted.example.evil.example/",
    "http://evil.example/?granted.example",
    "http://granted.example:8080/",
    "file:///etc/passwd",
    "ftp://granted.example/",
    "gopher://127.0.0.1:70/",
    "data:text/plain,hello",
    "javascript:alert(1)",
    "http://",
    "http://:80/",
    "//granted.example/",
    "granted.example",
];

#[tokio::test]
async fn no_spelling_of_this_machine_is_a_granted_host() {
    let rig = Rig::in_memory();
    let server = Server::saying("reached");
    let rows: Vec<(&str, Json)> = spellings(server.port)
        .into_iter()
        .map(|url| ("http.get", json!({ "url": url })))
        .chain(ELSEWHERE.iter().map(|url| ("http.get", json!({ "url": url }))))
        .collect();
    let grants = json!({ "hosts": ["granted.example", "GET other.example:8443"] });
    let shown = rig.run(&attempts(&grants, &rows)).await;
    all_refused(&shown, &rows, "reached");
    assert_eq!(server.heard(), [""; 0]);
    assert!(rows.len() >= 40);
}

#[tokio::test]
async fn each_hop_of_a_redirect_needs_a_grant_of_its_own() {
    let rig = Rig::in_memory();
    let inner = Server::saying("reached");
    let mut rows: Vec<(&str, Json)> = Vec::new();
    let mut entries = Vec::new();
    let mut servers = Vec::new();
    let targets = [
        inner.url("/"),
        format!("http://localhost:{}/", inner.port),
        "http://169.254.169.254/".to_owned(),
        "file:///etc/passwd".to_owned(),
    ];
    for (ix, status) in [301, 302, 303, 307, 308].into_iter().enumerate() {
        let server = Server::sending_on(status, &targets[ix % targets.len()]);
        rows.push(("http.get", json!({ "url": server.url("/") })));
        entries.push(server.entry());
        servers.push(server);
    }
    let shown = rig.run(&attempts(&json!({ "hosts": entries }), &rows)).await;
    all_refused(&shown, &rows, "reached");
    assert_eq!(inner.heard(), [""; 0]);
    assert!(servers.iter().all(|server| server.heard().len() == 1));
}

#[tokio::test]
async fn reading_is_not_writing_and_a_port_is_not_another() {
    let rig = Rig::in_memory();
    let (server, other) = (Server::saying("reached"), Server::saying("reached"));
    let rows = [
        (
            "http.request",
            json!({ "url": server.url("/"), "method": "POST", "body": "x" }),
        ),
        (
            "http.request",
            json!({ "url": server.url("/"), "method": "DELETE" }),
        ),
        (
            "http.request",
            json!({ "url": server.url("/"), "method": "get\r\nX: y" }),
        ),
        (
            "http.request",
            json!({ "url": server.url("/"), "method": "CONNECT" }),
        ),
        ("http.get", json!({ "url": other.url("/") })),
        (
            "http.get",
            json!({ "url": server.url("/"), "headers": { "X\r\nHost": "evil.example" } }),
        ),
        (
            "http.get",
            json!({ "url": server.url("/"), "headers": { "x": "a\r\nHost: evil.example" } }),
        ),
    ];
    let shown = rig
        .run(&attempts(&json!({ "hosts": [server.entry()] }), &rows))
        .await;
    all_refused(&shown, &rows, "reached");
    assert_eq!((server.heard(), other.heard()), (Vec::new(), Vec::new()));
}

/// What identifies the person to one origin is not carried to the next.
#[tokio::test]
async fn credentials_stay_with_their_origin() {
    let rig = Rig::in_memory();
    let inner = Server::saying("fine");
    let outer = Server::sending_on(302, &inner.url("/"));
    let headers = json!({ "authorization": "Bearer KEEP-ME", "cookie": "KEEP-ME", "x-api-key": "KEEP-ME" });
    let rows = [("http.get", json!({ "url": outer.url("/"), "headers": headers }))];
    let grants = json!({ "hosts": [outer.entry(), inner.entry()] });
    let shown = rig.run(&attempts(&grants, &rows)).await;
    assert!(
        ends(&shown, 1)[0].starts_with("NOT REFUSED"),
        "{:?}",
        ends(&shown, 1)
    );
    assert!(outer.heard()[0].contains("KEEP-ME"));
    assert!(!inner.heard()[0].contains("KEEP-ME"), "{:?}", inner.heard());
}

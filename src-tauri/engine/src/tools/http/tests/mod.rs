//! The HTTP tools against a real server: what goes out, what comes back, and what a failure means.

mod server;
mod tls;
mod walls;

use std::time::{Duration, Instant};

use serde_json::json;

use self::server::{Reply, Server, reply};
use super::*;
use crate::model::grants::Grants;
use crate::model::tool::Idempotency;
use crate::tools::testing::{Rig, code_of};

fn rig(hosts: &[&str]) -> Rig {
    Rig::granting(Grants {
        hosts: hosts.iter().map(|h| (*h).to_owned()).collect(),
        ..Grants::default()
    })
}

/// Any method at this server.
fn open_to(server: &Server) -> Rig {
    rig(&[&format!("* 127.0.0.1:{}", server.port)])
}

async fn get(rig: &Rig, url: &str) -> Result<Json, ToolError> {
    rig.call(&HttpGet::new(), json!({"url": url})).await
}

async fn request(rig: &Rig, arguments: Json) -> Result<Json, ToolError> {
    rig.call(&HttpRequest::new(), arguments).await
}

#[tokio::test]
async fn what_is_sent() {
    let server = Server::start(|_| reply("200 OK", &[], "ok")).await;
    let rig = open_to(&server);
    let arguments = json!({
        "url": server.url("/a?x=1#part"), "method": "post", "headers": {"X-One": "ä".repeat(0) + "1", "X-Two": 2, "Authorization": "Bearer k"},
        "query": {"q": "a b&c", "n": 18446744073709551615_u64, "list": [1, true], "none": null}, "body": {"big": 18446744073709551615_u64},
    });
    request(&rig, arguments).await.unwrap();
    request(
        &rig,
        json!({"url": server.url("/t"), "method": "PUT", "body": "plain ü"}),
    )
    .await
    .unwrap();
    request(&rig, json!({"url": server.url("/x"), "method": "POST", "body": "<a/>", "headers": {"content-type": "text/xml"}})).await.unwrap();
    get(&rig, &server.url("/g")).await.unwrap();
    let asked = server.asked();
    assert_eq!(asked[0].method, "POST");
    assert_eq!(
        asked[0].target,
        "/a?x=1&q=a+b%26c&n=18446744073709551615&list=1&list=true"
    );
    assert_eq!(asked[0].body, r#"{"big":18446744073709551615}"#);
    let of = |i: usize, name| asked[i].header(name);
    assert_eq!(of(0, "content-type"), Some("application/json"));
    assert_eq!(of(0, "idempotency-key"), Some("key-1"));
    assert_eq!(
        (of(0, "x-one"), of(0, "x-two"), of(0, "authorization")),
        (Some("1"), Some("2"), Some("Bearer k"))
    );
    assert_eq!(
        (asked[1].body.as_str(), of(1, "content-type")),
        ("plain ü", Some("text/plain; charset=utf-8"))
    );
    assert_eq!(of(2, "content-type"), Some("text/xml"));
    assert_eq!(
        (
            asked[3].method.as_str(),
            asked[3].body.as_str(),
            of(3, "idempotency-key")
        ),
        ("GET", "", None)
    );
    assert!(of(3, "user-agent").unwrap().starts_with("Planloom/"));
}

#[tokio::test]
async fn what_comes_back() {
    let server = Server::start(|asked| match asked.target.as_str() {
        "/json" => reply(
            "200 OK",
            &[
                "Content-Type: Application/JSON; charset=utf-8",
                "X-A: 1",
                "X-A: 2",
            ],
            r#"{"n": 1.10, "big": 18446744073709551615}"#,
        ),
        "/problem" => reply(
            "200 OK",
            &["Content-Type: application/problem+json"],
            "\u{feff}[1]",
        ),
        "/broken" => reply("200 OK", &["Content-Type: application/json"], "{oops"),
        "/deep" => reply("200 OK", &["Content-Type: application/json"], "[".repeat(100_000)),
        "/bytes" => reply("200 OK", &["Content-Type: image/png"], b"\x89PNG"),
        "/empty" => reply("204 No Content", &[], ""),
        "/chunked" => Reply::Bytes(
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n".to_vec(),
        ),
        _ => reply("200 OK", &["Content-Type: text/html"], "<p>{}</p>"),
    })
    .await;
    let rig = open_to(&server);
    let of = async |path: &str| get(&rig, &server.url(path)).await.unwrap();
    let json = of("/json").await;
    assert_eq!(
        json["body"].to_string(),
        r#"{"n":1.10,"big":18446744073709551615}"#
    );
    assert_eq!(
        (json["status"].to_string(), &json["headers"]["x-a"]),
        ("200".to_owned(), &json!("1, 2"))
    );
    assert_eq!(of("/problem").await["body"], json!([1]));
    assert_eq!(of("/broken").await["body"], json!("{oops"));
    assert!(of("/deep").await["body"].is_string());
    assert_eq!(of("/bytes").await["body_base64"], json!("iVBORw=="));
    assert_eq!(
        (&of("/empty").await["status"], &of("/empty").await["body"]),
        (&json!(204), &json!(""))
    );
    assert_eq!(of("/chunked").await["body"], json!("abcde"));
    assert_eq!(of("/").await["body"], json!("<p>{}</p>"));
    let head = request(&rig, json!({"url": server.url("/json"), "method": "HEAD"}))
        .await
        .unwrap();
    assert_eq!(
        (&head["body"], &head["headers"]["content-length"]),
        (&json!(""), &json!("40"))
    );
}

/// Answers `/404` with 404.
async fn server_of_statuses() -> Server {
    Server::start(
        |asked| match asked.target.trim_start_matches('/').split('?').next().unwrap() {
            "429q" => reply(
                "429 X",
                &["Retry-After: 1"],
                r#"{"error": {"code": "insufficient_quota"}}"#,
            ),
            status => reply(
                &format!("{status} X"),
                &["Retry-After: 7", "Set-Cookie: s=secret"],
                "why it failed",
            ),
        },
    )
    .await
}

#[tokio::test]
async fn each_status_has_its_class() {
    let server = server_of_statuses().await;
    let rig = open_to(&server);
    for method in ["GET", "POST"] {
        let of = async |status: &str| {
            let url = server.url(&format!("/{status}?token=abc"));
            request(
                &rig,
                json!({"url": url, "method": method, "accept_status": [201]}),
            )
            .await
        };
        for status in ["408", "429", "503", "529"] {
            let error = of(status).await.unwrap_err();
            let ToolError::Transient { retry_after, .. } = error else {
                panic!("{status}: {error:?}")
            };
            assert_eq!(retry_after, Some(Duration::from_secs(7)));
        }
        for status in ["500", "501", "502", "504", "507", "520"] {
            let error = of(status).await.unwrap_err();
            assert!(
                matches!(
                    error,
                    ToolError::Unknown {
                        code: "server_error",
                        ..
                    }
                ),
                "{status}: {error:?}"
            );
        }
        for status in [
            "300", "304", "400", "401", "402", "403", "404", "405", "409", "410", "413", "422", "425", "451",
        ] {
            let error = of(status).await.unwrap_err();
            let ToolError::Permanent { message, .. } = &error else {
                panic!("{status}: {error:?}")
            };
            assert!(status == "304" || message.contains("why it failed"), "{message}");
            assert!(
                message.contains(status) && message.contains("retry-after: 7"),
                "{message}"
            );
            assert!(
                !message.contains("secret") && !message.contains("abc"),
                "{message}"
            );
        }
        assert_eq!(of("201").await.unwrap()["status"], json!(201));
    }
}

#[tokio::test]
async fn an_accepted_status_is_a_result_and_a_quota_is_no_rate() {
    let server = server_of_statuses().await;
    let rig = open_to(&server);
    assert_eq!(code_of(get(&rig, &server.url("/429q")).await), "quota");
    let arguments = json!({"url": server.url("/404"), "accept_status": [404]});
    let accepted = rig.call(&HttpGet::new(), arguments).await.unwrap();
    assert_eq!(
        (&accepted["status"], &accepted["body"]),
        (&json!(404), &json!("why it failed"))
    );
}

#[tokio::test]
async fn what_was_never_sent_is_transient() {
    let free = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    let rig = rig(&[
        &format!("* 127.0.0.1:{port}"),
        &format!("* localhost:{port}"),
        "* no-such-name.invalid",
        &format!("* [::1]:{port}"),
    ]);
    let of = async |url: String| request(&rig, json!({"url": url, "method": "POST", "body": "x"})).await;
    let refused = of(format!("http://127.0.0.1:{port}/?key=secret")).await;
    assert!(
        matches!(&refused, Err(ToolError::Transient { code: "connect", message, .. }) if !message.contains("secret")),
        "{refused:?}"
    );
    let local = of(format!("http://localhost:{port}/")).await.unwrap_err();
    assert!(local.to_string().contains("127.0.0.1"), "{local}");
    assert!(matches!(
        of("http://no-such-name.invalid/".into()).await,
        Err(ToolError::Transient { code: "dns", .. })
    ));
}

#[tokio::test]
async fn a_lost_answer_is_unknown() {
    let server = Server::start(|asked| match asked.target.as_str() {
        "/close" => Reply::Close,
        "/cut" => Reply::Bytes(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc".to_vec()),
        "/chunk" => {
            Reply::Bytes(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n".to_vec())
        }
        _ => Reply::Bytes(b"nonsense\r\n\r\n".to_vec()),
    })
    .await;
    let rig = open_to(&server);
    for path in ["/close", "/cut", "/chunk", "/nonsense"] {
        let lost = request(&rig, json!({"url": server.url(path), "method": "POST"})).await;
        assert!(
            matches!(
                lost,
                Err(ToolError::Unknown {
                    code: "connection_lost",
                    ..
                })
            ),
            "{path}: {lost:?}"
        );
    }
    assert_eq!(server.asked().len(), 4, "nothing is tried twice");
}

#[tokio::test]
async fn large_answers_are_cut_off() {
    let server = Server::start(|asked| match asked.target.as_str() {
        "/told" => Reply::Hang(b"HTTP/1.1 200 OK\r\nContent-Length: 999999999\r\n\r\n".to_vec()),
        _ => Reply::Bytes([b"HTTP/1.1 200 OK\r\n\r\n".to_vec(), vec![b'x'; (32 << 20) + 1]].concat()),
    })
    .await;
    let rig = open_to(&server);
    for path in ["/told", "/untold"] {
        assert_eq!(code_of(get(&rig, &server.url(path)).await), "too_large", "{path}");
    }
}

/// What was done is told as done, however long the answer to it is: else it would be done again.
#[tokio::test]
async fn over_long_answers_to_what_was_done_are_results() {
    let long = || vec![b'x'; (32 << 20) + 1];
    let server = Server::start(move |asked| match asked.target.as_str() {
        "/told" => Reply::Hang(
            b"HTTP/1.1 201 Created\r\nContent-Length: 999999999\r\n\r\n{\"id\": 7, \"\xc3".to_vec(),
        ),
        "/see" => reply("303 See Other", &["Location: /untold"], ""),
        "/no" => Reply::Bytes([b"HTTP/1.1 500 X\r\n\r\n".to_vec(), long()].concat()),
        "/busy" => Reply::Hang(b"HTTP/1.1 503 X\r\nContent-Length: 999999999\r\n\r\nlater".to_vec()),
        _ => Reply::Bytes([b"HTTP/1.1 200 OK\r\nX-A: 1\r\n\r\n".to_vec(), long()].concat()),
    })
    .await;
    let rig = open_to(&server);
    let post = async |path: &str| request(&rig, json!({"url": server.url(path), "method": "POST"})).await;
    let told = post("/told").await.unwrap();
    assert_eq!(
        (&told["status"], &told["body"], &told["body_is_cut"]),
        (&json!(201), &json!("{\"id\": 7, \""), &json!(true))
    );
    for path in ["/untold", "/see"] {
        let untold = post(path).await.unwrap();
        assert_eq!(
            (&untold["headers"]["x-a"], &untold["body_is_cut"]),
            (&json!("1"), &json!(true)),
            "{path}"
        );
        assert_eq!(untold["body"].as_str().unwrap().len(), 64 << 10, "{path}");
    }
    assert_eq!(server.asked().len(), 4, "nothing is sent twice");
    // What is refused is judged by its status, not by its length.
    let unknown = post("/no").await;
    assert!(
        matches!(
            unknown,
            Err(ToolError::Unknown {
                code: "server_error",
                ..
            })
        ),
        "{unknown:?}"
    );
    let busy = post("/busy").await;
    assert!(
        matches!(
            busy,
            Err(ToolError::Transient {
                code: "unavailable",
                ..
            })
        ),
        "{busy:?}"
    );
}

#[tokio::test]
async fn cancelling_ends_the_wait() {
    let server =
        Server::start(|_| Reply::Hang(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc".to_vec())).await;
    let rig = open_to(&server);
    let cancel = rig.cx.cancel.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(100)).await;
        cancel.cancel();
    });
    let started = Instant::now();
    assert_eq!(code_of(get(&rig, &server.url("/")).await), "cancelled");
    assert!(started.elapsed() < Duration::from_secs(2));
}

#[tokio::test]
async fn arguments_that_can_not_be_sent() {
    let rig = rig(&["* 127.0.0.1:1"]);
    let url = "http://127.0.0.1:1/";
    let long = format!("{url}{}", "a".repeat(100_000));
    for arguments in [
        json!({"url": url, "body": "x"}),
        json!({"url": url, "method": "HEAD", "body": {}}),
        json!({"url": url, "method": "CONNECT"}),
        json!({"url": url, "method": "TRACE"}),
        json!({"url": url, "headers": {"Host": "example.com"}}),
        json!({"url": url, "headers": {"Content-Length": "5"}}),
        json!({"url": url, "headers": {"Idempotency-Key": "mine"}}),
        json!({"url": url, "headers": {"X Y": "1"}}),
        json!({"url": url, "headers": {"X": "a\r\nB: c"}}),
        json!({"url": url, "headers": {"x": "1", "X": "2"}}),
        json!({"url": long}),
    ] {
        let code = code_of(request(&rig, arguments.clone()).await);
        assert!(
            code == "bad_arguments",
            "{code} for {}",
            arguments.to_string().chars().take(200).collect::<String>()
        );
    }
}

#[test]
fn only_reading_may_be_repeated() {
    let tool = HttpRequest::new();
    let of = |arguments| (tool.idempotency_of(&arguments), tool.spec().effect_of(&arguments));
    assert_eq!(
        of(json!({"url": "x"})),
        (Idempotency::Natural, Effect::ReadExternal)
    );
    assert_eq!(
        of(json!({"method": "head"})),
        (Idempotency::Natural, Effect::ReadExternal)
    );
    for method in ["POST", "put", "DELETE", "PATCH"] {
        assert_eq!(
            of(json!({"method": method})),
            (Idempotency::Not, Effect::WriteExternal)
        );
    }
    assert_eq!(HttpGet::new().idempotency_of(&json!({})), Idempotency::Natural);
}

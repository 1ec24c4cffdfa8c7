//! The HTTP tools against a real server: what goes out, what comes back, and what a failure means.

mod server;

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

#[tokio::test]
async fn each_status_has_its_class() {
    let server = Server::start(|asked| {
        let status = asked.target.trim_start_matches('/').split('?').next().unwrap();
        match status {
            "429q" => reply(
                "429 X",
                &["Retry-After: 1"],
                r#"{"error": {"code": "insufficient_quota"}}"#,
            ),
            _ => reply(
                &format!("{status} X"),
                &["Retry-After: 7", "Set-Cookie: s=secret"],
                "why it failed",
            ),
        }
    })
    .await;
    let rig = open_to(&server);
    let wait = Some(Duration::from_secs(7));
    for method in ["GET", "POST"] {
        let of = async |status: &str| {
            request(&rig, json!({"url": server.url(&format!("/{status}?token=abc")), "method": method, "accept_status": [201]})).await
        };
        for status in ["408", "429", "503", "529"] {
            let error = of(status).await.unwrap_err();
            assert!(
                matches!(&error, ToolError::Transient { retry_after, .. } if *retry_after == wait),
                "{status}: {error:?}"
            );
        }
        for status in ["500", "501", "502", "504", "507", "520"] {
            assert!(
                matches!(
                    of(status).await,
                    Err(ToolError::Unknown {
                        code: "server_error",
                        ..
                    })
                ),
                "{status}"
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
    assert_eq!(code_of(get(&rig, &server.url("/429q")).await), "quota");
    let accepted = rig
        .call(
            &HttpGet::new(),
            json!({"url": server.url("/404"), "accept_status": [404]}),
        )
        .await
        .unwrap();
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
async fn nothing_goes_where_nothing_is_granted() {
    let server = Server::start(|_| reply("200 OK", &[], "")).await;
    let get_only = rig(&[&format!("127.0.0.1:{}", server.port)]);
    assert!(get(&get_only, &server.url("/")).await.is_ok());
    let post = request(&get_only, json!({"url": server.url("/"), "method": "POST"})).await;
    assert_eq!(code_of(post), "not_granted");
    assert_eq!(
        code_of(get(&rig(&["127.0.0.1"]), &server.url("/")).await),
        "not_granted"
    );
    assert_eq!(
        code_of(get(&get_only, &format!("http://localhost:{}/", server.port)).await),
        "not_granted"
    );
    assert_eq!(server.asked().len(), 1);
    let local = rig(&[&format!("localhost:{}", server.port)]);
    let spelt = get(&local, &format!("http://LOCALHOST.:{}/", server.port)).await;
    assert!(spelt.is_ok(), "{spelt:?}");
    assert!(
        get(&get_only, &format!("http://0x7f.1:{}/", server.port))
            .await
            .is_ok()
    );
}

#[tokio::test]
async fn a_name_that_leads_home_needs_the_address_too() {
    let name = std::process::Command::new("hostname")
        .output()
        .ok()
        .and_then(|o| String::from_utf8(o.stdout).ok());
    let Some(name) = name
        .map(|n| n.trim().to_owned())
        .filter(|n| !n.is_empty() && n != "localhost")
    else {
        return;
    };
    let Ok(mut found) = tokio::net::lookup_host((name.as_str(), 80)).await else {
        return;
    };
    let Some(address) = found
        .next()
        .filter(|a| a.ip().is_loopback() || matches!(a.ip(), std::net::IpAddr::V4(v4) if v4.is_private()))
    else {
        return;
    };
    let refused = get(&rig(&[&name]), &format!("http://{name}/")).await;
    let Err(ToolError::NotGranted { needs }) = refused else {
        panic!("{refused:?}")
    };
    assert!(needs[0].resource.contains(&address.ip().to_string()), "{needs:?}");
}

#[tokio::test]
async fn redirects_are_walked_inside_the_grants() {
    let server = Server::start(|asked| {
        let to = |status: &str, to: &str| reply(status, &[&format!("Location: {to}")], "");
        match asked.target.as_str() {
            "/relative" => to("302 Found", "end#x"),
            "/permanent" => to("301 Moved", "/end"),
            "/see" => to("303 See Other", "/end"),
            "/again" => to("307 Temporary", "/end"),
            "/loop" => to("302 Found", "/loop"),
            "/away" => to("302 Found", "http://example.invalid/x"),
            "/again-away" => to("308 Permanent", "http://example.invalid/x"),
            "/meta" => to("302 Found", "http://169.254.169.254/latest"),
            "/file" => to("302 Found", "file:///etc/passwd"),
            "/user" => to("302 Found", "http://a:b@127.0.0.1/"),
            "/nowhere" => to("302 Found", "http://["),
            "/bare" => reply("302 Found", &[], ""),
            "/see-503" => to("303 See Other", "/503"),
            "/503" => reply("503 X", &[], ""),
            _ => reply("200 OK", &[], format!("{} {}", asked.method, asked.body)),
        }
    })
    .await;
    let rig = open_to(&server);
    let of = async |path: &str, method: &str| {
        let mut arguments = json!({"url": server.url(path), "method": method});
        if method != "GET" {
            arguments["body"] = json!("b");
        }
        request(&rig, arguments).await
    };
    for (path, method, seen) in [
        ("/relative", "GET", "GET "),
        ("/permanent", "POST", "GET "),
        ("/permanent", "PUT", "PUT b"),
        ("/see", "POST", "GET "),
        ("/see", "DELETE", "GET "),
        ("/again", "POST", "POST b"),
        ("/again", "GET", "GET "),
    ] {
        assert_eq!(
            of(path, method).await.unwrap()["body"],
            json!(seen),
            "{method} {path}"
        );
    }
    for (path, code) in [
        ("/loop", "redirect"),
        ("/away", "not_granted"),
        ("/meta", "not_granted"),
        ("/file", "bad_url"),
        ("/user", "bad_url"),
        ("/nowhere", "redirect"),
        ("/bare", "http_status"),
    ] {
        assert_eq!(code_of(of(path, "GET").await), code, "{path}");
    }
    let accepted = request(&rig, json!({"url": server.url("/away"), "accept_status": [302]}))
        .await
        .unwrap();
    assert_eq!(accepted["headers"]["location"], json!("http://example.invalid/x"));
    // A POST that was taken must not be made again because its answer lies elsewhere.
    assert!(matches!(
        of("/away", "POST").await,
        Err(ToolError::Unknown {
            code: "redirect_not_granted",
            ..
        })
    ));
    assert!(matches!(
        of("/see-503", "POST").await,
        Err(ToolError::Unknown {
            code: "unavailable",
            ..
        })
    ));
    // One that was sent on whole has not been taken.
    assert_eq!(code_of(of("/again-away", "POST").await), "not_granted");
    assert!(matches!(
        of("/see-503", "GET").await,
        Err(ToolError::Transient { .. })
    ));
}

#[tokio::test]
async fn credentials_stay_with_their_origin() {
    let other = Server::start(|_| reply("200 OK", &[], "")).await;
    let away = other.url("/there");
    let server = Server::start(move |asked| match asked.target.as_str() {
        "/away" => reply("307 X", &[&format!("Location: {away}")], ""),
        "/near" => reply("307 X", &["Location: /end"], ""),
        _ => reply("200 OK", &[], ""),
    })
    .await;
    let rig = rig(&[
        &format!("* 127.0.0.1:{}", server.port),
        &format!("* 127.0.0.1:{}", other.port),
    ]);
    let headers = json!({"Authorization": "k", "Cookie": "c", "X-Api-Key": "x", "Accept": "text/csv"});
    for path in ["/away", "/near"] {
        request(
            &rig,
            json!({"url": server.url(path), "method": "POST", "headers": headers, "body": "b"}),
        )
        .await
        .unwrap();
    }
    let far = &other.asked()[0];
    for name in ["authorization", "cookie", "x-api-key"] {
        assert_eq!(far.header(name), None, "{name}");
        assert!(server.asked()[2].header(name).is_some(), "{name}");
    }
    assert_eq!(
        (
            far.header("accept"),
            far.header("idempotency-key"),
            far.body.as_str()
        ),
        (Some("text/csv"), Some("key-1"), "b")
    );
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

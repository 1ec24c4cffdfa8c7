//! Where requests may go, at the first hop and after redirects.

use serde_json::json;

use super::server::{Server, reply};
use super::*;

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

async fn server_that_sends_on() -> Server {
    Server::start(|asked| {
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
            "/see-404" => to("303 See Other", "/404"),
            "/404" => reply("404 X", &[], ""),
            "/see-nowhere" => to("303 See Other", "http://["),
            _ => reply("200 OK", &[], format!("{} {}", asked.method, asked.body)),
        }
    })
    .await
}

async fn sent(server: &Server, path: &str, method: &str) -> Result<Json, ToolError> {
    let mut arguments = json!({"url": server.url(path), "method": method});
    if method != "GET" {
        arguments["body"] = json!("b");
    }
    request(&open_to(server), arguments).await
}

#[tokio::test]
async fn redirects_keep_or_drop_the_method_by_their_status() {
    let server = server_that_sends_on().await;
    for (path, method, seen) in [
        ("/relative", "GET", "GET "),
        ("/permanent", "POST", "GET "),
        ("/permanent", "PUT", "PUT b"),
        ("/see", "POST", "GET "),
        ("/see", "DELETE", "GET "),
        ("/again", "POST", "POST b"),
        ("/again", "GET", "GET "),
    ] {
        let body = &sent(&server, path, method).await.unwrap()["body"];
        assert_eq!(body, &json!(seen), "{method} {path}");
    }
    let arguments = json!({"url": server.url("/away"), "accept_status": [302]});
    let accepted = request(&open_to(&server), arguments).await.unwrap();
    assert_eq!(accepted["headers"]["location"], json!("http://example.invalid/x"));
}

#[tokio::test]
async fn redirects_lead_nowhere_else() {
    let server = server_that_sends_on().await;
    for (path, code) in [
        ("/loop", "redirect"),
        ("/away", "not_granted"),
        ("/meta", "not_granted"),
        ("/file", "bad_url"),
        ("/user", "bad_url"),
        ("/nowhere", "redirect"),
        ("/bare", "http_status"),
    ] {
        assert_eq!(code_of(sent(&server, path, "GET").await), code, "{path}");
    }
}

#[tokio::test]
async fn a_request_that_was_taken_is_not_made_again_for_its_answer() {
    let server = server_that_sends_on().await;
    let away = sent(&server, "/away", "POST").await;
    assert!(
        matches!(
            away,
            Err(ToolError::Unknown {
                code: "redirect_not_granted",
                ..
            })
        ),
        "{away:?}"
    );
    let busy = sent(&server, "/see-503", "POST").await;
    assert!(
        matches!(
            busy,
            Err(ToolError::Unknown {
                code: "unavailable",
                ..
            })
        ),
        "{busy:?}"
    );
    for path in ["/see-404", "/see-nowhere"] {
        let lost = sent(&server, path, "POST").await;
        assert!(matches!(lost, Err(ToolError::Unknown { .. })), "{path}: {lost:?}");
        let told = lost.unwrap_err().to_string();
        assert!(
            told.contains(&format!("POST {} was answered 303", server.url(path))),
            "{told}"
        );
    }
    let reading = sent(&server, "/see-503", "GET").await;
    assert!(matches!(reading, Err(ToolError::Transient { .. })), "{reading:?}");
    // One that was sent on whole has not been taken.
    assert_eq!(
        code_of(sent(&server, "/again-away", "POST").await),
        "redirect_elsewhere"
    );
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
            json!({"url": server.url(path), "method": "POST", "headers": headers}),
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
        (far.header("accept"), far.header("idempotency-key")),
        (Some("text/csv"), Some("key-1"))
    );

    // What was to be sent goes on within its origin, and to nobody else.
    let whole =
        |path: &str| json!({"url": server.url(path), "method": "POST", "headers": headers, "body": "b"});
    request(&rig, whole("/near")).await.unwrap();
    assert_eq!(server.asked().last().unwrap().body, "b");
    assert_eq!(code_of(request(&rig, whole("/away")).await), "redirect_elsewhere");
    assert_eq!(other.asked().len(), 1);
}

/// Post, redirect, get, where only the first is granted: what is missing is named as it is to be written.
#[tokio::test]
async fn an_answer_that_may_not_be_fetched_says_what_is_missing() {
    let server = server_that_sends_on().await;
    let at = format!("127.0.0.1:{}", server.port);
    let post_only = rig(&[&format!("POST {at}")]);
    for (path, status) in [("/see", 303), ("/permanent", 301), ("/relative", 302)] {
        let arguments = json!({"url": server.url(path), "method": "POST", "body": "b"});
        let told = request(&post_only, arguments.clone()).await.unwrap_err();
        assert!(
            matches!(
                told,
                ToolError::Unknown {
                    code: "redirect_not_granted",
                    ..
                }
            ),
            "{told:?}"
        );
        let told = told.to_string();
        for words in [
            format!("POST {} was answered {status}", server.url(path)),
            format!("`GET {at}` is not granted"),
            format!("add \"{at}\" to `hosts`"),
        ] {
            assert!(told.contains(&words), "{words}: {told}");
        }
        // What it says to do works.
        let both = rig(&[&format!("POST {at}"), &at]);
        assert_eq!(
            request(&both, arguments.clone()).await.unwrap()["status"],
            json!(200)
        );
        let mut accepting = arguments;
        accepting["accept_status"] = json!([status]);
        assert_eq!(
            request(&post_only, accepting).await.unwrap()["status"],
            json!(status)
        );
    }
}

//! A server on this machine is reached past every proxy, on either address, however its own is written.

use std::process::Command;

use planloom_engine::llm::wire::{base_url, is_loopback};

use crate::ask::{ask, code, compatible, message, model, played};
use crate::server::{ANSWER, Server, json, provider, response};

#[tokio::test]
async fn case_error_05_localhost_is_both_addresses() {
    for address in ["127.0.0.1:0", "[::1]:0"] {
        let server = match Server::on(address, vec![json(200, ANSWER)]).await {
            Ok(server) => server,
            // Not every machine has the newer one.
            Err(_) if address.starts_with('[') => continue,
            Err(error) => panic!("{address}: {error}"),
        };
        let url = format!("http://localhost:{}", server.address.port());
        let reply = ask(model(compatible(), provider(&url)).as_ref()).await;
        assert_eq!(reply.outcome.word(), "complete", "{address}: {reply:?}");
    }
}

/// The same in a program that was started with the case's proxy in its environment.
#[test]
fn case_error_05_no_proxy_stands_before_this_machine() {
    let env = crate::ask::json("cases/error-05-localhost-proxy-ipv6/env.json");
    let mut again = Command::new(std::env::current_exe().unwrap());
    again.args(["--exact", "local::case_error_05_localhost_is_both_addresses"]);
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"] {
        let value = env[name].as_str().unwrap();
        again.env(name, value).env(name.to_lowercase(), value);
    }
    let done = again.output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success() && said.contains("1 passed"), "{said}");
}

#[tokio::test]
async fn case_error_05_a_proxy_that_answers_is_not_a_wrong_key() {
    let case = crate::ask::json("cases/error-05-localhost-proxy-ipv6/proxy-403.json");
    let headers: Vec<(&str, &str)> = case["headers"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str().unwrap()))
        .collect();
    let body = case["body"].as_str().unwrap().as_bytes();
    for (status, word) in [(403, "permanent"), (502, "transient")] {
        let reply = played(compatible(), response(status, &headers, body)).await;
        assert_eq!(code(&reply), (word, "proxy"));
        assert!(
            message(&reply).contains("a proxy answered"),
            "{}",
            message(&reply)
        );
    }
}

#[tokio::test]
async fn case_error_05_addresses_as_they_are_typed() {
    let rows = crate::ask::json("cases/error-05-localhost-proxy-ipv6/urls.json");
    for row in rows.as_array().unwrap() {
        let (typed, want) = (row["typed"].as_str().unwrap(), row["want"].as_str().unwrap());
        match base_url(typed) {
            Ok(url) if want.starts_with("http") => {
                assert_eq!(url.as_str().trim_end_matches('/'), want);
                assert!(is_loopback(&url));
            }
            // What becomes of these is tried below.
            Ok(_) => assert!(want.contains("refused") || want.contains("TLS"), "{typed}"),
            Err(why) => assert!(
                want.contains("127.0.0.1") && why.to_string().contains("127.0.0.1"),
                "{typed}: {why}"
            ),
        }
    }
    let server = Server::playing(vec![json(200, ANSWER)]).await;
    let port = server.address.port();
    for base in ["", "/", "/v1", "/v1/", "/v1/chat/completions"] {
        let reply =
            ask(model(compatible(), provider(&format!("http://localhost:{port}{base}"))).as_ref()).await;
        assert_eq!(reply.outcome.word(), "complete", "{base}");
    }
    assert!(
        server
            .asked()
            .iter()
            .all(|asked| asked.head.starts_with("POST /v1/chat/completions HTTP"))
    );
    let reply = ask(model(compatible(), provider(&format!("http://[::1]:{port}"))).as_ref()).await;
    assert_eq!(code(&reply), ("transient", "connection"));
    assert!(
        message(&reply).contains(&format!("[::1]:{port}")),
        "{}",
        message(&reply)
    );
}

#[tokio::test]
async fn case_error_05_tls_to_a_plain_server_is_said() {
    // It answers in the clear, as soon as anything comes.
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let serving = tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut bytes = [0; 4096];
            let _ = tokio::io::AsyncReadExt::read(&mut stream, &mut bytes).await;
            let _ =
                tokio::io::AsyncWriteExt::write_all(&mut stream, b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
        }
    });
    let reply = ask(model(compatible(), provider(&format!("https://localhost:{port}"))).as_ref()).await;
    assert_eq!(code(&reply), ("permanent", "tls"), "{reply:?}");
    assert!(message(&reply).contains("write http://"), "{}", message(&reply));
    serving.abort();
}

//! What a provider's refusals come to, headers and all.

use planloom_engine::llm::wire::connect;
use planloom_engine::llm::{Cost, Price, Reply};

use crate::ask::{code, compatible, message, played};
use crate::server::{ANSWER, Act, Server, provider, response};

const LIMIT: &[u8] = br#"{"error":{"message":"Rate limit reached","code":"rate_limit_exceeded"}}"#;

async fn refused(status: u16, headers: &[(&str, &str)], body: &[u8]) -> Reply {
    played(compatible(), response(status, headers, body)).await
}

#[tokio::test]
async fn a_wait_is_told_in_every_form() {
    for (headers, wait) in [
        (&[("retry-after", "7")][..], Some(7000)),
        (&[("retry-after", "1.5")], Some(1500)),
        (&[("retry-after-ms", "250"), ("retry-after", "7")], Some(250)),
        (&[("retry-after", "Sun, 01 Mar 2015 12:00:30 GMT")], Some(0)),
        (&[("x-ratelimit-reset-requests", "6m0s")], Some(360_000)),
        (&[("retry-after", "-3")], None),
        (&[("retry-after", "NaN")], None),
        (&[("retry-after", "99999999999999999999")], None),
        (&[], None),
    ] {
        let reply = refused(429, headers, LIMIT).await;
        assert_eq!(code(&reply), ("rate", "rate_limit"));
        assert_eq!(reply.outcome.fault().unwrap().retry_after_ms, wait, "{headers:?}");
    }
    let reply = refused(503, &[("retry-after", "2")], b"{}").await;
    assert_eq!(reply.outcome.fault().unwrap().retry_after_ms, Some(2000));
    // Nobody waits for what stays as it is.
    let reply = refused(400, &[("retry-after", "2")], b"{}").await;
    assert_eq!(reply.outcome.fault().unwrap().retry_after_ms, None);
}

#[tokio::test]
async fn the_provider_says_whether_to_come_again_and_which_request_it_was() {
    let reply = refused(
        500,
        &[("x-should-retry", "false"), ("x-request-id", "req_42")],
        b"{}",
    )
    .await;
    assert_eq!(code(&reply), ("permanent", "server_error"));
    assert!(
        message(&reply).ends_with("[request req_42]"),
        "{}",
        message(&reply)
    );
    let reply = refused(429, &[("request-id", "req_43")], LIMIT).await;
    assert_eq!(
        message(&reply),
        "there/m: Rate limit reached (HTTP 429, rate_limit_exceeded) [request req_43]"
    );
}

#[tokio::test]
async fn a_line_that_breaks_is_said_so() {
    let reply = played(compatible(), Vec::new()).await;
    assert_eq!(code(&reply), ("transient", "connection"));
    let reply = played(compatible(), vec![Act::Reset]).await;
    assert_eq!(code(&reply), ("transient", "connection"));
    assert!(
        message(&reply).contains("closed before an answer came"),
        "{}",
        message(&reply)
    );
}

/// What was refused, or never begun, costs nothing; what broke may have cost something.
#[tokio::test]
async fn only_what_was_begun_may_cost() {
    let price = Price::PerMillion {
        input: "3".parse().unwrap(),
        output: "15".parse().unwrap(),
        cached: None,
    };
    let nothing = Cost::Estimated("0".parse().unwrap());
    for (script, cost) in [
        (response(429, &[], LIMIT), nothing),
        (response(401, &[], b"{}"), nothing),
        (response(408, &[], b"{}"), Cost::Unknown),
        (response(500, &[], b"{}"), Cost::Unknown),
        (vec![Act::Reset], Cost::Unknown),
    ] {
        let server = Server::playing(vec![script]).await;
        let model = connect(compatible(), server.base(), price).unwrap();
        assert_eq!(crate::ask::ask(model.as_ref()).await.cost, cost);
    }
    let nobody = connect(compatible(), provider("http://127.0.0.1:1"), price).unwrap();
    assert_eq!(crate::ask::ask(nobody.as_ref()).await.cost, nothing);
}

/// No connection is used twice: nothing is sent on one that may be dead.
#[tokio::test]
async fn every_call_has_a_connection_of_its_own() {
    let ok = response(200, &[], ANSWER.as_bytes());
    let server = Server::playing(vec![ok.clone(), vec![Act::Reset], ok]).await;
    let model = crate::ask::model(compatible(), server.base());
    let mut words = Vec::new();
    for _ in 0..3 {
        words.push(crate::ask::ask(model.as_ref()).await.outcome.word());
    }
    assert_eq!(words, ["complete", "transient", "complete"]);
}

#[tokio::test]
async fn nobody_there_is_said_with_every_address() {
    // Nobody listens there; a port that was free a moment ago may be another test's by now.
    let port = 1;
    let model = crate::ask::model(compatible(), provider(&format!("http://localhost:{port}")));
    let reply = crate::ask::ask(model.as_ref()).await;
    assert_eq!(code(&reply), ("transient", "connection"));
    for part in [
        format!("127.0.0.1:{port}"),
        format!("[::1]:{port}"),
        "nothing was sent".to_owned(),
    ] {
        assert!(message(&reply).contains(&part), "{}", message(&reply));
    }
}

//! Every limit of time has its own name, and a call that is given up leaves at once.

use std::time::{Duration, Instant};

use planloom_engine::llm::Cancelled;
use planloom_engine::llm::wire::{CallLimits, Provider};
use tokio_util::sync::CancellationToken;

use crate::ask::{ask, code, compatible, message, model, request};
use crate::server::{Act, Server, chunk, last_chunk, provider, stream_head};

const LONG: Duration = Duration::from_secs(20);
const SHORT: Duration = Duration::from_millis(150);

fn limits() -> CallLimits {
    CallLimits {
        connect: LONG,
        first_byte: LONG,
        first_content: LONG,
        idle: LONG,
        whole: LONG,
    }
}

fn text(words: &str) -> Act {
    chunk(format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{words}\"}}}}]}}\n\n").as_bytes())
}

fn stop() -> Act {
    chunk(b"data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n")
}

fn every(act: &Act, pause: Duration) -> Vec<Act> {
    (0..200).flat_map(|_| [act.clone(), Act::Wait(pause)]).collect()
}

async fn by(limits: CallLimits, script: Vec<Act>) -> planloom_engine::llm::Reply {
    let server = Server::playing(vec![script]).await;
    let provider = Provider {
        limits,
        ..server.base()
    };
    let started = Instant::now();
    let reply = ask(model(compatible(), provider).as_ref()).await;
    assert!(started.elapsed() < Duration::from_secs(8), "{reply:?}");
    reply
}

#[tokio::test]
async fn each_limit_has_its_own_name() {
    let keep_alive = every(&chunk(b": keep-alive\n\n"), Duration::from_millis(20));
    let drip = every(&text("a"), Duration::from_millis(20));
    let head = || vec![stream_head()];
    for (limits, script, name) in [
        (
            CallLimits {
                first_byte: SHORT,
                ..limits()
            },
            vec![Act::Hang],
            "timeout_first_byte",
        ),
        (
            CallLimits {
                first_byte: SHORT,
                idle: SHORT,
                ..limits()
            },
            [head(), vec![Act::Hang]].concat(),
            "timeout_first_byte",
        ),
        (
            CallLimits {
                first_content: SHORT * 10,
                idle: SHORT * 8,
                ..limits()
            },
            [head(), keep_alive].concat(),
            "timeout_first_content",
        ),
        (
            CallLimits {
                idle: SHORT,
                ..limits()
            },
            vec![stream_head(), text("Hel"), Act::Hang],
            "timeout_idle",
        ),
        (
            CallLimits {
                whole: SHORT * 2,
                ..limits()
            },
            [head(), drip].concat(),
            "timeout_whole",
        ),
    ] {
        let reply = by(limits, script).await;
        assert_eq!(code(&reply), ("transient", name), "{reply:?}");
        assert!(
            message(&reply).contains("0 ms") && message(&reply).contains("nothing of it was used"),
            "{}",
            message(&reply)
        );
    }
}

/// A machine that takes no connection: its queue of callers is full.
#[tokio::test]
async fn a_connection_has_its_limit() {
    let address: std::net::SocketAddr = "127.0.0.1:0".parse().unwrap();
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind(address).unwrap();
    let listener = socket.listen(1).unwrap();
    let address = listener.local_addr().unwrap();
    let mut callers = Vec::new();
    for _ in 0..8 {
        let calling = tokio::net::TcpStream::connect(address);
        callers.push(tokio::time::timeout(Duration::from_millis(30), calling).await);
    }
    let provider = Provider {
        limits: CallLimits {
            connect: SHORT,
            ..limits()
        },
        ..provider(&format!("http://{address}"))
    };
    let reply = ask(model(compatible(), provider).as_ref()).await;
    assert_eq!(code(&reply), ("transient", "timeout_connect"), "{reply:?}");
}

/// The answer is whole: the rest of the line is not waited for long, and its end changes nothing.
#[tokio::test]
async fn a_whole_answer_stays_so_whatever_becomes_of_the_line() {
    for end in [
        vec![Act::Hang],
        vec![Act::Reset],
        vec![last_chunk()],
        vec![chunk(b"data: {\"cho"), Act::Reset],
    ] {
        let limits = CallLimits {
            idle: SHORT * 8,
            ..limits()
        };
        let reply = by(limits, [vec![stream_head(), text("Hi"), stop()], end].concat()).await;
        assert_eq!(
            reply.outcome.answer().map(|answer| answer.text.as_str()),
            Some("Hi")
        );
    }
}

#[tokio::test]
async fn a_call_that_is_given_up_leaves_at_once() {
    for script in [
        vec![Act::Hang],
        vec![stream_head(), Act::Hang],
        vec![stream_head(), text("Hel"), Act::Hang],
        vec![
            Act::Send(b"HTTP/1.1 500 X\r\ncontent-length: 9\r\n\r\n".to_vec()),
            Act::Hang,
        ],
    ] {
        let server = Server::playing(vec![script]).await;
        let model = model(compatible(), server.base());
        let cancel = CancellationToken::new();
        let request = request();
        let asking = model.ask(&request, &cancel);
        let giving_up = async {
            server.is_asked().await;
            tokio::time::sleep(SHORT).await;
            cancel.cancel();
            Instant::now()
        };
        let (reply, since) = tokio::join!(asking, giving_up);
        assert_eq!(reply, Err(Cancelled));
        assert!(since.elapsed() < LONG / 4);
        assert!(server.is_left().await, "the connection was kept");
    }
    let cancelled = CancellationToken::new();
    cancelled.cancel();
    let server = Server::playing(vec![vec![Act::Hang]]).await;
    assert_eq!(
        model(compatible(), server.base())
            .ask(&request(), &cancelled)
            .await,
        Err(Cancelled)
    );
    assert!(
        server.asked().is_empty(),
        "nothing is sent for a call that is given up before"
    );
}

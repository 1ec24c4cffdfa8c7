//! Histories that a provider would refuse for ever are mended before they are sent.

use planloom_engine::llm::{Message, ToolCall};
use serde_json::{Value as Json, json};
use tokio_util::sync::CancellationToken;

use crate::ask::{anthropic, asking, code, compatible, model, played};
use crate::server::{self, ANSWER, Server};

/// `assistant:call(a,b)` and `tool(a)`.
fn message(word: &str) -> Option<Message> {
    let inside = word
        .split_once('(')
        .map_or("", |(_, rest)| rest.trim_end_matches(')'));
    let call = |id: &str| ToolCall {
        id: id.to_owned(),
        name: "t".to_owned(),
        arguments: "{}".to_owned(),
        sealed: None,
    };
    match word.split([':', '(']).next() {
        Some("user") => Some(Message::User("u".to_owned())),
        Some("assistant") => Some(Message::Assistant {
            text: if inside.is_empty() {
                "said".to_owned()
            } else {
                String::new()
            },
            calls: inside.split(',').filter(|id| !id.is_empty()).map(call).collect(),
            thoughts: Vec::new(),
        }),
        Some("tool") => Some(Message::Observation {
            call: inside.to_owned(),
            content: "done".to_owned(),
            is_error: false,
        }),
        _ => None,
    }
}

/// The other way, from what was sent.
fn word(sent: &Json) -> String {
    let role = sent["role"].as_str().unwrap();
    let ids: Vec<&str> = sent["tool_calls"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|call| call["id"].as_str().unwrap())
        .collect();
    match role {
        "assistant" if !ids.is_empty() => format!("assistant:call({})", ids.join(",")),
        "tool" => {
            let is_whole = sent["content"] == "done";
            let id = sent["tool_call_id"].as_str().unwrap();
            if is_whole {
                format!("tool({id})")
            } else {
                format!("tool({id})=interrupted")
            }
        }
        role => role.to_owned(),
    }
}

#[tokio::test]
async fn case_state_06_a_history_is_paired_before_it_is_sent() {
    let cases = crate::ask::json("cases/state-06-history-the-provider-refuses/histories.json");
    let words = |list: &Json| -> Vec<String> {
        list.as_array()
            .unwrap()
            .iter()
            .map(|word| word.as_str().unwrap().to_owned())
            .collect()
    };
    for case in cases.as_array().unwrap() {
        let before = words(&case["messages"]);
        let mut request = asking(before.iter().filter_map(|word| message(word)).collect());
        if before[0] == "system" {
            request.system = "s".to_owned();
        }
        let stored = request.clone();
        let server = Server::playing(vec![server::json(200, ANSWER)]).await;
        let model = model(compatible(), server.base());
        model.ask(&request, &CancellationToken::new()).await.unwrap();
        let sent: Vec<String> = server.asked()[0].body["messages"]
            .as_array()
            .unwrap()
            .iter()
            .map(word)
            .collect();
        assert_eq!(sent, words(&case["after"]), "{}", case["name"]);
        assert_eq!(request, stored, "what is stored stays as it is");
    }
}

#[tokio::test]
async fn case_state_06_the_refusal_is_not_asked_for_again() {
    let case = crate::ask::json("cases/state-06-history-the-provider-refuses/error-400.json");
    let reply = played(anthropic(), server::json(400, &case["body"].to_string())).await;
    assert_eq!(code(&reply), ("permanent", "bad_request"));
    assert!(!reply.outcome.may_be_retried());
}

/// Ids that come again in a later turn do not meet.
#[tokio::test]
async fn every_call_is_sent_under_an_id_of_its_own() {
    let talk = [
        "user",
        "assistant:call(call_1)",
        "tool(call_1)",
        "assistant:call(call_1)",
        "tool(call_1)",
    ];
    let request = asking(talk.iter().filter_map(|word| message(word)).collect());
    let server = Server::playing(vec![server::json(200, "{}")]).await;
    model(compatible(), server.base())
        .ask(&request, &CancellationToken::new())
        .await
        .unwrap();
    let sent: Vec<Json> = server.asked()[0].body["messages"].as_array().unwrap().clone();
    let ids: Vec<&Json> = sent
        .iter()
        .filter_map(|message| message.get("tool_call_id"))
        .collect();
    assert_eq!(ids.len(), 2);
    assert_ne!(ids[0], ids[1]);
    assert_eq!(sent[3]["tool_calls"][0]["id"], *ids[1]);
    assert_eq!(sent[1]["content"], json!(null));
}

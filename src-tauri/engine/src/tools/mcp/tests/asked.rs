//! What a server asks of us, and what it says without being asked.

use async_trait::async_trait;

use super::*;
use crate::tools::Ask;

/// A person with one answer.
struct Person(Option<Json>, std::sync::Mutex<Vec<(String, Json)>>);

#[async_trait]
impl Ask for Person {
    async fn ask(&self, question: String, form: Json) -> Option<Json> {
        self.1.lock().unwrap().push((question, form));
        self.0.clone()
    }
}

#[tokio::test]
async fn mcp_07_every_line_has_its_answer() {
    let (near, mut far) = pipes();
    let serving = tokio::spawn(async move {
        while let Some(asked) = far.hear().await {
            match asked["method"].as_str().unwrap() {
                "initialize" => {
                    let mut hello = hello("2025-06-18");
                    hello["jsonrpc"] = json!("2.0");
                    hello["id"] = asked["id"].clone();
                    far.say(&hello.to_string()).await;
                }
                "tools/list" => {
                    let answer = json!({ "jsonrpc": "2.0", "id": asked["id"], "result": { "tools": [] } });
                    far.say(&answer.to_string()).await;
                    return far;
                }
                _ => {}
            }
        }
        panic!("no session");
    });
    let connection = near.connect().await.unwrap();
    let mut far = serving.await.unwrap();
    let mut seen = 0;
    for line in case("mcp-07-versions-and-server-requests/incoming.jsonl").lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        far.say(&row["in"].to_string()).await;
        // A ping behind it: its answer says that the line was taken in and the session lives.
        far.say(&json!({ "jsonrpc": "2.0", "id": "mark", "method": "ping" }).to_string())
            .await;
        let mut replies = Vec::new();
        loop {
            let heard = timeout(LONG, far.hear()).await.unwrap().unwrap();
            if heard["id"] == "mark" {
                break;
            }
            replies.push(heard);
        }
        // Handlers run side by side; an answer may come a little later.
        if replies.is_empty()
            && row["reply"] != Value::Null
            && let Ok(Some(late)) = timeout(Duration::from_secs(2), far.hear()).await
        {
            replies.push(late);
        }
        seen += 1;
        let method = row["in"]["method"].as_str().unwrap_or_default();
        match method {
            "ping" => assert_eq!(replies, [row["reply"].clone()]),
            "roots/list" => assert_eq!(replies[0]["result"]["roots"][0]["uri"], "file:///root/of/it"),
            "sampling/createMessage" => assert_eq!(replies[0]["error"]["code"], -32601, "{replies:?}"),
            // Nobody is there who could answer, and the question has no form.
            "elicitation/create" => assert_eq!(replies[0]["error"]["code"], -32602, "{replies:?}"),
            _ if row["in"].is_array() => {
                assert_eq!(replies, [json!({ "jsonrpc": "2.0", "id": 10, "result": {} })])
            }
            _ => assert_eq!(replies, Vec::<Value>::new(), "{row}"),
        }
    }
    assert_eq!(seen, 11);
    assert!(!connection.is_gone());
    assert_eq!(near.pipe.noise().unknown_ids, 1);
}

#[tokio::test]
async fn a_question_reaches_the_person_and_the_answer_the_server() {
    for (answer, want) in [
        (
            Some(json!({ "n": 3 })),
            json!({ "action": "accept", "content": { "n": 3 } }),
        ),
        (Some(json!({ "decline": true })), json!({ "action": "decline" })),
        (None, json!({ "action": "cancel" })),
    ] {
        let (mut near, mut far) = pipes();
        near.handler.veil.add(["sk-asked-9Xw2"]);
        tokio::spawn(async move {
            let mut call = Value::Null;
            while let Some(heard) = far.hear().await {
                let mut answer = match heard["method"].as_str() {
                    Some("initialize") => hello("2025-06-18"),
                    Some("tools/list") => json!({ "result": { "tools": [] } }),
                    Some("tools/call") => {
                        call = heard["id"].clone();
                        let form = json!({ "type": "object", "properties": { "n": { "type": "integer", "minimum": 1 } }, "required": ["n"] });
                        let params =
                            json!({ "message": "How\u{200b} many, sk-asked-9Xw2?", "requestedSchema": form });
                        far.say(&json!({ "jsonrpc": "2.0", "id": "q", "method": "elicitation/create", "params": params }).to_string()).await;
                        continue;
                    }
                    // The answer comes back to us as the result of the call.
                    None => {
                        let text = heard["result"].to_string();
                        let mut done = json!({ "result": { "content": [{ "type": "text", "text": text }] } });
                        done["jsonrpc"] = json!("2.0");
                        done["id"] = call.clone();
                        far.say(&done.to_string()).await;
                        continue;
                    }
                    Some(_) => continue,
                };
                answer["jsonrpc"] = json!("2.0");
                answer["id"] = heard["id"].clone();
                far.say(&answer.to_string()).await;
            }
        });
        let connection = near.connect().await.unwrap();
        let person = Arc::new(Person(answer, std::sync::Mutex::default()));
        let mut cx = Rig::new().cx.clone();
        cx.ask = Some(person.clone());
        let given = call(&connection, &cx, Patience::default()).await.unwrap();
        let told: Value = serde_json::from_str(given["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(told, want);
        let asked = person.1.lock().unwrap().clone();
        assert_eq!(asked.len(), 1);
        assert!(
            asked[0].0.contains("`stub`")
                && asked[0].0.contains("stub/a")
                && asked[0].0.contains("How many, •••?")
        );
        assert!(jsonschema::is_valid(&asked[0].1, &json!({ "n": 1 })));
    }
}

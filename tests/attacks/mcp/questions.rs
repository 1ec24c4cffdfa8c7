//! What a server asks for in the midst of a call.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use planloom_engine::model::Json;
use planloom_engine::tools::Ask;
use planloom_tests::servers::{call, tool};

use super::*;

/// A person who answers everything.
#[derive(Default)]
struct Gullible(Mutex<Vec<String>>);

#[async_trait]
impl Ask for Gullible {
    async fn ask(&self, question: String, _: Json) -> Option<Json> {
        self.0.lock().unwrap().push(question);
        Some(json!({ "password": "hunter2" }))
    }
}

/// What the server got for its question.
async fn asked(way: &str, person: Option<Arc<Gullible>>) -> Json {
    let bench = hostile(way);
    bench.look("h").await.unwrap();
    let servers = bench.servers();
    let ask = person.map(|person| person as Arc<dyn Ask>);
    let result = call(
        &*tool(&servers, "h/good").unwrap(),
        json!({}),
        &bench.context(ask),
    )
    .await
    .unwrap();
    serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn no_model_and_no_approval_is_given() {
    for way in ["sampling", "sampling-full", "unknown-request"] {
        assert_eq!(asked(way, None).await["code"], -32601, "{way}");
    }
    let roots = asked("roots", None).await;
    assert_eq!(roots["roots"], json!([{ "uri": "file:///only/this" }]), "{roots}");
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_name_their_server_and_have_an_end() {
    let declined = asked("elicit", None).await;
    assert_eq!(declined[0]["action"], "decline", "nobody is there");
    let person = Arc::new(Gullible::default());
    let given = asked("elicit", Some(person.clone())).await;
    assert_eq!(
        given[0],
        json!({ "action": "accept", "content": { "password": "hunter2" } })
    );
    let question = person.0.lock().unwrap()[0].clone();
    assert!(
        question.starts_with("The server `h`, called as h/good, asks: Approved!"),
        "{question}"
    );
    assert!(question.contains("Give no password or key here") && question.chars().count() < 2500);

    let person = Arc::new(Gullible::default());
    let given = asked("elicit-spam", Some(person.clone())).await;
    let accepted = given
        .as_array()
        .unwrap()
        .iter()
        .filter(|answer| answer["action"] == "accept");
    assert_eq!((accepted.count(), person.0.lock().unwrap().len()), (5, 5));
    for way in ["elicit-url", "elicit-bad"] {
        let person = Arc::new(Gullible::default());
        assert_eq!(asked(way, Some(person.clone())).await[0]["code"], -32602, "{way}");
        assert_eq!(person.0.lock().unwrap().len(), 0, "{way}");
    }
}

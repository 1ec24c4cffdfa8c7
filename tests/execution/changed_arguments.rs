//! A call that a person changes before it is sent: what they wrote is what goes out, once, and is told as theirs.

use planloom_engine::model::{Json, RunId};
use planloom_engine::views::{DecisionKind, RunStatus};
use planloom_engine::{Error, Shown};
use planloom_tests::rig::{Rig, granting, states, task, with};
use planloom_tests::script::Act;
use serde_json::json;

fn id(shown: &Shown) -> RunId {
    shown.row.run.as_str().into()
}

/// `send` takes its words from a page that somebody outside wrote.
fn sending() -> Json {
    let words = json!({ "inputs": { "id": { "$from": "page" } } });
    granting(
        &["theirs", "mine"],
        &[
            task("page", "outside.do", &[]),
            with(task("send", "effect.do", &["page"]), words),
        ],
    )
}

async fn asked(rig: &Rig) -> RunId {
    rig.outside.on("page", [Act::Give(json!("theirs"))]);
    let shown = rig.run(&sending()).await;
    let [decision] = &shown.decisions[..] else {
        panic!("{}: {:?}", states(&shown), shown.decisions)
    };
    assert_eq!(decision.kind, DecisionKind::Effect);
    assert!(decision.may_change);
    let told = decision.provenance.as_ref().unwrap();
    assert!(
        told.parts
            .iter()
            .any(|part| part.is_untrusted && part.at == "/id"),
        "{told:?}"
    );
    id(&shown)
}

#[tokio::test(start_paused = true)]
async fn what_a_person_writes_is_what_is_sent_once_and_told_as_theirs() {
    let rig = Rig::in_memory();
    let run = asked(&rig).await;
    rig.answer(&run, "d1", json!({ "allow": { "id": "mine" } })).await;
    let done = rig.go_on(&run).await;
    assert_eq!(done.row.status, RunStatus::Succeeded, "{}", states(&done));
    assert_eq!(rig.effect.order(), ["mine"]);
    let detail = rig.engine.task_detail(&run, "send").await.unwrap();
    let call = detail.attempts.last().unwrap().calls.last().unwrap();
    assert!(format!("{call:?}").contains("mine"), "{call:?}");
    let mut log = rig.engine.log(&run, 1, u64::MAX).await.unwrap();
    let told = log.next().await.unwrap();
    let is_told = |line: &planloom_engine::Logged| line.event.text.contains("allow, in the person's own way");
    assert!(told.iter().any(is_told), "{told:?}");
}

#[tokio::test(start_paused = true)]
async fn what_does_not_fit_the_tool_is_refused_and_nothing_is_recorded() {
    let rig = Rig::in_memory();
    let run = asked(&rig).await;
    let seq = rig.show(&run).await.seq;
    for (answer, word) in [
        (json!({ "allow": { "text": "no id" } }), "id"),
        (json!({ "allow": { "id": 7 } }), "/id"),
        (
            json!({ "allow": { "id": "mine", "more": { "$secret": "KEY" } } }),
            "secret",
        ),
        (json!({ "allow": [] }), "must be one of"),
    ] {
        let refused = rig.engine.decide(&run, &"d1".into(), answer.clone()).await;
        let Err(error @ Error::Invalid { .. }) = refused else {
            panic!("{answer}: {refused:?}")
        };
        assert!(error.to_string().contains(word), "{error}");
    }
    assert_eq!(rig.show(&run).await.seq, seq);
    assert_eq!(rig.effect.calls().len(), 0);
}

/// What the changed call touches is asked of the gate like any other.
#[tokio::test(start_paused = true)]
async fn what_the_change_touches_must_be_granted_as_well() {
    let rig = Rig::in_memory();
    let run = asked(&rig).await;
    rig.answer(&run, "d1", json!({ "allow": { "id": "elsewhere" } }))
        .await;
    let shown = rig.go_on(&run).await;
    let [decision] = &shown.decisions[..] else {
        panic!("{}: {:?}", states(&shown), shown.decisions)
    };
    assert_eq!(decision.kind, DecisionKind::Grant);
    assert!(decision.question.contains("elsewhere"), "{}", decision.question);
    assert_eq!(rig.effect.calls().len(), 0, "nothing goes out ungranted");
    rig.answer(&run, &decision.id, json!("once")).await;
    let done = rig.go_on(&run).await;
    assert_eq!(done.row.status, RunStatus::Succeeded, "{}", states(&done));
    assert_eq!(rig.effect.order(), ["elsewhere"]);
}

/// Tried again, the same is sent under the same key; asked once more, the person is shown what they have changed.
#[tokio::test(start_paused = true)]
async fn a_retry_sends_what_was_changed_and_not_what_stood_there_before() {
    let rig = Rig::in_memory();
    let run = asked(&rig).await;
    rig.effect.on("mine", [Act::Unknown]);
    rig.answer(&run, "d1", json!({ "allow": { "id": "mine" } })).await;
    let mut shown = rig.go_on(&run).await;
    while let Some(decision) = shown.decisions.first().cloned() {
        let answer = match decision.kind {
            DecisionKind::InDoubt => json!("retry"),
            DecisionKind::Effect => {
                assert!(
                    decision.about.as_deref().unwrap().contains("mine"),
                    "{decision:?}"
                );
                assert!(
                    decision.question.contains("as you have changed them"),
                    "{}",
                    decision.question
                );
                json!("allow")
            }
            other => panic!("{other:?}: {}", decision.question),
        };
        rig.answer(&run, &decision.id, answer).await;
        shown = rig.go_on(&run).await;
    }
    assert_eq!(shown.row.status, RunStatus::Succeeded, "{}", states(&shown));
    let calls = rig.effect.calls();
    assert!(calls.len() > 1);
    assert!(calls.iter().all(|call| call.id == "mine"), "{calls:?}");
    assert!(calls.iter().all(|call| call.key == calls[0].key));
}

#[tokio::test]
async fn the_change_outlives_the_process() {
    let rig = Rig::on_file();
    let run = asked(&rig).await;
    rig.answer(&run, "d1", json!({ "allow": { "id": "mine" } })).await;
    let later = rig.another();
    later.resume(&run).await.unwrap();
    later.until_left(&run).await.unwrap();
    let shown = later.show(&run, None).await.unwrap();
    assert_eq!(shown.row.status, RunStatus::Succeeded, "{}", states(&shown));
    assert_eq!(rig.effect.order(), ["mine"]);
}

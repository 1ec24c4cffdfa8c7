//! A task that has made an effect in what was taken back, and comes up with another one: nothing goes out before a
//! person has seen both.

use planloom_engine::model::RunId;
use planloom_engine::views::{DecisionKind, DecisionView, RunStatus};
use planloom_engine::{Effects, Files, Shown};
use planloom_tests::models::{Line, call, say, submit};
use planloom_tests::rig::{Rig, agent, granting, output_of, state_of, states, task, with};
use planloom_tests::script::Act;
use serde_json::{Value, json};

fn id(shown: &Shown) -> RunId {
    shown.row.run.as_str().into()
}

fn send(id: &str) -> Line {
    call(&[("effect.do", json!({ "id": id }))])
}

fn done() -> Line {
    submit(json!({ "result": "done" }))
}

/// `b` sends to whom `a` has found.
fn found_and_sent() -> Value {
    let to = json!({ "inputs": { "id": { "$from": "a" } } });
    granting(
        &["ann", "bob"],
        &[
            task("a", "read.do", &[]),
            with(task("b", "effect.do", &["a"]), to),
        ],
    )
}

fn asked(shown: &Shown) -> &DecisionView {
    let [decision] = &shown.decisions[..] else {
        panic!("one decision, not {}: {}", shown.decisions.len(), states(shown));
    };
    assert_eq!(decision.kind, DecisionKind::Effect, "{}", decision.question);
    decision
}

async fn rerun_to_bob(rig: &Rig) -> (RunId, Shown) {
    rig.read
        .on("a", [Act::Give(json!("ann")), Act::Give(json!("bob"))]);
    let run = id(&rig.run(&found_and_sent()).await);
    rig.engine.rerun(&run, None, None, Effects::Keep).await.unwrap();
    let shown = rig.go_on(&run).await;
    assert_eq!(rig.effect.order(), ["ann"], "nothing goes out unasked");
    (run, shown)
}

#[tokio::test(start_paused = true)]
async fn a_rerun_that_would_send_to_somebody_else_asks_with_both() {
    let rig = Rig::in_memory();
    let (run, shown) = rerun_to_bob(&rig).await;
    let decision = asked(&shown);
    let told = decision.provenance.as_ref().unwrap();
    assert_eq!(told.earlier.len(), 1);
    assert_eq!(told.earlier[0].arguments.as_deref(), Some(r#"{"id":"ann"}"#));
    assert!(told.earlier[0].is_known && told.earlier[0].at > 0.0);
    for words in [r#"{"id":"ann"}"#, r#"{"id":"bob"}"#, "stays made"] {
        assert!(decision.question.contains(words), "{}", decision.question);
    }
    let safe: Vec<&str> = decision
        .options
        .iter()
        .filter(|o| o.is_default)
        .map(|o| o.answer.as_str())
        .collect();
    assert_eq!(safe, ["deny"]);

    let answer = decision.id.clone();
    rig.answer(&run, &answer, json!("deny")).await;
    let done = rig.go_on(&run).await;
    assert_eq!(states(&done), "SUCCEEDED: a COMPLETED, b COMPLETED");
    assert_eq!(
        output_of(&done, "b"),
        json!("ann"),
        "what came of the earlier one"
    );
    assert_eq!(rig.effect.order(), ["ann"]);
}

#[tokio::test(start_paused = true)]
async fn make_it_too_makes_exactly_that_call() {
    let rig = Rig::in_memory();
    let (run, shown) = rerun_to_bob(&rig).await;
    rig.effect.on("bob", [Act::Transient(None)]);
    rig.answer(&run, &asked(&shown).id, json!("allow")).await;
    let done = rig.go_on(&run).await;
    assert_eq!(states(&done), "SUCCEEDED: a COMPLETED, b COMPLETED");
    assert_eq!(
        rig.effect.order(),
        ["ann", "bob", "bob"],
        "a retry is not asked about again"
    );

    rig.read.on("a", [Act::Give(json!("ann"))]);
    rig.engine.rerun(&run, None, None, Effects::Again).await.unwrap();
    let again = rig.go_on(&run).await;
    assert_eq!(again.row.status, RunStatus::Succeeded, "a person said again");
    assert_eq!(rig.effect.order(), ["ann", "bob", "bob", "ann"]);
}

#[tokio::test(start_paused = true)]
async fn an_earlier_call_of_which_nothing_is_known_is_told_so() {
    let rig = Rig::in_memory();
    rig.read
        .on("a", [Act::Give(json!("ann")), Act::Give(json!("bob"))]);
    rig.effect.on("ann", [Act::Unknown]);
    let run = id(&rig.run(&found_and_sent()).await);
    rig.engine.rerun(&run, None, None, Effects::Keep).await.unwrap();
    let shown = rig.go_on(&run).await;
    let decision = asked(&shown);
    assert!(decision.question.contains("not known"), "{}", decision.question);
    rig.answer(&run, &decision.id, json!("deny")).await;
    let shown = rig.go_on(&run).await;
    assert_eq!(states(&shown), "BLOCKED: a COMPLETED, b FAILED");
    assert_eq!(rig.effect.order(), ["ann"]);
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_chooses_other_words_after_a_rerun_is_held() {
    let rig = Rig::with_models();
    rig.model
        .on("Work on a", [send("ann"), done(), send("bob"), say(""), done()]);
    let plan = granting(&["ann", "bob"], &[agent("a", &["effect.do"])]);
    let run = id(&rig.run(&plan).await);
    rig.engine.rerun(&run, None, None, Effects::Keep).await.unwrap();
    let shown = rig.go_on(&run).await;
    assert_eq!(rig.effect.order(), ["ann"]);
    let decision = asked(&shown);
    assert!(
        decision.question.contains(r#"{"id":"ann"}"#),
        "{}",
        decision.question
    );
    rig.answer(&run, &decision.id, json!("deny")).await;
    let done = rig.go_on(&run).await;
    assert_eq!(states(&done), "SUCCEEDED: a COMPLETED");
    assert_eq!(rig.effect.order(), ["ann"]);
    let heard = format!("{:?}", rig.model.requests().last().unwrap().messages);
    assert!(
        heard.contains("has called effect.do before with other arguments"),
        "{heard}"
    );
}

#[tokio::test(start_paused = true)]
async fn an_agent_taken_back_in_mid_loop_keeps_what_stands_and_is_held_for_the_rest() {
    let rig = Rig::with_models();
    rig.model.on(
        "Work on a",
        [send("ann"), send("bob"), done(), send("eve"), done()],
    );
    let plan = granting(&["ann", "bob", "eve"], &[agent("a", &["effect.do"])]);
    let shown = rig.run(&plan).await;
    let run = id(&shown);
    assert_eq!(
        rig.effect.order(),
        ["ann", "bob"],
        "two effects of one stretch need no word"
    );
    let story = planloom_tests::rig::story(&rig.engine, &run).await;
    let ends: Vec<&str> = story.lines().filter(|l| l.contains("call_finished")).collect();
    let to: u64 = ends[1].split_whitespace().next().unwrap().parse().unwrap();
    rig.engine.rewind(&run, to, Files::Leave).await.unwrap();
    let shown = rig.go_on(&run).await;
    assert_eq!(rig.effect.order(), ["ann", "bob"]);
    let told = asked(&shown).provenance.clone().unwrap();
    let earlier: Vec<&str> = told
        .earlier
        .iter()
        .filter_map(|e| e.arguments.as_deref())
        .collect();
    assert_eq!(earlier, [r#"{"id":"bob"}"#], "what stands was not taken back");
    rig.answer(&run, &asked(&shown).id, json!("allow")).await;
    let done = rig.go_on(&run).await;
    assert_eq!(states(&done), "SUCCEEDED: a COMPLETED");
    assert_eq!(rig.effect.order(), ["ann", "bob", "eve"]);
}

#[tokio::test(start_paused = true)]
async fn a_failed_agent_that_is_retried_is_held_too() {
    let rig = Rig::with_models();
    let refuses = || planloom_tests::models::refuse("I would rather not.");
    rig.model
        .on("Work on a", [send("ann"), refuses(), send("bob"), done()]);
    let plan = granting(&["ann", "bob"], &[agent("a", &["effect.do"])]);
    let shown = rig.run(&plan).await;
    let run = id(&shown);
    assert_eq!(shown.row.status, RunStatus::Blocked, "{}", states(&shown));
    rig.answer(&run, &shown.decisions[0].id, json!("retry")).await;
    let shown = rig.go_on(&run).await;
    asked(&shown);
    assert_eq!(rig.effect.order(), ["ann"]);
}

#[tokio::test(start_paused = true)]
async fn items_that_come_in_another_order_do_not_send_twice() {
    let rig = Rig::in_memory();
    rig.read.on(
        "list",
        [Act::Give(json!(["ann", "bob"])), Act::Give(json!(["bob", "ann"]))],
    );
    let inner = json!({
        "instruction": "Send.", "task_type": "tool", "tool": "effect.do", "inputs": { "id": { "$item": "" } },
    });
    let each = json!({
        "id": "each", "instruction": "Each.", "task_type": "map", "over": { "$from": "list" }, "task": inner,
        "dependencies": ["list"],
    });
    let plan = granting(&["ann", "bob"], &[task("list", "read.do", &[]), each]);
    let run = id(&rig.run(&plan).await);
    assert_eq!(rig.effect.calls().len(), 2);
    rig.engine.rerun(&run, None, None, Effects::Keep).await.unwrap();
    let shown = rig.go_on(&run).await;
    assert_eq!(rig.effect.calls().len(), 2, "both were sent already");
    assert_eq!(shown.decisions.len(), 2);
    for decision in &shown.decisions {
        rig.answer(&run, &decision.id, json!("deny")).await;
    }
    let done = rig.go_on(&run).await;
    assert_eq!(done.row.status, RunStatus::Succeeded, "{}", states(&done));
    assert_eq!(rig.effect.calls().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn what_stands_in_a_plan_that_was_signed_since_is_not_asked_about() {
    let rig = Rig::in_memory();
    let first = granting(&["ann"], &[task("b", "effect.do", &[])]);
    let run = id(&rig.run(&first).await);
    let other = with(task("b", "effect.do", &[]), json!({ "inputs": { "id": "bob" } }));
    let path = rig.write_plan("other.plan.json", &granting(&["bob"], &[other]));
    rig.engine
        .rerun(&run, None, Some(path), Effects::Keep)
        .await
        .unwrap();
    rig.engine.approve_as_opened(&run).await.unwrap();
    let done = rig.go_on(&run).await;
    assert_eq!(states(&done), "SUCCEEDED: b COMPLETED");
    assert_eq!(rig.effect.order(), ["b", "bob"]);
    assert_eq!(
        state_of(&done, "b"),
        planloom_engine::views::TaskStatus::Completed
    );
}

#[tokio::test(start_paused = true)]
async fn the_question_outlives_a_restart() {
    let rig = Rig::on_file();
    let (run, shown) = rerun_to_bob(&rig).await;
    let id = asked(&shown).id.clone();
    let another = rig.another();
    drop(shown);
    another
        .decide(
            &run,
            &planloom_engine::model::DecisionId::from(id.as_str()),
            json!("deny"),
        )
        .await
        .unwrap();
    another.resume(&run).await.unwrap();
    another.until_left(&run).await.unwrap();
    let done = another.show(&run, None).await.unwrap();
    assert_eq!(done.row.status, RunStatus::Succeeded);
    assert_eq!(rig.effect.order(), ["ann"]);
}

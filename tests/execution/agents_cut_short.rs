//! Agents that a crash, a rewind or a fork cuts short at every position of their log: they go on from there, and
//! nothing that was paid or sent is paid or sent twice.

use planloom_engine::model::RunId;
use planloom_engine::run::Clock;
use planloom_engine::views::RunStatus;
use planloom_engine::{Consent, Files, Parameters};
use planloom_tests::models::{Line, ScriptedModel, call, submit};
use planloom_tests::rig::{Rig, agent, final_output, granting, output_of, states, story};
use planloom_tests::script::Act;
use serde_json::{Value, json};

fn lines() -> [Line; 3] {
    [
        call(&[
            ("read.do", json!({ "id": "x" })),
            ("keyed.do", json!({ "id": "x" })),
        ]),
        call(&[("keyed.do", json!({ "id": "y" }))]),
        submit(json!({ "result": "done" })),
    ]
}

fn one(tools: &[&str]) -> Value {
    granting(&["x", "y"], &[agent("a", tools)])
}

/// What a crash right after this event leaves: a log that is a prefix of the whole.
fn cut_log(rig: &Rig, keep: u64) {
    let file = rusqlite::Connection::open(rig.db()).unwrap();
    let cut = "DELETE FROM events WHERE (key & 4294967295) > ?1";
    file.execute(cut, [keep as i64]).unwrap();
    let epochs = "SELECT count(*) FROM events WHERE kind = 4";
    let epoch: i64 = file.query_row(epochs, [], |row| row.get(0)).unwrap();
    file.execute("UPDATE runs SET head = ?1, epoch = ?2", [keep as i64, epoch])
        .unwrap();
}

struct Whole {
    /// The kinds of its events.
    kinds: Vec<String>,
    requests: Vec<String>,
    output: Value,
}

fn texts(model: &ScriptedModel) -> Vec<String> {
    let requests = model.requests();
    requests
        .iter()
        .map(|r| serde_json::to_string(r).unwrap())
        .collect()
}

async fn kinds(rig: &Rig, run: &RunId) -> Vec<String> {
    let story = story(&rig.engine, run).await;
    let kind = |line: &str| line.split_whitespace().nth(1).unwrap().to_owned();
    story.lines().map(kind).collect()
}

async fn whole() -> Whole {
    let rig = Rig::on_file_with_models();
    rig.model.on("Work on a", lines());
    let shown = rig.run(&one(&["read.do", "keyed.do"])).await;
    let run = shown.row.run.as_str().into();
    Whole {
        kinds: kinds(&rig, &run).await,
        requests: texts(&rig.model),
        output: final_output(&shown),
    }
}

/// How many replies of the model are recorded.
fn replies_in(told: &str) -> usize {
    told.lines().filter(|line| line.contains("got a reply")).count()
}

#[tokio::test]
async fn a_crash_after_any_event_costs_no_reply_and_no_effect() {
    let whole = whole().await;
    let first = whole.kinds.iter().position(|k| k == "run_claimed").unwrap() as u64 + 1;
    let last = whole.kinds.len() as u64 - 1;
    for keep in first..=last {
        let rig = Rig::on_file_with_models();
        rig.model.on("Work on a", lines());
        let run = {
            let shown = rig.run(&one(&["read.do", "keyed.do"])).await;
            RunId::from(shown.row.run.as_str())
        };
        rig.engine.close().await;
        cut_log(&rig, keep);
        let told = calls_of(&rig, &run).await;
        let replies = replies_in(&told);
        let again = another_life(&rig, &run, replies).await;
        assert_eq!(again.output, whole.output, "after event {keep}");
        assert_eq!(
            again.requests,
            whole.requests[replies..],
            "after event {keep}:\n{told}"
        );
        let keys: std::collections::BTreeSet<_> =
            rig.keyed.calls().into_iter().map(|c| (c.id, c.key)).collect();
        assert_eq!(
            keys.len(),
            2,
            "after event {keep}: each effect has one key for ever"
        );
    }
}

async fn calls_of(rig: &Rig, run: &RunId) -> String {
    let engine = rig.another_modelled(Clock::System);
    let detail = engine.task_detail(run, "a").await.unwrap();
    let calls = detail.attempts.iter().flat_map(|attempt| &attempt.calls);
    let told: Vec<String> = calls
        .map(|c| match (c.is_model, c.result.is_some()) {
            (true, true) => "got a reply".to_owned(),
            (_, is_done) => format!("{} {is_done}", c.tool),
        })
        .collect();
    told.join("\n")
}

async fn another_life(rig: &Rig, run: &RunId, replies: usize) -> Whole {
    let before = rig.model.requests().len();
    rig.model.on("Work on a", lines().into_iter().skip(replies));
    let engine = rig.another_modelled(Clock::System);
    engine.resume(run).await.unwrap();
    let end = engine.until_left(run).await.unwrap();
    assert_eq!(end.status, RunStatus::Succeeded, "{:?}", end.trouble);
    let shown = engine.show(run, None).await.unwrap();
    engine.close().await;
    Whole {
        kinds: Vec::new(),
        requests: texts(&rig.model).split_off(before),
        output: final_output(&shown),
    }
}

/// An effect that can't be repeated is in doubt after a crash in its midst, and the agent goes on by a person's word.
#[tokio::test]
async fn a_crash_during_an_effect_is_brought_to_a_person() {
    let rig = Rig::on_file_with_models();
    let lines = || {
        [
            call(&[("effect.do", json!({ "id": "x" }))]),
            submit(json!({ "result": "done" })),
        ]
    };
    rig.model.on("Work on a", lines());
    let shown = rig.run(&one(&["effect.do"])).await;
    let run = RunId::from(shown.row.run.as_str());
    let kinds = kinds(&rig, &run).await;
    let intent = kinds.iter().rposition(|k| k == "call_finished").unwrap();
    // Before the last reply stands the end of the effect, and before that its intent.
    let intent = kinds[..intent]
        .iter()
        .rposition(|k| k == "call_finished")
        .unwrap();
    rig.engine.close().await;
    cut_log(&rig, intent as u64);
    let engine = rig.another_modelled(Clock::System);
    engine.resume(&run).await.unwrap();
    engine.until_left(&run).await.unwrap();
    let shown = engine.show(&run, None).await.unwrap();
    assert_eq!(states(&shown), "WAITING: a IN_DOUBT");
    engine
        .decide(&run, &"d1".into(), json!({ "done": "it was sent" }))
        .await
        .unwrap();
    rig.model.on("Work on a", lines().into_iter().skip(1));
    engine.resume(&run).await.unwrap();
    engine.until_left(&run).await.unwrap();
    let shown = engine.show(&run, None).await.unwrap();
    assert_eq!(states(&shown), "SUCCEEDED: a COMPLETED");
    assert_eq!(rig.effect.calls().len(), 1);
    let last = rig.model.requests().pop().unwrap();
    assert!(format!("{:?}", last.messages).contains("it was sent"));
}

#[tokio::test(start_paused = true)]
async fn a_rewind_into_the_loop_repeats_no_effect() {
    let rig = Rig::with_models();
    let send = |id: &str| call(&[("effect.do", json!({ "id": id }))]);
    rig.model.on(
        "Work on a",
        [send("x"), send("y"), submit(json!({ "result": 1 }))],
    );
    let shown = rig.run(&one(&["effect.do"])).await;
    let run = RunId::from(shown.row.run.as_str());
    let kinds = kinds(&rig, &run).await;
    let started = kinds.iter().position(|k| k == "task_started").unwrap() as u64 + 1;
    let ended = kinds.iter().position(|k| k == "task_completed").unwrap() as u64;
    for to in started..=ended {
        rig.engine.rewind(&run, to, Files::Leave).await.unwrap();
        rig.model.otherwise(|request| {
            let heard = request.messages.len() / 2;
            Some(match heard {
                0 => call(&[("effect.do", json!({ "id": "x" }))]),
                1 => call(&[("effect.do", json!({ "id": "y" }))]),
                _ => submit(json!({ "result": 1 })),
            })
        });
        let shown = rig.go_on(&run).await;
        assert_eq!(
            output_of(&shown, "a"),
            json!(1),
            "rewound to {to}: {}",
            states(&shown)
        );
        assert_eq!(rig.effect.calls().len(), 2, "rewound to {to}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_fork_in_the_loop_goes_on_with_what_was_said() {
    let rig = Rig::with_models();
    let read = |id: &str| call(&[("read.do", json!({ "id": id }))]);
    rig.model.on(
        "Work on a",
        [read("x"), read("y"), submit(json!({ "result": 1 }))],
    );
    let shown = rig.run(&one(&["read.do"])).await;
    let run = RunId::from(shown.row.run.as_str());
    let kinds = kinds(&rig, &run).await;
    let ends: Vec<usize> = (0..kinds.len())
        .filter(|&n| kinds[n] == "call_finished")
        .collect();
    // After the first reply and the first call.
    let at = ends[1] as u64 + 1;
    let fork = rig
        .engine
        .fork(&run, Some(at), None, Files::Leave)
        .await
        .unwrap()
        .run;
    rig.engine.approve_as_opened(&fork).await.unwrap();
    rig.model.on("Work on a", [submit(json!({ "result": 2 }))]);
    let shown = rig.go_on(&fork).await;
    assert_eq!(output_of(&shown, "a"), json!(2));
    assert_eq!((rig.model.requests().len(), rig.read.calls().len()), (4, 2));
}

/// Leaving in the midst of a slow effect waits for it a little; what is cut off is in doubt.
#[tokio::test(start_paused = true)]
async fn closing_in_mid_call_leaves_the_run_resumable() {
    let rig = Rig::with_models();
    rig.model.on("Work on a", [Line::Hang]);
    let run = rig.open(&one(&["read.do"])).await;
    rig.engine.resume(&run).await.unwrap();
    while rig.model.running() == 0 {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    rig.engine.close().await;
    assert_eq!(states(&rig.show(&run).await), "PAUSED: a READY");

    let rig = Rig::with_models();
    rig.effect.on("x", [Act::Deaf]);
    rig.model
        .on("Work on a", [call(&[("effect.do", json!({ "id": "x" }))])]);
    let path = rig.write_plan("p.plan.json", &one(&["effect.do"]));
    let given = Parameters::Json(Value::Null);
    let run = rig.engine.open_run(path, &given, &Consent::Given).await.unwrap();
    rig.engine.resume(&run).await.unwrap();
    while rig.effect.running() == 0 {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    rig.engine.close().await;
    assert_eq!(states(&rig.show(&run).await), "PAUSED: a IN_DOUBT");
}

/// A rewind around another one: what each call of the stretch inside gave is still known by its own call.
#[tokio::test(start_paused = true)]
async fn a_rewind_around_a_rewind_repeats_no_effect() {
    let rig = Rig::with_models();
    let effect = |id: &str| ("effect.do", json!({ "id": id }));
    let (first, both) = (call(&[effect("x")]), call(&[effect("y"), effect("z")]));
    let done = submit(json!({ "result": "done" }));
    rig.model.on("Work on a", [first.clone(), done.clone()]);
    let plan = granting(&["x", "y", "z"], &[agent("a", &["effect.do"])]);
    let shown = rig.run(&plan).await;
    let run: RunId = shown.row.run.as_str().into();
    assert_eq!(shown.row.status, RunStatus::Succeeded);
    let told = kinds(&rig, &run).await;
    let asked = 1 + told.iter().position(|kind| kind == "call_finished").unwrap() as u64;

    // Inside: after the first reply; then around it: before the first question.
    rig.engine.rewind(&run, asked, Files::Leave).await.unwrap();
    rig.model.on("Work on a", [both.clone(), done.clone()]);
    assert_eq!(rig.go_on(&run).await.row.status, RunStatus::Succeeded);
    rig.engine.rewind(&run, asked - 2, Files::Leave).await.unwrap();
    rig.model.on("Work on a", [first, both, done]);
    let shown = rig.go_on(&run).await;
    assert_eq!(shown.row.status, RunStatus::Succeeded, "{}", states(&shown));
    for id in ["x", "y", "z"] {
        assert_eq!(rig.effect.calls_of(id), 1, "{id}");
    }
}

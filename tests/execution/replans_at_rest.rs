//! Replans in a log that is looked at, gone back in, forked and cut off anywhere; and random ones, against their log.

use planloom_engine::model::{DecisionId, RunId};
use planloom_engine::run::Replan;
use planloom_engine::views::{RunStatus, TaskStatus};
use planloom_engine::{Error, Shown};
use planloom_tests::models::{ScriptedModel, say};
use planloom_tests::rig::{Rig, final_output, is_over, plan, seq_of, states, task, with};
use planloom_tests::script::Act;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use crate::replanning::{another_way, proposal, rig};

fn id(shown: &Shown) -> RunId {
    shown.row.run.as_str().into()
}

/// `pay` is an effect before what fails.
fn paying() -> Value {
    plan(&[
        task("fetch", "effect.do", &[]),
        task("clean", "read.do", &["fetch"]),
        task("chart", "keyed.do", &["clean"]),
    ])
}

/// `chart` keeps its call, so that its effect keeps its key.
fn way() -> Value {
    json!({
        "drop": ["clean"],
        "add": [task("tidy", "echo", &["fetch"]), task("chart", "keyed.do", &["tidy"])],
    })
}

fn failing(replan: Replan) -> (ScriptedModel, Rig) {
    let model = ScriptedModel::default();
    model.otherwise(|_| Some(proposal(&way())));
    let rig = rig(&model, replan);
    rig.read.on("clean", std::iter::repeat_n(Act::Permanent, 200));
    (model, rig)
}

/// Goes on, accepting what is proposed, until nothing more can go on.
async fn accepting(rig: &Rig, run: &RunId) -> Shown {
    loop {
        let shown = rig.go_on(run).await;
        let Some(decision) = shown.decisions.first().map(|d| d.id.clone()) else {
            return shown;
        };
        rig.answer(run, &decision, json!("accept")).await;
    }
}

#[tokio::test(start_paused = true)]
async fn the_past_before_a_replan_is_told_with_the_plan_of_then() {
    let (_, rig) = failing(Replan::Auto);
    let run = id(&rig.run(&paying()).await);
    let at = seq_of(&rig, &run, "replan_proposed", "").await;
    let before = rig.engine.show(&run, Some(at)).await.unwrap();
    assert_eq!(
        states(&before),
        "RUNNING: fetch COMPLETED, clean FAILED, chart PENDING"
    );
    let after = rig.engine.show(&run, Some(at + 1)).await.unwrap();
    assert_eq!(
        states(&after),
        "RUNNING: fetch COMPLETED, clean FAILED, chart PENDING, tidy PENDING"
    );
}

#[tokio::test(start_paused = true)]
async fn a_run_that_is_cut_off_anywhere_in_a_replan_goes_on_to_the_same_end() {
    for replan in [Replan::Ask, Replan::Auto] {
        let (_, rig) = failing(replan);
        let run = rig.open(&paying()).await;
        let whole = accepting(&rig, &run).await;
        assert_eq!(whole.row.status, RunStatus::Succeeded);
        let (approved, end) = (seq_of(&rig, &run, "approved", "").await, whole.seq);
        let mut pictures = Vec::new();
        for at in approved..end {
            pictures.push(states(&rig.engine.show(&run, Some(at)).await.unwrap()));
        }
        for at in approved..end {
            rig.engine
                .rewind(&run, at, planloom_engine::Files::Leave)
                .await
                .unwrap();
            let shown = accepting(&rig, &run).await;
            assert_eq!(states(&shown), states(&whole), "{replan:?}, cut off after {at}");
            assert_eq!(final_output(&shown), final_output(&whole));
            folds_agree(&rig, &shown).await;
        }
        for (at, picture) in (approved..end).zip(pictures) {
            assert_eq!(states(&rig.engine.show(&run, Some(at)).await.unwrap()), picture);
        }
        let made = (rig.effect.calls_of("fetch"), rig.keyed.calls_of("chart"));
        assert_eq!(
            made,
            (1, 1),
            "each effect was made once, whatever was gone back to"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn forks_before_within_and_after_a_replan_go_their_own_way() {
    let (_, rig) = failing(Replan::Ask);
    let run = rig.open(&paying()).await;
    let whole = accepting(&rig, &run).await;
    let approved = seq_of(&rig, &run, "approved", "").await;
    for at in approved..=whole.seq {
        let fork = rig
            .engine
            .fork(&run, Some(at), None, planloom_engine::Files::Leave)
            .await
            .unwrap()
            .run;
        rig.engine.ask_approval(&fork).await.unwrap();
        rig.engine.approve_as_opened(&fork).await.unwrap();
        let shown = accepting(&rig, &fork).await;
        assert_eq!(states(&shown), states(&whole), "fork at {at}");
        folds_agree(&rig, &shown).await;
    }
    assert_eq!(
        states(&rig.show(&run).await),
        states(&whole),
        "the parent is as it was"
    );
}

#[tokio::test(start_paused = true)]
async fn an_acceptance_of_what_no_longer_fits_is_refused_with_the_reason() {
    let model = ScriptedModel::default();
    // While the person looks at the proposal, another branch goes on: `later` may not be dropped any more.
    let drops = json!({ "drop": ["clean", "later"], "add": [task("tidy", "echo", &["fetch"])] });
    model.otherwise(move |_| Some(proposal(&drops)));
    let rig = rig(&model, Replan::Ask);
    rig.read.on("clean", [Act::Permanent]);
    let ask =
        json!({ "id": "ask", "instruction": "Which?", "task_type": "human", "form": { "type": "string" } });
    let shown = rig
        .run(&plan(&[
            task("fetch", "read.do", &[]),
            task("clean", "read.do", &["fetch"]),
            ask,
            task("later", "read.do", &["ask"]),
        ]))
        .await;
    let run = id(&shown);
    let of = |kind: &str| {
        let found = shown.decisions.iter().find(|d| d.question.contains(kind));
        found
            .unwrap_or_else(|| panic!("{:?}", shown.decisions))
            .id
            .clone()
    };
    let (question, replan) = (of("Which?"), of("another plan"));
    rig.answer(&run, &question, json!("this")).await;
    let shown = rig.go_on(&run).await;
    assert_eq!(
        states(&shown),
        "WAITING: fetch COMPLETED, clean FAILED, ask COMPLETED, later COMPLETED"
    );
    let seq = shown.seq;
    let refused = rig
        .engine
        .decide(&run, &DecisionId::from(replan.as_str()), json!("accept"))
        .await;
    let Err(Error::Conflict {
        code: "stale",
        message,
    }) = refused
    else {
        panic!("{refused:?}")
    };
    assert!(message.contains("`later`"), "{message}");
    assert_eq!(rig.show(&run).await.seq, seq, "nothing was recorded");
    rig.answer(&run, &replan, json!("reject")).await;
    assert_eq!(rig.go_on(&run).await.row.status, RunStatus::Blocked);
}

#[tokio::test(start_paused = true)]
async fn a_failure_that_is_settled_otherwise_closes_the_question() {
    let model = ScriptedModel::default();
    model.otherwise(|_| Some(proposal(&another_way())));
    let rig = rig(&model, Replan::Ask);
    rig.read.on("clean", [Act::Permanent]);
    let run = id(&rig.run(&crate::replanning::weekly()).await);
    rig.engine
        .retry(&run, "clean", planloom_engine::Effects::Keep)
        .await
        .unwrap();
    let shown = rig.go_on(&run).await;
    assert_eq!(
        states(&shown),
        "SUCCEEDED: fetch COMPLETED, clean COMPLETED, chart COMPLETED"
    );
    assert_eq!(shown.row.open_decisions, 0);
}

/// What the live run wrote of itself is what its log says.
async fn folds_agree(rig: &Rig, shown: &Shown) {
    let rows = rig.engine.runs().await.unwrap();
    let live = rows.iter().find(|row| row.run == shown.row.run).unwrap();
    assert_eq!(format!("{:?}", live.counts), format!("{:?}", shown.row.counts));
    assert_eq!(
        (live.status, live.open_decisions),
        (shown.row.status, shown.row.open_decisions)
    );
}

/// What a proposal says of one id.
#[derive(Clone, Copy, Debug)]
enum Say {
    Nothing,
    Drop,
    Change,
}

#[derive(Clone, Debug)]
struct World {
    /// Dependencies and whether it fails, task by task.
    tasks: Vec<(Vec<usize>, bool)>,
    /// Of each replan in turn: what it says of each task, and after which task a new one comes.
    proposals: Vec<(Vec<Say>, usize)>,
    accepts: bool,
}

fn worlds() -> impl Strategy<Value = World> {
    let one = (
        prop::collection::vec(any::<prop::sample::Index>(), 0..3),
        prop::bool::weighted(0.25),
    );
    let tasks = prop::collection::vec(one, 2..9).prop_map(|raw| {
        let build = |(n, (deps, fails)): (usize, (Vec<prop::sample::Index>, bool))| {
            let mut deps: Vec<usize> = if n == 0 {
                Vec::new()
            } else {
                deps.iter().map(|d| d.index(n)).collect()
            };
            deps.sort_unstable();
            deps.dedup();
            (deps, fails)
        };
        raw.into_iter().enumerate().map(build).collect::<Vec<_>>()
    });
    let say = prop_oneof![3 => Just(Say::Nothing), 2 => Just(Say::Drop), 2 => Just(Say::Change)];
    let proposal = (prop::collection::vec(say, 9), 0usize..9);
    (tasks, prop::collection::vec(proposal, 12), any::<bool>()).prop_map(|(tasks, proposals, accepts)| {
        World {
            tasks,
            proposals,
            accepts,
        }
    })
}

fn proposed(world: &World, number: usize) -> Value {
    let (says, after) = &world.proposals[number % world.proposals.len()];
    let (mut drop, mut add) = (Vec::new(), Vec::new());
    for (n, (dependencies, _)) in world.tasks.iter().enumerate() {
        match says[n] {
            Say::Nothing => {}
            Say::Drop => drop.push(format!("t{n}")),
            Say::Change => {
                let dropped = |d: &&usize| matches!(says[**d], Say::Drop);
                let after: Vec<String> = dependencies
                    .iter()
                    .filter(|d| !dropped(d))
                    .map(|d| format!("t{d}"))
                    .collect();
                let after: Vec<&str> = after.iter().map(String::as_str).collect();
                let other =
                    json!({ "inputs": { "id": format!("n{number}t{n}") }, "instruction": "Otherwise." });
                add.push(with(task(&format!("t{n}"), "read.do", &after), other));
            }
        }
    }
    if *after < world.tasks.len() && !drop.contains(&format!("t{after}")) {
        add.push(task(&format!("new{number}"), "read.do", &[&format!("t{after}")]));
    }
    json!({ "drop": drop, "add": add })
}

async fn live_through(world: World) {
    let model = ScriptedModel::default();
    let (asked, told) = (std::sync::atomic::AtomicUsize::new(0), world.clone());
    model.otherwise(move |_| {
        let number = asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        Some(say(&proposed(&told, number).to_string()))
    });
    let rig = rig(&model, if world.accepts { Replan::Ask } else { Replan::Auto });
    let mut tasks = Vec::new();
    for (n, (dependencies, fails)) in world.tasks.iter().enumerate() {
        let name = format!("t{n}");
        if *fails {
            rig.read.on(&name, std::iter::repeat_n(Act::Permanent, 50));
        }
        let after: Vec<String> = dependencies.iter().map(|d| format!("t{d}")).collect();
        let after: Vec<&str> = after.iter().map(String::as_str).collect();
        tasks.push(task(&name, "read.do", &after));
    }
    let run = rig.open(&plan(&tasks)).await;
    let whole = until_a_person_must_act(&rig, &run).await;
    assert_eq!(rig.read.running(), 0);
    let head = whole.seq;
    let approved = seq_of(&rig, &run, "approved", "").await;
    for at in (approved..head).step_by(5) {
        let before = states(&rig.engine.show(&run, Some(at)).await.unwrap());
        rig.engine
            .rewind(&run, at, planloom_engine::Files::Leave)
            .await
            .unwrap();
        until_a_person_must_act(&rig, &run).await;
        assert_eq!(
            states(&rig.engine.show(&run, Some(at)).await.unwrap()),
            before,
            "the past stays"
        );
    }
}

async fn until_a_person_must_act(rig: &Rig, run: &RunId) -> Shown {
    loop {
        let before = rig.show(run).await;
        let done: Vec<String> = completed(&before);
        let shown = if is_over(&before) {
            before
        } else {
            rig.go_on(run).await
        };
        for id in done {
            let still = shown.tasks.iter().find(|t| t.id == id).map(|t| t.status);
            assert_eq!(still, Some(TaskStatus::Completed), "{id} was done");
        }
        folds_agree(rig, &shown).await;
        let is_at_rest = matches!(
            shown.row.status,
            RunStatus::Succeeded | RunStatus::Blocked | RunStatus::Waiting
        );
        assert!(is_at_rest, "{}", states(&shown));
        let open = shown
            .decisions
            .iter()
            .find(|d| d.options.iter().any(|o| o.answer == "accept"));
        match open {
            Some(decision) => rig.answer(run, &decision.id.clone(), json!("accept")).await,
            None => {
                assert!(shown.row.status == RunStatus::Succeeded || !shown.decisions.is_empty());
                return shown;
            }
        }
    }
}

fn completed(shown: &Shown) -> Vec<String> {
    let done = shown.tasks.iter().filter(|t| t.status == TaskStatus::Completed);
    done.map(|t| t.id.clone()).collect()
}

#[test]
fn any_replan_of_any_plan_comes_to_rest_and_its_log_says_what_happened() {
    // Each case goes through its log many times.
    let seeds = std::env::var("PLANLOOM_SEEDS").ok().and_then(|n| n.parse().ok());
    let cases = seeds.map_or(20, |seeds: u32| seeds / 20);
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    TestRunner::new(config)
        .run(&worlds(), |world| {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .start_paused(true)
                .build()
                .unwrap();
            runtime.block_on(live_through(world));
            Ok(())
        })
        .unwrap();
}

/// What the first replan dropped had read another's output; the second one is told of both failures.
#[tokio::test(start_paused = true)]
async fn a_second_replan_is_told_of_what_the_first_one_dropped() {
    let model = ScriptedModel::default();
    let way = |drop: &str, new: &str| {
        let reading = with(
            task(new, "read.do", &["fetch"]),
            json!({ "inputs": { "id": new, "note": { "$from": "fetch" } } }),
        );
        say(&json!({ "drop": [drop], "add": [reading] }).to_string())
    };
    model.on(
        crate::replanning::ASKED,
        [way("clean", "tidy"), way("tidy", "scrub")],
    );
    let rig = rig(&model, Replan::Auto);
    for id in ["clean", "tidy"] {
        rig.read.on(id, [Act::Permanent]);
    }
    let clean = with(
        task("clean", "read.do", &["fetch"]),
        json!({ "inputs": { "id": "clean", "note": { "$from": "fetch" } } }),
    );
    let mut plan = plan(&[task("fetch", "read.do", &[]), clean]);
    plan["grants"] = json!({ "commands": ["tidy", "scrub"] });
    let shown = rig.run(&plan).await;
    assert_eq!(
        states(&shown),
        "SUCCEEDED: fetch COMPLETED, clean PRUNED, tidy PRUNED, scrub COMPLETED"
    );
}

/// A word about a task inside a nested plan and one about a replan, given while nobody drives the run: what the first
/// unlocks inside is not forgotten over the second.
#[tokio::test(start_paused = true)]
async fn what_is_unlocked_inside_outlives_a_replan_that_is_accepted_in_the_same_moment() {
    let (_model, rig) = failing(Replan::Ask);
    rig.effect.on("first", [Act::Unknown]);
    let inner = plan(&[
        task("first", "effect.do", &[]),
        task("second", "read.do", &["first"]),
    ]);
    let nested = json!({ "id": "part", "instruction": "Nest.", "task_type": "subplan", "plan": inner });
    let mut whole = paying();
    whole["tasks"].as_array_mut().unwrap().push(nested);
    let shown = rig.run(&whole).await;
    let run = id(&shown);
    assert_eq!(shown.row.status, RunStatus::Waiting, "{}", states(&shown));
    let words = shown.decisions.iter().map(|decision| {
        let is_replan = decision.task.is_none();
        (decision.id.clone(), if is_replan { "accept" } else { "done" })
    });
    let words: Vec<(String, &str)> = words.collect();
    assert_eq!(words.len(), 2);
    for (decision, word) in words {
        rig.answer(&run, &decision, json!(word)).await;
    }
    let shown = rig.go_on(&run).await;
    assert_eq!(shown.row.status, RunStatus::Succeeded, "{}", states(&shown));
    assert_eq!(rig.read.calls_of("second"), 1);
}

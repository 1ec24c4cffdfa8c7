//! Random plans with random failures and random decisions of people against a small reference model: the outcome depends
//! on the plan, on what the tools answer and on what people say, never on the timing; and the fold of any prefix and its rest is the fold of the whole.

use std::collections::BTreeMap;
use std::time::Duration;

use planloom_engine::Shown;
use planloom_engine::views::{DecisionKind, RunStatus, TaskStatus};
use planloom_tests::rig::{Rig, is_over, plan, state_of, states, task, with};
use planloom_tests::script::Act;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::json;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fate {
    Well,
    WellAfterTransient,
    Permanent,
    Lost,
}

/// What a person says when the task has failed or is in doubt.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Word {
    Retry,
    Skip,
    /// Only of what is in doubt; else it is tried again.
    Done,
}

#[derive(Clone, Debug)]
struct Node {
    dependencies: Vec<usize>,
    fate: Fate,
    is_optional: bool,
    is_effect: bool,
    delay_ms: u64,
    word: Word,
}

fn nodes() -> impl Strategy<Value = Vec<Node>> {
    let node = (
        proptest::collection::vec(any::<proptest::sample::Index>(), 0..4),
        prop_oneof![
            6 => Just(Fate::Well), 2 => Just(Fate::WellAfterTransient),
            1 => Just(Fate::Permanent), 1 => Just(Fate::Lost)
        ],
        any::<bool>(),
        any::<bool>(),
        0u64..50,
        prop::sample::select(vec![Word::Retry, Word::Skip, Word::Done]),
    );
    proptest::collection::vec(node, 1..14).prop_map(|raw| {
        let build = |(n, (deps, fate, is_optional, is_effect, delay_ms, word)): (usize, _)| {
            let deps: Vec<proptest::sample::Index> = deps;
            let mut dependencies: Vec<usize> = if n == 0 {
                Vec::new()
            } else {
                deps.iter().map(|d| d.index(n)).collect()
            };
            dependencies.sort_unstable();
            dependencies.dedup();
            Node {
                dependencies,
                fate,
                is_optional,
                is_effect,
                delay_ms,
                word,
            }
        };
        raw.into_iter().enumerate().map(build).collect()
    })
}

/// What must come out, in thirty lines and without time.
fn expected(nodes: &[Node]) -> Vec<TaskStatus> {
    let mut states: Vec<TaskStatus> = Vec::new();
    for node in nodes {
        let is_open = node.dependencies.iter().all(|&d| {
            states[d] == TaskStatus::Completed || (states[d] == TaskStatus::Failed && nodes[d].is_optional)
        });
        states.push(match node.fate {
            _ if !is_open => TaskStatus::Pending,
            Fate::Well | Fate::WellAfterTransient => TaskStatus::Completed,
            Fate::Permanent => TaskStatus::Failed,
            Fate::Lost if node.is_effect => TaskStatus::InDoubt,
            Fate::Lost => TaskStatus::Completed,
        });
    }
    states
}

/// What must come out in the end, when people have said their words.
fn settled(nodes: &[Node]) -> Vec<TaskStatus> {
    let mut states: Vec<TaskStatus> = Vec::new();
    for node in nodes {
        let is_skipped = |&d: &usize| states[d] == TaskStatus::Skipped;
        let is_passed_over = !node.dependencies.is_empty() && node.dependencies.iter().all(is_skipped);
        let is_in_doubt = node.fate == Fate::Lost && node.is_effect;
        let asks = is_in_doubt || (node.fate == Fate::Permanent && !node.is_optional);
        states.push(match node.fate {
            _ if is_passed_over => TaskStatus::Skipped,
            _ if asks && node.word == Word::Skip => TaskStatus::Skipped,
            Fate::Permanent if node.is_optional => TaskStatus::Failed,
            Fate::Well | Fate::WellAfterTransient | Fate::Lost | Fate::Permanent => TaskStatus::Completed,
        });
    }
    states
}

/// Answers all that is asked, until nothing is left to ask.
async fn decide(rig: &Rig, nodes: &[Node], mut shown: Shown) -> Shown {
    let run = shown.row.run.as_str().into();
    while !is_over(&shown) {
        assert!(!shown.decisions.is_empty(), "{}", states(&shown));
        for decision in &shown.decisions {
            let number = decision
                .task
                .as_deref()
                .and_then(|task| task[1..].parse::<usize>().ok());
            let word = match (nodes[number.unwrap()].word, decision.kind) {
                (Word::Skip, _) => "skip",
                (Word::Done, DecisionKind::InDoubt) => "done",
                (Word::Retry | Word::Done, _) => "retry",
            };
            rig.answer(&run, &decision.id, json!(word)).await;
        }
        shown = rig.go_on(&run).await;
    }
    shown
}

async fn simulate(nodes: Vec<Node>) -> Result<(), TestCaseError> {
    let rig = Rig::in_memory();
    let name = |n: usize| format!("t{n}");
    let mut tasks = Vec::new();
    for (n, node) in nodes.iter().enumerate() {
        let script = if node.is_effect { &rig.effect } else { &rig.read };
        let slow = Act::Slow(Duration::from_millis(node.delay_ms), json!(n));
        let acts = match node.fate {
            Fate::Well => vec![slow],
            Fate::WellAfterTransient => vec![Act::Transient(None), slow],
            Fate::Permanent => vec![Act::Permanent, slow],
            Fate::Lost => vec![Act::Unknown, slow],
        };
        script.on(&name(n), acts);
        let after: Vec<String> = node.dependencies.iter().map(|&d| name(d)).collect();
        let after: Vec<&str> = after.iter().map(String::as_str).collect();
        let tool = if node.is_effect { "effect.do" } else { "read.do" };
        tasks.push(with(
            task(&name(n), tool, &after),
            json!({ "optional": node.is_optional }),
        ));
    }
    let shown = rig.run(&plan(&tasks)).await;
    let expected = expected(&nodes);
    let got: Vec<TaskStatus> = (0..nodes.len()).map(|n| state_of(&shown, &name(n))).collect();
    prop_assert_eq!(&got, &expected);
    let is_failed = |n: usize| got[n] == TaskStatus::Failed && !nodes[n].is_optional;
    let status = if got.contains(&TaskStatus::InDoubt) {
        RunStatus::Waiting
    } else if (0..nodes.len()).any(is_failed) {
        RunStatus::Blocked
    } else {
        RunStatus::Succeeded
    };
    prop_assert_eq!(shown.row.status, status);
    effects_once(&rig)?;
    folds_agree(&rig, &shown).await?;
    let shown = decide(&rig, &nodes, shown).await;
    let got: Vec<TaskStatus> = (0..nodes.len()).map(|n| state_of(&shown, &name(n))).collect();
    prop_assert_eq!(got, settled(&nodes));
    prop_assert_eq!(shown.row.status, RunStatus::Succeeded);
    effects_once(&rig)?;
    folds_agree(&rig, &shown).await
}

/// An effect whose outcome was lost was sent once.
fn effects_once(rig: &Rig) -> Result<(), TestCaseError> {
    let mut sent: BTreeMap<String, usize> = BTreeMap::new();
    for call in rig.effect.calls() {
        *sent.entry(call.key).or_default() += 1;
    }
    // Two calls only where the first surely had not arrived.
    prop_assert!(sent.values().all(|&n| n <= 2));
    Ok(())
}

/// The picture at each position, read from zero, ends in the picture that the live run left.
async fn folds_agree(rig: &Rig, shown: &planloom_engine::Shown) -> Result<(), TestCaseError> {
    let run = shown.row.run.as_str().into();
    let again = rig.engine.show(&run, Some(shown.seq)).await.unwrap();
    let states =
        |s: &planloom_engine::Shown| -> Vec<TaskStatus> { s.tasks.iter().map(|t| t.status).collect() };
    prop_assert_eq!(states(&again), states(shown));
    Ok(())
}

#[test]
fn any_plan_ends_as_the_reference_says() {
    let cases = std::env::var("PLANLOOM_SEEDS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(300);
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    TestRunner::new(config)
        .run(&nodes(), |nodes| {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .start_paused(true)
                .build()
                .unwrap();
            runtime.block_on(simulate(nodes))
        })
        .unwrap();
}

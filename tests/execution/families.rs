//! Forks of forks, as a property: any tree of them, at any position, while runs of it go on, go back and are deleted.
//! A fork is where its parent was, nobody's story changes with another's, and whatever goes, the rest stays whole.

use std::collections::BTreeMap;

use planloom_engine::model::RunId;
use planloom_engine::views::{RunStatus, TaskStatus};
use planloom_engine::{Effects, Error, Files, Shown};
use planloom_tests::rig::{Rig, is_over, plan, task};
use planloom_tests::script::Act;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

#[derive(Clone, Debug)]
enum Deed {
    Fork(Index, Index),
    GoOn(Index),
    Rewind(Index, Index),
    Rerun(Index),
    Delete(Index),
}

fn deeds() -> impl Strategy<Value = Vec<Deed>> {
    let one = any::<Index>;
    let deed = prop_oneof![
        5 => (one(), one()).prop_map(|(of, at)| Deed::Fork(of, at)),
        4 => one().prop_map(Deed::GoOn),
        2 => (one(), one()).prop_map(|(of, at)| Deed::Rewind(of, at)),
        1 => one().prop_map(Deed::Rerun),
        2 => one().prop_map(Deed::Delete),
    ];
    proptest::collection::vec(deed, 4..16)
}

/// Outputs that stand in the log and outputs that are payloads, an effect in doubt, a question, items and inner tasks.
fn tree(rig: &Rig) -> Value {
    let large = |n: u32| json!({ "n": n, "text": "x".repeat(6_000) });
    for n in 0..40 {
        rig.read.on("large", [Act::Give(large(n))]);
        rig.effect.on("pay", [Act::Unknown, Act::Give(json!(n))]);
    }
    let ask = json!({
        "id": "ask", "instruction": "Well?", "task_type": "human", "form": { "type": "integer" },
        "dependencies": ["large"],
    });
    let each = json!({
        "id": "each", "instruction": "Each.", "task_type": "map", "over": ["a", "b"], "dependencies": ["ask"],
        "task": { "instruction": "One.", "task_type": "tool", "tool": "keyed.do", "inputs": { "id": { "$item": "" } } },
    });
    let inner = json!({ "tasks": [task("in", "read.do", &[])], "grants": { "commands": ["in"] } });
    let nest = json!({ "id": "nest", "instruction": "Nest.", "task_type": "subplan", "plan": inner });
    let mut plan = plan(&[
        task("large", "read.do", &[]),
        ask,
        each,
        nest,
        task("pay", "effect.do", &[]),
        task("last", "read.do", &["each", "pay", "nest"]),
    ]);
    plan["grants"] = json!({ "commands": ["a", "b"] });
    plan
}

/// What is known of a run that there is.
struct Member {
    run: RunId,
    lines: Vec<String>,
    /// What was seen at some of its positions.
    pictures: BTreeMap<u64, String>,
}

struct Family {
    rig: Rig,
    members: Vec<Member>,
    gone: Vec<RunId>,
}

/// What is under way is shown by whether somebody drives it now; so that is told in one word.
fn picture(shown: &Shown) -> String {
    let word = |status: TaskStatus| match status {
        TaskStatus::Running | TaskStatus::Ready | TaskStatus::InDoubt | TaskStatus::Waiting => {
            "open".to_owned()
        }
        TaskStatus::Pending
        | TaskStatus::Retrying
        | TaskStatus::Completed
        | TaskStatus::Failed
        | TaskStatus::Skipped
        | TaskStatus::Cancelled
        | TaskStatus::Pruned => status.to_string(),
    };
    let tasks = shown.tasks.iter().zip(&shown.outputs);
    let told = tasks.map(|(task, output)| format!("{} {} {output:?}", task.id, word(task.status)));
    told.collect::<Vec<_>>().join("\n")
}

impl Family {
    async fn lines(&self, run: &RunId) -> Vec<String> {
        let mut watch = self.rig.engine.watch_all(run, 0).await.unwrap();
        let news = watch.next().await.unwrap().unwrap();
        // How a sentence names a task hangs on what the run has now.
        let line =
            |e: &planloom_engine::views::EventView| format!("{} {} {} {:?}", e.seq, e.at, e.kind, e.task);
        news.events.iter().map(line).collect()
    }

    async fn at(&self, run: &RunId, seq: u64) -> String {
        let shown = self.rig.engine.show(run, Some(seq)).await;
        picture(&shown.unwrap_or_else(|e| panic!("{run} at {seq}: {e}")))
    }

    async fn do_one(&mut self, deed: Deed) {
        let count = self.members.len();
        match deed {
            Deed::Fork(of, at) => {
                let parent = of.index(count);
                let (run, length) = (
                    self.members[parent].run.clone(),
                    self.members[parent].lines.len() as u64,
                );
                // From the plan on.
                let at = 2 + at.index(length as usize - 1) as u64;
                let there = self.at(&run, at).await;
                self.members[parent].pictures.insert(at, there.clone());
                let forked = self.rig.engine.fork(&run, Some(at), None, Files::Leave).await;
                let fork = forked.unwrap().run;
                assert_eq!(
                    self.at(&fork, at).await,
                    there,
                    "{fork} begins where {run} was at {at}"
                );
                let lines = self.lines(&fork).await;
                assert_eq!(
                    lines[..at as usize],
                    self.members[parent].lines[..at as usize],
                    "its past is its parent's"
                );
                let pictures = [(at, there)].into();
                self.members.push(Member {
                    run: fork,
                    lines,
                    pictures,
                });
            }
            Deed::GoOn(of) => self.go_on(of.index(count)).await,
            Deed::Rewind(of, at) => {
                let member = &self.members[of.index(count)];
                let to = 2 + at.index(member.lines.len() - 1) as u64;
                match self.rig.engine.rewind(&member.run, to, Files::Leave).await {
                    Ok(_) => {}
                    Err(error) => assert_eq!(error.code(), "no_such_event", "{error}"),
                }
                self.grow(of.index(count)).await;
            }
            Deed::Rerun(of) => {
                let run = &self.members[of.index(count)].run;
                let rerun = self.rig.engine.rerun(run, None, None, Effects::Keep).await;
                if let Err(error) = rerun {
                    assert_eq!(error.code(), "not_approved", "{error}");
                }
                self.grow(of.index(count)).await;
            }
            Deed::Delete(of) => {
                if count > 1 {
                    let member = self.members.remove(of.index(count));
                    self.rig.engine.delete_run(&member.run).await.unwrap();
                    self.gone.push(member.run);
                }
            }
        }
    }

    /// Signs what is to be signed, answers what is asked, and drives.
    async fn go_on(&mut self, at: usize) {
        let run = self.members[at].run.clone();
        let shown = self.rig.show(&run).await;
        if shown.row.status == RunStatus::AwaitingApproval {
            self.rig.engine.approve_as_opened(&run).await.unwrap();
        }
        for decision in &shown.decisions {
            let words: Vec<&str> = decision.options.iter().map(|o| o.answer.as_str()).collect();
            let answer = if words.is_empty() {
                json!(7)
            } else {
                json!(words[0])
            };
            let answered = self
                .rig
                .engine
                .decide(&run, &decision.id.as_str().into(), answer)
                .await;
            // The signature may have been what it asked for.
            assert!(
                answered.is_ok() || decision.task.is_none(),
                "{decision:?}: {answered:?}"
            );
        }
        if !is_over(&self.rig.show(&run).await) {
            self.rig.go_on(&run).await;
        }
        self.grow(at).await;
    }

    /// Its story may only have become longer.
    async fn grow(&mut self, at: usize) {
        let lines = self.lines(&self.members[at].run).await;
        let member = &mut self.members[at];
        assert_eq!(
            lines[..member.lines.len()],
            member.lines,
            "the past of {}",
            member.run
        );
        member.lines = lines;
    }

    async fn all_is_whole(&self) {
        self.rig.engine.forget_folds();
        for member in &self.members {
            assert_eq!(
                self.lines(&member.run).await,
                member.lines,
                "the story of {}",
                member.run
            );
            for (&seq, seen) in &member.pictures {
                assert_eq!(&self.at(&member.run, seq).await, seen, "{} at {seq}", member.run);
            }
        }
        let listed = self.rig.engine.runs().await.unwrap();
        assert_eq!(listed.len(), self.members.len());
        for run in &self.gone {
            let refused = self.rig.engine.show(run, None).await;
            assert!(matches!(refused, Err(Error::NotFound { .. })), "{run} is gone");
        }
    }
}

async fn live_through(deeds: Vec<Deed>) {
    let rig = Rig::in_memory();
    let plan = tree(&rig);
    let first: RunId = rig.run(&plan).await.row.run.as_str().into();
    let mut family = Family {
        rig,
        members: Vec::new(),
        gone: Vec::new(),
    };
    let lines = family.lines(&first).await;
    let pictures = BTreeMap::new();
    family.members.push(Member {
        run: first,
        lines,
        pictures,
    });
    for deed in deeds {
        family.do_one(deed).await;
        family.all_is_whole().await;
    }
    // What nobody names any more goes; the last of the family has all of its own still.
    family.rig.engine.vacuum().await.unwrap();
    family.all_is_whole().await;
    // The oldest first, so that each deletion leaves forks of what is gone.
    while family.members.len() > 1 {
        let oldest = family.members.remove(0);
        family.rig.engine.delete_run(&oldest.run).await.unwrap();
        family.gone.push(oldest.run);
        family.rig.engine.vacuum().await.unwrap();
        family.all_is_whole().await;
    }
    let last = family
        .at(&family.members[0].run, family.members[0].lines.len() as u64)
        .await;
    assert!(!last.is_empty());
}

#[test]
fn any_family_of_forks_keeps_every_story_whole() {
    let cases = std::env::var("PLANLOOM_SEEDS")
        .ok()
        .and_then(|n| n.parse::<u32>().ok());
    let config = Config {
        cases: cases.map_or(24, |n| n.min(500)),
        failure_persistence: None,
        ..Config::default()
    };
    TestRunner::new(config)
        .run(&deeds(), |deeds| {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .start_paused(true)
                .build()
                .unwrap();
            runtime.block_on(live_through(deeds));
            Ok(())
        })
        .unwrap();
}

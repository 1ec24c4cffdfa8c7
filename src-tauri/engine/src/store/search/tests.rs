//! The index by itself: steps that are whole or never were, speed that does not fall with what is there, and two that write.

use std::time::{Duration, Instant};

use super::super::runs::RunKey;
use super::*;
use crate::model::query::{Found, Term};
use crate::model::{RunId, Seq, TaskId};

fn batch(run: i64, after: Seq, upto: Seq, acts: Vec<TextAct>) -> Batch {
    Batch {
        run: RunKey(run),
        id: RunId::from(format!("run-{run}")),
        created_ms: 1,
        changed_ms: 2,
        after,
        upto,
        mark: Some(7),
        acts,
        plan: PlanTexts::AsBefore,
    }
}

fn text(seq: Seq, task: &str, place: Found, text: &str) -> TextAct {
    TextAct::Add(NewText {
        seq,
        task: Some(TaskId::from(task)),
        place,
        text: text.to_owned(),
    })
}

fn term(text: &str) -> Vec<Term> {
    vec![Term {
        text: text.to_owned(),
        is_prefix: false,
    }]
}

fn all_of(run: i64) -> Vec<Allowed> {
    vec![Allowed {
        run: RunKey(run),
        upto: Seq::MAX,
        shown: RunKey(run),
    }]
}

async fn index() -> Arc<Index> {
    Store::in_memory().unwrap().index().await.unwrap()
}

#[tokio::test]
async fn a_step_that_does_not_follow_is_not_taken() {
    let index = index().await;
    let one = || vec![text(3, "a", Found::Observation, "walrus")];
    assert!(index.take(batch(1, 0, 5, one())).await.unwrap());
    assert!(
        !index.take(batch(1, 0, 5, one())).await.unwrap(),
        "taken by somebody else before"
    );
    assert!(index.take(batch(1, 5, 9, Vec::new())).await.unwrap());
    let known = index.known().await.unwrap();
    assert_eq!(known[&RunKey(1)].upto, 9);
    assert_eq!(index.find(&term("walrus"), all_of(1), 9).await.unwrap().total, 1);
    assert_eq!(index.find(&term("walrus"), all_of(2), 9).await.unwrap().total, 0);
}

#[tokio::test]
async fn the_same_text_of_a_task_is_kept_once_under_its_strongest_name() {
    let index = index().await;
    let acts = vec![
        text(3, "a", Found::Observation, "walrus"),
        text(4, "b", Found::Observation, "walrus"),
        TextAct::Promote {
            seq: 5,
            task: "b".into(),
        },
        text(6, "a", Found::Answer, "walrus"),
        TextAct::Add(NewText {
            seq: 9,
            task: None,
            place: Found::Output,
            text: "walrus".into(),
        }),
    ];
    index.take(batch(1, 0, 9, acts)).await.unwrap();
    let found = index.find(&term("walrus"), all_of(1), 9).await.unwrap();
    let mut shown: Vec<_> = found
        .hits
        .iter()
        .map(|h| (h.task.clone().unwrap().to_string(), h.place))
        .collect();
    shown.sort();
    // What the run gave is what a task has said: it is not said again.
    assert_eq!(shown, [("a".into(), Found::Answer), ("b".into(), Found::Output)]);
    index.forget(RunKey(1), 0).await.unwrap();
    assert_eq!(index.find(&term("walrus"), all_of(1), 9).await.unwrap().total, 0);
    assert!(index.known().await.unwrap().is_empty());
}

#[tokio::test]
async fn ten_thousand_texts_take_no_longer_each_than_the_first() {
    let index = index().await;
    let mut took = [Duration::ZERO; 2];
    for step in 0..20u64 {
        let begun = Instant::now();
        let line = |n: u64| {
            let words = format!(
                "text {n} of the number {} about walruses and {}",
                n * 7919,
                n % 97
            );
            text(
                step * 500 + n % 500 + 1,
                &format!("task-{}", n % 50),
                Found::Observation,
                &words,
            )
        };
        let acts = (step * 500..(step + 1) * 500).map(line).collect();
        assert!(
            index
                .take(batch(1, step * 500, (step + 1) * 500, acts))
                .await
                .unwrap()
        );
        took[usize::from(step >= 10)] += begun.elapsed();
    }
    assert!(took[1] < took[0] * 3 + Duration::from_millis(500), "{took:?}");
    assert!(took[0] + took[1] < Duration::from_secs(30), "{took:?}");
    let begun = Instant::now();
    let found = index.find(&term("walruses"), all_of(1), 50).await.unwrap();
    assert_eq!((found.total, found.hits.len()), (10_000, 50));
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    let begun = Instant::now();
    index.forget(RunKey(1), 0).await.unwrap();
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn a_plan_is_replaced_by_what_differs() {
    let index = index().await;
    let plan = |words: &[&str]| {
        let one = |(n, words): (usize, &&str)| NewText {
            seq: 2,
            task: Some(TaskId::from(format!("t{n}"))),
            place: Found::Plan,
            text: (*words).to_owned(),
        };
        PlanTexts::Are(words.iter().enumerate().map(one).collect())
    };
    let with = |after, upto, plan| Batch {
        plan,
        ..batch(1, after, upto, Vec::new())
    };
    index.take(with(0, 2, plan(&["walrus", "seal"]))).await.unwrap();
    assert!(index.known().await.unwrap()[&RunKey(1)].is_planned);
    index.take(with(2, 3, PlanTexts::Stale)).await.unwrap();
    assert!(!index.known().await.unwrap()[&RunKey(1)].is_planned);
    index.take(with(3, 4, plan(&["walrus", "otter"]))).await.unwrap();
    for (word, count) in [("walrus", 1), ("seal", 0), ("otter", 1)] {
        assert_eq!(
            index.find(&term(word), all_of(1), 9).await.unwrap().total,
            count,
            "{word}"
        );
    }
}

#[tokio::test]
async fn two_indexes_on_one_file_see_each_others_steps() {
    let folder = tempfile::tempdir().unwrap();
    let db = folder.path().join("planloom.db");
    let (one, two) = (Index::beside(&db).unwrap(), Index::beside(&db).unwrap());
    one.take(batch(1, 0, 5, vec![text(3, "a", Found::Output, "walrus")]))
        .await
        .unwrap();
    assert_eq!(two.find(&term("walrus"), all_of(1), 9).await.unwrap().total, 1);
    assert!(!two.take(batch(1, 0, 5, Vec::new())).await.unwrap());
    assert!(two.take(batch(1, 5, 6, Vec::new())).await.unwrap());
    two.tidy().await.unwrap();
    assert_eq!(one.known().await.unwrap()[&RunKey(1)].upto, 6);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(place::beside(&db))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o077, 0, "it is its owner's alone");
    }
}

#[tokio::test]
async fn a_folder_that_takes_nothing_has_a_private_index() {
    let folder = tempfile::tempdir().unwrap();
    let db = folder.path().join("planloom.db");
    std::fs::create_dir(place::beside(&db)).unwrap();
    let index = Index::beside(&db).unwrap();
    index
        .take(batch(1, 0, 5, vec![text(3, "a", Found::Output, "walrus")]))
        .await
        .unwrap();
    assert_eq!(index.find(&term("walrus"), all_of(1), 9).await.unwrap().total, 1);
    assert!(place::beside(&db).is_dir());
}

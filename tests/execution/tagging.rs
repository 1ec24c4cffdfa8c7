//! Runs found again by what the lists say of them: tags that outlast everything but deletion, filters, forks behind what they were
//! made from, and what each takes.

use planloom_engine::model::{Digest, Json, RunId};
use planloom_engine::views::RunsAsked;
use planloom_engine::{Engine, Files, Replace};
use planloom_tests::rig::{Rig, plan, task};
use planloom_tests::script::Act;
use serde_json::json;

use crate::finding::{asked, hits, id, margins, margins_run};

#[tokio::test(start_paused = true)]
async fn tags_outlast_edits_the_signature_rewinds_and_restarts() {
    let rig = Rig::on_file();
    let path = rig.write_plan("draft.plan.json", &margins());
    let draft = rig.engine.open_plan(path).await.unwrap();
    let run = RunId::from(draft.run.as_str());
    let tags = rig
        .engine
        .tag_run(&run, &["Prices".into(), "q3".into()], &[])
        .await
        .unwrap();
    assert_eq!(tags, ["prices", "q3"]);
    let shown = rig.engine.approval(&run).await.unwrap();
    rig.engine
        .approve(&run, Digest::parse(&shown.digest).unwrap(), Json::Null)
        .await
        .unwrap();
    let own = async |engine: &Engine| {
        let rows = engine.runs().await.unwrap();
        rows.into_iter().find(|row| row.run == run.as_str()).unwrap().tags
    };
    rig.engine.resume(&run).await.unwrap();
    rig.engine.until_left(&run).await.unwrap();
    assert_eq!(own(&rig.engine).await, ["prices", "q3"]);
    rig.engine
        .tag_run(&run, &["done".into()], &["q3".into()])
        .await
        .unwrap();
    let begun = rig.engine.show(&run, None).await.unwrap().seq;
    rig.engine.rewind(&run, begun - 6, Files::Leave).await.unwrap();
    assert_eq!(own(&rig.another()).await, ["done", "prices"]);
    assert_eq!(
        rig.another().show(&run, None).await.unwrap().row.tags,
        ["done", "prices"]
    );
    // What it has already is no change, and is no event.
    let seq = rig.engine.show(&run, None).await.unwrap().seq;
    rig.engine
        .tag_run(&run, &["done".into()], &["q3".into()])
        .await
        .unwrap();
    assert_eq!(rig.engine.show(&run, None).await.unwrap().seq, seq);
    for (add, remove) in [
        (vec!["two words".into()], vec![]),
        (vec!["a".into()], vec!["A".into()]),
        (vec![String::new()], vec![]),
    ] {
        assert!(rig.engine.tag_run(&run, &add, &remove).await.is_err(), "{add:?}");
    }
    let many: Vec<String> = (0..30).map(|n| format!("t{n}")).collect();
    assert!(rig.engine.tag_run(&run, &many, &[]).await.is_err());
}

#[tokio::test]
async fn a_run_brings_its_tags_and_words_along_in_its_file() {
    let rig = Rig::on_file();
    let run = margins_run(&rig).await;
    rig.engine.tag_run(&run, &["food".into()], &[]).await.unwrap();
    let file = rig.folder().join("run.jsonl");
    rig.engine.export_run(&run, &file, Replace::Never).await.unwrap();
    let other = Rig::on_file();
    other.engine.import_run(&file).await.unwrap();
    let page = other.engine.find_runs(&asked("tag:food")).await.unwrap();
    assert_eq!(page.rows[0].tags, ["food"]);
    assert_eq!(hits(&other.engine, "zwieback").await.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn forks_stand_behind_what_they_were_made_from() {
    let rig = Rig::in_memory();
    let old = margins_run(&rig).await;
    let new = margins_run(&rig).await;
    let fork = rig.engine.fork(&old, None, None, Files::Leave).await.unwrap().run;
    let of_fork = rig
        .engine
        .fork(&fork, None, None, Files::Leave)
        .await
        .unwrap()
        .run;
    let page = rig.engine.find_runs(&asked("")).await.unwrap();
    let order: Vec<(&str, Option<&str>)> = page
        .rows
        .iter()
        .map(|row| (row.run.as_str(), row.parent.as_deref()))
        .collect();
    assert_eq!(
        order,
        [
            (old.as_str(), None),
            (fork.as_str(), Some(old.as_str())),
            (of_fork.as_str(), Some(fork.as_str())),
            (new.as_str(), None),
        ]
    );
    assert_eq!(page.total, 4);
    let short = RunsAsked {
        limit: 2,
        ..asked("")
    };
    assert_eq!(rig.engine.find_runs(&short).await.unwrap().rows.len(), 2);
    // Where what it was made from does not fit, it stands for itself.
    rig.engine.tag_run(&fork, &["f".into()], &[]).await.unwrap();
    let page = rig.engine.find_runs(&asked("tag:f")).await.unwrap();
    assert_eq!((page.rows.len(), page.rows[0].parent.as_deref()), (1, None));
    assert_eq!(page.tags[0].tag, "f");
}

#[tokio::test(start_paused = true)]
async fn what_runs_take_is_told() {
    let rig = Rig::on_file();
    rig.read.on("big", [Act::Give(json!("x1 y2 z3 ".repeat(20_000)))]);
    let big = id(&rig.run(&plan(&[task("big", "read.do", &[])])).await);
    let small = id(&rig.run(&plan(&[task("small", "read.do", &[])])).await);
    std::fs::create_dir_all(rig.engine.folder(&small)).unwrap();
    std::fs::write(rig.engine.folder(&small).join("note.txt"), "12345").unwrap();
    let sizes = rig
        .engine
        .run_sizes(&[big.clone(), small.clone(), "none".into()])
        .await
        .unwrap();
    assert_eq!(sizes.len(), 2);
    assert!(sizes[0].bytes > 500.0 && sizes[1].bytes > 500.0, "{sizes:?}");
    assert_eq!((sizes[0].files, sizes[1].files), (0.0, 5.0));
}

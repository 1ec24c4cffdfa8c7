//! What a person calls plans and runs, what goes with them when they are deleted, which are old, what takes room, and limits
//! that change while the engine is open.

use planloom_engine::Error;
use planloom_engine::model::{Digest, Json, RunId};
use planloom_engine::run::Clock;
use planloom_engine::views::{RunRow, RunStatus, TaskStatus};
use planloom_tests::rig::{Rig, plan, task};
use planloom_tests::script::Act;
use serde_json::json;

async fn row(rig: &Rig, run: &RunId) -> RunRow {
    let rows = rig.engine.runs().await.unwrap();
    rows.into_iter().find(|row| row.run == run.as_str()).unwrap()
}

async fn draft(rig: &Rig, name: &str, plan: &Json) -> RunId {
    let path = rig.write_plan(name, plan);
    let view = rig.engine.open_plan(path).await.unwrap();
    RunId::from(view.run)
}

fn two() -> Json {
    plan(&[task("a", "read.do", &[]), task("b", "read.do", &["a"])])
}

#[tokio::test(start_paused = true)]
async fn a_name_stays_through_edits_the_signature_the_run_and_a_restart() {
    let rig = Rig::on_file();
    let run = draft(&rig, "prices.plan.json", &two()).await;
    assert_eq!(row(&rig, &run).await.title, "Prices");
    rig.engine.name_run(&run, Some("  Monday ".into())).await.unwrap();
    assert_eq!(row(&rig, &run).await.title, "Monday");
    assert_eq!(rig.engine.draft(&run).await.unwrap().title, "Monday");
    let edit = planloom_engine::model::edit::PlanEdit::SetTask {
        id: "a".into(),
        field: "/title".into(),
        value: Some("\"First\"".into()),
    };
    let revision = rig.engine.draft(&run).await.unwrap().revision;
    let edited = rig.engine.edit_draft(&run, revision, vec![edit]).await;
    assert_eq!(edited.unwrap().title, "Monday");
    // The signature covers the plan, and not what it is called.
    let shown = rig.engine.approval(&run).await.unwrap();
    rig.engine.name_run(&run, Some("Tuesday".into())).await.unwrap();
    let digest = Digest::parse(&shown.digest).unwrap();
    rig.engine.approve(&run, digest, Json::Null).await.unwrap();
    rig.engine.until_left(&run).await.unwrap();
    let after = row(&rig, &run).await;
    assert_eq!(
        (after.title.as_str(), after.status),
        ("Tuesday", RunStatus::Succeeded)
    );
    rig.engine.name_run(&run, Some("Wednesday".into())).await.unwrap();
    let again = rig.another();
    assert_eq!(again.runs().await.unwrap()[0].title, "Wednesday");
    again.name_run(&run, None).await.unwrap();
    assert_eq!(again.runs().await.unwrap()[0].title, "Prices");
    for bad in ["a\nb".to_owned(), "x".repeat(81)] {
        assert!(rig.engine.name_run(&run, Some(bad)).await.is_err());
    }
}

#[tokio::test(start_paused = true)]
async fn what_goes_is_told_before_and_what_runs_stays() {
    let rig = Rig::on_file();
    let over = rig.run(&two()).await;
    let over = RunId::from(over.row.run.as_str());
    std::fs::create_dir_all(rig.engine.folder(&over)).unwrap();
    std::fs::write(rig.engine.folder(&over).join("note.txt"), "12345").unwrap();
    let draft = draft(&rig, "draft.plan.json", &two()).await;
    rig.read.on("slow", [Act::Hang]);
    let slow = rig.open(&plan(&[task("slow", "read.do", &[])])).await;
    rig.engine.resume(&slow).await.unwrap();
    rig.until(&slow, "slow", TaskStatus::Running).await;

    let all = [over.clone(), draft.clone(), slow.clone()];
    let goes = rig.engine.what_goes(&all).await.unwrap();
    assert_eq!((goes.runs, goes.drafts, goes.files, goes.bytes), (1, 1, 1, 5.0));
    assert!(goes.events > 5.0, "{goes:?}");
    assert_eq!(goes.refused.len(), 1);
    assert_eq!(goes.refused[0].run, slow.as_str());

    let gone = rig.engine.delete_runs(&all).await.unwrap();
    assert_eq!(gone.runs, [over.to_string(), draft.to_string()]);
    assert_eq!(gone.refused.len(), 1, "{gone:?}");
    assert!(!rig.engine.folder(&over).exists());
    let left: Vec<String> = rig
        .engine
        .runs()
        .await
        .unwrap()
        .into_iter()
        .map(|r| r.run)
        .collect();
    assert_eq!(left, [slow.to_string()]);
    assert!(matches!(
        rig.engine.draft(&draft).await,
        Err(Error::NotFound { .. })
    ));
}

#[tokio::test(start_paused = true)]
async fn old_runs_are_those_that_are_over_and_wait_for_nobody() {
    let rig = Rig::on_file();
    let over = rig.run(&two()).await.row.run;
    let draft = draft(&rig, "draft.plan.json", &two()).await;
    let asks =
        json!({ "id": "ask", "task_type": "human", "instruction": "Which?", "form": { "type": "object" } });
    let waiting = rig.run(&plan(&[asks])).await.row.run;
    rig.engine.close().await;
    assert_eq!(rig.engine.old_runs(1, true).await.unwrap().runs, [""; 0]);

    let old = rig.another_at(in_days(40)).old_runs(30, false).await.unwrap();
    assert_eq!(old.runs, std::slice::from_ref(&over));
    assert_eq!((old.goes.runs, old.goes.drafts), (1, 0));
    let both = rig.another_at(in_days(40)).old_runs(30, true).await.unwrap();
    assert_eq!(both.runs.len(), 2);
    assert!(
        both.runs.contains(&over) && both.runs.contains(&draft.to_string()) && !both.runs.contains(&waiting)
    );
}

fn in_days(days: i64) -> Clock {
    Clock::Virtual {
        base_ms: Clock::System.now_ms() + days * 24 * 60 * 60 * 1000,
        start: tokio::time::Instant::now(),
    }
}

#[tokio::test(start_paused = true)]
async fn what_takes_room_is_told() {
    let rig = Rig::on_file();
    let run = rig.run(&two()).await.row.run;
    let folder = rig.engine.folder(&RunId::from(run));
    std::fs::create_dir_all(folder.join("deep")).unwrap();
    std::fs::write(folder.join("deep/x"), "123").unwrap();
    let _ = draft(&rig, "draft.plan.json", &two()).await;
    let told = rig.engine.storage().await.unwrap();
    assert_eq!(
        (told.runs, told.drafts, told.files, told.files_bytes),
        (1, 1, 1, 3.0)
    );
    assert!(told.bytes > 4096.0 && told.free < told.bytes, "{told:?}");
    assert!(told.file.ends_with(".db") && !told.is_more, "{told:?}");
}

/// Limits that are kept while the engine is open hold for the next run.
#[tokio::test(start_paused = true)]
async fn limits_change_while_the_engine_is_open() {
    let rig = Rig::on_file();
    let usual = rig.engine.limits();
    assert_eq!((usual.per_run, usual.per_provider, usual.tools.len()), (16, 8, 0));
    let settings = rig.db().with_file_name("settings.json");
    let text = r#"{"limits": {"per_run": 1, "per_provider": 2, "tools": {"echo": 3, "x": 0}}, "sync": "everything"}"#;
    std::fs::write(&settings, text).unwrap();
    rig.engine.use_limits();
    let told = rig.engine.limits();
    assert_eq!((told.per_run, told.per_provider, told.tools.len()), (1, 2, 1));
    assert!(told.syncs_everything && told.troubles.len() == 1, "{told:?}");
    let wide = plan(&[task("a", "read.do", &[]), task("b", "read.do", &[])]);
    let run = draft(&rig, "wide.plan.json", &wide).await;
    let dry = rig.engine.dry_run(&run, &Json::Null, &[]).await.unwrap();
    assert_eq!((dry.at_once, dry.lanes), (1, 1));
    std::fs::write(&settings, "{}").unwrap();
    rig.engine.use_limits();
    let dry = rig.engine.dry_run(&run, &Json::Null, &[]).await.unwrap();
    assert_eq!((dry.at_once, dry.lanes), (16, 2));
}

//! Numbers and texts cross between page and program unchanged, in both directions and at any size.

use planloom_tests::desktop::{Home, Setup};
use planloom_tests::webdriver::Outcome;
use serde_json::{Value, json};

use crate::page::{answer, ask, first_news};

/// Enough tasks that a message is too large for the short way across (8 KiB).
const MANY: usize = 120;

fn document(at: usize) -> Value {
    json!({"id": format!("t{at}"), "task_type": "code", "instruction": "Give one.", "source": "return 1"})
}

fn edit(at: usize) -> Value {
    let task = document(at).to_string();
    json!({"addTask": {"task": task, "after": [], "before": [], "position": {"x": -120 - at as i32, "y": 24}}})
}

#[tokio::test]
async fn whole_numbers_inside_edits_arrive_and_come_back() -> Outcome<()> {
    let home = Home::new()?;
    let window = home.open(Setup::default()).await?;
    let draft = answer(&window, "new_plan", json!({})).await?;
    let (run, revision) = (draft["run"].clone(), draft["revision"].clone());
    let edits: Vec<Value> = (0..MANY).map(edit).collect();
    let request = json!({"run": run, "revision": revision, "edits": edits});
    let edited = answer(&window, "edit_draft", request.clone()).await?;
    assert_eq!(edited["tasks"].as_array().map(Vec::len), Some(MANY));
    assert_eq!(edited["tasks"][3]["position"], json!({"x": -123, "y": 24}));
    assert_eq!(edited["revision"], json!(revision.as_u64().expect("a count") + 1));

    let stale = ask(&window, "edit_draft", request)
        .await?
        .expect_err("the revision has been passed");
    assert!(
        stale["code"].is_string() && stale["message"].is_string(),
        "{stale}"
    );
    let half = json!({"run": run, "revision": 1, "edits": [{"move": {"positions": [{"id": "t1", "x": 1.5, "y": 0}]}}]});
    assert!(
        ask(&window, "edit_draft", half).await?.is_err(),
        "positions are whole pixels"
    );
    window.terminate().await
}

#[tokio::test]
async fn times_and_large_messages_arrive_through_a_watch() -> Outcome<()> {
    let home = Home::new()?;
    let window = home.open(Setup::default()).await?;
    let tasks: Vec<Value> = (0..MANY).map(document).collect();
    let file = home.folder().join("large.plan.json");
    std::fs::write(&file, json!({"goal": "Count", "tasks": tasks}).to_string()).expect("written");
    let draft = answer(&window, "open_plan", json!({"path": file})).await?;

    let rows = answer(&window, "list_runs", json!({})).await?;
    let row = &rows[0];
    assert_eq!((&row["run"], &row["ranMs"]), (&draft["run"], &Value::Null));
    let started = row["startedAt"].as_f64().expect("milliseconds");
    assert!((1.7e12..4e12).contains(&started), "{started}");

    let approval = answer(&window, "approval", json!({"run": draft["run"]})).await?;
    let signed = json!({"run": draft["run"], "digest": approval["digest"], "parametersJson": "{}", "choices": {"off": [], "flows": []}});
    answer(&window, "approve", signed).await?;
    let message = first_news(&window, draft["run"].as_str().expect("an id")).await?;
    let news = &message["news"];
    assert_eq!(news["run"]["startedAt"].as_f64(), Some(started), "{message}");
    assert!(news["seq"].as_u64().is_some_and(|seq| seq >= 3), "{message}");
    assert_eq!(news["tasks"].as_array().map(Vec::len), Some(MANY));
    window.terminate().await
}

#[tokio::test]
async fn settings_keep_every_digit() -> Outcome<()> {
    let home = Home::new()?;
    let window = home.open(Setup::default()).await?;
    let digits = r#"{"wide":12345678901234567890,"exact":0.10}"#;
    answer(
        &window,
        "save_setting",
        json!({"key": "panels", "valueJson": digits}),
    )
    .await?;
    let settings = answer(&window, "load_settings", json!({})).await?;
    assert!(settings.as_str().expect("text").contains(digits), "{settings}");
    window.terminate().await?;
    let file =
        std::fs::read_to_string(home.db().with_file_name("settings.json")).expect("beside the database");
    assert!(
        file.contains("12345678901234567890") && file.contains("0.10"),
        "{file}"
    );
    Ok(())
}

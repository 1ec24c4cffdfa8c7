//! A finished run is found again by a word of its output, in the real window, and opened at that moment; then by its tag.

use fantoccini::key::Key;
use planloom_tests::desktop::{Desktop, Home, Setup};
use planloom_tests::webdriver::Outcome;
use serde_json::{Value, json};

use super::steps::{approve, mark, on_screen, open_file, plan_file, run_in, until};
use crate::page::answer;

fn speaking() -> Value {
    let say = |id: &str, after: &[&str], value: &str| json!({"id": id, "instruction": "Say it.", "task_type": "tool", "tool": "echo", "dependencies": after, "inputs": {"value": value}});
    json!([
        say("first", &[], "nothing of the kind"),
        say("second", &["first"], "a walrus waves from the quay of Überlingen"),
    ])
}

async fn hits(window: &Desktop<'_>) -> Outcome<u64> {
    let count = format!("return document.querySelectorAll('{}').length;", mark("hit"));
    Ok(window.run_script(&count, vec![]).await?.as_u64().unwrap_or(0))
}

#[tokio::test]
async fn a_finished_run_is_found_by_its_output_and_opened_there() -> Outcome<()> {
    let home = Home::new()?;
    let setup = Setup {
        chosen_file: Some(plan_file(home.folder(), &speaking())),
        ..Setup::default()
    };
    let window = home.open(setup).await?;
    open_file(&window).await?;
    let run = approve(&window).await?;
    window.find(&run_in("SUCCEEDED")).await?;

    window.click(&mark("rail-runs")).await?;
    window.click(&mark("list-search")).await?;
    window.type_text("walrus uberlingen").await?;
    let hit = format!("{}[data-place='output']", mark("hit"));
    window
        .wait_text(&hit, "a walrus waves from the quay of Überlingen")
        .await?;
    assert_eq!(
        hits(&window).await?,
        2,
        "in the plan, and what the run gives too once"
    );
    window.click(&hit).await?;
    assert_eq!(on_screen(&window, "screen-review").await?, run);
    let there = until("the review stands at that moment", async || {
        let seq = window.attribute(&mark("review"), "data-seq").await?;
        let seq: u64 = seq.and_then(|seq| seq.parse().ok()).unwrap_or(0);
        Ok((seq > 0).then_some(seq))
    })
    .await?;
    let moment = answer(&window, "moment", json!({ "run": run, "seq": there })).await?;
    let second = moment["tasks"]
        .as_array()
        .into_iter()
        .flatten()
        .find(|task| task["id"] == "second");
    assert_eq!(
        second.map(|task| &task["status"]),
        Some(&json!("COMPLETED")),
        "{moment}"
    );

    tags_by_keys(&window, &run).await?;
    window.terminate().await
}

/// Tagged by keys alone, and found by that.
async fn tags_by_keys(window: &Desktop<'_>, run: &str) -> Outcome<()> {
    window.click(&mark("rail-runs")).await?;
    let row = mark(&format!("run-{run}"));
    window.find(&row).await?;
    window
        .run_script(&format!("document.getElementById('row-{run}').focus()"), vec![])
        .await?;
    window.type_text("#").await?;
    window.find(&mark("tag-field")).await?;
    window.type_text("Sea").await?;
    window.press(&[Key::Enter.into()]).await?;
    window.wait_text(&mark("remove-tag"), "sea").await?;
    window.press(&[Key::Escape.into()]).await?;
    let said = format!(
        "return document.querySelector('{row} {}')?.textContent ?? '';",
        mark("tag")
    );
    until("the tag stands in the row", async || {
        let text = window.run_script(&said, vec![]).await?;
        Ok((text == "sea").then_some(()))
    })
    .await?;
    window.click(&mark("list-search")).await?;
    window.type_text("tag:sea").await?;
    window.find(&row).await?;
    let page = answer(
        window,
        "find_runs",
        json!({ "asked": {
        "drafts": false, "states": [], "tags": ["sea"], "since": null, "until": null, "text": "", "limit": 9
    } }),
    )
    .await?;
    assert_eq!(page["rows"][0]["run"], json!(run));
    Ok(())
}

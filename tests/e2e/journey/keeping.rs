//! What is kept, in the lists and in the settings: names, deletion after a question, a copy of the database, limits that hold at
//! once, and the approval's estimate without what is switched off.

use fantoccini::key::Key;
use planloom_tests::desktop::{Desktop, Home, Setup};
use planloom_tests::webdriver::Outcome;
use serde_json::{Value, json};

use super::steps::{card_in, mark, open_sample, until};
use crate::page::answer;

async fn rows(window: &Desktop<'_>) -> Outcome<Vec<Value>> {
    let rows = answer(window, "list_runs", json!({})).await?;
    Ok(rows.as_array().cloned().unwrap_or_default())
}

/// By keys alone, from the row's name.
#[tokio::test]
async fn a_plan_is_renamed_and_deleted_after_a_question() -> Outcome<()> {
    let home = Home::new()?;
    let window = home.open(Setup::default()).await?;
    let run = open_sample(&window).await?;
    window.click(&mark("rail-plans")).await?;
    let name = format!("{} .run-name", mark(&format!("run-{run}")));
    window.find(&name).await?;
    let focus = format!("document.getElementById('row-{run}').focus()");
    window.run_script(&focus, vec![]).await?;
    window.press(&[Key::F2.into()]).await?;
    window.find(&mark("rename-field")).await?;
    window.type_text("Monday's margins").await?;
    window.press(&[Key::Enter.into()]).await?;
    window.wait_text(&name, "Monday's margins").await?;
    assert_eq!(rows(&window).await?[0]["title"], "Monday's margins");

    window.run_script(&focus, vec![]).await?;
    window.press(&[Key::Delete.into()]).await?;
    window
        .wait_text(&mark("delete-dialog"), "Delete Monday's margins?")
        .await?;
    window.wait_text(&mark("delete-dialog"), "recorded step").await?;
    // The focus is on what changes nothing.
    window.find(&format!("{}:focus", mark("confirm-keep"))).await?;
    window.press(&[Key::Enter.into()]).await?;
    window.wait_gone(&mark("delete-dialog")).await?;
    assert_eq!(rows(&window).await?.len(), 1);
    window.click(&mark(&format!("acts-{run}"))).await?;
    window.click(&mark("row-delete")).await?;
    window.click(&mark("delete-now")).await?;
    window.wait_gone(&mark(&format!("run-{run}"))).await?;
    assert_eq!(rows(&window).await?.len(), 0);
    window.terminate().await
}

#[tokio::test]
async fn the_database_is_copied_and_limits_hold_at_once() -> Outcome<()> {
    let home = Home::new()?;
    let copy = home.folder().join("copy.db");
    let window = home
        .open(Setup {
            chosen_file: Some(copy.clone()),
            ..Setup::default()
        })
        .await?;
    let run = open_sample(&window).await?;
    window.click(&mark("rail-settings")).await?;
    window.click(&mark("settings-storage")).await?;
    window.wait_text(&mark("storage"), "1 draft").await?;
    window.click(&mark("backup")).await?;
    window
        .wait_text(&mark("notice-done"), "The database is copied to")
        .await?;
    assert!(std::fs::metadata(&copy).is_ok_and(|file| file.len() > 4096));
    window.click(&mark("tidy")).await?;
    window
        .find("//*[@data-testid='notice-done'][contains(.,'freed')]")
        .await?;
    window.click(&mark("sync")).await?;

    window.click(&mark("settings-limits")).await?;
    window.fill(&mark("limit-per-run"), "1").await?;
    window.press(&[Key::Tab.into()]).await?;
    until("the limit is kept", async || {
        let limits = answer(&window, "limits", json!({})).await?;
        Ok((limits["perRun"] == 1 && limits["syncsEverything"] == true).then_some(()))
    })
    .await?;
    let settings =
        std::fs::read_to_string(home.db().with_file_name("settings.json")).expect("beside the database");
    let settings: Value = serde_json::from_str(&settings).expect("JSON");
    assert_eq!(
        (&settings["limits"], &settings["sync"]),
        (&json!({"per_run": 1}), &json!("everything"))
    );
    let asked = json!({"run": run, "parametersJson": "{}", "off": []});
    let dry = answer(&window, "dry_run", asked).await?;
    assert_eq!((&dry["atOnce"], &dry["lanes"]), (&json!(1), &json!(1)));
    window.terminate().await
}

/// On the canvas: what touches anything, what can't run once something is off, and what the rest comes to.
#[tokio::test]
async fn the_grants_lie_over_the_plan_and_the_estimate_is_of_the_rest() -> Outcome<()> {
    let home = Home::new()?;
    let window = home.open(Setup::default()).await?;
    open_sample(&window).await?;
    window.click(&mark("to-approve")).await?;
    window.find(&mark("grants")).await?;
    let chosen = format!("{} [data-value='grants'][aria-checked='true']", mark("overlay"));
    until("the grants are shown", async || {
        if window.count(&chosen).await? == 1 {
            return Ok(Some(()));
        }
        window.press(&['o']).await?;
        Ok(None)
    })
    .await?;
    assert!(window.count(".card.lit").await? > 1);
    assert!(window.count(".card.dim").await? > 0);
    window
        .find("//*[contains(@class,'card-mark')][contains(.,'Writes')]")
        .await?;
    let row =
        "//li[starts-with(@data-testid,'grant-')][contains(.,'costs.db')]//*[@data-testid='grant-switch']";
    window.click(row).await?;
    window
        .wait_text(&mark("estimate-without"), "will not run")
        .await?;
    window.find(&card_in("query_costs", "SKIPPED")).await?;
    window.press(&['s']).await?;
    window.wait_text(&mark("schedule"), "will not run").await?;
    window.terminate().await
}

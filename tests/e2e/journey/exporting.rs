//! A run that is over, exported as a report and as the whole run, and that taken into a database of its own.

use std::path::Path;

use planloom_engine::{Config, Engine};
use planloom_tests::desktop::{Desktop, Home, Setup};
use planloom_tests::webdriver::{Outcome, Trouble};
use serde_json::json;

use super::steps::{approve, mark, open_file, plan_file, run_in};

/// Opens the list of forms and takes one.
async fn take(window: &Desktop<'_>, form: &str) -> Outcome<()> {
    window.click(&mark("export-form")).await?;
    window
        .click(&format!("{} [data-value='{form}']", mark("export-form-list")))
        .await
}

#[tokio::test]
async fn a_run_is_exported_as_a_report_and_whole_and_taken_in_elsewhere() -> Outcome<()> {
    let home = Home::new()?;
    let tasks = json!([{ "id": "say", "title": "Say it", "instruction": "Echo.", "task_type": "tool", "tool": "echo",
        "inputs": { "value": "the answer" } }]);
    let file = plan_file(home.folder(), &tasks);
    let setup = Setup {
        chosen_file: Some(file.clone()),
        ..Setup::default()
    };
    let window = home.open(setup).await?;
    open_file(&window).await?;
    let run = approve(&window).await?;
    window.find(&run_in("SUCCEEDED")).await?;

    // The file that is chosen is the plan's own: the native dialog has asked about that.
    window.click(&mark("export")).await?;
    window.find(&mark("export-dialog")).await?;
    window.click(&mark("export-now")).await?;
    window.wait_text(&mark("export-done"), "Written").await?;
    let page = std::fs::read_to_string(&file).map_err(Trouble::at("the report"))?;
    assert!(page.starts_with("<!doctype html>") && page.contains("Say it") && page.contains("the answer"));

    take(&window, "run").await?;
    window.click(&mark("export-now")).await?;
    window.wait_text(&mark("export-done"), "own folder").await?;
    window.click(&mark("export-close")).await?;
    taken_in(Path::new(&file), home.folder(), &run).await
}

async fn taken_in(file: &Path, folder: &Path, run: &str) -> Outcome<()> {
    let clean = Engine::open(Config::new(Some(folder.join("clean.db")), "a test"))
        .map_err(Trouble::at("a clean database"))?;
    let imported = clean.import_run(file).await.map_err(Trouble::at("the import"))?;
    assert!(imported.is_new && imported.run.as_str() == run);
    let shown = clean
        .show(&imported.run, None)
        .await
        .map_err(Trouble::at("the run"))?;
    assert!(shown.output.unwrap_or_default().contains("the answer"));
    Ok(())
}

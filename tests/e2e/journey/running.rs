//! Signing and running the sample to its report, all by hand.

use fantoccini::key::Key;
use planloom_tests::desktop::{Desktop, Home, Setup};
use planloom_tests::webdriver::Outcome;

use super::steps::{answer_question, ask_each_time, card, card_in, mark, on_canvas, open_sample, run_in};

#[tokio::test]
async fn the_sample_runs_to_its_report() -> Outcome<()> {
    let home = Home::new()?;
    let window = home.open(Setup::default()).await?;
    open_sample(&window).await?;
    window.click(&mark("to-approve")).await?;
    sees_what_it_touches(&window).await?;
    ask_each_time(&window).await?;
    window.click(&mark("approve")).await?;
    on_canvas(&window, "screen-run").await?;

    window.find(&run_in("WAITING")).await?;
    for done in [
        "read_northwind",
        "read_rates",
        "query_costs",
        "normalise",
        "work_out_margins",
    ] {
        window.find(&card_in(done, "COMPLETED")).await?;
        window.wait_text(&card(done), "Done").await?;
    }
    window.find(&card_in("check_outliers", "WAITING")).await?;
    window
        .wait_text(&card("check_outliers"), "Waiting for you")
        .await?;
    window.find(&card_in("compare", "PENDING")).await?;
    looks_into_tasks(&window).await?;

    window.click(&mark("answer")).await?;
    answer_question(&window, "Seen by a person").await?;
    window.find(&card_in("compare", "COMPLETED")).await?;
    window.find(&card_in("save_report", "COMPLETED")).await?;
    window.find(&run_in("SUCCEEDED")).await?;
    sees_the_report(&window).await?;
    window.terminate().await
}

/// Nothing is signed unseen: each file, database and the report are named.
async fn sees_what_it_touches(window: &Desktop<'_>) -> Outcome<()> {
    for touched in [
        "northwind.csv",
        "contoso.csv",
        "fabrikam.csv",
        "exchange-rates.json",
        "costs.db",
        "run:/",
    ] {
        window.wait_text(&mark("grants"), touched).await?;
    }
    window
        .wait_text(&mark("approval"), "plus your part in Check outliers")
        .await?;
    window.wait_text(&mark("approval"), "Nothing has run yet").await
}

async fn looks_into_tasks(window: &Desktop<'_>) -> Outcome<()> {
    window.click(&card("work_out_margins")).await?;
    window.wait_text(&mark("tabpanel-output"), "outliers").await?;
    window.click(&mark("tab-input")).await?;
    window.wait_text(&mark("tabpanel-input"), "costs").await?;
    window.click(&card("query_costs")).await?;
    window.click(&mark("tab-trace")).await?;
    window.wait_text(&mark("step-call"), "sql.query").await?;
    window.wait_text(&mark("step-observation"), "sku").await?;
    window.click(&card("compare")).await?;
    window.wait_text(&mark("task-why"), "Check outliers").await
}

/// On the screen and on the disk.
async fn sees_the_report(window: &Desktop<'_>) -> Outcome<()> {
    window.click(&card("save_report")).await?;
    window.click(&mark("tab-input")).await?;
    window
        .wait_text(&mark("tabpanel-input"), "Note: Seen by a person")
        .await?;
    window.press(&[Key::Escape.into()]).await?;
    window.wait_text(&mark("result"), "is written").await?;
    let said = window.text(&mark("result")).await?;
    let folder = said
        .lines()
        .find_map(|line| line.strip_prefix("Files of this run: "))
        .expect("where the files are");
    let report = std::fs::read_to_string(format!("{folder}/margin-report.md")).expect("the report");
    assert!(
        report.starts_with("# Margin report") && report.contains("Seen by a person"),
        "{report}"
    );
    Ok(())
}

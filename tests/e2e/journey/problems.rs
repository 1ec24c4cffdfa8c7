//! What is wrong with a plan shows while it is changed, leads to its place, and bars the way to signing.

use fantoccini::key::Key;
use planloom_tests::desktop::{Home, Setup};
use planloom_tests::webdriver::Outcome;

use super::steps::{card, mark, open_sample};

#[tokio::test]
async fn problems_show_live_and_lead_to_their_place() -> Outcome<()> {
    let home = Home::new()?;
    let window = home.open(Setup::default()).await?;
    open_sample(&window).await?;
    window.wait_text(&mark("problems"), "No problems").await?;

    // An argument that the tool doesn't know.
    window.click(&card("query_costs")).await?;
    window.click(&mark("add-input")).await?;
    window
        .wait_text(&mark("problem-bad_arguments"), "Query cost database")
        .await?;
    window.find(&mark("to-fix")).await?;
    window.wait_gone(&mark("to-approve")).await?;
    window
        .find(&format!("{} .card-badge.error", card("query_costs")))
        .await?;
    window.click(&card("compare")).await?;
    window
        .wait_text(&mark("inspector"), "Compare with rivals")
        .await?;
    window
        .click(&format!("{} .problem-text", mark("problem-bad_arguments")))
        .await?;
    window
        .wait_text(&mark("inspector"), "Query cost database")
        .await?;
    window
        .find(&format!(
            "{} .active, .active{}",
            card("query_costs"),
            card("query_costs")
        ))
        .await?;
    window.click(&mark("remove-input-input")).await?;
    window.wait_text(&mark("problems"), "No problems").await?;

    // A task that another one reads is gone.
    window.click(&card("read_rates")).await?;
    window.press(&[Key::Delete.into()]).await?;
    window
        .wait_text(&mark("problem-unknown_input"), "Normalise currencies")
        .await?;
    window
        .click(&format!("{} .problem-text", mark("problem-unknown_input")))
        .await?;
    window
        .wait_text(&mark("inspector"), "Normalise currencies")
        .await?;
    let focused = "return document.activeElement.closest('[data-field]')?.dataset.field ?? ''";
    super::steps::until("the input has the focus", async || {
        let field = window.run_script(focused, vec![]).await?;
        Ok(field
            .as_str()
            .is_some_and(|field| field.starts_with("/inputs/rates_text"))
            .then_some(()))
    })
    .await?;
    window.click(&mark("undo")).await?;
    window.wait_text(&mark("problems"), "No problems").await?;
    window.find(&mark("to-approve")).await?;
    window.terminate().await
}

//! A run that fails is watched; its replanner proposes another way, which is answered after a restart: asked for again with a
//! note, then taken in part.

use fantoccini::key::Key;
use planloom_tests::desktop::{Desktop, Home, Setup};
use planloom_tests::model_server::{self, Asked, ModelServer};
use planloom_tests::webdriver::Outcome;
use serde_json::{Value, json};

use super::steps::{approve, beside_models, card, card_in, mark, open_file, plan_file, run_in, until};

fn echo(id: &str, title: &str, after: &[&str]) -> Value {
    json!({ "id": id, "title": title, "instruction": format!("{title}."), "task_type": "tool", "tool": "echo",
        "dependencies": after, "inputs": { "value": id } })
}

fn tasks() -> Value {
    let clean = json!({ "id": "clean", "title": "Clean the rows", "instruction": "Read them.", "task_type": "tool",
        "tool": "file.read", "dependencies": ["fetch"], "inputs": { "path": "nowhere.txt" } });
    json!([
        echo("fetch", "Fetch the rows", &[]),
        clean,
        echo("chart", "Draw the chart", &["clean"])
    ])
}

fn way(new: &str) -> Value {
    json!({ "drop": ["clean"], "add": [
        echo(new, "Tidy the rows", &["fetch"]), echo("extra", "Send a greeting", &["fetch"]),
        echo("chart", "Draw the chart", &[new]) ] })
}

fn replanner() -> ModelServer {
    let list = json!({ "object": "list", "data": [
        { "id": "m", "object": "model", "owned_by": "vllm", "max_model_len": 32768 } ] });
    ModelServer::start(&[("/v1/models", list)], |asked: &Asked| {
        let told = asked.body["messages"].to_string();
        if !told.contains("Where each task stands") {
            return (200, model_server::able(&asked.body, "Hello Ada."));
        }
        let is_second = told.contains("The person says to it: Read the feed.");
        (
            200,
            model_server::say(&way(if is_second { "feed" } else { "tidy" }).to_string()),
        )
    })
}

#[tokio::test]
async fn a_new_plan_is_answered_after_a_restart_and_taken_in_part() -> Outcome<()> {
    let home = Home::new()?;
    let server = replanner();
    beside_models(&home, &server);
    let setup = Setup {
        chosen_file: Some(plan_file(home.folder(), &tasks())),
        ..Setup::default()
    };
    let window = home.open(setup.clone()).await?;
    open_file(&window).await?;
    approve(&window).await?;
    window.find(&card_in("fetch", "COMPLETED")).await?;
    window.find(&card_in("clean", "FAILED")).await?;
    window.find(&run_in("WAITING")).await?;
    window.kill().await?;

    let window = home.open(setup).await?;
    window.click(&mark("rail-waiting")).await?;
    window.wait_text(&mark("replan-about"), "Clean the rows").await?;
    window.click(&mark("open-replan")).await?;
    window.wait_text(&mark("replan-number"), "Replan 1 of 3").await?;
    window.wait_text(&mark("failed-clean"), "nowhere.txt").await?;
    window.find(&card_of("tidy", "added")).await?;
    window.find(&card_of("clean", "removed")).await?;
    window.find(&card_of("fetch", "kept")).await?;
    window.screenshot("replan").await?;
    asks_again(&window).await?;
    takes_a_part(&window).await?;

    window.find(&run_in("SUCCEEDED")).await?;
    window.find(&card_in("feed", "COMPLETED")).await?;
    assert_eq!(window.count("[data-testid='task-extra']").await?, 0);
    window.click(&mark("replan-fact")).await?;
    window.wait_text(&mark("replan-fate"), "Accepted in part").await?;
    window.wait_text(&mark("replan-fate"), "Send a greeting").await?;
    window.terminate().await
}

fn card_of(task: &str, change: &str) -> String {
    format!("{} .change-{change}", card(task))
}

async fn asks_again(window: &Desktop<'_>) -> Outcome<()> {
    window.press(&['/']).await?;
    window.type_text("Read the feed.").await?;
    window.click(&mark("replan-again")).await?;
    window
        .find(&format!("{}[data-attempt='2']", mark("replan-number")))
        .await?;
    window.wait_text(&mark("replan-asked"), "Read the feed.").await?;
    window.find(&card_of("feed", "added")).await.map(drop)
}

async fn takes_a_part(window: &Desktop<'_>) -> Outcome<()> {
    window.click(&mark("take-add:extra")).await?;
    until("what is left can be accepted", async || {
        let said = window.text(&mark("replan-accept")).await?;
        let disabled = window.attribute(&mark("replan-accept"), "disabled").await?;
        Ok((said.contains("Accept 3 of 4") && disabled.is_none()).then_some(()))
    })
    .await?;
    window.press(&[Key::Control.into(), Key::Enter.into()]).await
}

//! Changing a plan on its canvas by hand: palette, inspector, edges, loops, deleting, going back.

use fantoccini::key::Key;
use planloom_tests::desktop::{Desktop, Home, Setup};
use planloom_tests::webdriver::Outcome;
use serde_json::{Value, json};

use super::steps::{
    card, cards, click_at, draft, draw_edge, edge, free_place, mark, open_sample, point_on_edge, task, until,
    until_cards, until_field,
};
use crate::page::ask;

const SAMPLE_TASKS: usize = 10;

#[tokio::test]
async fn a_plan_is_drawn_by_itself() -> Outcome<()> {
    let home = Home::new()?;
    let window = home.open(Setup::default()).await?;
    let run = open_sample(&window).await?;
    assert_eq!(cards(&window).await?, SAMPLE_TASKS);
    let view = draft(&window, &run).await?;
    let plan: Value = serde_json::from_str(view["document"].as_str().expect("text")).expect("JSON");
    assert_eq!(plan["layout"], Value::Null, "nobody has placed a card");

    let edges = view["edges"].as_array().expect("edges");
    for pair in edges {
        let (from, to) = (
            pair["from"].as_str().expect("id"),
            pair["to"].as_str().expect("id"),
        );
        assert_eq!(
            window
                .run_script(
                    "return document.querySelectorAll(arguments[0]).length",
                    vec![json!(edge(from, to))]
                )
                .await?,
            json!(1)
        );
        let (above, below) = (window.centre(&card(from)).await?, window.centre(&card(to)).await?);
        assert!(above.y < below.y, "{from} is not above {to}");
    }
    let overlaps = "const boxes = [...document.querySelectorAll('.react-flow__node')].map((n) => n.getBoundingClientRect());
        return boxes.filter((a) => boxes.some((b) => a !== b && a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)).length;";
    assert_eq!(
        window.run_script(overlaps, vec![]).await?,
        json!(0),
        "cards lie on one another"
    );
    window.terminate().await
}

/// Finds the tool in the palette and drags it to a free place.
async fn drag_from_palette(window: &Desktop<'_>, find: &str, item: &str) -> Outcome<()> {
    window.fill(&mark("palette-find"), find).await?;
    let (from, to) = (window.centre(&mark(item)).await?, free_place(window).await?);
    window.drag_and_hold(from, to).await?;
    window.find(&mark("ghost")).await?;
    window.release().await?;
    window.wait_gone(&mark("ghost")).await?;
    until_cards(window, SAMPLE_TASKS + 1).await?;
    let made = window.centre(&card("echo")).await?;
    let off = (made.x - to.x).hypot(made.y - to.y);
    assert!(off < 16.0, "the card is {off} pixels from where it was let go");
    Ok(())
}

#[tokio::test]
async fn a_task_is_dragged_in_written_and_connected() -> Outcome<()> {
    let home = Home::new()?;
    let window = home.open(Setup::default()).await?;
    let run = open_sample(&window).await?;
    drag_from_palette(&window, "echo", "palette-tool-echo").await?;

    // The new task is chosen: the inspector shows it.
    window.fill(&mark("field-title"), "Say the rates").await?;
    window.wait_text(&card("echo"), "Say the rates").await?;
    window
        .fill(&mark("field-instruction"), "Pass the rates on.")
        .await?;
    until_field(&window, &run, "echo", "/instruction", json!("Pass the rates on.")).await?;
    window.fill(&mark("value-value"), "1.10 €").await?;
    until_field(&window, &run, "echo", "/inputs/value", json!("1.10 €")).await?;

    connect(&window, &run).await?;
    window.click(&mark("source-value")).await?;
    window.click("[role='option'][data-value='from']").await?;
    until_field(
        &window,
        &run,
        "echo",
        "/inputs/value",
        json!({"$from": "read_rates"}),
    )
    .await?;
    refuse_loop(&window, &run).await?;
    window.terminate().await
}

async fn connect(window: &Desktop<'_>, run: &str) -> Outcome<()> {
    draw_edge(window, "read_rates", "echo").await?;
    window.find(&format!("{}.allowed", card("echo"))).await?;
    window.release().await?;
    until_field(window, run, "echo", "/dependencies", json!(["read_rates"])).await?;
    point_on_edge(window, "read_rates", "echo").await?;
    window.find(&mark("dependency-read_rates")).await?;
    Ok(())
}

/// What would close a loop is refused while the button is still down, and by the program too.
async fn refuse_loop(window: &Desktop<'_>, run: &str) -> Outcome<()> {
    let before = draft(window, run).await?;
    draw_edge(window, "echo", "read_rates").await?;
    window.wait_text(&mark("refusal"), "already leads to").await?;
    window.find(&format!("{}.refused", card("read_rates"))).await?;
    window.release().await?;
    window.wait_gone(&mark("refusal")).await?;
    let after = draft(window, run).await?;
    assert_eq!(after, before, "a refused edge changed the plan");

    let told = ask(
        window,
        "connect_verdicts",
        json!({"run": run, "from": "save_report"}),
    )
    .await?
    .expect("verdicts");
    let refused = told
        .as_array()
        .expect("a list")
        .iter()
        .filter(|verdict| verdict["refusal"].is_string());
    assert!(refused.count() >= 9, "all that leads to the report: {told}");
    let forced = json!({"run": run, "revision": before["revision"], "edits": [{"connect": {"from": "echo", "to": "read_rates"}}]});
    let refusal = ask(window, "edit_draft", forced)
        .await?
        .expect_err("the rule is the program's");
    assert!(
        refusal["message"].to_string().contains("already leads to"),
        "{refusal}"
    );
    Ok(())
}

#[tokio::test]
async fn edges_and_tasks_go_and_come_back() -> Outcome<()> {
    let home = Home::new()?;
    let window = home.open(Setup::default()).await?;
    let run = open_sample(&window).await?;
    let original = draft(&window, &run).await?["document"].clone();

    // An edge.
    let at = point_on_edge(&window, "query_costs", "work_out_margins").await?;
    click_at(&window, at).await?;
    window
        .find(&format!(
            "{}.selected .line",
            edge("query_costs", "work_out_margins")
        ))
        .await?;
    window.press(&[Key::Delete.into()]).await?;
    until_field(
        &window,
        &run,
        "work_out_margins",
        "/dependencies",
        json!(["normalise"]),
    )
    .await?;
    window.press(&[Key::Control.into(), 'z']).await?;
    until_document(&window, &run, &original).await?;

    // A task.
    window.click(&card("save_report")).await?;
    window.find(&mark("inspector")).await?;
    window.press(&[Key::Delete.into()]).await?;
    until_cards(&window, SAMPLE_TASKS - 1).await?;
    assert_eq!(task(&window, &run, "save_report").await?, Value::Null);
    let without = draft(&window, &run).await?["document"].clone();
    window.click(&mark("undo")).await?;
    until_document(&window, &run, &original).await?;
    until_cards(&window, SAMPLE_TASKS).await?;
    window
        .press(&[Key::Control.into(), Key::Shift.into(), 'Z'])
        .await?;
    until_document(&window, &run, &without).await?;
    window.press(&[Key::Control.into(), 'z']).await?;
    until_document(&window, &run, &original).await?;

    // A card moved by hand stays where it was put, and goes back with undo.
    let (from, to) = (window.centre(&card("compare")).await?, free_place(&window).await?);
    window.drag(from, to).await?;
    until("the place in the document", async || {
        let view = draft(&window, &run).await?;
        Ok((view["document"] != original).then_some(()))
    })
    .await?;
    let now = window.centre(&card("compare")).await?;
    assert!((now.x - to.x).hypot(now.y - to.y) < 16.0, "{now:?} is not {to:?}");
    window.press(&[Key::Control.into(), 'z']).await?;
    until_document(&window, &run, &original).await?;
    window.terminate().await
}

async fn until_document(window: &Desktop<'_>, run: &str, wanted: &Value) -> Outcome<()> {
    until("the document as it was", async || {
        Ok((draft(window, run).await?["document"] == *wanted).then_some(()))
    })
    .await
}

//! The whole way by the list view and the keyboard alone: opened, changed, signed, answered, done. The mouse lies still.

use fantoccini::key::Key;
use planloom_tests::desktop::{Desktop, Home, Setup};
use planloom_tests::webdriver::{Outcome, Trouble};
use serde_json::{Value, json};

use super::goal::{GOAL, beside_planner};
use super::steps::{mark, on_canvas, on_screen, plan_file, task, until, until_cards, until_field};

const TAB: char = '\u{e004}';
const DOWN: char = '\u{e015}';
const ENTER: char = '\u{e007}';

fn tasks() -> Value {
    let code = |id: &str, title: &str, after: &[&str]| {
        json!({ "id": id, "title": title, "task_type": "code",
        "instruction": "Work it out.", "source": "return 1;", "dependencies": after })
    };
    let form = json!({ "type": "object", "required": ["word"], "properties": { "word": { "type": "string", "title": "Word" } } });
    json!([
        code("count", "Count the words", &[]),
        { "id": "ask", "title": "Ask for a word", "task_type": "human", "instruction": "Which word?", "form": form, "dependencies": ["count"] },
        code("print", "Print the word", &[]),
    ])
}

#[tokio::test]
async fn a_plan_is_made_signed_and_done_without_a_mouse() -> Outcome<()> {
    let home = Home::new()?;
    let setup = Setup {
        chosen_file: Some(plan_file(home.folder(), &tasks())),
        ..Setup::default()
    };
    let window = home.open(setup).await?;
    window.find(&mark("home")).await?;
    window.press(&[Key::Control.into(), 'o']).await?;
    let run = on_screen(&window, "screen-plan").await?;
    window.find(&mark("canvas")).await?;
    window.wait_ready().await?;

    is_changed(&window, &run).await?;
    is_signed(&window).await?;
    is_answered(&window, &run).await?;
    window.terminate().await
}

/// From the goal on, planned by a model: what is planned is changed in the list, signed and started.
#[tokio::test]
async fn a_goal_is_planned_changed_in_the_list_and_started_without_a_mouse() -> Outcome<()> {
    let home = Home::new()?;
    let _planner = beside_planner(&home);
    let window = home.open(Setup::default()).await?;
    window.wait_text(&mark("role-planner"), "m").await?;
    tab_to(&window, "goal").await?;
    window.type_text(GOAL).await?;
    window.press(&[Key::Control.into(), ENTER]).await?;
    let run = on_canvas(&window, "screen-plan").await?;
    window.wait_text(&mark("planned-line"), "Planned").await?;
    until_cards(&window, 4).await?;
    window.press(&['l']).await?;
    window.find(&mark("list-view")).await?;
    until("a row has the focus", async || {
        Ok((!active(&window, "row").await?.is_empty()).then_some(()))
    })
    .await?;

    walk_to(&window, "say").await?;
    window.press(&[ENTER]).await?;
    until_active(&window, "field-title").await?;
    window.press(&[Key::Control.into(), 'a']).await?;
    window.type_text("Say it all").await?;
    until_field(&window, &run, "say", "/title", json!("Say it all")).await?;
    to_list(&window).await?;

    walk_to(&window, "mood").await?;
    window.press(&['e']).await?;
    window.type_text("Say").await?;
    window.wait_text(&mark("choice-say"), "Say it all").await?;
    window.press(&[ENTER]).await?;
    until_field(&window, &run, "say", "/dependencies", json!(["tickets", "mood"])).await?;
    takes_the_first(&window).await?;
    until_row(&window, "mood").await?;

    // Gone, back, and gone again.
    walk_to(&window, "keep").await?;
    for (key, is_there) in [("delete", false), ("undo", true), ("delete", false)] {
        let keys = if key == "undo" {
            vec![Key::Control.into(), 'z']
        } else {
            walk_to(&window, "keep").await?;
            vec![Key::Delete.into()]
        };
        window.press(&keys).await?;
        until(&format!("the task after {key}"), async || {
            Ok((task(&window, &run, "keep").await?.is_object() == is_there).then_some(()))
        })
        .await?;
    }
    is_signed(&window).await?;
    window.find(&super::steps::run_in("SUCCEEDED")).await?;
    window.terminate().await
}

async fn is_changed(window: &Desktop<'_>, run: &str) -> Outcome<()> {
    window.press(&['l']).await?;
    window.find(&mark("list-view")).await?;
    until_row(window, "count").await?;
    window.press(&[Key::End.into()]).await?;
    until_row(window, "ask").await?;
    // Over the row of its wave, which is folded and opened on the way.
    window.press(&[Key::Up.into()]).await?;
    until_wave(window, "true").await?;
    window.press(&[Key::Left.into()]).await?;
    until_wave(window, "false").await?;
    window.wait_gone(&mark("row-ask")).await?;
    window.press(&[Key::Right.into()]).await?;
    until_wave(window, "true").await?;
    window.press(&[Key::Up.into()]).await?;
    until_row(window, "print").await?;

    // Renamed in the inspector, and back in the list by the key of regions.
    window.press(&[ENTER]).await?;
    until_active(window, "field-title").await?;
    window.press(&[Key::Control.into(), 'a']).await?;
    window.type_text("Print it").await?;
    until_field(window, run, "print", "/title", json!("Print it")).await?;
    to_list(window).await?;
    until_row(window, "print").await?;

    // From the question to what prints it.
    window.press(&[DOWN]).await?;
    until_wave(window, "true").await?;
    window.press(&[DOWN]).await?;
    until_row(window, "ask").await?;
    // Typed at once, as a quick hand does.
    window.press(&['e']).await?;
    window.type_text("Print").await?;
    window.wait_text(&mark("choice-print"), "Print it").await?;
    window.press(&[ENTER]).await?;
    until_field(window, run, "print", "/dependencies", json!(["ask"])).await?;
    takes_the_first(window).await?;
    until_wired(window, run).await?;
    until_row(window, "ask").await?;

    // A task more, and away with it again.
    window.press(&['c']).await?;
    until_field(window, run, "code", "/dependencies", json!(["ask"])).await?;
    // It could take the answer; it shall only come after it.
    until_active(window, "map-picker").await?;
    window.press(&[Key::Escape.into()]).await?;
    until_row(window, "code").await?;
    window.press(&[Key::Delete.into()]).await?;
    until("the task is gone", async || {
        Ok(task(window, run, "code").await?.is_null().then_some(()))
    })
    .await?;
    window.press(&[Key::Control.into(), 'z']).await?;
    until_field(window, run, "code", "/dependencies", json!(["ask"])).await?;
    window.press(&[Key::Control.into(), 'z']).await?;
    until("the task is gone", async || {
        Ok(task(window, run, "code").await?.is_null().then_some(()))
    })
    .await
}

async fn is_signed(window: &Desktop<'_>) -> Outcome<()> {
    tab_to(window, "to-approve").await?;
    window.press(&[ENTER]).await?;
    window.find(&mark("approval")).await?;
    window.press(&[Key::Control.into(), ENTER]).await?;
    on_screen(window, "screen-run").await.map(|_| ())
}

async fn is_answered(window: &Desktop<'_>, run: &str) -> Outcome<()> {
    window.find(&super::steps::run_in("WAITING")).await?;
    window.press(&['g']).await?;
    window.press(&['w']).await?;
    window.find(&mark("inbox")).await?;
    tab_to(window, "form/word").await?;
    window.type_text("loom").await?;
    window.press(&[Key::Control.into(), ENTER]).await?;
    window.wait_gone(&mark("send-answer")).await?;
    until_active_is_no_field(window).await?;
    window.press(&['g']).await?;
    window.press(&['r']).await?;
    window
        .find(&format!(
            "{}[data-status='SUCCEEDED']",
            mark(&format!("run-{run}"))
        ))
        .await?;
    Ok(())
}

async fn active(window: &Desktop<'_>, attribute: &str) -> Outcome<String> {
    let body = "return document.activeElement?.dataset[arguments[0]] ?? ''";
    let found = window.run_script(body, vec![json!(attribute)]).await?;
    Ok(found.as_str().unwrap_or_default().to_owned())
}

async fn until_active(window: &Desktop<'_>, id: &str) -> Outcome<()> {
    until(&format!("{id} has the focus"), async || {
        Ok((active(window, "testid").await? == id).then_some(()))
    })
    .await
}

async fn until_row(window: &Desktop<'_>, id: &str) -> Outcome<()> {
    until(&format!("the row {id} has the focus"), async || {
        Ok((active(window, "task").await? == id).then_some(()))
    })
    .await
}

async fn until_wired(window: &Desktop<'_>, run: &str) -> Outcome<()> {
    until("the answer reaches what prints it", async || {
        let inputs = task(window, run, "print").await?["inputs"].to_string();
        Ok(inputs.contains(r#""$from":"ask""#).then_some(()))
    })
    .await
}

/// The row of the second wave has the focus, folded or not.
async fn until_wave(window: &Desktop<'_>, is_open: &str) -> Outcome<()> {
    let body =
        "const { dataset, ariaExpanded } = document.activeElement; return [dataset.row ?? '', ariaExpanded]";
    until(
        &format!("the row of the wave has the focus, open: {is_open}"),
        async || {
            let found = window.run_script(body, vec![]).await?;
            Ok((found == json!(["wave 2", is_open])).then_some(()))
        },
    )
    .await
}

async fn until_active_is_no_field(window: &Desktop<'_>) -> Outcome<()> {
    let body = "return !/^(INPUT|TEXTAREA)$/.test(document.activeElement?.tagName ?? '')";
    until("no field has the focus", async || {
        Ok((window.run_script(body, vec![]).await? == json!(true)).then_some(()))
    })
    .await
}

/// From region to region until a row of the list has the focus.
async fn to_list(window: &Desktop<'_>) -> Outcome<()> {
    for _ in 0..8 {
        if !active(window, "task").await?.is_empty() {
            return Ok(());
        }
        window.press(&[Key::F6.into()]).await?;
    }
    Err(Trouble("no region's key leads to the list".to_owned()))
}

/// Several outputs would fit: the picker asks which.
async fn takes_the_first(window: &Desktop<'_>) -> Outcome<()> {
    until_active(window, "map-picker").await?;
    window.press(&[DOWN]).await?;
    until_active(window, "map-0").await?;
    window.press(&[ENTER]).await
}

/// From the first row down to a task.
async fn walk_to(window: &Desktop<'_>, id: &str) -> Outcome<()> {
    window.press(&[Key::Home.into()]).await?;
    for _ in 0..30 {
        // The focus follows a moment later.
        until("a row has the focus", async || {
            Ok((!active(window, "row").await?.is_empty()).then_some(()))
        })
        .await?;
        tokio::time::sleep(std::time::Duration::from_millis(60)).await;
        if active(window, "task").await? == id {
            return Ok(());
        }
        window.press(&[DOWN]).await?;
    }
    Err(Trouble(format!("no row of {id}")))
}

/// With Tab, as far as it takes.
async fn tab_to(window: &Desktop<'_>, id: &str) -> Outcome<()> {
    for _ in 0..120 {
        if active(window, "testid").await? == id {
            return Ok(());
        }
        window.press(&[TAB]).await?;
    }
    Err(Trouble(format!("Tab does not lead to {id}")))
}

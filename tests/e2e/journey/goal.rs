//! From a goal to what came of it, all in one window: planned live by a model on this machine, changed by hand and by
//! the planner, looked at as it was, tried, weighed, signed with a choice, run past a breakpoint to its end.

use fantoccini::key::Key;
use planloom_tests::desktop::{Desktop, Home, Setup};
use planloom_tests::model_server::{self, Asked, ModelServer};
use planloom_tests::webdriver::{Outcome, Trouble};
use serde_json::{Value, json};

use super::steps::{
    beside_models, card, card_in, cards, draft, draw_edge, edge, mark, on_canvas, run_in, task, until,
    until_cards, until_field,
};

pub const GOAL: &str = "Say in one sentence how the week went";
pub const WISH: &str = "Greet the reader first, and say it twice as short";

/// One task in the planner's dialect, with these fields set.
fn planned(id: &str, title: &str, after: &[&str], fields: &Value) -> Value {
    let mut task = json!({
        "id": id, "title": title, "task_type": "tool", "instruction": format!("{title}."), "dependencies": after,
        "tools": [], "inputs": [], "for_each": null, "output_schema": null, "check": null, "when": null, "writes": [],
        "optional": false, "tier": "cheap", "source": null, "form": null,
    });
    for (name, value) in fields.as_object().expect("fields") {
        task[name] = value.clone();
    }
    task
}

fn answer(tasks: &[Value]) -> String {
    json!({
        "questions": [], "assumptions": ["A week has seven days."], "tasks": tasks, "answer": null,
        "grants": { "read": [], "write": [], "hosts": [], "databases": [], "commands": [] },
    })
    .to_string()
}

fn text(name: &str, value: &str) -> Value {
    json!({ "name": name, "kind": "text", "value": value, "path": "" })
}

fn reads(name: &str, from: &str) -> Value {
    json!({ "name": name, "kind": "task", "value": from, "path": "/text" })
}

/// Two files that are read, a sentence about the one, and a file of its own that nobody needs.
fn first_plan(folder: &str) -> Vec<Value> {
    let file = |name: &str| text("path", &format!("{folder}/{name}"));
    vec![
        planned(
            "tickets",
            "Read the tickets",
            &[],
            &json!({ "tools": ["file.read"], "inputs": [file("tickets.txt")] }),
        ),
        planned(
            "mood",
            "Read the mood",
            &[],
            &json!({ "tools": ["file.read"], "inputs": [file("mood.txt")] }),
        ),
        planned(
            "say",
            "Say how it went",
            &["tickets"],
            &json!({ "task_type": "model", "inputs": [reads("tickets", "tickets")] }),
        ),
        planned(
            "keep",
            "Keep a copy",
            &[],
            &json!({ "tools": ["file.write"], "inputs": [file("copy.txt"), text("text", "A copy.")] }),
        ),
    ]
}

/// The plan that the planner was shown, with a greeting before the sentence.
fn changed_plan(folder: &str) -> Vec<Value> {
    let mut tasks = first_plan(folder);
    tasks[2]["instruction"] = json!("Say how it went in five words.");
    tasks.push(planned(
        "greet",
        "Greet the reader",
        &[],
        &json!({ "task_type": "model" }),
    ));
    tasks
}

fn planner(folder: String) -> ModelServer {
    let list = json!({ "object": "list", "data": [
        { "id": "m", "object": "model", "owned_by": "vllm", "max_model_len": 32768 } ] });
    ModelServer::start(&[("/v1/models", list)], move |asked: &Asked| {
        if asked.body["response_format"]["json_schema"]["name"] != "plan" {
            return (200, model_server::able(&asked.body, "It went well."));
        }
        let is_change = asked.body["messages"].to_string().contains("The plan as it is");
        let tasks = if is_change {
            changed_plan(&folder)
        } else {
            first_plan(&folder)
        };
        let mut said = model_server::say(&answer(&tasks));
        said["pace_ms"] = json!(90);
        (200, said)
    })
}

/// The window's home with a planner for this goal, and the files that its plan reads.
pub fn beside_planner(home: &Home) -> ModelServer {
    for (name, text) in [("tickets.txt", "3 tickets"), ("mood.txt", "sunny")] {
        std::fs::write(home.folder().join(name), text).expect("the window's home can be written");
    }
    let server = planner(home.folder().to_string_lossy().into_owned());
    beside_models(home, &server);
    server
}

#[tokio::test]
async fn a_goal_is_planned_changed_weighed_signed_and_done() -> Outcome<()> {
    let home = Home::new()?;
    let _planner = beside_planner(&home);
    let window = home.open(Setup::default()).await?;

    let run = is_planned_live(&window).await?;
    let as_planned = draft(&window, &run).await?["document"].clone();
    is_changed_by_mouse(&window, &run).await?;
    is_changed_by_keys(&window, &run).await?;
    is_changed_by_the_planner(&window, &run).await?;
    is_brought_back(&window, &run, &as_planned).await?;
    holds_what_is_pinned(&window, &run).await?;
    one_task_is_tried(&window, &run).await?;
    is_weighed_and_signed(&window, &run).await?;

    assert!(
        !home.folder().join("copy.txt").exists(),
        "what was switched off was written"
    );
    window.terminate().await
}

/// The answer is seen while it grows.
async fn is_planned_live(window: &Desktop<'_>) -> Outcome<String> {
    window.wait_text(&mark("role-planner"), "m").await?;
    window.click(&mark("goal")).await?;
    window.type_text(GOAL).await?;
    window.press(&[Key::Control.into(), Key::Enter.into()]).await?;
    window.find(&mark("planning")).await?;
    // Each task is a card as soon as it is named; the words of it are a click away.
    let named = format!("{} .card", mark("planning-sketch"));
    window.find(&named).await?;
    window.click(&mark("planning-raw")).await?;
    window
        .wait_text(&mark("planning-growing"), "Read the tickets")
        .await?;
    let run = on_canvas(window, "screen-plan").await?;
    window.wait_text(&mark("planned-line"), "Planned").await?;
    until_cards(window, 4).await?;
    Ok(run)
}

async fn is_changed_by_mouse(window: &Desktop<'_>, run: &str) -> Outcome<()> {
    window.click(&card("say")).await?;
    window.fill(&mark("field-title"), "Say it all").await?;
    until_field(window, run, "say", "/title", json!("Say it all")).await?;
    draw_edge(window, "mood", "say").await?;
    window.find(&format!("{}.allowed", card("say"))).await?;
    window.release().await?;
    // It could carry several things: the whole of it, or its text.
    window.click(&mark("map-0")).await?;
    until("the mood is read", async || {
        let said = task(window, run, "say").await?;
        Ok((said["dependencies"] == json!(["tickets", "mood"])
            && said["inputs"].to_string().contains("mood"))
        .then_some(()))
    })
    .await?;
    window.find(&edge("mood", "say")).await.map(|_| ())
}

/// From the first key to the last without the mouse: walk, rename, add below, connect, duplicate, delete, undo.
async fn is_changed_by_keys(window: &Desktop<'_>, run: &str) -> Outcome<()> {
    let down = char::from(Key::Down);
    focus_canvas(window).await?;
    window.press(&[Key::Escape.into()]).await?;
    // On from the card that was chosen last: up along its edge, and down again.
    window.press(&[char::from(Key::Up)]).await?;
    window.press(&[down]).await?;
    window.wait_text(&mark("inspector"), "Say it all").await?;
    window.press(&[Key::F2.into()]).await?;
    until_focus(window, "field-title").await?;
    window.press(&[Key::Control.into(), 'a']).await?;
    window.type_text("Say it in a sentence").await?;
    until_field(window, run, "say", "/title", json!("Say it in a sentence")).await?;

    focus_canvas(window).await?;
    window.press(&['c']).await?;
    until_cards(window, 5).await?;
    until_field(window, run, "code", "/dependencies", json!(["say"])).await?;
    focus_canvas(window).await?;
    window.press(&['e']).await?;
    until_focus(window, "connect-find").await?;
    window.type_text("copy").await?;
    window.wait_text(&mark("choice-keep"), "Keep a copy").await?;
    window.press(&[Key::Enter.into()]).await?;
    until_field(window, run, "keep", "/dependencies", json!(["code"])).await?;
    focus_canvas(window).await?;
    window.press(&[Key::Control.into(), 'd']).await?;
    until_cards(window, 6).await?;
    window.press(&[Key::Delete.into()]).await?;
    until_cards(window, 5).await?;
    window.press(&[Key::Control.into(), 'z']).await?;
    until_cards(window, 6).await?;
    window.press(&[Key::Control.into(), 'z']).await?;
    until_cards(window, 5).await
}

/// The piece that is wanted is taken, the other one left; the plan is otherwise as it was.
async fn is_changed_by_the_planner(window: &Desktop<'_>, run: &str) -> Outcome<()> {
    focus_canvas(window).await?;
    window.press(&[Key::Shift.into(), 'C']).await?;
    window.find(&mark("wish")).await?;
    window.type_text(WISH).await?;
    window.press(&[Key::Control.into(), Key::Enter.into()]).await?;
    window.find(&mark("asking")).await?;
    window
        .wait_text(&mark("change-named"), "Greet the reader")
        .await?;
    window.find(&mark("proposal-bar")).await?;
    window.wait_text(&card("greet"), "Added").await?;
    window.click(&mark("take-add:greet")).await?;
    until_field(window, run, "greet", "/task_type", json!("model")).await?;
    window.click(&mark("leave-all")).await?;
    window.wait_gone(&mark("proposal-bar")).await?;
    let said = task(window, run, "say").await?;
    assert_eq!(
        said["title"], "Say it in a sentence",
        "what was left is as it was"
    );
    Ok(())
}

async fn is_brought_back(window: &Desktop<'_>, run: &str, wanted: &Value) -> Outcome<()> {
    window.click(&mark("tab-versions")).await?;
    window.find(&mark("versions")).await?;
    window.click(&mark("version-2")).await?;
    window.find(&mark("diff-panel")).await?;
    window.wait_text(&mark("change-greet"), "Added").await?;
    window
        .wait_text(&mark("change-say"), "Say it in a sentence")
        .await?;
    window.wait_text(&card("greet"), "Added").await?;
    window.click(&mark("go-back")).await?;
    window.wait_gone(&mark("diff-panel")).await?;
    until("the plan as it was planned", async || {
        Ok((draft(window, run).await?["document"] == *wanted).then_some(()))
    })
    .await?;
    until_cards(window, 4).await
}

/// An output that is held, and a place where the run is to stop: neither is an edit of the plan.
async fn holds_what_is_pinned(window: &Desktop<'_>, run: &str) -> Outcome<()> {
    let before = draft(window, run).await?["revision"].clone();
    window.click(&card("mood")).await?;
    focus_canvas(window).await?;
    window.press(&['p']).await?;
    window.click(&mark("pin")).await?;
    window
        .click(&format!("{} .cm-content", mark("held-output")))
        .await?;
    window.type_text("{\"path\": \"x\", \"text\": \"rainy\"}").await?;
    window.click(&mark("keep-held")).await?;
    window.find(&mark("unpin")).await?;
    window.click(&card("say")).await?;
    focus_canvas(window).await?;
    window.press(&['b']).await?;
    until("pinned and stopped", async || {
        let view = draft(window, run).await?;
        let of = |id: &str| {
            view["tasks"]
                .as_array()
                .and_then(|all| all.iter().find(|task| task["id"] == id).cloned())
        };
        let (mood, say) = (of("mood").unwrap_or_default(), of("say").unwrap_or_default());
        Ok((mood["pinned"] == true && say["breakpoint"] == "before").then_some(view["revision"].clone()))
    })
    .await
    .map(|revision| assert_eq!(revision, before))
}

/// Alone, with what it reads given by hand, as a run of its own.
async fn one_task_is_tried(window: &Desktop<'_>, run: &str) -> Outcome<()> {
    window.click(&card("say")).await?;
    window.click(&mark("try-task")).await?;
    window.find(&mark("try-dialog")).await?;
    window
        .click(&format!("{} .cm-content", mark("try-tickets")))
        .await?;
    window
        .type_text("{\"path\": \"x\", \"text\": \"none at all\"}")
        .await?;
    window.click(&mark("try-open")).await?;
    let tried = on_canvas(window, "screen-approve").await?;
    assert_ne!(tried, run, "a try is a draft of its own");
    window.click(&mark("approve")).await?;
    on_canvas(window, "screen-run").await?;
    if window.count(&mark("resume")).await? > 0 {
        window.click(&mark("resume")).await?;
    }
    window.find(&run_in("SUCCEEDED")).await?;
    window.wait_text(&mark("result"), "It went well.").await?;

    window.click(&mark("rail-plans")).await?;
    window.find(&mark("plans")).await?;
    window
        .click(&format!("{} .run-name", mark(&format!("run-{run}"))))
        .await?;
    assert_eq!(on_canvas(window, "screen-plan").await?, run);
    Ok(())
}

async fn is_weighed_and_signed(window: &Desktop<'_>, run: &str) -> Outcome<()> {
    window.click(&mark("to-approve")).await?;
    window.find(&mark("approval")).await?;
    window.click(&mark("view-schedule")).await?;
    window.wait_text(&mark("schedule"), "Say how it went").await?;
    window.press(&['t']).await?;
    window.find(&format!("{} table", mark("schedule"))).await?;
    window.press(&['s']).await?;
    window.wait_gone(&mark("schedule")).await?;

    // What is not wanted is switched off, and what that leaves out is said.
    window
        .click(&format!("{} {}", mark("grant-write"), mark("grant-switch")))
        .await?;
    window.wait_text(&mark("left-out"), "Keep a copy").await?;
    window.click(&mark("approve")).await?;
    assert_eq!(on_canvas(window, "screen-run").await?, run);

    window.find(&run_in("PAUSED")).await?;
    window.find(&card_in("mood", "COMPLETED")).await?;
    window.find(&card_in("say", "READY")).await?;
    window.click(&mark("resume")).await?;
    window.find(&run_in("SUCCEEDED")).await?;
    window.find(&card_in("keep", "SKIPPED")).await?;
    window.press(&[Key::Escape.into()]).await?;
    window.wait_text(&mark("result"), "It went well.").await?;
    assert_eq!(cards(window).await?, 4);
    Ok(())
}

/// From region to region until the canvas has the focus.
async fn focus_canvas(window: &Desktop<'_>) -> Outcome<()> {
    let body = "return document.activeElement?.dataset.testid === 'canvas-flow'";
    for _ in 0..8 {
        if window.run_script(body, vec![]).await? == json!(true) {
            return Ok(());
        }
        window.press(&[Key::F6.into()]).await?;
    }
    Err(Trouble("no region's key leads to the canvas".to_owned()))
}

async fn until_focus(window: &Desktop<'_>, id: &str) -> Outcome<()> {
    let body = "return document.activeElement?.dataset.testid === arguments[0]";
    until(&format!("{id} has the focus"), async || {
        Ok((window.run_script(body, vec![json!(id)]).await? == json!(true)).then_some(()))
    })
    .await
}

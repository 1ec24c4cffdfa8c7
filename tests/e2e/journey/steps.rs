//! The steps that the parts of the journey share, in the words of a person at the window. They assert little.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use planloom_tests::desktop::{Desktop, Home, PATIENCE, Point};
use planloom_tests::model_server::ModelServer;
use planloom_tests::webdriver::{Outcome, Trouble};
use serde_json::{Value, json};

use crate::page::answer;

/// The selector of what carries this mark.
pub fn mark(id: &str) -> String {
    format!("[data-testid=\"{id}\"]")
}

/// The selector of a task's card.
pub fn card(task: &str) -> String {
    mark(&format!("task-{task}"))
}

pub fn edge(from: &str, to: &str) -> String {
    mark(&format!("edge-{from}→{to}"))
}

/// The selector of a card in this state.
pub fn card_in(task: &str, state: &str) -> String {
    format!("{}[data-status='{state}']", card(task))
}

pub fn run_in(state: &str) -> String {
    format!("{}[data-status='{state}']", mark("run"))
}

/// Looks again and again until `look` finds something.
pub async fn until<T>(what: &str, mut look: impl AsyncFnMut() -> Outcome<Option<T>>) -> Outcome<T> {
    let started = Instant::now();
    loop {
        if let Some(found) = look().await? {
            return Ok(found);
        }
        if started.elapsed() > PATIENCE {
            return Err(Trouble(format!("{what}: not after {PATIENCE:?}")));
        }
        tokio::time::sleep(Duration::from_millis(40)).await;
    }
}

// --- Getting to a plan -------------------------------------------------------------------------------------------

/// From the first screen to the sample's canvas. Answers the draft's id.
pub async fn open_sample(window: &Desktop<'_>) -> Outcome<String> {
    // Where there is something already, the samples are one row that opens into all.
    window.find(&mark("samples-of-home")).await?;
    let unfold =
        "document.querySelector('[data-testid=all-samples][aria-expanded=false]')?.click(); return true;";
    window.run_script(unfold, Vec::new()).await?;
    window.click(&mark("sample-Margin report")).await?;
    on_canvas(window, "screen-plan").await
}

/// From the first screen to the canvas of the file that the person chooses.
pub async fn open_file(window: &Desktop<'_>) -> Outcome<String> {
    window.click(&mark("open-file")).await?;
    on_canvas(window, "screen-plan").await
}

/// Until a screen with a canvas shows. Answers the run that it shows.
pub async fn on_canvas(window: &Desktop<'_>, screen: &str) -> Outcome<String> {
    window.find(&mark(screen)).await?;
    window.find(&mark("canvas")).await?;
    window.wait_ready().await?;
    on_screen(window, screen).await
}

/// Until a screen shows. Answers the run that it shows.
pub async fn on_screen(window: &Desktop<'_>, screen: &str) -> Outcome<String> {
    window.find(&mark(screen)).await?;
    let run = window
        .run_script("return location.hash.split('/')[2]", vec![])
        .await?;
    Ok(run.as_str().expect("a run in the address").to_owned())
}

/// A plan file in the window's home, from tasks.
pub fn plan_file(folder: &Path, tasks: &Value) -> PathBuf {
    let file = folder.join("plan.plan.json");
    let plan = json!({ "version": 1, "goal": "Go slowly", "tasks": tasks });
    std::fs::write(&file, plan.to_string()).expect("written");
    file
}

/// The window's home with one server of models, which is found as one that runs on this machine.
pub fn beside_models(home: &Home, server: &ModelServer) {
    let settings = json!({ "theme": "dark", "models": { "discover": [server.address()] } });
    let file = home.db().with_file_name("settings.json");
    std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
    std::fs::write(file, settings.to_string()).expect("written");
}

// --- Reading the plan ----------------------------------------------------------------------------------------------

/// The draft as the program has it.
pub async fn draft(window: &Desktop<'_>, run: &str) -> Outcome<Value> {
    answer(window, "draft", json!({ "run": run })).await
}

/// One task of the program's document, as a plan file would have it; null where there is none.
pub async fn task(window: &Desktop<'_>, run: &str, id: &str) -> Outcome<Value> {
    let view = draft(window, run).await?;
    let document: Value = serde_json::from_str(view["document"].as_str().expect("text")).expect("a document");
    let tasks = document["tasks"].as_array().cloned().unwrap_or_default();
    Ok(tasks
        .into_iter()
        .find(|task| task["id"] == id)
        .unwrap_or(Value::Null))
}

/// Until the task's field in the document is as wanted: what is typed is sent a moment later.
pub async fn until_field(
    window: &Desktop<'_>,
    run: &str,
    id: &str,
    field: &str,
    wanted: Value,
) -> Outcome<()> {
    until(&format!("{id}{field} = {wanted}"), async || {
        let found = task(window, run, id).await?;
        Ok((found.pointer(field) == Some(&wanted)).then_some(()))
    })
    .await
}

pub async fn cards(window: &Desktop<'_>) -> Outcome<usize> {
    window.count(".react-flow__node").await
}

pub async fn until_cards(window: &Desktop<'_>, wanted: usize) -> Outcome<()> {
    until(&format!("{wanted} cards"), async || {
        Ok((cards(window).await? == wanted).then_some(()))
    })
    .await
}

// --- Pointing ------------------------------------------------------------------------------------------------------

/// An edge has no box to click on: a point of its line that nothing covers. (WebKit's own mapping of a path to the
/// window leaves out how the canvas is moved and zoomed.)
pub async fn point_on_edge(window: &Desktop<'_>, from: &str, to: &str) -> Outcome<Point> {
    let body = "const path = document.querySelector(arguments[0] + ' .grab');
        if (!path) return null;
        const world = document.querySelector('.react-flow__viewport');
        const moved = new DOMMatrix(getComputedStyle(world).transform);
        const { left, top } = document.querySelector('.react-flow').getBoundingClientRect();
        const length = path.getTotalLength();
        for (let off = 0; off < 0.9; off += 0.04) {
            // From the middle outwards, to either side in turn.
            const part = 0.5 + (Math.round(off * 25) % 2 ? 0.5 : -0.5) * off;
            const at = path.getPointAtLength(length * part);
            const [x, y] = [left + moved.a * at.x + moved.e, top + moved.d * at.y + moved.f];
            const hit = document.elementFromPoint(x, y)?.closest('.react-flow__edge');
            const on = (dy) => document.elementFromPoint(x, y + dy)?.closest('.react-flow__edge') === path.closest('.react-flow__edge');
            // Not on its border with a port: a place of the mouse is rounded.
            if (hit && on(0) && on(-2) && on(2)) return { x, y };
        }
        return null;";
    point(
        window,
        &format!("the edge {from} → {to}"),
        body,
        json!(edge(from, to)),
    )
    .await
}

/// Where the end of an edge is taken hold of: a little before its arrow.
pub async fn point_near_end(window: &Desktop<'_>, from: &str, to: &str) -> Outcome<Point> {
    let body = "const path = document.querySelector(arguments[0] + ' .grab');
        if (!path) return null;
        const moved = new DOMMatrix(getComputedStyle(document.querySelector('.react-flow__viewport')).transform);
        const { left, top } = document.querySelector('.react-flow').getBoundingClientRect();
        const at = path.getPointAtLength(path.getTotalLength() - 4);
        return { x: left + moved.a * at.x + moved.e, y: top + moved.d * at.y + moved.f };";
    point(
        window,
        &format!("the end of {from} → {to}"),
        body,
        json!(edge(from, to)),
    )
    .await
}

/// A place on the canvas with room for a card all around it.
pub async fn free_place(window: &Desktop<'_>) -> Outcome<Point> {
    let body = "const canvas = document.querySelector('[data-testid=canvas]').getBoundingClientRect();
        const free = (x, y) => document.elementFromPoint(x, y)?.matches('.react-flow__pane');
        for (let y = canvas.bottom - 140; y > canvas.top + 80; y -= 12)
            for (let x = canvas.right - 140; x > canvas.left + 140; x -= 12) {
                const near = [-120, -60, 0, 60, 120].flatMap((dx) => [-56, -28, 0, 28, 56].map((dy) => [x + dx, y + dy]));
                if (near.every(([px, py]) => free(px, py))) return { x, y };
            }
        return null;";
    point(window, "a free place", body, Value::Null).await
}

async fn point(window: &Desktop<'_>, what: &str, body: &str, argument: Value) -> Outcome<Point> {
    until(what, async || {
        let found = window.run_script(body, vec![argument.clone()]).await?;
        Ok(found["x"]
            .as_f64()
            .zip(found["y"].as_f64())
            .map(|(x, y)| Point { x, y }))
    })
    .await
}

pub async fn click_at(window: &Desktop<'_>, at: Point) -> Outcome<()> {
    window.drag(at, at).await
}

/// Draws an edge from a card's lower port to the middle of another card, and keeps the button down.
pub async fn draw_edge(window: &Desktop<'_>, from: &str, to: &str) -> Outcome<()> {
    let start = window.centre(&mark(&format!("out-{from}"))).await?;
    let end = window.centre(&card(to)).await?;
    window.drag_and_hold(start, end).await
}

// --- Running -------------------------------------------------------------------------------------------------------

/// Signs the plan on the canvas and comes to its run. Answers the run's id.
pub async fn approve(window: &Desktop<'_>) -> Outcome<String> {
    window.click(&mark("to-approve")).await?;
    window.find(&mark("approval")).await?;
    ask_each_time(window).await?;
    window.click(&mark("approve")).await?;
    on_canvas(window, "screen-run").await
}

/// Says of each way of outside text that it is asked about; before that nothing can be signed.
pub async fn ask_each_time(window: &Desktop<'_>) -> Outcome<()> {
    let script =
        "for (const way of document.querySelectorAll('[data-testid=flow-ask]')) way.click(); return true;";
    window.run_script(script, Vec::new()).await?;
    Ok(())
}

/// From the first screen to a run that was there before.
pub async fn open_run(window: &Desktop<'_>, run: &str) -> Outcome<()> {
    window
        .click(&format!("{} .run-name", mark(&format!("run-{run}"))))
        .await?;
    assert_eq!(on_canvas(window, "screen-run").await?, run);
    Ok(())
}

/// Answers the sample's question by its form.
pub async fn answer_question(window: &Desktop<'_>, note: &str) -> Outcome<()> {
    window
        .click(&format!("{} [data-value='true']", mark("form/drop_outliers")))
        .await?;
    window.fill(&mark("form/note"), note).await?;
    window.click(&mark("send-answer")).await
}

/// How often each task was completed, and how many attempts it took, by the run's log.
pub async fn history(window: &Desktop<'_>, run: &str, id: &str) -> Outcome<(usize, usize)> {
    let detail = answer(window, "task_detail", json!({ "run": run, "task": id })).await?;
    let events = detail["events"].as_array().cloned().unwrap_or_default();
    let completed = events.iter().filter(|event| event["kind"] == "task_completed");
    Ok((
        completed.count(),
        detail["attempts"].as_array().map_or(0, Vec::len),
    ))
}

//! Looking back on a run that failed: scrubbed, forked with an edit, and rewound, all by hand.

use fantoccini::key::Key;
use planloom_tests::desktop::{Desktop, Home, Setup};
use planloom_tests::webdriver::Outcome;
use serde_json::{Value, json};

use super::steps::{
    approve, ask_each_time, card, history, mark, on_canvas, on_screen, open_file, plan_file, run_in, until,
};
use crate::page::answer;

const SHIFT: char = '\u{e008}';

fn pill_in(task: &str, state: &str) -> String {
    format!("{}[data-status='{state}']", mark(&format!("pill-{task}")))
}

/// Keeps a file, reads one that is not there, and would go on with that.
fn failing() -> Value {
    let tool = |id: &str, tool: &str, after: &[&str], inputs: Value| json!({"id": id, "instruction": "Do it.", "task_type": "tool", "tool": tool, "dependencies": after, "inputs": inputs});
    json!([
        tool(
            "keep",
            "file.write",
            &[],
            json!({"path": "run:/kept.txt", "text": "kept"})
        ),
        tool(
            "read",
            "file.read",
            &["keep"],
            json!({"path": "run:/missing.txt"})
        ),
        tool(
            "say",
            "echo",
            &["read"],
            json!({"value": {"$from": "read", "path": "/text"}})
        ),
    ])
}

async fn fails(window: &Desktop<'_>) -> Outcome<String> {
    open_file(window).await?;
    let run = approve(window).await?;
    window.find(&run_in("BLOCKED")).await?;
    window.click(&mark("option-stop")).await?;
    window.click(&mark("send-answer")).await?;
    window.find(&run_in("FAILED")).await?;
    Ok(run)
}

async fn position(window: &Desktop<'_>) -> Outcome<u64> {
    let found = window.attribute(&mark("review"), "data-seq").await?;
    Ok(found.and_then(|text| text.parse().ok()).unwrap_or_default())
}

#[tokio::test]
async fn a_run_that_failed_is_scrubbed_forked_with_an_edit_and_rewound() -> Outcome<()> {
    let home = Home::new()?;
    let setup = Setup {
        chosen_file: Some(plan_file(home.folder(), &failing())),
        ..Setup::default()
    };
    let window = home.open(setup).await?;
    let run = fails(&window).await?;
    window.click(&mark("stage-review")).await?;
    on_screen(&window, "screen-review").await?;
    window.find(&pill_in("read", "FAILED")).await?;
    let end = position(&window).await?;
    scrubs(&window, end).await?;

    let fork = forks_with_an_edit(&window).await?;
    assert_ne!(fork, run);
    assert_eq!(
        history(&window, &fork, "keep").await?,
        (1, 1),
        "what was done is taken over"
    );
    compares(&window, &fork, &run).await?;
    let parent = answer(&window, "timeline", json!({ "run": run })).await?;
    assert_eq!(
        (&parent["row"]["status"], parent["head"].as_u64()),
        (&json!("FAILED"), Some(end))
    );

    window.click(&mark("rail-home")).await?;
    super::steps::open_run(&window, &run).await?;
    rewinds(&window, &run).await?;
    window.terminate().await
}

/// By key to the beginning and from checkpoint to checkpoint, and by a press on the scrubber.
async fn scrubs(window: &Desktop<'_>, end: u64) -> Outcome<()> {
    to_done(window).await?;
    window.find(&pill_in("say", "PENDING")).await?;
    assert!(position(window).await? < end);
    window.wait_text(&mark("replay-at"), "Replay at").await?;
    window.click(&mark("scrubber")).await?;
    window.find(&mark("review")).await?;
    window.press(&[Key::End.into()]).await?;
    window.find(&pill_in("read", "FAILED")).await?;
    window.press(&['t']).await?;
    window.wait_text(&mark("span-table"), "failed").await?;
    window.press(&['t']).await?;
    window.find(&mark("gantt")).await.map(drop)
}

async fn to_done(window: &Desktop<'_>) -> Outcome<()> {
    window.press(&[Key::Home.into()]).await?;
    window.find(&pill_in("keep", "PENDING")).await?;
    until("the done file", async || {
        window.press(&[SHIFT, Key::Right.into()]).await?;
        Ok((window.count(&pill_in("keep", "COMPLETED")).await? > 0).then_some(()))
    })
    .await
}

async fn forks_with_an_edit(window: &Desktop<'_>) -> Outcome<String> {
    to_done(window).await?;
    window.press(&['f']).await?;
    window.wait_text(&mark("going-reused"), "keep").await?;
    window.wait_text(&mark("going-again"), "read").await?;
    window
        .click(&format!("{}:not([disabled])", mark("fork-edit")))
        .await?;
    let fork = on_canvas(window, "screen-plan").await?;
    window.click(&card("read")).await?;
    window.fill(&mark("value-path"), "run:/kept.txt").await?;
    window.press(&[Key::Tab.into()]).await?;
    super::steps::until_field(window, &fork, "read", "/inputs/path", json!("run:/kept.txt")).await?;
    window.click(&mark("to-approve")).await?;
    window.find(&mark("approval")).await?;
    ask_each_time(window).await?;
    window.click(&mark("approve")).await?;
    on_canvas(window, "screen-run").await?;
    window.find(&run_in("SUCCEEDED")).await?;
    Ok(fork)
}

/// The fork beside the run that it was made from: chosen by key, looked at difference by difference, and turned round.
async fn compares(window: &Desktop<'_>, fork: &str, run: &str) -> Outcome<()> {
    window.click(&mark("stage-review")).await?;
    on_screen(window, "screen-review").await?;
    window.find(&mark("review")).await?;
    window.press(&['c']).await?;
    window.click(&mark(&format!("pick-{run}"))).await?;
    window.find(&sides(fork, run)).await?;
    window.press(&['x']).await?;
    window.find(&sides(run, fork)).await?;
    window
        .wait_text(&mark("compare-summary"), "1 task changed")
        .await?;
    window.wait_text(&mark("difference-read"), "Failed").await?;
    // The file was kept once, before they parted.
    assert_eq!(window.count(&mark("difference-keep")).await?, 0);
    window
        .find(&format!("{} .is-changed{}", mark("plan-b"), mark("pill-read")))
        .await?;
    window.click(&mark("difference-read")).await?;
    window.wait_text(&mark("compare-facts"), "run:/kept.txt").await?;
    window
        .wait_text(&mark("compare-output"), "Only B has an output")
        .await?;
    window.press(&[']']).await?;
    window
        .find(&format!("{}[data-task=say]", mark("compare-output")))
        .await?;
    window.press(&['[']).await?;
    window
        .find(&format!("{}[data-task=read]", mark("compare-output")))
        .await
        .map(drop)
}

fn sides(a: &str, b: &str) -> String {
    format!("{}[data-a='{a}'][data-b='{b}']", mark("compare"))
}

async fn rewinds(window: &Desktop<'_>, run: &str) -> Outcome<()> {
    window.click(&mark("stage-review")).await?;
    on_screen(window, "screen-review").await?;
    // Where one was is where one comes back to.
    window.find(&pill_in("keep", "COMPLETED")).await?;
    to_done(window).await?;
    let to = position(window).await?;
    window.press(&['r']).await?;
    window.wait_text(&mark("going-reused"), "keep").await?;
    window
        .click(&format!("{}:not([disabled])", mark("going-back-do")))
        .await?;
    window.find(&run_in("PAUSED")).await?;
    let line = answer(window, "timeline", json!({ "run": run })).await?;
    assert_eq!(
        line["setAside"][0]["after"].as_u64(),
        Some(to),
        "{}",
        line["setAside"]
    );
    assert_eq!(history(window, run, "keep").await?.0, 1, "nothing was done again");
    Ok(())
}

/// How long a press of an arrow takes until the moment is drawn, in milliseconds, sorted; and how long the first look took.
const MEASURE: &str = "const done = arguments[arguments.length - 1];
    const review = () => document.querySelector('[data-testid=review]');
    const drawn = () => new Promise((then) => {
        const look = () => {
            const at = review();
            if (at && at.dataset.seq === at.dataset.wanted) requestAnimationFrame(() => setTimeout(then, 0));
            else setTimeout(look, 0);
        };
        look();
    });
    (async () => {
        const began = performance.now();
        document.querySelector('[data-testid=stage-review]').click();
        await drawn();
        const first = performance.now() - began;
        const steps = [];
        const press = async (key) => {
            const at = performance.now();
            window.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
            await drawn();
            steps.push(performance.now() - at);
        };
        for (let n = 0; n < 40; n += 1) await press('ArrowLeft');
        const scrubber = document.querySelector('[data-testid=scrubber]');
        const box = scrubber.getBoundingClientRect();
        const drags = [];
        for (let n = 1; n < 30; n += 1) {
            const at = performance.now();
            scrubber.dispatchEvent(new PointerEvent('pointermove', { bubbles: true, buttons: 1, clientX: box.left + (box.width * n) / 30, clientY: box.top + 5 }));
            await drawn();
            drags.push(performance.now() - at);
        }
        const sorted = (all) => all.map(Math.round).sort((a, b) => a - b);
        done({ first: Math.round(first), steps: sorted(steps), drags: sorted(drags), head: Number(review().dataset.seq) });
    })();";

#[tokio::test]
#[ignore = "measures, tests nothing"]
async fn fifty_thousand_events_are_looked_back_on() -> Outcome<()> {
    let home = Home::new()?;
    let list: Vec<u32> = (0..10_000).collect();
    let tasks = json!([{
        "id": "all", "instruction": "Each.", "task_type": "map", "over": "list", "inputs": { "list": list },
        "task": { "id": "one", "instruction": "One.", "task_type": "tool", "tool": "echo", "inputs": { "value": { "$item": "" } } },
    }]);
    let setup = Setup {
        chosen_file: Some(plan_file(home.folder(), &tasks)),
        ..Setup::default()
    };
    let window = home.open(setup).await?;
    open_file(&window).await?;
    let run = approve(&window).await?;
    let ended = std::time::Instant::now();
    loop {
        let rows = answer(&window, "list_runs", json!({})).await?;
        if rows[0]["status"] == "SUCCEEDED" {
            break;
        }
        assert!(ended.elapsed().as_secs() < 400, "{}", rows[0]);
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    }
    let measured = window.page().execute_async(MEASURE, Vec::new()).await;
    let measured = measured.map_err(planloom_tests::webdriver::Trouble::at("measuring"))?;
    let line = answer(&window, "timeline", json!({ "run": run })).await?;
    println!("{} events: {measured}", line["head"]);
    window.screenshot("review-50000").await?;
    window.terminate().await
}

//! The pictures of the README and of every screen and state, taken from the real window to be looked at. Not a test of
//! anything: asked for by name, `PLANLOOM_SCREENSHOTS=FOLDER cargo test … --test e2e -- --ignored pictures`.

use std::time::Duration;

use planloom_tests::desktop::{Desktop, Home, Setup};
use planloom_tests::webdriver::{Outcome, Trouble};
use serde_json::json;

use crate::journey::goal::{self, beside_planner};
use crate::journey::steps::{approve, ask_each_time, card, mark, on_canvas, open_sample, run_in};
use crate::page::answer;

const SIZES: [(u32, u32, &str); 3] = [(1440, 900, ""), (1024, 700, "-small"), (2560, 1440, "-large")];
const CTRL: char = '\u{e009}';
const SHIFT: char = '\u{e008}';
const ENTER: char = '\u{e007}';
const ESCAPE: char = '\u{e00c}';
const DELETE: char = '\u{e017}';

#[tokio::test]
#[ignore = "takes pictures, tests nothing"]
async fn every_screen_in_both_themes() -> Outcome<()> {
    for theme in ["dark", "light"] {
        for (width, height, suffix) in SIZES {
            let home = Home::on_screen(width + 40, height + 40)?;
            let _planner = beside_planner(&home);
            let window = home.open(Setup::default()).await?;
            let setting = json!({"key": "theme", "valueJson": format!("{theme:?}")});
            answer(&window, "save_setting", setting).await?;
            window.terminate().await?;

            let window = home.open(Setup::default()).await?;
            let sized = window.page().set_window_rect(0, 0, width, height).await;
            sized.map_err(Trouble::at("resizing"))?;
            let suffix = format!("{theme}{suffix}");
            take_all(&window, &suffix).await?;
            take_plan_states(&window, &suffix).await?;
            take_planning(&window, &suffix).await?;
            take_settings(&window, &suffix).await?;
            window.terminate().await?;
        }
    }
    Ok(())
}

async fn take_all(window: &Desktop<'_>, suffix: &str) -> Outcome<()> {
    // A finished and a waiting run, so that the first screen has something to show.
    open_sample(window).await?;
    approve(window).await?;
    window.find(&run_in("WAITING")).await?;
    window.find(&mark("send-answer")).await?;
    window.click(&mark("send-answer")).await?;
    window.find(&run_in("SUCCEEDED")).await?;
    window.wait_text(&mark("result"), "is written").await?;
    take(window, &format!("result-{suffix}")).await?;
    window.click(&mark("rail-home")).await?;
    open_sample(window).await?;
    approve(window).await?;
    window.find(&run_in("WAITING")).await?;
    window.click(&mark("rail-home")).await?;

    open_sample(window).await?;
    window.click(&card("work_out_margins")).await?;
    window.find(&mark("inspector")).await?;
    window.find(".cm-line").await?;
    take(window, &format!("plan-{suffix}")).await?;
    window.click(&mark("rail-home")).await?;
    window.find(&mark("decisions-card")).await?;
    take(window, &format!("home-{suffix}")).await?;

    open_sample(window).await?;
    window.click(&mark("to-approve")).await?;
    on_canvas(window, "screen-approve").await?;
    window.find(&mark("grants")).await?;
    take(window, &format!("approve-{suffix}")).await?;
    ask_each_time(window).await?;
    window.click(&mark("approve")).await?;
    on_canvas(window, "screen-run").await?;
    window.find(&run_in("WAITING")).await?;
    window.click(&card("check_outliers")).await?;
    window.find(&mark("send-answer")).await?;
    take(window, &format!("run-{suffix}")).await?;
    window.click(&mark("rail-waiting")).await?;
    window.find(&mark("inbox")).await?;
    take(window, &format!("waiting-{suffix}")).await?;
    window.click(&mark("rail-home")).await
}

/// The plan as list and as text, with a problem, as it was, and when it would run.
async fn take_plan_states(window: &Desktop<'_>, suffix: &str) -> Outcome<()> {
    open_sample(window).await?;
    window.press(&['l']).await?;
    window.find(&mark("list-view")).await?;
    take(window, &format!("list-{suffix}")).await?;
    window.press(&[SHIFT, 'J']).await?;
    window.find(".json-box .cm-line").await?;
    take(window, &format!("json-{suffix}")).await?;
    window.click(&mark("canvas-toggle")).await?;
    window.click(&card("read_rates")).await?;
    window.press(&[DELETE]).await?;
    window.find(&mark("to-fix")).await?;
    take(window, &format!("problems-{suffix}")).await?;
    window.press(&[CTRL, 'z']).await?;
    window.find(&mark("to-approve")).await?;
    window.click(&mark("to-approve")).await?;
    window.click(&mark("view-schedule")).await?;
    window.find(&mark("schedule")).await?;
    take(window, &format!("schedule-{suffix}")).await?;
    window.press(&['t']).await?;
    take(window, &format!("schedule-table-{suffix}")).await?;
    window.click(&mark("rail-home")).await
}

/// A goal while it is planned, what came of it, and a change that is asked for, proposed and compared.
async fn take_planning(window: &Desktop<'_>, suffix: &str) -> Outcome<()> {
    window.click(&mark("goal")).await?;
    window.type_text(goal::GOAL).await?;
    window.press(&[CTRL, ENTER]).await?;
    window.find(&format!("{} .card", mark("planning-sketch"))).await?;
    take(window, &format!("planning-{suffix}")).await?;
    on_canvas(window, "screen-plan").await?;
    take(window, &format!("planned-{suffix}")).await?;
    window.click(&mark("wish-open")).await?;
    window.find(&mark("wish")).await?;
    window.type_text(goal::WISH).await?;
    take(window, &format!("wish-{suffix}")).await?;
    window.press(&[CTRL, ENTER]).await?;
    window.find(&mark("proposal-bar")).await?;
    take(window, &format!("proposal-{suffix}")).await?;
    window.click(&mark("take-all")).await?;
    window.wait_gone(&mark("proposal-bar")).await?;
    if window.count(&mark("tab-versions")).await? == 0 {
        window.press(&[CTRL, 'b']).await?;
    }
    window.click(&mark("tab-versions")).await?;
    window.click(&mark("version-2")).await?;
    window.find(&mark("diff-panel")).await?;
    take(window, &format!("comparison-{suffix}")).await?;
    window.press(&[ESCAPE]).await?;
    window.click(&mark("rail-home")).await
}

async fn take_settings(window: &Desktop<'_>, suffix: &str) -> Outcome<()> {
    window.click(&mark("rail-settings")).await?;
    for section in ["models", "servers", "tools", "storage", "keyboard", "look"] {
        window.click(&mark(&format!("settings-{section}"))).await?;
        take(window, &format!("settings-{section}-{suffix}")).await?;
    }
    Ok(())
}

/// The small map draws a moment after the canvas.
const SETTLE: Duration = Duration::from_millis(600);

async fn take(window: &Desktop<'_>, name: &str) -> Outcome<()> {
    tokio::time::sleep(SETTLE).await;
    window.screenshot(name).await.map(|_| ())
}

//! The pictures of the README, taken from the real window. Not a test of anything: asked for by name,
//! `PLANLOOM_SCREENSHOTS=FOLDER cargo test … --test e2e -- --ignored pictures`.

use std::time::Duration;

use planloom_tests::desktop::{Desktop, Home, Setup};
use planloom_tests::webdriver::{Outcome, Trouble};
use serde_json::json;

use crate::journey::steps::{approve, ask_each_time, card, mark, on_canvas, open_sample, run_in};
use crate::page::answer;

const SIZES: [(u32, u32, &str); 2] = [(1440, 900, ""), (1024, 700, "-small")];

#[tokio::test]
#[ignore = "takes pictures, tests nothing"]
async fn every_screen_in_both_themes() -> Outcome<()> {
    for theme in ["dark", "light"] {
        for (width, height, suffix) in SIZES {
            let home = Home::new()?;
            let window = home.open(Setup::default()).await?;
            let setting = json!({"key": "theme", "valueJson": format!("{theme:?}")});
            answer(&window, "save_setting", setting).await?;
            window.terminate().await?;

            let window = home.open(Setup::default()).await?;
            let sized = window.page().set_window_rect(0, 0, width, height).await;
            sized.map_err(Trouble::at("resizing"))?;
            take_all(&window, &format!("{theme}{suffix}")).await?;
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
    Ok(())
}

/// The small map draws a moment after the canvas.
const SETTLE: Duration = Duration::from_millis(600);

async fn take(window: &Desktop<'_>, name: &str) -> Outcome<()> {
    tokio::time::sleep(SETTLE).await;
    window.screenshot(name).await.map(|_| ())
}

//! The window comes back as it was: its size (desktop-01), its theme, and its settings even when their file is broken.

use std::time::{Duration, Instant};

use planloom_tests::desktop::{Desktop, Home, Setup};
use planloom_tests::webdriver::{Outcome, Trouble};
use serde_json::{Value, json};

use crate::page::answer;

async fn size(window: &Desktop<'_>) -> Outcome<Value> {
    window
        .run_script("return [innerWidth, innerHeight]", vec![])
        .await
}

async fn wait_size(window: &Desktop<'_>, wanted: &Value) -> Outcome<()> {
    let started = Instant::now();
    while size(window).await? != *wanted {
        if started.elapsed() > Duration::from_secs(10) {
            return Err(Trouble(format!(
                "the size is {}, not {wanted}",
                size(window).await?
            )));
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Ok(())
}

fn settings(home: &Home) -> Value {
    let text =
        std::fs::read_to_string(home.db().with_file_name("settings.json")).expect("beside the database");
    serde_json::from_str(&text).expect("JSON")
}

#[tokio::test]
async fn the_size_survives_restarts_and_a_crash() -> Outcome<()> {
    let home = Home::new()?;
    let window = home.open(Setup::default()).await?;
    wait_size(&window, &json!([1440, 900])).await?;
    window
        .page()
        .set_window_rect(60, 40, 1203, 777)
        .await
        .map_err(Trouble::at("resizing"))?;
    wait_size(&window, &json!([1203, 777])).await?;
    window.terminate().await?;
    assert_eq!(
        (
            settings(&home)["frame"]["w"].as_f64(),
            settings(&home)["frame"]["h"].as_f64()
        ),
        (Some(1203.0), Some(777.0))
    );

    for _ in 0..3 {
        let window = home.open(Setup::default()).await?;
        wait_size(&window, &json!([1203, 777])).await?;
        window.terminate().await?;
    }
    let window = home.open(Setup::default()).await?;
    wait_size(&window, &json!([1203, 777])).await?;
    window.kill().await?;
    assert_eq!(settings(&home)["frame"]["w"].as_f64(), Some(1203.0));
    Ok(())
}

#[tokio::test]
async fn the_theme_is_there_before_the_page() -> Outcome<()> {
    let home = Home::new()?;
    for theme in ["light", "dark"] {
        let window = home.open(Setup::default()).await?;
        answer(
            &window,
            "save_setting",
            json!({"key": "theme", "valueJson": format!("{theme:?}")}),
        )
        .await?;
        window.terminate().await?;
        let window = home.open(Setup::default()).await?;
        let shown = "return [document.documentElement.dataset.theme, matchMedia(`(prefers-color-scheme: ${arguments[0]})`).matches]";
        assert_eq!(
            window.run_script(shown, vec![json!(theme)]).await?,
            json!([theme, true])
        );
        window.terminate().await?;
    }
    Ok(())
}

#[tokio::test]
async fn broken_settings_are_kept_aside_and_told() -> Outcome<()> {
    let home = Home::new()?;
    let file = home.db().with_file_name("settings.json");
    std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
    std::fs::write(&file, "{\"theme\": \"li").expect("written");
    let window = home.open(Setup::default()).await?;
    let environment = answer(&window, "environment", json!({})).await?;
    let aside = file.with_file_name("settings.json.broken-1");
    assert!(
        environment["notices"]
            .to_string()
            .contains("settings.json.broken-1"),
        "{environment}"
    );
    assert_eq!(std::fs::read_to_string(aside).expect("kept"), "{\"theme\": \"li");
    window.terminate().await
}

//! What the page can't do, tried from inside the page.

use planloom_tests::desktop::{Home, Setup};
use planloom_tests::webdriver::Outcome;
use serde_json::json;

use crate::page::ask;

#[tokio::test]
async fn the_page_asks_only_for_what_is_its_own() -> Outcome<()> {
    let home = Home::new()?;
    let window = home.open(Setup::default()).await?;

    let beyond = [
        ("plugin:store|load", json!({"path": "x.json"})),
        ("plugin:dialog|open", json!({"options": {}})),
        ("plugin:window|set_title", json!({"label": "main", "value": "x"})),
        (
            "plugin:webview|create_webview_window",
            json!({"options": {"label": "other"}}),
        ),
        ("plugin:path|resolve_directory", json!({"directory": 1})),
        ("plugin:event|emit", json!({"event": "x"})),
    ];
    for (command, arguments) in beyond {
        let refusal = ask(&window, command, arguments).await?.expect_err(command);
        assert!(
            refusal.to_string().contains("not allowed"),
            "{command}: {refusal}"
        );
    }
    let own = ask(
        &window,
        "save_setting",
        json!({"key": "frame", "valueJson": "null"}),
    )
    .await?;
    assert_eq!(
        own.expect_err("the window keeps its frame itself")["code"],
        "type"
    );
    window.terminate().await
}

#[tokio::test]
async fn the_page_runs_no_text_and_leads_nowhere() -> Outcome<()> {
    let home = Home::new()?;
    let window = home.open(Setup::default()).await?;
    assert_eq!(
        window
            .run_script("return typeof window.__TAURI__", vec![])
            .await?,
        json!("undefined")
    );
    let evaluated = window
        .run_script(
            "try { return eval('1') } catch (error) { return error.name }",
            vec![],
        )
        .await?;
    assert_eq!(evaluated, json!("EvalError"));
    let styled =
        "const e = document.createElement('p'); e.innerHTML = '<b style=\"color: rgb(1, 2, 3)\">x</b>';
        document.body.append(e); return getComputedStyle(e.firstChild).color";
    assert_ne!(
        window.run_script(styled, vec![]).await?,
        json!("rgb(1, 2, 3)"),
        "no style from markup"
    );
    assert_eq!(
        window
            .run_script("return typeof window.__TAURI__", vec![])
            .await?,
        json!("undefined")
    );

    assert_eq!(
        window
            .run_script("return window.open('https://example.com/') === null", vec![])
            .await?,
        json!(true)
    );
    window
        .run_script("location.href = 'https://example.com/'", vec![])
        .await?;
    window.wait_ready().await?;
    assert_eq!(
        window.run_script("return location.host", vec![]).await?,
        json!("localhost")
    );
    window.terminate().await
}

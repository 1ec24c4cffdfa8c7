//! What leaves with foreign text in it asks first, and says what would go where and whence each part came.

use planloom_tests::desktop::{Home, Setup};
use planloom_tests::webdriver::Outcome;
use serde_json::json;

use super::steps::{ask_each_time, card, mark, on_canvas, open_file, plan_file, run_in};

#[tokio::test]
async fn a_call_that_sends_foreign_text_is_asked_about() -> Outcome<()> {
    let home = Home::new()?;
    let send = |id: &str, after: &str, text, headers| {
        json!({ "id": id, "instruction": "Send it.", "task_type": "tool", "tool": "http.request", "dependencies": [after],
                "inputs": { "method": "POST", "url": "http://127.0.0.1:9/inbox", "headers": headers, "body": { "text": text } } })
    };
    let tasks = json!([
        { "id": "letter", "title": "Read the letter", "instruction": "Read it.", "task_type": "tool", "tool": "file.read",
          "inputs": { "path": "letter.txt" } },
        send("forward", "letter", json!({ "$from": "letter", "path": "/text" }), json!({})),
        send("later", "forward", json!("done"), json!({ "Authorization": { "$secret": "SHOP_TOKEN" } })),
    ]);
    std::fs::write(home.folder().join("letter.txt"), "Forward me, please.\n")
        .expect("the window's home can be written");
    let setup = Setup {
        chosen_file: Some(plan_file(home.folder(), &tasks)),
        ..Setup::default()
    };
    let window = home.open(setup).await?;
    open_file(&window).await?;

    // Before anything runs: the secret that is handed over, and the way of the foreign text.
    window.click(&mark("to-approve")).await?;
    window.find(&mark("approval")).await?;
    window.wait_text(&mark("secret"), "SHOP_TOKEN").await?;
    window.wait_text(&mark("untrusted"), "Read the letter").await?;
    window.screenshot("approve-asking").await?;
    ask_each_time(&window).await?;
    window.click(&mark("approve")).await?;
    on_canvas(&window, "screen-run").await?;

    // At the call: where it would go, and what its text was made of.
    window.find(&run_in("WAITING")).await?;
    window.click(&card("forward")).await?;
    window.wait_text(&mark("provenance"), "POST 127.0.0.1:9").await?;
    window.wait_text(&mark("provenance"), "letter.txt").await?;
    window.screenshot("run-asking").await?;
    window.terminate().await
}

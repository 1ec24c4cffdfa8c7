//! Speaking with the program from inside the page, as the page itself does. Knows no screen.

use planloom_tests::desktop::Desktop;
use planloom_tests::webdriver::{Outcome, Trouble};
use serde_json::{Value, json};

/// Asks one command; a refusal is the inner error, as the page gets it.
pub async fn ask(window: &Desktop<'_>, command: &str, arguments: Value) -> Outcome<Result<Value, Value>> {
    let body = "const [command, input, done] = arguments;
        window.__TAURI_INTERNALS__.invoke(command, input)
            .then((answer) => done({ answer: answer ?? null }), (refusal) => done({ refusal }));";
    let done = window
        .page()
        .execute_async(body, vec![json!(command), arguments])
        .await;
    let done = done.map_err(Trouble::at(command))?;
    Ok(match done.get("answer") {
        Some(answer) => Ok(answer.clone()),
        None => Err(done["refusal"].clone()),
    })
}

/// Asks one command that must be answered.
pub async fn answer(window: &Desktop<'_>, command: &str, arguments: Value) -> Outcome<Value> {
    ask(window, command, arguments)
        .await?
        .map_err(|refusal| Trouble(format!("{command} was refused: {refusal}")))
}

/// The first message of a watch. A large one may arrive after smaller ones that were sent later: its number tells.
pub async fn first_news(window: &Desktop<'_>, run: &str) -> Outcome<Value> {
    let body = "const [run, done] = arguments;
        const tauri = window.__TAURI_INTERNALS__;
        const channel = tauri.transformCallback(({ message, index }) => { if (index === 0) done(message); });
        tauri.invoke('watch_run', { run, since: 0, channel: `__CHANNEL__:${channel}` }).catch((refusal) => done({ refusal }));";
    window
        .page()
        .execute_async(body, vec![json!(run)])
        .await
        .map_err(Trouble::at("watch_run"))
}

//! Tasks by way of the system's clipboard, in the real window: as plain text into a field, and into another plan, with the
//! edges among them.

use fantoccini::key::Key;
use planloom_tests::desktop::{Home, Setup};
use planloom_tests::webdriver::Outcome;
use serde_json::{Value, json};

use super::steps::{card, draft, mark, on_canvas, open_file, plan_file, task, until, until_cards};

const CTRL: char = '\u{e009}';
const SHIFT: char = '\u{e008}';

fn tasks() -> Value {
    let code = |id: &str, after: &[&str], inputs: Value| {
        json!({ "id": id, "title": id, "task_type": "code", "instruction": "Work it out.", "source": "return 1;",
            "dependencies": after, "inputs": inputs })
    };
    json!([
        code("first", &[], json!({})),
        code("second", &["first"], json!({ "n": { "$from": "first" } })),
        code("third", &["second"], json!({ "n": { "$from": "second" } })),
    ])
}

#[tokio::test]
async fn tasks_go_by_the_clipboard_into_a_text_and_into_another_plan() -> Outcome<()> {
    let home = Home::new()?;
    let setup = Setup {
        chosen_file: Some(plan_file(home.folder(), &tasks())),
        ..Setup::default()
    };
    let window = home.open(setup).await?;
    let run = open_file(&window).await?;
    window.click(&card("second")).await?;
    window.hold(SHIFT).await?;
    window.click(&card("third")).await?;
    window.let_go(SHIFT).await?;
    window.press(&[CTRL, 'c']).await?;

    // What was copied is plain plan text.
    window.click(&card("first")).await?;
    window.click(&mark("field-instruction")).await?;
    window.press(&[CTRL, 'a']).await?;
    window.press(&[CTRL, 'v']).await?;
    let text = until("the text of the tasks", async || {
        let first = task(&window, &run, "first").await?;
        let text = first["instruction"].as_str().unwrap_or_default().to_owned();
        Ok(text.contains("tasks").then_some(text))
    })
    .await?;
    let copied: Value = serde_json::from_str(&text).expect("JSON");
    let ids: Vec<&Value> = copied["tasks"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|task| &task["id"])
        .collect();
    assert_eq!(ids, ["second", "third"]);

    // Into a plan of its own: the edge between them comes with them, the one from outside is a problem to be seen.
    window.press(&[Key::Escape.into()]).await?;
    window.press(&['n']).await?;
    let other = until("another plan", async || {
        let now = on_canvas(&window, "screen-plan").await?;
        Ok((now != run).then_some(now))
    })
    .await?;
    window.press(&[CTRL, 'v']).await?;
    until_cards(&window, 2).await?;
    let view = draft(&window, &other).await?;
    let [edge] = view["edges"].as_array().expect("edges").as_slice() else {
        panic!("one edge: {}", view["edges"]);
    };
    assert_eq!([&edge["from"], &edge["to"]], ["second", "third"]);
    assert_eq!(
        task(&window, &other, "second").await?["inputs"]["n"],
        json!({ "$from": "" })
    );
    assert!(
        view["problems"].as_array().is_some_and(|all| !all.is_empty()),
        "{view}"
    );
    window.terminate().await
}

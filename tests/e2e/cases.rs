//! Cases from the field that only a real window can show: canvas-01, canvas-03, desktop-01, desktop-02 and plan-13, on
//! the very inputs of the case.

use std::time::Duration;

use planloom_tests::desktop::{Desktop, Home, Setup};
use planloom_tests::webdriver::{Outcome, Trouble};
use serde_json::{Value, json};

use crate::journey::steps::{
    card, draft, draw_edge, edge, mark, on_canvas, on_screen, open_file, plan_file, point_near_end, run_in,
    until,
};
use crate::page::{answer, ask};

const DELETE: char = '\u{e017}';
const CTRL: char = '\u{e009}';
const ESCAPE: char = '\u{e00c}';

fn code(id: &str, title: &str, after: &[&str]) -> Value {
    json!({ "id": id, "title": title, "task_type": "code", "instruction": "Work it out.", "source": "return 1;",
        "dependencies": after })
}

fn case(text: &str) -> Value {
    serde_json::from_str(text).expect("the case is JSON")
}

async fn opened<'a>(home: &'a Home, tasks: &Value) -> Outcome<(Desktop<'a>, String)> {
    let setup = Setup {
        chosen_file: Some(plan_file(home.folder(), tasks)),
        ..Setup::default()
    };
    let window = home.open(setup).await?;
    let run = open_file(&window).await?;
    Ok((window, run))
}

async fn edges(window: &Desktop<'_>, run: &str) -> Outcome<Vec<(String, String)>> {
    let view = draft(window, run).await?;
    let all = view["edges"].as_array().cloned().unwrap_or_default();
    let of = |edge: &Value, side: &str| edge[side].as_str().unwrap_or_default().to_owned();
    Ok(all
        .iter()
        .map(|edge| (of(edge, "from"), of(edge, "to")))
        .collect())
}

/// canvas-01: each edge of the case is tried by hand; what would close a ring is refused while it is drawn, and by the
/// program too.
#[tokio::test]
async fn no_edge_by_hand_closes_a_ring() -> Outcome<()> {
    let case = case(include_str!(
        "../cases/canvas-01-connect-would-close-a-ring/edges.json"
    ));
    let home = Home::new()?;
    let tasks = json!([
        code("a", "a", &[]),
        code("b", "b", &["a"]),
        code("c", "c", &["b"]),
        code("d", "d", &[])
    ]);
    let (window, run) = opened(&home, &tasks).await?;
    let original = edges(&window, &run).await?;
    for tried in case["tries"].as_array().expect("tries") {
        let (Some(from), Some(to)) = (tried[0].as_str(), tried[1].as_str()) else {
            continue;
        };
        let wanted = tried[2].as_str().expect("a verdict");
        if window.count(&mark(&format!("out-{from}"))).await? == 0 {
            // A comment and a stranger have no port; the program knows neither of them.
            assert!(wanted.starts_with("refuse"), "{tried}");
            assert!(connected(&window, &run, &[(from, to)]).await?.is_err(), "{tried}");
            continue;
        }
        draw_edge(&window, from, to).await?;
        if wanted == "allow" {
            window.find(&format!("{}.allowed", card(to))).await?;
            window.release().await?;
            window.find(&edge(from, to)).await?;
            window.click(&mark("undo")).await?;
            window.wait_gone(&edge(from, to)).await?;
        } else {
            window.release().await?;
        }
        assert_eq!(edges(&window, &run).await?, original, "{tried}");
    }

    // An edge that is there is led elsewhere only where that makes none either.
    let (from, to) = (
        point_near_end(&window, "b", "c").await?,
        window.centre(&card("a")).await?,
    );
    window.drag_and_hold(from, to).await?;
    window.wait_text(&mark("refusal"), "already leads to").await?;
    window.release().await?;
    assert_eq!(edges(&window, &run).await?, original);

    // Two at once of which each alone would do: only the one that comes first stays.
    let revision = draft(&window, &run).await?["revision"].clone();
    let burst = "const [run, revision, done] = arguments, tauri = window.__TAURI_INTERNALS__;
        const draw = (from, to) => tauri.invoke('edit_draft', { run, revision, edits: [{ connect: { from, to } }] });
        Promise.allSettled([draw('c', 'd'), draw('d', 'a')]).then((all) => done(all.map((one) => one.status).sort()));";
    let all = window
        .page()
        .execute_async(burst, vec![json!(run), revision])
        .await;
    assert_eq!(
        all.map_err(Trouble::at("two edges"))?,
        json!(["fulfilled", "rejected"])
    );
    for pair in [("c", "d"), ("d", "a")] {
        // The one that stayed is there already, the other one would close the ring: both are refused.
        assert!(connected(&window, &run, &[pair]).await?.is_err(), "{pair:?}");
    }
    assert_eq!(edges(&window, &run).await?.len(), original.len() + 1);
    window.terminate().await
}

async fn connected(window: &Desktop<'_>, run: &str, pairs: &[(&str, &str)]) -> Outcome<Result<Value, Value>> {
    let revision = draft(window, run).await?["revision"].clone();
    let edits: Vec<Value> = pairs
        .iter()
        .map(|(from, to)| json!({ "connect": { "from": from, "to": to } }))
        .collect();
    ask(
        window,
        "edit_draft",
        json!({ "run": run, "revision": revision, "edits": edits }),
    )
    .await
}

/// canvas-03: the key that confirms a word of an input method does nothing else, told in either way; and text that runs
/// from right to left is read so.
#[tokio::test]
async fn words_of_input_methods_and_of_every_direction() -> Outcome<()> {
    let keys = case(include_str!(
        "../cases/canvas-03-typing-ime-and-right-to-left/keys.json"
    ));
    let texts = case(include_str!(
        "../cases/canvas-03-typing-ime-and-right-to-left/texts.json"
    ));
    let texts = texts.as_array().expect("texts");
    let home = Home::new()?;
    // In two rows, so that the titles are drawn and not only hinted at.
    let after = |ix: usize| ix.checked_sub(4).map(|above| format!("t{above}"));
    let tasks: Vec<Value> = texts
        .iter()
        .enumerate()
        .map(|(ix, text)| {
            let above = after(ix);
            let above: Vec<&str> = above.iter().map(String::as_str).collect();
            code(&format!("t{ix}"), text[0].as_str().expect("a text"), &above)
        })
        .collect();
    let (window, run) = opened(&home, &json!(tasks)).await?;
    for (ix, text) in (0..).zip(texts) {
        let title = format!("{} .card-text b", card(&format!("t{ix}")));
        let look = "const title = document.querySelector(arguments[0]);
            return [getComputedStyle(title).direction, title.textContent, title.scrollWidth >= title.clientWidth];";
        let found = window.run_script(look, vec![json!(title)]).await?;
        let (direction, shown) = (
            found[0].as_str().unwrap_or_default(),
            found[1].as_str().unwrap_or_default(),
        );
        let wanted = text[1].as_str().expect("a direction");
        assert!(
            wanted.contains(direction) || wanted.contains("auto"),
            "{text}: {direction}"
        );
        let hides = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200b}');
        assert!(!shown.contains(hides), "{text} hides a mark: {shown:?}");
    }

    for row in keys.as_array().expect("rows") {
        // In a search Enter goes to what is chosen, and the dialog closes.
        if let Some(submits) = row["submit"].as_bool().filter(|_| row["name"] != "shift") {
            closes_the_search(&window, row, submits).await?;
        }
        if row["node_deleted"].is_boolean() {
            deletes_no_task(&window, &run, row).await?;
        }
    }
    let composing: Vec<&Value> = keys
        .as_array()
        .expect("rows")
        .iter()
        .filter(is_composing)
        .collect();
    no_place_takes_it_for_a_key(&window, &run, &composing).await?;
    window.terminate().await
}

fn is_composing(row: &&Value) -> bool {
    row["submit"] == false && row["name"] != "shift"
}

/// The same in a name, at a card, at the approval and in the goal: what would send there, with Ctrl too, does not.
async fn no_place_takes_it_for_a_key(window: &Desktop<'_>, run: &str, rows: &[&Value]) -> Outcome<()> {
    let place = async |hash: &str, shown: &str| {
        let there = format!("location.hash = '#/{hash}'");
        window.run_script(&there, vec![]).await?;
        window.find(&mark(shown)).await
    };
    place(&format!("plan/{run}"), "canvas-flow").await?;
    window.wait_ready().await?;
    window.click(&card("t0")).await?;
    for row in rows {
        sent(window, &mark("field-title"), &row["events"]).await?;
        tokio::time::sleep(A_MOMENT).await;
        let body = "return document.activeElement.dataset.testid ?? ''";
        assert_eq!(
            window.run_script(body, vec![]).await?,
            json!("field-title"),
            "{row}"
        );
    }
    let escape = json!([{ "type": "compositionstart" },
        { "type": "keydown", "key": "Escape", "isComposing": false, "keyCode": 229 }]);
    sent(window, &mark("canvas-flow"), &escape).await?;
    tokio::time::sleep(A_MOMENT).await;
    let chosen = "return !!document.querySelector(arguments[0]).closest('.react-flow__node').querySelector('.card.selected')";
    assert_eq!(
        window.run_script(chosen, vec![json!(card("t0"))]).await?,
        json!(true),
        "Escape of an input method"
    );

    for (hash, shown, target, left) in [
        (format!("approve/{run}"), "approval", "approval", "screen-run"),
        ("home".to_owned(), "goal", "goal", "planning"),
    ] {
        place(&hash, shown).await?;
        for row in rows {
            let mut events = row["events"].clone();
            for event in events.as_array_mut().into_iter().flatten() {
                event["ctrlKey"] = json!(event["type"] == "keydown");
            }
            sent(window, &mark(target), &events).await?;
            tokio::time::sleep(A_MOMENT).await;
            assert_eq!(window.count(&mark(left)).await?, 0, "{row} at {shown}");
            window.find(&mark(shown)).await?;
        }
    }
    Ok(())
}

const A_MOMENT: Duration = Duration::from_millis(150);

async fn closes_the_search(window: &Desktop<'_>, row: &Value, submits: bool) -> Outcome<()> {
    window.press(&[CTRL, 'k']).await?;
    window.find(&mark("palette-input")).await?;
    sent(window, &mark("palette-input"), &row["events"]).await?;
    if !submits {
        tokio::time::sleep(A_MOMENT).await;
        assert_eq!(window.count(&mark("palette")).await?, 1, "{row}");
        window.press(&[ESCAPE]).await?;
    }
    window.wait_gone(&mark("palette")).await
}

async fn deletes_no_task(window: &Desktop<'_>, run: &str, row: &Value) -> Outcome<()> {
    window
        .run_script(&format!("location.hash = '#/plan/{run}'"), vec![])
        .await?;
    on_canvas(window, "screen-plan").await?;
    window.click(&card("t4")).await?;
    sent(window, &mark("canvas-flow"), &row["events"]).await?;
    tokio::time::sleep(A_MOMENT).await;
    assert_eq!(window.count(&card("t4")).await?, 1, "{row}");
    // The same key when nothing is composed any more.
    window.press(&[DELETE]).await?;
    window.wait_gone(&card("t4")).await
}

/// The events of a case, as an input method sends them.
async fn sent(window: &Desktop<'_>, selector: &str, events: &Value) -> Outcome<()> {
    let body = "const target = document.querySelector(arguments[0]);
        target.focus();
        for (const { type, keyCode, ...more } of arguments[1]) {
            const Kind = type.startsWith('composition') ? CompositionEvent : KeyboardEvent;
            const event = new Kind(type, { bubbles: true, cancelable: true, ...more });
            if (keyCode !== undefined) Object.defineProperty(event, 'keyCode', { get: () => keyCode });
            target.dispatchEvent(event);
        }";
    window
        .run_script(body, vec![json!(selector), events.clone()])
        .await
        .map(|_| ())
}

/// desktop-01: a window that was left where no screen is any more lands where a hand can reach it.
#[tokio::test]
async fn a_window_lands_in_reach() -> Outcome<()> {
    let states = case(include_str!("../../src-tauri/tests/cases/desktop-01-states.json"));
    let home = Home::new()?;
    let (width, height) = (1600.0, 1000.0);
    for name in ["monitor-gone", "too-big", "title-above", "garbage"] {
        let state = states
            .as_array()
            .and_then(|all| all.iter().find(|state| state["name"] == name));
        let frame = state.expect("the case has it")["saved"].clone();
        let file = home.db().with_file_name("settings.json");
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
        std::fs::write(&file, json!({ "frame": frame }).to_string()).expect("written");
        let window = home.open(Setup::default()).await?;
        let (x, y, w, h) = window.page().get_window_rect().await.map_err(Trouble::at(name))?;
        let [x, y, w, h] = [x, y, w, h].map(f64_of);
        assert!(
            w >= 640.0 && h >= 480.0 && w <= width && h <= height,
            "{name}: {w} × {h}"
        );
        assert!(
            x + w >= 100.0 && x <= width - 100.0 && y >= 0.0 && y <= height - 40.0,
            "{name}: at {x}, {y}"
        );
        window.terminate().await?;
    }
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "pixels of a screen")]
fn f64_of(pixels: u64) -> f64 {
    pixels as f64
}

/// desktop-02: another theme repaints canvas, cards, small map, tools and page together; and the smallest window is usable.
#[tokio::test]
async fn a_theme_is_changed_all_at_once() -> Outcome<()> {
    let home = Home::new()?;
    let tasks = json!([code("a", "a", &[]), code("b", "b", &["a"])]);
    let (window, run) = opened(&home, &tasks).await?;
    window
        .page()
        .set_window_rect(0, 0, 1024, 640)
        .await
        .map_err(Trouble::at("resizing"))?;
    let look = "const style = getComputedStyle(document.documentElement), token = (name) => {
            const probe = document.body.appendChild(document.createElement('i'));
            probe.className = 'probe'; probe.style.color = style.getPropertyValue('--' + name);
            const colour = getComputedStyle(probe).color; probe.remove(); return colour; };
        const ground = (selector) => getComputedStyle(document.querySelector(selector)).backgroundColor;
        const map = document.querySelector('.minimap').getContext('2d').getImageData(4, 4, 1, 1).data;
        return { page: [ground('body'), token('app')], canvas: [ground('.canvas'), token('canvas')],
            card: [ground('.card'), token('raised')], scheme: style.colorScheme, map: [...map].join() };";
    let mut seen = Vec::new();
    for theme in ["dark", "light"] {
        window.run_script("location.hash = '#/settings'", vec![]).await?;
        window.click(&mark("settings-look")).await?;
        window
            .click(&format!("{} [data-value='{theme}']", mark("theme")))
            .await?;
        until("the theme", async || {
            let now = window
                .run_script("return document.documentElement.dataset.theme", vec![])
                .await?;
            Ok((now == json!(theme)).then_some(()))
        })
        .await?;
        window
            .run_script(&format!("location.hash = '#/plan/{run}'"), vec![])
            .await?;
        on_canvas(&window, "screen-plan").await?;
        let found = window.run_script(look, vec![]).await?;
        for part in ["canvas", "card"] {
            assert_eq!(found[part][0], found[part][1], "{theme}: {part} in {found}");
        }
        assert!(
            found["scheme"]
                .as_str()
                .is_some_and(|scheme| scheme.contains(theme)),
            "{found}"
        );
        // In the smallest window all that leads on is there.
        window.find(&mark("to-approve")).await?;
        seen.push(found);
    }
    assert_ne!(seen[0]["canvas"], seen[1]["canvas"]);
    window.terminate().await
}

/// plan-13: what is signed is what was shown. A card that was moved meanwhile is no other plan; a task that was changed is.
#[tokio::test]
async fn a_stale_signature_is_refused() -> Outcome<()> {
    let home = Home::new()?;
    let tasks = json!([code("a", "a", &[]), code("b", "b", &["a"])]);
    let (window, run) = opened(&home, &tasks).await?;
    window.click(&mark("to-approve")).await?;
    window.find(&mark("approval")).await?;

    // By somebody else, while the person looks at the first version.
    changed(
        &window,
        &run,
        json!({ "setTask": { "id": "b", "field": "/instruction", "value": "\"Do the step.\\u200b\"" } }),
    )
    .await?;
    window.click(&mark("approve")).await?;
    let fault = format!("{} .fault", mark("approval"));
    window.wait_text(&fault, "`instruction` of the task b").await?;
    on_screen(&window, "screen-approve").await?;
    let row = &answer(&window, "list_runs", json!({})).await?[0];
    assert_eq!(
        row["status"], "AWAITING_APPROVAL",
        "version 2 waits for its own approval"
    );

    // Looked at anew; then only moved.
    window.click(&mark("edit-plan")).await?;
    on_canvas(&window, "screen-plan").await?;
    window.click(&mark("to-approve")).await?;
    window.find(&mark("approval")).await?;
    changed(
        &window,
        &run,
        json!({ "move": { "positions": [{ "id": "a", "x": 240, "y": 8 }] } }),
    )
    .await?;
    window.click(&mark("approve")).await?;
    on_canvas(&window, "screen-run").await?;
    window.find(&run_in("SUCCEEDED")).await?;
    window.terminate().await
}

/// plan-13: the changes of the case that a hand can make, and whether each asks for a new signature.
#[tokio::test]
async fn only_what_decides_asks_for_a_new_signature() -> Outcome<()> {
    let rows = case(include_str!(
        "../../src-tauri/engine/tests/cases/plan-13-approved-is-what-runs/changes.json"
    ));
    let home = Home::new()?;
    let mut tasks = json!([code("a", "a", &[]), code("b", "b", &["a"])]);
    tasks[0]["inputs"] = json!({ "command": "ls data", "more": 1 });
    let (window, run) = opened(&home, &tasks).await?;
    let set = |id: &str, field: &str, value: &str| json!({ "setTask": { "id": id, "field": field, "value": value } });
    let edits = [
        (
            "node a moved on the canvas",
            json!({ "move": { "positions": [{ "id": "a", "x": 240, "y": 8 }] } }),
        ),
        (
            "canvas comment edited",
            json!({ "setPlan": { "field": "/layout/notes", "value": "[]" } }),
        ),
        (
            "key order in inputs changed",
            set("a", "/inputs", r#"{ "more": 1, "command": "ls data" }"#),
        ),
        (
            "a.inputs.command: ls data -> ls data; rm -r data",
            set("a", "/inputs/command", r#""ls data; rm -r data""#),
        ),
        (
            "instruction of b gains a trailing zero-width space",
            set("b", "/instruction", r#""Do the step.\u200b""#),
        ),
        (
            "edge a->b removed",
            json!({ "disconnect": { "from": "a", "to": "b" } }),
        ),
    ];
    for (change, edit) in edits {
        let row = rows
            .as_array()
            .and_then(|all| all.iter().find(|row| row["change"] == change));
        let signed = answer(&window, "approval", json!({ "run": run })).await?["digest"].clone();
        changed(&window, &run, edit).await?;
        let now = answer(&window, "approval", json!({ "run": run })).await?["digest"].clone();
        assert_eq!(
            json!(now != signed),
            row.expect("the case has it")["needs_approval"],
            "{change}"
        );
    }
    window.terminate().await
}

async fn changed(window: &Desktop<'_>, run: &str, edit: Value) -> Outcome<()> {
    let revision = draft(window, run).await?["revision"].clone();
    answer(
        window,
        "edit_draft",
        json!({ "run": run, "revision": revision, "edits": [edit] }),
    )
    .await
    .map(|_| ())
}

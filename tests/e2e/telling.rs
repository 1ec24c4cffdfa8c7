//! A notification of the system, from what has happened to the click on it: on a message bus of its own, with a receiver that
//! writes down what it is shown and clicks as a person would.

use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use planloom_tests::desktop::{Home, Setup};
use planloom_tests::webdriver::{Outcome, Trouble};
use serde_json::json;
use zbus::object_server::SignalEmitter;
use zbus::zvariant::OwnedValue;

use crate::journey::steps::{mark, open_sample, until};
use crate::page::answer;

const PATH: &str = "/org/freedesktop/Notifications";

/// A message bus that ends with the test.
struct Bus {
    daemon: Child,
    address: String,
}

impl Bus {
    fn start() -> Outcome<Self> {
        let mut daemon = Command::new("dbus-daemon")
            .args(["--session", "--nofork", "--print-address=1"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(Trouble::at("dbus-daemon did not start (package dbus)"))?;
        let mut address = String::new();
        let output = daemon.stdout.take().ok_or_else(|| Trouble("no output".into()))?;
        BufReader::new(output)
            .read_line(&mut address)
            .map_err(Trouble::at("dbus-daemon told no address"))?;
        Ok(Self {
            daemon,
            address: address.trim().to_owned(),
        })
    }
}

impl Drop for Bus {
    fn drop(&mut self) {
        let _ = self.daemon.kill();
        let _ = self.daemon.wait();
    }
}

/// What a desktop shows: summary and body of each notification, by its number from 1.
#[derive(Clone, Default)]
struct Shown(Arc<Mutex<Vec<(String, String)>>>);

struct Receiver(Shown);

#[zbus::interface(name = "org.freedesktop.Notifications")]
impl Receiver {
    fn get_capabilities(&self) -> Vec<String> {
        vec!["actions".into(), "body".into()]
    }

    fn get_server_information(&self) -> (String, String, String, String) {
        ("test".into(), "test".into(), "1".into(), "1.2".into())
    }

    #[expect(clippy::too_many_arguments, reason = "as the specification has it")]
    fn notify(
        &self,
        _app: String,
        _replaces: u32,
        _icon: String,
        summary: String,
        body: String,
        _actions: Vec<String>,
        _hints: HashMap<String, OwnedValue>,
        _timeout: i32,
    ) -> u32 {
        let mut shown = self.0.0.lock().expect("nobody panics with it");
        shown.push((summary, body));
        u32::try_from(shown.len()).expect("few")
    }

    fn close_notification(&self, _id: u32) {}

    #[zbus(signal)]
    async fn action_invoked(emitter: &SignalEmitter<'_>, id: u32, action: &str) -> zbus::Result<()>;
}

/// Another window would take the screen; here the pointer, which has the keyboard with it, goes to where there is none.
fn leave(home: &Home) -> Outcome<()> {
    let moved = Command::new("xdotool")
        .args(["mousemove", "1598", "998"])
        .envs(home.environment())
        .status()
        .map_err(Trouble::at("xdotool did not start"))?;
    match moved.success() {
        true => Ok(()),
        false => Err(Trouble("the pointer did not move".into())),
    }
}

/// The run asks something while another window has the screen; a click on what the system tells leads to that very decision.
#[tokio::test(flavor = "multi_thread")]
async fn a_click_on_a_notification_leads_to_the_decision_that_waits() -> Outcome<()> {
    let bus = Bus::start()?;
    let shown = Shown::default();
    let receiver = zbus::connection::Builder::address(bus.address.as_str())
        .and_then(|builder| builder.name("org.freedesktop.Notifications"))
        .and_then(|builder| builder.serve_at(PATH, Receiver(shown.clone())))
        .map_err(Trouble::at("no receiver"))?
        .build()
        .await
        .map_err(Trouble::at("no receiver on the bus"))?;

    let home = Home::new()?;
    let window = home
        .open(Setup {
            environment: vec![("DBUS_SESSION_BUS_ADDRESS".into(), bus.address.clone())],
            ..Setup::default()
        })
        .await?;
    let run = open_sample(&window).await?;
    answer(
        &window,
        "rename_run",
        json!({"run": run, "name": "<b>Monday</b>"}),
    )
    .await?;
    let approval = answer(&window, "approval", json!({"run": run})).await?;
    window.click(&mark("rail-settings")).await?;
    leave(&home)?;
    // It looks every two seconds, and tells what has changed between two looks.
    tokio::time::sleep(Duration::from_secs(5)).await;
    let signed = json!({"run": run, "digest": approval["digest"], "parametersJson": "{}", "choices": {"off": [], "flows": []}});
    answer(&window, "approve", signed).await?;

    let told = until("the system is told", async || {
        let all = shown.0.lock().expect("nobody panics with it").clone();
        Ok(all
            .iter()
            .position(|(summary, _)| summary == "Waiting for you")
            .map(|at| (at, all)))
    })
    .await?;
    let (at, all) = told;
    assert_eq!(
        all[at].1, "&lt;b&gt;Monday&lt;/b&gt;",
        "the title and nothing else of it"
    );

    let id = u32::try_from(at + 1).expect("few");
    let emitter = SignalEmitter::new(&receiver, PATH).map_err(Trouble::at("no emitter"))?;
    Receiver::action_invoked(&emitter, id, "default")
        .await
        .map_err(Trouble::at("the click"))?;
    window.find(&mark("screen-waiting")).await?;
    window.find("[data-testid^='decision-'].focused").await?;
    window.wait_text(&mark("inbox"), "<b>Monday</b>").await?;
    window.terminate().await
}

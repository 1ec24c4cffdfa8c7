//! The real window in a home of its own: start it, use it as a person would, kill it, start it again.
//! Knows the page by what a person sees and by `data-` marks; knows no engine.
//!
//! A selector that starts with `/` is XPath, any other is CSS.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fantoccini::actions::{InputSource, KeyAction, KeyActions};
use fantoccini::elements::Element;
use fantoccini::{Client, Locator};
use serde_json::Value;
use tempfile::TempDir;

use crate::pointer::Button;
use crate::webdriver::{Driver, Outcome, Screen, Trouble, is_gone_within, signal};

/// How long something may take to appear before it counts as missing.
pub const PATIENCE: Duration = Duration::from_secs(40);
const LOOK_AGAIN: Duration = Duration::from_millis(40);

/// A place in the page, in CSS pixels from its top left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    pub x: f64,
    pub y: f64,
}

/// What a window is started with.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    /// What the person "chooses" in the next file dialogs.
    pub chosen_file: Option<PathBuf>,
    /// Beside the environment of its home.
    pub environment: Vec<(String, String)>,
    pub arguments: Vec<String>,
}

/// One home folder and one screen, in which windows come and go. All is gone when it is dropped.
pub struct Home {
    folder: TempDir,
    screen: Screen,
}

/// A running window.
pub struct Desktop<'a> {
    home: &'a Home,
    client: Client,
    driver: Driver,
    program: PathBuf,
}

impl Home {
    pub fn new() -> Outcome<Self> {
        Self::on_screen(1600, 1000)
    }

    /// With a screen of this size.
    pub fn on_screen(width: u32, height: u32) -> Outcome<Self> {
        let folder = tempfile::tempdir().map_err(Trouble::at("no temporary folder"))?;
        Ok(Self {
            folder,
            screen: Screen::open(width, height)?,
        })
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The database, shared by the window and the command line.
    pub fn db(&self) -> PathBuf {
        self.folder().join("share/planloom/planloom.db")
    }

    /// The environment of every program that belongs to this home.
    pub fn environment(&self) -> Vec<(String, String)> {
        let folder = |name: &str| self.folder().join(name).to_string_lossy().into_owned();
        let mut environment = vec![
            ("HOME", folder("")),
            ("XDG_DATA_HOME", folder("share")),
            ("XDG_CONFIG_HOME", folder("config")),
            ("XDG_CACHE_HOME", folder("cache")),
            // Named although it is the default: a named database has no "second start" to join by D-Bus.
            ("PLANLOOM_DB", self.db().to_string_lossy().into_owned()),
            ("DISPLAY", self.screen.name().to_owned()),
            ("LANG", "C.UTF-8".to_owned()),
            ("NO_AT_BRIDGE", "1".to_owned()),
            ("MESA_SHADER_CACHE_DISABLE", "true".to_owned()),
        ];
        for kept in ["PATH", "LD_LIBRARY_PATH", "RUST_BACKTRACE"] {
            environment.extend(std::env::var(kept).map(|value| (kept, value)));
        }
        environment
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect()
    }

    /// Opens the window and waits until it can be used.
    pub async fn open(&self, setup: Setup) -> Outcome<Desktop<'_>> {
        let program = built("planloom-desktop")?;
        let mut environment = self.environment();
        environment.extend(setup.environment.iter().cloned());
        if let Some(file) = &setup.chosen_file {
            environment.push((
                "PLANLOOM_CHOOSE_FILE".to_owned(),
                file.to_string_lossy().into_owned(),
            ));
        }
        let driver = Driver::start(environment)?;
        let client = driver.open(&program, &setup.arguments).await?;
        let desktop = Desktop {
            home: self,
            client,
            driver,
            program,
        };
        desktop.wait_ready().await?;
        Ok(desktop)
    }
}

/// A program of this workspace, beside the running test.
pub fn built(name: &str) -> Outcome<PathBuf> {
    let test = std::env::current_exe().map_err(Trouble::at("the test has no path"))?;
    let found = test
        .ancestors()
        .skip(1)
        .take(2)
        .map(|folder| folder.join(name))
        .find(|path| path.is_file());
    found.ok_or_else(|| Trouble(format!("{name} is not built; `make test` builds it first")))
}

/// Where pictures go: `PLANLOOM_SCREENSHOTS`, else `target/e2e`.
fn picture_folder() -> PathBuf {
    let named = std::env::var_os("PLANLOOM_SCREENSHOTS").map(PathBuf::from);
    let beside = std::env::current_exe()
        .ok()
        .and_then(|test| Some(test.ancestors().nth(3)?.join("e2e")));
    named.or(beside).unwrap_or_else(std::env::temp_dir)
}

impl Desktop<'_> {
    pub fn home(&self) -> &Home {
        self.home
    }

    /// The page itself, for what has no word here.
    pub fn page(&self) -> &Client {
        &self.client
    }

    pub fn pid(&self) -> Outcome<u32> {
        self.driver
            .started(&self.program)
            .ok_or_else(|| Trouble("the window's process is gone".to_owned()))
    }

    // --- Waiting -----------------------------------------------------------------------------------------------

    /// Until the page has drawn its screen, and no canvas in it is still finding its place.
    pub async fn wait_ready(&self) -> Outcome<()> {
        self.find("#root > *").await?;
        self.wait_gone("[data-ready='false']").await
    }

    /// The first match that a person can see.
    pub async fn find(&self, selector: &str) -> Outcome<Element> {
        let started = Instant::now();
        loop {
            for element in self.client.find_all(locator(selector)).await.unwrap_or_default() {
                if element.is_displayed().await.unwrap_or(false) {
                    return Ok(element);
                }
            }
            self.or_wait(started, || format!("`{selector}` does not appear"))
                .await?;
        }
    }

    /// Until nothing that a person can see matches.
    pub async fn wait_gone(&self, selector: &str) -> Outcome<()> {
        let started = Instant::now();
        // What goes while it is counted is counted again.
        while self.count(selector).await.unwrap_or(1) > 0 {
            self.or_wait(started, || format!("`{selector}` does not go away"))
                .await?;
        }
        Ok(())
    }

    /// Until the text of the first match contains `part`.
    pub async fn wait_text(&self, selector: &str, part: &str) -> Outcome<()> {
        let started = Instant::now();
        loop {
            // What is drawn anew while it is read is read again.
            let text = self.text(selector).await.unwrap_or_default();
            if text.contains(part) {
                return Ok(());
            }
            self.or_wait(started, || format!("`{selector}` says {text:?}, not {part:?}"))
                .await?;
        }
    }

    /// How many matches a person can see now.
    pub async fn count(&self, selector: &str) -> Outcome<usize> {
        let mut seen = 0;
        for element in self
            .client
            .find_all(locator(selector))
            .await
            .map_err(Trouble::at(selector))?
        {
            seen += usize::from(element.is_displayed().await.unwrap_or(false));
        }
        Ok(seen)
    }

    /// Waits a moment, or gives up with a picture of what there is instead.
    async fn or_wait(&self, started: Instant, trouble: impl FnOnce() -> String) -> Outcome<()> {
        if started.elapsed() < PATIENCE {
            tokio::time::sleep(LOOK_AGAIN).await;
            return Ok(());
        }
        // Several tests may be in trouble at once; each runs on a thread that bears its name.
        let test = std::thread::current().name().unwrap_or("test").replace("::", "-");
        let picture = self.screenshot(&format!("trouble-{test}")).await;
        let seen = picture.map_or_else(|error| error.to_string(), |path| path.display().to_string());
        let said = self.said().await;
        Err(Trouble(format!(
            "{} (picture: {seen})\nThe page says: {said}",
            trouble()
        )))
    }

    /// What the page says, for whoever has no picture of it: its beginning and its end.
    async fn said(&self) -> String {
        let body = "const text = document.body.innerText.replace(/\\s+/g, ' '); \
                    return text.length < 2400 ? text : `${text.slice(0, 800)} … ${text.slice(-1600)}`;";
        match self.run_script(body, Vec::new()).await {
            Ok(text) => text.as_str().unwrap_or_default().to_owned(),
            Err(error) => error.to_string(),
        }
    }

    // --- Reading -----------------------------------------------------------------------------------------------

    /// The text as it is drawn. (WebKit's own driver leaves out what is cut with an ellipsis.)
    pub async fn text(&self, selector: &str) -> Outcome<String> {
        let element = self.find(selector).await?;
        let element = serde_json::to_value(element).map_err(Trouble::at(selector))?;
        let text = self
            .run_script("return arguments[0].innerText", vec![element])
            .await?;
        Ok(text.as_str().unwrap_or_default().to_owned())
    }

    pub async fn attribute(&self, selector: &str, name: &str) -> Outcome<Option<String>> {
        self.find(selector)
            .await?
            .attr(name)
            .await
            .map_err(Trouble::at(selector))
    }

    /// Runs a function body in the page; `arguments[0]` … are the arguments.
    pub async fn run_script(&self, body: &str, arguments: Vec<Value>) -> Outcome<Value> {
        self.client
            .execute(body, arguments)
            .await
            .map_err(Trouble::at("script"))
    }

    pub async fn centre(&self, selector: &str) -> Outcome<Point> {
        let (x, y, w, h) = self
            .find(selector)
            .await?
            .rectangle()
            .await
            .map_err(Trouble::at(selector))?;
        Ok(Point {
            x: x + w / 2.0,
            y: y + h / 2.0,
        })
    }

    // --- Doing -------------------------------------------------------------------------------------------------

    /// A person waits until a button can be pressed, and so does this.
    pub async fn click(&self, selector: &str) -> Outcome<()> {
        let started = Instant::now();
        while !self.find(selector).await?.is_enabled().await.unwrap_or(false) {
            self.or_wait(started, || format!("`{selector}` stays disabled"))
                .await?;
        }
        // What covers an element while it moves in or out is gone a moment later.
        loop {
            match self.find(selector).await?.click().await {
                Ok(()) => return Ok(()),
                Err(error) => {
                    self.or_wait(started, || format!("`{selector}` can't be clicked: {error}"))
                        .await?
                }
            }
        }
    }

    /// Replaces what a field holds, key by key.
    pub async fn fill(&self, selector: &str, text: &str) -> Outcome<()> {
        self.click(selector).await?;
        self.press(&[fantoccini::key::Key::Control.into(), 'a']).await?;
        self.type_text(&format!("{}{text}", char::from(fantoccini::key::Key::Delete)))
            .await
    }

    /// Types into whatever has the focus.
    pub async fn type_text(&self, text: &str) -> Outcome<()> {
        let focused = self
            .client
            .active_element()
            .await
            .map_err(Trouble::at("nothing has the focus"))?;
        focused
            .send_keys(text)
            .await
            .map_err(Trouble::at(format!("typing {text:?}")))
    }

    /// Presses keys together, the last one first to come up: `[Key::Control.into(), 'z']`.
    pub async fn press(&self, keys: &[char]) -> Outcome<()> {
        let down = keys.iter().map(|key| KeyAction::Down { value: *key });
        let up = keys.iter().rev().map(|key| KeyAction::Up { value: *key });
        let actions = down
            .chain(up)
            .fold(KeyActions::new("keyboard".to_owned()), KeyActions::then);
        self.client
            .perform_actions(actions)
            .await
            .map_err(Trouble::at("pressing keys"))
    }

    /// Drags from the centre of one element to the centre of another.
    pub async fn drag_onto(&self, from: &str, to: &str) -> Outcome<()> {
        let (from, to) = (self.centre(from).await?, self.centre(to).await?);
        self.drag(from, to).await
    }

    /// Drags as a hand does: press, a small first move, the way in steps, a rest, release.
    pub async fn drag(&self, from: Point, to: Point) -> Outcome<()> {
        self.drag_and_hold(from, to).await?;
        self.release().await
    }

    /// Drags and keeps the button down, so that what shows meanwhile can be looked at. Ends with [`Self::release`].
    pub async fn drag_and_hold(&self, from: Point, to: Point) -> Outcome<()> {
        self.drag_with(Button::Left, from, to).await
    }

    pub async fn release(&self) -> Outcome<()> {
        self.let_up(Button::Left).await
    }

    // --- Looking -----------------------------------------------------------------------------------------------

    /// A picture of the window as `NAME.png`, once what was asked before is drawn.
    pub async fn screenshot(&self, name: &str) -> Outcome<PathBuf> {
        let two_frames =
            "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done(true)))";
        self.client
            .execute_async(two_frames, vec![])
            .await
            .map_err(Trouble::at("waiting for a frame"))?;
        let taken = tokio::time::timeout(PATIENCE, self.client.screenshot()).await;
        let png = taken
            .map_err(Trouble::at("the picture"))?
            .map_err(Trouble::at("the picture"))?;
        let path = picture_folder().join(format!("{name}.png"));
        std::fs::create_dir_all(picture_folder()).map_err(Trouble::at("the folder of pictures"))?;
        std::fs::write(&path, png).map_err(Trouble::at(path.display().to_string()))?;
        Ok(path)
    }

    // --- Ending ------------------------------------------------------------------------------------------------

    /// As a crash or a pulled plug: the process is gone at once.
    pub async fn kill(self) -> Outcome<()> {
        let pid = self.pid()?;
        signal(pid, "KILL")?;
        gone(pid).await
    }

    /// As the system asks at log-out: the process ends by itself.
    pub async fn terminate(self) -> Outcome<()> {
        let pid = self.pid()?;
        signal(pid, "TERM")?;
        gone(pid).await
    }
}

async fn gone(pid: u32) -> Outcome<()> {
    if is_gone_within(pid, PATIENCE).await {
        Ok(())
    } else {
        Err(Trouble(format!("process {pid} does not end")))
    }
}

impl Drop for Desktop<'_> {
    fn drop(&mut self) {
        // A test that has failed leaves no window behind; the driver's own guard does the rest.
        if let Some(pid) = self.driver.started(&self.program) {
            let _ = signal(pid, "KILL");
        }
    }
}

fn locator(selector: &str) -> Locator<'_> {
    if selector.starts_with('/') {
        Locator::XPath(selector)
    } else {
        Locator::Css(selector)
    }
}

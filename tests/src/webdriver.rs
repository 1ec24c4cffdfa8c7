//! A screen of its own and a WebDriver that starts programs on it. Knows nothing of the program under test.
//!
//! `fantoccini` speaks the protocol; here are the processes around it, each ended by its own id when dropped.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::json;

/// Why a rig could not go on: what was tried, and what came instead.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Trouble(pub String);

pub type Outcome<T> = Result<T, Trouble>;

impl Trouble {
    pub fn at<E: std::fmt::Display>(what: impl Into<String>) -> impl FnOnce(E) -> Self {
        let what = what.into();
        move |error| Self(format!("{what}: {error}"))
    }
}

/// Starting takes a moment on a busy machine; longer than this, it has failed.
const PATIENCE: Duration = Duration::from_secs(30);

/// An invisible screen (Xvfb), ended when dropped.
pub struct Screen {
    server: Ended,
    name: String,
}

impl Screen {
    pub fn open(width: u32, height: u32) -> Outcome<Self> {
        let size = format!("{width}x{height}x24");
        // The server picks a free number itself and writes it down when it is ready.
        let mut server = Command::new("Xvfb")
            .args([
                "-displayfd",
                "1",
                "-screen",
                "0",
                &size,
                "-nolisten",
                "tcp",
                "-noreset",
            ])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(Trouble::at("Xvfb did not start (package xvfb)"))?;
        let output = server.stdout.take();
        let server = Ended(server);
        let mut number = String::new();
        if let Some(output) = output {
            BufReader::new(output)
                .read_line(&mut number)
                .map_err(Trouble::at("Xvfb named no display"))?;
        }
        match number.trim().parse::<u32>() {
            Ok(number) => Ok(Self {
                server,
                name: format!(":{number}"),
            }),
            Err(_) => Err(Trouble(format!("Xvfb named no display, but {number:?}"))),
        }
    }

    /// Such as `:99`.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn pid(&self) -> u32 {
        self.server.0.id()
    }
}

/// WebKit's own driver; the programs that it starts inherit its environment. Ended when dropped.
pub struct Driver {
    process: Ended,
    port: u16,
}

impl Driver {
    pub fn start(environment: impl IntoIterator<Item = (String, String)>) -> Outcome<Self> {
        let port = free_port()?;
        let process = Command::new("WebKitWebDriver")
            .args([format!("--port={port}"), "--host=127.0.0.1".to_owned()])
            .env_clear()
            .envs(environment)
            .env("TAURI_WEBVIEW_AUTOMATION", "true")
            .stdin(Stdio::null())
            .spawn()
            .map_err(Trouble::at(
                "WebKitWebDriver did not start (package webkit2gtk-driver)",
            ))?;
        Ok(Self {
            process: Ended(process),
            port,
        })
    }

    /// Starts the program and takes hold of its page.
    pub async fn open(&self, program: &Path, arguments: &[String]) -> Outcome<Client> {
        let options = json!({"binary": program, "args": arguments});
        let capabilities = serde_json::Map::from_iter([("webkitgtk:browserOptions".to_owned(), options)]);
        let started = Instant::now();
        loop {
            let url = format!("http://127.0.0.1:{}", self.port);
            let mut builder = ClientBuilder::new(HttpConnector::new());
            let session = builder.capabilities(capabilities.clone()).connect(&url);
            match tokio::time::timeout(PATIENCE, session).await {
                Ok(Ok(client)) => return Ok(client),
                Ok(Err(error)) if started.elapsed() > PATIENCE => {
                    return Err(Trouble(format!("{} gave no page: {error}", program.display())));
                }
                Ok(Err(_)) => tokio::time::sleep(Duration::from_millis(100)).await,
                Err(_) => return Err(Trouble(format!("{} gave no page in time", program.display()))),
            }
        }
    }

    /// The process that the driver has started from this program, if it lives.
    pub fn started(&self, program: &Path) -> Option<u32> {
        children(self.process.0.id()).into_iter().find(|pid| {
            let running = std::fs::read_link(format!("/proc/{pid}/exe"));
            running.is_ok_and(|running| running == program)
        })
    }
}

/// A child process that does not outlive its owner.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        // It may have ended by itself; there is nobody to tell.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Sends a signal, such as `KILL` or `TERM`, to one process.
pub fn signal(pid: u32, name: &str) -> Outcome<()> {
    let sent = Command::new("kill").args(["-s", name, &pid.to_string()]).status();
    match sent {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Trouble(format!("kill -s {name} {pid}: {status}"))),
        Err(error) => Err(Trouble(format!("kill -s {name} {pid}: {error}"))),
    }
}

/// True when the process has gone within `patience`.
pub async fn is_gone_within(pid: u32, patience: Duration) -> bool {
    let started = Instant::now();
    while is_alive(pid) {
        if started.elapsed() > patience {
            return false;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    true
}

/// A zombie has ended: its parent, the driver, may take its time to notice.
fn is_alive(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(')')
        .next()
        .and_then(|rest| rest.split_whitespace().next())
        .is_some_and(|state| state != "Z")
}

fn children(parent: u32) -> Vec<u32> {
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    let pids = entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_string_lossy().parse::<u32>().ok());
    pids.filter(|pid| parent_of(*pid) == Some(parent)).collect()
}

fn parent_of(pid: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // "pid (name) state parent …", and the name may hold anything.
    stat.rsplit(')').next()?.split_whitespace().nth(1)?.parse().ok()
}

fn free_port() -> Outcome<u16> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).map_err(Trouble::at("no free port"))?;
    Ok(listener.local_addr().map_err(Trouble::at("no free port"))?.port())
}

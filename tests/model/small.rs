//! The server of the small model, as long as a test needs it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

pub struct Small {
    child: Child,
    port: u16,
}

impl Small {
    /// Waits until it has loaded its model. The port is the server's choice: one that was free a moment ago may be taken.
    pub fn serve(folder: &Path) -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("model/serve.py");
        let mut command = Command::new(folder.join("venv/bin/python"));
        // One thread: two spin on each other where the machine has other work.
        command
            .arg(script)
            .arg(folder.join("model.gguf"))
            .args(["0", "1"]);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let out = child.stdout.take().unwrap();
        let mut small = Self { child, port: 0 };
        let mut line = String::new();
        BufReader::new(out).read_line(&mut line).unwrap();
        let port = line.trim().strip_prefix("listening http://127.0.0.1:");
        small.port = port.and_then(|port| port.parse().ok()).expect(&line);
        small.wait_until_loaded();
        small
    }

    fn wait_until_loaded(&self) {
        let began = Instant::now();
        while !self.is_loaded() {
            assert!(
                began.elapsed() < Duration::from_secs(300),
                "the model does not load"
            );
            std::thread::sleep(Duration::from_millis(200));
        }
    }

    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    fn is_loaded(&self) -> bool {
        let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port)) else {
            return false;
        };
        let asked = stream.write_all(b"GET /health HTTP/1.0\r\n\r\n");
        let mut said = [0; 12];
        asked.and_then(|()| stream.read_exact(&mut said)).is_ok() && said.ends_with(b"200")
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

//! The server of the small model, as long as a test needs it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

pub struct Small {
    child: Child,
    port: u16,
}

impl Small {
    /// Waits until it has loaded its model.
    pub fn serve(folder: &Path) -> Self {
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("model/serve.py");
        let mut command = Command::new(folder.join("venv/bin/python"));
        // One thread: two spin on each other where the machine has other work.
        command
            .arg(script)
            .arg(folder.join("model.gguf"))
            .args([&port.to_string(), "1"]);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        assert!(line.contains("listening"), "{line}");
        let small = Self { child, port };
        let began = Instant::now();
        while !small.is_loaded() {
            assert!(
                began.elapsed() < Duration::from_secs(300),
                "the model does not load"
            );
            std::thread::sleep(Duration::from_millis(200));
        }
        small
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

//! What this process says on stderr, logs and panics included, without the secrets that it has come to know. It must
//! not know what is said.

use std::io::{self, Write};
use std::sync::{LazyLock, PoisonError, RwLock};

use crate::model::redactor::Redactor;

/// Every secret that any run of this process has been given.
static KNOWN: LazyLock<RwLock<Redactor>> = LazyLock::new(RwLock::default);

/// From now on these are taken out of what is said.
pub(super) fn know<'a>(secrets: impl IntoIterator<Item = &'a str>) {
    KNOWN.write().unwrap_or_else(PoisonError::into_inner).add(secrets);
}

/// The text as it may be said.
pub fn told(text: &str) -> String {
    KNOWN.read().unwrap_or_else(PoisonError::into_inner).told(text)
}

/// Stderr for logs: each write is one whole message.
#[derive(Clone, Copy, Debug, Default)]
pub struct CleanStderr;

impl Write for CleanStderr {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let clean = told(&String::from_utf8_lossy(bytes));
        io::stderr().lock().write_all(clean.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().lock().flush()
    }
}

/// Lets a panic say what it says without secrets: the message of one may hold anything.
pub fn clean_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let _ = writeln!(CleanStderr, "{panic}");
    }));
}

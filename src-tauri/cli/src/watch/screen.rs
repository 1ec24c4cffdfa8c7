//! Lines on a terminal that take the place of those before. It must not know what they say.

use std::io::Write;

use super::table::Board;

/// Where the terminal does not say how large it is.
const USUAL: (usize, usize) = (80, 24);

#[derive(Default)]
pub struct Screen {
    /// Lines that were drawn last.
    drawn: usize,
}

impl Screen {
    /// A reader that has gone is none of the run's.
    pub fn draw(&mut self, board: &Board) {
        let (columns, rows) = size();
        let lines = board.lines(columns, rows.saturating_sub(1).max(4));
        let mut text = String::new();
        if self.drawn > 0 {
            text.push_str(&format!("\x1b[{}A\r\x1b[J", self.drawn));
        }
        for line in &lines {
            text.push_str(line);
            text.push('\n');
        }
        let mut stdout = std::io::stdout().lock();
        let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
        self.drawn = lines.len();
    }
}

#[cfg(unix)]
fn size() -> (usize, usize) {
    let told = rustix::termios::tcgetwinsize(std::io::stdout()).ok();
    let told = told.map(|size| (usize::from(size.ws_col), usize::from(size.ws_row)));
    told.filter(|&(columns, rows)| columns > 0 && rows > 0)
        .unwrap_or(USUAL)
}

#[cfg(not(unix))]
fn size() -> (usize, usize) {
    let of = |name: &str| std::env::var(name).ok()?.parse().ok().filter(|&n| n > 0);
    (of("COLUMNS").unwrap_or(USUAL.0), of("LINES").unwrap_or(USUAL.1))
}

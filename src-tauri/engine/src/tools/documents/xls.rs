//! Whether an xls may be opened. Its reader follows sectors that lead in a circle, and makes every cell between the first
//! and the last of each sheet; so both are looked at first. It must not know what the cells say.

use std::io::{Cursor, Read as _};

use cfb::CompoundFile;

use super::workbook::MOST_CELLS;
use super::{bad, encrypted, too_large};
use crate::tools::ToolError;

/// Cells of all sheets: they are in memory together.
const MOST_HELD: usize = 4 * MOST_CELLS;
/// As many rows and columns as a sheet may have.
const ROWS: usize = 65_536;
const COLUMNS: usize = 256;
/// Of records, in all sheets: a sheet may be named more than once.
const MOST_STEPS: usize = 32 << 20;

const BEGINS: u16 = 0x0809;
const ENDS: u16 = 0x000a;
const SHEET: u16 = 0x0085;
const DIMENSIONS: u16 = 0x0200;
/// Cells one by one, and those that stand in a row.
const CELLS: [u16; 7] = [0x0203, 0x0204, 0x00d6, 0x0205, 0x027e, 0x00fd, 0x0006];
const CELLS_IN_ROW: u16 = 0x00bd;

pub(super) fn check(bytes: &[u8]) -> Result<(), ToolError> {
    let broken = |error: std::io::Error| bad(format!("the workbook is broken: {error}"));
    let mut file = CompoundFile::open(Cursor::new(bytes)).map_err(broken)?;
    if file.is_stream("/EncryptedPackage") {
        return Err(encrypted("workbook"));
    }
    let name = ["/Workbook", "/Book"]
        .into_iter()
        .find(|name| file.is_stream(name));
    let name = name.ok_or_else(|| bad("this is no workbook: an old Office file of another kind"))?;
    let mut book = Vec::new();
    let stream = file.open_stream(name).map_err(broken)?;
    // It is no longer than the file, whatever is said of it.
    stream
        .take(bytes.len() as u64)
        .read_to_end(&mut book)
        .map_err(broken)?;
    check_sheets(&book)
}

fn check_sheets(book: &[u8]) -> Result<(), ToolError> {
    let globals = Records(book).take_while(|(kind, _)| *kind != ENDS);
    let starts = globals
        .filter(|(kind, _)| *kind == SHEET)
        .filter_map(|(_, said)| long(said, 0));
    let (mut held, mut steps) = (0_usize, 0_usize);
    for start in starts {
        let mut area = Area::default();
        let mut depth = 0_usize;
        for (kind, said) in Records(book.get(start..).unwrap_or_default()) {
            steps += 1;
            match kind {
                BEGINS => depth += 1,
                ENDS if depth <= 1 => break,
                ENDS => depth -= 1,
                // A chart in a sheet has cells of its own.
                _ if depth > 1 => {}
                DIMENSIONS => check_dimensions(said)?,
                kind => area.take(kind, said),
            }
        }
        held = held.saturating_add(area.cells());
        if held > MOST_HELD || steps > MOST_STEPS {
            return Err(too_large(format!(
                "the sheets of the workbook have more than {MOST_HELD} cells"
            )));
        }
    }
    Ok(())
}

/// Room is made for as many cells as a sheet says that it has.
fn check_dimensions(said: &[u8]) -> Result<(), ToolError> {
    let rows = if said.len() < 14 {
        short(said, 2)
    } else {
        long(said, 4)
    };
    let columns = short(said, if said.len() < 14 { 6 } else { 10 });
    if rows.is_some_and(|rows| rows > ROWS) || columns.is_some_and(|columns| columns > COLUMNS) {
        return Err(bad(
            "the workbook is broken: a sheet says that it has more rows or columns than it can",
        ));
    }
    Ok(())
}

/// The first and the last row and column of a sheet's cells.
#[derive(Default)]
struct Area(Option<[usize; 4]>);

impl Area {
    fn take(&mut self, kind: u16, said: &[u8]) {
        let last = if CELLS.contains(&kind) {
            short(said, 2)
        } else if kind == CELLS_IN_ROW {
            said.len().checked_sub(2).and_then(|at| short(said, at))
        } else {
            None
        };
        if let (Some(row), Some(first), Some(last)) = (short(said, 0), short(said, 2), last) {
            let [top, bottom, left, right] = self.0.unwrap_or([row, row, first, last]);
            self.0 = Some([top.min(row), bottom.max(row), left.min(first), right.max(last)]);
        }
    }

    fn cells(&self) -> usize {
        self.0.map_or(0, |[top, bottom, left, right]| {
            (bottom - top + 1) * (right.saturating_sub(left) + 1)
        })
    }
}

/// Kinds and contents of records, up to the first that is cut off.
struct Records<'a>(&'a [u8]);

impl<'a> Iterator for Records<'a> {
    type Item = (u16, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let kind = u16::try_from(short(self.0, 0)?).ok()?;
        let length = short(self.0, 2)?;
        let said = self.0.get(4..4 + length)?;
        self.0 = &self.0[4 + length..];
        Some((kind, said))
    }
}

fn short(bytes: &[u8], at: usize) -> Option<usize> {
    let two = bytes.get(at..at + 2)?;
    Some(usize::from(two[0]) | usize::from(two[1]) << 8)
}

fn long(bytes: &[u8], at: usize) -> Option<usize> {
    Some(short(bytes, at)? | short(bytes, at + 2)? << 16)
}

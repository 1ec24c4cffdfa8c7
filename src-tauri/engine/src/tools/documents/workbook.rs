//! The cells of a workbook's sheet that hold something, in order. What is empty in between costs nothing, however far
//! apart they are. It must not know what becomes of them.

use std::io::Cursor;

use calamine::{Data, DataRef, Ods, Reader as _, Sheets, Xls, Xlsb, Xlsx, XlsxError, open_workbook_from_rs};
use tokio_util::sync::CancellationToken;

use super::{MOST_TEXT, bad, encrypted, ods, too_large, xls};
use crate::tools::ToolError;

/// Also of those that are only there because others are, in their rows.
pub(super) const MOST_CELLS: usize = 2_000_000;
/// Bytes of an archive when unpacked.
const MOST_UNPACKED: u64 = 256 << 20;
/// How files begin that are no archives: xls, and any with a password.
const COMPOUND: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";
/// How often the word to stop is looked for.
const PIECE: usize = 4096;

type Bytes = Cursor<Vec<u8>>;
pub(super) type Book = Sheets<Bytes>;

/// Cells by row and column, both counted from 0, each place once.
pub(super) struct Grid {
    cells: Vec<((u32, u32), Data)>,
    /// The first and the last column that hold anything.
    columns: (u32, u32),
}

/// By what the bytes are: names of files lie.
pub(super) fn open(bytes: Vec<u8>) -> Result<Book, ToolError> {
    if bytes.is_empty() {
        return Err(bad("the file is empty"));
    }
    if bytes.starts_with(COMPOUND) {
        xls::check(&bytes)?;
        return opened::<Xls<Bytes>>(Cursor::new(bytes)).map(Sheets::Xls);
    }
    let parts = parts(&bytes)?;
    let has = |name: &str| {
        parts
            .iter()
            .any(|part| part.trim_start_matches('/').eq_ignore_ascii_case(name))
    };
    let is_ods = has("content.xml") && !has("[Content_Types].xml");
    if is_ods {
        ods::check(&bytes)?;
    }
    let bytes = Cursor::new(bytes);
    if is_ods {
        return opened::<Ods<Bytes>>(bytes).map(Sheets::Ods);
    }
    if has("xl/workbook.xml") || has("[Content_Types].xml") && !has("xl/workbook.bin") {
        return opened::<Xlsx<Bytes>>(bytes).map(Sheets::Xlsx);
    }
    if has("xl/workbook.bin") {
        return opened::<Xlsb<Bytes>>(bytes).map(Sheets::Xlsb);
    }
    Err(bad("the archive is no workbook: none of its parts is one's"))
}

fn opened<R: calamine::Reader<Bytes>>(bytes: Bytes) -> Result<R, ToolError>
where
    R::Error: std::fmt::Display,
{
    open_workbook_from_rs(bytes).map_err(|error: R::Error| {
        let why = error.to_string();
        if why.contains("password protected") {
            return encrypted("workbook");
        }
        bad(format!("the workbook is broken: {why}"))
    })
}

/// The names in an archive that does not become more than memory holds.
fn parts(bytes: &[u8]) -> Result<Vec<String>, ToolError> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(|error| {
        if bytes.starts_with(b"PK") {
            bad(format!("the workbook is cut off or broken: {error}"))
        } else {
            bad("this is no workbook: neither an archive (xlsx, xlsb, ods) nor an xls")
        }
    })?;
    let (mut names, mut sum) = (Vec::new(), 0u64);
    for index in 0..archive.len() {
        let Ok(file) = archive.by_index_raw(index) else {
            continue;
        };
        sum = sum.saturating_add(file.size());
        names.push(file.name().map(|name| name.to_string()).unwrap_or_default());
    }
    if sum > MOST_UNPACKED {
        return Err(too_large(format!(
            "the workbook unpacks to more than {} MiB",
            MOST_UNPACKED >> 20
        )));
    }
    Ok(names)
}

/// The sheet's cells; `name` is one of the book's.
pub(super) fn grid(book: &mut Book, name: &str, cancel: &CancellationToken) -> Result<Grid, ToolError> {
    let broken = |why: String| bad(format!("the sheet `{name}` is broken: {why}"));
    let mut gathered = Gathered::new(name, cancel);
    match book {
        Sheets::Xlsx(book) => {
            let mut reader = match book.worksheet_cells_reader(name) {
                Ok(reader) => reader,
                // A sheet that is a chart has no cells.
                Err(XlsxError::NotAWorksheet(_)) => return gathered.grid(),
                Err(error) => return Err(broken(error.to_string())),
            };
            while let Some(cell) = reader.next_cell().map_err(|e| broken(e.to_string()))? {
                gathered.take(cell.get_position(), cell.get_value())?;
            }
        }
        Sheets::Xlsb(book) => {
            let reader = book.worksheet_cells_reader(name);
            let mut reader = reader.map_err(|e| broken(e.to_string()))?;
            while let Some(cell) = reader.next_cell().map_err(|e| broken(e.to_string()))? {
                gathered.take(cell.get_position(), cell.get_value())?;
            }
        }
        // These are in memory as a whole, empty cells too: they were looked at before.
        Sheets::Xls(_) | Sheets::Ods(_) => {
            let range = book.worksheet_range(name).map_err(|e| broken(e.to_string()))?;
            let (row, column) = range.start().unwrap_or_default();
            for (down, right, value) in range.used_cells() {
                let at =
                    |from: u32, more: usize| from.saturating_add(u32::try_from(more).unwrap_or(u32::MAX));
                gathered.keep((at(row, down), at(column, right)), value.clone())?;
            }
        }
    }
    gathered.grid()
}

struct Gathered<'a> {
    name: &'a str,
    cancel: &'a CancellationToken,
    cells: Vec<((u32, u32), Data)>,
    text: usize,
}

impl<'a> Gathered<'a> {
    fn new(name: &'a str, cancel: &'a CancellationToken) -> Self {
        Self {
            name,
            cancel,
            cells: Vec::new(),
            text: 0,
        }
    }

    fn take(&mut self, at: (u32, u32), value: &DataRef<'_>) -> Result<(), ToolError> {
        // A text that many cells share is counted before there are many of it.
        if let DataRef::SharedString(text) = value {
            self.count(text)?;
        }
        self.keep(at, Data::from(value.clone()))
    }

    fn keep(&mut self, at: (u32, u32), value: Data) -> Result<(), ToolError> {
        if value == Data::Empty {
            return Ok(());
        }
        if self.cells.len() >= MOST_CELLS {
            return Err(too_large(format!(
                "the sheet `{}` has more than {MOST_CELLS} cells",
                self.name
            )));
        }
        if self.cells.len().is_multiple_of(PIECE) && self.cancel.is_cancelled() {
            return Err(ToolError::Cancelled);
        }
        self.cells.push((at, value));
        Ok(())
    }

    fn count(&mut self, text: &str) -> Result<(), ToolError> {
        self.text += text.len();
        if self.text > MOST_TEXT {
            return Err(too_much_text(self.name));
        }
        Ok(())
    }

    /// A file may tell its cells in any order, and one more than once: the last time counts.
    fn grid(self) -> Result<Grid, ToolError> {
        let mut cells = self.cells;
        cells.sort_by_key(|(at, _)| *at);
        cells.dedup_by(|later, earlier| {
            let is_same = later.0 == earlier.0;
            if is_same {
                std::mem::swap(later, earlier);
            }
            is_same
        });
        let columns = || cells.iter().map(|((_, column), _)| *column);
        let columns = (columns().min().unwrap_or(0), columns().max().unwrap_or(0));
        let grid = Grid { cells, columns };
        let (height, width) = (grid.rows().count(), grid.width());
        if height.saturating_mul(width) > MOST_CELLS {
            return Err(too_large(format!(
                "the sheet `{}` has {height} rows of {width} columns, more than {MOST_CELLS} cells",
                self.name
            )));
        }
        Ok(grid)
    }
}

pub(super) fn too_much_text(sheet: &str) -> ToolError {
    too_large(format!(
        "the sheet `{sheet}` holds more than {} MiB of text",
        MOST_TEXT >> 20
    ))
}

impl Grid {
    /// From the first column that holds anything to the last.
    pub(super) fn width(&self) -> usize {
        let (first, last) = self.columns;
        if self.cells.is_empty() {
            0
        } else {
            (last - first) as usize + 1
        }
    }

    /// The rows that hold anything; each with its cells by their place in it, from 0.
    pub(super) fn rows(&self) -> impl Iterator<Item = impl Iterator<Item = (usize, &Data)>> {
        let first = self.columns.0;
        let rows = self.cells.chunk_by(|one, next| one.0.0 == next.0.0);
        rows.map(move |row| {
            row.iter()
                .map(move |((_, column), value)| ((column - first) as usize, value))
        })
    }
}

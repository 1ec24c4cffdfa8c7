//! Whether an ods may be opened. Its reader waits without end for what is not closed, and makes every cell that is only
//! repeated; so its content is walked first, by the same rules, and counted. It must not know what the cells say.

use std::io::{BufReader, Cursor};

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::workbook::MOST_CELLS;
use super::{MOST_TEXT, bad, too_large};
use crate::tools::ToolError;

/// The empty ones before a row's last cell are in memory too.
const MOST_HELD: usize = 4 * MOST_CELLS;

pub(super) fn check(bytes: &[u8]) -> Result<(), ToolError> {
    let broken = |why: String| bad(format!("the workbook is broken: {why}"));
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(|e| broken(e.to_string()))?;
    let content = archive
        .by_name("content.xml")
        .map_err(|e| broken(e.to_string()))?;
    let mut reader = Reader::from_reader(BufReader::new(content));
    reader.config_mut().expand_empty_elements = true;
    let (mut walk, mut depth, mut buffer) = (Walk::default(), 0_usize, Vec::new());
    loop {
        buffer.clear();
        let event = reader
            .read_event_into(&mut buffer)
            .map_err(|e| broken(e.to_string()))?;
        match &event {
            Event::Eof if depth > 0 => return Err(bad("the workbook is cut off: its content does not end")),
            Event::Eof => return Ok(()),
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            Event::Empty(_) | Event::Text(_) | Event::CData(_) | Event::Comment(_) | Event::Decl(_) => {}
            Event::PI(_) | Event::DocType(_) | Event::GeneralRef(_) => {}
        }
        walk.take(&event)?;
    }
}

/// Where the walk is.
#[derive(Default)]
struct Walk {
    table: Table,
    row: Row,
    cell: Cell,
    /// Bytes of text that stand in the workbook only once and in memory more often.
    copied: usize,
}

#[derive(Default)]
struct Table {
    rows: usize,
    /// The first row and column that hold anything, and those after the last.
    area: Option<[(usize, usize); 2]>,
    held: usize,
}

#[derive(Default)]
struct Row {
    repeats: usize,
    columns: usize,
    /// The first column that holds anything, and that after the last.
    span: Option<(usize, usize)>,
    /// Bytes of its text, repeated cells as often as they are.
    text: usize,
}

#[derive(Default)]
struct Cell {
    repeats: usize,
    text: usize,
    is_full: bool,
}

impl Walk {
    fn take(&mut self, event: &Event<'_>) -> Result<(), ToolError> {
        match event {
            Event::Start(start) => self.start(start),
            Event::End(end) => match end.name().as_ref() {
                "table:table-cell" | "table:covered-table-cell" => self.end_cell(),
                "table:table-row" => self.end_row(),
                _ => {}
            },
            Event::Text(text) => self.cell.hold(text.trim().len()),
            Event::CData(text) => self.cell.hold(text.len()),
            Event::GeneralRef(_) => self.cell.hold(1),
            Event::Empty(_) | Event::Comment(_) | Event::Decl(_) => {}
            Event::PI(_) | Event::DocType(_) | Event::Eof => {}
        }
        self.check()
    }

    fn start(&mut self, start: &BytesStart<'_>) {
        match start.name().as_ref() {
            "table:table" => self.table = Table::default(),
            "table:table-row" => {
                self.row = Row {
                    repeats: number(start, "table:number-rows-repeated"),
                    ..Row::default()
                };
            }
            "table:table-cell" | "table:covered-table-cell" => {
                let said = start.attributes_raw();
                self.cell = Cell {
                    repeats: number(start, "table:number-columns-repeated"),
                    text: said.len(),
                    is_full: said.contains("office:") || said.contains("table:formula"),
                };
            }
            "text:s" => {
                let spaces = number(start, "text:c");
                self.cell.hold(spaces);
                self.copied = self.copied.saturating_add(spaces);
            }
            _ => self.cell.hold(1),
        }
    }

    fn end_cell(&mut self) {
        let (row, cell) = (&mut self.row, std::mem::take(&mut self.cell));
        let first = row.columns;
        row.columns = first.saturating_add(cell.repeats);
        if !cell.is_full {
            return;
        }
        row.span = Some((row.span.map_or(first, |(first, _)| first), row.columns));
        row.text = row.text.saturating_add(cell.text.saturating_mul(cell.repeats));
        let copies = cell.repeats.saturating_sub(1);
        self.copied = self.copied.saturating_add(cell.text.saturating_mul(copies));
    }

    fn end_row(&mut self) {
        let (table, row) = (&mut self.table, std::mem::take(&mut self.row));
        let top = table.rows;
        table.rows = top.saturating_add(row.repeats);
        let Some((first, after)) = row.span else { return };
        table.held = table.held.saturating_add(after);
        let [start, end] = table.area.unwrap_or([(top, first), (0, 0)]);
        table.area = Some([(start.0, start.1.min(first)), (table.rows, end.1.max(after))]);
        let copies = row.repeats.saturating_sub(1);
        self.copied = self.copied.saturating_add(row.text.saturating_mul(copies));
    }

    fn check(&self) -> Result<(), ToolError> {
        let cells = self.table.area.map_or(0, |[start, end]| {
            let (height, width) = (end.0.saturating_sub(start.0), end.1.saturating_sub(start.1));
            height.saturating_mul(width)
        });
        if cells > MOST_CELLS || self.table.held > MOST_HELD {
            return Err(too_large(format!(
                "a sheet of the workbook has more than {MOST_CELLS} cells"
            )));
        }
        if self.copied > MOST_TEXT {
            return Err(too_large(format!(
                "the workbook repeats more than {} MiB of text",
                MOST_TEXT >> 20
            )));
        }
        Ok(())
    }
}

impl Cell {
    fn hold(&mut self, text: usize) {
        self.is_full |= text > 0;
        self.text = self.text.saturating_add(text);
    }
}

/// How often; what is no number is refused by the reader itself.
fn number(start: &BytesStart<'_>, name: &str) -> usize {
    let said = start.try_get_attribute(name).ok().flatten();
    said.and_then(|attribute| attribute.value.parse().ok())
        .unwrap_or(1)
}

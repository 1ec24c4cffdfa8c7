//! CSV text as columns and rows of text. Knows no file and no tool.

use csv::{ByteRecord, Reader, ReaderBuilder};

use super::ToolError;
use crate::model::counted;

/// Values in one table; more are no work for a task's output.
const MOST_CELLS: usize = 2_000_000;

/// How the text is laid out.
pub(super) struct Layout {
    pub(super) delimiter: u8,
    /// The first line names the columns; else they are `column_1`, `column_2` …
    pub(super) has_header: bool,
}

pub(super) struct Table<'a> {
    pub(super) columns: Vec<String>,
    text: &'a str,
    name: &'a str,
    reader: Reader<&'a [u8]>,
    /// The first row, where it is no header.
    first: Option<ByteRecord>,
    cells: usize,
}

impl<'a> Table<'a> {
    /// Reads the header. `name` is how errors call the text.
    pub(super) fn open(text: &'a str, name: &'a str, layout: &Layout) -> Result<Self, ToolError> {
        let mut builder = ReaderBuilder::new();
        builder
            .has_headers(false)
            .flexible(true)
            .delimiter(layout.delimiter);
        let mut reader = builder.from_reader(text.as_bytes());
        let mut first = ByteRecord::new();
        let has_first = reader
            .read_byte_record(&mut first)
            .map_err(|e| broken(name, &e))?;
        if layout.has_header && !has_first {
            return Err(bad(format!(
                "`{name}` is empty: the line that names the columns is missing"
            )));
        }
        let columns = match layout.has_header {
            true => first
                .iter()
                .map(|f| String::from_utf8_lossy(f).into_owned())
                .collect(),
            false => (1..=first.len()).map(|n| format!("column_{n}")).collect(),
        };
        let table = Self {
            columns,
            text,
            name,
            reader,
            first: Some(first).filter(|_| !layout.has_header && has_first),
            cells: 0,
        };
        table.check_names()?;
        Ok(table)
    }

    fn check_names(&self) -> Result<(), ToolError> {
        let mut seen = std::collections::HashSet::new();
        match self.columns.iter().find(|c| !seen.insert(c.as_str())) {
            Some(twice) => Err(bad(format!("`{}` has two columns called `{twice}`", self.name))),
            None => Ok(()),
        }
    }

    /// The next row's fields, as many as there are columns.
    pub(super) fn next(&mut self) -> Result<Option<Vec<String>>, ToolError> {
        let record = match self.first.take() {
            Some(first) => first,
            None => {
                let mut record = ByteRecord::new();
                if !self
                    .reader
                    .read_byte_record(&mut record)
                    .map_err(|e| broken(self.name, &e))?
                {
                    return Ok(None);
                }
                record
            }
        };
        self.check(&record)?;
        // The whole text is UTF-8, and delimiters are ASCII, so that no character is ever cut.
        Ok(Some(
            record
                .iter()
                .map(|f| String::from_utf8_lossy(f).into_owned())
                .collect(),
        ))
    }

    /// Counted from 1. The reader's own position is before the blank lines that it skips.
    fn line_of(&self, record: &ByteRecord) -> usize {
        let start = record
            .position()
            .map_or(0, |p| usize::try_from(p.byte()).unwrap_or(0));
        let (before, rest) = self.text.as_bytes().split_at(start.min(self.text.len()));
        let skipped = rest.iter().take_while(|b| matches!(b, b'\n' | b'\r'));
        before.iter().chain(skipped).filter(|b| **b == b'\n').count() + 1
    }

    fn check(&mut self, record: &ByteRecord) -> Result<(), ToolError> {
        if record.len() != self.columns.len() {
            let line = self.line_of(record);
            let message = format!(
                "`{}`, line {line}: {} where there are {}",
                self.name,
                counted(record.len(), "field"),
                counted(self.columns.len(), "column")
            );
            return Err(bad(message));
        }
        self.cells += record.len();
        if self.cells > MOST_CELLS {
            let message = format!("`{}` has more than {MOST_CELLS} values", self.name);
            return Err(ToolError::permanent("too_large", message));
        }
        Ok(())
    }
}

fn bad(message: String) -> ToolError {
    ToolError::permanent("bad_csv", message)
}

fn broken(name: &str, error: &csv::Error) -> ToolError {
    bad(format!("`{name}` can't be read: {error}"))
}

//! One sheet of a workbook (xlsx, xlsm, xlsb, xls, ods) as rows.

use std::io::Cursor;

use calamine::{Data, ExcelDateTime, Reader as _, open_workbook_auto_from_rs};
use serde::{Deserialize, Serialize};
use serde_json::{Number, json};
use tokio_util::sync::CancellationToken;

use super::{MOST_TEXT, bad, too_large};
use crate::model::Json;
use crate::tools::ToolError;

const MOST_CELLS: usize = 2_000_000;
/// Bytes of an archive when unpacked.
const MOST_UNPACKED: u64 = 256 << 20;
/// Whole numbers beyond are not exact in a workbook.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Which rows of a workbook are wanted.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::tools) struct Sheet {
    /// None is the first.
    pub(in crate::tools) name: Option<Named>,
    pub(in crate::tools) has_header: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::tools) enum Named {
    Name(String),
    /// Counted from 1.
    Number(usize),
}

pub(in crate::tools) fn rows(
    wanted: &Sheet,
    bytes: Vec<u8>,
    cancel: &CancellationToken,
) -> Result<Json, ToolError> {
    check_archive(&bytes)?;
    let mut book = open_workbook_auto_from_rs(Cursor::new(bytes))
        .map_err(|e| bad(format!("this is no workbook that can be read: {e}")))?;
    let sheets = book.sheet_names();
    let name = chosen(wanted.name.as_ref(), &sheets)?;
    let range = book
        .worksheet_range(&name)
        .map_err(|e| bad(format!("the sheet `{name}` can't be read: {e}")))?;
    if range.height().saturating_mul(range.width()) > MOST_CELLS {
        return Err(too_large(format!(
            "the sheet `{name}` has more than {MOST_CELLS} cells"
        )));
    }
    let mut rows = range.rows().filter(|row| row.iter().any(|c| *c != Data::Empty));
    let columns = match rows.next() {
        Some(first) if wanted.has_header => named(first)?,
        _ => numbered(range.width()),
    };
    let first = if wanted.has_header { 1 } else { 0 };
    let rows = range
        .rows()
        .filter(|row| row.iter().any(|c| *c != Data::Empty))
        .skip(first);
    let (mut taken, mut size) = (Vec::new(), 0);
    for row in rows {
        if cancel.is_cancelled() {
            return Err(ToolError::Cancelled);
        }
        let values = columns
            .iter()
            .cloned()
            .zip(row.iter().map(|cell| value(cell, &mut size)));
        taken.push(Json::Object(values.collect()));
        if size > MOST_TEXT {
            return Err(too_large(format!(
                "the sheet `{name}` holds more than {} MiB of text",
                MOST_TEXT >> 20
            )));
        }
    }
    Ok(json!({ "sheet": name, "sheets": sheets, "columns": columns, "rows": taken }))
}

/// A small archive must not become more than memory holds. Says nothing of files that are no archives.
fn check_archive(bytes: &[u8]) -> Result<(), ToolError> {
    let Ok(mut archive) = zip::ZipArchive::new(Cursor::new(bytes)) else {
        return Ok(());
    };
    let mut sum = 0u64;
    for index in 0..archive.len() {
        let size = archive.by_index_raw(index).map_or(0, |file| file.size());
        sum = sum.saturating_add(size);
    }
    if sum > MOST_UNPACKED {
        return Err(too_large(format!(
            "the workbook unpacks to more than {} MiB",
            MOST_UNPACKED >> 20
        )));
    }
    Ok(())
}

fn chosen(wanted: Option<&Named>, sheets: &[String]) -> Result<String, ToolError> {
    let found = match wanted {
        None => sheets.first(),
        Some(Named::Name(name)) => sheets.iter().find(|s| *s == name),
        Some(Named::Number(number)) => number.checked_sub(1).and_then(|n| sheets.get(n)),
    };
    let missing = || match wanted {
        None => bad("the workbook has no sheet"),
        Some(Named::Name(name)) => ToolError::permanent(
            "not_found",
            format!("there is no sheet `{name}`; there are: {}", sheets.join(", ")),
        ),
        Some(Named::Number(number)) => ToolError::permanent(
            "not_found",
            format!("there is no sheet number {number}; there are {}", sheets.len()),
        ),
    };
    found.cloned().ok_or_else(missing)
}

/// The first row as the columns' names.
fn named(first: &[Data]) -> Result<Vec<String>, ToolError> {
    let mut names: Vec<String> = Vec::with_capacity(first.len());
    let mut seen = std::collections::HashSet::new();
    for (number, cell) in (1..).zip(first) {
        let name = match text_of(cell) {
            name if name.is_empty() => format!("column_{number}"),
            name => name,
        };
        if !seen.insert(name.clone()) {
            return Err(bad(format!(
                "two columns are called `{name}`; read the sheet with `header` false"
            )));
        }
        names.push(name);
    }
    Ok(names)
}

fn numbered(width: usize) -> Vec<String> {
    (1..=width).map(|n| format!("column_{n}")).collect()
}

fn text_of(cell: &Data) -> String {
    match value(cell, &mut 0) {
        Json::String(text) => text.trim().to_owned(),
        Json::Null => String::new(),
        other @ (Json::Bool(_) | Json::Number(_) | Json::Array(_) | Json::Object(_)) => other.to_string(),
    }
}

fn value(cell: &Data, size: &mut usize) -> Json {
    let value = match cell {
        Data::Empty => Json::Null,
        Data::Bool(is) => Json::Bool(*is),
        Data::Int(number) => Json::from(*number),
        Data::Float(number) => decimal(*number),
        Data::String(text) | Data::DateTimeIso(text) | Data::DurationIso(text) => {
            Json::String(text.replace('\0', ""))
        }
        Data::DateTime(moment) => Json::String(moment_text(moment)),
        Data::Error(error) => Json::String(error.to_string()),
    };
    *size += value.as_str().map_or(16, str::len);
    value
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "only whole numbers that both types hold exactly"
)]
fn decimal(number: f64) -> Json {
    if number.fract() == 0.0 && number.abs() < EXACT {
        return Json::from(number as i64);
    }
    Number::from_f64(number).map_or(Json::Null, Json::Number)
}

/// A date, a date with its time, or a length of time as hours, minutes and seconds.
fn moment_text(moment: &ExcelDateTime) -> String {
    if moment.is_duration() {
        #[expect(clippy::cast_possible_truncation, reason = "a workbook's days are few")]
        let seconds = (moment.as_f64() * 86_400.0).round() as i64;
        let sign = if seconds < 0 { "-" } else { "" };
        let seconds = seconds.unsigned_abs();
        return format!(
            "{sign}{}:{:02}:{:02}",
            seconds / 3600,
            seconds / 60 % 60,
            seconds % 60
        );
    }
    let (year, month, day, hour, minute, second, milli) = moment.to_ymd_hms_milli();
    let date = format!("{year:04}-{month:02}-{day:02}");
    match (hour, minute, second, milli) {
        (0, 0, 0, 0) => date,
        (_, _, _, 0) => format!("{date}T{hour:02}:{minute:02}:{second:02}"),
        _ => format!("{date}T{hour:02}:{minute:02}:{second:02}.{milli:03}"),
    }
}

//! One sheet of a workbook (xlsx, xlsm, xlsb, xls, ods) as rows.

use calamine::{Data, ExcelDateTime, Reader as _};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, json};
use tokio_util::sync::CancellationToken;

use super::{MOST_TEXT, bad, workbook};
use crate::model::Json;
use crate::tools::ToolError;

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
    let mut book = workbook::open(bytes)?;
    let sheets = book.sheet_names();
    let name = chosen(wanted.name.as_ref(), &sheets)?;
    let grid = workbook::grid(&mut book, &name, cancel)?;
    let mut rows = grid.rows();
    let head = if wanted.has_header { rows.next() } else { None };
    let columns = match head {
        Some(head) => named(head, grid.width())?,
        None => (1..=grid.width()).map(numbered).collect(),
    };
    let names: usize = columns.iter().map(String::len).sum();
    let (mut taken, mut size) = (Vec::new(), 0);
    for row in rows {
        if cancel.is_cancelled() {
            return Err(ToolError::Cancelled);
        }
        let mut values: Map<String, Json> = columns.iter().map(|name| (name.clone(), Json::Null)).collect();
        for (at, cell) in row {
            if let Some(place) = columns.get(at).and_then(|name| values.get_mut(name)) {
                *place = value(cell, &mut size);
            }
        }
        taken.push(Json::Object(values));
        // Each row has the columns' names too.
        size += names;
        if size > MOST_TEXT {
            return Err(workbook::too_much_text(&name));
        }
    }
    Ok(json!({ "sheet": name, "sheets": sheets, "columns": columns, "rows": taken }))
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
fn named<'a>(head: impl Iterator<Item = (usize, &'a Data)>, width: usize) -> Result<Vec<String>, ToolError> {
    let mut names: Vec<String> = (1..=width).map(numbered).collect();
    for (at, cell) in head {
        let name = text_of(cell);
        if let (false, Some(place)) = (name.is_empty(), names.get_mut(at)) {
            *place = name;
        }
    }
    let mut seen = std::collections::HashSet::new();
    match names.iter().find(|name| !seen.insert(name.as_str())) {
        Some(name) => Err(bad(format!(
            "two columns are called `{name}`; read the sheet with `header` false"
        ))),
        None => Ok(names),
    }
}

fn numbered(number: usize) -> String {
    format!("column_{number}")
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

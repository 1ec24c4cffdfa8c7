//! CSV files as tables of an in-memory database; every column is text.

use rusqlite::{Connection, params_from_iter};
use serde::{Deserialize, Serialize};

use super::errors::told;
use super::guard::Guard;
use crate::model::Json;
use crate::model::tool::Access;
use crate::tools::blocking::Stop;
use crate::tools::csv_table::{Layout, Table};
use crate::tools::files::{Walls, read_text};
use crate::tools::{ToolError, arguments};

const MOST_COLUMNS: usize = 2000;

/// One CSV file as a table.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Source {
    name: String,
    /// As it was asked for.
    path: String,
    text: String,
}

/// The files behind `tables`, read but not understood.
pub(super) fn sources(
    tables: &serde_json::Map<String, Json>,
    walls: &Walls,
    stop: &Stop,
) -> Result<Vec<Source>, ToolError> {
    if tables.is_empty() {
        return Err(arguments::bad("`tables` names no file"));
    }
    let source = |(name, path): (&String, &Json)| {
        let path = path
            .as_str()
            .ok_or_else(|| arguments::bad(format!("`tables`: `{name}` must be a path")))?;
        Ok(Source {
            name: name.clone(),
            path: path.to_owned(),
            text: read_text(&walls.locate(path, Access::Read)?, stop)?,
        })
    };
    tables.iter().map(source).collect()
}

pub(super) fn load(connection: &mut Connection, sources: &[Source], guard: &Guard) -> Result<(), ToolError> {
    let layout = Layout {
        delimiter: b',',
        has_header: true,
    };
    for source in sources {
        let table = Table::open(&source.text, &source.path, &layout)?;
        fill(connection, &source.name, table, guard)?;
    }
    Ok(())
}

fn fill(
    connection: &mut Connection,
    name: &str,
    mut table: Table<'_>,
    guard: &Guard,
) -> Result<(), ToolError> {
    let failed = |e: rusqlite::Error| {
        let told = told(&e, guard);
        let ToolError::Permanent { message, .. } = &told else {
            return told;
        };
        ToolError::permanent("bad_csv", format!("the table `{name}` can't be made: {message}"))
    };
    if table.columns.len() > MOST_COLUMNS {
        let message = format!("the table `{name}` has more than {MOST_COLUMNS} columns");
        return Err(ToolError::permanent("too_large", message));
    }
    let columns: Vec<String> = table
        .columns
        .iter()
        .map(|c| format!("{} TEXT", quoted(c)))
        .collect();
    let transaction = connection.transaction().map_err(failed)?;
    transaction
        .execute_batch(&format!("CREATE TABLE {} ({})", quoted(name), columns.join(", ")))
        .map_err(failed)?;
    {
        let marks = vec!["?"; columns.len()].join(", ");
        let sql = format!("INSERT INTO {} VALUES ({marks})", quoted(name));
        let mut insert = transaction.prepare(&sql).map_err(failed)?;
        while let Some(fields) = table.next()? {
            insert.execute(params_from_iter(fields)).map_err(failed)?;
        }
    }
    transaction.commit().map_err(failed)
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

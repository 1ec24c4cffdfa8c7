//! `csv.read`: a CSV file as rows. Values stay text.

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::json;

use super::blocking::{self, Stop};
use super::csv_table::{Layout, Table};
use super::files::{Walls, read_text};
use super::{CallContext, Tool, ToolError, arguments, spec};
use crate::model::Json;
use crate::model::foreseen::Foresee;
use crate::model::tool::{Access, Effect, Idempotency, ToolSpec, Touch};

pub(super) struct CsvRead {
    spec: Arc<ToolSpec>,
    closed: Arc<[PathBuf]>,
}

impl CsvRead {
    pub(super) fn new(closed: Arc<[PathBuf]>) -> Self {
        let arguments = json!({
            "path": spec::path("The file"),
            "delimiter": { "type": "string", "minLength": 1, "maxLength": 1, "default": ",", "description": "One ASCII character" },
            "header": { "type": "boolean", "default": true, "description": "Whether the first line names the columns; else they are column_1, column_2 …" },
        });
        let result = json!({
            "columns": { "type": "array", "items": { "type": "string" } },
            "rows": { "type": "array", "items": { "type": "object", "additionalProperties": { "type": "string" } } },
        });
        let spec = Arc::new(ToolSpec {
            name: "csv.read".to_owned(),
            description: "Reads a CSV file (UTF-8, up to 64 MiB); every value stays text.".to_owned(),
            arguments: spec::shown(
                spec::object(arguments, &["path"]),
                json!({ "path": "data/sales.csv", "delimiter": ";" }),
            ),
            result: spec::object(result, &["columns", "rows"]),
            effect: Effect::Read,
            idempotency: Idempotency::Natural,
            touches: vec![Touch::one("path", Access::Read)],
            method_argument: None,
            is_source_untrusted: false,
            needs: Vec::new(),
            definition: None,
        });
        Self { spec, closed }
    }
}

#[async_trait]
impl Tool for CsvRead {
    fn spec(&self) -> &Arc<ToolSpec> {
        &self.spec
    }

    fn foresee(&self) -> Foresee {
        |known| {
            let wrong = known.text("delimiter").and_then(|text| delimiter(text).err());
            let wrong = wrong.as_ref().map(arguments::fault);
            wrong
                .into_iter()
                .chain(arguments::folder(known, "path"))
                .collect()
        }
    }

    async fn call(&self, arguments: Json, cx: &CallContext) -> Result<Json, ToolError> {
        let walls = Walls {
            cx: cx.clone(),
            closed: self.closed.clone(),
        };
        blocking::reading(&cx.cancel, move |stop| read(&walls, &arguments, stop)).await
    }
}

fn read(walls: &Walls, arguments: &Json, stop: &Stop) -> Result<Json, ToolError> {
    let path = arguments::text(arguments, "path")?;
    let has_header = arguments::flag(arguments, "header", true)?;
    let delimiter = delimiter(arguments::optional_text(arguments, "delimiter")?.unwrap_or(","))?;
    let text = read_text(&walls.locate(path, Access::Read)?, stop)?;
    let mut table = Table::open(
        &text,
        path,
        &Layout {
            delimiter,
            has_header,
        },
    )?;
    let mut rows = Vec::new();
    while let Some(fields) = table.next()? {
        let row = table
            .columns
            .iter()
            .cloned()
            .zip(fields.into_iter().map(Json::String))
            .collect();
        rows.push(Json::Object(row));
        if rows.len().is_multiple_of(1000) {
            stop.check()?;
        }
    }
    Ok(json!({ "columns": table.columns, "rows": rows }))
}

fn delimiter(text: &str) -> Result<u8, ToolError> {
    match text.as_bytes() {
        [byte] if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r') => Ok(*byte),
        _ => Err(arguments::bad(
            "`delimiter` must be one ASCII character, and no quote or line end",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Rig, code_of};
    use super::*;

    async fn read(bytes: impl AsRef<[u8]>, more: Json) -> Result<Json, ToolError> {
        let rig = Rig::open();
        rig.put("t.csv", bytes);
        let mut arguments = json!({"path": "t.csv"});
        arguments
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        rig.call(&CsvRead::new([].into()), arguments).await
    }

    #[tokio::test]
    async fn values_stay_text() {
        let got = read("sku,price\nA-1,007.50\nB-2,\"1,5 \"\"x\"\"\nline\"\n", json!({}))
            .await
            .unwrap();
        assert_eq!(
            got,
            json!({"columns": ["sku", "price"], "rows": [
                {"sku": "A-1", "price": "007.50"}, {"sku": "B-2", "price": "1,5 \"x\"\nline"},
            ]})
        );
    }

    #[tokio::test]
    async fn other_layouts() {
        let bom = read("\u{feff}a;b\r\n1;2\r\n\r\n", json!({"delimiter": ";"}))
            .await
            .unwrap();
        assert_eq!(
            bom,
            json!({"columns": ["a", "b"], "rows": [{"a": "1", "b": "2"}]})
        );
        let bare = read("1\t2\n3\t4", json!({"delimiter": "\t", "header": false}))
            .await
            .unwrap();
        assert_eq!(bare["columns"], json!(["column_1", "column_2"]));
        assert_eq!(
            bare["rows"],
            json!([{"column_1": "1", "column_2": "2"}, {"column_1": "3", "column_2": "4"}])
        );
        assert_eq!(read("a,b\n", json!({})).await.unwrap()["rows"], json!([]));
        assert_eq!(
            read("", json!({"header": false})).await.unwrap(),
            json!({"columns": [], "rows": []})
        );
        assert_eq!(
            read("größe,µ\nä,ö", json!({})).await.unwrap()["rows"],
            json!([{"größe": "ä", "µ": "ö"}])
        );
    }

    #[tokio::test]
    async fn what_is_wrong_names_its_line() {
        let told = async |text: &str| read(text, json!({})).await.unwrap_err().to_string();
        assert!(
            told("a,b\n1,2\n\n3\n")
                .await
                .contains("line 4: 1 field where there are 2 columns")
        );
        assert!(
            told("a,b\n\"x\ny\",2\n1,2,3\n")
                .await
                .contains("line 4: 3 fields")
        );
        assert!(told("a,b,a\n").await.contains("two columns called `a`"));
        assert!(told("").await.contains("is empty"));
        assert_eq!(code_of(read(b"a\n\xff\n", json!({})).await), "not_utf8");
        assert_eq!(
            code_of(read("a,b", json!({"delimiter": "\""})).await),
            "bad_arguments"
        );
        assert_eq!(
            code_of(read("a,b,c\n".to_owned() + &"1,2,3\n".repeat(700_000), json!({})).await),
            "too_large"
        );
    }
}

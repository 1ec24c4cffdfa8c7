//! The three tools around the readers: what they declare, and how a document comes to its reader.

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::json;

use super::sheet::{Named, Sheet};
use crate::model::Json;
use crate::model::foreseen::{Fault, Foresee, Foreseen};
use crate::model::tool::{Access, Effect, Idempotency, ToolSpec, Touch};
use crate::tools::files::{Walls, read_bytes};
use crate::tools::worker::{Job, Workers};
use crate::tools::{CallContext, Tool, ToolError, arguments, blocking, spec};

/// What all three have in common.
struct Reader {
    spec: Arc<ToolSpec>,
    closed: Arc<[PathBuf]>,
    workers: Workers,
}

impl Reader {
    async fn bytes(&self, arguments: &Json, cx: &CallContext) -> Result<Vec<u8>, ToolError> {
        let walls = Walls {
            cx: cx.clone(),
            closed: self.closed.clone(),
        };
        let path = arguments::text(arguments, "path")?.to_owned();
        blocking::reading(&cx.cancel, move |stop| {
            read_bytes(&walls.locate(&path, Access::Read)?, stop)
        })
        .await
    }
}

fn a_folder(known: &Foreseen<'_>) -> Vec<Fault> {
    arguments::folder(known, "path").into_iter().collect()
}

fn spec_of(name: &str, description: &str, arguments: Json, result: Json) -> Arc<ToolSpec> {
    Arc::new(ToolSpec {
        name: name.to_owned(),
        description: description.to_owned(),
        arguments,
        result,
        effect: Effect::Read,
        idempotency: Idempotency::Natural,
        touches: vec![Touch::one("path", Access::Read)],
        method_argument: None,
        is_source_untrusted: false,
        needs: Vec::new(),
        definition: None,
    })
}

pub(in crate::tools) struct HtmlToMarkdown(Reader);

impl HtmlToMarkdown {
    pub(in crate::tools) fn new(closed: Arc<[PathBuf]>, workers: Workers) -> Self {
        let fields = json!({
            "html": spec::text("The page itself, up to 16 MiB"),
            "path": spec::path("Instead of `html`: the file that holds it"),
        });
        let mut arguments = spec::object(fields, &[]);
        arguments["oneOf"] = json!([{ "required": ["html"] }, { "required": ["path"] }]);
        let arguments = spec::shown(arguments, json!({ "path": "pages/rates.html" }));
        let spec = spec_of(
            "html.to_markdown",
            "Turns a web page into Markdown, without scripts and styles.",
            arguments,
            spec::object(json!({ "text": { "type": "string" } }), &["text"]),
        );
        Self(Reader {
            spec,
            closed,
            workers,
        })
    }
}

#[async_trait]
impl Tool for HtmlToMarkdown {
    fn spec(&self) -> &Arc<ToolSpec> {
        &self.0.spec
    }

    fn foresee(&self) -> Foresee {
        a_folder
    }

    async fn call(&self, arguments: Json, cx: &CallContext) -> Result<Json, ToolError> {
        let bytes = match arguments::optional_text(&arguments, "html")? {
            Some(html) => html.as_bytes().to_vec(),
            None => self.0.bytes(&arguments, cx).await?,
        };
        self.0.workers.reading(Job::Html, bytes, &cx.cancel).await
    }
}

pub(in crate::tools) struct PdfToText(Reader);

impl PdfToText {
    pub(in crate::tools) fn new(closed: Arc<[PathBuf]>, workers: Workers) -> Self {
        let spec = spec_of(
            "pdf.to_text",
            "Reads the text of a PDF (up to 64 MiB), page by page.",
            spec::shown(
                spec::object(json!({ "path": spec::path("The file") }), &["path"]),
                json!({ "path": "docs/contract.pdf" }),
            ),
            spec::object(
                json!({
                    "pages": { "type": "array", "items": { "type": "string" } },
                    "note": { "type": "string", "description": "What the text leaves out, as pages that are pictures" },
                }),
                &["pages"],
            ),
        );
        Self(Reader {
            spec,
            closed,
            workers,
        })
    }
}

#[async_trait]
impl Tool for PdfToText {
    fn spec(&self) -> &Arc<ToolSpec> {
        &self.0.spec
    }

    fn foresee(&self) -> Foresee {
        a_folder
    }

    async fn call(&self, arguments: Json, cx: &CallContext) -> Result<Json, ToolError> {
        let bytes = self.0.bytes(&arguments, cx).await?;
        self.0.workers.reading(Job::Pdf, bytes, &cx.cancel).await
    }
}

pub(in crate::tools) struct SheetRead(Reader);

impl SheetRead {
    pub(in crate::tools) fn new(closed: Arc<[PathBuf]>, workers: Workers) -> Self {
        let arguments = json!({
            "path": spec::path("The workbook"),
            "sheet": { "type": ["string", "integer"], "minimum": 1, "description": "The sheet's name, or its number from 1; the first if absent" },
            "header": { "type": "boolean", "default": true, "description": "Whether the first row names the columns; else they are column_1, column_2 …" },
        });
        let texts = json!({ "type": "array", "items": { "type": "string" } });
        let result = json!({
            "sheet": { "type": "string" },
            "sheets": texts,
            "columns": texts,
            "rows": { "type": "array", "items": { "type": "object" }, "description": "Numbers, texts, true and false; dates as 2026-11-29 or 2026-11-29T10:00:00; an empty cell is null" },
        });
        let spec = spec_of(
            "sheet.read",
            "Reads one sheet of a workbook (xlsx, xls, xlsb or ods, up to 64 MiB) as rows.",
            spec::shown(
                spec::object(arguments, &["path"]),
                json!({ "path": "data/costs.xlsx", "sheet": "2026" }),
            ),
            spec::object(result, &["sheet", "sheets", "columns", "rows"]),
        );
        Self(Reader {
            spec,
            closed,
            workers,
        })
    }
}

#[async_trait]
impl Tool for SheetRead {
    fn spec(&self) -> &Arc<ToolSpec> {
        &self.0.spec
    }

    fn foresee(&self) -> Foresee {
        a_folder
    }

    async fn call(&self, arguments: Json, cx: &CallContext) -> Result<Json, ToolError> {
        let sheet = Sheet {
            name: named(&arguments)?,
            has_header: arguments::flag(&arguments, "header", true)?,
        };
        let bytes = self.0.bytes(&arguments, cx).await?;
        self.0.workers.reading(Job::Sheet(sheet), bytes, &cx.cancel).await
    }
}

fn named(arguments: &Json) -> Result<Option<Named>, ToolError> {
    let Some(value) = arguments::given(arguments, "sheet") else {
        return Ok(None);
    };
    if let Some(name) = value.as_str() {
        return Ok(Some(Named::Name(name.to_owned())));
    }
    let number = value.as_u64().and_then(|n| usize::try_from(n).ok());
    number
        .map(|n| Some(Named::Number(n)))
        .ok_or_else(|| arguments::bad("`sheet` must be a name, or a number from 1"))
}

//! What `export` is told: which form, where to, and what goes along. It writes nothing.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use planloom_engine::Form;

#[derive(Args)]
#[command(group = clap::ArgGroup::new("where").required(true).args(["to", "otlp"]))]
pub struct Export {
    /// A run, or a draft.
    pub run: String,
    /// The file to write, whole or not at all; `-` for stdout. Its ending says the form, unless `--as` does.
    #[arg(long, value_name = "FILE")]
    pub to: Option<PathBuf>,
    /// run (to be imported again), markdown, html, svg, png, mermaid or otlp.
    #[arg(long = "as", value_name = "FORM", value_parser = form, conflicts_with = "otlp")]
    pub form: Option<Form>,
    /// Colours of a picture.
    #[arg(long, value_enum, default_value = "light")]
    pub theme: Theme,
    /// Replace the file if there is one.
    #[arg(long, visible_alias = "replace", conflicts_with = "otlp")]
    pub force: bool,
    /// Send the trace to this OTLP/HTTP endpoint. Headers come from OTEL_EXPORTER_OTLP_HEADERS.
    #[arg(long, value_name = "URL")]
    pub otlp: Option<String>,
    /// Put what models said, and what calls were given and returned, into the trace. Secrets are taken out even so.
    #[arg(long)]
    pub with_content: bool,
}

/// Colours of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Theme {
    Light,
    Dark,
}

fn form(text: &str) -> Result<Form, String> {
    let words = || Form::ALL.map(Form::word).join(", ");
    Form::parse(text).ok_or_else(|| format!("the forms are {}", words()))
}

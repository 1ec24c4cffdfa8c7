//! A run as a report for people: one content, written as Markdown or as one page of HTML. What others wrote is text in it
//! and nothing else. It must not know where reports go.

mod compose;
mod html;
mod markdown;
mod money;
mod rich;
mod story;
mod tasks;
#[cfg(test)]
mod tests;

pub use html::html;
pub use markdown::markdown;
pub use money::{cost as spent, took};
pub use story::{Around, Story, gather};

use crate::model::picture::Svg;

/// A report before it is written in one of its forms.
#[derive(Debug, Default)]
pub struct Report {
    pub title: String,
    pub blocks: Vec<Block>,
}

/// Plain texts are escaped by whoever writes them.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    Heading(u8, String),
    Paragraph(Vec<Span>),
    /// Names with what belongs to them.
    Facts(Vec<(String, Vec<Span>)>),
    Table(Vec<String>, Vec<Vec<Vec<Span>>>),
    List(bool, Vec<Vec<Block>>),
    /// As it stands, in equally wide letters.
    Verbatim(String),
    Quote(Vec<Block>),
    Rule,
    /// Where the drawn plan stands, if there is one.
    Picture,
}

/// A piece of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Span {
    Text(String),
    Strong(String),
    Code(String),
    /// A state, by its word: what the page colours.
    State(&'static str, &'static str),
    Break,
}

impl Span {
    pub fn text(text: impl Into<String>) -> Vec<Self> {
        vec![Self::Text(text.into())]
    }
}

/// The report as Markdown.
pub fn to_markdown(story: &Story) -> String {
    markdown(&compose::report(story))
}

/// The report as a page that stands alone, with the drawn plan.
pub fn to_html(story: &Story, picture: Option<&Svg>) -> String {
    html(&compose::report(story), picture)
}

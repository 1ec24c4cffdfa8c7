//! What a model wrote as Markdown, read so that only the safe part of it is left: paragraphs, lists, emphasis, code, tables,
//! quotes. Headings become strong lines, links and images text with their address beside it, HTML is text.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use super::{Block, Span};

/// How deep lists and quotes may stand in each other; what is deeper stands at that depth.
const DEEPEST: usize = 12;

/// The blocks of the text.
pub fn read(text: &str) -> Vec<Block> {
    let mut reader = Reader::default();
    reader.open.push(Open::default());
    for event in Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH) {
        reader.take(event);
    }
    reader.flush();
    while reader.open.len() > 1 {
        reader.close();
    }
    reader.open.pop().map_or_else(Vec::new, |open| open.blocks)
}

/// A list, a quote or the whole, on its way.
#[derive(Default)]
struct Open {
    kind: Kind,
    blocks: Vec<Block>,
    items: Vec<Vec<Block>>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Kind {
    #[default]
    Whole,
    Quote,
    List {
        is_numbered: bool,
    },
}

/// Cell by cell.
type Row = Vec<Vec<Span>>;

#[derive(Default)]
struct Reader {
    open: Vec<Open>,
    spans: Vec<Span>,
    strong: usize,
    /// A code block's text so far.
    code: Option<String>,
    /// Addresses of the links and images under way, with where their text began.
    addresses: Vec<String>,
    /// Its head and its rows.
    table: Option<(Row, Vec<Row>)>,
    /// Lists and quotes that are too deep to be opened.
    too_deep: usize,
}

impl Reader {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.text(&text),
            Event::Code(code) => self.spans.push(Span::Code(code.into_string())),
            Event::Html(html) | Event::InlineHtml(html) => self.text(&html),
            Event::InlineMath(text) | Event::DisplayMath(text) | Event::FootnoteReference(text) => {
                self.text(&text)
            }
            Event::SoftBreak => self.text(" "),
            Event::HardBreak => self.spans.push(Span::Break),
            Event::Rule => self.push(Block::Rule),
            Event::TaskListMarker(is_done) => self.text(if is_done { "[x] " } else { "[ ] " }),
        }
    }

    fn text(&mut self, text: &str) {
        if let Some(code) = &mut self.code {
            code.push_str(text);
        } else if self.strong > 0 {
            self.spans.push(Span::Strong(text.to_owned()));
        } else {
            self.spans.push(Span::Text(text.to_owned()));
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Strong | Tag::Heading { .. } => {
                if matches!(tag, Tag::Heading { .. }) {
                    self.flush();
                }
                self.strong += 1;
            }
            Tag::CodeBlock(kind) => {
                self.flush();
                // The language says nothing that a reader needs.
                let (CodeBlockKind::Indented | CodeBlockKind::Fenced(_)) = kind;
                self.code = Some(String::new());
            }
            Tag::BlockQuote(_) => self.begin(Kind::Quote),
            Tag::List(first) => self.begin(Kind::List {
                is_numbered: first.is_some(),
            }),
            Tag::Link { dest_url, .. } => self.addresses.push(dest_url.into_string()),
            Tag::Image { dest_url, .. } => {
                self.text("image: ");
                self.addresses.push(dest_url.into_string());
            }
            Tag::Table(_) => {
                self.flush();
                self.table = Some((Vec::new(), Vec::new()));
            }
            Tag::TableRow => {
                if let Some((_, rows)) = &mut self.table {
                    rows.push(Vec::new());
                }
            }
            Tag::Paragraph
            | Tag::HtmlBlock
            | Tag::Item
            | Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::TableHead
            | Tag::TableCell
            | Tag::Emphasis
            | Tag::Strikethrough
            | Tag::Superscript
            | Tag::Subscript
            | Tag::MetadataBlock(_) => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Strong => self.strong = self.strong.saturating_sub(1),
            TagEnd::Heading(_) => {
                self.strong = self.strong.saturating_sub(1);
                self.flush();
            }
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.flush(),
            TagEnd::CodeBlock => {
                let code = self.code.take().unwrap_or_default();
                self.push(Block::Verbatim(code));
            }
            TagEnd::BlockQuote(_) | TagEnd::List(_) => {
                self.flush();
                if self.too_deep > 0 {
                    self.too_deep -= 1;
                } else {
                    self.close();
                }
            }
            TagEnd::Item => self.end_item(),
            TagEnd::Link | TagEnd::Image => self.name_address(),
            TagEnd::TableCell => self.end_cell(),
            TagEnd::Table => {
                if let Some((head, rows)) = self.table.take() {
                    let head = head.iter().map(|cell| plain(cell)).collect();
                    self.push(Block::Table(head, rows));
                }
            }
            TagEnd::FootnoteDefinition
            | TagEnd::DefinitionList
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition
            | TagEnd::TableHead
            | TagEnd::TableRow
            | TagEnd::Emphasis
            | TagEnd::Strikethrough
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::MetadataBlock(_) => {}
        }
    }

    fn end_item(&mut self) {
        self.flush();
        if self.too_deep > 0 {
            return;
        }
        if let Some(list) = self.open.last_mut() {
            let blocks = std::mem::take(&mut list.blocks);
            list.items.push(blocks);
        }
    }

    fn name_address(&mut self) {
        let address = self.addresses.pop().unwrap_or_default();
        let is_named = matches!(self.spans.last(), Some(Span::Text(text)) if *text == address);
        if !address.is_empty() && !is_named {
            self.text(&format!(" ({address})"));
        }
    }

    fn end_cell(&mut self) {
        let cell = std::mem::take(&mut self.spans);
        if let Some((head, rows)) = &mut self.table {
            match rows.last_mut() {
                Some(row) => row.push(cell),
                None => head.push(cell),
            }
        }
    }

    fn begin(&mut self, kind: Kind) {
        self.flush();
        if self.open.len() > DEEPEST {
            self.too_deep += 1;
            return;
        }
        self.open.push(Open {
            kind,
            ..Open::default()
        });
    }

    fn close(&mut self) {
        let Some(open) = self.open.pop() else { return };
        match open.kind {
            Kind::Whole => self.open.push(open),
            Kind::Quote => self.push(Block::Quote(open.blocks)),
            Kind::List { is_numbered } => self.push(Block::List(is_numbered, open.items)),
        }
    }

    /// What stands in line so far becomes a paragraph.
    fn flush(&mut self) {
        let spans = std::mem::take(&mut self.spans);
        if !plain(&spans).trim().is_empty() {
            self.push(Block::Paragraph(spans));
        }
    }

    fn push(&mut self, block: Block) {
        if let Some(open) = self.open.last_mut() {
            open.blocks.push(block);
        }
    }
}

/// The letters of a line.
pub fn plain(spans: &[Span]) -> String {
    let letters = spans.iter().map(|span| match span {
        Span::Text(text) | Span::Strong(text) | Span::Code(text) => text.as_str(),
        Span::State(_, label) => label,
        Span::Break => " ",
    });
    letters.collect()
}

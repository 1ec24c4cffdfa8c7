//! A report as one page that stands alone: no script, nothing from elsewhere, one style sheet that its policy names by hash.
//! Every text of others is escaped, and no attribute holds one.

use super::{Block, Report, Span};
use crate::model::picture::{Svg, escape};

const STYLE: &str = include_str!("report.css");
/// SHA-256 of the style sheet, as the policy names it; a test holds it true.
pub(super) const STYLE_HASH: &str = "FmMkTS4v/cLExvtpL17TFL8SIH8JjamCVwGtfL+w+s4=";

/// Writes the page.
pub fn html(report: &Report, picture: Option<&Svg>) -> String {
    let mut page = Page {
        text: String::new(),
        picture,
    };
    page.head(&report.title);
    page.element("h1", &report.title);
    for block in &report.blocks {
        page.block(block);
    }
    page.raw("</main></body></html>\n");
    page.text
}

struct Page<'p> {
    text: String,
    picture: Option<&'p Svg>,
}

impl Page<'_> {
    fn head(&mut self, title: &str) {
        self.raw("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">");
        self.raw(
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-",
        );
        self.raw(STYLE_HASH);
        self.raw("'; base-uri 'none'; form-action 'none'\">");
        self.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">");
        self.raw("<meta name=\"referrer\" content=\"no-referrer\">");
        self.element("title", title);
        self.raw("<style>");
        self.raw(STYLE);
        self.raw("</style></head>\n<body><main>\n");
    }

    fn raw(&mut self, own: &str) {
        self.text.push_str(own);
    }

    fn words(&mut self, text: &str) {
        escape(&mut self.text, text);
    }

    fn element(&mut self, name: &str, text: &str) {
        self.raw(&format!("<{name}>"));
        self.words(text);
        self.raw(&format!("</{name}>\n"));
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Heading(level, words) => self.element(&format!("h{}", level.clamp(&2, &6)), words),
            Block::Paragraph(spans) => {
                self.raw("<p dir=\"auto\">");
                self.line(spans);
                self.raw("</p>\n");
            }
            Block::Facts(facts) => self.facts(facts),
            Block::Table(head, rows) => self.table(head, rows),
            Block::List(is_numbered, items) => {
                let name = if *is_numbered { "ol" } else { "ul" };
                self.raw(&format!("<{name}>"));
                for item in items {
                    self.raw("<li>");
                    item.iter().for_each(|block| self.block(block));
                    self.raw("</li>\n");
                }
                self.raw(&format!("</{name}>\n"));
            }
            Block::Verbatim(words) => {
                self.raw("<pre dir=\"auto\">");
                for line in words.lines() {
                    self.words(&line.replace('\t', "    "));
                    self.raw("\n");
                }
                self.raw("</pre>\n");
            }
            Block::Quote(blocks) => {
                self.raw("<blockquote>");
                blocks.iter().for_each(|block| self.block(block));
                self.raw("</blockquote>\n");
            }
            Block::Rule => self.raw("<hr>\n"),
            Block::Picture => {
                if let Some(picture) = self.picture {
                    self.raw(
                        "<div class=\"plan\" tabindex=\"0\" role=\"region\" aria-label=\"The plan, drawn\">",
                    );
                    self.raw(&picture.text);
                    self.raw("</div>\n");
                }
            }
        }
    }

    fn facts(&mut self, facts: &[(String, Vec<Span>)]) {
        self.raw("<dl>\n");
        for (name, spans) in facts {
            self.element("dt", name);
            self.raw("<dd dir=\"auto\">");
            self.line(spans);
            self.raw("</dd>\n");
        }
        self.raw("</dl>\n");
    }

    fn table(&mut self, head: &[String], rows: &[Vec<Vec<Span>>]) {
        self.raw("<div class=\"wide\"><table><thead><tr>");
        for name in head {
            self.raw("<th scope=\"col\">");
            self.words(name);
            self.raw("</th>");
        }
        self.raw("</tr></thead><tbody>\n");
        for row in rows {
            self.raw("<tr>");
            for cell in row {
                self.raw("<td dir=\"auto\">");
                self.line(cell);
                self.raw("</td>");
            }
            self.raw("</tr>\n");
        }
        self.raw("</tbody></table></div>\n");
    }

    fn line(&mut self, spans: &[Span]) {
        for span in spans {
            match span {
                Span::Text(text) => self.words(&text.replace(['\n', '\r', '\t'], " ")),
                Span::Strong(text) => self.inline("strong", text),
                Span::Code(text) => self.inline("code", text),
                Span::State(class, label) => {
                    self.raw(&format!("<span class=\"s {class}\">{label}</span>"));
                }
                Span::Break => self.raw("<br>"),
            }
        }
    }

    fn inline(&mut self, name: &str, text: &str) {
        self.raw(&format!("<{name}>"));
        self.words(&text.replace(['\n', '\r', '\t'], " "));
        self.raw(&format!("</{name}>"));
    }
}

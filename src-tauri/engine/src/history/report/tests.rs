//! Reports: one content in two forms, and that no text of others becomes more than text.

use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag};
use sha2::{Digest as _, Sha256};

use super::html::{STYLE_HASH, html};
use super::markdown::markdown;
use super::{Block, Report, Span, rich};

/// Texts that try to be something else.
fn hostile() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "# ",
        "\n# Title\n",
        "[x](javascript:alert(1))",
        "![x](https://a.example/p.png)",
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "https://a.example/x",
        "www.a.example",
        "a@b.example",
        "```",
        "`",
        "~~~",
        "|",
        "\\",
        "**",
        "__",
        "- ",
        "1. ",
        "> ",
        "---",
        "===",
        "&lt;",
        "&#60;",
        "<!--",
        "-->",
        "]]>",
        "\u{202e}",
        "\u{0}",
        "\r\n",
        "    ",
        "\t",
        "[^1]",
        "[a]: https://a.example",
        "</style>",
        "</pre>",
        "'",
        "\"",
        "é",
        "ش",
        "漢",
        "$x$",
        "{{x}}",
        "\u{2028}",
        "<a href='x'>",
        "x",
        "!",
        "(",
        ")",
        "+ ",
        "* ",
        "0) ",
    ]);
    prop_oneof![
        prop::collection::vec(pieces, 0..14).prop_map(|pieces| pieces.concat()),
        any::<String>()
    ]
}

fn everywhere(text: &str) -> Report {
    let span = || {
        vec![
            Span::Text(text.to_owned()),
            Span::Code(text.to_owned()),
            Span::Strong(text.to_owned()),
        ]
    };
    Report {
        title: text.to_owned(),
        blocks: vec![
            Block::Heading(2, text.to_owned()),
            Block::Paragraph(span()),
            Block::Paragraph(Span::text(text)),
            Block::Facts(vec![(text.to_owned(), span())]),
            Block::Table(vec![text.to_owned(), "b".to_owned()], vec![vec![span(), span()]]),
            Block::List(
                true,
                vec![
                    vec![Block::Paragraph(span())],
                    vec![Block::Verbatim(text.to_owned())],
                ],
            ),
            Block::Verbatim(text.to_owned()),
            Block::Quote(rich::read(text)),
        ],
    }
}

proptest! {
    #[test]
    fn no_text_becomes_a_link_an_image_or_html_in_markdown(text in hostile()) {
        let written = markdown(&everywhere(&text));
        let all = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_FOOTNOTES;
        let mut headings = 0;
        for event in Parser::new_ext(&written, all) {
            let leads_away = matches!(
                event,
                Event::Start(Tag::Link { .. } | Tag::Image { .. } | Tag::FootnoteDefinition(_))
                    | Event::FootnoteReference(_)
            );
            prop_assert!(!leads_away, "{}", written);
            headings += u32::from(matches!(event, Event::Start(Tag::Heading { .. })));
            if let Event::Html(html) | Event::InlineHtml(html) = event {
                prop_assert_eq!(&*html, "<br>", "{}", written);
            }
        }
        prop_assert_eq!(headings, 2, "{}", written);
        // What pages make links of by themselves.
        let title = written.lines().next().unwrap_or_default();
        prop_assert!(!title.contains("://") && !title.contains('@') && !title.to_lowercase().contains("www."), "{}", title);
    }

    #[test]
    fn no_text_gets_out_of_its_place_in_the_page(text in hostile()) {
        let page = html(&everywhere(&text), None);
        let (_, body) = page.split_once("<body>").unwrap();
        let known = regex::Regex::new(
            "^(main|h[1-6]|p|dl|dt|dd|div|table|thead|tbody|tr|th|td|ul|ol|li|pre|blockquote|hr|strong|code|span|br)$",
        ).unwrap();
        let tag = regex::Regex::new("<(/?)([^ >]*)([^>]*)>").unwrap();
        for found in tag.captures_iter(body.split("</main>").next().unwrap()) {
            prop_assert!(known.is_match(&found[2]), "{}", &found[0]);
            let rest = found[3].trim();
            prop_assert!(
                ["", "dir=\"auto\"", "scope=\"col\"", "class=\"wide\""].contains(&rest) || rest.starts_with("class=\"s "),
                "{}", &found[0]
            );
        }
        // Every `<` that is left is one of these tags.
        prop_assert_eq!(body.matches('<').count(), tag.find_iter(body).count());
    }
}

#[test]
fn the_policy_names_the_style_sheet_that_the_page_has() {
    let page = html(&everywhere("x"), None);
    let style = page
        .split("<style>")
        .nth(1)
        .unwrap()
        .split("</style>")
        .next()
        .unwrap();
    let hash = Sha256::digest(style.as_bytes());
    let hash = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, hash);
    assert_eq!(hash, STYLE_HASH, "put this hash into html.rs");
    assert!(page.contains("default-src 'none'; style-src 'sha256-") && !page.contains("<script"));
}

#[test]
fn an_answer_keeps_its_shape_and_loses_what_leads_away() {
    let text = "# Prices\n\nSee [the shop](https://shop.example/p?q=1) and ![chart](https://x.example/c.png).\n\n\
                - **two** shops\n  1. first\n- `code`\n\n| a | b |\n|---|---|\n| 1 | <b>2</b> |\n\n<script>x</script>\n\n```js\nalert(1)\n```\n";
    let report = Report {
        title: "Prices".to_owned(),
        blocks: rich::read(text),
    };
    insta::assert_snapshot!(markdown(&report));
    let page = html(&report, None);
    assert!(page.contains("<strong>two</strong>") && page.contains("the shop (https://shop.example/p?q=1)"));
    assert!(!page.contains("<a ") && !page.contains("<img") && page.contains("&lt;script&gt;"));
}

#[test]
fn lists_that_go_very_deep_end_somewhere() {
    let deep: String = (0..2_000)
        .map(|n| format!("{}- x\n", "  ".repeat(n.min(300))))
        .collect();
    let deep = format!("{}{deep}", ">".repeat(5_000));
    let report = Report {
        title: "Deep".to_owned(),
        blocks: rich::read(&deep),
    };
    assert!(!markdown(&report).is_empty() && !html(&report, None).is_empty());
}

//! Pictures of plans: layout, letters, and that no text gets out of its place.

use proptest::prelude::*;

use super::layout::lay_out;
use super::measure::{Weight, fitted, width};
use super::*;

fn card(id: &str, title: &str, kind: &str) -> Card {
    Card {
        id: id.to_owned(),
        title: title.to_owned(),
        kind: kind.to_owned(),
        ..Card::default()
    }
}

fn link(from: usize, to: usize) -> Link {
    Link {
        from,
        to,
        is_in_loop: false,
    }
}

/// Three waves, with a map whose items are in several states.
fn small() -> Picture {
    let mut map = card("each", "Read each page", "map");
    map.state = Some(TaskStatus::Running);
    map.inner = Some(Inner {
        cards: vec![card("one", "Read a page", "agent")],
        items: vec![TaskStatus::Completed, TaskStatus::Running, TaskStatus::Pending],
        ..Inner::default()
    });
    let mut list = card("list", "List the pages", "tool");
    list.detail = "csv.read".to_owned();
    list.state = Some(TaskStatus::Completed);
    list.right = "0:02".to_owned();
    let mut sum = card("sum", "Sum it all up", "model");
    sum.state = Some(TaskStatus::Pending);
    Picture {
        title: "Reading digest".to_owned(),
        cards: vec![list, map, sum],
        links: vec![link(0, 1), link(1, 2), link(0, 2)],
    }
}

#[test]
fn a_small_plan_is_drawn() {
    insta::assert_snapshot!(
        "small_light",
        svg(&small(), Theme::Light).text.replace("><", ">\n<")
    );
}

#[test]
fn a_small_plan_as_mermaid() {
    insta::assert_snapshot!(mermaid(&small()), @r#"
    flowchart TD
      t0["List the pages<br>Tool · Done"]
      subgraph t1["Read each page<br>Map · Running"]
        t1_0("Read a page<br>Agent")
      end
      t2("Sum it all up<br>Model call · Pending")
      t0 --> t1
      t1 --> t2
      t0 --> t2
      classDef running stroke:#1c93a3,stroke-width:2px,stroke-dasharray:6 4
      class t1 running
      classDef completed stroke:#2f9e5b,stroke-width:2px
      class t0 completed
    "#);
}

#[test]
fn a_page_gets_names_of_colours_instead_of_colours() {
    let text = svg(&small(), Theme::Page).text;
    assert!(text.contains("var(--t1)") && !text.contains("=\"#"));
}

#[test]
fn cards_never_lie_on_each_other() {
    let heights: Vec<f64> = (0..300)
        .map(|ix| if ix % 7 == 0 { FRAME } else { HEIGHT })
        .collect();
    let links: Vec<Link> = (1..300).map(|ix| link((ix * 7919) % ix, ix)).collect();
    let places = lay_out(&heights, &links).places;
    for (ix, a) in places.iter().enumerate() {
        for b in &places[ix + 1..] {
            let apart = a.right() <= b.x || b.right() <= a.x || a.bottom() <= b.y || b.bottom() <= a.y;
            assert!(apart, "{a:?} {b:?}");
        }
    }
}

#[test]
fn a_loop_of_a_draft_still_has_its_places() {
    let links = [link(0, 1), link(1, 2), link(2, 0), link(1, 1)];
    let picture = Picture {
        cards: vec![
            card("a", "A", "agent"),
            card("b", "B", "agent"),
            card("c", "C", "agent"),
        ],
        links: links
            .map(|link| Link {
                is_in_loop: true,
                ..link
            })
            .to_vec(),
        ..Picture::default()
    };
    assert!(
        svg(&picture, Theme::Dark)
            .text
            .contains("stroke-dasharray=\"5 4\"")
    );
    assert!(mermaid(&picture).contains("t2 -. loop .-> t0"));
}

#[test]
fn ten_thousand_tasks_are_drawn() {
    let cards: Vec<Card> = (0..10_000)
        .map(|n| card(&format!("t{n}"), &format!("Task {n}"), "agent"))
        .collect();
    let links = (100..10_000).flat_map(|n| [link(n - 100, n), link(n - 100 + (n % 37), n)].into_iter());
    let links = links.filter(|link| link.from < link.to).collect();
    let picture = Picture {
        title: "Large".to_owned(),
        cards,
        links,
    };
    let drawn = svg(&picture, Theme::Light);
    assert_eq!(drawn.text.matches("<title>").count(), 10_001);
}

#[test]
fn long_titles_of_any_script_fit_their_card() {
    for title in [
        "Collect all the prices of the competitors from their pages and normalise the currencies",
        "競合他社の価格をすべて収集し、通貨を正規化してから要約を作成する",
        "اجمع كل أسعار المنافسين من صفحاتهم ثم وحّد العملات ولخّص النتائج",
        "👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦 families",
        &"x".repeat(5_000_000),
    ] {
        let short = fitted(title, 13.0, Weight::SemiBold, 160.0);
        assert!(short.ends_with('…'), "{short}");
        assert!(width(&short, 13.0, Weight::SemiBold) <= 161.0, "{short}");
    }
    assert_eq!(fitted("Sum up", 13.0, Weight::SemiBold, 160.0), "Sum up");
    assert_eq!(plain("a\u{202e}b\n\t c\u{0}"), "a\\u{202e}b c\\u{0}");
}

/// Titles that try to be something else.
fn hostile() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "</text>",
        "<script>",
        "]]>",
        "<!--",
        "-->",
        "\"",
        "'",
        "&",
        "&lt;",
        "\u{202e}",
        "\u{0}",
        "\u{ffff}",
        "]",
        ")",
        "}}",
        "[[",
        "end",
        "\n",
        "%%",
        "#quot;",
        ";",
        "`",
        "click t0 href \"x\"",
        "subgraph x",
        "t0 --> t1",
        "🧨",
        "é",
        "ش",
        "漢",
        " ",
        "\\",
        "<br>",
        "{",
        "|",
        "~~~",
        "\u{2028}",
    ]);
    prop_oneof![
        prop::collection::vec(pieces, 0..12).prop_map(|pieces| pieces.concat()),
        any::<String>(),
    ]
}

type Nodes = Vec<(String, String)>;
type Arrows = Vec<(usize, usize)>;

/// Mermaid text read back: names with labels, and arrows. Whatever is none of these is refused.
fn read_back(text: &str) -> (Nodes, Arrows) {
    let node =
        regex::Regex::new(r#"^ *(subgraph )?(t[0-9_]+)(?:\(|\[\[|\[|\{\{)"([^"]*)"(?:\)|\]\]|\]|\}\})$"#)
            .unwrap();
    let arrow = regex::Regex::new(r"^ *t(\d+) --> t(\d+)$").unwrap();
    let other = regex::Regex::new(
        r"^flowchart TD$|^ *end$|^ *classDef [a-z]+ [a-z0-9#:, -]+$|^ *class [t0-9,]+ [a-z]+$",
    )
    .unwrap();
    let code = regex::Regex::new(r"#(\d+);").unwrap();
    let (mut nodes, mut arrows) = (Vec::new(), Vec::new());
    for line in text.lines() {
        if let Some(found) = node.captures(line) {
            let title = found[3].split("<br>").next().unwrap();
            let plain = code.replace_all(title, |code: &regex::Captures<'_>| {
                char::from_u32(code[1].parse().unwrap()).unwrap().to_string()
            });
            nodes.push((found[2].to_owned(), plain.into_owned()));
        } else if let Some(found) = arrow.captures(line) {
            arrows.push((found[1].parse().unwrap(), found[2].parse().unwrap()));
        } else {
            assert!(other.is_match(line), "{line:?}");
        }
    }
    (nodes, arrows)
}

proptest! {
    #[test]
    fn no_title_breaks_out_of_the_picture(title in hostile(), kind in hostile(), detail in hostile()) {
        let mut picture = small();
        picture.title.clone_from(&title);
        picture.cards[0].title.clone_from(&title);
        picture.cards[1].inner.as_mut().unwrap().cards[0].title.clone_from(&title);
        (picture.cards[2].kind, picture.cards[2].detail) = (kind, detail);
        let text = svg(&picture, Theme::Dark).text;
        let mut reader = quick_xml::Reader::from_str(&text);
        loop {
            match reader.read_event() {
                Ok(quick_xml::events::Event::Eof) => break,
                Ok(quick_xml::events::Event::Start(tag) | quick_xml::events::Event::Empty(tag)) => {
                    let name = tag.name().as_ref().to_owned();
                    prop_assert!(["svg", "title", "g", "rect", "path", "text"].contains(&name.as_str()), "{}", name);
                    for attribute in tag.attributes() {
                        prop_assert!(!attribute.unwrap().key.as_ref().starts_with("on"));
                    }
                }
                Ok(quick_xml::events::Event::Text(_) | quick_xml::events::Event::End(_) | quick_xml::events::Event::GeneralRef(_)) => {}
                other => prop_assert!(false, "{:?}", other),
            }
        }
    }

    #[test]
    fn mermaid_reads_back_as_the_plan(titles in prop::collection::vec(hostile(), 1..6)) {
        let cards: Vec<Card> = titles.iter().map(|title| card("x", title, "tool")).collect();
        let links: Vec<Link> = (1..cards.len()).map(|ix| link(ix - 1, ix)).collect();
        let picture = Picture { title: "x".to_owned(), cards, links };
        let (nodes, arrows) = read_back(&mermaid(&picture));
        let wanted: Vec<String> = titles.iter().map(|title| crate::model::title::cut_at(&plain(title), 80)).collect();
        prop_assert_eq!(nodes.into_iter().map(|(_, title)| title).collect::<Vec<_>>(), wanted);
        prop_assert_eq!(arrows, picture.links.iter().map(|link| (link.from, link.to)).collect::<Vec<_>>());
    }
}

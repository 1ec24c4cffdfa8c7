//! How wide a text is in the picture's letters, and where it is cut. Widths are those of Inter, whatever draws it in the
//! end; wide scripts count as a full square.

use unicode_normalization::char::is_combining_mark;

/// A text's letters, as the picture uses them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Weight {
    Regular,
    SemiBold,
}

/// Thousandths of the size, from the blank to the tilde.
const REGULAR: [u16; 95] = [
    281, 288, 466, 633, 642, 982, 644, 300, 365, 365, 501, 662, 288, 460, 288, 360, 631, 407, 610, 618, 646,
    593, 620, 566, 619, 620, 288, 302, 662, 662, 662, 511, 966, 690, 654, 730, 722, 601, 590, 746, 743, 269,
    571, 672, 565, 903, 753, 765, 639, 765, 644, 642, 646, 744, 690, 985, 682, 679, 629, 365, 360, 365, 471,
    456, 323, 562, 612, 571, 612, 583, 370, 613, 591, 242, 242, 549, 242, 876, 591, 600, 612, 612, 376, 528,
    327, 591, 562, 818, 546, 562, 552, 426, 333, 426, 662,
];
const SEMI_BOLD: [u16; 95] = [
    252, 321, 523, 644, 650, 1004, 663, 326, 373, 373, 540, 673, 319, 465, 319, 379, 660, 423, 623, 636, 666,
    612, 640, 576, 640, 640, 319, 329, 673, 673, 673, 543, 999, 728, 659, 737, 722, 605, 588, 749, 746, 277,
    580, 703, 565, 922, 759, 769, 645, 773, 652, 650, 660, 736, 728, 1020, 720, 713, 652, 373, 379, 373, 481,
    469, 351, 574, 624, 583, 624, 591, 389, 625, 612, 262, 262, 569, 262, 900, 612, 609, 624, 624, 397, 549,
    353, 612, 587, 839, 569, 588, 566, 455, 359, 455, 673,
];

/// Other fonts than ours may be a little wider.
const SLACK: f64 = 1.02;

pub(super) fn width(text: &str, size: f64, weight: Weight) -> f64 {
    let mut before = ' ';
    let letters = text
        .chars()
        .map(|c| advance(std::mem::replace(&mut before, c), c, weight));
    letters.sum::<f64>() * size * SLACK
}

/// Of a text whose letters are all in the table, its width in our own font.
pub(super) fn exact_width(text: &str, size: f64, weight: Weight) -> Option<f64> {
    let is_known = |c: char| (' '..='~').contains(&c) || c == '…';
    text.chars()
        .all(is_known)
        .then(|| width(text, size, weight) / SLACK)
}

/// What is joined to the letter before is one picture with it.
fn advance(before: char, c: char, weight: Weight) -> f64 {
    if before == '\u{200d}' {
        0.0
    } else {
        letter(c, weight)
    }
}

fn letter(c: char, weight: Weight) -> f64 {
    let table = match weight {
        Weight::Regular => &REGULAR,
        Weight::SemiBold => &SEMI_BOLD,
    };
    let own = (c as usize).checked_sub(32).and_then(|at| table.get(at));
    if let Some(&own) = own {
        return f64::from(own) / 1000.0;
    }
    if is_joined(c) {
        return 0.0;
    }
    match c as u32 {
        0x2026 => 0.9,
        0x1100..=0x115f
        | 0x2e80..=0xa4cf
        | 0xac00..=0xd7a3
        | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f
        | 0xff00..=0xff60
        | 0xffe0..=0xffe6
        | 0x20000..=0x3fffd => 1.0,
        0x1f000..=0x1faff | 0x2600..=0x27bf => 1.25,
        _ => 0.66,
    }
}

/// It takes no room of its own and belongs to the letter before.
fn is_joined(c: char) -> bool {
    is_combining_mark(c) || matches!(c, '\u{200d}' | '\u{fe00}'..='\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}')
}

/// In one line without letters that steer, and no longer than this; then it ends with `…`.
pub(super) fn fitted(text: &str, size: f64, weight: Weight, room: f64) -> String {
    // Nobody reads more of it in a card, and it may be megabytes.
    const MOST: usize = 400;
    let line = plain(&text.chars().take(MOST).collect::<String>());
    let is_whole = text.chars().nth(MOST).is_none();
    if is_whole && width(&line, size, weight) <= room {
        return line;
    }
    let room = room - width("…", size, weight);
    let mut kept = String::new();
    let mut wide = 0.0;
    let mut before = ' ';
    for c in line.chars() {
        let next = advance(before, c, weight) * size * SLACK;
        if wide + next > room && next > 0.0 {
            break;
        }
        wide += next;
        kept.push(c);
        before = c;
    }
    format!("{}…", kept.trim_end())
}

/// One line for people: what is invisible or steers is shown as what it is, blanks of all kinds as one blank.
pub fn plain(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    let mut before = ' ';
    let mut letters = text.chars().peekable();
    while let Some(c) = letters.next() {
        if c.is_whitespace() {
            if before != ' ' {
                line.push(' ');
            }
            before = ' ';
            continue;
        }
        // Inside an emoji it joins what is before and behind it.
        let joins =
            c == '\u{200d}' && is_pictured(before) && letters.peek().copied().is_some_and(is_pictured);
        if is_steering(c) && !joins {
            line.push_str(&format!("\\u{{{:x}}}", c as u32));
        } else {
            line.push(c);
        }
        before = c;
    }
    if line.ends_with(' ') {
        line.pop();
    }
    line
}

fn is_pictured(c: char) -> bool {
    matches!(c as u32, 0x1f000..=0x1faff | 0x2600..=0x27bf | 0xfe0f)
}

/// Control characters, and those that are invisible, turn the direction of what is around them, or may not stand in XML.
pub(super) fn is_steering(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff0}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}'
            | '\u{e0000}'..='\u{e0fff}')
}

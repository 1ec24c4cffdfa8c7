//! A drawn plan as PNG, with the letters of the design; scripts that these lack are set in the fonts of this machine. It must
//! not know what is drawn.

use std::sync::{Arc, LazyLock};

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

use crate::model::picture::Svg;

/// Pixels in all: about 256 MB while it is drawn.
const MOST_PIXELS: f64 = 64_000_000.0;
/// No side is longer: few programs open such a picture.
const LONGEST_SIDE: f64 = 30_000.0;
/// Twice the units, so that small letters stay sharp.
const SCALE: f64 = 2.0;

static REGULAR: &[u8] = include_bytes!("../../../../assets/fonts/Inter-Regular.ttf");
static SEMI_BOLD: &[u8] = include_bytes!("../../../../assets/fonts/Inter-SemiBold.ttf");

/// A picture of points.
pub struct Png {
    pub bytes: Vec<u8>,
    pub width: u32,
    pub height: u32,
    /// How many points a unit of the plan has; below 1 small letters can't be read.
    pub scale: f64,
}

/// Why there is none.
#[derive(Debug, thiserror::Error)]
pub enum NoPng {
    #[error("the plan can't be drawn as points: {0}")]
    Drawing(String),
}

/// Draws it. A large plan is drawn smaller, so that it stays a file that other programs open.
pub fn png(svg: &Svg) -> Result<Png, NoPng> {
    let failed = |error: &dyn std::fmt::Display| NoPng::Drawing(error.to_string());
    let options = Options {
        fontdb: fonts(&svg.text),
        font_family: "Inter".to_owned(),
        ..Options::default()
    };
    let tree = Tree::from_str(&svg.text, &options).map_err(|e| failed(&e))?;
    let scale = scale_of(svg.width, svg.height);
    let (width, height) = (
        (svg.width * scale).ceil() as u32,
        (svg.height * scale).ceil() as u32,
    );
    let mut pixels = Pixmap::new(width.max(1), height.max(1)).ok_or_else(|| failed(&"it is too large"))?;
    let transform = Transform::from_scale(scale as f32, scale as f32);
    resvg::render(&tree, transform, &mut pixels.as_mut());
    Ok(Png {
        bytes: pixels.encode_png().map_err(|e| failed(&e))?,
        width,
        height,
        scale,
    })
}

fn scale_of(width: f64, height: f64) -> f64 {
    let by_area = (MOST_PIXELS / (width * height)).sqrt();
    let by_side = LONGEST_SIDE / width.max(height);
    SCALE.min(by_area).min(by_side)
}

/// Our own; where a letter is in none of them, those of the machine too, which takes a moment to read.
fn fonts(text: &str) -> Arc<fontdb::Database> {
    static OWN: LazyLock<Arc<fontdb::Database>> = LazyLock::new(|| Arc::new(own()));
    static ALL: LazyLock<Arc<fontdb::Database>> = LazyLock::new(|| {
        let mut all = own();
        all.load_system_fonts();
        Arc::new(all)
    });
    if text.chars().all(is_own) {
        return OWN.clone();
    }
    ALL.clone()
}

fn own() -> fontdb::Database {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(REGULAR.to_vec());
    fonts.load_font_data(SEMI_BOLD.to_vec());
    fonts.set_sans_serif_family("Inter");
    fonts
}

/// Latin, Greek, Cyrillic and the signs that stand between them.
fn is_own(c: char) -> bool {
    matches!(c as u32, 0..=0x024f | 0x0370..=0x03ff | 0x0400..=0x045f | 0x2010..=0x2026 | 0x20ac)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(width: f64, height: f64, inside: &str) -> Png {
        let text = format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">{inside}</svg>"#
        );
        png(&Svg { text, width, height }).unwrap()
    }

    #[test]
    fn letters_leave_points_behind_in_every_script() {
        let blank = drawn(200.0, 40.0, "").bytes;
        for word in ["Plan", "Größe", "Цель", "Σκοπός"] {
            let inside = format!(r##"<text x="10" y="25" font-family="Inter" fill="#000">{word}</text>"##);
            let png = drawn(200.0, 40.0, &inside);
            assert_eq!((png.width, png.height), (400, 80));
            assert!(png.bytes.len() > blank.len() + 100, "{word}");
        }
    }

    #[test]
    fn a_huge_plan_is_drawn_smaller() {
        let png = drawn(400_000.0, 2_000.0, "");
        assert!(png.width <= 30_000 && png.scale < 0.1);
    }
}

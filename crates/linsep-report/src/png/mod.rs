//! Drawings as PNG, the same bytes on every machine: the font comes along.

use resvg::{tiny_skia, usvg};

/// DejaVu Sans, with the letters of European languages, Greek and Cyrillic; see LICENSE-DejaVu beside it.
static FONT: &[u8] = include_bytes!("DejaVuSans.ttf");
/// Pixels of the image for each of the drawing: sharp on screens of today.
const SCALE: f32 = 2.0;

/// Returns the PNG file of an SVG file.
///
/// Errors, with the reason, if `svg` is not a drawing or is too large.
pub fn png(svg: &str) -> Result<Vec<u8>, String> {
    let mut options =
        usvg::Options { font_family: "DejaVu Sans".to_string(), ..Default::default() };
    options.fontdb_mut().load_font_data(FONT.to_vec());
    let tree = usvg::Tree::from_str(svg, &options).map_err(|error| error.to_string())?;
    let size = tree.size().to_int_size().scale_by(SCALE).ok_or("the drawing has no size")?;
    let mut pixels = tiny_skia::Pixmap::new(size.width(), size.height())
        .ok_or("the drawing is too large for an image")?;
    resvg::render(&tree, tiny_skia::Transform::from_scale(SCALE, SCALE), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::super::svg::{Anchor, Drawing};
    use super::*;

    #[test]
    fn an_image_has_the_size_and_the_text_of_its_drawing() {
        let image = |text: &str| {
            let mut drawing = Drawing::new(60.0, 20.0, "a test");
            drawing.text("", [5.0, 15.0], Anchor::Start, text);
            png(&drawing.file()).unwrap()
        };
        let found = image("fine");
        assert!(found.starts_with(b"\x89PNG\r\n"));
        // Width and height are the first numbers in the file.
        assert_eq!(found[16..24], [0, 0, 0, 120, 0, 0, 0, 40]);
        assert_eq!(found, image("fine"));
        assert_ne!(found, image(""), "the text is not drawn");
        assert!(png("<svg").is_err());
    }
}

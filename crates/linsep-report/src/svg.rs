//! Drawings as SVG: scales, axes and marks. Colours are classes, which a style sheet gives their colour: the one
//! of a page knows light and dark, the one of a file is light.

use std::fmt::Write;

use super::{grouped, rounded};

/// The style of a drawing that stands alone. A page has its own, with the same classes.
const STYLE: &str = "text{font-family:'DejaVu Sans','Segoe UI',Helvetica,Arial,sans-serif;font-size:13px;fill:#333}\
.title{font-size:17px;font-weight:600}.back{fill:#fff}.grid{stroke:#e3e3e3;stroke-width:1;fill:none}\
.axis{stroke:#888;stroke-width:1;fill:none}.line{fill:none;stroke-width:2}.best{stroke-width:3.5}\
.cell.yes{fill:#009e73}.cell.quasi{fill:#e69f00}.cell.no{fill:#d55e00}.cell.open{fill:#888}.in{font-size:12px}";

/// Colours that people who see colours differently can tell apart (Okabe and Ito, the yellow darker).
pub const COLOURS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#555555", "#7a5195"];
/// Dashes, for lines beyond the colours.
pub const DASHES: [&str; 3] = ["", "7 4", "2 3"];

/// Returns text with what means something to SVG and HTML written otherwise.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Neither format allows them, and a name may hold any byte.
            control if control.is_control() && control != '\n' => out.push('\u{fffd}'),
            letter => out.push(letter),
        }
    }
    out
}

/// From numbers to pixels.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    from: [f64; 2],
    to: [f64; 2],
}

impl Scale {
    /// Returns the scale that maps one interval to the other. An empty one is widened.
    pub fn new(from: [f64; 2], to: [f64; 2]) -> Self {
        let [low, high] = from;
        let from = if low < high { from } else { [low - 0.5, high + 0.5] };
        Scale { from, to }
    }

    /// Returns the pixel of a number.
    pub fn at(&self, value: f64) -> f64 {
        let [low, high] = self.from;
        self.to[0] + (value - low) / (high - low) * (self.to[1] - self.to[0])
    }

    /// Returns round numbers within the scale; their number is about `about`.
    pub fn ticks(&self, about: usize) -> Vec<f64> {
        let [low, high] = self.from;
        let rough = (high - low) / about.max(1) as f64;
        let power = libm::pow(10.0, libm::log10(rough).floor());
        let step =
            [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|s| *s >= rough * 0.999);
        let step = step.unwrap_or(10.0 * power);
        if !(step > 0.0 && step.is_finite()) {
            return vec![low];
        }
        let first = (low / step).ceil() as i64;
        let last = ((high / step).floor() as i64).min(first + 100);
        (first..=last).map(|k| k as f64 * step).collect()
    }
}

/// Returns a pixel with one decimal: more would only make the file larger.
pub fn px(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_string)
}

/// Where text stands relative to its place.
#[derive(Clone, Copy, Debug)]
pub enum Anchor {
    /// It begins there.
    Start,
    /// It is centred there.
    Middle,
    /// It ends there.
    End,
}

impl Anchor {
    fn word(self) -> &'static str {
        match self {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        }
    }
}

/// A drawing.
#[derive(Clone, Debug)]
pub struct Drawing {
    width: f64,
    height: f64,
    about: String,
    body: String,
}

impl Drawing {
    /// Returns an empty drawing of `width` x `height` pixels; `about` says in words what it shows.
    pub fn new(width: f64, height: f64, about: &str) -> Self {
        Drawing { width, height, about: about.to_string(), body: String::new() }
    }

    /// Adds what is SVG already.
    pub fn raw(&mut self, svg: &str) {
        self.body.push_str(svg);
    }

    /// Adds a line.
    pub fn line(&mut self, class: &str, from: [f64; 2], to: [f64; 2]) {
        let [x1, y1, x2, y2] = [from[0], from[1], to[0], to[1]].map(px);
        self.raw(&format!("<path class=\"{class}\" d=\"M{x1} {y1}L{x2} {y2}\"/>"));
    }

    /// Adds a rectangle.
    pub fn rect(&mut self, class: &str, at: [f64; 2], size: [f64; 2]) {
        let [x, y, w, h] = [at[0], at[1], size[0].max(0.0), size[1].max(0.0)].map(px);
        let rect =
            format!("<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\"/>");
        self.raw(&rect);
    }

    /// Adds text.
    pub fn text(&mut self, class: &str, at: [f64; 2], anchor: Anchor, text: &str) {
        let ([x, y], anchor) = (at.map(px), anchor.word());
        let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
        let text = escaped(text);
        let text =
            format!("<text{class} x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\">{text}</text>");
        self.raw(&text);
    }

    /// Adds text that runs upwards.
    pub fn text_up(&mut self, at: [f64; 2], text: &str) {
        let ([x, y], text) = (at.map(px), escaped(text));
        self.raw(&format!(
            "<text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\" transform=\"rotate(-90 {x} {y})\">{text}</text>"
        ));
    }

    /// Adds the grid and the labels of an axis at the bottom.
    pub fn x_axis(&mut self, scale: &Scale, ticks: &[(f64, String)], [top, bottom]: [f64; 2]) {
        for (value, label) in ticks {
            let x = scale.at(*value);
            self.line("grid", [x, top], [x, bottom]);
            self.text("", [x, bottom + 18.0], Anchor::Middle, label);
        }
    }

    /// Adds the grid and the labels of an axis on the left.
    pub fn y_axis(&mut self, scale: &Scale, ticks: &[(f64, String)], [left, right]: [f64; 2]) {
        for (value, label) in ticks {
            let y = scale.at(*value);
            self.line("grid", [left, y], [right, y]);
            self.text("", [left - 8.0, y + 4.5], Anchor::End, label);
        }
    }

    /// Returns the drawing as part of a page, which has the styles.
    pub fn part(&self) -> String {
        let Drawing { width, height, about, body } = self;
        let (width, height, about) = (px(*width), px(*height), escaped(about));
        format!(
            "<svg viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{about}\">{body}</svg>\n"
        )
    }

    /// Returns the drawing as a file.
    pub fn file(&self) -> String {
        let Drawing { width, height, about, body } = self;
        let (width, height, about) = (px(*width), px(*height), escaped(about));
        let mut out = String::new();
        write!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\">\n<title>{about}</title>\n<style>{STYLE}</style>\n\
             <rect class=\"back\" width=\"{width}\" height=\"{height}\"/>{body}</svg>\n"
        )
        .expect("memory takes all");
        out
    }
}

/// Returns numbers with the labels that people read.
pub fn labelled(ticks: Vec<f64>) -> Vec<(f64, String)> {
    ticks.into_iter().map(|tick| (tick, tick_label(tick))).collect()
}

/// Returns a number as it stands at an axis.
pub fn tick_label(value: f64) -> String {
    match value.fract() == 0.0 && value.abs() < 1e7 {
        true if value < 0.0 => format!("-{}", grouped((-value) as u64)),
        true => grouped(value as u64),
        // A step of 0.1 is not exact.
        false => rounded((value * 1e9).round() / 1e9 + 0.0),
    }
}

/// Moves places apart that are closer than `room`, as little as the order allows, within `low..high`.
pub fn apart(places: &mut [f64], room: f64, [low, high]: [f64; 2]) {
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by(|&a, &b| places[a].total_cmp(&places[b]).then(a.cmp(&b)));
    let mut least = low;
    for &k in &order {
        places[k] = places[k].max(least);
        least = places[k] + room;
    }
    let mut most = high;
    for &k in order.iter().rev() {
        places[k] = places[k].min(most);
        most = places[k] - room;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_within() {
        assert_eq!(
            Scale::new([0.0, 1.0], [0.0, 100.0]).ticks(5),
            [0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0]
        );
        assert_eq!(Scale::new([-3.0, 17.0], [0.0, 1.0]).ticks(4), [0.0, 5.0, 10.0, 15.0]);
        // One number is a scale as well.
        assert!(!Scale::new([2.0, 2.0], [0.0, 1.0]).ticks(4).is_empty());
        let labels: Vec<String> =
            [0.6000000000000001, 20_000.0, -5.0, 0.25, 1e-12].map(tick_label).into();
        assert_eq!(labels[..4], ["0.6", "20,000", "-5", "0.25"]);
    }

    #[test]
    fn labels_are_moved_apart_as_little_as_possible() {
        let mut places = [10.0, 11.0, 50.0, 11.0];
        apart(&mut places, 5.0, [0.0, 60.0]);
        assert_eq!(places, [10.0, 15.0, 50.0, 20.0]);
        let mut low = [58.0, 59.0];
        apart(&mut low, 5.0, [0.0, 60.0]);
        assert_eq!(low, [55.0, 60.0]);
    }

    #[test]
    fn text_cannot_leave_its_place() {
        let mut drawing = Drawing::new(10.0, 10.0, "a \"b\"");
        drawing.text("", [0.0, 0.0], Anchor::Start, "</text><script>&\u{7}");
        let file = drawing.file();
        assert!(!file.contains("<script>") && file.contains("&lt;script&gt;&amp;\u{fffd}"));
        assert!(file.contains("a &quot;b&quot;"));
    }
}

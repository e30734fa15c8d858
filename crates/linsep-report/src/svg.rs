//! Drawings as SVG: scales, axes and marks. Colours are classes, which a style sheet gives their colour: the one
//! of a page knows light and dark, the one of a file is light.

use std::fmt::Write;

use super::{grouped, rounded};

/// The style of a drawing that stands alone. A page has its own, with the same classes.
const STYLE: &str = "text{font-family:'DejaVu Sans','Segoe UI',Helvetica,Arial,sans-serif;font-size:13px;fill:#333}\
.title{font-size:17px;font-weight:600}.back{fill:#fff}.grid{stroke:#e3e3e3;stroke-width:1;fill:none}\
.axis{stroke:#888;stroke-width:1;fill:none}.line{fill:none;stroke-width:2}.best{stroke-width:3.5}\
.cell.yes{fill:#009e73}.cell.quasi{fill:#e69f00}.cell.no{fill:#d55e00}.cell.open{fill:#888}.in{font-size:12px}";

/// The style of rows and a hyperplane in a drawing that stands alone: that of a page, in its light colours.
pub(crate) const ROWS_STYLE: &str = ".n{fill:#c2570c}.p{fill:#0b6bb5}.bar{opacity:.85}.dot{opacity:.75}\
.plane{stroke:#1f2328;stroke-width:2;fill:none}.edge{stroke:#1f2328;stroke-dasharray:5 4;fill:none}.band{fill:#1a7f37;opacity:.14}\
.ring{fill:none;stroke:#1f2328;stroke-width:2}.ring.conflict{stroke:#b3261e}.ring.suspect{stroke:#8a5a00;stroke-dasharray:3 2}\
.small{font-size:11px;fill:#5c6470}";

/// Colours that people who see colours differently can tell apart (Okabe and Ito, the yellow darker).
pub const COLOURS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#555555", "#7a5195"];
/// Dashes, for lines beyond the colours.
pub const DASHES: [&str; 3] = ["", "7 4", "2 3"];

/// Returns text with what means something to SVG and HTML written otherwise, and as [`visible`] has it.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            letter => out.push(seen(letter)),
        }
    }
    out
}

/// Returns text without letters that pages do not allow, or that turn what follows them around.
pub fn visible(text: &str) -> String {
    text.chars().map(seen).collect()
}

fn seen(letter: char) -> char {
    match letter {
        '\n' => letter,
        // XML allows neither, and a name may hold any byte.
        '\u{fffe}' | '\u{ffff}' => '\u{fffd}',
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        control if control.is_control() => '\u{fffd}',
        letter => letter,
    }
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
    style: &'static str,
}

impl Drawing {
    /// Returns an empty drawing of `width` x `height` pixels; `about` says in words what it shows.
    pub fn new(width: f64, height: f64, about: &str) -> Self {
        Drawing { width, height, about: about.to_string(), body: String::new(), style: "" }
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

    /// Adds more to the style of the file.
    pub(crate) fn with_style(mut self, style: &'static str) -> Self {
        self.style = style;
        self
    }

    /// Returns the drawing with so much room above it.
    pub(crate) fn moved_down(self, room: f64) -> Self {
        let Drawing { height, body, .. } = self;
        let body = format!("<g transform=\"translate(0 {})\">{body}</g>", px(room));
        Drawing { height: height + room, body, ..self }
    }

    /// Returns the drawing as part of a page, which has the styles.
    pub fn part(&self) -> String {
        let Drawing { width, height, about, body, .. } = self;
        let (width, height, about) = (px(*width), px(*height), escaped(about));
        format!(
            "<svg viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{about}\">{body}</svg>\n"
        )
    }

    /// Returns the drawing as a file.
    pub fn file(&self) -> String {
        let Drawing { width, height, about, body, style } = self;
        let (width, height, about) = (px(*width), px(*height), escaped(about));
        let mut out = String::new();
        write!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\">\n<title>{about}</title>\n<style>{STYLE}{style}</style>\n\
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

/// The ticks of an axis whose numbers may lie far from zero.
pub(crate) struct AxisTicks {
    /// Places, and what stands there.
    pub(crate) ticks: Vec<(f64, String)>,
    /// What has to be added to the numbers that stand there.
    beyond: Option<f64>,
}

/// Ticks that are further from zero than this many steps are written as differences: more digits nobody compares.
const FAR: f64 = 2e4;

impl AxisTicks {
    /// Returns one tick, for what does not vary.
    pub(crate) fn one(value: f64) -> Self {
        AxisTicks { ticks: vec![(value, super::number(value))], beyond: None }
    }
}

/// Returns round numbers within a scale, with labels that differ.
pub(crate) fn axis_ticks(scale: &Scale, about: usize) -> AxisTicks {
    let places = scale.ticks(about);
    let step = places.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
    let farthest = places.iter().fold(0.0_f64, |most, tick| most.max(tick.abs()));
    let [low, high] = scale.from;
    // Round, below all ticks, and no further off than it has to be.
    let unit = libm::pow(10.0, libm::log10(high - low).ceil());
    let far = step.is_finite() && farthest > FAR * step;
    let first = places.first().copied().filter(|_| far);
    let beyond =
        first.map(|first| (first / unit).floor() * unit).filter(|beyond| beyond.is_finite());
    // A step is 1, 2 or 5 times a power of ten, but for rounding.
    let power = if step.is_finite() { libm::log10(step * 1.001).floor() as i32 } else { 0 };
    let label = |&tick: &f64| (tick, fixed(tick - beyond.unwrap_or(0.0), power));
    AxisTicks { ticks: places.iter().map(label).collect(), beyond }
}

impl AxisTicks {
    /// Returns the name of the axis, with what its numbers are beyond.
    pub(crate) fn title(&self, name: &str) -> String {
        match self.beyond {
            None => name.to_string(),
            Some(beyond) if beyond < 0.0 => format!("{name} + {}", exactly(-beyond)),
            Some(beyond) => format!("{name} − {}", exactly(beyond)),
        }
    }
}

/// Returns a number above 0 with all its digits, in groups before the point.
fn exactly(value: f64) -> String {
    let text = super::number(value);
    let (whole, part) = text.split_once('.').unwrap_or((&text, ""));
    match whole.parse().map(grouped) {
        Ok(whole) if part.is_empty() => whole,
        Ok(whole) if !part.contains('e') => format!("{whole}.{part}"),
        _ => text,
    }
}

/// Returns a number with the digits that steps of this power of ten need.
fn fixed(value: f64, power: i32) -> String {
    let size = value.abs();
    if size == 0.0 && power < -6 {
        return "0".to_string();
    }
    if size != 0.0 && (size >= 1e7 || power < -6) {
        let digits = (libm::log10(size).floor() as i32 - power).clamp(0, 9) as usize;
        return format!("{value:.digits$e}");
    }
    let digits = (-power).max(0) as usize;
    let text = format!("{size:.digits$}");
    let (whole, part) = text.split_once('.').unwrap_or((&text, ""));
    let sign =
        if value < 0.0 && text.contains(|c: char| ('1'..='9').contains(&c)) { "-" } else { "" };
    let whole = grouped(whole.parse().unwrap_or(0));
    if part.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{part}") }
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
    fn ticks_of_an_axis_differ_wherever_they_are() {
        let check = |range: [f64; 2], labels: &[&str], title: &str| {
            let found = axis_ticks(&Scale::new(range, [0.0, 1.0]), 4);
            let texts: Vec<&str> = found.ticks.iter().map(|(_, text)| &text[..]).collect();
            assert_eq!((texts.as_slice(), &found.title("t")[..]), (labels, title));
        };
        check([0.0, 1.0], &["0.0", "0.5", "1.0"], "t");
        check([-1500.0, 1500.0], &["-1,000", "0", "1,000"], "t");
        check([1.7e9, 1.7e9 + 4.0], &["0", "1", "2", "3", "4"], "t − 1,700,000,000");
        check([-1e6 - 3.0, -1e6], &["7", "8", "9", "10"], "t + 1,000,010");
        check(
            [1.7e9 + 1e-3, 1.7e9 + 3e-3],
            &["0.0010", "0.0015", "0.0020", "0.0025", "0.0030"],
            "t − 1,700,000,000",
        );
        check([0.0, 4e-9], &["0", "1e-9", "2e-9", "3e-9", "4e-9"], "t");
        check([0.0, 3e9], &["0", "1e9", "2e9", "3e9"], "t");
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

//! A sweep as a drawing: how many epochs something takes, over a number that is varied.
//!
//! Both axes are logarithmic. The one below has a place for 0, the one on the left a place for what did not end. A
//! line runs through medians, on a band from the least to the most.

use linsep_report::svg::{Anchor, COLOURS, DASHES, Drawing, Scale, apart, px, tick_label};

/// One line of a sweep.
#[derive(Clone, Debug)]
pub struct SweepLine {
    /// Its name, which stands at its end.
    pub name: String,
    /// The number of its colour.
    pub colour: usize,
    /// Whether it is dashed.
    pub dashed: bool,
    /// Where it runs, from left to right.
    pub points: Vec<SweepPoint>,
}

/// What the runs at one place came to.
#[derive(Clone, Copy, Debug)]
pub struct SweepPoint {
    /// The number that is varied, 0 or more.
    pub at: f64,
    /// The least, the median and the most; infinite where a run did not end.
    pub range: [f64; 3],
}

/// A chart of a sweep.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// What stands above it.
    pub title: String,
    /// What is varied.
    pub across: String,
    /// What is counted.
    pub up: String,
    /// The name of the place for what did not end.
    pub beyond: String,
    /// The lines.
    pub lines: Vec<SweepLine>,
}

/// Small, so that letters stay legible where it is shown at half the width of a page.
const SIZE: [f64; 2] = [600.0, 420.0];
const LEFT: f64 = 78.0;
/// Room for names at the ends of lines.
const RIGHT: f64 = 92.0;
const TOP: f64 = 48.0;
const BOTTOM: f64 = 56.0;
/// Length of the piece of line beside a name.
const SWATCH: f64 = 24.0;
/// Pixels between two names.
const NAME_HEIGHT: f64 = 17.0;
/// How far beyond the axis 0 and what did not end are, in powers of ten.
const ASIDE: [f64; 2] = [0.7, 0.3];

impl Sweep {
    /// Returns the chart as the text of an SVG file.
    pub fn svg(&self) -> String {
        self.draw().file()
    }

    /// Returns the chart as a drawing.
    pub fn draw(&self) -> Drawing {
        let mut drawing = Drawing::new(SIZE[0], SIZE[1], &self.told());
        drawing.text("title", [LEFT, 28.0], Anchor::Start, &self.title);
        let axes = SweepAxes::new(&self.lines);
        axes.draw(&mut drawing, self);
        let end = |line: &SweepLine| line.points.last().map_or(0.0, |p| axes.y(p.range[1]));
        let mut names: Vec<f64> = self.lines.iter().map(end).collect();
        apart(&mut names, NAME_HEIGHT, [TOP, SIZE[1] - BOTTOM]);
        self.lines.iter().for_each(|line| draw_band(&mut drawing, &axes, line));
        for (line, name_at) in self.lines.iter().zip(names) {
            draw_line(&mut drawing, &axes, line, name_at);
        }
        drawing
    }

    /// Says in words where each line begins and ends.
    fn told(&self) -> String {
        let place = |point: &SweepPoint| match point.range[1].is_finite() {
            true => tick_label(point.range[1]),
            false => self.beyond.clone(),
        };
        let told = |line: &SweepLine| match line.points[..] {
            [] => format!("{} has no points", line.name),
            [first, .., last] => {
                format!("{} from {} to {}", line.name, place(&first), place(&last))
            }
            [only] => format!("{} at {}", line.name, place(&only)),
        };
        let lines: Vec<String> = self.lines.iter().map(told).collect();
        format!("{}: {}", self.title, lines.join(", "))
    }
}

/// Where numbers are.
struct SweepAxes {
    x: Scale,
    y: Scale,
    /// The least and the largest power of ten: those of numbers above 0 below, those of ends on the left.
    powers: [[f64; 2]; 2],
    zero: bool,
    beyond: bool,
}

impl SweepAxes {
    fn new(lines: &[SweepLine]) -> Self {
        let points = || lines.iter().flat_map(|line| &line.points);
        let range = |values: Vec<f64>| {
            let powers: Vec<f64> =
                values.into_iter().filter(|v| *v > 0.0 && v.is_finite()).map(libm::log10).collect();
            let low = powers.iter().copied().fold(f64::INFINITY, f64::min);
            let high = powers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            if low <= high { [low, high] } else { [0.0, 1.0] }
        };
        let across = range(points().map(|point| point.at).collect());
        let up = range(points().flat_map(|point| point.range).collect());
        let zero = points().any(|point| point.at == 0.0);
        let beyond = points().any(|point| point.range[2].is_infinite());
        // Where something did not end, the axis goes up to its limit, which is a round number above all ends.
        let top = if beyond { up[1].ceil() + ASIDE[1] } else { up[1] };
        let first = if zero { across[0] - ASIDE[0] } else { across[0] };
        SweepAxes {
            x: Scale::new([first, across[1]], [LEFT, SIZE[0] - RIGHT]),
            y: Scale::new([up[0], top], [SIZE[1] - BOTTOM, TOP]),
            powers: [across, up],
            zero,
            beyond,
        }
    }

    fn x(&self, value: f64) -> f64 {
        self.x.at(if value > 0.0 { libm::log10(value) } else { self.powers[0][0] - ASIDE[0] })
    }

    fn y(&self, value: f64) -> f64 {
        let above = self.powers[1][1].ceil() + ASIDE[1];
        self.y.at(if value.is_finite() { libm::log10(value.max(1.0)) } else { above })
    }

    fn draw(&self, drawing: &mut Drawing, sweep: &Sweep) {
        let [bottom, right] = [SIZE[1] - BOTTOM, SIZE[0] - RIGHT];
        let mut below = ticks(self.powers[0], &self.x, 48.0, power_label);
        if self.zero {
            below.insert(0, (self.powers[0][0] - ASIDE[0], "0".to_string()));
        }
        drawing.x_axis(&self.x, &below, [TOP, bottom]);
        let [low, high] = self.powers[1];
        let high = if self.beyond { high.ceil() } else { high };
        let mut left = ticks([low, high], &self.y, 22.0, tick_label);
        if self.beyond {
            left.push((high + ASIDE[1], sweep.beyond.clone()));
        }
        drawing.y_axis(&self.y, &left, [LEFT, right]);
        drawing.line("axis", [LEFT, bottom], [right, bottom]);
        drawing.text("", [(LEFT + right) / 2.0, SIZE[1] - 14.0], Anchor::Middle, &sweep.across);
        drawing.text_up([18.0, (TOP + bottom) / 2.0], &sweep.up);
    }
}

/// Returns powers of ten, and their halves and fifths, where they are `room` pixels apart.
fn ticks(
    [low, high]: [f64; 2],
    scale: &Scale,
    room: f64,
    label: impl Fn(f64) -> String,
) -> Vec<(f64, String)> {
    let decade = (scale.at(1.0) - scale.at(0.0)).abs();
    let steps: &[f64] = if decade * 0.3 > room { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let every = (room / decade).ceil().max(1.0) as i32;
    (low.floor() as i32..=high.ceil() as i32)
        .filter(|power| power.rem_euclid(every) == 0)
        .flat_map(|power| steps.iter().map(move |step| step * libm::pow(10.0, f64::from(power))))
        .map(|value| (libm::log10(value), label(value)))
        .filter(|(at, _)| (low - 1e-9..=high + 1e-9).contains(at))
        .collect()
}

fn power_label(value: f64) -> String {
    if value < 0.0099 { format!("1e{}", libm::log10(value).round()) } else { tick_label(value) }
}

/// Draws the band from the least to the most.
fn draw_band(drawing: &mut Drawing, axes: &SweepAxes, line: &SweepLine) {
    let corner = |point: &SweepPoint, k: usize| {
        format!("{} {}", px(axes.x(point.at)), px(axes.y(point.range[k])))
    };
    let there = line.points.iter().map(|point| corner(point, 2));
    let back = line.points.iter().rev().map(|point| corner(point, 0));
    let outline = there.chain(back).collect::<Vec<_>>().join("L");
    let colour = COLOURS[line.colour % COLOURS.len()];
    if line.points.len() > 1 {
        drawing.raw(&format!("<path fill=\"{colour}\" fill-opacity=\"0.13\" d=\"M{outline}Z\"/>"));
    }
}

fn draw_line(drawing: &mut Drawing, axes: &SweepAxes, line: &SweepLine, name_at: f64) {
    let colour = COLOURS[line.colour % COLOURS.len()];
    let dash = if line.dashed { DASHES[1] } else { DASHES[0] };
    let places: Vec<[String; 2]> =
        line.points.iter().map(|p| [axes.x(p.at), axes.y(p.range[1])].map(px)).collect();
    let path = places.iter().map(|at| at.join(" ")).collect::<Vec<_>>().join("L");
    let names = SIZE[0] - RIGHT + 10.0;
    let [from, to, down] = [names, names + SWATCH, name_at].map(px);
    let mut paths = vec![format!("M{from} {down}L{to} {down}")];
    if !path.is_empty() {
        paths.push(format!("M{path}"));
    }
    for path in paths {
        drawing.raw(&format!(
            "<path class=\"line\" stroke=\"{colour}\" stroke-dasharray=\"{dash}\" d=\"{path}\"/>"
        ));
    }
    for [x, y] in places {
        drawing.raw(&format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"3\" fill=\"{colour}\"/>"));
    }
    drawing.text("", [names + SWATCH + 6.0, name_at + 4.5], Anchor::Start, &line.name);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(name: &str, points: &[(f64, f64)]) -> SweepLine {
        let points =
            points.iter().map(|&(at, y)| SweepPoint { at, range: [y / 2.0, y, y * 2.0] }).collect();
        SweepLine { name: name.into(), colour: 0, dashed: false, points }
    }

    fn sweep(lines: Vec<SweepLine>) -> Sweep {
        let [title, across, up, beyond] =
            ["over <epsilon>", "epsilon", "epochs", "> 1,000"].map(String::from);
        Sweep { title, across, up, beyond, lines }
    }

    #[test]
    fn a_sweep_has_places_for_zero_and_for_what_did_not_end() {
        let lines = vec![line("A", &[(0.0, 40.0), (0.01, 300.0), (1.0, f64::INFINITY)])];
        let axes = SweepAxes::new(&lines);
        assert!(axes.x(0.0) < axes.x(0.01) && axes.x(0.01) < axes.x(1.0));
        assert!(axes.y(f64::INFINITY) < axes.y(1000.0) && axes.y(1000.0) < axes.y(300.0));
        let svg = sweep(lines).svg();
        for text in ["over &lt;epsilon&gt;", "&gt; 1,000", ">0<", ">0.1<", "A from 40 to"] {
            assert!(svg.contains(text), "{text}");
        }
    }

    #[test]
    fn few_points_or_none_are_enough() {
        assert!(sweep(vec![]).svg().ends_with("</svg>\n"));
        let svg = sweep(vec![line("A", &[(1e-9, 7.0)]), line("B", &[])]).svg();
        assert!(svg.contains("A at 7") && !svg.contains("NaN"));
    }
}

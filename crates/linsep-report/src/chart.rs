//! A race as a drawing: the mistakes that are left, over epochs or over work.
//!
//! Mistakes are on a logarithmic axis with a place for none, so that who gets there is seen. Lines are named at the
//! height at which they end, and a ring marks where a method has finished. One that ended with no mistake left stays
//! there: its line goes on faintly, as far as the longest.

use linsep::ask::RaceAnswer;
use linsep::race::Entrant;

use super::svg::{Anchor, COLOURS, DASHES, Drawing, Scale, apart, labelled, px, tick_label};

/// One line of a chart.
#[derive(Clone, Debug)]
pub struct Line {
    /// Its name.
    pub name: String,
    /// Whether it is dashed, whatever its colour.
    pub dashed: bool,
    /// Whether it ends because no mistake is left.
    pub finished: bool,
    /// How far along (epochs, or passes' worth of work), and the mistakes that are left.
    pub points: Vec<(f64, u64)>,
}

/// A chart of mistakes.
#[derive(Clone, Debug)]
pub struct Chart {
    /// What stands above it.
    pub title: String,
    /// What is below the axis: "epochs", or "passes' worth of work".
    pub across: String,
    /// The lines.
    pub lines: Vec<Line>,
}

/// Width, height, and room for names at the ends of lines.
const LARGE: [f64; 3] = [900.0, 520.0, 230.0];
/// Letters of this one stay legible where it is shown at half the width of a page; names are short.
const SMALL: [f64; 3] = [600.0, 420.0, 130.0];
const LEFT: f64 = 86.0;
const TOP: f64 = 52.0;
const BOTTOM: f64 = 58.0;
/// Length of the piece of line beside a name.
const SWATCH: f64 = 24.0;
/// Pixels between two names.
const NAME_HEIGHT: f64 = 16.0;
/// More points than pixels only make the file larger.
const MOST_POINTS: usize = 600;
/// From this many times the first point on, the axis is logarithmic: else who is done early is lost in a corner.
const WIDE: f64 = 40.0;

/// What the chart of a race is drawn over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// Epochs.
    Epochs,
    /// Work, in passes over all rows.
    Work,
}

impl Chart {
    /// Returns the chart of the mistakes that each method had left after each epoch.
    pub fn of_race(answer: &RaceAnswer, source: &str, over: Over) -> Self {
        let rows = answer.data.shape.rows as f64;
        let line = |Entrant { method, fit }: &Entrant| {
            let points = fit.history.iter().filter_map(|record| {
                let along = match over {
                    Over::Epochs => record.epoch as f64,
                    Over::Work => record.rows_evaluated as f64 / rows,
                };
                record.evaluated_mistakes.map(|mistakes| (along, mistakes))
            });
            Line {
                name: method.name().to_string(),
                dashed: false,
                points: points.collect(),
                finished: fit.separated(),
            }
        };
        let size = super::text::size(&answer.data).replacen(", ", " x ", 1);
        let (what, across) = match over {
            Over::Epochs => ("epochs", "epochs"),
            Over::Work => ("work", "work, in passes over all rows"),
        };
        Chart {
            title: format!("{source}: mistakes left, over {what} ({size})"),
            across: across.to_string(),
            lines: answer.entrants.iter().map(line).collect(),
        }
    }
}

impl Chart {
    /// Returns the chart as the text of an SVG file.
    pub fn svg(&self) -> String {
        self.draw().file()
    }

    /// Returns the text of a smaller SVG file, for lines with short names.
    pub fn small_svg(&self) -> String {
        self.draw_in(SMALL, "mistakes left").file()
    }

    /// Returns the chart as a drawing.
    pub fn draw(&self) -> Drawing {
        self.draw_with("mistakes left")
    }

    /// Returns the chart as a drawing of mistakes that are called so.
    pub fn draw_with(&self, up: &str) -> Drawing {
        self.draw_in(LARGE, up)
    }

    /// Returns where in [`draw`](Self::draw) each point of each line is.
    pub fn places(&self) -> Vec<Vec<[f64; 2]>> {
        let axes = ChartAxes::new(&self.lines, LARGE);
        let place = |&(x, mistakes): &(f64, u64)| [axes.x(x), axes.y(mistakes)];
        self.lines.iter().map(|line| line.points.iter().map(place).collect()).collect()
    }

    fn draw_in(&self, room: [f64; 3], up: &str) -> Drawing {
        let mut drawing =
            Drawing::new(room[0], room[1], &format!("{}: {}", self.title, self.told()));
        let axes = ChartAxes::new(&self.lines, room);
        // A long title begins further to the left.
        let left = if room == SMALL { 12.0 } else { LEFT };
        drawing.text("title", [left, 30.0], Anchor::Start, &self.title);
        axes.draw(&mut drawing, [&self.across, up]);
        let mut names: Vec<f64> = self.lines.iter().map(|line| axes.end(line)[1]).collect();
        apart(&mut names, NAME_HEIGHT, [TOP, axes.bottom]);
        // The first line, which comes last, is on top.
        for (k, line) in self.lines.iter().enumerate().rev() {
            draw_line(&mut drawing, &axes, line, k, names[k]);
        }
        drawing
    }

    /// Says how each line ends.
    fn told(&self) -> String {
        let end = |line: &Line| match line.points.last() {
            Some((_, mistakes)) => format!("{} ends with {} mistakes", line.name, mistakes),
            None => format!("{} has no points", line.name),
        };
        self.lines.iter().map(end).collect::<Vec<_>>().join(", ")
    }
}

/// Where numbers are.
struct ChartAxes {
    x: Scale,
    y: Scale,
    wide: bool,
    /// The power of ten above all mistakes.
    decades: u32,
    right: f64,
    bottom: f64,
    /// Whether the first line is the winner, and bold.
    bold: bool,
}

impl ChartAxes {
    fn new(lines: &[Line], [width, height, names]: [f64; 3]) -> Self {
        let (right, bottom) = (width - names, height - BOTTOM);
        let points = || lines.iter().flat_map(|line| &line.points);
        let first = points().map(|point| point.0).fold(f64::INFINITY, f64::min);
        let last = points().map(|point| point.0).fold(0.0, f64::max);
        let most = points().map(|point| point.1).max().unwrap_or(1);
        let decades = (1..20).find(|&k| 10u64.pow(k) >= most).unwrap_or(19);
        let wide = first > 0.0 && last > WIDE * first;
        let range = match wide {
            true => [libm::log10(first), libm::log10(last)],
            false => [if first.is_finite() { first.min(1.0) } else { 0.0 }, last],
        };
        ChartAxes {
            x: Scale::new(range, [LEFT, right]),
            y: Scale::new([0.0, f64::from(decades + 1)], [bottom, TOP]),
            wide,
            decades,
            right,
            bottom,
            bold: width == LARGE[0],
        }
    }

    fn x(&self, value: f64) -> f64 {
        self.x.at(if self.wide { libm::log10(value) } else { value })
    }

    /// None is at the bottom, one a step above it, and then each power of ten.
    fn y(&self, mistakes: u64) -> f64 {
        self.y.at(if mistakes == 0 { 0.0 } else { 1.0 + libm::log10(mistakes as f64) })
    }

    fn end(&self, line: &Line) -> [f64; 2] {
        line.points
            .last()
            .map_or([LEFT, self.bottom], |&(x, mistakes)| [self.x(x), self.y(mistakes)])
    }

    fn draw(&self, drawing: &mut Drawing, [across, up]: [&str; 2]) {
        let ChartAxes { right, bottom, .. } = *self;
        let ticks = match self.wide {
            true => self.log_ticks(),
            // There is no half of an epoch.
            false if across == "epochs" => {
                labelled(self.x.ticks(8).into_iter().filter(|tick| tick.fract() == 0.0).collect())
            }
            false => labelled(self.x.ticks(8)),
        };
        drawing.x_axis(&self.x, &ticks, [TOP, bottom]);
        let mut ticks = vec![(0.0, "0".to_string())];
        ticks.extend(
            (0..=self.decades)
                .map(|k| (f64::from(k + 1), tick_label(libm::pow(10.0, f64::from(k))))),
        );
        drawing.y_axis(&self.y, &ticks, [LEFT, right]);
        drawing.line("axis", [LEFT, bottom], [right, bottom]);
        drawing.text("", [(LEFT + right) / 2.0, bottom + BOTTOM - 14.0], Anchor::Middle, across);
        drawing.text_up([20.0, (TOP + bottom) / 2.0], up);
    }

    /// Returns powers of ten, and their halves and fifths where there is room.
    fn log_ticks(&self) -> Vec<(f64, String)> {
        let place = |value: f64| (libm::log10(value), tick_label(value));
        let [low, high] = [self.x.at(0.0), self.x.at(1.0)];
        let steps: &[f64] = if high - low > 150.0 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        (-3..10)
            .flat_map(|k| steps.iter().map(move |s| s * libm::pow(10.0, f64::from(k))))
            .map(place)
            .filter(|(at, _)| (LEFT - 0.5..=self.right + 0.5).contains(&self.x.at(*at)))
            .collect()
    }
}

fn draw_line(drawing: &mut Drawing, axes: &ChartAxes, line: &Line, k: usize, name_at: f64) {
    if line.points.is_empty() {
        return;
    }
    let colour = COLOURS[k % COLOURS.len()];
    let dash = if line.dashed { DASHES[1] } else { DASHES[(k / COLOURS.len()).min(2)] };
    let mut path = String::new();
    for (x, mistakes) in thinned(&line.points) {
        let letter = if path.is_empty() { 'M' } else { 'L' };
        path.push_str(&format!("{letter}{} {}", px(axes.x(x)), px(axes.y(mistakes))));
    }
    let best = if k == 0 && axes.bold { " best" } else { "" };
    drawing.raw(&format!(
        "<path class=\"line{best}\" stroke=\"{colour}\" stroke-dasharray=\"{dash}\" d=\"{path}\"/>"
    ));
    let [x, y] = axes.end(line);
    let none_left = line.points.last().is_some_and(|point| point.1 == 0);
    if line.finished && none_left && x < axes.right {
        let [from, to, down] = [x, axes.right, y].map(px);
        drawing.raw(&format!(
            "<path class=\"line\" stroke=\"{colour}\" stroke-dasharray=\"{dash}\" opacity=\"0.45\" d=\"M{from} {down}L{to} {down}\"/>"
        ));
    }
    // A ring where it is done, a dot where it was stopped.
    let (radius, fill) = if line.finished { (6.0, "none") } else { (3.0, colour) };
    let [cx, cy] = [x, y].map(px);
    drawing.raw(&format!(
        "<circle cx=\"{cx}\" cy=\"{cy}\" r=\"{radius}\" fill=\"{fill}\" stroke=\"{colour}\" stroke-width=\"2\"/>"
    ));
    let names = axes.right + 14.0;
    let [from, to, down] = [names, names + SWATCH, name_at].map(px);
    drawing.raw(&format!(
        "<path class=\"line{best}\" stroke=\"{colour}\" stroke-dasharray=\"{dash}\" d=\"M{from} {down}L{to} {down}\"/>"
    ));
    let finished = if line.finished {
        format!("{} ({})", line.name, tick_label(line.points.last().map_or(0.0, |p| round(p.0))))
    } else {
        line.name.clone()
    };
    drawing.text("", [names + SWATCH + 6.0, name_at + 4.5], Anchor::Start, &finished);
}

/// Returns a number of passes with one decimal.
fn round(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// Returns the points, of each bunch the worst where there are too many to show, and always both ends.
fn thinned(points: &[(f64, u64)]) -> Vec<(f64, u64)> {
    let bunch = points.len().div_ceil(MOST_POINTS).max(1);
    let worst = |bunch: &[(f64, u64)]| bunch.iter().copied().max_by_key(|point| point.1);
    let mut shown: Vec<(f64, u64)> = points.chunks(bunch).filter_map(worst).collect();
    if shown.first() != points.first() {
        shown.splice(0..0, points.first().copied());
    }
    if shown.last() != points.last() {
        shown.extend(points.last());
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(name: &str, epochs: u64) -> Line {
        let points = (1..=epochs).map(|k| (k as f64, 1_000_000 / k - 1_000_000 / epochs)).collect();
        Line { name: name.into(), dashed: false, finished: true, points }
    }

    fn chart(lines: Vec<Line>) -> String {
        Chart { title: "(c) <test>".into(), across: "epochs".into(), lines }.svg()
    }

    #[test]
    fn a_chart_names_its_lines_and_stays_small() {
        let svg = chart(vec![line("fine", 3), line("perceptron", 100_000)]);
        for text in
            ["fine (3)", "perceptron (100,000)", "(c) &lt;test&gt;", "mistakes left", "1,000,000"]
        {
            assert!(svg.contains(text), "{text}");
        }
        assert!(svg.len() < 60_000, "{}", svg.len());
    }

    #[test]
    fn the_winner_is_not_in_a_corner() {
        // Two epochs beside 20,000: the axis is logarithmic, so that both can be seen.
        let axes = ChartAxes::new(&[line("fine", 2), line("perceptron", 20_000)], LARGE);
        assert!(axes.wide && axes.x(2.0) - axes.x(1.0) > 30.0);
        assert!(axes.y(0) > axes.y(1) && axes.y(1) > axes.y(10));
        assert!(!ChartAxes::new(&[line("fine", 9)], SMALL).wide);
    }

    #[test]
    fn who_is_done_stays_at_zero_and_nothing_leaves_the_chart() {
        let svg = chart(vec![line("fine", 2), line("perceptron", 20_000)]);
        let [right, bottom] = [LARGE[0] - LARGE[2], LARGE[1] - BOTTOM].map(px);
        // The one that is done first goes on at the height of none; the last one ends where the chart does.
        let on: Vec<&str> = svg.split("opacity=\"0.45\" d=\"M").skip(1).collect();
        assert_eq!(on.len(), 1);
        let (_, rest) = on[0].split_once(' ').unwrap();
        assert!(rest.starts_with(&format!("{bottom}L{right} {bottom}\"")), "{rest}");
        let stopped = Line { finished: false, ..line("voted", 2) };
        assert!(!chart(vec![stopped, line("perceptron", 9)]).contains("opacity=\"0.45\""));
        for path in svg.split(" d=\"M").skip(1) {
            let path = path.split('"').next().unwrap_or_default();
            for point in path.split('L') {
                let (_, y) = point.split_once(' ').unwrap();
                let y: f64 = y.parse().unwrap();
                assert!((TOP - 0.1..=LARGE[1] - BOTTOM + 0.1).contains(&y), "{point}");
            }
        }
    }

    #[test]
    fn one_point_or_none_is_enough_for_a_chart() {
        let none = Line { points: vec![], ..line("none", 1) };
        assert!(chart(vec![line("one", 1), none]).starts_with("<svg"));
        assert!(chart(vec![]).ends_with("</svg>\n"));
    }

    #[test]
    fn a_line_keeps_its_worst_points_and_its_end() {
        let mut points: Vec<(f64, u64)> = (1..=6_000).map(|k| (k as f64, 5)).collect();
        points[3_333].1 = 99;
        points[5_999].1 = 0;
        let shown = thinned(&points);
        assert!(shown.len() <= MOST_POINTS + 2 && shown.iter().any(|p| p.1 == 99));
        assert_eq!(shown.last(), points.last());
    }
}

//! Charts as SVG: accuracy over epochs, in the manner of the paper's figure.

use plotters::prelude::*;

/// One line of a chart.
#[derive(Clone, Debug)]
pub struct Line {
    /// Its name in the legend.
    pub name: String,
    /// Whether it is dashed.
    pub dashed: bool,
    /// Accuracy after each epoch, from 0 to 1.
    pub accuracy: Vec<f64>,
}

/// Told apart also by people who see colours differently (Okabe and Ito).
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(60, 60, 60),
];
/// Pixels of the chart and of the legend beside it.
const WIDTH: u32 = 800;
const LEGEND: u32 = 180;
const DASH: u32 = 7;
const GAP: u32 = 4;
/// More points than pixels only make the file larger.
const MOST_POINTS: usize = 600;

/// Returns the chart as the text of an SVG file.
pub fn accuracy_over_epochs(title: &str, lines: &[Line]) -> String {
    let mut svg = String::new();
    draw(&mut svg, title, lines).expect("drawing into memory does not fail");
    svg
}

fn draw(
    svg: &mut String,
    title: &str,
    lines: &[Line],
) -> Result<(), DrawingAreaErrorKind<std::io::Error>> {
    let root = SVGBackend::with_string(svg, (WIDTH + LEGEND, 520)).into_drawing_area();
    root.fill(&WHITE)?;
    let (left, right) = root.split_horizontally(WIDTH);
    let epochs = lines.iter().map(|line| line.accuracy.len()).max().unwrap_or(1).max(2);
    let lowest = lines.iter().flat_map(|line| &line.accuracy).fold(1.0_f64, |m, &a| m.min(a));
    // A little room under the lowest point and above 100 %.
    let room = ((1.0 - lowest) * 0.05).max(1e-6);
    let mut chart = ChartBuilder::on(&left)
        .caption(title, ("sans-serif", 20))
        .margin(16)
        .x_label_area_size(44)
        .y_label_area_size(76)
        .build_cartesian_2d(1.0..epochs as f64, (lowest - room) * 100.0..(1.0 + room) * 100.0)?;
    chart
        .configure_mesh()
        .x_desc("epoch")
        .y_desc("accuracy, %")
        .x_label_formatter(&|x| format!("{x:.0}"))
        .y_label_formatter(&|y| super::rounded(*y))
        .light_line_style(WHITE)
        .bold_line_style(RGBColor(225, 225, 225))
        .label_style(("sans-serif", 14))
        .axis_desc_style(("sans-serif", 15))
        .draw()?;
    for (k, line) in lines.iter().enumerate() {
        let style = COLOURS[k % COLOURS.len()].stroke_width(2);
        // Where colours run out, dashes tell lines apart.
        let dashed = line.dashed || k >= COLOURS.len();
        let points = thinned(&line.accuracy);
        // Where a line ends: the epoch in which its method was done.
        chart.draw_series(points.last().map(|&point| Circle::new(point, 3, style.filled())))?;
        if dashed {
            chart.draw_series(DashedLineSeries::new(points, DASH, GAP, style))?;
        } else {
            chart.draw_series(LineSeries::new(points, style))?;
        }
        let y = 60 + 22 * k as i32;
        // Two dashes, which meet where the line is solid.
        let dash = if dashed { 10 } else { 13 };
        right.draw(&PathElement::new(vec![(0, y), (dash, y)], style))?;
        right.draw(&PathElement::new(vec![(26 - dash, y), (26, y)], style))?;
        right.draw(&Text::new(line.name.clone(), (34, y - 7), ("sans-serif", 14)))?;
    }
    root.present()
}

/// Returns (epoch, percent) points, the worst of each bunch where there are too many to show.
fn thinned(accuracy: &[f64]) -> Vec<(f64, f64)> {
    let bunch = accuracy.len().div_ceil(MOST_POINTS).max(1);
    let mut points: Vec<(f64, f64)> = accuracy
        .chunks(bunch)
        .enumerate()
        .map(|(k, chunk)| {
            let worst = chunk.iter().fold(f64::INFINITY, |m, &a| m.min(a));
            ((k * bunch + 1) as f64, 100.0 * worst)
        })
        .collect();
    if bunch > 1
        && let Some(&last) = accuracy.last()
    {
        points.push((accuracy.len() as f64, 100.0 * last));
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_names_its_lines_and_stays_small() {
        let line = |name: &str, n: usize| Line {
            name: name.into(),
            dashed: name == "P1",
            accuracy: (1..=n).map(|k| 1.0 - 1.0 / (k + 1) as f64).collect(),
        };
        let svg = accuracy_over_epochs("(c) test", &[line("P1", 100_000), line("A1", 3)]);
        assert!(svg.contains("P1") && svg.contains("A1") && svg.contains("(c) test"));
        assert!(svg.len() < 200_000, "{}", svg.len());
    }

    #[test]
    fn one_epoch_is_enough_for_a_chart() {
        let line = Line { name: "A1".into(), dashed: false, accuracy: vec![1.0] };
        assert!(accuracy_over_epochs("t", &[line]).starts_with("<svg"));
    }
}

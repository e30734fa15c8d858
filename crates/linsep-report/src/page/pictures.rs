//! The drawings of a hyperplane among its rows.

use super::super::svg::{Anchor, Drawing, Scale, escaped, labelled, px};
use super::super::voice::Voice;
use super::super::{counted, grouped, rounded};
use super::{Page, plane};
use linsep::ask::DataFacts;
use linsep::picture::{Cells, Histogram, Marked, Picture, Point, Weight};

pub(super) const WIDTH: f64 = 900.0;
pub(super) const LEFT: f64 = 60.0;
pub(super) const RIGHT: f64 = 16.0;
/// Weights that are drawn.
const SHOWN_WEIGHTS: usize = 20;
/// Shades of a cell.
const SHADES: usize = 5;
const POINTING: &str = "Point at one, or move with Tab and the arrow keys, to see what it is.";
/// Why there is no drawing of two features.
pub(crate) const TOO_FAR: &str =
    "The values of a feature lie further apart than numbers reach, so its rows are not drawn.";

/// What names rows and features.
#[derive(Clone, Copy)]
pub(crate) struct PictureNames<'a> {
    pub(crate) data: &'a DataFacts,
    pub(crate) voice: &'a dyn Voice,
}

impl PictureNames<'_> {
    pub(super) fn feature(&self, feature: usize) -> String {
        self.voice.feature(self.data, feature)
    }

    pub(super) fn row(&self, row: usize) -> String {
        self.data.row(row, self.voice.first()).to_string()
    }
}

/// Returns what a row is called: its name, or its number.
pub(super) fn name(point: &Point, data: &DataFacts, voice: &dyn Voice) -> String {
    point.name.clone().unwrap_or_else(|| data.row(point.row, voice.first()).to_string())
}

/// Adds all drawings of a picture.
pub(super) fn add(page: &mut Page, picture: &Picture, data: &DataFacts, voice: &dyn Voice) {
    let named = PictureNames { data, voice };
    if picture.features == 2 {
        page.section("The rows and the line");
        match &picture.plane {
            Some(view) => {
                legend(page, picture, true);
                let caption = plane::caption(picture, view, named);
                page.figure(
                    &plane::plane(picture, view, named).part(),
                    &format!("{caption} {POINTING}"),
                );
            }
            None => page.paragraph("", TOO_FAR),
        }
    }
    if picture.smallest.is_none() {
        return;
    }
    page.section("How far rows are from the hyperplane");
    legend(page, picture, false);
    page.figure(&histogram(picture).part(), &histogram_caption(picture));
    // Of two features it is the first drawing, turned.
    if picture.plane.is_none() {
        page.section("The rows, seen along the hyperplane");
        legend(page, picture, true);
        page.figure(&view(picture, named).part(), &view_caption(picture));
    }
    page.section("What moves a row from one side to the other");
    weights(page, picture, named);
}

/// Returns what colours and rings mean: a class of the style, and words.
pub(crate) fn legend_entries(picture: &Picture, marks: bool) -> Vec<(&'static str, String)> {
    let mut entries = vec![("i-p", picture.positive.clone()), ("i-n", picture.negative.clone())];
    if marks {
        let nearest = match picture.mistakes {
            0 => "nearest to the hyperplane",
            _ => "nearest, or furthest on the wrong side",
        };
        let all = [
            ("nearest", "i-ring", nearest),
            ("conflict", "i-conflict", "in conflict"),
            ("suspect", "i-suspect", "suspected of a wrong label"),
        ];
        let there = |why: &str| picture.marked.iter().any(|marked| marked.why.contains(&why));
        let shown = all.into_iter().filter(|(why, ..)| there(why));
        entries.extend(shown.map(|(_, class, text)| (class, text.to_string())));
    }
    entries
}

fn legend(page: &mut Page, picture: &Picture, marks: bool) {
    let entry = |(class, text): (&str, String)| {
        format!("<span><i class=\"{class}\"></i>{}</span>", escaped(&text))
    };
    let entries: String = legend_entries(picture, marks).into_iter().map(entry).collect();
    page.raw(&format!("<div class=\"legend\">{entries}</div>\n"));
}

fn histogram_caption(picture: &Picture) -> String {
    let rows = counted(picture.rows as u64, "row");
    match (picture.mistakes, picture.smallest) {
        (0, Some(smallest)) => format!(
            "All {rows} by their distance from the hyperplane, which is the upright line. No row lies in the \
             band around it: the nearest is {} away.",
            rounded(smallest)
        ),
        (mistakes, _) => format!(
            "All {rows} by their distance from the hyperplane, which is the upright line; {} not strictly on {} own side \
             of it.",
            if mistakes == 1 {
                "1 row is".to_string()
            } else {
                format!("{} rows are", grouped(mistakes))
            },
            if mistakes == 1 { "its" } else { "their" }
        ),
    }
}

/// Positive rows upwards, negative ones downwards.
pub(crate) fn histogram(picture: &Picture) -> Drawing {
    let Histogram { edges, negative, positive } = &picture.histogram;
    let (height, middle, bottom) = (300.0, 130.0, 256.0);
    let about = histogram_caption(picture);
    let mut drawing = Drawing::new(WIDTH, height, &about);
    let x = across(picture);
    let most = positive.iter().chain(negative).copied().max().unwrap_or(1).max(1);
    drawing.x_axis(&x, &labelled(x.ticks(9)), [10.0, bottom]);
    band(&mut drawing, picture, &x, [10.0, bottom]);
    let tall = |count: u64| (count as f64 / most as f64).sqrt() * (middle - 14.0);
    for (k, (&n, &p)) in negative.iter().zip(positive).enumerate() {
        let [left, right] = [x.at(edges[k]), x.at(edges[k + 1])];
        let width = (right - left - 1.0).max(1.0);
        let about = |count: u64, class: &str| {
            let range = format!("{} to {}", rounded(edges[k]), rounded(edges[k + 1]));
            escaped(&format!("{} of \"{class}\", {range} away", counted(count, "row")))
        };
        for (count, class, name, top) in
            [(p, "p", &picture.positive, middle - tall(p)), (n, "n", &picture.negative, middle)]
        {
            if count > 0 {
                let [at, top, width, tall] = [left, top, width, tall(count)].map(px);
                drawing.raw(&format!(
                    "<rect class=\"bar {class}\" x=\"{at}\" y=\"{top}\" width=\"{width}\" height=\"{tall}\">\
                     <title>{}</title></rect>",
                    about(count, name)
                ));
            }
        }
    }
    drawing.line("axis", [LEFT, middle], [WIDTH - RIGHT, middle]);
    plane(&mut drawing, &x, [10.0, bottom]);
    drawing.text("small", [LEFT - 8.0, middle - 100.0], Anchor::End, &grouped(most));
    drawing.text(
        "",
        [WIDTH / 2.0, height - 6.0],
        Anchor::Middle,
        "signed distance from the hyperplane",
    );
    drawing.text_up([16.0, middle], "rows (square-root scale)");
    drawing
}

fn across(picture: &Picture) -> Scale {
    // The hyperplane is always in sight.
    let [low, high] = picture.view.x;
    let room = (high.max(0.0) - low.min(0.0)) * 0.02;
    Scale::new([low.min(0.0) - room, high.max(0.0) + room], [LEFT, WIDTH - RIGHT])
}

/// The band in which no row lies, if there is one.
fn band(drawing: &mut Drawing, picture: &Picture, x: &Scale, [top, bottom]: [f64; 2]) {
    if let Some(margin) = picture.smallest.filter(|_| picture.mistakes == 0) {
        let [left, right] = [x.at(-margin), x.at(margin)];
        drawing.rect("band", [left, top], [(right - left).max(1.0), bottom - top]);
    }
}

fn plane(drawing: &mut Drawing, x: &Scale, [top, bottom]: [f64; 2]) {
    drawing.line("plane", [x.at(0.0), top], [x.at(0.0), bottom]);
}

fn view_caption(picture: &Picture) -> String {
    let up = match picture.view.flat {
        true => "rows do not differ along the hyperplane, so they are spread out at will",
        false => "up is the direction along the hyperplane in which rows differ most",
    };
    let what = match &picture.view.points {
        Some(_) => {
            "Each point is a row; point at one, or move with Tab and the arrow keys, to see it."
        }
        None => {
            "The stronger the colour of a cell, the more rows are in it; the marked rows can be pointed at."
        }
    };
    format!("Across is the distance from the hyperplane, {up}: both are true distances. {what}")
}

fn view(picture: &Picture, named: PictureNames) -> Drawing {
    let (height, top, bottom) = (460.0, 12.0, 412.0);
    let mut drawing = Drawing::new(WIDTH, height, &view_caption(picture));
    let x = across(picture);
    let [low, high] = picture.view.y;
    let room = (high - low) * 0.04;
    let y = Scale::new([low - room, high + room], [bottom, top]);
    drawing.x_axis(&x, &labelled(x.ticks(9)), [top, bottom]);
    if !picture.view.flat {
        drawing.y_axis(&y, &labelled(y.ticks(6)), [LEFT, WIDTH - RIGHT]);
    }
    band(&mut drawing, picture, &x, [top, bottom]);
    plane(&mut drawing, &x, [top, bottom]);
    if let Some(cells) = &picture.view.cells {
        draw_cells(&mut drawing, cells, [picture.view.x, picture.view.y], &x, &y);
    }
    drawing.raw("<g class=\"points\">");
    let marked = |row: usize| picture.marked.iter().any(|marked| marked.point.row == row);
    for point in picture.view.points.iter().flatten().filter(|point| !marked(point.row)) {
        draw_point(&mut drawing, picture, named, (point, ""), [&x, &y]);
    }
    for Marked { point, why, .. } in &picture.marked {
        draw_point(&mut drawing, picture, named, (point, &why.join(", ")), [&x, &y]);
    }
    drawing.raw("</g>");
    for Marked { point, why, .. } in &picture.marked {
        let ring = ["conflict", "suspect", "nearest"].into_iter().find(|w| why.contains(w));
        let [cx, cy] = place(point, &x, &y).map(px);
        let ring = ring.unwrap_or_default();
        drawing.raw(&format!("<circle class=\"ring {ring}\" cx=\"{cx}\" cy=\"{cy}\" r=\"8\"/>"));
    }
    drawing.text(
        "",
        [WIDTH / 2.0, height - 6.0],
        Anchor::Middle,
        "signed distance from the hyperplane",
    );
    drawing
}

fn place(point: &Point, x: &Scale, y: &Scale) -> [f64; 2] {
    [x.at(point.x), y.at(point.y)]
}

fn draw_point(
    drawing: &mut Drawing,
    picture: &Picture,
    named: PictureNames,
    (point, why): (&Point, &str),
    [x, y]: [&Scale; 2],
) {
    let class = if point.positive { "p" } else { "n" };
    let label = if point.positive { &picture.positive } else { &picture.negative };
    let why = if why.is_empty() { String::new() } else { format!(" ({why})") };
    let name = name(point, named.data, named.voice);
    let mut about = format!("row {name}, \"{label}\"{why}\ndistance {}", rounded(point.x));
    for (feature, value) in &point.values {
        let name = named.voice.feature(named.data, *feature);
        about.push_str(&format!("\n{name} {}", super::super::number(*value)));
    }
    if picture.features > point.values.len() {
        about.push_str("\n…");
    }
    let ([cx, cy], about) = (place(point, x, y).map(px), escaped(&about));
    drawing.raw(&format!(
        "<circle class=\"dot {class}\" cx=\"{cx}\" cy=\"{cy}\" r=\"4\" tabindex=\"-1\" role=\"img\" \
         aria-label=\"{about}\"/>"
    ));
}

/// One path per class and shade: a million rows are a few kilobytes.
pub(super) fn draw_cells(
    drawing: &mut Drawing,
    cells: &Cells,
    [xs, ys]: [[f64; 2]; 2],
    x: &Scale,
    y: &Scale,
) {
    let width = (xs[1] - xs[0]) / cells.columns as f64;
    let tall = (ys[1] - ys[0]) / cells.rows as f64;
    let most = cells.filled.iter().map(|cell| cell.2.max(cell.3)).max().unwrap_or(1) as f64;
    let [w, h] = [x.at(xs[0] + width) - x.at(xs[0]), y.at(ys[0]) - y.at(ys[0] + tall)].map(px);
    // Shades go by the logarithm: a single row is seen beside thousands.
    let shade = |count: u64| {
        let share = libm::log1p(count as f64) / libm::log1p(most);
        ((share * SHADES as f64).ceil() as usize).clamp(1, SHADES)
    };
    for (class, positive) in [("n", false), ("p", true)] {
        for level in 1..=SHADES {
            let mut path = String::new();
            for &(column, row, negatives, positives) in &cells.filled {
                let count = if positive { positives } else { negatives };
                if count > 0 && shade(count) == level {
                    let left = px(x.at(xs[0] + column as f64 * width));
                    let top = px(y.at(ys[0] + (row + 1) as f64 * tall));
                    path.push_str(&format!("M{left} {top}h{w}v{h}h-{w}z"));
                }
            }
            if !path.is_empty() {
                let opacity = 0.15 + 0.7 * level as f64 / SHADES as f64;
                drawing.raw(&format!(
                    "<path class=\"{class}\" opacity=\"{opacity:.2}\" d=\"{path}\"/>"
                ));
            }
        }
    }
}

fn weights(page: &mut Page, picture: &Picture, named: PictureNames) {
    let shown = &picture.weights[..picture.weights.len().min(SHOWN_WEIGHTS)];
    let more = match picture.features > shown.len() {
        true => format!(" The largest {} of {}.", shown.len(), grouped(picture.features as u64)),
        false => String::new(),
    };
    let caption = format!(
        "Each bar is a weight times the standard deviation of its feature: how far an ordinary change of that \
         feature alone moves a row, to \"{}\" on the right, to \"{}\" on the left.{more}",
        picture.positive, picture.negative
    );
    page.figure(&weight_bars(shown, named, &caption).part(), &caption);
    let row = |weight: &Weight| {
        let numbers = [weight.weight, weight.spread, weight.scaled].map(rounded);
        [vec![named.voice.feature(named.data, weight.feature)], numbers.to_vec()].concat()
    };
    let rows: Vec<Vec<String>> = shown.iter().map(row).collect();
    page.table(
        "Weights, the spread of each feature, and one times the other",
        &["feature", ">weight", ">spread", ">weight times spread"],
        &rows,
    );
}

fn weight_bars(weights: &[Weight], named: PictureNames, about: &str) -> Drawing {
    let step = 22.0;
    let height = 12.0 + step * weights.len() as f64;
    let mut drawing = Drawing::new(WIDTH, height, about);
    let names = 260.0;
    let most = weights.iter().map(|w| w.scaled.abs()).fold(0.0, f64::max);
    let x = Scale::new([-most, most], [names + 10.0, WIDTH - RIGHT - 80.0]);
    for (k, weight) in weights.iter().enumerate() {
        let top = 6.0 + step * k as f64;
        let [from, to] = [x.at(weight.scaled.min(0.0)), x.at(weight.scaled.max(0.0))];
        let class = if weight.scaled > 0.0 { "bar p" } else { "bar n" };
        drawing.rect(class, [from, top + 3.0], [to - from, step - 6.0]);
        let name = shortened(&named.voice.feature(named.data, weight.feature));
        drawing.text("", [names, top + 15.5], Anchor::End, &name);
        let value = rounded(weight.scaled);
        drawing.text("small", [x.at(most) + 8.0, top + 15.0], Anchor::Start, &value);
    }
    drawing.line("axis", [x.at(0.0), 2.0], [x.at(0.0), height - 2.0]);
    drawing
}

/// Returns a name that fits beside a bar.
pub(crate) fn shortened(name: &str) -> String {
    match name.chars().count() > 34 {
        true => format!("{}…", name.chars().take(33).collect::<String>()),
        false => name.to_string(),
    }
}

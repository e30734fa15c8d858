//! Rows of two features as a drawing: one feature across, the other up, and the hyperplane as a line.

use super::super::svg::{Anchor, AxisTicks, Drawing, Scale, axis_ticks, escaped, px};
use super::super::{counted, grouped, number};
use super::pictures::{LEFT, PictureNames, RIGHT, WIDTH, draw_cells, shortened};
use linsep::picture::{Marked, Picture, PlanePlace, PlaneView, Segment};

const HEIGHT: f64 = 560.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 510.0;
/// The radius of a row, and of a place with as many as can be.
const RADIUS: [f64; 2] = [4.0, 14.0];
/// Places beside which their counts are written, where there are no more.
const COUNTED_PLACES: usize = 60;

/// Returns the drawing.
pub(crate) fn plane(picture: &Picture, view: &PlaneView, named: PictureNames) -> Drawing {
    let mut drawing = Drawing::new(WIDTH, HEIGHT, &caption(picture, view, named));
    let x = Scale::new(view.frame[0], [LEFT, WIDTH - RIGHT]);
    let y = Scale::new(view.frame[1], [BOTTOM, TOP]);
    axes(&mut drawing, view, [&x, &y], named);
    if let Some(cells) = &view.cells {
        draw_cells(&mut drawing, cells, view.covered, &x, &y);
    }
    let pixels = |[a, b]: [f64; 2]| format!("{} {}", px(x.at(a)), px(y.at(b)));
    if !view.band.is_empty() {
        let corners: Vec<String> = view.band.iter().map(|&corner| pixels(corner)).collect();
        drawing.raw(&format!("<path class=\"band\" d=\"M{}z\"/>", corners.join("L")));
    }
    let mut line = |class: &str, [from, to]: Segment| {
        drawing.line(class, [x.at(from[0]), y.at(from[1])], [x.at(to[0]), y.at(to[1])]);
    };
    view.edges.iter().for_each(|&edge| line("edge", edge));
    view.line.into_iter().for_each(|segment| line("plane", segment));
    drawing.raw("<g class=\"points\">");
    let places = view.places.as_deref().unwrap_or_default();
    // The fuller a place, the further down: nothing is hidden.
    let mut order: Vec<&PlanePlace> = places.iter().collect();
    order.sort_by_key(|place| std::cmp::Reverse(place.count));
    for (k, place) in order.iter().enumerate() {
        let shared = order[..k].iter().any(|other| (other.x, other.y) == (place.x, place.y));
        draw_place(&mut drawing, picture, named, place, [&x, &y], shared);
    }
    if view.places.is_none() {
        for marked in &picture.marked {
            if let Some(place) = place_of(marked) {
                draw_place(&mut drawing, picture, named, &place, [&x, &y], false);
            }
        }
    }
    drawing.raw("</g>");
    draw_rings(&mut drawing, picture, places, [&x, &y]);
    if places.len() <= COUNTED_PLACES {
        for place in places.iter().filter(|place| place.count > 1) {
            let at = [x.at(place.x) + radius(place.count) + 3.0, y.at(place.y) - 5.0];
            drawing.text("small", at, Anchor::Start, &format!("×{}", grouped(place.count)));
        }
    }
    drawing
}

/// Returns the sentences below the drawing.
pub(crate) fn caption(picture: &Picture, view: &PlaneView, named: PictureNames) -> String {
    let [across, up] = [0, 1].map(|k| named.feature(k));
    let mut text = format!("{across} goes to the right and {up} up, each in its own units. ");
    text.push_str(match (view.line, view.edges.is_empty()) {
        (Some(_), false) => {
            "The line is the hyperplane; the nearest rows lie on the dashed lines, and none between them. "
        }
        (Some(_), true) => "The line is the hyperplane. ",
        (None, _) if picture.smallest.is_none() => "All weights are zero, so there is no line. ",
        (None, _) => "The hyperplane is out of sight: it does not pass between these rows. ",
    });
    let repeated = view.places.iter().flatten().any(|place| place.count > 1);
    text.push_str(match (&view.places, repeated) {
        (Some(_), false) => "Each point is a row.",
        (Some(_), true) => "Each point is a row, or several that are alike; the larger, the more.",
        (None, _) => "The stronger the colour of a cell, the more rows are in it.",
    });
    text
}

fn axes(drawing: &mut Drawing, view: &PlaneView, [x, y]: [&Scale; 2], named: PictureNames) {
    let ticks = |k: usize, scale: &Scale, about: usize| match view.values[k] {
        Some(value) => AxisTicks::one(value),
        None => axis_ticks(scale, about),
    };
    let (across, up) = (ticks(0, x, 9), ticks(1, y, 8));
    drawing.x_axis(x, &across.ticks, [TOP, BOTTOM]);
    drawing.y_axis(y, &up.ticks, [LEFT, WIDTH - RIGHT]);
    let middle = [(LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 8.0];
    drawing.text("", middle, Anchor::Middle, &across.title(&shortened(&named.feature(0))));
    drawing.text_up([16.0, (TOP + BOTTOM) / 2.0], &up.title(&shortened(&named.feature(1))));
}

/// Returns the radius of a place with so many rows.
fn radius(count: u64) -> f64 {
    let [least, most] = RADIUS;
    (least + 1.6 * libm::log2(count.max(1) as f64)).min(most)
}

fn draw_place(
    drawing: &mut Drawing,
    picture: &Picture,
    named: PictureNames,
    place: &PlanePlace,
    [x, y]: [&Scale; 2],
    shared: bool,
) {
    let class = if place.positive { "p" } else { "n" };
    let label = if place.positive { &picture.positive } else { &picture.negative };
    let row = match &place.name {
        Some(name) => name.clone(),
        None => named.row(place.row),
    };
    let mut about = match place.count {
        1 => format!("row {row}, \"{label}\""),
        count => format!("{}, \"{label}\", the first is {row}", counted(count, "row")),
    };
    let why: Vec<&str> = ["nearest", "conflict", "suspect"]
        .into_iter()
        .filter(|why| marks(picture, place).any(|marked| marked.why.contains(why)))
        .collect();
    if !why.is_empty() {
        about.push_str(&format!(" ({})", why.join(", ")));
    }
    for (k, value) in [place.x, place.y].into_iter().enumerate() {
        about.push_str(&format!("\n{} {}", named.feature(k), number(value)));
    }
    let [cx, cy] = [x.at(place.x), y.at(place.y)].map(px);
    // On a place of the other class it leaves an edge of that one in sight.
    let (r, about) = (radius(place.count) * if shared { 0.55 } else { 1.0 }, escaped(&about));
    drawing.raw(&format!(
        "<circle class=\"dot {class}\" cx=\"{cx}\" cy=\"{cy}\" r=\"{}\" tabindex=\"-1\" role=\"img\" \
         aria-label=\"{about}\"/>",
        px(r)
    ));
}

/// Returns the marked rows that are in a place.
fn marks<'a>(picture: &'a Picture, place: &PlanePlace) -> impl Iterator<Item = &'a Marked> {
    let (pair, positive) = ([place.x, place.y], place.positive);
    let here = move |marked: &&Marked| {
        marked.point.pair == Some(pair) && marked.point.positive == positive
    };
    picture.marked.iter().filter(here)
}

/// Returns the place of a marked row, where places are not known.
fn place_of(marked: &Marked) -> Option<PlanePlace> {
    let point = &marked.point;
    let [x, y] = point.pair?;
    let (row, name) = (point.row, point.name.clone());
    Some(PlanePlace { x, y, positive: point.positive, count: 1, row, name })
}

/// Draws a ring around each place with a marked row: one per place and reason.
fn draw_rings(
    drawing: &mut Drawing,
    picture: &Picture,
    places: &[PlanePlace],
    [x, y]: [&Scale; 2],
) {
    let mut drawn: Vec<([f64; 2], &str)> = vec![];
    for Marked { point, why, .. } in &picture.marked {
        let ring = ["conflict", "suspect", "nearest"].into_iter().find(|w| why.contains(w));
        let (Some(pair), Some(ring)) = (point.pair, ring) else { continue };
        if drawn.contains(&(pair, ring)) {
            continue;
        }
        drawn.push((pair, ring));
        let here = places.iter().filter(|place| [place.x, place.y] == pair);
        let count = here.map(|place| place.count).max().unwrap_or(1);
        let [cx, cy, r] = [x.at(pair[0]), y.at(pair[1]), radius(count) + 4.0].map(px);
        drawing.raw(&format!("<circle class=\"ring {ring}\" cx=\"{cx}\" cy=\"{cy}\" r=\"{r}\"/>"));
    }
}

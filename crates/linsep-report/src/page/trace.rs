//! The page on which methods are seen to move: a picture per method, the steps that a reader plays, and the mistakes of
//! epochs below.
//!
//! All pictures share one scale. The steps are in the page as JSON, a line as the three numbers a, b, c for which its
//! positive side is a x + b y + c > 0 in the units of the drawing; `trace.js` moves what is drawn. Without a script the
//! page shows the end.

use linsep::online::{Fit, MethodSettings, TraceStep};
use linsep::picture::{FlatAxes, FlatLine, FlatPoint};
use serde_json::{Value, json};

use super::super::chart::{Chart, Line};
use super::super::svg::{Anchor, COLOURS, Drawing, Scale, escaped, labelled, px, visible};
use super::super::text::{describe, size};
use super::super::trace::{TraceFrame, Traced, happened, left_out};
use super::super::voice::Voice;
use super::super::{counted, grouped, number};
use super::Page;

/// A picture, and where in it the rows are.
const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 370.0;
const FRAME: [f64; 4] = [58.0, 8.0, 472.0, 322.0];
/// Room around the rows, as a share of what they take.
const ROOM: f64 = 0.2;
/// Numbers beyond this are far outside of every picture.
const FAR: f64 = 1e6;
/// Steps of a method that stand in a table.
const TABLE_STEPS: usize = 200;

/// Returns the page of steps: one HTML file.
pub fn page(traced: &Traced, source: &str, voice: &dyn Voice) -> String {
    let runs = traced.runs();
    let what = match &runs[..] {
        [(method, _)] if !traced.is_race() => method.name(),
        _ => "a race",
    };
    let mut page = Page::new(&format!("{source}: {what}, step by step"));
    page.moves(include_str!("trace.css"), include_str!("trace.js"));
    page.headline("", "Step by step", &format!(": {what} on {source}"));
    page.paragraph("lead", &lead(traced));
    legend(&mut page, traced);
    let Some(scales) = PanelScales::of(traced) else {
        page.paragraph(
            "",
            "The values of the rows are too far apart to be drawn; the steps are listed below.",
        );
        steps_table(&mut page, traced, voice);
        return page.finish();
    };
    let class = if runs.len() == 1 { "panels one" } else { "panels" };
    page.raw(&format!("<div class=\"{class}\">\n"));
    let frames = traced.frames(voice);
    for (k, frames) in frames.iter().enumerate() {
        panel(&mut page, traced, &scales, (k, runs[k].0), frames, voice);
    }
    page.raw("</div>\n");
    controls(&mut page);
    page.raw(
        "<p class=\"quiet\">Keys: <kbd>space</kbd> plays and pauses, <kbd>←</kbd> and <kbd>→</kbd> go a step back and \
         on, <kbd>Home</kbd> and <kbd>End</kbd> to the start and the end.</p>\n",
    );
    page.paragraph("quiet", &caption(traced, voice));
    for note in notes(traced, voice) {
        page.paragraph("quiet", &note);
    }
    let places = mistakes(&mut page, &runs);
    steps_table(&mut page, traced, voice);
    let told: Vec<Value> = frames
        .iter()
        .zip(places)
        .map(
            |(frames, places)| json!({ "steps": steps(frames, traced, &scales), "places": places }),
        )
        .collect();
    let json = json!({ "frame": FRAME, "runs": told }).to_string();
    // Nothing in it ends the element that it stands in.
    let json = json.replace('<', "\\u003c");
    page.raw(&format!("<script type=\"application/json\" id=\"steps\">{json}</script>\n"));
    page.finish()
}

fn lead(traced: &Traced) -> String {
    match traced.is_race() {
        false => "The line moves whenever a row asks for it. Play the steps, or go one by one.".to_string(),
        true => "The same rows in the same order for all: each method takes its next step at the same time, and waits \
                 at its end for the others."
            .to_string(),
    }
}

fn legend(page: &mut Page, traced: &Traced) {
    let [negative, positive] = traced.data.classes();
    let mut entries = vec![
        ("i-p", positive.to_string()),
        ("i-n i-square", negative.to_string()),
        ("i-line", "the line now".to_string()),
        ("i-was", "the line before".to_string()),
        ("i-conflict", "the row that is wrong".to_string()),
        ("i-arrow", "how the line moves there".to_string()),
    ];
    let together = |fit: &&Fit| {
        let steps = fit.trace.iter().flat_map(|trace| &trace.steps);
        steps.into_iter().any(|step| step.visited.is_none())
    };
    let runs = traced.runs();
    let fits = || runs.iter().map(|(_, fit)| *fit);
    if fits().any(|fit| together(&fit)) {
        let why = match runs.iter().any(|(method, _)| method.name() == "joint") {
            true => "moved at the end of an epoch (joint: a projection)",
            false => "moved at the end of an epoch",
        };
        entries.push(("i-together", why.to_string()));
    }
    let right = |step: &TraceStep| step.visited.is_some_and(|row| row.score_before > 0.0);
    if fits().any(|fit| fit.trace.iter().flat_map(|trace| &trace.steps).any(right)) {
        entries.push(("i-suspect i-moved", "a row that is right, and moves it".to_string()));
    }
    let entry = |(class, text): (&str, String)| {
        format!("<span><i class=\"{class}\"></i>{}</span>", escaped(&text))
    };
    let entries: String = entries.into_iter().map(entry).collect();
    page.raw(&format!("<div class=\"legend\">{entries}</div>\n"));
}

/// Where rows and lines are in a picture.
struct PanelScales {
    x: Scale,
    y: Scale,
    /// The number at the left and at the bottom, and the pixels per unit from there.
    low: [f64; 2],
    slope: [f64; 2],
}

impl PanelScales {
    /// Returns the scales that all pictures share; none if numbers are too far apart.
    fn of(traced: &Traced) -> Option<Self> {
        let [left, top, right, bottom] = FRAME;
        let range = |at: fn(&FlatPoint) -> f64| {
            let values = || traced.view.points.iter().map(at);
            let low = values().fold(f64::INFINITY, f64::min);
            let high = values().fold(f64::NEG_INFINITY, f64::max);
            let room = if low < high { (high - low) * ROOM } else { 0.5 };
            // Steps of a float may be wider than the room.
            let range = [low - room, high + room];
            (range[0] < range[1] && (range[1] - range[0]).is_finite()).then_some(range)
        };
        let (x, y) = (range(|point| point.x)?, range(|point| point.y)?);
        Some(PanelScales {
            x: Scale::new(x, [left, right]),
            y: Scale::new(y, [bottom, top]),
            low: [x[0], y[0]],
            slope: [(right - left) / (x[1] - x[0]), (top - bottom) / (y[1] - y[0])],
        })
    }

    fn place(&self, point: &FlatPoint) -> [f64; 2] {
        [self.x.at(point.x), self.y.at(point.y)]
    }

    /// Returns a line in the units of the drawing, (a, b) at length one; if a and b are zero, c is a sign.
    fn line(&self, FlatLine { a, b, c }: FlatLine) -> [f64; 3] {
        // From a pixel back: x = low + (p - left) / slope. Zero may be too far away to begin there.
        let [left, _, _, bottom] = FRAME;
        let (u, v) = (a / self.slope[0], b / self.slope[1]);
        let w = c + a * self.low[0] + b * self.low[1] - u * left - v * bottom;
        let length = libm::hypot(u, v);
        let drawn = length > 0.0 && (w / length).is_finite();
        if !drawn {
            let sign = if w == 0.0 || w.is_nan() { 0.0 } else { w.signum() };
            return [0.0, 0.0, sign];
        }
        [u / length, v / length, (w / length).clamp(-FAR, FAR)]
    }
}

/// Returns what of a frame is on the positive side of a line, and where the line cuts its border.
fn split([a, b, c]: [f64; 3]) -> (Vec<[f64; 2]>, Vec<[f64; 2]>) {
    let [left, top, right, bottom] = FRAME;
    let corners = [[left, top], [right, top], [right, bottom], [left, bottom]];
    let value = |[x, y]: [f64; 2]| a * x + b * y + c;
    let (mut side, mut cut) = (vec![], vec![]);
    for k in 0..4 {
        let (corner, other) = (corners[k], corners[(k + 1) % 4]);
        let (here, there) = (value(corner), value(other));
        if here >= 0.0 {
            side.push(corner);
        }
        if (here >= 0.0) != (there >= 0.0) {
            let share = here / (here - there);
            let point = [0, 1].map(|i| corner[i] + share * (other[i] - corner[i]));
            side.push(point);
            cut.push(point);
        }
    }
    (side, cut)
}

fn path(points: &[[f64; 2]]) -> String {
    let place = |(k, [x, y]): (usize, &[f64; 2])| {
        format!("{}{} {}", if k == 0 { "M" } else { "L" }, px(*x), px(*y))
    };
    points.iter().enumerate().map(place).collect()
}

/// Adds the picture of a method at its end.
fn panel(
    page: &mut Page,
    traced: &Traced,
    scales: &PanelScales,
    (k, method): (usize, &MethodSettings),
    frames: &[TraceFrame],
    voice: &dyn Voice,
) {
    let (name, Some(end)) = (method.name(), frames.last()) else { return };
    let [negative, positive] = traced.data.classes();
    let about = format!(
        "Rows of \"{positive}\" and \"{negative}\", and the hyperplane of {name} between them"
    );
    let mut drawing = Drawing::new(WIDTH, HEIGHT, &about);
    let [left, top, right, bottom] = FRAME;
    axes(&mut drawing, traced, scales, voice);
    let line = scales.line(end.line);
    let ((side, cut), (other, _)) = (split(line), split(line.map(|v| -v)));
    let [w, h] = [right - left, bottom - top];
    drawing.raw(&format!(
        "<clipPath id=\"frame{k}\"><rect x=\"{left}\" y=\"{top}\" width=\"{w}\" height=\"{h}\"/></clipPath>\
         <g clip-path=\"url(#frame{k})\"><path class=\"side p\" d=\"{}\"/><path class=\"side n\" d=\"{}\"/>\
         <path class=\"was\" d=\"\"/><path class=\"plane\" d=\"{}\"/>",
        path(&side),
        path(&other),
        path(&cut)
    ));
    match k {
        0 => draw_rows(&mut drawing, traced, scales),
        _ => drawing.raw("<use href=\"#rows\"/>"),
    }
    drawing.raw(&format!(
        "<circle class=\"ring wrong\" r=\"10\" style=\"display:none\"/>\
         <marker id=\"head{k}\" markerWidth=\"9\" markerHeight=\"9\" refX=\"6\" refY=\"4\" orient=\"auto\" \
         markerUnits=\"userSpaceOnUse\" viewBox=\"0 0 9 8\"><path class=\"head\" d=\"M0 0L8 4L0 8z\"/></marker>\
         <path class=\"arrow\" style=\"display:none\" marker-end=\"url(#head{k})\" d=\"\"/></g>"
    ));
    drawing.raw(&format!(
        "<text class=\"small away\" x=\"{}\" y=\"{}\" text-anchor=\"end\"></text>",
        px(right - 8.0),
        px(bottom - 10.0)
    ));
    let colour = COLOURS[k % COLOURS.len()];
    let swatch = match traced.is_race() {
        true => format!("<i style=\"background:{colour}\"></i>"),
        false => String::new(),
    };
    let (kind, when) = (end.kind.word(), escaped(&end.when));
    let (name, words) = (escaped(name), escaped(&end.words));
    page.raw(&format!(
        "<section class=\"panel\" aria-label=\"{name}\"><h3><span>{swatch}{name}</span>\
         <span class=\"when\">{when}</span></h3>\n\
         <p class=\"words\" data-kind=\"{kind}\" aria-live=\"polite\">{words}</p>\n{}</section>\n",
        drawing.part()
    ));
}

fn axes(drawing: &mut Drawing, traced: &Traced, scales: &PanelScales, voice: &dyn Voice) {
    let [left, top, right, bottom] = FRAME;
    drawing.x_axis(&scales.x, &labelled(scales.x.ticks(5)), [top, bottom]);
    let axes = traced.view.axes;
    let flat = matches!(axes, FlatAxes::Feature | FlatAxes::Only);
    if !flat {
        drawing.y_axis(&scales.y, &labelled(scales.y.ticks(5)), [left, right]);
    }
    let [across, up] = traced.axis_names(voice).map(|name| shortened(&name));
    let middle = (left + right) / 2.0;
    drawing.text("", [middle, HEIGHT - 10.0], Anchor::Middle, &across);
    drawing.text_up([13.0, (top + bottom) / 2.0], &up);
}

/// One path per class, whatever the number of rows: circles, and squares.
fn draw_rows(drawing: &mut Drawing, traced: &Traced, scales: &PanelScales) {
    drawing.raw("<g id=\"rows\">");
    for (class, positive) in [("n", false), ("p", true)] {
        let rows = traced.view.points.iter().filter(|point| point.positive == positive);
        let dots: String = rows
            .map(|point| {
                let [x, y] = scales.place(point).map(px);
                format!("M{x} {y}h.01")
            })
            .collect();
        drawing.raw(&format!("<path class=\"rows {class}\" d=\"{dots}\"/>"));
    }
    drawing.raw("</g>");
}

/// Returns the steps of a method for the script.
fn steps(frames: &[TraceFrame], traced: &Traced, scales: &PanelScales) -> Vec<Value> {
    let one = |frame: &TraceFrame| {
        let at = frame.row.and_then(|row| traced.view.point(row));
        json!({
            "line": scales.line(frame.line).map(few_digits),
            "at": at.map(|point| scales.place(point).map(few_digits)),
            "words": visible(&frame.words),
            "kind": frame.kind.word(),
            "epoch": frame.epoch,
            "when": frame.when,
        })
    };
    frames.iter().map(one).collect()
}

/// Returns a number with the digits that can be seen.
fn few_digits(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

fn controls(page: &mut Page) {
    page.raw(
        "<div class=\"controls\" role=\"group\" aria-label=\"steps\" hidden>\
         <button type=\"button\" class=\"back\" aria-label=\"a step back\"><i class=\"to-back\"></i></button>\
         <button type=\"button\" class=\"play\" aria-label=\"play\"><i class=\"to-play\"></i></button>\
         <button type=\"button\" class=\"next\" aria-label=\"a step on\"><i class=\"to-next\"></i></button>\
         <span class=\"slide\"><input type=\"range\" min=\"0\" value=\"0\" aria-label=\"step\"><output></output></span>\
         <label>pace <select><option value=\"2500\">slow</option><option value=\"1200\" selected>normal</option>\
         <option value=\"400\">fast</option><option value=\"30\">very fast</option></select></label></div>\n\
         <noscript><p class=\"quiet\">The picture shows the end. The steps need JavaScript to be played; they are \
         listed below.</p></noscript>\n",
    );
}

/// Returns what the picture shows.
fn caption(traced: &Traced, voice: &dyn Voice) -> String {
    let view = traced.view;
    let what = match view.axes {
        FlatAxes::Feature => "The only feature goes across; rows are spread out upwards so that they are told apart. The \
                              line is where the hyperplane cuts that axis."
            .to_string(),
        FlatAxes::Features => format!(
            "Across is {}, up is {}. The line is the hyperplane; the shades are its two sides.",
            voice.feature(traced.data, 0),
            voice.feature(traced.data, 1)
        ),
        FlatAxes::Only => "Rows differ in one direction only, which goes across; they are spread out upwards so that they \
                           are told apart. The line is where the hyperplane cuts that direction."
            .to_string(),
        _ => format!(
            "The {} features are seen in the two directions in which rows differ most, through their mean. The line is \
             where the hyperplane cuts this plane, so a row may be drawn on the wrong side of the line and be right all \
             the same.",
            grouped(traced.data.shape.columns as u64)
        ),
    };
    let (shown, rows) = (view.points.len(), view.rows);
    let some = match shown < rows {
        true => format!(
            " {} of {} are drawn, those that moved the line among them.",
            grouped(shown as u64),
            counted(rows as u64, "row")
        ),
        false => String::new(),
    };
    format!(
        "{what}{some} w·z is the score of a row, taken at length 1: positive on its own side, negative on the wrong one."
    )
}

/// Returns what has to be said beside: order, scale, averages, updates that are not shown.
fn notes(traced: &Traced, voice: &dyn Voice) -> Vec<String> {
    let runs = traced.runs();
    let methods: Vec<String> = runs.iter().map(|(method, _)| describe(method)).collect();
    let mut notes = vec![format!("{}; {}.", size(traced.data), methods.join(", "))];
    notes.extend(traced.aside(voice));
    let names: Vec<&str> = runs
        .iter()
        .filter(|(method, _)| method.answers_otherwise())
        .map(|(method, _)| method.name())
        .collect();
    if !names.is_empty() {
        notes.push(format!(
            "The line of {} is the hyperplane that the method would answer with now: an average, or the best vector so \
             far. What it corrects is another vector, so the line may stay where it is.",
            names.join(", ")
        ));
    }
    notes.extend(first_steps(traced.is_race(), &runs));
    notes
}

/// Returns how many updates are not shown, if there are any.
fn first_steps(race: bool, runs: &[(&MethodSettings, &Fit)]) -> Option<String> {
    let cut = runs.iter().filter_map(|(method, fit)| {
        let trace = fit.trace.as_ref().filter(|trace| trace.left_out > 0)?;
        Some((method.name(), trace.steps.len() as u64, trace.left_out))
    });
    let cut: Vec<(&str, u64, u64)> = cut.collect();
    let (_, kept, more) = *cut.first()?;
    let kept = counted(kept, "update");
    Some(match race {
        false => format!("The first {kept} are steps. {}.", left_out(more)),
        true => {
            let own = cut.iter().map(|(name, _, more)| format!("{} of {name}", grouped(*more)));
            let own: Vec<String> = own.collect();
            format!(
                "The first {kept} of a method are steps. Further ones are not shown: {}.",
                own.join(", ")
            )
        }
    })
}

/// Adds the chart of the mistakes of epochs; returns where in it each epoch of each method is.
fn mistakes(page: &mut Page, runs: &[(&MethodSettings, &Fit)]) -> Vec<Vec<[f64; 2]>> {
    let line = |(method, fit): &(&MethodSettings, &Fit)| Line {
        name: method.name().to_string(),
        dashed: false,
        finished: fit.separated(),
        points: fit.history.iter().map(|own| (own.epoch as f64, own.mistakes)).collect(),
    };
    let lines: Vec<Line> = runs.iter().map(line).collect();
    if lines.iter().all(|line| line.points.len() < 2) {
        return vec![vec![]; runs.len()];
    }
    let chart = Chart { title: String::new(), across: "epochs".to_string(), lines };
    let places = chart.places();
    let mut drawing = chart.draw_with("mistakes met");
    for (k, places) in places.iter().enumerate() {
        let Some([x, y]) = places.last().map(|place| place.map(px)) else { continue };
        let colour = COLOURS[k % COLOURS.len()];
        drawing.raw(&format!(
            "<circle class=\"now\" id=\"now{k}\" cx=\"{x}\" cy=\"{y}\" r=\"7\" stroke=\"{colour}\"/>"
        ));
    }
    page.section("Mistakes met during each epoch");
    page.figure(
        &drawing.part(),
        "Rows that were on the wrong side when they were visited. The disc is where the picture above is.",
    );
    places.into_iter().map(|own| own.into_iter().map(|place| place.map(tenth)).collect()).collect()
}

/// Returns a pixel with one decimal.
fn tenth(value: f64) -> f64 {
    (10.0 * value).round() / 10.0
}

/// Adds the steps in words.
fn steps_table(page: &mut Page, traced: &Traced, voice: &dyn Voice) {
    page.raw("<details><summary>All steps in words</summary>\n");
    for (method, fit) in traced.runs() {
        let Some(trace) = &fit.trace else { continue };
        let row = |(k, step): (usize, &TraceStep)| {
            let row = step.visited.map_or(String::new(), |visited| traced.row(visited.row, voice));
            let plane = &step.hyperplane;
            let words = happened(step, method.name(), &row);
            let mut cells = vec![grouped(k as u64 + 1), grouped(step.epoch), words];
            if plane.weights.len() <= 2 {
                cells.extend(plane.weights.iter().chain([&plane.bias]).map(|v| short(*v)));
            }
            cells
        };
        let rows: Vec<Vec<String>> =
            trace.steps.iter().take(TABLE_STEPS).enumerate().map(row).collect();
        let more = match trace.steps.len() > TABLE_STEPS {
            true => format!(": the first {TABLE_STEPS} steps"),
            false => String::new(),
        };
        let features = traced.data.shape.columns;
        let names: Vec<String> = match features {
            1 | 2 => (0..features)
                .map(|k| format!(">weight of {}", voice.feature(traced.data, k)))
                .collect(),
            _ => vec![],
        };
        let mut header = vec![">step", ">epoch", "what happened"];
        header.extend(names.iter().map(String::as_str));
        if !names.is_empty() {
            header.push(">bias");
        }
        page.table(&format!("{}{more}", method.name()), &header, &rows);
    }
    page.raw("</details>\n");
}

fn short(value: f64) -> String {
    number(format!("{value:.4e}").parse().unwrap_or(value))
}

/// Returns a name that fits beside an axis.
fn shortened(name: &str) -> String {
    match name.chars().count() > 40 {
        true => format!("{}…", name.chars().take(39).collect::<String>()),
        false => name.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::voice::Plain;
    use super::*;
    use linsep::Samples;
    use linsep::ask::FitQuestion;
    use linsep::data::Memory;

    /// Returns the steps that stand in the page of a fit.
    fn told(values: Vec<f64>, columns: usize, labels: Vec<bool>) -> Value {
        let samples = Samples::dense(values, columns, labels).unwrap();
        // In one epoch the weights stay much larger than what a row is corrected to.
        let question = FitQuestion { trace: 50, max_epochs: 1, ..FitQuestion::default() };
        let answer = question.ask(&Memory::new(&samples), None, &mut ()).unwrap();
        let html = page(&Traced::fit(&answer).unwrap(), "data", &Plain);
        let (_, json) = html.split_once("id=\"steps\">").unwrap();
        serde_json::from_str(json.split_once("</script>").unwrap().0).unwrap()
    }

    #[test]
    fn a_corrected_row_is_on_its_line_wherever_zero_is() {
        for far in [0.0, 1e3] {
            let values: Vec<f64> =
                [0.0, 1.0, 2.0, 0.5, 1.0, 3.0, 3.0, 2.0, 4.0, 0.0, 5.0, 1.0].into();
            let values = values.iter().map(|v| v + far).collect();
            let told = told(values, 2, vec![false, true, false, true, true, false]);
            let steps = told["runs"][0]["steps"].as_array().unwrap();
            let wrong = steps.iter().filter(|step| step["kind"] == "wrong");
            let mut seen = 0;
            for step in wrong {
                let number = |key: &str, k: usize| step[key][k].as_f64().unwrap();
                let off = number("line", 0) * number("at", 0) + number("line", 1) * number("at", 1);
                assert!((off + number("line", 2)).abs() < 1.5, "{far}: {step}");
                seen += 1;
            }
            assert!(seen > 0);
        }
    }

    #[test]
    fn a_frame_is_split_by_a_line_and_whole_without_one() {
        let [left, top, right, bottom] = FRAME;
        let (side, cut) = split([1.0, 0.0, -(left + right) / 2.0]);
        assert_eq!((side.len(), cut.len()), (4, 2));
        assert!(side.iter().all(|[x, _]| *x >= (left + right) / 2.0));
        assert_eq!(split([0.0, 0.0, 1.0]).0.len(), 4);
        assert!(split([0.0, 0.0, -1.0]).0.is_empty());
        assert_eq!(path(&[[left, top], [right, bottom]]), "M58 8L472 322");
    }

    #[test]
    fn values_too_far_apart_to_be_drawn_are_no_panic() {
        let samples =
            Samples::dense(vec![-1.7e308, 0.0, 1.7e308, 1.0], 2, vec![true, false]).unwrap();
        let question = FitQuestion { trace: 5, max_epochs: 2, ..FitQuestion::default() };
        let answer = question.ask(&Memory::new(&samples), None, &mut ()).unwrap();
        let html = page(&Traced::fit(&answer).unwrap(), "data", &Plain);
        assert!(html.contains("too far apart to be drawn") && !html.contains("NaN"));
    }
}

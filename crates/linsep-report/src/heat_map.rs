//! Verdicts on classes as a drawing: a cell per pair, and one per class against the rest.

use super::classes::{cell, must_go, reason, shortened};
use super::rounded;
use super::svg::{Anchor, Drawing, escaped, px};
use linsep::ask::{ClassVerdict, ClassesAnswer};
use linsep::decide::{MarginBounds, Verdict};

/// Pixels of a cell, and of the names on the left and above.
const CELL: [f64; 2] = [58.0, 34.0];
const LEFT: f64 = 130.0;
const TOP: f64 = 46.0;
/// Between the pairs and the column of classes against the rest.
const GAP: f64 = 14.0;
/// Characters of names on the left and above.
const NAMES: [usize; 2] = [16, 7];
/// The opacity of a full colour: numbers stand on it.
const FULL: f64 = 0.55;
/// Pixels that the words below take, and a page has at the least.
const LEAST: f64 = 700.0;
/// More classes than this are not drawn: nobody could read it.
const MOST: usize = 60;

/// Returns the drawing, or nothing if there are too many classes, or neither pairs nor classes were asked about.
pub fn heat_map(found: &ClassesAnswer, title: &str) -> Option<Drawing> {
    let (pairs, rest) = (found.pairs(), found.one_vs_rest());
    let (names, count) = (&found.names, found.names.len());
    if count > MOST || (pairs.is_empty() && rest.is_empty()) {
        return None;
    }
    let across = if pairs.is_empty() { 0 } else { count };
    let head = if title.is_empty() { 0.0 } else { 30.0 };
    let beside = if rest.is_empty() { 0.0 } else { GAP + CELL[0] };
    let width = LEFT + across as f64 * CELL[0] + beside + 10.0;
    let height = head + TOP + count as f64 * CELL[1] + 34.0;
    let mut drawing = Drawing::new(width.max(LEAST), height, "verdicts on all classes");
    if !title.is_empty() {
        drawing.text("title", [10.0, 24.0], Anchor::Start, title);
    }
    let top = head + TOP;
    let x = |b: usize| LEFT + b as f64 * CELL[0];
    let y = |a: usize| top + a as f64 * CELL[1];
    for (b, name) in names.iter().enumerate().take(across) {
        let name = shortened(name, NAMES[1]);
        drawing.text("", [x(b) + CELL[0] / 2.0, top - 8.0], Anchor::Middle, &name);
    }
    if !rest.is_empty() {
        let at = [x(across) + if across > 0 { GAP } else { 0.0 } + CELL[0] / 2.0, top - 8.0];
        drawing.text("", at, Anchor::Middle, "rest");
    }
    drawing.raw("<g class=\"points\">");
    for (a, name) in names.iter().enumerate() {
        let name = shortened(name, NAMES[0]);
        drawing.text("", [LEFT - 10.0, y(a) + CELL[1] / 2.0 + 4.5], Anchor::End, &name);
        for b in (0..across).filter(|&b| b != a) {
            if let Some(answer) = found.pair(a, b) {
                one(&mut drawing, found, answer, [x(b), y(a)]);
            }
        }
    }
    for (a, answer) in rest.into_iter().enumerate() {
        let left = x(across) + if across > 0 { GAP } else { 0.0 };
        one(&mut drawing, found, answer, [left, y(a)]);
    }
    drawing.raw("</g>");
    let below = top + count as f64 * CELL[1] + 22.0;
    let words =
        [("yes", "separable, and how far"), ("quasi", "quasi-separable"), ("no", "inseparable")];
    let mut left = 10.0;
    for (class, word) in words {
        let [x, y] = [left, below - 11.0].map(px);
        drawing.raw(&format!(
            "<rect fill-opacity=\"{FULL}\" class=\"cell {class}\" x=\"{x}\" y=\"{y}\" width=\"14\" height=\"14\"/>"
        ));
        drawing.text("", [left + 20.0, below + 1.0], Anchor::Start, word);
        left += 36.0 + 7.4 * word.len() as f64;
    }
    Some(drawing)
}

/// Draws one answer.
fn one(drawing: &mut Drawing, found: &ClassesAnswer, answer: &ClassVerdict, [x, y]: [f64; 2]) {
    let decision = &answer.found.decision;
    let (class, strength) = match decision.verdict() {
        // Three decades of margins, from faint to full.
        Some(Verdict::Separable) => ("yes", 0.25 + 0.75 * strength(decision.margin().lower)),
        Some(Verdict::QuasiSeparable) => ("quasi", 1.0),
        Some(_) => ("no", 1.0),
        None => ("open", 1.0),
    };
    let [cx, width, height] = [x + CELL[0] / 2.0, CELL[0] - 3.0, CELL[1] - 3.0].map(px);
    let label = escaped(&about(found, answer));
    let [left, top] = [x, y].map(px);
    drawing.raw(&format!(
        "<rect class=\"cell {class} dot\" cx=\"{cx}\" x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" rx=\"3\" \
         fill-opacity=\"{:.2}\" tabindex=\"-1\" role=\"img\" aria-label=\"{label}\"/>",
        FULL * strength
    ));
    let place = [x + (CELL[0] - 3.0) / 2.0, y + CELL[1] / 2.0 + 3.0];
    drawing.text("in", place, Anchor::Middle, &cell(answer));
}

/// Returns how strong the colour of a margin is, between 0 and 1.
fn strength(margin: f64) -> f64 {
    ((libm::log10(margin.max(1e-300)) + 4.0) / 3.0).clamp(0.0, 1.0)
}

/// Returns what a cell says when it is pointed at.
fn about(found: &ClassesAnswer, answer: &ClassVerdict) -> String {
    let [negative, positive] = found.sides(answer.versus);
    let mut lines = vec![format!("{positive} against {negative}: {}", reason(answer))];
    if answer.is_separable() {
        let MarginBounds { kind, lower, .. } = answer.found.decision.margin();
        let lower = rounded(lower);
        lines.push(format!("{kind} margin at least {lower}"));
    }
    if answer.found.decision.is_ruled_out() {
        let rows = answer.found.decision.conflicting_rows();
        lines.push(format!("{} rows conflict", rows.len()));
    }
    let must_go = must_go(answer);
    if !must_go.is_empty() {
        lines.push(format!("separable without {must_go} of {} rows", answer.found.data.shape.rows));
    }
    lines.join("\n")
}

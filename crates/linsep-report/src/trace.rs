//! A method's updates one by one: in words, and as a CSV. [`page::trace`](super::page::trace) shows them move.

use std::path::Path;

use linsep::Hyperplane;
use linsep::ask::{Answer, DataFacts, FitAnswer, RaceAnswer};
use linsep::online::{EpochRecord, Fit, MethodSettings, TraceStep};
use linsep::picture::{FlatAxes, FlatLine, FlatView};

use super::text;
use super::voice::Voice;
use super::{counted, csv_cell, grouped, number};

/// A w·z that is smaller than this beside the one before is called 0.
const NOTHING: f64 = 1e-6;

/// What a file of steps is, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceFormat {
    /// A page on which they can be played.
    Page,
    /// A line per step.
    Csv,
}

impl TraceFormat {
    /// Returns the format that a name ends in. Errors with what was expected.
    pub fn of(path: &Path) -> Result<Self, &'static str> {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        match ending.as_deref() {
            Some("html") => Ok(TraceFormat::Page),
            Some("csv") => Ok(TraceFormat::Csv),
            _ => Err("expected a name that ends in .html or .csv"),
        }
    }
}

/// Steps of one method or of several, with all that is needed to show them.
#[derive(Clone, Copy)]
pub struct Traced<'a> {
    pub(super) data: &'a DataFacts,
    pub(super) view: &'a FlatView,
    runs: TracedRuns<'a>,
}

/// Whose steps they are.
#[derive(Clone, Copy)]
enum TracedRuns<'a> {
    Fit(&'a FitAnswer),
    Race(&'a RaceAnswer),
}

impl<'a> Traced<'a> {
    /// Returns the steps of a fit, if they were asked for.
    pub fn fit(answer: &'a FitAnswer) -> Option<Self> {
        let view = answer.trace_view.as_ref()?;
        Some(Traced { data: &answer.data, view, runs: TracedRuns::Fit(answer) })
    }

    /// Returns the steps of all methods of a race, if they were asked for.
    pub fn race(answer: &'a RaceAnswer) -> Option<Self> {
        let view = answer.trace_view.as_ref()?;
        Some(Traced { data: &answer.data, view, runs: TracedRuns::Race(answer) })
    }

    /// Returns the steps of an answer, if it has any.
    pub fn of(answer: &'a Answer) -> Option<Self> {
        match answer {
            Answer::Fit(answer) => Self::fit(answer),
            Answer::Race(answer) => Self::race(answer),
            _ => None,
        }
    }

    /// Returns the rows behind the steps.
    pub fn view(&self) -> &'a FlatView {
        self.view
    }

    /// Returns each method and what it found.
    pub fn runs(&self) -> Vec<(&'a MethodSettings, &'a Fit)> {
        match self.runs {
            TracedRuns::Fit(answer) => vec![(&answer.question.method, &answer.fit)],
            TracedRuns::Race(answer) => {
                answer.entrants.iter().map(|own| (&own.method, &own.fit)).collect()
            }
        }
    }

    /// Returns true if methods are side by side.
    pub(super) fn is_race(&self) -> bool {
        matches!(self.runs, TracedRuns::Race(_))
    }

    /// Returns what has to be said of the order of rows and of their units.
    pub(super) fn aside(&self, voice: &dyn Voice) -> Vec<String> {
        let (order, scale) = match self.runs {
            TracedRuns::Fit(answer) => {
                let random = "rows in a new random order each epoch";
                (answer.question.shuffle.then(|| random.to_string()), answer.question.scale)
            }
            TracedRuns::Race(answer) => (text::order(answer, voice), answer.question.scale),
        };
        let scaled = (!scale.is_none()).then(|| {
            "the method sees columns with mean 0 and deviation 1, and w·z is among those; the picture has the \
             columns as they are"
                .to_string()
        });
        order.into_iter().chain(scaled).map(|note| format!("{}.", capital(&note))).collect()
    }

    /// Returns what a row is called that was corrected: its name, or its number.
    pub(super) fn row(&self, row: usize, voice: &dyn Voice) -> String {
        let name = self.view.point(row).and_then(|point| point.name.clone());
        name.unwrap_or_else(|| self.data.row(row, voice.first()).to_string())
    }

    /// Returns the steps as the file of this name, what the data is called for the title of a page.
    pub fn file(&self, format: TraceFormat, source: &str, voice: &dyn Voice) -> String {
        match format {
            TraceFormat::Page => super::page::trace::page(self, source, voice),
            TraceFormat::Csv => csv(self),
        }
    }
}

/// One picture of a method that learns, and what it says.
#[derive(Clone, Debug)]
pub struct TraceFrame {
    /// The hyperplane in the view.
    pub line: FlatLine,
    /// The row that moved it, counted from 0.
    pub row: Option<usize>,
    /// What happened.
    pub words: String,
    /// What kind of step it is.
    pub kind: FrameKind,
    /// The epoch, 0 at the start.
    pub epoch: u64,
    /// The same in words.
    pub when: String,
}

/// What kind of step a picture shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameKind {
    /// Where the method begins.
    Start,
    /// A row on the wrong side was corrected.
    Wrong,
    /// A row on its own side moved the line.
    Moved,
    /// Several rows moved it together, at the end of an epoch.
    Together,
    /// The end, with all rows on their own side.
    Separated,
    /// Another end.
    End,
}

impl FrameKind {
    /// Returns it in a word.
    pub fn word(self) -> &'static str {
        match self {
            FrameKind::Start => "start",
            FrameKind::Wrong => "wrong",
            FrameKind::Moved => "moved",
            FrameKind::Together => "together",
            FrameKind::Separated => "separated",
            FrameKind::End => "end",
        }
    }

    fn of(step: &TraceStep) -> Self {
        match step.visited {
            None => FrameKind::Together,
            Some(visited) if visited.score_before <= 0.0 => FrameKind::Wrong,
            Some(_) => FrameKind::Moved,
        }
    }
}

impl Traced<'_> {
    /// Returns the pictures of each method: where it begins, its updates, and its end.
    pub fn frames(&self, voice: &dyn Voice) -> Vec<Vec<TraceFrame>> {
        self.runs().into_iter().map(|(method, fit)| self.frames_of(method, fit, voice)).collect()
    }

    fn frames_of(&self, method: &MethodSettings, fit: &Fit, voice: &dyn Voice) -> Vec<TraceFrame> {
        let Some(trace) = &fit.trace else { return vec![] };
        let Hyperplane { weights, bias } = &trace.start;
        let begins = match weights.iter().chain([bias]).any(|w| *w != 0.0) {
            true => "the start, before any row is visited",
            false => "the start: all weights are 0",
        };
        let mut frames = vec![TraceFrame {
            line: self.view.line(&trace.start),
            row: None,
            words: begins.to_string(),
            kind: FrameKind::Start,
            epoch: 0,
            when: "the start".to_string(),
        }];
        frames.extend(trace.steps.iter().map(|step| {
            let row = step.visited.map(|visited| visited.row);
            let called = row.map_or(String::new(), |row| self.row(row, voice));
            TraceFrame {
                line: self.view.line(&step.hyperplane),
                row,
                words: happened(step, method.name(), &called),
                kind: FrameKind::of(step),
                epoch: step.epoch,
                when: format!("epoch {}", grouped(step.epoch)),
            }
        }));
        let (_, word, meaning) = text::outcome(self.data.shape.rows as u64, fit);
        let more = match trace.left_out {
            0 => String::new(),
            left_out => format!(", after {}", counted(left_out, "further update")),
        };
        let end = if fit.separated() { FrameKind::Separated } else { FrameKind::End };
        frames.push(TraceFrame {
            line: self.view.line(&fit.hyperplane),
            row: None,
            words: format!("{word}: {meaning}{more}"),
            kind: end,
            epoch: fit.epochs,
            when: format!("the end, after {}", counted(fit.epochs, "epoch")),
        });
        frames
    }

    /// Returns what goes across, and what goes up, if that says anything.
    pub fn axis_names(&self, voice: &dyn Voice) -> [String; 2] {
        let feature = |k: usize| voice.feature(self.data, k);
        match self.view.axes {
            FlatAxes::Features => [feature(0), feature(1)],
            FlatAxes::Feature => [feature(0), String::new()],
            FlatAxes::Only => ["the direction in which rows differ".to_string(), String::new()],
            _ => ["the first principal direction".to_string(), "the second".to_string()],
        }
    }
}

/// Returns what happened in a step of a method to a row that is called so: "row 17 is wrong: w·z = -0.3, corrected to 0".
pub fn happened(step: &TraceStep, method: &str, row: &str) -> String {
    let Some(visited) = step.visited else {
        return match method {
            "joint" => "projection: all rows that were corrected lately, at once".to_string(),
            "maxover" => {
                "the end of the epoch: of the wrong rows, the nearest is added".to_string()
            }
            _ => "the end of the epoch: all rows move it at once".to_string(),
        };
    };
    let (before, after) = (visited.score_before, visited.score_after);
    let [was, is] =
        [short(before), short(if after.abs() <= NOTHING * before.abs() { 0.0 } else { after })];
    // Where the answer is an average, or an earlier vector, it may stay, and be right.
    match (visited.mistake, before <= 0.0) {
        (_, true) if before == after => {
            format!("row {row} is wrong: w·z = {was}; the answer does not move")
        }
        (true, false) if before == after => {
            format!("row {row} was wrong for what is corrected; the answer does not move")
        }
        (_, true) if before > after => format!("row {row} is wrong: w·z = {was}, then {is}"),
        (_, true) => format!("row {row} is wrong: w·z = {was}, corrected to {is}"),
        (false, _) => {
            format!("row {row} is right, and moves it all the same: w·z = {was}, then {is}")
        }
        (true, _) => format!(
            "row {row} was wrong for what is corrected; for the answer w·z = {was}, then {is}"
        ),
    }
}

/// Returns the line that says what happened, with the epoch before it.
pub fn line(step: &TraceStep, method: &str, row: &str) -> String {
    format!("epoch {}: {}", step.epoch, happened(step, method, row))
}

/// Returns the line that says how many updates have none.
pub fn left_out(updates: u64) -> String {
    match updates {
        1 => "… 1 further update is not shown".to_string(),
        _ => format!("… {} further updates are not shown", grouped(updates)),
    }
}

/// Returns the line at the end of an epoch.
pub fn epoch(record: &EpochRecord) -> String {
    let [mistakes, updates] = [(record.mistakes, "mistake"), (record.updates, "update")]
        .map(|(count, noun)| counted(count, noun));
    format!("epoch {}: {mistakes}, {updates}", record.epoch)
}

/// Returns a sentence that begins as one.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

/// Returns a number with three significant digits.
fn short(value: f64) -> String {
    number(format!("{value:.2e}").parse::<f64>().unwrap_or(value) + 0.0)
}

/// Returns a CSV of steps, one line each, and of where each method began, step 0. Rows are those of the file, counted
/// from 1; there is none at the end of an epoch. The same run gives the same bytes.
pub fn csv(traced: &Traced) -> String {
    let data = traced.data;
    let named = traced.view.points.iter().any(|point| point.name.is_some());
    let id = if named { ",row_id" } else { "" };
    let mut text = format!("method,step,epoch,row{id},mistake,before,after,bias");
    for feature in 0..data.shape.columns {
        text.push(',');
        text.push_str(&csv_cell(&format!("w_{}", data.feature(feature, 1))));
    }
    text.push('\n');
    for (method, fit) in traced.runs() {
        let Some(trace) = &fit.trace else { continue };
        let blank = if named { ",,,,," } else { ",,,," };
        push_line(&mut text, format!("{},0{blank}", method.name()), &trace.start);
        for (k, step) in trace.steps.iter().enumerate() {
            let mut own = format!("{},{},{}", method.name(), k + 1, step.epoch);
            match step.visited {
                None => own.push_str(&blank[1..]),
                Some(visited) => {
                    own.push_str(&format!(",{}", data.row(visited.row, 1)));
                    if named {
                        let point = traced.view.point(visited.row);
                        let name = point.and_then(|point| point.name.as_deref());
                        own.push_str(&format!(",{}", csv_cell(name.unwrap_or_default())));
                    }
                    let scores = [visited.score_before, visited.score_after];
                    let [before, after] = scores.map(|score| number(score + 0.0));
                    own.push_str(&format!(",{},{before},{after}", visited.mistake));
                }
            }
            push_line(&mut text, own, &step.hyperplane);
        }
    }
    text
}

fn push_line(text: &mut String, own: String, plane: &Hyperplane) {
    text.push_str(&own);
    for value in [&plane.bias].into_iter().chain(&plane.weights) {
        text.push_str(&format!(",{}", number(value + 0.0)));
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use linsep::online::TracedRow;

    fn check(visited: Option<(bool, f64, f64)>, expected: &str) {
        let visited = visited.map(|(mistake, score_before, score_after)| TracedRow {
            row: 16,
            mistake,
            score_before,
            score_after,
        });
        let hyperplane = Hyperplane { weights: vec![], bias: 0.0 };
        let step = TraceStep { epoch: 2, visited, hyperplane };
        assert_eq!(line(&step, "joint", "17"), expected);
    }

    #[test]
    fn a_step_is_a_sentence() {
        check(Some((true, -0.3, 1e-9)), "epoch 2: row 17 is wrong: w·z = -0.3, corrected to 0");
        check(
            Some((true, -0.12345, -0.02)),
            "epoch 2: row 17 is wrong: w·z = -0.123, corrected to -0.02",
        );
        check(
            Some((true, -1e-8, 1e-9)),
            "epoch 2: row 17 is wrong: w·z = -1e-8, corrected to 1e-9",
        );
        check(Some((true, -0.0, 0.5)), "epoch 2: row 17 is wrong: w·z = 0, corrected to 0.5");
        check(
            Some((false, 0.1, 0.2)),
            "epoch 2: row 17 is right, and moves it all the same: w·z = 0.1, then 0.2",
        );
        check(
            Some((true, 0.1, 0.2)),
            "epoch 2: row 17 was wrong for what is corrected; for the answer w·z = 0.1, then 0.2",
        );
        check(
            Some((true, -0.1, -0.1)),
            "epoch 2: row 17 is wrong: w·z = -0.1; the answer does not move",
        );
        check(Some((true, -0.1, -0.2)), "epoch 2: row 17 is wrong: w·z = -0.1, then -0.2");
        check(
            Some((true, 0.1, 0.1)),
            "epoch 2: row 17 was wrong for what is corrected; the answer does not move",
        );
        check(None, "epoch 2: projection: all rows that were corrected lately, at once");
    }

    #[test]
    fn the_name_of_a_file_says_what_it_is() {
        let of = |name: &str| TraceFormat::of(Path::new(name));
        assert_eq!(of("a/b.HTML"), Ok(TraceFormat::Page));
        assert_eq!(of("b.csv"), Ok(TraceFormat::Csv));
        assert_eq!(of("b.svg"), Err("expected a name that ends in .html or .csv"));
        assert!(of("csv").is_err());
    }
}

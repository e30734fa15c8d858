//! Can one hyperplane tell two classes apart?

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{AskError, CitedRows, DataFacts, Reply, Useless, columns_left_out, margin_json};
use crate::Error;
use crate::cover::chance;
use crate::data::Data;
use crate::decide::{
    ConflictForm, DecideError, DecideOptions, Decision, ExplainOptions, Explanation, Journal,
    JournalError, Limit, MarginBounds, MarginGoal, MarginKind, OptionError, RemovedRow, Verdict,
    decide_data, decide_resumable, explain_data,
};
use crate::distances::{Distances, distances};
use crate::picture::{Picture, decision_picture};
use crate::saved::ClassNames;
use crate::watch::{Pass, Removing, Stage, Watch};

/// Bins of the distances: with a name of twelve letters they fit a terminal of 60 columns.
const BINS: usize = 32;
/// Rows in conflict and groups of duplicates whose values an answer keeps.
const CITED_ROWS: usize = 8;
/// Rows to remove, and rows of a list.
const CITED_SUSPECTS: usize = 20;
/// Bounds on the largest margin that differ by more than this share have not met.
const OPEN: f64 = 1e-3;

/// Can one hyperplane tell two classes apart?
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DecideQuestion {
    /// When a separating hyperplane is good enough.
    pub margin: MarginGoal,
    /// Which margin is bounded, and made the largest.
    pub margin_kind: MarginKind,
    /// The relative gap between the bounds on the largest margin that ends the search for it.
    pub gap: f64,
    /// How rows show that no hyperplane separates them.
    pub conflict: ConflictForm,
    /// The number of passes after which the search ends.
    pub max_passes: Option<i64>,
    /// The seconds after which it ends.
    pub time_limit: Option<f64>,
    /// Whether to say why data is not separable.
    pub explain: bool,
    /// Whether to count how far rows lie from the hyperplane: two more passes.
    pub distances: bool,
    /// Whether to make a picture: three more passes, and those that find a hyperplane where none separates.
    pub picture: bool,
    /// A file for what each pass finds, to go on from after a limit; a verdict removes it.
    pub checkpoint: Option<PathBuf>,
    /// Whether to go on from it.
    pub resume: bool,
}

impl Default for DecideQuestion {
    fn default() -> Self {
        let options = DecideOptions::default();
        DecideQuestion {
            margin: options.margin,
            margin_kind: options.kind,
            gap: options.gap,
            conflict: options.conflict,
            max_passes: None,
            time_limit: None,
            explain: false,
            distances: false,
            picture: false,
            checkpoint: None,
            resume: false,
        }
    }
}

/// Returns limits that are in their ranges.
pub(super) fn limits(
    max_passes: Option<i64>,
    time_limit: Option<f64>,
) -> Result<DecideOptions, OptionError> {
    let passes = max_passes.map(|passes| {
        u64::try_from(passes)
            .ok()
            .filter(|&passes| passes > 0)
            .ok_or_else(|| OptionError::new("max_passes", &passes, "an integer, at least 1"))
    });
    Ok(DecideOptions::default()
        .with_max_passes(passes.transpose()?)
        .with_time_limit(seconds(time_limit)?))
}

/// Returns a limit on time that is in its range.
pub(super) fn seconds(limit: Option<f64>) -> Result<Option<Duration>, OptionError> {
    let duration = |limit: f64| {
        let duration = Duration::try_from_secs_f64(limit).ok().filter(|limit| !limit.is_zero());
        duration.ok_or_else(|| OptionError::new("time_limit", &limit, "a time above 0"))
    };
    limit.map(duration).transpose()
}

impl DecideQuestion {
    /// Returns the options of the search. Errors with the first that is out of its range.
    pub fn options(&self) -> Result<DecideOptions, OptionError> {
        let options = limits(self.max_passes, self.time_limit)?
            .with_margin(self.margin)
            .with_kind(self.margin_kind)
            .with_gap(self.gap)
            .with_conflict(self.conflict);
        options.validate()?;
        Ok(options)
    }

    /// Errors with the first option that is out of its range, and if the checkpoint cannot be used. One that is not gone
    /// on from is removed.
    pub fn validate(&self) -> Result<(), AskError> {
        self.options()?;
        match &self.checkpoint {
            Some(path) => {
                drop(self.journal()?);
                if !self.resume {
                    // Best effort: what was asked for has been said.
                    let _ = std::fs::remove_file(path);
                }
                Ok(())
            }
            None if self.resume => Err(AskError::Useless(Useless {
                option: "resume",
                why: "was given without checkpoint, the file to go on from".to_string(),
                instead: None,
            })),
            None => Ok(()),
        }
    }

    fn journal(&self) -> Result<Option<Journal>, JournalError> {
        let Some(path) = &self.checkpoint else { return Ok(None) };
        Ok(Some(if self.resume { Journal::resume(path)? } else { Journal::create(path)? }))
    }

    /// Returns the answer for data, wherever it is.
    ///
    /// Errors if an option is out of its range, if the checkpoint cannot be used, or if the rows cannot be read.
    pub fn ask(&self, data: &dyn Data, watch: &mut dyn Watch) -> Result<DecideAnswer, AskError> {
        let options = self.options()?;
        let mut journal = self.journal()?;
        let mut noting = Noting { watch, started: Instant::now(), passes: vec![] };
        noting.stage(&Stage::Deciding);
        let decision = match &mut journal {
            Some(journal) => decide_resumable(data, &options, &mut noting, journal)?,
            None => decide_data(data, &options, &mut noting)?,
        };
        let passes = std::mem::take(&mut noting.passes);
        let mut answer = self.explained(data, decision, &options, &mut noting)?;
        answer.passes = passes;
        answer.draw(data, self.distances, self.picture, noting.watch)?;
        drop(journal);
        match &self.checkpoint {
            Some(path) if answer.decision.unfinished => answer.checkpoint = Some(path.clone()),
            // There is nothing to go on with. Best effort: what was asked for is known.
            Some(path) => drop(std::fs::remove_file(path)),
            None => {}
        }
        Ok(answer)
    }

    /// Returns the answer that a decision makes, explained if that is asked.
    pub(super) fn explained(
        &self,
        data: &dyn Data,
        mut decision: Decision,
        options: &DecideOptions,
        watch: &mut dyn Watch,
    ) -> Result<DecideAnswer, AskError> {
        let explanation = match self.explain {
            true => {
                watch.stage(&Stage::Explaining);
                let limits = ExplainOptions::after(&decision, options);
                explain_data(data, &decision, &limits, watch)?
            }
            false => None,
        };
        if let Some(explanation) = &explanation {
            explanation.extend_proof(&mut decision);
        }
        let rows = cited(data, &decision, explanation.as_ref())?;
        Ok(DecideAnswer {
            question: self.clone(),
            data: DataFacts::of(data),
            decision,
            explanation,
            rows,
            distances: None,
            picture: None,
            passes: vec![],
            checkpoint: None,
        })
    }
}

impl From<JournalError> for AskError {
    fn from(error: JournalError) -> Self {
        AskError::Decide(DecideError::Journal(error))
    }
}

/// Returns the rows that an answer speaks of.
fn cited(
    data: &dyn Data,
    decision: &Decision,
    explanation: Option<&Explanation>,
) -> Result<CitedRows, Error> {
    let mut named = decision.telling_rows();
    let mut shown = named[..named.len().min(CITED_ROWS)].to_vec();
    shown.extend(decision.contradiction.iter().flat_map(|&(a, b)| [a, b]));
    if let Some(Explanation { removal, contradictions, carried_by, .. }) = explanation {
        let removed: Vec<usize> =
            removal.iter().flat_map(|removal| &removal.rows).map(|r| r.row).collect();
        shown.extend(removed.iter().take(CITED_SUSPECTS));
        named.extend(removed);
        let groups = contradictions.iter().take(CITED_ROWS);
        named.extend(groups.flat_map(|group| group.iter().take(CITED_SUSPECTS)));
        let carried = carried_by.iter().flat_map(|carried| &carried.rows);
        named.extend(carried.take(CITED_SUSPECTS));
    }
    CitedRows::fetch(data, &named, &shown)
}

/// Whether one hyperplane tells two classes apart.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DecideAnswer {
    /// What was asked.
    pub question: DecideQuestion,
    /// What the data is.
    pub data: DataFacts,
    /// The verdict with what it rests on, and what it cost.
    pub decision: Decision,
    /// Why the data is not separable, if that was asked and the rows fit in memory.
    pub explanation: Option<Explanation>,
    /// The rows that it speaks of.
    pub rows: CitedRows,
    /// How far rows lie from the hyperplane, if that was asked and there is one.
    pub distances: Option<Distances>,
    /// What can be drawn, if that was asked.
    pub picture: Option<Picture>,
    /// The passes of the search.
    pub passes: Vec<TimedPass>,
    /// The file to go on from, if a limit was reached and one is kept.
    pub checkpoint: Option<PathBuf>,
}

/// A pass of the search, and when it was over.
#[derive(Clone, Debug)]
pub struct TimedPass {
    /// Where the search stood.
    pub pass: Pass,
    /// Seconds since the beginning.
    pub seconds: f64,
}

impl DecideAnswer {
    /// Reads rows again to draw them, and counts those passes. Rows that are not in memory are not read again for
    /// distances once a limit was reached.
    ///
    /// Errors if they cannot be read.
    pub fn draw(
        &mut self,
        data: &dyn Data,
        with_distances: bool,
        with_picture: bool,
        watch: &mut dyn Watch,
    ) -> Result<(), Error> {
        let (before, started) = (made(data), Instant::now());
        let plane = self.decision.hyperplane();
        let plane = plane.filter(|_| data.resident().is_some() || !self.decision.unfinished);
        if let (true, Some(plane)) = (with_distances, plane) {
            self.distances = Some(distances(data, plane, BINS)?);
        }
        if with_picture {
            watch.stage(&Stage::Drawing);
            let why = self.explanation.as_ref();
            self.picture = Some(decision_picture(data, &self.decision, why, watch)?);
        }
        self.decision.drew(made(data) - before, started.elapsed().as_secs_f64());
        Ok(())
    }

    /// Returns true if the largest margin was asked for and no limit came before it, yet its bounds do not meet: floats were
    /// at their end.
    pub fn is_bracket_open(&self) -> bool {
        let MarginBounds { lower, upper, .. } = self.decision.margin();
        self.question.margin == MarginGoal::Max
            && self.decision.verdict() == Some(Verdict::Separable)
            && !self.decision.unfinished
            && lower < upper * (1.0 - self.question.gap.max(OPEN))
    }

    /// Returns true if an explanation was asked for, and the rows do not fit in memory, where it needs them.
    pub fn is_unexplained(&self) -> bool {
        self.question.explain && self.explanation.is_none()
    }

    /// Returns yes if the data is separable.
    pub fn reply(&self) -> Reply {
        Reply::of(self.decision.verdict().map(|verdict| verdict == Verdict::Separable))
    }

    /// Returns the chance that random labels of as many rows are separable.
    pub fn chance(&self) -> f64 {
        chance(self.data.shape.rows, self.data.shape.columns)
    }

    /// Returns the answer for programs.
    pub fn to_json(&self) -> Value {
        let mut value = self.facts();
        let plane = self.decision.hyperplane();
        value.insert("weights".to_string(), json!(plane.map(|h| &h.weights)));
        value.insert("bias".to_string(), json!(plane.map(|h| h.bias)));
        value.insert("proof".to_string(), json!(self.decision.proof()));
        value.insert("seconds".to_string(), json!(self.decision.seconds));
        if let Some(names) = self.rows.names(&self.conflicting_rows()) {
            value.insert("conflicting_row_ids".to_string(), json!(names));
        }
        Value::Object(value)
    }

    /// Returns the rows that rule a strict separation out, rising; none where none are known.
    pub fn conflicting_rows(&self) -> Vec<usize> {
        self.decision.conflicting_rows()
    }

    /// Returns [`to_json`](Self::to_json) without the weights and the proof, which are long.
    pub fn facts(&self) -> Map<String, Value> {
        let (decision, about, shape) = (&self.decision, &self.data.about, self.data.shape);
        let value = json!({
            "verdict": decision.word(),
            "because": decision.because().map(Limit::word),
            "way": decision.way,
            "left_out": if decision.left_out { vec!["dual"] } else { vec![] },
            "passes": decision.passes,
            "proving_passes": decision.proving_passes,
            "rows": shape.rows,
            "features": shape.columns,
            "feature_names": about.feature_names,
            "rows_dropped": about.dropped,
            "values_filled": about.filled,
            "columns_left_out": columns_left_out(about),
            "labels": ClassNames::from(&about.label_names),
            "margin": margin_json(&decision.margin()),
            "chance": self.chance(),
            "conflicting_rows": about.rows.numbers(&self.conflicting_rows()),
            "ruled_out_by": decision.ruled_out_by(),
            "contradictory_rows": decision.contradiction.map(|(a, b)| about.rows.numbers(&[a, b])),
            "explanation": self.explanation_json(),
        });
        match value {
            Value::Object(map) => map,
            _ => unreachable!("an object"),
        }
    }

    /// Returns why the data is not separable, for programs.
    pub(super) fn explanation_json(&self) -> Option<Value> {
        let Explanation { contradictions, removal, carried_by } = self.explanation.as_ref()?;
        let about = &self.data.about;
        let contradictions: Vec<_> =
            contradictions.iter().map(|group| about.rows.numbers(group)).collect();
        let removal = removal.as_ref().map(|removal| {
            let row = |r: &RemovedRow| {
                let distance = Some(r.distance).filter(|distance| distance.is_finite());
                json!({ "row": about.rows.number(r.row), "distance": distance })
            };
            let conflicts: Vec<_> =
                removal.conflicts.iter().map(|c| about.rows.numbers(&c.rows())).collect();
            json!({
                "rows": removal.rows.iter().map(row).collect::<Vec<Value>>(),
                "irreducible": removal.irreducible,
                "best_effort": !removal.smallest(),
                "at_least": removal.at_least,
                "at_most": removal.at_most(),
                "conflicts": removal.conflicts.len(),
                "conflicting_rows": conflicts,
                "weights": removal.hyperplane.weights,
                "bias": removal.hyperplane.bias,
            })
        });
        let carried_by = carried_by.as_ref().map(|carried| {
            let name = |&k: &usize| match &about.feature_names {
                Some(names) => json!(names[k]),
                None => json!(k + 1),
            };
            json!({
                "features": carried.features.iter().map(name).collect::<Vec<Value>>(),
                "rows": about.rows.numbers(&carried.rows),
            })
        });
        Some(json!({
            "contradictions": contradictions,
            "removal": removal,
            "carried_by": carried_by,
        }))
    }
}

/// Returns the reads of all rows so far.
fn made(data: &dyn Data) -> u64 {
    data.reads().passes(data.shape())
}

/// Notes when passes were over, and hands everything on.
struct Noting<'a> {
    watch: &'a mut dyn Watch,
    started: Instant,
    passes: Vec<TimedPass>,
}

impl Watch for Noting<'_> {
    fn stage(&self, stage: &Stage) {
        self.watch.stage(stage);
    }

    fn pass(&mut self, pass: &Pass) {
        let seconds = self.started.elapsed().as_secs_f64();
        self.passes.push(TimedPass { pass: pass.clone(), seconds });
        self.watch.pass(pass);
    }

    fn removing(&self, removing: &Removing) {
        self.watch.removing(removing);
    }

    fn cancelled(&self) -> Option<&std::sync::atomic::AtomicBool> {
        self.watch.cancelled()
    }
}

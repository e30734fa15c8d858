//! Whether the estimate of a model exists, for people.

use super::decision::{allow_more, ran_out, unproven};
use super::summary::{Summary, TextTable, Tone};
use super::voice::{Remedy, Voice};
use super::{checked, counted, grouped, number};
use linsep::ask::{AbsorbedFactor, EstimateAnswer, NextStep};
use linsep::models::{Family, InCommon, Open, SeparationKind};

/// Coefficients that are shown one by one, rows in a list, and columns of a step.
const SHOWN: usize = 40;
const SHOWN_ROWS: usize = 20;
const SHOWN_COLUMNS: usize = 3;
/// Levels of a column that are shown.
const SHOWN_LEVELS: usize = 8;

/// Returns the answer for people. Under a step to take next stands `code` that takes it, if the front end has some.
pub fn text(
    answer: &EstimateAnswer,
    voice: &dyn Voice,
    code: &dyn Fn(&NextStep) -> Option<String>,
) -> Summary {
    let EstimateAnswer { found, data, rows, .. } = answer;
    let (tone, meaning) = match found.kind {
        SeparationKind::Overlap => {
            (Tone::Good, "the maximum likelihood estimate exists".to_string())
        }
        SeparationKind::Undecided(because) => (Tone::Open, unproven(because, voice)),
        SeparationKind::Complete => (
            Tone::Bad,
            "the estimate does not exist: some direction separates all rows".to_string(),
        ),
        _ => (
            Tone::Bad,
            "the estimate does not exist: some direction separates some rows".to_string(),
        ),
    };
    let mut summary = Summary::new(tone, &found.kind.to_string(), &meaning);
    let coefficients = answer.coefficients(voice.first());
    let left_out = match data.shape.rows - found.counted {
        0 => String::new(),
        some => format!(" ({} without weight or trials)", grouped(some as u64)),
    };
    let model = match answer.absorbed.is_empty() {
        true => answer.model.to_string(),
        // Whose levels add up to its constant.
        false => format!("{} model", answer.model.name()),
    };
    let size = format!(
        "{model}, {}{left_out}, {}",
        counted(data.shape.rows as u64, "row"),
        counted(coefficients.len() as u64, "coefficient")
    );
    summary.text("model", &size);
    if let Some(proof) = &found.proof {
        let keep = voice.spell(Remedy::KeepProof);
        summary.text("proof", &format!("{} ({keep})", checked(proof.claim.is_by_matrix())));
    }
    if let (SeparationKind::Undecided(_), Some(_)) = (found.kind, &found.proof) {
        summary
            .text("proven", "no direction separates all rows; whether one separates some is open");
    }
    if let Some((open, because)) = found.open {
        let left = match (open, found.kind) {
            (Open::Signs, _) => {
                "all signs were known: a sign that is shown occurs, and the other may"
            }
            (_, SeparationKind::QuasiComplete) => {
                "it was known which coefficients are finite; more rows may be separated than are shown"
            }
            _ => "it was known which coefficients are finite",
        };
        let more = allow_more(because, voice);
        summary.text("open", &format!("{}{more} before {left}", ran_out(because)));
    }
    if !coefficients.is_empty() {
        summary.table(coefficient_table(&coefficients, &answer.estimates()));
    }
    for (k, factor) in answer.absorbed.iter().enumerate() {
        summary.text(if k == 0 { "absorbed" } else { "" }, &levels(factor, answer.is_open()));
    }
    if !found.rows.is_empty() {
        let shown = found.rows.iter().take(SHOWN_ROWS);
        let mut names: Vec<String> = shown.map(|&row| voice.row(data, rows, row)).collect();
        // Not all of them are named where that was asked; each then makes one comparison.
        let all = match found.excluded.is_empty() {
            true => found.separated.max(found.rows.len()),
            false => found.rows.len(),
        };
        if all > names.len() {
            names.push("…".to_string());
        }
        let lead = format!("{}: ", counted(all as u64, "row"));
        summary.list("caused by", &lead, &names);
    }
    for cause in causes(answer, voice) {
        summary.text("because", &cause);
    }
    for (k, step) in answer.next_steps(voice.first()).iter().enumerate() {
        summary.text(if k == 0 { "what next" } else { "" }, &words(answer, step));
        if let Some(code) = code(step) {
            summary.code(&code);
        }
    }
    summary
}

/// Returns what becomes of the levels of a column in words.
fn levels(factor: &AbsorbedFactor, is_open: bool) -> String {
    let AbsorbedFactor { column, levels, gone, .. } = factor;
    let all = format!("{column}: {}", counted(*levels as u64, "level"));
    if is_open && gone.is_empty() {
        return all;
    }
    let some = gone.iter().take(SHOWN_LEVELS).map(|(level, sign)| format!("{level} {sign}"));
    let mut some: Vec<String> = some.collect();
    if gone.len() > SHOWN_LEVELS {
        some.push("…".to_string());
    }
    match gone.len() {
        0 => format!("{all}, none without rows that are left"),
        count => format!(
            "{all}, {} without rows that are left: {}",
            grouped(count as u64),
            some.join(", ")
        ),
    }
}

/// Returns what separated rows have in common, a sentence each.
pub fn causes(answer: &EstimateAnswer, voice: &dyn Voice) -> Vec<String> {
    let cause = |(condition, outcome): &(InCommon, String)| {
        let InCommon { column, relation, value, rows } = condition;
        let place =
            format!("{} {relation} {}", voice.feature(&answer.data, *column), number(*value));
        let all = match rows.len() {
            1 => format!("the one row with {place} has"),
            count => format!("all {} rows with {place} have", grouped(count as u64)),
        };
        format!("{all} {} = {outcome}", answer.outcome)
    };
    answer.common.iter().map(cause).collect()
}

/// Returns a step to take next in words.
pub fn words(answer: &EstimateAnswer, step: &NextStep) -> String {
    match step {
        NextStep::Drop { columns } => {
            let more = if columns.len() > SHOWN_COLUMNS { ", …" } else { "" };
            let some = columns[..columns.len().min(SHOWN_COLUMNS)].join(", ");
            format!("drop {some}{more}, or merge its level with another")
        }
        NextStep::MergeCategories => "merge a category with the one beside it".to_string(),
        NextStep::FitLimit { rows, without, .. } => {
            let rows = match rows {
                1 => "the one row that is not separated".to_string(),
                rows => format!("the {} rows that are not separated", grouped(*rows as u64)),
            };
            let without = match without.len() {
                1..=4 => format!(", without {}", without.join(", ")),
                _ => String::new(),
            };
            format!("fit the limiting model, of {rows}{without}")
        }
        NextStep::Penalise => match answer.question.model {
            family if family.is_ordered() => "penalise: R's ordinalNet and brglm2 do".to_string(),
            Family::Cox => "penalise: ridge; Firth's in R (coxphf)".to_string(),
            // Ridge knows nothing of probabilities that may not exceed 1.
            Family::LogBinomial => "penalise: Firth's in R (brglm2)".to_string(),
            _ => "penalise: ridge; Firth's in R (brglm2, logistf)".to_string(),
        },
        _ => String::new(),
    }
}

fn coefficient_table(names: &[String], estimates: &[String]) -> TextTable {
    let few = names.len() <= SHOWN;
    let shown: Vec<usize> =
        (0..names.len()).filter(|&k| few || estimates[k] != "finite").take(SHOWN).collect();
    let mut table = TextTable::default();
    let pick = |from: &[String]| shown.iter().map(|&k| from[k].clone()).collect::<Vec<_>>();
    let (mut first, mut second) = (pick(names), pick(estimates));
    if shown.len() < names.len() {
        first.push(format!("{} others", grouped((names.len() - shown.len()) as u64)));
        second.push("not shown".to_string());
    }
    table.column("coefficient", first, false);
    table.column("estimate", second, false);
    table.keep();
    table
}

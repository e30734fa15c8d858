//! Whether the estimate of a model exists, for people and for programs.

use serde_json::json;

use super::summary::{Summary, Table, Tone};
use super::{counted, grouped, number};
use linsep::data::samples::RowNumbers;
use linsep::decide::Limit;
use linsep::models::{InCommon, Model, Open, Separation, SeparationKind, Vector};

/// Coefficients that are shown one by one, and rows in a list.
const SHOWN: usize = 40;
const SHOWN_ROWS: usize = 20;

/// What names the parts of a model.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// The columns of the design.
    pub columns: Vec<String>,
    /// The categories of the outcome, in order.
    pub categories: Vec<String>,
    /// The outcome.
    pub outcome: String,
    /// Which rows of the file the rows are.
    pub rows: RowNumbers,
}

impl Names {
    /// Returns the names of the coefficients, in order.
    pub fn coefficients(&self, model: &Model, found: &Separation) -> Vec<String> {
        let ordered = is_ordered(model);
        let name = |block: Option<usize>, column: Option<usize>| {
            let own = column.map_or("intercept", |k| &self.columns[k]);
            match block {
                None => own.to_string(),
                Some(j) if ordered => {
                    let threshold = format!("{} | {}", self.categories[j], self.categories[j + 1]);
                    if column.is_none() { threshold } else { format!("{threshold}: {own}") }
                }
                Some(c) => format!("{}: {own}", self.categories[c]),
            }
        };
        found.coefficients.iter().map(|own| name(own.block, own.column)).collect()
    }

    /// Returns what a separated vector excludes, for a row.
    fn excluded(&self, model: &Model, vector: &Vector) -> String {
        let category = |k: usize| self.categories[k].clone();
        let at = vector.at as usize;
        match model {
            Model::Multinomial { .. } | Model::Adjacent { .. } => category(vector.other),
            Model::Cumulative { .. } | Model::Sequential { .. } if vector.positive => {
                format!("above {}", category(at))
            }
            Model::Cumulative { .. } => format!("below {}", category(at + 1)),
            Model::Sequential { .. } => category(at),
            Model::Conditional {} | Model::Cox { .. } => {
                format!("row {}", self.rows.number(vector.other))
            }
            _ => String::new(),
        }
    }
}

fn is_ordered(model: &Model) -> bool {
    matches!(model, Model::Cumulative { .. } | Model::Adjacent { .. } | Model::Sequential { .. })
}

/// Returns what becomes of every coefficient.
fn estimates(found: &Separation) -> Vec<String> {
    let unknown = match (found.kind, found.open) {
        (SeparationKind::Undecided(_), _) | (_, Some((Open::Coefficients, _))) => "unknown",
        _ => "finite",
    };
    let mut all = vec![unknown.to_string(); found.coefficients.len()];
    found.aliased.iter().for_each(|&k| all[k] = "aliased".to_string());
    found.infinite.iter().for_each(|(k, sign)| all[*k] = sign.to_string());
    all
}

/// Returns why there is no answer.
fn undecided(because: Limit) -> &'static str {
    match because {
        Limit::Passes => {
            "the passes ran out before an answer was proven (--max-passes allows more)"
        }
        Limit::Time => "the time ran out before an answer was proven (--time-limit allows more)",
        Limit::Unconfirmed => "what was found could not be confirmed",
        _ => "stopped before an answer was proven",
    }
}

fn ran_out(because: Limit) -> &'static str {
    match because {
        Limit::Passes => "the passes ran out (--max-passes allows more)",
        Limit::Time => "the time ran out (--time-limit allows more)",
        _ => "stopped",
    }
}

/// Returns the answer for people, with what the separated rows have in common.
pub fn text(
    model: &Model,
    found: &Separation,
    names: &Names,
    rows: usize,
    common: &[(InCommon, String)],
) -> Summary {
    let (tone, meaning) = match found.kind {
        SeparationKind::Overlap => (Tone::Good, "the maximum likelihood estimate exists"),
        SeparationKind::Undecided(because) => (Tone::Open, undecided(because)),
        SeparationKind::Complete => {
            (Tone::Bad, "the estimate does not exist: some direction separates all rows")
        }
        _ => (Tone::Bad, "the estimate does not exist: some direction separates some rows"),
    };
    let mut summary = Summary::new(tone, &found.kind.to_string(), meaning);
    let coefficients = names.coefficients(model, found);
    let left_out = match rows - found.counted {
        0 => String::new(),
        some => format!(" ({} without weight or trials)", grouped(some as u64)),
    };
    let size = format!(
        "{model}, {}{left_out}, {}",
        counted(rows as u64, "row"),
        counted(coefficients.len() as u64, "coefficient")
    );
    summary.text("model", &size);
    if found.proof.is_some() {
        summary.text("proof", "checked in exact arithmetic (--proof FILE keeps it)");
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
        summary.text("open", &format!("{} before {left}", ran_out(because)));
    }
    summary.table(coefficient_table(&coefficients, &estimates(found)));
    if !found.rows.is_empty() {
        let numbers: Vec<String> =
            found.rows.iter().map(|&row| names.rows.number(row).to_string()).collect();
        let lead = format!("{}: ", counted(found.rows.len() as u64, "row"));
        summary.list("caused by", &lead, &numbers[..numbers.len().min(SHOWN_ROWS)]);
    }
    for (condition, outcome) in common {
        let InCommon { column, relation, value, rows } = condition;
        let place = format!("{} {relation} {}", names.columns[*column], number(*value));
        let all = match rows.len() {
            1 => format!("the one row with {place} has"),
            count => format!("all {} rows with {place} have", grouped(count as u64)),
        };
        summary.text("because", &format!("{all} {} = {outcome}", names.outcome));
    }
    let known = !matches!(found.open, Some((Open::Coefficients, _)));
    if known && matches!(found.kind, SeparationKind::Complete | SeparationKind::QuasiComplete) {
        let left = found.counted - found.settled.len();
        let dropped: Vec<&str> = found.left_out.iter().map(|&k| &coefficients[k][..]).collect();
        let limit = match (left, dropped.len()) {
            (0, _) => "drop or merge levels, or penalise (ridge, Firth)".to_string(),
            (_, 1..=4) => format!(
                "drop or merge levels; or fit the {} without {}; or penalise (ridge, Firth)",
                unseparated(left),
                dropped.join(", ")
            ),
            _ => format!(
                "drop or merge levels; or fit the {}; or penalise (ridge, Firth)",
                unseparated(left)
            ),
        };
        summary.text("what next", &limit);
    }
    summary
}

fn unseparated(rows: usize) -> String {
    match rows {
        1 => "one row that is not separated".to_string(),
        rows => format!("{} rows that are not separated", grouped(rows as u64)),
    }
}

fn coefficient_table(names: &[String], estimates: &[String]) -> Table {
    let few = names.len() <= SHOWN;
    let shown: Vec<usize> =
        (0..names.len()).filter(|&k| few || estimates[k] != "finite").take(SHOWN).collect();
    let mut table = Table::default();
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

/// Returns the answer for programs. Rows are those of the file, counted from 1.
pub fn json(model: &Model, found: &Separation, names: &Names, rows: usize) -> serde_json::Value {
    let coefficients = names.coefficients(model, found);
    let numbers = |rows: &[usize]| names.rows.numbers(rows);
    let named = |places: &[usize]| places.iter().map(|&k| &coefficients[k]).collect::<Vec<_>>();
    let estimates: Vec<serde_json::Value> = coefficients
        .iter()
        .zip(estimates(found))
        .map(|(name, estimate)| json!({ "name": name, "estimate": estimate }))
        .collect();
    let exists = match found.kind {
        SeparationKind::Overlap => Some(true),
        SeparationKind::Undecided(_) => None,
        _ => Some(false),
    };
    let because = match found.kind {
        SeparationKind::Undecided(because) => Some(because),
        _ => found.open.map(|(_, because)| because),
    };
    let excluded: Vec<serde_json::Value> = found
        .excluded
        .iter()
        .filter(|_| !names.categories.is_empty() || matches!(model, Model::Cox { .. }))
        .map(|v| json!({ "row": names.rows.number(v.row), "excludes": names.excluded(model, v) }))
        .collect();
    json!({
        "model": model.name(),
        "kind": found.kind.to_string(),
        "estimate_exists": exists,
        "rows": rows,
        "coefficients": estimates,
        "aliased": named(&found.aliased),
        "separated_rows": numbers(&found.rows),
        "settled_rows": numbers(&found.settled),
        "excluded": excluded,
        "conflicting_rows": numbers(&found.conflict),
        "cone_dimension": found.cone_dimension,
        "left_out": named(&found.left_out),
        "direction": found.direction,
        "proof": found.proof,
        "because": because.map(Limit::word),
        "open": found.open.map(|(open, _)| open.word()),
    })
}

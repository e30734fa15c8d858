//! Verdicts on many classes for programs.

use serde_json::{Value, json};

use super::super::json::{explanation, known};
use super::Found;
use linsep::classes::{Answer, Linear, Question};
use linsep::decide::Limit;

/// Returns what `--json` prints. Rows are those of the file, counted from 1, and named if the data names them.
pub fn json(found: &Found) -> Value {
    let about = found.samples.about();
    let one = |answer: &Answer| {
        let rows = answer.conflicting_rows();
        let mut value = json!({
            "verdict": answer.word(),
            "because": answer.because.map(Limit::word),
            "rows": answer.rows,
            "margin": {
                "kind": answer.margin.kind,
                "lower": known(answer.margin.lower),
                "upper": known(answer.margin.upper),
            },
            "conflicting_rows": about.rows.numbers(&rows),
            "explanation": answer.explanation.as_ref().map(|why| explanation(about, why)),
            "passes": answer.passes,
            "seconds": answer.seconds,
        });
        if found.samples.row_ids().is_some() {
            value["conflicting_row_ids"] = rows.iter().map(|&row| found.row(row)).collect();
        }
        let name = |class: usize| json!(found.classes.names()[class]);
        match answer.question {
            Question::Pair { negative, positive } => {
                value["negative"] = name(negative);
                value["positive"] = name(positive);
            }
            Question::OneVsRest { positive } => value["positive"] = name(positive),
        }
        value
    };
    let asked = |answers: Vec<&Answer>| match answers.is_empty() {
        true => Value::Null,
        false => answers.into_iter().map(one).collect(),
    };
    let argmax = found.argmax.map(|argmax| {
        let (planes, pair, rows, because) = match &argmax.linear {
            Linear::Exists { planes } => (Some(planes), None, vec![], None),
            Linear::Not { pair, rows } => (None, *pair, rows.clone(), None),
            Linear::Undecided { because } => (None, None, vec![], Some(because.word())),
        };
        json!({
            "exists": argmax.exists(),
            "because": because,
            "classes": pair.map(|pair| pair.map(|class| &found.classes.names()[class])),
            "conflicting_rows": about.rows.numbers(&rows),
            "weights": planes.map(|planes| planes.iter().map(|p| &p.weights).collect::<Vec<_>>()),
            "bias": planes.map(|planes| planes.iter().map(|p| p.bias).collect::<Vec<f64>>()),
            "seconds": argmax.seconds,
        })
    });
    json!({
        "verdict": match found.verdict() {
            Some(true) => "separable",
            Some(false) => "not-all-separable",
            None => "undecided",
        },
        "classes": found.classes.names(),
        "class_rows": (0..found.classes.count()).map(|k| found.classes.members(k).len()).collect::<Vec<_>>(),
        "rows": found.samples.rows(),
        "features": found.samples.columns(),
        "feature_names": about.feature_names,
        "rows_dropped": about.dropped,
        "values_filled": about.filled,
        "pairs": asked(found.pairs()),
        "one_vs_rest": asked(found.one_vs_rest()),
        "argmax": argmax,
        "proofs": found.proofs,
        "seconds": found.seconds,
    })
}

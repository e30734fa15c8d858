//! Which rows probably carry a wrong label?

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::decide::seconds;
use super::{AskError, CitedRows, DataFacts, Reply, margin_json};
use crate::audit::{Audit, AuditOptions, AuditedRow, audit_classes, audit_data};
use crate::data::samples::Classes;
use crate::data::{Data, Memory};
use crate::decide::{Decision, Limit, OptionError};
use crate::saved::ClassNames;
use crate::watch::Watch;
use crate::{Error, Samples};

/// Rows of the ranking whose values an answer keeps, if no number of them is asked for: those that a page shows.
const CITED_ROWS: usize = 100;

/// Which rows probably carry a wrong label?
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AuditQuestion {
    /// The number of suspects without which, one by one, the margin is bounded; none: as many as is cheap.
    pub leave_out: Option<i64>,
    /// The seconds after which the work ends with what is known.
    pub time_limit: Option<f64>,
    /// The number of rows of the ranking to show; none: the suspects.
    pub top: Option<usize>,
}

impl AuditQuestion {
    /// Returns the options of the audit. Errors with the first that is out of its range.
    pub fn options(&self) -> Result<AuditOptions, OptionError> {
        let leave_out = self.leave_out.map(|rows| {
            usize::try_from(rows)
                .map_err(|_| OptionError::new("leave_out", &rows, "an integer, at least 0"))
        });
        Ok(AuditOptions::default()
            .with_leave_out(leave_out.transpose()?)
            .with_time_limit(seconds(self.time_limit)?))
    }

    /// Errors with the first option that is out of its range.
    pub fn validate(&self) -> Result<(), AskError> {
        Ok(self.options().map(|_| ())?)
    }

    /// Returns the answer for rows of two classes, wherever they are; they have to fit in memory.
    ///
    /// Errors if an option is out of its range, if a class has one row only, or if the rows cannot be read.
    pub fn ask(&self, data: &dyn Data, watch: &mut dyn Watch) -> Result<AuditAnswer, AskError> {
        let audit = audit_data(data, &self.options()?, watch)?;
        Ok(self.answer(data, audit)?)
    }

    /// Returns the answer for rows of any number of classes. Errors as [`ask`](Self::ask) does.
    pub fn ask_classes(
        &self,
        samples: &Samples,
        classes: &Classes,
        watch: &mut dyn Watch,
    ) -> Result<AuditAnswer, AskError> {
        if classes.count() == 2 {
            return self.ask(&Memory::new(&classes.one_vs_rest(samples, 1)), watch);
        }
        let codes: Vec<usize> = classes.codes().iter().map(|&code| code as usize).collect();
        let options = self.options()?;
        let audit = audit_classes(samples.features(), &codes, classes.names(), &options, watch)?;
        Ok(self.answer(&Memory::new(samples), audit)?)
    }

    fn answer(&self, data: &dyn Data, audit: Audit) -> Result<AuditAnswer, Error> {
        let all: Vec<usize> = audit.rows.iter().map(|row| row.row).collect();
        let shown = self.top.unwrap_or(audit.suspects.min(CITED_ROWS)).min(all.len());
        let rows = CitedRows::fetch(data, &all, &all[..shown])?;
        Ok(AuditAnswer { question: self.clone(), data: DataFacts::of(data), audit, rows })
    }
}

/// Which rows to look at.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AuditAnswer {
    /// What was asked.
    pub question: AuditQuestion,
    /// What the data is.
    pub data: DataFacts,
    /// All rows, and what makes them suspicious.
    pub audit: Audit,
    /// The names of all rows, and the values of the first.
    pub rows: CitedRows,
}

impl AuditAnswer {
    /// Returns yes if there is neither a suspect nor a row under several labels.
    pub fn reply(&self) -> Reply {
        let Audit { rows, suspects, stopped, contradictions, .. } = &self.audit;
        match (rows.is_empty(), suspects, stopped) {
            (true, ..) | (_, 0, Some(_)) => Reply::Undecided,
            (_, 0, None) if contradictions.is_empty() => Reply::Yes,
            _ => Reply::No,
        }
    }

    /// Returns the rows to show: as many as were asked for, or the suspects, `most` of them at most.
    pub fn shown(&self, most: usize) -> &[AuditedRow] {
        let Audit { rows, suspects, .. } = &self.audit;
        &rows[..self.question.top.unwrap_or((*suspects).min(most)).min(rows.len())]
    }

    /// Returns the answer for programs: with the suspects, or with as many rows as were asked for.
    pub fn to_json(&self) -> Value {
        let (audit, shape, about) = (&self.audit, self.data.shape, &self.data.about);
        let one = |(place, row): (usize, &AuditedRow)| {
            let mut value = json!({
                "row": about.rows.number(row.row),
                "label": audit.names[row.class],
                "suggested": audit.names[row.suggested],
                "probability": row.probability,
                "against": row.against,
                "suspect": place < audit.suspects,
                "contradicted": row.contradicted,
                "in_the_way": row.in_the_way,
                "margin_weight": row.cost.map(|cost| cost.weight),
                "margin_without": row.cost.and_then(|cost| cost.without).map(|m| margin_json(&m)),
            });
            if let Some(id) = self.rows.name(row.row) {
                value["row_id"] = json!(id);
            }
            value
        };
        let ranking: Vec<Value> = self.shown(usize::MAX).iter().enumerate().map(one).collect();
        let numbers = |rows: &[usize]| about.rows.numbers(rows);
        let contradictions: Vec<_> =
            audit.contradictions.iter().map(|group| numbers(group)).collect();
        let suspects: Vec<usize> = audit.suspects().iter().map(|row| row.row).collect();
        let decided =
            |d: &Decision| json!({ "verdict": d.word(), "margin": margin_json(&d.margin()) });
        let proven = audit.proven.as_ref().map(|proven| {
            let removal = proven.removal.as_ref().map(|removal| {
                let rows: Vec<usize> = removal.rows.iter().map(|row| row.row).collect();
                json!({ "rows": numbers(&rows), "irreducible": removal.irreducible })
            });
            json!({
                "all_rows": decided(&proven.decision),
                "removal": removal,
                "without_suspects": proven.without_suspects.as_ref().map(decided),
            })
        });
        json!({
            "suspects": numbers(&suspects),
            "expected_wrong_labels": (!audit.rows.is_empty()).then_some(audit.expected),
            "ranking": ranking,
            "contradictions": contradictions,
            "proven": proven,
            "rows": shape.rows,
            "features": shape.columns,
            "classes": audit.names,
            "labels": (audit.names.len() == 2).then(|| ClassNames::from(&about.label_names)),
            "rows_dropped": about.dropped,
            "values_filled": about.filled,
            "penalty": audit.penalty,
            "stopped": audit.stopped.map(Limit::word),
            "seconds": audit.seconds,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;

    struct Cancelled(AtomicBool);

    impl Watch for Cancelled {
        fn cancelled(&self) -> Option<&AtomicBool> {
            Some(&self.0)
        }
    }

    #[test]
    fn an_audit_that_was_interrupted_at_once_has_not_looked() {
        let values = (0..40).map(f64::from).collect();
        let samples = Samples::dense(values, 1, (0..40).map(|k| k >= 20).collect()).unwrap();
        let watch = &mut Cancelled(AtomicBool::new(true));
        let answer = AuditQuestion::default().ask(&Memory::new(&samples), watch).unwrap();
        let value = answer.to_json();
        assert_eq!(value["expected_wrong_labels"], Value::Null);
        assert_eq!((&value["stopped"], answer.reply()), (&json!("cancelled"), Reply::Undecided));
    }
}

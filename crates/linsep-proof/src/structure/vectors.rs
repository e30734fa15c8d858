//! What each structure vector is made of, and where its numbers stand.
//!
//! ```text
//! binomial           x under the label of the row, or under both
//! counts             x under both labels if above zero, else under that of a failure
//! log-binomial       the same, with a success for a count above zero
//! multinomial        (e_c - e_k) ⊗ x             for the category c of the row and every other k
//! cumulative         ±(e_j, -x)                  at the thresholds on either side of the category
//! adjacent           z_c - z_k                   with z_j = (1 in the first j alphas, j x)
//! sequential         ±(e_k, -x)                  at each step that was taken, and at the one that was not
//! conditional, Cox   x_i - x_j                   for i that has the event, and j that might have had it
//! ```

use linsep_data::Features;

use super::exactly::FloatPair;
use super::{Coefficient, Model, ModelError, Response, Ties, Trial};
use crate::exact::Row;

/// What a vector is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vector {
    /// The row.
    pub row: usize,
    /// Its category, threshold or step; 0 where there are none.
    pub at: u32,
    /// What it is compared with: another category, another row; 0 where there is none.
    pub other: usize,
    /// The label under which it is shown.
    pub positive: bool,
}

impl Vector {
    fn of(row: usize, positive: bool) -> Self {
        Vector { row, at: 0, other: 0, positive }
    }

    fn at(row: usize, at: usize, positive: bool) -> Self {
        Vector { row, at: at as u32, other: 0, positive }
    }

    fn against(row: usize, at: u32, other: usize) -> Self {
        Vector { row, at, other, positive: true }
    }
}

/// Where the numbers of vectors stand.
#[derive(Clone, Copy, Debug)]
pub struct VectorLayout {
    /// Columns of the design.
    pub columns: usize,
    form: Form,
}

#[derive(Clone, Copy, Debug)]
enum Form {
    /// The columns; with a bias if there is a constant.
    Plain { bias: bool },
    /// One block per category but the first: a constant if there is one, then the columns.
    Multinomial { categories: usize, constant: bool },
    /// Thresholds but the first, which is the bias, then the columns.
    Thresholds { thresholds: usize },
    /// One block per threshold: the threshold, then the columns; the first threshold is the bias.
    ThresholdBlocks { thresholds: usize },
    /// One constant per step, then the columns.
    Steps { steps: usize },
    /// One block per step: a constant, then the columns.
    StepBlocks { steps: usize },
    /// The columns, of two rows.
    Differences,
}

impl VectorLayout {
    /// Returns the layout. Errors if the response is not of the model's kind, or has too few categories.
    pub fn new(columns: usize, model: &Model, response: &Response) -> Result<Self, ModelError> {
        let categories = || match response {
            Response::Categories { count, .. } if *count < 2 => {
                Err(ModelError::FewCategories { found: *count })
            }
            Response::Categories { count, .. } => Ok(*count),
            _ => Err(other(model, "one category per row")),
        };
        let form = match *model {
            Model::Binomial { intercept }
            | Model::LogBinomial { intercept }
            | Model::Poisson { intercept }
            | Model::NegativeBinomial { intercept } => Form::Plain { bias: intercept },
            Model::Multinomial { intercept: constant } => {
                Form::Multinomial { categories: categories()?, constant }
            }
            Model::Cumulative { parallel } | Model::Sequential { parallel } => {
                let thresholds = categories()? - 1;
                match parallel {
                    true => Form::Thresholds { thresholds },
                    false => Form::ThresholdBlocks { thresholds },
                }
            }
            Model::Adjacent { parallel } => {
                let steps = categories()? - 1;
                if parallel { Form::Steps { steps } } else { Form::StepBlocks { steps } }
            }
            Model::Conditional {} | Model::Cox { .. } => Form::Differences,
        };
        let layout = VectorLayout { columns, form };
        match u32::try_from(layout.width().saturating_mul(2)) {
            Ok(_) => Ok(layout),
            Err(_) => Err(ModelError::TooMany { found: layout.width() }),
        }
    }

    /// Returns true if the bias is one of the coefficients.
    pub fn has_bias(&self) -> bool {
        matches!(
            self.form,
            Form::Plain { bias: true } | Form::Thresholds { .. } | Form::ThresholdBlocks { .. }
        )
    }

    /// Returns true if vectors are rows of the design.
    pub fn is_plain(&self) -> bool {
        matches!(self.form, Form::Plain { .. })
    }

    /// Returns true if vectors are differences of two rows.
    pub fn is_of_pairs(&self) -> bool {
        matches!(self.form, Form::Differences)
    }

    /// Returns true if a number of a vector may not be one float.
    pub fn may_round(&self) -> bool {
        matches!(self.form, Form::Differences | Form::Steps { .. })
    }

    /// Returns the number of blocks of coefficients.
    pub fn blocks(&self) -> usize {
        match self.form {
            Form::Multinomial { categories, .. } => categories - 1,
            Form::ThresholdBlocks { thresholds: blocks } | Form::StepBlocks { steps: blocks } => {
                blocks
            }
            _ => 1,
        }
    }

    /// Returns the number of coordinates without the bias.
    pub fn width(&self) -> usize {
        match self.form {
            Form::Plain { .. } | Form::Differences => self.columns,
            Form::Multinomial { categories, constant } => {
                (categories - 1).saturating_mul(self.columns + usize::from(constant))
            }
            Form::Thresholds { thresholds } => thresholds - 1 + self.columns,
            Form::ThresholdBlocks { thresholds } => thresholds.saturating_mul(self.columns + 1) - 1,
            Form::Steps { steps } => steps + self.columns,
            Form::StepBlocks { steps } => steps.saturating_mul(self.columns + 1),
        }
    }

    /// Returns the coefficients of the model, given the place of the bias.
    pub fn coefficients(&self, bias: usize) -> Vec<Coefficient> {
        let one = |block, column, at| Coefficient { block, column, at };
        let columns = 0..self.columns;
        let plain = |block: Option<usize>, start: usize| {
            columns.clone().map(move |k| one(block, Some(k), vec![(start + k, 1.0)]))
        };
        match self.form {
            Form::Plain { bias: true } => {
                [one(None, None, vec![(bias, 1.0)])].into_iter().chain(plain(None, 0)).collect()
            }
            Form::Plain { .. } | Form::Differences => plain(None, 0).collect(),
            Form::Multinomial { categories, constant } => {
                let size = self.columns + usize::from(constant);
                let block = |c: usize| {
                    let start = (c - 1) * size;
                    let own = constant.then(|| one(Some(c), None, vec![(start, 1.0)]));
                    own.into_iter().chain(plain(Some(c), start + usize::from(constant)))
                };
                (1..categories).flat_map(block).collect()
            }
            Form::Thresholds { thresholds } => {
                let threshold = |j: usize| match j {
                    0 => one(Some(0), None, vec![(bias, 1.0)]),
                    _ => one(Some(j), None, vec![(j - 1, 1.0), (bias, 1.0)]),
                };
                plain(None, thresholds - 1).chain((0..thresholds).map(threshold)).collect()
            }
            Form::ThresholdBlocks { thresholds } => {
                let block = |j: usize| {
                    let start = j * (self.columns + 1);
                    let own = match j {
                        0 => vec![(bias, 1.0)],
                        _ => vec![(start - 1, 1.0), (bias, 1.0)],
                    };
                    [one(Some(j), None, own)].into_iter().chain(plain(Some(j), start))
                };
                (0..thresholds).flat_map(block).collect()
            }
            Form::Steps { steps } => {
                let step = |j: usize| one(Some(j), None, vec![(j, 1.0)]);
                plain(None, steps).chain((0..steps).map(step)).collect()
            }
            Form::StepBlocks { steps } => {
                let block = |j: usize| {
                    let start = j * (self.columns + 1);
                    let own = one(Some(j), None, vec![(start, 1.0)]);
                    [own].into_iter().chain(plain(Some(j), start + 1))
                };
                (0..steps).flat_map(block).collect()
            }
        }
    }

    /// Calls `visit` with the places of coefficients and the numbers of a vector, without its label.
    pub fn in_coefficients(
        &self,
        design: &Features,
        vector: &Vector,
        visit: &mut dyn FnMut(usize, f64),
    ) {
        // Where a coordinate stands among the coefficients; the bias is the first constant or threshold.
        let place = |coordinate: usize| match self.form {
            Form::Plain { bias } => coordinate + usize::from(bias),
            Form::Thresholds { thresholds } if coordinate < thresholds - 1 => {
                self.columns + coordinate + 1
            }
            Form::Thresholds { thresholds } => coordinate - (thresholds - 1),
            Form::ThresholdBlocks { .. } => coordinate + 1,
            Form::Steps { steps } if coordinate < steps => self.columns + coordinate,
            Form::Steps { steps } => coordinate - steps,
            _ => coordinate,
        };
        let first = match self.form {
            Form::Plain { bias: true } | Form::ThresholdBlocks { .. } => Some(0),
            Form::Thresholds { .. } => Some(self.columns),
            _ => None,
        };
        // A threshold other than the first takes the place of the bias.
        if let Some(first) = first.filter(|_| vector.at == 0) {
            visit(first, 1.0);
        }
        self.visit(design, vector, &mut |column, value| visit(place(column), value.high));
    }

    /// Calls `visit` with the columns, rising, and the numbers of a vector, without its label.
    pub fn visit(
        &self,
        design: &Features,
        vector: &Vector,
        visit: &mut dyn FnMut(usize, FloatPair),
    ) {
        let (row, at) = (Row::of(design, vector.row), vector.at as usize);
        let mut block = |start: usize, constant: Option<f64>, sign: f64| {
            if let Some(constant) = constant {
                visit(start, constant.into());
            }
            let start = start + usize::from(constant.is_some());
            row.for_each(|k, x| visit(start + k, FloatPair::from(sign * x)));
        };
        match self.form {
            Form::Plain { .. } => block(0, None, 1.0),
            Form::Multinomial { constant, .. } => {
                let size = self.columns + usize::from(constant);
                let mut own = [(at, 1.0), (vector.other, -1.0)];
                own.sort_by_key(|(category, _)| *category);
                for (category, sign) in own.into_iter().filter(|(category, _)| *category > 0) {
                    block((category - 1) * size, constant.then_some(sign), sign);
                }
            }
            Form::Thresholds { thresholds } => {
                if at > 0 {
                    visit(at - 1, FloatPair::from(1.0));
                }
                row.for_each(|k, x| visit(thresholds - 1 + k, FloatPair::from(-x)));
            }
            Form::ThresholdBlocks { .. } => {
                let start = at * (self.columns + 1);
                match at {
                    0 => block(0, None, -1.0),
                    _ => block(start - 1, Some(1.0), -1.0),
                }
            }
            Form::Steps { steps } => {
                let (low, high) = (at.min(vector.other), at.max(vector.other));
                let sign = if at > vector.other { 1.0 } else { -1.0 };
                (low..high).for_each(|step| visit(step, FloatPair::from(sign)));
                let times = sign * (high - low) as f64;
                row.for_each(|k, x| visit(steps + k, FloatPair::product(times, x)));
            }
            Form::StepBlocks { .. } => {
                let (low, high) = (at.min(vector.other), at.max(vector.other));
                let sign = if at > vector.other { 1.0 } else { -1.0 };
                (low..high).for_each(|step| block(step * (self.columns + 1), Some(sign), sign));
            }
            Form::Differences => difference(row, Row::of(design, vector.other), visit),
        }
    }
}

/// Calls `visit` with the columns, rising, and the differences of two rows of one form.
fn difference(one: Row, other: Row, visit: &mut dyn FnMut(usize, FloatPair)) {
    let mut take = |k: usize, a: f64, b: f64| visit(k, FloatPair::difference(a, b));
    match (one, other) {
        (Row::Dense64(a), Row::Dense64(b)) => {
            a.iter().zip(b).enumerate().for_each(|(k, (&a, &b))| take(k, a, b));
        }
        (Row::Dense32(a), Row::Dense32(b)) => {
            let pairs = a.iter().zip(b).enumerate();
            pairs.for_each(|(k, (&a, &b))| take(k, a.into(), b.into()));
        }
        (Row::Sparse(i, a), Row::Sparse(j, b)) => {
            let (mut s, mut t) = (0, 0);
            while s < i.len() || t < j.len() {
                let (k, l) = (i.get(s).copied(), j.get(t).copied());
                let (k, l) = (k.unwrap_or(u32::MAX), l.unwrap_or(u32::MAX));
                let (mut x, mut y) = (0.0, 0.0);
                if k <= l {
                    x = a[s];
                    s += 1;
                }
                if l <= k {
                    y = b[t];
                    t += 1;
                }
                take(k.min(l) as usize, x, y);
            }
        }
        _ => unreachable!("rows of one matrix"),
    }
}

fn other(model: &Model, expected: &'static str) -> ModelError {
    ModelError::OtherResponse { model: model.name(), expected }
}

/// Returns the vectors of all rows that are kept.
pub fn vectors(
    rows: usize,
    model: &Model,
    response: &Response,
    kept: Option<&[bool]>,
) -> Result<Vec<Vector>, ModelError> {
    let length = |what, found| match found == rows {
        true => Ok(()),
        false => Err(ModelError::Length { what, found, rows }),
    };
    if let Some(kept) = kept {
        length("weights", kept.len())?;
    }
    let stays = |row: &usize| kept.is_none_or(|kept| kept[*row]);
    let all = || (0..rows).filter(stays);
    let (found, missing) = match (model, response) {
        (
            Model::Binomial { .. }
            | Model::LogBinomial { .. }
            | Model::Poisson { .. }
            | Model::NegativeBinomial { .. },
            Response::Trials(trials),
        ) => {
            length("outcomes", trials.len())?;
            // A success of probability 1 holds its row: it cannot become more probable.
            let held = matches!(model, Model::LogBinomial { .. });
            let labels = |row: usize| -> &[bool] {
                match trials[row] {
                    Trial::Success if !held => &[true],
                    Trial::Failure => &[false],
                    Trial::Success | Trial::Both => &[true, false],
                    Trial::Neither => &[],
                }
            };
            let own = |row| labels(row).iter().map(move |&positive| Vector::of(row, positive));
            (all().flat_map(own).collect(), "no row has a trial")
        }
        (Model::Conditional {}, Response::Cases { cases, groups }) => {
            length("outcomes", cases.len())?;
            length("groups", groups.len())?;
            (case_control(all(), cases, groups), "no group has both cases and controls")
        }
        (Model::Cox { ties }, Response::Survival { times, events, entries, groups }) => {
            length("times", times.len())?;
            length("events", events.len())?;
            entries.as_ref().map_or(Ok(()), |entries| length("entries", entries.len()))?;
            groups.as_ref().map_or(Ok(()), |groups| length("strata", groups.len()))?;
            let survival = Survival::new(times, events, entries.as_deref(), groups.as_deref())?;
            let nothing = "no event has another row at risk";
            (survival.vectors(all().collect(), *ties), nothing)
        }
        (_, Response::Categories { codes, count }) => {
            length("categories", codes.len())?;
            if let Some(row) = codes.iter().position(|&code| code as usize >= *count) {
                let (found, count) = (codes[row], *count);
                return Err(ModelError::NoSuchCategory { row: row + 1, found, count });
            }
            let mut occurs = vec![false; *count];
            all().for_each(|row| occurs[codes[row] as usize] = true);
            if let Some(category) = occurs.iter().position(|occurs| !occurs) {
                return Err(ModelError::EmptyCategory { category, count: *count });
            }
            let own = |row: usize| of_category(model, row, codes[row] as usize, *count);
            (all().flat_map(own).collect(), "no row is left")
        }
        (Model::Conditional {}, _) => return Err(other(model, "cases and groups")),
        (Model::Cox { .. }, _) => return Err(other(model, "times and events")),
        _ => return Err(other(model, "one outcome per row")),
    };
    match Vec::is_empty(&found) {
        true => Err(ModelError::NothingSaid { what: missing }),
        false => Ok(found),
    }
}

/// Returns the vectors of a row in a model with categories.
fn of_category(model: &Model, row: usize, own: usize, count: usize) -> Vec<Vector> {
    let others = (0..count).filter(|&k| k != own);
    match model {
        Model::Multinomial { .. } | Model::Adjacent { .. } => {
            others.map(|k| Vector::against(row, own as u32, k)).collect()
        }
        Model::Cumulative { .. } => {
            let upper = (own + 1 < count).then(|| Vector::at(row, own, true));
            let lower = (own > 0).then(|| Vector::at(row, own - 1, false));
            upper.into_iter().chain(lower).collect()
        }
        _ => {
            let taken = (0..own).map(|step| Vector::at(row, step, false));
            taken.chain((own + 1 < count).then(|| Vector::at(row, own, true))).collect()
        }
    }
}

/// Returns every case against every control of its group.
fn case_control(rows: impl Iterator<Item = usize>, cases: &[bool], groups: &[u32]) -> Vec<Vector> {
    let mut sorted: Vec<usize> = rows.collect();
    sorted.sort_by_key(|&row| (groups[row], row));
    let group = |a: &usize, b: &usize| groups[*a] == groups[*b];
    let pairs = |rows: &[usize]| {
        let (own, others): (Vec<usize>, Vec<usize>) = rows.iter().partition(|&&row| cases[row]);
        let against =
            |case: usize| others.iter().map(move |&other| Vector::against(case, 0, other));
        own.iter().flat_map(|&case| against(case)).collect::<Vec<Vector>>()
    };
    sorted.chunk_by(group).flat_map(pairs).collect()
}

/// Times to an event.
struct Survival<'a> {
    times: &'a [f64],
    events: &'a [bool],
    entries: Option<&'a [f64]>,
    groups: Option<&'a [u32]>,
}

/// A time at which events occur.
struct Moment {
    time: f64,
    events: Vec<usize>,
}

impl<'a> Survival<'a> {
    fn new(
        times: &'a [f64],
        events: &'a [bool],
        entries: Option<&'a [f64]>,
        groups: Option<&'a [u32]>,
    ) -> Result<Self, ModelError> {
        if let Some(row) = times.iter().position(|time| !time.is_finite()) {
            let (row, what, found) = (row + 1, "time", times[row]);
            return Err(ModelError::BadTime { row, what, found });
        }
        if let Some(entries) = entries {
            // To have been there from the start is a fine time to enter.
            let bad = |entry: &f64| entry.is_nan() || *entry == f64::INFINITY;
            if let Some(row) = entries.iter().position(bad) {
                let (row, what, found) = (row + 1, "entry", entries[row]);
                return Err(ModelError::BadTime { row, what, found });
            }
            if let Some(row) = (0..times.len()).find(|&row| entries[row] >= times[row]) {
                let (entry, time) = (entries[row], times[row]);
                return Err(ModelError::EntersLate { row: row + 1, entry, time });
            }
        }
        Ok(Survival { times, events, entries, groups })
    }

    fn entry(&self, row: usize) -> f64 {
        self.entries.map_or(f64::NEG_INFINITY, |entries| entries[row])
    }

    fn vectors(&self, mut rows: Vec<usize>, ties: Ties) -> Vec<Vector> {
        let group = |row: &usize| self.groups.map_or(0, |groups| groups[*row]);
        rows.sort_by(|a, b| {
            let times = self.times[*a].total_cmp(&self.times[*b]);
            group(a).cmp(&group(b)).then(times).then(a.cmp(b))
        });
        let mut found = vec![];
        for rows in rows.chunk_by(|a, b| group(a) == group(b)) {
            self.stratum(rows, ties, &mut found);
        }
        found
    }

    /// Adds the vectors of one stratum, whose rows are in the order of time.
    ///
    /// Who has the event at a moment is compared with all that are at risk then. Most of that follows: if the
    /// event of a later moment was at risk at an earlier one, then whoever is at risk at both need be compared at the
    /// later one alone. With right censoring that leaves one comparison per row.
    fn stratum(&self, rows: &[usize], ties: Ties, found: &mut Vec<Vector>) {
        let mut moments: Vec<Moment> = vec![];
        for &row in rows.iter().filter(|&&row| self.events[row]) {
            let time = self.times[row];
            match moments.last_mut() {
                Some(moment) if moment.time == time => moment.events.push(row),
                _ => moments.push(Moment { time, events: vec![row] }),
            }
        }
        // One event of a later moment that was at risk is enough for that moment to stand for the earlier.
        let since = |moment: &Moment| {
            moment.events.iter().map(|&row| self.entry(row)).fold(f64::INFINITY, f64::min)
        };
        let starts: Vec<f64> = moments.iter().map(since).collect();
        // The first later moment that stands for each.
        let next: Vec<usize> = (0..moments.len())
            .map(|k| {
                let mut later = k + 1..moments.len();
                later.find(|&l| starts[l] < moments[k].time).unwrap_or(usize::MAX)
            })
            .collect();
        for moment in &moments {
            if !matches!(ties, Ties::Exact) {
                let first = moment.events[0];
                for &tied in &moment.events[1..] {
                    found.push(Vector::against(first, 0, tied));
                    found.push(Vector::against(tied, 0, first));
                }
            }
        }
        for &row in rows {
            // The moments at which it is at risk: after its entry, up to its time.
            let from = moments.partition_point(|moment| moment.time <= self.entry(row));
            let to = moments.partition_point(|moment| moment.time <= self.times[row]);
            for k in from..to {
                let moment = &moments[k];
                let own = self.events[row] && moment.time == self.times[row];
                // At its own moment it is compared with nobody.
                let last = to - usize::from(self.events[row]);
                let follows = next[k] < last
                    || (next[k] < to && self.stands(&moments[next[k]], row, moment, ties));
                if own || follows {
                    continue;
                }
                let against = match ties {
                    Ties::Exact => &moment.events[..],
                    _ => &moment.events[..1],
                };
                found.extend(against.iter().map(|&event| Vector::against(event, 0, row)));
            }
        }
    }

    /// Returns true if the comparison of `row`, which has its event at `later`, with `earlier` follows from one
    /// that is made: that of another event at `later`, with equal score.
    fn stands(&self, later: &Moment, row: usize, earlier: &Moment, ties: Ties) -> bool {
        let first_at_risk =
            later.events.iter().copied().find(|&event| self.entry(event) < earlier.time);
        !matches!(ties, Ties::Exact) && first_at_risk.is_some_and(|event| event != row)
    }
}

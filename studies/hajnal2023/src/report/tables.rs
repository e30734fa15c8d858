//! The tables of the study, in Markdown, each with a name under which an article asks for it.
//!
//! A cell holds the median of its runs, an actual run, and in brackets the least and the most.

use super::article::Study;
use super::{cures, label};
use crate::experiments::study::{
    CLAIM_EPSILONS, EPSILON_SWEEP, EPSILONS, RELAXATIONS, SHIFT_SWEEP, Sizes,
};
use crate::experiments::{Contender, EXPERIMENTS, Experiment, Measurement};
use linsep_report::{grouped, number};

/// Returns the table of this name; none if there is no such table.
pub fn by_name(name: &str, study: &Study) -> Option<String> {
    match name {
        "claims" => Some(claims(study)),
        "ratio" => Some(ratio(study)),
        "steadiness" => Some(steadiness(study)),
        "epsilon" => Some(epsilon(study)),
        "shift" => Some(shift(study, Sizes::Tenth)),
        "shift-stated" => Some(shift(study, Sizes::Stated)),
        "relaxation" => Some(grid(study, &relaxed(), &epochs)),
        "work" => Some(grid(study, &compared(), &work)),
        "seconds" => Some(grid(study, &compared(), &seconds)),
        "verdicts" => Some(verdicts(study)),
        _ => cures::tables::by_name(name, &study.cures),
    }
}

/// The paper's own step size.
pub(super) fn fine(epsilon: f64) -> Contender {
    Contender::Fine { epsilon, relaxation: 1.0 }
}

/// The epsilon with which an experiment's picture is drawn: the one that agrees with the paper, where one does.
pub(super) fn drawn_epsilon(letter: char) -> f64 {
    if letter == 'a' { EPSILONS[1] } else { EPSILONS[0] }
}

/// Returns the runs of a contender, in their order.
pub(super) fn runs(
    measured: &[Measurement],
    letter: char,
    shift: f64,
    contender: Contender,
) -> Vec<&Measurement> {
    let wanted = |one: &&Measurement| {
        one.letter == letter && one.shift == shift && one.contender == contender
    };
    measured.iter().filter(wanted).collect()
}

/// Returns the least, the median and the most of some numbers; none if there are none. Of an even number of them
/// the median is the lower of the two in the middle, so that it is one of them.
pub(super) fn range(mut values: Vec<f64>) -> Option<[f64; 3]> {
    values.sort_by(f64::total_cmp);
    let last = values.len().checked_sub(1)?;
    Some([values[0], values[last / 2], values[last]])
}

/// Returns the epochs of a run, infinite if it did not end.
pub(super) fn ended(one: &Measurement) -> f64 {
    if one.separated { one.epochs as f64 } else { f64::INFINITY }
}

pub(super) fn ranged(values: Vec<f64>, shown: impl Fn(f64) -> String) -> String {
    match range(values) {
        None => "–".to_string(),
        Some([least, median, most]) => match (shown(least), shown(median), shown(most)) {
            (least, median, most) if least == most => median,
            (least, median, most) => format!("{median} ({least}–{most})"),
        },
    }
}

fn epochs(runs: &[&Measurement]) -> String {
    let limit = runs.iter().map(|one| one.epochs).max().unwrap_or(0);
    ranged(runs.iter().map(|one| ended(one)).collect(), |epochs| match epochs.is_finite() {
        true => grouped(epochs as u64),
        false => format!("> {}", grouped(limit)),
    })
}

fn work(runs: &[&Measurement]) -> String {
    ranged(runs.iter().map(|one| one.passes()).collect(), |passes| match passes {
        ..99.95 => format!("{passes:.1}").trim_end_matches(".0").to_string(),
        _ => grouped(passes.round() as u64),
    })
}

/// Only the median: time differs from repetition to repetition more than from run to run.
fn seconds(runs: &[&Measurement]) -> String {
    let kept = runs.iter().map(|one| one.seconds).filter(|seconds| seconds.is_finite());
    let median = range(kept.collect()).map(|range| range[1]);
    median.map_or("–".to_string(), |seconds| match seconds {
        ..0.995 => format!("{seconds:.2}"),
        ..9.95 => format!("{seconds:.1}"),
        _ => grouped(seconds.round() as u64),
    })
}

pub(super) fn table(header: &[String], rows: Vec<Vec<String>>) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let mut out = line(header);
    out.push_str(&format!("|{}\n", "---|".repeat(header.len())));
    rows.iter().for_each(|cells| out.push_str(&line(cells)));
    out
}

pub(super) fn header(cells: &[&str]) -> Vec<String> {
    cells.iter().map(|cell| cell.to_string()).collect()
}

fn size(one: &Measurement) -> String {
    format!("{} x {}", grouped(one.rows as u64), grouped(one.features as u64))
}

fn claims(study: &Study) -> String {
    let mut rows = vec![];
    for experiment in &EXPERIMENTS {
        for sizes in [Sizes::Stated, Sizes::Tenth] {
            let measured = study.at(sizes);
            let of = |contender| runs(measured, experiment.letter, 1.0, contender);
            let perceptron = of(Contender::Perceptron);
            let Some(first) = perceptron.first() else { continue };
            let mut row = vec![
                format!("({})", experiment.letter),
                size(first),
                experiment.claim.to_string(),
                epochs(&perceptron),
            ];
            row.extend(CLAIM_EPSILONS.map(|epsilon| epochs(&of(fine(epsilon)))));
            let with: Vec<String> = CLAIM_EPSILONS
                .into_iter()
                .filter(|&epsilon| agrees(experiment.letter, &perceptron, &of(fine(epsilon))))
                .map(number)
                .collect();
            row.push(match with.is_empty() {
                true => "**no**".to_string(),
                false => format!("yes, with epsilon {}", with.join(" or ")),
            });
            rows.push(row);
        }
    }
    let mut header = header(&["", "samples x features", "the paper", "P"]);
    header.extend(CLAIM_EPSILONS.map(|epsilon| label(fine(epsilon))));
    header.push("agrees?".to_string());
    table(&header, rows)
}

/// How far a median may be from the paper's figure: by this factor.
const NEAR: f64 = 1.25;

/// Whether the medians are near the paper's figures; for (c), whether every run is as it says.
fn agrees(letter: char, perceptron: &[&Measurement], fine: &[&Measurement]) -> bool {
    let near = |values: Vec<f64>, value: f64| {
        range(values).is_some_and(|[_, median, _]| (value / NEAR..=value * NEAR).contains(&median))
    };
    let all = |runs: &[&Measurement]| runs.iter().map(|one| ended(one)).collect::<Vec<f64>>();
    let (p, a) = (all(perceptron), all(fine));
    match letter {
        'a' => near(p, 12.0) && near(a, 36.0),
        'b' => near(ratios(perceptron, fine), 2.0),
        _ => !a.is_empty() && p.iter().all(|p| *p > 1000.0) && a.iter().all(|a| *a <= 500.0),
    }
}

/// The epochs of P by those of A in experiment (b); the paper says 2.
fn ratio(study: &Study) -> String {
    let row = |&epsilon: &f64| {
        let mut row = vec![label(fine(epsilon))];
        row.extend([Sizes::Tenth, Sizes::Stated].map(|sizes| {
            let of = |contender| runs(study.at(sizes), 'b', 1.0, contender);
            let values = ratios(&of(Contender::Perceptron), &of(fine(epsilon)));
            ranged(values, |ratio| format!("{ratio:.2}"))
        }));
        row
    };
    let header = ["(b): epochs of P by those of A", "at a tenth", "at the stated sizes"];
    table(&self::header(&header), EPSILON_SWEEP.iter().map(row).collect())
}

/// Returns the epochs of P by those of A, on the same data.
fn ratios(perceptron: &[&Measurement], fine: &[&Measurement]) -> Vec<f64> {
    perceptron.iter().zip(fine).map(|(p, a)| ended(p) / ended(a)).collect()
}

/// How often an epoch made more mistakes than the one before: what the paper calls fluctuation.
fn steadiness(study: &Study) -> String {
    let share = |runs: Vec<&Measurement>| {
        let steps = |one: &&Measurement| one.history.len().saturating_sub(1);
        let rises = |one: &&Measurement| one.history.windows(2).filter(|w| w[1] > w[0]).count();
        let [steps, rises]: [usize; 2] =
            [runs.iter().map(steps).sum(), runs.iter().map(rises).sum()];
        match steps {
            0 => "–".to_string(),
            _ => format!("{:.0}%", 100.0 * rises as f64 / steps as f64),
        }
    };
    let row =
        |name: String, contender: &dyn Fn(char) -> Contender| {
            let mut row = vec![name];
            row.extend(columns().map(|(sizes, letter)| {
                share(runs(study.at(sizes), letter, 1.0, contender(letter)))
            }));
            row
        };
    let mut rows = vec![row("P".to_string(), &|_| Contender::Perceptron)];
    rows.extend(EPSILONS.map(|epsilon| row(label(fine(epsilon)), &|_| fine(epsilon))));
    table(&grid_header(study), rows)
}

fn epsilon(study: &Study) -> String {
    let row = |contender: Contender| {
        let mut row = vec![label(contender)];
        let cell = |experiment: &Experiment| {
            epochs(&runs(&study.tenth, experiment.letter, 1.0, contender))
        };
        row.extend(EXPERIMENTS.iter().map(cell));
        row
    };
    let contenders = EPSILON_SWEEP.iter().map(|&epsilon| fine(epsilon));
    let rows = contenders.chain([Contender::Perceptron]).map(row).collect();
    let mut header = vec!["epochs".to_string()];
    header.extend(grid_header(study).into_iter().skip(1).take(EXPERIMENTS.len()));
    table(&header, rows)
}

fn shift(study: &Study, sizes: Sizes) -> String {
    let measured = study.at(sizes);
    let mut header = vec!["shift".to_string()];
    let mut columns = vec![];
    for experiment in &EXPERIMENTS {
        let letter = experiment.letter;
        for contender in [Contender::Perceptron, fine(EPSILONS[0]), fine(EPSILONS[1])] {
            header.push(format!("({letter}) {}", label(contender).replace("epsilon ", "")));
            columns.push((letter, contender));
        }
    }
    let row = |shift: &f64| {
        let mut row = vec![number(*shift)];
        row.extend(
            columns
                .iter()
                .map(|&(letter, contender)| epochs(&runs(measured, letter, *shift, contender))),
        );
        row
    };
    let measured_at = |shift: &&f64| measured.iter().any(|one| one.shift == **shift);
    table(&header, SHIFT_SWEEP.iter().filter(measured_at).map(row).collect())
}

/// The columns of a grid: every experiment at either size.
pub(super) fn columns() -> impl Iterator<Item = (Sizes, char)> {
    let letters = |sizes| EXPERIMENTS.iter().map(move |experiment| (sizes, experiment.letter));
    [Sizes::Tenth, Sizes::Stated].into_iter().flat_map(letters)
}

fn grid_header(study: &Study) -> Vec<String> {
    let mut header = vec![String::new()];
    header.extend(columns().map(|(sizes, letter)| {
        let first = study.at(sizes).iter().find(|one| one.letter == letter);
        first.map_or(format!("({letter})"), |one| format!("({letter}) {}", size(one)))
    }));
    header
}

fn grid(
    study: &Study,
    contenders: &[Contender],
    cell: &dyn Fn(&[&Measurement]) -> String,
) -> String {
    let row = |&contender: &Contender| {
        let mut row = vec![label(contender)];
        row.extend(
            columns().map(|(sizes, letter)| cell(&runs(study.at(sizes), letter, 1.0, contender))),
        );
        row
    };
    table(&grid_header(study), contenders.iter().map(row).collect())
}

fn relaxed() -> Vec<Contender> {
    let of = |epsilon: f64| {
        let relaxed = move |relaxation| Contender::Fine { epsilon, relaxation };
        std::iter::once(1.0).chain(RELAXATIONS).map(relaxed)
    };
    EPSILONS.into_iter().flat_map(of).collect()
}

fn compared() -> Vec<Contender> {
    let relaxed =
        RELAXATIONS.map(|relaxation| Contender::Fine { epsilon: EPSILONS[0], relaxation });
    let mut all = vec![Contender::Perceptron, fine(EPSILONS[0])];
    all.extend(relaxed);
    all.extend([fine(EPSILONS[1]), Contender::Engine]);
    all
}

/// Says how often each contender separated the data of all shifts.
fn verdicts(study: &Study) -> String {
    let row = |contender: Contender| {
        let mut row = vec![label(contender)];
        row.extend([Sizes::Tenth, Sizes::Stated].map(|sizes| {
            let runs = study.at(sizes).iter().filter(|one| one.contender == contender);
            let separated = runs.clone().filter(|one| one.separated).count();
            format!("{separated} of {}", runs.count())
        }));
        row
    };
    let contenders =
        [Contender::Perceptron, fine(EPSILONS[0]), fine(EPSILONS[1]), Contender::Engine];
    let header = ["data sets separated, all shifts", "at a tenth", "at the stated sizes"];
    table(&self::header(&header), contenders.map(row).into())
}

//! Verdicts on many classes for people: a matrix, and what is not separable.

use super::super::summary::{Summary, Table};
use super::super::{counted, duration, grouped, rounded, text as plain};
use super::{Found, cell, classes_of, must_go, reason, shortened};
use linsep::classes::Answer;
use linsep::data::{Data, Memory};
use linsep::decide::MarginKind;

/// More classes than this make no matrix that can be read.
const MATRIX: usize = 12;
/// Lines of the list of classes that are not separable.
const LISTED: usize = 20;
/// Characters of a line that the columns of the matrix share, and of a name above one of them at the most.
const ACROSS: usize = 60;
const HEADER: usize = 15;

/// Returns what is shown at the end.
pub fn text(found: &Found) -> Summary {
    let (tone, word, meaning) = found.headline();
    let mut summary = Summary::new(tone, word, &meaning);
    let (shape, about) = (Memory::new(found.samples).shape(), found.samples.about());
    plain::describe_classes(&mut summary, shape, about, found.classes.count());
    let asked = found.answers.len() + usize::from(found.argmax.is_some());
    let questions = counted(asked as u64, "question");
    summary.text("work", &format!("{questions} in {}", duration(found.seconds)));
    let kept = match found.proofs {
        Some(folder) => format!("checked in exact arithmetic, and kept in {folder}"),
        None => "checked in exact arithmetic (--proof DIR keeps them)".to_string(),
    };
    summary.text("proofs", &kept);
    add_pairs(found, &mut summary);
    add_one_vs_rest(found, &mut summary);
    add_failures(found, &mut summary);
    summary
}

fn kind(answers: &[&Answer]) -> MarginKind {
    answers.first().map_or(MarginKind::Angular, |answer| answer.margin.kind)
}

fn add_pairs(found: &Found, summary: &mut Summary) {
    let (pairs, names) = (found.pairs(), found.classes.names());
    if pairs.is_empty() {
        return;
    }
    if names.len() > MATRIX {
        let yes = pairs.iter().filter(|answer| answer.is_separable());
        let least = yes.min_by(|a, b| a.margin.lower.total_cmp(&b.margin.lower));
        if let Some((answer, [a, b])) = least.map(|answer| (answer, classes_of(found, answer))) {
            let size = rounded(answer.margin.lower);
            let kind = answer.margin.kind;
            summary.text("pairs", &format!("the smallest {kind} margin, {a} and {b}: {size}"));
        }
        return;
    }
    summary.text("pairs", &format!("the {} margin, at least; \"no\": inseparable", kind(&pairs)));
    let mut table = Table::default();
    let width = (ACROSS / names.len() - 1).min(HEADER);
    table.column("", names.iter().map(|name| shortened(name, HEADER)).collect(), false);
    for b in 0..names.len() {
        let one = |a: usize| match found.pair(a, b) {
            Some(answer) => cell(answer),
            None => "·".to_string(),
        };
        table.column(&shortened(&names[b], width), (0..names.len()).map(one).collect(), false);
    }
    summary.wide(table);
}

fn add_one_vs_rest(found: &Found, summary: &mut Summary) {
    let answers = found.one_vs_rest();
    if answers.is_empty() {
        return;
    }
    let kind = kind(&answers);
    summary.text("against", &format!("the rest, with the {kind} margin that is proven:"));
    let mut table = Table::default();
    let shown = &answers[..answers.len().min(LISTED)];
    let name = |answer: &&Answer| classes_of(found, answer)[1].clone();
    table.column("class", shown.iter().map(name).collect(), false);
    table.column("verdict", shown.iter().map(|answer| answer.word()).collect(), false);
    let margin = |answer: &&Answer| match answer.is_separable() {
        true => rounded(answer.margin.lower),
        false => String::new(),
    };
    table.column("margin", shown.iter().map(margin).collect(), true);
    summary.table(table);
    if shown.len() < answers.len() {
        let more = counted((answers.len() - shown.len()) as u64, "class");
        summary.text("", &format!("and {more} more (--json has all)"));
    }
}

/// Adds what is not separable, and why.
fn add_failures(found: &Found, summary: &mut Summary) {
    let failed: Vec<&Answer> =
        found.answers.iter().filter(|answer| !answer.is_separable()).collect();
    if failed.is_empty() {
        return;
    }
    let shown = &failed[..failed.len().min(LISTED)];
    let mut table = Table::default();
    let names: Vec<[String; 2]> = shown.iter().map(|answer| classes_of(found, answer)).collect();
    table.column("class", names.iter().map(|[_, positive]| positive.clone()).collect(), false);
    table.column("against", names.iter().map(|[negative, _]| negative.clone()).collect(), false);
    table.column("verdict", shown.iter().map(|answer| reason(answer)).collect(), false);
    let rows = |answer: &&Answer| grouped(answer.rows as u64);
    table.column("rows", shown.iter().map(rows).collect(), true);
    let conflict = |answer: &&Answer| match &answer.conflict {
        Some(conflict) => grouped(conflict.len() as u64),
        None => String::new(),
    };
    table.column("in conflict", shown.iter().map(conflict).collect(), true);
    if shown.iter().any(|answer| answer.explanation.is_some()) {
        table.column("must go", shown.iter().map(|answer| must_go(answer)).collect(), true);
    }
    summary.text("not", "separable:");
    summary.table(table);
    if shown.len() < failed.len() {
        let more = grouped((failed.len() - shown.len()) as u64);
        summary.text("", &format!("and {more} more (--json has all)"));
    }
}

//! Verdicts on many classes for people: a matrix, and what is not separable.

use super::super::summary::{Summary, TextTable};
use super::super::voice::{Remedy, Voice};
use super::super::{checked, counted, duration, grouped, rounded, text as plain};
use super::{cell, headline, in_conflict, must_go, proven_margin, reason, shortened};
use linsep::ask::{ClassVerdict, ClassesAnswer};
use linsep::decide::MarginKind;

/// More classes than this make no matrix that can be read.
const MATRIX: usize = 12;
/// Lines of the list of classes that are not separable.
const LISTED: usize = 20;
/// Characters of a line that the columns of the matrix share; the most characters of a name above one of them.
const ACROSS: usize = 60;
const HEADER: usize = 15;

/// Returns what was found about many classes for people.
pub fn text(answer: &ClassesAnswer, voice: &dyn Voice) -> Summary {
    let (tone, word, meaning) = headline(answer);
    let mut summary = Summary::new(tone, word, &meaning);
    plain::describe_classes(&mut summary, &answer.data, answer.names.len(), voice);
    let asked = answer.verdicts.len() + usize::from(answer.argmax.is_some());
    let questions = counted(asked as u64, "question");
    summary.text("work", &format!("{questions} in {}", duration(answer.seconds)));
    let decided = answer.verdicts.iter().map(|own| &own.found.decision.outcome);
    let checked = checked(decided.into_iter().any(|outcome| outcome.matrix().is_some()));
    let kept = match &answer.proofs {
        Some(folder) => format!("{checked}, and kept in {folder}"),
        None => format!("{checked} ({})", voice.spell(Remedy::KeepProofs)),
    };
    summary.text("proofs", &kept);
    add_pairs(answer, &mut summary);
    add_one_vs_rest(answer, &mut summary, voice);
    add_failures(answer, &mut summary, voice);
    summary
}

fn kind(verdicts: &[&ClassVerdict]) -> MarginKind {
    verdicts.first().map_or(MarginKind::Angular, |own| own.found.decision.margin().kind)
}

fn add_pairs(answer: &ClassesAnswer, summary: &mut Summary) {
    let (pairs, names) = (answer.pairs(), &answer.names);
    if pairs.is_empty() {
        return;
    }
    if names.len() > MATRIX {
        let lower = |own: &ClassVerdict| own.found.decision.margin().lower;
        let yes = pairs.iter().filter(|own| own.is_separable());
        let least = yes.min_by(|a, b| lower(a).total_cmp(&lower(b)));
        if let Some((own, [a, b])) = least.map(|own| (own, answer.sides(own.versus))) {
            let (size, kind) = (rounded(lower(own)), own.found.decision.margin().kind);
            summary.text("pairs", &format!("the smallest {kind} margin, {a} and {b}: {size}"));
        }
        return;
    }
    summary.text("pairs", &format!("the {} margin, at least; \"no\": inseparable", kind(&pairs)));
    let mut table = TextTable::default();
    let width = (ACROSS / names.len() - 1).min(HEADER);
    table.column("", names.iter().map(|name| shortened(name, HEADER)).collect(), false);
    for b in 0..names.len() {
        let one = |a: usize| match answer.pair(a, b) {
            Some(own) => cell(own),
            None => "·".to_string(),
        };
        table.column(&shortened(&names[b], width), (0..names.len()).map(one).collect(), false);
    }
    summary.wide(table);
}

fn add_one_vs_rest(answer: &ClassesAnswer, summary: &mut Summary, voice: &dyn Voice) {
    let verdicts = answer.one_vs_rest();
    if verdicts.is_empty() {
        return;
    }
    let kind = kind(&verdicts);
    summary.text("against", &format!("the rest, with the {kind} margin that is proven:"));
    let mut table = TextTable::default();
    let shown = &verdicts[..verdicts.len().min(LISTED)];
    let name = |own: &&ClassVerdict| answer.sides(own.versus)[1].to_string();
    table.column("class", shown.iter().map(name).collect(), false);
    let word = |own: &&ClassVerdict| own.found.decision.word();
    table.column("verdict", shown.iter().map(word).collect(), false);
    table.column("margin", shown.iter().map(|own| proven_margin(own)).collect(), true);
    summary.table(table);
    if shown.len() < verdicts.len() {
        let more = counted((verdicts.len() - shown.len()) as u64, "class");
        let remedy = voice.spell(Remedy::SeeAll("one_vs_rest"));
        summary.text("", &format!("and {more} more ({remedy})"));
    }
}

/// Adds what is not separable, and why.
fn add_failures(answer: &ClassesAnswer, summary: &mut Summary, voice: &dyn Voice) {
    let failed: Vec<&ClassVerdict> =
        answer.verdicts.iter().filter(|own| !own.is_separable()).collect();
    if failed.is_empty() {
        return;
    }
    let shown = &failed[..failed.len().min(LISTED)];
    let mut table = TextTable::default();
    let names: Vec<[&str; 2]> = shown.iter().map(|own| answer.sides(own.versus)).collect();
    table.column("class", names.iter().map(|[_, positive]| positive.to_string()).collect(), false);
    table.column(
        "against",
        names.iter().map(|[negative, _]| negative.to_string()).collect(),
        false,
    );
    table.column("verdict", shown.iter().map(|own| reason(own)).collect(), false);
    let rows = |own: &&ClassVerdict| grouped(own.found.data.shape.rows as u64);
    table.column("rows", shown.iter().map(rows).collect(), true);
    table.column("in conflict", shown.iter().map(|own| in_conflict(own)).collect(), true);
    if shown.iter().any(|own| own.found.explanation.is_some()) {
        table.column("must go", shown.iter().map(|own| must_go(own)).collect(), true);
    }
    summary.text("inseparable", "and why:");
    summary.table(table);
    if shown.len() < failed.len() {
        let more = grouped((failed.len() - shown.len()) as u64);
        let remedy = voice.spell(Remedy::SeeAll("pairs"));
        summary.text("", &format!("and {more} more ({remedy})"));
    }
}

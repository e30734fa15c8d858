//! The tables of the study of the two cures, in Markdown, each with a name under which the article asks for it.
//!
//! A cell holds the median over data sets, and in brackets the least and the most.

use super::Cures;
use super::csv::scale_name;
use crate::experiments::cures::{
    CORRAL, CureRun, Ending, FINE, JOINT, LONG_FINE, LONG_JOINT, ON_REAL_DATA, SCALES,
    generated_group,
};
use crate::experiments::study::Sizes;
use crate::experiments::{Contender, EXPERIMENTS};
use crate::report::label;
use crate::report::tables::{columns, header, range, ranged, table};
use linsep::online::Scaling;
use linsep_report::grouped;

/// What is wanted of `joint`: epochs at most, CPU time by that of the paper's method at most, and in experiment (c) as
/// stated.
const WANTED_EPOCHS: u64 = 300;
const WANTED_TIME: f64 = 1.3;
const WANTED_TIME_C: f64 = 0.25;

/// What stands before the most mistakes that were left.
const LEFT: &str = "left: up to";

/// Returns the table of this name; none if there is no such table.
pub fn by_name(name: &str, cures: &Cures) -> Option<String> {
    let steps = [&[FINE, LONG_FINE, JOINT][..], &LONG_JOINT, &[Contender::Engine]].concat();
    let margins = [&[FINE, LONG_FINE, JOINT][..], &LONG_JOINT[1..], LARGER].concat();
    match name {
        "quote" => Some(quote(cures)),
        "last-phase" => Some(last_phase(cures)),
        "joint" => Some(grid(cures, &steps, &|of| epochs(&of.trials))),
        "joint-work" => Some(grid(cures, &steps, &|of| work(&of.trials))),
        "joint-time" => Some(grid(cures, &steps, &|of| times(&of.trials, &of.fine))),
        "wanted" => Some(wanted(cures)),
        "margin" => Some(grid(cures, &margins, &|of| share(cures, &of.trials))),
        "margin-epochs" => Some(grid(cures, LARGER, &|of| epochs(&of.trials))),
        "margin-time" => Some(grid(cures, LARGER, &|of| times(&of.trials, &of.fine))),
        "real" => Some(real(cures, &|of| epochs(&of.trials))),
        "real-left" => Some(left_over(cures)),
        "real-time" => Some(real(cures, &|of| times(&of.trials, &of.fine))),
        "real-margin" => Some(real(cures, &|of| share(cures, &of.trials))),
        "hints" => Some(hints(cures)),
        _ => None,
    }
}

/// Those that seek more than any separation.
const LARGER: &[Contender] = &[CORRAL, Contender::Smooth, Contender::Engine];

/// What a cell is about: the trials of one contender, and those of the paper's method on the same data.
struct Compared<'c> {
    trials: Vec<&'c CureRun>,
    fine: Vec<&'c CureRun>,
}

fn of<'c>(cures: &'c Cures, group: &str, scale: Scaling, contender: Contender) -> Vec<&'c CureRun> {
    let wanted = |one: &&CureRun| {
        (one.set.group.as_str(), one.scale, one.contender) == (group, scale, contender)
    };
    cures.trials.iter().filter(wanted).collect()
}

fn size(one: &CureRun) -> String {
    format!("{} x {}", grouped(one.rows as u64), grouped(one.features as u64))
}

/// The columns are every experiment at either size.
fn grid(cures: &Cures, contenders: &[Contender], cell: &dyn Fn(&Compared) -> String) -> String {
    let groups: Vec<String> =
        columns().map(|(sizes, letter)| generated_group(sizes, letter)).collect();
    let row = |&contender: &Contender| {
        let cells = groups.iter().map(|group| {
            let of = |contender| of(cures, group, Scaling::None, contender);
            cell(&Compared { trials: of(contender), fine: of(FINE) })
        });
        std::iter::once(label(contender)).chain(cells).collect()
    };
    table(&grid_header(cures), contenders.iter().map(row).collect())
}

fn grid_header(cures: &Cures) -> Vec<String> {
    let head = |(sizes, letter)| {
        let group = generated_group(sizes, letter);
        let first = cures.trials.iter().find(|one| one.set.group == group);
        first.map_or(format!("({letter})"), |one| format!("({letter}) {}", size(one)))
    };
    std::iter::once(String::new()).chain(columns().map(head)).collect()
}

/// Returns the epochs of a trial, infinite if it did not separate.
fn ended(one: &CureRun) -> f64 {
    if one.ending == Ending::Separated { one.epochs as f64 } else { f64::INFINITY }
}

fn epochs(trials: &[&CureRun]) -> String {
    let limit = trials.iter().map(|one| one.epochs).max().unwrap_or(0);
    ranged(trials.iter().map(|one| ended(one)).collect(), |epochs| match epochs.is_finite() {
        true => grouped(epochs as u64),
        false => format!("> {}", grouped(limit)),
    })
}

fn work(trials: &[&CureRun]) -> String {
    ranged(trials.iter().map(|one| one.passes()).collect(), |passes| match passes {
        ..99.95 => format!("{passes:.1}").trim_end_matches(".0").to_string(),
        _ => grouped(passes.round() as u64),
    })
}

/// Returns CPU times by those of the paper's method on the same data.
fn ratios(trials: &[&CureRun], fine: &[&CureRun]) -> Vec<f64> {
    let ratio = |one: &&CureRun| {
        let base = fine.iter().find(|base| base.set == one.set)?;
        let ratio = one.seconds / base.seconds;
        ratio.is_finite().then_some(ratio)
    };
    trials.iter().filter_map(ratio).collect()
}

fn times(trials: &[&CureRun], fine: &[&CureRun]) -> String {
    ranged(ratios(trials, fine), shown_ratio)
}

fn shown_ratio(ratio: f64) -> String {
    match ratio {
        ..0.0995 => format!("{ratio:.3}"),
        ..9.95 => format!("{ratio:.2}"),
        _ => grouped(ratio.round() as u64),
    }
}

/// Returns the share of the largest margin that was reached: the margin by the smallest bound that anyone has proven.
fn shares(cures: &Cures, trials: &[&CureRun]) -> Vec<f64> {
    let share = |one: &&CureRun| {
        let same = |other: &&CureRun| (&other.set, other.scale) == (&one.set, one.scale);
        let bounds = cures.trials.iter().filter(same).filter_map(|other| other.bound);
        let bound = bounds.fold(f64::INFINITY, f64::min);
        (one.ending == Ending::Separated).then_some(one.margin? / bound)
    };
    trials.iter().filter_map(share).collect()
}

fn share(cures: &Cures, trials: &[&CureRun]) -> String {
    ranged(shares(cures, trials), |share| match 100.0 * share {
        // Rounded down: it is a lower bound.
        percent @ 0.1.. => format!("{:.1}%", (percent * 10.0).floor() / 10.0),
        _ => "< 0.1%".to_string(),
    })
}

/// Says in a sentence what the first cure is worth on experiment (c) as stated.
fn quote(cures: &Cures) -> String {
    let group = generated_group(Sizes::Stated, 'c');
    let of = |contender| of(cures, &group, Scaling::None, contender);
    let (fine, joint) = (of(FINE), of(JOINT));
    let median = |values: Vec<f64>| range(values).map(|range| range[1]);
    let epochs = |trials: &[&CureRun]| median(trials.iter().map(|one| one.epochs as f64).collect());
    let found = (fine.first(), epochs(&fine), epochs(&joint), median(ratios(&joint, &fine)));
    let (Some(first), Some(before), Some(after), Some(ratio)) = found else {
        return "> –\n".to_string();
    };
    format!(
        "> One projection per epoch, on the rows that were corrected lately, ends the slow last phase: on {} samples with {} \
         features the method takes {} epochs instead of {}, and {} of the time (medians of {} runs), and the proof that it \
         ends stays as it is.\n",
        grouped(first.rows as u64),
        grouped(first.features as u64),
        grouped(after as u64),
        grouped(before as u64),
        shown_ratio(ratio),
        fine.len(),
    )
}

fn last_phase(cures: &Cures) -> String {
    let group = |(sizes, letter)| generated_group(sizes, letter);
    let columns: Vec<String> = columns().map(group).collect();
    let row = |name: &str, value: &dyn Fn(&super::LastPhase) -> f64| {
        let cell = |group: &String| {
            let own = cures.phases.iter().filter(|phase| phase.set.group == *group);
            ranged(own.map(value).collect(), |count| grouped(count as u64))
        };
        std::iter::once(name.to_string()).chain(columns.iter().map(cell)).collect()
    };
    let rows = vec![
        row("epochs", &|phase| phase.epochs as f64),
        row("corrections", &|phase| phase.corrections as f64),
        row("corrections in the second half of the epochs", &|phase| phase.late_corrections as f64),
        row("different rows that these correct", &|phase| phase.late_rows as f64),
        row("features + 1", &|phase| phase.features as f64 + 1.0),
    ];
    table(&grid_header(cures), rows)
}

/// One line per kind of data: what was wanted of `joint`, and whether it holds.
fn wanted(cures: &Cures) -> String {
    let generated = columns().map(|(sizes, letter)| {
        let group = generated_group(sizes, letter);
        let fast = (sizes, letter) == (Sizes::Stated, 'c');
        let bar = if fast { WANTED_TIME_C } else { WANTED_TIME };
        (group, Scaling::None, bar)
    });
    let collected = collections(cures)
        .into_iter()
        .flat_map(|group| SCALES.map(|scale| (group.clone(), scale, WANTED_TIME)));
    let row = |(group, scale, bar): (String, Scaling, f64)| {
        let separable = |one: &&CureRun| is_separable(cures, one);
        let joint: Vec<&CureRun> =
            of(cures, &group, scale, JOINT).into_iter().filter(separable).collect();
        let first = joint.first()?;
        let times = ratios(&joint, &of(cures, &group, scale, FINE));
        let enough = joint.iter().all(|one| ended(one) <= WANTED_EPOCHS as f64);
        let [_, _, slowest] = range(times.clone())?;
        let yes = |holds: bool| if holds { "yes" } else { "**no**" }.to_string();
        let name = match EXPERIMENTS.iter().find(|e| group.ends_with(&format!("-{}", e.letter))) {
            Some(experiment) => format!("({}) {}", experiment.letter, size(first)),
            None if scale == Scaling::None => shown_name(&group),
            None => format!("{}, standardised", shown_name(&group)),
        };
        Some(vec![
            name,
            joint.len().to_string(),
            epochs(&joint),
            yes(enough),
            ranged(times, shown_ratio),
            format!("at most {bar}"),
            yes(slowest <= bar),
        ])
    };
    let header = header(&[
        "separable data",
        "sets",
        "epochs of `joint`",
        &format!("at most {WANTED_EPOCHS}?"),
        "its CPU time / that of A",
        "wanted",
        "on each set?",
    ]);
    table(&header, generated.chain(collected).filter_map(row).collect())
}

/// Returns the names of the collections of real data, in their order.
fn collections(cures: &Cures) -> Vec<String> {
    let generated: Vec<String> =
        columns().map(|(sizes, letter)| generated_group(sizes, letter)).collect();
    let mut names: Vec<String> = vec![];
    for trial in &cures.trials {
        if !generated.contains(&trial.set.group) && !names.contains(&trial.set.group) {
            names.push(trial.set.group.clone());
        }
    }
    names
}

fn shown_name(group: &str) -> String {
    group.replace('-', " ")
}

/// Returns whether the engine has proven that the data of a trial is separable.
fn is_separable(cures: &Cures, one: &CureRun) -> bool {
    let proven = |other: &CureRun| {
        other.contender == Contender::Engine
            && other.set == one.set
            && other.ending == Ending::Separated
    };
    cures.trials.iter().any(proven)
}

/// Says how many sets were separated, and how many mistakes were left on the others, where there are others.
fn left_over(cures: &Cures) -> String {
    let all = real(cures, &|of| left(&of.trials));
    let shown = |(k, line): &(usize, &str)| *k < 2 || line.contains(LEFT);
    all.lines().enumerate().filter(shown).map(|(_, line)| format!("{line}\n")).collect()
}

/// One line per collection and units, on what is separable of it.
fn real(cures: &Cures, cell: &dyn Fn(&Compared) -> String) -> String {
    let row =
        |(group, scale): (String, Scaling)| {
            let separable = |contender| -> Vec<&CureRun> {
                let all = of(cures, &group, scale, contender);
                all.into_iter().filter(|one| is_separable(cures, one)).collect()
            };
            let fine = separable(FINE);
            let first = fine.first()?;
            let mut row = vec![shown_name(&group), fine.len().to_string(), size(first)];
            row.push(scale_name(scale).to_string());
            row.extend(methods().map(|contender| {
                cell(&Compared { trials: separable(contender), fine: fine.clone() })
            }));
            Some(row)
        };
    let groups =
        collections(cures).into_iter().flat_map(|group| SCALES.map(|s| (group.clone(), s)));
    let mut header =
        header(&["separable data", "sets", "rows x features of the first", "`--scale`"]);
    header.extend(methods().map(label));
    table(&header, groups.filter_map(row).collect())
}

fn methods() -> impl Iterator<Item = Contender> {
    ON_REAL_DATA.into_iter().filter(|contender| *contender != Contender::Engine)
}

/// Says how many sets were separated, and how many mistakes were left on the others.
fn left(trials: &[&CureRun]) -> String {
    let separated = trials.iter().filter(|one| one.ending == Ending::Separated).count();
    let mistakes = trials.iter().filter_map(|one| one.mistakes).filter(|count| *count > 0);
    match mistakes.max() {
        None => format!("{separated} of {}", trials.len()),
        Some(most) => {
            format!("{separated} of {}; {LEFT} {}", trials.len(), grouped(most))
        }
    }
}

/// One line per collection and units, on what is not separable: who says so, and when.
fn hints(cures: &Cures) -> String {
    let row = |(group, scale): (String, Scaling)| {
        let inseparable = |contender| -> Vec<&CureRun> {
            let all = of(cures, &group, scale, contender);
            all.into_iter().filter(|one| !is_separable(cures, one)).collect()
        };
        let fine = inseparable(FINE);
        let mut row = vec![shown_name(&group), fine.first().map(|_| fine.len())?.to_string()];
        row.push(scale_name(scale).to_string());
        row.extend(methods().map(|contender| hint(&inseparable(contender))));
        Some(row)
    };
    let groups =
        collections(cures).into_iter().flat_map(|group| SCALES.map(|s| (group.clone(), s)));
    let mut header = header(&["inseparable data", "sets", "`--scale`"]);
    header.extend(methods().map(label));
    table(&header, groups.filter_map(row).collect())
}

/// Says how many trials ended with the hint that nothing separates, and after how many epochs.
fn hint(trials: &[&CureRun]) -> String {
    let hinted = trials.iter().filter(|one| one.ending == Ending::LooksInseparable);
    let epochs: Vec<f64> = hinted.map(|one| one.epochs as f64).collect();
    match epochs.len() {
        0 => "–".to_string(),
        count => {
            let after = ranged(epochs, |epochs| grouped(epochs as u64));
            format!("{count} of {}, after {after}", trials.len())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::cures::DataSet;

    fn trial(
        group: &str,
        contender: Contender,
        ending: Ending,
        epochs: u64,
        seconds: f64,
    ) -> CureRun {
        CureRun {
            set: DataSet { group: group.to_string(), name: "1".to_string() },
            scale: Scaling::None,
            contender,
            rows: 1000,
            features: 20,
            ending,
            epochs,
            updates: Some(9),
            mistakes: Some(if ending == Ending::Separated { 0 } else { 7 }),
            rows_evaluated: 1500,
            margin: Some(0.0499),
            bound: None,
            seconds,
        }
    }

    fn cures(joint: CureRun) -> Cures {
        let group = joint.set.group.clone();
        let mut engine = trial(&group, Contender::Engine, Ending::Separated, 3, 1.0);
        engine.bound = Some(0.1);
        let fine = trial(&group, FINE, Ending::Stopped, 1000, 4.0);
        Cures { trials: vec![fine, joint, engine], phases: vec![] }
    }

    #[test]
    fn what_was_wanted_is_judged_by_the_worst() {
        let stated = |epochs, seconds| {
            let joint = trial("stated-c", JOINT, Ending::Separated, epochs, seconds);
            by_name("wanted", &cures(joint)).unwrap()
        };
        let good = "| (c) 1,000 x 20 | 1 | 300 | yes | 0.25 | at most 0.25 | yes |";
        assert!(stated(300, 1.0).contains(good), "{}", stated(300, 1.0));
        let bad = "| 301 | **no** | 0.50 | at most 0.25 | **no** |";
        assert!(stated(301, 2.0).contains(bad), "{}", stated(301, 2.0));
        let real = trial("two-moons", JOINT, Ending::Stopped, 1000, 5.0);
        let real = by_name("wanted", &cures(real)).unwrap();
        let bad = "| two moons | 1 | > 1,000 | **no** | 1.25 | at most 1.3 | yes |";
        assert!(real.contains(bad), "{real}");
    }

    #[test]
    fn shares_of_the_margin_are_rounded_down_and_need_a_separation() {
        let joint = |ending| cures(trial("moons", JOINT, ending, 4, 1.0));
        let table = |ending| by_name("real-margin", &joint(ending)).unwrap();
        // 0.0499 of 0.1; the paper's method did not separate.
        assert!(table(Ending::Separated).contains("| – | 49.9% | – | – |"));
        assert!(table(Ending::Stopped).contains("| – | – | – | – |"));
    }

    #[test]
    fn only_what_left_mistakes_or_hinted_has_a_line() {
        let joint = trial("moons", JOINT, Ending::LooksInseparable, 4, 1.0);
        let mut cures = cures(joint);
        let left = by_name("real-left", &cures).unwrap();
        assert!(left.contains("| 0 of 1; left: up to 7 | 0 of 1; left: up to 7 |"), "{left}");
        assert_eq!(by_name("hints", &cures).unwrap().lines().count(), 2);
        cures.trials[2].ending = Ending::Inseparable;
        let hints = by_name("hints", &cures).unwrap();
        assert!(hints.contains("| moons | 1 | none | – | 1 of 1, after 4 |"), "{hints}");
        assert_eq!(by_name("real-left", &cures).unwrap().lines().count(), 2);
        assert_eq!(by_name("no such table", &cures), None);
    }

    #[test]
    fn the_sentence_has_the_medians() {
        let quote = by_name("quote", &cures(trial("stated-c", JOINT, Ending::Separated, 7, 1.0)));
        assert!(quote.unwrap().contains("7 epochs instead of 1,000, and 0.25 of the time"));
    }
}

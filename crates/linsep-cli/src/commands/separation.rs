//! `linsep separation`: does the estimate of a model exist, and if not, which coefficients run away?

use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

use linsep::data::{Data, Features};
use linsep::decide::{DecideOptions, Pass, Watch};
use linsep::models::{
    InCommon, Separation, SeparationError, SeparationKind, SeparationOptions, check_model,
    check_separation_data, in_common,
};
use linsep_report::counted;
use linsep_report::separation::{self as report, Names};

use super::load;
use crate::args::SeparationArgs;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::observed::observe;
use crate::output::{create_if, print};
use crate::progress::Bar;
use crate::screen::Screen;

/// Values beyond which nothing is looked for in common: it would take longer than the answer.
const MOST_VALUES: usize = 50_000_000;

/// Runs the command.
pub fn run(
    args: &SeparationArgs,
    quiet: bool,
    screen: Screen,
    interrupt: &Interrupt,
) -> Result<ExitCode, Failure> {
    let limits =
        DecideOptions::default().with_max_passes(args.max_passes).with_time_limit(args.time_limit);
    limits.validate()?;
    args.model.check()?;
    let model = args.model.model();
    let options =
        SeparationOptions::default().with_intercept(!args.model.no_intercept).with_limits(limits);
    let proof_file = create_if(args.proof.as_deref())?;
    let cancelled = interrupt.heed();
    let Answer { found, names, rows, common } = match args.model.is_plain() {
        true => {
            let loaded = load(&args.data, &args.input, &args.stream, quiet)?;
            let mut watcher = Watcher { bar: Bar::new("deciding", quiet), cancelled };
            loaded.show(|data| {
                let found = check_separation_data(data, &options, &mut watcher)?;
                watcher.bar.clear();
                Ok::<_, Failure>(Answer::of_data(data, found))
            })?
        }
        false => {
            let observed = observe(&args.data, &args.input, &args.model, quiet)?;
            let mut watcher = Watcher { bar: Bar::new("deciding", quiet), cancelled };
            let kept = observed.kept.as_deref();
            let design = &observed.design;
            let found =
                check_model(design, &model, &observed.response, kept, &options, &mut watcher);
            let found = found.map_err(|error| observed.failure(error))?;
            watcher.bar.clear();
            let common = match &observed.outcomes {
                Some(outcomes) => {
                    let label = |row: usize| observed.names.categories[outcomes[row]].clone();
                    common(design, kept, &found, &label)
                }
                None => vec![],
            };
            Answer { found, rows: design.rows(), names: observed.names, common }
        }
    };
    if let (Some(mut file), Some(proof)) = (proof_file, &found.proof) {
        file.write(|out| out.write_all(proof.to_json().as_bytes()))?;
        file.finish()?;
    }
    match args.json {
        true => print(&format!("{}\n", report::json(&model, &found, &names, rows)))?,
        false => screen.show(&report::text(&model, &found, &names, rows, &common))?,
    }
    Ok(ExitCode::from(match found.kind {
        SeparationKind::Overlap => 0,
        SeparationKind::Undecided(_) => 3,
        _ => 1,
    }))
}

/// What was found, and what its parts are called.
struct Answer {
    found: Separation,
    names: Names,
    rows: usize,
    /// What separated rows have in common, and their outcome.
    common: Vec<(InCommon, String)>,
}

impl Answer {
    fn of_data(data: &dyn Data, found: Separation) -> Self {
        let about = data.about();
        let columns = (0..data.shape().columns).map(|k| about.feature(k)).collect();
        let outcome = match &about.label_column {
            Some(linsep::data::error::Column::Name(name)) => name.clone(),
            _ => "label".to_string(),
        };
        let common = match data.resident() {
            Some(samples) => {
                let label = |row: usize| about.label(samples.positive()[row]).to_string();
                common(samples.features(), None, &found, &label)
            }
            None => vec![],
        };
        let names = Names { columns, categories: vec![], outcome, rows: about.rows.clone() };
        Answer { found, names, rows: data.shape().rows, common }
    }
}

/// Returns what separated rows of one outcome have in common, the largest group first.
fn common(
    design: &Features,
    kept: Option<&[bool]>,
    found: &Separation,
    label: &dyn Fn(usize) -> String,
) -> Vec<(InCommon, String)> {
    // After a limit nothing more is looked for.
    if found.open.is_some() || design.rows().saturating_mul(design.columns()) > MOST_VALUES {
        return vec![];
    }
    let mut labels: Vec<String> = found.settled.iter().map(|&row| label(row)).collect();
    labels.sort();
    labels.dedup();
    let mut all = vec![];
    for own in labels {
        let mut members = vec![false; design.rows()];
        for &row in found.settled.iter().filter(|&&row| label(row) == own) {
            members[row] = true;
        }
        all.extend(in_common(design, &members, kept).into_iter().map(|group| (group, own.clone())));
    }
    all.sort_by_key(|(group, _)| std::cmp::Reverse(group.rows.len()));
    all
}

/// Shows the passes, and ends the work on Ctrl-C.
struct Watcher<'a> {
    bar: Bar,
    cancelled: &'a AtomicBool,
}

impl Watch for Watcher<'_> {
    fn pass(&mut self, pass: &Pass) {
        self.bar.say(&counted(pass.passes, "pass"));
    }

    fn cancelled(&self) -> Option<&AtomicBool> {
        Some(self.cancelled)
    }
}

impl From<SeparationError> for Failure {
    fn from(error: SeparationError) -> Self {
        match error {
            SeparationError::Decide(error) => error.into(),
            other => Failure::usage(other.to_string(), None),
        }
    }
}

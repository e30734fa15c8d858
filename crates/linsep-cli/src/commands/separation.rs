//! `linsep separation`: does the estimate of a model exist, and if not, which coefficients run away?

use std::path::Path;
use std::process::ExitCode;

use linsep::ask::{AskError, EstimateQuestion, Located};
use linsep::data::error::{Column, Place, path_name};
use linsep::data::read::Source;
use linsep::data::whole_file::read_text;
use linsep_report::estimate;

use super::load;
use crate::args::{DataArgs, ModelArgs, SeparationArgs, source};
use crate::failure::Failure;
use crate::output::create_if;
use crate::progress::Bar;
use crate::session::{Session, status};
use crate::voice::Shell;

/// Returns the question about a model.
pub fn question(model: &ModelArgs, input: &DataArgs) -> Result<EstimateQuestion, Failure> {
    let question = EstimateQuestion {
        model: model.family(),
        intercept: model.no_intercept.then_some(false),
        parallel: model.not_parallel.then_some(false),
        ties: model.ties.map(Into::into),
        levels: model.levels.clone(),
        trials: model.trials.clone(),
        weights: model.weights.clone(),
        groups: model.groups.clone(),
        time: model.time.clone(),
        event: model.event.clone(),
        event_value: model.event_value.clone(),
        entry: model.entry.clone(),
        absorb: model.absorb.clone(),
        positive: input.positive.clone(),
        ..EstimateQuestion::default()
    };
    question.validate()?;
    if !question.is_plain() && !input.classes.is_empty() {
        let message = format!("--classes is not for a {} model", question.model.name());
        let hint = "leave the rows of other outcomes out of the file";
        return Err(Failure::usage(message, Some(hint)));
    }
    Ok(question)
}

/// Returns the coefficients in a file: the last number of each line. A first line without one names the columns.
fn coefficients(path: &Path) -> Result<Vec<f64>, Failure> {
    let text = read_text(path).map_err(|error| Failure::input(path, &error))?;
    let mut numbers = vec![];
    for (line, content) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let cell = content.rsplit(',').next().unwrap_or_default().trim();
        match cell.parse::<f64>() {
            // pandas calls its one column 0.
            Ok(_) if line == 0 && content.trim() == ",0" => {}
            Ok(number) if number.is_finite() => numbers.push(number),
            Err(_) if line == 0 => {}
            _ => {
                let name = path_name(path);
                let message = format!(
                    "{name}: line {}: expected a name and a finite number, found \"{content}\"",
                    line + 1
                );
                let hint = "a fit that did not end has no numbers to begin with: leave --start out";
                return Err(Failure::usage(message, Some(hint)));
            }
        }
    }
    Ok(numbers)
}

/// Returns what is wrong with labels, with the file that they are in.
fn in_file(error: AskError, source: &Source) -> AskError {
    let AskError::Observed(wrong) = &error else { return error };
    let column = Some(Column::Name(wrong.column.clone()));
    let place = Place { source: Some(source.name()), column, ..Place::default() };
    AskError::Located(Box::new(Located { place, error }))
}

/// Runs the command.
pub fn run(args: &SeparationArgs, session: &Session) -> Result<ExitCode, Failure> {
    let question = EstimateQuestion {
        max_passes: args.limits.max_passes(),
        time_limit: args.limits.time_limit(),
        start: args.start.as_deref().map(coefficients).transpose()?,
        ..question(&args.model, &args.input)?
    };
    question.validate()?;
    let proof_file = create_if(args.proof.as_deref())?;
    let answer = match question.is_plain() {
        true => {
            let loaded = load(&args.data, &args.input, &args.stream, session.quiet)?;
            let mut watcher = session.watcher("deciding");
            let answer = loaded.show(|data| question.ask(data, &mut watcher));
            answer.map_err(|error| in_file(error, &source(&args.data)))?
        }
        false => {
            let (bar, options) = (Bar::new("reading", session.quiet), args.input.options());
            let progress = |rows| bar.rows(rows, options.meter.share(rows));
            let table = question.read(&source(&args.data), &options, &progress)?;
            bar.clear();
            table.ask(&question, &mut session.watcher("deciding"))?
        }
    };
    if let (Some(mut file), Some(proof)) = (proof_file, &answer.found.proof) {
        file.write(|out| out.write_all(proof.to_json().as_bytes()))?;
        file.finish()?;
    }
    let text = || estimate::text(&answer, &Shell, &|_| None);
    session.show(args.json, || answer.to_json(), text)?;
    Ok(status(answer.reply()))
}

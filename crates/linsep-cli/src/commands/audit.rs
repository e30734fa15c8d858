//! `linsep audit`: which rows probably carry a wrong label?

use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

use linsep::audit::{Audit, AuditError, AuditOptions, AuditWatch, Part, audit_classes, audit_data};
use linsep::data::Data;
use linsep::data::read::Loaded;
use linsep::data::samples::Classes;
use linsep_report::audit::{self as report, csv_header, csv_line};
use linsep_report::page;

use super::classes::read_classes;
use super::{load, name};
use crate::args::{AuditArgs, StreamArg};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::{OutputFile, create_if, print};
use crate::progress::Bar;
use crate::screen::Screen;

/// Runs the command.
pub fn run(
    args: &AuditArgs,
    quiet: bool,
    screen: Screen,
    interrupt: &Interrupt,
) -> Result<ExitCode, Failure> {
    let options =
        AuditOptions::default().with_leave_out(args.leave_out).with_time_limit(args.time_limit);
    // Before the data is read, which may take long.
    options.validate()?;
    let output = create_if(args.output.as_deref())?;
    let page = create_if(args.report.as_deref())?;
    let (loaded, classes) = read(args, quiet)?;
    let watcher = Watcher { bar: Bar::new("auditing", quiet), cancelled: interrupt.heed() };
    let audit = loaded.show(|data| {
        let audit = match (&classes, data.resident()) {
            (Some(classes), Some(samples)) => {
                let codes: Vec<usize> = classes.codes().iter().map(|&code| code as usize).collect();
                audit_classes(samples.features(), &codes, classes.names(), &options, &watcher)?
            }
            _ => audit_data(data, &options, &watcher)?,
        };
        watcher.bar.clear();
        if let Some(file) = output.filter(|_| !audit.rows.is_empty()) {
            write_rows(file, data, &audit)?;
        }
        if let Some(mut file) = page {
            let page = page::audit::page(data, &audit, &name(&args.data))?;
            file.write(|out| out.write_all(page.as_bytes()))?;
            file.finish()?;
        }
        match args.json {
            true => print(&format!("{}\n", report::json(data, &audit, args.top)?))?,
            false => screen.show(&report::text(data, &audit, args.top)?)?,
        }
        Ok::<_, Failure>(audit)
    })?;
    Ok(ExitCode::from(match (audit.rows.is_empty(), audit.suspects, audit.stopped) {
        (true, ..) | (_, 0, Some(_)) => 3,
        (_, 0, None) if audit.contradictions.is_empty() => 0,
        _ => 1,
    }))
}

/// Reads the rows, and their classes where these are more than two.
fn read(args: &AuditArgs, quiet: bool) -> Result<(Loaded, Option<Classes>), Failure> {
    if args.input.positive.is_some() || matches!(args.stream.stream, StreamArg::Yes) {
        return Ok((load(&args.data, &args.input, &args.stream, quiet)?, None));
    }
    let (samples, classes) = read_classes(&args.data, &args.input, quiet)?;
    Ok(match classes.count() {
        2 => (Loaded::Memory(Box::new(classes.one_vs_rest(&samples, 1))), None),
        _ => (Loaded::Memory(Box::new(samples)), Some(classes)),
    })
}

/// Writes all rows, the most suspicious first.
fn write_rows(mut file: OutputFile, data: &dyn Data, audit: &Audit) -> Result<(), Failure> {
    let samples = data.gather()?;
    let ids = samples.and_then(|samples| samples.row_ids());
    file.write(|out| {
        out.write_all(csv_header(ids.is_some()).as_bytes())?;
        audit.rows.iter().try_for_each(|row| {
            let id = ids.map(|ids| ids.get(row.row));
            out.write_all(csv_line(data.about(), audit, row, id).as_bytes())
        })
    })?;
    file.finish()
}

/// Shows how far the audit is, and ends it on Ctrl-C.
struct Watcher<'a> {
    bar: Bar,
    cancelled: &'a AtomicBool,
}

impl AuditWatch for Watcher<'_> {
    fn part(&self, part: &Part) {
        self.bar.say(&part.to_string());
    }

    fn cancelled(&self) -> Option<&AtomicBool> {
        Some(self.cancelled)
    }
}

impl From<AuditError> for Failure {
    fn from(error: AuditError) -> Self {
        match error {
            AuditError::Option(error) => error.into(),
            AuditError::Data(error) => error.into(),
            AuditError::DoesNotFit => Failure::usage(
                error.to_string(),
                Some("audit a part of the rows, or fewer columns with --features"),
            ),
            AuditError::OneRow { .. } => Failure::usage(
                error.to_string(),
                Some(
                    "nothing is left to learn the class from when that row is held out: look at it yourself",
                ),
            ),
            other => Failure::usage(other.to_string(), None),
        }
    }
}

//! `linsep audit`: which rows probably carry a wrong label?

use std::process::ExitCode;

use linsep::ask::AuditQuestion;
use linsep_report::{audit, page};

use super::{load, name, read_classes};
use crate::args::{AuditArgs, StreamArg};
use crate::failure::Failure;
use crate::output::create_if;
use crate::session::{Session, status};
use crate::voice::Shell;

/// Runs the command.
pub fn run(args: &AuditArgs, session: &Session) -> Result<ExitCode, Failure> {
    let question = AuditQuestion {
        leave_out: args.leave_out.map(|rows| rows as i64),
        time_limit: args.time_limit.map(|limit| limit.as_secs_f64()),
        top: args.top,
    };
    // Before the data is read, which may take long.
    question.validate()?;
    let output = create_if(args.output.as_deref())?;
    let report = create_if(args.report.as_deref())?;
    let two = args.input.positive.is_some() || matches!(args.stream.stream, StreamArg::Yes);
    let answer = match two {
        true => {
            let loaded = load(&args.data, &args.input, &args.stream, session.quiet)?;
            loaded.show(|data| question.ask(data, &mut session.watcher("auditing")))?
        }
        false => {
            let (samples, classes) = read_classes(&args.data, &args.input, session.quiet)?;
            question.ask_classes(&samples, &classes, &mut session.watcher("auditing"))?
        }
    };
    if let Some(mut file) = output.filter(|_| !answer.audit.rows.is_empty()) {
        file.write(|out| out.write_all(audit::csv(&answer).as_bytes()))?;
        file.finish()?;
    }
    if let Some(mut file) = report {
        let page = page::audit::page(&answer, &name(&args.data), &Shell);
        file.write(|out| out.write_all(page.as_bytes()))?;
        file.finish()?;
    }
    session.show(args.json, || answer.to_json(), || audit::text(&answer, &Shell))?;
    Ok(status(answer.reply()))
}

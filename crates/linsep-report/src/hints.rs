//! What to do about data, options and columns that cannot be used: one table, which each front end spells.

use std::io;

use linsep::ask::{AskError, Located};
use linsep::audit::AuditError;
use linsep::data::ErrorKind;
use linsep::data::error::Column;
use linsep::data::read::{LABEL_NAMES, stands_for_missing};
use linsep::decide::{DecideError, JournalError};
use linsep::models::response::{ResponseError, ResponseRemedy};
use linsep::models::{ModelError, SeparationError};
use linsep::online::{FitError, MethodError, MethodSettings};

use super::suggest::did_you_mean;
use super::voice::{Conversion, Remedy, Voice};

/// Returns what to do about a question that has no answer, if anything helps.
pub fn ask_hint(error: &AskError, voice: &dyn Voice) -> Option<String> {
    let option = |name| voice.option(name, None);
    match error {
        AskError::Data(error) => hint(error, voice),
        AskError::Decide(DecideError::Journal(error)) => journal_hint(error, voice),
        AskError::Observed(error) => response_hint(&error.error, voice),
        AskError::Separation(SeparationError::Model(ModelError::NothingAllowed { .. })) => {
            Some("a log-binomial model with an intercept always has some".to_string())
        }
        AskError::Located(located) => {
            let Located { error, .. } = &**located;
            ask_hint(error, voice)
        }
        AskError::Useless(useless) => {
            let (option, does) = useless.instead?;
            Some(format!("{} {does}", voice.option(option, None)))
        }
        AskError::Fit(error) => match error {
            FitError::NeedsMemory(_) => {
                Some(format!("{} reads the rows into memory", voice.option("stream", Some("no"))))
            }
            FitError::TooWideToTrace { .. } => {
                Some(format!("{} takes fewer columns", option("features")))
            }
            FitError::OtherRun { .. } => Some(OTHER_RUN.to_string()),
            FitError::Damaged(_) => Some(format!("start again without {}", option("resume"))),
            _ => None,
        },
        AskError::Audit(AuditError::DoesNotFit) => {
            Some(format!("audit a part of the rows, or fewer columns with {}", option("features")))
        }
        AskError::Audit(AuditError::OneRow { .. }) => Some(
            "nothing is left to learn the class from when that row is held out: look at it yourself"
                .to_string(),
        ),
        _ => None,
    }
}

const OTHER_RUN: &str = "resume with the data and the options of the run that wrote it";

/// Returns what to do about a checkpoint that cannot be used.
pub fn journal_hint(error: &JournalError, voice: &dyn Voice) -> Option<String> {
    Some(match error {
        JournalError::Unwritable(_) | JournalError::Unreadable(_) => return None,
        JournalError::InUse => "wait until it has ended, or choose another file".to_string(),
        JournalError::NotOne => "check the name".to_string(),
        JournalError::OtherRun { .. } => OTHER_RUN.to_string(),
        _ => format!("start again without {}", voice.option("resume", None)),
    })
}

/// Returns what to do about a column that a model cannot use.
pub fn response_hint(error: &ResponseError, voice: &dyn Voice) -> Option<String> {
    let option = |name| voice.option(name, None);
    Some(match error.remedy? {
        ResponseRemedy::NameEvent => format!(
            "{} names the event where a column has two values; R's survival codes 1 for censored and 2 for the event",
            option("event_value")
        ),
        ResponseRemedy::GiveTrials => format!(
            "{} says how many trials each row had; for two classes that are coded so, compare first: above 0.5 or not",
            option("trials")
        ),
        ResponseRemedy::NamePositive => format!(
            "{} names one; {} asks about many, {} about counts",
            option("positive"),
            voice.option("model", Some("multinomial")),
            voice.option("model", Some("poisson"))
        ),
        ResponseRemedy::OrderLevels => {
            format!("{} names them in order, the lowest first", option("levels"))
        }
        ResponseRemedy::NameLevels => format!("{} names every category once", option("levels")),
    })
}

/// Returns what to do about a method, or a setting of one, that does not exist.
pub fn method_hint(error: &MethodError) -> Option<String> {
    match error {
        MethodError::Unknown { name } => {
            let names: Vec<&str> = MethodSettings::all().iter().map(|m| m.name()).collect();
            let nearest = did_you_mean(name, names.iter().copied());
            Some(nearest.unwrap_or_else(|| format!("the methods are {}", names.join(", "))))
        }
        MethodError::NoSetting { method, setting, known } => {
            Some(match did_you_mean(setting, known.iter().map(String::as_str)) {
                Some(hint) => hint,
                None if known.is_empty() => format!("{method} has no settings"),
                None => format!("the settings of {method} are {}", known.join(", ")),
            })
        }
        _ => None,
    }
}

/// Returns what to do about data that cannot be used, if anything helps.
pub fn hint(error: &linsep::Error, voice: &dyn Voice) -> Option<String> {
    // A name that the shell or Python would take apart is left to the user.
    let plain = |name: &&str| name.chars().all(|c| c.is_ascii_alphanumeric() || "._-/".contains(c));
    let file = error.place.source.as_deref().filter(plain).unwrap_or("FILE");
    let option = |name| voice.option(name, None);
    let set = |name, value| voice.option(name, Some(value));
    let missing = || {
        let drop = set("missing", "drop");
        format!("{drop} leaves such rows out, {} fills them in", either(voice))
    };
    let written = "check that the file was written completely";
    Some(match &error.kind {
        ErrorKind::Foreign(foreign) => return voice.convert(Conversion::Foreign(*foreign), file),
        ErrorKind::NotUtf8 { .. } => return voice.convert(Conversion::Encoding, file),
        ErrorKind::Io(io) => match io.kind() {
            io::ErrorKind::NotFound => return voice.convert(Conversion::NoFile, file),
            io::ErrorKind::PermissionDenied => {
                "the file may not be read: check its permissions".to_string()
            }
            _ => return None,
        },
        ErrorKind::Empty | ErrorKind::NoRows { dropped: 0 } => written.to_string(),
        ErrorKind::HeaderOnly => {
            format!("{written}; {} takes the first line as data", set("header", "no"))
        }
        ErrorKind::NoRows { .. } => format!(
            "{} fills missing values; {} leaves columns out",
            either(voice),
            option("exclude")
        ),
        ErrorKind::NoFeatures => format!(
            "{} chooses columns, {} and {} leave them out",
            option("features"),
            option("exclude"),
            option("label")
        ),
        ErrorKind::OneColumn { .. } => format!(
            "{} says what stands between cells; {} names a file of labels",
            option("delimiter"),
            option("labels")
        ),
        ErrorKind::NotANumber { found } if stands_for_missing(found) => missing(),
        ErrorKind::NotANumber { .. } if error.place.line == Some(1) => format!(
            "{} takes the first line as names; {} makes a feature of each text",
            set("header", "yes"),
            option("categorical")
        ),
        ErrorKind::NotANumber { .. } => format!(
            "correct the cell, or: {} makes a feature of each text, {} leaves the column out",
            option("categorical"),
            option("exclude")
        ),
        ErrorKind::CommaInNumber { found } if may_be_thousands(found) => {
            "leave commas between thousands out, and write a decimal comma as a point".to_string()
        }
        ErrorKind::CommaInNumber { .. } => {
            let words = format!("{} takes such cells as words", option("categorical"));
            let points = voice.convert(Conversion::DecimalComma, file);
            points.map_or(words.clone(), |points| format!("{points}; {words}"))
        }
        ErrorKind::NotFinite { .. } => missing(),
        ErrorKind::TooLarge => "divide the data by a power of two".to_string(),
        ErrorKind::Inexact { .. } => {
            let rounded = match error.place.line {
                Some(_) => "write a point after the number",
                None => "convert it to floats first",
            };
            format!(
                "{} leaves out a column that only names rows; else subtract a constant from the column, or {rounded} \
                 if rounding is acceptable",
                option("exclude")
            )
        }
        ErrorKind::Ragged { .. } => format!("check the quotes and {}", option("delimiter")),
        ErrorKind::UnclosedQuote => {
            "close it, or double a quote that is part of the text".to_string()
        }
        ErrorKind::LongRecord { .. } => "check that the input has line ends, and is text".to_string(),
        ErrorKind::NoLabel { found } if found.is_empty() => {
            format!("{} leaves such rows out", set("missing", "drop"))
        }
        ErrorKind::NoLabel { .. } => format!(
            "{} leaves such rows out; {} takes the word as a class",
            set("missing", "drop"),
            option("positive")
        ),
        ErrorKind::UnknownLevel { .. } => {
            format!("{} takes such rows as having no level", set("unknown", "ignore"))
        }
        ErrorKind::ManyLevels { .. } => format!("{} leaves the column out", option("exclude")),
        ErrorKind::NoMemory { .. } => {
            format!("{} reads the rows in blocks, on every pass again", set("stream", "yes"))
        }
        ErrorKind::Cache(_) | ErrorKind::CacheLimit { .. } => format!(
            "{} chooses another folder, {} another size",
            option("cache_dir"),
            option("cache_limit")
        ),
        ErrorKind::OtherColumns { .. } => "move the file elsewhere, or write it again".to_string(),
        ErrorKind::Changed => "try again once nobody writes to the file".to_string(),
        ErrorKind::IndexMemory { .. } => {
            "check that line: every feature up to the largest index has a weight; hashed features fit if they are \
             hashed to fewer bits"
                .to_string()
        }
        ErrorKind::OneClass { .. } => format!(
            "{} chooses another column, {} names a file of labels",
            option("label"),
            option("labels")
        ),
        // What pandas writes for columns that are numbered.
        ErrorKind::ManyClasses { examples, .. }
            if examples.iter().any(|label| LABEL_NAMES.contains(&label.as_str())) =>
        {
            format!("{} takes the first line as names", set("header", "yes"))
        }
        ErrorKind::ManyClasses { .. } => format!(
            "{} sets one class against the rest; {}; {} chooses another column",
            option("positive"),
            voice.spell(Remedy::ManyClasses),
            option("label")
        ),
        ErrorKind::NoSuchLabel { wanted, found } => {
            let nearest = did_you_mean(wanted, found.iter().map(String::as_str));
            nearest.unwrap_or_else(|| "choose one of them".to_string())
        }
        ErrorKind::NoSuchColumn { count: 1, .. } => {
            format!("{} says what stands between cells", option("delimiter"))
        }
        ErrorKind::NoSuchColumn { wanted, available, .. } => {
            let nearest = match wanted {
                Column::Name(name) => did_you_mean(name, available.iter().map(String::as_str)),
                Column::Number(_) => None,
            };
            let rule = || "columns are named by their header or numbered from 1".to_string();
            nearest.unwrap_or_else(rule)
        }
        ErrorKind::LabelCount { .. } => {
            format!("{} has to name a file with one label per row", option("labels"))
        }
        ErrorKind::WrongFeatures { .. } => format!(
            "{} chooses the columns; {} names the one to pass over",
            option("features"),
            option("label")
        ),
        ErrorKind::DuplicateIndex { .. } => "leave one of the two values out".to_string(),
        ErrorKind::BadIndex { .. } => format!(
            "a line is a label and pairs such as 3:0.5; {} names another format",
            option("format")
        ),
        ErrorKind::IndexRange { .. } => format!(
            "{} counts features from 0; the largest index is 2^32 - 1",
            set("index_base", "0")
        ),
        ErrorKind::Damaged { .. } => "write or fetch the file again".to_string(),
        ErrorKind::NoFiles => "name a file, or a folder of Parquet or Arrow files".to_string(),
        _ => return None,
    })
}

/// Returns the two ways to fill missing values in.
fn either(voice: &dyn Voice) -> String {
    let [mean, median] = ["mean", "median"].map(|value| voice.option("missing", Some(value)));
    format!("{mean} or {median}")
}

/// Returns true if every comma stands before three digits: a point in its place might be wrong.
fn may_be_thousands(number: &str) -> bool {
    let three = |group: &str| group.find(|c: char| !c.is_ascii_digit()).unwrap_or(group.len()) == 3;
    number.split(',').skip(1).all(three)
}

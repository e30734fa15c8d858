//! How the program speaks: rows count from 1, and remedies are flags.

use linsep::data::error::Foreign;
use linsep::models::{Model, Ties};
use linsep_report::voice::{Conversion, Remedy, Voice};

/// The voice of the command line.
pub struct Shell;

impl Voice for Shell {
    fn first(&self) -> usize {
        1
    }

    fn spell(&self, remedy: Remedy) -> String {
        match remedy {
            Remedy::Option { name: "stream", value: Some(value) } => format!("--stream={value}"),
            Remedy::Option { name, value: None } => format!("{}{}", flag(name), stands_for(name)),
            Remedy::Option { name, value: Some(value) } => format!("{} {value}", flag(name)),
            Remedy::KeepProof => "--proof FILE keeps it".to_string(),
            Remedy::KeepProofs => "--proof DIR keeps them".to_string(),
            Remedy::SeeWeights => "--json prints them, --proof FILE keeps them".to_string(),
            Remedy::SeeModel => "-o FILE keeps them, --json prints them".to_string(),
            Remedy::SeeAll(_) => "--json names all".to_string(),
            Remedy::SeeRanking => "--top N shows N rows, -o FILE keeps all".to_string(),
            Remedy::Resume { checkpoint, passes } => {
                // Passes that are kept count as passes.
                let more = if passes { ", with a larger --max-passes" } else { "" };
                format!("--resume goes on from {}{more}", checkpoint.display())
            }
            Remedy::Decide => "`linsep decide`".to_string(),
            Remedy::ManyClasses => {
                "--classes A,B takes two; --pairs, --one-vs-rest and --argmax of decide ask \
                 about all"
                    .to_string()
            }
            _ => String::new(),
        }
    }

    fn convert(&self, conversion: Conversion, file: &str) -> Option<String> {
        let iconv = |from: &str| {
            format!("iconv -f {from} -t UTF-8 {file} > converted.csv makes UTF-8 of it")
        };
        let pandas = |read: &str| {
            format!("in Python: pandas.{read}(\"{file}\").to_csv(\"data.csv\", index=False)")
        };
        Some(match conversion {
            Conversion::Encoding => iconv("WINDOWS-1252"),
            Conversion::DecimalComma => {
                "sed 's/,/./g' makes points of decimal commas, where no other commas are"
                    .to_string()
            }
            Conversion::NoFile => "check the name; - reads standard input".to_string(),
            Conversion::Foreign(foreign) => match foreign {
                Foreign::Utf16 { big_endian: false } => iconv("UTF-16LE"),
                Foreign::Utf16 { big_endian: true } => iconv("UTF-16BE"),
                Foreign::Misnamed(format) => format!("--format {format} reads it"),
                Foreign::Xlsx | Foreign::Xls => {
                    "save the sheet as CSV, in UTF-8, from the spreadsheet program".to_string()
                }
                Foreign::Json => pandas("read_json"),
                Foreign::Html => {
                    "fetch the file itself: this is a page, perhaps to log in".to_string()
                }
                // A pickle may run what it likes when it is read.
                Foreign::Pickle => format!("if you trust the file, {}", pandas("read_pickle")),
                Foreign::Npz => format!(
                    "in Python: numpy.save(\"X.npy\", numpy.load(\"{file}\")[NAME]), and the labels to X.labels.npy"
                ),
                Foreign::Zip => format!("unzip {file} takes the files out of it"),
                _ => "csv, tsv, libsvm, npy, parquet and arrow can be read".to_string(),
            },
            _ => return None,
        })
    }
}

/// Returns what stands for the value of an option, where its name does not say.
fn stands_for(name: &str) -> &'static str {
    match name {
        "delimiter" => " CHAR",
        "labels" => " FILE",
        "levels" => " low,middle,high",
        "positive" | "event_value" => " VALUE",
        "categorical" | "exclude" | "groups" | "time" | "trials" => " COLUMN",
        _ => "",
    }
}

/// Returns the flag of an option.
pub fn flag(name: &str) -> String {
    match name {
        "intercept" => "--no-intercept".to_string(),
        "parallel" => "--not-parallel".to_string(),
        "trace" => "--trace-updates".to_string(),
        _ => format!("--{}", name.replace('_', "-")),
    }
}

/// Returns the options that ask about a model, except the columns that it needs.
pub fn asked_by(model: Option<&Model>) -> String {
    let Some(model) = model else { return "no option of a model".to_string() };
    let own = match model {
        Model::Binomial { intercept: false }
        | Model::LogBinomial { intercept: false }
        | Model::Poisson { intercept: false }
        | Model::NegativeBinomial { intercept: false }
        | Model::Multinomial { intercept: false } => " --no-intercept",
        Model::Cumulative { parallel: false }
        | Model::Adjacent { parallel: false }
        | Model::Sequential { parallel: false } => " --not-parallel",
        Model::Cox { ties: Ties::Efron } => " --ties efron",
        Model::Cox { ties: Ties::Exact } => " --ties exact",
        _ => "",
    };
    format!("--model {}{own}, with the columns that it needs", model.name())
}

/// Returns a word as a shell takes it.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=,:+%@".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_string(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// Returns the name of a file as a shell takes it, and a command too: one that begins with a dash would be an option.
pub fn quoted_file(name: &str) -> String {
    match name.starts_with('-') && name != "-" {
        true => quoted(&format!("./{name}")),
        false => quoted(name),
    }
}

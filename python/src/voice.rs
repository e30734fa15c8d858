//! How Python speaks: rows count from 0, and remedies are keywords.

use linsep::data::error::Foreign;
use linsep_report::voice::{Conversion, Remedy, Voice};

/// The voice of Python.
pub struct Pythonic;

impl Voice for Pythonic {
    fn first(&self) -> usize {
        0
    }

    fn spell(&self, remedy: Remedy) -> String {
        match remedy {
            Remedy::Option { name: "no_shuffle", .. } => "shuffle=False".to_string(),
            Remedy::Option { name: "shuffle", .. } => "shuffle=True".to_string(),
            Remedy::Option { name, value: None } => format!("{name}="),
            Remedy::Option { name, value: Some(value) } => match value {
                "yes" => format!("{name}=True"),
                "no" => format!("{name}=False"),
                number if number.parse::<f64>().is_ok() => format!("{name}={number}"),
                word => format!("{name}=\"{word}\""),
            },
            Remedy::KeepProof => "proof.save(path) keeps it".to_string(),
            Remedy::KeepProofs => "save_proofs(folder) keeps them".to_string(),
            Remedy::SeeWeights | Remedy::SeeModel => "coef has them".to_string(),
            Remedy::SeeAll(what) => format!("{what} has all"),
            Remedy::SeeRanking => "to_frame() has all".to_string(),
            Remedy::Resume { checkpoint, passes } => {
                let more = if passes { ", with a larger max_passes" } else { "" };
                format!("resume=True goes on from {}{more}", checkpoint.display())
            }
            Remedy::Decide => "linsep.decide".to_string(),
            Remedy::ManyClasses => "linsep.separability_matrix asks about all".to_string(),
            _ => String::new(),
        }
    }

    fn convert(&self, conversion: Conversion, _file: &str) -> Option<String> {
        let frame =
            |reader: &str| format!("{reader} reads it; linsep.decide takes frames and arrays");
        Some(match conversion {
            Conversion::Encoding => frame("pandas.read_csv(..., encoding=\"cp1252\")"),
            Conversion::DecimalComma => frame("pandas.read_csv(..., decimal=\",\")"),
            Conversion::NoFile => return None,
            Conversion::Foreign(foreign) => match foreign {
                Foreign::Misnamed(format) => format!("format=\"{format}\" reads it"),
                Foreign::Utf16 { .. } => frame("pandas.read_csv(..., encoding=\"utf-16\")"),
                Foreign::Xlsx | Foreign::Xls => frame("pandas.read_excel"),
                Foreign::Json => frame("pandas.read_json"),
                Foreign::Html => {
                    "fetch the file itself: this is a page, perhaps to log in".to_string()
                }
                // A pickle may run what it likes when it is read.
                Foreign::Pickle => {
                    format!("if you trust the file, {}", frame("pandas.read_pickle"))
                }
                Foreign::Npz => frame("numpy.load"),
                _ => return None,
            },
            _ => return None,
        })
    }
}

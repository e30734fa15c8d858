//! What is read, and where it is kept: the same for every command.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use linsep::data::read::{
    Categorical, ColumnChoice, Format, Header, Meter, ReadOptions, Source, StreamOptions, Unknown,
    Where,
};
use linsep::data::samples::Missing;

use crate::size::parse_size;

#[derive(Args)]
#[command(next_help_heading = "Data")]
pub struct DataArgs {
    /// Format of the data [default: by extension, else by content]
    #[arg(long, value_name = "csv|tsv|libsvm|npy|parquet|arrow")]
    pub format: Option<Format>,
    /// Label column, by name or by number from 1 [default: label, class, target or y, else the last]
    #[arg(long, value_name = "NAME|NUMBER")]
    pub label: Option<ColumnChoice>,
    /// Label of the positive class; all others are negative [default: the larger of two]
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    pub positive: Option<String>,
    /// Labels whose rows are taken; rows of others are left out [default: all]
    #[arg(long, value_name = "A,B,...", value_delimiter = ',', allow_hyphen_values = true)]
    pub classes: Vec<String>,
    /// Feature columns, such as 1-10,12 or age,height [default: all but the label]
    #[arg(long, value_name = "COLUMNS")]
    pub features: Option<String>,
    /// Columns that are not features
    #[arg(long, value_name = "COLUMNS")]
    pub exclude: Option<String>,
    /// Column that names the rows in every output [default: rows are numbered]
    #[arg(long, value_name = "NAME|NUMBER")]
    pub row_id: Option<ColumnChoice>,
    /// Columns to one-hot encode: auto (text columns), no, or a list
    #[arg(long, value_name = "auto|no|COLUMNS", default_value = "auto")]
    pub categorical: String,
    /// Give the first level of a category a feature too
    #[arg(long)]
    pub all_levels: bool,
    /// File with the labels, one per row: .npy or text [default for X.npy: X.labels.npy if it exists]
    #[arg(long, value_name = "FILE")]
    pub labels: Option<PathBuf>,
    /// Whether the first line holds names [default: if none of its cells is a number]
    #[arg(long, value_name = "auto|yes|no", value_enum, hide_possible_values = true)]
    pub header: Option<HeaderArg>,
    /// Character between cells [default: tab for .tsv, else guessed: comma, semicolon, tab, pipe or space]
    #[arg(long, value_name = "CHAR", value_parser = parse_delimiter)]
    pub delimiter: Option<u8>,
    /// Number of the first feature in libsvm data [default: 0 if any index is 0, else 1]
    #[arg(long, value_name = "0|1", value_parser = clap::value_parser!(u8).range(0..=1))]
    pub index_base: Option<u8>,
    /// What to do with missing, NaN or infinite values: refuse, drop the row, or impute the column's mean or
    /// median
    #[arg(
        long,
        value_name = "refuse|drop|mean|median",
        value_enum,
        default_value = "refuse",
        hide_possible_values = true
    )]
    pub missing: MissingArg,
}

#[derive(Args)]
#[command(next_help_heading = "Memory")]
pub struct StreamArgs {
    /// Leave the rows on the disk and read them in blocks, pass after pass: --stream or --stream=yes; the
    /// results are the same [default: auto, if they would take more than half of the free memory]
    #[arg(
        long,
        value_name = "auto|yes|no",
        value_enum,
        num_args = 0..=1,
        require_equals = true,
        default_value = "auto",
        default_missing_value = "yes",
        hide_default_value = true,
        hide_possible_values = true
    )]
    pub stream: StreamArg,
    /// Folder for the binary copy that text is read from when it is streamed [default: that of the data]
    #[arg(long, value_name = "DIR")]
    pub cache_dir: Option<PathBuf>,
    /// Largest size of that copy, such as 500M or 20G [default: what the disk has]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub cache_limit: Option<u64>,
}

impl StreamArgs {
    pub fn place(&self) -> Where {
        match self.stream {
            StreamArg::Auto => Where::Auto,
            StreamArg::Yes => Where::Disk,
            StreamArg::No => Where::Memory,
        }
    }

    pub fn options(&self) -> StreamOptions {
        StreamOptions {
            cache_dir: self.cache_dir.clone(),
            cache_limit: self.cache_limit,
            ..StreamOptions::default()
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
pub enum StreamArg {
    Auto,
    Yes,
    No,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum HeaderArg {
    Auto,
    Yes,
    No,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum MissingArg {
    Refuse,
    Drop,
    Mean,
    Median,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum UnknownArg {
    Error,
    Ignore,
}

fn parse_delimiter(text: &str) -> Result<u8, String> {
    match text {
        "\\t" | "tab" => Ok(b'\t'),
        _ if text.len() == 1 && text.is_ascii() => Ok(text.as_bytes()[0]),
        _ => Err("expected one ASCII character, or \\t for a tab".to_string()),
    }
}

impl DataArgs {
    pub fn options(&self) -> ReadOptions {
        ReadOptions {
            format: self.format,
            label: self.label.clone(),
            positive: self.positive.clone(),
            features: self.features.as_deref().map(ColumnChoice::parse_list),
            labels: self.labels.clone(),
            header: match self.header {
                None | Some(HeaderArg::Auto) => Header::Auto,
                Some(HeaderArg::Yes) => Header::Yes,
                Some(HeaderArg::No) => Header::No,
            },
            delimiter: self.delimiter,
            index_base: self.index_base,
            missing: match self.missing {
                MissingArg::Refuse => Missing::Refuse,
                MissingArg::Drop => Missing::Drop,
                MissingArg::Mean => Missing::Mean,
                MissingArg::Median => Missing::Median,
            },
            exclude: self.exclude.as_deref().map(ColumnChoice::parse_list).unwrap_or_default(),
            row_id: self.row_id.clone(),
            categorical: match self.categorical.as_str() {
                "auto" => Categorical::Auto,
                "no" => Categorical::No,
                columns => Categorical::Columns(ColumnChoice::parse_list(columns)),
            },
            all_levels: self.all_levels,
            unknown: Unknown::Refuse,
            meter: Meter::default(),
        }
    }
}

/// Returns the source that a DATA argument names: `-` is standard input.
pub fn source(data: &str) -> Source {
    Source::from(std::path::Path::new(data))
}

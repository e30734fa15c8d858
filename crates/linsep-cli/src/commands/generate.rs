//! `linsep generate`: the paper's synthetic data, written block by block.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use linsep::data::error::{bytes_for_people, path_name};
use linsep::data::generate::{Generated, Generator};
use linsep::data::require_memory;
use linsep::data::write::{self, Layout, Written};
use linsep_report::counted;

use crate::args::{Dtype, GenerateArgs};
use crate::disk;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::OutputFile;
use crate::progress::Bar;

/// Values made before they are written.
const VALUES_PER_BLOCK: usize = 1 << 22;

/// Runs the command.
pub fn run(args: &GenerateArgs, quiet: bool, interrupt: &Interrupt) -> Result<ExitCode, Failure> {
    let layout = layout(&args.output)?;
    let shift = checked_shift(args.shift)?;
    require_room(args, layout)?;
    let generator =
        Generator::new(args.rows.get(), args.features.get(), args.seed).with_shift(shift);
    match args.dtype {
        Dtype::F8 => write_all::<f64>(&generator, layout, &args.output, quiet, interrupt),
        Dtype::F4 => write_all::<f32>(&generator, layout, &args.output, quiet, interrupt),
    }
}

/// Fails if memory or the disk cannot hold what is to be made: better at once than after days.
fn require_room(args: &GenerateArgs, layout: Layout) -> Result<(), Failure> {
    let (rows, columns) = (args.rows.get() as u64, args.features.get() as u64);
    let value = match args.dtype {
        Dtype::F8 => 8,
        Dtype::F4 => 4,
    };
    let size = format!("{} x {}", counted(rows, "row"), counted(columns, "feature"));
    let refused = |what: String, hint: &str| {
        Err(Failure::usage(format!("{}: {size}: {what}", path_name(&args.output)), Some(hint)))
    };
    // As text, a random number takes about twice its bytes.
    let written = if layout == Layout::Npy { value } else { 2 * value };
    let needed = rows.saturating_mul(columns).saturating_mul(written);
    if let Some(free) = disk::free(&args.output).filter(|&free| needed > free) {
        let [needed, free] = [needed, free].map(bytes_for_people);
        let what =
            format!("expected to fit on the disk, where {free} are free, found about {needed}");
        return refused(what, "generate fewer rows or features, or choose another place");
    }
    // The normal, the shift and a block; labels of an array are written last.
    let block = columns.max(VALUES_PER_BLOCK as u64).saturating_mul(value);
    let labels = if layout == Layout::Npy { rows.saturating_mul(2) } else { 0 };
    let bytes = columns.saturating_mul(16).saturating_add(block).saturating_add(labels);
    match require_memory(bytes) {
        Ok(()) => Ok(()),
        Err(error) => refused(error.to_string(), "generate fewer rows or features"),
    }
}

/// Beyond it, rounding would blur the samples.
const LONGEST_SHIFT: f64 = 1e6;

/// Returns the length of a shift, if it is one.
pub fn checked_shift(shift: f64) -> Result<f64, Failure> {
    match (0.0..=LONGEST_SHIFT).contains(&shift) {
        true => Ok(shift),
        false => {
            let message = format!("--shift is {shift}; expected 0 to {LONGEST_SHIFT}");
            Err(Failure::usage(message, None))
        }
    }
}

fn layout(path: &Path) -> Result<Layout, Failure> {
    match path.extension().and_then(|e| e.to_str()) {
        Some("npy") => Ok(Layout::Npy),
        Some("csv") => Ok(Layout::Delimited(b',')),
        Some("tsv") => Ok(Layout::Delimited(b'\t')),
        Some("libsvm" | "svm") => Ok(Layout::Libsvm),
        _ => Err(Failure::usage(
            format!("{}: cannot tell the format", path_name(path)),
            Some("end the name in .npy, .csv, .tsv or .libsvm"),
        )),
    }
}

fn write_all<T: Generated + Written>(
    generator: &Generator,
    layout: Layout,
    path: &Path,
    quiet: bool,
    interrupt: &Interrupt,
) -> Result<ExitCode, Failure> {
    let (rows, columns) = (generator.rows(), generator.features());
    let mut file = OutputFile::create(path)?;
    let labels_file = match layout {
        Layout::Npy => Some(OutputFile::create(&labels_path(path))?),
        _ => None,
    };
    interrupt.heed();
    let bar = Bar::new("writing", quiet);
    let mut all_labels = vec![];
    file.write(|out| write::begin::<T>(layout, rows, columns, out))?;
    let block = (VALUES_PER_BLOCK / columns).clamp(1, rows);
    let mut values = vec![T::default(); block * columns];
    let mut positive = vec![false; block];
    for first in (0..rows).step_by(block) {
        if interrupt.asked() {
            return Err(Failure::usage("interrupted; nothing was written".to_string(), None));
        }
        let count = block.min(rows - first);
        let (values, positive) = (&mut values[..count * columns], &mut positive[..count]);
        generator.fill(first..first + count, values, positive);
        file.write(|out| write::rows(layout, values, columns, positive, out))?;
        if labels_file.is_some() {
            all_labels.extend_from_slice(positive);
        }
        let made = (first + count) as u64;
        bar.rows(made, Some(made as f64 / rows as f64));
    }
    if let Some(mut labels_file) = labels_file {
        labels_file.write(|out| out.write_all(&write::npy_labels(&all_labels)))?;
        labels_file.finish()?;
    }
    file.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the name under which readers look for the labels of a `.npy` file.
fn labels_path(path: &Path) -> PathBuf {
    path.with_extension("labels.npy")
}

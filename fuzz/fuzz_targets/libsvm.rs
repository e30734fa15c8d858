#![no_main]

mod reader;

use libfuzzer_sys::fuzz_target;
use linsep_read::Format;

fuzz_target!(|bytes: &[u8]| reader::check(Format::Libsvm, bytes));

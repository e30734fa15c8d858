//! One target of libFuzzer, named by the variable TARGET when it is built: `make fuzz TARGET=csv`.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| linsep_fuzz::target(env!("TARGET"))(bytes));

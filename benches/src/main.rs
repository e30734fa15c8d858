//! Side by side with a plain loop, a peer or the memory bandwidth, in one run: ratios, not times.
//!
//! `make bench` runs all; `cargo run --release -p linsep-bench -- NAME…` runs some. `full` and `streaming`
//! run only when named: the paper's (a) and (b) take 4 GB of memory each, streaming 16 GB of disk.

#![allow(clippy::disallowed_methods, reason = "what is compared with is what people write")]

mod columnar;
mod deciding;
mod exact;
mod explaining;
mod kernels;
mod lbfgs;
mod levels;
mod memory;
mod ordinary;
mod overlapping;
mod reading;
mod skipping;
mod streaming;
#[path = "../../crates/linsep/tests/tables/mod.rs"]
#[expect(dead_code, reason = "tests take every kind")]
mod tables;
mod timing;

fn main() {
    let names: Vec<String> = std::env::args().skip(1).collect();
    if let [name, work, path] = &names[..]
        && name == memory::CHILD
    {
        return memory::child(work, path);
    }
    if let [name, work, path] = &names[..]
        && name == streaming::CHILD
    {
        return streaming::child(work, path);
    }
    if names.iter().any(|name| name == "full") {
        deciding::run_full();
    }
    if names.iter().any(|name| name == "streaming") {
        streaming::run();
    }
    let benches: [(&str, fn()); 11] = [
        ("kernels", kernels::run),
        ("reading", reading::run),
        ("columnar", columnar::run),
        ("memory", memory::run),
        ("skipping", skipping::run),
        ("exact", exact::run),
        ("deciding", deciding::run),
        ("overlapping", overlapping::run),
        ("explaining", explaining::run),
        ("ordinary", ordinary::run),
        ("levels", levels::run),
    ];
    for (name, run) in benches {
        if names.is_empty() || names.iter().any(|n| n == name) {
            run();
        }
    }
}

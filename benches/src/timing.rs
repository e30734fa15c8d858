//! Timing of pieces of work that take turns, so that a noisy machine disturbs all alike.

use std::fs;
use std::time::Instant;

/// Returns the shortest time of each piece over a number of rounds; the pieces take turns.
pub fn shortest<const N: usize>(rounds: usize, pieces: &mut [&mut dyn FnMut(); N]) -> [f64; N] {
    let start = Instant::now();
    shortest_by(&|| start.elapsed().as_secs_f64(), rounds, pieces)
}

/// Returns the same in CPU time, that of all threads together.
pub fn shortest_cpu<const N: usize>(rounds: usize, pieces: &mut [&mut dyn FnMut(); N]) -> [f64; N] {
    let start = Instant::now();
    // Where there is no /proc, the time on the wall is the next best thing.
    let clock = || cpu_seconds().unwrap_or_else(|| start.elapsed().as_secs_f64());
    shortest_by(&clock, rounds, pieces)
}

fn shortest_by<const N: usize>(
    clock: &dyn Fn() -> f64,
    rounds: usize,
    pieces: &mut [&mut dyn FnMut(); N],
) -> [f64; N] {
    let mut best = [f64::INFINITY; N];
    for _ in 0..rounds {
        for (piece, best) in pieces.iter_mut().zip(&mut best) {
            let start = clock();
            piece();
            *best = best.min(clock() - start);
        }
    }
    best
}

/// Returns the time that the threads of this process have spent on a CPU. No thread may end between
/// two calls that are compared.
fn cpu_seconds() -> Option<f64> {
    let nanoseconds = fs::read_dir("/proc/self/task").ok()?.map(|task| {
        let text = fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<f64>().ok()
    });
    Some(nanoseconds.sum::<Option<f64>>()? / 1e9)
}

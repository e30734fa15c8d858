//! Timing of pieces of work that take turns, so that a noisy machine disturbs all alike.

use std::time::Instant;

/// Returns the shortest time of each piece over a number of rounds; the pieces take turns.
pub fn shortest<const N: usize>(rounds: usize, pieces: &mut [&mut dyn FnMut(); N]) -> [f64; N] {
    let mut best = [f64::INFINITY; N];
    for _ in 0..rounds {
        for (piece, best) in pieces.iter_mut().zip(&mut best) {
            let start = Instant::now();
            piece();
            *best = best.min(start.elapsed().as_secs_f64());
        }
    }
    best
}

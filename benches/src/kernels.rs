//! The score pass beside the plain read bandwidth of the same buffer, and functions beside plain loops, on one
//! thread.

use std::hint::black_box;

use linsep::data::generate::{Generated, Generator};
use linsep::data::samples::Element;
use linsep::kernels::logistic::logistic;
use linsep::kernels::product::{MatrixView, add_product};
use linsep::kernels::{Arithmetic, sparse_dot};

use crate::timing::shortest;

const ROWS: usize = 1_000_000;
const COLUMNS: usize = 100;
const ROUNDS: usize = 9;

/// Prints a line for f64, f32 and sparse rows.
pub fn run() {
    println!(
        "score pass over {ROWS} x {COLUMNS}, one thread, beside a plain read of the same buffer"
    );
    dense::<f64>("f64");
    dense::<f32>("f32");
    sparse();
    logistic_loss();
    product();
}

/// Losses and slopes of many scores, beside the functions of the standard library one by one.
fn logistic_loss() {
    let scores: Vec<f64> = (0..ROWS).map(|k| 20.0 * (k as f64).sin()).collect();
    let [mut losses, mut weights, mut plain] = [(); 3].map(|_| vec![0.0; ROWS]);
    let [ours, naive] = shortest(
        ROUNDS,
        &mut [&mut || logistic(black_box(&scores), &mut losses, &mut weights), &mut || {
            for (score, out) in black_box(&scores).iter().zip(&mut plain) {
                let tail = (-score.abs()).exp();
                *out = tail.ln_1p() + (-score).max(0.0) + tail / (1.0 + tail);
            }
        }],
    );
    println!(
        "  logistic loss and slope: {:.1} ns per score, {:.1} times as fast as one by one",
        ours / ROWS as f64 * 1e9,
        naive / ours
    );
}

/// A product of matrices, beside dot products of rows.
fn product() {
    const SIZE: usize = 600;
    let a: Vec<f64> = (0..SIZE * SIZE).map(|k| (k as f64).sin()).collect();
    let (mut sum, mut dots) = (vec![0.0; SIZE * SIZE], vec![0.0; SIZE * SIZE]);
    let matrix = MatrixView::new(&a, SIZE, SIZE, SIZE);
    let [ours, plain] = shortest(
        3,
        &mut [&mut || add_product(1.0, matrix, matrix.transposed(), &mut sum, SIZE), &mut || {
            for (row, out) in a.chunks(SIZE).zip(dots.chunks_mut(SIZE)) {
                f64::scores(row, &a, SIZE, out);
            }
        }],
    );
    black_box((&sum, &dots));
    println!(
        "  product of {SIZE} x {SIZE}: {:.0} billion operations/s, {:.1} times as fast as dot products",
        2.0 * (SIZE as f64).powi(3) / ours / 1e9,
        plain / ours
    );
}

fn dense<T: Generated + Arithmetic + bytemuck::Pod>(name: &str) {
    let mut values = vec![T::default(); ROWS * COLUMNS];
    let mut positive = vec![false; ROWS];
    Generator::new(ROWS, COLUMNS, 1).fill(0..ROWS, &mut values, &mut positive);
    let w: Vec<f64> = (0..COLUMNS).map(|k| (k as f64).sin()).collect();
    let mut out = vec![0.0; ROWS];
    let mut naive_out = vec![0.0; ROWS];
    let [read, scores, naive] = shortest(
        ROUNDS,
        &mut [
            &mut || {
                black_box(sum_words(bytemuck::cast_slice(&values)));
            },
            &mut || T::scores(black_box(&w), &values, COLUMNS, &mut out),
            &mut || naive_scores(black_box(&w), &values, &mut naive_out),
        ],
    );
    let bytes = size_of_val(&values[..]) as f64;
    println!(
        "  {name}: read {:.1} GB/s, scores {:.1} GB/s = {:.0} % of it; a plain loop {:.1} GB/s = {:.0} %",
        bytes / read / 1e9,
        bytes / scores / 1e9,
        100.0 * read / scores,
        bytes / naive / 1e9,
        100.0 * read / naive
    );
}

/// The loop that one writes first: one sum, in order.
fn naive_scores<T: Element>(w: &[f64], values: &[T], out: &mut [f64]) {
    for (row, out) in values.chunks_exact(w.len()).zip(out) {
        *out = row.iter().zip(w).map(|(x, w)| x.widen() * w).sum();
    }
}

/// Reads every word, with wide vectors where there are any: the bandwidth of a single thread.
fn sum_words(words: &[u64]) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the machine has the vector unit.
        return unsafe { sum_words_avx2(words) };
    }
    words.iter().fold(0, |sum, &word| sum.wrapping_add(word))
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn sum_words_avx2(words: &[u64]) -> u64 {
    words.iter().fold(0, |sum, &word| sum.wrapping_add(word))
}

/// Ten values per row out of 100,000 columns.
fn sparse() {
    const COLUMNS: usize = 100_000;
    const STORED: usize = 10;
    let mut state = 1_u64;
    let mut draw = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize
    };
    let mut indices = Vec::with_capacity(ROWS * STORED);
    for _ in 0..ROWS {
        let step = COLUMNS / STORED;
        indices.extend((0..STORED).map(|k| (k * step + draw() % step) as u32));
    }
    let values: Vec<f64> = (0..ROWS * STORED).map(|k| (k as f64).sin()).collect();
    let w: Vec<f64> = (0..COLUMNS).map(|k| (k as f64).cos()).collect();
    let (mut ours, mut naive) = (0.0, 0.0);
    let [scores, plain] = shortest(
        ROUNDS,
        &mut [
            &mut || {
                let rows = indices.chunks_exact(STORED).zip(values.chunks_exact(STORED));
                ours = rows.map(|(i, v)| sparse_dot(black_box(&w), i, v)).sum();
            },
            &mut || {
                let rows = indices.chunks_exact(STORED).zip(values.chunks_exact(STORED));
                let w = black_box(&w);
                let dot = |(i, v): (&[u32], &[f64])| {
                    i.iter().zip(v).map(|(&i, v)| w[i as usize] * v).sum::<f64>()
                };
                naive = rows.map(dot).sum();
            },
        ],
    );
    black_box((ours, naive));
    println!(
        "  sparse, {STORED} of {COLUMNS} values per row: {:.0} million values/s, {:.2} times a plain loop",
        (ROWS * STORED) as f64 / scores / 1e6,
        plain / scores
    );
}

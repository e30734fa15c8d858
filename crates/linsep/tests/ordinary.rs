//! Tables as people have them: timestamps beside fractions, columns of very different size, shares that
//! add up to one, sums, means, copies, low rank. Each is decided with no limit set, and proven.

#![allow(clippy::disallowed_methods, reason = "numbers of a test")]

use linsep::Samples;
use linsep::data::generate::Generator;
use linsep::decide::{DecideOptions, Verdict, Way, decide};
use linsep::proof::verify;

const ROWS: usize = 900;

/// Returns numbers between -1 and 1.
fn noise(columns: usize, seed: u64) -> Vec<Vec<f64>> {
    let samples = Generator::new(ROWS, columns, seed).samples::<f64>().unwrap();
    let row = |i| {
        let mut row = vec![];
        samples.features().for_each(i, |_, v| row.push(2.0 * v - 1.0));
        row
    };
    (0..ROWS).map(row).collect()
}

/// Checks a table under labels that one hyperplane makes of some hidden columns, and under the same
/// labels with every twentieth one wrong. Returns the ways taken.
fn check(name: &str, table: &[Vec<f64>], hidden: &[Vec<f64>]) -> [Way; 2] {
    let side = |row: &Vec<f64>| {
        let weights = (0..row.len()).map(|k| if k % 3 == 0 { 1.0 } else { -0.75 });
        row.iter().zip(weights).map(|(v, w)| v * w).sum::<f64>()
    };
    let labels: Vec<bool> = hidden.iter().map(|row| side(row) > 0.0).collect();
    let wrong: Vec<bool> =
        labels.iter().enumerate().map(|(i, &label)| label ^ (i % 20 == 7)).collect();
    [(labels, Verdict::Separable), (wrong, Verdict::Inseparable)].map(|(labels, expected)| {
        let samples = Samples::dense(table.concat(), table[0].len(), labels).unwrap();
        let decision = decide(&samples, &DecideOptions::default(), &mut ()).unwrap();
        assert_eq!(decision.verdict(), Some(expected), "{name}: {:?}", decision.outcome);
        let verified = verify(&samples, decision.proof().unwrap()).unwrap();
        assert_eq!(verified.verdict(), expected, "{name}");
        decision.way
    })
}

fn with(rows: &[Vec<f64>], change: impl Fn(&mut Vec<f64>)) -> Vec<Vec<f64>> {
    let mut rows = rows.to_vec();
    rows.iter_mut().for_each(change);
    rows
}

#[test]
fn columns_of_very_different_size() {
    let hidden = noise(45, 1);
    let timestamp = with(&hidden, |row| row[0] = (1.7e9 + row[0] * 1e7).round());
    // The label is that of the table's own columns, which were rounded.
    let seen = with(&timestamp, |row| row[0] = (row[0] - 1.7e9) / 1e7);
    let mut ways = check("timestamp", &timestamp, &seen).to_vec();
    for most in [40, 200] {
        let scaled = with(&hidden, |row| {
            for (k, v) in row.iter_mut().enumerate() {
                *v *= 2f64.powi((k as i32 * 37) % (2 * most) - most);
            }
        });
        ways.extend(check("scales", &scaled, &hidden));
    }
    let far = with(&hidden, |row| row.iter_mut().for_each(|v| *v += 1e8));
    let seen = with(&far, |row| row.iter_mut().for_each(|v| *v -= 1e8));
    ways.extend(check("offset", &far, &seen));
    assert!(on_the_ladder(&ways) >= 4, "{ways:?}");
}

/// Returns how many took the way that these tables are here for.
fn on_the_ladder(ways: &[Way]) -> usize {
    ways.iter().filter(|way| **way == Way::Ladder).count()
}

#[test]
fn columns_that_depend_on_each_other_up_to_rounding() {
    let hidden = noise(45, 2);
    let mean = with(&hidden, |row| row.push(row.iter().sum::<f64>() / 45.0));
    let sums = with(&hidden, |row| row.extend([row[0] + row[1], row[2] + row[3]]));
    let copies = with(&hidden, |row| {
        let more: Vec<f64> =
            row[..8].iter().zip(&row[8..16]).map(|(v, noise)| v * (1.0 + 1e-12 * noise)).collect();
        row.extend(more);
    });
    let shares = with(&hidden, |row| {
        let total: f64 = row.iter().map(|v| v + 1.5).sum();
        row.iter_mut().for_each(|v| *v = (*v + 1.5) / total);
    });
    let mut ways = vec![];
    for (name, table) in [("mean", &mean), ("sums", &sums), ("copies", &copies)] {
        ways.extend(check(name, table, &hidden));
    }
    let seen = with(&shares, |row| row.iter_mut().for_each(|v| *v -= 1.0 / 45.0));
    ways.extend(check("shares", &shares, &seen));
    // Twelve hidden columns, and sixty sums of them, each rounded.
    let (few, mix) = (noise(12, 3), noise(60, 4));
    let low = with(&few, |row| {
        let mixed = |k: usize| row.iter().zip(&mix).map(|(v, weights)| v * weights[k]).sum();
        *row = (0..60).map(mixed).collect();
    });
    ways.extend(check("low rank", &low, &few));
    assert!(on_the_ladder(&ways) >= 3, "{ways:?}");
}

#[test]
fn one_feature_that_separates_some_rows() {
    // A hundred columns and labels by chance; one more column is zero but in fifty rows.
    let mut table = noise(100, 5);
    let labels: Vec<bool> = (0..ROWS).map(|i| i * i % 7 < 3).collect();
    for (i, row) in table.iter_mut().enumerate() {
        row.push(if i % 18 == 5 { f64::from(u8::from(labels[i])) * 2.0 - 1.0 } else { 0.0 });
    }
    let samples = Samples::dense(table.concat(), 101, labels).unwrap();
    let decision = decide(&samples, &DecideOptions::default(), &mut ()).unwrap();
    assert_eq!(decision.verdict(), Some(Verdict::QuasiSeparable));
    assert!(verify(&samples, decision.proof().unwrap()).is_ok());
}

/// Checks the verdict on a table, and its proof.
fn decided(name: &str, table: &[Vec<f64>], labels: Vec<bool>, expected: Verdict) {
    let samples = Samples::dense(table.concat(), table[0].len(), labels).unwrap();
    let decision = decide(&samples, &DecideOptions::default(), &mut ()).unwrap();
    assert_eq!(decision.verdict(), Some(expected), "{name}");
    let verified = verify(&samples, decision.proof().unwrap()).unwrap();
    assert_eq!(verified.verdict(), expected, "{name}");
}

#[test]
fn three_factors_of_many_levels() {
    // Dummies for all levels, so that the columns of each factor add up to one; labels by chance.
    let levels = [52, 55, 57];
    let mut state = 3_u64;
    let mut draw = |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    let chosen: Vec<[usize; 3]> = (0..2500).map(|_| levels.map(&mut draw)).collect();
    let labels: Vec<bool> = chosen.iter().map(|_| draw(2) == 1).collect();
    let row = |chosen: &[usize; 3]| {
        let dummies = |k: usize| {
            let level = chosen[k];
            (0..levels[k]).map(move |l| f64::from(u8::from(l == level)))
        };
        (0..3).flat_map(dummies).collect::<Vec<f64>>()
    };
    let table: Vec<Vec<f64>> = chosen.iter().map(row).collect();
    decided("by chance", &table, labels.clone(), Verdict::Inseparable);
    // One level that only one class has: the dummy separates its rows, the others still overlap.
    let rare = labels.iter().zip(&chosen).map(|(&p, chosen)| p || chosen[1] == 4).collect();
    decided("rare level", &table, rare, Verdict::QuasiSeparable);
}

#[test]
fn a_hidden_combination_that_separates_some_rows() {
    // Whole numbers, so that x0 + x1 + 2 x2 - x3 is zero exactly, but in some rows; labels by chance.
    for columns in [45, 90, 170] {
        let labels: Vec<bool> = (0..ROWS).map(|i| (i * 31 + i * i * 7) % 13 < 6).collect();
        let mut table = with(&noise(columns, 6), |row| {
            row.iter_mut().for_each(|v| *v = (*v * 20.0).round());
        });
        for (i, row) in table.iter_mut().enumerate() {
            let sign = if labels[i] { 1.0 } else { -1.0 };
            let strict = if i % 15 == 2 { sign * (1 + i % 3) as f64 } else { 0.0 };
            row[0] = strict - row[1] - 2.0 * row[2] + row[3];
        }
        decided("hidden", &table, labels, Verdict::QuasiSeparable);
    }
}

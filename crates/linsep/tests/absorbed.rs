//! Factors of many levels: the same answers as for their dummies by hand, on random designs; published cases; proofs that hold for no
//! neighbouring question.

use linsep::data::Features;
use linsep::data::samples::Dense;
use linsep::models::{
    Factor, Model, Response, Separation, SeparationError, SeparationKind, SeparationOptions, Sign,
    Trial, absorbed_design, check_absorbed, check_model,
};
use linsep::proof::{Verdict, verify_model};

/// Integers in the order of a fixed seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % n as u64) as usize
    }
}

/// A model with factors.
#[derive(Clone, Debug)]
struct Case {
    model: Model,
    columns: Vec<Vec<f64>>,
    factors: Vec<Factor>,
    trials: Vec<Trial>,
    kept: Option<Vec<bool>>,
}

fn dense(columns: &[Vec<f64>], rows: usize) -> Features {
    let values = (0..rows).flat_map(|i| columns.iter().map(move |column| column[i])).collect();
    Features::from(Dense::new(values, rows, columns.len()))
}

impl Case {
    fn rows(&self) -> usize {
        self.trials.len()
    }

    fn x(&self) -> Features {
        dense(&self.columns, self.rows())
    }

    fn response(&self) -> Response {
        Response::Trials(self.trials.clone())
    }

    fn found(&self) -> Result<Separation, SeparationError> {
        let options = SeparationOptions::default();
        let (x, kept) = (self.x(), self.kept.as_deref());
        check_absorbed(&x, &self.factors, &self.model, &self.response(), kept, &options, &mut ())
    }

    fn counted(&self) -> Vec<bool> {
        let kept = |row: usize| self.kept.as_ref().is_none_or(|kept| kept[row]);
        (0..self.rows()).map(|row| kept(row) && self.trials[row] != Trial::Neither).collect()
    }

    fn design(&self) -> Features {
        absorbed_design(&self.x(), &self.factors, Some(&self.counted()))
    }

    /// Returns the columns and a dummy for every level.
    fn by_hand(&self) -> Features {
        let mut columns = self.columns.clone();
        for Factor { levels, codes, .. } in &self.factors {
            for level in 0..levels.len() as u32 {
                columns.push(codes.iter().map(|code| f64::from(*code == level)).collect());
            }
        }
        dense(&columns, self.rows())
    }

    /// Returns the answer for all dummies by hand, with no constant.
    fn found_by_hand(&self) -> Separation {
        let model = match self.model {
            Model::Binomial { .. } => Model::Binomial { intercept: false },
            _ => Model::Poisson { intercept: false },
        };
        let (options, kept) = (SeparationOptions::default(), self.kept.as_deref());
        check_model(&self.by_hand(), &model, &self.response(), kept, &options, &mut ()).unwrap()
    }
}

fn factor(name: &str, codes: Vec<u32>, levels: usize) -> Factor {
    Factor { name: name.into(), levels: (0..levels).map(|l| format!("l{l}")).collect(), codes }
}

fn random(dice: &mut Dice) -> Case {
    let rows = 2 + dice.below(24);
    let count = 1 + dice.below(3);
    let factors: Vec<Factor> = (0..count)
        .map(|f| {
            let levels = 1 + dice.below(1 + rows / 2);
            let codes = (0..rows).map(|_| dice.below(levels) as u32).collect();
            factor(&format!("f{f}"), codes, levels)
        })
        .collect();
    let mut columns: Vec<Vec<f64>> = vec![];
    for _ in 0..dice.below(4) {
        let kind = dice.below(7);
        let last = columns.last().cloned();
        columns.push(
            (0..rows)
                .map(|i| match (kind, &last) {
                    (0, _) => f64::from(dice.below(2) == 0),
                    (1, _) => f64::from(dice.below(6) == 0),
                    (2, _) => f64::from(factors[0].codes[i]) * 0.1,
                    (3, Some(last)) => last[i] * 3.0,
                    (4, _) => 1.7e9 + dice.below(100) as f64,
                    (5, _) => dice.below(3) as f64 / 3.0 - 0.4,
                    _ => dice.below(5) as f64 - 2.0,
                })
                .collect(),
        );
    }
    let counts = dice.below(2) == 0;
    let rare = 1 + dice.below(6);
    let trials = (0..rows)
        .map(|_| match (counts, dice.below(rare + 1)) {
            (true, 0) => Trial::Both,
            (true, _) => Trial::Failure,
            (false, 0) => Trial::Success,
            (false, 1) if dice.below(12) == 0 => Trial::Both,
            (false, 1) if dice.below(12) == 0 => Trial::Neither,
            (false, _) => Trial::Failure,
        })
        .collect();
    let model = match counts {
        true => Model::Poisson { intercept: true },
        false => Model::Binomial { intercept: true },
    };
    let kept =
        (dice.below(3) == 0).then(|| (0..rows).map(|_| dice.below(5) > 0).collect::<Vec<bool>>());
    Case { model, columns, factors, trials, kept }
}

/// Checks that the answer is that for all dummies by hand, and that its proof holds.
fn check(case: &Case) -> Option<Separation> {
    let found = match case.found() {
        Ok(found) => found,
        Err(SeparationError::Model(_)) => return None,
        Err(error) => panic!("{error}: {case:?}"),
    };
    let by_hand = case.found_by_hand();
    let width = case.columns.len();
    assert_eq!(found.kind, by_hand.kind, "{case:?}");
    assert_eq!((found.open, by_hand.open), (None, None), "{case:?}");
    assert_eq!(found.rows, by_hand.rows, "{case:?}");
    assert_eq!(found.separated, found.rows.len());
    assert_eq!(found.cone_dimension, by_hand.cone_dimension, "{case:?}");
    let own = |all: &[usize]| all.iter().copied().filter(|k| *k < width).collect::<Vec<usize>>();
    assert_eq!(found.aliased, own(&by_hand.aliased), "{case:?}");
    let infinite = |of: &Separation| -> Vec<(usize, Sign)> {
        of.infinite.iter().copied().filter(|(k, _)| *k < width).collect()
    };
    let places = |of: &Separation| infinite(of).iter().map(|(k, _)| *k).collect::<Vec<usize>>();
    assert_eq!(places(&found), places(&by_hand), "{case:?}");
    assert_eq!(infinite(&found), infinite(&by_hand), "{case:?}");
    let proof = found.proof.as_ref().unwrap();
    let (design, response, kept) = (case.design(), case.response(), case.kept.as_deref());
    let verified = verify_model(&design, &case.model, &response, kept, proof).unwrap().unwrap();
    let verdict = match found.kind {
        SeparationKind::Complete => Verdict::Separable,
        SeparationKind::QuasiComplete => Verdict::QuasiSeparable,
        _ => Verdict::Inseparable,
    };
    assert_eq!(verified.verdict(), verdict);
    // Levels that are gone are those without a row that is left.
    let counted = case.counted();
    for (own, Factor { levels, codes, .. }) in found.absorbed.iter().zip(&case.factors) {
        let with = |level: usize, of: &dyn Fn(usize) -> bool| {
            (0..case.rows()).any(|row| codes[row] as usize == level && of(row))
        };
        let gone: Vec<usize> = own.gone.iter().map(|(level, _)| *level).collect();
        let expected: Vec<usize> = (0..levels.len())
            .filter(|&level| with(level, &|row| counted[row]))
            .filter(|&level| !with(level, &|row| counted[row] && !found.rows.contains(&row)))
            .collect();
        assert_eq!(gone, expected, "{case:?}");
        assert_eq!(
            own.levels,
            (0..levels.len()).filter(|&level| with(level, &|row| counted[row])).count()
        );
    }
    Some(found)
}

#[test]
fn random_designs_have_the_answers_of_their_dummies() {
    let mut dice = Dice(5);
    let mut kinds = [0; 3];
    let (mut infinite, mut aliased) = (0, 0);
    let cases = std::env::var("CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(1500);
    for _ in 0..cases {
        let case = random(&mut dice);
        let Some(found) = check(&case) else { continue };
        kinds[match found.kind {
            SeparationKind::Complete => 0,
            SeparationKind::QuasiComplete => 1,
            _ => 2,
        }] += 1;
        infinite += usize::from(!found.infinite.is_empty());
        aliased += usize::from(!found.aliased.is_empty());
    }
    println!("{kinds:?}, {infinite} with infinite columns, {aliased} with aliased ones");
    let all: i32 = kinds.iter().sum();
    assert!(kinds.iter().all(|count| *count > all / 50), "{kinds:?}");
    assert!(infinite > all as usize / 20 && aliased > all as usize / 20);
}

/// Returns the factor of texts.
fn of_texts(name: &str, texts: &[&str]) -> Factor {
    let mut levels: Vec<String> = texts.iter().map(|text| text.to_string()).collect();
    levels.sort();
    levels.dedup();
    let code = |text: &&str| levels.iter().position(|level| level == text).unwrap() as u32;
    Factor { name: name.into(), codes: texts.iter().map(code).collect(), levels }
}

#[test]
fn published_cases() {
    for number in 1..=18 {
        let path =
            format!("{}/../../testdata/ppmlhdfe/{number:02}.csv", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).unwrap();
        let lines: Vec<Vec<&str>> = text
            .lines()
            .map(|line| line.split(',').collect())
            .filter(|l: &Vec<_>| l.len() > 1)
            .collect();
        let (names, rows) = lines.split_first().unwrap();
        let of = |k: usize| rows.iter().map(|row| row[k]).collect::<Vec<&str>>();
        let numbers = |k: usize| of(k).iter().map(|v| v.parse().unwrap()).collect::<Vec<f64>>();
        let starting = |start: char| (0..names.len()).filter(move |&k| names[k].starts_with(start));
        let mut factors: Vec<Factor> = starting('i').map(|k| of_texts(names[k], &of(k))).collect();
        if factors.is_empty() {
            // A constant.
            factors.push(factor("all", vec![0; rows.len()], 1));
        }
        let count = |y: &f64| if *y > 0.0 { Trial::Both } else { Trial::Failure };
        let case = Case {
            model: Model::Poisson { intercept: true },
            columns: starting('x').map(numbers).collect(),
            factors,
            trials: numbers(0).iter().map(count).collect(),
            kept: None,
        };
        let found = check(&case).expect("outcomes");
        let separated = numbers(names.len() - 1);
        let expected: Vec<usize> = (0..rows.len()).filter(|&row| separated[row] > 0.0).collect();
        assert_eq!(found.rows, expected, "{number:02}.csv");
    }
}

/// A staircase: each level has one row of its own kind only once the level before has gone.
fn staircase(rounds: usize) -> Case {
    let (mut a, mut b, mut trials) = (vec![], vec![], vec![]);
    for k in 0..rounds as u32 {
        // Level k of the first factor: a failure, and an event that goes with level k of the second.
        a.extend([k, k]);
        b.extend([k + 1, k]);
        trials.extend([Trial::Failure, Trial::Success]);
    }
    let size = rounds + 1;
    let factors = vec![factor("a", a, rounds), factor("b", b, size)];
    Case {
        model: Model::Binomial { intercept: true },
        columns: vec![],
        factors,
        trials,
        kept: None,
    }
}

#[test]
fn long_chains_are_peeled() {
    assert!(check(&staircase(12)).is_some());
    let case = staircase(20_000);
    let found = case.found().unwrap();
    assert_eq!(found.kind, SeparationKind::Complete);
    assert_eq!(found.rows.len(), 40_000);
    let (design, response) = (case.design(), case.response());
    let proof = found.proof.as_ref().unwrap();
    assert!(verify_model(&design, &case.model, &response, None, proof).unwrap().is_ok());
}

#[test]
fn a_proof_holds_for_no_neighbouring_question() {
    let mut dice = Dice(11);
    let (mut tried, mut other) = (0, 0);
    while tried < 300 {
        let case = random(&mut dice);
        let Ok(found) = case.found() else { continue };
        let proof = found.proof.unwrap();
        tried += 1;
        // Without the levels, with a level changed, another outcome, another model: refused, as it is about other data.
        let mut others = vec![];
        let mut changed = case.clone();
        let row = dice.below(case.rows());
        let own = &mut changed.factors[0];
        own.codes[row] = (own.codes[row] + 1) % own.levels.len() as u32;
        if changed.design_values() != case.design_values() {
            others.push(changed);
        }
        let mut changed = case.clone();
        changed.trials[row] = match changed.trials[row] {
            Trial::Failure => Trial::Both,
            _ => Trial::Failure,
        };
        if case.counted()[row] {
            others.push(changed);
        }
        let mut changed = case.clone();
        changed.model = match case.model {
            Model::Poisson { .. } => Model::NegativeBinomial { intercept: true },
            _ => Model::Binomial { intercept: false },
        };
        others.push(changed);
        for changed in others {
            let (design, kept) = (changed.design(), changed.kept.as_deref());
            let verified = verify_model(&design, &changed.model, &changed.response(), kept, &proof);
            assert!(verified.is_err() || verified.unwrap().is_err(), "{case:?}");
            other += 1;
        }
        let plain =
            verify_model(&case.x(), &case.model, &case.response(), case.kept.as_deref(), &proof);
        let same = case.columns.len() == case.design().columns();
        assert!(same || plain.is_err() || plain.unwrap().is_err(), "{case:?}");
    }
    assert!(other > 500);
}

impl Case {
    fn design_values(&self) -> Vec<(usize, usize, u64)> {
        let (design, mut all) = (self.design(), vec![]);
        for row in (0..self.rows()).filter(|&row| self.counted()[row]) {
            design.for_each(row, |k, value| all.push((row, k, value.to_bits())));
        }
        all
    }
}

/// Levels and columns as people have them: larger than what is compared with dummies by hand, with Newton's method.
#[test]
fn hundreds_of_levels() {
    let mut dice = Dice(3);
    for (counts, second) in [(false, 40), (true, 40), (false, 300), (true, 1)] {
        let rows = 4000;
        let levels = 400;
        let codes = |dice: &mut Dice, levels: usize| -> Vec<u32> {
            (0..rows).map(|_| dice.below(levels) as u32).collect()
        };
        let factors = vec![
            factor("a", codes(&mut dice, levels), levels),
            factor("b", codes(&mut dice, second), second),
        ];
        let x: Vec<f64> = (0..rows).map(|_| dice.below(1000) as f64 / 7.0).collect();
        let event = if counts { Trial::Both } else { Trial::Success };
        let trials: Vec<Trial> =
            (0..rows).map(|_| if dice.below(5) == 0 { event } else { Trial::Failure }).collect();
        // A column that is a sum of levels, one with failures alone where it is not zero, and a multiple of another.
        let sum = factors[0].codes.iter().zip(&factors[1].codes).map(|(a, b)| f64::from(a * 3 + b));
        let rare = |row: usize| {
            f64::from(u8::from(trials[row] == Trial::Failure && row.is_multiple_of(50)))
        };
        let rare: Vec<f64> = (0..rows).map(rare).collect();
        let doubled: Vec<f64> = x.iter().map(|x| 2.0 * x).collect();
        let model = match counts {
            true => Model::Poisson { intercept: true },
            false => Model::Binomial { intercept: true },
        };
        let columns = vec![x, rare, sum.collect(), doubled];
        let case = Case { model, columns, factors, trials, kept: None };
        let found = case.found().unwrap();
        assert_eq!((found.kind, found.open), (SeparationKind::QuasiComplete, None));
        assert_eq!(found.aliased, [0, 2, 3]);
        assert_eq!(found.infinite, [(1, Sign::Minus)]);
        assert!(found.absorbed[0].gone.len() > 5 || second == 300);
        for own in &case.factors[..1] {
            let left = |level: u32| {
                (0..rows)
                    .any(|row| own.codes[row] == level && found.rows.binary_search(&row).is_err())
            };
            let gone = (0..levels).filter(|&level| !left(level as u32)).count();
            assert_eq!(gone, found.absorbed[0].gone.len());
        }
        let (design, response) = (case.design(), case.response());
        let proof = found.proof.as_ref().unwrap();
        assert!(verify_model(&design, &case.model, &response, None, proof).unwrap().is_ok());
    }
}

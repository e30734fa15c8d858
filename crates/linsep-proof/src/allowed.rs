//! Which coefficients a log-binomial model allows: P(success) = exp(x·h) has to be a probability.
//!
//! ```text
//! x·h <= 0    in every row with a trial
//! x·h <  0    in those with a failure, or the likelihood is zero
//! ```
//!
//! With an intercept, or a column that is constant, there are always such h: the constant alone, below zero. Complete
//! separation names one itself: x·h = 0 where there is a success, and < 0 where there is a failure. In all other cases
//! a proof has to, or it would speak of a likelihood that is zero everywhere.

use std::cmp::Ordering;

use linsep_data::Features;
use rayon::prelude::*;

use crate::exact::{ExactPlane, Row};
use crate::proof::{Claim, Integers, Proof};
use crate::refused::Refused;
use crate::structure::{Model, Response, Trial};

/// Checks that a proof about a model speaks of a likelihood that is not zero everywhere. Costs a look at all rows
/// where it names coefficients.
pub(crate) fn check_allowed(
    design: &Features,
    model: &Model,
    response: &Response,
    kept: Option<&[bool]>,
    proof: &Proof,
) -> Result<(), Refused> {
    let name = proof.model.as_ref();
    let allowed = name.and_then(|name| name.allowed.as_ref());
    let (Model::LogBinomial { intercept: false }, Response::Trials(trials)) = (model, response)
    else {
        return allowed.map_or(Ok(()), |_| Err(Refused::AllowedOfOther));
    };
    let Some(Integers(coefficients)) = allowed else {
        let constant = name.is_some_and(|name| name.constant.is_some());
        let known = constant || matches!(proof.claim, Claim::Separable { .. });
        return if known { Ok(()) } else { Err(Refused::NothingAllowed) };
    };
    let (found, expected) = (coefficients.len(), design.columns());
    if found != expected {
        return Err(Refused::WrongLength { found, expected });
    }
    let plane = ExactPlane::new(coefficients.clone(), 0.into());
    let wrong = |&row: &usize| {
        let most = match trials[row] {
            _ if kept.is_some_and(|kept| !kept[row]) => return false,
            Trial::Neither => return false,
            Trial::Success => Ordering::Equal,
            Trial::Failure | Trial::Both => Ordering::Less,
        };
        plane.sign(Row::of(design, row)) > most
    };
    match (0..design.rows()).into_par_iter().find_first(wrong) {
        Some(row) => Err(Refused::NotAllowed { row: row + 1 }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use dashu_int::IBig;
    use linsep_data::samples::Dense;

    use super::*;
    use crate::structure::Trial::{Both, Failure, Neither, Success};
    use linsep_data::Samples;

    const BARE: Model = Model::LogBinomial { intercept: false };

    /// Three rows of two columns.
    fn design() -> Features {
        Features::from(Dense::new(vec![1.0, 0.0, 0.0, 1.0, 2.0, -3.0], 3, 2))
    }

    /// Returns what is said of coefficients for these trials, in rows that are kept.
    fn check(
        coefficients: Option<&[i64]>,
        trials: [Trial; 3],
        kept: Option<&[bool]>,
    ) -> Result<(), Refused> {
        let mut proof = overlap().of_model(BARE, None);
        if let Some(coefficients) = coefficients {
            proof = proof.with_allowed(coefficients.iter().map(|&v| IBig::from(v)).collect());
        }
        check_allowed(&design(), &BARE, &Response::Trials(trials.to_vec()), kept, &proof)
    }

    fn samples() -> Samples {
        Samples::dense(vec![0.0, 1.0], 1, vec![false, true]).unwrap()
    }

    fn overlap() -> Proof {
        Proof::inseparable(&samples(), vec![], vec![])
    }

    #[test]
    fn a_success_may_be_certain_and_a_failure_may_not() {
        // Scores -1, 0 and -2.
        assert_eq!(check(Some(&[-1, 0]), [Failure, Success, Both], None), Ok(()));
        for certain in [Failure, Both] {
            let found = check(Some(&[-1, 0]), [Failure, certain, Failure], None);
            assert_eq!(found, Err(Refused::NotAllowed { row: 2 }));
        }
        // Scores 0, -1 and 3: above zero is a probability above one.
        let found = check(Some(&[0, -1]), [Success, Failure, Success], None);
        assert_eq!(found, Err(Refused::NotAllowed { row: 3 }));
        // The first of several is named.
        let found = check(Some(&[1, 1]), [Success, Success, Success], None);
        assert_eq!(found, Err(Refused::NotAllowed { row: 1 }));
    }

    #[test]
    fn rows_without_trials_and_those_left_out_allow_anything() {
        assert_eq!(check(Some(&[0, -1]), [Success, Failure, Neither], None), Ok(()));
        let left_out = [true, true, false];
        assert_eq!(check(Some(&[0, -1]), [Success, Failure, Failure], Some(&left_out)), Ok(()));
        let found = check(Some(&[0, -1]), [Success, Failure, Failure], Some(&[true; 3]));
        assert_eq!(found, Err(Refused::NotAllowed { row: 3 }));
    }

    #[test]
    fn one_coefficient_per_column() {
        for few in [&[-1][..], &[-1, 0, 0]] {
            let found = check(Some(few), [Failure; 3], None);
            assert_eq!(found, Err(Refused::WrongLength { found: few.len(), expected: 2 }));
        }
    }

    #[test]
    fn coefficients_are_named_unless_something_provides_them() {
        let trials = Response::Trials(vec![Success, Failure, Both]);
        let found =
            |model: Model, proof: &Proof| check_allowed(&design(), &model, &trials, None, proof);
        assert_eq!(check(None, [Success, Failure, Both], None), Err(Refused::NothingAllowed));
        assert_eq!(found(BARE, &overlap().of_model(BARE, Some(0))), Ok(()));
        let complete = Proof::separable(&samples(), (vec![1.0], -0.5)).of_model(BARE, None);
        assert_eq!(found(BARE, &complete), Ok(()));
        let others = [Model::LogBinomial { intercept: true }, Model::Poisson { intercept: false }];
        for other in others {
            let proof = overlap().of_model(other, None);
            assert_eq!(found(other, &proof), Ok(()));
            let named = proof.with_allowed(vec![IBig::from(-1), IBig::from(0)]);
            assert_eq!(found(other, &named), Err(Refused::AllowedOfOther));
        }
    }
}

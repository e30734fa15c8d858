//! After a conflict: inseparable, or quasi-separable?
//!
//! ```text
//! the conflict spans everything           rank modulo a prime, which is never too high       inseparable
//! one feature has one sign                a pass                                          quasi-separable
//! one projection tells                    floats, on lifted rows, then on the ladder   cone.rs
//! exact arithmetic tells                  whatever the data                            alternative.rs
//! ```
//!
//! Each is asked if those before it had no answer that the checker accepts. The last one always has.

mod cone;

use dashu_int::IBig;
use linsep_proof::Conflict;

use super::alternative::{self, AlternativeAnswer, AlternativeQuestion};
use super::exact::Halt;
use super::exact::conflict::rank;
use super::exact::rows::SignedRows;
use super::folds::one_sided::OneSided;
use super::outcome::WeakSeparator;
use super::passes::{PassError, Passes};
use super::spanning::basis;
use super::view::RowView;

/// What a conflict turned out to be.
pub(super) enum Class {
    /// Not even weakly separable. The conflict spans all rows.
    Inseparable {
        /// The conflict.
        conflict: Conflict,
        /// A basis of what all rows are orthogonal to.
        orthogonal: Vec<Vec<IBig>>,
    },
    /// Weakly separable.
    QuasiSeparable {
        /// The conflict that rules a strict separator out.
        conflict: Conflict,
        /// A weak separator.
        separator: WeakSeparator,
    },
}

/// The question, and how it is asked next.
pub(super) struct Weak {
    conflict: Conflict,
    next: Attempt,
}

#[derive(Clone, Copy)]
enum Attempt {
    Span,
    Feature,
    Lifted,
    Ladder,
    Exact,
    Over,
}

impl Weak {
    /// Returns the question for a proven conflict.
    pub fn new(conflict: Conflict) -> Self {
        Weak { conflict, next: Attempt::Span }
    }

    /// Returns the next answer, which may not stand; nothing if there is no other, or if it was halted.
    /// Errors if the data cannot be read.
    pub fn advance(&mut self, data: &Passes, halt: Halt) -> Result<Option<Class>, PassError> {
        while !halt() {
            let found = match self.next {
                Attempt::Span => {
                    self.next = Attempt::Feature;
                    self.spanning(data, halt)?
                }
                Attempt::Feature => {
                    self.next = Attempt::Lifted;
                    self.one_feature(data, halt)?
                }
                Attempt::Lifted => {
                    self.next = Attempt::Ladder;
                    let rows = cone::some_rows(data.shape(), &self.conflict);
                    cone::classify(data, &RowView::Lifted, rows, &self.conflict, halt)?
                }
                Attempt::Ladder => {
                    self.next = Attempt::Exact;
                    let rows = cone::some_rows(data.shape(), &self.conflict);
                    match RowView::ladder(data, rows, halt)? {
                        Some((view, rows)) => {
                            cone::classify(data, &view, rows, &self.conflict, halt)?
                        }
                        None => None,
                    }
                }
                Attempt::Exact => {
                    self.next = Attempt::Over;
                    self.exactly(data, halt)?
                }
                Attempt::Over => return Ok(None),
            };
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    fn spanning(&self, data: &Passes, halt: Halt) -> Result<Option<Class>, PassError> {
        // Rows that combine to zero have a rank below their number.
        if self.conflict.len() <= data.shape().columns + 1 {
            return Ok(None);
        }
        let rows = SignedRows::all(&data.fetch(&self.conflict.rows())?);
        let all = rank(&rows, halt) == Some(rows.dimension);
        let conflict = self.conflict.clone();
        Ok(all.then_some(Class::Inseparable { conflict, orthogonal: vec![] }))
    }

    fn one_feature(&self, data: &Passes, halt: Halt) -> Result<Option<Class>, PassError> {
        let found = data.fold(OneSided::new(data.shape()), halt)?.first();
        Ok(found.map(|(feature, sign)| {
            let mut weights = vec![IBig::ZERO; data.shape().columns];
            weights[feature] = IBig::from(sign);
            self.quasi_separable(WeakSeparator { weights, bias: IBig::ZERO })
        }))
    }

    fn exactly(&self, data: &Passes, halt: Halt) -> Result<Option<Class>, PassError> {
        let rows = cone::some_rows(data.shape(), &self.conflict);
        let Some((basis, orthogonal)) = basis(data, rows, halt)? else {
            return Ok(None);
        };
        let question = AlternativeQuestion::Weak(&basis);
        let answer = alternative::decide(data, question, &self.conflict.rows(), halt)?;
        Ok(answer.map(|answer| match answer {
            AlternativeAnswer::Separator(w) => self.quasi_separable(separator(w)),
            AlternativeAnswer::Conflict(conflict) => Class::Inseparable { conflict, orthogonal },
        }))
    }

    fn quasi_separable(&self, separator: WeakSeparator) -> Class {
        Class::QuasiSeparable { conflict: self.conflict.clone(), separator }
    }
}

/// Returns the weights of all but the last number, which is the bias.
fn separator(mut w: Vec<IBig>) -> WeakSeparator {
    let bias = w.pop().expect("a bias");
    WeakSeparator { weights: w, bias }
}

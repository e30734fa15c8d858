//! Passes: the one way in which the search reads all rows.
//!
//! ```text
//! the first pass       is always made; the first look rides along, and names the data
//! any other            is not made if the journal knows what it finds
//! after a halt         passes are made and not kept: a run without the limit would not make them
//! ```
//!
//! The checker never reads through here: it sees the data itself.

use std::cell::{OnceCell, RefCell};

use linsep_data::{Data, Error, Reads, Shape};

use super::exact::Halt;
use super::folds::first_look::{Facts, FirstLook};
use super::journal::{Journal, JournalError};
use super::options::DecideOptions;
use crate::Samples;
use crate::queries::{Listed, fold, fold_until};

/// Why a pass was not made.
#[derive(Debug)]
pub(crate) enum PassError {
    /// The data cannot be read.
    Data(Error),
    /// The journal cannot be used.
    Journal(JournalError),
}

impl From<Error> for PassError {
    fn from(error: Error) -> Self {
        PassError::Data(error)
    }
}

impl From<JournalError> for PassError {
    fn from(error: JournalError) -> Self {
        PassError::Journal(error)
    }
}

/// The data as the search reads it.
pub(super) struct Passes<'a> {
    data: &'a dyn Data,
    journal: Option<RefCell<&'a mut Journal>>,
    /// What the first pass has found beside what it was for.
    facts: OnceCell<Facts>,
}

impl<'a> Passes<'a> {
    /// Returns the data before its first pass.
    pub fn new(data: &'a dyn Data) -> Self {
        Passes { data, journal: None, facts: OnceCell::new() }
    }

    /// Returns the same with a journal. Errors if that is of another run.
    pub fn with_journal(
        data: &'a dyn Data,
        options: &DecideOptions,
        journal: &'a mut Journal,
    ) -> Result<Self, PassError> {
        journal.enter_run(data, options)?;
        Ok(Passes { journal: Some(RefCell::new(journal)), ..Passes::new(data) })
    }

    /// Returns the data itself, for the checker.
    pub fn raw(&self) -> &'a dyn Data {
        self.data
    }

    /// Returns the shape.
    pub fn shape(&self) -> Shape {
        self.data.shape()
    }

    /// Returns a copy of these rows.
    pub fn fetch(&self, rows: &[usize]) -> Result<Samples, Error> {
        self.data.fetch(rows)
    }

    /// Returns the rows, brought into memory if they fit.
    pub fn gather(&self) -> Result<Option<&'a Samples>, Error> {
        self.data.gather()
    }

    /// Returns the count of what was read.
    pub fn reads(&self) -> &'a Reads {
        self.data.reads()
    }

    /// Returns what is found in all rows, by a pass or by the journal.
    pub fn fold<Q: Listed>(&self, asked: Q, halt: Halt) -> Result<Q::Found, PassError> {
        // Without a halt so far, a run without limits has done the same up to here.
        let journal = self.journal.as_ref().filter(|_| !halt());
        if self.facts.get().is_none() {
            let query = (asked, FirstLook::new(self.shape()));
            let (found, look) = fold(self.data, &query)?;
            self.know(query.1.facts(look))?;
            if let Some(journal) = journal {
                journal.borrow_mut().confirm(&query.0, &found)?;
            }
            return Ok(found);
        }
        let Some(journal) = journal else {
            return Ok(fold(self.data, &asked)?);
        };
        if let Some(found) = journal.borrow_mut().restore(&asked, self.shape())? {
            self.reads().add(self.shape().rows as u64);
            return Ok(found);
        }
        let found = fold(self.data, &asked)?;
        journal.borrow_mut().keep(&asked, &found)?;
        Ok(found)
    }

    /// Returns the same for a query that looks long at each row: it may be halted within the pass, and nothing is
    /// returned then. Where there is a journal the pass is made to its end.
    pub fn fold_until<Q: Listed>(
        &self,
        asked: Q,
        halt: Halt,
    ) -> Result<Option<Q::Found>, PassError> {
        if self.journal.is_none() {
            return Ok(fold_until(self.data, &asked, halt)?);
        }
        let found = self.fold(asked, halt)?;
        Ok((!halt()).then_some(found))
    }

    /// Returns what the first pass has found; makes one if there was none.
    pub fn facts(&self) -> Result<&Facts, PassError> {
        if let Some(facts) = self.facts.get() {
            return Ok(facts);
        }
        let query = FirstLook::new(self.shape());
        self.know(query.facts(fold(self.data, &query)?))
    }

    /// Takes note of what the first pass has found. Errors if the journal is of other data.
    fn know(&self, facts: Facts) -> Result<&Facts, PassError> {
        if let Some(journal) = &self.journal {
            journal.borrow_mut().enter_data(&facts.named.name().fingerprint)?;
        }
        Ok(self.facts.get_or_init(|| facts))
    }
}

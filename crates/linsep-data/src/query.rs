//! What a pass computes: a query says what is asked of all rows, a state what was found in some of them.
//!
//! ```text
//! FoldQuery    one question: how a state begins, takes in a block, and merges with its like
//! PassQuery    what one pass asks: a query, two that share the read, or one that may not be needed
//! Answerable   the same without its type, which is what rows elsewhere are handed
//! ```
//!
//! Both are plain data, so each can go to where rows are, come back, and outlive the process. What is found
//! must not depend on how the rows were cut into blocks, on their order, or on which of several states saw
//! which block: counts, minima and sums on a grid do not. So the same bits come out of
//! memory, of a file and of a cluster. No state is as long as the data.

use std::any::Any;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::data::{Absorb, Block, Data, Shape};
use crate::error::Error;

/// What is asked of all rows.
///
/// For any cut of the rows into blocks, in any order, spread over any number of merged states, the state of
/// all rows must have the same bits once it is settled.
pub trait FoldQuery: Clone + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// What was found.
    type State: Serialize + DeserializeOwned + Send + 'static;

    /// Returns what is found in no rows.
    fn begin(&self) -> Self::State;

    /// Takes a block in.
    fn absorb(&self, state: &mut Self::State, block: &Block<'_>);

    /// Takes in what was found in other rows.
    fn merge(&self, state: &mut Self::State, other: Self::State);

    /// Sorts, and drops what is not needed: the same findings become the same value. Called before a state is
    /// handed on.
    fn settle(&self, _state: &mut Self::State) {}

    /// Returns false if this cannot be asked of data of this shape. A query from elsewhere is asked this first.
    fn fits(&self, shape: Shape) -> bool;

    /// Returns false if the state cannot be what this query finds in some rows of data of this shape. A state
    /// from elsewhere is held against this before it is used.
    fn admits(&self, state: &Self::State, shape: Shape) -> bool;

    /// Returns false if a state that is admitted cannot be of all rows.
    fn is_complete(&self, _state: &Self::State, _shape: Shape) -> bool {
        true
    }

    /// Returns rows that whoever asked will look at next, those first that are sure to be among them once all
    /// rows have been seen: they can be sent along. The state is settled.
    fn named(&self, _state: &Self::State) -> Vec<usize> {
        vec![]
    }
}

/// A state whose type is known to its query.
pub type AnyState = Box<dyn Any + Send>;

/// What one pass asks: a [`FoldQuery`], two that share a read, or one that may not be needed.
pub trait PassQuery: Sync {
    /// What is found.
    type Found: Send;

    /// Returns what is found in no rows.
    fn begin(&self) -> Self::Found;

    /// Takes a block in.
    fn absorb(&self, found: &mut Self::Found, block: &Block<'_>);

    /// Takes in what was found in other rows.
    fn merge(&self, found: &mut Self::Found, other: Self::Found);

    /// Settles every state.
    fn settle(&self, found: &mut Self::Found);

    /// Adds every query, in order.
    fn queries<'a>(&'a self, out: &mut Vec<&'a dyn Any>);

    /// Adds the state of every query, in the same order.
    fn states<'a>(&self, found: &'a Self::Found, out: &mut Vec<&'a dyn Any>);

    /// Returns what is found if these are the states, in the same order. Returns `None` if they are of other
    /// queries.
    fn found(&self, states: &mut dyn Iterator<Item = AnyState>) -> Option<Self::Found>;
}

impl<Q: FoldQuery> PassQuery for Q {
    type Found = Q::State;

    fn begin(&self) -> Q::State {
        FoldQuery::begin(self)
    }

    fn absorb(&self, found: &mut Q::State, block: &Block<'_>) {
        FoldQuery::absorb(self, found, block);
    }

    fn merge(&self, found: &mut Q::State, other: Q::State) {
        FoldQuery::merge(self, found, other);
    }

    fn settle(&self, found: &mut Q::State) {
        FoldQuery::settle(self, found);
    }

    fn queries<'a>(&'a self, out: &mut Vec<&'a dyn Any>) {
        out.push(self);
    }

    fn states<'a>(&self, found: &'a Q::State, out: &mut Vec<&'a dyn Any>) {
        out.push(found);
    }

    fn found(&self, states: &mut dyn Iterator<Item = AnyState>) -> Option<Q::State> {
        states.next()?.downcast().ok().map(|state| *state)
    }
}

/// Two that share a read.
impl<A: PassQuery, B: PassQuery> PassQuery for (A, B) {
    type Found = (A::Found, B::Found);

    fn begin(&self) -> Self::Found {
        (self.0.begin(), self.1.begin())
    }

    fn absorb(&self, found: &mut Self::Found, block: &Block<'_>) {
        self.0.absorb(&mut found.0, block);
        self.1.absorb(&mut found.1, block);
    }

    fn merge(&self, found: &mut Self::Found, other: Self::Found) {
        self.0.merge(&mut found.0, other.0);
        self.1.merge(&mut found.1, other.1);
    }

    fn settle(&self, found: &mut Self::Found) {
        self.0.settle(&mut found.0);
        self.1.settle(&mut found.1);
    }

    fn queries<'a>(&'a self, out: &mut Vec<&'a dyn Any>) {
        self.0.queries(out);
        self.1.queries(out);
    }

    fn states<'a>(&self, found: &'a Self::Found, out: &mut Vec<&'a dyn Any>) {
        self.0.states(&found.0, out);
        self.1.states(&found.1, out);
    }

    fn found(&self, states: &mut dyn Iterator<Item = AnyState>) -> Option<Self::Found> {
        Some((self.0.found(states)?, self.1.found(states)?))
    }
}

/// One that may not be needed.
impl<Q: PassQuery> PassQuery for Option<Q> {
    type Found = Option<Q::Found>;

    fn begin(&self) -> Self::Found {
        self.as_ref().map(Q::begin)
    }

    fn absorb(&self, found: &mut Self::Found, block: &Block<'_>) {
        if let (Some(query), Some(found)) = (self, found) {
            query.absorb(found, block);
        }
    }

    fn merge(&self, found: &mut Self::Found, other: Self::Found) {
        if let (Some(query), Some(found), Some(other)) = (self, found, other) {
            query.merge(found, other);
        }
    }

    fn settle(&self, found: &mut Self::Found) {
        if let (Some(query), Some(found)) = (self, found) {
            query.settle(found);
        }
    }

    fn queries<'a>(&'a self, out: &mut Vec<&'a dyn Any>) {
        self.iter().for_each(|query| query.queries(out));
    }

    fn states<'a>(&self, found: &'a Self::Found, out: &mut Vec<&'a dyn Any>) {
        if let (Some(query), Some(found)) = (self, found) {
            query.states(found, out);
        }
    }

    fn found(&self, states: &mut dyn Iterator<Item = AnyState>) -> Option<Self::Found> {
        match self {
            Some(query) => query.found(states).map(Some),
            None => Some(None),
        }
    }
}

/// Returns what is found in all rows, here or where they are. Costs a pass; see [`Data::ask`] for errors.
///
/// ```
/// use linsep_data::{Block, FoldQuery, Memory, Samples, Shape, fold};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Clone, Serialize, Deserialize)]
/// struct Positives;
/// impl FoldQuery for Positives {
///     type State = u64;
///     fn begin(&self) -> u64 {
///         0
///     }
///     fn absorb(&self, state: &mut u64, block: &Block<'_>) {
///         let labels = &block.samples().positive()[block.places()];
///         *state += labels.iter().filter(|&&positive| positive).count() as u64;
///     }
///     fn merge(&self, state: &mut u64, other: u64) {
///         *state += other;
///     }
///     fn fits(&self, _: Shape) -> bool {
///         true
///     }
///     fn admits(&self, state: &u64, shape: Shape) -> bool {
///         *state <= shape.rows as u64
///     }
/// }
///
/// let samples = Samples::dense(vec![1.0, 2.0, 3.0], 1, vec![true, false, true])?;
/// assert_eq!(fold(&Memory::new(&samples), &Positives)?, 2);
/// # Ok::<(), linsep_data::Error>(())
/// ```
pub fn fold<Q: PassQuery>(data: &dyn Data, query: &Q) -> Result<Q::Found, Error> {
    Ok(fold_until(data, query, &|| false)?.expect("nothing halts it"))
}

/// Returns the same, or `None` if `halt` was true before every row had been seen. It is asked before each block,
/// so that work that is long for each row can end within a pass.
pub fn fold_until<Q: PassQuery>(
    data: &dyn Data,
    query: &Q,
    halt: &(dyn Fn() -> bool + Sync),
) -> Result<Option<Q::Found>, Error> {
    let shards = Shards { query, halt, free: Mutex::new(vec![]) };
    data.ask(&shards)?;
    if halt() {
        return Ok(None);
    }
    let seen = shards.free.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut found = seen.into_iter().reduce(|mut found, other| {
        query.merge(&mut found, other);
        found
    });
    let mut all = found.take().unwrap_or_else(|| query.begin());
    query.settle(&mut all);
    Ok(Some(all))
}

/// What a pass asks, behind a seam that needs no type: blocks are shown to it, or it is handed what was found
/// where the rows are.
pub trait Answerable: Absorb {
    /// Returns every [`FoldQuery`], in order.
    fn queries(&self) -> Vec<&dyn Any>;

    /// Returns how rows are shown to the queries, if not as they are.
    fn shown_by(&self) -> Option<&dyn Any> {
        None
    }

    /// Takes over the states of all rows, in the order of the queries. Returns `None` if they are of other
    /// queries.
    fn accept(&self, states: Vec<AnyState>) -> Option<()>;
}

/// As many findings as threads are at work.
struct Shards<'a, Q: PassQuery> {
    query: &'a Q,
    halt: &'a (dyn Fn() -> bool + Sync),
    free: Mutex<Vec<Q::Found>>,
}

impl<Q: PassQuery> Shards<'_, Q> {
    fn free(&self) -> MutexGuard<'_, Vec<Q::Found>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<Q: PassQuery> Absorb for Shards<'_, Q> {
    fn absorb(&self, block: &Block<'_>) {
        if (self.halt)() {
            return;
        }
        let shard = self.free().pop();
        let mut shard = shard.unwrap_or_else(|| self.query.begin());
        self.query.absorb(&mut shard, block);
        self.free().push(shard);
    }
}

impl<Q: PassQuery> Answerable for Shards<'_, Q> {
    fn queries(&self) -> Vec<&dyn Any> {
        let mut queries = vec![];
        self.query.queries(&mut queries);
        queries
    }

    fn accept(&self, states: Vec<AnyState>) -> Option<()> {
        let mut states = states.into_iter();
        let found = self.query.found(&mut states)?;
        self.free().push(found);
        states.next().is_none().then_some(())
    }
}

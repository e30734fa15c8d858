//! Every query that a pass can ask, by its type: so each can go to where rows are, and into a checkpoint.
//!
//! ```text
//! Listed       what a pass may ask: only queries that are on the list below
//! AskedFold    one of them, as it travels
//! FoldKind     its name alone
//! ```
//!
//! A query that is not on the list is none that [`fold`] takes. What goes in and out are serde's values in
//! the bytes of postcard: floats are kept to the last bit, and bytes from elsewhere are an error or a value that
//! its query [admits](FoldQuery::admits).

use std::any::Any;
use std::fmt;

use linsep_data::{AnyState, Block, Data, Error, FoldQuery, PassQuery, Shape};
use linsep_proof::Fingerprint;
use linsep_proof::look::LookQuery;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::decide::folds::alike::Alike;
use crate::decide::folds::astray::Astray;
use crate::decide::folds::class_sums::ClassSums;
use crate::decide::folds::constants::Constants;
use crate::decide::folds::directions::Directions;
use crate::decide::folds::draw::{Draw, ValueCounts};
use crate::decide::folds::first_look::FirstLook;
use crate::decide::folds::logistic::LogisticLine;
use crate::decide::folds::off_span::OffSpan;
use crate::decide::folds::on_planes::OnPlanes;
use crate::decide::folds::one_sided::OneSided;
use crate::decide::folds::scan::Scan;
use crate::decide::folds::step_size::StepSize;
use crate::distances::{DistanceBins, DistanceExtent};
use crate::hyperplane::EvaluationQuery;
use crate::lift::whole::{RowSurvey, RowWeightsName};
use crate::picture::{NearestRows, PlaneCells, PlaneSurvey, ViewCells};

/// What a pass may ask: every query in it is on the list.
pub(crate) trait Listed: PassQuery {}

impl<A: Listed, B: Listed> Listed for (A, B) {}
impl<Q: Listed> Listed for Option<Q> {}

/// Returns what is found in all rows, here or where they are. Costs a pass; see [`Data::ask`] for errors.
pub(crate) fn fold<Q: Listed>(data: &dyn Data, query: &Q) -> Result<Q::Found, Error> {
    linsep_data::fold(data, query)
}

/// Returns the same, or `None` if `halt` was true before every row had been seen.
pub(crate) fn fold_until<Q: Listed>(
    data: &dyn Data,
    query: &Q,
    halt: &(dyn Fn() -> bool + Sync),
) -> Result<Option<Q::Found>, Error> {
    linsep_data::fold_until(data, query, halt)
}

/// Makes the list: each query with its name, and what messages call it.
macro_rules! list {
    ($($name:ident($query:ty) $words:literal,)*) => {
        /// A query, as it travels.
        #[derive(Clone, Serialize, Deserialize)]
        pub(crate) enum AskedFold {
            $($name(Box<$query>),)*
        }

        /// The name of a query.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        pub(crate) enum FoldKind {
            $($name,)*
        }

        $(impl Listed for $query {})*

        impl AskedFold {
            /// Returns the query, whose type is not known. Returns `None` if it is not on the list.
            fn of(query: &dyn Any) -> Option<Self> {
                $(
                    if let Some(query) = query.downcast_ref::<$query>() {
                        return Some(AskedFold::$name(Box::new(query.clone())));
                    }
                )*
                None
            }

            /// Returns its name.
            pub fn kind(&self) -> FoldKind {
                match self {
                    $(AskedFold::$name(_) => FoldKind::$name,)*
                }
            }

            fn query(&self) -> &dyn AnyQuery {
                match self {
                    $(AskedFold::$name(query) => &**query,)*
                }
            }
        }

        impl fmt::Display for FoldKind {
            fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str(match self {
                    $(FoldKind::$name => $words,)*
                })
            }
        }
    };
}

list! {
    FirstLook(FirstLook) "first look",
    Fingerprint(Fingerprint) "fingerprint",
    Look(LookQuery) "look of the checker",
    Scan(Scan) "scores",
    LogisticLine(LogisticLine) "logistic loss",
    ClassSums(ClassSums) "class sums",
    OneSided(OneSided) "features of one sign",
    Alike(Alike) "rows alike",
    OffSpan(OffSpan) "rows off a span",
    Astray(Astray) "rows astray",
    OnPlanes(OnPlanes) "rows on hyperplanes",
    Directions(Directions) "rows astray of several",
    Constants(Constants) "constant columns",
    StepSize(StepSize) "step size",
    ValueCounts(ValueCounts) "counts of values",
    Draw(Draw) "rows drawn",
    Evaluation(EvaluationQuery) "mistakes and margins",
    DistanceExtent(DistanceExtent) "extent of distances",
    DistanceBins(DistanceBins) "distances",
    NearestRows(NearestRows) "nearest rows",
    ViewCells(ViewCells) "cells of a view",
    PlaneSurvey(PlaneSurvey) "places of rows",
    PlaneCells(PlaneCells) "cells of a plane",
    RowSurvey(RowSurvey) "lengths of rows",
    RowWeightsName(RowWeightsName) "weights of rows",
}

/// What folds have found in some rows.
#[derive(Debug, Default)]
pub(crate) struct FoldFindings {
    /// Their states, one after the other.
    pub bytes: Vec<u8>,
    /// The rows that they [name](FoldQuery::named).
    pub named: Vec<usize>,
}

/// A query behind a seam that needs no type: its states are bytes.
trait AnyQuery {
    fn fits(&self, shape: Shape) -> bool;
    fn absorb(&self, blocks: &[Block], out: &mut FoldFindings);
    fn merge(
        &self,
        one: &mut &[u8],
        other: &mut &[u8],
        shape: Shape,
        out: &mut FoldFindings,
    ) -> Option<()>;
    fn complete(&self, from: &mut &[u8], shape: Shape) -> Option<AnyState>;
    fn put(&self, state: &dyn Any, out: &mut Vec<u8>);
}

impl<Q: FoldQuery> AnyQuery for Q {
    fn fits(&self, shape: Shape) -> bool {
        FoldQuery::fits(self, shape)
    }

    fn absorb(&self, blocks: &[Block], out: &mut FoldFindings) {
        let mut state = FoldQuery::begin(self);
        blocks.iter().for_each(|block| FoldQuery::absorb(self, &mut state, block));
        hand_on(self, state, out);
    }

    fn merge(
        &self,
        one: &mut &[u8],
        other: &mut &[u8],
        shape: Shape,
        out: &mut FoldFindings,
    ) -> Option<()> {
        let mut state = admitted(self, one, shape)?;
        FoldQuery::merge(self, &mut state, admitted(self, other, shape)?);
        hand_on(self, state, out);
        Some(())
    }

    fn complete(&self, from: &mut &[u8], shape: Shape) -> Option<AnyState> {
        let state = admitted(self, from, shape)?;
        self.is_complete(&state, shape).then(|| Box::new(state) as AnyState)
    }

    fn put(&self, state: &dyn Any, out: &mut Vec<u8>) {
        out.extend(encode(state.downcast_ref::<Q::State>().expect("the state of its query")));
    }
}

fn hand_on<Q: FoldQuery>(query: &Q, mut state: Q::State, out: &mut FoldFindings) {
    FoldQuery::settle(query, &mut state);
    out.named.extend(query.named(&state));
    out.bytes.extend(encode(&state));
}

/// Takes a state off the front; `None` if the bytes cannot be that.
fn admitted<Q: FoldQuery>(query: &Q, from: &mut &[u8], shape: Shape) -> Option<Q::State> {
    let state = take(from)?;
    query.admits(&state, shape).then_some(state)
}

impl AskedFold {
    /// Returns false if this cannot be asked of data of this shape.
    pub fn fits(&self, shape: Shape) -> bool {
        self.query().fits(shape)
    }

    /// Adds what is found in some rows.
    pub fn absorb(&self, blocks: &[Block], out: &mut FoldFindings) {
        self.query().absorb(blocks, out);
    }

    /// Takes two states off the fronts, and adds what was found in the rows of both. Returns `None` if the bytes
    /// cannot be that.
    pub fn merge(
        &self,
        one: &mut &[u8],
        other: &mut &[u8],
        shape: Shape,
        out: &mut FoldFindings,
    ) -> Option<()> {
        self.query().merge(one, other, shape, out)
    }
}

/// Returns these queries as they travel. Returns `None` if one is not on the list, or cannot be asked of data of
/// this shape.
pub(crate) fn asked(queries: &[&dyn Any], shape: Shape) -> Option<Vec<AskedFold>> {
    let asked: Vec<AskedFold> =
        queries.iter().map(|query| AskedFold::of(*query)).collect::<Option<_>>()?;
    asked.iter().all(|fold| fold.fits(shape)).then_some(asked)
}

/// Returns the states of all rows, one for each query. Returns `None` if the bytes cannot be that.
pub(crate) fn complete(
    asked: &[AskedFold],
    mut from: &[u8],
    shape: Shape,
) -> Option<Vec<AnyState>> {
    let states = asked.iter().map(|fold| fold.query().complete(&mut from, shape));
    let states = states.collect::<Option<_>>()?;
    from.is_empty().then_some(states)
}

/// Returns the queries of a pass as they travel.
pub(crate) fn queries<Q: Listed>(query: &Q) -> Vec<AskedFold> {
    let mut queries = vec![];
    query.queries(&mut queries);
    queries.into_iter().map(|query| AskedFold::of(query).expect("it is on the list")).collect()
}

/// Returns what a pass has found as bytes, which [`complete`] reads; `asked` are its [`queries`].
pub(crate) fn states<Q: Listed>(asked: &[AskedFold], query: &Q, found: &Q::Found) -> Vec<u8> {
    let (mut states, mut out) = (vec![], vec![]);
    query.states(found, &mut states);
    for (fold, state) in asked.iter().zip(states) {
        fold.query().put(state, &mut out);
    }
    out
}

/// Returns a value as bytes, the same on every machine.
pub(crate) fn encode(value: &impl Serialize) -> Vec<u8> {
    postcard::to_allocvec(value).expect("plain data has bytes")
}

/// Takes a value off the front. Returns `None` if the bytes do not begin with one.
pub(crate) fn take<T: DeserializeOwned>(from: &mut &[u8]) -> Option<T> {
    let (value, rest) = postcard::take_from_bytes(from).ok()?;
    *from = rest;
    Some(value)
}

/// Returns the value that the bytes are. Returns `None` if they are not one, and no more.
pub(crate) fn decode<T: DeserializeOwned>(mut from: &[u8]) -> Option<T> {
    let value = take(&mut from)?;
    from.is_empty().then_some(value)
}

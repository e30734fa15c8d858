//! Mathematics without data: what is given are vectors, or a way to ask for sums over them.

pub(super) mod basis;
pub(super) mod caratheodory;
pub(super) mod cheapest_cone;
pub(super) mod cholesky;
pub(crate) mod cone_side;
pub(super) mod coordinate_descent;
pub(crate) mod half_spaces;
pub(super) mod interior_point;
pub(super) mod ladder;
pub(crate) mod lbfgs;
pub(super) mod logistic_descent;
pub(crate) mod min_norm_point;
pub(super) mod nearest_points;
pub(super) mod newton;
pub(crate) mod nnls;
pub(super) mod order;
pub(super) mod simplex;
pub(super) mod sparse_factor;

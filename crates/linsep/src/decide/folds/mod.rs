//! What passes compute: one fold per file, each the same however the rows are cut.

pub(super) mod alike;
pub(super) mod class_sums;
pub(super) mod first_look;
pub(super) mod logistic;
pub(super) mod one_sided;
pub(super) mod scan;

/// Which form of the rows a fold looks at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Form {
    /// z = y (x, 1) / ‖(x, 1)‖.
    Lifted,
    /// y (x, 1) times a power of two.
    Raw(f64),
}

impl Form {
    /// Returns the rows of a block in this form.
    pub fn rows<'a>(self, block: &linsep_data::Block<'a>) -> crate::lift::Rows<'a> {
        match self {
            Form::Lifted => crate::lift::Rows::lifted(block.samples()),
            Form::Raw(unit) => crate::lift::Rows::raw_in(block.samples(), unit),
        }
    }
}

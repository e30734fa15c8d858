//! A feature value as it is stored.

/// A feature value as it is stored: `f64` or `f32`. Arithmetic is always in `f64`.
pub trait Element: Copy + Send + Sync + Default + 'static {
    /// Returns the value as `f64`, exactly.
    fn widen(self) -> f64;
}

impl Element for f64 {
    #[inline(always)]
    fn widen(self) -> f64 {
        self
    }
}

impl Element for f32 {
    #[inline(always)]
    fn widen(self) -> f64 {
        f64::from(self)
    }
}

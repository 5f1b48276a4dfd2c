//! Functions that several benches share.

mod quick;

pub(crate) use quick::is_quick;

/// Returns the median; NaN for no values.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    bakeoff_domain::stats::median(&mut values).unwrap_or(f64::NAN)
}

//! What several benches share.

mod quick;

pub(crate) use quick::is_quick;

/// The middle one of some readings: half of them are at most as large.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

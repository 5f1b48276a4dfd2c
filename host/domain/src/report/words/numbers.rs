//! Numbers in sentences: those of the whole core, and ratios with intervals.

pub use crate::numbers::*;
use crate::score::Interval;

/// A ratio with its interval: `1.8 × (1.76–1.85)`.
pub fn times(ratio: Interval) -> String {
    let (value, ends) = with_ends(ratio.value, ratio.low, ratio.high);
    match ends {
        Some(ends) => format!("{value} × ({ends})"),
        None => format!("{value} × (interval unknown)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_and_its_ends_have_the_same_decimals() {
        let show = |v, l, h| {
            times(Interval {
                value: v,
                low: Some(l),
                high: Some(h),
            })
        };
        assert_eq!(show(1.8, 1.76, 1.85), "1.80 × (1.76–1.85)");
        assert_eq!(show(1.84, 1.81, 1.86), "1.84 × (1.81–1.86)");
        assert_eq!(show(1.2, 1.0004, 1.45), "1.20 × (1.0004–1.45)");
        assert_eq!(show(123.4, 120.0, 130.0), "123 × (120–130)");
        assert_eq!(show(9.5, 8.1, 10.4), "9.5 × (8.1–10.4)");
        assert_eq!(show(1.0012, 1.0009, 1.0015), "1.001 × (1.001–1.002)");
        assert_eq!(show(1.0, 1.0, 1.0), "1.00 × (1.00–1.00)");
        assert_eq!(show(20.3, 1.54, 2_165_854.0), "20 × (1.5–2,200,000)");
    }
}

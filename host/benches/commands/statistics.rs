//! Two readings of two lists of times: by their spread, as hyperfine prints it, and by Welch's test.

/// The error rate of Welch's test.
const ALPHA: f64 = 0.05;
/// The most terms of a continued fraction, and its precision.
const TERMS_MAX: u32 = 500;
const PRECISION: f64 = 1e-12;

/// The one that a reading calls faster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Said {
    First,
    Second,
    Nothing,
}

/// The median; NaN for no values.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let count = values.len();
    if count == 0 {
        return f64::NAN;
    }
    f64::midpoint(values[(count - 1) / 2], values[count / 2])
}

/// Mean and variance of a sample.
fn moments(times: &[f64]) -> (f64, f64) {
    let count = times.len() as f64;
    let mean = times.iter().sum::<f64>() / count;
    let squares = times.iter().map(|time| (time - mean).powi(2));
    (mean, squares.sum::<f64>() / (count - 1.0))
}

/// Reads "B ran 1.05 ± 0.02 times faster than A": a difference if 1 lies outside of what is printed. The ± is
/// the propagated standard deviation of single runs.
pub(crate) fn by_spread(first: &[f64], second: &[f64]) -> Said {
    let ((first_mean, first_variance), (second_mean, second_variance)) =
        (moments(first), moments(second));
    let (shorter, longer) = if first_mean < second_mean {
        (first_mean, second_mean)
    } else {
        (second_mean, first_mean)
    };
    let relative = first_variance / first_mean.powi(2) + second_variance / second_mean.powi(2);
    let ratio = longer / shorter;
    said(
        first_mean,
        second_mean,
        ratio - 1.0 > ratio * relative.sqrt(),
    )
}

/// Reads Welch's test of the means, both sides, at 5 %.
pub(crate) fn by_welch(first: &[f64], second: &[f64]) -> Said {
    let ((first_mean, first_variance), (second_mean, second_variance)) =
        (moments(first), moments(second));
    let (first_count, second_count) = (first.len() as f64, second.len() as f64);
    let (one, other) = (first_variance / first_count, second_variance / second_count);
    let t_squared = (first_mean - second_mean).powi(2) / (one + other);
    let degrees = (one + other).powi(2)
        / (one.powi(2) / (first_count - 1.0) + other.powi(2) / (second_count - 1.0));
    // The two tails of Student's distribution beyond t.
    let p = incomplete_beta(degrees / (degrees + t_squared), degrees / 2.0, 0.5);
    said(first_mean, second_mean, p < ALPHA)
}

fn said(first: f64, second: f64, differ: bool) -> Said {
    if !differ {
        Said::Nothing
    } else if first < second {
        Said::First
    } else {
        Said::Second
    }
}

/// The regularised incomplete beta function I_x(a, b) (DLMF 8.17.22: its continued fraction, by Lentz's method).
fn incomplete_beta(x: f64, a: f64, b: f64) -> f64 {
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(1.0 - x, b, a);
    }
    let log = ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (1.0 - x).ln();
    let not_zero = |value: f64| if value.abs() < 1e-300 { 1e-300 } else { value };
    let (mut c, mut d) = (1.0, 1.0 / not_zero(1.0 - (a + b) * x / (a + 1.0)));
    let mut fraction = d;
    for term in 1..=TERMS_MAX {
        let m = f64::from(term);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / not_zero(1.0 + even * d);
        c = not_zero(1.0 + even / c);
        fraction *= c * d;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / not_zero(1.0 + odd * d);
        c = not_zero(1.0 + odd / c);
        fraction *= c * d;
        if (c * d - 1.0).abs() < PRECISION {
            break;
        }
    }
    log.exp() * fraction / a
}

/// The logarithm of the gamma function above 0, by Stirling's series after eight steps up.
fn ln_gamma(x: f64) -> f64 {
    let steps: f64 = (0..8).map(|step| (x + f64::from(step)).ln()).sum();
    let z = x + 8.0;
    let series = 1.0 / (12.0 * z) - 1.0 / (360.0 * z.powi(3)) + 1.0 / (1260.0 * z.powi(5));
    (z - 0.5) * z.ln() - z + 0.5 * std::f64::consts::TAU.ln() + series - steps
}

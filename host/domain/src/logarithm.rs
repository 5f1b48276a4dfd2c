//! Logarithms with the same last digit everywhere.
//!
//! The logarithms of the standard library are the platform's own. Scores are worked out where a run is measured and
//! again in the page of its report (WebAssembly, which has no such function), and must be equal.

/// The natural logarithm.
pub(crate) fn ln(x: f64) -> f64 {
    libm::log(x)
}

/// The natural logarithm of 1 + x.
pub(crate) fn ln_1p(x: f64) -> f64 {
    libm::log1p(x)
}

/// The logarithm to base 10.
pub(crate) fn log10(x: f64) -> f64 {
    libm::log10(x)
}

/// The inverse of [`ln`].
pub(crate) fn exp(x: f64) -> f64 {
    libm::exp(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_ten_are_exact() {
        for power in -9_i32..=15 {
            let x: f64 = format!("1e{power}").parse().unwrap();
            assert_eq!(log10(x), f64::from(power), "1e{power}");
        }
    }

    #[test]
    fn they_are_those_of_the_platform_but_for_the_last_digit() {
        for step in 1..1_000 {
            let x = f64::from(step) * 0.37;
            let near =
                |a: f64, b: f64| assert!((a - b).abs() <= 1e-14 * b.abs().max(1.0), "{a} {b}");
            near(ln(x), x.ln());
            near(ln_1p(x), x.ln_1p());
            near(exp(-x), (-x).exp());
        }
    }
}

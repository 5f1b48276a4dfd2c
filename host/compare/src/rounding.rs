//! Answers that differ as rounding makes them differ: sums of the same numbers in another order.

/// The largest difference of two numbers, as a share of the larger one, that looks like rounding.
const SHARE_MAX: f64 = 1e-6;

/// Returns the sentence on answers that are the same but for small differences of numbers with fractions; `None` if they
/// are not.
pub(crate) fn rounding(answers: &[Option<&str>]) -> Option<String> {
    let first = parts((*answers.first()?)?);
    let mut largest = 0.0_f64;
    for answer in &answers[1..] {
        let other = parts((*answer)?);
        if other.len() != first.len() {
            return None;
        }
        for ((a, is_number), (b, _)) in first.iter().zip(&other) {
            if a == b {
                continue;
            }
            let has_fraction = a.contains('.') || b.contains('.');
            if !is_number || !has_fraction {
                return None;
            }
            let (a, b) = (a.parse::<f64>().ok()?, b.parse::<f64>().ok()?);
            let share = (a - b).abs() / a.abs().max(b.abs());
            if !(0.0..=SHARE_MAX).contains(&share) {
                return None;
            }
            largest = largest.max(share);
        }
    }
    (largest > 0.0).then(|| {
        format!(
            "The answers differ by {largest:.0e} of their size, as rounding does: if that is meant to be right, let the \
             `check` of a workload allow it (--workload FILE --size N; `bakeoff init DIR --from` these files writes one \
             to begin with)."
        )
    })
}

/// Returns the numbers in a text and what is between them, in their order, each with whether it is a number.
fn parts(text: &str) -> Vec<(&str, bool)> {
    let of_number =
        |letter: char| letter.is_ascii_digit() || matches!(letter, '.' | '-' | '+' | 'e' | 'E');
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_number = of_number(first);
        let end = rest.find(|letter| of_number(letter) != is_number);
        let (part, after) = rest.split_at(end.unwrap_or(rest.len()));
        parts.push((part, is_number));
        rest = after;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_small_differences_of_numbers_with_fractions_are_rounding() {
        let is_rounding = |a, b| rounding(&[Some(a), Some(b)]).is_some();
        assert!(is_rounding("6.000063049542588", "6.000063049542589"));
        assert!(is_rounding(
            "[1.0, (-2.5e-3, 4)]",
            "[1.0, (-2.5000001e-3, 4)]"
        ));
        for (a, b) in [
            ("1.0", "1.1"),
            ("1000000001", "1000000002"),
            ("1.0", "1.0"),
            ("[1.0]", "[1.0, 1.0]"),
            ("1.0", "-1.0"),
            ("0.0", "-0.0"),
            ("nan", "1.0"),
            ("\"a1.0\"", "\"b1.0\""),
        ] {
            assert!(!is_rounding(a, b), "{a} {b}");
        }
        assert_eq!(rounding(&[Some("1.0"), None]), None);
        let said = rounding(&[Some("3.0"), Some("3.0000000000000004")]).unwrap();
        assert!(said.contains("by 1e-16 of their size"), "{said}");
    }
}

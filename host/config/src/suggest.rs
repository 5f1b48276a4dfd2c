//! Suggestions for misspelt words ("did you mean …"): the known word nearest to an unknown one.

/// The longest word that is compared: the cost grows with the square of the length.
const WORD_CHARS_MAX: usize = 40;

/// Returns the known word that a typing error may have turned into this one: at most a third of its
/// characters inserted, dropped, replaced or swapped with a neighbour. Case and the choice between
/// `-` and `_` do not count.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = normalised(word);
    if word.chars().count() > WORD_CHARS_MAX {
        return None;
    }
    known
        .into_iter()
        .map(|candidate| {
            (
                strsim::osa_distance(&word, &normalised(candidate)),
                candidate,
            )
        })
        .filter(|(distance, candidate)| *distance <= candidate.chars().count().div_ceil(3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

fn normalised(word: &str) -> String {
    word.chars()
        .flat_map(char::to_lowercase)
        .map(|c| if c == '_' { '-' } else { c })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_recognised_and_a_stranger_is_not() {
        let known = ["weight", "name", "from", "peak-memory"];
        assert_eq!(nearest("wieght", known), Some("weight"));
        assert_eq!(nearest("nmae", known), Some("name"));
        assert_eq!(nearest("Peak_Memory", known), Some("peak-memory"));
        assert_eq!(nearest("colour", known), None);
        assert_eq!(nearest(&"x".repeat(100_000), known), None);
        assert_eq!(nearest("", known), None);
    }
}

//! "Did you mean …": the known word nearest to one that is not known.

/// Longer words are not compared: nobody mistypes that much, and the cost grows with the square.
const WORD_CHARS_MAX: usize = 40;

/// The known word that a typing error may have turned into this one: at most a third of its
/// characters inserted, dropped, replaced or swapped with a neighbour. Case and the choice between
/// `-` and `_` do not count.
pub(super) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = normalised(word);
    if word.len() > WORD_CHARS_MAX {
        return None;
    }
    known
        .into_iter()
        .map(|candidate| (distance(&word, &normalised(candidate)), candidate))
        .filter(|(distance, candidate)| *distance <= candidate.chars().count().div_ceil(3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

fn normalised(word: &str) -> Vec<char> {
    word.chars()
        .flat_map(char::to_lowercase)
        .map(|c| if c == '_' { '-' } else { c })
        .collect()
}

/// Optimal string alignment distance: Levenshtein's, with a swap of neighbours as one step.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut rows = vec![vec![0_usize; b.len() + 1]; a.len() + 1];
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = i;
    }
    for (j, cell) in rows[0].iter_mut().enumerate() {
        *cell = j;
    }
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = best;
        }
    }
    rows[a.len()][b.len()]
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

//! ASCII text, for terminals that show nothing else.

/// Our signs and their replacements.
const SIGNS: [(char, &str); 23] = [
    ('█', "#"),
    ('─', "-"),
    ('├', "|"),
    ('┤', "|"),
    ('◂', "<"),
    ('▸', ">"),
    ('●', "o"),
    ('○', "?"),
    ('·', ":"),
    ('•', "*"),
    ('×', "x"),
    ('–', "-"),
    ('…', "..."),
    ('±', "+-"),
    ('µ', "u"),
    ('²', "^2"),
    ('³', "^3"),
    ('“', "\""),
    ('”', "\""),
    ('’', "'"),
    ('‘', "'"),
    ('α', "alpha"),
    ('δ', "delta"),
];

/// Returns the text with our own signs replaced by ASCII. All other characters become question
/// marks.
pub(super) fn ascii(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match SIGNS.iter().find(|(sign, _)| *sign == letter) {
            Some((_, written)) => out.push_str(written),
            None if letter.is_ascii() => out.push(letter),
            None => out.push('?'),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sparklines_and_sentences_stay_readable() {
        assert_eq!(ascii("·  ├──●──┤"), ":  |--o--|");
        assert_eq!(
            ascii("1.8 × faster, 1.7–1.9; ±3 %; 5 µs"),
            "1.8 x faster, 1.7-1.9; +-3 %; 5 us"
        );
        assert_eq!(ascii("naïve\n"), "na?ve\n");
    }
}

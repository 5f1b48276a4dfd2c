
/// Letters that are not as others: ends of lines and texts, spaces of all kinds, signs that join others,
/// letters whose other case is two or depends on where they stand, digits of others, long encodings.
const SPECIAL: [char; 40] = [
    '\0', '\t', '\n', '\r', '\u{b}', '\u{c}', '\u{1b}', '\u{7f}', '\u{80}', '\u{85}', '\u{a0}', '\u{ad}', '\u{2003}',
    '\u{2028}', '\u{200b}', '\u{200d}', '\u{feff}', '\u{fffd}', '\u{301}', '\u{308}', '\u{df}', '\u{130}', '\u{131}',
    '\u{149}', '\u{1c5}', '\u{3a3}', '\u{3c3}', '\u{3c2}', '\u{e9}', '\u{416}', '\u{661}', '\u{ff11}', '\u{4e2d}',
    '\u{ffff}', '\u{1f980}', '\u{1f1e9}', '\u{10000}', '\u{10ffff}', '\'', '"',
];

impl Random for char {
    fn drawn(inputs: &mut Inputs) -> Self {
        let ascii = |inputs: &mut Inputs| char::from(inputs.rng.between(0x20, 0x7e) as u8);
        match inputs.values {
            Values::Small | Values::Related => inputs.one_of(&['a', 'b', 'c', ' ', '0', '1', 'A', '-']),
            Values::Colliding => inputs.one_of(&['A', 'a', 'B']),
            Values::Ascending | Values::Descending => char::from(inputs.rng.between(0x61, 0x7a) as u8),
            Values::Edges => match inputs.rng.below(3) {
                0 => ascii(inputs),
                _ => inputs.one_of(&SPECIAL),
            },
            Values::Constants if !TEXTS.is_empty() && inputs.rng.below(4) > 0 => {
                let text = inputs.one_of(&TEXTS);
                let place = inputs.rng.below(text.chars().count() as u64) as usize;
                text.chars().nth(place).unwrap_or('a')
            }
            _ => match inputs.rng.below(8) {
                0 => char::from_u32(inputs.rng.below(0x11_0000) as u32).unwrap_or('\u{e9}'),
                1 => inputs.one_of(&SPECIAL),
                _ => ascii(inputs),
            },
        }
    }

    fn sort(values: &mut [Self]) {
        values.sort_unstable();
    }
}

/// Pieces that texts are made of, beside single letters; among them words that change their length or their end with
/// their case, and signs of several letters.
const PIECES: [&str; 53] = [
    "\r\n", "\n\n", "\n", "  ", " ", "\t", ",", ", ", ";", ":", "=", "==", "/", "//", "\\", "\\n", ".", "..", "-", "--", "_", "+",
    "(", ")", "()", "[]", "{", "}", "<", ">", "\"\"", "'", "%20", "&amp;", "$1", "a", "the", "Word", "true", "null",
    "ΟΔΟΣ", "ΑΣ", "Straße", "İ", "ŉ", "e\u{301}", "\u{1f468}\u{200d}\u{1f469}", "ﬁ",
    "\u{a0}", "\u{b}", "\u{85}", "\u{3000}", "É é",
];

/// A number as text, in one of the ways that people write them.
fn numeral(inputs: &mut Inputs) -> String {
    let ends = [
        "0", "-0", "+1", "007", "1_000", "0x1F", "1e3", "1.5", ".5", "-", "127", "128", "255", "256", "-128", "32767",
        "32768", "65535", "65536", "2147483647", "2147483648", "-2147483648", "4294967295", "4294967296",
        "9223372036854775807", "9223372036854775808", "-9223372036854775808", "18446744073709551615",
        "18446744073709551616", "99999999999999999999",
    ];
    match inputs.rng.below(8) {
        0..=2 => inputs.one_of(&ends).to_owned(),
        3 => format!("+{}", u32::drawn(inputs)),
        _ => i64::drawn(inputs).to_string(),
    }
}

/// The length of a text: within a list most are short, and a few long, as paths and addresses are, which begin alike once
/// one of them is drawn again with a change.
fn text_length(inputs: &mut Inputs) -> u64 {
    let may_be_long = matches!(inputs.values, Values::Any | Values::Related | Values::Constants);
    if inputs.depth == 0 || !may_be_long || inputs.rng.below(12) > 0 {
        return inputs.length();
    }
    let constant = if NUMBERS.is_empty() {
        None
    } else {
        u64::try_from(inputs.one_of(&NUMBERS)).ok().filter(|number| *number < 256)
    };
    let power = 1_u64 << inputs.rng.below(8);
    constant.unwrap_or(power) + inputs.rng.below(9)
}

impl Random for String {
    fn drawn(inputs: &mut Inputs) -> Self {
        let length = text_length(inputs);
        let kind = inputs.rng.below(8);
        inputs.depth += 1;
        let mut text = Self::new();
        while (text.chars().count() as u64) < length {
            match kind {
                _ if inputs.values == Values::Colliding => text += inputs.one_of(&["Aa", "BB"]),
                0 => text += &numeral(inputs),
                1 | 2 => {
                    let piece = inputs.one_of(&PIECES);
                    text += piece;
                    if inputs.rng.bool() {
                        text.push(char::drawn(inputs));
                    }
                }
                3 if !TEXTS.is_empty() => {
                    // As words, or in one.
                    if !text.is_empty() && inputs.rng.below(3) > 0 {
                        text.push(' ');
                    }
                    text += inputs.one_of(&TEXTS);
                }
                _ => text.push(char::drawn(inputs)),
            }
        }
        inputs.depth -= 1;
        let text: Self = text.chars().take(length.max(24) as usize).collect();
        // The same word in another case beside it.
        match inputs.rng.below(24) {
            0 if length > 0 => format!("{text} {}", text.to_lowercase()),
            1 if length > 0 => format!("{} {text}", text.to_uppercase()),
            _ => text,
        }
    }

    fn changed(self, inputs: &mut Inputs) -> Self {
        let mut letters: Vec<char> = self.chars().collect();
        match inputs.rng.below(6) {
            0 => return self.to_uppercase(),
            1 => return self.to_lowercase(),
            2 => return format!("{self}{self}"),
            _ => letters = letters.changed(inputs),
        }
        letters.into_iter().collect()
    }

    fn sort(values: &mut [Self]) {
        values.sort_unstable();
    }
}

/// A text in UTF-8, or nearly: without its end, or with a byte that stands for nothing.
fn text_in_bytes(inputs: &mut Inputs) -> Vec<u8> {
    let mut bytes = String::drawn(inputs).into_bytes();
    bytes.truncate(inputs.size.max(4) as usize);
    if !bytes.is_empty() {
        let place = inputs.rng.below(bytes.len() as u64) as usize;
        match inputs.rng.below(4) {
            0 => bytes.truncate(place),
            1 => bytes[place] = inputs.one_of(&[0x80, 0xbf, 0xc0, 0xe2, 0xed, 0xf0, 0xf5, 0xff]),
            _ => {}
        }
    }
    bytes
}

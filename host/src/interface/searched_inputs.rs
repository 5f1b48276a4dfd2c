//! Inputs on which functions may differ, drawn by their types: as property testing does, edge cases first.
//! Short lists and small numbers, the largest and smallest, powers of two and their neighbours, what stands
//! in the sources, things twice, parts of others, and anything at all.

use crate::bakeoff::Rng;
use std::any::Any;

/// What the values of an input are like.
#[derive(Clone, Copy, PartialEq)]
enum Values {
    /// A few small ones: what a person can follow.
    Small,
    /// The largest and smallest, and those around 0.
    Edges,
    /// Of any magnitude.
    Any,
    /// What was drawn before, again or nearly.
    Related,
    /// What stands in the sources, and beside it.
    Constants,
    /// Small ones in ascending or descending order.
    Ascending,
    Descending,
}

/// The most values that are remembered.
const DRAWN_MAX: usize = 64;

/// The source of one input.
pub struct Inputs {
    rng: Rng,
    /// The most items of a list, or letters of a text.
    size: u64,
    values: Values,
    /// Lists around the value that is drawn.
    depth: u32,
    /// Values that were drawn, of any type.
    drawn: Vec<Box<dyn Any>>,
}

impl Inputs {
    pub fn new(size: u32, seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let values = match rng.below(16) {
            0..=3 => Values::Small,
            4..=6 => Values::Edges,
            7..=9 => Values::Any,
            10..=11 => Values::Related,
            12..=13 => Values::Constants,
            14 => Values::Ascending,
            _ => Values::Descending,
        };
        let size = u64::from(size);
        Self { rng, size, values, depth: 0, drawn: Vec::new() }
    }

    pub fn argument<T: Random>(&mut self) -> T {
        T::random(self)
    }

    fn one_of<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.rng.below(values.len() as u64) as usize]
    }

    /// The case of an enum that has so many.
    fn case(&mut self, count: u64) -> usize {
        self.rng.below(count) as usize
    }

    /// The length of a list or text here.
    fn length(&mut self) -> u64 {
        if self.depth > 0 {
            return self.rng.below(5);
        }
        let near = (1_u64 << self.rng.below(9)) - 1 + self.rng.below(3);
        match self.rng.below(8) {
            0 => self.rng.below(3).min(self.size),
            1..=2 => near.min(self.size),
            3..=4 => self.rng.below(self.size + 1),
            5 if !NUMBERS.is_empty() => match u64::try_from(self.one_of(&NUMBERS)) {
                Ok(length) if length <= self.size => length,
                _ => self.size,
            },
            _ => self.size,
        }
    }

    /// A value of this type that was drawn before, now and then.
    fn again<T: Clone + 'static>(&mut self) -> Option<T> {
        let seldom = match self.values {
            Values::Related => 2,
            Values::Small => 6,
            _ => 12,
        };
        if self.drawn.is_empty() || self.rng.below(seldom) > 0 {
            return None;
        }
        let place = self.rng.below(self.drawn.len() as u64) as usize;
        self.drawn[place].downcast_ref().cloned()
    }

    fn remember<T: Clone + 'static>(&mut self, value: &T) {
        if self.drawn.len() < DRAWN_MAX {
            self.drawn.push(Box::new(value.clone()));
        }
    }

    /// A number from `low` to `high`.
    fn number(&mut self, low: i128, high: i128) -> i128 {
        let values = match self.values {
            Values::Ascending | Values::Descending | Values::Related => Values::Small,
            Values::Constants if NUMBERS.is_empty() => Values::Any,
            // Ordinary ones among the edges.
            Values::Edges if self.rng.below(4) == 0 => Values::Small,
            values => values,
        };
        let any = match values {
            Values::Small => i128::from(self.rng.between(-4, 9)),
            Values::Edges => match self.rng.below(16) {
                0..=1 => low,
                2..=3 => high,
                4 => low + 1,
                5 => high - 1,
                6 => 0,
                7 => -1,
                8 => 1,
                _ => {
                    let power = match self.rng.below(3) {
                        0 => 10_i128.pow(self.rng.below(20) as u32),
                        _ => 1_i128 << self.rng.below(64),
                    };
                    let near = power + i128::from(self.rng.between(-1, 1));
                    if low == 0 || self.rng.bool() { near } else { -near }
                }
            },
            Values::Constants if self.rng.below(4) > 0 => {
                let constant = i128::from(self.one_of(&NUMBERS));
                match self.rng.below(6) {
                    0 => constant + 1,
                    1 => constant - 1,
                    2 => -constant,
                    _ => constant,
                }
            }
            _ => {
                // Every width is as likely as any other.
                let magnitude = i128::from(self.rng.u64() >> self.rng.below(64));
                if self.rng.below(3) == 0 { -magnitude } else { magnitude }
            }
        };
        match any < low || any > high {
            // A negative one of a type that has none, a larger one than there are.
            true => (any.unsigned_abs() % (high.unsigned_abs() + 1)) as i128,
            false => any,
        }
    }
}

/// A value that can be drawn.
pub trait Random: Sized + Clone + 'static {
    /// A new one.
    fn drawn(inputs: &mut Inputs) -> Self;

    /// One that differs a little.
    fn changed(self, _inputs: &mut Inputs) -> Self {
        self
    }

    /// Puts values into ascending order, where they have one.
    fn sort(_values: &mut [Self]) {}

    fn random(inputs: &mut Inputs) -> Self {
        if let Some(known) = inputs.again::<Self>() {
            return match inputs.rng.bool() {
                true => known,
                false => known.changed(inputs),
            };
        }
        let value = Self::drawn(inputs);
        inputs.remember(&value);
        value
    }
}

macro_rules! numbers {
    ($($name:ident)*) => {$(
        impl Random for $name {
            fn drawn(inputs: &mut Inputs) -> Self {
                inputs.number(i128::from($name::MIN), i128::from($name::MAX)) as $name
            }

            fn changed(self, inputs: &mut Inputs) -> Self {
                match inputs.rng.below(4) {
                    0 => self.wrapping_add(1),
                    1 => self.wrapping_sub(1),
                    2 => self.wrapping_mul(2),
                    _ => (0 as $name).wrapping_sub(self),
                }
            }

            fn sort(values: &mut [Self]) {
                values.sort_unstable();
            }
        }
    )*};
}

numbers!(u8 u16 u32 u64 i8 i16 i32 i64);

macro_rules! wide_numbers {
    ($($name:ident $low:expr)*) => {$(
        impl Random for $name {
            fn drawn(inputs: &mut Inputs) -> Self {
                let number = inputs.number($low, i128::MAX) as $name;
                match inputs.rng.below(8) {
                    0 => number.rotate_left(64),
                    1 => $name::from(u64::MAX).wrapping_add(number % 3),
                    2 => $name::MAX - (number & 1),
                    _ => number,
                }
            }

            fn sort(values: &mut [Self]) {
                values.sort_unstable();
            }
        }
    )*};
}

wide_numbers!(u128 0 i128 i128::MIN);

macro_rules! floats {
    ($($name:ident)*) => {$(
        impl Random for $name {
            fn drawn(inputs: &mut Inputs) -> Self {
                let whole = inputs.number(-1_000_000_000, 1_000_000_000) as $name;
                match inputs.values {
                    Values::Edges => match inputs.rng.below(12) {
                        0 => 0.0,
                        1 => -0.0,
                        2 => $name::INFINITY,
                        3 => $name::NEG_INFINITY,
                        4 => $name::NAN,
                        5 => $name::MAX,
                        6 => $name::MIN,
                        7 => $name::MIN_POSITIVE,
                        8 => $name::MIN_POSITIVE / 4.0,
                        9 => 1.0 + $name::EPSILON,
                        _ => whole,
                    },
                    Values::Any => whole + inputs.rng.f64() as $name,
                    Values::Constants => whole / 2.0,
                    _ => whole,
                }
            }

            fn changed(self, inputs: &mut Inputs) -> Self {
                match inputs.rng.below(3) {
                    0 => -self,
                    1 => self + 1.0,
                    _ => self * 0.5,
                }
            }

            fn sort(values: &mut [Self]) {
                values.sort_unstable_by($name::total_cmp);
            }
        }
    )*};
}

floats!(f32 f64);

impl Random for bool {
    fn drawn(inputs: &mut Inputs) -> Self {
        inputs.rng.bool()
    }
}

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

/// What texts are made of, beside single letters; among it words that change their length or their end with
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
        1 => format!("+{}", u32::drawn(inputs)),
        _ => i64::drawn(inputs).to_string(),
    }
}

impl Random for String {
    fn drawn(inputs: &mut Inputs) -> Self {
        let length = inputs.length();
        let kind = inputs.rng.below(8);
        inputs.depth += 1;
        let mut text = Self::new();
        while (text.chars().count() as u64) < length {
            match kind {
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

impl<T: Random> Random for Vec<T> {
    fn drawn(inputs: &mut Inputs) -> Self {
        let length = inputs.length();
        inputs.depth += 1;
        let mut items: Self = (0..length).map(|_| T::random(inputs)).collect();
        inputs.depth -= 1;
        if let Some(bytes) = (&mut items as &mut dyn Any).downcast_mut::<Vec<u8>>()
            && inputs.rng.below(6) == 0
        {
            *bytes = text_in_bytes(inputs);
        }
        match inputs.values {
            Values::Ascending => T::sort(&mut items),
            Values::Descending => {
                T::sort(&mut items);
                items.reverse();
            }
            _ => {}
        }
        items
    }

    /// A part of it, or with one item more, less or another.
    fn changed(mut self, inputs: &mut Inputs) -> Self {
        let length = self.len() as u64;
        match inputs.rng.below(5) {
            0 | 1 => {
                let first = inputs.rng.below(length + 1) as usize;
                let most = length + 1 - first as u64;
                self.drain(first..).take(inputs.rng.below(most) as usize).collect()
            }
            2 if length > 0 => {
                self.remove(inputs.rng.below(length) as usize);
                self
            }
            3 if length > 0 => {
                inputs.depth += 1;
                let place = inputs.rng.below(length) as usize;
                self[place] = T::drawn(inputs);
                inputs.depth -= 1;
                self
            }
            _ => {
                inputs.depth += 1;
                let place = inputs.rng.below(length + 1) as usize;
                self.insert(place, T::drawn(inputs));
                inputs.depth -= 1;
                self
            }
        }
    }
}

impl<T: Random> Random for Option<T> {
    fn drawn(inputs: &mut Inputs) -> Self {
        match inputs.rng.below(4) {
            0 => None,
            _ => Some(T::random(inputs)),
        }
    }
}

impl<T: Random> Random for Result<T, ()> {
    fn drawn(inputs: &mut Inputs) -> Self {
        Option::drawn(inputs).ok_or(())
    }
}

impl<T: Random, const N: usize> Random for [T; N] {
    fn drawn(inputs: &mut Inputs) -> Self {
        inputs.depth += 1;
        let items = std::array::from_fn(|_| T::random(inputs));
        inputs.depth -= 1;
        items
    }
}

impl Random for () {
    fn drawn(_: &mut Inputs) -> Self {}
}

macro_rules! tuples {
    ($(($($name:ident)*))*) => {$(
        impl<$($name: Random),*> Random for ($($name,)*) {
            fn drawn(inputs: &mut Inputs) -> Self {
                ($($name::random(inputs),)*)
            }
        }
    )*};
}

tuples!((A)(A B)(A B C)(A B C D)(A B C D E)(A B C D E F)(A B C D E F G)(A B C D E F G H)
    (A B C D E F G H I)(A B C D E F G H I J)(A B C D E F G H I J K)(A B C D E F G H I J K L));

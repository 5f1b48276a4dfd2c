//! Random inputs, drawn by their types. Most have lists and texts of the size that is asked for; one in
//! sixteen is short or empty, and where there are several lists or texts, all but one are often shorter. What numbers
//! and letters are like is drawn anew for each input: any at all, small ones, few different ones, sorted, the largest
//! and smallest; words, lines, digits, letters with accents and of several scripts.

use crate::bakeoff::Rng;

/// The kind of values that an input has.
#[derive(Clone, Copy, PartialEq)]
enum Values {
    Any,
    Small,
    Few,
    Equal,
    Ascending,
    Descending,
    Extreme,
}

/// Draws the kind of values that an input has.
fn drawn_values(rng: &mut Rng) -> Values {
    match rng.below(16) {
        0 => Values::Equal,
        1 => Values::Ascending,
        2 => Values::Descending,
        3 => Values::Extreme,
        4..=6 => Values::Few,
        7..=9 => Values::Small,
        _ => Values::Any,
    }
}

/// The kind of letters that texts have, by the rest of the seed by eight.
#[derive(Clone, Copy, PartialEq)]
enum Letters {
    Words,
    Lines,
    Digits,
    Accents,
    Scripts,
    /// Letters that follow the kind of values.
    AsValues,
}

/// The source of one input.
pub struct Inputs {
    rng: Rng,
    /// Items of a list, or letters of a text; or the magnitude of numbers, where those grow.
    size: u64,
    values: Values,
    letters: Letters,
    numbers_grow: bool,
    /// The place of the list or text that has the size, where others may be shorter.
    longest: Option<u64>,
    /// The lists and texts that were begun, but for those within another.
    begun: u64,
    /// The length of lists within another, where all have the same.
    row: Option<u64>,
    /// Lists around the value that is drawn.
    depth: u32,
}

impl Inputs {
    pub fn new(size: u32, seed: u64, numbers_grow: bool) -> Self {
        let mut rng = Rng::new(seed);
        let size = match rng.below(16) {
            0 if EDGE_CASES && !numbers_grow => rng.below(4.min(u64::from(size) + 1)),
            _ => u64::from(size),
        };
        let mut values = drawn_values(&mut rng);
        while LEFT_OUT.contains(&values) {
            values = drawn_values(&mut rng);
        }
        let letters = match seed % 8 {
            _ if PLAIN => Letters::AsValues,
            0 => Letters::Words,
            1 => Letters::Lines,
            2 => Letters::Digits,
            3 => Letters::Accents,
            4 => Letters::Scripts,
            _ => Letters::AsValues,
        };
        // By what is left of the seed: whoever looks for sizes asks for the same lengths.
        let are_equal = PLAIN || LISTS < 2 || seed / 8 % 8 < 5;
        let longest = if are_equal { None } else { Some(rng.below(LISTS)) };
        Self { rng, size, values, letters, numbers_grow, longest, begun: 0, row: None, depth: 0 }
    }

    /// One of so many cases of an enum: where values are equal, the first.
    fn case(&mut self, count: u64) -> usize {
        match self.values {
            Values::Equal => 0,
            Values::Few => self.rng.below(count.min(2)) as usize,
            _ => self.rng.below(count) as usize,
        }
    }

    /// The length of a list or text here: on the outside the size, or less beside one of that; a few within.
    fn length(&mut self) -> u64 {
        if self.depth == 0 {
            let place = self.begun;
            self.begun += 1;
            return match self.longest {
                Some(longest) if longest != place => self.shorter(),
                _ => self.size,
            };
        }
        if EDGE_CASES { self.rng.below(9) } else { 1 + self.rng.below(8) }
    }

    /// The length of a list or text beside one that has the size.
    fn shorter(&mut self) -> u64 {
        let length = match self.rng.below(4) {
            0 => self.size,
            1 => self.size / 8,
            2 => self.size.isqrt(),
            _ => 1 + self.rng.below(16),
        };
        length.clamp(self.size.min(1), self.size)
    }

    /// A number from `low` to `high`.
    fn number(&mut self, low: i64, high: i64) -> i64 {
        if self.depth == 0 {
            // Beside lists: an index, a count, a value to look for. Alone: what grows.
            let size = i64::try_from(self.size).unwrap_or(i64::MAX);
            return match self.numbers_grow {
                true => self.rng.between(size - size / 8, size).clamp(low, high),
                false if !EDGE_CASES => self.rng.between(0, (size - 1).max(0)).clamp(low, high),
                false => match self.rng.below(4) {
                    0 => self.rng.between(low.max(-10), high.min(10)),
                    _ => self.rng.between(0, size).clamp(low, high),
                },
            };
        }
        match self.values {
            Values::Few => self.rng.between(low.max(-3), high.min(4)),
            Values::Equal => high.min(7),
            Values::Small => self.rng.between(low.max(-100), high.min(100)),
            Values::Extreme => match self.rng.below(4) {
                0 => low,
                1 => high,
                2 => 0,
                _ => self.rng.between(low.max(-1), high.min(1)),
            },
            // Sums of many of them do not overflow.
            _ => self.rng.between(low.max(-1_000_000_000), high.min(1_000_000_000)),
        }
    }
}

/// A value that can be drawn.
pub trait Random: Sized {
    /// Returns a new value.
    fn drawn(inputs: &mut Inputs) -> Self;

    /// Puts values into ascending order, where they have one.
    fn sort(_values: &mut [Self]) {}

    /// Returns a value for a place in an input.
    fn random(inputs: &mut Inputs) -> Self {
        Self::drawn(inputs)
    }
}

macro_rules! numbers {
    ($($name:ident)*) => {$(
        impl Random for $name {
            fn drawn(inputs: &mut Inputs) -> Self {
                let low = i64::try_from($name::MIN).unwrap_or(i64::MIN);
                let high = i64::try_from($name::MAX).unwrap_or(i64::MAX);
                inputs.number(low, high) as $name
            }

            fn sort(values: &mut [Self]) {
                values.sort_unstable();
            }
        }
    )*};
}

numbers!(u8 u16 u32 u64 i8 i16 i32 i64);

macro_rules! wide_numbers {
    ($($name:ident $narrow:ident)*) => {$(
        impl Random for $name {
            fn drawn(inputs: &mut Inputs) -> Self {
                let is_extreme = inputs.values == Values::Extreme && inputs.depth > 0;
                if is_extreme && inputs.rng.bool() {
                    [$name::MIN, $name::MAX][inputs.case(2)]
                } else {
                    $name::from($narrow::random(inputs))
                }
            }

            fn sort(values: &mut [Self]) {
                values.sort_unstable();
            }
        }
    )*};
}

wide_numbers!(u128 u64 i128 i64);

macro_rules! floats {
    ($($name:ident)*) => {$(
        impl Random for $name {
            fn drawn(inputs: &mut Inputs) -> Self {
                let whole = inputs.number(-1_000, 1_000) as $name;
                match inputs.values {
                    Values::Any | Values::Ascending | Values::Descending => {
                        whole + inputs.rng.f64() as $name
                    }
                    _ => whole,
                }
            }

            fn sort(values: &mut [Self]) {
                values.sort_unstable_by($name::total_cmp);
            }
        }
    )*};
}

floats!(f32 f64);

/// Letters that take two bytes, and of scripts of two to four.
const ACCENTS: [char; 16] = ['à', 'á', 'â', 'ä', 'ç', 'è', 'é', 'ê', 'ï', 'ñ', 'ö', 'ß', 'ü', 'ø', 'ł', 'ž'];
const SCRIPTS: [char; 24] = [
    ' ', ' ', 'a', 'e', 'д', 'ж', 'и', 'я', 'α', 'λ', 'ω', 'ש', 'ا', 'م', 'ह', 'ก', 'あ', 'カ', '中', '文', '字', '한', '🦀', '😀',
];

impl Random for char {
    fn drawn(inputs: &mut Inputs) -> Self {
        let from = |letters: &[u8], inputs: &mut Inputs| char::from(inputs.one_of(letters));
        match inputs.letters {
            Letters::Words => return from(b"abcdefghijklmnopqrstuvwxyz      ", inputs),
            Letters::Lines => return from(b"abcdefghijklmnopqrstuvwxyz     ,.\n", inputs),
            Letters::Digits => return from(b"0123456789", inputs),
            Letters::Scripts => return inputs.one_of(&SCRIPTS),
            Letters::Accents => {
                return match inputs.rng.below(5) {
                    0 => inputs.one_of(&ACCENTS),
                    _ => from(b"abcdefghijklmnopqrstuvwxyz      ", inputs),
                };
            }
            Letters::AsValues => {}
        }
        match inputs.values {
            Values::Equal => 'a',
            Values::Few => from(b"ab", inputs),
            Values::Small => from(b"0123456789", inputs),
            Values::Extreme => match inputs.rng.below(4) {
                0 if !PLAIN => inputs.one_of(&['\u{df}', '\u{416}', '\u{4e2d}', '\u{1f980}']),
                _ => from(b"aZ 09_-+.,;:(){}[]\"'\\/\n\t", inputs),
            },
            _ => from(b"abcdefghijklmnopqrstuvwxyz      ABCDEFGH,.", inputs),
        }
    }

    fn sort(values: &mut [Self]) {
        values.sort_unstable();
    }
}

impl Random for String {
    fn drawn(inputs: &mut Inputs) -> Self {
        let length = inputs.length();
        inputs.depth += 1;
        let text = (0..length).map(|_| char::random(inputs)).collect();
        inputs.depth -= 1;
        text
    }

    fn sort(values: &mut [Self]) {
        values.sort_unstable();
    }
}

impl<T: Random> Random for Vec<T> {
    fn drawn(inputs: &mut Inputs) -> Self {
        let length = match inputs.row {
            Some(row) if inputs.depth == 1 => row,
            _ => inputs.length(),
        };
        if inputs.depth == 0 && is_list::<T>() {
            let is_grid = PLAIN || inputs.rng.bool();
            inputs.row = is_grid.then(|| 1 + inputs.rng.below(8));
        }
        inputs.depth += 1;
        let mut items: Self = (0..length).map(|_| T::random(inputs)).collect();
        inputs.depth -= 1;
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
}

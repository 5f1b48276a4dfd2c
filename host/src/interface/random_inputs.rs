//! Random inputs, drawn by their types. Most have lists and texts of the size that is asked for; one in
//! sixteen is short or empty. What numbers and letters are like is drawn anew for each input: any at all,
//! small ones, few different ones, sorted, the largest and smallest.

use crate::bakeoff::Rng;

/// What the values of an input are like.
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

/// What the values of an input are like.
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

/// The source of one input.
pub struct Inputs {
    rng: Rng,
    /// Items of a list, or letters of a text; or the magnitude of numbers, where those grow.
    size: u64,
    values: Values,
    numbers_grow: bool,
    /// Whether lists may be shorter than the size, and numbers beside them no index into them.
    edge_cases: bool,
    /// Lists around the value that is drawn.
    depth: u32,
}

impl Inputs {
    pub fn new(size: u32, seed: u64, numbers_grow: bool, edge_cases: bool) -> Self {
        let mut rng = Rng::new(seed);
        let size = match rng.below(16) {
            0 if edge_cases && !numbers_grow => rng.below(4.min(u64::from(size) + 1)),
            _ => u64::from(size),
        };
        let mut values = drawn_values(&mut rng);
        while LEFT_OUT.contains(&values) {
            values = drawn_values(&mut rng);
        }
        Self { rng, size, values, numbers_grow, edge_cases, depth: 0 }
    }

    pub fn argument<T: Random>(&mut self) -> T {
        T::random(self)
    }

    /// One of so many cases of an enum: where values are equal, the first.
    fn case(&mut self, count: u64) -> usize {
        match self.values {
            Values::Equal => 0,
            Values::Few => self.rng.below(count.min(2)) as usize,
            _ => self.rng.below(count) as usize,
        }
    }

    /// The length of a list or text here: the size on the outside, a few within.
    fn length(&mut self) -> u64 {
        match self.depth {
            0 => self.size,
            _ if self.edge_cases => self.rng.below(9),
            _ => 1 + self.rng.below(8),
        }
    }

    /// A number from `low` to `high`.
    fn number(&mut self, low: i64, high: i64) -> i64 {
        if self.depth == 0 {
            // Beside lists: an index, a count, a value to look for. Alone: what grows.
            let size = i64::try_from(self.size).unwrap_or(i64::MAX);
            return match self.numbers_grow {
                true => self.rng.between(size - size / 8, size).clamp(low, high),
                false if !self.edge_cases => self.rng.between(0, (size - 1).max(0)).clamp(low, high),
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
    fn random(inputs: &mut Inputs) -> Self;

    /// Puts values into ascending order, where they have one.
    fn sort(_values: &mut [Self]) {}
}

macro_rules! numbers {
    ($($name:ident)*) => {$(
        impl Random for $name {
            fn random(inputs: &mut Inputs) -> Self {
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
            fn random(inputs: &mut Inputs) -> Self {
                let is_extreme = inputs.values == Values::Extreme && inputs.depth > 0;
                match is_extreme && inputs.rng.bool() {
                    true => [$name::MIN, $name::MAX][inputs.case(2)],
                    false => $name::from($narrow::random(inputs)),
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
            fn random(inputs: &mut Inputs) -> Self {
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

impl Random for bool {
    fn random(inputs: &mut Inputs) -> Self {
        inputs.rng.bool()
    }
}

impl Random for char {
    fn random(inputs: &mut Inputs) -> Self {
        let from = |letters: &[u8], inputs: &mut Inputs| {
            char::from(letters[inputs.rng.below(letters.len() as u64) as usize])
        };
        match inputs.values {
            Values::Equal => 'a',
            Values::Few => from(b"ab", inputs),
            Values::Small => from(b"0123456789", inputs),
            Values::Extreme => match inputs.rng.below(4) {
                0 => ['\u{df}', '\u{416}', '\u{4e2d}', '\u{1f980}'][inputs.rng.below(4) as usize],
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
    fn random(inputs: &mut Inputs) -> Self {
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
    fn random(inputs: &mut Inputs) -> Self {
        let length = inputs.length();
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

impl<T: Random> Random for Option<T> {
    fn random(inputs: &mut Inputs) -> Self {
        match inputs.rng.below(4) {
            0 => None,
            _ => Some(T::random(inputs)),
        }
    }
}

impl<T: Random> Random for Result<T, ()> {
    fn random(inputs: &mut Inputs) -> Self {
        Option::random(inputs).ok_or(())
    }
}

impl<T: Random, const N: usize> Random for [T; N] {
    fn random(inputs: &mut Inputs) -> Self {
        inputs.depth += 1;
        let items = std::array::from_fn(|_| T::random(inputs));
        inputs.depth -= 1;
        items
    }
}

impl Random for () {
    fn random(_: &mut Inputs) -> Self {}
}

macro_rules! tuples {
    ($(($($name:ident)*))*) => {$(
        impl<$($name: Random),*> Random for ($($name,)*) {
            fn random(inputs: &mut Inputs) -> Self {
                ($($name::random(inputs),)*)
            }
        }
    )*};
}

tuples!((A)(A B)(A B C)(A B C D)(A B C D E)(A B C D E F)(A B C D E F G)(A B C D E F G H)
    (A B C D E F G H I)(A B C D E F G H I J)(A B C D E F G H I J K)(A B C D E F G H I J K L));

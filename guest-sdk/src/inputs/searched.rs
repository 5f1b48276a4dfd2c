//! Inputs on which functions may differ, drawn by their types: as property testing does, edge cases first.
//! Short lists and small numbers, the largest and smallest, powers of two and their neighbours, what stands
//! in the sources, things twice, parts of others, and anything at all.

use crate::bakeoff::Rng;
use std::any::Any;

/// The kind of values that an input has.
#[derive(Clone, Copy, PartialEq)]
enum Values {
    /// A few small ones, which a person can follow.
    Small,
    /// The largest and smallest, and those around 0.
    Edges,
    /// Numbers of any magnitude.
    Any,
    /// Values that were drawn before, again or nearly.
    Related,
    /// Constants of the sources, and numbers beside them.
    Constants,
    /// Small ones in ascending or descending order.
    Ascending,
    Descending,
    /// Numbers that are alike in their lowest bits, and texts of which simple sums over letters are the same.
    Colliding,
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
    /// The bits in which numbers are alike, where they are.
    alike: u64,
    /// The length of lists within another, where all have the same.
    row: Option<u64>,
    /// Values that were drawn, of any type.
    drawn: Vec<Box<dyn Any>>,
}

impl Inputs {
    pub fn new(size: u32, seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let values = match rng.below(17) {
            0..=3 => Values::Small,
            4..=6 => Values::Edges,
            7..=9 => Values::Any,
            10..=11 => Values::Related,
            12..=13 => Values::Constants,
            14 => Values::Ascending,
            15 => Values::Descending,
            _ => Values::Colliding,
        };
        let size = u64::from(size);
        let alike = [4, 8, 16, 32][rng.below(4) as usize];
        Self { rng, size, values, depth: 0, alike, row: None, drawn: Vec::new() }
    }

    /// The case of an enum that has so many.
    fn case(&mut self, count: u64) -> usize {
        self.rng.below(count) as usize
    }

    /// The length of a list or text here.
    fn length(&mut self) -> u64 {
        match self.row {
            Some(row) if self.depth == 1 => return row,
            _ if self.depth > 0 => return self.rng.below(5),
            _ => {}
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
        // A row of a grid is as long as the others.
        let is_row = self.row.is_some() && self.depth == 1;
        if is_row || self.drawn.is_empty() || self.rng.below(seldom) > 0 {
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
            Values::Colliding => {
                i128::from(self.rng.below(2)) + (i128::from(self.rng.below(9)) << self.alike)
            }
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
        if any < low || any > high {
            // A negative one of a type that has none, a larger one than there are.
            (any.unsigned_abs() % (high.unsigned_abs() + 1)) as i128
        } else {
            any
        }
    }
}

/// A value that can be drawn.
pub trait Random: Sized + Clone + 'static {
    /// Returns a new value.
    fn drawn(inputs: &mut Inputs) -> Self;

    /// One that differs a little.
    fn changed(self, _inputs: &mut Inputs) -> Self {
        self
    }

    /// Puts values into ascending order, where they have one.
    fn sort(_values: &mut [Self]) {}

    /// Returns a value for a place in an input: a new one, or one that was drawn before, or nearly that.
    fn random(inputs: &mut Inputs) -> Self {
        if let Some(known) = inputs.again::<Self>() {
            return if inputs.rng.bool() { known } else { known.changed(inputs) };
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

/// The most rows of a grid that is a square.
const SQUARE_MAX: u64 = 8;

impl<T: Random> Random for Vec<T> {
    fn drawn(inputs: &mut Inputs) -> Self {
        let length = inputs.length();
        if inputs.depth == 0 {
            let is_grid = is_list::<T>() && inputs.rng.bool();
            inputs.row = is_grid.then(|| {
                if inputs.rng.bool() {
                    // A square, where that is small.
                    length.min(SQUARE_MAX)
                } else {
                    inputs.rng.below(5)
                }
            });
        }
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

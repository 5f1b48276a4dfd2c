// What the functions that are passed to a prototype make of values.

/// A value of which there is a number, and which has an order.
trait FunctionValue {
    /// A number itself, the length of a text or list, the code of a letter.
    fn number(&self) -> i64;

    /// The total order.
    fn order(&self, other: &Self) -> core::cmp::Ordering;
}

/// A value that can be made of others.
trait MadeValue: FunctionValue + Clone {
    fn of(number: i64) -> Self;

    fn negated(&self) -> Self;

    fn sum(&self, other: &Self) -> Self;

    /// The value of the number's remainder by seven.
    fn modulo(&self) -> Self {
        Self::of(self.number().rem_euclid(7))
    }
}

macro_rules! whole_numbers {
    ($($name:ident: $of:expr;)*) => {$(
        impl FunctionValue for $name {
            fn number(&self) -> i64 {
                *self as i64
            }

            fn order(&self, other: &Self) -> core::cmp::Ordering {
                self.cmp(other)
            }
        }

        impl MadeValue for $name {
            fn of(number: i64) -> Self {
                let of: fn(i64) -> $name = $of;
                of(number)
            }

            fn negated(&self) -> Self {
                self.wrapping_neg()
            }

            fn sum(&self, other: &Self) -> Self {
                self.wrapping_add(*other)
            }
        }
    )*};
}

whole_numbers! {
    i8: |number| number as i8;
    i16: |number| number as i16;
    i32: |number| number as i32;
    i64: |number| number;
    i128: |number| i128::from(number);
    isize: |number| number as isize;
    u8: |number| number.unsigned_abs() as u8;
    u16: |number| number.unsigned_abs() as u16;
    u32: |number| number.unsigned_abs() as u32;
    u64: |number| number.unsigned_abs();
    u128: |number| u128::from(number.unsigned_abs());
    usize: |number| number.unsigned_abs() as usize;
}

macro_rules! floats {
    ($($name:ident)*) => {$(
        impl FunctionValue for $name {
            fn number(&self) -> i64 {
                *self as i64
            }

            fn order(&self, other: &Self) -> core::cmp::Ordering {
                self.total_cmp(other)
            }
        }

        impl MadeValue for $name {
            fn of(number: i64) -> Self {
                number as $name
            }

            fn negated(&self) -> Self {
                -self
            }

            fn sum(&self, other: &Self) -> Self {
                self + other
            }
        }
    )*};
}

floats!(f32 f64);

impl FunctionValue for bool {
    fn number(&self) -> i64 {
        i64::from(*self)
    }

    fn order(&self, other: &Self) -> core::cmp::Ordering {
        self.cmp(other)
    }
}

impl MadeValue for bool {
    fn of(number: i64) -> Self {
        number % 2 != 0
    }

    fn negated(&self) -> Self {
        !self
    }

    fn sum(&self, other: &Self) -> Self {
        self ^ other
    }
}

impl FunctionValue for char {
    fn number(&self) -> i64 {
        i64::from(*self as u32)
    }

    fn order(&self, other: &Self) -> core::cmp::Ordering {
        self.cmp(other)
    }
}

impl MadeValue for char {
    fn of(number: i64) -> Self {
        char::from(b'a' + number.rem_euclid(26) as u8)
    }

    fn negated(&self) -> Self {
        Self::of(self.number().wrapping_neg())
    }

    fn sum(&self, other: &Self) -> Self {
        Self::of(self.number() + other.number())
    }
}

impl FunctionValue for str {
    fn number(&self) -> i64 {
        self.len() as i64
    }

    fn order(&self, other: &Self) -> core::cmp::Ordering {
        self.cmp(other)
    }
}

impl FunctionValue for String {
    fn number(&self) -> i64 {
        self.len() as i64
    }

    fn order(&self, other: &Self) -> core::cmp::Ordering {
        self.cmp(other)
    }
}

impl MadeValue for String {
    fn of(number: i64) -> Self {
        number.to_string()
    }

    fn negated(&self) -> Self {
        self.chars().rev().collect()
    }

    fn sum(&self, other: &Self) -> Self {
        let mut text = self.clone();
        text.push_str(other);
        text
    }
}

impl<T: FunctionValue> FunctionValue for Vec<T> {
    fn number(&self) -> i64 {
        self.len() as i64
    }

    fn order(&self, other: &Self) -> core::cmp::Ordering {
        let mut orders = self.iter().zip(other).map(|(one, other)| one.order(other));
        let differ = orders.find(|order| order.is_ne());
        differ.unwrap_or(self.len().cmp(&other.len()))
    }
}

impl<T: MadeValue> MadeValue for Vec<T> {
    fn of(number: i64) -> Self {
        vec![T::of(number)]
    }

    fn negated(&self) -> Self {
        self.iter().rev().cloned().collect()
    }

    fn sum(&self, other: &Self) -> Self {
        self.iter().chain(other).cloned().collect()
    }
}

impl<T: FunctionValue> FunctionValue for Option<T> {
    fn number(&self) -> i64 {
        self.as_ref().map_or(-1, T::number)
    }

    fn order(&self, other: &Self) -> core::cmp::Ordering {
        match (self, other) {
            (Some(one), Some(other)) => one.order(other),
            _ => self.is_some().cmp(&other.is_some()),
        }
    }
}

impl<T: MadeValue> MadeValue for Option<T> {
    fn of(number: i64) -> Self {
        Some(T::of(number))
    }

    fn negated(&self) -> Self {
        self.as_ref().map(T::negated)
    }

    fn sum(&self, other: &Self) -> Self {
        match (self, other) {
            (Some(one), Some(other)) => Some(one.sum(other)),
            _ => self.clone().or_else(|| other.clone()),
        }
    }
}

macro_rules! tuples {
    ($(($($name:ident $place:tt)*))*) => {$(
        impl<$($name: FunctionValue),*> FunctionValue for ($($name,)*) {
            fn number(&self) -> i64 {
                let mut number = 0_i64;
                $(number = number.wrapping_add(self.$place.number());)*
                number
            }

            fn order(&self, other: &Self) -> core::cmp::Ordering {
                let order = core::cmp::Ordering::Equal;
                $(let order = order.then_with(|| self.$place.order(&other.$place));)*
                order
            }
        }

        impl<$($name: MadeValue),*> MadeValue for ($($name,)*) {
            fn of(number: i64) -> Self {
                ($($name::of(number),)*)
            }

            fn negated(&self) -> Self {
                ($(self.$place.negated(),)*)
            }

            fn sum(&self, other: &Self) -> Self {
                ($(self.$place.sum(&other.$place),)*)
            }
        }
    )*};
}

tuples!((A 0)(A 0 B 1)(A 0 B 1 C 2)(A 0 B 1 C 2 D 3));

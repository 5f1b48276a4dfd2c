//! The values of a prototype's parameters, as texts and as what they stand for.

/// A type that the value of a parameter can have.
pub trait Parameter: Sized {
    /// The name of such a value in messages.
    const KIND: &'static str;

    /// Reads the text of a value; `None` if it is no such value.
    fn read(text: &str) -> Option<Self>;
}

macro_rules! parsed_as {
    ($kind:literal: $($name:ty)*) => {$(
        impl Parameter for $name {
            const KIND: &'static str = $kind;

            fn read(text: &str) -> Option<Self> {
                text.parse().ok()
            }
        }
    )*};
}

parsed_as!("a whole number of this type": i8 i16 i32 i64 isize u8 u16 u32 u64 usize);
parsed_as!("a number": f32 f64);
parsed_as!("`true` or `false`": bool);
parsed_as!("a text": String);

/// The value of a parameter, from its text.
///
/// # Panics
/// There is no such parameter, or its value is not of this type: the sweep of the approach and the code
/// do not fit each other.
pub fn parsed<T: Parameter>(name: &str, text: Option<String>) -> T {
    let Some(text) = text else {
        panic!(
            "there is no parameter `{name}`: give it values in the `sweep` of this approach, or ask for one \
             that is there"
        );
    };
    match T::read(&text) {
        Some(value) => value,
        None => panic!(
            "the parameter `{name}` is {text:?}, which is not {}",
            T::KIND
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of<T: Parameter>(text: &str) -> T {
        parsed("x", Some(text.to_owned()))
    }

    #[test]
    fn a_value_is_read_as_the_type_that_is_asked_for() {
        assert_eq!(of::<usize>("4"), 4);
        assert_eq!(of::<f64>("0.5"), 0.5);
        assert_eq!(of::<f64>("4"), 4.0);
        assert!(of::<bool>("true"));
        assert_eq!(of::<String>("lru"), "lru");
    }

    #[test]
    #[should_panic(expected = "there is no parameter `arty`")]
    fn a_parameter_that_is_not_there_is_named() {
        parsed::<u32>("arty", None);
    }

    #[test]
    #[should_panic(expected = "the parameter `x` is \"0.5\", which is not a whole number")]
    fn a_value_of_another_type_is_named() {
        of::<u32>("0.5");
    }
}

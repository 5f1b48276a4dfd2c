//! Types as they can be read off Rust source, before there is any WIT.

use super::rust::plain;
use super::types::Type;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The type of a value that a function takes or returns. Displayed in the notation of WIT.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Shape {
    /// `bool`, `u8` … `s64`, `f32`, `f64`, `char` or `string`, by that name.
    Plain(String),
    /// `list<T>`.
    List(Box<Shape>),
    /// `option<T>`.
    Option(Box<Shape>),
    /// `result<T>`: that there is an error counts, and not its text. `None`: no value either.
    Result(Option<Box<Shape>>),
    /// `tuple<…>`.
    Tuple(Vec<Shape>),
    /// A type parameter of a generic function, by its name.
    Any(String),
}

/// What stands for a type parameter that nothing decides: numbers have an order, can be copied, hashed and
/// printed.
const ANY: &str = "s64";

impl Shape {
    /// A plain type.
    pub fn plain(name: &str) -> Self {
        Self::Plain(name.to_owned())
    }

    /// A list.
    pub fn list(item: Self) -> Self {
        Self::List(Box::new(item))
    }

    /// The shape of a WIT type.
    ///
    /// # Errors
    /// The type has names, or an error with a value, which no shape has; the error says what it is.
    pub fn of(ty: &Type) -> Result<Self, String> {
        Ok(match ty {
            Type::Plain(name) => Self::plain(name),
            Type::List(item) => Self::list(Self::of(item)?),
            Type::Option(item) => Self::Option(Box::new(Self::of(item)?)),
            Type::Result(None, None) => Self::Result(None),
            Type::Result(Some(ok), None) => Self::Result(Some(Box::new(Self::of(ok)?))),
            Type::Result(_, Some(_)) => return Err("a result whose error has a value".to_owned()),
            Type::Tuple(items) => {
                Self::Tuple(items.iter().map(Self::of).collect::<Result<_, _>>()?)
            }
            Type::Record(name, _) => return Err(format!("the record {name}")),
            Type::Variant(name, _) => return Err(format!("the variant {name}")),
            Type::Enum(name, _) => return Err(format!("the enum {name}")),
            Type::Flags(name, _) => return Err(format!("the flags {name}")),
        })
    }

    /// Returns true if a WIT type has this shape. A type parameter stands for any type.
    pub fn fits(&self, ty: &Type) -> bool {
        match (self, ty) {
            (Self::Any(_), _) => true,
            (Self::Plain(name), Type::Plain(other)) => name == other,
            (Self::List(item), Type::List(other)) | (Self::Option(item), Type::Option(other)) => {
                item.fits(other)
            }
            (Self::Result(None), Type::Result(None, None)) => true,
            (Self::Result(Some(ok)), Type::Result(Some(other), None)) => ok.fits(other),
            (Self::Tuple(items), Type::Tuple(others)) => {
                items.len() == others.len()
                    && items
                        .iter()
                        .zip(others)
                        .all(|(item, other)| item.fits(other))
            }
            _ => false,
        }
    }

    /// What two shapes of the same value have in common: where one has a type parameter, the other
    /// decides. `None` if they differ.
    pub fn unified(&self, other: &Self) -> Option<Self> {
        match (self, other) {
            (Self::Any(_), decided) | (decided, Self::Any(_)) => Some(decided.clone()),
            (Self::Plain(a), Self::Plain(b)) => (a == b).then(|| self.clone()),
            (Self::List(a), Self::List(b)) => Some(Self::list(a.unified(b)?)),
            (Self::Option(a), Self::Option(b)) => Some(Self::Option(Box::new(a.unified(b)?))),
            (Self::Result(None), Self::Result(None)) => Some(Self::Result(None)),
            (Self::Result(Some(a)), Self::Result(Some(b))) => {
                Some(Self::Result(Some(Box::new(a.unified(b)?))))
            }
            (Self::Tuple(a), Self::Tuple(b)) if a.len() == b.len() => {
                let items = a.iter().zip(b).map(|(a, b)| a.unified(b));
                Some(Self::Tuple(items.collect::<Option<_>>()?))
            }
            _ => None,
        }
    }

    /// The shape with numbers in the place of type parameters.
    pub fn decided(&self) -> Self {
        match self {
            Self::Any(_) => Self::plain(ANY),
            Self::Plain(_) | Self::Result(None) => self.clone(),
            Self::List(item) => Self::list(item.decided()),
            Self::Option(item) => Self::Option(Box::new(item.decided())),
            Self::Result(Some(ok)) => Self::Result(Some(Box::new(ok.decided()))),
            Self::Tuple(items) => Self::Tuple(items.iter().map(Self::decided).collect()),
        }
    }

    /// The same type in Rust, owned: `Vec<i64>`.
    pub fn rust(&self) -> String {
        match self {
            Self::Plain(name) => plain(name).to_owned(),
            Self::Any(_) => self.decided().rust(),
            Self::List(item) => format!("Vec<{}>", item.rust()),
            Self::Option(item) => format!("Option<{}>", item.rust()),
            Self::Result(None) => "Result<(), ()>".to_owned(),
            Self::Result(Some(ok)) => format!("Result<{}, ()>", ok.rust()),
            Self::Tuple(items) => {
                let items: Vec<String> = items.iter().map(Self::rust).collect();
                let comma = if items.len() == 1 { "," } else { "" };
                format!("({}{comma})", items.join(", "))
            }
        }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain(name) | Self::Any(name) => f.write_str(name),
            Self::List(item) => write!(f, "list<{item}>"),
            Self::Option(item) => write!(f, "option<{item}>"),
            Self::Result(None) => f.write_str("result"),
            Self::Result(Some(ok)) => write!(f, "result<{ok}>"),
            Self::Tuple(items) => {
                let items: Vec<String> = items.iter().map(Self::to_string).collect();
                write!(f, "tuple<{}>", items.join(", "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn any() -> Shape {
        Shape::Any("T".to_owned())
    }

    #[test]
    fn a_type_has_a_shape_unless_it_has_names() {
        let list = Type::List(Box::new(Type::Plain("u8")));
        assert_eq!(Shape::of(&list), Ok(Shape::list(Shape::plain("u8"))));
        let nested = Type::Option(Box::new(Type::Enum("hue".to_owned(), Vec::new())));
        assert_eq!(Shape::of(&nested), Err("the enum hue".to_owned()));
        assert!(Shape::of(&Type::Result(None, Some(Box::new(list)))).is_err());
    }

    #[test]
    fn what_one_leaves_open_another_decides() {
        let bytes = Shape::list(Shape::plain("u8"));
        assert_eq!(Shape::list(any()).unified(&bytes), Some(bytes.clone()));
        assert_eq!(bytes.unified(&any()), Some(bytes.clone()));
        assert_eq!(bytes.unified(&Shape::list(Shape::plain("u16"))), None);
        assert_eq!(Shape::list(any()).decided().to_string(), "list<s64>");
        let pair = Shape::Tuple(vec![any(), Shape::Result(None)]);
        assert_eq!(pair.decided().rust(), "(i64, Result<(), ()>)");
    }

    #[test]
    fn a_shape_fits_a_type_of_wit() {
        let words = Shape::list(Shape::plain("string"));
        assert!(words.fits(&Type::List(Box::new(Type::Plain("string")))));
        assert!(!words.fits(&Type::List(Box::new(Type::Plain("char")))));
        assert!(any().fits(&Type::Plain("u8")));
        assert!(Shape::Result(None).fits(&Type::Result(None, None)));
    }
}

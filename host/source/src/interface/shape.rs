//! Shapes: types as they can be read from Rust source, before there is any WIT.

use super::rust::plain;
use super::types::Type;
use super::wit_names::escaped;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The type of a value that a function takes or returns, displayed in the notation of WIT.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Shape {
    /// `bool`, `u8` … `s64`, `f32`, `f64`, `char` or `string`, by that name.
    Plain(String),
    /// `list<T>`.
    List(Box<Shape>),
    /// `option<T>`.
    Option(Box<Shape>),
    /// `result<T>`, whose error has no value: two errors are equal. `None` if success has no value either.
    Result(Option<Box<Shape>>),
    /// `tuple<…>`.
    Tuple(Vec<Shape>),
    /// `[T; N]`, which is a list in WIT.
    Array(Box<Shape>, usize),
    /// A number of 128 bits: `i128` if true (signed), else `u128`. In WIT a tuple of the higher and the lower half.
    Wide(bool),
    /// An enum that the files declare.
    Enum(Box<EnumShape>),
    /// A type parameter of a generic function, by its name.
    Any(String),
}

/// An enum, as all files declare it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnumShape {
    /// The name in Rust.
    pub name: String,
    /// The cases, in their order.
    pub cases: Vec<EnumCase>,
}

/// A case of an enum.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnumCase {
    /// The name in Rust.
    pub name: String,
    /// True if the fields have names.
    pub is_named: bool,
    /// The names of the fields, or their places.
    pub names: Vec<String>,
    /// The types of the fields.
    pub fields: Vec<Shape>,
}

/// The type for a type parameter that nothing decides: numbers have an order, can be copied, hashed and
/// printed.
const ANY: &str = "s64";

impl Shape {
    /// Makes the shape of a plain type.
    pub fn plain(name: &str) -> Self {
        Self::Plain(name.to_owned())
    }

    /// Makes the shape of a list.
    pub fn list(item: Self) -> Self {
        Self::List(Box::new(item))
    }

    /// Returns the shape of a WIT type.
    ///
    /// # Errors
    /// The type is or contains a named type, or a result whose error has a value, for which there is no shape; the
    /// error names that part.
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

    /// Returns true if a WIT type has this shape. A type parameter fits any type.
    pub fn fits(&self, ty: &Type) -> bool {
        match (self, ty) {
            (Self::Any(_), _) => true,
            (Self::Array(item, _), Type::List(other)) => item.fits(other),
            (Self::Wide(is_signed), Type::Tuple(halves)) => {
                *halves == wide_halves(*is_signed).map(Type::Plain)
            }
            (Self::Enum(of), ty) => of.fits(ty),
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

    /// Unifies two shapes of the same value: where one has a type parameter, the other decides. `None`
    /// if they differ.
    pub fn unified(&self, other: &Self) -> Option<Self> {
        match (self, other) {
            (Self::Any(_), decided) | (decided, Self::Any(_)) => Some(decided.clone()),
            (Self::Plain(a), Self::Plain(b)) => (a == b).then(|| self.clone()),
            (Self::List(a), Self::List(b)) => Some(Self::list(a.unified(b)?)),
            (Self::Array(a, length), Self::Array(b, other)) if length == other => {
                Some(Self::Array(Box::new(a.unified(b)?), *length))
            }
            (Self::Wide(a), Self::Wide(b)) => (a == b).then(|| self.clone()),
            (Self::Enum(a), Self::Enum(b)) => (a == b).then(|| self.clone()),
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

    /// Returns the shape with numbers in the place of type parameters.
    pub fn decided(&self) -> Self {
        match self {
            Self::Any(_) => Self::plain(ANY),
            Self::Plain(_) | Self::Result(None) | Self::Wide(_) | Self::Enum(_) => self.clone(),
            Self::Array(item, length) => Self::Array(Box::new(item.decided()), *length),
            Self::List(item) => Self::list(item.decided()),
            Self::Option(item) => Self::Option(Box::new(item.decided())),
            Self::Result(Some(ok)) => Self::Result(Some(Box::new(ok.decided()))),
            Self::Tuple(items) => Self::Tuple(items.iter().map(Self::decided).collect()),
        }
    }

    /// Returns the owned type in Rust: `Vec<i64>`. Enums have the names in their file.
    pub fn rust(&self) -> String {
        self.rust_as(&|own| match own {
            Self::Array(item, length) => format!("[{}; {length}]", item.rust()),
            Self::Enum(of) => of.name.clone(),
            own => own.whole().to_owned(),
        })
    }

    /// Returns the Rust type as which a workload draws a value.
    pub(super) fn drawn_rust(&self) -> String {
        self.rust_as(&|own| match own {
            Self::Array(item, length) => format!("[{}; {length}]", item.drawn_rust()),
            Self::Enum(of) => format!("crate::types::{}", of.bound_name()),
            own => own.whole().to_owned(),
        })
    }

    /// Returns the Rust type as which a workload returns a value, that of the bindings.
    pub(super) fn given_rust(&self) -> String {
        self.rust_as(&|own| match own {
            Self::Array(item, _) => format!("Vec<{}>", item.given_rust()),
            Self::Enum(of) => format!("crate::types::{}", of.bound_name()),
            Self::Wide(is_signed) => {
                let [high, low] = wide_halves(*is_signed).map(plain);
                format!("({high}, {low})")
            }
            own => own.rust(),
        })
    }

    /// Returns the Rust name of a number of 128 bits.
    fn whole(&self) -> &'static str {
        match self {
            Self::Wide(true) => "i128",
            _ => "u128",
        }
    }

    /// Returns the type in Rust, with arrays, wide numbers and enums written by `own`.
    fn rust_as(&self, own: &dyn Fn(&Self) -> String) -> String {
        match self {
            Self::Plain(name) => plain(name).to_owned(),
            Self::Any(_) => self.decided().rust(),
            Self::Array(..) | Self::Wide(_) | Self::Enum(_) => own(self),
            Self::List(item) => format!("Vec<{}>", item.rust_as(own)),
            Self::Option(item) => format!("Option<{}>", item.rust_as(own)),
            Self::Result(None) => "Result<(), ()>".to_owned(),
            Self::Result(Some(ok)) => format!("Result<{}, ()>", ok.rust_as(own)),
            Self::Tuple(items) => {
                let items: Vec<String> = items.iter().map(|item| item.rust_as(own)).collect();
                let comma = if items.len() == 1 { "," } else { "" };
                format!("({}{comma})", items.join(", "))
            }
        }
    }

    /// Returns true if a workload draws values as another type than it returns.
    pub(super) fn is_converted(&self) -> bool {
        match self {
            Self::Array(..) | Self::Wide(_) => true,
            Self::Plain(_) | Self::Any(_) | Self::Enum(_) | Self::Result(None) => false,
            Self::List(item) | Self::Option(item) | Self::Result(Some(item)) => item.is_converted(),
            Self::Tuple(items) => items.iter().any(Self::is_converted),
        }
    }

    /// Returns the Rust expression that converts a drawn value to the type that a workload returns.
    pub(super) fn given(&self, drawn: &str) -> String {
        if !self.is_converted() {
            return drawn.to_owned();
        }
        let mapped = |item: &Self| format!(".map(|item| {})", item.given("item"));
        match self {
            Self::List(item) | Self::Array(item, _) => {
                format!("{drawn}.into_iter(){}.collect::<Vec<_>>()", mapped(item))
            }
            Self::Option(item) | Self::Result(Some(item)) => format!("{drawn}{}", mapped(item)),
            Self::Wide(is_signed) => {
                let [high, low] = wide_halves(*is_signed).map(plain);
                format!("{{ let wide = {drawn}; ((wide >> 64) as {high}, wide as {low}) }}")
            }
            Self::Tuple(items) => {
                let names: Vec<String> = (0..items.len())
                    .map(|place| format!("part_{place}"))
                    .collect();
                let parts = items.iter().zip(&names);
                let parts: Vec<String> = parts.map(|(item, name)| item.given(name)).collect();
                format!(
                    "{{ let ({},) = {drawn}; ({},) }}",
                    names.join(", "),
                    parts.join(", ")
                )
            }
            Self::Plain(_) | Self::Any(_) | Self::Enum(_) | Self::Result(None) => drawn.to_owned(),
        }
    }

    /// Returns the enums in this shape, each once and after the enums in its fields.
    pub fn enums(&self) -> Vec<&EnumShape> {
        let mut known = Vec::new();
        self.collect_enums(&mut known);
        known
    }

    /// Adds the enums in this shape to `known`, each once and after the enums in its fields.
    pub(super) fn collect_enums<'a>(&'a self, known: &mut Vec<&'a EnumShape>) {
        match self {
            Self::Enum(of) => {
                let fields = of.cases.iter().flat_map(|case| &case.fields);
                fields.for_each(|field| field.collect_enums(known));
                if !known.contains(&&**of) {
                    known.push(of);
                }
            }
            Self::List(item)
            | Self::Array(item, _)
            | Self::Option(item)
            | Self::Result(Some(item)) => item.collect_enums(known),
            Self::Tuple(items) => items.iter().for_each(|item| item.collect_enums(known)),
            Self::Plain(_) | Self::Any(_) | Self::Wide(_) | Self::Result(None) => {}
        }
    }
}

/// Returns the WIT types of the higher and the lower half of a number of 128 bits.
pub(super) fn wide_halves(is_signed: bool) -> [&'static str; 2] {
    [if is_signed { "s64" } else { "u64" }, "u64"]
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain(name) | Self::Any(name) => f.write_str(name),
            Self::List(item) | Self::Array(item, _) => write!(f, "list<{item}>"),
            Self::Wide(is_signed) => {
                let [high, low] = wide_halves(*is_signed);
                write!(f, "tuple<{high}, {low}>")
            }
            Self::Enum(of) => f.write_str(&escaped(&of.wit_name())),
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

//! Rust types of parameters and results, with the shape that each has in WIT.

use super::collections::Collection;
use bakeoff_source::interface::{EnumCase, EnumShape, Shape, StructFields};

/// The longest array that is a tuple in WIT: the largest tuple for which the standard library implements traits has
/// as many items.
pub(super) const TUPLE_MAX: usize = 12;

/// The Rust type as which a function takes or returns a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PassedType {
    /// A plain type, by its name in WIT: numbers, `bool`, `char`, `String`.
    Plain(&'static str),
    /// `usize`, which has 32 bits in WebAssembly, or `isize`.
    Size(&'static str),
    /// `str`, behind a reference or a box.
    Str,
    /// `Vec<T>`.
    List(Box<PassedType>),
    /// `[T]`, behind a reference or a box.
    Slice(Box<PassedType>),
    /// `&T`.
    Reference(Box<PassedType>),
    /// `&mut T`.
    Mutable(Box<PassedType>),
    /// `Box<T>`.
    Boxed(Box<PassedType>),
    /// `Option<T>`.
    Option(Box<PassedType>),
    /// `Result<T, E>`; `None` where T is `()`.
    Result(Option<Box<PassedType>>),
    /// `(A, B)`.
    Tuple(Vec<PassedType>),
    /// `[T; N]`.
    Array(Box<PassedType>, usize),
    /// A collection of the standard library, which is a list in WIT.
    Collected(Collection, Box<PassedType>),
    /// A struct of the file, with its fields.
    Struct(Box<Struct>),
    /// An enum of the file, with its cases.
    Enum(Box<Enum>),
    /// `i128` if true (signed), else `u128`.
    Wide(IsSigned),
    /// Any type that can be turned into an iterator of T.
    Iterator(Box<PassedType>),
    /// A type parameter.
    Generic(String),
    /// A function, of which WIT knows the names of a few.
    Function(Box<Closure>),
}

/// A struct that a file declares, with public fields alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Struct {
    pub(super) name: String,
    /// The names of the fields, or their places.
    pub(super) names: Vec<String>,
    pub(super) fields: Vec<PassedType>,
}

/// True for `i128`, false for `u128`.
pub(super) type IsSigned = bool;

/// An enum that a file declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Enum {
    /// The shape of the enum in WIT.
    pub(super) shape: EnumShape,
    /// The fields of each case.
    pub(super) fields: Vec<Vec<PassedType>>,
}

impl Enum {
    /// Returns each case with its fields.
    pub(super) fn cases(&self) -> impl Iterator<Item = (&EnumCase, &[PassedType])> {
        let fields = self.fields.iter().map(|fields| &fields[..]);
        self.shape.cases.iter().zip(fields)
    }
}

/// A parameter that is a function: `impl Fn(&T) -> K`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Closure {
    pub(super) takes: Vec<ClosureParameter>,
    pub(super) gives: Gives,
}

/// A parameter of a closure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ClosureParameter {
    pub(super) by: By,
    pub(super) ty: PassedType,
}

/// The way in which a closure takes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    /// `T`.
    Value,
    /// `&T`.
    Reference,
    /// `&mut T`.
    Change,
}

/// The kind of a closure, by what it returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Gives {
    /// `Fn(T) -> bool`.
    Test,
    /// `Fn(T) -> T`.
    Same,
    /// `Fn(T) -> U`, where U is another number.
    Number(Box<PassedType>),
    /// `Fn(T) -> U`, where U is a type parameter, by its name, that no value of the call has: the closures decide what it is.
    Own(String),
    /// `Fn(T) -> U`, where U is a type parameter that other values of the call have, too.
    Bound(String),
    /// `Fn(&mut T)`.
    Change,
    /// `Fn(&T, &T) -> Ordering`.
    Order,
    /// `Fn(&T, &T) -> bool`.
    Relation,
    /// `Fn(T, U) -> T`.
    Join,
}

/// The names of the closures that there are for a kind of functions, behind that of the kind.
const TESTS: (&str, &[&str]) = ("TestFunction", &["Always", "Never", "Even"]);
const MAPS: (&str, &[&str]) = ("MapFunction", &["Identity", "Negation", "ModuloSeven"]);
const ORDERS: (&str, &[&str]) = ("OrderFunction", &["Natural", "Reversed"]);
const RELATIONS: (&str, &[&str]) = ("RelationFunction", &["Less", "Greater"]);
const JOINS: (&str, &[&str]) = ("JoinFunction", &["Sum", "Larger", "Difference"]);

impl Closure {
    /// Returns the name of its kind, and the names of the closures that are passed for it. Two functions with the same kind
    /// are passed closures that do the same: a key that is a `u8` wraps where a `usize` does not.
    pub(super) fn closures(&self) -> (String, &'static [&'static str]) {
        let (kind, closures) = match &self.gives {
            Gives::Test => TESTS,
            Gives::Same | Gives::Own(_) | Gives::Change => MAPS,
            Gives::Number(number) => return (number_function(number), MAPS.1),
            Gives::Bound(_) => ("KeyFunction", MAPS.1),
            Gives::Order => ORDERS,
            Gives::Relation => RELATIONS,
            Gives::Join => JOINS,
        };
        (kind.to_owned(), closures)
    }

    /// Returns the shape of the argument by which one of the closures is chosen.
    pub(super) fn shape(&self) -> Shape {
        let (name, closures) = self.closures();
        let case = |name: &&str| EnumCase {
            name: (*name).to_owned(),
            is_named: false,
            names: Vec::new(),
            fields: Vec::new(),
        };
        Shape::Enum(Box::new(EnumShape {
            name,
            cases: closures.iter().map(case).collect(),
        }))
    }
}

/// Returns the name of the kind of functions that return this number: `ToU8Function`.
fn number_function(number: &PassedType) -> String {
    let name = match number {
        PassedType::Size("s32") => "isize",
        PassedType::Size(_) => "usize",
        PassedType::Wide(true) => "s128",
        PassedType::Wide(false) => "u128",
        PassedType::Plain(name) => name,
        _ => "number",
    };
    let (first, rest) = name.split_at(1);
    format!("To{}{rest}Function", first.to_ascii_uppercase())
}

impl PassedType {
    /// Returns the shape of the value in WIT. `None` for a `&mut` inside another type, which has no
    /// counterpart.
    pub(super) fn shape(&self) -> Option<Shape> {
        Some(match self {
            Self::Plain(name) | Self::Size(name) => Shape::plain(name),
            Self::Str => Shape::plain("string"),
            Self::List(item)
            | Self::Slice(item)
            | Self::Iterator(item)
            | Self::Collected(_, item) => Shape::list(item.shape()?),
            Self::Array(item, length) if *length <= TUPLE_MAX => {
                Shape::Tuple(vec![item.shape()?; *length])
            }
            Self::Array(item, length) => Shape::Array(Box::new(item.shape()?), *length),
            Self::Enum(of) => Shape::Enum(Box::new(of.shape.clone())),
            Self::Wide(is_signed) => Shape::Wide(*is_signed),
            Self::Struct(of) => {
                let fields = of.fields.iter().map(Self::shape);
                Shape::Tuple(fields.collect::<Option<_>>()?)
            }
            Self::Reference(inner) | Self::Boxed(inner) => inner.shape()?,
            Self::Mutable(_) => return None,
            Self::Option(item) => Shape::Option(Box::new(item.shape()?)),
            Self::Result(None) => Shape::Result(None),
            Self::Result(Some(ok)) => Shape::Result(Some(Box::new(ok.shape()?))),
            Self::Tuple(items) => {
                let items = items.iter().map(Self::shape);
                Shape::Tuple(items.collect::<Option<_>>()?)
            }
            Self::Generic(name) => Shape::Any(name.clone()),
            Self::Function(closure) => closure.shape(),
        })
    }

    /// Returns the type with `&T` in the place of `&mut T`, at the top or in an option there.
    pub(super) fn lent_for_reading(self) -> Self {
        match self {
            Self::Mutable(inner) => Self::Reference(inner),
            Self::Option(inner) => Self::Option(Box::new(inner.lent_for_reading())),
            other => other,
        }
    }

    /// Returns the function that a parameter of this type is, with the text before and behind a closure that makes it an
    /// argument; `None` if it is none.
    pub(super) fn function(&self) -> Option<(&Closure, (&'static str, &'static str))> {
        let (inner, around) = match self {
            Self::Reference(inner) => (&**inner, ("&", "")),
            Self::Mutable(inner) => (&**inner, ("&mut ", "")),
            Self::Boxed(inner) => (&**inner, ("Box::new(", ")")),
            own => (own, ("", "")),
        };
        match inner {
            Self::Function(closure) => Some((closure, around)),
            _ => None,
        }
    }

    /// Decides for a function who says what a type parameter is that it returns ([`Closure::bind`]).
    pub(super) fn bind(&mut self, is_elsewhere: &impl Fn(&str) -> bool) {
        match self {
            Self::Reference(inner) | Self::Mutable(inner) | Self::Boxed(inner) => {
                inner.bind(is_elsewhere);
            }
            Self::Function(closure) => closure.bind(is_elsewhere),
            _ => {}
        }
    }

    /// Returns true if a type parameter of this name is part of the type.
    pub(super) fn has_generic(&self, name: &str) -> bool {
        self.has(&|part| matches!(part, Self::Generic(own) if own == name))
    }

    /// Returns true if a function is part of the type.
    pub(super) fn has_function(&self) -> bool {
        self.has(&|part| matches!(part, Self::Function(_)))
    }

    /// Returns true if this is true of the type or of a part of it.
    fn has(&self, is_it: &impl Fn(&Self) -> bool) -> bool {
        is_it(self) || self.wrapped().iter().any(|inner| inner.has(is_it))
    }

    /// Returns the types that this one wraps or lists; not the fields of a struct or an enum.
    fn wrapped(&self) -> &[Self] {
        match self {
            Self::List(inner)
            | Self::Slice(inner)
            | Self::Reference(inner)
            | Self::Mutable(inner)
            | Self::Boxed(inner)
            | Self::Option(inner)
            | Self::Result(Some(inner))
            | Self::Iterator(inner)
            | Self::Collected(_, inner)
            | Self::Array(inner, _) => std::slice::from_ref(&**inner),
            Self::Tuple(items) => items,
            _ => &[],
        }
    }

    /// Adds the structs in the type to others, each once, in the order in which they come.
    pub(super) fn add_structs(&self, found: &mut Vec<StructFields>) {
        match self {
            Self::Enum(of) => {
                let fields = of.fields.iter().flatten();
                fields.for_each(|field| field.add_structs(found));
            }
            Self::Struct(of) => {
                let fields = StructFields {
                    name: of.name.clone(),
                    fields: of.names.clone(),
                };
                if !found.contains(&fields) {
                    found.push(fields);
                    of.fields.iter().for_each(|field| field.add_structs(found));
                }
            }
            other => (other.wrapped().iter()).for_each(|inner| inner.add_structs(found)),
        }
    }

    /// Returns the number of parts of the type once it is written out.
    pub(super) fn parts(&self) -> usize {
        let all_of = |types: &[Self]| types.iter().map(Self::parts).fold(0, usize::saturating_add);
        match self {
            Self::Array(item, length) if *length <= TUPLE_MAX => {
                item.parts().saturating_mul(*length)
            }
            Self::Enum(of) => {
                let fields = of.fields.iter().flatten().map(Self::parts);
                fields.fold(of.fields.len(), usize::saturating_add)
            }
            Self::Struct(of) => all_of(&of.fields),
            other => match other.wrapped() {
                [] => 1,
                types => all_of(types),
            },
        }
    }

    /// Returns true if the value has the same Rust type in the bindings for WIT.
    pub(super) fn is_same(&self) -> bool {
        match self {
            Self::Plain(_) | Self::Generic(_) => true,
            Self::List(item) | Self::Option(item) => item.is_same(),
            Self::Tuple(items) => items.iter().all(Self::is_same),
            _ => false,
        }
    }

    /// Returns true if a value of the type is written in Rust as `Literal::rust` writes a value of its shape.
    pub(super) fn is_written_as_its_shape(&self) -> bool {
        match self {
            Self::Plain(_) | Self::Generic(_) | Self::Wide(_) => true,
            Self::List(item) | Self::Option(item) => item.is_written_as_its_shape(),
            Self::Array(item, length) => *length > TUPLE_MAX && item.is_written_as_its_shape(),
            Self::Tuple(items) => items.iter().all(Self::is_written_as_its_shape),
            // A whole number that is written without a suffix fits any type of numbers.
            Self::Enum(of) => {
                let mut fields = of.fields.iter().flatten();
                fields
                    .all(|field| matches!(field, Self::Size(_)) || field.is_written_as_its_shape())
            }
            _ => false,
        }
    }

    /// Returns an expression of the type, made of a reference to a value of its shape in Rust; `None` if it takes more
    /// than that.
    pub(super) fn made_of(&self, place: &str) -> Option<String> {
        let mapped = |item: &Self| {
            let made = item.made_of("item")?;
            Some(format!(
                "{place}.iter().map(|item| {made}).collect::<Vec<_>>()"
            ))
        };
        match self {
            Self::Plain(name) if *name != "string" => Some(format!("*{place}")),
            Self::Size("u32") => Some(format!("*{place} as usize")),
            Self::Size(_) => Some(format!("*{place} as isize")),
            Self::Reference(inner) if **inner == Self::Str => Some(format!("{place}.as_str()")),
            Self::List(item) | Self::Slice(item) => mapped(item),
            Self::Option(inner) => {
                let made = inner.made_of("item")?;
                Some(format!("{place}.as_ref().map(|item| {made})"))
            }
            Self::Tuple(items) => {
                let items = items.iter().enumerate();
                let made = items.map(|(at, item)| item.made_of(&format!("(&{place}.{at})")));
                let made: Option<Vec<String>> = made.collect();
                made.map(|made| format!("({})", made.join(", ")))
            }
            Self::Collected(_, item) => {
                let made = item.made_of("item")?;
                Some(format!("{place}.iter().map(|item| {made}).collect()"))
            }
            other => other
                .is_written_as_its_shape()
                .then(|| format!("{place}.clone()")),
        }
    }
}

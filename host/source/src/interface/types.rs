//! Types of the component model, written out as trees.

use std::fmt;
use wit_parser::{Resolve, TypeDefKind};

/// The most nodes that a type may have once its names are written out. WIT types are graphs: forty
/// records that each hold the one before twice would be a tree of 2⁴⁰.
const NODES_MAX: usize = 10_000;

/// The deepest nesting of a type. Code that reads types recurses for each level; ordinary types have
/// fewer than ten.
const DEPTH_MAX: usize = 100;

/// A type of the component model, written out as a tree. Names of records and the like are kept for
/// messages; two types are [the same](Type::same) by structure, as for components.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// `bool`, `u8` … `s64`, `f32`, `f64`, `char` or `string`, by that name.
    Plain(&'static str),
    /// `list<T>`.
    List(Box<Type>),
    /// `option<T>`.
    Option(Box<Type>),
    /// `result<T, E>`, each part optional.
    Result(Option<Box<Type>>, Option<Box<Type>>),
    /// `tuple<…>`.
    Tuple(Vec<Type>),
    /// A record: its name, then names and types of its fields.
    Record(String, Vec<(String, Type)>),
    /// A variant: its name, then names and payloads of its cases.
    Variant(String, Vec<(String, Option<Type>)>),
    /// An enum: its name and its cases.
    Enum(String, Vec<String>),
    /// Flags: their name and the flags.
    Flags(String, Vec<String>),
}

/// A type that cannot be passed to or from a prototype.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unsupported {
    /// A handle to a resource.
    #[error(
        "it passes the resource `{0}`, and a handle has no value that could be generated or compared; call a function that takes and returns plain values"
    )]
    Resource(String),
    /// A kind of type that the engine does not run.
    #[error(
        "it passes a {0}, which is not supported here; use lists, records, variants, options, results, tuples, strings and numbers"
    )]
    Kind(&'static str),
    /// An asynchronous function.
    #[error(
        "it is async, and what is timed must be one synchronous call; declare it without `async`"
    )]
    Async,
    /// A resource with some functions of a session (prepare, run, output), but not its form.
    #[error(
        "the resource `{0}` cannot be called in three parts: that takes `prepare: static func(…) -> {0}; run: func(); output: func() -> …;`"
    )]
    Session(String),
    /// A type that is too large when it is written out.
    #[error("its types have more than {NODES_MAX} parts when they are written out")]
    TooLarge,
    /// A type that is nested too deeply.
    #[error("its types are nested more than {DEPTH_MAX} levels deep")]
    TooDeep,
}

impl Type {
    /// Writes out a type of a resolved package.
    ///
    /// # Errors
    /// The type holds a resource, a future, a stream, a map or a list of fixed length, or is too
    /// large.
    pub fn of(resolve: &Resolve, ty: &wit_parser::Type) -> Result<Type, Unsupported> {
        Writer {
            resolve,
            left: NODES_MAX,
            levels: 0,
        }
        .write(ty)
    }

    /// Returns true if a value of the type may hold a string.
    pub fn has_strings(&self) -> bool {
        match self {
            Self::Plain(name) => *name == "string",
            Self::List(item) | Self::Option(item) => item.has_strings(),
            Self::Result(ok, err) => [ok, err].into_iter().flatten().any(|ty| ty.has_strings()),
            Self::Tuple(items) => items.iter().any(Self::has_strings),
            Self::Record(_, fields) => fields.iter().any(|(_, ty)| ty.has_strings()),
            Self::Variant(_, cases) => {
                let payloads = cases.iter().filter_map(|(_, payload)| payload.as_ref());
                payloads.into_iter().any(Self::has_strings)
            }
            Self::Enum(..) | Self::Flags(..) => false,
        }
    }

    /// Returns true if two types are the same to a component: structure, names of fields and cases, and
    /// their order. The names of the types themselves do not matter.
    pub fn same(&self, other: &Type) -> bool {
        let same_box = |a: &Option<Box<Type>>, b: &Option<Box<Type>>| match (a, b) {
            (Some(a), Some(b)) => a.same(b),
            (None, None) => true,
            _ => false,
        };
        match (self, other) {
            (Self::Plain(a), Self::Plain(b)) => a == b,
            (Self::List(a), Self::List(b)) | (Self::Option(a), Self::Option(b)) => a.same(b),
            (Self::Result(a, c), Self::Result(b, d)) => same_box(a, b) && same_box(c, d),
            (Self::Tuple(a), Self::Tuple(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same(b))
            }
            (Self::Record(_, a), Self::Record(_, b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.0 == b.0 && a.1.same(&b.1))
            }
            (Self::Variant(_, a), Self::Variant(_, b)) => {
                a.len() == b.len()
                    && a.iter().zip(b).all(|(a, b)| {
                        a.0 == b.0
                            && match (&a.1, &b.1) {
                                (Some(a), Some(b)) => a.same(b),
                                (None, None) => true,
                                _ => false,
                            }
                    })
            }
            (Self::Enum(_, a), Self::Enum(_, b)) | (Self::Flags(_, a), Self::Flags(_, b)) => a == b,
            _ => false,
        }
    }

    /// Returns the type with its outermost name written out: `record { x: f64, y: f64 }` instead of
    /// `point`. Other types are as [`Display`](fmt::Display) writes them.
    pub fn written_out(&self) -> String {
        match self {
            Self::Record(_, fields) => {
                let fields: Vec<String> = fields.iter().map(|(n, t)| format!("{n}: {t}")).collect();
                format!("record {{ {} }}", fields.join(", "))
            }
            Self::Variant(_, cases) => {
                let case = |(name, ty): &(String, Option<Type>)| match ty {
                    Some(ty) => format!("{name}({ty})"),
                    None => name.clone(),
                };
                let cases: Vec<String> = cases.iter().map(case).collect();
                format!("variant {{ {} }}", cases.join(", "))
            }
            Self::Enum(_, cases) => format!("enum {{ {} }}", cases.join(", ")),
            Self::Flags(_, flags) => format!("flags {{ {} }}", flags.join(", ")),
            other => other.to_string(),
        }
    }
}

/// The notation of WIT: `list<tuple<string, u32>>`, and the name of a record, variant, enum or flags.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain(name) => f.write_str(name),
            Self::List(item) => write!(f, "list<{item}>"),
            Self::Option(item) => write!(f, "option<{item}>"),
            Self::Result(None, None) => f.write_str("result"),
            Self::Result(Some(ok), None) => write!(f, "result<{ok}>"),
            Self::Result(None, Some(err)) => write!(f, "result<_, {err}>"),
            Self::Result(Some(ok), Some(err)) => write!(f, "result<{ok}, {err}>"),
            Self::Tuple(items) => {
                let items: Vec<String> = items.iter().map(Type::to_string).collect();
                write!(f, "tuple<{}>", items.join(", "))
            }
            Self::Record(name, _)
            | Self::Variant(name, _)
            | Self::Enum(name, _)
            | Self::Flags(name, _) => f.write_str(name),
        }
    }
}

struct Writer<'a> {
    resolve: &'a Resolve,
    left: usize,
    levels: usize,
}

impl Writer<'_> {
    fn write(&mut self, ty: &wit_parser::Type) -> Result<Type, Unsupported> {
        use wit_parser::Type as Wit;
        self.left = self.left.checked_sub(1).ok_or(Unsupported::TooLarge)?;
        Ok(Type::Plain(match ty {
            Wit::Bool => "bool",
            Wit::U8 => "u8",
            Wit::U16 => "u16",
            Wit::U32 => "u32",
            Wit::U64 => "u64",
            Wit::S8 => "s8",
            Wit::S16 => "s16",
            Wit::S32 => "s32",
            Wit::S64 => "s64",
            Wit::F32 => "f32",
            Wit::F64 => "f64",
            Wit::Char => "char",
            Wit::String => "string",
            Wit::ErrorContext => return Err(Unsupported::Kind("error-context")),
            Wit::Id(id) => return self.write_defined(*id),
        }))
    }

    fn write_defined(&mut self, id: wit_parser::TypeId) -> Result<Type, Unsupported> {
        if self.levels == DEPTH_MAX {
            return Err(Unsupported::TooDeep);
        }
        self.levels += 1;
        let written = self.write_kind(id);
        self.levels -= 1;
        written
    }

    fn write_kind(&mut self, id: wit_parser::TypeId) -> Result<Type, Unsupported> {
        let resolve = self.resolve;
        let def = &resolve.types[id];
        let name = || def.name.clone().unwrap_or_else(|| "_".to_owned());
        let boxed = |ty: Result<Type, Unsupported>| ty.map(Box::new);
        Ok(match &def.kind {
            TypeDefKind::Type(ty) => self.write(ty)?,
            TypeDefKind::List(item) => Type::List(boxed(self.write(item))?),
            TypeDefKind::Option(item) => Type::Option(boxed(self.write(item))?),
            TypeDefKind::Result(parts) => Type::Result(
                parts
                    .ok
                    .as_ref()
                    .map(|ty| boxed(self.write(ty)))
                    .transpose()?,
                parts
                    .err
                    .as_ref()
                    .map(|ty| boxed(self.write(ty)))
                    .transpose()?,
            ),
            TypeDefKind::Tuple(tuple) => {
                let items = tuple.types.iter().map(|ty| self.write(ty));
                Type::Tuple(items.collect::<Result<_, _>>()?)
            }
            TypeDefKind::Record(record) => {
                let field =
                    |field: &wit_parser::Field| Ok((field.name.clone(), self.write(&field.ty)?));
                let fields = record.fields.iter().map(field).collect::<Result<_, _>>()?;
                Type::Record(name(), fields)
            }
            TypeDefKind::Variant(variant) => {
                let case = |case: &wit_parser::Case| {
                    let payload = case.ty.as_ref().map(|ty| self.write(ty)).transpose()?;
                    Ok((case.name.clone(), payload))
                };
                let cases = variant.cases.iter().map(case).collect::<Result<_, _>>()?;
                Type::Variant(name(), cases)
            }
            TypeDefKind::Enum(cases) => {
                self.spend(cases.cases.len())?;
                Type::Enum(
                    name(),
                    cases.cases.iter().map(|case| case.name.clone()).collect(),
                )
            }
            TypeDefKind::Flags(flags) => {
                self.spend(flags.flags.len())?;
                Type::Flags(
                    name(),
                    flags.flags.iter().map(|flag| flag.name.clone()).collect(),
                )
            }
            TypeDefKind::Handle(wit_parser::Handle::Own(id) | wit_parser::Handle::Borrow(id)) => {
                let name = resolve.types[*id].name.clone();
                return Err(Unsupported::Resource(
                    name.unwrap_or_else(|| "_".to_owned()),
                ));
            }
            TypeDefKind::Resource => return Err(Unsupported::Resource(name())),
            other => return Err(Unsupported::Kind(other.as_str())),
        })
    }

    fn spend(&mut self, nodes: usize) -> Result<(), Unsupported> {
        self.left = self.left.checked_sub(nodes).ok_or(Unsupported::TooLarge)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_found_wherever_they_are() {
        let string = || Type::Plain("string");
        let list = |item| Type::List(Box::new(item));
        let with = [
            string(),
            list(Type::Option(Box::new(string()))),
            Type::Result(None, Some(Box::new(string()))),
            Type::Tuple(vec![Type::Plain("u8"), string()]),
            Type::Record("r".into(), vec![("a".into(), list(string()))]),
            Type::Variant(
                "v".into(),
                vec![("a".into(), None), ("b".into(), Some(string()))],
            ),
        ];
        assert!(with.iter().all(Type::has_strings));
        let without = [
            Type::Plain("char"),
            list(Type::Plain("u8")),
            Type::Result(Some(Box::new(Type::Plain("u8"))), None),
            Type::Variant("v".into(), vec![("string".into(), None)]),
            Type::Enum("e".into(), vec!["string".into()]),
        ];
        assert!(!without.iter().any(Type::has_strings));
    }
}

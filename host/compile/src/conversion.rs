//! Expressions that convert values of the bindings to the arguments that a function takes, and its results back.

use super::passed_type::{Enum, PassedType, TUPLE_MAX};
use bakeoff_source::interface::EnumCase;

/// The conversions of one call. Values that are borrowed are bound to names first.
pub(super) struct Conversion {
    bindings: String,
    count: usize,
}

impl Conversion {
    pub(super) fn new() -> Self {
        Self {
            bindings: String::new(),
            count: 0,
        }
    }

    /// Returns the statements that come before the call.
    pub(super) fn bindings(&self) -> &str {
        &self.bindings
    }

    /// Returns the name that was bound last.
    pub(super) fn last_binding(&self) -> String {
        format!("bound_{}", self.count)
    }

    fn bind(&mut self, mutable: &str, value: &str) -> String {
        self.count += 1;
        let name = self.last_binding();
        self.bindings
            .push_str(&format!("let {mutable}{name} = {value};\n"));
        name
    }

    /// Binds a value that borrows nothing and may be changed, and returns its name; `None` if the value cannot be
    /// converted.
    pub(super) fn bind_owned(&mut self, passed: &PassedType, value: &str) -> Option<String> {
        let value = owned(passed, value)?;
        Some(self.bind("mut ", &value))
    }

    /// Returns the expression for an argument, from an expression for the value of the bindings. `None`
    /// if the value cannot be converted.
    pub(super) fn pass(&mut self, passed: &PassedType, value: &str) -> Option<String> {
        if passed.is_same() {
            return Some(value.to_owned());
        }
        Some(match passed {
            PassedType::Reference(inner) => match &**inner {
                PassedType::Str => format!("&*{}", self.bind("", value)),
                PassedType::Slice(item) => {
                    let list = self.list(item, value)?;
                    format!("&{}[..]", self.bind("", &list))
                }
                inner => {
                    let inner = self.pass(inner, value)?;
                    format!("&{}", self.bind("", &inner))
                }
            },
            PassedType::Mutable(inner) => match &**inner {
                PassedType::Slice(item) => {
                    let list = owned_list(item, value)?;
                    format!("&mut {}[..]", self.bind("mut ", &list))
                }
                inner => {
                    let inner = owned(inner, value)?;
                    format!("&mut {}", self.bind("mut ", &inner))
                }
            },
            PassedType::List(item) => self.list(item, value)?,
            PassedType::Iterator(item) => match &**item {
                PassedType::Reference(inner) if inner.is_same() => {
                    format!("{}.iter()", self.bind("", value))
                }
                item => format!("{}.into_iter()", self.list(item, value)?),
            },
            PassedType::Option(item) => match &**item {
                PassedType::Reference(inner)
                    if matches!(**inner, PassedType::Str | PassedType::Slice(_)) =>
                {
                    if let PassedType::Slice(item) = &**inner
                        && !item.is_same()
                    {
                        return None;
                    }
                    format!("{}.as_deref()", self.bind("", value))
                }
                _ => owned(passed, value)?,
            },
            _ => owned(passed, value)?,
        })
    }

    /// Returns the expression for a list, whose items may be borrowed from a list that is bound.
    fn list(&mut self, item: &PassedType, value: &str) -> Option<String> {
        if let PassedType::Reference(inner) = item {
            let borrowed = match &**inner {
                PassedType::Str => "&**item",
                PassedType::Slice(of) if of.is_same() => "&**item",
                inner if inner.is_same() => "item",
                _ => return None,
            };
            let bound = self.bind("", value);
            return Some(format!(
                "{bound}.iter().map(|item| {borrowed}).collect::<Vec<_>>()"
            ));
        }
        owned_list(item, value)
    }
}

/// Returns the expression for a value that borrows nothing; `None` if it cannot be converted.
fn owned(passed: &PassedType, value: &str) -> Option<String> {
    if passed.is_same() {
        return Some(value.to_owned());
    }
    Some(match passed {
        PassedType::Size("u32") => format!("({value}) as usize"),
        PassedType::Size(_) => format!("({value}) as isize"),
        PassedType::List(item) => owned_list(item, value)?,
        PassedType::Boxed(inner) => match &**inner {
            PassedType::Str => format!("({value}).into_boxed_str()"),
            PassedType::Slice(item) => format!("({}).into_boxed_slice()", owned_list(item, value)?),
            inner => format!("Box::new({})", owned(inner, value)?),
        },
        PassedType::Option(item) => format!("({value}).map(|item| {})", owned(item, "item")?),
        PassedType::Tuple(items) => tuple(items, value, owned)?,
        PassedType::Wide(is_signed) => {
            let whole = if *is_signed { "i128" } else { "u128" };
            format!(
                "{{ let (high, low) = {value}; {whole}::from(high) << 64 | {whole}::from(low) }}"
            )
        }
        PassedType::Enum(of) => cases(of, value, |case, fields| {
            let (taken, _) = parts(fields, owned)?;
            let given = case.names.iter().zip(fields).zip(0..);
            let given = given.map(|((name, field), place)| {
                Some(format!("{name}: {}", owned(field, &part_name(place))?))
            });
            let given: Vec<String> = given.collect::<Option<_>>()?;
            Some(format!(
                "{} => {USER}::{}::{} {{ {} }}",
                bound_case(of, case, &taken),
                of.shape.name,
                case.name,
                given.join(", ")
            ))
        })?,
        PassedType::Array(item, length) if *length > TUPLE_MAX => format!(
            "<[_; {length}]>::try_from({}).unwrap_or_else(|_| panic!(\"an array of {length} items is meant\"))",
            owned_list(item, value)?
        ),
        PassedType::Array(item, length) => {
            let (names, parts) = parts(&vec![(**item).clone(); *length], owned)?;
            format!("{{ let ({names},) = {value}; [{parts}] }}")
        }
        PassedType::Collected(collection, item) => format!(
            "({}).into_iter().collect::<{}>()",
            owned_list(item, value)?,
            collection.path
        ),
        PassedType::Struct(of) => {
            let (names, _) = parts(&of.fields, owned)?;
            let fields = (0..).zip(of.names.iter().zip(&of.fields));
            let fields = fields.map(|(place, (name, field))| {
                Some(format!("{name}: {}", owned(field, &part_name(place))?))
            });
            let fields: Vec<String> = fields.collect::<Option<_>>()?;
            format!(
                "{{ let ({names},) = {value}; {USER}::{} {{ {} }} }}",
                of.name,
                fields.join(", ")
            )
        }
        _ => return None,
    })
}

fn owned_list(item: &PassedType, value: &str) -> Option<String> {
    if item.is_same() {
        return Some(value.to_owned());
    }
    let item = owned(item, "item")?;
    Some(format!(
        "({value}).into_iter().map(|item| {item}).collect::<Vec<_>>()"
    ))
}

fn tuple(
    items: &[PassedType],
    value: &str,
    convert: impl Fn(&PassedType, &str) -> Option<String>,
) -> Option<String> {
    let (names, parts) = parts(items, convert)?;
    Some(format!("{{ let ({names},) = {value}; ({parts},) }}"))
}

/// Returns a `match` over an enum value, with the arm that `arm` makes for each case.
fn cases(
    of: &Enum,
    value: &str,
    arm: impl Fn(&EnumCase, &[PassedType]) -> Option<String>,
) -> Option<String> {
    let arms = of.cases().map(|(case, fields)| arm(case, fields));
    let arms: Vec<String> = arms.collect::<Option<_>>()?;
    Some(format!("match {value} {{ {} }}", arms.join(", ")))
}

/// Returns a case as the bindings write it, with these expressions or names of its fields.
fn bound_case(of: &Enum, case: &EnumCase, fields: &str) -> String {
    let path = format!(
        "crate::types::{}::{}",
        of.shape.bound_name(),
        case.bound_name()
    );
    match case.fields.len() {
        0 => path,
        1 => format!("{path}({fields})"),
        _ => format!("{path}(({fields}))"),
    }
}

/// The path of the module with the user's file.
const USER: &str = "crate::prototype";

/// Returns the name that a part of a tuple, an array or a struct is bound to.
fn part_name(place: usize) -> String {
    format!("part_{place}")
}

/// Returns the names of parts, and the converted expression of each, both joined by commas.
fn parts(
    items: &[PassedType],
    convert: impl Fn(&PassedType, &str) -> Option<String>,
) -> Option<(String, String)> {
    let names: Vec<String> = (0..items.len()).map(part_name).collect();
    let parts = items
        .iter()
        .zip(&names)
        .map(|(item, name)| convert(item, name));
    let parts: Vec<String> = parts.collect::<Option<_>>()?;
    Some((names.join(", "), parts.join(", ")))
}

/// Returns the expression for an argument that a function changed in place, from the name that it is bound to.
pub(super) fn give_bound(inner: &PassedType, binding: &str) -> Option<String> {
    match inner {
        // The slice was bound as a whole list.
        PassedType::Slice(item) => give(&PassedType::List(item.clone()), binding),
        inner => give(inner, binding),
    }
}

/// Returns the expression that converts a result to the form of the bindings; `None` if it cannot be converted.
pub(super) fn give(passed: &PassedType, value: &str) -> Option<String> {
    if passed.is_same() {
        return Some(value.to_owned());
    }
    let collected = |items: String, item: &PassedType| {
        let item = give(item, "item")?;
        Some(format!("{items}.map(|item| {item}).collect::<Vec<_>>()"))
    };
    Some(match passed {
        PassedType::Size("u32") => format!("({value}) as u32"),
        PassedType::Size(_) => format!("({value}) as i32"),
        PassedType::List(item) | PassedType::Iterator(item) => {
            collected(format!("({value}).into_iter()"), item)?
        }
        PassedType::Reference(inner) | PassedType::Mutable(inner) => match &**inner {
            PassedType::Str => format!("({value}).to_owned()"),
            PassedType::Slice(item) if item.is_same() => format!("({value}).to_vec()"),
            PassedType::Slice(item) | PassedType::List(item) if !item.is_same() => {
                let item = PassedType::Reference(item.clone());
                collected(format!("({value}).iter()"), &item)?
            }
            PassedType::Size(_) | PassedType::Wide(_) | PassedType::Reference(_) => {
                give(inner, &format!("*({value})"))?
            }
            inner if inner.is_same() => format!("({value}).clone()"),
            _ => return None,
        },
        PassedType::Boxed(inner) => match &**inner {
            PassedType::Str => format!("String::from({value})"),
            PassedType::Slice(item) => give(
                &PassedType::List(item.clone()),
                &format!("({value}).into_vec()"),
            )?,
            inner => give(inner, &format!("*({value})"))?,
        },
        PassedType::Option(item) => format!("({value}).map(|item| {})", give(item, "item")?),
        PassedType::Result(None) => format!("({value}).map(|_| ()).map_err(|_| ())"),
        PassedType::Result(Some(ok)) => {
            format!(
                "({value}).map(|item| {}).map_err(|_| ())",
                give(ok, "item")?
            )
        }
        PassedType::Tuple(items) => tuple(items, value, give)?,
        PassedType::Wide(is_signed) => {
            let high = if *is_signed { "i64" } else { "u64" };
            format!("{{ let wide = {value}; ((wide >> 64) as {high}, wide as u64) }}")
        }
        PassedType::Enum(of) => cases(of, value, |case, fields| {
            let (_, given) = parts(fields, give)?;
            let taken = case.names.iter().enumerate();
            let taken = taken.map(|(place, name)| format!("{name}: {}", part_name(place)));
            let taken: Vec<String> = taken.collect();
            Some(format!(
                "{USER}::{}::{} {{ {} }} => {}",
                of.shape.name,
                case.name,
                taken.join(", "),
                bound_case(of, case, &given)
            ))
        })?,
        PassedType::Array(item, length) if *length > TUPLE_MAX => {
            collected(format!("({value}).into_iter()"), item)?
        }
        PassedType::Array(item, length) => {
            let (names, parts) = parts(&vec![(**item).clone(); *length], give)?;
            format!("{{ let [{names}] = {value}; ({parts},) }}")
        }
        PassedType::Collected(collection, item) => {
            let items = collected(format!("({value}).into_iter()"), item)?;
            if collection.is_ordered {
                items
            } else {
                // What is equal is to look equal. A key stands once, so values are never compared.
                format!(
                    "{{ let mut items = {items}; items.sort_unstable_by(|a, b| {}); items }}",
                    collection.comparison()
                )
            }
        }
        PassedType::Struct(of) => {
            let (_, parts) = parts(&of.fields, give)?;
            let fields = of.names.iter().enumerate();
            let fields = fields.map(|(place, name)| format!("{name}: {}", part_name(place)));
            let fields: Vec<String> = fields.collect();
            format!(
                "{{ let {USER}::{} {{ {} }} = {value}; ({parts},) }}",
                of.name,
                fields.join(", ")
            )
        }
        PassedType::Plain(_)
        | PassedType::Generic(_)
        | PassedType::Function(_)
        | PassedType::Str
        | PassedType::Slice(_) => return None,
    })
}

//! Values as JSON and back, by their WIT types: for programs that answer a line with a line.
//!
//! | WIT | JSON |
//! |---|---|
//! | `bool` | `true`, `false` |
//! | integers | integers, exact to the last digit |
//! | floats | the shortest number that reads back to the same bits; `"nan"`, `"inf"`, `"-inf"` |
//! | `char`, `string` | strings |
//! | lists, tuples | arrays |
//! | records | objects; a field that is an option may be missing |
//! | `option<T>` | `null`, or the value; around an option `{"some": value}` |
//! | `result<T, E>` | `{"ok": value}`, `{"error": value}`; `null` where there is no payload |
//! | variants | `{"case": payload}`; `"case"` without a payload |
//! | enums | the name of the case |
//! | flags | an array of the names that are set |

mod error;
mod read;
mod reader;
mod write;

pub use error::ValueJsonError;

use super::shape::Shape;
use super::signature::CallTypes;
use super::value::Value;
use error::Fault;
use reader::Reader;
use wasmtime::component::Type;
use write::Typed;

/// Writes the arguments of a call as a JSON array, on one line.
///
/// # Errors
/// A type has no form in JSON, or the arguments are not of the types of the call.
pub fn arguments_as_json(arguments: &[Value], types: &CallTypes) -> Result<String, ValueJsonError> {
    let (given, wanted) = (arguments.len(), types.params.len());
    if given != wanted {
        return Err(ValueJsonError::Count { given, wanted });
    }
    let mut line = "[".to_owned();
    for (number, (value, ty)) in (1..).zip(arguments.iter().zip(&types.params)) {
        let shape = shape_of_argument(number, ty)?;
        let typed = Typed {
            value,
            shape: &shape,
        };
        let text = serde_json::to_string(&typed).map_err(|error| ValueJsonError::Argument {
            number,
            what: error.to_string(),
        })?;
        if number > 1 {
            line.push(',');
        }
        line.push_str(&text);
    }
    line.push(']');
    Ok(line)
}

/// Reads the answer of a call. `None`: the function has no result, and the line is `null`.
///
/// # Errors
/// The line is not JSON, or not a value of the type of the answer, which has a form in JSON.
pub fn answer_from_json(line: &str, types: &CallTypes) -> Result<Option<Value>, ValueJsonError> {
    let shape = types.result.as_ref().map(shape_of_answer).transpose()?;
    let mut reader =
        Reader::new(line).map_err(|error| ValueJsonError::Syntax(error.to_string()))?;
    let answer = match &shape {
        Some(shape) => read::value(&mut reader, shape).map(Some),
        None => read::nothing(&mut reader).map(|()| None),
    };
    answer.map_err(Fault::of_answer)
}

/// Checks that the arguments and the answer of a call have a form in JSON.
///
/// # Errors
/// The first type that has none.
pub fn has_json(types: &CallTypes) -> Result<(), ValueJsonError> {
    for (number, ty) in (1..).zip(&types.params) {
        shape_of_argument(number, ty)?;
    }
    types.result.as_ref().map(shape_of_answer).transpose()?;
    Ok(())
}

fn shape_of_argument(number: usize, ty: &Type) -> Result<Shape, ValueJsonError> {
    shape(ty, || format!("argument {number}"))
}

fn shape_of_answer(ty: &Type) -> Result<Shape, ValueJsonError> {
    shape(ty, || "the answer".to_owned())
}

/// The shape of a type that has a form in JSON; `owner` says whose type it is.
fn shape(ty: &Type, owner: impl FnOnce() -> String) -> Result<Shape, ValueJsonError> {
    Shape::of(ty).ok_or_else(|| ValueJsonError::NoForm {
        owner: owner(),
        ty: without_form(ty).unwrap_or("a type that is not known here"),
    })
}

/// The first part of a type that has no form in JSON, in words.
fn without_form(ty: &Type) -> Option<&'static str> {
    let payload = |ty: Option<Type>| ty.as_ref().and_then(without_form);
    match ty {
        Type::Own(_) | Type::Borrow(_) => Some("a resource"),
        Type::Future(_) => Some("a future"),
        Type::Stream(_) => Some("a stream"),
        Type::ErrorContext => Some("an error context"),
        Type::Map(_) => Some("a map"),
        Type::FixedLengthList(_) => Some("a list of fixed length"),
        Type::List(list) => without_form(&list.ty()),
        Type::Record(record) => record.fields().find_map(|field| without_form(&field.ty)),
        Type::Tuple(tuple) => tuple.types().find_map(|ty| without_form(&ty)),
        Type::Variant(variant) => variant.cases().find_map(|case| payload(case.ty)),
        Type::Option(option) => without_form(&option.ty()),
        Type::Result(result) => payload(result.ok()).or_else(|| payload(result.err())),
        _ => None,
    }
}

#[cfg(test)]
mod tests;

//! Parameters with a `&mut` inside: an option, a tuple or a list of values that a function changes in place.

use super::conversion::Conversion;
use super::passed_type::PassedType;

/// A parameter with a `&mut` inside.
pub(super) struct ChangedInside<'a> {
    passed: &'a PassedType,
    /// The same type with values in the place of what is borrowed.
    pub(super) whole: PassedType,
}

impl<'a> ChangedInside<'a> {
    /// Returns a parameter of this type; `None` if there is no `&mut` in it, or one that is not known here.
    pub(super) fn of(passed: &'a PassedType) -> Option<Self> {
        let whole = match passed {
            PassedType::Option(item) => PassedType::Option(Box::new(borrowed(item)?)),
            PassedType::List(item) => PassedType::List(Box::new(borrowed(item)?)),
            PassedType::Tuple(items) if items.iter().any(|item| borrowed(item).is_some()) => {
                let items = items
                    .iter()
                    .map(|item| borrowed(item).unwrap_or(item.clone()));
                PassedType::Tuple(items.collect())
            }
            _ => return None,
        };
        Some(Self { passed, whole })
    }

    /// Binds the value, and returns the expression for the argument. What is bound last is what the function left.
    pub(super) fn pass(&self, conversion: &mut Conversion, value: &str) -> Option<String> {
        let bound = conversion.bind_owned(&self.whole, value)?;
        Some(match self.passed {
            PassedType::Option(item) if is_slice(item) => format!("{bound}.as_deref_mut()"),
            PassedType::Option(_) => format!("{bound}.as_mut()"),
            PassedType::List(item) if is_slice(item) => {
                format!("{bound}.iter_mut().map(|item| &mut item[..]).collect::<Vec<_>>()")
            }
            PassedType::List(_) => format!("{bound}.iter_mut().collect::<Vec<_>>()"),
            PassedType::Tuple(items) => {
                let parts = items.iter().enumerate().map(|(place, item)| match item {
                    PassedType::Mutable(_) if is_slice(item) => format!("&mut {bound}.{place}[..]"),
                    PassedType::Mutable(_) => format!("&mut {bound}.{place}"),
                    // It is part of what is left.
                    _ => format!("{bound}.{place}.clone()"),
                });
                let parts: Vec<String> = parts.collect();
                format!("({},)", parts.join(", "))
            }
            _ => return None,
        })
    }
}

/// Returns the type of what is behind a `&mut`; `None` for another type.
fn borrowed(passed: &PassedType) -> Option<PassedType> {
    let PassedType::Mutable(inner) = passed else {
        return None;
    };
    match &**inner {
        PassedType::Slice(item) => Some(PassedType::List(item.clone())),
        PassedType::Str | PassedType::Function(_) => None,
        other => Some(other.clone()),
    }
}

fn is_slice(passed: &PassedType) -> bool {
    matches!(passed, PassedType::Mutable(inner) if matches!(**inner, PassedType::Slice(_)))
}

//! Parameters with a `&mut` inside: an option, a tuple or a list of values that a function changes in place.

use super::conversion::Conversion;
use super::passed::Passed;

/// A parameter with a `&mut` inside.
pub(super) struct ChangedInside<'a> {
    passed: &'a Passed,
    /// The same type with values in the place of what is borrowed.
    pub(super) whole: Passed,
}

impl<'a> ChangedInside<'a> {
    /// Returns a parameter of this type; `None` if there is no `&mut` in it, or one that is not known here.
    pub(super) fn of(passed: &'a Passed) -> Option<Self> {
        let whole = match passed {
            Passed::Option(item) => Passed::Option(Box::new(borrowed(item)?)),
            Passed::List(item) => Passed::List(Box::new(borrowed(item)?)),
            Passed::Tuple(items) if items.iter().any(|item| borrowed(item).is_some()) => {
                let items = items
                    .iter()
                    .map(|item| borrowed(item).unwrap_or(item.clone()));
                Passed::Tuple(items.collect())
            }
            _ => return None,
        };
        Some(Self { passed, whole })
    }

    /// Binds the value, and returns the expression for the argument. What is bound last is what the function left.
    pub(super) fn pass(&self, conversion: &mut Conversion, value: &str) -> Option<String> {
        let bound = conversion.bind_owned(&self.whole, value)?;
        Some(match self.passed {
            Passed::Option(item) if is_slice(item) => format!("{bound}.as_deref_mut()"),
            Passed::Option(_) => format!("{bound}.as_mut()"),
            Passed::List(item) if is_slice(item) => {
                format!("{bound}.iter_mut().map(|item| &mut item[..]).collect::<Vec<_>>()")
            }
            Passed::List(_) => format!("{bound}.iter_mut().collect::<Vec<_>>()"),
            Passed::Tuple(items) => {
                let parts = items.iter().enumerate().map(|(place, item)| match item {
                    Passed::Mutable(_) if is_slice(item) => format!("&mut {bound}.{place}[..]"),
                    Passed::Mutable(_) => format!("&mut {bound}.{place}"),
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
fn borrowed(passed: &Passed) -> Option<Passed> {
    let Passed::Mutable(inner) = passed else {
        return None;
    };
    match &**inner {
        Passed::Slice(item) => Some(Passed::List(item.clone())),
        Passed::Str | Passed::Function(_) => None,
        other => Some(other.clone()),
    }
}

fn is_slice(passed: &Passed) -> bool {
    matches!(passed, Passed::Mutable(inner) if matches!(**inner, Passed::Slice(_)))
}

//! Functions as arguments: the few closures of which one is passed in the place of each, by the value of an enum.

use super::passed_type::{By, Closure, ClosureParameter, Gives, PassedType};
use syn::{PathArguments, TypeParamBound};

/// The traits by which closures make values of others, in Rust. They stand in the block that calls the function.
pub(super) const VALUES: &str = include_str!("../guest-sdk/functions.rs");

/// The most parameters of one function that are functions.
pub(super) const FUNCTIONS_MAX: usize = 2;

/// The functions that can be passed, in words that follow the name of one that cannot be.
pub(super) const CAN_BE_PASSED: &str = "(one that can be passed takes a value, and returns bool, a value of the same \
                                        type or a number, or it takes two values, and returns Ordering, bool or a value \
                                        of the first one's type)";

impl Closure {
    /// Returns the function that takes and gives these types; `None` if there are no closures for it.
    pub(super) fn new(takes: &[PassedType], gives: Gift) -> Option<Self> {
        let takes = takes
            .iter()
            .map(ClosureParameter::of)
            .collect::<Option<Vec<_>>>()?;
        let is_bool = |given: &PassedType| *given == PassedType::Plain("bool");
        let gives = match (takes.as_slice(), gives) {
            ([one], Gift::Nothing) if one.by == By::Change => Gives::Change,
            (takes, _) if takes.iter().any(|one| one.by == By::Change) => return None,
            ([_], Gift::Value(given)) if is_bool(&given) => Gives::Test,
            ([one], Gift::Value(given)) if given == one.owned() => Gives::Same,
            ([_], Gift::Value(PassedType::Generic(name))) => Gives::Own(name),
            ([_], Gift::Value(given)) if is_number(&given) => Gives::Number(Box::new(given)),
            ([one, other], Gift::Order) if one.ty == other.ty => Gives::Order,
            ([one, other], Gift::Value(given)) if is_bool(&given) && one.ty == other.ty => {
                Gives::Relation
            }
            ([one, other], Gift::Value(given)) if given == one.owned() => {
                let is_made = one.ty == other.ty || one.ty != PassedType::Str;
                is_made.then_some(Gives::Join)?
            }
            _ => return None,
        };
        Some(Self { takes, gives })
    }

    /// Decides who says what a type parameter is that closures return. `is_elsewhere` says whether it is one of another
    /// parameter, or of the result.
    pub(super) fn bind(&mut self, is_elsewhere: impl Fn(&str) -> bool) {
        if let Gives::Own(name) = &self.gives
            && is_elsewhere(name)
        {
            self.gives = Gives::Bound(name.clone());
        }
    }

    /// Returns each closure in Rust, with the pattern of the value that chooses it.
    pub(super) fn arms(&self) -> Vec<(String, String)> {
        let (kind, closures) = self.closures();
        let gives_another = matches!(self.gives, Gives::Number(_) | Gives::Bound(_));
        let names = ["one", "other"];
        let parameters = names.iter().take(self.takes.len());
        let parameters: Vec<&str> = parameters.copied().collect();
        let seen = |place: usize| self.takes[place].seen(names[place]);
        let owned = |place: usize| self.takes[place].taken(names[place]);
        let body = |case: &str| match case {
            "Always" => "true".to_owned(),
            "Never" => "false".to_owned(),
            "Even" => format!("FunctionValue::number({}) % 2 == 0", seen(0)),
            "Natural" => format!("FunctionValue::order({}, {})", seen(0), seen(1)),
            "Reversed" => format!("FunctionValue::order({}, {})", seen(1), seen(0)),
            "Less" => format!("FunctionValue::order({}, {}).is_lt()", seen(0), seen(1)),
            "Greater" => format!("FunctionValue::order({}, {}).is_gt()", seen(0), seen(1)),
            "Sum" | "Larger" | "Difference" => {
                let other = if self.takes[0].ty == self.takes[1].ty {
                    owned(1)
                } else {
                    format!("MadeValue::of(FunctionValue::number({}))", seen(1))
                };
                let (left, right) = (owned(0), other);
                if case == "Sum" {
                    format!("MadeValue::sum(&{left}, &{right})")
                } else if case == "Difference" {
                    format!("MadeValue::sum(&MadeValue::negated(&{left}), &{right})")
                } else {
                    let is_less = "FunctionValue::order(&left, &right).is_lt()";
                    format!(
                        "{{ let (left, right) = ({left}, {right}); if {is_less} {{ right }} else {{ left }} }}"
                    )
                }
            }
            case if gives_another => {
                let number = format!("FunctionValue::number({})", seen(0));
                let number = match case {
                    "Identity" => number,
                    "Negation" => format!("{number}.wrapping_neg()"),
                    _ => format!("{number}.rem_euclid(7)"),
                };
                format!("MadeValue::of({number})")
            }
            case if self.gives == Gives::Change => match case {
                "Identity" => "{ let _ = one; }".to_owned(),
                "Negation" => "{ *one = MadeValue::negated(one); }".to_owned(),
                _ => "{ *one = MadeValue::modulo(one); }".to_owned(),
            },
            "Identity" => owned(0),
            "Negation" => format!("MadeValue::negated(&{})", owned(0)),
            _ => format!("MadeValue::modulo(&{})", owned(0)),
        };
        let unseen = |case: &str| matches!(case, "Always" | "Never");
        let arms = closures.iter().map(|case| {
            let mark = if unseen(case) { "_" } else { "" };
            let marked = parameters.iter().map(|name| format!("{mark}{name}"));
            let marked: Vec<String> = marked.collect();
            let pattern = format!("crate::types::{kind}::{case}");
            (pattern, format!("|{}| {}", marked.join(", "), body(case)))
        });
        arms.collect()
    }
}

/// The result of a function, as it is written.
pub(super) enum Gift {
    Nothing,
    /// `Ordering`.
    Order,
    Value(PassedType),
}

impl ClosureParameter {
    /// Returns a parameter of this type; `None` if closures do nothing with such values.
    fn of(passed: &PassedType) -> Option<Self> {
        let (by, ty) = match passed {
            PassedType::Reference(inner) => (By::Reference, &**inner),
            PassedType::Mutable(inner) => (By::Change, &**inner),
            other => (By::Value, other),
        };
        let is_seen = match ty {
            PassedType::Size(_) | PassedType::Wide(_) => true,
            PassedType::Str => by == By::Reference,
            other => other.is_same(),
        };
        is_seen.then(|| Self { by, ty: ty.clone() })
    }

    /// Returns the type of a value of its own.
    fn owned(&self) -> PassedType {
        match self.ty {
            PassedType::Str => PassedType::Plain("string"),
            _ => self.ty.clone(),
        }
    }

    /// Returns the expression for a reference to a value.
    fn seen(&self, name: &str) -> String {
        match self.by {
            By::Value => format!("&{name}"),
            By::Reference | By::Change => name.to_owned(),
        }
    }

    /// Returns the expression for a value of its own.
    fn taken(&self, name: &str) -> String {
        match (&self.ty, self.by) {
            (PassedType::Str, _) => format!("String::from({name})"),
            (_, By::Value) => name.to_owned(),
            _ => format!("Clone::clone({name})"),
        }
    }
}

/// Returns true for numbers.
fn is_number(passed: &PassedType) -> bool {
    match passed {
        PassedType::Size(_) | PassedType::Wide(_) => true,
        PassedType::Plain(name) => !matches!(*name, "bool" | "char" | "string"),
        _ => false,
    }
}

/// The types that a function takes, and what it returns.
pub(super) type FunctionTypes<'a> = (Vec<&'a syn::Type>, &'a syn::ReturnType);

/// Returns the function that a value with these bounds is, by `Fn`, `FnMut` or `FnOnce`; `None` if it is none.
pub(super) fn of_functions(bounds: &[TypeParamBound]) -> Option<FunctionTypes<'_>> {
    bounds.iter().find_map(|bound| {
        let TypeParamBound::Trait(bound) = bound else {
            return None;
        };
        let last = bound.path.segments.last()?;
        let PathArguments::Parenthesized(called) = &last.arguments else {
            return None;
        };
        let mut names = ["Fn", "FnMut", "FnOnce"].iter();
        let is_function = names.any(|name| last.ident == name);
        is_function.then(|| (called.inputs.iter().collect(), &called.output))
    })
}

/// Returns true for the `Ordering` of comparisons.
pub(super) fn is_ordering(ty: &syn::Type) -> bool {
    let syn::Type::Path(path) = ty else {
        return false;
    };
    let mut segments = path.path.segments.iter().rev();
    let last = segments.next();
    let before = segments.next();
    last.is_some_and(|last| last.ident == "Ordering")
        && before.is_none_or(|before| before.ident == "cmp")
}

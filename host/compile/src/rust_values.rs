//! Values that Rust source writes out, such as `vec![3, 1, 2]` or `Some("a")`, read by the shape that is expected.

use bakeoff_source::interface::{EnumShape, Literal, Shape};
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use std::collections::BTreeMap;
use syn::{Expr, ExprRange, Lit, RangeLimits, UnOp};

/// The most values within one value, at all levels.
const VALUES_MAX: usize = 2_000;

/// The most expressions that are looked at for one value: a name may stand for others.
const STEPS_MAX: usize = 20_000;

/// The deepest nesting of expressions that is followed, through names too.
const DEPTH_MAX: usize = 40;

/// Methods that return the same value in another form.
const FORMS: [&str; 16] = [
    "as_bytes",
    "as_ref",
    "as_slice",
    "as_str",
    "clone",
    "cloned",
    "collect",
    "copied",
    "into",
    "into_bytes",
    "into_iter",
    "iter",
    "to_owned",
    "to_string",
    "to_vec",
    "unwrap",
];

/// Types whose `from` or `new` keeps a value as it is, but for its form.
const MAKERS: [&str; 9] = [
    "BTreeMap", "BTreeSet", "Box", "HashMap", "HashSet", "Some", "String", "Vec", "VecDeque",
];

/// The deepest brackets of an expression, and below it the most tokens between two commas: a parser recurses for each.
const BRACKETS_MAX: usize = 16;
const TOKENS_BETWEEN_COMMAS_MAX: usize = 64;

/// The work that is left for reading the values of a file, in tokens that are parsed.
pub(super) struct TokenBudget(usize);

impl TokenBudget {
    pub(super) fn new(tokens: usize) -> Self {
        Self(tokens)
    }

    /// Subtracts work from the budget; returns false once it is spent.
    pub(super) fn spend(&mut self, tokens: usize) -> bool {
        self.0 = self.0.saturating_sub(tokens);
        self.0 > 0
    }

    /// Parses an expression; `None` if a parser could run out of stack, or the budget is spent.
    fn parse(&mut self, expression: TokenStream) -> Option<Expr> {
        let is_flat = self.spend_all(&expression, 0);
        is_flat.then(|| syn::parse2(expression).ok())?
    }

    fn spend_all(&mut self, tokens: &TokenStream, depth: usize) -> bool {
        let mut in_a_row = 0;
        depth <= BRACKETS_MAX
            && tokens.clone().into_iter().all(|token| {
                in_a_row = match &token {
                    TokenTree::Punct(punct) if ",;".contains(punct.as_char()) => 0,
                    _ => in_a_row + 1,
                };
                let is_flat = match &token {
                    TokenTree::Group(group) => self.spend_all(&group.stream(), depth + 1),
                    _ => true,
                };
                is_flat && in_a_row <= TOKENS_BETWEEN_COMMAS_MAX && self.spend(1)
            })
    }
}

/// The values of the names in an expression.
pub(super) type Bindings = BTreeMap<String, TokenStream>;

/// The fields of the structs that a file declares, in their order, by the names of the structs.
pub(super) type Fields = BTreeMap<String, Vec<String>>;

/// A reader of values.
pub(super) struct Values<'a> {
    bindings: &'a Bindings,
    fields: &'a Fields,
    budget: &'a mut TokenBudget,
    values_left: usize,
    steps_left: usize,
}

impl<'a> Values<'a> {
    pub(super) fn new(
        bindings: &'a Bindings,
        fields: &'a Fields,
        budget: &'a mut TokenBudget,
    ) -> Self {
        Self {
            bindings,
            fields,
            budget,
            values_left: VALUES_MAX,
            steps_left: STEPS_MAX,
        }
    }

    /// Returns the value of an expression that is written out; `None` for any other, and for a value that is too large.
    pub(super) fn read(&mut self, expression: TokenStream, shape: &Shape) -> Option<Literal> {
        let expression = self.budget.parse(expression)?;
        self.value(&expression, shape, 0)
    }

    fn value(&mut self, expression: &Expr, shape: &Shape, depth: usize) -> Option<Literal> {
        self.steps_left = self.steps_left.checked_sub(1)?;
        if depth > DEPTH_MAX {
            return None;
        }
        let next = depth + 1;
        match expression {
            Expr::Paren(inner) => self.value(&inner.expr, shape, next),
            Expr::Group(inner) => self.value(&inner.expr, shape, next),
            Expr::Reference(inner) => self.value(&inner.expr, shape, next),
            Expr::Cast(inner) => self.value(&inner.expr, shape, next),
            Expr::Unary(inner) if matches!(inner.op, UnOp::Deref(_)) => {
                self.value(&inner.expr, shape, next)
            }
            Expr::Index(slice) if is_full_range(&slice.index) => {
                self.value(&slice.expr, shape, next)
            }
            Expr::MethodCall(call) if is_form(call) => self.value(&call.receiver, shape, next),
            Expr::Path(path)
                if path
                    .path
                    .get_ident()
                    .is_some_and(|name| self.bindings.contains_key(&name.to_string())) =>
            {
                let name = path.path.get_ident()?.to_string();
                let meant = self.bindings.get(&name)?.clone();
                let meant = self.budget.parse(meant)?;
                self.value(&meant, shape, next)
            }
            Expr::Macro(made) if made.mac.path.is_ident("vec") => {
                let items = Group::new(Delimiter::Bracket, made.mac.tokens.clone());
                let items: TokenStream = TokenTree::Group(items).into();
                let items = self.budget.parse(items)?;
                self.value(&items, shape, next)
            }
            Expr::Call(call) if is_maker(&call.func) && !matches!(shape, Shape::Option(_)) => {
                match (call.args.first(), shape) {
                    (Some(only), _) if call.args.len() == 1 => self.value(only, shape, next),
                    (None, Shape::List(_)) => Some(Literal::List(Vec::new())),
                    (None, Shape::Plain(name)) if name == "string" => {
                        Some(Literal::Text(String::new()))
                    }
                    _ => None,
                }
            }
            expression => {
                self.values_left = self.values_left.checked_sub(1)?;
                self.by_shape(expression, shape, next)
            }
        }
    }

    fn by_shape(&mut self, expression: &Expr, shape: &Shape, depth: usize) -> Option<Literal> {
        Some(match (shape, expression) {
            (Shape::Plain(name), expression) => plain(expression, name)?,
            (Shape::Any(_), expression) => plain(expression, "s64")?,
            (Shape::List(item), Expr::Array(array)) => {
                Literal::List(self.each(&array.elems, |_| Some(item), depth)?)
            }
            (Shape::List(item), Expr::Repeat(repeat)) => {
                let count = usize::try_from(whole(&repeat.len)?).ok()?;
                self.values_left = self.values_left.checked_sub(count)?;
                vec_of(self.value(&repeat.expr, item, depth)?, count)
            }
            (Shape::List(item), Expr::Range(range)) => self.range(range, item)?,
            (Shape::List(item), Expr::Lit(literal)) if **item == Shape::plain("u8") => {
                let bytes = match &literal.lit {
                    Lit::ByteStr(bytes) => bytes.value(),
                    Lit::Str(text) => text.value().into_bytes(),
                    _ => return None,
                };
                self.values_left = self.values_left.checked_sub(bytes.len())?;
                Literal::List(
                    bytes
                        .into_iter()
                        .map(|byte| Literal::Whole(byte.into()))
                        .collect(),
                )
            }
            (Shape::Array(item, length), expression) => {
                let list = Shape::List(item.clone());
                match self.by_shape(expression, &list, depth)? {
                    Literal::List(items) if items.len() == *length => Literal::List(items),
                    _ => return None,
                }
            }
            (Shape::Wide(is_signed), expression) => {
                let number = whole(expression)?;
                let fits = *is_signed || number >= 0;
                let halves = [number >> 64, number & i128::from(u64::MAX)];
                fits.then(|| Literal::Tuple(halves.map(Literal::Whole).to_vec()))?
            }
            (Shape::Enum(of), expression) => self.case(of, expression, depth)?,
            (Shape::Option(item), expression) => match called(expression) {
                Some(("Some", [value])) => {
                    Literal::Option(Some(Box::new(self.value(value, item, depth)?)))
                }
                Some(("None", [])) => Literal::Option(None),
                _ => return None,
            },
            (Shape::Result(ok), expression) => match (called(expression)?, ok) {
                (("Err", [_]), _) => Literal::Result(Err(())),
                (("Ok", [_]), None) => Literal::Result(Ok(None)),
                (("Ok", [value]), Some(ok)) => {
                    Literal::Result(Ok(Some(Box::new(self.value(value, ok, depth)?))))
                }
                _ => return None,
            },
            (Shape::Tuple(shapes), Expr::Tuple(tuple)) => {
                self.tuple(&tuple.elems, shapes, depth)?
            }
            (Shape::Tuple(shapes), Expr::Array(array)) => {
                self.tuple(&array.elems, shapes, depth)?
            }
            (Shape::Tuple(shapes), Expr::Call(call)) => self.tuple(&call.args, shapes, depth)?,
            (Shape::Tuple(shapes), Expr::Struct(made)) if made.rest.is_none() => {
                let name = made.path.segments.last()?.ident.to_string();
                let fields = self.fields.get(&name)?;
                let given = |field: &String| {
                    let is_it = |given: &&syn::FieldValue| match &given.member {
                        syn::Member::Named(name) => name == field,
                        syn::Member::Unnamed(_) => false,
                    };
                    Some(made.fields.iter().find(is_it)?.expr.clone())
                };
                let given: Vec<Expr> = fields.iter().map(given).collect::<Option<_>>()?;
                self.tuple(&given.into_iter().collect(), shapes, depth)?
            }
            _ => return None,
        })
    }

    /// Reads a case of an enum, by the last segment of its path.
    fn case(&mut self, of: &EnumShape, expression: &Expr, depth: usize) -> Option<Literal> {
        let (path, given) = match expression {
            Expr::Path(path) => (&path.path, Vec::new()),
            Expr::Call(call) => match &*call.func {
                Expr::Path(path) => (&path.path, call.args.iter().collect()),
                _ => return None,
            },
            Expr::Struct(made) if made.rest.is_none() => (
                &made.path,
                made.fields.iter().map(|field| &field.expr).collect(),
            ),
            _ => return None,
        };
        let name = &path.segments.last()?.ident;
        let case = of.cases.iter().find(|case| name == &case.name)?;
        let given: Vec<&Expr> = match expression {
            Expr::Struct(made) => {
                let field = |name: &String| {
                    let mut fields = made.fields.iter();
                    let is_it = |field: &&syn::FieldValue| match &field.member {
                        syn::Member::Named(own) => own == name,
                        syn::Member::Unnamed(place) => place.index.to_string() == *name,
                    };
                    Some(&fields.find(is_it)?.expr)
                };
                case.names.iter().map(field).collect::<Option<_>>()?
            }
            _ => given,
        };
        if given.len() != case.fields.len() {
            return None;
        }
        let read = given.into_iter().zip(&case.fields);
        let read = read.map(|(value, shape)| self.value(value, shape, depth));
        let mut read: Vec<Literal> = read.collect::<Option<_>>()?;
        let held = match read.len() {
            0 => None,
            1 => read.pop(),
            _ => Some(Literal::Tuple(read)),
        };
        Some(Literal::Case(case.wit_name(), held.map(Box::new)))
    }

    fn each<'s>(
        &mut self,
        items: &syn::punctuated::Punctuated<Expr, syn::Token![,]>,
        shape: impl Fn(usize) -> Option<&'s Shape>,
        depth: usize,
    ) -> Option<Vec<Literal>> {
        let items = items.iter().enumerate();
        items
            .map(|(place, item)| self.value(item, shape(place)?, depth))
            .collect()
    }

    fn tuple(
        &mut self,
        items: &syn::punctuated::Punctuated<Expr, syn::Token![,]>,
        shapes: &[Shape],
        depth: usize,
    ) -> Option<Literal> {
        let read = self.each(items, |place| shapes.get(place), depth)?;
        (read.len() == shapes.len()).then_some(Literal::Tuple(read))
    }

    /// Reads the numbers of a range such as `0..5` as a list.
    fn range(&mut self, range: &ExprRange, item: &Shape) -> Option<Literal> {
        let is_whole = matches!(item, Shape::Any(_))
            || matches!(item, Shape::Plain(name) if name.starts_with(['s', 'u']) && name != "string");
        let (first, end) = (whole(range.start.as_ref()?)?, whole(range.end.as_ref()?)?);
        let end = match range.limits {
            RangeLimits::HalfOpen(_) => end,
            RangeLimits::Closed(_) => end.checked_add(1)?,
        };
        let count = usize::try_from(end.checked_sub(first)?.max(0)).ok()?;
        self.values_left = self.values_left.checked_sub(count)?;
        is_whole.then(|| Literal::List((first..end).map(Literal::Whole).collect()))
    }
}

fn vec_of(item: Literal, count: usize) -> Literal {
    Literal::List(vec![item; count])
}

/// Returns true for `..`, as in `&list[..]`.
fn is_full_range(index: &Expr) -> bool {
    matches!(index, Expr::Range(range) if range.start.is_none() && range.end.is_none())
}

fn is_form(call: &syn::ExprMethodCall) -> bool {
    call.args.is_empty() && FORMS.iter().any(|form| call.method == form)
}

/// Returns true for `String::from`, `Vec::new` and the like.
fn is_maker(function: &Expr) -> bool {
    let Expr::Path(path) = function else {
        return false;
    };
    let segments = &path.path.segments;
    let mut names = segments.iter().rev().map(|segment| &segment.ident);
    let (Some(last), Some(ty)) = (names.next(), names.next()) else {
        return false;
    };
    (last == "from" || last == "new") && MAKERS.iter().any(|maker| ty == maker)
}

/// Returns the name and the argument of `Some(1)` or the like, and the name of `None`.
fn called(expression: &Expr) -> Option<(&str, &[Expr])> {
    let (path, arguments) = match expression {
        Expr::Call(call) => match (&*call.func, call.args.first()) {
            (Expr::Path(path), Some(only)) if call.args.len() == 1 => {
                (path, std::slice::from_ref(only))
            }
            _ => return None,
        },
        Expr::Path(path) => (path, &[][..]),
        _ => return None,
    };
    let last = &path.path.segments.last()?.ident;
    let known = ["Some", "None", "Ok", "Err"];
    let name = known.into_iter().find(|name| last == name)?;
    Some((name, arguments))
}

fn plain(expression: &Expr, name: &str) -> Option<Literal> {
    let literal = match expression {
        Expr::Lit(literal) => Some(&literal.lit),
        _ => None,
    };
    Some(match (name, literal) {
        ("bool", Some(Lit::Bool(value))) => Literal::Bool(value.value),
        ("char", Some(Lit::Char(letter))) => Literal::Char(letter.value()),
        ("string", Some(Lit::Str(text))) => Literal::Text(text.value()),
        ("f32" | "f64", _) => Literal::Float(float(expression, name)?),
        ("bool" | "char" | "string", _) => return None,
        _ => Literal::Whole(whole(expression)?),
    })
}

/// Reads a whole number: a literal, a negated one, or a constant such as `u8::MAX`.
fn whole(expression: &Expr) -> Option<i128> {
    match expression {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(number) => number.base10_parse().ok(),
            Lit::Byte(byte) => Some(byte.value().into()),
            _ => None,
        },
        Expr::Unary(inner) if matches!(inner.op, UnOp::Neg(_)) => whole(&inner.expr)?.checked_neg(),
        Expr::Paren(inner) => whole(&inner.expr),
        Expr::Group(inner) => whole(&inner.expr),
        Expr::Path(path) => {
            let mut names = path.path.segments.iter().rev();
            let end = names.next()?.ident.to_string();
            let ty = names.next()?.ident.to_string();
            let (low, high): (i128, i128) = match &*ty {
                "u8" => (0, u8::MAX.into()),
                "u16" => (0, u16::MAX.into()),
                "u32" | "usize" => (0, u32::MAX.into()),
                "u64" => (0, u64::MAX.into()),
                "i8" => (i8::MIN.into(), i8::MAX.into()),
                "i16" => (i16::MIN.into(), i16::MAX.into()),
                "i32" | "isize" => (i32::MIN.into(), i32::MAX.into()),
                "i64" => (i64::MIN.into(), i64::MAX.into()),
                _ => return None,
            };
            match &*end {
                "MIN" => Some(low),
                "MAX" => Some(high),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Reads a float, and returns it as WAVE writes it.
fn float(expression: &Expr, ty: &str) -> Option<String> {
    let number = match expression {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Float(number) => number.base10_parse::<f64>().ok()?,
            Lit::Int(number) => number.base10_parse::<f64>().ok()?,
            _ => return None,
        },
        Expr::Unary(inner) if matches!(inner.op, UnOp::Neg(_)) => {
            let number = float(&inner.expr, ty)?;
            return Some(match number.strip_prefix('-') {
                Some(positive) => positive.to_owned(),
                None if number == "nan" => number,
                None => format!("-{number}"),
            });
        }
        Expr::Path(path) => match path.path.segments.last()?.ident.to_string().as_str() {
            "NAN" => return Some("nan".to_owned()),
            "INFINITY" => return Some("inf".to_owned()),
            "NEG_INFINITY" => return Some("-inf".to_owned()),
            "MAX" if ty == "f32" => f32::MAX.into(),
            "MIN" if ty == "f32" => f32::MIN.into(),
            "EPSILON" if ty == "f32" => f32::EPSILON.into(),
            "MAX" => f64::MAX,
            "MIN" => f64::MIN,
            "EPSILON" => f64::EPSILON,
            _ => return None,
        },
        _ => return None,
    };
    let fits = number.is_finite() && (ty == "f64" || (number as f32).is_finite());
    fits.then(|| format!("{number:?}"))
}

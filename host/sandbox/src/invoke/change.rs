//! Answers that are changed a little by their type, to see whether an oracle refuses them.

use super::shape::Shape;
use super::value::Value;
use bakeoff_domain::oracle::{ArgumentForm, Change};
use wasmtime::component::{Type, Val};

/// The most changes of one answer.
pub const CHANGES_MAX: usize = 32;

/// The most changes inside one part of a value: an element, a field.
const INNER_MAX: usize = 6;

/// The most parts of a value that are changed inside: fields, or elements of a list of fixed length.
const PARTS_MAX: usize = 8;

/// The deepest nesting at which parts of a value are changed.
const DEPTH_MAX: usize = 6;

/// A changed value of the same type.
type ChangedValue = (Change, Val);

/// Returns changes of an answer of this type: every kind that the type allows, at a few places. None of
/// them is the answer itself.
pub fn changes(answer: &Value, ty: &Type) -> Vec<(Change, Value)> {
    let shape = Shape::of(ty);
    let mut changes: Vec<(Change, Value)> = Vec::new();
    for (change, val) in of_val(&answer.to_val(), ty, DEPTH_MAX) {
        let value = Value::from_val(val, shape.as_ref());
        let is_known = changes.iter().any(|(_, known)| known.same_as(&value));
        if !is_known && !value.same_as(answer) {
            changes.push((change, value));
        }
        if changes.len() == CHANGES_MAX {
            break;
        }
    }
    changes
}

/// Returns the form of an argument: empty, all elements equal, or varied.
pub fn form(argument: &Value) -> ArgumentForm {
    let equal = |items: &[Val]| items.len() > 1 && items.iter().all(|item| *item == items[0]);
    match argument.to_val() {
        Val::List(items) if items.is_empty() => ArgumentForm::Empty,
        Val::String(text) if text.is_empty() => ArgumentForm::Empty,
        Val::List(items) if equal(&items) => ArgumentForm::AllEqual,
        _ => ArgumentForm::Varied,
    }
}

fn of_val(val: &Val, ty: &Type, depth: usize) -> Vec<ChangedValue> {
    if depth == 0 {
        return Vec::new();
    }
    macro_rules! off_by_one {
        ($case:ident, $number:expr) => {{
            let number = *$number;
            let both = [
                (Change::Larger, number.checked_add(1)),
                (Change::Smaller, number.checked_sub(1)),
            ];
            let near = both.into_iter();
            let mut found: Vec<ChangedValue> = near
                .filter_map(|(change, number)| Some((change, Val::$case(number?))))
                .collect();
            // Another number of the type, whatever it is: where an answer may be off by a little.
            let far = number ^ (1 << (8 * size_of_val(&number) - 2));
            found.push((Change::FarOff, Val::$case(far)));
            found
        }};
    }
    match (val, ty) {
        (Val::Bool(value), _) => vec![(Change::Flipped, Val::Bool(!value))],
        (Val::S8(number), _) => off_by_one!(S8, number),
        (Val::U8(number), _) => off_by_one!(U8, number),
        (Val::S16(number), _) => off_by_one!(S16, number),
        (Val::U16(number), _) => off_by_one!(U16, number),
        (Val::S32(number), _) => off_by_one!(S32, number),
        (Val::U32(number), _) => off_by_one!(U32, number),
        (Val::S64(number), _) => off_by_one!(S64, number),
        (Val::U64(number), _) => off_by_one!(U64, number),
        (Val::Float32(number), _) => {
            let by = number.abs().max(1.0);
            vec![
                (Change::Larger, Val::Float32(number + by)),
                (Change::Smaller, Val::Float32(number - by)),
                (Change::NotANumber, Val::Float32(f32::NAN)),
            ]
        }
        (Val::Float64(number), _) => {
            let by = number.abs().max(1.0);
            vec![
                (Change::Larger, Val::Float64(number + by)),
                (Change::Smaller, Val::Float64(number - by)),
                (Change::NotANumber, Val::Float64(f64::NAN)),
            ]
        }
        (Val::Char(letter), _) => {
            let other = if *letter == 'a' { 'b' } else { 'a' };
            vec![(Change::Cut, Val::Char(other))]
        }
        (Val::String(text), _) => of_text(text),
        (Val::List(items), Type::List(list)) => of_list(items, &list.ty(), depth),
        (Val::FixedLengthList(items), Type::FixedLengthList(list)) => {
            let types = vec![list.ty(); items.len()];
            of_parts(items, &types, depth, Val::FixedLengthList)
        }
        (Val::Tuple(items), Type::Tuple(tuple)) => {
            let types: Vec<Type> = tuple.types().collect();
            of_parts(items, &types, depth, Val::Tuple)
        }
        (Val::Record(fields), Type::Record(record)) => {
            let types: Vec<Type> = record.fields().map(|field| field.ty).collect();
            let names: Vec<String> = fields.iter().map(|(name, _)| name.clone()).collect();
            let items: Vec<Val> = fields.iter().map(|(_, val)| val.clone()).collect();
            of_parts(&items, &types, depth, |items| {
                Val::Record(names.iter().cloned().zip(items).collect())
            })
        }
        (Val::Map(entries), _) if !entries.is_empty() => vec![
            (Change::Dropped, Val::Map(entries[1..].to_vec())),
            (Change::Emptied, Val::Map(Vec::new())),
        ],
        (Val::Flags(names), Type::Flags(flags)) => flags
            .names()
            .take(PARTS_MAX)
            .map(|flag| {
                let has = names.iter().any(|name| name == flag);
                let kept = flags.names().filter(|name| {
                    if *name == flag {
                        !has
                    } else {
                        names.iter().any(|known| known == name)
                    }
                });
                (
                    Change::OtherCase,
                    Val::Flags(kept.map(str::to_owned).collect()),
                )
            })
            .collect(),
        (Val::Enum(name), Type::Enum(cases)) => cases
            .names()
            .filter(|case| case != name)
            .take(PARTS_MAX)
            .map(|case| (Change::OtherCase, Val::Enum(case.to_owned())))
            .collect(),
        (Val::Variant(name, payload), Type::Variant(cases)) => {
            let mut found = Vec::new();
            for case in cases.cases() {
                if case.name != name {
                    let empty = case.ty.as_ref().map(first_value);
                    if let Some(payload) = boxed(empty) {
                        found.push((
                            Change::OtherCase,
                            Val::Variant(case.name.to_owned(), payload),
                        ));
                    }
                } else if let (Some(payload), Some(ty)) = (payload, &case.ty) {
                    let wrap = |val| Val::Variant(name.clone(), Some(Box::new(val)));
                    found.extend(inner(payload, ty, depth, wrap));
                }
            }
            found.truncate(CHANGES_MAX);
            found
        }
        (Val::Option(payload), Type::Option(option)) => match payload {
            None => first_value(&option.ty())
                .map(|val| (Change::OtherCase, Val::Option(Some(Box::new(val)))))
                .into_iter()
                .collect(),
            Some(payload) => {
                let wrap = |val| Val::Option(Some(Box::new(val)));
                let mut found = inner(payload, &option.ty(), depth, wrap);
                found.insert(0, (Change::OtherCase, Val::Option(None)));
                found
            }
        },
        (Val::Result(outcome), Type::Result(result)) => {
            let (payload, ty, other) = match outcome {
                Ok(payload) => (
                    payload,
                    result.ok(),
                    boxed(result.err().as_ref().map(first_value)).map(Err),
                ),
                Err(payload) => (
                    payload,
                    result.err(),
                    boxed(result.ok().as_ref().map(first_value)).map(Ok),
                ),
            };
            let mut found: Vec<ChangedValue> = other
                .map(|other| (Change::OtherCase, Val::Result(other)))
                .into_iter()
                .collect();
            if let (Some(payload), Some(ty)) = (payload, ty) {
                let is_ok = outcome.is_ok();
                found.extend(inner(payload, &ty, depth, |val| {
                    let payload = Some(Box::new(val));
                    Val::Result(if is_ok { Ok(payload) } else { Err(payload) })
                }));
            }
            found
        }
        _ => Vec::new(),
    }
}

/// Returns the payload of a case in a box: `Some(None)` if the case has no payload, and `None` if it has one whose
/// value cannot be made.
fn boxed(payload: Option<Option<Val>>) -> Option<Option<Box<Val>>> {
    match payload {
        None => Some(None),
        Some(made) => made.map(|val| Some(Box::new(val))),
    }
}

/// The changes inside one part, put back into its place.
fn inner(part: &Val, ty: &Type, depth: usize, wrap: impl Fn(Val) -> Val) -> Vec<ChangedValue> {
    let changed = of_val(part, ty, depth - 1).into_iter().take(INNER_MAX);
    changed.map(|(change, val)| (change, wrap(val))).collect()
}

fn of_text(text: &str) -> Vec<ChangedValue> {
    let Some(last) = text.chars().next_back() else {
        return vec![(Change::Added, Val::String("a".to_owned()))];
    };
    let shorter = &text[..text.len() - last.len_utf8()];
    let other = if last == 'a' { 'b' } else { 'a' };
    vec![
        (Change::Cut, Val::String(shorter.to_owned())),
        (Change::Doubled, Val::String(format!("{text}{last}"))),
        (Change::Cut, Val::String(format!("{shorter}{other}"))),
        (Change::Emptied, Val::String(String::new())),
    ]
}

fn of_list(items: &[Val], ty: &Type, depth: usize) -> Vec<ChangedValue> {
    let Some(end) = items.len().checked_sub(1) else {
        let added = first_value(ty).map(|val| (Change::Added, Val::List(vec![val])));
        return added.into_iter().collect();
    };
    let middle = end / 2;
    let with = |act: &dyn Fn(&mut Vec<Val>)| {
        let mut changed = items.to_vec();
        act(&mut changed);
        Val::List(changed)
    };
    let mut found = vec![
        (Change::Dropped, with(&|list| drop(list.remove(end)))),
        (Change::Dropped, with(&|list| drop(list.remove(0)))),
        (Change::Dropped, with(&|list| drop(list.remove(middle)))),
        (Change::Doubled, with(&|list| list.push(list[end].clone()))),
        (
            Change::Doubled,
            with(&|list| list.insert(0, list[0].clone())),
        ),
        (Change::Emptied, Val::List(Vec::new())),
    ];
    let others = |from: usize| (0..items.len()).find(move |place| items[*place] != items[from]);
    for (from, to) in [
        (0, Some(end)),
        (middle, Some(middle + 1)),
        (end, others(end)),
    ] {
        if let Some(to) = to.filter(|to| *to <= end && items[from] != items[*to]) {
            found.push((Change::Moved, with(&|list| list.swap(from, to))));
        }
    }
    let mut places = vec![0, middle, end];
    places.dedup();
    for place in places {
        let wrap = |val: Val| with(&|list| list[place] = val.clone());
        found.extend(inner(&items[place], ty, depth, wrap));
    }
    found
}

/// Changes of a value with parts of their own types: two of one type exchanged, and each inside.
fn of_parts(
    items: &[Val],
    types: &[Type],
    depth: usize,
    whole: impl Fn(Vec<Val>) -> Val,
) -> Vec<ChangedValue> {
    let parts = items.len().min(types.len()).min(PARTS_MAX);
    let mut found = Vec::new();
    for place in 1..parts {
        if types[place - 1] == types[place] && items[place - 1] != items[place] {
            let mut changed = items.to_vec();
            changed.swap(place - 1, place);
            found.push((Change::Moved, whole(changed)));
        }
    }
    // One of each part before the second of any.
    let of_each: Vec<Vec<ChangedValue>> = (0..parts)
        .map(|place| {
            inner(&items[place], &types[place], depth, |val| {
                let mut changed = items.to_vec();
                changed[place] = val;
                whole(changed)
            })
        })
        .collect();
    for number in 0..INNER_MAX {
        found.extend(
            of_each
                .iter()
                .filter_map(|changes| changes.get(number).cloned()),
        );
    }
    found
}

/// The simplest value of a type; `None` for handles.
fn first_value(ty: &Type) -> Option<Val> {
    Some(match ty {
        Type::Bool => Val::Bool(false),
        Type::S8 => Val::S8(0),
        Type::U8 => Val::U8(0),
        Type::S16 => Val::S16(0),
        Type::U16 => Val::U16(0),
        Type::S32 => Val::S32(0),
        Type::U32 => Val::U32(0),
        Type::S64 => Val::S64(0),
        Type::U64 => Val::U64(0),
        Type::Float32 => Val::Float32(0.0),
        Type::Float64 => Val::Float64(0.0),
        Type::Char => Val::Char('a'),
        Type::String => Val::String(String::new()),
        Type::List(_) => Val::List(Vec::new()),
        Type::Map(_) => Val::Map(Vec::new()),
        Type::Flags(_) => Val::Flags(Vec::new()),
        Type::Option(_) => Val::Option(None),
        Type::Tuple(tuple) => {
            let items: Option<Vec<Val>> = tuple.types().map(|ty| first_value(&ty)).collect();
            Val::Tuple(items?)
        }
        Type::Record(record) => {
            let field = |field: wasmtime::component::types::Field<'_>| {
                Some((field.name.to_owned(), first_value(&field.ty)?))
            };
            let fields: Option<Vec<(String, Val)>> = record.fields().map(field).collect();
            Val::Record(fields?)
        }
        Type::Enum(cases) => Val::Enum(cases.names().next()?.to_owned()),
        Type::Variant(cases) => {
            let first = cases.cases().next()?;
            let payload = boxed(first.ty.as_ref().map(first_value))?;
            Val::Variant(first.name.to_owned(), payload)
        }
        Type::Result(result) => Val::Result(Ok(boxed(result.ok().as_ref().map(first_value))?)),
        _ => return None,
    })
}

#[cfg(test)]
mod tests;

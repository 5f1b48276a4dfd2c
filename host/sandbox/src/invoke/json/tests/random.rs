//! Random values of random types.

use super::*;
use wasmtime::component::Type;

const TYPES: u64 = 200;
const VALUES: u64 = 500;

/// A generator of numbers: SplitMix64.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// Bits of which many are extreme: all zeros, all ones, few.
    fn bits(&mut self) -> u64 {
        let bits = self.next();
        match self.below(8) {
            0 => 0,
            1 => u64::MAX,
            2 => 1 << (bits % 64),
            3 => u64::MAX << (bits % 64),
            4 => bits % 100,
            _ => bits,
        }
    }

    fn letter(&mut self) -> char {
        match self.below(4) {
            0 => ['"', '\\', '\n', '\u{0}', '\u{7f}', '\u{2028}', '/', '{'][self.below(8) as usize],
            1 => char::from_u32(self.below(0x11_0000) as u32).unwrap_or('\u{ffff}'),
            _ => char::from(b'a' + self.below(26) as u8),
        }
    }
}

/// Types in the text format, with the declarations of those that have names.
struct Types {
    numbers: Numbers,
    declared: String,
    count: usize,
}

impl Types {
    fn any(&mut self, depth: u64) -> String {
        const SCALARS: [&str; 13] = [
            "bool", "s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64", "f32", "f64", "char",
            "string",
        ];
        let kinds = if depth == 0 { 2 } else { 10 };
        let some = self.numbers.below(SCALARS.len() as u64) as usize;
        match self.numbers.below(kinds) {
            0 => SCALARS[some].to_owned(),
            1 => format!("(list {})", SCALARS[some]),
            2 => format!("(list {})", self.any(depth - 1)),
            3 => format!("(option {})", self.any(depth - 1)),
            4 => format!("(option (option {}))", self.any(depth - 1)),
            5 => {
                let parts = 1 + self.numbers.below(3);
                let parts: Vec<String> = (0..parts).map(|_| self.any(depth - 1)).collect();
                format!("(tuple {})", parts.join(" "))
            }
            6 => {
                let (ok, error) = (self.payload(depth), self.payload(depth));
                let error = if error.is_empty() {
                    error
                } else {
                    format!("(error {error})")
                };
                format!("(result {ok} {error})")
            }
            7 => {
                let fields = self.several(|types, index| {
                    format!("(field \"f-{index}\" {})", types.any(depth - 1))
                });
                self.named(&format!("(record {fields})"))
            }
            8 => {
                let cases = self.several(|types, index| {
                    format!("(case \"c-{index}\" {})", types.payload(depth))
                });
                self.named(&format!("(variant {cases})"))
            }
            _ => {
                let kind = ["flags", "enum"][self.numbers.below(2) as usize];
                let names = 1 + self.numbers.below(32);
                let names: String = (0..names).map(|index| format!(" \"n{index}\"")).collect();
                self.named(&format!("({kind}{names})"))
            }
        }
    }

    fn payload(&mut self, depth: u64) -> String {
        if self.numbers.below(3) == 0 {
            return String::new();
        }
        self.any(depth - 1)
    }

    fn several(&mut self, mut part: impl FnMut(&mut Self, u64) -> String) -> String {
        let count = 1 + self.numbers.below(4);
        (0..count).map(|index| part(self, index)).collect()
    }

    fn named(&mut self, ty: &str) -> String {
        let count = self.count;
        self.count += 1;
        self.declared += &format!(
            "(type $t{count} {ty}) (import \"t{count}\" (type $n{count} (eq $t{count})))\n"
        );
        format!("$n{count}")
    }
}

fn any_value(ty: &Type, numbers: &mut Numbers) -> Val {
    let payload =
        |ty: Option<Type>, numbers: &mut Numbers| ty.map(|ty| Box::new(any_value(&ty, numbers)));
    match ty {
        Type::Bool => Val::Bool(numbers.below(2) == 0),
        Type::S8 => Val::S8(numbers.bits() as i8),
        Type::U8 => Val::U8(numbers.bits() as u8),
        Type::S16 => Val::S16(numbers.bits() as i16),
        Type::U16 => Val::U16(numbers.bits() as u16),
        Type::S32 => Val::S32(numbers.bits() as i32),
        Type::U32 => Val::U32(numbers.bits() as u32),
        Type::S64 => Val::S64(numbers.bits() as i64),
        Type::U64 => Val::U64(numbers.bits()),
        Type::Float32 => {
            let number = f32::from_bits(numbers.bits() as u32);
            // One form of it, as its bits are not written.
            Val::Float32(if number.is_nan() { f32::NAN } else { number })
        }
        Type::Float64 => {
            let number = f64::from_bits(numbers.bits());
            Val::Float64(if number.is_nan() { f64::NAN } else { number })
        }
        Type::Char => Val::Char(numbers.letter()),
        Type::String => {
            let letters = numbers.below(6);
            Val::String((0..letters).map(|_| numbers.letter()).collect())
        }
        Type::List(list) => {
            let (ty, items) = (list.ty(), numbers.below(4));
            Val::List((0..items).map(|_| any_value(&ty, numbers)).collect())
        }
        Type::Tuple(tuple) => Val::Tuple(tuple.types().map(|ty| any_value(&ty, numbers)).collect()),
        Type::Record(record) => {
            let fields = record.fields();
            let fields = fields.map(|field| (field.name.to_owned(), any_value(&field.ty, numbers)));
            Val::Record(fields.collect())
        }
        Type::Variant(variant) => {
            let cases = variant.cases();
            let at = numbers.below(cases.len() as u64) as usize;
            let case = variant.cases().nth(at).unwrap();
            Val::Variant(case.name.to_owned(), payload(case.ty, numbers))
        }
        Type::Enum(names) => {
            let at = numbers.below(names.names().len() as u64) as usize;
            Val::Enum(names.names().nth(at).unwrap().to_owned())
        }
        Type::Option(_) if numbers.below(3) == 0 => Val::Option(None),
        Type::Option(option) => Val::Option(payload(Some(option.ty()), numbers)),
        Type::Result(result) if numbers.below(2) == 0 => {
            Val::Result(Ok(payload(result.ok(), numbers)))
        }
        Type::Result(result) => Val::Result(Err(payload(result.err(), numbers))),
        Type::Flags(flags) => {
            let set = flags.names().filter(|_| numbers.below(2) == 0);
            Val::Flags(set.map(str::to_owned).collect())
        }
        other => panic!("no value of {other:?}"),
    }
}

/// Random types with their texts, and the numbers that go on after them.
fn any_types() -> (Vec<(CallTypes, String)>, Numbers) {
    let mut types = Types {
        numbers: Numbers(7),
        declared: String::new(),
        count: 0,
    };
    let texts: Vec<String> = (0..TYPES).map(|_| types.any(3)).collect();
    let all = all_types(&types.declared, &texts);
    assert_eq!(all.len(), texts.len());
    (all.into_iter().zip(texts).collect(), types.numbers)
}

#[test]
fn random_values_of_random_types_come_back() {
    let (all, mut numbers) = any_types();
    for (types, text) in &all {
        let ty = &types.params[0];
        let shape = Shape::of(ty);
        for _ in 0..VALUES {
            let value = Value::from_val(any_value(ty, &mut numbers), shape.as_ref());
            assert!(!matches!(value, Value::Other(_)), "{text}");
            let line = written(value.clone(), types);
            assert!(!line.contains(['\n', '\r']), "{line}");
            let back = answer_from_json(&line, types);
            let back = back.unwrap_or_else(|error| panic!("{text}: {line}: {error}"));
            assert!(is_identical(&back.unwrap(), &value), "{text}: {line}");
        }
    }
}

/// Returns a text in which a few characters are missing, exchanged or doubled.
fn damaged(text: &str, numbers: &mut Numbers) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    for _ in 0..=numbers.below(3) {
        let at = numbers.below(letters.len().max(1) as u64) as usize;
        let other = numbers.below(letters.len().max(1) as u64) as usize;
        match numbers.below(3) {
            _ if letters.is_empty() => {}
            0 => drop(letters.remove(at)),
            1 => letters.swap(at, other),
            _ => letters.insert(at, letters[other]),
        }
    }
    letters.into_iter().collect()
}

#[test]
fn damaged_texts_are_read_or_refused() {
    let (all, mut numbers) = any_types();
    let (mut read, mut not_json, mut refused) = (0, 0, 0);
    for (types, text) in &all {
        let ty = &types.params[0];
        let shape = Shape::of(ty);
        for _ in 0..VALUES {
            let value = Value::from_val(any_value(ty, &mut numbers), shape.as_ref());
            let line = damaged(&written(value, types), &mut numbers);
            match answer_from_json(&line, types) {
                Ok(value) => {
                    let line = written(value.unwrap(), types);
                    assert!(answer_from_json(&line, types).is_ok(), "{text}: {line}");
                    read += 1;
                }
                Err(ValueJsonError::Syntax(_)) => not_json += 1,
                Err(_) => refused += 1,
            }
        }
    }
    assert!(read > 1000 && not_json > 1000 && refused > 1000);
}

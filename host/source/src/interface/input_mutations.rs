//! Small mutations of inputs: items or words that are swapped, left out, doubled or changed.

use super::constants::Constants;
use super::literal::Literal;
use super::shape::{EnumCase, Shape};

/// Signs that are put into texts.
const SIGNS: [&str; 8] = [" ", "+", "-", "0", ",", "\n", "(", ")"];

/// The longest list or text that a change makes longer, in items or bytes.
const LENGTH_MAX: usize = 300;

/// Returns arguments of these shapes with one or two small changes, some of which take one of the constants. `below` draws
/// a number below its argument, which is not 0.
pub fn mutated(
    arguments: &[Literal],
    shapes: &[&Shape],
    constants: &Constants,
    below: &mut dyn FnMut(usize) -> usize,
) -> Vec<Literal> {
    let mut arguments = arguments.to_vec();
    let count = arguments.len().min(shapes.len());
    if count == 0 {
        return arguments;
    }
    let mut changes = Changes { constants, below };
    for _ in 0..=changes.below(2) {
        let (place, other) = (changes.below(count), changes.below(count));
        if place != other && shapes[place] == shapes[other] && changes.below(3) == 0 {
            // Two arguments that are equal, or nearly, if they are changed once more.
            arguments[place] = arguments[other].clone();
        } else {
            changes.change(&mut arguments[place], shapes[place]);
        }
    }
    arguments
}

/// Small changes of values.
struct Changes<'a> {
    constants: &'a Constants,
    below: &'a mut dyn FnMut(usize) -> usize,
}

impl Changes<'_> {
    fn below(&mut self, bound: usize) -> usize {
        (self.below)(bound.max(1))
    }

    /// Returns a number that stands in the sources, or else a power of two.
    fn number(&mut self) -> i128 {
        let place = self.below(self.constants.numbers.len());
        let constant = self.constants.numbers.iter().nth(place).copied();
        constant.map_or_else(|| 1 << self.below(20), i128::from)
    }

    fn change(&mut self, value: &mut Literal, shape: &Shape) {
        match (value, shape) {
            (Literal::Bool(is_set), _) => *is_set = !*is_set,
            (Literal::Whole(number), Shape::Plain(name)) => {
                let (low, high) = range(name);
                let other = match self.below(9) {
                    0 => *number + 1,
                    1 => *number - 1,
                    2 => 0,
                    3 => number.saturating_mul(2),
                    4 => -*number,
                    5 => *number + self.number(),
                    6 => *number - self.number(),
                    7 => self.number(),
                    // Which leaves the rest as it is by which the constant divides.
                    _ => {
                        let power = 10_i128.pow(u32::try_from(self.below(7)).unwrap_or(0));
                        *number + self.number() * power
                    }
                };
                if (low..=high).contains(&other) {
                    *number = other;
                }
            }
            (Literal::Char(letter), _) => {
                *letter = if letter.is_ascii_lowercase() {
                    letter.to_ascii_uppercase()
                } else {
                    letter.to_ascii_lowercase()
                };
            }
            (Literal::Text(text), _) => *text = self.changed_text(text),
            (Literal::List(items), Shape::List(item)) => self.change_list(items, item),
            (Literal::List(items), Shape::Array(item, _)) if !items.is_empty() => {
                let place = self.below(items.len());
                self.change(&mut items[place], item);
            }
            (Literal::Tuple(items), Shape::Tuple(shapes)) if items.len() == shapes.len() => {
                let place = self.below(items.len());
                if let (Some(item), Some(shape)) = (items.get_mut(place), shapes.get(place)) {
                    self.change(item, shape);
                }
            }
            (Literal::Option(option), Shape::Option(item)) => match option {
                Some(value) if self.below(4) > 0 => self.change(value, item),
                _ => *option = None,
            },
            (Literal::Case(name, None), Shape::Enum(of)) => {
                let plain = of.cases.iter().filter(|case| case.fields.is_empty());
                let plain: Vec<String> = plain.map(EnumCase::wit_name).collect();
                if !plain.is_empty() {
                    *name = plain[self.below(plain.len())].clone();
                }
            }
            _ => {}
        }
    }

    fn change_list(&mut self, items: &mut Vec<Literal>, item: &Shape) {
        if items.is_empty() {
            return;
        }
        let (place, other) = (self.below(items.len()), self.below(items.len()));
        match self.below(9) {
            0 => items.swap(place, other),
            1 => drop(items.remove(place)),
            2 if items.len() < LENGTH_MAX => items.insert(other, items[place].clone()),
            3 => items[place.min(other)..].reverse(),
            4 => items[other] = items[place].clone(),
            5 => {
                let wanted = usize::try_from(self.number()).unwrap_or(0);
                if (items.len()..=LENGTH_MAX).contains(&wanted) {
                    items.resize(wanted, items[place].clone());
                }
            }
            _ => self.change(&mut items[place], item),
        }
    }

    /// Returns a text with a word or sign swapped, left out, doubled, in another case, longer, in brackets, or beside
    /// itself in another case, another sign or a text of the sources.
    fn changed_text(&mut self, text: &str) -> String {
        let mut words: Vec<String> = Vec::new();
        let mut is_word = false;
        for letter in text.chars() {
            match words.last_mut() {
                Some(word) if is_word && letter.is_alphanumeric() => word.push(letter),
                _ => words.push(letter.to_string()),
            }
            is_word = letter.is_alphanumeric();
        }
        let place = self.below(self.constants.texts.len());
        let known = self.constants.texts.iter().nth(place).cloned();
        let sign = match known {
            Some(known) if self.below(2) == 0 => known,
            _ => SIGNS[self.below(SIGNS.len())].to_owned(),
        };
        if words.is_empty() {
            return sign;
        }
        let (place, other) = (self.below(words.len()), self.below(words.len()));
        match self.below(10) {
            0 => words.swap(place, other),
            1 => drop(words.remove(place)),
            2 if text.len() < LENGTH_MAX => words.insert(other, words[place].clone()),
            3 => words[place] = words[place].to_uppercase(),
            4 => words[place] = words[place].to_lowercase(),
            5 => words[place] = sign,
            6 => {
                let wanted = usize::try_from(self.number()).unwrap_or(0).min(LENGTH_MAX);
                let missing = wanted.saturating_sub(words[place].chars().count());
                let last = words[place].chars().next_back();
                words[place].extend(last.into_iter().cycle().take(missing));
            }
            7 => words[place] = format!("({})", words[place]),
            8 => {
                let word = &words[place];
                let other = if word.chars().any(char::is_uppercase) {
                    word.to_lowercase()
                } else {
                    word.to_uppercase()
                };
                words[place] = format!("{word} {other}");
            }
            _ => words.insert(place, sign),
        }
        words.concat()
    }
}

/// Returns the least and the largest number of a plain type.
fn range(name: &str) -> (i128, i128) {
    match name {
        "u8" => (0, u8::MAX.into()),
        "u16" => (0, u16::MAX.into()),
        "u32" => (0, u32::MAX.into()),
        "u64" => (0, u64::MAX.into()),
        "s8" => (i8::MIN.into(), i8::MAX.into()),
        "s16" => (i16::MIN.into(), i16::MAX.into()),
        "s32" => (i32::MIN.into(), i32::MAX.into()),
        _ => (i64::MIN.into(), i64::MAX.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interface::{read_literals, written_call};

    #[test]
    fn what_is_changed_stays_of_its_type_and_most_of_it_differs() {
        let shapes = [
            Shape::plain("string"),
            Shape::list(Shape::Tuple(vec![Shape::plain("u8"), Shape::plain("s64")])),
            Shape::Option(Box::new(Shape::plain("bool"))),
        ];
        let shapes: Vec<&Shape> = shapes.iter().collect();
        let text = r#""set key = 12, é", [(0, -3), (255, 9223372036854775807)], some(true)"#;
        let arguments = read_literals(text, &shapes).unwrap();
        let constants = Constants {
            numbers: [13, 1_000].into(),
            texts: ["--".to_owned()].into(),
        };
        let mut state = 7_u64;
        let mut below = |bound: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) as usize % bound
        };
        let mut texts = std::collections::BTreeSet::new();
        for _ in 0..5_000 {
            let other = mutated(&arguments, &shapes, &constants, &mut below);
            let written = written_call("", &other);
            let inner = &written[1..written.len() - 1];
            assert_eq!(
                read_literals(inner, &shapes).as_ref(),
                Some(&other),
                "{inner}"
            );
            texts.insert(written);
        }
        for part in ["--", "ééééééééééééé", "997", "(key)"] {
            assert!(texts.iter().any(|text| text.contains(part)), "{part}");
        }
        assert!(texts.len() > 100, "{}", texts.len());
        assert_eq!(mutated(&[], &[], &constants, &mut below), []);
    }
}

//! Small mutations of inputs: items or words that are swapped, left out, doubled or changed.

use super::literal::Literal;
use super::shape::Shape;

/// Signs that are put into texts.
const SIGNS: [&str; 8] = [" ", "+", "-", "0", ",", "\n", "(", ")"];

/// Returns arguments of these shapes with one or two small changes. `below` draws a number below its argument, which
/// is not 0.
pub fn mutated(
    arguments: &[Literal],
    shapes: &[&Shape],
    below: &mut dyn FnMut(usize) -> usize,
) -> Vec<Literal> {
    let mut arguments = arguments.to_vec();
    let count = arguments.len().min(shapes.len());
    if count == 0 {
        return arguments;
    }
    for _ in 0..=below(2) {
        let place = below(count);
        change(&mut arguments[place], shapes[place], below);
    }
    arguments
}

fn change(value: &mut Literal, shape: &Shape, below: &mut dyn FnMut(usize) -> usize) {
    match (value, shape) {
        (Literal::Bool(is_set), _) => *is_set = !*is_set,
        (Literal::Whole(number), Shape::Plain(name)) => {
            let (low, high) = range(name);
            let other = match below(5) {
                0 => *number + 1,
                1 => *number - 1,
                2 => 0,
                3 => *number * 2,
                _ => -*number,
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
        (Literal::Text(text), _) => *text = changed_text(text, below),
        (Literal::List(items), Shape::List(item)) => change_list(items, item, below),
        (Literal::List(items), Shape::Array(item, _)) if !items.is_empty() => {
            let place = below(items.len());
            change(&mut items[place], item, below);
        }
        (Literal::Tuple(items), Shape::Tuple(shapes)) if items.len() == shapes.len() => {
            let place = below(items.len().max(1));
            if let (Some(item), Some(shape)) = (items.get_mut(place), shapes.get(place)) {
                change(item, shape, below);
            }
        }
        (Literal::Option(option), Shape::Option(item)) => match option {
            Some(value) if below(4) > 0 => change(value, item, below),
            _ => *option = None,
        },
        _ => {}
    }
}

fn change_list(items: &mut Vec<Literal>, item: &Shape, below: &mut dyn FnMut(usize) -> usize) {
    if items.is_empty() {
        return;
    }
    let (place, other) = (below(items.len()), below(items.len()));
    match below(6) {
        0 => items.swap(place, other),
        1 => drop(items.remove(place)),
        2 => items.insert(other, items[place].clone()),
        3 => items[place.min(other)..].reverse(),
        _ => change(&mut items[place], item, below),
    }
}

/// Returns a text with a word or sign swapped, left out, doubled, in another case, or beside another sign.
fn changed_text(text: &str, below: &mut dyn FnMut(usize) -> usize) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut is_word = false;
    for letter in text.chars() {
        match words.last_mut() {
            Some(word) if is_word && letter.is_alphanumeric() => word.push(letter),
            _ => words.push(letter.to_string()),
        }
        is_word = letter.is_alphanumeric();
    }
    let sign = SIGNS[below(SIGNS.len())].to_owned();
    if words.is_empty() {
        return sign;
    }
    let (place, other) = (below(words.len()), below(words.len()));
    match below(7) {
        0 => words.swap(place, other),
        1 => drop(words.remove(place)),
        2 => words.insert(other, words[place].clone()),
        3 => words[place] = words[place].to_uppercase(),
        4 => words[place] = words[place].to_lowercase(),
        5 => words[place] = sign,
        _ => words.insert(place, sign),
    }
    words.concat()
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
        let mut state = 7_u64;
        let mut below = |bound: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) as usize % bound
        };
        let mut texts = std::collections::BTreeSet::new();
        for _ in 0..500 {
            let other = mutated(&arguments, &shapes, &mut below);
            let written = written_call("", &other);
            let inner = &written[1..written.len() - 1];
            assert_eq!(
                read_literals(inner, &shapes).as_ref(),
                Some(&other),
                "{inner}"
            );
            texts.insert(written);
        }
        assert!(texts.len() > 100, "{}", texts.len());
        assert_eq!(mutated(&[], &[], &mut below), []);
    }
}

//! Simplification of inputs, as shrinking in property testing: parts are left out, or replaced by simpler values.

use super::joint_simplification::simpler_together;
use super::literal::Literal;

/// Passes simpler arguments of the same types to `try_it`, the greatest simplification first, until it returns
/// false. A search that begins again from accepted arguments ends, as no arguments are simpler than themselves.
pub fn simpler_arguments(arguments: &[Literal], try_it: &mut dyn FnMut(Vec<Literal>) -> bool) {
    for stage in [Stage::Leave, Stage::Simplify] {
        for (place, argument) in arguments.iter().enumerate() {
            let mut goes_on = true;
            simpler(argument, stage, &mut |value| {
                let mut changed = arguments.to_vec();
                changed[place] = value;
                goes_on = try_it(changed);
                goes_on
            });
            if !goes_on {
                return;
            }
        }
        if stage == Stage::Leave && !simpler_together(arguments, try_it) {
            return;
        }
    }
}

/// The most different items of a list or text for which [`equal_ones`] is tried.
const DISTINCT_MAX: usize = 300;

/// The stage of the simplification.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Leaves items out.
    Leave,
    /// Makes items simpler.
    Simplify,
}

/// Passes simpler values to `try_it`. Returns false once `try_it` does.
fn simpler(value: &Literal, stage: Stage, try_it: &mut dyn FnMut(Literal) -> bool) -> bool {
    match (value, stage) {
        (Literal::List(items), Stage::Leave) => {
            equal_ones(items, &mut |items| try_it(Literal::List(items)))
                && without_parts(items, &mut |items| try_it(Literal::List(items)))
                && each(items, stage, &mut |items| try_it(Literal::List(items)))
        }
        (Literal::Text(text), Stage::Leave) => {
            let letters: Vec<char> = text.chars().collect();
            let mut try_letters =
                |letters: Vec<char>| try_it(Literal::Text(letters.into_iter().collect()));
            equal_ones(&letters, &mut try_letters) && without_parts(&letters, &mut try_letters)
        }
        (Literal::List(items), Stage::Simplify) => {
            all_the_same(items, &mut |items| try_it(Literal::List(items)))
                && each(items, stage, &mut |items| try_it(Literal::List(items)))
        }
        (Literal::Text(text), Stage::Simplify) => {
            let letters: Vec<char> = text.chars().collect();
            (0..letters.len()).all(|place| {
                simpler_letters(letters[place]).all(|letter| {
                    let mut letters = letters.clone();
                    letters[place] = letter;
                    try_it(Literal::Text(letters.into_iter().collect()))
                })
            })
        }
        (Literal::Tuple(items), _) => {
            each(items, stage, &mut |items| try_it(Literal::Tuple(items)))
        }
        (Literal::Option(Some(value)), _) => {
            (stage == Stage::Simplify || try_it(Literal::Option(None)))
                && simpler(value, stage, &mut |value| {
                    try_it(Literal::Option(Some(Box::new(value))))
                })
        }
        (Literal::Result(Ok(Some(value))), _) => simpler(value, stage, &mut |value| {
            try_it(Literal::Result(Ok(Some(Box::new(value)))))
        }),
        (Literal::Case(name, Some(value)), _) => simpler(value, stage, &mut |value| {
            try_it(Literal::Case(name.clone(), Some(Box::new(value))))
        }),
        (Literal::Bool(true), Stage::Simplify) => try_it(Literal::Bool(false)),
        (Literal::Whole(number), Stage::Simplify) => {
            simpler_wholes(*number).all(|number| try_it(Literal::Whole(number)))
        }
        (Literal::Float(text), Stage::Simplify) => {
            simpler_floats(text).all(|text| try_it(Literal::Float(text)))
        }
        (Literal::Char(letter), Stage::Simplify) => {
            simpler_letters(*letter).all(|letter| try_it(Literal::Char(letter)))
        }
        _ => true,
    }
}

/// Tries the items without some in a row: all of them, halves, quarters, and so on to single ones.
fn without_parts<T: Clone>(items: &[T], try_it: &mut dyn FnMut(Vec<T>) -> bool) -> bool {
    let mut part = items.len();
    while part > 0 {
        for first in (0..items.len()).step_by(part) {
            let end = (first + part).min(items.len());
            let left = items[..first].iter().chain(&items[end..]).cloned();
            if !try_it(left.collect()) {
                return false;
            }
        }
        part = match part {
            1 => 0,
            more => more.div_ceil(2),
        };
    }
    true
}

/// Tries the items with one of them replaced by a simpler one.
fn each(items: &[Literal], stage: Stage, try_it: &mut dyn FnMut(Vec<Literal>) -> bool) -> bool {
    (0..items.len()).all(|place| {
        simpler(&items[place], stage, &mut |item| {
            let mut items = items.to_vec();
            items[place] = item;
            try_it(items)
        })
    })
}

/// Tries the items with some in a row replaced by their simplest values: all of them, halves, quarters, and so on
/// to two.
fn all_the_same(items: &[Literal], try_it: &mut dyn FnMut(Vec<Literal>) -> bool) -> bool {
    let simplest: Vec<Literal> = items.iter().map(simplest).collect();
    let mut part = items.len();
    while part > 1 {
        for first in (0..items.len()).step_by(part) {
            let end = (first + part).min(items.len());
            if simplest[first..end] == items[first..end] {
                continue;
            }
            let mut changed = items.to_vec();
            changed[first..end].clone_from_slice(&simplest[first..end]);
            if !try_it(changed) {
                return false;
            }
        }
        part = part.div_ceil(2).min(part - 1);
    }
    true
}

/// Tries the items that are equal to one of them alone, where there are at least eight times as many items as
/// different ones.
fn equal_ones<T: Clone + PartialEq>(items: &[T], try_it: &mut dyn FnMut(Vec<T>) -> bool) -> bool {
    let mut distinct: Vec<&T> = Vec::new();
    for item in items {
        if !distinct.contains(&item) {
            distinct.push(item);
        }
        if distinct.len() > DISTINCT_MAX {
            return true;
        }
    }
    let is_worth_it = distinct.len() > 1 && items.len() >= 8 * distinct.len();
    !is_worth_it
        || distinct
            .into_iter()
            .all(|one| try_it(items.iter().filter(|item| *item == one).cloned().collect()))
}

/// Returns the simplest value of the same type.
fn simplest(value: &Literal) -> Literal {
    match value {
        Literal::Bool(_) => Literal::Bool(false),
        Literal::Whole(_) => Literal::Whole(0),
        Literal::Float(_) => Literal::Float("0".to_owned()),
        Literal::Char(_) => Literal::Char('a'),
        Literal::Text(_) => Literal::Text(String::new()),
        Literal::List(_) => Literal::List(Vec::new()),
        Literal::Tuple(items) => Literal::Tuple(items.iter().map(simplest).collect()),
        Literal::Option(_) => Literal::Option(None),
        Literal::Case(name, value) => {
            let value = value.as_deref().map(simplest);
            Literal::Case(name.clone(), value.map(Box::new))
        }
        other @ Literal::Result(_) => other.clone(),
    }
}

/// Returns numbers nearer to 0: 0 itself, then the number less a half, a quarter, and so on to 1; and for a negative
/// number a positive one, `-(number + 1)`, which its type has too.
fn simpler_wholes(number: i128) -> impl Iterator<Item = i128> {
    let positive = (number < 0).then_some(-(number + 1));
    let nearer = (0..i128::BITS).map(move |by| number - number / (1_i128 << by.min(126)));
    let nearer = nearer.take_while(move |other| *other != number);
    nearer.take(64).chain(positive)
}

/// Returns simpler floats: 0, 1, the whole part, halves, and the negated number, as far as they are simpler.
fn simpler_floats(text: &str) -> impl Iterator<Item = String> {
    let number: f64 = text.parse().unwrap_or(0.0);
    let weight = |number: f64| {
        (
            !number.is_finite(),
            number.fract() != 0.0,
            number.abs(),
            number.is_sign_negative(),
        )
    };
    let others = [
        0.0,
        1.0,
        number.trunc(),
        number / 2.0,
        (number / 2.0).trunc(),
        -number,
    ];
    let is_simpler = move |other: &f64| {
        other.is_finite()
            && weight(*other).partial_cmp(&weight(number)) != Some(std::cmp::Ordering::Greater)
            && *other != number
    };
    others
        .into_iter()
        .filter(is_simpler)
        .map(|other| format!("{other:?}"))
}

/// Returns the simpler letters: those before the letter in the order `a`, `b`, `0`, space, `A`; all five for any
/// other letter.
fn simpler_letters(letter: char) -> impl Iterator<Item = char> {
    let order = ['a', 'b', '0', ' ', 'A'];
    let rank = order.iter().position(|other| *other == letter);
    order.into_iter().take(rank.unwrap_or(order.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The simplest arguments that still have a property, and how often it was asked for.
    fn shrunk(
        mut arguments: Vec<Literal>,
        is_found: impl Fn(&[Literal]) -> bool,
    ) -> (Vec<Literal>, usize) {
        let mut asked = 0;
        loop {
            let mut taken = None;
            simpler_arguments(&arguments, &mut |other| {
                asked += 1;
                if is_found(&other) {
                    taken = Some(other);
                }
                taken.is_none() && asked < 20_000
            });
            match taken {
                Some(taken) => arguments = taken,
                None => return (arguments, asked),
            }
        }
    }

    fn numbers(numbers: impl IntoIterator<Item = i128>) -> Literal {
        Literal::List(numbers.into_iter().map(Literal::Whole).collect())
    }

    fn items(value: &Literal) -> &[Literal] {
        match value {
            Literal::List(items) => items,
            _ => &[],
        }
    }

    #[test]
    fn as_many_are_left_as_are_needed() {
        let many = numbers(std::iter::repeat_n(7, 4_096));
        let counts = |arguments: &[Literal]| {
            let sevens = items(&arguments[0])
                .iter()
                .filter(|item| **item == Literal::Whole(7));
            sevens.count() >= 256
        };
        let (found, asked) = shrunk(vec![many], counts);
        assert_eq!(found, [numbers(std::iter::repeat_n(7, 256))]);
        assert!(asked < 10_000, "{asked}");
    }

    #[test]
    fn equal_ones_are_found_among_many_others() {
        let mixed = numbers((0..20_000).map(|item| item * 7_919 % 200));
        let counts = |arguments: &[Literal]| {
            let sevens = items(&arguments[0])
                .iter()
                .filter(|item| **item == Literal::Whole(7));
            sevens.count() >= 90
        };
        let (found, asked) = shrunk(vec![mixed], counts);
        assert_eq!(found, [numbers(std::iter::repeat_n(7, 90))]);
        assert!(asked < 10_000, "{asked}");
    }

    #[test]
    fn texts_that_are_alike_become_simpler_together() {
        let words = ["UMC", "x", "umc"].map(|word| Literal::Text(word.to_owned()));
        let is_in_other_case = |arguments: &[Literal]| {
            let texts: Vec<&str> = items(&arguments[0])
                .iter()
                .filter_map(|item| match item {
                    Literal::Text(text) => Some(&**text),
                    _ => None,
                })
                .collect();
            let mut pairs = texts.iter().flat_map(|a| texts.iter().map(move |b| (a, b)));
            pairs.any(|(a, b)| a != b && a.eq_ignore_ascii_case(b))
        };
        let (found, asked) = shrunk(vec![Literal::List(words.to_vec())], is_in_other_case);
        let simplest = ["A", "a"].map(|word| Literal::Text(word.to_owned()));
        assert_eq!(found, [Literal::List(simplest.to_vec())]);
        assert!(asked < 500, "{asked}");
    }

    #[test]
    fn items_come_to_the_edge_of_what_is_needed() {
        let list = numbers((0..70).map(|item| item * 977 - 30_000));
        let has_large = |arguments: &[Literal]| {
            items(&arguments[0])
                .iter()
                .any(|item| matches!(item, Literal::Whole(1_000..)))
        };
        let (found, asked) = shrunk(vec![list, Literal::Whole(5)], has_large);
        assert_eq!(found, [numbers([1_000]), Literal::Whole(0)]);
        assert!(asked < 500, "{asked}");
    }

    #[test]
    fn every_kind_of_value_becomes_simpler_and_stays_of_its_type() {
        let value = Literal::Tuple(vec![
            Literal::Option(Some(Box::new(Literal::Text("Größe \u{301}".to_owned())))),
            Literal::Float("-12.25".to_owned()),
            Literal::Bool(true),
            Literal::Whole(i128::from(i64::MIN)),
            Literal::Result(Ok(Some(Box::new(Literal::Char('ß'))))),
            Literal::Case("disc".to_owned(), Some(Box::new(Literal::Whole(900)))),
        ]);
        let (found, _) = shrunk(vec![value], |_| true);
        assert_eq!(
            found,
            [Literal::Tuple(vec![
                Literal::Option(None),
                Literal::Float("0.0".to_owned()),
                Literal::Bool(false),
                Literal::Whole(0),
                Literal::Result(Ok(Some(Box::new(Literal::Char('a'))))),
                Literal::Case("disc".to_owned(), Some(Box::new(Literal::Whole(0)))),
            ])]
        );
        let within = |number: &i128| i64::try_from(*number).is_ok();
        assert!(simpler_wholes(i64::MIN.into()).all(|number| within(&number)));
        let negative = |arguments: &[Literal]| matches!(arguments[0], Literal::Whole(..=-5));
        assert_eq!(
            shrunk(vec![Literal::Whole(-4_000)], negative).0,
            [Literal::Whole(-5)]
        );
    }
}

//! Simplification of several texts at the same time, for differences that hang on how texts are alike: a word with the
//! same word in capital letters.

use super::literal::Literal;

/// The most places of letters, and the most different letters, that are tried.
const TRIED_MAX: usize = 64;

/// Passes arguments to `try_it` in which all texts lack the letter at one place, then such in which one letter is an `a`
/// everywhere, and its capital letter an `A`. Returns false once `try_it` does.
pub(super) fn simpler_together(
    arguments: &[Literal],
    try_it: &mut dyn FnMut(Vec<Literal>) -> bool,
) -> bool {
    let mut texts = Vec::new();
    arguments
        .iter()
        .for_each(|value| collect(value, &mut texts));
    if texts.len() < 2 {
        return true;
    }
    let longest = texts.iter().map(|text| text.chars().count()).max();
    let places = 0..longest.unwrap_or(0).min(TRIED_MAX);
    let mut letters: Vec<char> = texts.iter().flat_map(|text| text.chars()).collect();
    letters.retain(|letter| letter.is_ascii_alphabetic() && !letter.eq_ignore_ascii_case(&'a'));
    letters
        .iter_mut()
        .for_each(|letter| letter.make_ascii_lowercase());
    letters.sort_unstable();
    letters.dedup();
    let without = |place: usize| {
        changed(arguments, &|text| {
            let left = text.chars().enumerate().filter(|(at, _)| *at != place);
            left.map(|(_, letter)| letter).collect()
        })
    };
    let simplified = |letter: char| {
        changed(arguments, &|text| {
            text.replace(letter, "a")
                .replace(letter.to_ascii_uppercase(), "A")
        })
    };
    places.rev().all(|place| try_it(without(place)))
        && letters.into_iter().all(|letter| try_it(simplified(letter)))
}

/// Adds the texts in a value to others.
fn collect<'a>(value: &'a Literal, texts: &mut Vec<&'a str>) {
    match value {
        Literal::Text(text) => texts.push(text),
        Literal::List(items) | Literal::Tuple(items) => {
            items.iter().for_each(|item| collect(item, texts));
        }
        Literal::Option(Some(inner)) | Literal::Result(Ok(Some(inner))) => collect(inner, texts),
        Literal::Case(_, Some(inner)) => collect(inner, texts),
        _ => {}
    }
}

fn changed(arguments: &[Literal], change: &dyn Fn(&str) -> String) -> Vec<Literal> {
    let argument = arguments.iter();
    argument.map(|value| with_texts(value, change)).collect()
}

/// Returns the value with each text in it replaced.
fn with_texts(value: &Literal, change: &dyn Fn(&str) -> String) -> Literal {
    let inside = |inner: &Literal| Some(Box::new(with_texts(inner, change)));
    match value {
        Literal::Text(text) => Literal::Text(change(text)),
        Literal::List(items) => Literal::List(changed(items, change)),
        Literal::Tuple(items) => Literal::Tuple(changed(items, change)),
        Literal::Option(Some(inner)) => Literal::Option(inside(inner)),
        Literal::Result(Ok(Some(inner))) => Literal::Result(Ok(inside(inner))),
        Literal::Case(name, Some(inner)) => Literal::Case(name.clone(), inside(inner)),
        other => other.clone(),
    }
}

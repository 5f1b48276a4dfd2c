//! Shrinking of an input on which approaches differ to one that is as simple as it gets, and the place where long
//! answers part.

use crate::error::CompareError;
use crate::first_look::FirstLook;
use crate::undeclared_experiment::is_typed;
use bakeoff_domain::failure::FailureClass;
use bakeoff_domain::measurement::CaseIndex;
use bakeoff_domain::spec::Approach;
use bakeoff_render::{FileAnswer, Reproduction};
use bakeoff_run::Survey;
use bakeoff_runner::{CallTexts, RepeatedCall};
use bakeoff_source::interface::{
    DerivedInterface, Literal, Shape, Signature, read_literals, simpler_arguments, written_call,
};
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{Duration, Instant};

/// The most calls of each approach.
const CALLS_MAX: usize = 6_000;

/// Least and greatest number of simpler inputs that are tried at once: few, where the last ones soon had one that shows
/// the difference.
const BATCH_MIN: usize = 32;
const BATCH_MAX: usize = 256;
/// The most bytes of the inputs that are tried at once.
const BATCH_BYTES_MAX: usize = 1 << 20;

/// The longest answer that is shown as it is, in characters; and the characters of longer ones that are shown before
/// the place where they part, and from there on.
const ANSWER_CHARS_MAX: usize = 200;
const BEFORE_CHARS: usize = 40;
const AFTER_CHARS: usize = 100;

/// An input on which approaches differ, with the call of each approach.
pub(crate) struct Difference {
    /// The arguments.
    pub(crate) arguments: Vec<Literal>,
    /// The call, in WAVE.
    pub(crate) written: String,
    /// Call of each approach, with arguments and answer as a whole.
    pub(crate) calls: Vec<RepeatedCall>,
    /// Number of simpler inputs that were tried.
    pub(crate) tried: usize,
}

/// Returns the outcome of a call, for a reader.
pub(crate) fn shown_call(call: &RepeatedCall) -> String {
    match (&call.answer, &call.error) {
        (Some(answer), _) => answer.clone(),
        (None, Some(error)) => format!("fails: {}", error.message),
        (None, None) => "nothing".to_owned(),
    }
}

impl Difference {
    /// Returns the answer or failure of each approach, by these names, and a sentence on where long answers part.
    pub(crate) async fn answers(
        &self,
        survey: &Survey,
        found: &DerivedInterface,
        names: &[&str],
    ) -> (Vec<FileAnswer>, String) {
        let calls = &self.calls;
        let answers: Vec<Option<&str>> = calls.iter().map(|call| call.answer.as_deref()).collect();
        let (answers, parting) = parted(&answers, &found.signature().result);
        let mut shown = Vec::new();
        for (place, (call, answer)) in calls.iter().zip(answers).enumerate() {
            let did = match (answer, &call.error) {
                (Some(answer), _) => answer,
                (None, Some(error)) if error.class == FailureClass::Trap => {
                    let panic = survey.panic_of_written(place, &self.written);
                    format!("fails: {}", panic.await.unwrap_or(error.message.clone()))
                }
                (None, _) => shown_call(call),
            };
            shown.push(FileAnswer {
                file: names[place].to_owned(),
                answer: did,
            });
        }
        (shown, parting)
    }

    /// Returns the call as a case, and as a test in Rust of two of the approaches that answer differently, if they are in
    /// Rust.
    pub(crate) fn reproduction(
        &self,
        found: &DerivedInterface,
        approaches: &[Approach],
    ) -> Reproduction {
        let digest = &self.calls[0].digest;
        let other = self.calls.iter().position(|call| call.digest != *digest);
        // The interface has the functions of those alone whose types were read.
        let place = |place: usize| {
            let before = approaches[..place].iter().filter(|one| is_typed(one));
            is_typed(&approaches[place]).then(|| before.count())
        };
        let test = match (place(0), place(other.unwrap_or(1))) {
            (Some(first), Some(second)) => found.test([first, second], &self.arguments),
            _ => None,
        };
        Reproduction::new(&self.written, test)
    }
}

/// Returns the arguments of a call; `None` if they are too long to be written out.
///
/// # Errors
/// Something failed that does not depend on the approaches.
pub(crate) async fn arguments_of(
    survey: &Survey,
    signature: &Signature,
    call: (CaseIndex, u64),
) -> Result<Option<Vec<Literal>>, CompareError> {
    let shapes: Vec<&Shape> = (signature.parameters.iter())
        .map(|(_, shape)| shape)
        .collect();
    let whole = survey.call_wholly(&[call]).await?;
    let text = whole
        .iter()
        .find_map(|calls| Some(&calls.as_ref().ok()?.first()?.arguments));
    Ok(text.and_then(|text| read_literals(text, &shapes)))
}

/// Finds the simplest input that still shows the difference which a call of the function shows, for no longer than
/// `most`. Returns `None` if the difference does not come again.
///
/// # Errors
/// Something failed that does not depend on the approaches.
pub(crate) async fn shrink(
    survey: &Survey,
    name: &str,
    mut arguments: Vec<Literal>,
    most: Duration,
) -> Result<Option<Difference>, CompareError> {
    let until = Instant::now() + most;
    let mut known = BTreeSet::new();
    let mut size = BATCH_MIN;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if known.len() >= CALLS_MAX || left.is_zero() {
            break;
        }
        let batch = next(&arguments, name, &known, size);
        let written: Vec<String> = batch.iter().map(|(written, _)| written.clone()).collect();
        if written.is_empty() {
            break;
        }
        let found = first_difference(survey, &written, left).await?;
        let tried = found.map_or(written.len(), |found| found + 1);
        known.extend(written.iter().take(tried).map(|written| digest(written)));
        match found {
            Some(found) => {
                arguments = batch
                    .into_iter()
                    .nth(found)
                    .map_or(arguments, |(_, simpler)| simpler);
                size = BATCH_MIN;
            }
            None => size = (size * 2).min(BATCH_MAX),
        }
    }
    // The calls of the search had shortened texts, and a difference that does not come again cannot be shown.
    let written = written_call(name, &arguments);
    let made = survey
        .call_written(std::slice::from_ref(&written), CallTexts::Whole, None)
        .await?;
    let calls = made.into_iter().map(|calls| calls.ok()?.into_iter().next());
    let Some(calls) = calls.collect::<Option<Vec<RepeatedCall>>>() else {
        return Ok(None);
    };
    let slices = calls.iter().map(std::slice::from_ref).collect();
    let differs = FirstLook { calls: slices }.compare().differ.is_some();
    Ok(differs.then_some(Difference {
        arguments,
        written,
        calls,
        tried: known.len(),
    }))
}

/// Returns the next simpler arguments that were not tried yet, each as a call in WAVE and as values.
fn next(
    arguments: &[Literal],
    name: &str,
    known: &BTreeSet<u64>,
    most: usize,
) -> Vec<(String, Vec<Literal>)> {
    let mut batch: Vec<(String, Vec<Literal>)> = Vec::new();
    let mut own = BTreeSet::new();
    let mut bytes = 0;
    simpler_arguments(arguments, &mut |simpler| {
        let written = written_call(name, &simpler);
        if !known.contains(&digest(&written)) && own.insert(digest(&written)) {
            bytes += written.len();
            batch.push((written, simpler));
        }
        batch.len() < most && bytes < BATCH_BYTES_MAX
    });
    batch
}

/// Returns a hash by which a tried call is known: inputs are long, and there are many.
fn digest(written: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    written.hash(&mut hasher);
    hasher.finish()
}

/// Returns the index of the first call on which the approaches differ.
async fn first_difference(
    survey: &Survey,
    written: &[String],
    left: Duration,
) -> Result<Option<usize>, CompareError> {
    let made = survey
        .call_written(written, CallTexts::Shortened, Some(left))
        .await?;
    let calls: Vec<Vec<RepeatedCall>> = made.into_iter().flatten().collect();
    // An approach that met limits often is called no more, and none once the time is over.
    let common = calls.iter().map(Vec::len).min().unwrap_or(0);
    Ok((0..common).find(|place| {
        let calls = calls.iter().map(|calls| &calls[*place..=*place]).collect();
        FirstLook { calls }.compare().differ.is_some()
    }))
}

/// Cuts long answers to the text around the first place where they part. Returns the answers, and a sentence on that
/// place: empty for short answers.
pub(crate) fn parted(answers: &[Option<&str>], result: &Shape) -> (Vec<Option<String>>, String) {
    let whole = || {
        answers
            .iter()
            .map(|answer| answer.map(str::to_owned))
            .collect()
    };
    let texts: Vec<&str> = answers.iter().flatten().copied().collect();
    let is_long = texts
        .iter()
        .any(|text| text.chars().count() > ANSWER_CHARS_MAX);
    let [first, others @ ..] = texts.as_slice() else {
        return (whole(), String::new());
    };
    let common = |other: &str| {
        let same = first.chars().zip(other.chars());
        same.take_while(|(a, b)| a == b).count()
    };
    let differing = others.iter().filter(|other| *other != first);
    let Some(parts_at) = differing
        .map(|other| common(other))
        .min()
        .filter(|_| is_long)
    else {
        return (whole(), String::new());
    };
    let excerpt = |text: &str| {
        let before = parts_at.saturating_sub(BEFORE_CHARS);
        let after = parts_at + AFTER_CHARS;
        let count = text.chars().count();
        let shown: String = text.chars().skip(before).take(after - before).collect();
        let start = if before > 0 { "… " } else { "" };
        let end = if after < count { " …" } else { "" };
        format!("{start}{shown}{end}")
    };
    let excerpts = answers.iter().map(|answer| answer.map(excerpt)).collect();
    let lists: Vec<Vec<Literal>> = texts
        .iter()
        .filter_map(|text| items(text, result))
        .collect();
    let sentence = match lists.as_slice() {
        [first, others @ ..] if lists.len() == texts.len() => {
            let same =
                |other: &Vec<Literal>| first.iter().zip(other).take_while(|(a, b)| a == b).count();
            let other = others
                .iter()
                .filter(|other| *other != first)
                .map(same)
                .min();
            let lengths: Vec<String> = lists.iter().map(|list| list.len().to_string()).collect();
            let place = other.unwrap_or(0);
            format!(
                "The answers part at item {place}, counted from 0; they have {} items.",
                lengths.join(" and ")
            )
        }
        _ => format!("The answers part after {parts_at} characters."),
    };
    (excerpts, sentence)
}

/// Returns the items of an answer that is a list.
fn items(text: &str, shape: &Shape) -> Option<Vec<Literal>> {
    match read_literals(text, &[shape])?.pop()? {
        Literal::List(items) => Some(items),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_answers_are_shown_where_they_part() {
        let list = |last: &str| format!("[{}{last}]", "7, ".repeat(300));
        let (a, b) = (list("1, 2, 3"), list("1, 5, 3"));
        let shape = Shape::list(Shape::plain("s64"));
        let (shown, place) = parted(&[Some(&a), None, Some(&b)], &shape);
        assert_eq!(
            place,
            "The answers part at item 301, counted from 0; they have 303 and 303 items."
        );
        let shown: Vec<&str> = shown.iter().flatten().map(String::as_str).collect();
        assert!(
            shown[0].starts_with("… ") && shown[0].ends_with("7, 1, 2, 3]"),
            "{shown:?}"
        );
        assert!(shown[1].ends_with("7, 1, 5, 3]"), "{shown:?}");
        let (x, y) = (
            format!("{}x{}", "é".repeat(400), "é".repeat(400)),
            "é".repeat(900),
        );
        let (shown, place) = parted(&[Some(&x), Some(&y)], &Shape::plain("string"));
        assert_eq!(place, "The answers part after 400 characters.");
        assert_eq!(shown[0].as_ref().unwrap().chars().count(), 144);
    }

    #[test]
    fn short_answers_are_shown_as_they_are() {
        let shape = Shape::plain("u8");
        let (shown, place) = parted(&[Some("1"), Some("2")], &shape);
        assert_eq!(
            (shown, place.as_str()),
            (vec![Some("1".into()), Some("2".into())], "")
        );
        assert_eq!(parted(&[None], &shape), (vec![None], String::new()));
    }
}

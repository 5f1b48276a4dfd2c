//! Choice of the inputs that are timed: those on which not all files fail; and kinds of texts that are timed by
//! themselves, since the ratio of files depends on them.

use crate::bounds::SEARCH_MIN;
use crate::difference_search::{DifferenceSearch, LookResult, seed_of};
use crate::error::CompareError;
use crate::shared_calls::SharedCalls;
use bakeoff_domain::measurement::CaseIndex;
use bakeoff_domain::texts::TextKind;
use bakeoff_render::escape::Plain;

/// The most inputs of each size on which the files are tried, and the fewest with an answer that are worth timing.
const TRIED_MAX: u64 = 128;
const ANSWERED_MIN: usize = 8;

/// Number of inputs of each kind of text.
const INPUTS_OF_EACH_KIND: u64 = 2;

/// Least ratio of the fuel of two files that counts as an order on texts of one kind, beside the opposite order on
/// another kind.
const ORDER_MIN: f64 = 1.1;

/// Least ratio of two files' ratios on texts of two kinds with which these kinds are timed by themselves, where the order
/// of the files is the same on both.
const APART_MIN: f64 = 2.0;

/// Two kinds of texts on which the ratio of two files differs, by fuel.
#[derive(Debug, PartialEq)]
pub(crate) struct TextsApart {
    pub(crate) kinds: [TextKind; 2],
    /// Sentence on the files' fuel.
    pub(crate) sentence: String,
}

/// Inputs of some sizes, on which not all files fail.
pub(crate) struct AnsweredInputs {
    /// Seeds of the inputs, by size.
    pub(crate) seeds: Vec<(u32, Vec<u64>)>,
    /// Number of other inputs that were tried, on which all files fail.
    pub(crate) failing: usize,
    /// Sentence on the inputs that are left out.
    pub(crate) left_out: String,
}

impl DifferenceSearch<'_> {
    /// Looks for inputs of these sizes on which not all files fail; `None` if a size has too few. The inner error is a
    /// difference between the files on one of the inputs.
    pub(crate) async fn answered_inputs(
        &self,
        sizes: &[u32],
    ) -> Result<Result<Option<AnsweredInputs>, LookResult>, CompareError> {
        let fuel = self.lengths().fuel_max();
        let survey = self
            .open(self.timed.clone(), sizes.to_vec(), fuel, &mut |_| ())
            .await?;
        let mut called = SharedCalls::none(self, &survey);
        // The sizes take turns, so that each has its share of the calls if the time ends first.
        let calls: Vec<(CaseIndex, u64)> = (0..TRIED_MAX)
            .flat_map(|input| (0..sizes.len()).map(move |case| (case, input)))
            .map(|(case, input)| (case, seed_of(self.seed, "answered", case, input)))
            .collect();
        let left = self.bounds.time.max(SEARCH_MIN);
        called.make_within(&calls, Some(left)).await?;
        let look = called.look();
        let findings = look.compare();
        if findings.differ.is_some() {
            return Ok(Err(called.verdict(self, &findings).await?));
        }
        let tried = called.calls.len();
        let answered: Vec<usize> = (0..tried).filter(|input| !look.all_fail(*input)).collect();
        let seeds = sizes.iter().enumerate().map(|(of, size)| {
            let of_size = answered.iter().filter_map(|input| {
                let (case, seed) = called.calls[*input];
                (case == of).then_some(seed)
            });
            (*size, of_size.collect::<Vec<u64>>())
        });
        let seeds: Vec<(u32, Vec<u64>)> = seeds.collect();
        let are_enough = seeds.iter().all(|(_, seeds)| seeds.len() >= ANSWERED_MIN);
        Ok(Ok(are_enough.then(|| AnsweredInputs {
            seeds,
            failing: tried - answered.len(),
            left_out: format!(
                " All files fail on {} of {tried} inputs that could be timed: only the {} others are timed.",
                tried - answered.len(),
                answered.len()
            ),
        })))
    }

    /// Returns two kinds of texts on which the ratio of two files differs most, by fuel; `None` if it does not differ
    /// much. The inner error is a difference between the files on one of the inputs.
    pub(crate) async fn texts_apart(
        &self,
        survey: &bakeoff_run::Survey,
        case: CaseIndex,
    ) -> Result<Result<Option<TextsApart>, LookResult>, CompareError> {
        let mut called = SharedCalls::none(self, survey);
        let calls: Vec<(CaseIndex, u64)> = (0..INPUTS_OF_EACH_KIND)
            .flat_map(|input| TextKind::ALL.map(|kind| (kind, input)))
            .map(|(kind, input)| {
                let any = seed_of(self.seed, "texts", case, input);
                (case, kind.seed(any))
            })
            .collect();
        called.make(&calls).await?;
        let look = called.look();
        let findings = look.compare();
        if findings.differ.is_some() {
            return Ok(Err(called.verdict(self, &findings).await?));
        }
        // By kind: the fuel of each file for all its inputs, where each took some.
        let known: Vec<(TextKind, Vec<u64>)> = TextKind::ALL
            .into_iter()
            .enumerate()
            .filter_map(|(place, kind)| {
                let places = (place..calls.len()).step_by(TextKind::ALL.len());
                let fuel = |calls: &&[bakeoff_runner::RepeatedCall]| {
                    let mut fuel = places.clone().map(|place| calls.get(place)?.fuel);
                    fuel.try_fold(0_u64, |sum, fuel| Some(sum.saturating_add(fuel?)))
                };
                let fuels: Option<Vec<u64>> = look.calls.iter().map(fuel).collect();
                Some((kind, fuels?))
            })
            .collect();
        let names: Vec<&str> = self
            .experiment
            .approaches
            .iter()
            .map(|one| &*one.name)
            .collect();
        Ok(Ok(most_apart(&names, &known)))
    }
}

/// Returns the two kinds of texts on which the ratio of two files differs most, by the fuel of each file on texts of
/// each kind. Two files of opposite orders come before others.
fn most_apart(names: &[&str], known: &[(TextKind, Vec<u64>)]) -> Option<TextsApart> {
    let mut found: Option<((bool, f64), TextsApart)> = None;
    for (second, second_name) in names.iter().enumerate() {
        for (first, first_name) in names.iter().enumerate().take(second) {
            let ratios = known.iter().map(|(kind, fuels)| {
                let ratio = fuels[first].max(1) as f64 / fuels[second].max(1) as f64;
                (*kind, ratio)
            });
            let ratios: Vec<(TextKind, f64)> = ratios.collect();
            let by_ratio = |a: &&(TextKind, f64), b: &&(TextKind, f64)| a.1.total_cmp(&b.1);
            let least = ratios.iter().min_by(by_ratio)?;
            let most = ratios.iter().max_by(by_ratio)?;
            let is_opposite = least.1 <= 1.0 / ORDER_MIN && most.1 >= ORDER_MIN;
            let apart = (is_opposite, most.1 / least.1);
            let is_more = found.as_ref().is_none_or(|(known, _)| apart > *known);
            if (is_opposite || apart.1 >= APART_MIN) && is_more {
                let sentence = format!(
                    " Texts of two kinds are timed by themselves, too: by fuel (about one unit for each instruction), {} \
                     takes {:.2} of what {} takes on {}, and {:.2} of it on {}.",
                    Plain(first_name),
                    least.1,
                    Plain(second_name),
                    least.0.words(),
                    most.1,
                    most.0.words(),
                );
                let kinds = [least.0, most.0];
                found = Some((apart, TextsApart { kinds, sentence }));
            }
        }
    }
    found.map(|(_, apart)| apart)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_on_which_the_ratio_of_files_differs_are_timed_by_themselves() {
        let of = |words: u64, scripts: u64| {
            let known = [
                (TextKind::Words, vec![words, 200]),
                (TextKind::Digits, vec![150, 200]),
                (TextKind::Scripts, vec![scripts, 200]),
            ];
            most_apart(&["a", "b"], &known)
        };
        assert_eq!(of(100, 190), None);
        assert_eq!(of(150, 210), None, "an order that says nothing");
        let order = of(150, 230).unwrap();
        assert_eq!(order.kinds, [TextKind::Words, TextKind::Scripts]);
        assert!(
            order.sentence.contains(
                "a takes 0.75 of what b takes on words of ASCII letters, and 1.15 of it on letters of several scripts."
            ),
            "{}",
            order.sentence
        );
        assert!(of(20, 190).is_some(), "one order, and another ratio");
        assert_eq!(most_apart(&["a", "b"], &[]), None);
    }

    #[test]
    fn of_several_files_those_count_whose_order_texts_turn_round() {
        let known = [
            (TextKind::Words, vec![100, 900, 120]),
            (TextKind::Scripts, vec![100, 100, 80]),
        ];
        let found = most_apart(&["a", "b", "c"], &known).unwrap();
        assert!(
            found.sentence.contains("a takes 0.83 of what c takes"),
            "{}",
            found.sentence
        );
    }
}

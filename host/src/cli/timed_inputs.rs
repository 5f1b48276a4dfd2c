//! Choice of the inputs that are timed: those on which not all files fail; and whether the order of files depends on
//! the kind of texts.

use super::called::Called;
use super::effort::SEARCH_MIN;
use super::failure::Failure;
use super::looking::{LookResult, Looking, seed_of};
use bakeoff_domain::measurement::CaseIndex;
use bakeoff_render::escape::Plain;
use bakeoff_source::interface::TextKind;

/// The most inputs of each size on which the files are tried, and the fewest with an answer that are worth timing.
const TRIED_MAX: u64 = 128;
const ANSWERED_MIN: usize = 8;

/// Number of inputs of each kind of text.
const INPUTS_OF_EACH_KIND: u64 = 2;

/// Least ratio of the fuel of two files that counts as an order on texts of one kind, beside the opposite order on
/// another kind.
const ORDER_MIN: f64 = 1.1;

/// Inputs of some sizes, on which not all files fail.
pub(super) struct AnsweredInputs {
    /// Seeds of the inputs, by size.
    pub(super) seeds: Vec<(u32, Vec<u64>)>,
    /// Number of other inputs that were tried, on which all files fail.
    pub(super) failing: usize,
    /// Sentence on the inputs that are left out.
    pub(super) left_out: String,
}

impl Looking<'_> {
    /// Looks for inputs of these sizes on which not all files fail; `None` if a size has too few. The inner error is a
    /// difference between the files on one of the inputs.
    pub(super) async fn answered_inputs(
        &self,
        sizes: &[u32],
    ) -> Result<Result<Option<AnsweredInputs>, LookResult>, Failure> {
        let fuel = self.lengths().fuel_max();
        let survey = self
            .open(self.timed.clone(), sizes.to_vec(), fuel, &mut |_| ())
            .await?;
        let mut called = Called::none(self, &survey);
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

    /// Returns a sentence on two files whose order by fuel on texts of one kind is the opposite of that on another;
    /// empty if there are none. The inner error is a difference between the files on one of the inputs.
    pub(super) async fn order_by_texts(
        &self,
        survey: &bakeoff_run::Survey,
        case: CaseIndex,
    ) -> Result<Result<String, LookResult>, Failure> {
        let mut called = Called::none(self, survey);
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
        Ok(Ok(opposite_orders(&names, &known)))
    }
}

/// Returns a sentence on the first two files of which one takes less fuel than the other on texts of a kind, and more
/// on those of another.
fn opposite_orders(names: &[&str], known: &[(TextKind, Vec<u64>)]) -> String {
    for (second, second_name) in names.iter().enumerate() {
        for (first, first_name) in names.iter().enumerate().take(second) {
            let ratios = known.iter().map(|(kind, fuels)| {
                let ratio = fuels[first] as f64 / (fuels[second] as f64).max(1.0);
                (*kind, ratio)
            });
            let ratios: Vec<(TextKind, f64)> = ratios.collect();
            let by_ratio = |a: &&(TextKind, f64), b: &&(TextKind, f64)| a.1.total_cmp(&b.1);
            let (least, most) = (
                ratios.iter().min_by(by_ratio),
                ratios.iter().max_by(by_ratio),
            );
            if let (Some((least_kind, least)), Some((most_kind, most))) = (least, most)
                && *least <= 1.0 / ORDER_MIN
                && *most >= ORDER_MIN
            {
                return format!(
                    " The order depends on the texts: by fuel (about one unit for each instruction), {} takes {least:.2} \
                     of what {} takes on {}, and {most:.2} of it on {}.",
                    Plain(first_name),
                    Plain(second_name),
                    least_kind.words(),
                    most_kind.words(),
                );
            }
        }
    }
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_that_texts_turn_round_is_told() {
        let of = |scripts: u64| {
            let known = [
                (TextKind::Words, vec![100, 200]),
                (TextKind::Scripts, vec![scripts, 200]),
            ];
            opposite_orders(&["a", "b"], &known)
        };
        assert_eq!(of(190), "");
        assert_eq!(of(210), "", "a difference that says nothing");
        let told = of(400);
        assert!(told.contains("a takes 0.50 of what b takes on words of ASCII letters, and 2.00 of it on letters of several scripts."), "{told}");
        assert_eq!(opposite_orders(&["a", "b"], &[]), "");
    }
}

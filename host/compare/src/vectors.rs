//! Test whether a verdict hangs on vectors: the fuel of the files with WebAssembly's simd128 and without.

use crate::bounds::SearchBounds;
use crate::derived::Derived;
use crate::difference_search::{DifferenceSearch, seed_of};
use crate::error::CompareError;
use crate::shared_calls::SharedCalls;
use bakeoff_domain::measurement::CaseIndex;
use bakeoff_domain::report::Report;
use bakeoff_domain::simd::Simd;
use bakeoff_domain::spec::{Approach, Code, Experiment, Inputs};
use bakeoff_domain::variant;
use bakeoff_render::escape::Plain;

/// Number of inputs on which fuel is counted.
const INPUTS: u64 = 4;

/// Least ratio of the fuel of two files that counts as an order, beside the opposite order without vectors.
const ORDER_MIN: f64 = 1.1;

/// Fuel of each file, with vectors and without.
struct Fuel {
    with: Vec<u64>,
    without: Vec<u64>,
}

impl Derived {
    /// Returns a sentence on the verdict of a run, if that may be another one without vectors: by the fuel of the
    /// files.
    ///
    /// # Errors
    /// Something failed that does not depend on the approaches.
    pub(crate) async fn hangs_on_vectors(
        &self,
        report: &Report,
        experiment: Experiment,
    ) -> Result<Option<String>, CompareError> {
        let winner = report.recommendation.ahead();
        let variants = variant::declare(&experiment.approaches);
        let place = variants
            .iter()
            .position(|variant| Some(variant.id.as_str()) == winner);
        let is_source = |one: &Approach| matches!(one.code, Code::Source(_));
        let any_source = experiment.approaches.iter().any(is_source);
        let sizes = match &experiment.workload.inputs {
            Inputs::Generated { sizes, .. } => sizes.clone(),
            _ => Vec::new(),
        };
        let Some(place) = place.filter(|_| any_source && !sizes.is_empty()) else {
            return Ok(None);
        };
        let (bounds, seed) = (SearchBounds::default(), report.experiment.seed);
        let looking = self.looking(experiment, seed, bounds);
        looking.hangs_on_vectors(place, &sizes).await
    }
}

impl DifferenceSearch<'_> {
    /// Returns a sentence if the file at index `winner` takes less fuel than another one with vectors and more without,
    /// or the other way round. Inputs have the first of these sizes.
    pub(crate) async fn hangs_on_vectors(
        &self,
        winner: usize,
        sizes: &[u32],
    ) -> Result<Option<String>, CompareError> {
        let Some(with) = self.fuel(Simd::On, sizes).await? else {
            return Ok(None);
        };
        let Some(without) = self.fuel(Simd::Off, sizes).await? else {
            return Ok(None);
        };
        let approaches = self.experiment.approaches.iter();
        let names: Vec<&str> = approaches.map(|one| &*one.name).collect();
        Ok(opposite_orders(winner, &names, &Fuel { with, without }))
    }

    /// Returns the fuel of each file, for some inputs together; `None` if the fuel of a file is not known.
    async fn fuel(&self, simd: Simd, sizes: &[u32]) -> Result<Option<Vec<u64>>, CompareError> {
        let experiment = Experiment {
            simd,
            ..self.experiment.clone()
        };
        let fuel = self.lengths().fuel_max();
        let inputs = Inputs::Generated {
            code: Code::Source(self.timed.clone()),
            sizes: sizes[..1].to_vec(),
            texts: Vec::new(),
        };
        let survey = self.open_as(experiment, inputs, fuel, &mut |_| ()).await?;
        let mut called = SharedCalls::none(self, &survey);
        let calls = (0..INPUTS).map(|input| (0, seed_of(self.seed, "vectors", 0, input)));
        let calls: Vec<(CaseIndex, u64)> = calls.collect();
        called.make(&calls).await?;
        let look = called.look();
        let fuel = look.calls.iter().map(|calls| {
            let mut fuel = calls.iter().map(|call| call.fuel);
            let all = fuel.try_fold(0_u64, |sum, fuel| Some(sum.saturating_add(fuel?)))?;
            (!calls.is_empty()).then_some(all)
        });
        Ok(fuel.collect())
    }
}

/// Returns a sentence on the first file whose order to the winner is the opposite without vectors.
fn opposite_orders(winner: usize, names: &[&str], fuel: &Fuel) -> Option<String> {
    let ratio = |fuel: &[u64], other: usize| {
        let (own, other) = (*fuel.get(winner)?, *fuel.get(other)?);
        Some(own as f64 / (other as f64).max(1.0))
    };
    let mut others = (0..names.len()).filter(|other| *other != winner);
    others.find_map(|other| {
        let (with, without) = (ratio(&fuel.with, other)?, ratio(&fuel.without, other)?);
        let is_less = |ratio: f64| ratio <= 1.0 / ORDER_MIN;
        let is_more = |ratio: f64| ratio >= ORDER_MIN;
        let flips = (is_less(with) && is_more(without)) || (is_more(with) && is_less(without));
        flips.then(|| {
            format!(
                "The order may hang on vectors of 128 bits: by fuel (about one unit for each instruction), {} takes \
                 {with:.2} of what {} takes with them, and {without:.2} of it without (--no-simd).",
                Plain(names.get(winner).unwrap_or(&"")),
                Plain(names[other]),
            )
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_that_vectors_turn_round_is_told() {
        let of = |without: [u64; 2]| {
            let fuel = Fuel {
                with: vec![100, 200],
                without: without.into(),
            };
            opposite_orders(0, &["a", "b"], &fuel)
        };
        assert_eq!(of([150, 200]), None);
        assert_eq!(of([205, 200]), None, "a difference that says nothing");
        let told = of([300, 200]).unwrap();
        assert!(
            told.contains("a takes 0.50 of what b takes with them, and 1.50 of it without"),
            "{told}"
        );
    }
}

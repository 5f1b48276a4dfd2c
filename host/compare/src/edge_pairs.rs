//! Inputs of functions of several numbers that are all edge values: a difference may show only where two of them meet, as
//! the smallest number and -1 in a division, and few of the inputs that are drawn have both.

use crate::bounds::SEARCH_MIN;
use crate::difference_search::DifferenceSearch;
use crate::error::CompareError;
use crate::examples::Origin;
use bakeoff_render::UntimedComparison;
use bakeoff_run::Survey;
use bakeoff_source::interface::{EDGE_VALUES, Literal, Shape, edge_values};
use std::time::Instant;

impl DifferenceSearch<'_> {
    /// Calls all approaches on edge values of their parameters, if these are several numbers. Returns the disagreement;
    /// `None` if there is none.
    ///
    /// # Errors
    /// An approach does not build, or something failed that does not depend on the approaches.
    pub(crate) async fn differ_on_edges(
        &self,
        survey: &Survey,
    ) -> Result<Option<UntimedComparison>, CompareError> {
        let parameters = &self.found.signature().parameters;
        let shapes: Vec<&Shape> = parameters.iter().map(|(_, shape)| shape).collect();
        let origin = Origin {
            inputs: edge_pairs(&shapes),
            differ: |count, all| {
                format!(
                    "They differ on {count} of {all} inputs of the smallest and largest numbers and those around 0"
                )
            },
        };
        // Slow functions have taken all the time by now, and these are few.
        let left = self.bounds.time.saturating_sub(self.spent());
        let started = Instant::now();
        let tried = self
            .try_origins(survey, &[origin], left.max(SEARCH_MIN))
            .await;
        self.add_spent(started);
        let Some(tried) = tried? else {
            return Ok(None);
        };
        Ok(match tried.difference {
            Some(difference) => Some(self.simplest(survey, difference, &tried.sentence).await),
            None => None,
        })
    }
}

/// Returns arguments in which any two of up to eight parameters have each pair of their edge values once; none unless
/// there are several parameters, all of them numbers.
fn edge_pairs(shapes: &[&Shape]) -> Vec<Vec<Literal>> {
    let edges: Option<Vec<_>> = shapes.iter().map(|shape| edge_values(shape)).collect();
    let Some(edges) = edges.filter(|edges| edges.len() > 1) else {
        return Vec::new();
    };
    let mut inputs = Vec::with_capacity(EDGE_VALUES * EDGE_VALUES);
    for first in 0..EDGE_VALUES {
        for second in 0..EDGE_VALUES {
            let values = edges.iter().enumerate().map(|(place, values)| {
                // A line of its own slope for each parameter: two of them meet once, since the number of values is prime.
                let value = match place % (EDGE_VALUES + 1) {
                    0 => first,
                    slope => (slope * first + second) % EDGE_VALUES,
                };
                values[value].clone()
            });
            inputs.push(values.collect());
        }
    }
    inputs
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_source::interface::written_call;
    use std::collections::BTreeSet;

    #[test]
    fn any_two_parameters_have_each_pair_of_edge_values() {
        let shape = Shape::plain("s32");
        for count in 2..=EDGE_VALUES + 1 {
            let inputs = edge_pairs(&vec![&shape; count]);
            assert_eq!(inputs.len(), 49);
            for other in 1..count {
                for one in 0..other {
                    let pair = |input: &Vec<Literal>| {
                        written_call("", &[input[one].clone(), input[other].clone()])
                    };
                    let pairs: BTreeSet<String> = inputs.iter().map(pair).collect();
                    assert_eq!(pairs.len(), 49, "{one} and {other} of {count}");
                    assert!(pairs.contains("(-2147483648, -1)"));
                }
            }
        }
        assert_eq!(edge_pairs(&[&shape; 20]).len(), 49);
    }

    #[test]
    fn functions_of_one_number_or_of_other_values_have_none() {
        let (number, text) = (Shape::plain("u8"), Shape::plain("string"));
        for shapes in [&[][..], &[&number], &[&number, &text]] {
            assert!(edge_pairs(shapes).is_empty());
        }
    }
}

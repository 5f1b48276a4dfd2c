//! The scale of past values, by which a new value is standardised.

/// The median absolute deviation from the median of all values so far, in linear time for each.
#[derive(Clone, Debug, Default)]
pub struct PastScale {
    sorted: Vec<f64>,
}

impl PastScale {
    /// Adds a value.
    pub fn push(&mut self, value: f64) {
        let place = self.sorted.partition_point(|known| *known < value);
        self.sorted.insert(place, value);
    }

    /// median |D_i − median D| over the values so far; `None` before the first.
    ///
    /// The deviations grow in both directions from the middle of the sorted values, so they come
    /// out in order by merging the two sides, without sorting again.
    pub fn value(&self) -> Option<f64> {
        let count = self.sorted.len();
        if count == 0 {
            return None;
        }
        let (lower, upper) = (self.sorted[(count - 1) / 2], self.sorted[count / 2]);
        let middle = 0.5 * (lower + upper);
        let mut left = count / 2;
        let mut right = count / 2;
        let mut nearest = [0.0; 2];
        for _ in 0..count / 2 + 1 {
            let below = left.checked_sub(1).map(|place| middle - self.sorted[place]);
            let above = self.sorted.get(right).map(|value| value - middle);
            let next = match (below, above) {
                (Some(below), Some(above)) if below < above => {
                    left -= 1;
                    below
                }
                (Some(below), None) => {
                    left -= 1;
                    below
                }
                (_, Some(above)) => {
                    right += 1;
                    above
                }
                (None, None) => break,
            };
            nearest = [nearest[1], next];
        }
        let [before, last] = nearest;
        Some(if count % 2 == 1 {
            last
        } else {
            0.5 * (before + last)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::median;
    use proptest::prelude::*;

    /// The same by its definition.
    fn deviation(values: &[f64]) -> Option<f64> {
        let middle = median(&mut values.to_vec())?;
        let mut deviations: Vec<f64> = values.iter().map(|value| (value - middle).abs()).collect();
        median(&mut deviations)
    }

    proptest! {
        #[test]
        fn merging_gives_what_the_definition_says(
            values in prop::collection::vec(-10i32..10, 1..40),
        ) {
            let values: Vec<f64> = values.into_iter().map(f64::from).collect();
            let mut scale = PastScale::default();
            for (place, value) in values.iter().enumerate() {
                scale.push(*value);
                prop_assert_eq!(scale.value(), deviation(&values[..=place]));
            }
        }
    }
}

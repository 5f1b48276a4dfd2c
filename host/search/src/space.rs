//! The values of an approach's parameters as points of a grid.

use bakeoff_domain::spec::Parameter;
use std::collections::BTreeMap;

/// The values of the parameters of a program, by name.
pub type Values = BTreeMap<String, String>;

/// A point: for each parameter, the index of a value.
pub(crate) type Point = Vec<usize>;

/// The grid of an approach's parameters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Space<'a>(pub(crate) &'a [Parameter]);

impl Space<'_> {
    /// Returns the number of values of each parameter.
    pub(crate) fn sizes(self) -> Vec<usize> {
        self.0.iter().map(|one| one.values.len()).collect()
    }

    /// Returns the number of points; as many as can be counted.
    pub(crate) fn points(self) -> usize {
        let sizes = self.0.iter().map(|one| one.values.len());
        sizes.fold(1, usize::saturating_mul)
    }

    /// Returns the values at a point.
    pub(crate) fn values(self, point: &[usize]) -> Values {
        let named = self.0.iter().zip(point).filter_map(|(one, index)| {
            let value = one.values.get(*index)?;
            Some((one.name.clone(), value.clone()))
        });
        named.collect()
    }

    /// Returns the point that has these values; `None` if it is not on the grid.
    pub(crate) fn point(self, values: &Values) -> Option<Point> {
        let index = |one: &Parameter| {
            let value = values.get(&one.name)?;
            one.values.iter().position(|other| other == value)
        };
        self.0.iter().map(index).collect()
    }

    /// Returns the difference of two points in words: `rsi 70 → 75`.
    pub(crate) fn change(self, from: &[usize], to: &[usize]) -> String {
        let mut words = Vec::new();
        for (one, (from, to)) in self.0.iter().zip(from.iter().zip(to)) {
            if let (true, Some(old), Some(new)) =
                (from != to, one.values.get(*from), one.values.get(*to))
            {
                words.push(format!("{} {old} → {new}", one.name));
            }
        }
        words.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_have_values_and_values_points() {
        let parameter = |name: &str, values: &[&str]| Parameter {
            name: name.to_owned(),
            values: values.iter().map(ToString::to_string).collect(),
        };
        let parameters = [
            parameter("a", &["1", "2", "3"]),
            parameter("b", &["x", "y"]),
        ];
        let space = Space(&parameters);
        assert_eq!((space.sizes(), space.points()), (vec![3, 2], 6));
        let values = space.values(&[2, 0]);
        assert_eq!(space.point(&values), Some(vec![2, 0]));
        assert_eq!(space.change(&[0, 0], &[2, 1]), "a 1 → 3, b x → y");
        assert_eq!(space.change(&[0, 0], &[0, 1]), "b x → y");
        let strange = Values::from([("a".to_owned(), "9".to_owned())]);
        assert_eq!(space.point(&strange), None);
    }
}

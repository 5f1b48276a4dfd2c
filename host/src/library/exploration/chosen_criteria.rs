//! Criteria that the user chooses for an experiment that is written.

use super::new_criteria::CriteriaOrigin;
use crate::library::user_files::{NamedFileError, read_told};
use bakeoff_config::{CRITERIA_MAX, ConfigError};
use bakeoff_domain::spec::Criterion;
use bakeoff_propose::{NEW_CRITERIA, new_criterion};
use bakeoff_source::content_address;
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// Weights that a criterion may have.
pub(crate) const WEIGHTS: RangeInclusive<f64> = 0.0..=1e6;

/// Criteria of the user's choice: listed by name and weight, or in a file.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChosenCriteria {
    pub(crate) listed: Vec<(String, f64)>,
    pub(crate) file: Option<PathBuf>,
}

/// The reason why criteria cannot be used.
#[derive(Debug)]
pub(crate) enum CriteriaError {
    /// No criterion that is measured has this name.
    NotMeasured(String),
    /// A criterion is listed twice.
    Twice(String),
    /// The weight of a criterion is none.
    Weight(String),
    /// All weights are 0.
    NoneCounts,
    /// There are listed criteria, and a file of others.
    ListedAndInFile,
    /// A file has criteria that are measured, and nothing is.
    FileInWords,
    /// More criteria than an experiment can have are listed: so many.
    TooMany(usize),
    /// The file of criteria cannot be read.
    File(NamedFileError),
    /// The file of criteria has none that can be used.
    Config(ConfigError),
}

impl From<NamedFileError> for CriteriaError {
    fn from(error: NamedFileError) -> Self {
        Self::File(error)
    }
}

impl From<ConfigError> for CriteriaError {
    fn from(error: ConfigError) -> Self {
        Self::Config(error)
    }
}

/// Returns the names of the criteria that every experiment can have.
pub(crate) fn measured_names() -> String {
    NEW_CRITERIA.map(|(name, _)| name).join(", ")
}

/// Returns a criterion that is measured, by its name.
fn measured((name, weight): &(String, f64)) -> Result<Criterion, CriteriaError> {
    new_criterion(name, *weight).ok_or_else(|| CriteriaError::NotMeasured(name.clone()))
}

impl ChosenCriteria {
    /// Returns true if none are chosen.
    pub(crate) fn is_empty(&self) -> bool {
        self.listed.is_empty() && self.file.is_none()
    }

    /// Returns the criteria; `None` if none are chosen. Messages call the file by the name of the `option` that names it.
    ///
    /// # Errors
    /// One is no criterion or listed twice, or none counts, or the file of criteria cannot be used.
    pub(crate) fn decided(
        &self,
        option: &str,
    ) -> Result<Option<(CriteriaOrigin, Vec<Criterion>)>, CriteriaError> {
        if let Some(file) = &self.file {
            if !self.listed.is_empty() {
                return Err(CriteriaError::ListedAndInFile);
            }
            let text = read_told(option, file)?;
            let name = file.display().to_string();
            let criteria = bakeoff_config::parse_criteria(&text, &name)?;
            return Ok(Some((CriteriaOrigin::User, criteria)));
        }
        if self.listed.is_empty() {
            return Ok(None);
        }
        self.check()?;
        let listed: Result<Vec<Criterion>, CriteriaError> =
            self.listed.iter().map(measured).collect();
        Ok(Some((CriteriaOrigin::User, listed?)))
    }

    /// Returns the criteria of a question in words with their weights; none leaves them to the model.
    ///
    /// # Errors
    /// One is listed twice, there are too many, or none counts; or a file has criteria, which are measured.
    pub(super) fn in_words(&self) -> Result<Vec<(String, f64)>, CriteriaError> {
        if self.file.is_some() {
            return Err(CriteriaError::FileInWords);
        }
        if self.listed.len() > CRITERIA_MAX {
            return Err(CriteriaError::TooMany(self.listed.len()));
        }
        if !self.listed.is_empty() {
            self.check()?;
        }
        Ok(self.listed.clone())
    }

    /// Refuses listed criteria that cannot be told apart or do not count.
    ///
    /// # Errors
    /// One is listed twice or has a weight that is none, or none counts.
    fn check(&self) -> Result<(), CriteriaError> {
        for (place, (name, weight)) in self.listed.iter().enumerate() {
            if self.listed[..place].iter().any(|(other, _)| other == name) {
                return Err(CriteriaError::Twice(name.clone()));
            }
            if !WEIGHTS.contains(weight) {
                return Err(CriteriaError::Weight(name.clone()));
            }
        }
        if self.listed.iter().all(|(_, weight)| *weight == 0.0) {
            return Err(CriteriaError::NoneCounts);
        }
        Ok(())
    }

    /// Returns a text that identifies the criteria; empty if none are chosen.
    pub(crate) fn identity(&self) -> String {
        if self.file.is_some() {
            let decided = self.decided("").ok().flatten();
            let text = decided.map(|(_, criteria)| bakeoff_config::criteria_text(&criteria));
            let digest = content_address(text.unwrap_or_default().as_bytes());
            return format!(", criteria {digest}");
        }
        let listed = self.listed.iter();
        let listed = listed.map(|(name, weight)| format!(", criterion {name}={weight}"));
        listed.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(all: &[(&str, f64)]) -> ChosenCriteria {
        let all = all
            .iter()
            .map(|(name, weight)| ((*name).to_owned(), *weight));
        ChosenCriteria {
            listed: all.collect(),
            file: None,
        }
    }

    #[test]
    fn listed_criteria_are_known_count_and_are_told_apart() {
        let decided = |all: &[(&str, f64)]| listed(all).decided("");
        let (origin, criteria) = decided(&[("memory", 2.0), ("size", 1.0)]).unwrap().unwrap();
        assert_eq!(origin, CriteriaOrigin::User);
        let criteria: Vec<(String, f64)> = criteria
            .iter()
            .map(|one| (one.source.name(), one.weight))
            .collect();
        let expected = [("peak-memory", 2.0), ("component-size", 1.0)];
        assert_eq!(
            criteria,
            expected.map(|(from, weight)| (from.to_owned(), weight))
        );
        assert_eq!(decided(&[]).unwrap(), None);
        assert!(listed(&[]).is_empty() && listed(&[]).identity().is_empty());
        let refused = |all: &[(&str, f64)]| decided(all).unwrap_err();
        assert!(matches!(
            refused(&[("memory", 1.0), ("memory", 2.0)]),
            CriteriaError::Twice(_)
        ));
        assert!(matches!(
            refused(&[("memory", 0.0)]),
            CriteriaError::NoneCounts
        ));
        assert!(matches!(
            refused(&[("speed", 1.0)]),
            CriteriaError::NotMeasured(_)
        ));
        for weight in [f64::NAN, f64::INFINITY, -1.0] {
            let wrong = refused(&[("memory", weight)]);
            assert!(matches!(wrong, CriteriaError::Weight(_)), "{weight}");
        }
        let both = ChosenCriteria {
            file: Some("criteria.toml".into()),
            ..listed(&[("memory", 1.0)])
        };
        assert!(matches!(
            both.decided(""),
            Err(CriteriaError::ListedAndInFile)
        ));
    }

    #[test]
    fn criteria_in_words_have_any_name_and_count() {
        let speed = [("speed", 2.0)];
        let in_words = listed(&speed).in_words().unwrap();
        assert_eq!(
            in_words,
            speed.map(|(name, weight)| (name.to_owned(), weight))
        );
        assert_eq!(listed(&[]).in_words().unwrap(), []);
        for wrong in [&[("speed", 2.0), ("speed", 1.0)][..], &[("speed", 0.0)]] {
            assert!(listed(wrong).in_words().is_err(), "{wrong:?}");
        }
        let many: Vec<String> = (0..=CRITERIA_MAX)
            .map(|number| number.to_string())
            .collect();
        let many: Vec<(&str, f64)> = many.iter().map(|name| (name.as_str(), 1.0)).collect();
        assert!(matches!(
            listed(&many).in_words(),
            Err(CriteriaError::TooMany(_))
        ));
        let in_file = ChosenCriteria {
            listed: Vec::new(),
            file: Some("criteria.toml".into()),
        };
        assert!(matches!(
            in_file.in_words(),
            Err(CriteriaError::FileInWords)
        ));
    }
}

//! The options of `bakeoff explore` on what counts in the experiment that is written.

use super::failure::Failure;
use crate::library::exploration::{ChosenCriteria, CriteriaError, WEIGHTS, measured_names};
use bakeoff_domain::is_active;
use bakeoff_render::escape::Plain;
use clap::Args;
use std::path::PathBuf;

/// The option of a file of criteria.
pub(super) const CRITERIA: &str = "--criteria";

/// The reason why a weight is none.
const NO_WEIGHT: &str = "its weight is no number from 0 to 1000000";

/// Criteria of an experiment that is written.
#[derive(Debug, Args)]
pub(super) struct CriteriaOptions {
    /// A criterion, and how much it counts: performance=1; repeated for each. Others are memory, simplicity, wall, fuel, size,
    /// cold-start and build-time; with --opinion any name of yours. Without any, the plan proposes some
    #[arg(long = "criterion", value_name = "NAME=WEIGHT", value_parser = criterion)]
    listed: Vec<(String, f64)>,
    /// A file of criteria, as tables [[criterion]]: examples/criteria has sets for usual domains
    #[arg(long = "criteria", value_name = "FILE", conflicts_with = "listed")]
    file: Option<PathBuf>,
}

/// Parses the name of a criterion and its weight.
fn criterion(text: &str) -> Result<(String, f64), String> {
    let (name, weight) = text.split_once('=').unwrap_or((text, "1"));
    let chars = name.chars().count();
    let is_shown = !name.chars().any(is_active) && !name.trim().is_empty();
    if !is_shown || chars > bakeoff_config::NAME_CHARS_MAX {
        return Err("it does not begin with a name: write NAME=WEIGHT".to_owned());
    }
    let weight = weight.parse::<f64>().ok();
    let weight = weight.filter(|weight| WEIGHTS.contains(weight));
    let weight = weight.ok_or(NO_WEIGHT)?;
    Ok((name.to_owned(), weight))
}

impl CriteriaOptions {
    /// Returns the criteria as the library has them.
    pub(super) fn chosen(&self) -> ChosenCriteria {
        ChosenCriteria {
            listed: self.listed.clone(),
            file: self.file.clone(),
        }
    }
}

/// The messages name the options.
impl From<CriteriaError> for Failure {
    fn from(error: CriteriaError) -> Self {
        match error {
            CriteriaError::NotMeasured(name) => Self::usage(format!(
                "--criterion {}: what is measured is one of {}; other names are for --opinion",
                Plain(&name),
                measured_names()
            )),
            CriteriaError::Twice(name) => {
                Self::usage(format!("--criterion {} is given twice", Plain(&name)))
            }
            CriteriaError::Weight(name) => {
                Self::usage(format!("--criterion {}: {NO_WEIGHT}", Plain(&name)))
            }
            CriteriaError::NoneCounts => Self::usage(
                "all criteria have the weight 0: give one that counts, --criterion performance=1",
            ),
            CriteriaError::ListedAndInFile => {
                Self::usage("--criterion and --criteria do not go together: give one of the two")
            }
            CriteriaError::FileInWords => Self::usage(
                "--criteria is a file of criteria that are measured, and with --opinion nothing is: name what counts \
                 with --criterion NAME=WEIGHT",
            ),
            CriteriaError::TooMany(count) => Self::usage(format!(
                "--criterion is given {count} times, and {} are the most",
                bakeoff_config::CRITERIA_MAX
            )),
            CriteriaError::File(error) => error.into(),
            CriteriaError::Config(error) => error.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn criteria_are_names_with_weights() {
        let read = |texts: &[&str]| {
            let listed = texts.iter().map(|text| criterion(text));
            CriteriaOptions {
                listed: listed.collect::<Result<_, _>>().unwrap(),
                file: None,
            }
        };
        let expected = [("memory", 2.0), ("size", 1.0)];
        let expected = expected.map(|(name, weight)| (name.to_owned(), weight));
        assert_eq!(read(&["memory=2", "size"]).chosen().listed, expected);
        assert!(read(&[]).chosen().is_empty());
        let refused = |texts: &[&str]| {
            let decided = read(texts).chosen().decided(CRITERIA);
            Failure::from(decided.unwrap_err()).text()
        };
        for (texts, part) in [
            (
                &["memory=1", "memory=2"][..],
                "--criterion memory is given twice",
            ),
            (&["memory=0"], "--criterion performance=1"),
            (&["speed=1"], "other names are for --opinion"),
        ] {
            let message = refused(texts);
            assert!(message.contains(part), "{part}: {message}");
        }
        for wrong in ["a\u{1b}", "memory=x", "memory=-1", "memory=inf", ""] {
            assert!(criterion(wrong).is_err(), "{wrong}");
        }
    }
}

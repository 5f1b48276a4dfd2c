//! The options of `bakeoff explore` on what counts in the experiment that is written.

use super::failure::Failure;
use super::new_criteria::CriteriaOrigin;
use crate::library::told::read_told;
use bakeoff_domain::is_active;
use bakeoff_domain::spec::Criterion;
use bakeoff_propose::{NEW_CRITERIA, new_criterion};
use bakeoff_render::escape::Plain;
use bakeoff_source::content_address;
use clap::Args;
use std::path::PathBuf;

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
    let weight = weight.filter(|weight| weight.is_finite() && (0.0..=1e6).contains(weight));
    let weight = weight.ok_or("its weight is no number from 0 to 1000000")?;
    Ok((name.to_owned(), weight))
}

/// Returns a criterion that is measured, by its name.
fn measured((name, weight): &(String, f64)) -> Result<Criterion, Failure> {
    new_criterion(name, *weight).ok_or_else(|| {
        let names: Vec<&str> = NEW_CRITERIA.iter().map(|(name, _)| *name).collect();
        Failure::usage(format!(
            "--criterion {}: what is measured is one of {}; other names are for --opinion",
            Plain(name),
            names.join(", ")
        ))
    })
}

impl CriteriaOptions {
    /// Returns the criteria that the user gave; `None` if that are none.
    ///
    /// # Errors
    /// One is named twice, or none counts, or the file of criteria cannot be used.
    pub(super) fn decided(&self) -> Result<Option<(CriteriaOrigin, Vec<Criterion>)>, Failure> {
        if let Some(file) = &self.file {
            let text = read_told("--criteria", file)?;
            let name = file.display().to_string();
            let criteria = bakeoff_config::parse_criteria(&text, &name)?;
            return Ok(Some((CriteriaOrigin::User, criteria)));
        }
        if self.listed.is_empty() {
            return Ok(None);
        }
        self.check()?;
        let listed: Result<Vec<Criterion>, Failure> = self.listed.iter().map(measured).collect();
        Ok(Some((CriteriaOrigin::User, listed?)))
    }

    /// Returns the criteria of a question in words with their weights; none leaves them to the model.
    ///
    /// # Errors
    /// One is named twice, there are too many, or none counts; or a file has criteria, which are measured.
    pub(super) fn in_words(&self) -> Result<Vec<(String, f64)>, Failure> {
        if self.file.is_some() {
            return Err(Failure::usage(
                "--criteria is a file of criteria that are measured, and with --opinion nothing is: name what counts \
                 with --criterion NAME=WEIGHT",
            ));
        }
        if self.listed.len() > bakeoff_config::CRITERIA_MAX {
            return Err(Failure::usage(format!(
                "--criterion is given {} times, and {} are the most",
                self.listed.len(),
                bakeoff_config::CRITERIA_MAX
            )));
        }
        if !self.listed.is_empty() {
            self.check()?;
        }
        Ok(self.listed.clone())
    }

    fn check(&self) -> Result<(), Failure> {
        for (place, (name, _)) in self.listed.iter().enumerate() {
            if self.listed[..place].iter().any(|(other, _)| other == name) {
                return Err(Failure::usage(format!(
                    "--criterion {} is given twice",
                    Plain(name)
                )));
            }
        }
        if self.listed.iter().all(|(_, weight)| *weight == 0.0) {
            return Err(Failure::usage(
                "all criteria have the weight 0: give one that counts, --criterion performance=1",
            ));
        }
        Ok(())
    }

    /// Returns a text that identifies the criteria; empty if none are given.
    pub(super) fn identity(&self) -> String {
        if self.file.is_some() {
            let decided = self.decided().ok().flatten();
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

    #[test]
    fn criteria_are_known_names_with_weights() {
        let read = |texts: &[&str]| {
            let listed = texts.iter().map(|text| criterion(text));
            CriteriaOptions {
                listed: listed.collect::<Result<_, _>>().unwrap(),
                file: None,
            }
        };
        let (_, decided) = read(&["memory=2", "size"]).decided().unwrap().unwrap();
        let decided: Vec<(String, f64)> = decided
            .iter()
            .map(|one| (one.source.name(), one.weight))
            .collect();
        let expected = [("peak-memory", 2.0), ("component-size", 1.0)];
        assert_eq!(
            decided,
            expected.map(|(from, weight)| (from.to_owned(), weight))
        );
        assert_eq!(read(&[]).decided().unwrap(), None);
        assert!(read(&["memory=1", "memory=2"]).decided().is_err());
        assert!(read(&["memory=0"]).decided().is_err());
        assert!(read(&["speed=1"]).decided().is_err());
        let speed = [("speed".to_owned(), 2.0)];
        assert_eq!(read(&["speed=2"]).in_words().unwrap(), speed);
        assert!(read(&["speed=2", "speed"]).in_words().is_err());
        assert!(read(&["speed=0"]).in_words().is_err());
        assert_eq!(read(&[]).in_words().unwrap(), []);
        for wrong in ["a\u{1b}", "memory=x", "memory=-1", "memory=inf", ""] {
            assert!(criterion(wrong).is_err(), "{wrong}");
        }
    }
}

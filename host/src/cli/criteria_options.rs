//! The options of `bakeoff explore` on what counts in the experiment that is written.

use super::failure::Failure;
use super::new_criteria::CriteriaOrigin;
use super::told::read_text;
use bakeoff_domain::spec::Criterion;
use bakeoff_propose::{NEW_CRITERIA, new_criterion};
use bakeoff_source::content_address;
use clap::Args;
use std::path::PathBuf;

/// Criteria of an experiment that is written.
#[derive(Debug, Args)]
pub(super) struct CriteriaOptions {
    /// A criterion, and how much it counts: performance=1; repeated for each. Others are memory, simplicity, wall, fuel, size,
    /// cold-start and build-time. Without any, the plan proposes some
    #[arg(long = "criterion", value_name = "NAME=WEIGHT", value_parser = criterion)]
    listed: Vec<Criterion>,
    /// A file of criteria, as tables [[criterion]]: examples/criteria has sets for usual domains
    #[arg(long = "criteria", value_name = "FILE", conflicts_with = "listed")]
    file: Option<PathBuf>,
}

fn criterion(text: &str) -> Result<Criterion, String> {
    let (name, weight) = text.split_once('=').unwrap_or((text, "1"));
    let weight = weight.parse::<f64>().ok();
    let weight = weight.filter(|weight| weight.is_finite() && (0.0..=1e6).contains(weight));
    let criterion = new_criterion(name, weight.unwrap_or_default()).ok_or_else(|| {
        let names: Vec<&str> = NEW_CRITERIA.iter().map(|(name, _)| *name).collect();
        format!("it begins with none of: {}", names.join(", "))
    })?;
    match weight {
        Some(_) => Ok(criterion),
        None => Err("its weight is no number from 0 to 1000000".to_owned()),
    }
}

impl CriteriaOptions {
    /// Returns the criteria that the user gave; `None` if that are none.
    ///
    /// # Errors
    /// One is named twice, or none counts, or the file of criteria cannot be used.
    pub(super) fn decided(&self) -> Result<Option<(CriteriaOrigin, Vec<Criterion>)>, Failure> {
        if let Some(file) = &self.file {
            let text = read_text("--criteria", file)?;
            let name = file.display().to_string();
            let criteria = bakeoff_config::parse_criteria(&text, &name)?;
            return Ok(Some((CriteriaOrigin::User, criteria)));
        }
        if self.listed.is_empty() {
            return Ok(None);
        }
        for (place, one) in self.listed.iter().enumerate() {
            if self.listed[..place]
                .iter()
                .any(|other| other.name == one.name)
            {
                return Err(Failure::usage(format!(
                    "--criterion {} is given twice",
                    one.name
                )));
            }
        }
        if self.listed.iter().all(|one| one.weight == 0.0) {
            return Err(Failure::usage(
                "all criteria have the weight 0: give one that counts, --criterion performance=1",
            ));
        }
        Ok(Some((CriteriaOrigin::User, self.listed.clone())))
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
        let listed = listed.map(|one| format!(", criterion {}={}", one.name, one.weight));
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
        for wrong in ["speed", "memory=x", "memory=-1", "memory=inf", ""] {
            assert!(criterion(wrong).is_err(), "{wrong}");
        }
    }
}

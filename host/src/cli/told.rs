//! Files that a model is told beside the problem, and criteria of an experiment that is written.

use super::failure::Failure;
use bakeoff_files::read_bounded;
use bakeoff_propose::WantedCriterion;
use bakeoff_render::escape::Plain;
use clap::Args;
use std::path::{Path, PathBuf};

/// The largest file that is told, in bytes.
const FILE_BYTES_MAX: u64 = 64 << 10;
/// The most files that are told.
const FILES_MAX: usize = 8;

/// Files that a model is told with the problem.
#[derive(Debug, Args)]
pub(super) struct Context {
    /// A file that the model is told with the problem: notes, code it has to fit. Repeated for each
    #[arg(id = "context", long, value_name = "FILE")]
    files: Vec<PathBuf>,
}

impl Context {
    /// Reads the files: the name of each, and its text.
    ///
    /// # Errors
    /// A file cannot be read, is no text, or is too large, or there are too many.
    pub(super) fn read(&self) -> Result<Vec<(String, String)>, Failure> {
        if self.files.len() > FILES_MAX {
            return Err(Failure::usage(format!(
                "--context is given {} times, and {FILES_MAX} files are told at most",
                self.files.len()
            )));
        }
        self.files.iter().map(|file| read(file)).collect()
    }

    /// Returns a text that identifies the files; empty if there are none.
    pub(super) fn identity(&self) -> String {
        if self.files.is_empty() {
            String::new()
        } else {
            let files = self
                .files
                .iter()
                .map(|file| format!(", context {}", file.display()));
            files.collect()
        }
    }
}

fn read(file: &Path) -> Result<(String, String), Failure> {
    let shown = file.display().to_string();
    let wrong = |why: &str| Failure::usage(format!("--context {}: {why}", Plain(&shown)));
    let bytes = read_bounded(file, FILE_BYTES_MAX).map_err(|error| wrong(&error.to_string()))?;
    let bytes =
        bytes.ok_or_else(|| wrong("it has more than 64 KiB: give the part that matters"))?;
    let text = String::from_utf8(bytes).map_err(|_| wrong("it is no text in UTF-8"))?;
    let name = file.file_name().unwrap_or_default().display().to_string();
    Ok((name, text))
}

/// Criteria of an experiment that is written.
#[derive(Debug, Args)]
pub(super) struct Criteria {
    /// A criterion, and how much it counts; repeated for each: performance=1, memory=0.3, simplicity=0.3 without any. Others are
    /// wall, fuel, size, cold-start and build-time
    #[arg(long = "criterion", value_name = "NAME=WEIGHT", value_parser = criterion)]
    criteria: Vec<WantedCriterion>,
}

/// The criteria by their names, with their sources.
const KNOWN: [(&str, &str); 8] = [
    ("performance", "time"),
    ("memory", "peak-memory"),
    ("simplicity", "source-lines"),
    ("wall", "wall"),
    ("fuel", "fuel"),
    ("size", "component-size"),
    ("cold-start", "cold-start"),
    ("build-time", "build-time"),
];

fn criterion(text: &str) -> Result<WantedCriterion, String> {
    let (name, weight) = text.split_once('=').unwrap_or((text, "1"));
    let known = KNOWN.iter().find(|(known, _)| *known == name);
    let (name, from) = known.ok_or_else(|| {
        let names: Vec<&str> = KNOWN.iter().map(|(name, _)| *name).collect();
        format!("it begins with none of: {}", names.join(", "))
    })?;
    let weight = weight.parse::<f64>().ok();
    let weight = weight.filter(|weight| weight.is_finite() && (0.0..=1e6).contains(weight));
    Ok(WantedCriterion {
        name: (*name).to_owned(),
        weight: weight.ok_or("its weight is no number from 0 to 1000000")?,
        from,
    })
}

impl Criteria {
    /// Returns the criteria, or the usual ones.
    ///
    /// # Errors
    /// One is named twice, or none counts.
    pub(super) fn wanted(&self) -> Result<Vec<WantedCriterion>, Failure> {
        if self.criteria.is_empty() {
            return Ok(WantedCriterion::usual());
        }
        for (place, one) in self.criteria.iter().enumerate() {
            if self.criteria[..place]
                .iter()
                .any(|other| other.name == one.name)
            {
                return Err(Failure::usage(format!(
                    "--criterion {} is given twice",
                    one.name
                )));
            }
        }
        if self.criteria.iter().all(|one| one.weight == 0.0) {
            return Err(Failure::usage(
                "all criteria have the weight 0: give one that counts, --criterion performance=1",
            ));
        }
        Ok(self.criteria.clone())
    }

    /// Returns a text that identifies the criteria; empty if none are given.
    pub(super) fn identity(&self) -> String {
        let all: Vec<String> = self
            .criteria
            .iter()
            .map(|one| format!(", criterion {}={}", one.name, one.weight))
            .collect();
        all.concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn criteria_are_known_names_with_weights() {
        let read = |texts: &[&str]| {
            let criteria = texts.iter().map(|text| criterion(text));
            Criteria {
                criteria: criteria.collect::<Result<_, _>>().unwrap(),
            }
        };
        let wanted = read(&["memory=2", "size"]).wanted().unwrap();
        assert_eq!((wanted[0].from, wanted[0].weight), ("peak-memory", 2.0));
        assert_eq!((wanted[1].from, wanted[1].weight), ("component-size", 1.0));
        assert_eq!(read(&[]).wanted().unwrap(), WantedCriterion::usual());
        assert!(read(&["memory=1", "memory=2"]).wanted().is_err());
        assert!(read(&["memory=0"]).wanted().is_err());
        for wrong in ["speed", "memory=x", "memory=-1", "memory=inf", ""] {
            assert!(criterion(wrong).is_err(), "{wrong}");
        }
    }
}

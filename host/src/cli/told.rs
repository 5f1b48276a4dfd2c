//! Files that a model is told beside the problem, and criteria of an experiment that is written.

use super::failure::Failure;
use bakeoff_domain::is_active;
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

/// Reads the text of a file that an option of the command line names.
///
/// # Errors
/// It cannot be read, is no text, or is too large.
pub(super) fn read_text(option: &str, file: &Path) -> Result<String, Failure> {
    let shown = file.display().to_string();
    let wrong = |why: &str| Failure::usage(format!("{option} {}: {why}", Plain(&shown)));
    let bytes = read_bounded(file, FILE_BYTES_MAX).map_err(|error| wrong(&error.to_string()))?;
    let bytes =
        bytes.ok_or_else(|| wrong("it has more than 64 KiB: give the part that matters"))?;
    String::from_utf8(bytes).map_err(|_| wrong("it is no text in UTF-8"))
}

fn read(file: &Path) -> Result<(String, String), Failure> {
    let text = read_text("--context", file)?;
    let name = file.file_name().unwrap_or_default().display().to_string();
    Ok((name, text))
}

/// Criteria of an experiment that is written.
#[derive(Debug, Args)]
pub(super) struct Criteria {
    /// A criterion, and how much it counts; repeated for each: performance=1, memory=0.3, simplicity=0.3 without any. Others are
    /// wall, fuel, size, cold-start and build-time; with --opinion any name of yours, and without any the model names them
    #[arg(long = "criterion", value_name = "NAME=WEIGHT", value_parser = criterion)]
    criteria: Vec<(String, f64)>,
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
fn measured((name, weight): &(String, f64)) -> Result<WantedCriterion, Failure> {
    let known = KNOWN.iter().find(|(known, _)| known == name);
    let (name, from) = known.ok_or_else(|| {
        let names: Vec<&str> = KNOWN.iter().map(|(name, _)| *name).collect();
        Failure::usage(format!(
            "--criterion {}: what is measured is one of {}; other names are for --opinion",
            Plain(name),
            names.join(", ")
        ))
    })?;
    Ok(WantedCriterion {
        name: (*name).to_owned(),
        weight: *weight,
        from,
    })
}

impl Criteria {
    /// Returns the criteria that are measured, or the usual ones.
    ///
    /// # Errors
    /// One is not measured or named twice, or none counts.
    pub(super) fn wanted(&self) -> Result<Vec<WantedCriterion>, Failure> {
        if self.criteria.is_empty() {
            return Ok(WantedCriterion::usual());
        }
        self.check()?;
        self.criteria.iter().map(measured).collect()
    }

    /// Returns the criteria of a question in words with their weights; none leaves them to the model.
    ///
    /// # Errors
    /// One is named twice, there are too many, or none counts.
    pub(super) fn in_words(&self) -> Result<Vec<(String, f64)>, Failure> {
        if self.criteria.len() > bakeoff_config::CRITERIA_MAX {
            return Err(Failure::usage(format!(
                "--criterion is given {} times, and {} are the most",
                self.criteria.len(),
                bakeoff_config::CRITERIA_MAX
            )));
        }
        if !self.criteria.is_empty() {
            self.check()?;
        }
        Ok(self.criteria.clone())
    }

    fn check(&self) -> Result<(), Failure> {
        for (place, (name, _)) in self.criteria.iter().enumerate() {
            if self.criteria[..place]
                .iter()
                .any(|(other, _)| other == name)
            {
                return Err(Failure::usage(format!(
                    "--criterion {} is given twice",
                    Plain(name)
                )));
            }
        }
        if self.criteria.iter().all(|(_, weight)| *weight == 0.0) {
            return Err(Failure::usage(
                "all criteria have the weight 0: give one that counts, --criterion performance=1",
            ));
        }
        Ok(())
    }

    /// Returns a text that identifies the criteria; empty if none are given.
    pub(super) fn identity(&self) -> String {
        let all: Vec<String> = self
            .criteria
            .iter()
            .map(|(name, weight)| format!(", criterion {name}={weight}"))
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
        assert!(read(&["speed=1"]).wanted().is_err());
        assert_eq!(
            read(&["speed=2"]).in_words().unwrap(),
            [("speed".to_owned(), 2.0)]
        );
        assert!(read(&["speed=2", "speed"]).in_words().is_err());
        assert!(read(&["speed=0"]).in_words().is_err());
        assert_eq!(read(&[]).in_words().unwrap(), []);
        for wrong in ["a\u{1b}", "memory=x", "memory=-1", "memory=inf", ""] {
            assert!(criterion(wrong).is_err(), "{wrong}");
        }
    }
}

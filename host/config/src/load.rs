//! Loading an experiment from a folder or a file, and checking that its files exist.

use super::cases::{CaseFile, parse_cases};
use super::error::{ConfigError, EXPERIMENT, Finding, Findings, quoted};
use super::experiment::{ConfigPlace, LimitKey, Places, decode, parse};
use super::generate::Generate;
use super::instances::parse_instances;
use super::judge::JudgeTable;
use super::lock;
use super::paths::{self, FileKind};
use super::program;
use super::prompts::{Prompts, read_prompts};
use super::reference::{self, References};
use super::rounds::RoundsTable;
use super::text_file::read;
use super::user_scale::UserScale;
use super::wished_approaches::WishedApproach;
use bakeoff_domain::report::APPROACH_TEXT_BYTES_MAX;
use bakeoff_domain::spec::{Approach, Code, Experiment, Inputs};
use bakeoff_domain::variant::VARIANTS_MAX;
use bakeoff_files::Reach;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The name of the experiment file in its folder.
pub const FILE_NAME: &str = "bakeoff.toml";

/// An experiment with its folder, and with the texts of the files that declare it.
#[derive(Clone, Debug)]
pub struct LoadedExperiment {
    /// The declared experiment, with all defaults filled in.
    pub experiment: Experiment,
    /// The experiment's folder: all paths in `experiment` are relative to it.
    pub dir: PathBuf,
    /// The file of cases, if there is one.
    pub cases: Option<CaseFile>,
    /// The text of the file of instances, if there is one.
    pub instances: Option<String>,
    /// The table `[generate]`, if the file has one.
    pub generate: Option<Generate>,
    /// The table `[rounds]`, if the file has one.
    pub rounds: Option<RoundsTable>,
    /// The table `[judge]`, if the file has one.
    pub judge: Option<JudgeTable>,
    /// Templates of its own for the questions to a model.
    pub prompts: Prompts,
    /// The approaches that a model is to write; they are not among those of the experiment.
    pub wished: Vec<WishedApproach>,
    /// Texts that stand for files of the experiment's folder, by their paths: sources that no file has.
    pub texts: BTreeMap<PathBuf, Arc<str>>,
    /// The experiment file's text; empty if there is no such file.
    pub text: String,
    origin: Origin,
}

/// The origin of an experiment, to which its errors point.
#[derive(Clone, Debug)]
enum Origin {
    /// A file, by its name as the user wrote it.
    File { name: String, places: Box<Places> },
    /// Arguments of a command such as `bakeoff compare`, without a file.
    Assembled,
    /// A stored run that recorded the experiment.
    Recorded,
}

impl LoadedExperiment {
    /// Makes an error that points at a part of the experiment file, for findings after parsing, such as a
    /// call that the WIT does not export.
    pub fn wrong(&self, place: ConfigPlace, message: &str, label: &str, help: &str) -> ConfigError {
        match &self.origin {
            Origin::File { name, places } => {
                let finding = Finding::new(places.of(place), message, label, help);
                ConfigError::Invalid(Findings::new(name, &self.text, vec![finding]))
            }
            Origin::Assembled | Origin::Recorded if help.is_empty() => {
                ConfigError::Refused(message.to_owned())
            }
            Origin::Assembled | Origin::Recorded => {
                ConfigError::Refused(format!("{message}: {help}"))
            }
        }
    }

    /// Refuses an experiment of which no approach has code yet.
    ///
    /// # Errors
    /// [`ConfigError::Refused`], with the next step.
    pub fn has_code(&self) -> Result<(), ConfigError> {
        if self.experiment.approaches.is_empty() {
            return Err(ConfigError::Refused(
                "no approach of the experiment has code yet: a model writes those with `write = true`, by \
                 `bakeoff generate`, or by `bakeoff run --generate` with [generate]"
                    .to_owned(),
            ));
        }
        Ok(())
    }

    /// Refuses a question in words, of which nothing can be run.
    ///
    /// # Errors
    /// [`ConfigError`], with the next step.
    pub fn can_run(&self) -> Result<(), ConfigError> {
        if !self.experiment.is_in_words() {
            return Ok(());
        }
        Err(self.wrong(
            ConfigPlace::Kind,
            "this is a question in words, and nothing of it can be built or run",
            "only opinions",
            "`bakeoff run --judge` asks a model for its opinions, and `bakeoff report` shows them again",
        ))
    }

    /// Refuses an experiment with more variants than can race: a search tries some of them.
    ///
    /// # Errors
    /// [`ConfigError::Refused`], with the next step.
    pub fn is_countable(&self) -> Result<(), ConfigError> {
        let counts = self.experiment.approaches.iter().map(Approach::variants);
        match counts.fold(0, usize::saturating_add) {
            count if count > VARIANTS_MAX => Err(ConfigError::Refused(format!(
                "its sweeps have {count} variants, and {VARIANTS_MAX} is the most that race: let its [rounds] search among \
                 them by \"climb\", \"evolve\" or \"draw\", or give the parameters fewer values"
            ))),
            _ => Ok(()),
        }
    }

    /// Returns the properties of a criterion's readings that the file declares; none if there is no file.
    pub(super) fn user_scale(&self, criterion: usize) -> UserScale {
        match &self.origin {
            Origin::File { places, .. } => places.user_scale(criterion),
            Origin::Assembled | Origin::Recorded => UserScale::default(),
        }
    }

    /// Returns the place where files that the experiment names must lie.
    pub fn reach(&self) -> Reach<'_> {
        match self.origin {
            Origin::Assembled => Reach::Anywhere,
            Origin::File { .. } | Origin::Recorded => Reach::Within(&self.dir),
        }
    }

    /// Returns true if a limit must not be changed: the file declares it, or a run used it.
    pub(super) fn fixes(&self, key: LimitKey) -> bool {
        match &self.origin {
            Origin::File { places, .. } => places.limit(key).is_some(),
            Origin::Assembled => false,
            Origin::Recorded => true,
        }
    }

    /// Returns true if a stored run recorded the experiment, so that it cannot be changed.
    pub(super) fn is_recorded(&self) -> bool {
        matches!(self.origin, Origin::Recorded)
    }

    /// Loads an experiment that was made without a file. Its paths are relative to `dir`, and may lead
    /// anywhere: the user wrote them on the command line.
    ///
    /// # Errors
    /// The file of cases cannot be read, or is invalid.
    pub fn assembled(experiment: Experiment, dir: PathBuf) -> Result<Self, ConfigError> {
        let cases = read_cases(&experiment, &dir, Reach::Anywhere)?;
        Ok(Self {
            experiment,
            dir,
            cases,
            instances: None,
            generate: None,
            rounds: None,
            judge: None,
            prompts: Prompts::default(),
            wished: Vec::new(),
            texts: BTreeMap::new(),
            text: String::new(),
            origin: Origin::Assembled,
        })
    }

    /// Makes an experiment as a run recorded it, with the cases that the run kept. The record may
    /// come from somebody else, so no file is read because it names one. Paths of granted folders are
    /// relative to `dir`; the host's policy says which of those may be read.
    ///
    /// # Errors
    /// A relative path of a granted folder leaves `dir`.
    pub fn recorded(
        experiment: Experiment,
        dir: PathBuf,
        cases: Option<CaseFile>,
    ) -> Result<Self, ConfigError> {
        let mut grants = experiment.approaches.iter().flat_map(|one| &one.grants);
        grants.try_for_each(|grant| paths::check_recorded_grant(&grant.folder))?;
        let mut programs = experiment
            .approaches
            .iter()
            .filter_map(|one| one.code.program());
        programs.try_for_each(program::check_recorded)?;
        Ok(Self {
            experiment,
            dir,
            cases,
            instances: None,
            generate: None,
            rounds: None,
            judge: None,
            prompts: Prompts::default(),
            wished: Vec::new(),
            texts: BTreeMap::new(),
            text: String::new(),
            origin: Origin::Recorded,
        })
    }
}

/// An experiment as its file declares it. The files that it names may be gone by now.
#[derive(Debug)]
pub struct DeclaredExperiment {
    /// The declared experiment, with all defaults filled in.
    pub experiment: Experiment,
    /// The experiment's folder: all paths in `experiment` are relative to it.
    pub dir: PathBuf,
}

/// Reads the experiment in a folder, or in a file of any name, and none of the files that it names. The names of
/// its instances are empty if they stand in a file of their own.
///
/// # Errors
/// The file does not exist, cannot be read, or is [`ConfigError::Invalid`], with all findings.
pub fn declared(path: &Path) -> Result<DeclaredExperiment, ConfigError> {
    let ExperimentFile { name, text, dir } = ExperimentFile::read(path)?;
    Ok(DeclaredExperiment {
        experiment: parse(&text, &name)?,
        dir,
    })
}

/// Reads the experiment file in a folder, or in a file of any name, and returns the components in registries that it
/// names.
///
/// # Errors
/// The file does not exist, cannot be read, or is [`ConfigError::Invalid`], with all findings.
pub fn references(path: &Path) -> Result<References, ConfigError> {
    let ExperimentFile { name, text, .. } = ExperimentFile::read(path)?;
    let decoded = decode(&text);
    if decoded.found.is_empty() {
        Ok(References::new(file_of(path), text, &decoded.files))
    } else {
        Err(ConfigError::Invalid(Findings::new(
            &name,
            &text,
            decoded.found,
        )))
    }
}

/// Returns the path of the experiment file: `bakeoff.toml` in a folder, or else the path itself.
pub fn file_of(path: &Path) -> PathBuf {
    if path.is_dir() {
        path.join(FILE_NAME)
    } else {
        path.to_owned()
    }
}

/// An experiment file that was read, with its name in messages and its folder.
struct ExperimentFile {
    name: String,
    text: String,
    dir: PathBuf,
}

impl ExperimentFile {
    /// Reads the experiment file in a folder, or a file of any name. A link that leaves its folder is refused: an
    /// error would quote the file that it leads to.
    fn read(path: &Path) -> Result<Self, ConfigError> {
        let file = file_of(path);
        let dir = match file.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
            _ => PathBuf::from("."),
        };
        Ok(Self {
            name: file.display().to_string(),
            text: read(&file, EXPERIMENT, Reach::Within(&dir))?,
            dir,
        })
    }
}

/// Reads the experiment in a folder, or in a file of any name, and checks that the files it names exist.
///
/// # Errors
/// The file does not exist, cannot be read, or is [`ConfigError::Invalid`], with all findings: also if it is a question
/// in words, of which nothing can be run.
pub fn load(path: &Path) -> Result<LoadedExperiment, ConfigError> {
    let loaded = load_any(path)?;
    loaded.can_run()?;
    Ok(loaded)
}

/// Reads an experiment as [`load`] does, or a question in words.
///
/// # Errors
/// The file does not exist, cannot be read, or is [`ConfigError::Invalid`], with all findings.
pub fn load_any(path: &Path) -> Result<LoadedExperiment, ConfigError> {
    let ExperimentFile { name, text, dir } = ExperimentFile::read(path)?;
    let mut decoded = decode(&text);
    for named in &decoded.files {
        match named.kind {
            FileKind::Reference => reference::look_up(named, &mut decoded.found),
            _ => paths::look_up(&dir, named, &mut decoded.found),
        }
    }
    let mut experiment = match decoded.experiment {
        Some(experiment) if decoded.found.is_empty() => experiment,
        _ => {
            let findings = Findings::new(&name, &text, decoded.found);
            return Err(ConfigError::Invalid(findings));
        }
    };
    let place = |part| decoded.places.of(part);
    read_texts(&mut experiment, (&dir, &name, &text), place)?;
    let cases = read_cases(&experiment, &dir, Reach::Within(&dir))?;
    let instances = read_instances(&mut experiment, &dir)?;
    let prompts = read_prompts(&decoded.prompts, &dir)?;
    let place = decoded.places.of(ConfigPlace::Crates);
    if let Err(why) = lock::add_lock(&mut experiment, &dir) {
        let help =
            "run `bakeoff vendor` for this experiment, which chooses the versions and fetches them";
        let finding = Finding::new(place, why, "for these", help);
        return Err(ConfigError::Invalid(Findings::new(
            &name,
            &text,
            vec![finding],
        )));
    }
    Ok(LoadedExperiment {
        experiment,
        dir,
        cases,
        instances,
        generate: decoded.generate,
        rounds: decoded.rounds,
        texts: BTreeMap::new(),
        judge: decoded.judge,
        prompts,
        wished: decoded.wished,
        text,
        origin: Origin::File {
            name,
            places: Box::new(decoded.places),
        },
    })
}

/// Reads the texts of the approaches of a question in words from their files.
///
/// # Errors
/// A file cannot be read, is empty, or is too long.
fn read_texts(
    experiment: &mut Experiment,
    (dir, name, text): (&Path, &str, &str),
    place: impl Fn(ConfigPlace) -> Range<usize>,
) -> Result<(), ConfigError> {
    for (index, approach) in experiment.approaches.iter_mut().enumerate() {
        let Code::Text(words) = &mut approach.code else {
            continue;
        };
        if !words.file.as_os_str().is_empty() {
            words.text = read(
                &dir.join(&words.file),
                "text of an approach",
                Reach::Within(dir),
            )?;
        }
        let bytes = words.text.len();
        if !words.text.trim().is_empty() && bytes <= APPROACH_TEXT_BYTES_MAX {
            continue;
        }
        let file = quoted(&words.file.display().to_string());
        let (what, help) = if words.text.trim().is_empty() {
            let help =
                "write how the approach works, what it costs, and what speaks for and against it";
            (format!("{file} has no words"), help.to_owned())
        } else {
            let help =
                format!("it has {APPROACH_TEXT_BYTES_MAX} bytes at most: keep what matters most");
            (format!("{file} has {bytes} bytes of text"), help)
        };
        let place = place(ConfigPlace::Approach(index));
        let finding = Finding::new(place, what, "impossible value", help);
        return Err(ConfigError::Invalid(Findings::new(
            name,
            text,
            vec![finding],
        )));
    }
    Ok(())
}

/// Reads the file of cases, if the experiment has one.
fn read_cases(
    experiment: &Experiment,
    dir: &Path,
    reach: Reach<'_>,
) -> Result<Option<CaseFile>, ConfigError> {
    let Inputs::Cases(path) = &experiment.workload.inputs else {
        return Ok(None);
    };
    let path = dir.join(path);
    let text = read(&path, "file of cases", reach)?;
    parse_cases(&text, &path.display().to_string()).map(Some)
}

/// Reads the names of the instances from their file, if the experiment has one, and returns its text.
fn read_instances(experiment: &mut Experiment, dir: &Path) -> Result<Option<String>, ConfigError> {
    let Inputs::Instances {
        names,
        file: Some(file),
        ..
    } = &mut experiment.workload.inputs
    else {
        return Ok(None);
    };
    let path = dir.join(file);
    let text = read(&path, "file of instances", Reach::Within(dir))?;
    *names = parse_instances(&text, &path.display().to_string())?;
    Ok(Some(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An error about a text that does not parse would quote the file that the link leads to.
    #[test]
    fn case_83_experiment_that_is_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("experiment");
        std::fs::create_dir(&home).unwrap();
        std::fs::write(folder.path().join("secret"), "token = s3cret").unwrap();
        std::os::unix::fs::symlink("../secret", home.join(FILE_NAME)).unwrap();
        for named in [home.clone(), home.join(FILE_NAME)] {
            for error in [declared(&named).unwrap_err(), load(&named).unwrap_err()] {
                let said = error.to_string();
                assert!(said.contains("leaves the folder"), "{said}");
                assert!(!said.contains("s3cret"), "{said}");
            }
        }
        std::fs::write(home.join("real.toml"), "token = s3cret").unwrap();
        std::fs::remove_file(home.join(FILE_NAME)).unwrap();
        std::os::unix::fs::symlink("real.toml", home.join(FILE_NAME)).unwrap();
        let said = load(&home).unwrap_err().to_string();
        assert!(!said.contains("leaves the folder"), "{said}");
    }
}

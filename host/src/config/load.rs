//! From a folder or a file to an experiment whose files are all there.

use super::cases::{CaseFile, parse_cases};
use super::error::{ConfigError, Finding, Findings};
use super::experiment::{LimitKey, Place, Places, decode};
use super::paths::{self, FileKind};
use bakeoff_domain::spec::{Code, Experiment, Inputs};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The name of the experiment file in its folder.
pub const FILE_NAME: &str = "bakeoff.toml";

/// Bytes an experiment file or a file of cases has at most.
pub const FILE_BYTES_MAX: u64 = 1 << 20;

/// An experiment, as it was read.
#[derive(Debug)]
pub struct Loaded {
    /// What the file declares, every default filled in.
    pub experiment: Experiment,
    /// The experiment's folder: all paths in `experiment` are relative to it.
    pub dir: PathBuf,
    /// The file of cases, if there is one.
    pub cases: Option<CaseFile>,
    /// The experiment file's text; empty if there is no such file.
    pub text: String,
    origin: Origin,
}

/// Where an experiment came from, which is where its errors point.
#[derive(Debug)]
enum Origin {
    /// A file, by its name as the user wrote it.
    File { name: String, places: Places },
    /// Somebody put it together without a file.
    Assembled,
    /// A run kept it, as it was asked.
    Recorded,
}

impl Loaded {
    /// An error that points at a part of the experiment file: for what shows only later, like a
    /// call that the WIT does not export.
    pub fn wrong(&self, place: Place, message: &str, label: &str, help: &str) -> ConfigError {
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

    /// Whether this limit must stay as it is: the file says it, or a run was made with it.
    pub(super) fn says(&self, key: LimitKey) -> bool {
        match &self.origin {
            Origin::File { places, .. } => places.limit(key).is_some(),
            Origin::Assembled => false,
            Origin::Recorded => true,
        }
    }

    /// Whether a run kept it, so that nobody can ask for something else.
    pub(super) fn is_recorded(&self) -> bool {
        matches!(self.origin, Origin::Recorded)
    }

    /// An experiment that was put together without a file. Its paths are relative to `dir`, and may
    /// lead anywhere: they are the user's own words, not those of a file that somebody sent.
    ///
    /// # Errors
    /// The file of cases cannot be read, or says something that cannot be.
    pub fn assembled(experiment: Experiment, dir: PathBuf) -> Result<Self, ConfigError> {
        let cases = read_cases(&experiment, &dir)?;
        Ok(Self {
            experiment,
            dir,
            cases,
            text: String::new(),
            origin: Origin::Assembled,
        })
    }

    /// An experiment as a run recorded it. The record may be something that a user was sent, and
    /// name any file: all of them must be in `dir` or in a folder of `also`, which the user named, and
    /// no line of one that does not parse is shown.
    ///
    /// # Errors
    /// A path leads out of them; the file of cases cannot be read, or is none.
    pub fn recorded(
        experiment: Experiment,
        dir: PathBuf,
        also: &[PathBuf],
    ) -> Result<Self, ConfigError> {
        for (path, kind) in named(&experiment) {
            paths::hold_recorded(&dir, also, path, kind)?;
        }
        let cases = read_cases(&experiment, &dir).map_err(|error| match error {
            ConfigError::Invalid(_) => ConfigError::Refused(
                "the recorded file of cases cannot be understood as one: put it back as it was \
                 when the run was made"
                    .to_owned(),
            ),
            other => other,
        })?;
        Ok(Self {
            experiment,
            dir,
            cases,
            text: String::new(),
            origin: Origin::Recorded,
        })
    }
}

/// All files that an experiment names.
fn named(experiment: &Experiment) -> Vec<(&Path, FileKind)> {
    let code = |code: &Code| match code {
        Code::Source(_) => FileKind::Source,
        Code::Component(_) => FileKind::Component,
    };
    let mut named = vec![(experiment.interface.wit.as_path(), FileKind::Wit)];
    named.push(match &experiment.workload.inputs {
        Inputs::Generated { code: made_by, .. } => (made_by.path(), code(made_by)),
        Inputs::Cases(path) => (path.as_path(), FileKind::Cases),
    });
    for approach in &experiment.approaches {
        named.push((approach.code.path(), code(&approach.code)));
        let grants = approach.grants.iter();
        named.extend(grants.map(|grant| (grant.folder.as_path(), FileKind::Granted)));
    }
    named
}

/// Reads the experiment in a folder, or in a file of any name, and looks up all files it names.
///
/// # Errors
/// There is no such file, it cannot be read, or it is [`ConfigError::Invalid`]: then everything
/// that is wrong is in the error.
pub fn load(path: &Path) -> Result<Loaded, ConfigError> {
    let file = match path.is_dir() {
        true => path.join(FILE_NAME),
        false => path.to_owned(),
    };
    let name = file.display().to_string();
    let text = read(&file, "experiment")?;
    let dir = match file.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    };
    let mut decoded = decode(&text);
    for named in &decoded.files {
        paths::look_up(&dir, named, &mut decoded.found);
    }
    let experiment = match decoded.experiment {
        Some(experiment) if decoded.found.is_empty() => experiment,
        _ => {
            let findings = Findings::new(&name, &text, decoded.found);
            return Err(ConfigError::Invalid(findings));
        }
    };
    let cases = read_cases(&experiment, &dir)?;
    Ok(Loaded {
        experiment,
        dir,
        cases,
        text,
        origin: Origin::File {
            name,
            places: decoded.places,
        },
    })
}

/// The file of cases, if the experiment has one.
fn read_cases(experiment: &Experiment, dir: &Path) -> Result<Option<CaseFile>, ConfigError> {
    let Inputs::Cases(path) = &experiment.workload.inputs else {
        return Ok(None);
    };
    let path = dir.join(path);
    let text = read(&path, "file of cases")?;
    parse_cases(&text, &path.display().to_string()).map(Some)
}

/// A text file of bounded size.
pub(super) fn read(path: &Path, what: &'static str) -> Result<String, ConfigError> {
    let shown = || path.display().to_string().escape_debug().to_string();
    let unreadable = |reason: String| ConfigError::Unreadable {
        path: shown(),
        reason,
    };
    let file = File::open(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => ConfigError::Missing {
            what,
            path: shown(),
        },
        _ => unreadable(error.to_string()),
    })?;
    let mut bytes = Vec::new();
    file.take(FILE_BYTES_MAX + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| unreadable(error.to_string()))?;
    if bytes.len() as u64 > FILE_BYTES_MAX {
        return Err(unreadable("it is larger than 1 MiB".into()));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        unreadable(format!("it is not UTF-8 (from byte {at} on)"))
    })
}

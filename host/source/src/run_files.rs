//! The files that a run is made from, read once: from the experiment's folder before a run, and
//! from the stored contents afterwards.

use super::asked_parameters::with_asked_parameters;
use super::bounds::{COMPONENT_BYTES_MAX, SOURCE_BYTES_MAX};
use super::code::{BuildInput, content_address, unreadable_source};
use super::vendored_components::{VendoredComponents, read_code_or_vendored};
use crate::interface::{InterfaceError, WitFile, read_files};
use bakeoff_config::{
    CaseFile, ConfigError, ConfigPlace, LoadedExperiment, parse_cases, parse_instances,
};
use bakeoff_domain::failure::Failure;
use bakeoff_domain::spec::{Code, Experiment, Inputs};
use bakeoff_domain::variant::{Variant, approach_indexes};
use serde::{Deserialize, Serialize};

/// The most bytes of a file of WIT, of cases or of instances, as a run stores it.
const TEXT_BYTES_MAX: u64 = 1 << 20;
/// The most files that a manifest names, beside the code of the variants.
const FILES_MAX: usize = 512;

/// The files of a run.
#[derive(Clone, Debug)]
pub struct RunFiles {
    /// The WIT files of the problem, sorted by name.
    pub wit: Vec<WitFile>,
    /// The code of the workload, if there is one, or the failure to read it.
    pub workload: Option<Result<BuildInput, Failure>>,
    /// The code of each evaluator in the order of declaration, or the failure to read it.
    pub evaluators: Vec<Result<BuildInput, Failure>>,
    /// The code of each aggregator in the order of declaration, or the failure to read it.
    pub aggregators: Vec<Result<BuildInput, Failure>>,
    /// The text of the file of cases, if there is one.
    pub cases: Option<String>,
    /// The text of the file of instances, if there is one.
    pub instances: Option<String>,
    /// The code of each approach in the order of declaration, or the failure to read it.
    pub code: Vec<Result<BuildInput, Failure>>,
    /// The text of the experiment file; empty if there is no such file.
    pub experiment: String,
}

/// The names and content addresses of the files of a run. The code of the variants is not listed,
/// since their iterations name it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The WIT files.
    pub wit: Vec<NamedContent>,
    /// The code of the workload, if there was one.
    pub workload: Option<NamedContent>,
    /// The code of the evaluators.
    #[serde(default)]
    pub evaluators: Vec<NamedContent>,
    /// The code of the aggregators.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aggregators: Vec<NamedContent>,
    /// The file of cases, if there was one.
    pub cases: Option<NamedContent>,
    /// The file of instances, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instances: Option<NamedContent>,
    /// The experiment file, if there was one.
    pub experiment: Option<NamedContent>,
}

/// A file by its name and the content address of its content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedContent {
    /// The name, as the user wrote it.
    pub name: String,
    /// SHA-256 of the content, as 64 hexadecimal digits.
    pub sha256: String,
}

impl NamedContent {
    fn of(name: impl Into<String>, bytes: &[u8]) -> Self {
        Self {
            name: name.into(),
            sha256: content_address(bytes),
        }
    }
}

/// The reason why the files of a run cannot be restored.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError<E> {
    /// The contents cannot be read.
    #[error(transparent)]
    Contents(E),
    /// A file was not stored.
    #[error("{name} (SHA-256 {sha256}) is not among the contents that were kept")]
    Missing {
        /// The name of the file.
        name: String,
        /// The content address of the file.
        sha256: String,
    },
    /// Stored content cannot be a file of a run.
    #[error("{name} cannot be what a run was made from: {reason}")]
    Unusable {
        /// The name of the file.
        name: String,
        /// The reason, as a phrase to follow the name.
        reason: String,
    },
}

impl RunFiles {
    /// Reads all files of an experiment. A failure to read the code of a variant or of the workload
    /// is returned in its place.
    ///
    /// # Errors
    /// The WIT cannot be read, or a component in a registry was not fetched before; the error points at the place that names
    /// it. Or it is a question in words.
    pub fn read(
        loaded: &LoadedExperiment,
        vendored: &VendoredComponents,
    ) -> Result<Self, ConfigError> {
        loaded.can_run()?;
        all_are_vendored(loaded, vendored)?;
        let experiment = &loaded.experiment;
        let reach = loaded.reach();
        let wit = read_files(&loaded.dir.join(&experiment.interface.wit), reach)
            .map_err(|error| wrong_wit(loaded, &error))?;
        let workload = experiment.workload.inputs.code();
        let workload =
            workload.map(|code| read_code_or_vendored(code, (&loaded.dir, reach), vendored));
        let approaches = experiment.approaches.iter();
        let evaluators = experiment.evaluators.iter().map(|one| &one.code);
        let aggregators = experiment.aggregators.iter().map(|one| &one.code);
        let read = |code| read_code_or_vendored(code, (&loaded.dir, reach), vendored);
        Ok(Self {
            wit,
            workload,
            evaluators: evaluators.map(read).collect(),
            aggregators: aggregators.map(read).collect(),
            cases: loaded.cases.as_ref().map(|cases| cases.text().to_owned()),
            instances: loaded.instances.clone(),
            code: approaches
                .map(|approach| {
                    let code = match loaded.texts.get(approach.code.path()) {
                        Some(text) => BuildInput::Source {
                            path_shown: approach.code.path().display().to_string(),
                            text: text.clone(),
                        },
                        None => read(&approach.code)?,
                    };
                    with_asked_parameters(approach, code)
                })
                .collect(),
            experiment: loaded.text.clone(),
        })
    }

    /// Returns true if some of the code is a source, for which a compiler is needed.
    pub fn has_sources(&self) -> bool {
        let guests = self.workload.iter().chain(&self.evaluators);
        let all = guests.chain(&self.aggregators).chain(&self.code);
        all.flatten().any(|code| code.language().is_some())
    }

    /// Returns the names of the WIT files relative to the folder that contains them all: the same
    /// files have the same names wherever that folder is.
    pub fn wit_names(&self) -> Vec<&str> {
        let shared = shared_folder(&self.wit).len();
        let names = self.wit.iter().map(|file| &file.name[shared..]);
        names.collect()
    }

    /// Returns names and content addresses of all files but the code of the variants.
    pub fn manifest(&self, experiment: &Experiment) -> Manifest {
        let wit = self.wit_names().into_iter().zip(&self.wit);
        let workload = self.workload.as_ref().and_then(|code| code.as_ref().ok());
        // A run with an evaluator or aggregator that cannot be read does not begin.
        let named = |guests: &[Result<BuildInput, Failure>]| {
            let read = guests.iter().filter_map(|code| code.as_ref().ok());
            read.map(|code| NamedContent::of(code.path_shown(), code.bytes()))
                .collect()
        };
        let cases = match &experiment.workload.inputs {
            Inputs::Cases(path) => Some(path.display().to_string()),
            Inputs::Generated { .. } | Inputs::Instances { .. } | Inputs::None => None,
        };
        Manifest {
            wit: wit
                .map(|(name, file)| NamedContent::of(name, file.text.as_bytes()))
                .collect(),
            workload: workload.map(|code| NamedContent::of(code.path_shown(), code.bytes())),
            evaluators: named(&self.evaluators),
            aggregators: named(&self.aggregators),
            cases: cases
                .zip(self.cases.as_ref())
                .map(|(name, text)| NamedContent::of(name, text.as_bytes())),
            instances: (experiment.workload.inputs.instances_file())
                .zip(self.instances.as_ref())
                .map(|(file, text)| NamedContent::of(file.display().to_string(), text.as_bytes())),
            experiment: (!self.experiment.is_empty())
                .then(|| NamedContent::of(bakeoff_config::FILE_NAME, self.experiment.as_bytes())),
        }
    }

    /// Returns the bytes of every file that could be read.
    pub fn contents(&self) -> impl Iterator<Item = &[u8]> {
        let code = self
            .code
            .iter()
            .chain(&self.workload)
            .chain(&self.evaluators)
            .chain(&self.aggregators);
        let code = code.filter_map(|code| Some(code.as_ref().ok()?.bytes()));
        let texts = self.wit.iter().map(|file| file.text.as_str());
        let texts = texts.chain(self.cases.as_deref());
        let texts = texts.chain(self.instances.as_deref());
        let texts = texts.chain((!self.experiment.is_empty()).then_some(self.experiment.as_str()));
        code.chain(texts.map(str::as_bytes))
    }

    /// Restores the files of a run. `get` returns the bytes at a content address if they were
    /// stored, up to a number of bytes.
    ///
    /// # Errors
    /// A file was not stored, or its content does not fit its role in the run. The contents may be forged.
    pub fn restore<E>(
        manifest: &Manifest,
        experiment: &Experiment,
        variants: &[Variant],
        mut get: impl FnMut(&str, u64) -> Result<Option<Vec<u8>>, E>,
    ) -> Result<Self, RestoreError<E>> {
        let unusable = |name: &str, reason: &str| RestoreError::Unusable {
            name: name.to_owned(),
            reason: reason.to_owned(),
        };
        if manifest.wit.is_empty() || manifest.wit.len() > FILES_MAX {
            return Err(unusable("the WIT", "it has no file, or too many"));
        }
        let mut content = |file: &NamedContent, bytes_max: u64| {
            let found = get(&file.sha256, bytes_max).map_err(RestoreError::Contents)?;
            found.ok_or_else(|| RestoreError::Missing {
                name: file.name.clone(),
                sha256: file.sha256.clone(),
            })
        };
        let mut text = |file: &NamedContent| {
            String::from_utf8(content(file, TEXT_BYTES_MAX)?)
                .map_err(|_| unusable(&file.name, "it is not UTF-8 text"))
        };
        let mut wit = Vec::with_capacity(manifest.wit.len());
        for file in &manifest.wit {
            wit.push(WitFile {
                name: file.name.clone(),
                text: text(file)?,
            });
        }
        let cases = manifest.cases.as_ref().map(&mut text).transpose()?;
        let instances = manifest.instances.as_ref().map(&mut text).transpose()?;
        let experiment_text = manifest.experiment.as_ref().map(&mut text).transpose()?;
        let mut code_of = |code: &Code, file: &NamedContent| {
            let bytes_max = match code {
                Code::Source(_) | Code::Text(_) => SOURCE_BYTES_MAX as u64,
                Code::Component(_) | Code::Reference(_) | Code::Program(_) => {
                    COMPONENT_BYTES_MAX as u64
                }
            };
            Ok(BuildInput::from_kept(code, content(file, bytes_max)?))
        };
        let workload = match (experiment.workload.inputs.code(), &manifest.workload) {
            (Some(code), Some(file)) => Some(code_of(code, file)?),
            (Some(_), None) => return Err(unusable("the workload", "the run names none")),
            (None, _) => None,
        };
        let mut guests = |what: &str, declared: Vec<&Code>, files: &[NamedContent]| {
            if declared.len() != files.len() {
                return Err(unusable(what, "the run names others"));
            }
            let pairs = declared.into_iter().zip(files);
            pairs.map(|(code, file)| code_of(code, file)).collect()
        };
        let declared = experiment.evaluators.iter().map(|one| &one.code).collect();
        let evaluators = guests("the evaluators", declared, &manifest.evaluators)?;
        let declared = experiment.aggregators.iter().map(|one| &one.code).collect();
        let aggregators = guests("the aggregators", declared, &manifest.aggregators)?;
        if matches!(experiment.workload.inputs, Inputs::Cases(_)) && cases.is_none() {
            return Err(unusable("the file of cases", "the run names none"));
        }
        if let Inputs::Instances {
            names,
            file: Some(_),
            ..
        } = &experiment.workload.inputs
        {
            let listed = instances.as_deref().map(|text| parse_instances(text, ""));
            if !listed.is_some_and(|listed| listed.is_ok_and(|listed| listed == *names)) {
                return Err(unusable(
                    "the file of instances",
                    "it does not list the instances of the run",
                ));
            }
        }
        // The variants of an approach have the same code.
        let mut code = Vec::with_capacity(experiment.approaches.len());
        for (variant, index) in variants
            .iter()
            .zip(approach_indexes(&experiment.approaches))
        {
            if index < code.len() {
                continue;
            }
            let approach = &experiment.approaches[index];
            let path_shown = approach.code.path().display().to_string();
            code.push(match &variant.iteration.source {
                None => Err(unreadable_source(
                    &path_shown,
                    "it could not be read when the run was made",
                )),
                Some(sha256) => {
                    let file = NamedContent {
                        name: path_shown,
                        sha256: sha256.clone(),
                    };
                    code_of(&approach.code, &file)?
                }
            });
        }
        Ok(Self {
            wit,
            workload,
            evaluators,
            aggregators,
            cases,
            instances,
            code,
            experiment: experiment_text.unwrap_or_default(),
        })
    }

    /// Returns the cases of the file, with their places for messages that point into it.
    ///
    /// # Errors
    /// The text cannot be parsed as a file of cases.
    pub fn parse_cases(&self, name: &str) -> Result<Option<CaseFile>, ConfigError> {
        let text = self.cases.as_ref();
        text.map(|text| parse_cases(text, name)).transpose()
    }
}

/// Refuses a run of components in registries that were not fetched: it would go on without them.
fn all_are_vendored(
    loaded: &LoadedExperiment,
    vendored: &VendoredComponents,
) -> Result<(), ConfigError> {
    let experiment = &loaded.experiment;
    let approaches = experiment.approaches.iter().enumerate();
    let evaluators = experiment.evaluators.iter().enumerate();
    let aggregators = experiment.aggregators.iter().enumerate();
    let workload = experiment.workload.inputs.code();
    let all = (approaches.map(|(index, one)| (ConfigPlace::Approach(index), &one.code)))
        .chain(evaluators.map(|(index, one)| (ConfigPlace::Evaluator(index), &one.code)))
        .chain(aggregators.map(|(index, one)| (ConfigPlace::Aggregator(index), &one.code)))
        .chain(workload.map(|code| (ConfigPlace::Workload, code)));
    for (place, code) in all {
        if let Some(reference) = code.reference()
            && let Some((why, next_step)) = vendored.absence(reference)
        {
            return Err(loaded.wrong(place, &why, "named here", next_step));
        }
    }
    Ok(())
}

fn wrong_wit(loaded: &LoadedExperiment, error: &InterfaceError) -> ConfigError {
    let help = "name a WIT file, or a folder of them";
    loaded.wrong(ConfigPlace::Wit, &error.to_string(), "here", help)
}

/// Returns the longest path, up to its last `/`, with which all names begin.
pub fn shared_folder(files: &[WitFile]) -> &str {
    let folder = |name: &str| name.rfind('/').map_or(0, |slash| slash + 1);
    let Some((first, others)) = files.split_first() else {
        return "";
    };
    let mut shared = &first.name[..folder(&first.name)];
    for other in others {
        while !other.name.starts_with(shared) {
            shared = &shared[..folder(shared.trim_end_matches('/'))];
        }
    }
    shared
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_the_same_names_from_wherever_it_is_named() {
        let names = |paths: &[&str]| {
            let file = |path: &&str| WitFile {
                name: (*path).to_owned(),
                text: String::new(),
            };
            let files = RunFiles {
                wit: paths.iter().map(file).collect(),
                workload: None,
                evaluators: Vec::new(),
                aggregators: Vec::new(),
                cases: None,
                instances: None,
                code: Vec::new(),
                experiment: String::new(),
            };
            let names = files.wit_names().into_iter().map(str::to_owned);
            names.collect::<Vec<String>>()
        };
        assert_eq!(
            names(&["a/wit/deps/x.wit", "a/wit/y.wit"]),
            ["deps/x.wit", "y.wit"]
        );
        assert_eq!(
            names(&["./wit/deps/x.wit", "./wit/y.wit"]),
            ["deps/x.wit", "y.wit"]
        );
        assert_eq!(names(&["wit/y.wit"]), ["y.wit"]);
        assert_eq!(names(&["y.wit"]), ["y.wit"]);
        assert_eq!(
            names(&["/wita/y.wit", "/wit/x.wit"]),
            ["wita/y.wit", "wit/x.wit"]
        );
        assert_eq!(names(&["/y.wit", "x.wit"]), ["/y.wit", "x.wit"]);
    }

    #[test]
    fn the_names_of_a_run_are_those_of_its_file() {
        let experiment = |names: &[&str], file: bool| {
            let text = "name = 'x'\nproblem = '?'\n[interface]\nwit = 'a.wit'\ncall = 'f'\n\
                        [workload]\nsource = 'w.rs'\ninstances = ['a']\n\
                        [[approach]]\nname = 'a'\nsource = 'a.rs'\n";
            let mut experiment = bakeoff_config::parse(text, "t").unwrap();
            if let Inputs::Instances {
                names: own,
                file: from,
                ..
            } = &mut experiment.workload.inputs
            {
                *own = names.iter().map(|name| (*name).to_owned()).collect();
                *from = file.then(|| "names.txt".into());
            }
            experiment
        };
        let restore = |experiment: &Experiment, text: Option<&str>| {
            let files = RunFiles {
                wit: vec![WitFile {
                    name: "a.wit".into(),
                    text: "wit".into(),
                }],
                workload: Some(Ok(BuildInput::Source {
                    path_shown: "w.rs".into(),
                    text: "w".into(),
                })),
                evaluators: Vec::new(),
                aggregators: Vec::new(),
                cases: None,
                instances: text.map(str::to_owned),
                code: Vec::new(),
                experiment: String::new(),
            };
            let manifest = files.manifest(experiment);
            assert_eq!(manifest.instances.is_some(), text.is_some());
            let get = |sha256: &str, _: u64| {
                let mut contents = files.contents();
                let found = contents.find(|bytes| content_address(bytes) == sha256);
                Ok::<_, std::convert::Infallible>(found.map(<[u8]>::to_vec))
            };
            RunFiles::restore(&manifest, experiment, &[], get).map_err(|error| error.to_string())
        };
        let from_file = experiment(&["a", "b"], true);
        let restored = restore(&from_file, Some("a\nb\n")).unwrap();
        assert_eq!(restored.instances.as_deref(), Some("a\nb\n"));
        for text in [None, Some("a\nc"), Some("a"), Some("a\nb\n\n")] {
            let refused = restore(&from_file, text).unwrap_err();
            assert!(refused.contains("file of instances"), "{refused}");
        }
        assert!(restore(&experiment(&["a", "b"], false), None).is_ok());
    }
}

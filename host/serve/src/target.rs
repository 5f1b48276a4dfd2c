//! The experiment that a change is about: its folder below the one that the user named, and what its file declares.

use super::places::Place;
use bakeoff_config::{FILE_BYTES_MAX, FILE_NAME};
use bakeoff_domain::ids;
use bakeoff_files::Folder;
use bakeoff_store::ResultsPlace;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// An experiment, or results that lie elsewhere.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    /// Id in addresses, of the results or of an experiment without any.
    pub(crate) id: String,
    /// The folder of the experiment, or the results themselves where they lie elsewhere, below the one that the user named.
    pub(crate) folder: PathBuf,
    /// The results that are there, or that the experiment's runs will make.
    pub(crate) results: Place,
    /// True if the results are there.
    pub(crate) has_results: bool,
    /// The declared experiment, or why it can be neither run nor changed.
    pub(crate) declared: Result<DeclaredParts, String>,
}

/// The parts of an experiment file that forms need.
#[derive(Clone, Debug)]
pub(crate) struct DeclaredParts {
    /// Text of the file.
    pub(crate) text: String,
    /// Names of the approaches that have code.
    pub(crate) approaches: Vec<String>,
    /// Time for measuring.
    pub(crate) budget: Duration,
    name: String,
}

impl Target {
    /// Reads what is known of the experiment of some results.
    pub(crate) fn of_results(root: &Path, place: &Place) -> Self {
        let folder = place.experiment().to_owned();
        let declared = match place.kept() {
            Some(_) => declared(root, &folder),
            None => Err(
                "These results lie apart from their experiment: run and change that where it is."
                    .to_owned(),
            ),
        };
        let declared = declared.and_then(|declared| {
            if results_of(&folder, &declared.name) == place.below {
                Ok(declared)
            } else {
                Err(format!(
                    "The experiment in this folder is called {} by now, and has its results elsewhere.",
                    declared.name
                ))
            }
        });
        Self {
            id: place.id.clone(),
            folder,
            results: place.clone(),
            has_results: true,
            declared,
        }
    }

    /// Reads an experiment that has no results yet. `place` is its folder.
    pub(crate) fn of_experiment(root: &Path, place: &Place) -> Self {
        let folder = place.below.clone();
        let declared = declared(root, &folder);
        let results = match &declared {
            Ok(declared) => Place::new(results_of(&folder, &declared.name)),
            Err(_) => place.clone(),
        };
        Self {
            id: place.id.clone(),
            folder,
            results,
            has_results: false,
            declared,
        }
    }

    /// Opens the folder of the experiment.
    ///
    /// # Errors
    /// It is gone, or a link is on the way to it.
    pub(crate) fn open(&self, root: &Path) -> io::Result<Folder> {
        Folder::named_by_user(root)?.below(&self.folder)
    }

    /// Opens the folder of the results; `None` if there is none.
    pub(crate) fn open_results(&self, root: &Path) -> Option<Folder> {
        let place: ResultsPlace = self.results.results(root);
        place.open_folder().ok()
    }

    /// Returns the name to show: that of the experiment, or of its folder.
    pub(crate) fn title(&self) -> String {
        match &self.declared {
            Ok(declared) => declared.name.clone(),
            Err(_) => super::list_page::shown(&self.folder),
        }
    }
}

/// Returns the folder of the results of an experiment of this name.
fn results_of(folder: &Path, name: &str) -> PathBuf {
    folder.join(super::places::KEPT).join(ids::slug(name))
}

#[cfg(test)]
impl DeclaredParts {
    /// Returns what a file with one approach declares.
    pub(crate) fn made(text: &str, name: &str, budget: Duration) -> Self {
        Self {
            text: text.to_owned(),
            approaches: vec![name.to_owned()],
            budget,
            name: name.to_owned(),
        }
    }
}

fn declared(root: &Path, folder: &Path) -> Result<DeclaredParts, String> {
    let read = || {
        Folder::named_by_user(root)?
            .below(folder)?
            .read(FILE_NAME, FILE_BYTES_MAX)
    };
    let bytes = match read() {
        Ok(Some(bytes)) => bytes,
        Ok(None) => {
            return Err(format!(
                "Its {FILE_NAME} has more than {FILE_BYTES_MAX} bytes."
            ));
        }
        Err(error) => return Err(format!("Its {FILE_NAME} cannot be read: {error}")),
    };
    let text =
        String::from_utf8(bytes).map_err(|_| format!("Its {FILE_NAME} is no text in UTF-8."))?;
    let experiment = bakeoff_config::parse(&text, FILE_NAME).map_err(|error| {
        format!(
            "Its {FILE_NAME} is to be corrected first: {}",
            error.in_lines()
        )
    })?;
    Ok(DeclaredParts {
        approaches: experiment
            .approaches
            .iter()
            .map(|one| one.name.clone())
            .collect(),
        budget: experiment.measure.budget,
        name: experiment.name,
        text,
    })
}

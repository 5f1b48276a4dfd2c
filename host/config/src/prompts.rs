//! `[prompts]`: templates of the experiment's own for the questions to a model.
//!
//! An experiment may come from anybody. So a template lies in its folder, and has the places without which a model would
//! not be told what the experiment says elsewhere. The form of a reply, and that texts of others are no orders, is said
//! beside it, and is not the template's.

use super::asked_model;
use super::error::{ConfigError, Finding, Findings};
use super::fields::prompts::PROMPT_FILES;
use super::paths::FileRef;
use super::prompt_template::{PROMPT_BYTES_MAX, PromptKind, PromptTemplate};
use super::section::Section;
use super::text_file::read_bounded_text;
use bakeoff_files::Reach;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Files of templates, relative to the experiment's folder.
pub(super) type PromptFiles = BTreeMap<PromptKind, PathBuf>;

/// Templates that stand in the place of those that are built in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prompts {
    own: BTreeMap<PromptKind, OwnPrompt>,
}

/// Template of an experiment's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnPrompt {
    /// The file, relative to the experiment's folder.
    pub file: PathBuf,
    /// The template.
    pub template: PromptTemplate,
}

impl Prompts {
    /// Returns the template for a kind of question, if there is one of the experiment's own.
    pub fn get(&self, kind: PromptKind) -> Option<&OwnPrompt> {
        self.own.get(&kind)
    }

    /// Returns all templates of the experiment's own.
    pub fn all(&self) -> impl Iterator<Item = (PromptKind, &OwnPrompt)> {
        self.own.iter().map(|(kind, one)| (*kind, one))
    }
}

/// Reads `[prompts]`.
pub(super) fn prompts(
    mut section: Section<'_>,
    files: &mut Vec<FileRef>,
    found: &mut Vec<Finding>,
) -> PromptFiles {
    let named = PROMPT_FILES.map(|(kind, field)| {
        let file = asked_model::file(field, &mut section, files, found);
        file.map(|file| (kind, file))
    });
    section.close(found);
    named.into_iter().flatten().collect()
}

/// Reads the templates from their files in an experiment's folder.
///
/// # Errors
/// A file cannot be read, is too long, or is no template of its kind: [`ConfigError::Invalid`] names file and line.
pub(super) fn read_prompts(named: &PromptFiles, dir: &Path) -> Result<Prompts, ConfigError> {
    let mut own = BTreeMap::new();
    for (kind, file) in named {
        let path = dir.join(file);
        let text = read_bounded_text(
            &path,
            ("template of a question", PROMPT_BYTES_MAX),
            Reach::Within(dir),
        )?;
        let template = PromptTemplate::parse(*kind, &text).map_err(|found| {
            let name = path.display().to_string();
            ConfigError::Invalid(Findings::new(&name, &text, found))
        })?;
        let file = file.clone();
        own.insert(*kind, OwnPrompt { file, template });
    }
    Ok(Prompts { own })
}

//! The files beside the database, for people and scripts. Each is replaced as a whole, so that a
//! reader sees the old one or the new one.

use super::atomic_file::{Durability, replace};
use super::contents::Contents;
use super::error::StoreError;
use super::safe_id::SafeId;
use bakeoff_domain::language::Language;
use bakeoff_files::Folder;
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;

/// Name of the database in the folder of an experiment.
pub const DATABASE: &str = "bakeoff.db";

/// Name of the folder with the results of an experiment's sources as programs of this machine, in that of its results.
pub const NATIVELY: &str = "natively";

/// Everything that the results of an experiment consist of, by its name in their folder; the journals
/// of the database before it, as they must never lie beside another one.
pub(super) const LAYOUT: [&str; 14] = [
    "bakeoff.db-journal",
    "bakeoff.db-wal",
    "bakeoff.db-shm",
    "events.jsonl",
    "progress.json",
    "summary.md",
    "report.json",
    "report.md",
    "report.html",
    "charts",
    "variants",
    "contents",
    NATIVELY,
    DATABASE,
];

/// The folder of an experiment, `.bakeoff/NAME`.
#[derive(Clone, Debug)]
pub struct Files {
    folder: Arc<Folder>,
}

/// A format of the report that has a file of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportFile {
    /// `report.json`
    Json,
    /// `report.md`
    Markdown,
    /// `report.html`
    Html,
}

/// A file of an iteration of a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IterationFile {
    /// `source.rs`, `source.c` or `source.cc`: the source that was built.
    Source(Language),
    /// `component.wasm`: the component that ran.
    Component,
    /// `log.txt`: the output of the compiler and the gate.
    Log,
}

impl ReportFile {
    /// Returns the name of the file in the folder of the experiment.
    pub fn name(self) -> &'static str {
        match self {
            Self::Json => "report.json",
            Self::Markdown => "report.md",
            Self::Html => "report.html",
        }
    }
}

impl IterationFile {
    fn name(self) -> &'static str {
        match self {
            Self::Source(Language::Rust) => "source.rs",
            Self::Source(Language::C) => "source.c",
            Self::Source(Language::Cpp) => "source.cc",
            Self::Source(Language::Zig) => "source.zig",
            Self::Component => "component.wasm",
            Self::Log => "log.txt",
        }
    }
}

impl Files {
    /// Opens a folder that the user named, or that is ours: it may be a link.
    ///
    /// # Errors
    /// Any error of opening the folder.
    pub fn named_by_user(folder: &Path) -> Result<Self, StoreError> {
        let opened = Folder::named_by_user(folder);
        let opened = opened.map_err(|error| StoreError::from_io("open", folder, error))?;
        Ok(Self {
            folder: Arc::new(opened),
        })
    }

    /// The files of an open folder.
    pub(super) fn in_folder(folder: &Folder) -> Result<Self, StoreError> {
        let opened = folder.try_clone();
        let opened = opened.map_err(|error| StoreError::from_io("open", folder.path(), error))?;
        Ok(Self {
            folder: Arc::new(opened),
        })
    }

    /// The path of the folder, for messages.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The open folder.
    pub(super) fn open_folder(&self) -> &Folder {
        &self.folder
    }

    /// The content-addressed files, in `contents`.
    pub fn contents(&self) -> Contents {
        Contents::new(self.folder.clone())
    }

    /// Replaces `progress.json`.
    ///
    /// # Errors
    /// [`StoreError::Full`], [`StoreError::ReadOnly`] or [`StoreError::Io`].
    pub(super) fn write_progress(&self, progress: &impl Serialize) -> Result<(), StoreError> {
        let bytes = json(progress, "progress.json")?;
        self.replace("progress.json", &bytes, Durability::Kill)
    }

    /// Replaces `summary.md`.
    ///
    /// # Errors
    /// [`StoreError::Full`], [`StoreError::ReadOnly`] or [`StoreError::Io`].
    pub fn write_summary(&self, text: &str) -> Result<(), StoreError> {
        self.replace("summary.md", text.as_bytes(), Durability::PowerCut)
    }

    /// Replaces the report in a format.
    ///
    /// # Errors
    /// [`StoreError::Full`], [`StoreError::ReadOnly`] or [`StoreError::Io`].
    pub fn write_report(&self, file: ReportFile, bytes: &[u8]) -> Result<(), StoreError> {
        self.replace(file.name(), bytes, Durability::PowerCut)
    }

    /// Replaces `charts/NAME.svg`, a picture that `report.md` shows.
    ///
    /// # Errors
    /// [`StoreError::Full`], [`StoreError::ReadOnly`] or [`StoreError::Io`].
    pub fn write_chart(&self, name: &SafeId, svg: &str) -> Result<(), StoreError> {
        let path = format!("charts/{}.svg", name.as_str());
        self.replace(&path, svg.as_bytes(), Durability::Kill)
    }

    /// Replaces `variants/ID.json`.
    ///
    /// # Errors
    /// [`StoreError::Full`], [`StoreError::ReadOnly`] or [`StoreError::Io`].
    pub fn write_variant(&self, id: &SafeId, value: &impl Serialize) -> Result<(), StoreError> {
        let bytes = json(value, id.as_str())?;
        let path = format!("variants/{}.json", id.as_str());
        self.replace(&path, &bytes, Durability::Kill)
    }

    /// Replaces a file in `variants/ID/iteration-N`.
    ///
    /// # Errors
    /// [`StoreError::Full`], [`StoreError::ReadOnly`] or [`StoreError::Io`].
    pub fn write_iteration(
        &self,
        id: &SafeId,
        number: u32,
        file: IterationFile,
        bytes: &[u8],
    ) -> Result<(), StoreError> {
        let (id, name) = (id.as_str(), file.name());
        let path = format!("variants/{id}/iteration-{number}/{name}");
        self.replace(&path, bytes, Durability::Kill)
    }

    fn replace(&self, path: &str, bytes: &[u8], durability: Durability) -> Result<(), StoreError> {
        replace(&self.folder, Path::new(path), bytes, durability)
    }
}

/// Returns a value as indented JSON with a newline at its end.
fn json(value: &impl Serialize, what: &str) -> Result<Vec<u8>, StoreError> {
    let mut bytes = serde_json::to_vec_pretty(value).map_err(|error| StoreError::Value {
        what: what.to_owned(),
        reason: error.to_string(),
    })?;
    bytes.push(b'\n');
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_written_where_the_layout_has_them() {
        let folder = tempfile::tempdir().unwrap();
        let files = Files::named_by_user(folder.path()).unwrap();
        let id = SafeId::new("heap-4").unwrap();
        files
            .write_variant(&id, &serde_json::json!({"rank": 1}))
            .unwrap();
        files
            .write_iteration(
                &id,
                1,
                IterationFile::Source(Language::Rust),
                b"pub fn f() {}",
            )
            .unwrap();
        files.write_summary("first").unwrap();
        files.write_summary("second").unwrap();
        let read = |path: &str| std::fs::read_to_string(folder.path().join(path)).unwrap();
        assert_eq!(read("variants/heap-4.json"), "{\n  \"rank\": 1\n}\n");
        assert_eq!(
            read("variants/heap-4/iteration-1/source.rs"),
            "pub fn f() {}"
        );
        assert_eq!(read("summary.md"), "second");
        let left = std::fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(left, 2, "nothing temporary is left");
    }

    #[test]
    fn a_leftover_of_a_killed_writer_is_replaced_and_a_link_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let victim = folder.path().join("victim");
        std::fs::write(&victim, "untouched").unwrap();
        std::os::unix::fs::symlink(&victim, folder.path().join(".summary.md.tmp")).unwrap();
        let files = Files::named_by_user(folder.path()).unwrap();
        files.write_summary("text").unwrap();
        assert_eq!(std::fs::read_to_string(&victim).unwrap(), "untouched");
    }
}

//! The files beside the database, for people and scripts. Each is replaced as a whole, so that a
//! reader sees the old one or the new one.

use super::error::StoreError;
use super::safe_id::SafeId;
use serde::Serialize;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The folder of an experiment, `.bakeoff/NAME`.
#[derive(Clone, Debug)]
pub struct Files {
    folder: PathBuf,
}

/// The report in one of its forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportFile {
    /// `report.json`
    Json,
    /// `report.md`
    Markdown,
    /// `report.html`
    Html,
}

/// What is kept of one revision of a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IterationFile {
    /// `source.rs`: what was built.
    Source,
    /// `component.wasm`: what ran.
    Component,
    /// `log.txt`: what the compiler and the gate said.
    Log,
}

/// Whether a file must survive a power cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Survives {
    /// It is on the disk before it is in its place.
    PowerCut,
    /// It is rewritten so often that waiting for the disk would cost more than losing it.
    Kill,
}

impl Files {
    /// The files of a folder, which need not exist yet.
    pub fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_path_buf(),
        }
    }

    /// The folder itself.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where events are appended to.
    pub fn events(&self) -> PathBuf {
        self.folder.join("events.jsonl")
    }

    /// Where the state of the run is.
    pub fn progress(&self) -> PathBuf {
        self.folder.join("progress.json")
    }

    /// Where the summary is.
    pub fn summary(&self) -> PathBuf {
        self.folder.join("summary.md")
    }

    /// Where a form of the report is.
    pub fn report(&self, form: ReportFile) -> PathBuf {
        self.folder.join(match form {
            ReportFile::Json => "report.json",
            ReportFile::Markdown => "report.md",
            ReportFile::Html => "report.html",
        })
    }

    /// Where the results of a variant are.
    pub fn variant(&self, id: &SafeId) -> PathBuf {
        let name = format!("{}.json", id.as_str());
        self.folder.join("variants").join(name)
    }

    /// Where a file of a variant's revision is; iterations count from 1.
    pub fn iteration(&self, id: &SafeId, number: u32, file: IterationFile) -> PathBuf {
        let folder = self.folder.join("variants").join(id.as_str());
        folder.join(format!("iteration-{number}")).join(match file {
            IterationFile::Source => "source.rs",
            IterationFile::Component => "component.wasm",
            IterationFile::Log => "log.txt",
        })
    }

    /// Replaces `progress.json`.
    ///
    /// # Errors
    /// Those of writing: full, read-only, or what the system says.
    pub(super) fn write_progress(&self, progress: &impl Serialize) -> Result<(), StoreError> {
        let bytes = json(progress, "progress.json")?;
        replace(&self.progress(), &bytes, Survives::Kill)
    }

    /// Replaces `summary.md`.
    ///
    /// # Errors
    /// Those of writing: full, read-only, or what the system says.
    pub fn write_summary(&self, text: &str) -> Result<(), StoreError> {
        replace(&self.summary(), text.as_bytes(), Survives::PowerCut)
    }

    /// Replaces a form of the report.
    ///
    /// # Errors
    /// Those of writing: full, read-only, or what the system says.
    pub fn write_report(&self, form: ReportFile, bytes: &[u8]) -> Result<(), StoreError> {
        replace(&self.report(form), bytes, Survives::PowerCut)
    }

    /// Replaces `charts/NAME.svg`, a picture that `report.md` shows.
    ///
    /// # Errors
    /// Those of writing: full, read-only, or what the system says.
    pub fn write_chart(&self, name: &SafeId, svg: &str) -> Result<(), StoreError> {
        let path = self
            .folder
            .join("charts")
            .join(format!("{}.svg", name.as_str()));
        replace(&path, svg.as_bytes(), Survives::PowerCut)
    }

    /// Replaces `variants/ID.json`.
    ///
    /// # Errors
    /// Those of writing: full, read-only, or what the system says.
    pub fn write_variant(&self, id: &SafeId, value: &impl Serialize) -> Result<(), StoreError> {
        let bytes = json(value, id.as_str())?;
        replace(&self.variant(id), &bytes, Survives::PowerCut)
    }

    /// Replaces a file in `variants/ID/iteration-N`.
    ///
    /// # Errors
    /// Those of writing: full, read-only, or what the system says.
    pub fn write_iteration(
        &self,
        id: &SafeId,
        number: u32,
        file: IterationFile,
        bytes: &[u8],
    ) -> Result<(), StoreError> {
        let path = self.iteration(id, number, file);
        replace(&path, bytes, Survives::PowerCut)
    }
}

/// JSON for people: indented, with a newline at its end.
fn json(value: &impl Serialize, what: &str) -> Result<Vec<u8>, StoreError> {
    let mut bytes = serde_json::to_vec_pretty(value).map_err(|error| StoreError::Value {
        what: what.to_owned(),
        reason: error.to_string(),
    })?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// Writes a file beside its place and moves it there. Only the holder of the folder's lock writes,
/// so one name for the file beside it is enough; what a killed writer left there is overwritten.
fn replace(path: &Path, bytes: &[u8], survives: Survives) -> Result<(), StoreError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)
        .map_err(|error| StoreError::from_io("create", folder, error))?;
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".tmp");
    let beside = folder.join(name);
    let written = write_new(&beside, bytes, survives).and_then(|()| std::fs::rename(&beside, path));
    if let Err(error) = written {
        let _ = std::fs::remove_file(&beside);
        return Err(StoreError::from_io("write", path, error));
    }
    if survives == Survives::PowerCut {
        sync_folder(path)?;
    }
    Ok(())
}

fn write_new(path: &Path, bytes: &[u8], survives: Survives) -> std::io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = File::create_new(path)?;
    file.write_all(bytes)?;
    if survives == Survives::PowerCut {
        file.sync_all()?;
    }
    Ok(())
}

/// Makes a move within a file's folder survive a power cut.
pub(super) fn sync_folder(file: &Path) -> Result<(), StoreError> {
    let folder = file.parent().unwrap_or(Path::new("."));
    File::open(folder)
        .and_then(|open| open.sync_all())
        .map_err(|error| StoreError::from_io("write", folder, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_land_where_the_layout_says() {
        let folder = tempfile::tempdir().unwrap();
        let files = Files::new(folder.path());
        let id = SafeId::new("heap-4").unwrap();
        files
            .write_variant(&id, &serde_json::json!({"rank": 1}))
            .unwrap();
        files
            .write_iteration(&id, 1, IterationFile::Source, b"pub fn f() {}")
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
    fn what_a_killed_writer_left_is_replaced_and_a_link_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let victim = folder.path().join("victim");
        std::fs::write(&victim, "untouched").unwrap();
        std::os::unix::fs::symlink(&victim, folder.path().join(".summary.md.tmp")).unwrap();
        Files::new(folder.path()).write_summary("text").unwrap();
        assert_eq!(std::fs::read_to_string(&victim).unwrap(), "untouched");
    }
}

//! The folder of one run: the files that an agent gave, and everything that the run writes beside its results.

use super::arguments::{CaseArgument, FileArgument, SourceArgument};
use super::error::{ToolError, quoted};
use super::limits::{FILES_BYTES_MAX, NAME_CHARS_MAX, TEXT_BYTES_MAX};
use super::roots::Roots;
use bakeoff_config::CASES_MAX;
use bakeoff_files::Scratch;
use std::fmt::Write as _;
use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Mode of a folder that only its owner may enter.
const OWNER_ONLY: u32 = 0o700;

/// The most attempts to remove the folder: a process that was killed with the run may be writing for a moment yet.
const REMOVALS_MAX: u32 = 100;

/// The pause between two attempts.
const REMOVAL_PAUSE: Duration = Duration::from_millis(20);

/// The folder of one run. Dropping the value removes it; if this process is killed, the next one removes it.
#[derive(Debug)]
pub(super) struct Workspace {
    folder: Scratch,
    bytes: usize,
}

impl Workspace {
    /// Makes an empty folder that only this user may enter.
    pub(super) fn new() -> Result<Self, ToolError> {
        let make = || {
            let folder = Scratch::new()?;
            let workspace = Self { folder, bytes: 0 };
            for inner in [workspace.files(), workspace.temporary()] {
                DirBuilder::new().mode(OWNER_ONLY).create(inner)?;
            }
            Ok(workspace)
        };
        make().map_err(|error: std::io::Error| {
            ToolError::machine("cannot make a folder among the temporary files", error)
        })
    }

    /// Returns the folder of the files, in which a command starts.
    pub(super) fn files(&self) -> PathBuf {
        self.folder.work().join("files")
    }

    /// Returns the folder itself.
    pub(super) fn path(&self) -> &Path {
        self.folder.work()
    }

    /// Returns the folder for the temporary files of a command.
    pub(super) fn temporary(&self) -> PathBuf {
        self.folder.work().join("temporary")
    }

    /// Writes a source. Returns the name of its file and, for Rust, its text.
    ///
    /// # Errors
    /// The name or the file of the source is refused, or another source has that name.
    pub(super) fn put_source(
        &mut self,
        source: SourceArgument,
        roots: &Roots,
    ) -> Result<(String, Option<String>), ToolError> {
        let name = source.name.strip_suffix(".rs").unwrap_or(&source.name);
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        let starts = name.starts_with(|c: char| c.is_ascii_alphanumeric());
        if !starts || name.len() > NAME_CHARS_MAX || !name.chars().all(is_plain) {
            return Err(ToolError::new(format!(
                "the name {} of a source is refused: a name is 1 to {NAME_CHARS_MAX} letters, digits, `-` and \
                 `_`, and begins with a letter or digit",
                quoted(&source.name)
            )));
        }
        let what = format!("the source {}", quoted(name));
        let file = FileArgument {
            text: source.text,
            path: source.path,
        };
        let (file, bytes) = self.put(name, &what, file, roots)?;
        let is_rust = file.ends_with(".rs");
        Ok((
            file,
            is_rust.then(|| String::from_utf8_lossy(&bytes).into_owned()),
        ))
    }

    /// Writes a file, and returns its name. `stem` has no ending: that follows from the kind of the file.
    pub(super) fn put_file(
        &mut self,
        stem: &str,
        what: &str,
        file: FileArgument,
        roots: &Roots,
    ) -> Result<String, ToolError> {
        Ok(self.put(stem, what, file, roots)?.0)
    }

    /// Writes a file of WIT, and returns its name.
    pub(super) fn put_wit(
        &mut self,
        file: FileArgument,
        roots: &Roots,
    ) -> Result<String, ToolError> {
        let bytes = self.content("`wit`", file, roots)?;
        // No source can have this name, nor that of the other files: all of theirs have one ending.
        self.write("interface.wit", "`wit`", &bytes)
    }

    /// Writes a file of rows, and returns its name.
    pub(super) fn put_rows(
        &mut self,
        file: FileArgument,
        roots: &Roots,
    ) -> Result<String, ToolError> {
        let bytes = self.content("`rows`", file, roots)?;
        self.write("rows", "`rows`", &bytes)
    }

    /// Writes a file of cases, and returns its name.
    pub(super) fn put_cases(&mut self, cases: &[CaseArgument]) -> Result<String, ToolError> {
        if !(1..=CASES_MAX).contains(&cases.len()) {
            return Err(ToolError::new(format!(
                "`cases` has {} calls, and 1 to {CASES_MAX} are taken",
                cases.len()
            )));
        }
        let mut text = String::new();
        for case in cases {
            let _ = writeln!(text, "[[case]]\ncall = {}", toml_string(&case.call));
            if let Some(expect) = &case.expect {
                let _ = writeln!(text, "expect = {}", toml_string(expect));
            }
        }
        self.add("`cases`", text.len(), TEXT_BYTES_MAX)?;
        self.write("cases.toml", "`cases`", text.as_bytes())
    }

    /// Writes a file of our own, and returns its name. Texts in it were counted by [`Workspace::count`].
    pub(super) fn write_own(&self, name: &str, text: &str) -> Result<String, ToolError> {
        self.write(name, name, text.as_bytes())
    }

    /// Counts a text that is given inline, which becomes part of a file.
    pub(super) fn count(&mut self, what: &str, bytes: usize) -> Result<(), ToolError> {
        self.add(what, bytes, TEXT_BYTES_MAX)
    }

    fn put(
        &mut self,
        stem: &str,
        what: &str,
        file: FileArgument,
        roots: &Roots,
    ) -> Result<(String, Vec<u8>), ToolError> {
        let of_path = file.path.as_deref().map(Path::new);
        let ending = match of_path.map(|path| path.extension().and_then(|end| end.to_str())) {
            None | Some(Some("rs")) => "rs",
            Some(Some("wasm")) => "wasm",
            Some(_) => {
                return Err(ToolError::new(format!(
                    "{what} is read from {}, which ends neither in .rs nor in .wasm: compile other languages to a \
                     component",
                    quoted(file.path.as_deref().unwrap_or_default())
                )));
            }
        };
        let bytes = self.content(what, file, roots)?;
        let name = self.write(&format!("{stem}.{ending}"), what, &bytes)?;
        Ok((name, bytes))
    }

    /// Returns the bytes of a text or of a file below a root.
    fn content(
        &mut self,
        what: &str,
        file: FileArgument,
        roots: &Roots,
    ) -> Result<Vec<u8>, ToolError> {
        match (file.text, file.path) {
            (Some(text), None) => {
                self.add(what, text.len(), TEXT_BYTES_MAX)?;
                Ok(text.into_bytes())
            }
            (None, Some(path)) => {
                let bytes = roots.read(&path)?;
                self.add(what, bytes.len(), FILES_BYTES_MAX)?;
                Ok(bytes)
            }
            _ => Err(ToolError::new(format!(
                "{what} needs either `text` or `path`, and not both"
            ))),
        }
    }

    fn add(&mut self, what: &str, bytes: usize, bytes_max: usize) -> Result<(), ToolError> {
        self.bytes += bytes;
        let refused = |bytes: usize, bytes_max: usize| {
            Err(ToolError::new(format!(
                "{what} is refused: {bytes} bytes are more than {bytes_max}, the most that is taken; give less, \
                 for instance only the function with what it uses"
            )))
        };
        match bytes <= bytes_max {
            false => refused(bytes, bytes_max),
            true if self.bytes > FILES_BYTES_MAX => refused(self.bytes, FILES_BYTES_MAX),
            true => Ok(()),
        }
    }

    fn write(&self, name: &str, what: &str, bytes: &[u8]) -> Result<String, ToolError> {
        let path = self.files().join(name);
        let created = fs::File::create_new(&path);
        match created.and_then(|mut file| std::io::Write::write_all(&mut file, bytes)) {
            Ok(()) => Ok(name.to_owned()),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                Err(ToolError::new(format!(
                    "{what} has the name of another file of this call: give it a name of its own"
                )))
            }
            Err(error) => Err(ToolError::machine("cannot write a temporary file", error)),
        }
    }
}

impl Drop for Workspace {
    /// Removes everything in the folder, which then removes itself.
    fn drop(&mut self) {
        for _ in 0..REMOVALS_MAX {
            match fs::remove_dir_all(self.folder.work()) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    std::thread::sleep(REMOVAL_PAUSE);
                }
                _ => return,
            }
        }
    }
}

/// Returns a basic string of TOML: one of JSON, with the one control character escaped that JSON leaves as it is.
fn toml_string(text: &str) -> String {
    let json = serde_json::Value::from(text).to_string();
    json.replace('\u{7f}', "\\u007f")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    fn text(text: &str) -> FileArgument {
        FileArgument {
            text: Some(text.to_owned()),
            path: None,
        }
    }

    fn source(name: &str, code: &str) -> SourceArgument {
        SourceArgument {
            name: name.to_owned(),
            text: Some(code.to_owned()),
            path: None,
        }
    }

    #[test]
    fn the_folder_is_the_users_alone_and_is_removed() {
        let mut workspace = Workspace::new().unwrap();
        let roots = Roots::default();
        let (file, code) = workspace
            .put_source(source("heap.rs", "x"), &roots)
            .unwrap();
        assert_eq!((&*file, code.as_deref()), ("heap.rs", Some("x")));
        assert_eq!(fs::read(workspace.files().join("heap.rs")).unwrap(), b"x");
        let folder = workspace.folder.work().to_owned();
        for inner in [
            folder.parent().unwrap(),
            &workspace.files(),
            &workspace.temporary(),
        ] {
            assert_eq!(
                fs::metadata(inner).unwrap().permissions().mode() & 0o777,
                OWNER_ONLY
            );
        }
        drop(workspace);
        assert!(!folder.parent().unwrap().exists());
    }

    #[test]
    fn names_that_could_lead_elsewhere_are_refused() {
        let mut workspace = Workspace::new().unwrap();
        let roots = Roots::default();
        let long = "x".repeat(NAME_CHARS_MAX + 1);
        for name in [
            "",
            "..",
            "../x",
            "a/b",
            "-o",
            "_",
            "a b",
            "a\0",
            "\u{1b}[2J",
            "ä",
            ".rs",
            &long,
        ] {
            let refused = workspace.put_source(source(name, ""), &roots).unwrap_err();
            assert!(refused.text().contains("is refused"), "{}", refused.text());
            assert!(!refused.text().contains('\u{1b}'));
        }
        workspace.put_source(source("same", ""), &roots).unwrap();
        let again = workspace
            .put_source(source("same.rs", ""), &roots)
            .unwrap_err();
        assert!(
            again.text().contains("a name of its own"),
            "{}",
            again.text()
        );
    }

    #[test]
    fn every_text_and_all_together_are_bounded() {
        let mut workspace = Workspace::new().unwrap();
        let roots = Roots::default();
        let large = "x".repeat(TEXT_BYTES_MAX);
        let larger = format!("{large}x");
        let refused = workspace
            .put_source(source("a", &larger), &roots)
            .unwrap_err();
        assert!(
            refused
                .text()
                .contains("1048577 bytes are more than 1048576"),
            "{}",
            refused.text()
        );
        let put =
            |number: usize| workspace.put_source(source(&format!("n{number}"), &large), &roots);
        let refused = (0..=64).map(put).find_map(Result::err);
        assert!(
            refused
                .unwrap()
                .text()
                .contains(&FILES_BYTES_MAX.to_string())
        );
        let mut workspace = Workspace::new().unwrap();
        let neither = workspace
            .put_wit(FileArgument::default(), &roots)
            .unwrap_err();
        assert!(
            neither.text().contains("either `text` or `path`"),
            "{}",
            neither.text()
        );
        assert!(workspace.put_wit(text(&larger), &roots).is_err());
    }

    #[test]
    fn cases_are_read_back_as_they_were_given() {
        let call = "f(\"a\\n\u{7f}\u{1}\", 1)";
        let parsed: toml::Table = toml::from_str(&format!("x = {}", toml_string(call))).unwrap();
        assert_eq!(parsed["x"].as_str(), Some(call));
        let mut workspace = Workspace::new().unwrap();
        assert!(workspace.put_cases(&[]).is_err());
    }
}

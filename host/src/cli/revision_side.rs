//! A package at one revision, and its public functions.

use super::failure::Failure;
use super::options::Safety;
use bakeoff_compile::{CalledFunction, FileKind, Unreadable, inline_module, read_public_functions};
use bakeoff_config::{LOCK_BYTES_MAX, Policy};
use bakeoff_confine::Confinement;
use bakeoff_domain::simd::Simd;
use bakeoff_files::{Folder, Reach};
use bakeoff_render::escape::Plain;
use bakeoff_revision::{Checkout, Package, Repository};
use bakeoff_run::KnownMachine;
use bakeoff_source::interface::{Constants, PublicFunction};
use std::path::Path;

/// The most files of a library that are read because they may have a function.
const FILES_MAX: usize = 20;
/// The largest file that is looked into, in bytes.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// Everything that all revisions of a comparison share.
pub(super) struct Setting<'a> {
    pub(super) repository: Repository,
    pub(super) package: &'a str,
    pub(super) machine: KnownMachine,
    pub(super) confinement: Confinement,
    pub(super) safety: &'a Safety,
    pub(super) policy: &'a Policy,
    pub(super) simd: Simd,
    pub(super) allows_crates: bool,
}

/// A package at a revision.
pub(super) struct Side {
    /// The revision as the user names it.
    pub(super) revision: String,
    pub(super) checkout: Checkout,
    pub(super) package: Package,
    pub(super) lock: Option<String>,
    files: Vec<LibraryFile>,
}

/// A file of the library that was read.
struct LibraryFile {
    modules: Vec<String>,
    text: Vec<u8>,
    functions: Vec<PublicFunction>,
    uncallable: Vec<String>,
    constants: Constants,
}

/// A function of a package, with the file that it is written in.
pub(super) struct Located<'a> {
    pub(super) called: CalledFunction,
    file: &'a LibraryFile,
    pub(super) function: &'a PublicFunction,
}

impl Located<'_> {
    /// The file that it is written in.
    pub(super) fn text(&self) -> &[u8] {
        &self.file.text
    }

    pub(super) fn constants(&self) -> Constants {
        self.file.constants.clone()
    }
}

impl Side {
    /// Reads the package at a revision, and the root of its library.
    ///
    /// # Errors
    /// There is no such revision or package, or its library cannot be read.
    pub(super) async fn read(setting: &Setting<'_>, revision: &str) -> Result<Self, Failure> {
        let usage = |error: bakeoff_revision::RevisionError| Failure::usage(error.to_string());
        let read = Checkout::read(&setting.confinement, &setting.repository, revision);
        let checkout = read.await.map_err(usage)?;
        let package = Package::find(&checkout, Some(setting.package)).map_err(usage)?;
        let mut side = Self {
            revision: revision.to_owned(),
            lock: package.lock.clone(),
            checkout,
            package,
            files: Vec::new(),
        };
        if side.lock.is_none() {
            side.lock = side.take_lock_of_working_tree(setting.repository.top())?;
        }
        let root = side.package.root.clone();
        let file = side.read_file(setting, &root, Vec::new()).await?;
        side.files.push(file);
        Ok(side)
    }

    /// Copies the lock that lies beside the package in the user's working tree, or above it, to the same place: many
    /// libraries leave their lock out of the repository.
    fn take_lock_of_working_tree(&self, top: &Path) -> Result<Option<String>, Failure> {
        for folder in self.package.folder.ancestors() {
            let place = folder.join("Cargo.lock");
            let read = Reach::Within(top).read_bounded(&top.join(&place), LOCK_BYTES_MAX);
            let Ok(Some(bytes)) = read else { continue };
            let Ok(text) = String::from_utf8(bytes) else {
                continue;
            };
            let written = self.opened()?.write_new(&place, text.as_bytes());
            written.map_err(|error| {
                Failure::infrastructure(format!("cannot write a temporary file: {error}"))
            })?;
            return Ok(Some(text));
        }
        Ok(None)
    }

    fn opened(&self) -> Result<Folder, Failure> {
        let opened = Folder::named_by_user(self.checkout.folder());
        opened.map_err(|error| {
            Failure::infrastructure(format!("cannot read a temporary folder: {error}"))
        })
    }

    async fn read_file(
        &self,
        setting: &Setting<'_>,
        path: &Path,
        modules: Vec<String>,
    ) -> Result<LibraryFile, Failure> {
        let folder = self.opened()?;
        let shown = format!("{} at {}", path.display(), self.revision);
        let unreadable =
            |why: &str| Failure::usage(format!("{} cannot be read: {why}", Plain(&shown)));
        let text = folder.read(path, FILE_BYTES_MAX);
        let text = text.map_err(|error| unreadable(&error.to_string()))?;
        let text = text.ok_or_else(|| unreadable("it is larger than 1 MiB"))?;
        let file = self.file_of(setting, text, modules).await;
        file.map_err(|error| {
            Failure::usage(error.text(&Plain(&shown).to_string(), FileKind::Rust.name()))
        })
    }

    async fn file_of(
        &self,
        setting: &Setting<'_>,
        text: Vec<u8>,
        modules: Vec<String>,
    ) -> Result<LibraryFile, Unreadable> {
        let read = read_public_functions(&setting.confinement, FileKind::Rust, &text).await?;
        Ok(LibraryFile {
            modules,
            text,
            functions: read.functions,
            uncallable: read.uncallable.iter().map(ToString::to_string).collect(),
            constants: read.constants,
        })
    }

    /// Returns a sentence on what the repository has and was not read, if there is something.
    pub(super) fn left_out(&self) -> Option<String> {
        let left_out = self.checkout.left_out();
        (!left_out.is_empty()).then(|| {
            format!(
                "Not read at {}, since it is a submodule, a link to no file of the repository, or too large: {}.",
                self.revision,
                left_out.join(", ")
            )
        })
    }

    /// Returns the names of the functions at the root of the library that can be called, and sentences on those that
    /// cannot.
    pub(super) fn functions(&self) -> (Vec<String>, Vec<String>) {
        let root = &self.files[0];
        let (mut names, mut others) = (Vec::new(), root.uncallable.clone());
        for function in &root.functions {
            match &function.signature {
                // One of several that are compiled under conditions.
                Ok(_) if names.contains(&function.name) => {}
                Ok(_) => names.push(function.name.clone()),
                Err(why) => others.push(format!("{}: {why}", function.name)),
            }
        }
        (names, others)
    }

    /// Reads the files of the library's modules in which a function of this name may be written.
    ///
    /// # Errors
    /// A file that may have it cannot be read.
    pub(super) async fn look_for(
        &mut self,
        setting: &Setting<'_>,
        path: &str,
    ) -> Result<(), Failure> {
        let (modules, name) = split(path);
        let is_at_root = |file: &LibraryFile| has(file, name);
        if modules.is_empty() && self.files.first().is_some_and(is_at_root) {
            return Ok(());
        }
        let root = &self.package.root;
        let source = root.parent().unwrap_or(Path::new("")).to_owned();
        let folder = self.opened()?;
        let wanted = format!("fn {name}");
        let mut found = Vec::new();
        for path in self.checkout.sources() {
            let path = Path::new(path);
            let Some(of) = modules_of(&source, path).filter(|_| path != root) else {
                continue;
            };
            let is_known = self.files.iter().any(|known| known.modules == of);
            if is_known || !(modules.is_empty() || modules == of) {
                continue;
            }
            let text = folder.read(path, FILE_BYTES_MAX);
            let Ok(Some(text)) = text else { continue };
            if String::from_utf8_lossy(&text).contains(&wanted) {
                found.push((path.to_owned(), of));
            }
        }
        for (path, of) in found.into_iter().take(FILES_MAX) {
            let read = self.read_file(setting, &path, of).await?;
            self.files.push(read);
        }
        let is_known = self.files.iter().any(|known| known.modules == modules);
        if !is_known && let Some(file) = self.inline(setting, &source, &modules).await? {
            self.files.push(file);
        }
        Ok(())
    }

    /// Returns a module that is written within the file of one above it, if there is such a one.
    async fn inline(
        &self,
        setting: &Setting<'_>,
        source: &Path,
        modules: &[String],
    ) -> Result<Option<LibraryFile>, Failure> {
        let folder = self.opened()?;
        for depth in (0..modules.len()).rev() {
            let (above, within) = modules.split_at(depth);
            let is_above =
                |path: &&String| modules_of(source, Path::new(path)).as_deref() == Some(above);
            let path = match depth {
                0 => self.package.root.to_str(),
                _ => self
                    .checkout
                    .sources()
                    .iter()
                    .find(is_above)
                    .map(String::as_str),
            };
            let text = path.map(|path| folder.read(path, FILE_BYTES_MAX));
            let Some(Ok(Some(text))) = text else { continue };
            let Ok(found) = inline_module(&setting.confinement, within, &text).await else {
                continue;
            };
            let file = self.file_of(setting, found.into_bytes(), modules.to_vec());
            return Ok(file.await.ok());
        }
        Ok(None)
    }

    /// Returns a function of the library by its name, or by its modules and its name: `lines::split`. A name alone may
    /// be that of a function in a module, which the root exports.
    ///
    /// # Errors
    /// There is none, or several modules have one of that name.
    pub(super) fn locate(&self, path: &str) -> Result<Located<'_>, String> {
        let (modules, name) = split(path);
        let called = CalledFunction::parse(&self.package.library, path).ok_or_else(|| {
            format!("{path:?} is no name of a function: write NAME, or MODULE::NAME")
        })?;
        let mut with_it = self.files.iter().filter(|file| has(file, name));
        let found: Vec<&LibraryFile> = if modules.is_empty() {
            match with_it.next() {
                Some(root) if root.modules.is_empty() => vec![root],
                first => first.into_iter().chain(with_it).collect(),
            }
        } else {
            with_it.filter(|file| file.modules == modules).collect()
        };
        let at = format!("{} at {}", self.package.name, self.revision);
        match found.as_slice() {
            [file] => {
                let mut functions = file.functions.iter();
                let function = functions.find(|function| function.name == name);
                let function = function.ok_or_else(|| format!("{at} has no {name}"))?;
                Ok(Located {
                    called,
                    file,
                    function,
                })
            }
            [] => {
                let (mut names, _) = self.functions();
                names.truncate(10);
                let names = names.join(", ");
                Err(format!(
                    "{at} has no public function {path}{}",
                    if names.is_empty() {
                        String::new()
                    } else {
                        format!("; at its root are: {names}")
                    }
                ))
            }
            several => {
                let paths = several
                    .iter()
                    .map(|file| format!("{}::{name}", file.modules.join("::")));
                let paths: Vec<String> = paths.collect();
                Err(format!(
                    "{name} is a function of several modules of {at}: say which, of {}",
                    paths.join(", ")
                ))
            }
        }
    }
}

fn has(file: &LibraryFile, name: &str) -> bool {
    file.functions.iter().any(|function| function.name == name)
}

/// Returns the modules of a path, and the name behind them.
fn split(path: &str) -> (Vec<String>, &str) {
    let (modules, name) = path.rsplit_once("::").unwrap_or(("", path));
    let modules = modules.split("::").filter(|one| !one.is_empty());
    (modules.map(str::to_owned).collect(), name)
}

/// Returns the modules whose file this is: `a::b` for `a/b.rs` and for `a/b/mod.rs`.
fn modules_of(source: &Path, file: &Path) -> Option<Vec<String>> {
    let within = file.strip_prefix(source).ok()?.with_extension("");
    if file.extension()? != "rs" {
        return None;
    }
    let names = within.iter().map(|name| name.to_str().map(str::to_owned));
    let mut names = names.collect::<Option<Vec<String>>>()?;
    if names.last().is_some_and(|name| name == "mod") {
        names.pop();
    }
    (!names.is_empty()).then_some(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_modules_by_their_place() {
        let modules = |file: &str| modules_of(Path::new("/src"), &Path::new("/src").join(file));
        let named = |names: &[&str]| Some(names.iter().map(|&name| name.to_owned()).collect());
        assert_eq!(modules("a.rs"), named(&["a"]));
        assert_eq!(modules("a/b.rs"), named(&["a", "b"]));
        assert_eq!(modules("a/mod.rs"), named(&["a"]));
        assert_eq!(modules("mod.rs"), None);
        assert_eq!(modules("a.txt"), None);
        assert_eq!(
            split("a::b::f"),
            (vec!["a".to_owned(), "b".to_owned()], "f")
        );
        assert_eq!(split("f"), (Vec::new(), "f"));
    }
}

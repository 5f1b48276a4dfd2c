//! The functions and constants of files that are compared, read from them or from a WIT that the user names.

use crate::error::CompareError;
use crate::undeclared_experiment::refuse_untyped;
use bakeoff_compile::{FileKind, read_public_functions};
use bakeoff_confine::Confinement;
use bakeoff_domain::language::Language;
use bakeoff_domain::spec::{Approach, Code};
use bakeoff_files::Reach;
use bakeoff_render::ComparisonOutcome;
use bakeoff_render::escape::Plain;
use bakeoff_source::interface::{ComparedFile, Constants, Interface, PublicFunction, World};
use bakeoff_source::{BuildInput, language_of, read_code, token_constants};
use std::path::Path;

/// Advice where inputs cannot be drawn.
const OWN_INPUTS: &str = "inputs come from --workload FILE with --size N, or from --cases FILE";

/// Sources that were read, where the files that are compared are built from them.
#[derive(Clone)]
pub struct ReadSources {
    /// The public functions of each file.
    pub files: Vec<ComparedFile>,
    /// The numbers and texts that stand in the files.
    pub constants: Constants,
}

/// Parts of the interface that are known before the files are read.
#[derive(Clone, Copy)]
pub struct KnownInterface<'a> {
    /// The function, if it was named.
    pub call: Option<&'a str>,
    /// The WIT that has it, if one was named; `call` is, too.
    pub wit: Option<&'a Path>,
    /// The sources that the files were built from, if these were read.
    pub sources: Option<&'a ReadSources>,
}

impl KnownInterface<'_> {
    /// Returns the functions of the files, and the constants of those that are sources.
    ///
    /// # Errors
    /// As for [`Derived::read`](crate::derived::Derived::read).
    pub(crate) async fn read(
        self,
        approaches: &[Approach],
        confinement: &Confinement,
    ) -> Result<ReadSources, CompareError> {
        match (self.sources, self.wit) {
            (Some(read), _) => Ok(read.clone()),
            (None, Some(wit)) => {
                let call = self.call.unwrap_or_default();
                let files = declared_functions(wit, call, approaches)?;
                let read = read_files(approaches, confinement, false).await?;
                Ok(ReadSources { files, ..read })
            }
            (None, None) => {
                refuse_untyped(approaches)?;
                read_files(approaches, confinement, true).await
            }
        }
    }
}

/// Returns the interface of a WIT if no inputs can be drawn for its function; `None` if some can.
///
/// # Errors
/// The WIT cannot be read, or has no such function; the error says what to do.
pub fn undrawable_interface(wit: &Path, call: &str) -> Result<Option<Interface>, CompareError> {
    let (interface, function) = declared_function(wit, call)?;
    Ok(function.signature.is_err().then_some(interface))
}

/// Returns the files, each with the one function that is called.
///
/// # Errors
/// The WIT cannot be read, has no such function, or one whose inputs cannot be drawn; the error says what to do.
fn declared_functions(
    wit: &Path,
    call: &str,
    approaches: &[Approach],
) -> Result<Vec<ComparedFile>, CompareError> {
    let (interface, function) = declared_function(wit, call)?;
    if let Err(reason) = &function.signature {
        return Err(CompareError::usage(format!(
            "no inputs can be drawn for {}: {}; {OWN_INPUTS}",
            Plain(&interface.call().path()),
            Plain(reason)
        )));
    }
    let files = approaches.iter().map(|approach| ComparedFile {
        shown: approach.code.path().display().to_string(),
        is_component: true,
        functions: vec![function.clone()],
        uncallable: Vec::new(),
    });
    Ok(files.collect())
}

/// Returns the interface of a WIT, with its function that is called.
///
/// # Errors
/// The WIT cannot be read, or has no such function.
fn declared_function(wit: &Path, call: &str) -> Result<(Interface, PublicFunction), CompareError> {
    let interface =
        Interface::load(wit, call).map_err(|error| CompareError::usage(error.to_string()))?;
    let called = interface.call().path();
    let exports = interface.exports(World::Prototype);
    let export = exports.iter().find(|export| export.path() == called);
    let export =
        export.ok_or_else(|| CompareError::usage(format!("there is no {}", Plain(&called))))?;
    let function = PublicFunction::exported(export);
    Ok((interface, function))
}

/// Reads Rust sources, and components if these are `typed`: their types count. Of sources in other languages the constants
/// are read.
async fn read_files(
    approaches: &[Approach],
    confinement: &Confinement,
    typed: bool,
) -> Result<ReadSources, CompareError> {
    let mut files = Vec::new();
    let mut constants = Constants::default();
    for approach in approaches {
        match language_of(&approach.code) {
            Some(Language::C | Language::Cpp | Language::Zig) => {
                constants.extend(untyped_constants(&approach.code)?);
            }
            Some(Language::Rust) => {
                let (file, own) = read_file(&approach.code, confinement).await?;
                constants.extend(own);
                files.push(file);
            }
            None if typed => files.push(read_file(&approach.code, confinement).await?.0),
            None => {}
        }
    }
    Ok(ReadSources { files, constants })
}

/// Returns the constants of a source in C, C++ or Zig.
fn untyped_constants(code: &Code) -> Result<Constants, CompareError> {
    let input = read_code(code, Path::new(""), Reach::Anywhere).map_err(CompareError::NotBuilt)?;
    Ok(token_constants(&String::from_utf8_lossy(input.bytes())))
}

pub(crate) async fn read_file(
    code: &Code,
    confinement: &Confinement,
) -> Result<(ComparedFile, Constants), CompareError> {
    let path: &Path = code.path();
    let name = path.display().to_string();
    let input = read_code(code, Path::new(""), Reach::Anywhere).map_err(CompareError::NotBuilt)?;
    let is_component = matches!(input, BuildInput::Component { .. });
    let kind = if is_component {
        FileKind::Component
    } else {
        FileKind::Rust
    };
    let read = read_public_functions(confinement, kind, input.bytes()).await;
    let read = read.map_err(|unreadable| {
        let said = unreadable.text(&Plain(&name).to_string(), kind.name());
        let said = input.in_own_files(said);
        // What the compiler would refuse has the outcome of that, so that programs see one class.
        if is_component {
            CompareError::usage(said)
        } else {
            let words = ComparisonOutcome::BuildFailed.words();
            CompareError::no_answer(format!("{words}: {said}"))
        }
    })?;
    let file = ComparedFile {
        shown: name,
        is_component,
        functions: read.functions,
        uncallable: read.uncallable,
    };
    Ok((file, read.constants))
}

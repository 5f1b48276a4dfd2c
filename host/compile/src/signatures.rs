//! Reading the public functions of a source file, or the functions that a component exports, in a child of its own:
//! the file may come from anybody, and make a parser run for ever or out of stack.

use super::limits::{ADDRESS_SPACE_BYTES, CPU_HARD_S, CPU_SOFT_S, STDERR_BYTES_MAX};
use super::rust_caller::{self, CalledFunction};
use super::rust_mutations::{self, Mutation};
use super::unreadable_file::Unreadable;
use super::{component_functions, rust_constants, rust_examples, rust_function};
use bakeoff_confine::{ChildJob, Confinement, ExitCause, Fence, Frames, Rlimits, Role};
use bakeoff_source::interface::{Constants, ReadFile};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The name of the reader's role.
const ROLE: &str = "reader";

/// The most public functions of a file that are considered.
const FUNCTIONS_MAX: usize = 1_000;

/// The largest answer of a reader, in bytes.
const ANSWER_BYTES_MAX: usize = 1 << 20;

/// The kind of file that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// The source of a Rust file.
    Rust,
    /// A WebAssembly component.
    Component,
}

impl FileKind {
    /// Returns the kind as words in a sentence: `a component`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rust => "Rust",
            Self::Component => "a component",
        }
    }

    /// Returns the byte that stands for the kind in a task.
    fn tag(self) -> u8 {
        match self {
            Self::Rust => b'r',
            Self::Component => b'c',
        }
    }
}

/// The byte that stands for a task to write a source that calls a function of the file. A line with the function as
/// JSON follows.
const CALLER_TAG: u8 = b'f';

/// The byte that stands for a task to return a module that is written within the file. A line with the names of the
/// modules as JSON follows.
const MODULE_TAG: u8 = b'm';

/// The byte that stands for a task to list the small changes of a source.
const CHANGES_TAG: u8 = b'x';

/// The answer of a reader: the content of the file, or the reason why it cannot be read.
type Answer = Result<ReadFile, Unreadable>;

/// The answer of a reader that lists small changes.
type ChangesAnswer = Result<Vec<Mutation>, Unreadable>;

/// The answer of a reader that writes a source.
type WrittenAnswer = Result<String, Unreadable>;

/// Returns the role of reader children, for [`enter_if_child`](bakeoff_confine::enter_if_child).
pub fn reader_role() -> Role {
    Role {
        before_fence: Role::nothing,
        name: ROLE,
        run: serve,
    }
}

fn serve(payload: &[u8], frames: &mut Frames) -> Result<(), String> {
    let (tag, file) = payload.split_first().ok_or("the task is empty")?;
    if *tag == CHANGES_TAG {
        let text = std::str::from_utf8(file);
        let text = text.map_err(|error| Unreadable::because(error.to_string()));
        let answer: ChangesAnswer = text.and_then(rust_mutations::mutations);
        return send(frames, &answer);
    }
    let written = match *tag {
        CALLER_TAG => Some(write(file, |text, called| {
            rust_caller::caller(text, called)
        })?),
        MODULE_TAG => Some(write(file, |text, modules: &Vec<String>| {
            rust_caller::inline_module(text, modules)
        })?),
        _ => None,
    };
    if let Some(answer) = written {
        return send(frames, &answer);
    }
    let answer: Answer = if *tag == FileKind::Component.tag() {
        component_functions::exported_functions(file)
            .map(|functions| ReadFile {
                functions,
                uncallable: Vec::new(),
                constants: Constants::default(),
            })
            .map_err(Unreadable::because)
    } else {
        read_source(file)
    };
    let answer = answer.map(|mut file| {
        file.functions.truncate(FUNCTIONS_MAX);
        file
    });
    send(frames, &answer)
}

fn send(frames: &mut Frames, answer: &impl Serialize) -> Result<(), String> {
    let bytes = serde_json::to_vec(answer).map_err(|error| error.to_string())?;
    frames.send(&bytes).map_err(|error| error.to_string())
}

fn read_source(payload: &[u8]) -> Answer {
    let text = std::str::from_utf8(payload);
    let text = text.map_err(|error| Unreadable::because(error.to_string()))?;
    let mut functions = rust_function::public_functions(text)?;
    rust_examples::add_examples(text, &mut functions);
    Ok(ReadFile {
        functions,
        uncallable: rust_function::uncallable(text),
        constants: rust_constants::constants(text),
    })
}

/// Returns what is written from the file of a task and the line before it.
fn write<T: DeserializeOwned>(
    task: &[u8],
    written: impl FnOnce(&str, &T) -> WrittenAnswer,
) -> Result<WrittenAnswer, String> {
    let end = task.iter().position(|byte| *byte == b'\n');
    let (wanted, text) = task.split_at(end.ok_or("the task says nothing before its file")?);
    let wanted = serde_json::from_slice(wanted).map_err(|error| error.to_string())?;
    Ok(std::str::from_utf8(&text[1..])
        .map_err(|error| Unreadable::because(error.to_string()))
        .and_then(|text| written(text, &wanted)))
}

/// Returns a module that is written within a Rust file, `mod a { mod b { … } }` for `a` and `b`, as a file.
///
/// # Errors
/// The file is not Rust, or has no such module, or the reader did not survive it; the error says so.
pub async fn inline_module(
    confinement: &Confinement,
    modules: &[String],
    file: &[u8],
) -> Result<String, Unreadable> {
    let modules = serde_json::to_vec(modules);
    let modules = modules.map_err(|error| Unreadable::because(error.to_string()))?;
    let answer: WrittenAnswer = read(confinement, &[&[MODULE_TAG], &modules, b"\n", file]).await?;
    answer
}

/// Returns the small changes of a Rust source, in the order of their places: constants, loops, data structures.
///
/// # Errors
/// The file is not Rust, or the reader did not survive it; the error says so.
pub async fn small_changes(
    confinement: &Confinement,
    file: &[u8],
) -> Result<Vec<Mutation>, Unreadable> {
    let answer: ChangesAnswer = read(confinement, &[&[CHANGES_TAG], file]).await?;
    answer
}

/// Returns a source whose one public function calls that of a package, which is written in `file`.
///
/// # Errors
/// The file is not Rust, or has no such function, or the reader did not survive it; the error says so.
pub async fn caller_source(
    confinement: &Confinement,
    called: &CalledFunction,
    file: &[u8],
) -> Result<String, Unreadable> {
    let called = serde_json::to_vec(called);
    let called = called.map_err(|error| Unreadable::because(error.to_string()))?;
    let answer: WrittenAnswer = read(confinement, &[&[CALLER_TAG], &called, b"\n", file]).await?;
    answer
}

/// Reads the public functions of a Rust file and the constants in it, or the functions that a component exports.
///
/// # Errors
/// The file is not of that kind, or the reader did not survive it; the error says so.
pub async fn read_public_functions(
    confinement: &Confinement,
    kind: FileKind,
    file: &[u8],
) -> Result<ReadFile, Unreadable> {
    let answer: Answer = read(confinement, &[&[kind.tag()], file]).await?;
    answer
}

/// Returns the answer of a reader to a task.
async fn read<T: DeserializeOwned>(
    confinement: &Confinement,
    payload: &[&[u8]],
) -> Result<T, Unreadable> {
    let mut job = ChildJob::new(ROLE, payload, fence());
    job.frame_bytes_max = ANSWER_BYTES_MAX;
    job.output_bytes_max = ANSWER_BYTES_MAX as u64;
    job.stderr_bytes_max = STDERR_BYTES_MAX;
    let child = confinement.spawn(job).await;
    let mut child = child.map_err(|error| Unreadable::because(error.to_string()))?;
    let frame = child.next_frame().await;
    let exit = child.finish().await;
    let Ok(Some(frame)) = frame else {
        return Err(Unreadable::because(match exit.cause {
            ExitCause::Signalled(libc::SIGXCPU | libc::SIGKILL) => {
                format!("it takes more than {CPU_SOFT_S} s to read")
            }
            _ => "the parser did not survive it: is it nested too deeply?".to_owned(),
        }));
    };
    // JSON, whose reader ends at a depth: the answer is a child's.
    serde_json::from_slice(&frame).map_err(|error| Unreadable::because(error.to_string()))
}

/// Returns a fence that allows no file.
fn fence() -> Fence {
    Fence {
        rlimits: Rlimits {
            address_space_bytes: Some(ADDRESS_SPACE_BYTES),
            cpu_soft_s: Some(CPU_SOFT_S),
            cpu_hard_s: Some(CPU_HARD_S),
            file_bytes: Some(0),
            open_files: None,
        },
        ..Fence::closed()
    }
}

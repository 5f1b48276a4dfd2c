//! A program for this machine, which the child makes of a user's source.

use super::build_folder::{folder_failure, read_output};
use super::build_protocol::{BuildEvent, BuildPlace, BuildTask, Compiler, TaskInput};
use super::diagnostics::DiagnosticContext;
use super::failures::build_failure;
use super::glue::ROOT_FILE;
use super::native_glue;
use super::rustc;
use super::tool::{self, ToolOutput};
use bakeoff_confine::{Frames, Role};
use bakeoff_domain::failure::{Failure, FailureClass};
use bakeoff_source::interface::Interface;
use std::path::Path;

/// The name of the role.
pub(super) const ROLE: &str = "native-builder";

/// The flags that decide the generated code; part of the cache key. They are those of a component, for this machine's
/// kind of processor and no special one.
pub(super) const FLAGS: [&str; 10] = [
    "--crate-name=guest",
    "--crate-type=bin",
    "-Copt-level=3",
    "-Cpanic=abort",
    "-Ccodegen-units=1",
    "-Cstrip=symbols",
    "--cap-lints=allow",
    "--error-format=json",
    "--diagnostic-width=100",
    "--color=never",
];

/// The search path, with the host's linker.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The name of the program in the build's folder.
const PROGRAM_FILE: &str = "program";

/// The help for a machine without a linker.
const NO_LINKER: &str = "help: programs of this machine are linked by `cc`: install a C compiler (`apt install gcc`), or \
                         leave out `--natively`";

/// Returns the role of children that build programs, for [`enter_if_child`](bakeoff_confine::enter_if_child).
pub fn native_role() -> Role {
    Role {
        before_fence: Role::nothing,
        name: ROLE,
        run: serve,
    }
}

fn serve(payload: &[u8], frames: &mut Frames) -> Result<(), String> {
    let task: BuildTask = postcard::from_bytes(payload).map_err(|error| error.to_string())?;
    let (event, program) = match build(&task) {
        Ok(program) => (BuildEvent::Program, Some(program)),
        Err(failure) => (failure.into(), None),
    };
    let event = postcard::to_stdvec(&event).map_err(|error| error.to_string())?;
    let mut send = |frame: &[u8]| frames.send(frame).map_err(|error| error.to_string());
    send(&event)?;
    program.map_or(Ok(()), |program| send(&program))
}

fn build(task: &BuildTask) -> Result<Vec<u8>, Failure> {
    let interface = Interface::parse(task.files.clone(), &task.call)
        .map_err(|error| build_failure(FailureClass::BuildFailed, error.to_string()))?;
    let TaskInput::Source {
        text,
        place: Some(place),
        ..
    } = &task.code
    else {
        return Err(folder_failure("there is no source to build"));
    };
    let BuildPlace {
        compiler, scratch, ..
    } = &**place;
    let files = native_glue::generate(&interface, text)?;
    rustc::write_crate(&files, task, text, scratch)?;
    let output = run(task, compiler, scratch)?;
    if output.status.success() {
        let program = read_output(&scratch.join(PROGRAM_FILE));
        return program.map_err(|error| folder_failure(&error.to_string()));
    }
    let context = DiagnosticContext {
        interface: &interface,
        task,
        text,
        compiler,
        scratch,
    };
    let mut failure = context.explain(&output);
    if failure.message.contains("linker `cc` not found") {
        failure.message = format!("{}\n\n{NO_LINKER}", failure.message);
    }
    Err(failure)
}

fn run(task: &BuildTask, compiler: &Compiler, scratch: &Path) -> Result<ToolOutput, Failure> {
    let edition = rustc::edition(compiler, task.world);
    let mut command = rustc::command(compiler, edition, scratch);
    command
        .args(FLAGS)
        .args(rustc::crate_flags(task))
        .arg(rustc::shown_path_flag(task))
        .args(["-o", PROGRAM_FILE, ROOT_FILE]);
    let path = [("PATH", PATH)];
    let environment = [&rustc::ENVIRONMENT[..], &path].concat();
    tool::run(&mut command, &environment, scratch)
}

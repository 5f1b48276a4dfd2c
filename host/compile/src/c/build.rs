//! Build of a source in C, C++ or Zig to a component, in the child, with the heap, the linker and the limits that Rust has.

use super::bindings::{BINDINGS, CBindings, HEADER};
use super::clang::ClangPaths;
use super::zig::Zig;
use super::zig_bindings;
use super::zig_object::{self, BINDINGS_ZIG, ROOT, ROOT_ZIG, SOURCE_ZIG};
use crate::archive::Member;
use crate::build_folder::{folder_failure, read_output, write_input};
use crate::build_protocol::{BuildKind, BuildPlace, BuildTask, Compiler};
use crate::component;
use crate::exit_failure::classify_compiler_exit;
use crate::export_names;
use crate::failures::{build_failure, cut};
use crate::glue::{self, ALLOCATOR};
use crate::link;
use crate::object_names::{self, LocalNames};
use crate::rustc;
use crate::scrub::without_paths;
use crate::tool::{self, ToolOutput};
use bakeoff_domain::failure::{Failure, FailureClass};
use bakeoff_domain::language::Language;
use bakeoff_domain::simd::Simd;
use bakeoff_source::interface::{Interface, World};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use wasmparser::{Operator, Parser, Payload, TypeRef};

const HEAP: &str = include_str!("../../guest-sdk/c/heap.rs");
const SUPPORT: &str = include_str!("../../guest-sdk/c/support.c");
const BEFORE: &str = include_str!("../../guest-sdk/c/before.h");

/// Functions of the heap: whoever defines one of them has a heap of its own.
const HEAP_FUNCTIONS: [&str; 8] = [
    "malloc",
    "calloc",
    "realloc",
    "free",
    "aligned_alloc",
    "memalign",
    "posix_memalign",
    "malloc_usable_size",
];

/// The function that an instance begins with, which calls constructors.
const INITIALIZE: &str = "_initialize";

/// The condition of the heap's crate that leaves its functions out.
const OWN_ALLOCATOR: &str = "own_allocator";

/// Flags of the compiler for all files. The features of WebAssembly are those that Rust has by default.
const FLAGS: [&str; 17] = [
    "-c",
    "-O3",
    "-w",
    "-mbulk-memory",
    "-mmutable-globals",
    "-msign-ext",
    "-mnontrapping-fptoint",
    // As in Rust, whose functions of numbers set no variable.
    "-fno-math-errno",
    "-fno-exceptions",
    "-fvisibility=hidden",
    "-ffunction-sections",
    "-fdata-sections",
    "-fno-ident",
    "-fno-color-diagnostics",
    "-ferror-limit=10",
    "-nostdinc",
    "-nostdinc++",
];

/// Names of the user's file where it is compiled.
pub(crate) const SOURCE_C: &str = "source.c";
pub(crate) const SOURCE_CPP: &str = "source.cc";

/// The longest list of functions in a message.
const NAMES_MAX: usize = 5;

/// A build of a source in C, C++ or Zig.
struct CBuild<'a> {
    task: &'a BuildTask,
    language: Language,
    clang: &'a ClangPaths,
    compiler: &'a Compiler,
    scratch: &'a Path,
    bindings: CBindings,
}

/// A component that was made of a source in C.
pub(crate) struct CompiledC {
    pub(crate) component: Vec<u8>,
    /// True if arguments come from the heap that Rust prototypes have.
    pub(crate) our_allocator: bool,
}

/// Compiles a source in C, C++ or Zig, with bindings around it.
pub(crate) fn compile(
    interface: &Interface,
    task: &BuildTask,
    (text, language): (&str, Language),
    place: &BuildPlace,
) -> Result<CompiledC, Failure> {
    let clang = place.clang.as_ref();
    let clang = clang.ok_or_else(|| failed("there is no C compiler to use".to_owned()))?;
    if language == Language::Cpp && clang.cpp.is_none() {
        return Err(failed(format!(
            "{} is C++, and there is no library of C++ for wasm32 here: `apt-get install libc++-dev-wasm32`, or a WASI \
             SDK that the variable WASI_SDK_PATH names",
            task.path_shown
        )));
    }
    if language == Language::Zig && clang.zig.is_none() {
        return Err(failed(format!(
            "{} is Zig, and there is no compiler for it here: put the `zig` of https://ziglang.org on PATH (`bakeoff doctor` \
             says whether it is found)",
            task.path_shown
        )));
    }
    let (resolve, world) = glue::world_of(interface, World::Prototype, task.parameters)?;
    let build = CBuild {
        task,
        language,
        clang,
        compiler: &place.compiler,
        scratch: &place.scratch,
        bindings: CBindings::of(&resolve, world)?,
    };
    let (module, our_allocator) = build.module(text)?;
    let component = component::componentise_as(module, &resolve, world)?;
    Ok(CompiledC {
        component,
        our_allocator,
    })
}

fn failed(message: String) -> Failure {
    build_failure(FailureClass::BuildFailed, cut(&message))
}

impl CBuild<'_> {
    /// Returns the core module, and true if it has our allocator.
    fn module(&self, text: &str) -> Result<(Vec<u8>, bool), Failure> {
        let source = match self.language {
            Language::Cpp => SOURCE_CPP,
            Language::Zig => SOURCE_ZIG,
            Language::C | Language::Rust => SOURCE_C,
        };
        let files = [
            (source, text),
            (HEADER, &self.bindings.header),
            (BINDINGS, &self.bindings.bindings),
            ("support.c", SUPPORT),
            ("before.h", BEFORE),
            ("allocator.rs", ALLOCATOR),
            ("heap.rs", HEAP),
        ];
        for (name, text) in files {
            write_input(self.scratch, name, text.as_bytes())?;
        }
        rustc::write_jobs(self.scratch)?;
        let own = match &self.clang.zig {
            Some(zig) if self.language == Language::Zig => self.compile_zig(zig)?,
            _ => self.compile_file(source, "source.o", Some(source))?,
        };
        // Zig's library asks for functions of a system by their names there.
        let of_system = imported(&own, |module| module.starts_with("wasi_snapshot"));
        refuse_system(&of_system, self.task)?;
        let own = Member {
            name: "source.o",
            bytes: &own,
        };
        let local = match self.language {
            Language::Zig => LocalNames::Printable,
            Language::Rust | Language::C | Language::Cpp => LocalNames::Usual,
        };
        object_names::check(&own, local).map_err(|what| {
            failed(format!(
                "{} cannot be linked: it has {what}; only names and sections that a compiler makes by itself are linked",
                self.task.path_shown
            ))
        })?;
        let bindings = Member {
            name: "bindings.o",
            bytes: &self.compile_file(BINDINGS, "bindings.o", None)?,
        };
        // Some of the bindings' functions are weak: the linker would take the source's without a word.
        if let Some(name) = object_names::defined_by_both(&[&own], &[&bindings]) {
            return Err(failed(format!(
                "{} defines `{name}`, which the bindings define, between it and whoever calls: leave that to them",
                self.task.path_shown
            )));
        }
        let defined = object_names::defined(&own);
        let own_allocator = defined.iter().any(|name| HEAP_FUNCTIONS.contains(name));
        self.compile_file("support.c", "support.o", None)?;
        self.compile_heap(own_allocator)?;
        let module = self.link()?;
        check_imports(&module, self.task)?;
        let module = without_beginning(&module, self.task)?;
        let our_allocator = !own_allocator && component::has_one_realloc(&module);
        Ok((module, our_allocator))
    }

    /// Compiles a file to an object, and returns it. `shown` is the name of the user's file, which messages have.
    fn compile_file(
        &self,
        file: &str,
        object: &str,
        shown: Option<&str>,
    ) -> Result<Vec<u8>, Failure> {
        let is_cpp = self.language == Language::Cpp && shown.is_some();
        let mut command = Command::new(&self.clang.clang);
        command
            .arg(format!("--target={}", self.clang.target))
            .args(FLAGS)
            .arg(if is_cpp { "-std=gnu++20" } else { "-std=gnu17" })
            .args((self.compiler.simd == Simd::On).then_some("-msimd128"))
            .args(match self.task.kind {
                BuildKind::Release => [].as_slice(),
                BuildKind::Diagnostic | BuildKind::FunctionFuel => &["-gline-tables-only"],
                // Of two levels the last one counts.
                BuildKind::Coverage => &["-gline-tables-only", "-O0"],
            })
            .arg(format!("-ffile-prefix-map={}=.", self.scratch.display()));
        let cpp = self.clang.cpp.iter().filter(|_| is_cpp);
        for headers in cpp.map(|cpp| &cpp.headers).chain(&self.clang.headers) {
            command.arg("-isystem").arg(headers);
        }
        if shown.is_some() {
            command.args(["-include", "before.h"]);
        }
        command.args(["-o", object, file]);
        self.object(&mut command, object, shown)
    }

    /// Runs a compiler, and returns the object that it writes.
    fn object(
        &self,
        command: &mut Command,
        object: &str,
        shown: Option<&str>,
    ) -> Result<Vec<u8>, Failure> {
        let output = tool::run(command, &[("TMPDIR", ".")], self.scratch)?;
        if !output.status.success() {
            return Err(self.explain(&output, shown));
        }
        let read = read_output(&self.scratch.join(object));
        read.map_err(|error| folder_failure(&format!("{object}: {error}")))
    }

    /// Compiles the user's file in Zig to an object, and returns it.
    fn compile_zig(&self, zig: &Zig) -> Result<Vec<u8>, Failure> {
        let bindings = zig_bindings::of_header(&self.bindings.header)?;
        for (name, text) in [(BINDINGS_ZIG, &*bindings), (ROOT_ZIG, ROOT)] {
            write_input(self.scratch, name, text.as_bytes())?;
        }
        let mut command = zig_object::command(zig, self.task.kind, self.compiler.simd);
        self.object(&mut command, "source.o", Some(SOURCE_ZIG))
    }

    /// Compiles the heap, with the functions of the compiler's run-time, to `heap.a`.
    fn compile_heap(&self, own_allocator: bool) -> Result<(), Failure> {
        let edition = bakeoff_domain::edition::Edition::default();
        let mut command = rustc::command(self.compiler, edition, self.scratch);
        command
            .args(rustc::FLAGS)
            .args(own_allocator.then(|| format!("--cfg={OWN_ALLOCATOR}")))
            .args(["-o", "heap.a", "heap.rs"]);
        let output = tool::run(&mut command, &rustc::ENVIRONMENT, self.scratch)?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        Err(folder_failure(&format!(
            "the heap cannot be compiled: {said}"
        )))
    }

    fn link(&self) -> Result<Vec<u8>, Failure> {
        const MODULE: &str = "out.wasm";
        let cpp = self
            .clang
            .cpp
            .iter()
            .filter(|_| self.language == Language::Cpp);
        let mut command = Command::new(&self.compiler.linker);
        command
            .args(["-flavor", "wasm"])
            .args(link::ARGUMENTS)
            // An undefined function is an error here, and so is one of another type than the header's.
            .arg("--fatal-warnings")
            .args((self.task.kind == BuildKind::Release).then_some("--strip-all"))
            .args(["source.o", "bindings.o", "support.o", "heap.a"])
            .args(cpp.flat_map(|cpp| &cpp.libraries))
            .arg(&self.clang.library)
            // The C library may ask the run-time for what nothing before it did.
            .args(["heap.a", "-o", MODULE]);
        let output = tool::run(&mut command, &[], self.scratch)?;
        if !output.status.success() {
            return Err(self.explain_link(&output));
        }
        let module = read_output(&self.scratch.join(MODULE));
        module.map_err(|error| folder_failure(&format!("{MODULE}: {error}")))
    }

    /// Returns what a program said, without paths of this machine.
    fn said(&self, output: &ToolOutput) -> String {
        let said = String::from_utf8_lossy(&output.stderr);
        // A compiler that fails by itself writes its own state, with paths of this machine.
        let (said, _) = said
            .split_once("PLEASE submit a bug report")
            .unwrap_or((&said, ""));
        let mut said = without_paths(said, self.compiler, self.scratch);
        let folders = self
            .clang
            .headers
            .iter()
            .chain(self.clang.cpp.iter().map(|cpp| &cpp.headers));
        for folder in folders {
            said = said.replace(&folder.display().to_string(), "/clang");
        }
        if let Some(zig) = &self.clang.zig {
            said = said.replace(&zig.library.display().to_string(), "/zig");
        }
        said.replace(&self.clang.library.display().to_string(), "libc.a")
    }

    fn explain(&self, output: &ToolOutput, source: Option<&str>) -> Failure {
        let said = self.said(output);
        if let Some(failure) = classify_compiler_exit(output.status, output.cpu, &said) {
            return failure;
        }
        let Some(source) = source else {
            return folder_failure(&format!("the bindings cannot be compiled: {said}"));
        };
        let shown = &self.task.path_shown;
        let mut message = said.replace(&format!("{source}:"), &format!("{shown}:"));
        if self.language != Language::Zig && said.contains("file not found") {
            message += "\nhelp: a source is one file with the C library and \"prototype.h\", the header that bakeoff makes \
                        of the interface; put other headers of yours into it";
        }
        failed(format!("{shown} does not compile\n{}", message.trim_end()))
    }

    fn explain_link(&self, output: &ToolOutput) -> Failure {
        let said = self.said(output);
        if let Some(failure) = classify_compiler_exit(output.status, output.cpu, &said) {
            return failure;
        }
        let shown = &self.task.path_shown;
        let undefined = said
            .lines()
            .filter_map(|line| line.split_once("undefined symbol: "));
        let undefined: BTreeSet<&str> = undefined.map(|(_, name)| name.trim()).collect();
        let missing = undefined.iter().filter(|name| name.starts_with("exports_"));
        let declarations = missing.filter_map(|name| self.bindings.declaration(name));
        let mut missing: Vec<String> = declarations.map(|one| format!("  {one}")).collect();
        if missing.len() > NAMES_MAX {
            let more = missing.len() - NAMES_MAX;
            missing.truncate(NAMES_MAX);
            missing.push(format!("  and {more} more"));
        }
        if !missing.is_empty() {
            let c_names = match self.language {
                Language::Cpp => {
                    "; in C++ behind `#include \"prototype.h\"`, which gives them names of C"
                }
                Language::Zig => {
                    "; in Zig as `export fn`, with the types of `@import(\"prototype\")`"
                }
                Language::C | Language::Rust => "",
            };
            return failed(format!(
                "{shown} does not define what the interface asks for{c_names}:\n{}",
                missing.join("\n")
            ));
        }
        let said = said.replace("source.o", shown);
        let help = if said.contains("signature mismatch") {
            "\nhelp: `#include \"prototype.h\"`, which declares the functions of the interface as they have to be (in Zig, \
             `@import(\"prototype\")`)"
        } else {
            ""
        };
        failed(format!(
            "{shown} cannot be linked\n{}{help}",
            said.trim_end()
        ))
    }
}

/// Returns the module without the function that would run before the first call, after checking that it does nothing: work
/// that is done there would be charged to no call, and starting it costs each instance some time.
fn without_beginning(module: &[u8], task: &BuildTask) -> Result<Vec<u8>, Failure> {
    let unreadable = |error: &dyn std::fmt::Display| {
        folder_failure(&format!("the linked module cannot be read: {error}"))
    };
    let begins = begins_with_work(module).map_err(|error| unreadable(&error))?;
    if begins {
        return Err(failed(format!(
            "{} has objects that are made before the first call, by constructors, whose work no call would be charged for: \
             make them in the function, as `static` ones if they are to be made once",
            task.path_shown
        )));
    }
    export_names::without(module, INITIALIZE).map_err(|error| unreadable(&error))
}

/// Returns true if the function that an instance begins with calls one that does anything.
fn begins_with_work(module: &[u8]) -> wasmparser::Result<bool> {
    let (mut imported, mut beginning) = (0_u32, None);
    let mut bodies = Vec::new();
    for payload in Parser::new(0).parse_all(module) {
        match payload? {
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    imported += u32::from(matches!(import?.ty, TypeRef::Func(_)));
                }
            }
            Payload::ExportSection(exports) => {
                for export in exports {
                    let export = export?;
                    if export.name == INITIALIZE {
                        beginning = Some(export.index);
                    }
                }
            }
            Payload::CodeSectionEntry(body) => bodies.push(body),
            _ => {}
        }
    }
    let body = |index: u32| bodies.get(index.checked_sub(imported)? as usize);
    let Some(beginning) = beginning.and_then(body) else {
        return Ok(false);
    };
    for operator in beginning.get_operators_reader()? {
        match operator? {
            Operator::End | Operator::Return => {}
            Operator::Call { function_index } => {
                let called = body(function_index).map(|body| body.get_operators_reader());
                let Some(called) = called.transpose()? else {
                    return Ok(true);
                };
                for operator in called {
                    if !matches!(operator?, Operator::End | Operator::Return) {
                        return Ok(true);
                    }
                }
            }
            _ => return Ok(true),
        }
    }
    Ok(false)
}

/// Refuses a module that asks for anything but the values of parameters.
fn check_imports(module: &[u8], task: &BuildTask) -> Result<(), Failure> {
    let others = imported(module, |module| !module.starts_with("wasi:config/store@"));
    refuse_system(&others, task)
}

/// Returns the names that a module or an object imports from the modules that are asked for.
fn imported(module: &[u8], is_asked: impl Fn(&str) -> bool) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for payload in Parser::new(0).parse_all(module).flatten() {
        if let Payload::ImportSection(imports) = payload {
            let imports = imports.into_imports().flatten();
            let asked = imports.filter(|import| is_asked(import.module));
            names.extend(asked.map(|import| import.name.to_owned()));
        }
    }
    names
}

/// Refuses functions of a system, if there are any.
fn refuse_system(names: &BTreeSet<String>, task: &BuildTask) -> Result<(), Failure> {
    if names.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = names.iter().take(NAMES_MAX).map(|name| &**name).collect();
    Err(failed(format!(
        "{} calls functions that need a system ({}), and a prototype has none: it reads no file, no clock and no random \
         numbers, has no arguments, and prints nothing by Zig's `std.debug.print` or C++'s `<iostream>`",
        task.path_shown,
        names.join(", ")
    )))
}

//! `bakeoff build`: builds one prototype or workload to a component.

use super::Status;
use super::compiled_for::CompiledFor;
use super::failure::Failure;
use super::options::{Format, Output, Safety};
use bakeoff_compare::code_of;
use bakeoff_compile::{BuildKind, BuildRequest, Builder, BuiltComponent, Clang};
use bakeoff_config::Policy;
use bakeoff_domain::edition::Edition;
use bakeoff_domain::language::Language;
use bakeoff_domain::simd::Simd;
use bakeoff_domain::spec::{Code, Limits};
use bakeoff_files::Reach;
use bakeoff_run::{CompilerNeed, Tools, wasi_imports};
use bakeoff_source::interface::{Interface, World};
use bakeoff_source::{BuildInput, VendoredComponents, language_of, read_code_or_vendored};
use clap::{Args, ValueEnum};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Builds a source in Rust, C, C++ or Zig to a component, confined and without cargo
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bakeoff build heap.rs --wit wit --call top-k              shows exports, imports and size
  bakeoff build heap.rs --wit wit --call top-k -o heap.wasm
  bakeoff build workload.rs --wit wit --call top-k --world workload -o workload.wasm
  bakeoff build evaluator.rs --world evaluator -o evaluator.wasm")]
pub(super) struct Arguments {
    /// A source, or a component to check again
    file: PathBuf,
    #[command(flatten)]
    interface: InterfaceArguments,
    /// The file to write the component to
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    compiled_for: CompiledFor,
    #[command(flatten)]
    safety: Safety,
}

/// The interface that the code is for.
#[derive(Clone, Debug, Args)]
pub(super) struct InterfaceArguments {
    /// The WIT file, or a folder of WIT files [default: wit]
    #[arg(long, value_name = "PATH")]
    pub(super) wit: Option<PathBuf>,
    /// The function to call: top-k, or interface.function; not for worlds of bakeoff's own
    #[arg(long, value_name = "NAME")]
    pub(super) call: Option<String>,
    /// The world that the code is for
    #[arg(long, value_enum, default_value = "prototype")]
    pub(super) world: WorldName,
}

/// The name of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum WorldName {
    /// The code that is measured
    Prototype,
    /// The code that generates inputs and checks answers
    Workload,
    /// The code that gives readings of variants; its WIT is bakeoff's own
    Evaluator,
    /// The code that adds sections to a report; its WIT is bakeoff's own
    Aggregator,
    /// The code that proposes approaches; its WIT is bakeoff's own
    Proposer,
}

impl InterfaceArguments {
    pub(super) fn load(&self) -> Result<Arc<Interface>, Failure> {
        if let Some(own) = Interface::of_own_world(self.world()) {
            return Ok(Arc::new(own));
        }
        let call = self.call()?;
        // What lies in the working folder is read unasked: it must not lead elsewhere.
        let reach = match &self.wit {
            Some(named) if named.is_dir() => Reach::Within(named),
            Some(_) => Reach::Anywhere,
            None => Reach::Within(Path::new(".")),
        };
        let interface = Interface::load_within(self.path(), reach, call);
        interface
            .map(Arc::new)
            .map_err(|error| Failure::usage(error.to_string()))
    }

    /// Returns the function to call, or an error if `--call` is missing.
    pub(super) fn call(&self) -> Result<&str, Failure> {
        let call = self.call.as_deref();
        call.ok_or_else(|| Failure::usage("with --wit DIR, --call NAME says which function is called; `bakeoff compare` reads both off Rust sources"))
    }

    /// Returns the path of the WIT: `wit`, unless another was named.
    pub(super) fn path(&self) -> &Path {
        self.wit.as_deref().unwrap_or(Path::new("wit"))
    }

    pub(super) fn world(&self) -> World {
        match self.world {
            WorldName::Prototype => World::Prototype,
            WorldName::Workload => World::Workload,
            WorldName::Evaluator => World::Evaluator,
            WorldName::Aggregator => World::Aggregator,
            WorldName::Proposer => World::Proposer,
        }
    }
}

/// The output of a build in JSON.
#[derive(Serialize)]
struct BuildOutput<'a> {
    file: String,
    digest: &'a str,
    component_bytes: usize,
    imports: &'a [String],
    exports: &'a [String],
    source_lines: Option<u64>,
    build_cpu_seconds: f64,
    cached: bool,
    confinement: &'a str,
}

pub(super) async fn run(arguments: &Arguments, output: &Output) -> Result<Status, Failure> {
    let code = code_of(&arguments.file)?;
    let (built, level) = built(
        &code,
        &arguments.interface,
        arguments.compiled_for,
        &arguments.safety,
        output,
    )
    .await?;
    let built = match built {
        Ok(built) => built,
        Err(failure) => return Err(Failure::variant(&failure)),
    };
    if let Some(path) = &arguments.output {
        std::fs::write(path, &built.component)
            .map_err(|error| Failure::usage(format!("cannot write {}: {error}", path.display())))?;
    }
    print(&built, &arguments.file, level, output)?;
    Ok(Status::Done)
}

/// Builds code for an interface, and returns the confinement level too. The inner error is a
/// failure of the code itself.
pub(super) async fn built(
    code: &Code,
    interface: &InterfaceArguments,
    compiled_for: CompiledFor,
    safety: &Safety,
    output: &Output,
) -> Result<
    (
        Result<Arc<BuiltComponent>, bakeoff_domain::failure::Failure>,
        &'static str,
    ),
    Failure,
> {
    let interface_read = interface.load()?;
    let prepared = Prepared::open(code, safety, output).await?;
    let built_for = BuiltFor {
        interface: interface_read,
        world: interface.world(),
        compiled_for: (compiled_for.simd(), compiled_for.edition()),
    };
    let level = prepared.level;
    Ok(match prepared.read(code) {
        Ok(input) => (prepared.build(input, built_for).await, level),
        Err(failure) => (Err(failure), level),
    })
}

/// The interface, world and features that code is built for.
pub(super) struct BuiltFor {
    pub(super) interface: Arc<Interface>,
    pub(super) world: World,
    pub(super) compiled_for: (Simd, Edition),
}

/// The builder of one source or component, with its fence and compilers.
pub(super) struct Prepared {
    builder: Builder,
    level: &'static str,
    vendored: VendoredComponents,
}

impl Prepared {
    /// Finds the fence and the compilers for code.
    pub(super) async fn open(
        code: &Code,
        safety: &Safety,
        output: &Output,
    ) -> Result<Self, Failure> {
        let policy = Policy::of_host()?;
        let tools = Tools::open(
            safety.unconfined(&policy)?,
            CompilerNeed::of(language_of(code).is_some()),
            wasi_imports(&policy),
            safety.cache()?,
            1,
            &bakeoff_run::KnownMachine::default(),
            &mut output.reporter(),
        )
        .await?;
        let tools = with_clang(tools, code).await?;
        let level = tools.confinement.level().name();
        let builder = Arc::into_inner(tools.builder)
            .ok_or_else(|| Failure::infrastructure("the builder is in use"))?;
        Ok(Self {
            builder,
            level,
            vendored: VendoredComponents::of_cache(safety.cache()?),
        })
    }

    /// Reads the code that a user names. The inner error is a failure of the code itself.
    pub(super) fn read(&self, code: &Code) -> Result<BuildInput, bakeoff_domain::failure::Failure> {
        let place = (Path::new(""), Reach::Anywhere);
        read_code_or_vendored(code, place, &self.vendored)
    }

    /// Builds code, or checks it if it is a component.
    pub(super) async fn build(
        self,
        code: BuildInput,
        built_for: BuiltFor,
    ) -> Result<Arc<BuiltComponent>, bakeoff_domain::failure::Failure> {
        let BuiltFor {
            interface,
            world,
            compiled_for: (simd, edition),
        } = built_for;
        let request = BuildRequest {
            interface,
            world,
            code,
            kind: BuildKind::Release,
            memory_bytes: Limits::default().memory_bytes,
            // Only prototypes are swept.
            parameters: world == World::Prototype,
        };
        let builder = self.builder.compiling_for(simd, edition);
        builder.build(&request).await
    }
}

/// Returns the tools with the compilers for C, C++ and Zig, if the code is in one of these.
async fn with_clang(tools: Tools, code: &Code) -> Result<Tools, Failure> {
    match language_of(code) {
        None | Some(Language::Rust) => Ok(tools),
        Some(language @ (Language::C | Language::Cpp | Language::Zig)) => {
            let clang = Clang::find().await;
            let mut clang = clang.map_err(|error| Failure::usage(error.to_string()))?;
            if language == Language::Zig {
                let with_zig = clang.with_zig().await;
                clang = with_zig.map_err(|error| Failure::usage(error.to_string()))?;
            }
            Ok(tools.with_clang(clang)?)
        }
    }
}

fn print(built: &BuiltComponent, file: &Path, level: &str, output: &Output) -> Result<(), Failure> {
    let built_output = BuildOutput {
        file: file.display().to_string(),
        digest: &built.digest,
        component_bytes: built.component.len(),
        imports: &built.imports,
        exports: &built.exports,
        source_lines: built.source_lines,
        build_cpu_seconds: built.cpu.as_secs_f64(),
        cached: built.cached,
        confinement: level,
    };
    match output.format {
        Format::Json => super::show::write_json(&built_output),
        _ => {
            let file = bakeoff_render::escape::Plain(&built_output.file).to_string();
            let imports = if built.imports.is_empty() {
                "nothing".to_owned()
            } else {
                built.imports.join(", ")
            };
            let text = format!(
                "{file}\n  component  {} bytes, {}\n  exports    {}\n  imports    {imports}\n  built      {}, confinement {level}\n",
                built_output.component_bytes,
                built_output.digest,
                built.exports.join("\n             "),
                if built.cached {
                    "from the cache".to_owned()
                } else {
                    format!("in {:.2} s of CPU time", built_output.build_cpu_seconds)
                },
            );
            super::show::write(&text)
        }
    }
}

//! Reading and resolving the user's WIT.

use super::error::InterfaceError;
use super::export::{Export, InterfaceCall, World, find_call, world_exports};
use super::files::{WitFile, read_files};
use super::workload::{self, InputRequest, WorkloadFunctions};
use bakeoff_files::Reach;
use std::collections::BTreeMap;
use std::path::Path;
use wit_parser::{PackageId, Resolve, SourceMap, TypeDefKind, WorldId};

/// The package of evaluators.
const EVALUATOR_WIT: &str = include_str!("../../wit/evaluator/evaluator.wit");
/// The package of aggregators.
const AGGREGATOR_WIT: &str = include_str!("../../wit/aggregator/aggregator.wit");
/// The package of proposers.
const PROPOSER_WIT: &str = include_str!("../../wit/proposer/proposer.wit");

/// The package of completions, by which proposers ask a model.
const COMPLETIONS_WIT: &str = include_str!("../../wit/completions/completions.wit");

/// The user's interface, resolved, with the function that is called.
///
/// ```
/// use bakeoff_source::interface::{Interface, WitFile, rust_signature};
/// let text = "package example:top-k;
///     world prototype { export top-k: func(values: list<s64>, k: u32) -> list<s64>; }";
/// let file = WitFile { name: "top-k.wit".into(), text: text.into() };
/// let interface = Interface::parse(vec![file], "top-k").unwrap();
/// assert_eq!(
///     rust_signature(&interface.call().function),
///     "pub fn top_k(values: Vec<i64>, k: u32) -> Vec<i64>"
/// );
/// ```
#[derive(Clone, Debug)]
pub struct Interface {
    files: Vec<WitFile>,
    resolve: Resolve,
    /// The world that called components implement.
    called: WorldId,
    workload: Option<WorldId>,
    call: InterfaceCall,
}

impl Interface {
    /// Reads and resolves the WIT at a path, a file or a folder, and finds the called function.
    ///
    /// # Errors
    /// See [`InterfaceError`].
    pub fn load(path: &Path, call: &str) -> Result<Self, InterfaceError> {
        // A folder may be named by the user, and not what lies in it.
        let reach = if path.is_dir() {
            Reach::Within(path)
        } else {
            Reach::Anywhere
        };
        Self::load_within(path, reach, call)
    }

    /// Reads and resolves the WIT at a path as [`Interface::load`] does, from files within `reach`.
    ///
    /// # Errors
    /// See [`InterfaceError`].
    pub fn load_within(path: &Path, reach: Reach<'_>, call: &str) -> Result<Self, InterfaceError> {
        Self::parse(read_files(path, reach)?, call)
    }

    /// Resolves WIT files, and finds the called function: `top-k` for a function of world `prototype`,
    /// `iface.top-k` or `ns:pkg/iface.top-k` for a function of an interface that it exports.
    ///
    /// # Errors
    /// See [`InterfaceError`].
    pub fn parse(files: Vec<WitFile>, call: &str) -> Result<Self, InterfaceError> {
        Self::of_world(files, World::Prototype.name(), call)
    }

    /// Resolves WIT files as [`Interface::parse`] does; called components implement the world of the given name.
    fn of_world(files: Vec<WitFile>, world: &str, call: &str) -> Result<Self, InterfaceError> {
        let (resolve, package) = resolve(&files)?;
        check_flags(&resolve)?;
        let worlds = &resolve.packages[package].worlds;
        let called = *worlds
            .get(world)
            .ok_or_else(|| no_prototype(&resolve, package))?;
        let workload = worlds.get("workload").copied();
        let call = find_call(&world_exports(&resolve, called), call)?;
        Ok(Self {
            files,
            resolve,
            called,
            workload,
            call,
        })
    }

    /// Returns the interface of one of bakeoff's own worlds; `None` for worlds that the user defines.
    ///
    /// # Panics
    /// Never: the texts are part of the program.
    pub fn of_own_world(world: World) -> Option<Self> {
        let (text, call) = match world {
            World::Prototype | World::Workload => return None,
            World::Evaluator => (EVALUATOR_WIT, "evaluate.describe"),
            World::Aggregator => (AGGREGATOR_WIT, "aggregate.aggregate"),
            World::Proposer => (PROPOSER_WIT, "propose.propose"),
        };
        let file = WitFile {
            name: format!("{}.wit", world.name()),
            text: text.to_owned(),
        };
        let interface = Self::of_world(vec![file], world.name(), call);
        let interface = interface.and_then(|interface| match world {
            World::Proposer => interface.importing(COMPLETIONS_WIT, "imports"),
            _ => Ok(interface),
        });
        Some(interface.expect("bakeoff's own packages are valid"))
    }

    /// Adds the imports of a world of another package to the called world.
    fn importing(mut self, package: &str, world: &str) -> Result<Self, InterfaceError> {
        let wrong = |error: String| InterfaceError::Wit(error);
        let added = self.resolve.push_source(&format!("{world}.wit"), package);
        let added = added.map_err(|error| wrong(format!("{error:#}")))?;
        let added = self.resolve.packages[added].worlds[world];
        let mut maps = wit_parser::CloneMaps::default();
        let merged = self.resolve.merge_worlds(added, self.called, &mut maps);
        merged.map_err(|error| wrong(format!("{error:#}")))?;
        Ok(self)
    }

    /// Returns the WIT files, which a child process parses again.
    pub fn files(&self) -> &[WitFile] {
        &self.files
    }

    /// Returns the function that is called.
    pub fn call(&self) -> &InterfaceCall {
        &self.call
    }

    /// Returns the functions that a world exports; none if the interface lacks the world.
    pub fn exports(&self, world: World) -> Vec<Export> {
        self.world(world)
            .map_or(Vec::new(), |id| world_exports(&self.resolve, id))
    }

    /// Finds the functions that make inputs and judge answers, and checks their types.
    ///
    /// # Errors
    /// There is no world `workload`, a function is missing, or its types do not fit.
    pub fn workload(&self, request: InputRequest) -> Result<WorkloadFunctions, InterfaceError> {
        let Some(_) = self.workload else {
            return Err(InterfaceError::World {
                wanted: "workload",
                has: "it has `prototype`".to_owned(),
                package: self.package(),
                example: "check: func(…) -> result<_, string>",
            });
        };
        workload::find_functions(&self.call.function, request, &self.exports(World::Workload))
    }

    /// Returns the signature in WIT of a workload's function that fits the call, by its name: `generate`, `check` or
    /// `assess`. `None` for another name, or if the call has no result.
    pub fn wanted_of_workload(&self, name: &str) -> Option<String> {
        let wanted = workload::wanted(&self.call.function, name);
        wanted.map(|function| function.to_string())
    }

    /// Returns the resolved packages, and a world in them; `None` if the interface lacks the world.
    pub fn resolved(&self, world: World) -> Option<(&Resolve, WorldId)> {
        self.world(world).map(|id| (&self.resolve, id))
    }

    fn world(&self, world: World) -> Option<WorldId> {
        match world {
            World::Prototype | World::Evaluator | World::Aggregator | World::Proposer => {
                Some(self.called)
            }
            World::Workload => self.workload,
        }
    }

    fn package(&self) -> String {
        let package = self.resolve.worlds[self.called].package;
        package.map_or(String::new(), |id| {
            self.resolve.packages[id].name.to_string()
        })
    }
}

/// Parses and resolves the files. Files below `deps` are packages that the main one uses.
fn resolve(files: &[WitFile]) -> Result<(Resolve, PackageId), InterfaceError> {
    let mut main = SourceMap::new();
    let mut deps: BTreeMap<&str, SourceMap> = BTreeMap::new();
    for file in files {
        let sources = match dependency(&file.name) {
            Some(name) => deps.entry(name).or_default(),
            None => &mut main,
        };
        sources.push_str(&file.name, &file.text);
    }
    let parse = |sources: SourceMap| {
        sources
            .parse()
            .map_err(|(sources, error)| InterfaceError::Wit(error.render(&sources)))
    };
    let main = parse(main)?;
    let deps = deps
        .into_values()
        .map(parse)
        .collect::<Result<Vec<_>, _>>()?;
    let mut resolve = Resolve::new();
    match resolve.push_groups(main, deps) {
        Ok(package) => Ok((resolve, package)),
        Err(error) => Err(InterfaceError::Wit(error.render(&resolve.source_map))),
    }
}

/// The most flags of one type: the canonical ABI passes them as one number of 32 bits.
const FLAGS_MAX: usize = 32;

/// Refuses flags that no component can pass, wherever they are: the generator of bindings cannot handle them.
fn check_flags(resolve: &Resolve) -> Result<(), InterfaceError> {
    for (_, ty) in &resolve.types {
        if let TypeDefKind::Flags(flags) = &ty.kind
            && flags.flags.len() > FLAGS_MAX
        {
            return Err(InterfaceError::ManyFlags {
                name: ty.name.clone().unwrap_or_else(|| "_".to_owned()),
                count: flags.flags.len(),
                most: FLAGS_MAX,
            });
        }
    }
    Ok(())
}

/// Returns the folder or file below `deps` that a file belongs to; `None` for a file of the main package.
fn dependency(name: &str) -> Option<&str> {
    let below = match name.rsplit_once("/deps/") {
        Some((_, below)) => below,
        None => name.strip_prefix("deps/")?,
    };
    Some(below.split('/').next().unwrap_or(below))
}

fn no_prototype(resolve: &Resolve, package: PackageId) -> InterfaceError {
    let package = &resolve.packages[package];
    let names: Vec<String> = package
        .worlds
        .keys()
        .map(|name| format!("`{name}`"))
        .collect();
    InterfaceError::World {
        wanted: "prototype",
        has: if names.is_empty() {
            "it has no world at all".to_owned()
        } else {
            format!("it has {}", names.join(", "))
        },
        package: package.name.to_string(),
        example: "solve: func(…) -> …",
    }
}

#[cfg(test)]
mod tests;

use super::files::WitFile;
use super::workload::{self, Workload};
use super::{InterfaceError, Type, Unsupported};
use std::collections::BTreeMap;
use std::path::Path;
use wit_parser::{PackageId, Resolve, SourceMap, WorldId, WorldItem};

/// A parameter: its name and its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// The name, as WIT has it.
    pub name: String,
    /// The type, written out.
    pub ty: Type,
}

/// A function of an interface, with its types written out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// The name, as WIT has it: `top-k`.
    pub name: String,
    /// What it takes.
    pub params: Vec<Param>,
    /// What it returns, if anything.
    pub result: Option<Type>,
}

/// As WIT declares it: `top-k: func(values: list<s64>, k: u32) -> list<s64>`.
impl std::fmt::Display for Function {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.name, self.signature())
    }
}

impl Function {
    /// Writes out a function of a resolved package.
    ///
    /// # Errors
    /// It is async, a method, or has a type that cannot be passed.
    pub fn of(resolve: &Resolve, function: &wit_parser::Function) -> Result<Self, Unsupported> {
        if function.kind.is_async() {
            return Err(Unsupported::Async);
        }
        if let Some(resource) = function.kind.resource() {
            let name = resolve.types[resource].name.clone();
            return Err(Unsupported::Resource(name.unwrap_or_default()));
        }
        let param = |param: &wit_parser::Param| {
            Ok(Param {
                name: param.name.clone(),
                ty: Type::of(resolve, &param.ty)?,
            })
        };
        Ok(Self {
            name: function.name.clone(),
            params: function
                .params
                .iter()
                .map(param)
                .collect::<Result<_, _>>()?,
            result: function
                .result
                .as_ref()
                .map(|ty| Type::of(resolve, ty))
                .transpose()?,
        })
    }

    /// `func(values: list<s64>, k: u32) -> list<s64>`.
    pub fn signature(&self) -> String {
        let param = |param: &Param| format!("{}: {}", param.name, param.ty);
        self.written(self.params.iter().map(param).collect())
    }

    /// The signature without the names of parameters, which a component does not keep apart:
    /// `func(list<s64>, u32) -> list<s64>`.
    pub fn types(&self) -> String {
        self.written(
            self.params
                .iter()
                .map(|param| param.ty.to_string())
                .collect(),
        )
    }

    fn written(&self, params: Vec<String>) -> String {
        let result = self
            .result
            .as_ref()
            .map_or(String::new(), |ty| format!(" -> {ty}"));
        format!("func({}){result}", params.join(", "))
    }
}

/// A function that a world exports.
#[derive(Clone, Debug)]
pub struct Export {
    /// The exported interface that holds it, as components name it (`ns:pkg/iface@1.0.0`), or
    /// `None` for a function of the world itself.
    pub interface: Option<String>,
    /// The function's name.
    pub name: String,
    /// The function, or why it cannot be called from outside.
    pub function: Result<Function, Unsupported>,
}

impl Export {
    /// The export as an experiment file names it: `top-k`, or `ns:pkg/iface.top-k`.
    pub fn path(&self) -> String {
        match &self.interface {
            Some(interface) => format!("{interface}.{}", self.name),
            None => self.name.clone(),
        }
    }

    /// Whether a call, as an experiment file writes it, means this export. An interface may be
    /// given in full, without its version, or by its last name.
    fn is_meant_by(&self, call: &str) -> bool {
        match (&self.interface, call.rsplit_once('.')) {
            (None, None) => self.name == call,
            (Some(full), Some((interface, name))) => {
                let unversioned = full.split_once('@').map_or(&**full, |(name, _)| name);
                let last = unversioned
                    .rsplit_once('/')
                    .map_or(unversioned, |(_, name)| name);
                self.name == name && [full, unversioned, last].contains(&interface)
            }
            _ => false,
        }
    }
}

/// The function that every prototype has, and that trials call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The exported interface that holds it, as components name it, or `None` for a function of
    /// the world itself.
    pub interface: Option<String>,
    /// The function.
    pub function: Function,
}

impl Call {
    /// The call as an experiment file may name it: `top-k`, or `ns:pkg/iface@1.0.0.top-k`.
    pub fn path(&self) -> String {
        match &self.interface {
            Some(interface) => format!("{interface}.{}", self.function.name),
            None => self.function.name.clone(),
        }
    }
}

/// Which of the interface's worlds a component is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum World {
    /// What is measured.
    Prototype,
    /// What makes inputs and judges answers.
    Workload,
}

impl World {
    /// The world's name in WIT.
    pub fn name(self) -> &'static str {
        match self {
            Self::Prototype => "prototype",
            Self::Workload => "workload",
        }
    }
}

/// The user's interface, resolved, with the function that is called.
///
/// ```
/// use bakeoff::interface::{Interface, WitFile, rust_signature};
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
    prototype: WorldId,
    workload: Option<WorldId>,
    call: Call,
}

impl Interface {
    /// Reads and resolves the WIT at a path, a file or a folder, and finds the call in it.
    ///
    /// # Errors
    /// See [`InterfaceError`].
    pub fn load(path: &Path, call: &str) -> Result<Self, InterfaceError> {
        Self::parse(super::files::read_files(path)?, call)
    }

    /// Resolves files of WIT, and finds the call: `top-k` for a function of world `prototype`,
    /// `iface.top-k` or `ns:pkg/iface.top-k` for a function of an interface that it exports.
    ///
    /// # Errors
    /// See [`InterfaceError`].
    pub fn parse(files: Vec<WitFile>, call: &str) -> Result<Self, InterfaceError> {
        let (resolve, package) = resolve(&files)?;
        let worlds = &resolve.packages[package].worlds;
        let prototype = *worlds
            .get("prototype")
            .ok_or_else(|| no_prototype(&resolve, package))?;
        let workload = worlds.get("workload").copied();
        let call = find(&world_exports(&resolve, prototype), call)?;
        Ok(Self {
            files,
            resolve,
            prototype,
            workload,
            call,
        })
    }

    /// The files it was made of: what a child needs to make it again.
    pub fn files(&self) -> &[WitFile] {
        &self.files
    }

    /// The function that is called.
    pub fn call(&self) -> &Call {
        &self.call
    }

    /// Every function that a world exports. A world that the interface lacks exports none.
    pub fn exports(&self, world: World) -> Vec<Export> {
        self.world(world)
            .map_or(Vec::new(), |id| world_exports(&self.resolve, id))
    }

    /// The functions that make inputs and judge answers, once they are seen to fit the call.
    ///
    /// # Errors
    /// There is no world `workload`, a function is missing, or its types do not fit.
    pub fn workload(&self) -> Result<Workload, InterfaceError> {
        let Some(_) = self.workload else {
            return Err(InterfaceError::World {
                wanted: "workload",
                has: "it has `prototype`".to_owned(),
                package: self.package(),
                example: "check: func(…) -> result<_, string>",
            });
        };
        workload::fit(&self.call.function, &self.exports(World::Workload))
    }

    /// The resolved packages, and a world of them.
    pub(crate) fn resolved(&self, world: World) -> Option<(&Resolve, WorldId)> {
        self.world(world).map(|id| (&self.resolve, id))
    }

    fn world(&self, world: World) -> Option<WorldId> {
        match world {
            World::Prototype => Some(self.prototype),
            World::Workload => self.workload,
        }
    }

    fn package(&self) -> String {
        let package = self.resolve.worlds[self.prototype].package;
        package.map_or(String::new(), |id| {
            self.resolve.packages[id].name.to_string()
        })
    }
}

/// Parses the files and resolves them: those below `deps` are packages that the main one uses.
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

/// The folder or file below `deps` that a file belongs to; `None`: it is of the main package.
fn dependency(name: &str) -> Option<&str> {
    let below = match name.rsplit_once("/deps/") {
        Some((_, below)) => below,
        None => name.strip_prefix("deps/")?,
    };
    Some(below.split('/').next().unwrap_or(below))
}

/// Every function that a world of resolved packages exports.
pub(crate) fn world_exports(resolve: &Resolve, world: WorldId) -> Vec<Export> {
    let mut exports = Vec::new();
    for (key, item) in &resolve.worlds[world].exports {
        let (interface, functions): (Option<String>, Vec<&wit_parser::Function>) = match item {
            WorldItem::Function(function) => (None, vec![function]),
            WorldItem::Interface { id, .. } => {
                let functions = resolve.interfaces[*id].functions.values().collect();
                (Some(resolve.name_world_key(key)), functions)
            }
            WorldItem::Type { .. } => continue,
        };
        exports.extend(functions.into_iter().map(|function| Export {
            interface: interface.clone(),
            name: function.name.clone(),
            function: Function::of(resolve, function),
        }));
    }
    exports
}

fn find(exports: &[Export], call: &str) -> Result<Call, InterfaceError> {
    let Some(export) = exports.iter().find(|export| export.is_meant_by(call)) else {
        let paths: Vec<String> = exports.iter().map(|e| format!("`{}`", e.path())).collect();
        let exports = if paths.is_empty() {
            "no function".to_owned()
        } else {
            paths.join(", ")
        };
        return Err(InterfaceError::Call {
            call: call.to_owned(),
            exports,
        });
    };
    match &export.function {
        Ok(function) => Ok(Call {
            interface: export.interface.clone(),
            function: function.clone(),
        }),
        Err(reason) => Err(InterfaceError::Unsupported {
            function: export.path(),
            reason: reason.clone(),
        }),
    }
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

//! The functions that a world exports, and the one that trials call.

use super::error::InterfaceError;
use super::function::Function;
use super::session::sessions;
use super::types::Unsupported;
use wit_parser::{Resolve, WorldId, WorldItem};

/// The world of the interface that a component implements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum World {
    /// The world of the variants that are measured.
    Prototype,
    /// The world of the code that makes inputs and judges answers.
    Workload,
    /// The world of bakeoff's own that evaluators implement.
    Evaluator,
    /// The world of bakeoff's own that aggregators implement.
    Aggregator,
    /// The world of bakeoff's own that proposers implement.
    Proposer,
}

impl World {
    /// Returns the world's name in WIT.
    pub fn name(self) -> &'static str {
        match self {
            Self::Prototype => "prototype",
            Self::Workload => "workload",
            Self::Evaluator => "evaluator",
            Self::Aggregator => "aggregator",
            Self::Proposer => "proposer",
        }
    }

    /// Returns true if bakeoff itself defines the world, in one WIT file.
    pub fn is_own(self) -> bool {
        match self {
            Self::Prototype | Self::Workload => false,
            Self::Evaluator | Self::Aggregator | Self::Proposer => true,
        }
    }
}

/// A function that a world exports.
#[derive(Clone, Debug)]
pub struct Export {
    /// The exported interface with the function, as components name it (`ns:pkg/iface@1.0.0`), or
    /// `None` for a function of the world itself.
    pub interface: Option<String>,
    /// The function's name.
    pub name: String,
    /// The function, or the reason why it cannot be called from outside.
    pub function: Result<Function, Unsupported>,
    /// True for a resource that is called in three parts: prepare, run and output.
    pub is_session: bool,
}

impl Export {
    /// Returns the export as an experiment file names it: `top-k`, or `ns:pkg/iface.top-k`.
    pub fn path(&self) -> String {
        match &self.interface {
            Some(interface) => format!("{interface}.{}", self.name),
            None => self.name.clone(),
        }
    }

    /// Returns true if a call, as an experiment file writes it, names this export. An interface may be
    /// given in full, without its version, or by its last name.
    fn is_named(&self, call: &str) -> bool {
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
pub struct InterfaceCall {
    /// The exported interface with the function, as components name it, or `None` for a function of
    /// the world itself.
    pub interface: Option<String>,
    /// The function.
    pub function: Function,
    /// True for a resource of the function's name that is called in three parts: prepare, run and output.
    pub is_session: bool,
}

impl InterfaceCall {
    /// Returns the call as an experiment file may name it: `top-k`, or `ns:pkg/iface@1.0.0.top-k`.
    pub fn path(&self) -> String {
        match &self.interface {
            Some(interface) => format!("{interface}.{}", self.function.name),
            None => self.function.name.clone(),
        }
    }
}

/// Returns every function that a world exports, and every resource that is called like one.
pub fn world_exports(resolve: &Resolve, world: WorldId) -> Vec<Export> {
    let mut exports = Vec::new();
    for (key, item) in &resolve.worlds[world].exports {
        let function = |interface: Option<String>, function: &wit_parser::Function| Export {
            interface,
            name: function.name.clone(),
            function: Function::of(resolve, function),
            is_session: false,
        };
        match item {
            WorldItem::Function(of_world) => exports.push(function(None, of_world)),
            WorldItem::Interface { id, .. } => {
                let (interface, name) = (&resolve.interfaces[*id], resolve.name_world_key(key));
                let functions = interface.functions.values();
                exports.extend(functions.map(|one| function(Some(name.clone()), one)));
                let sessions = sessions(resolve, interface).into_iter();
                exports.extend(sessions.map(|(resource, function)| Export {
                    interface: Some(name.clone()),
                    name: resource,
                    function,
                    is_session: true,
                }));
            }
            WorldItem::Type { .. } => {}
        }
    }
    exports
}

pub(super) fn find_call(exports: &[Export], call: &str) -> Result<InterfaceCall, InterfaceError> {
    let Some(export) = exports.iter().find(|export| export.is_named(call)) else {
        // Functions of a resource cannot be called alone.
        let functions = exports
            .iter()
            .filter(|export| !export.name.starts_with('['));
        let paths: Vec<String> = functions.map(|e| format!("`{}`", e.path())).collect();
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
        Ok(function) => Ok(InterfaceCall {
            interface: export.interface.clone(),
            function: function.clone(),
            is_session: export.is_session,
        }),
        Err(reason) => Err(InterfaceError::Unsupported {
            function: export.path(),
            reason: reason.clone(),
        }),
    }
}

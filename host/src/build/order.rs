//! What the parent asks of a builder child, and what the child answers.

use super::imports::WasiImports;
use super::limits::EVENT_BYTES_MAX;
use crate::interface::{WitFile, World};
use bakeoff_domain::failure::{Failure, FailureClass, Phase};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Duration;

/// What a build is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// What is checked and measured: no import, nothing but the code.
    Release,
    /// To repeat a trial that failed: line tables, and panics that report their message. A
    /// component that a user brings is taken as it is.
    Diagnostic,
}

/// An order: everything that a child needs to know. A component's bytes follow it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Order {
    /// The interface, as files.
    pub(super) files: Vec<WitFile>,
    /// The call, as an experiment file writes it.
    pub(super) call: String,
    pub(super) world: World,
    pub(super) kind: Kind,
    pub(super) code: Code,
    /// The user's file, as the user names it.
    pub(super) path_shown: String,
    /// Imports that the component may have, as components name them.
    pub(super) granted: Vec<String>,
    /// Whether a component that a user brings may import WASI.
    pub(super) wasi: WasiImports,
}

/// The code of an order.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Code {
    /// Rust source, and what compiles it.
    Source {
        text: String,
        compiler: Compiler,
        scratch: PathBuf,
    },
    /// A component, whose bytes follow the order.
    Component,
    /// The interface's own no-op, made by the child.
    NoOp,
}

/// Where the compiler is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Compiler {
    /// The toolchain's own `rustc`, not the shim that chooses one.
    pub(super) rustc: PathBuf,
    /// The toolchain's folder.
    pub(super) sysroot: PathBuf,
}

/// What a child says, one frame each. [`Event::Done`] is followed by raw frames: the component, its
/// code for the checked profile, and as many versions for the timed profile as the facts say.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Event {
    /// What it is about to do: a child that dies is judged by it.
    Stage(Stage),
    /// It could not build this: a [`Failure`], whose own form leaves out what is empty, which a
    /// reader of frames could not tell.
    Failed {
        class: FailureClass,
        message: String,
        phase: Phase,
        limit: Option<String>,
    },
    /// It built this.
    Done(Facts),
}

impl Event {
    /// Reads a frame. A few bytes of a large one could stand for far more memory than they take, so
    /// one beyond [`EVENT_BYTES_MAX`] is none.
    pub(super) fn read(frame: &[u8]) -> Option<Self> {
        let within = frame.len() <= EVENT_BYTES_MAX;
        within.then(|| postcard::from_bytes(frame).ok()).flatten()
    }
}

/// What a child is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Stage {
    /// Making the crate and compiling it.
    Source,
    /// Looking into the component and compiling it to machine code.
    Component,
}

/// What is known of a component without running it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Facts {
    /// What it imports, as components name it; without interfaces that hold nothing but types.
    pub(super) imports: Vec<String>,
    /// What it exports: `top-k: func(…) -> …`, or `ns:pkg/iface.top-k: func(…) -> …`.
    pub(super) exports: Vec<String>,
    /// Functions of all its modules.
    pub(super) functions: u32,
    /// The largest body of a function, in bytes.
    pub(super) function_bytes_max: u64,
    /// The most locals of a function.
    pub(super) locals_max: u32,
    /// Versions of its code for the timed profile.
    pub(super) layouts: u32,
    /// CPU time from source to component, the compiler's included; zero for a component that the
    /// user brought.
    pub(super) source_cpu: Duration,
    /// CPU time of the whole build, the compiler's included, up to here.
    pub(super) cpu: Duration,
}

/// A failure on the way from source to component.
pub(super) fn build_failure(class: FailureClass, message: impl Into<String>) -> Failure {
    Failure {
        class,
        message: message.into(),
        phase: Phase::Build,
        limit: None,
    }
}

/// A failure on the way from component to compiled code.
pub(super) fn load_failure(class: FailureClass, message: impl Into<String>) -> Failure {
    Failure {
        class,
        message: message.into(),
        phase: Phase::Load,
        limit: None,
    }
}

/// The same failure, with the limit that was met.
pub(super) fn with_limit(mut failure: Failure, limit: impl Into<String>) -> Failure {
    failure.limit = Some(limit.into());
    failure
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_that_stands_for_far_more_than_it_takes_is_none() {
        // A byte for each name of no length, which takes 24 in memory.
        let facts = |names: usize| {
            let names = vec![String::new(); names];
            let sizes = (0_u32, 0_u64, 0_u32, 0_u32);
            let cpu = [Duration::ZERO; 2];
            postcard::to_stdvec(&(2_u8, names, Vec::<String>::new(), sizes, cpu))
        };
        let few = facts(1_000).unwrap();
        assert!(
            matches!(Event::read(&few), Some(Event::Done(facts)) if facts.imports.len() == 1_000)
        );
        assert!(Event::read(&facts(EVENT_BYTES_MAX).unwrap()).is_none());
    }
}

//! From the engine's errors to the classes that a reader sees.

use super::limiter::OBJECTS_MAX;
use super::wasi::{HANDLES_MAX, Refusal};
use crate::config::units::show_bytes;
use bakeoff_domain::failure::FailureClass;
use bakeoff_domain::spec::Limits;
use wasmtime::{Error, Trap};

/// The longest message of a breach, in bytes: what a person still reads.
pub const MESSAGE_BYTES_MAX: usize = 16 << 10;

/// A call that did not give an answer.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Breach {
    /// Why.
    pub class: FailureClass,
    /// In words.
    pub message: String,
    /// The limit that was met, as the experiment file writes it.
    pub limit: Option<String>,
}

impl Breach {
    /// A breach that no limit explains. Of a message longer than [`MESSAGE_BYTES_MAX`] the
    /// beginning is kept: guests have a hand in what it says.
    pub fn new(class: FailureClass, message: impl Into<String>) -> Self {
        let mut message = message.into();
        if message.len() > MESSAGE_BYTES_MAX {
            message.truncate(message.floor_char_boundary(MESSAGE_BYTES_MAX));
            message.push('…');
        }
        Self {
            class,
            message,
            limit: None,
        }
    }

    /// Reads the engine's error. `denied` tells whether the guest was refused memory before it
    /// trapped: then the refusal is the reason, whatever trap the guest chose to die of.
    pub(super) fn of(error: &Error, denied: bool, limits: &Limits) -> Self {
        if let Some(Refusal(breach)) = error.downcast_ref() {
            return breach.clone();
        }
        let trap = error.downcast_ref::<Trap>().copied();
        match trap {
            Some(Trap::OutOfFuel) => Self {
                class: FailureClass::FuelLimit,
                message: "used up its fuel: an endless loop, or more work than the limit allows"
                    .into(),
                limit: Some(format!("fuel = {}", limits.fuel)),
            },
            Some(Trap::StackOverflow) => Self {
                class: FailureClass::StackLimit,
                message: "exhausted its call stack: the recursion is too deep".into(),
                limit: Some(format!("stack = {} KiB", crate::engine::STACK_BYTES >> 10)),
            },
            _ if denied => Self {
                class: FailureClass::MemoryLimit,
                message: "asked for more memory than it may have".into(),
                limit: Some(format!("memory = {}", show_bytes(limits.memory_bytes))),
            },
            Some(trap) => Self::new(FailureClass::Trap, trap.to_string()),
            None if says(error, "store handle limit exceeded") => Self {
                class: FailureClass::HostLimit,
                message: "held more handles than it may".into(),
                limit: Some(format!("handles = {HANDLES_MAX}")),
            },
            // "the data lifted from the guest exceeds `set_hostcall_fuel`"
            None if says(error, "fuel allocated for hostcalls") => Self {
                class: FailureClass::OutputLimit,
                message: "gave an answer that is larger than it may be".into(),
                limit: Some(format!("output = {}", show_bytes(limits.output_bytes))),
            },
            None if let Some(what) = too_many(error) => Self {
                class: FailureClass::HostLimit,
                message: format!("makes more {what} than it may when it is started"),
                limit: Some(format!("{what} = {OBJECTS_MAX}")),
            },
            None => Self::new(FailureClass::Trap, format!("{error:#}")),
        }
    }
}

/// Whether the engine says this of an error for which it has no type.
fn says(error: &Error, words: &str) -> bool {
    error.chain().any(|cause| cause.to_string().contains(words))
}

/// What a component has too many of; wasmtime has no type for this either.
fn too_many(error: &Error) -> Option<&'static str> {
    [
        ("instance count too high", "instances"),
        ("table count too high", "tables"),
        ("memory count too high", "memories"),
    ]
    .into_iter()
    .find_map(|(words, what)| says(error, words).then_some(what))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_read_like_the_experiment_file() {
        assert_eq!(show_bytes(256 << 20), "256 MiB");
        assert_eq!(show_bytes(1536), "1536 B");
        assert_eq!(show_bytes(64 << 10), "64 KiB");
        assert_eq!(show_bytes(0), "0 B");
    }
}

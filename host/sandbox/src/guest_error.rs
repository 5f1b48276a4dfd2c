//! Classification of engine errors as failure classes.

use super::limits::{HANDLES_MAX, INSTANCES_MAX, MESSAGE_BYTES_MAX, TABLES_MAX};
use bakeoff_config::units::show_bytes;
use bakeoff_domain::failure::FailureClass;
use bakeoff_domain::spec::Limits;
use wasmtime::{Error, Trap};

/// The error of a call that returned no answer.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct GuestError {
    /// The class of the failure.
    pub class: FailureClass,
    /// The message.
    pub message: String,
    /// The limit that was exceeded, as the experiment file writes it.
    pub limit: Option<String>,
}

/// The error by which a host function ends a guest.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{}", .0.message)]
pub(super) struct Refusal(pub(super) GuestError);

impl GuestError {
    /// Makes an error without a limit. The message is cut to [`MESSAGE_BYTES_MAX`], because guests
    /// decide a part of it.
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

    /// Classifies an error of the engine. If the guest was `denied` memory before it trapped, that is
    /// the cause, whatever trap the guest ended with.
    pub(super) fn of(error: &Error, denied: bool, limits: &Limits) -> Self {
        if let Some(Refusal(error)) = error.downcast_ref() {
            return error.clone();
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
                message:
                    "exhausted its call stack, which no option raises: the recursion is too deep"
                        .into(),
                limit: Some(format!(
                    "stack = {} KiB",
                    bakeoff_compile::engine::STACK_BYTES >> 10
                )),
            },
            _ if denied => Self {
                class: FailureClass::MemoryLimit,
                message: "asked for more memory than it may have".into(),
                limit: Some(format!("memory = {}", show_bytes(limits.memory_bytes))),
            },
            // The stack for what has an address lies in the guest's memory, where the engine cannot tell it from anything else.
            Some(trap @ Trap::MemoryOutOfBounds) => Self::new(
                FailureClass::Trap,
                format!(
                    "{trap}: an address outside of its memory, or a recursion too deep for the stack in it"
                ),
            ),
            Some(trap) => Self::new(FailureClass::Trap, trap.to_string()),
            None if has_message(error, "store handle limit exceeded") => Self {
                class: FailureClass::HostLimit,
                message: "held more handles than it may".into(),
                limit: Some(format!("handles = {HANDLES_MAX}")),
            },
            // "the data lifted from the guest exceeds `set_hostcall_fuel`"
            None if has_message(error, "fuel allocated for hostcalls") => Self {
                class: FailureClass::OutputLimit,
                message: "returned an answer that is larger than it may be".into(),
                limit: Some(format!("output = {}", show_bytes(limits.output_bytes))),
            },
            None if let Some((what, max)) = too_many(error) => Self {
                class: FailureClass::HostLimit,
                message: format!("has more {what} than it may"),
                limit: Some(format!("{what} = {max}")),
            },
            None => Self::of_engine(error, FailureClass::Trap),
        }
    }

    /// Classifies an error of the engine that no guest code raised: as the machine's if the system refused the engine
    /// something, and as `class` otherwise.
    pub(super) fn of_engine(error: &Error, class: FailureClass) -> Self {
        if error.chain().any(is_of_system) {
            Self::new(
                FailureClass::MachineFailed,
                format!(
                    "the system refused the engine memory: {error:#}; end other programs, or raise the limit \
                     on addresses (`ulimit -v`) or on open files (`ulimit -n`)"
                ),
            )
        } else {
            Self::new(class, format!("{error:#}"))
        }
    }
}

/// Returns true for the error of a system call. Those of the engine are of another release of a library
/// than ours, and so of a type without a name here; all of them end in these words. No guest chooses the
/// words of such an error: its own are in a [`Refusal`], or in a trap.
fn is_of_system(cause: &(dyn std::error::Error + 'static)) -> bool {
    cause.is::<std::io::Error>() || cause.to_string().contains("(os error ")
}

/// Returns true if a message in the error's chain contains `words`. Only for errors for which wasmtime
/// has no type.
fn has_message(error: &Error, words: &str) -> bool {
    error.chain().any(|cause| cause.to_string().contains(words))
}

/// The kind of object that a component has too many of, and how many it may have; wasmtime has no type
/// for this error.
fn too_many(error: &Error) -> Option<(&'static str, usize)> {
    [
        ("instance count too high", "instances", INSTANCES_MAX),
        ("table count too high", "tables", TABLES_MAX),
        ("memory count too high", "memories", TABLES_MAX),
    ]
    .into_iter()
    .find_map(|(words, what, max)| has_message(error, words).then_some((what, max)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_refuses_is_nobodys_trap() {
        let limits = Limits::default();
        let refused = std::io::Error::from_raw_os_error(12);
        let refused = Error::new(refused).context("mmap failed to reserve 0x104000000 bytes");
        let error = GuestError::of(&refused, false, &limits);
        assert_eq!(error.class, FailureClass::MachineFailed);
        assert!(error.message.contains("mmap failed"), "{}", error.message);
        assert!(error.message.contains("ulimit -v"), "{}", error.message);
        let other = GuestError::of(&Error::msg("type mismatch"), false, &limits);
        assert_eq!(other.class, FailureClass::Trap);
        let outside = GuestError::of(&Trap::MemoryOutOfBounds.into(), false, &limits);
        assert_eq!(outside.class, FailureClass::Trap);
        assert!(outside.message.contains("recursion"), "{}", outside.message);
        let trap = GuestError::of(&Trap::UnreachableCodeReached.into(), false, &limits);
        assert_eq!(trap.class, FailureClass::Trap);
    }

    #[test]
    fn bytes_read_like_the_experiment_file() {
        assert_eq!(show_bytes(256 << 20), "256 MiB");
        assert_eq!(show_bytes(1536), "1536 B");
        assert_eq!(show_bytes(64 << 10), "64 KiB");
        assert_eq!(show_bytes(0), "0 B");
    }
}

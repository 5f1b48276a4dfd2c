//! Failures of a build, and the length of their messages.

use super::limits::MESSAGE_BYTES_MAX;
use bakeoff_domain::failure::{Failure, FailureClass, Phase};

/// Returns a failure between source and component.
pub(super) fn build_failure(class: FailureClass, message: impl Into<String>) -> Failure {
    Failure {
        class,
        message: message.into(),
        phase: Phase::Build,
        limit: None,
    }
}

/// Returns a failure between component and machine code.
pub(super) fn load_failure(class: FailureClass, message: impl Into<String>) -> Failure {
    Failure {
        class,
        message: message.into(),
        phase: Phase::Load,
        limit: None,
    }
}

/// Adds the limit that was met to a failure.
pub(super) fn with_limit(mut failure: Failure, limit: impl Into<String>) -> Failure {
    failure.limit = Some(limit.into());
    failure
}

/// Cuts a text to [`MESSAGE_BYTES_MAX`] bytes.
pub(super) fn cut(text: &str) -> String {
    if text.len() <= MESSAGE_BYTES_MAX {
        return text.to_owned();
    }
    format!("{}…", &text[..text.floor_char_boundary(MESSAGE_BYTES_MAX)])
}

/// Returns the failure of bindings that cannot be generated.
pub(super) fn ungenerated(what: impl std::fmt::Display) -> Failure {
    let message = format!("the bindings could not be generated: {what}");
    build_failure(FailureClass::BuildFailed, message)
}

//! Parsers of what models answer, and of what commands keep beside an experiment.

use super::is_inert;

/// A file of exchanges with a model.
pub(crate) fn cassette(bytes: &[u8]) {
    if let Err(error) = bakeoff_provider::parse_cassette(bytes) {
        assert!(is_inert(&error) && error.len() < 8_000, "{error:?}");
    }
}

/// The stream of a model's reply. Where it is cut into pieces on its way makes no difference to a short one.
pub(crate) fn model_stream(bytes: &[u8]) {
    let messages = bakeoff_provider::read_stream(bytes, 4096);
    for message in &messages {
        assert!(is_inert(message) && message.len() < 8_000, "{message:?}");
    }
    if bytes.len() <= 4096 {
        assert_eq!(messages, bakeoff_provider::read_stream(bytes, 3));
    }
}

/// What a command wrote that answers as a model.
pub(crate) fn model_command(bytes: &[u8]) {
    let message = bakeoff_provider::read_command_output(bytes);
    assert!(is_inert(&message) && message.len() < 8_000, "{message:?}");
}

/// A record of exchanges, with what was under way.
pub(crate) fn model_record(bytes: &[u8]) {
    for message in bakeoff_provider::read_record(bytes).expect("a key can be drawn") {
        assert!(is_inert(&message) && message.len() < 8_000, "{message:?}");
    }
}

/// The progress of models.
pub(crate) fn model_progress(bytes: &[u8]) {
    let message = bakeoff_provider::read_progress(bytes).unwrap_or_default();
    assert!(is_inert(&message) && message.len() < 8_000, "{message:?}");
}

/// The record of what was generated.
pub(crate) fn generation_record(bytes: &[u8]) {
    for message in bakeoff::cli::read_generation_record(bytes) {
        assert!(is_inert(&message) && message.len() < 8_000, "{message:?}");
    }
}

/// What a lock file says of its holder.
pub(crate) fn lock_holder(bytes: &[u8]) {
    let holder = bakeoff_store::LockHolder::parse(bytes).map(|holder| holder.to_string());
    let shown = holder.unwrap_or_default();
    assert!(
        shown.is_ascii() && is_inert(&shown) && shown.len() < 400,
        "{shown:?}"
    );
}

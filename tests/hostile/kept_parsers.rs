//! Parsers of what models answer, and of what commands keep beside an experiment.

use super::is_inert;
use bakeoff_domain::reference::ComponentReference;

/// A file of exchanges with a model.
pub(crate) fn cassette(bytes: &[u8]) {
    if let Err(error) = bakeoff_provider::parse_cassette(bytes) {
        assert!(is_inert(&error) && error.len() < 8_000, "{error:?}");
    }
}

/// What a registry answers: a manifest, or the way to authenticate. A reference that is one is one again.
pub(crate) fn registry_answer(bytes: &[u8]) {
    match bakeoff_source::ImageManifest::parse(bytes) {
        Ok(manifest) => {
            let digest = &manifest.layer().digest;
            assert!(bakeoff_domain::reference::is_digest(digest), "{digest:?}");
        }
        Err(error) => assert!(error.to_string().len() < 8_000),
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        bakeoff_registry::parses_challenge(text);
        if let Ok(reference) = ComponentReference::parse(text) {
            assert!(is_inert(text) && !text.contains(".."), "{text:?}");
            let kept = serde_json::to_string(&reference).expect("a reference is kept");
            assert_eq!(serde_json::from_str(&kept).ok(), Some(reference));
        }
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

/// A comparison of commands that somebody kept: its report is worked out and written.
pub(crate) fn kept_timing(bytes: &[u8]) {
    let report = bakeoff_programs::KeptTiming::parse(bytes, None)
        .and_then(|(kept, _)| kept.report())
        .map_err(|error| error.to_string());
    match report {
        Ok(report) => {
            let options = bakeoff_render::Options::default();
            let text = bakeoff_render::human_of_series(&report, &options);
            assert!(text.lines().all(is_inert), "{text:?}");
            let kept = bakeoff_render::json_of_series(&report, None);
            assert!(kept.lines().all(is_inert), "{kept:?}");
        }
        Err(error) => assert!(is_inert(&error) && error.len() < 8_000, "{error:?}"),
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

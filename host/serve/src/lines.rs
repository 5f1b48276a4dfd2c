//! Events as lines of the log of a run.

use bakeoff_render::escape::Json;
use bakeoff_store::events::{Envelope, Event, Origin, Stage, checked_cases, line, title};

/// An event as it is sent to a page.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct EventLine {
    /// Number of the event.
    pub(crate) sequence: u64,
    /// Time spent on the run before the event, in seconds.
    pub(crate) seconds: f64,
    /// The event in a sentence; `None` for one that the log leaves out.
    pub(crate) text: Option<String>,
    /// The line of the event in `events.jsonl`.
    pub(crate) json: String,
}

impl EventLine {
    /// Reads a line of the database, with the event if this bakeoff knows it; `None` if it is no event.
    pub(crate) fn read(json: String) -> Option<(Self, Option<Envelope>)> {
        let envelope: Option<Envelope> = serde_json::from_str(&json).ok();
        let sequence = match &envelope {
            Some(envelope) => envelope.sequence,
            None => sequence(&json)?,
        };
        let line = Self {
            sequence,
            seconds: envelope
                .as_ref()
                .map_or(0.0, |envelope| envelope.at_ms as f64 / 1_000.0),
            text: envelope.as_ref().and_then(|envelope| text(&envelope.event)),
            json,
        };
        Some((line, envelope))
    }

    /// Returns the data that a page gets: an object with the sentence, the seconds and the event itself.
    pub(crate) fn data(&self) -> String {
        let text = serde_json::to_string(&self.text).unwrap_or_else(|_| "null".to_owned());
        let seconds = self.seconds;
        let json = &self.json;
        Json(&format!(
            r#"{{"text":{text},"seconds":{seconds},"event":{json}}}"#
        ))
        .to_string()
    }
}

/// Returns the number of an event of a later version.
fn sequence(json: &str) -> Option<u64> {
    let event: serde_json::Value = serde_json::from_str(json).ok()?;
    event.get("sequence")?.as_u64()
}

/// Returns an event in a sentence, for those that tell a person something.
fn text(event: &Event) -> Option<String> {
    if let Some(text) = line(event).or_else(|| checked_cases(event)) {
        return Some(text);
    }
    Some(match event {
        Event::RunStart { .. } => "the run begins".to_owned(),
        Event::RunInterrupted { .. } => "the run was interrupted".to_owned(),
        Event::RunFailed { message } => format!("the run failed: {message}"),
        Event::RunComplete { seconds } => format!("the run is finished after {seconds:.0} s"),
        Event::StageStart { stage, .. } => format!("{} begins", title(*stage)),
        Event::StageComplete {
            stage: Stage::Measure,
        } => "measuring is over".to_owned(),
        Event::BuildStart { variant_id } => format!("{variant_id} is being built"),
        Event::BuildComplete {
            variant_id, origin, ..
        } => format!("{variant_id} is built{}", kept(*origin)),
        Event::CheckStart { variant_id } => format!("{variant_id} is being checked"),
        Event::CheckComplete {
            variant_id, origin, ..
        } => format!("{variant_id} passed the check{}", kept(*origin)),
        Event::ReplicaComplete { index, origin, .. } => {
            format!("replica {} is stored{}", index + 1, kept(*origin))
        }
        Event::ReplicaDiscarded { index, reason } => {
            format!(
                "replica {} is discarded, and runs again: {reason}",
                index + 1
            )
        }
        Event::EvaluationComplete { .. } => "all is scored and ranked".to_owned(),
        _ => return None,
    })
}

/// Returns the end of a sentence about a result that was not made now.
fn kept(origin: Origin) -> &'static str {
    match origin {
        Origin::New => "",
        Origin::Kept => " already: that is kept from before",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(name: &str, data: &str) -> String {
        format!(
            r#"{{"version":1,"sequence":7,"run":1,"at_ms":2500,"time":"t","name":"{name}","data":{data}}}"#
        )
    }

    #[test]
    fn an_event_has_a_sentence_and_a_later_one_its_number() {
        let known = event("bakeoff:build:start", r#"{"variant_id":"heap"}"#);
        let (line, envelope) = EventLine::read(known).unwrap();
        assert_eq!((line.sequence, line.seconds), (7, 2.5));
        assert_eq!(line.text.as_deref(), Some("heap is being built"));
        assert!(envelope.is_some());
        let (line, envelope) = EventLine::read(event("bakeoff:later:one", "{}")).unwrap();
        assert!(line.sequence == 7 && line.text.is_none() && envelope.is_none());
        assert!(EventLine::read("no event".to_owned()).is_none());
    }

    #[test]
    fn a_reused_result_is_not_said_to_be_made_now() {
        let built = |origin: &str| {
            let data = format!(
                r#"{{"variant_id":"heap","origin":"{origin}","cpu_seconds":0.1,"component_bytes":9}}"#
            );
            let (line, _) = EventLine::read(event("bakeoff:build:complete", &data)).unwrap();
            line.text.unwrap()
        };
        assert_eq!(built("new"), "heap is built");
        assert_eq!(
            built("kept"),
            "heap is built already: that is kept from before"
        );
    }

    #[test]
    fn the_data_of_a_line_is_one_line_of_json() {
        let hostile = event("bakeoff:warning", "{\"message\":\"a\\nb\u{2028}\\u001bc\"}");
        let (line, _) = EventLine::read(hostile).unwrap();
        let data = line.data();
        assert!(!data.contains(['\n', '\r', '\u{2028}', '\u{1b}']), "{data}");
        let value: serde_json::Value = serde_json::from_str(&data).unwrap();
        assert_eq!(value["text"], "a\nb\u{2028}\u{1b}c");
        assert_eq!(value["event"]["sequence"], 7);
    }
}

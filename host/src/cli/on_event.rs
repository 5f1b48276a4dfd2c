//! `--on-event`: a command of the user that is told of events.

use super::failure::Failure;
use bakeoff_programs::{CommandLine, EventListener, Shell};
use bakeoff_render::escape::Plain;
use bakeoff_store::events::Envelope;
use clap::Args;
use std::sync::Arc;

/// The option.
#[derive(Debug, Args)]
pub(super) struct OnEvent {
    /// A command of yours that gets each event as a line of JSON on its stdin. It is started once, and can neither stop
    /// nor slow what goes on
    #[arg(long, value_name = "COMMAND")]
    on_event: Option<String>,
}

/// A command that is told of events; none by default.
#[derive(Clone, Debug, Default)]
pub(super) struct Listener(Option<Arc<EventListener>>);

impl OnEvent {
    /// Starts the command.
    ///
    /// # Errors
    /// It cannot be started.
    pub(super) fn start(&self) -> Result<Listener, Failure> {
        let Some(command) = &self.on_event else {
            return Ok(Listener::default());
        };
        let wrong = |why: String| Failure::usage(format!("--on-event: {}", Plain(&why)));
        let line = CommandLine::one(command, &Shell::IfNeeded);
        let line = line.map_err(|error| wrong(error.to_string()))?;
        let started = EventListener::start(&line).map_err(|error| wrong(error.to_string()))?;
        Ok(Listener(Some(Arc::new(started))))
    }
}

impl Listener {
    /// Tells the command of an event. Never waits.
    pub(super) fn tell(&self, envelope: &Envelope) {
        if let Self(Some(listener)) = self
            && let Ok(line) = serde_json::to_string(envelope)
        {
            listener.tell(line);
        }
    }

    /// Returns a function that tells the command of an event.
    pub(super) fn teller(&self) -> impl Fn(&Envelope) + Send + 'static {
        let listener = self.clone();
        move |envelope| listener.tell(envelope)
    }

    /// Ends the command, and says in one warning what went wrong with it.
    pub(super) fn end(&self, say: &mut dyn FnMut(&str)) {
        let Self(Some(listener)) = self else {
            return;
        };
        let end = listener.end();
        let missed = match end.left_out {
            0 => None,
            1 => Some("1 event was left out".to_owned()),
            count => Some(format!("{count} events were left out")),
        };
        let wrong: Vec<String> = end.failure.into_iter().chain(missed).collect();
        if !wrong.is_empty() {
            say(&format!("--on-event: {}", Plain(&wrong.join("; "))));
        }
    }
}

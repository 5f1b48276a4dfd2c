//! The function of a program that is called with each event.

use bakeoff_store::events::Envelope;
use std::sync::{Arc, Mutex, PoisonError};

/// A function that takes a line of JSON.
type Function = dyn FnMut(&str) + Send;

/// A function that is called with each event, as a line of JSON.
#[derive(Clone)]
pub(super) struct Listener(Arc<Mutex<Function>>);

impl Listener {
    pub(super) fn new(function: impl FnMut(&str) + Send + 'static) -> Self {
        Self(Arc::new(Mutex::new(function)))
    }

    /// Calls the function with an event.
    pub(super) fn tell(&self, event: &Envelope) {
        if let Ok(line) = serde_json::to_string(event) {
            let mut function = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            function(&line);
        }
    }
}

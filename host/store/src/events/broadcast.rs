//! The distribution of events to sinks.

use super::envelope::Envelope;
use std::sync::mpsc::SyncSender;

/// A receiver of events: a terminal, a dashboard, an agent.
pub trait Sink: Send {
    /// Receives one event; events come in order. Must not block: the run waits for it.
    fn on_event(&mut self, envelope: &Envelope);
}

impl<F: FnMut(&Envelope) + Send> Sink for F {
    fn on_event(&mut self, envelope: &Envelope) {
        self(envelope);
    }
}

/// A channel to another thread. A receiver that is too slow misses events, which shows as a gap in
/// the sequence; the store has the missing ones.
impl Sink for SyncSender<Envelope> {
    fn on_event(&mut self, envelope: &Envelope) {
        // A full or closed channel must not stop the run.
        let _ = self.try_send(envelope.clone());
    }
}

/// The sinks of a session.
#[derive(Default)]
pub struct Broadcast {
    sinks: Vec<Box<dyn Sink>>,
}

impl Broadcast {
    /// Adds a sink, which receives all later events.
    pub fn subscribe(&mut self, sink: impl Sink + 'static) {
        self.sinks.push(Box::new(sink));
    }

    /// Sends an event to all sinks, in the order in which they subscribed.
    pub fn send(&mut self, envelope: &Envelope) {
        for sink in &mut self.sinks {
            sink.on_event(envelope);
        }
    }
}

impl std::fmt::Debug for Broadcast {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Broadcast({} sinks)", self.sinks.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::{Event, Stamper};
    use std::sync::mpsc::sync_channel;

    #[test]
    fn a_slow_sink_never_blocks_and_sees_a_gap() {
        let (sender, receiver) = sync_channel(1);
        let mut broadcast = Broadcast::default();
        broadcast.subscribe(sender);
        let mut stamper = Stamper::new(0);
        let mut emit = |broadcast: &mut Broadcast| {
            let envelope = stamper.wrap(Event::Warning {
                message: String::new(),
            });
            stamper.accept(&envelope);
            broadcast.send(&envelope);
        };
        emit(&mut broadcast);
        emit(&mut broadcast);
        assert_eq!(receiver.recv().unwrap().sequence, 1);
        emit(&mut broadcast);
        assert_eq!(receiver.recv().unwrap().sequence, 3);
    }
}

//! One event, many listeners.

use super::envelope::Envelope;
use std::sync::mpsc::SyncSender;

/// Someone who wants to know what happens: a terminal, a dashboard, an agent.
pub trait Sink: Send {
    /// Hears one event, in order. Must not block: the run waits for it.
    fn hear(&mut self, envelope: &Envelope);
}

impl<F: FnMut(&Envelope) + Send> Sink for F {
    fn hear(&mut self, envelope: &Envelope) {
        self(envelope);
    }
}

/// A channel to another thread. A receiver that is too slow misses events, and sees it by a gap in
/// the sequence; it can read what it missed from the store.
impl Sink for SyncSender<Envelope> {
    fn hear(&mut self, envelope: &Envelope) {
        // A full or closed channel must not stop the run.
        let _ = self.try_send(envelope.clone());
    }
}

/// Everyone who listens.
#[derive(Default)]
pub struct Broadcast {
    sinks: Vec<Box<dyn Sink>>,
}

impl Broadcast {
    /// Adds a listener; it hears what happens from now on.
    pub fn subscribe(&mut self, sink: impl Sink + 'static) {
        self.sinks.push(Box::new(sink));
    }

    /// Tells everyone, in the order in which they subscribed.
    pub fn send(&mut self, envelope: &Envelope) {
        for sink in &mut self.sinks {
            sink.hear(envelope);
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
    fn a_slow_listener_never_blocks_and_sees_a_gap() {
        let (sender, receiver) = sync_channel(1);
        let mut broadcast = Broadcast::default();
        broadcast.subscribe(sender);
        let mut stamper = Stamper::new(0);
        let mut say = |broadcast: &mut Broadcast| {
            let envelope = stamper.wrap(Event::Warning {
                message: String::new(),
            });
            stamper.accept(&envelope);
            broadcast.send(&envelope);
        };
        say(&mut broadcast);
        say(&mut broadcast);
        assert_eq!(receiver.recv().unwrap().sequence, 1);
        say(&mut broadcast);
        assert_eq!(receiver.recv().unwrap().sequence, 3);
    }
}

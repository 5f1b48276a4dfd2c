//! Calls under way, and what becomes of the money that is held for each, however it ends.

use super::budget::{Booking, Budget, Need, Reservation};
use super::cassette::Exchange;
use super::live::Provider;
use super::reply::{Count, Ending, Reply};
use super::request::Request;
use super::secret::Secrets;
use tokio::time::Instant;

/// Accounts in which calls are booked, and the record to which they are written.
pub(super) trait Books {
    fn budget(&self) -> &Budget;
    fn secrets(&self) -> &Secrets;
    /// Writes an exchange to the record, if there is one.
    fn record(&self, exchange: &Exchange);
    /// Notes a call before it is sent; `exchange` is booked if the process is killed before it ends.
    fn begin(&self, exchange: Exchange) -> Option<u64>;
    /// Forgets a call that ended.
    fn end(&self, number: u64);
}

/// A call that is under way. If it is dropped before it ended, as when a run is interrupted, it is booked with the most
/// that it can have taken: the provider may have gone on.
pub(super) struct Call<'a, B: Books> {
    books: &'a B,
    provider: &'a Provider,
    request: &'a Request,
    need: Need,
    started: Instant,
    /// Amounts held for the call; `None` once it is settled.
    reservation: Option<Reservation>,
    /// Number of the call among those under way; `None` if it is not noted there.
    number: Option<u64>,
}

/// Reason that is recorded for a call of a process that was killed.
const KILLED: &str = "the process was killed before the reply ended";

impl<'a, B: Books> Call<'a, B> {
    pub(super) fn new(
        books: &'a B,
        provider: &'a Provider,
        request: &'a Request,
        need: Need,
        reservation: Reservation,
    ) -> Self {
        let most = provider.usage(&Count::default(), &need, 0, reservation.microdollars);
        let killed = Ending::Cut(KILLED.to_owned());
        let number = books.begin(Exchange::of_reply(
            request,
            &provider.name,
            &killed,
            most,
            0.0,
        ));
        Self {
            books,
            provider,
            request,
            need,
            started: Instant::now(),
            reservation: Some(reservation),
            number,
        }
    }

    /// Records and books a reply, in this order, and only then hands out how it ended.
    pub(super) fn finish(mut self, reply: Reply) -> Ending {
        let ending = self.without_keys(reply.ending);
        self.settle(&ending, &reply.count);
        ending
    }

    /// Frees what was held: nothing was paid.
    pub(super) fn free(mut self) {
        if let Some(reservation) = self.reservation.take() {
            self.books.budget().settle(reservation, None);
        }
        self.end();
    }

    fn end(&mut self) {
        if let Some(number) = self.number.take() {
            self.books.end(number);
        }
    }

    fn settle(&mut self, ending: &Ending, count: &Count) {
        let Some(reservation) = self.reservation.take() else {
            return;
        };
        let prompt_bytes = (self.request.system.len() + self.request.prompt.len()) as u64;
        let held = reservation.microdollars;
        let usage = self.provider.usage(count, &self.need, prompt_bytes, held);
        let seconds = self.started.elapsed().as_secs_f64();
        let name = &self.provider.name;
        self.books.record(&Exchange::of_reply(
            self.request,
            name,
            ending,
            usage,
            seconds,
        ));
        let booking = Booking {
            purpose: self.request.purpose,
            subject: &self.request.subject,
            usage,
            seconds,
        };
        self.books.budget().settle(reservation, Some(booking));
        self.end();
    }

    fn without_keys(&self, ending: Ending) -> Ending {
        let clean = |text| self.books.secrets().remove_from(text);
        match ending {
            Ending::Complete(text) => Ending::Complete(clean(text)),
            Ending::Refused(words) => Ending::Refused(clean(words)),
            Ending::TooLong(limit) => Ending::TooLong(limit),
            Ending::Cut(reason) => Ending::Cut(clean(reason)),
            Ending::TimedOut(during) => Ending::TimedOut(during),
            Ending::Malformed {
                problem,
                reply_excerpt,
            } => Ending::Malformed {
                problem: clean(problem),
                reply_excerpt: clean(reply_excerpt),
            },
        }
    }
}

impl<B: Books> Drop for Call<'_, B> {
    fn drop(&mut self) {
        let ending = Ending::Cut("the run ended before the reply did".to_owned());
        self.settle(&ending, &Count::default());
    }
}

//! The books of a run's models: budget, record and ledger.

use super::budget::{Booking, Budget, Reservation};
use super::call::Books;
use super::cassette::Exchange;
use super::ledger::Ledger;
use super::recorder::Recorder;
use super::secret::Secrets;
use super::spending::Spending;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The books of a run's models.
pub(super) struct RecordBooks {
    /// The providers and their models, for people.
    pub(super) name: String,
    pub(super) budget: Budget,
    pub(super) secrets: Secrets,
    pub(super) recorder: Option<Mutex<Recorder>>,
    pub(super) record_path: PathBuf,
    ledger: Option<(PathBuf, Reservation)>,
    /// Reason why the ledger cannot be written.
    broken_ledger: Mutex<Option<String>>,
}

impl RecordBooks {
    /// Makes books of a budget in which all is booked that was spent before this process began. The ledger, if there is
    /// one, counts from now on.
    pub(super) fn new(
        name: String,
        budget: Budget,
        secrets: Secrets,
        recorder: Option<Recorder>,
        (record_path, ledger): (PathBuf, Option<PathBuf>),
    ) -> Self {
        let before = budget.amounts().0;
        Self {
            name,
            budget,
            secrets,
            recorder: recorder.map(Mutex::new),
            record_path,
            ledger: ledger.map(|path| (path, before)),
            broken_ledger: Mutex::default(),
        }
    }

    /// Writes the amounts spent so far beside the record, for display, on which nothing depends; and the most that can
    /// have been spent to the ledger.
    pub(super) fn show_spending(&self) {
        if let Some((path, before)) = &self.ledger {
            let (spent, held) = self.budget.amounts();
            if let Err(error) = Ledger::new(spent, *before, held).write(path) {
                let reason = format!("`{}` cannot be written: {error}", path.display());
                lock(&self.broken_ledger).get_or_insert(reason);
            }
        }
        let Some(recorder) = &self.recorder else {
            return;
        };
        let recorder = lock(recorder);
        let spent = self.budget.spent().total;
        let spending = Spending::new(
            &self.name,
            &spent,
            self.budget.bounds(),
            recorder.questions(),
        );
        let _ = spending.write(&self.record_path);
    }

    /// Returns the reason why nothing more may be paid for, if record or ledger cannot be written.
    pub(super) fn broken(&self) -> Option<String> {
        let reason = lock(&self.broken_ledger).clone().or_else(|| {
            let recorder = lock(self.recorder.as_ref()?);
            let reason = recorder.broken()?;
            let path = self.record_path.display();
            Some(format!("`{path}` cannot be written: {reason}"))
        })?;
        Some(format!("nothing more is paid for: {reason}"))
    }
}

impl Books for RecordBooks {
    fn budget(&self) -> &Budget {
        &self.budget
    }

    fn secrets(&self) -> &Secrets {
        &self.secrets
    }

    fn record(&self, exchange: &Exchange) {
        if let Some(recorder) = &self.recorder {
            lock(recorder).append(exchange);
        }
    }

    fn begin(&self, exchange: Exchange) -> Option<u64> {
        let number = lock(self.recorder.as_ref()?).begin(exchange);
        self.show_spending();
        number
    }

    fn end(&self, number: u64) {
        if let Some(recorder) = &self.recorder {
            lock(recorder).end(number);
        }
        self.show_spending();
    }
}

/// Returns the booking of an exchange.
pub(super) fn booking(exchange: &Exchange) -> Booking<'_> {
    Booking {
        purpose: exchange.purpose,
        subject: &exchange.subject,
        usage: exchange.usage,
        seconds: exchange.seconds,
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

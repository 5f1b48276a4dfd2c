//! The models of a run.

mod amounts;

use super::budget::{Budget, Reservation};
use super::call::{Books as _, Call};
use super::cassette::{Cassette, Exchange};
use super::environment::Environment;
use super::error::{AskError, OpenError};
use super::excerpt::excerpt;
use super::limiter::{Limiter, RetryPolicy};
use super::live::{Prepared, Provider};
use super::live_models::LiveModels;
use super::manual::{self, Manual, OpenTask, TaskAnswer};
use super::options::{ModelOptions, ProviderKind};
use super::progress::{ProgressStep, QuestionProgress};
use super::record_books::{RecordBooks, booking};
use super::recorder::Recorder;
use super::reply::{Ending, NoReply};
use super::request::Request;
use super::schema::ReplySchema;
use super::secret::Secrets;
use super::usage::SpentTable;
use bakeoff_files::SearchPath;
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// Largest number of times that a reply which does not match its schema is asked for again.
pub const FORM_REPAIRS_MAX: u32 = 2;

/// The fewest tokens of a reply that are asked for because the budget has no room for more.
const REPLY_TOKENS_MIN: u32 = 2_048;

/// Receiver of the progress of questions.
type OnProgress = Box<dyn Fn(&QuestionProgress) + Send + Sync>;

/// The models of a run: one provider, its budget, its record, and what was spent.
pub struct Models {
    source: Source,
    books: RecordBooks,
    timeout: Duration,
    limiter: Limiter,
    calls_at_once: u32,
    /// Spending that the bounds do not count.
    not_counted: SpentTable,
    retries: RetryPolicy,
    /// Replies that were received before this process began, and are not paid for again.
    recorded: Mutex<Cassette>,
    /// Notices about the record, for the user to read before anything is asked.
    notices: Vec<String>,
    interrupted: watch::Sender<bool>,
    /// Replies of a replay that were recorded for another request.
    by_place: Mutex<u64>,
    on_progress: Option<OnProgress>,
}

/// Source of replies: live providers, a cassette, or whoever calls.
#[derive(Debug)]
enum Source {
    Live(Box<LiveModels>),
    Replay(Mutex<Cassette>),
    Manual(Manual),
}

impl fmt::Debug for Models {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Models")
            .field("name", &self.books.name)
            .finish_non_exhaustive()
    }
}

impl Models {
    /// Opens the models of a run. Keys are read from the environment, and programs are found on the user's
    /// search path.
    ///
    /// # Errors
    /// An option is missing or does not fit the others, or a file cannot be used.
    pub fn open(options: ModelOptions) -> Result<Self, OpenError> {
        let lookup = |name: &str| std::env::var_os(name);
        Self::open_with(options, Environment::new(&lookup), &SearchPath::of_user())
    }

    pub(super) fn open_with(
        options: ModelOptions,
        environment: Environment<'_>,
        path: &SearchPath,
    ) -> Result<Self, OpenError> {
        let (source, name, secrets) = match options.provider {
            ProviderKind::Replay if options.repairs.is_some() => {
                return Err(OpenError::Options(
                    "a replay asks nobody, so no model can be named for repairs: the cassette has the replies to them"
                        .to_owned(),
                ));
            }
            ProviderKind::Replay => {
                let path = options.cassette.as_ref().ok_or_else(|| {
                    OpenError::Options("a replay needs a file: set `cassette` to it".to_owned())
                })?;
                let within = options.cassette_within.as_deref();
                let cassette = Mutex::new(Cassette::read(path, within)?);
                let name = excerpt(&format!("replay of {}", path.display()));
                (Source::Replay(cassette), name, Secrets::default())
            }
            _ => {
                let (live, secrets) = LiveModels::open(&options, environment, path)?;
                let name = live.name();
                (Source::Live(Box::new(live)), name, secrets)
            }
        };
        Self::of_source(source, name, secrets, options)
    }

    /// Opens the models of a run whose questions whoever calls answers, with the answers that are handed in. Nothing is
    /// asked of a model, and nothing is paid. Every answer is written to `record`.
    ///
    /// # Errors
    /// The record cannot be used.
    pub fn manual(answers: Vec<TaskAnswer>, record: PathBuf) -> Result<Self, OpenError> {
        let source = Source::Manual(Manual::new(answers));
        let options = ModelOptions {
            record: Some(record),
            ..ModelOptions::new(ProviderKind::Replay)
        };
        Self::of_source(source, manual::NAME.to_owned(), Secrets::default(), options)
    }

    fn of_source(
        source: Source,
        name: String,
        secrets: Secrets,
        options: ModelOptions,
    ) -> Result<Self, OpenError> {
        let mut budget = Budget::new(options.tokens_max, options.microdollars_max);
        let (mut recorder, mut recorded) = (None, Cassette::default());
        let mut notices = Vec::new();
        // A replay writes nothing: all that it answers is kept already.
        if let (Some(path), Source::Live(_) | Source::Manual(_)) = (&options.record, &source) {
            let opened = Recorder::open(path)?;
            (recorder, recorded) = (Some(opened.recorder), opened.cassette);
            notices = opened.notices;
            recorded
                .paid()
                .for_each(|exchange| budget.book(&booking(exchange)));
        }
        let mut not_counted = SpentTable::default();
        if options.counts_from_now {
            not_counted = budget.spent();
            budget.count_from_now();
        }
        let files = (options.record.unwrap_or_default(), options.ledger);
        Ok(Self {
            source,
            books: RecordBooks::new(name, budget, secrets, recorder, files),
            timeout: options.timeout,
            limiter: Limiter::new(options.concurrency, options.calls_per_minute),
            calls_at_once: options.concurrency.max(1),
            not_counted,
            retries: RetryPolicy::default(),
            recorded: Mutex::new(recorded),
            notices,
            interrupted: watch::Sender::new(false),
            by_place: Mutex::new(0),
            on_progress: None,
        })
    }

    /// Sets the receiver of the progress of all questions. It is called on the thread that asks, so it should not take
    /// long.
    #[must_use]
    pub fn with_progress(
        mut self,
        on_progress: impl Fn(&QuestionProgress) + Send + Sync + 'static,
    ) -> Self {
        self.on_progress = Some(Box::new(on_progress));
        self
    }

    #[cfg(test)]
    pub(super) fn with_retries(mut self, retries: RetryPolicy) -> Self {
        self.retries = retries;
        self
    }

    #[cfg(test)]
    pub(super) fn replace_recorder(&mut self, recorder: Recorder) {
        self.books.recorder = Some(Mutex::new(recorder));
    }

    /// Returns the answer to a question, checked against its schema. A reply that does not match it is
    /// asked for again, at most twice, with what was wrong.
    ///
    /// # Errors
    /// The question has no answer: see [`AskError`].
    pub async fn ask(&self, request: &Request) -> Result<Value, AskError> {
        let mut interrupted = self.interrupted.subscribe();
        tokio::select! {
            biased;
            _ = interrupted.wait_for(|is_interrupted| *is_interrupted) => Err(AskError::Interrupted),
            answer = self.answer(request) => answer,
        }
    }

    /// Ends all questions that are under way, and refuses all further ones.
    pub fn interrupt(&self) {
        self.interrupted.send_replace(true);
    }

    /// Returns the provider and its model, and those of repairs if they are others.
    pub fn name(&self) -> String {
        self.books.name.clone()
    }

    /// Returns the provider and the model of repairs, if they are others than those of all other questions.
    pub fn repairs_name(&self) -> Option<&str> {
        match &self.source {
            Source::Live(live) => live.repairs.as_ref().map(|one| one.name.as_str()),
            Source::Replay(_) | Source::Manual(_) => None,
        }
    }

    /// Returns notices about the record, for the user to read before anything is asked: what was set aside, for
    /// instance.
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// Returns warnings about a replay or a record; none if all is as it should be.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        let by_place = *lock(&self.by_place);
        if by_place > 0 {
            warnings.push(format!(
                "{}: {by_place} replies were recorded for other requests, and are taken in their order",
                self.books.name
            ));
        }
        if let Some(reason) = self.books.broken() {
            warnings.push(reason);
        }
        warnings
    }

    /// Returns true if whoever calls answers the questions, and no model is asked.
    pub fn is_manual(&self) -> bool {
        matches!(self.source, Source::Manual(_))
    }

    /// Returns true if replies that were recorded answer the questions, and no model is asked.
    pub fn is_replay(&self) -> bool {
        matches!(self.source, Source::Replay(_))
    }

    /// Returns the tasks that wait for an answer of whoever calls.
    pub fn open_tasks(&self) -> Vec<OpenTask> {
        match &self.source {
            Source::Manual(manual) => manual.open(),
            _ => Vec::new(),
        }
    }

    /// Returns the ids of the answers that were handed in to no task which was asked.
    pub fn unused_answers(&self) -> Vec<String> {
        match &self.source {
            Source::Manual(manual) => manual.unused(),
            _ => Vec::new(),
        }
    }

    async fn answer(&self, request: &Request) -> Result<Value, AskError> {
        if let Source::Manual(manual) = &self.source {
            if let Some(reason) = self.books.broken() {
                return Err(self.unavailable(reason));
            }
            let recorded = lock(&self.recorded).take_reply(request, &self.books.name);
            let answer = manual.answer(request, recorded.as_ref(), |exchange| {
                self.books.record(exchange);
                self.books.budget.book(&booking(exchange));
            });
            self.books.show_spending();
            if answer.is_ok() {
                let is_recorded = recorded.is_some();
                self.tell(request, || ProgressStep::Received { is_recorded });
            }
            return answer;
        }
        let invalid = |problem, reply_excerpt| AskError::Invalid {
            problem,
            reply_excerpt,
        };
        let schema =
            ReplySchema::new(&request.schema).map_err(|problem| invalid(problem, String::new()))?;
        let mut asked = request.clone();
        let mut repairs = 0;
        loop {
            let (problem, reply_excerpt) = match self.reply(&asked).await? {
                Ending::Complete(text) => match schema.check(&text) {
                    Ok(answer) => return Ok(answer),
                    Err(problem) => (problem, excerpt(&text)),
                },
                Ending::Malformed {
                    problem,
                    reply_excerpt,
                } => (problem, reply_excerpt),
                Ending::Refused(words) => {
                    return Err(AskError::Refused {
                        reply_excerpt: excerpt(&words),
                    });
                }
                Ending::TooLong(limit) => {
                    return Err(AskError::TooLong {
                        limit: excerpt(&limit),
                    });
                }
                Ending::Cut(reason) => {
                    return Err(AskError::Cut {
                        reason: excerpt(&reason),
                    });
                }
                Ending::TimedOut(during) => {
                    let limit = self.timeout;
                    return Err(AskError::TimedOut { limit, during });
                }
            };
            if repairs == FORM_REPAIRS_MAX {
                return Err(invalid(problem, reply_excerpt));
            }
            repairs += 1;
            asked = request.again(&problem, &reply_excerpt);
            self.tell(request, || ProgressStep::Repairing { problem });
        }
    }

    /// Returns a reply: replayed, recorded before, or received now.
    async fn reply(&self, request: &Request) -> Result<Ending, AskError> {
        let provider = match &self.source {
            Source::Live(live) => live.of(request.purpose),
            Source::Replay(cassette) => return self.replay(cassette, request),
            Source::Manual(_) => return Err(self.unavailable("nobody is asked".to_owned())),
        };
        let recorded = lock(&self.recorded).take_reply(request, &provider.name);
        if let Some(exchange) = recorded {
            self.tell(request, || ProgressStep::Received { is_recorded: true });
            return exchange.ending();
        }
        let received = self.receive(provider, request).await;
        if let Err(error) = &received
            && let Some(exchange) = Exchange::of_error(request, &provider.name, error)
        {
            self.books.record(&exchange);
        }
        received
    }

    /// Holds the most that a call can take. Where the budget has no room for the longest reply, a shorter one is asked
    /// for: most replies are far shorter than they may be.
    ///
    /// # Errors
    /// The budget has no room for a reply of [`REPLY_TOKENS_MIN`].
    async fn held<'a>(
        &self,
        provider: &Provider,
        request: &'a Request,
    ) -> Result<(Cow<'a, Request>, Prepared, Reservation), AskError> {
        let mut sent = Cow::Borrowed(request);
        loop {
            let prepared = provider.prepare(&sent);
            match self.books.budget.reserve(prepared.need).await {
                Ok(reservation) => return Ok((sent, prepared, reservation)),
                Err(AskError::BudgetExhausted { .. })
                    if sent.output_tokens_max > REPLY_TOKENS_MIN =>
                {
                    let shorter = (sent.output_tokens_max / 2).max(REPLY_TOKENS_MIN);
                    sent.to_mut().output_tokens_max = shorter;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Calls the provider until it replies, or has failed too often.
    async fn receive(&self, provider: &Provider, request: &Request) -> Result<Ending, AskError> {
        let (mut failures, mut cuts) = (0, 0);
        loop {
            let slot = self.limiter.begin().await;
            let slot = slot.map_err(|error| self.unavailable(error.to_string()))?;
            if let Some(reason) = self.books.broken() {
                return Err(self.unavailable(reason));
            }
            let (sent, prepared, reservation) = self.held(provider, request).await?;
            let call = Call::new(&self.books, provider, request, prepared.need, reservation);
            if let Some(reason) = self.books.broken() {
                call.free();
                return Err(self.unavailable(reason));
            }
            self.tell(request, || ProgressStep::Sent);
            let on_bytes = |bytes| self.tell(request, || ProgressStep::Receiving { bytes });
            let held = reservation.microdollars;
            let result = provider.call(&sent, prepared.body, held, &on_bytes).await;
            let (reason, asked) = match result {
                Ok(reply) => match call.finish(reply) {
                    Ending::Cut(reason)
                        if provider.asks_again() && cuts < self.retries.cuts_max =>
                    {
                        cuts += 1;
                        (reason, None)
                    }
                    ending => {
                        self.tell(request, || ProgressStep::Received { is_recorded: false });
                        return Ok(ending);
                    }
                },
                Err(no_reply) => {
                    call.free();
                    match no_reply {
                        NoReply::Failed { reason } => return Err(self.unavailable(reason)),
                        NoReply::Busy {
                            reason,
                            retry_after,
                        } => (reason, retry_after),
                    }
                }
            };
            drop(slot);
            failures += 1;
            if failures >= self.retries.tries_max {
                return Err(self.unavailable(format!("{reason}, after {failures} tries")));
            }
            let Some(wait) = self.retries.wait(failures, asked, random()) else {
                let asked = asked.unwrap_or_default().as_secs();
                return Err(self.unavailable(format!("{reason}; it asks to wait for {asked} s")));
            };
            if asked.is_some() {
                // It holds for all that is asked of this provider.
                self.limiter.pause(wait);
            }
            let reason = self.books.secrets.remove_from(reason);
            self.tell(request, || ProgressStep::Waiting { reason, wait });
            tokio::time::sleep(wait).await;
        }
    }

    /// Answers from a cassette. The recorded usage is booked, so that reports are the same.
    fn replay(&self, cassette: &Mutex<Cassette>, request: &Request) -> Result<Ending, AskError> {
        let replayed = lock(cassette).replay(request);
        let exchanges = replayed.earlier.iter().chain(&replayed.last);
        for exchange in exchanges.filter(|exchange| exchange.is_paid()) {
            self.books.budget.book(&booking(exchange));
        }
        *lock(&self.by_place) += u64::from(replayed.is_by_place);
        let Some(exchange) = replayed.last else {
            let what = match request.subject.as_str() {
                "" => request.purpose.to_string(),
                subject => format!("{} of {subject}", request.purpose),
            };
            return Err(self.unavailable(format!("the cassette has no further reply for: {what}")));
        };
        self.tell(request, || ProgressStep::Received { is_recorded: true });
        exchange.ending()
    }

    fn unavailable(&self, reason: String) -> AskError {
        AskError::Unavailable {
            provider: self.books.name.clone(),
            reason: self.books.secrets.remove_from(reason),
        }
    }

    fn tell(&self, request: &Request, step: impl FnOnce() -> ProgressStep) {
        if let Some(on_progress) = &self.on_progress {
            on_progress(&QuestionProgress {
                purpose: request.purpose,
                subject: request.subject.clone(),
                step: step(),
            });
        }
    }
}

fn random() -> u32 {
    let mut bytes = [0; 4];
    // Without it, calls are only spread out less.
    let _ = getrandom::fill(&mut bytes);
    u32::from_ne_bytes(bytes)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

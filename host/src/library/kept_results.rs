//! Results that are kept of an experiment, for a program.

use super::blocking::blocking;
use super::doubts::{from_elsewhere, of_standing};
use super::error::Error;
use super::experiment::Experiment;
use super::oracle_check::OracleCheck;
use super::report::Report;
use super::verification::Verification;
use bakeoff_run::audit::{self, KeptRun};
use bakeoff_store::{Mode, Origin, Store};

impl Experiment {
    /// Returns the report of the last run that has one, concluded anew from the samples that are kept; nothing is built, run
    /// or written. What is doubtful about it stands in its first notes, as `bakeoff report` says it: that another report was stored than
    /// follows from the samples, that another version made the run, that it has not ended, or that the results come from elsewhere.
    ///
    /// # Errors
    /// [`ErrorKind::Experiment`](super::ErrorKind): no run has a report. [`ErrorKind::Machine`](super::ErrorKind): the
    /// results cannot be read.
    pub fn report(&self) -> Result<Report, Error> {
        let place = self.results_place()?;
        let store = self.kept()?;
        let concluded = audit::concluded(&store, None)?;
        let Some(concluded) = concluded else {
            return Err(Error::experiment(format!(
                "no run of {} has a report: `Experiment::run` makes one",
                self.name()
            )));
        };
        let mut report = concluded.report;
        let is_foreign = store.origin() == Origin::Elsewhere;
        let origin = is_foreign.then(|| from_elsewhere(&place.path()));
        let doubts = [origin, of_standing(concluded.run, &concluded.standing)];
        report.notes.splice(0..0, doubts.into_iter().flatten());
        let sources = audit::sources(&store, concluded.run)?;
        Ok(Report::new(report, sources))
    }

    /// Finds out again what the last finished run rests on: components, answers, fuel and memory by building and checking once
    /// more in the sandbox; verdicts, scores and ranks from the raw samples. The experiment is the one that was run, whatever its
    /// file says now. It blocks as [`run`](Self::run) does.
    ///
    /// # Errors
    /// See [`ErrorKind`](super::ErrorKind). A figure that differs is no error.
    pub fn verify(&self) -> Result<Verification, Error> {
        blocking(|| self.verify_kept())
    }

    async fn verify_kept(&self) -> Result<Verification, Error> {
        let store = self.kept()?;
        let kept = KeptRun::read(&store, None)?;
        let mut loaded = kept.loaded(self.folder())?;
        self.setting().policy.apply_to(&mut loaded)?;
        let host = self.setting().host();
        let verified = audit::verify(&kept, &loaded, &host, &mut |_| {}).await?;
        Ok(Verification::new(verified))
    }

    /// Tests whether the oracle of the experiment can be believed: calls the approaches, changes their answers a little, and
    /// counts what the oracle accepts of these. It blocks as [`run`](Self::run) does.
    ///
    /// # Errors
    /// See [`ErrorKind`](super::ErrorKind). An approach that fails is no error.
    pub fn check(&self) -> Result<OracleCheck, Error> {
        blocking(|| self.check_oracle())
    }

    async fn check_oracle(&self) -> Result<OracleCheck, Error> {
        let host = self.setting().host();
        let (loaded, say) = (self.loaded(), &mut |_: &str| {});
        loaded.can_run()?;
        loaded.has_code()?;
        Ok(OracleCheck::of(loaded, &host, false, say).await?)
    }

    /// Opens the results for reading.
    fn kept(&self) -> Result<Store, Error> {
        match self.results_place()?.open(Mode::Read) {
            Err(error) if error.is_missing() => Err(Error::experiment(format!(
                "there are no results of {}: `Experiment::run` makes them",
                self.name()
            ))),
            opened => Ok(opened?),
        }
    }
}

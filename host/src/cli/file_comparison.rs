//! A comparison on its way: from files to a report, or to the reason why nothing was timed.

use super::compare_options::Arguments;
use super::failure::Failure;
use super::interrupts::listen_for_interrupts;
use super::natively::{self, NativeWish};
use super::on_event::Listener;
use super::options::Output;
use super::resume_command;
use super::run_request::{ReportWithSources, RunRequest, perform};
use super::saved_inputs::{not_written, save};
use super::show::Sources;
use super::{Status, regression, show, step_summary};
use bakeoff_compare::{CompareError, Comparison, GivenInputs, Prepared, ReadSources, SearchBounds};
use bakeoff_config::Policy;
use bakeoff_domain::report::Report;
use bakeoff_domain::spec::{Experiment, Measure, Workers};
use bakeoff_files::Scratch;
use bakeoff_render::escape::Plain;
use bakeoff_render::{ComparisonOutcome, UntimedComparison};
use bakeoff_run::{BuiltProgram, HostOptions};
use bakeoff_store::{ResultsPlace, Start};
use std::path::PathBuf;
use std::time::Duration;

/// Time within which an interruption is noticed of which a runner died.
const INTERRUPT_NEWS: Duration = Duration::from_millis(200);

/// The files of a comparison.
pub(super) struct Files<'a> {
    pub(super) named: &'a [PathBuf],
    /// The function that is called, if it was named.
    pub(super) call: Option<&'a str>,
    /// The sources that they were built from, if these were read.
    pub(super) sources: Option<&'a ReadSources>,
    /// The confidence of all claims together, if it is not the usual one.
    pub(super) confidence: Option<f64>,
    /// The programs of this machine that were built of the same sources, one for each file, if they were built before.
    pub(super) programs: Option<&'a [BuiltProgram]>,
}

/// The end of a comparison.
pub(super) enum FileComparison {
    Interrupted,
    Untimed(UntimedComparison),
    Timed(Box<TimedComparison>),
}

/// A comparison that was run.
pub(super) struct TimedComparison {
    pub(super) report: Report,
    pub(super) sources: Sources,
    pub(super) experiment: Experiment,
}

/// Prepares a comparison, unless the user interrupts it. Ctrl-C on a terminal reaches runners as well, so the death of one may
/// be noticed first.
async fn prepare(
    comparison: &Comparison<'_>,
    host: &HostOptions,
    say: &mut (dyn FnMut(&str) + Send),
) -> Result<Prepared, Failure> {
    let interrupt = listen_for_interrupts();
    let prepared = tokio::select! {
        biased;
        () = interrupt.raised() => None,
        prepared = comparison.prepare(host, say) => Some(prepared),
    };
    match prepared {
        Some(Err(CompareError::Machine(_) | CompareError::Run(_)))
            if tokio::time::timeout(INTERRUPT_NEWS, interrupt.raised())
                .await
                .is_ok() => {}
        Some(prepared) => return Ok(prepared?),
        None => {}
    }
    Err(Failure::interrupted(
        "interrupted before anything was timed; nothing is kept",
    ))
}

impl Arguments {
    /// Compares files as the options say, and prints nothing but progress.
    ///
    /// # Errors
    /// A file does not build, an option does not fit, or something failed that does not depend on the files.
    pub(super) async fn compared(
        &self,
        files: &Files<'_>,
        output: &Output,
    ) -> Result<FileComparison, Failure> {
        let policy = Policy::of_host()?;
        let natively = self.natively.then(|| match files.programs {
            Some(programs) => NativeWish::new(&policy, Some(programs.to_vec())),
            None => natively::leave(files.named, &policy),
        });
        let natively = natively.transpose()?;
        let host = self.safety.host_options(policy)?;
        let mut say = output.reporter();
        let comparison = self.comparison(files);
        let prepared = prepare(&comparison, &host, &mut say).await?;
        let ready = match prepared {
            Prepared::Untimed(untimed) => return Ok(FileComparison::Untimed(untimed)),
            Prepared::Ready(ready) => ready,
        };
        let temporary = Scratch::new()
            .map_err(|error| Failure::infrastructure(format!("cannot make a folder: {error}")))?;
        let job = RunRequest {
            loaded: &ready.loaded,
            folder: ResultsPlace::Named(
                self.out
                    .clone()
                    .unwrap_or_else(|| temporary.work().to_owned()),
            ),
            start: Start::Resume,
            seed: self.seed,
            safety: &self.safety,
            machine: host.machine.clone(),
            policy: host.policy.clone(),
            generation: None,
            rounds: None,
            judge: None,
            stopped_in_search: ready.stopped.clone(),
            spent: ready.spent,
            natively,
            listener: Listener::default(),
            resume: self.out.is_some().then(resume_command::command),
        };
        let Some(ReportWithSources {
            mut report,
            sources,
        }) = perform(job, output).await?
        else {
            return Ok(FileComparison::Interrupted);
        };
        if let Some(file) = &self.save_inputs
            && let Some(inputs) = ready.timed_inputs(&report).await?
        {
            save(file, &inputs)?;
        }
        if let Some(untimed) = ready.disagreement(&report, &mut say).await? {
            return Ok(FileComparison::Untimed(untimed));
        }
        if let Some(file) = &self.save_case {
            not_written(file, "no input was found on which the files differ");
        }
        report.notes.extend(ready.vectors_note(&report).await?);
        Ok(FileComparison::Timed(Box::new(TimedComparison {
            report,
            sources,
            experiment: ready.loaded.experiment,
        })))
    }

    /// Returns the comparison of files that these options describe.
    fn comparison<'a>(&'a self, files: &Files<'a>) -> Comparison<'a> {
        let mut measure = Measure {
            workers: self.workers.map_or(Workers::Auto, Workers::Exactly),
            margin: self.fail_if_slower,
            ..Measure::default()
        };
        if let Some(confidence) = files.confidence {
            measure.confidence = confidence;
        }
        self.effort.apply(&mut measure, self.budget);
        Comparison {
            files: files.named,
            call: files.call,
            wit: self.wit.as_deref(),
            inputs: match (&self.workload, &self.cases) {
                (Some(file), _) => GivenInputs::Workload(file),
                (None, Some(cases)) => GivenInputs::Cases(cases),
                (None, None) => GivenInputs::None,
            },
            sizes: &self.sizes,
            seed: self.seed,
            bounds: SearchBounds {
                natively: self.natively,
                ..self.effort.search(measure.budget)
            },
            measure,
            simd: self.compiled_for.simd(),
            edition: self.compiled_for.edition(),
            sources: files.sources,
        }
    }

    /// Prints the reason why nothing was timed, and writes the call that shows it to the file of `--save-case`.
    pub(super) fn show_untimed(
        &self,
        untimed: &UntimedComparison,
        output: &Output,
    ) -> Result<Status, Failure> {
        match (&self.save_case, &untimed.reproduction) {
            (Some(file), Some(reproduction)) => {
                let shown = file.display().to_string();
                let shown = Plain(&shown);
                std::fs::write(file, &reproduction.cases)
                    .map_err(|error| Failure::usage(format!("cannot write {shown}: {error}")))?;
                anstream::eprintln!("the call is kept in {shown}, for --cases");
            }
            (Some(file), None) if untimed.outcome == ComparisonOutcome::Disagreement => {
                not_written(
                    file,
                    "the call is too long to be written out, or made no difference again",
                );
            }
            (Some(file), None) => {
                not_written(file, "no input was found on which the files differ");
            }
            (None, _) => {}
        }
        show::print_untimed(untimed, output)?;
        Ok(Status::NoAnswer)
    }

    /// Prints the report of a comparison, and what came of the test that was asked for.
    pub(super) fn show_timed(
        &self,
        timed: &TimedComparison,
        output: &Output,
    ) -> Result<Status, Failure> {
        let TimedComparison {
            report,
            sources,
            experiment,
        } = timed;
        step_summary::append(report, sources);
        let Some(allowed) = self.fail_if_slower else {
            let outcome = ComparisonOutcome::of(report);
            show::print_comparison(report, sources.clone(), outcome, &[], output)?;
            return Ok(Status::of(report));
        };
        let (tests, outcomes) = regression::none_slower(report, experiment, allowed, self.unsure);
        let outcome = regression::outcome(&outcomes);
        show::print_comparison(report, sources.clone(), outcome, &tests, output)?;
        for test in &tests {
            anstream::eprintln!("{}", test.found);
        }
        Ok(Status::of_check(
            tests.iter().all(|test| test.passed),
            report,
        ))
    }
}

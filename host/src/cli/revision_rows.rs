//! Functions of a package at two revisions, each built and compared.

use super::Status;
use super::compare_options::Arguments;
use super::failure::Failure;
use super::file_comparison::{FileComparison, Files, TimedComparison};
use super::options::Output;
use super::regression;
use super::revision_build::{component, request};
use super::revision_side::{Located, Setting, Side};
use bakeoff_compare::{EXAMPLE_OF_BOTH, ReadSources};
use bakeoff_compile::{BuildRequest, Builder, BuiltCrates};
use bakeoff_domain::failure::FailureClass;
use bakeoff_domain::report::{Report, VerdictRow, words};
use bakeoff_domain::variant;
use bakeoff_render::{ComparisonOutcome, RevisedFunction, RevisedNatively, RevisedTime, clipped};
use bakeoff_run::BuiltProgram;
use bakeoff_source::interface::{ComparedFile, Constants, DerivedInterface, Interface};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The most characters of a call that a row of the table shows.
const CALL_CHARS_MAX: usize = 60;

/// The name of the source that calls a function, where it is built for this machine.
const CALLER_FILE: &str = "caller.rs";

/// Outcome of comparing one function of several.
pub(super) enum Row {
    /// It was compared, or its answers differ.
    Compared(Box<RevisedFunction>),
    /// It cannot be called at both revisions in one way, for this reason.
    CannotBeCalled(String),
    Interrupted,
}

/// Returns the row of a function that was not timed.
pub(super) fn untimed_row(
    function: &str,
    outcome: ComparisonOutcome,
    found: String,
) -> RevisedFunction {
    RevisedFunction {
        name: function.to_owned(),
        outcome,
        is_same_code: false,
        found,
        time: None,
        natively: None,
        seed: None,
        details: None,
    }
}

/// Returns a finding without the words of its outcome before it, which stand beside it.
fn without_outcome(found: &str, outcome: ComparisonOutcome) -> String {
    let rest = found.strip_prefix(outcome.words());
    let rest = rest.and_then(|rest| rest.strip_prefix(": "));
    rest.unwrap_or(found).to_owned()
}

/// Everything that the comparisons of several functions share.
pub(super) struct Work<'a> {
    pub(super) arguments: &'a Arguments,
    pub(super) setting: &'a Setting<'a>,
    pub(super) sides: &'a [Side; 2],
    pub(super) builders: &'a [Builder; 2],
    /// The package at both revisions for this machine, if its functions are also compared natively.
    pub(super) packages_natively: Option<&'a [BuiltCrates; 2]>,
    pub(super) folder: &'a Path,
    pub(super) confidence: f64,
    pub(super) output: &'a Output,
}

/// A function at both revisions, as components, and as programs of this machine if these are wanted.
struct Components {
    files: Vec<PathBuf>,
    programs: Option<Vec<BuiltProgram>>,
    call: String,
    sources: ReadSources,
    is_same_code: bool,
}

impl Work<'_> {
    /// Compares one function, and prints the report as of two files.
    pub(super) async fn alone(&self, function: &str) -> Result<Status, Failure> {
        let components = match self.components(0, function).await? {
            Ok(components) => components,
            Err(why) => return Err(Failure::no_answer(format!("{function}: {why}"))),
        };
        let revisions = self.sides.iter().map(|side| {
            let commit = &side.checkout.commit;
            format!("{} is commit {commit}", side.revision)
        });
        let revisions: Vec<String> = revisions.collect();
        let note = format!(
            "{function} of {}; {}.",
            self.setting.package,
            revisions.join(", ")
        );
        match self.compared(&components).await? {
            FileComparison::Interrupted => Ok(Status::Interrupted),
            FileComparison::Untimed(untimed) => self.arguments.show_untimed(&untimed, self.output),
            FileComparison::Timed(mut timed) => {
                timed.report.notes.push(note);
                let left_out = self.sides.iter().filter_map(Side::left_out);
                timed.report.notes.extend(left_out);
                self.arguments.show_timed(&timed, self.output)
            }
        }
    }

    /// Compares a function of several.
    pub(super) async fn row(&self, number: usize, function: &str) -> Result<Row, Failure> {
        let row = |outcome, found: &str, details| {
            let row = untimed_row(function, outcome, found.to_owned());
            Row::Compared(Box::new(RevisedFunction { details, ..row }))
        };
        let components = match self.components(number, function).await? {
            Ok(components) => components,
            Err(why) => return Ok(Row::CannotBeCalled(why)),
        };
        if components.is_same_code {
            let outcome = match self.arguments.fail_if_slower {
                Some(_) => ComparisonOutcome::NotSlower,
                None => ComparisonOutcome::Tie,
            };
            let row = untimed_row(function, outcome, "the same code".to_owned());
            return Ok(Row::Compared(Box::new(RevisedFunction {
                is_same_code: true,
                ..row
            })));
        }
        let compared = match self.compared(&components).await {
            Ok(compared) => compared,
            // The other functions are compared all the same.
            Err(failure) if failure.is_of_input() => {
                let outcome = ComparisonOutcome::NotTimed;
                let details = Some(failure.text());
                return Ok(row(outcome, "not compared", details));
            }
            Err(failure) => return Err(failure),
        };
        Ok(match compared {
            FileComparison::Interrupted => Row::Interrupted,
            FileComparison::Untimed(untimed) => {
                let found = match (untimed.outcome, &untimed.call) {
                    (ComparisonOutcome::Disagreement, Some(call)) => {
                        format!("another answer to {}", clipped(call, CALL_CHARS_MAX))
                    }
                    _ => untimed.reason.clone(),
                };
                let found = without_outcome(&found, untimed.outcome);
                let details = without_outcome(&untimed.text(), untimed.outcome);
                row(untimed.outcome, &found, Some(details))
            }
            FileComparison::Timed(timed) => Row::Compared(Box::new(self.timed(function, &timed))),
        })
    }

    fn timed(&self, function: &str, timed: &TimedComparison) -> RevisedFunction {
        let report = &timed.report;
        let variants = variant::declare(&timed.experiment.approaches);
        let ids: Vec<&str> = variants.iter().map(|variant| variant.id.as_str()).collect();
        let row = words::ordered_row(report, ids[1], ids[0], None);
        let mean = |id: &str| {
            let variant = report.variants.iter().find(|variant| variant.id == id)?;
            variant.readings.get("time").map(|time| time.value)
        };
        let found = match &row {
            Some(row) => words::pair_short(report, row),
            None => report.recommendation.text.clone(),
        };
        let (found, outcome) = match self.arguments.fail_if_slower {
            None => (found, ComparisonOutcome::of(report)),
            Some(allowed) => {
                let outcome = regression::against(report, ids[0], ids[1], allowed).outcome();
                (format!("{}: {found}", outcome.words()), outcome)
            }
        };
        RevisedFunction {
            name: function.to_owned(),
            outcome,
            is_same_code: false,
            found,
            time: row.map(|row| revised_time(&row, mean(ids[0]), mean(ids[1]))),
            natively: natively(report, ids[0], ids[1]),
            seed: Some(report.experiment.seed.to_string()),
            details: None,
        }
    }

    /// Builds a function at both revisions. The inner error says why it cannot be.
    async fn components(
        &self,
        number: usize,
        function: &str,
    ) -> Result<Result<Components, String>, Failure> {
        let [before, after] = self.sides;
        let located = [before.locate(function), after.locate(function)];
        let [Ok(first), Ok(second)] = located else {
            return Ok(Err(format!("{function} is not in both revisions")));
        };
        let written = [
            before.caller(self.setting, &first).await,
            after.caller(self.setting, &second).await,
        ];
        let [Ok(earlier), Ok(later)] = written else {
            let failed = written.into_iter().find_map(Result::err);
            return Ok(Err(failed.unwrap_or_default()));
        };
        let name = first.function.name.clone();
        let read = [earlier.1, later.1];
        let found = match DerivedInterface::find(&read, Some(&name)) {
            Ok(found) => found,
            Err(why) => return Ok(Err(why)),
        };
        let cannot_write = |error: std::io::Error| {
            Failure::infrastructure(format!("cannot write a temporary file: {error}"))
        };
        let folder = self.folder.join(number.to_string());
        std::fs::create_dir_all(&folder).map_err(cannot_write)?;
        let wit = folder.join("called.wit");
        std::fs::write(&wit, found.wit(false)).map_err(cannot_write)?;
        let interface = match Interface::load(&wit, &found.call) {
            Ok(interface) => Arc::new(interface),
            Err(error) => return Ok(Err(error.to_string())),
        };
        let (mut files, mut built, mut programs) = (Vec::new(), Vec::new(), Vec::new());
        let stems = stems([&before.revision, &after.revision]);
        let sources = [&earlier.0, &later.0];
        for (place, stem) in stems.iter().enumerate() {
            let builder = &self.builders[place];
            let request = request(&interface, sources[place], &format!("{stem}.rs"));
            match component(builder, &request).await {
                Ok(component) => built.push(component),
                Err(why) => {
                    let revision = &self.sides[place].revision;
                    return Ok(Err(format!("at {revision}: {why}")));
                }
            }
            let file = folder.join(format!("{stem}.wasm"));
            std::fs::write(&file, &built[place]).map_err(cannot_write)?;
            files.push(file);
            if let Some(packages) = self.packages_natively {
                // Its name is in the program: the same code is to be the same program.
                let request = BuildRequest {
                    code: request.code.shown_as(CALLER_FILE),
                    ..request
                };
                let built = builder.build_native(&request, Some(&packages[place]));
                programs.push(built.await.map(Arc::from));
            }
        }
        let are_same_programs = programs.windows(2).all(|pair| pair[0] == pair[1]);
        Ok(Ok(Components {
            files,
            call: found.call,
            sources: read_sources(read, &[first, second]),
            is_same_code: built[0] == built[1] && are_same_programs,
            programs: self.packages_natively.map(|_| programs),
        }))
    }

    async fn compared(&self, components: &Components) -> Result<FileComparison, Failure> {
        let files = Files {
            named: &components.files,
            call: Some(&components.call),
            sources: Some(&components.sources),
            confidence: Some(self.confidence),
            programs: components.programs.as_deref(),
        };
        let mut compared = self.arguments.compared(&files, self.output).await?;
        if let FileComparison::Untimed(untimed) = &mut compared {
            // A revision is no file, which a test in Rust names, and an experiment is begun from.
            untimed.advice = untimed.advice.replace(EXAMPLE_OF_BOTH, "");
            if let Some(reproduction) = &mut untimed.reproduction {
                reproduction.test = None;
            }
        }
        Ok(compared)
    }
}

/// Returns the times of a verdict about the later revision.
fn revised_time(row: &VerdictRow, before_ns: Option<f64>, after_ns: Option<f64>) -> RevisedTime {
    RevisedTime {
        verdict: row.verdict,
        before_ns,
        after_ns,
        ratio: row.ratio,
        low: row.low,
        high: row.high,
    }
}

/// Returns what programs of this machine say of the later one of two revisions, by the ids of their variants.
fn natively(report: &Report, before: &str, after: &str) -> Option<RevisedNatively> {
    let natively = report.natively.as_ref()?;
    let mean = |id: &str| natively.times.get(id).map(|time| time.value);
    let failed = [after, before].into_iter().find_map(|id| {
        let failure = natively.failures.get(id)?;
        if failure.class == FailureClass::Disagreement {
            return Some("they answer differently".to_owned());
        }
        let first = failure.message.lines().next().unwrap_or_default();
        Some(format!(
            "{} has no result: {first}",
            words::name(report, id)
        ))
    });
    let has_failed = failed.is_some();
    let row = natively.verdict(after, before).filter(|_| failed.is_none());
    let found = match &row {
        Some(row) => words::native_pair(report, row),
        None => failed.unwrap_or_else(|| "not timed within the budget".to_owned()),
    };
    Some(RevisedNatively {
        found,
        has_failed,
        time: row.map(|row| revised_time(&row, mean(before), mean(after))),
    })
}

/// Returns the sources that call a function, with the constants of its files and the examples of calls of it in them.
fn read_sources(callers: [ComparedFile; 2], located: &[Located<'_>; 2]) -> ReadSources {
    let (mut files, mut constants) = (Vec::from(callers), Constants::default());
    for (file, one) in files.iter_mut().zip(located) {
        constants.extend(one.constants());
        for function in &mut file.functions {
            function.examples.clone_from(&one.function.examples);
        }
    }
    ReadSources { files, constants }
}

/// Returns names of files for two revisions, by which the report calls them.
fn stems(revisions: [&String; 2]) -> [String; 2] {
    let plain = |revision: &str| -> String {
        let usual = |c: char| {
            if c.is_ascii_alphanumeric() || "-_.~^@".contains(c) {
                c
            } else {
                '-'
            }
        };
        revision.chars().map(usual).take(60).collect()
    };
    let [before, after] = revisions.map(|revision| plain(revision));
    if before.to_lowercase() == after.to_lowercase() {
        [format!("{before}-before"), format!("{after}-after")]
    } else {
        [before, after]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn revisions_are_names_of_files() {
        let named = |before: &str, after: &str| stems([&before.to_owned(), &after.to_owned()]);
        assert_eq!(named("main", "HEAD~1"), ["main", "HEAD~1"]);
        assert_eq!(named("origin/main", "../x"), ["origin-main", "..-x"]);
        assert_eq!(named("a/b", "A-b"), ["a-b-before", "A-b-after"]);
    }
}

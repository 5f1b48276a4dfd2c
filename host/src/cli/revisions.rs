//! `bakeoff compare main HEAD --package codec`: functions of a package at two revisions of a git repository.

use super::compare_options::Arguments;
use super::failure::Failure;
use super::natively::NativeWish;
use super::options::{Format, Output};
use super::regression::Unsure;
use super::revision_rows::{Row, Work, untimed_row};
use super::revision_side::{Setting, Side};
use super::{Status, show, step_summary};
use bakeoff_config::Policy;
use bakeoff_domain::report::words;
use bakeoff_domain::spec::Measure;
use bakeoff_files::Scratch;
use bakeoff_render::escape::Plain;
use bakeoff_render::{ComparisonOutcome, RevisedFunction, Revision, RevisionsReport};
use bakeoff_revision::Repository;
use bakeoff_run::KnownMachine;
use std::path::{Path, PathBuf};

/// The most functions of one comparison: they share the chance of a false claim.
const FUNCTIONS_MAX: usize = 100;

pub(super) async fn run(arguments: &Arguments, output: &Output) -> Result<Status, Failure> {
    let [before, after] = revisions(arguments)?;
    let policy = Policy::of_host()?;
    policy.permit_packages()?;
    if arguments.natively {
        // A host that forbids it does so before anything is read.
        NativeWish::new(&policy, None)?;
    }
    let machine = KnownMachine::default();
    let setting = Setting {
        repository: Repository::above(Path::new("."))
            .map_err(|error| Failure::usage(error.to_string()))?,
        package: arguments.package.as_deref().unwrap_or_default(),
        confinement: machine
            .confinement(arguments.safety.unconfined(&policy)?)
            .await?,
        machine,
        safety: &arguments.safety,
        policy: &policy,
        simd: arguments.compiled_for.simd(),
        allows_crates: arguments.allow_crates,
    };
    let mut sides = [
        Side::read(&setting, before).await?,
        Side::read(&setting, after).await?,
    ];
    let (functions, mut notes) = functions(arguments, &setting, &mut sides).await?;
    notes.extend(sides.iter().filter_map(Side::left_out));
    let builders = [
        sides[0].builder(&setting, output).await?,
        sides[1].builder(&setting, output).await?,
    ];
    let packages_natively = if arguments.natively {
        Some([
            sides[0].package_natively(&builders[0], output).await?,
            sides[1].package_natively(&builders[1], output).await?,
        ])
    } else {
        None
    };
    let folder = Scratch::new()
        .map_err(|error| Failure::infrastructure(format!("cannot make a folder: {error}")))?;
    let confidence = Measure::default().confidence;
    let of_each = 1.0 - (1.0 - confidence) / functions.len() as f64;
    let work = Work {
        arguments,
        setting: &setting,
        sides: &sides,
        builders: &builders,
        packages_natively: packages_natively.as_ref(),
        folder: folder.work(),
        confidence: of_each,
        output,
    };
    if let [function] = functions.as_slice() {
        return work.alone(function).await;
    }
    let mut report = RevisionsReport {
        package: setting.package.to_owned(),
        before: sides[0].shown(),
        after: sides[1].shown(),
        confidence,
        confidence_of_each: of_each,
        functions: Vec::new(),
        notes,
    };
    for (number, function) in functions.iter().enumerate() {
        if !output.quiet {
            anstream::eprintln!(
                "{} ({} of {})",
                Plain(function),
                number + 1,
                functions.len()
            );
        }
        match work.row(number, function).await? {
            Row::Compared(row) => report.functions.push(*row),
            Row::CannotBeCalled(why) if arguments.call.is_some() => {
                let found = "not compared: it cannot be called".to_owned();
                let row = untimed_row(function, ComparisonOutcome::BuildFailed, found);
                let details = Some(why);
                report.functions.push(RevisedFunction { details, ..row });
            }
            // Nobody asked for this one by its name.
            Row::CannotBeCalled(why) => {
                let why = why.trim_end_matches('.');
                let note = format!("Not compared: {function}: {why}.");
                report.notes.push(note);
            }
            Row::Interrupted => return Ok(Status::Interrupted),
        }
    }
    if report.functions.is_empty() {
        return Err(Failure::no_answer(format!(
            "no function could be compared. {}",
            report.notes.join(" ")
        )));
    }
    let has_programs = |function: &RevisedFunction| {
        let natively = function.natively.as_ref();
        natively.is_some_and(|natively| natively.time.is_some())
    };
    if report.functions.iter().any(has_programs) {
        report.notes.push(words::NATIVELY_NOTE.to_owned());
    }
    print(&report, arguments, output)
}

/// Returns the two revisions that the arguments name.
fn revisions(arguments: &Arguments) -> Result<[&str; 2], Failure> {
    let [before, after] = arguments.files.as_slice() else {
        return Err(Failure::usage(
            "with --package two revisions are compared, an earlier and a later one: `bakeoff compare main HEAD \
             --package NAME`",
        ));
    };
    let text = |path: &'_ PathBuf| {
        path.to_str().map(str::to_owned).ok_or_else(|| {
            Failure::usage(format!(
                "{} is no name of a revision",
                Plain(&path.display().to_string())
            ))
        })
    };
    text(before)?;
    text(after)?;
    let several = arguments
        .call
        .as_deref()
        .is_none_or(|call| call.contains(','));
    let given = [
        ("--wit", arguments.wit.is_some()),
        ("--edition", arguments.compiled_for.has_edition()),
    ];
    let of_one = [
        ("--workload", arguments.workload.is_some()),
        ("--cases", arguments.cases.is_some()),
        ("--save-case", arguments.save_case.is_some()),
        ("--save-inputs", arguments.save_inputs.is_some()),
        ("--out", arguments.out.is_some()),
    ];
    if let Some((name, _)) = given.into_iter().find(|(_, is_given)| *is_given) {
        return Err(Failure::usage(format!(
            "a package says itself what its functions are and how they are built: leave out {name}"
        )));
    }
    match of_one.into_iter().find(|(_, is_given)| *is_given) {
        Some((name, _)) if several => Err(Failure::usage(format!(
            "{name} is for one function: name it, --call NAME"
        ))),
        _ => Ok([
            before.to_str().unwrap_or_default(),
            after.to_str().unwrap_or_default(),
        ]),
    }
}

/// Returns the functions that are compared, and sentences on those that are not: the named ones, or those at the root of
/// the library that both revisions have.
async fn functions(
    arguments: &Arguments,
    setting: &Setting<'_>,
    sides: &mut [Side; 2],
) -> Result<(Vec<String>, Vec<String>), Failure> {
    let mut notes = Vec::new();
    let mut names: Vec<String> = Vec::new();
    if let Some(call) = &arguments.call {
        for name in call
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty())
        {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
        if names.is_empty() {
            return Err(Failure::usage(
                "--call names no function: write NAME, or MODULE::NAME, several with commas between them",
            ));
        }
        for side in sides.iter_mut() {
            for name in &names {
                side.look_for(setting, name).await?;
                let located = side.locate(name).map_err(Failure::usage)?;
                if let Err(why) = &located.function.signature {
                    return Err(Failure::usage(format!(
                        "{name} at {} cannot be called: {why}",
                        side.revision
                    )));
                }
            }
        }
    } else {
        let [(mut before, _), (after, uncallable)] = [sides[0].functions(), sides[1].functions()];
        let lists = [(&before, &after, 0), (&after, &before, 1)];
        for (own, others, place) in lists {
            let alone = own.iter().filter(|name| !others.contains(name));
            notes.extend(
                alone.map(|name| {
                    format!("{name} can be called at {} alone.", sides[place].revision)
                }),
            );
        }
        notes.extend(uncallable.iter().map(|why| format!("Not compared: {why}.")));
        before.retain(|name| after.contains(name));
        names = before;
    }
    match names.len() {
        0 => Err(Failure::usage(format!(
            "{} has no public function at the root of its library that both revisions have and that can be called: name \
             one of a module, --call MODULE::NAME{}{}",
            setting.package,
            if notes.is_empty() { "" } else { ". " },
            notes.join(" ")
        ))),
        1..=FUNCTIONS_MAX => Ok((names, notes)),
        count => Err(Failure::usage(format!(
            "{FUNCTIONS_MAX} functions at most are compared at once, and these are {count}: name some, --call \
             NAME,NAME"
        ))),
    }
}

/// Prints the table of all functions, and returns the exit status.
fn print(
    report: &RevisionsReport,
    arguments: &Arguments,
    output: &Output,
) -> Result<Status, Failure> {
    let passes = |outcome: ComparisonOutcome| match outcome {
        ComparisonOutcome::NotSlower => true,
        ComparisonOutcome::Winner | ComparisonOutcome::Tie => arguments.fail_if_slower.is_none(),
        ComparisonOutcome::NotKnown => arguments.unsure == Unsure::Pass,
        _ => false,
    };
    let options = show::options(show::Sources::new(), output);
    step_summary::append_text(&bakeoff_render::markdown_of_revisions(report));
    show::write(&match output.format {
        Format::Json => bakeoff_render::json_of_revisions(report),
        Format::Csv => bakeoff_render::csv_of_revisions(report),
        Format::Junit => bakeoff_render::junit_of_revisions(report, &passes),
        Format::Md => bakeoff_render::markdown_of_revisions(report),
        Format::Html => bakeoff_render::html_of_revisions(report),
        Format::Human | Format::Jsonl | Format::Criterion if output.quiet => {
            bakeoff_render::answer_of_revisions(report, &options)
        }
        Format::Human | Format::Jsonl | Format::Criterion => {
            bakeoff_render::human_of_revisions(report, &options)
        }
    })?;
    let all_pass = report
        .functions
        .iter()
        .all(|function| passes(function.outcome));
    Ok(Status::of_answer(all_pass, false))
}

impl Side {
    fn shown(&self) -> Revision {
        Revision {
            name: self.revision.clone(),
            commit: self.checkout.commit.clone(),
        }
    }
}

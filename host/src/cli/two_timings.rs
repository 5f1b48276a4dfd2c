//! `bakeoff compare DIR DIR`: shows what changed between two comparisons of commands that were kept.

use super::failure::Failure;
use super::kept_timing::ReportedTiming;
use super::options::{Format, Output};
use super::{Status, changed_times, show};
use bakeoff_domain::anchored::{MeasuredRatios, TimeChanges, changes_by_anchors};
use bakeoff_domain::series::SeriesVerdict;
use bakeoff_domain::verdict::{RatioInterval, Verdict};
use bakeoff_programs::KeptCommand;
use bakeoff_render::escape::Plain;
use serde::Serialize;

/// Changes from one comparison to another, as they are written in JSON.
#[derive(Serialize)]
struct Difference {
    winner: (Option<String>, Option<String>),
    /// Name, before, after. Times are compared only if this is empty.
    environment: Vec<(&'static str, String, String)>,
    commands: Vec<CommandChange>,
    verdicts: Vec<VerdictChange>,
    /// The number of pairs of which both say something.
    pairs_in_both: usize,
    times: TimeChanges,
}

/// A command in two comparisons.
#[derive(Serialize)]
struct CommandChange {
    name: String,
    change: Change,
    /// Reasons why it failed: before, after.
    failure: (Option<String>, Option<String>),
}

/// The change of a command.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Change {
    New,
    Removed,
    /// Its words, its program and the files that it names are the same.
    Unchanged,
    /// Another command has this name, or other commands are run around it.
    OtherCommand,
    /// Its program, or a file that it names, is not the same.
    OtherFiles,
    /// It is not known whether its files are the same.
    Unknown,
}

impl Change {
    fn of(before: Option<&KeptCommand>, after: Option<&KeptCommand>) -> Self {
        match (before, after) {
            (None, _) => Self::New,
            (_, None) => Self::Removed,
            (Some(then), Some(now)) if then.is_same(now) => Self::Unchanged,
            (Some(then), Some(now)) if then.command != now.command || then.around != now.around => {
                Self::OtherCommand
            }
            (Some(then), Some(now)) if then.files.is_none() || now.files.is_none() => Self::Unknown,
            _ => Self::OtherFiles,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Removed => "removed",
            Self::Unchanged => "the same command, with the same files",
            Self::OtherCommand => "another command",
            Self::OtherFiles => "the same command, with other files",
            Self::Unknown => "the same command; whether its files are the same is not known",
        }
    }
}

/// A pair on which two comparisons give different verdicts.
#[derive(Serialize)]
struct VerdictChange {
    a: String,
    b: String,
    before: Verdict,
    after: Verdict,
}

/// Shows the changes from the first comparison to the second. Times are compared by way of a command that is the same in
/// both, or not at all.
pub(super) fn run(
    before: &ReportedTiming,
    after: &ReportedTiming,
    output: &Output,
) -> Result<Status, Failure> {
    output.only(&[Format::Human, Format::Json])?;
    for timing in [before, after] {
        for warning in &timing.report.warnings {
            anstream::eprintln!("warning: {}", Plain(warning));
        }
    }
    let difference = Difference {
        winner: (before.report.winner.clone(), after.report.winner.clone()),
        environment: environment(before, after),
        commands: commands(before, after),
        verdicts: verdicts(before, after),
        pairs_in_both: pairs_in_both(before, after),
        times: times(before, after).unwrap_or_else(|reason| TimeChanges::NotComparable { reason }),
    };
    match output.format {
        Format::Json => show::write_json(&difference)?,
        _ => {
            let none = "no command that was measured in both changed";
            let quantity = &after.report.quantity;
            let times = changed_times::lines(&difference.times, quantity, none);
            show::write(&(text(&difference) + &times))?;
        }
    }
    Ok(Status::Done)
}

fn environment(
    before: &ReportedTiming,
    after: &ReportedTiming,
) -> Vec<(&'static str, String, String)> {
    let (then, now) = (&before.kept.options, &after.kept.options);
    let fields = [
        ("cpu", then.machine.cpu.clone(), now.machine.cpu.clone()),
        (
            "cores",
            then.machine.cores.to_string(),
            now.machine.cores.to_string(),
        ),
        (
            "system",
            then.machine.system.clone(),
            now.machine.system.clone(),
        ),
    ];
    fields
        .into_iter()
        .filter(|(_, then, now)| then != now)
        .collect()
}

/// The command of this name.
fn named<'a>(timing: &'a ReportedTiming, name: &str) -> Option<&'a KeptCommand> {
    timing
        .kept
        .commands
        .iter()
        .find(|command| command.name == name)
}

fn commands(before: &ReportedTiming, after: &ReportedTiming) -> Vec<CommandChange> {
    let is_gone = |command: &&KeptCommand| named(after, &command.name).is_none();
    let gone = before.kept.commands.iter().filter(is_gone);
    let all = after.kept.commands.iter().chain(gone);
    let change = |name: &str| {
        let (then, now) = (named(before, name), named(after, name));
        let failure = |command: Option<&KeptCommand>| command.and_then(|one| one.failure.clone());
        CommandChange {
            name: name.to_owned(),
            change: Change::of(then, now),
            failure: (failure(then), failure(now)),
        }
    };
    all.map(|command| change(&command.name)).collect()
}

fn pairs_in_both(before: &ReportedTiming, after: &ReportedTiming) -> usize {
    let rows = after.report.verdicts.iter();
    let is_in_both = |row: &&SeriesVerdict| before.report.verdict(&row.a, &row.b).is_some();
    rows.filter(is_in_both).count()
}

fn verdicts(before: &ReportedTiming, after: &ReportedTiming) -> Vec<VerdictChange> {
    let rows = after.report.verdicts.iter();
    let change = rows.filter_map(|now| {
        let then = before.report.verdict(&now.a, &now.b)?;
        (then.verdict != now.verdict).then(|| VerdictChange {
            a: now.a.clone(),
            b: now.b.clone(),
            before: then.verdict,
            after: now.verdict,
        })
    });
    change.collect()
}

/// Compares the times.
///
/// # Errors
/// The reason why they cannot be compared.
fn times(before: &ReportedTiming, after: &ReportedTiming) -> Result<TimeChanges, String> {
    if !environment(before, after).is_empty() {
        return Err("they were measured on different machines or systems".to_owned());
    }
    let options = [before, after].map(|timing| &timing.kept.options);
    if let Some(name) = options[0].otherwise_asked(options[1]) {
        return Err(format!(
            "they ask different questions: their {name} differs"
        ));
    }
    let is_measured = |timing: &ReportedTiming, name: &str| {
        let variant = timing.report.variant(name);
        variant.is_some_and(|one| one.failure.is_none() && !one.values.is_empty())
    };
    let names = after
        .kept
        .commands
        .iter()
        .map(|command| command.name.as_str());
    let mut common = names.clone().filter(|name| named(before, name).is_some());
    if common.next().is_none() {
        return Err(
            "the two have no command of the same name, so there is nothing to compare by: have one that does not change \
             in both, under one name (-n NAME)"
                .to_owned(),
        );
    }
    let twice = names.filter(|name| is_measured(before, name) && is_measured(after, name));
    let is_same = |name: &&str| {
        let both = named(before, name).zip(named(after, name));
        both.is_some_and(|(then, now)| then.is_same(now))
    };
    let (anchors, changed): (Vec<&str>, Vec<&str>) = twice.partition(is_same);
    if anchors.is_empty() {
        return Err(
            "no command was measured in both and is the same, with the same files: compare with one that does not \
             change beside the others"
                .to_owned(),
        );
    }
    let ratio = |timing: &ReportedTiming, a: &str, b: &str| -> Option<RatioInterval> {
        timing.report.verdict(a, b).map(|row| row.interval())
    };
    changes_by_anchors(
        [
            &MeasuredRatios {
                confidence: before.report.confidence,
                ratio: &|a, b| ratio(before, a, b),
            },
            &MeasuredRatios {
                confidence: after.report.confidence,
                ratio: &|a, b| ratio(after, a, b),
            },
        ],
        &anchors,
        changed.into_iter(),
    )
}

fn text(difference: &Difference) -> String {
    let word = |name: &Option<String>| {
        let name = name.as_ref();
        name.map_or_else(|| "none".to_owned(), |name| Plain(name).to_string())
    };
    let (before, after) = &difference.winner;
    let mut text = if before == after {
        format!("winner: {} in both comparisons\n", word(before))
    } else {
        format!("winner: {} → {}\n", word(before), word(after))
    };
    for (name, before, after) in &difference.environment {
        text += &format!(
            "environment differs: {name} {} → {}\n",
            Plain(before),
            Plain(after)
        );
    }
    text += "commands:\n";
    for command in &difference.commands {
        text += &format!("  {}: {}", Plain(&command.name), command.change.words());
        let (before, after) = &command.failure;
        text += match (before, after) {
            (Some(_), Some(_)) => "; failed in both\n",
            (Some(_), None) => "; had failed\n",
            (None, Some(_)) => "; failed\n",
            (None, None) => "\n",
        };
    }
    if difference.pairs_in_both == 0 {
        return text + "verdicts: no pair of commands is in both comparisons\n";
    }
    if difference.verdicts.is_empty() {
        return text + "verdicts: the same for all pairs in both comparisons\n";
    }
    text += "changed verdicts:\n";
    for VerdictChange {
        a,
        b,
        before,
        after,
    } in &difference.verdicts
    {
        let (a, b) = (Plain(a), Plain(b));
        text += &format!("  {a} against {b}: {} → {}\n", before.name(), after.name());
    }
    text
}

//! Commands of this binary, made from the arguments of a tool.
//!
//! Each value that an agent gives is either written to a file whose name is ours, or it is the value of an option, in
//! one word with it: nothing of it can become an option, a path or a program.

use super::arguments::{
    CheckArguments, CompareArguments, EffortArgument, JudgeArguments, RunArguments,
};
use super::child::{Invocation, WorkingFolder};
use super::error::{ToolError, quoted};
use super::fence::CommandKind;
use super::limits::{BUDGET_MAX, READING_TIME_MAX, RUN_TIME_MAX};
use super::outcome::RunKind;
use super::roots::Roots;
use super::runs::Work;
use super::workspace::Workspace;
use bakeoff_config::{APPROACHES_MAX, SIZES_MAX};
use bakeoff_render::escape::is_active;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::time::Duration;

/// The folder of a comparison's results, in its own folder.
const RESULTS: &str = "results";

/// The file that exists if a comparison measured anything.
const REPORT: &str = "results/report.json";

/// The most bytes of a value on the command line: of a name, and of a call with its arguments.
const NAME_BYTES_MAX: usize = 256;
const CALL_BYTES_MAX: usize = 16 << 10;

/// The options that every command gets: an answer as JSON, events on stderr, no colours.
const OPTIONS: [&str; 4] = ["--format=json", "--verbose", "--color", "never"];

/// Returns the work of `compare`.
pub(super) fn compare(arguments: CompareArguments, roots: &Roots) -> Result<Work, ToolError> {
    let count = arguments.sources.len();
    if !(2..=APPROACHES_MAX).contains(&count) {
        return Err(ToolError::new(format!(
            "`sources` has {count} ways, and 2 to {APPROACHES_MAX} are compared"
        )));
    }
    if arguments.workload.is_some() && arguments.sizes.is_none() {
        return Err(ToolError::new(
            "a workload needs `sizes`, the sizes of the inputs that it makes",
        ));
    }
    if arguments.cases.is_some() && (arguments.workload.is_some() || arguments.sizes.is_some()) {
        return Err(ToolError::new(
            "`cases` are the inputs: leave out `workload` and `sizes`",
        ));
    }
    if arguments.wit.is_some() && arguments.call.is_none() {
        return Err(ToolError::new(
            "`wit` needs `call`, the function that is called; or leave out `wit`, and types are read from the sources",
        ));
    }
    if arguments
        .sizes
        .as_ref()
        .is_some_and(|sizes| sizes.len() > SIZES_MAX)
    {
        return Err(ToolError::new(format!(
            "`sizes` has more than {SIZES_MAX} sizes"
        )));
    }
    if arguments.sizes.iter().flatten().any(|size| *size == 0) {
        return Err(ToolError::new("`sizes` has a 0: a size is 1 or more"));
    }
    let mut workspace = Workspace::new()?;
    let mut words: Vec<String> = vec!["compare".to_owned()];
    let mut sources = BTreeMap::new();
    for source in arguments.sources {
        let (file, text) = workspace.put_source(source, roots)?;
        if let (Some(name), Some(text)) = (file.strip_suffix(".rs"), text) {
            sources.insert(name.to_owned(), text);
        }
        words.push(file);
    }
    words.push(format!("--out={RESULTS}"));
    words.extend(option("call", arguments.call, NAME_BYTES_MAX)?);
    if let Some(wit) = arguments.wit {
        words.push(format!("--wit={}", workspace.put_wit(wit, roots)?));
    }
    if let Some(workload) = arguments.workload {
        let file = workspace.put_file("given_workload", "`workload`", workload, roots)?;
        words.push(format!("--workload={file}"));
    }
    if let Some(cases) = arguments.cases {
        words.push(format!("--cases={}", workspace.put_cases(&cases)?));
    }
    if let Some(sizes) = arguments.sizes.filter(|sizes| !sizes.is_empty()) {
        let sizes: Vec<String> = sizes.iter().map(u32::to_string).collect();
        words.push(format!("--size={}", sizes.join(",")));
    }
    words.extend(option("seed", arguments.seed, NAME_BYTES_MAX)?);
    words.extend(effort(arguments.effort, arguments.budget_seconds)?);
    Ok(Work {
        kind: RunKind::Compare,
        invocation: invocation(
            words,
            WorkingFolder::Own(workspace.files()),
            roots,
            &workspace,
        )?,
        workspace,
        report: Some(REPORT),
        sources,
        asks: None,
    })
}

/// Returns the work of `run`.
pub(super) fn run(arguments: &RunArguments, roots: &Roots) -> Result<Work, ToolError> {
    let folder = roots.folder(&arguments.folder)?;
    let workspace = Workspace::new()?;
    let mut words = vec!["run".to_owned(), ".".to_owned()];
    words.extend(arguments.fresh.then(|| "--fresh".to_owned()));
    words.extend(option("seed", arguments.seed.clone(), NAME_BYTES_MAX)?);
    words.extend(
        arguments
            .workers
            .map(|workers| format!("--workers={workers}")),
    );
    words.extend(effort(arguments.effort, arguments.budget_seconds)?);
    words.extend(arguments.rounds.map(|rounds| match rounds {
        0 => "--no-rounds".to_owned(),
        rounds => format!("--rounds={rounds}"),
    }));
    Ok(Work {
        kind: RunKind::Run,
        invocation: invocation(words, WorkingFolder::Opened(folder), roots, &workspace)?,
        workspace,
        report: None,
        sources: BTreeMap::new(),
        asks: None,
    })
}

/// Returns the work of `check`.
pub(super) fn check(arguments: CheckArguments, roots: &Roots) -> Result<Work, ToolError> {
    let only_with_case =
        arguments.seed.is_some() || arguments.workload.is_some() || arguments.cases.is_some();
    if arguments.case.is_none() && only_with_case {
        return Err(ToolError::new(
            "`seed`, `workload` and `cases` say how one call is made: give its `case`, too, or leave them out to \
             check whether the code fits",
        ));
    }
    let mut workspace = Workspace::new()?;
    let file = workspace.put_file("code", "`file`", arguments.file, roots)?;
    let mut words = vec!["check".to_owned(), file];
    words.push(format!(
        "--wit={}",
        workspace.put_wit(arguments.wit, roots)?
    ));
    words.extend(option("call", Some(arguments.call), NAME_BYTES_MAX)?);
    words.extend(arguments.is_workload.then(|| "--world=workload".to_owned()));
    words.extend(option("case", arguments.case, CALL_BYTES_MAX)?);
    words.extend(arguments.seed.map(|seed| format!("--seed={seed}")));
    if let Some(workload) = arguments.workload {
        let file = workspace.put_file("given_workload", "`workload`", workload, roots)?;
        words.push(format!("--workload={file}"));
    }
    if let Some(cases) = arguments.cases {
        words.push(format!("--cases={}", workspace.put_cases(&cases)?));
    }
    Ok(Work {
        kind: RunKind::Check,
        invocation: invocation(
            words,
            WorkingFolder::Own(workspace.files()),
            roots,
            &workspace,
        )?,
        workspace,
        report: None,
        sources: BTreeMap::new(),
        asks: None,
    })
}

/// Returns the command that reads a report below a root. The workspace must live as long as the command runs.
pub(super) fn report(
    folder: File,
    roots: &Roots,
    weights: &BTreeMap<String, f64>,
) -> Result<(Invocation, Workspace), ToolError> {
    let mut words = vec!["report".to_owned(), ".".to_owned()];
    for (name, weight) in weights {
        words.extend(option(
            "weight",
            Some(format!("{name}={weight}")),
            NAME_BYTES_MAX,
        )?);
    }
    let workspace = Workspace::new()?;
    let invocation = invocation(words, WorkingFolder::Opened(folder), roots, &workspace)?;
    Ok((reading(invocation), workspace))
}

/// Returns the command that copies the winner's code to a file of that name in the workspace's folder for temporary
/// files.
pub(super) fn pick(
    folder: File,
    roots: &Roots,
    copy: &str,
) -> Result<(Invocation, Workspace), ToolError> {
    let workspace = Workspace::new()?;
    let to = workspace.temporary().join(copy);
    let words = vec!["pick".to_owned(), ".".to_owned()];
    let mut invocation = invocation(words, WorkingFolder::Opened(folder), roots, &workspace)?;
    invocation.arguments.push("--copy".into());
    invocation.arguments.push(to.into());
    Ok((reading(invocation), workspace))
}

/// Returns the command that compares somebody's values. The workspace must live as long as it runs.
pub(super) fn judge(
    arguments: JudgeArguments,
    roots: &Roots,
) -> Result<(Invocation, Workspace), ToolError> {
    let mut workspace = Workspace::new()?;
    let mut words = vec![
        "judge".to_owned(),
        workspace.put_rows(arguments.rows, roots)?,
    ];
    words.extend(option("name", arguments.name, NAME_BYTES_MAX)?);
    words.extend(option("unit", arguments.unit, NAME_BYTES_MAX)?);
    words.extend(
        arguments
            .higher_is_better
            .then(|| "--higher-is-better".to_owned()),
    );
    if let Some([low, high]) = arguments.range {
        words.push(format!("--range={low}..{high}"));
    }
    let practical = arguments.practical_percent;
    words.extend(practical.map(|percent| format!("--practical={percent}%")));
    let folder = WorkingFolder::Own(workspace.files());
    let invocation = invocation(words, folder, roots, &workspace)?;
    Ok((reading(invocation), workspace))
}

/// Returns the same command as one that builds and runs nothing.
pub(super) fn reading(invocation: Invocation) -> Invocation {
    Invocation {
        kind: CommandKind::Reading,
        time_max: READING_TIME_MAX,
        ..invocation
    }
}

/// Returns a command in this folder. A command in a folder of the agent's may read the roots.
pub(super) fn invocation(
    words: Vec<impl Into<OsString>>,
    folder: WorkingFolder,
    roots: &Roots,
    workspace: &Workspace,
) -> Result<Invocation, ToolError> {
    let options = OPTIONS.into_iter().map(OsString::from);
    let read = match folder {
        WorkingFolder::Own(_) => Ok(Vec::new()),
        WorkingFolder::Opened(_) => roots.handles(),
    };
    let read = read.map_err(|error| ToolError::machine("cannot keep the roots open", error))?;
    Ok(Invocation {
        kind: CommandKind::Running,
        arguments: words.into_iter().map(Into::into).chain(options).collect(),
        last: None,
        model: None,
        folder,
        temporary: workspace.temporary(),
        workspace: workspace.path().to_owned(),
        roots: read,
        time_max: RUN_TIME_MAX,
    })
}

/// Returns an option with its value, as one word.
pub(super) fn option(
    name: &str,
    value: Option<String>,
    bytes_max: usize,
) -> Result<Option<String>, ToolError> {
    let Some(value) = value else {
        return Ok(None);
    };
    if value.len() > bytes_max || value.chars().any(is_active) {
        Err(ToolError::new(format!(
            "the value {} of `{name}` is refused: it is longer than {bytes_max} bytes, or has control characters",
            quoted(&value)
        )))
    } else {
        Ok(Some(format!("--{name}={value}")))
    }
}

fn effort(
    effort: Option<EffortArgument>,
    seconds: Option<f64>,
) -> Result<Option<String>, ToolError> {
    let word = match effort {
        None => return budget(seconds),
        Some(EffortArgument::Quick) => "--quick",
        Some(EffortArgument::Careful) => "--careful",
    };
    if seconds.is_some() {
        return Err(ToolError::new(
            "`effort` and `budget_seconds` both say how long is measured: leave one of them out",
        ));
    }
    Ok(Some(word.to_owned()))
}

fn budget(seconds: Option<f64>) -> Result<Option<String>, ToolError> {
    let Some(seconds) = seconds else {
        return Ok(None);
    };
    let budget = Duration::try_from_secs_f64(seconds).ok();
    let is_allowed = |budget: &Duration| (1..=BUDGET_MAX.as_millis()).contains(&budget.as_millis());
    match budget.filter(is_allowed) {
        Some(budget) => Ok(Some(format!("--budget={}ms", budget.as_millis()))),
        None => Err(ToolError::new(format!(
            "`budget_seconds` is {seconds:?}, and must be more than 0 and at most {}",
            BUDGET_MAX.as_secs()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::arguments;
    use serde_json::{Value, json};

    fn compared(arguments: Value) -> Result<Work, ToolError> {
        let arguments = arguments.as_object().cloned();
        compare(arguments::read("compare", arguments)?, &Roots::default())
    }

    fn words(work: &Work) -> Vec<String> {
        let words = work.invocation.arguments.iter();
        words
            .map(|word| word.to_str().unwrap().to_owned())
            .collect()
    }

    fn two() -> Value {
        json!([{"name": "a", "text": "x"}, {"name": "b.rs", "text": "y"}])
    }

    #[test]
    fn a_comparison_is_a_command_on_files_with_our_names() {
        let work = compared(json!({
            "sources": two(), "call": "--out=/", "wit": {"text": "w"}, "workload": {"text": "v"},
            "sizes": [9, 3], "seed": "7", "budget_seconds": 0.5
        }));
        let work = work.unwrap();
        let expected = [
            "compare",
            "a.rs",
            "b.rs",
            "--out=results",
            "--call=--out=/",
            "--wit=interface.wit",
            "--workload=given_workload.rs",
            "--size=9,3",
            "--seed=7",
            "--budget=500ms",
            "--format=json",
            "--verbose",
            "--color",
            "never",
        ];
        assert_eq!(words(&work), expected);
        assert_eq!(
            std::fs::read_to_string(work.workspace.files().join("b.rs")).unwrap(),
            "y"
        );
        assert_eq!(work.sources["b"], "y");
        for (effort, word) in [("quick", "--quick"), ("careful", "--careful")] {
            let work = compared(json!({"sources": two(), "effort": effort})).unwrap();
            assert!(words(&work).contains(&word.to_owned()), "{effort}");
        }
    }

    #[test]
    fn what_does_not_go_together_is_refused_with_what_is_missing() {
        let one = json!([{"name": "a", "text": "x"}]);
        for (arguments, why) in [
            (json!({"sources": one}), "2 to 64"),
            (
                json!({"sources": two(), "cases": [{"call": "f()"}], "sizes": [1]}),
                "leave out",
            ),
            (
                json!({"sources": two(), "wit": {"text": ""}, "call": "f", "workload": {"text": ""}}),
                "`sizes`",
            ),
            (
                json!({"sources": two(), "wit": {"text": ""}}),
                "`wit` needs `call`",
            ),
            (
                json!({"sources": two(), "budget_seconds": 1, "effort": "quick"}),
                "leave one of them out",
            ),
            (
                json!({"sources": two(), "budget_seconds": 0}),
                "more than 0",
            ),
            (
                json!({"sources": two(), "budget_seconds": -1.0e300}),
                "more than 0",
            ),
            (
                json!({"sources": two(), "budget_seconds": 1.0e300}),
                "is 1e300, and must be more than 0 and at most 3600",
            ),
            (
                json!({"sources": two(), "sizes": [9, 0]}),
                "a size is 1 or more",
            ),
            (
                json!({"sources": two(), "call": "f\0"}),
                "control characters",
            ),
            (
                json!({"sources": two(), "call": "f".repeat(NAME_BYTES_MAX + 1)}),
                "longer than 256",
            ),
            (
                json!({"sources": [{"name": "a"}, {"name": "b"}]}),
                "either `text` or `path`",
            ),
            (
                json!({"sources": [{"name": "a", "path": "x.rs"}, {"name": "b", "text": ""}]}),
                "has no root",
            ),
        ] {
            let refused = compared(arguments.clone()).unwrap_err();
            assert!(
                refused.text().contains(why),
                "{arguments}: {}",
                refused.text()
            );
        }
    }
}

//! Commands that add approaches to an experiment: of a model, of the agent itself, or of a file.

use super::child::Invocation;
use super::child::WorkingFolder;
use super::commands::{self, option};
use super::consent::ModelAllowance;
use super::error::{ToolError, quoted};
use super::fence::CommandKind;
use super::generating_arguments::{
    AddArguments, AnswerArgument, DevelopArguments, ExploreArguments, GenerateArguments,
    IdeaArgument,
};
use super::limits::{ANSWERS_MAX, APPROACHES_ASKED_MAX, READING_TIME_MAX};
use super::outcome::RunKind;
use super::roots::Roots;
use super::runs::{ModelUse, Work};
use super::workspace::Workspace;
use bakeoff_config::{CRITERIA_MAX, PROSE_CHARS_MAX};
use bakeoff_render::escape::is_active;
use std::collections::BTreeMap;
use std::fs::File;
use std::sync::Arc;

/// The most bytes of an idea: a name and a text.
const IDEA_BYTES_MAX: usize = 4 * PROSE_CHARS_MAX;

/// The file of a command's ledger, in the folder of the call.
const LEDGER: &str = "ledger.json";

/// Returns the work of `generate`.
pub(super) fn generate(
    given: GenerateArguments,
    roots: &Roots,
    asking: &Arc<ModelAllowance>,
) -> Result<Work, ToolError> {
    let usd = usd(given.usd)?;
    let folder = roots.folder(&given.folder)?;
    let workspace = Workspace::new()?;
    let mut words = vec!["generate".to_owned(), ".".to_owned()];
    words.extend(approaches(given.approaches)?);
    words.extend(research(given.research));
    let words = of_model(words, asking);
    let invocation = commands::invocation(words, WorkingFolder::Opened(folder), roots, &workspace)?;
    Ok(asked(RunKind::Generate, invocation, workspace, asking, usd))
}

/// Returns the work of `explore`.
pub(super) fn explore(
    given: ExploreArguments,
    roots: &Roots,
    asking: &Arc<ModelAllowance>,
) -> Result<Work, ToolError> {
    let usd = usd(given.usd)?;
    let statement = prose("statement", given.statement)?;
    let mut words = exploring(given.approaches, given.ideas, given.criteria)?;
    words.extend(research(given.research));
    let folder = roots.folder_made(&given.folder)?;
    let workspace = Workspace::new()?;
    let mut invocation = commands::invocation(
        of_model(words, asking),
        WorkingFolder::Opened(folder),
        roots,
        &workspace,
    )?;
    invocation.last = Some(statement.into());
    Ok(asked(RunKind::Explore, invocation, workspace, asking, usd))
}

/// Returns the work of `develop`.
pub(super) fn develop(given: DevelopArguments, roots: &Roots) -> Result<Work, ToolError> {
    let statement = given
        .statement
        .map(|text| prose("statement", text))
        .transpose()?;
    let mut words = match &statement {
        Some(_) => exploring(given.approaches, given.ideas, given.criteria)?,
        None if given.ideas.is_some() => {
            return Err(ToolError::new(
                "`ideas` go with `statement`; of an experiment that is there, they stand in bakeoff.toml as an \
                 [[approach]] with `name`, `description` and `write = true`",
            ));
        }
        None if given.criteria.is_some() => {
            return Err(ToolError::new(
                "`criteria` go with `statement`; of an experiment that is there, they stand in bakeoff.toml",
            ));
        }
        None => {
            let mut words = vec!["generate".to_owned(), ".".to_owned()];
            words.extend(approaches(given.approaches)?);
            words
        }
    };
    words.extend(research(given.research));
    let answers = given.answers.unwrap_or_default();
    if answers.len() > ANSWERS_MAX {
        return Err(ToolError::new(format!(
            "`answers` has {} answers, and {ANSWERS_MAX} are taken in one call",
            answers.len()
        )));
    }
    let folder = match &statement {
        Some(_) => roots.folder_made(&given.folder)?,
        None => roots.folder(&given.folder)?,
    };
    let mut workspace = Workspace::new()?;
    words.push("--provider=manual".to_owned());
    let file = put_answers(&mut workspace, &answers)?;
    words.push(format!(
        "--answers={}",
        workspace.files().join(file).display()
    ));
    let mut invocation =
        commands::invocation(words, WorkingFolder::Opened(folder), roots, &workspace)?;
    invocation.last = statement.map(Into::into);
    Ok(work(RunKind::Develop, invocation, workspace))
}

/// Returns the command that adds an approach. The workspace must live as long as it runs.
pub(super) fn add(
    given: AddArguments,
    roots: &Roots,
) -> Result<(Invocation, Workspace), ToolError> {
    let folder = roots.folder(&given.folder)?;
    let description = given
        .description
        .map(|text| prose("description", text))
        .transpose()?;
    let mut workspace = Workspace::new()?;
    let (file, _) = workspace.put_source(given.source, roots)?;
    let mut words = vec!["add".to_owned(), ".".to_owned()];
    words.push(workspace.files().join(file).display().to_string());
    words.extend(description.map(|text| format!("--description={text}")));
    let invocation = commands::invocation(words, WorkingFolder::Opened(folder), roots, &workspace)?;
    let invocation = Invocation {
        kind: CommandKind::Writing,
        time_max: READING_TIME_MAX,
        ..invocation
    };
    Ok((invocation, workspace))
}

/// Returns the command that says how far the work on a folder is. The workspace must live as long as it runs.
pub(super) fn status(folder: File, roots: &Roots) -> Result<(Invocation, Workspace), ToolError> {
    let workspace = Workspace::new()?;
    let words = vec!["status".to_owned(), ".".to_owned()];
    let invocation = commands::invocation(words, WorkingFolder::Opened(folder), roots, &workspace)?;
    Ok((commands::reading(invocation), workspace))
}

fn work(kind: RunKind, invocation: Invocation, workspace: Workspace) -> Work {
    Work {
        kind,
        invocation,
        workspace,
        report: None,
        sources: BTreeMap::new(),
        asks: None,
    }
}

/// Returns the work of a command that asks the model.
fn asked(
    kind: RunKind,
    mut invocation: Invocation,
    workspace: Workspace,
    asking: &Arc<ModelAllowance>,
    usd_max: Option<f64>,
) -> Work {
    invocation.model = Some(Arc::clone(asking));
    let asks = ModelUse {
        asking: Arc::clone(asking),
        usd_max,
        ledger: workspace.temporary().join(LEDGER),
    };
    Work {
        asks: Some(asks),
        ..work(kind, invocation, workspace)
    }
}

/// Returns the words of a command with those that name the model.
fn of_model(words: Vec<String>, asking: &ModelAllowance) -> Vec<std::ffi::OsString> {
    let words = words.into_iter().map(Into::into);
    words.chain(asking.consent.words.iter().cloned()).collect()
}

/// Returns the words of an exploration of the folder that it starts in. Nobody is asked on a terminal.
fn exploring(
    count: Option<u32>,
    ideas: Option<Vec<IdeaArgument>>,
    criteria: Option<BTreeMap<String, f64>>,
) -> Result<Vec<String>, ToolError> {
    let words = ["explore", "--out=.", "--no-run", "--yes"];
    let mut words: Vec<String> = words.map(str::to_owned).to_vec();
    words.extend(approaches(count)?);
    let ideas = ideas.unwrap_or_default();
    if ideas.len() > APPROACHES_ASKED_MAX {
        return Err(ToolError::new(format!(
            "`ideas` has {}, and {APPROACHES_ASKED_MAX} are the most",
            ideas.len()
        )));
    }
    for IdeaArgument { name, description } in ideas {
        let idea = Some(format!("{name}={description}"));
        words.extend(option("idea", idea, IDEA_BYTES_MAX)?);
    }
    let criteria = criteria.unwrap_or_default();
    if criteria.len() > CRITERIA_MAX {
        return Err(ToolError::new(format!(
            "`criteria` has {}, and {CRITERIA_MAX} are the most",
            criteria.len()
        )));
    }
    for (name, weight) in criteria {
        let criterion = Some(format!("{name}={weight}"));
        words.extend(option("criterion", criterion, IDEA_BYTES_MAX)?);
    }
    Ok(words)
}

fn research(research: Option<bool>) -> Option<String> {
    (research == Some(true)).then(|| "--research".to_owned())
}

fn approaches(count: Option<u32>) -> Result<Option<String>, ToolError> {
    match count {
        Some(count) if count as usize > APPROACHES_ASKED_MAX => Err(ToolError::new(format!(
            "`approaches` is {count}, and {APPROACHES_ASKED_MAX} are the most"
        ))),
        count => Ok(count.map(|count| format!("--approaches={count}"))),
    }
}

fn usd(usd: Option<f64>) -> Result<Option<f64>, ToolError> {
    match usd {
        Some(usd) if !(0.000_001..=1e6).contains(&usd) => Err(ToolError::new(format!(
            "`usd` is {usd:?}, and must be more than 0 and at most 1000000"
        ))),
        usd => Ok(usd),
    }
}

/// Returns a text in sentences, which may have several lines.
fn prose(name: &str, text: String) -> Result<String, ToolError> {
    let has_control = |c: char| is_active(c) && !matches!(c, '\n' | '\t');
    let chars = text.chars().count();
    if text.trim().is_empty() || chars > PROSE_CHARS_MAX || text.chars().any(has_control) {
        Err(ToolError::new(format!(
            "`{name}` is refused: {} has {chars} characters, and it may have 1 to {PROSE_CHARS_MAX}, without control \
             characters",
            quoted(&text)
        )))
    } else {
        Ok(text)
    }
}

/// Writes a file of answers, and returns its name.
fn put_answers(workspace: &mut Workspace, answers: &[AnswerArgument]) -> Result<String, ToolError> {
    let mut lines = Vec::with_capacity(answers.len());
    for AnswerArgument { task, reply } in answers {
        let what = format!("the reply to the task {}", quoted(task));
        let line = serde_json::json!({"task": task, "reply": reply}).to_string();
        workspace.count(&what, line.len())?;
        lines.push(line);
    }
    workspace.write_own("answers.json", &format!("[{}]", lines.join(",\n")))
}

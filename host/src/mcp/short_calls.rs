//! Tools that answer at once: their commands are short, and are no runs of the session.

use super::agent_commands;
use super::answer::{AnswerForms, about_report, escaped};
use super::arguments::{JudgeArguments, PickArguments, ReportArguments};
use super::child::{CommandFailure, Invocation};
use super::commands;
use super::error::{ToolError, shortened};
use super::generating_arguments::{AddArguments, StatusArguments};
use super::generating_commands;
use super::limits::ANSWER_BYTES_MAX;
use super::outcome::{Messages, RunOutcome};
use super::progress::StderrLine;
use super::roots::{AGENTS_FOLDER, Roots};
use super::runs::Runs;
use super::series_answer::about_series;
use bakeoff_domain::report::{self, Report};
use bakeoff_domain::series::SeriesReport;
use bakeoff_files::parse_json;
use rmcp::RoleServer;
use rmcp::service::RequestContext;
use serde_json::{Value, json};
use std::path::Path;

/// The name of the file that `pick` copies to.
const COPY: &str = "winner";

/// A tool's answer: the inner error is for the agent.
pub(super) type ToolAnswer = Result<AnswerForms, ToolError>;

/// Compares values that were measured elsewhere.
pub(super) async fn judge(
    given: JudgeArguments,
    roots: &Roots,
    context: &RequestContext<RoleServer>,
) -> ToolAnswer {
    let (invocation, _workspace) = commands::judge(given, roots)?;
    // Its warnings are in the report.
    let (stdout, _) = read_only(invocation, context).await?;
    let report: SeriesReport = parse_json(stdout.as_bytes())
        .map_err(|error| ToolError::machine("the report cannot be read", error))?;
    Ok(about_series(&report))
}

/// Shows a report.
pub(super) async fn report(
    given: ReportArguments,
    runs: &Runs,
    roots: &Roots,
    context: &RequestContext<RoleServer>,
) -> ToolAnswer {
    match (given.id, given.folder) {
        (Some(id), None) => {
            let run = runs.find(&id)?;
            let outcome = run.state().outcome;
            let Some(RunOutcome::Report(report)) = outcome.as_deref() else {
                return Err(no_report(&run.id));
            };
            let weighed = report::rescore(report, &given.weights);
            let report = weighed.map_err(|error| ToolError::new(error.to_string()))?;
            Ok(about_report(&report, Some(&run.id)))
        }
        (None, Some(folder)) => {
            let folder = roots.folder(&folder)?;
            let (invocation, _workspace) = commands::report(folder, roots, &given.weights)?;
            let (stdout, said) = read_only(invocation, context).await?;
            let report: Report = parse_json(stdout.as_bytes())
                .map_err(|error| ToolError::machine("the report cannot be read", error))?;
            let mut answer = about_report(&report, None);
            answer.warn(said);
            Ok(answer)
        }
        _ => Err(either()),
    }
}

/// Returns the winner's code.
pub(super) async fn pick(
    given: PickArguments,
    runs: &Runs,
    roots: &Roots,
    context: &RequestContext<RoleServer>,
) -> ToolAnswer {
    if let (None, Some(folder)) = (&given.id, &given.folder)
        && let Some(of_agents) = roots.repository_of_agents(folder)
    {
        let (invocation, _workspace) = agent_commands::pick(of_agents, given.variant, roots)?;
        let (stdout, said) = read_only(invocation, context).await?;
        let mut answer = values_of(&stdout)?;
        answer.warn(said);
        return Ok(answer);
    }
    if given.variant.is_some() {
        return Err(ToolError::new(
            "`variant` names one of agents: `folder` must be the `.bakeoff/NAME` of a repository in which agents worked",
        ));
    }
    let mut said = None;
    let (name, file, code) = match (given.id, given.folder) {
        (Some(id), None) => {
            let run = runs.find(&id)?;
            let outcome = run.state().outcome;
            let Some(RunOutcome::Report(report)) = outcome.as_deref() else {
                return Err(no_report(&run.id));
            };
            let winner = report.recommendation.winner.as_ref();
            let mut variants = report.variants.iter();
            let winner = variants.find(|variant| Some(&variant.id) == winner);
            let winner = winner.ok_or_else(|| {
                let why = &report.recommendation.text;
                ToolError::new(format!("there is no winner to pick: {why}"))
            })?;
            let code = run.sources.get(&winner.name).cloned();
            (winner.name.clone(), winner.file.clone(), code)
        }
        (None, Some(folder)) => {
            let folder = roots.folder(&folder)?;
            let (invocation, workspace) = commands::pick(folder, roots, COPY)?;
            let (stdout, messages) = read_only(invocation, context).await?;
            said = messages;
            let picked: PickAnswer = parse_json(stdout.as_bytes())
                .map_err(|error| ToolError::machine("what was picked cannot be read", error))?;
            let bytes = std::fs::read(workspace.temporary().join(COPY))
                .map_err(|error| ToolError::machine("the copy cannot be read", error))?;
            (
                picked.name,
                picked.declared_file,
                String::from_utf8(bytes).ok(),
            )
        }
        _ => return Err(either()),
    };
    let text = match &code {
        Some(code) => format!("{name} ({file})\n\n{code}"),
        None => format!("{name} ({file}) is a component, which is no text"),
    };
    let text = bakeoff_render::escape::Lines(&text.replace('\t', "    ")).to_string();
    let mut answer = AnswerForms {
        text: shortened(&text, ANSWER_BYTES_MAX, "shortened; `code` has all"),
        values: json!({
            "name": bakeoff_render::escape::Plain(&name).to_string(),
            "file": bakeoff_render::escape::Plain(&file).to_string(),
            "code": code,
        }),
    };
    answer.warn(said);
    Ok(answer)
}

/// Adds an approach to the experiment in a folder.
pub(super) async fn add(
    given: AddArguments,
    roots: &Roots,
    context: &RequestContext<RoleServer>,
) -> ToolAnswer {
    let (invocation, _workspace) = generating_commands::add(given, roots)?;
    let (stdout, said) = read_only(invocation, context).await?;
    let mut answer = values_of(&stdout)?;
    answer.warn(said);
    Ok(answer)
}

/// Shows how far the work on a folder is.
pub(super) async fn status(
    given: StatusArguments,
    roots: &Roots,
    context: &RequestContext<RoleServer>,
) -> ToolAnswer {
    let named = Path::new(&given.folder);
    let (invocation, _workspace) =
        if let Some(of_agents) = roots.repository_of_agents(&given.folder) {
            agent_commands::status(of_agents, roots)?
        } else if named.file_name().is_some_and(|name| name == AGENTS_FOLDER) {
            roots.folder(&given.folder)?;
            let repository = named.parent().and_then(Path::to_str).unwrap_or_default();
            let repository = if repository.is_empty() {
                "."
            } else {
                repository
            };
            agent_commands::worktrees(roots.folder(repository)?, roots)?
        } else {
            generating_commands::status(roots.folder(&given.folder)?, roots)?
        };
    let (stdout, _) = read_only(invocation, context).await?;
    values_of(&stdout)
}

/// Returns the output of a command, with every text in it escaped.
fn values_of(stdout: &str) -> ToolAnswer {
    let value: Value = parse_json(stdout.as_bytes())
        .map_err(|error| ToolError::machine("the command's answer cannot be read", error))?;
    let values = match escaped(&value) {
        Value::Array(rows) => json!({"worktrees": rows}),
        values => values,
    };
    let text = serde_json::to_string_pretty(&values).unwrap_or_default();
    let text = shortened(&text, ANSWER_BYTES_MAX, "shortened");
    Ok(AnswerForms { text, values })
}

/// Part of the output of `bakeoff pick` that is passed on.
#[derive(serde::Deserialize)]
struct PickAnswer {
    name: String,
    declared_file: String,
}

/// Runs a command that only reads. Returns its stdout, and its messages on stderr if there are any.
async fn read_only(
    invocation: Invocation,
    context: &RequestContext<RoleServer>,
) -> Result<(String, Option<String>), ToolError> {
    let mut messages = Messages::default();
    let on_line = |line: &str| match StderrLine::parse(line) {
        StderrLine::Event(_) => {}
        StderrLine::Error(error) => messages.end_with(error),
        StderrLine::Text(text) => messages.push(text),
    };
    match invocation.run(on_line, context.ct.cancelled()).await {
        Ok(finished) if !finished.stdout.trim().is_empty() => {
            Ok((finished.stdout, messages.text()))
        }
        Ok(finished) => Err(messages.error(finished.status)),
        Err(CommandFailure::Failed(error)) => Err(error),
        Err(CommandFailure::Cancelled) => Err(ToolError::new("it was called off")),
    }
}

fn either() -> ToolError {
    ToolError::new("give either `id`, of a run of this session, or `folder`, below a root")
}

fn no_report(id: &str) -> ToolError {
    ToolError::new(format!(
        "{id} has no report: it has not ended, or measured nothing. `result` says which"
    ))
}

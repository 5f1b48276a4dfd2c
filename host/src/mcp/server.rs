//! The server: receives calls of tools, and answers them.

use super::answer::{self, AnswerForms};
use super::arguments::{
    self, CancelArguments, JudgeArguments, PickArguments, ReportArguments, ResultArguments,
};
use super::child::{Ended, Invocation};
use super::commands;
use super::error::{ToolError, quoted, shortened};
use super::limits::{ANSWER_BYTES_MAX, REPORT_BYTES_MAX, WAIT_DEFAULT, WAIT_MAX};
use super::outcome::{Messages, RunOutcome};
use super::progress::StderrLine;
use super::roots::Roots;
use super::runs::{Phase, Run, Runs, Work};
use super::tools::ToolName;
use bakeoff_domain::report::{self, Report};
use bakeoff_domain::series::SeriesReport;
use bakeoff_files::parse_json;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    Implementation, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    Resource, ResourceContents, ServerCapabilities, ServerConfig,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{RoleServer, ServerHandler};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::Instant;

/// Instructions that an agent reads first.
const INSTRUCTIONS: &str = "bakeoff measures implementations against each other in a sandbox and says which one \
    to take, with its certainty. Use `compare` instead of guessing which of two or more ways is faster; give \
    complete Rust sources with the same public function. `winner` is sure; `tie` is sure, too: take the simpler \
    one; `no-call` means that it is not known yet. A run that takes longer than its call has an id for `result`. \
    Messages name options as the command line does: `--budget 30s` is `budget_seconds: 30` here, `--size` is \
    `sizes`, `--workload FILE` is `workload`.";

/// The longest wait for a client to send its roots.
const CLIENT_WAIT_MAX: Duration = Duration::from_secs(5);

/// The name of the file that `pick` copies to.
const COPY: &str = "winner";

/// The server of one client.
#[derive(Debug)]
pub(super) struct Server {
    /// Roots that the user gave.
    roots: Arc<Roots>,
    /// Roots of the client, once it was asked: they count only if the user gave none.
    client_roots: Mutex<Option<Arc<Roots>>>,
    runs: Arc<Runs>,
}

/// A tool's answer: the inner error is for the agent.
type Answered = Result<AnswerForms, ToolError>;

impl Server {
    pub(super) fn new(roots: Roots, runs: Arc<Runs>) -> Self {
        Self {
            roots: Arc::new(roots),
            client_roots: Mutex::default(),
            runs,
        }
    }

    /// Returns the roots that hold: those of the user, or else those of the client.
    async fn roots(&self, context: &RequestContext<RoleServer>) -> Arc<Roots> {
        if !self.roots.is_empty() {
            return Arc::clone(&self.roots);
        }
        // Locked until the client has answered, so that calls at the same time ask it once.
        let mut client_roots = self.client_roots.lock().await;
        match &*client_roots {
            Some(roots) => Arc::clone(roots),
            None => {
                let roots = Arc::new(client_roots_of(context).await);
                *client_roots = Some(Arc::clone(&roots));
                roots
            }
        }
    }

    async fn call(
        &self,
        tool: ToolName,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Answered {
        let (name, given) = (tool.name(), request.arguments);
        match tool {
            ToolName::Compare => {
                let given: arguments::CompareArguments = arguments::read(name, given)?;
                let wait = wait(given.wait_seconds)?;
                let roots = self.roots(context).await;
                let work = prepare(move || commands::compare(given, &roots)).await?;
                self.start(work, wait, context).await
            }
            ToolName::Run => {
                let given: arguments::RunArguments = arguments::read(name, given)?;
                let wait = wait(given.wait_seconds)?;
                let roots = self.roots(context).await;
                let work = prepare(move || commands::run(&given, &roots)).await?;
                self.start(work, wait, context).await
            }
            ToolName::Check => {
                let given: arguments::CheckArguments = arguments::read(name, given)?;
                let wait = wait(given.wait_seconds)?;
                let roots = self.roots(context).await;
                let work = prepare(move || commands::check(given, &roots)).await?;
                self.start(work, wait, context).await
            }
            ToolName::Judge => self.judge(arguments::read(name, given)?, context).await,
            ToolName::Report => self.report(arguments::read(name, given)?, context).await,
            ToolName::Pick => self.pick(arguments::read(name, given)?, context).await,
            ToolName::Result => {
                let given: ResultArguments = arguments::read(name, given)?;
                let run = self.runs.find(&given.id)?;
                self.follow(&run, wait(given.wait_seconds)?, context).await;
                self.about(&run)
            }
            ToolName::Cancel => {
                let given: CancelArguments = arguments::read(name, given)?;
                let run = self.runs.find(&given.id)?;
                run.cancel();
                run.ended().await;
                self.about(&run)
            }
        }
    }

    /// Starts a run and waits for it. If the client calls the request off meanwhile, the run is ended: no client has
    /// its id.
    async fn start(
        &self,
        work: Work,
        wait: Duration,
        context: &RequestContext<RoleServer>,
    ) -> Answered {
        let run = self.runs.start(work)?;
        self.follow(&run, wait, context).await;
        if context.ct.is_cancelled() {
            run.cancel();
            run.ended().await;
        }
        self.about(&run)
    }

    /// Waits until a run has ended, the time is over or the request is called off, and passes on the run's progress.
    async fn follow(&self, run: &Run, wait: Duration, context: &RequestContext<RoleServer>) {
        let token = context.meta.get_progress_token();
        let until = Instant::now() + wait;
        let mut changes = run.watch();
        let mut shown = 0;
        loop {
            let (phase, steps, last) = {
                let state = changes.borrow_and_update();
                let last = state.lines.back().filter(|_| state.steps > shown);
                (state.phase, state.steps, last.cloned())
            };
            if phase == Phase::Ended {
                return;
            }
            shown = steps;
            if let (Some(token), Some(line)) = (&token, last) {
                let progress = ProgressNotificationParam::new(token.clone(), steps as f64);
                // A client that is gone learns nothing more.
                let _ = context
                    .peer
                    .notify_progress(progress.with_message(line))
                    .await;
            }
            tokio::select! {
                changed = changes.changed() => if changed.is_err() { return },
                () = tokio::time::sleep_until(until) => return,
                () = context.ct.cancelled() => return,
            }
        }
    }

    fn about(&self, run: &Run) -> Answered {
        let state = run.state();
        answer::about(run, &state, self.runs.ahead_of(run)).map_err(ToolError::new)
    }

    async fn judge(&self, given: JudgeArguments, context: &RequestContext<RoleServer>) -> Answered {
        let roots = self.roots(context).await;
        let (invocation, _workspace) = commands::judge(given, &roots)?;
        // Its warnings are in the report.
        let (stdout, _) = read_only(invocation, context).await?;
        let report: SeriesReport = parse_json(stdout.as_bytes())
            .map_err(|error| ToolError::machine("the report cannot be read", error))?;
        Ok(answer::about_series(&report))
    }

    async fn report(
        &self,
        given: ReportArguments,
        context: &RequestContext<RoleServer>,
    ) -> Answered {
        match (given.id, given.folder) {
            (Some(id), None) => {
                let run = self.runs.find(&id)?;
                let outcome = run.state().outcome;
                let Some(RunOutcome::Report(report)) = outcome.as_deref() else {
                    return Err(no_report(&run.id));
                };
                let weighed = report::rescore(report, &given.weights);
                let report = weighed.map_err(|error| ToolError::new(error.to_string()))?;
                Ok(answer::about_report(&report, Some(&run.id)))
            }
            (None, Some(folder)) => {
                let roots = self.roots(context).await;
                let folder = roots.folder(&folder)?;
                let (invocation, _workspace) = commands::report(folder, &roots, &given.weights)?;
                let (stdout, said) = read_only(invocation, context).await?;
                let report: Report = parse_json(stdout.as_bytes())
                    .map_err(|error| ToolError::machine("the report cannot be read", error))?;
                let mut answer = answer::about_report(&report, None);
                answer.warn(said);
                Ok(answer)
            }
            _ => Err(either()),
        }
    }

    async fn pick(&self, given: PickArguments, context: &RequestContext<RoleServer>) -> Answered {
        let mut said = None;
        let (name, file, code) = match (given.id, given.folder) {
            (Some(id), None) => {
                let run = self.runs.find(&id)?;
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
                let roots = self.roots(context).await;
                let folder = roots.folder(&folder)?;
                let (invocation, workspace) = commands::pick(folder, &roots, COPY)?;
                let (stdout, messages) = read_only(invocation, context).await?;
                said = messages;
                let picked: Picked = parse_json(stdout.as_bytes())
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

    /// Returns the runs of this session that have a report.
    fn reported(&self) -> Vec<Arc<Run>> {
        let runs = self.runs.all();
        let has_report =
            |run: &Arc<Run>| matches!(run.state().outcome.as_deref(), Some(RunOutcome::Report(_)));
        runs.into_iter().filter(has_report).collect()
    }
}

/// Asks the client for its roots, if it can send them.
#[expect(
    deprecated,
    reason = "clients of before 2026-07-28 still send their roots"
)]
async fn client_roots_of(context: &RequestContext<RoleServer>) -> Roots {
    let capabilities = context.client_capabilities();
    if capabilities.is_none_or(|capabilities| capabilities.roots.is_none()) {
        return Roots::default();
    }
    let asked = tokio::time::timeout(CLIENT_WAIT_MAX, context.peer.list_roots()).await;
    match asked {
        Ok(Ok(found)) => Roots::of_client(found.roots.iter().map(|root| &*root.uri)),
        _ => Roots::default(),
    }
}

/// Part of the output of `bakeoff pick` that is passed on.
#[derive(serde::Deserialize)]
struct Picked {
    name: String,
    declared_file: String,
}

/// Prepares a run on a thread that may wait for files.
async fn prepare(
    work: impl FnOnce() -> Result<Work, ToolError> + Send + 'static,
) -> Result<Work, ToolError> {
    let prepared = tokio::task::spawn_blocking(work).await;
    prepared.unwrap_or_else(|error| Err(ToolError::machine("cannot prepare the run", error)))
}

/// Runs a command that only reads. Returns its stdout, and its messages on stderr if there are any.
async fn read_only(
    invocation: Invocation,
    context: &RequestContext<RoleServer>,
) -> Result<(String, Option<String>), ToolError> {
    let mut messages = Messages::default();
    let on_line = |line: &str| {
        if let StderrLine::Text(text) = StderrLine::parse(line) {
            messages.push(text);
        }
    };
    match invocation.run(on_line, context.ct.cancelled()).await {
        Ok(finished) if !finished.stdout.trim().is_empty() => {
            Ok((finished.stdout, messages.text()))
        }
        Ok(finished) => Err(messages.error(finished.status)),
        Err(Ended::Failed(error)) => Err(error),
        Err(Ended::Cancelled) => Err(ToolError::new("it was called off")),
    }
}

fn wait(seconds: Option<f64>) -> Result<Duration, ToolError> {
    let Some(seconds) = seconds else {
        return Ok(WAIT_DEFAULT);
    };
    let wait = Duration::try_from_secs_f64(seconds).ok();
    wait.filter(|wait| *wait <= WAIT_MAX).ok_or_else(|| {
        ToolError::new(format!(
            "`wait_seconds` is {seconds:?}, and must be from 0 to {}; a run that takes longer has an id for `result`",
            WAIT_MAX.as_secs()
        ))
    })
}

fn either() -> ToolError {
    ToolError::new("give either `id`, of a run of this session, or `folder`, below a root")
}

fn no_report(id: &str) -> ToolError {
    ToolError::new(format!(
        "{id} has no report: it has not ended, or measured nothing. `result` says which"
    ))
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .build();
        let mut config = ServerConfig::new(capabilities);
        config.server_info = Implementation::new("bakeoff", env!("CARGO_PKG_VERSION"));
        config.instructions = Some(INSTRUCTIONS.to_owned());
        config
    }

    async fn on_roots_list_changed(&self, _context: NotificationContext<RoleServer>) {
        *self.client_roots.lock().await = None;
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = ToolName::ALL.map(ToolName::tool).to_vec();
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = ToolName::named(&request.name) else {
            let names = ToolName::ALL.map(ToolName::name).join(", ");
            let message = format!(
                "there is no tool {}: there are {names}",
                quoted(&request.name)
            );
            return Err(ErrorData::invalid_params(message, None));
        };
        let result = match self.call(tool, request, &context).await {
            Ok(forms) => {
                let mut result = CallToolResult::structured(forms.values);
                result.content = vec![ContentBlock::text(forms.text)];
                result
            }
            Err(error) => CallToolResult::error(vec![ContentBlock::text(shortened(
                error.text(),
                ANSWER_BYTES_MAX,
                "shortened",
            ))]),
        };
        Ok(result.into())
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let reported = self.reported();
        let resource = |run: &Arc<Run>| {
            Resource::new(
                answer::report_address(&run.id),
                format!("report of {}", run.id),
            )
            .with_mime_type("text/markdown")
        };
        let resources = reported.iter().map(resource).collect();
        Ok(ListResourcesResult::with_all_items(resources))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let reported = self.reported();
        let is_it = |run: &&Arc<Run>| answer::report_address(&run.id) == request.uri;
        let run = reported.iter().find(is_it);
        let outcome = run.and_then(|run| run.state().outcome);
        let Some(RunOutcome::Report(report)) = outcome.as_deref() else {
            let message = format!("there is no report {}", quoted(&request.uri));
            return Err(ErrorData::resource_not_found(message, None));
        };
        let text = bakeoff_render::markdown(report, &bakeoff_render::Options::default());
        let text = shortened(&text, REPORT_BYTES_MAX, "shortened");
        let contents = ResourceContents::text(text, request.uri).with_mime_type("text/markdown");
        Ok(ReadResourceResult::new(vec![contents]).into())
    }
}

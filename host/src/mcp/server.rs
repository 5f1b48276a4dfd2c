//! The server: receives calls of tools, and answers them.

use super::answer;
use super::arguments::{self, CancelArguments, PickArguments, ReportArguments, ResultArguments};
use super::commands;
use super::consent::{Consent, ModelAllowance};
use super::error::{ToolError, quoted, shortened};
use super::generating_arguments::{DevelopArguments, ExploreArguments, GenerateArguments};
use super::generating_commands;
use super::limits::{ANSWER_BYTES_MAX, REPORT_BYTES_MAX, WAIT_DEFAULT, WAIT_MAX};
use super::outcome::RunOutcome;
use super::prompts;
use super::roots::Roots;
use super::run_answer;
use super::runs::{Phase, Run, Runs, Work};
use super::short_calls::{self, ToolAnswer};
use super::tools::ToolName;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    GetPromptRequestParams, GetPromptResponse, GetPromptResult, Implementation, ListPromptsResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProgressNotificationParam,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Resource,
    ResourceContents, ServerCapabilities, ServerConfig,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{RoleServer, ServerHandler};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::Instant;

/// Instructions that an agent reads first.
const INSTRUCTIONS: &str = "bakeoff measures implementations against each other in a sandbox and says which one \
    to take, with its certainty. Use `compare` instead of guessing which of two or more ways is faster; give \
    complete Rust sources with the same public function. `winner` is sure; `tie` is sure, too: take the simpler \
    one; `no-call` means that it is not known yet. Use `develop` to write several approaches to a problem in an order \
    that can be measured. A run that takes longer than its call has an id for `result`. \
    Messages name options as the command line does: `--budget 30s` is `budget_seconds: 30` here, `--size` is \
    `sizes`, `--workload FILE` is `workload`.";

/// The longest wait for a client to send its roots.
const CLIENT_WAIT_MAX: Duration = Duration::from_secs(5);

/// The server of one client.
#[derive(Debug)]
pub(super) struct Server {
    /// Roots that the user gave.
    roots: Arc<Roots>,
    /// Roots of the client, once it was asked: they count only if the user gave none.
    client_roots: Mutex<Option<Arc<Roots>>>,
    runs: Arc<Runs>,
    /// The model that agents may have asked, if the user gave leave.
    asking: Option<Arc<ModelAllowance>>,
}

impl Server {
    pub(super) fn new(roots: Roots, runs: Arc<Runs>, asking: Option<Consent>) -> Self {
        Self {
            asking: asking.map(|consent| Arc::new(ModelAllowance::new(consent))),
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

    /// Returns the roots that hold, if a folder is named: otherwise no client is asked for them.
    async fn roots_for(
        &self,
        folder: Option<&String>,
        context: &RequestContext<RoleServer>,
    ) -> Arc<Roots> {
        match folder {
            Some(_) => self.roots(context).await,
            None => Arc::default(),
        }
    }

    /// Returns the model that the user allowed.
    fn asking(&self) -> Result<Arc<ModelAllowance>, ToolError> {
        self.asking.clone().ok_or_else(|| {
            ToolError::new(
                "this server may not ask a model. Its user gives leave, and says how much it may cost, where it is \
                 started: `bakeoff mcp --generate --provider anthropic --model NAME --usd 1`. `develop` needs \
                 neither: you write the approaches yourself",
            )
        })
    }

    async fn call(
        &self,
        tool: ToolName,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> ToolAnswer {
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
            ToolName::Develop => {
                let given: DevelopArguments = arguments::read(name, given)?;
                let wait = wait(given.wait_seconds)?;
                let roots = self.roots(context).await;
                let work = prepare(move || generating_commands::develop(given, &roots)).await?;
                self.start(work, wait, context).await
            }
            ToolName::Explore => {
                let given: ExploreArguments = arguments::read(name, given)?;
                let wait = wait(given.wait_seconds)?;
                let (asking, roots) = (self.asking()?, self.roots(context).await);
                let work =
                    prepare(move || generating_commands::explore(given, &roots, &asking)).await?;
                self.start(work, wait, context).await
            }
            ToolName::Generate => {
                let given: GenerateArguments = arguments::read(name, given)?;
                let wait = wait(given.wait_seconds)?;
                let (asking, roots) = (self.asking()?, self.roots(context).await);
                let work =
                    prepare(move || generating_commands::generate(given, &roots, &asking)).await?;
                self.start(work, wait, context).await
            }
            ToolName::Judge => {
                let given = arguments::read(name, given)?;
                short_calls::judge(given, &*self.roots(context).await, context).await
            }
            ToolName::Add => {
                let given = arguments::read(name, given)?;
                short_calls::add(given, &*self.roots(context).await, context).await
            }
            ToolName::Status => {
                let given = arguments::read(name, given)?;
                short_calls::status(given, &*self.roots(context).await, context).await
            }
            ToolName::Report => {
                let given: ReportArguments = arguments::read(name, given)?;
                let roots = self.roots_for(given.folder.as_ref(), context).await;
                short_calls::report(given, &self.runs, &roots, context).await
            }
            ToolName::Pick => {
                let given: PickArguments = arguments::read(name, given)?;
                let roots = self.roots_for(given.folder.as_ref(), context).await;
                short_calls::pick(given, &self.runs, &roots, context).await
            }
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
    ) -> ToolAnswer {
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

    fn about(&self, run: &Run) -> ToolAnswer {
        let state = run.state();
        run_answer::about(run, &state, self.runs.ahead_of(run)).map_err(ToolError::new)
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

/// Prepares a run on a thread that may wait for files.
async fn prepare(
    work: impl FnOnce() -> Result<Work, ToolError> + Send + 'static,
) -> Result<Work, ToolError> {
    let prepared = tokio::task::spawn_blocking(work).await;
    prepared.unwrap_or_else(|error| Err(ToolError::machine("cannot prepare the run", error)))
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

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
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
        let is_offered = |tool: &ToolName| self.asking.is_some() || !tool.asks_a_model();
        let tools = ToolName::ALL.into_iter().filter(is_offered);
        let tools = tools.map(ToolName::tool).collect();
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::all()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        if request.name != prompts::PARALLEL_EXPERIMENT {
            let message = format!(
                "there is no prompt {}: there is {}",
                quoted(&request.name),
                prompts::PARALLEL_EXPERIMENT
            );
            return Err(ErrorData::invalid_params(message, None));
        }
        let messages = prompts::messages(request.arguments.as_ref());
        let messages = messages.map_err(|why| ErrorData::invalid_params(why, None))?;
        Ok(GetPromptResult::new(messages).into())
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

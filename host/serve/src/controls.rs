//! Controls of experiments, where their user gave leave: runs are started, stopped and gone on with, and experiments are
//! changed, by the commands that a terminal would get.

use super::changes::{Change, Changes, RunOptions, StartWords, StartedRun};
use super::commands::{detached, short};
use super::experiment_copy::{copy, plain_name};
use super::race_clock::Measuring;
use super::run_stop::stop;
use super::target::{DeclaredParts, Target};
use bakeoff_files::{Folder, Scratch};
use bakeoff_render::clipped;
use serde_json::Value;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Semaphore, oneshot};

/// The most runs of one server at the same time.
const RUNS_MAX: usize = 4;
/// The most characters of a message.
const MESSAGE_CHARS_MAX: usize = 4_000;
/// Exit statuses of a run that ended by itself or was interrupted, whatever it found.
const ENDS_OF_RUNS: [i32; 4] = [0, 1, 3, 130];

/// Leave to start runs and to change experiments.
#[derive(Clone, Debug, Default)]
pub struct ControlConsent {
    /// The options that every run gets, each in one word with its value.
    pub run_options: Vec<OsString>,
}

/// Controls of the experiments below a folder.
pub(crate) struct Controls {
    root: PathBuf,
    leave: ControlConsent,
    runs: Arc<Semaphore>,
    changes: Mutex<Changes>,
}

/// A change that somebody wants.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Work {
    /// Run the experiment, or go on with its run; one that goes on is stopped first.
    Run {
        /// True to start over.
        is_fresh: bool,
        /// Time for measuring, as one writes it; `None` for that of the file.
        budget: Option<String>,
    },
    /// Stop the run that goes on.
    Stop,
    /// Add an approach: a source, or an idea that a model is to write.
    Add {
        /// Name of the approach.
        name: String,
        /// Its idea in a sentence; may be empty beside a source.
        description: String,
        /// Ending of the file: that of its language.
        ending: &'static str,
        /// The source; empty if a model is to write it.
        source: String,
    },
    /// Withdraw an approach.
    Withdraw {
        /// Name of the approach.
        name: String,
    },
    /// Say where the code of the recommended variant is, or copy it.
    Pick {
        /// Name of a new file in the experiment's folder.
        copy: Option<String>,
    },
    /// Copy the experiment.
    Copy {
        /// Name of the new folder.
        name: String,
        /// Text of its experiment file.
        text: String,
    },
}

/// The rest of a change that was not refused.
enum NextStep {
    /// Nothing: what came of it.
    Done(String),
    /// Stop the run that goes on.
    Stop,
    /// Run the experiment in this folder; true to start over; with this budget.
    Run(Folder, bool, Option<String>),
    /// Have the run of the experiment in this folder go on with what was done.
    GoOn(Folder, String),
}

impl Work {
    /// Returns the words for the change while it goes on.
    fn title(&self) -> &'static str {
        match self {
            Self::Run { .. } => "The run is being started.",
            Self::Stop => "The run is being stopped.",
            Self::Add { .. } => "An approach is being added.",
            Self::Withdraw { .. } => "An approach is being withdrawn.",
            Self::Pick { .. } => "The recommended code is being looked up.",
            Self::Copy { .. } => "The experiment is being copied.",
        }
    }
}

impl Controls {
    /// Returns controls of the experiments below a folder.
    pub(crate) fn new(root: &Path, leave: ControlConsent) -> Self {
        Self {
            root: root.to_owned(),
            leave,
            runs: Arc::new(Semaphore::new(RUNS_MAX)),
            changes: Mutex::default(),
        }
    }

    fn changes(&self) -> MutexGuard<'_, Changes> {
        self.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the last change of the experiment in a folder, if it is true after a session of a run began at this time.
    pub(crate) fn change(&self, folder: &Path, began: &str) -> Option<Change> {
        self.changes().of(folder, began)
    }

    fn set(&self, folder: &Path, change: Change) {
        self.changes().set(folder, change);
    }

    /// Begins a change, unless another one of the same experiment goes on: `None` then. What is returned says whether the change is refused, and why, before a run is stopped or
    /// started for it; whoever waits for that or not, the change is made.
    pub(crate) fn begin(
        self: &Arc<Self>,
        target: Target,
        work: Work,
        measuring: Measuring,
    ) -> Option<oneshot::Receiver<Result<(), String>>> {
        if !self.changes().begin(&target.folder, work.title()) {
            return None;
        }
        let (sender, accepted) = oneshot::channel();
        let controls = self.clone();
        tokio::spawn(async move {
            let step = match controls.prepare(&target, work).await {
                Ok(NextStep::Done(text)) => {
                    controls.set(
                        &target.folder,
                        Change::Done(clipped(&text, MESSAGE_CHARS_MAX)),
                    );
                    // Whether somebody waits for that concerns nobody else, here and below.
                    let _ = sender.send(Ok(()));
                    return;
                }
                Ok(step) => step,
                // Whoever sent the form is told, and nothing came of it.
                Err(text) => {
                    controls.changes().refuse(&target.folder);
                    let _ = sender.send(Err(clipped(&text, MESSAGE_CHARS_MAX)));
                    return;
                }
            };
            let _ = sender.send(Ok(()));
            let (folder, short) = (&target.folder, |text: &str| {
                clipped(text, MESSAGE_CHARS_MAX)
            });
            match controls.finish(&target, step, measuring).await {
                Ok((words, Some(run))) => {
                    controls.changes().set_started(folder, words, run);
                }
                Ok((words, None)) => controls.set(folder, Change::Done(short(&words.text))),
                Err(text) => controls.set(folder, Change::Failed(short(&text))),
            }
        });
        Some(accepted)
    }

    /// Makes a change as far as no run is stopped or started for it.
    ///
    /// # Errors
    /// The reason why it is refused.
    async fn prepare(&self, target: &Target, work: Work) -> Result<NextStep, String> {
        if work == Work::Stop {
            return Ok(NextStep::Stop);
        }
        target.declared.as_ref().map_err(Clone::clone)?;
        let folder = target
            .open(&self.root)
            .map_err(|error| format!("the folder of the experiment cannot be opened: {error}"))?;
        let done = match work {
            Work::Stop => return Ok(NextStep::Stop),
            Work::Run { is_fresh, budget } => {
                if let Some(budget) = &budget {
                    bakeoff_config::budget(budget)
                        .map_err(|error| format!("the budget {budget}: {error}"))?;
                }
                return Ok(NextStep::Run(folder, is_fresh, budget));
            }
            Work::Pick { copy } => {
                return Ok(NextStep::Done(pick(&folder, copy.as_deref()).await?));
            }
            Work::Copy { name, text } => {
                return Ok(NextStep::Done(self.copy(target, &folder, &name, &text)?));
            }
            Work::Add {
                name,
                description,
                ending,
                source,
            } => {
                if source.is_empty() {
                    let idea = format!("--idea={name}={description}");
                    let words = ["add", "--format=json", "--color=never", &idea, "."];
                    answer(&folder, words.iter().map(OsString::from).collect()).await?;
                    let mut said = format!("{name} was added, for a model to write.");
                    if !self.leave.run_options.iter().any(|one| one == "--generate") {
                        said.push_str(
                            " This server asks none, as it was started without --generate: runs leave it out until \
                             `bakeoff run --generate` has it written.",
                        );
                        return Ok(NextStep::Done(said));
                    }
                    said
                } else {
                    add(&folder, (&name, &description), ending, &source).await?;
                    format!("{name} was added.")
                }
            }
            Work::Withdraw { name } => {
                let words = [
                    "withdraw",
                    "--format=json",
                    "--color=never",
                    "--",
                    ".",
                    &name,
                ];
                let answer = answer(&folder, words.iter().map(OsString::from).collect()).await?;
                let withdrawn: Value = serde_json::from_str(&answer).unwrap_or_default();
                match withdrawn["file"] {
                    Value::Null => format!("{name} was withdrawn."),
                    _ => format!("{name} was withdrawn; its file stays."),
                }
            }
        };
        Ok(NextStep::GoOn(folder, done))
    }

    /// Stops or starts the run that a change is about, and returns what came of it, with the run that was started.
    async fn finish(
        self: &Arc<Self>,
        target: &Target,
        step: NextStep,
        measuring: Measuring,
    ) -> Result<(StartWords, Option<StartedRun>), String> {
        Ok(match step {
            NextStep::Done(text) => (StartWords::of(text), None),
            NextStep::Stop if self.stop(target).await? => (
                StartWords::of("The run was stopped. What is finished is kept, and it can go on."),
                None,
            ),
            NextStep::Stop => (StartWords::of("No run went on."), None),
            NextStep::Run(folder, is_fresh, budget) => {
                let was_running = self.stop(target).await?;
                let mut said = StartWords::of(match was_running {
                    true if is_fresh => "The run was stopped, and begins anew.",
                    true => "The run was stopped, and goes on with what is kept.",
                    false => "The run was started.",
                });
                if !is_fresh {
                    said.lasting = measuring.what_is_left(budget.as_deref());
                }
                (
                    said,
                    Some(self.run(target, &folder, is_fresh, budget).await?),
                )
            }
            NextStep::GoOn(folder, done) => {
                let declared = target.declared.as_ref().map_err(Clone::clone)?;
                return self
                    .go_on(target, declared, (&folder, done), measuring)
                    .await;
            }
        })
    }

    /// Stops the run of an experiment; returns false if none went on.
    async fn stop(&self, target: &Target) -> Result<bool, String> {
        match target.open_results(&self.root) {
            Some(results) => stop(&results).await,
            None => Ok(false),
        }
    }

    /// Stops the run of an experiment that was changed, if one goes on, and goes on with it.
    async fn go_on(
        self: &Arc<Self>,
        target: &Target,
        declared: &DeclaredParts,
        (folder, done): (&Folder, String),
        measuring: Measuring,
    ) -> Result<(StartWords, Option<StartedRun>), String> {
        let failed =
            |error: String| format!("{done} The run could not be taken up with that: {error}");
        let own_run = self.changes().options(&target.folder).cloned();
        if !self.stop(target).await.map_err(failed)? {
            return Ok((
                StartWords::of(format!("{done} The next run has that.")),
                None,
            ));
        }
        // It goes on with what it was allowed to take, also where that was said on its command line.
        let of_state = measuring
            .budget
            .filter(|budget| budget.abs_diff(declared.budget) > Duration::from_millis(1));
        let of_state = of_state.map(|budget| format!("{}ms", budget.as_millis()));
        let (budget, is_fresh) = match own_run {
            // One that was stopped before it began has its whole form before it.
            Some(own) => (own.budget, own.is_fresh && measuring.began <= own.at),
            None => (of_state, false),
        };
        let run = self
            .run(target, folder, is_fresh, budget)
            .await
            .map_err(failed)?;
        let said = format!(
            "{done} The run was stopped for that, and goes on. What is built is kept, and nothing that was measured is \
             lost; all are timed anew, since each is measured beside all others."
        );
        Ok((StartWords::of(said), Some(run)))
    }

    /// Starts a run, returns its number, and remembers why it failed if it does.
    async fn run(
        self: &Arc<Self>,
        target: &Target,
        folder: &Folder,
        is_fresh: bool,
        budget: Option<String>,
    ) -> Result<StartedRun, String> {
        let permit = self.runs.clone().try_acquire_owned().map_err(|_| {
            format!("{RUNS_MAX} runs of this server go on, the most at the same time: wait for one, or stop one")
        })?;
        let mut words: Vec<OsString> = ["run", ".", "--quiet", "--color=never"]
            .map(OsString::from)
            .into();
        words.extend(is_fresh.then(|| "--fresh".into()));
        words.extend(
            budget
                .as_deref()
                .map(|budget| format!("--budget={budget}").into()),
        );
        words.extend(self.leave.run_options.iter().cloned());
        let started = detached(folder, &words);
        let started = started.map_err(|error| format!("the run cannot be started: {error}"))?;
        let (controls, key) = (self.clone(), target.folder.clone());
        let run = self.changes().start(RunOptions {
            folder: target.folder.clone(),
            budget,
            is_fresh,
            at: String::new(),
        });
        tokio::spawn(async move {
            let (status, messages) = started.ended().await;
            drop(permit);
            let is_end = status.is_some_and(|status| ENDS_OF_RUNS.contains(&status));
            let failed = (!is_end).then(|| match messages.trim().trim_start_matches("× ") {
                "" => "The run ended without a word.".to_owned(),
                text => clipped(&format!("The run failed: {text}"), MESSAGE_CHARS_MAX),
            });
            controls.changes().end(&key, run, failed);
        });
        Ok(run)
    }

    /// Copies an experiment beside itself, or into itself if it is the folder that the user named.
    fn copy(
        &self,
        target: &Target,
        folder: &Folder,
        name: &str,
        text: &str,
    ) -> Result<String, String> {
        let name = plain_name(name)?;
        bakeoff_config::parse(text, bakeoff_config::FILE_NAME).map_err(|error| {
            format!(
                "the experiment file is to be corrected first: {}",
                error.in_lines()
            )
        })?;
        let parent = target.folder.parent().unwrap_or(Path::new(""));
        let parent = Folder::named_by_user(&self.root).and_then(|root| root.below(parent));
        let parent =
            parent.map_err(|error| format!("the folder around it cannot be opened: {error}"))?;
        copy(folder, &parent, name, text)?;
        Ok(format!(
            "The copy {name} is there: it can be run from the list."
        ))
    }
}

/// Adds a source to an experiment.
async fn add(
    folder: &Folder,
    (name, description): (&str, &str),
    ending: &str,
    source: &str,
) -> Result<(), String> {
    let scratch =
        Scratch::new().map_err(|error| format!("there is no folder for the source: {error}"))?;
    // The name of the file follows from that of the approach, and is safe everywhere.
    let file = format!("{}.{ending}", bakeoff_domain::ids::slug(name));
    let work = Folder::named_by_user(scratch.work());
    work.and_then(|work| work.write_new(&file, source.as_bytes()))
        .map_err(|error| format!("the source cannot be written: {error}"))?;
    let mut words: Vec<OsString> =
        vec!["add".into(), "--format=json".into(), "--color=never".into()];
    words.push(format!("--name={name}").into());
    words.extend((!description.is_empty()).then(|| format!("--description={description}").into()));
    let place = scratch.work().join(&file);
    words.extend([".".into(), place.clone().into_os_string()]);
    let added = answer(folder, words).await.map(drop);
    // Nobody chose that place, and a form has no options.
    let of_form = |message: String| {
        let message = message.replace(&*place.display().to_string(), name);
        message.replace(" with --name", "")
    };
    added.map_err(of_form)
}

/// Returns where the code of the recommended variant is, in words.
async fn pick(folder: &Folder, copy: Option<&str>) -> Result<String, String> {
    let mut words: Vec<OsString> = ["pick", ".", "--format=json", "--color=never"]
        .map(OsString::from)
        .into();
    if let Some(copy) = copy {
        words.push(format!("--copy={}", plain_name(copy)?).into());
    }
    let answer = answer(folder, words).await?;
    let picked: Value = serde_json::from_str(&answer).unwrap_or_default();
    let text = |key: &str| {
        picked
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or("unknown")
            .to_owned()
    };
    let (name, file) = (text("name"), text("file"));
    let file = file.trim_start_matches("./");
    let changed = match picked["changed"] {
        Value::Bool(true) => " The experiment’s own file has other code by now.",
        _ => "",
    };
    let said = match copy {
        Some(copy) => {
            format!("{name} is recommended; the code that was measured is in the new file {copy}.")
        }
        None => format!(
            "{name} is recommended; its code is {file} (SHA-256 {}).",
            text("sha256")
        ),
    };
    Ok(said + changed)
}

/// Returns the output of a short command.
///
/// # Errors
/// Its messages, if it fails.
async fn answer(folder: &Folder, words: Vec<OsString>) -> Result<String, String> {
    match short(folder, words).await {
        Ok(ended) if ended.status == Some(0) => Ok(ended.stdout),
        // A message on a terminal begins with a mark.
        Ok(ended) => Err(match ended.stderr.trim().trim_start_matches("× ") {
            "" => "the command ended without a word".to_owned(),
            text => text.to_owned(),
        }),
        Err(error) => Err(format!("the command cannot be run: {error}")),
    }
}

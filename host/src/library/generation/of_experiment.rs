//! Approaches that a program has a model write for an experiment.

use super::error::GenerationError;
use super::options::GenerateOptions;
use super::request::{GenerationRequest, GenerationSetting, begin_events, clear_places};
use super::result::Generation;
use super::wishes;
use crate::library::blocking::blocking;
use crate::library::error::Error;
use crate::library::experiment::Experiment;
use bakeoff_config::Workspace;
use bakeoff_propose::Answers;
use bakeoff_store::events::Envelope;

/// The message after a program asked to stop while a model was asked.
pub(crate) const STOPPED: &str = "stopped; the replies of the model are recorded, and the same request goes on without paying again";

impl Experiment {
    /// Asks a model for approaches to the problem, and writes those that pass into the folder of the experiment, as
    /// `bakeoff generate` does: a file for each, and an entry in `bakeoff.toml`. Prototypes are built and called in the sandbox,
    /// and what fails goes back to the model. What is sent is the problem, WIT, workload and cases of the experiment, names and
    /// descriptions of its approaches, and what became of prototypes.
    ///
    /// The file of the experiment is read anew for it. Open it once more to run what was written. It blocks as
    /// [`run`](Self::run) does.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), bakeoff::Error> {
    /// let model = bakeoff::ModelOptions::new("anthropic", "claude-sonnet-5-5").usd(0.50);
    /// let options = bakeoff::GenerateOptions::new(model).approaches(3);
    /// let made = bakeoff::Experiment::open("examples/top-k")?.generate(&options)?;
    /// for approach in made.approaches() {
    ///     println!("{}: {} {}", approach.name, approach.outcome, approach.file.unwrap_or(""));
    /// }
    /// let report = bakeoff::Experiment::open("examples/top-k")?.run()?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind). An approach that fails is no error, and neither is a budget that ends:
    /// [`Generation::reason`] says it, and what passed until then is written.
    pub fn generate(&self, options: &GenerateOptions) -> Result<Generation, Error> {
        blocking(|| self.generate_or_stop(options))
    }

    async fn generate_or_stop(&self, options: &GenerateOptions) -> Result<Generation, Error> {
        tokio::select! {
            biased;
            () = self.setting().stop.raised() => Err(Error::stopped(STOPPED)),
            made = self.generate_approaches(options) => Ok(made?),
        }
    }

    async fn generate_approaches(
        &self,
        options: &GenerateOptions,
    ) -> Result<Generation, GenerationError> {
        options.check()?;
        // An earlier request may have written into the file since it was opened.
        let loaded = &wishes::read_again(self.loaded(), self.file(), &self.setting().policy)?;
        let writing = options.writing();
        let request = GenerationRequest {
            approaches: options.more(),
            ideas: options.ideas(),
            writing: &writing,
            context_option: "`GenerateOptions::context`",
            writer: "",
        };
        let wanted = loaded.generate.as_ref();
        if wanted.is_some_and(|wanted| wanted.workspace == Workspace::Worktree) {
            return Err(GenerationError::Usage(
                "[generate] has workspace = \"worktree\", so its approaches are written by coding agents: `bakeoff generate` \
                 with --agent COMMAND has them written"
                    .to_owned(),
            ));
        }
        if request.count() == 0 && loaded.wished.is_empty() {
            return Err(GenerationError::Usage(
                "0 approaches are none at all: the experiment has none with `write = true` either"
                    .to_owned(),
            ));
        }
        wishes::has_room(loaded, request.count())?;
        let mut warnings = Vec::new();
        let mut warn = |text: &str| warnings.push(text.to_owned());
        clear_places(loaded, &mut warn)?;
        request.refuse_known(loaded)?;
        let teller = self.teller();
        let tell = move |event: &Envelope| teller.iter().for_each(|tell| tell(event));
        let events = begin_events(loaded, request.count(), tell, &mut warn);
        let models = options.model().open_in(&loaded.dir, &events, &mut warn)?;
        let setting = GenerationSetting {
            file: self.file(),
            answers: &Answers::from(&models),
            policy: &self.setting().policy,
            host: &self.setting().host(),
            events: &events,
        };
        let made = request.perform(loaded, &setting, &mut |_| {}).await?;
        Ok(made.after(warnings))
    }
}

//! A quick test of the oracle before anything is timed, with a warning if it accepts wrong answers.

use super::child_tasks::{build_task, core_task};
use super::child_work::{BuiltPrototype, TestOracle};
use super::context::runner_error;
use super::error::RunError;
use super::session::Run;
use bakeoff_domain::oracle::{ApproachAnswers, OracleTest};
use bakeoff_domain::queue::TaskKey;
use bakeoff_measure::RunnerError;
use bakeoff_store::events::Event;

/// Advice for an oracle that cannot be believed.
const ADVICE: &str = "Nothing shows that the answers of this run are right; `bakeoff check` on the experiment's folder \
                      says more.";

impl Run<'_> {
    /// Has the oracle judge one right answer, changed a little, of the first variant that was built in this session and
    /// passed. Warns if the oracle accepts every change, or contradicts itself. The run goes on: a user who counts on
    /// `assess` alone may want no oracle.
    pub(super) async fn warn_of_oracle(&mut self) -> Result<(), RunError> {
        if !self.context.config.inputs.has_oracle() {
            return Ok(());
        }
        let passed = |state: &&super::VariantState| {
            state.is_alive() && state.built.is_some() && state.gate.is_some()
        };
        let Some(state) = self.variants.iter().find(passed) else {
            return Ok(());
        };
        let seed = bakeoff_runner::gate_seed(self.context.config.check_seed, 0);
        let build = build_task(&self.keys.build(state));
        let name = state.variant.name.clone();
        let key = TaskKey::new("test of the oracle");
        let task = core_task("check", key, Some(&build));
        let work = TestOracle {
            prototype: BuiltPrototype {
                build,
                files: state.files.clone(),
            },
            calls: [(0, seed)].into(),
        };
        let answers = match self.tasks.call(task, work).await? {
            Some(Ok(answers)) => answers,
            Some(Err(error @ RunnerError::Workload(_))) => {
                return Err(runner_error(self.loaded, error));
            }
            _ => return Ok(()),
        };
        let test = OracleTest::of(&[ApproachAnswers { name, answers }], true, true);
        if test.belief.is_unusable() {
            let message = format!("{} {ADVICE}", test.sentence());
            self.store.emit(Event::Warning { message })?;
        }
        Ok(())
    }
}

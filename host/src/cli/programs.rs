//! The user's leave to run the programs of an experiment, asked for on a terminal.

use super::confirmation::{confirm, is_on_terminal};
use super::failure::Failure;
use super::options::Safety;
use bakeoff_config::Policy;
use bakeoff_domain::spec::Experiment;
use bakeoff_render::escape::Plain;

/// The most programs that a question names.
const NAMED_MAX: usize = 8;

/// Returns the policy with the leave to run programs, if the experiment has some that nobody allowed and the user, asked
/// on a terminal, says yes. Elsewhere, nothing changes.
pub(super) fn ask(
    experiment: &Experiment,
    policy: Policy,
    safety: &Safety,
) -> Result<Policy, Failure> {
    let programs = experiment.approaches.iter();
    let programs: Vec<String> = programs
        .filter_map(|approach| approach.code.program())
        .map(|program| program.command.join(" "))
        .collect();
    if programs.is_empty() || safety.programs || policy.allows_programs() || !is_on_terminal() {
        return Ok(policy);
    }
    let named = programs.iter().take(NAMED_MAX);
    let named: Vec<String> = named.map(|one| format!("  {}\n", Plain(one))).collect();
    let more = match programs.len() - named.len() {
        0 => String::new(),
        more => format!("  and {more} more\n"),
    };
    let question = format!(
        "The experiment runs programs of its own, behind a fence and without a network:\n{}{more}Run them? [y/N] ",
        named.concat()
    );
    if confirm(&question)? {
        Ok(policy.with_programs()?)
    } else {
        Ok(policy)
    }
}

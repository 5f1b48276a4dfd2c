//! All variants: agents that work at the same time, each behind a fence of its own.

use super::attempt::{attempt, verified};
use super::branch::set_branch;
use super::completion::{AgentVerification, AgentWorkOutcome, Completion};
use super::error::AgentError;
use super::experiment::AgentExperiment;
use super::orders::Orders;
use super::record::{self, CompletionRequest, VariantRequest};
use super::round_record::RoundRecord;
use super::slots::Slots;
use super::verification::verify_base;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// News of the work on all variants.
#[derive(Clone, Copy, Debug)]
pub enum AgentNews<'a> {
    /// The verifications are tried on the base.
    VerifyingBase,
    /// The agent of this variant is started.
    Started(&'a str),
    /// There is a completion.
    Ended(&'a Completion),
    /// A round has ended, of several.
    RoundEnded(&'a RoundRecord),
}

/// Listener to news, which come from several threads.
pub type NewsListener<'a> = &'a (dyn Fn(AgentNews<'_>) + Sync);

/// Returns the completions of all variants in their order: the kept ones of the same request, and those of agents that
/// are started now.
///
/// # Errors
/// There is one of another request, or a branch is in the way; a verification cannot be started; this machine or git
/// fails; the user interrupts it. Agents that work when one of the others fails are waited for, and what they left is
/// kept.
pub(crate) fn work(
    experiment: &AgentExperiment,
    orders: &Orders<'_>,
    variants: &[VariantRequest],
    news: NewsListener<'_>,
) -> Result<Vec<Completion>, AgentError> {
    experiment.check(orders.request, variants)?;
    let mut completions = Vec::new();
    let mut open = Vec::new();
    for variant in variants {
        let kept = experiment.completion(&variant.name);
        // One that failed by itself may have lacked what the fence gives it now.
        match kept.filter(|(_, kept)| kept.outcome != AgentWorkOutcome::AgentFailed) {
            Some((_, completion)) if completion.outcome != AgentWorkOutcome::Committed => {
                name_branch(experiment, &completion)?;
                news(AgentNews::Ended(&completion));
                completions.push(completion);
            }
            committed => open.push(OpenVariant { variant, committed }),
        }
    }
    if !open.is_empty() {
        if !orders.verify.is_empty() {
            news(AgentNews::VerifyingBase);
        }
        let team = Team {
            experiment,
            orders,
            on_base: &verify_base(experiment, orders)?,
            verifying: Slots::new(thread::available_parallelism().map_or(1, usize::from)),
            news,
        };
        completions.extend(team.work_on_all(&open)?);
    }
    let place = |completion: &Completion| {
        let mut names = variants.iter();
        names.position(|variant| variant.name == completion.variant)
    };
    completions.sort_by_key(place);
    Ok(completions)
}

/// Variant without its last completion.
struct OpenVariant<'a> {
    variant: &'a VariantRequest,
    /// Completion of an agent that has ended, if what it left is still to be verified, with its request.
    committed: Option<(CompletionRequest, Completion)>,
}

/// Agents that work at the same time.
struct Team<'a> {
    experiment: &'a AgentExperiment,
    orders: &'a Orders<'a>,
    on_base: &'a [AgentVerification],
    /// Places for verifications, of which each may take a core.
    verifying: Slots,
    news: NewsListener<'a>,
}

impl Team<'_> {
    /// Has agents work on these variants, as many at once as may be. After a failure no other agent is started.
    fn work_on_all(&self, variants: &[OpenVariant<'_>]) -> Result<Vec<Completion>, AgentError> {
        let next = AtomicUsize::new(0);
        let ended = Mutex::new(Ok(Vec::new()));
        let worker = || {
            while let Some(variant) = variants.get(next.fetch_add(1, Ordering::Relaxed)) {
                let found = self.work_on(variant);
                let mut ended = ended.lock().unwrap_or_else(PoisonError::into_inner);
                match (found, &mut *ended) {
                    (Ok(completion), Ok(completions)) => completions.push(completion),
                    (Err(error), Ok(_)) => *ended = Err(error),
                    (_, Err(_)) => {}
                }
                if ended.is_err() {
                    return;
                }
            }
        };
        thread::scope(|scope| {
            for _ in 0..self.orders.agents_at_once.min(variants.len()) {
                scope.spawn(worker);
            }
        });
        ended.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has an agent work on a variant and verifies what it left, and keeps what became of each: what was committed before
    /// an interruption is only verified.
    fn work_on(&self, open: &OpenVariant<'_>) -> Result<Completion, AgentError> {
        let (experiment, orders) = (self.experiment, self.orders);
        let (request, mut completion) = match &open.committed {
            Some((request, committed)) => (request.clone(), committed.clone()),
            None => {
                (self.news)(AgentNews::Started(&open.variant.name));
                let request = CompletionRequest {
                    instructions: orders.instructions.read()?,
                    ..orders.request.clone()
                };
                let orders = Orders {
                    request: &request,
                    ..*orders
                };
                let completion = attempt(experiment, &orders, open.variant)?;
                let completion = self.keep(&request, completion)?;
                (request, completion)
            }
        };
        if completion.outcome == AgentWorkOutcome::Committed {
            let verified = verified(experiment, orders, completion, &self.verifying)?;
            completion = self.keep(&request, verified)?;
        }
        (self.news)(AgentNews::Ended(&completion));
        Ok(completion)
    }

    /// Keeps what became of a variant, and names its commit.
    fn keep(
        &self,
        request: &CompletionRequest,
        mut completion: Completion,
    ) -> Result<Completion, AgentError> {
        completion.base_verifications = self.on_base.to_vec();
        let completion = keep(self.experiment, request, completion)?;
        name_branch(self.experiment, &completion)?;
        Ok(completion)
    }
}

/// Keeps what became of a variant or a task, with the place of what is on no branch.
pub(crate) fn keep(
    experiment: &AgentExperiment,
    request: &CompletionRequest,
    mut completion: Completion,
) -> Result<Completion, AgentError> {
    let has_nothing = matches!(
        completion.outcome,
        AgentWorkOutcome::NothingChanged | AgentWorkOutcome::Passed
    );
    if completion.branch.is_none()
        && !has_nothing
        && experiment.worktree(&completion.variant).is_ok()
    {
        completion.worktree = Some(experiment.worktree_path(&completion.variant));
    }
    let place = experiment.place();
    record::write(&experiment.folder, &place, request, &completion)?;
    Ok(completion)
}

/// Names the commit of a completion. A branch that somebody has moved meanwhile stays where it is.
pub(crate) fn name_branch(
    experiment: &AgentExperiment,
    completion: &Completion,
) -> Result<(), AgentError> {
    let (Some(branch), Some(commit)) = (&completion.branch, &completion.commit) else {
        return Ok(());
    };
    match experiment.commit_of_branch(branch) {
        Some(_) => Ok(()),
        None => set_branch(&experiment.git(), branch, None, commit),
    }
}

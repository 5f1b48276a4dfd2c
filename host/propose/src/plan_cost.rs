//! Cost of a plan: what it is expected to take, and what there is for it.

use super::plan::{Plan, PlannedTask, TaskKind};
use super::prompt;
use bakeoff_domain::report::{ExpectedCost, ModelCost};
use bakeoff_provider::{Models, Purpose, SpentTable, Usage, UsageTotals};
use std::time::Duration;

/// Expected tokens of the prompt of each task, where nothing is known yet: the problem, the interface and a source.
pub const PROMPT_TOKENS: u64 = 3_000;

/// Expected tokens of an answer on what is known of a problem.
const RESEARCH_TOKENS: u64 = 1_500;

/// Expected tokens of the source of an approach, where no plan says more.
const APPROACH_TOKENS: u64 = 1_500;

/// Bounds within which a plan is carried out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanBounds {
    /// The most calls at the same time.
    pub calls_at_once: u32,
    /// Cores on which prototypes are tried.
    pub cores: u32,
    /// The longest time for one approach.
    pub timeout: Duration,
    /// Tokens of all calls, as far as they are bounded.
    pub tokens: Option<u64>,
    /// Millionths of a US dollar for all calls, as far as they are bounded.
    pub microdollars: Option<u64>,
}

impl PlanBounds {
    /// Returns the bounds of models, as a plan is told of them. What plans took is not subtracted: so a plan that is asked
    /// for again, after a kill, is the same question, which is not paid for twice.
    pub fn of(models: &Models, cores: usize, timeout: Duration) -> Self {
        let (tokens, microdollars) = models.bounds();
        let (all, plans) = (models.counted(None), models.counted(Some(Purpose::Plan)));
        let others = |amount: fn(&Usage) -> u64| amount(&all).saturating_sub(amount(&plans));
        Self {
            calls_at_once: models.calls_at_once(),
            cores: cores as u32,
            timeout,
            tokens: tokens.map(|most| most.saturating_sub(others(Usage::tokens))),
            microdollars: microdollars
                .map(|most| most.saturating_sub(others(|usage| usage.microdollars))),
        }
    }

    /// Returns the tokens and the millionths of a dollar that are left once all is paid.
    fn left(models: &Models) -> (Option<u64>, Option<u64>) {
        let (tokens, microdollars) = models.bounds();
        let all = models.counted(None);
        (
            tokens.map(|most| most.saturating_sub(all.tokens())),
            microdollars.map(|most| most.saturating_sub(all.microdollars)),
        )
    }

    /// Returns the bounds in the words that a model is told.
    pub(super) fn words(&self, models: &Models) -> String {
        let calls = match self.calls_at_once {
            1 => "one task at a time is done".to_owned(),
            count => {
                format!("up to {count} tasks are done at the same time, if they wait for no other")
            }
        };
        let mut words = format!(
            "What there is: {calls}; prototypes are tried on {}; an approach has {} seconds.",
            match self.cores {
                1 => "one core".to_owned(),
                count => format!("{count} cores"),
            },
            self.timeout.as_secs_f64()
        );
        let usd = self
            .microdollars
            .map(|most| format!("{} US dollars", dollars(most)));
        let tokens = self.tokens.map(|most| format!("{most} tokens"));
        let bounds: Vec<String> = usd.into_iter().chain(tokens).collect();
        if !bounds.is_empty() {
            words += &format!(
                " All tasks together may take {}, of which each reads about {PROMPT_TOKENS} tokens beside what it writes{}: \
                 plan within that, and leave some of it for repairs.",
                bounds.join(" and "),
                price(models).map_or_else(String::new, |price| format!(" ({price})"))
            );
        }
        words
    }
}

/// Returns the price of an approach of the usual length in words; `None` without one.
fn price(models: &Models) -> Option<String> {
    let microdollars = models.expected_microdollars(PROMPT_TOKENS, APPROACH_TOKENS)?;
    (microdollars > 0).then(|| {
        format!(
            "a task that writes {APPROACH_TOKENS} tokens takes about {} US dollars",
            dollars(microdollars)
        )
    })
}

fn dollars(microdollars: u64) -> String {
    format!("{:.4}", microdollars as f64 / 1e6)
}

impl Plan {
    /// Returns the expected cost of the tasks, without repairs, and of the question of what is known of the problem if that
    /// is asked first. The time is that of the model at the speed of its plan, where that is known.
    pub fn expected(
        &self,
        models: &Models,
        bounds: &PlanBounds,
        asks_research: bool,
    ) -> ExpectedCost {
        let research = if asks_research { RESEARCH_TOKENS } else { 0 };
        let tasks = self.tasks.iter().map(|task| u64::from(task.output_tokens));
        let written: Vec<u64> = tasks.chain(asks_research.then_some(research)).collect();
        let money = written
            .iter()
            .map(|output| models.expected_microdollars(PROMPT_TOKENS, *output));
        let money: Option<u64> = money.sum();
        let of_plans = models.spent().by_purpose.get(&Purpose::Plan).copied();
        let token_seconds = of_plans.and_then(|spent| token_seconds(&spent));
        ExpectedCost {
            calls: written.len() as u64,
            tokens: PROMPT_TOKENS * written.len() as u64 + written.iter().sum::<u64>(),
            usd: money.map(|microdollars| microdollars as f64 / 1e6),
            seconds: token_seconds
                .map(|one| one * (research + self.longest_wait(bounds.calls_at_once)) as f64),
        }
    }

    /// Returns the number of approaches, as long as those of the plan, that there is room for beside its other tasks in what
    /// is left; `None` if nothing bounds them, or once something of the plan was asked for.
    pub fn affordable(&self, models: &Models) -> Option<u32> {
        let spent = models.spent().by_purpose;
        let is_before = |purpose: &Purpose| matches!(purpose, Purpose::Plan | Purpose::Research);
        if spent.keys().any(|purpose| !is_before(purpose)) {
            return None;
        }
        let (tokens, microdollars) = PlanBounds::left(models);
        let is_approach = |task: &&PlannedTask| task.kind == TaskKind::Approach;
        let (approaches, others): (Vec<&PlannedTask>, Vec<&PlannedTask>) =
            self.tasks.iter().partition(is_approach);
        let written = |task: &&PlannedTask| u64::from(task.output_tokens);
        let each = approaches.iter().map(written).sum::<u64>();
        let each = each.div_ceil(approaches.len().max(1) as u64);
        let fits = |most: u64, takes: &dyn Fn(u64) -> Option<u64>| {
            let others = others.iter().map(|task| takes(written(task)));
            let others: u64 = others.sum::<Option<u64>>()?;
            let each = takes(each)?;
            (each > 0).then(|| most.saturating_sub(others) / each)
        };
        let by_tokens = tokens.and_then(|most| fits(most, &|output| Some(PROMPT_TOKENS + output)));
        let by_money = microdollars.and_then(|most| {
            fits(most, &|output| {
                models.expected_microdollars(PROMPT_TOKENS, output)
            })
        });
        let least = by_tokens.into_iter().chain(by_money).min()?;
        Some(u32::try_from(least).unwrap_or(u32::MAX))
    }

    /// Returns the tokens that are written one after the other, with so many calls at the same time: the length of a
    /// schedule in which each call takes the task of the highest priority that waits for nothing.
    fn longest_wait(&self, calls_at_once: u32) -> u64 {
        let mut ends: Vec<Option<u64>> = vec![None; self.tasks.len()];
        let mut free = vec![0_u64; calls_at_once.max(1) as usize];
        while ends.contains(&None) {
            let Some((call, at)) = free.iter().copied().enumerate().min_by_key(|(_, at)| *at)
            else {
                break;
            };
            let ready = |place: &usize| {
                let mut after = self.tasks[*place].after.iter();
                ends[*place].is_none()
                    && after.all(|one| {
                        ends.get(*one)
                            .copied()
                            .flatten()
                            .is_some_and(|end| end <= at)
                    })
            };
            // Of the same priority, the first of the plan.
            let next = (0..self.tasks.len()).rev().filter(ready);
            match next.max_by_key(|place| self.tasks[*place].priority) {
                Some(place) => {
                    let end = at + u64::from(self.tasks[place].output_tokens);
                    (ends[place], free[call]) = (Some(end), end);
                }
                None => {
                    // The call waits for the next end of another.
                    let later = ends.iter().flatten().copied().filter(|end| *end > at);
                    let Some(next) = later.min() else { break };
                    free[call] = next;
                }
            }
        }
        ends.into_iter().flatten().max().unwrap_or(0)
    }
}

impl PlannedTask {
    /// Returns what the questions for a task took, its repairs included. `wished` are the names of the user's own ideas,
    /// which are the first approaches.
    pub fn took(&self, spent: &SpentTable, wished: &[String]) -> ModelCost {
        let subject = match self.kind {
            TaskKind::Interface | TaskKind::Workload => self.kind.name().to_owned(),
            TaskKind::Sketch => "round".to_owned(),
            TaskKind::Approach => wished.get(self.number - 1).map_or_else(
                || prompt::subject(self.number),
                |name| prompt::wish_subject(name),
            ),
            TaskKind::Combine => prompt::combination_subject(self.number),
        };
        let is_of_task = |other: &str| match self.kind {
            TaskKind::Sketch => other
                .strip_prefix(&subject)
                .is_some_and(|rest| rest.starts_with(' ')),
            _ => other
                .strip_prefix(&subject)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(", ")),
        };
        let of_task = spent
            .by_subject
            .iter()
            .filter(|(other, _)| is_of_task(other));
        let zero = ModelCost {
            usd: Some(0.0),
            ..ModelCost::default()
        };
        of_task.fold(zero, |sum, (_, spent)| sum.plus(&spent.into()))
    }
}

/// Returns the seconds of a token that a model writes; `None` if it is not known.
fn token_seconds(spent: &UsageTotals) -> Option<f64> {
    let tokens = spent.usage.output_tokens;
    // Of a reply that was cut off, neither its tokens nor its time are known.
    let is_known = tokens > 0 && spent.seconds > 0.0 && !spent.usage.upper_bound;
    is_known.then(|| spent.seconds / tokens as f64)
}

#[cfg(test)]
mod tests {
    use super::super::plan::{Complexity, PlannedTask};
    use super::*;
    use bakeoff_provider::{ModelOptions, ProviderKind};

    fn task(kind: TaskKind, after: &[usize], priority: i32, output_tokens: u32) -> PlannedTask {
        PlannedTask {
            kind,
            number: 1,
            title: String::new(),
            after: after.to_vec(),
            priority,
            output_tokens,
        }
    }

    fn plan(tasks: Vec<PlannedTask>) -> Plan {
        Plan {
            complexity: Complexity::Simple,
            reasons: Vec::new(),
            criteria: Vec::new(),
            tasks,
        }
    }

    fn ollama(tokens: Option<u64>) -> Models {
        Models::open(ModelOptions {
            model: Some("any".to_owned()),
            tokens_max: tokens,
            concurrency: 2,
            ..ModelOptions::new(ProviderKind::Ollama)
        })
        .unwrap()
    }

    #[test]
    fn a_schedule_is_as_long_as_its_calls_make_it() {
        let begin = task(TaskKind::Sketch, &[], 0, 100);
        let approach = |tokens| task(TaskKind::Approach, &[0], 0, tokens);
        let four = plan(vec![
            begin.clone(),
            approach(30),
            approach(10),
            approach(20),
            approach(20),
        ]);
        assert_eq!(four.longest_wait(1), 180);
        // 30 and 20; 10 and 20.
        assert_eq!(four.longest_wait(2), 150);
        assert_eq!(four.longest_wait(9), 130);
        // What is made of two waits for both, whatever its priority.
        let combined = task(TaskKind::Combine, &[1, 2], 9, 5);
        let five = plan(vec![begin.clone(), approach(30), approach(10), combined]);
        assert_eq!(five.longest_wait(2), 135);
        // The last approach goes first by its priority.
        let urgent = task(TaskKind::Approach, &[0], 5, 40);
        let six = plan(vec![begin, approach(20), approach(20), urgent]);
        assert_eq!(six.longest_wait(2), 140);
    }

    #[test]
    fn a_task_took_what_its_questions_and_their_repairs_took() {
        let mut spent = SpentTable::default();
        for (place, subject) in [
            "interface",
            "interface, repair 1",
            "approach 1",
            "approach 11",
            "wish heap",
            "round 1",
        ]
        .into_iter()
        .enumerate()
        {
            let usage = Usage {
                output_tokens: 1 << place,
                ..Usage::default()
            };
            let spent_on = UsageTotals {
                calls: 1,
                usage,
                ..UsageTotals::default()
            };
            spent.by_subject.insert(subject.to_owned(), spent_on);
        }
        let wished = ["heap".to_owned()];
        let took = |kind, wished: &[String]| task(kind, &[], 0, 1).took(&spent, wished).tokens;
        assert_eq!(took(TaskKind::Interface, &[]), 3);
        assert_eq!(took(TaskKind::Approach, &[]), 4);
        assert_eq!(took(TaskKind::Approach, &wished), 16);
        assert_eq!(took(TaskKind::Sketch, &[]), 32);
        assert_eq!(took(TaskKind::Combine, &[]), 0);
    }

    #[test]
    fn what_is_affordable_is_what_bounds_leave_beside_other_tasks() {
        let models = ollama(Some(3 * PROMPT_TOKENS + 100 + 2_000));
        let bounds = PlanBounds::of(&models, 2, Duration::from_secs(90));
        let tasks = [
            vec![task(TaskKind::Sketch, &[], 0, 100)],
            vec![task(TaskKind::Approach, &[0], 0, 1_000); 3],
        ];
        let three = plan(tasks.concat());
        assert_eq!(three.affordable(&models), Some(2));
        let words = bounds.words(&models);
        assert!(
            words.contains("up to 2 tasks")
                && words.contains("90 seconds")
                && words.contains("11100 tokens"),
            "{words}"
        );
        let free = ollama(None);
        let bounds = PlanBounds::of(&free, 2, Duration::from_secs(90));
        assert_eq!(three.affordable(&free), None);
        assert!(!bounds.words(&free).contains("All tasks together"));
        // Nothing was written yet, so no speed is known.
        assert_eq!(three.expected(&free, &bounds, false).seconds, None);
    }
}

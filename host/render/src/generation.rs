//! The generation of approaches: its cost, and the result of each approach. All of it is text from outside.

use super::table::{Align, Table};
use bakeoff_domain::numbers;
use bakeoff_domain::report::{GeneratedApproach, Generation, ModelCost, UsedPrompt};

/// Returns the cost of the generation in all, and the cost that was expected before, as sentences.
pub(super) fn sentences(generation: &Generation) -> Vec<String> {
    let spent = &generation.spent;
    if spent.calls == 0 {
        return Vec::new();
    }
    let calls = |count: u64| match count {
        1 => "1 call".to_owned(),
        count => format!("{} calls", numbers::count(count)),
    };
    let took = format!(
        "{}: {}, {}{}, {} s in all of them together.",
        generation.model,
        calls(spent.calls),
        tokens(spent),
        in_words(spent.usd),
        numbers::significant(spent.seconds, 3)
    );
    let expected = generation.expected.as_ref().map(|expected| {
        format!(
            "Expected after the plan were {}, about {} tokens{}{}.",
            calls(expected.calls),
            numbers::count(expected.tokens),
            in_words(expected.usd),
            expected.seconds.map_or_else(String::new, |seconds| {
                format!(
                    ", {} s from the first to the last",
                    numbers::significant(seconds, 2)
                )
            })
        )
    });
    let plan = generation.plan.as_ref().map(|plan| {
        let reasons: String = plan
            .reasons
            .iter()
            .map(|reason| format!(" {reason}"))
            .collect();
        format!("In its plan: a {} problem.{reasons}", plan.complexity)
    });
    let asked = UsedPrompt::sentence(&generation.prompts);
    [took]
        .into_iter()
        .chain(expected)
        .chain(plan)
        .chain(asked)
        .collect()
}

/// Returns the table of the tasks of a plan, with what each was expected to take beside what it took.
pub(super) fn tasks(generation: &Generation) -> Option<Table> {
    let plan = generation.plan.as_ref()?;
    let mut table = Table::of("task", "The plan, and what its tasks took with all repairs");
    table.column("what", Align::Left);
    for title in ["after", "tokens expected", "tokens", "calls", "seconds"] {
        table.column(title, Align::Right);
    }
    for task in &plan.tasks {
        let after: Vec<String> = task.after.iter().map(u32::to_string).collect();
        let taken = |text: String| {
            if task.cost.calls == 0 {
                "–".to_owned()
            } else {
                text
            }
        };
        table.row(vec![
            super::clipped(&task.task, 40),
            super::clipped(&task.title, 120),
            after.join(", "),
            numbers::count(task.expected_tokens),
            taken(tokens(&task.cost).replace(" tokens", "")),
            numbers::count(task.cost.calls),
            taken(numbers::significant(task.cost.seconds, 3)),
        ]);
    }
    table.if_any()
}

/// Returns the table of approaches, with the results of their attempts in order.
pub(super) fn table(generation: &Generation) -> Option<Table> {
    let mut table = Table::new("What came of each generated approach, and what its attempts took");
    table.column("result", Align::Left);
    table.column("attempts", Align::Left);
    for title in ["calls", "tokens", "US dollars", "seconds"] {
        table.column(title, Align::Right);
    }
    for approach in &generation.approaches {
        let cost = &approach.cost;
        table.row(vec![
            super::clipped(&approach.name, 40),
            super::clipped(&approach.outcome, 40),
            attempts(approach),
            numbers::count(cost.calls),
            tokens(cost).replace(" tokens", ""),
            dollars(cost.usd).unwrap_or_else(|| "not known".to_owned()),
            numbers::significant(cost.seconds, 3),
        ]);
    }
    table.if_any()
}

/// Returns the outcome of each attempt: `wrong-answer, passed`.
fn attempts(approach: &GeneratedApproach) -> String {
    let outcomes = approach.iterations.iter().map(|one| one.outcome.as_str());
    let outcomes: Vec<&str> = outcomes.collect();
    if outcomes.is_empty() {
        "–".to_owned()
    } else {
        super::clipped(&outcomes.join(", "), 120)
    }
}

fn tokens(cost: &ModelCost) -> String {
    let most = if cost.upper_bound { "at most " } else { "" };
    format!("{most}{} tokens", numbers::count(cost.tokens))
}

fn dollars(usd: Option<f64>) -> Option<String> {
    usd.map(|usd| format!("{usd:.4}"))
}

fn in_words(usd: Option<f64>) -> String {
    match dollars(usd) {
        Some(usd) => format!(", {usd} US dollars"),
        None => ", at a price that is not known".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_domain::report::{
        ExpectedCost, GeneratedIteration, GenerationPlan, GenerationTask,
    };

    #[test]
    fn it_says_what_was_expected_and_what_it_took() {
        let cost = ModelCost {
            calls: 6,
            tokens: 7_500,
            usd: Some(0.01234),
            upper_bound: true,
            seconds: 12.0,
        };
        let attempt = |outcome: &str| GeneratedIteration {
            outcome: outcome.to_owned(),
            ..GeneratedIteration::default()
        };
        let mut generation = Generation {
            model: "openai x".to_owned(),
            spent: cost,
            expected: Some(ExpectedCost {
                calls: 1,
                tokens: 4_000,
                usd: None,
                seconds: Some(90.0),
            }),
            plan: Some(GenerationPlan {
                complexity: "simple".to_owned(),
                reasons: vec!["One loop.".to_owned()],
                tasks: vec![
                    GenerationTask {
                        task: "sketch 1".to_owned(),
                        title: "Name them.".to_owned(),
                        after: Vec::new(),
                        expected_tokens: 3_400,
                        cost,
                    },
                    GenerationTask {
                        task: "approach 1".to_owned(),
                        after: vec![1],
                        ..GenerationTask::default()
                    },
                ],
            }),
            approaches: vec![GeneratedApproach {
                name: "a".to_owned(),
                outcome: "passed".to_owned(),
                cost,
                iterations: vec![attempt("trap"), attempt("passed")],
                ..GeneratedApproach::default()
            }],
            prompts: vec![UsedPrompt {
                question: "repair".to_owned(),
                file: "prompts/repair.md".to_owned(),
                digest: "0123456789abcdef".to_owned(),
            }],
        };
        assert_eq!(
            sentences(&generation),
            [
                "openai x: 6 calls, at most 7500 tokens, 0.0123 US dollars, 12.0 s in all of them together.",
                "Expected after the plan were 1 call, about 4000 tokens, at a price that is not known, 90 s from the first to the last.",
                "In its plan: a simple problem. One loop.",
                "Asked by templates of its own: repair by prompts/repair.md (SHA-256 0123456789ab…).",
            ]
        );
        let planned = tasks(&generation).unwrap();
        assert_eq!(
            planned.rows,
            [
                [
                    "sketch 1",
                    "Name them.",
                    "",
                    "3400",
                    "at most 7500",
                    "6",
                    "12.0"
                ],
                ["approach 1", "", "1", "0", "–", "0", "–"],
            ]
        );
        let table = table(&generation).unwrap();
        let row = [
            "a",
            "passed",
            "trap, passed",
            "6",
            "at most 7500",
            "0.0123",
            "12.0",
        ];
        assert_eq!(table.rows[0], row);
        // A proposer of the user's own asks nobody.
        generation.spent = ModelCost::default();
        assert_eq!(sentences(&generation), Vec::<String>::new());
    }
}

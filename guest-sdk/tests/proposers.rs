//! The proposers that come with bakeoff, on tasks that are known beforehand.

/// The module that a proposer's file uses.
pub mod bakeoff {
    pub use bakeoff_guest::proposer::*;
}

/// The grid that gets finer.
#[path = "../../components/grid/grid.rs"]
pub mod grid;
/// The one that asks a model.
#[path = "../../components/improve/improve.rs"]
pub mod improve;
/// The proposer that `bakeoff init --proposer` writes.
#[path = "../../host/src/cli/template/proposer.rs"]
pub mod template;

use bakeoff::{Approach, CompletionError, Error, Outcome, Parameter, Proposal, Task};

fn swept(values: &[(&str, &[&str])]) -> Approach {
    let parameter = |(name, values): &(&str, &[&str])| Parameter {
        name: (*name).to_owned(),
        values: values.iter().map(|&value| value.to_owned()).collect(),
    };
    Approach {
        parameters: values.iter().map(parameter).collect(),
        ..Approach::of_source("heap", "fn f() {}")
    }
}

fn outcome(rank: Option<u32>, total: f64, values: &[(&str, &str)]) -> Outcome {
    Outcome {
        approach: "heap".to_owned(),
        parameters: values
            .iter()
            .map(|&(name, value)| (name.into(), value.into()))
            .collect(),
        rank,
        total: Some(total),
        ..Outcome::default()
    }
}

/// The values that the grid proposes where this is the best of these values.
fn finer(values: &[&str], best: &str) -> Option<Vec<String>> {
    let task = Task {
        known: vec![swept(&[("n", values)])],
        outcomes: vec![
            outcome(None, 0.9, &[("n", values[0])]),
            outcome(Some(1), 0.5, &[("n", best)]),
        ],
        ..Task::default()
    };
    let proposals: Vec<Proposal> = grid::propose(&task).ok()?;
    Some(proposals[0].parameters[0].values.clone())
}

#[test]
fn the_grid_gets_finer_around_the_best() {
    assert_eq!(finer(&["2", "8", "4"], "4").unwrap(), ["3", "4", "6"]);
    assert_eq!(finer(&["2", "4", "8"], "8").unwrap(), ["6", "8", "12"]);
    assert_eq!(finer(&["2", "4", "8"], "2").unwrap(), ["1", "2", "3"]);
    assert_eq!(
        finer(&["0.1", "0.2", "0.3"], "0.2").unwrap(),
        ["0.15", "0.2", "0.25"]
    );
    assert_eq!(finer(&["0", "200"], "0").unwrap(), ["0", "100"]);
    assert_eq!(finer(&["-4", "-2"], "-4").unwrap(), ["-6", "-4", "-3"]);
    // Between whole numbers that are neighbours, there is nothing; neither is there for texts or a single value.
    assert_eq!(finer(&["1", "2", "3"], "2"), None);
    assert_eq!(finer(&["a", "b"], "a"), None);
    assert_eq!(finer(&["7"], "7"), None);
}

#[test]
fn the_grid_takes_the_best_of_a_tie_and_leaves_texts() {
    let values: [(&str, &[&str]); 2] = [("kind", &["min", "max"]), ("n", &["10", "20"])];
    let mut task = Task {
        known: vec![swept(&values), Approach::of_source("other", "")],
        outcomes: vec![
            outcome(Some(1), 0.7, &[("kind", "min"), ("n", "10")]),
            outcome(Some(1), 0.8, &[("kind", "max"), ("n", "20")]),
        ],
        ..Task::default()
    };
    let proposals = grid::propose(&task).unwrap();
    assert_eq!(proposals.len(), 1);
    assert_eq!(proposals[0].parameters[0].values, ["max"]);
    assert_eq!(proposals[0].parameters[1].values, ["15", "20", "30"]);
    assert_eq!(
        proposals[0].description,
        "As heap, around kind = max, n = 20."
    );
    task.outcomes.clear();
    assert!(matches!(
        grid::propose(&task),
        Err(Error::NothingToPropose(_))
    ));
}

#[test]
fn the_best_goes_to_a_model_first_and_what_it_writes_is_proposed() {
    let mut task = Task {
        known: vec![
            Approach::of_source("slow", "fn slow() {}"),
            Approach::of_source("heap", "fn heap() {}"),
        ],
        outcomes: vec![
            outcome(Some(1), 0.9, &[]),
            Outcome {
                approach: "lost".to_owned(),
                failure: Some("trap: overflow".to_owned()),
                ..Outcome::default()
            },
        ],
        count: 3,
        ..Task::default()
    };
    bakeoff::answer_with(|prompt, _| {
        assert!(prompt.contains("`lost`, failed: trap: overflow"));
        match (
            prompt.contains("fn heap"),
            prompt.contains("This is question 2"),
        ) {
            (true, false) => Ok("Here:\n```rust\nfn better() {}\n```\n".to_owned()),
            (true, true) => Err(CompletionError::BudgetExhausted("spent".to_owned())),
            (false, _) => Err(CompletionError::Refused("no".to_owned())),
        }
    });
    let proposals = improve::propose(&task).unwrap();
    assert_eq!(proposals.len(), 1);
    assert_eq!(
        (proposals[0].name.as_str(), proposals[0].source()),
        ("heap improved", "fn better() {}\n")
    );
    bakeoff::answer_with(|_, _| Err(CompletionError::NoModel("name one".to_owned())));
    assert_eq!(
        improve::propose(&task),
        Err(Error::Other("name one".to_owned()))
    );
    task.known.clear();
    assert!(matches!(
        improve::propose(&task),
        Err(Error::NothingToPropose(_))
    ));
}

#[test]
fn the_template_swaps_what_it_knows() {
    let known = |text: &str| Task {
        known: vec![Approach::of_source("sort", text)],
        ..Task::default()
    };
    let proposals = template::propose(&known("v.sort_unstable();")).unwrap();
    assert_eq!(
        (proposals[0].name.as_str(), proposals[0].source()),
        ("sort stable", "v.sort();")
    );
    assert!(template::propose(&known("v.len()")).is_err());
}

/// The text of a proposal's file.
trait Source {
    fn source(&self) -> &str;
}

impl Source for Proposal {
    fn source(&self) -> &str {
        &self.files[0].text
    }
}

//! Has coding agents do a task in a git repository, and names the branch of the best one:
//!
//! ```text
//! cargo run --release --example agents -- . 'Make the parser faster' 'claude -p' 'cargo test' 'pure functions' vectorise
//! ```

use bakeoff::{Agents, Error};
use std::process::ExitCode;

fn main() -> ExitCode {
    // Children that keep agents and git behind their fences are this same program.
    if let Some(status) = bakeoff::enter_if_child() {
        return status;
    }
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [repository, task, agent, verify, ideas @ ..] = words.as_slice() else {
        eprintln!(
            "name a repository, a task, an agent, a command that verifies, and an idea for each variant"
        );
        return ExitCode::from(2);
    };
    match ask([repository, task, agent, verify], ideas) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn ask([repository, task, agent, verify]: [&String; 4], ideas: &[String]) -> Result<(), Error> {
    let mut agents = Agents::new(repository, task, agent).verify(verify);
    for (number, idea) in (1..).zip(ideas) {
        agents = agents.variant(format!("idea-{number}"), idea);
    }
    let report = agents.run()?;
    for result in report.results() {
        println!("{}: {:?}", result.variant(), result.outcome());
    }
    match report.best() {
        Some(branch) => println!("git merge {branch}"),
        None => println!("none is to be preferred: {}", report.reason()),
    }
    Ok(())
}

//! Glue between a proposer and its bindings.

use super::bindings::bakeoff::proposer::types as wit;
use super::bindings::exports::bakeoff::proposer::propose::Guest;
use super::proposing::{
    Approach, Error, Outcome, Parameter, Problem, Proposal, Proposer, Reading, SourceFile, Task,
};

fn file(file: wit::SourceFile) -> SourceFile {
    SourceFile {
        name: file.name,
        text: file.text,
    }
}

fn parameter(parameter: wit::Parameter) -> Parameter {
    Parameter {
        name: parameter.name,
        values: parameter.values,
    }
}

fn problem(problem: wit::Problem) -> Problem {
    Problem {
        statement: problem.statement,
        call: problem.call,
        signature: problem.signature,
        wit: problem.wit.into_iter().map(file).collect(),
        workload: problem.workload.map(file),
        cases: problem.cases,
    }
}

fn approach(approach: wit::Approach) -> Approach {
    Approach {
        name: approach.name,
        description: approach.description,
        files: approach.files.into_iter().map(file).collect(),
        parameters: approach.parameters.into_iter().map(parameter).collect(),
    }
}

fn outcome(outcome: wit::Outcome) -> Outcome {
    let readings = outcome.readings.into_iter().map(|reading| Reading {
        source: reading.source,
        value: reading.value,
        unit: reading.unit,
    });
    Outcome {
        approach: outcome.approach,
        parameters: outcome.parameters,
        failure: outcome.failure,
        rank: outcome.rank,
        total: outcome.total,
        readings: readings.collect(),
    }
}

fn proposal(proposal: Proposal) -> wit::Proposal {
    let parameters = proposal.parameters.into_iter().map(|one| wit::Parameter {
        name: one.name,
        values: one.values,
    });
    let files = proposal.files.into_iter().map(|one| wit::SourceFile {
        name: one.name,
        text: one.text,
    });
    wit::Proposal {
        name: proposal.name,
        description: proposal.description,
        parameters: parameters.collect(),
        files: files.collect(),
    }
}

impl<P: Proposer> Guest for P {
    fn propose(
        of: wit::Problem,
        known: Vec<wit::Approach>,
        outcomes: Vec<wit::Outcome>,
        count: u32,
    ) -> Result<Vec<wit::Proposal>, wit::Error> {
        let task = Task {
            problem: problem(of),
            known: known.into_iter().map(approach).collect(),
            outcomes: outcomes.into_iter().map(outcome).collect(),
            count,
        };
        match P::propose(&task) {
            Ok(proposals) => Ok(proposals.into_iter().map(proposal).collect()),
            Err(Error::NothingToPropose(why)) => Err(wit::Error::NothingToPropose(why)),
            Err(Error::Other(why)) => Err(wit::Error::Other(why)),
        }
    }
}

//! Workers on other machines, as a run on this one would find them now.

use super::finding::MachineFinding;
use crate::Unconfined;
use crate::elsewhere::RemoteWorkers;
use crate::options::KnownMachine;
use bakeoff_compile::Toolchain;
use bakeoff_domain::wording;
use bakeoff_workers::{
    MachineState, MachineStatus, RecheckShare, ServerAddress, ServerCredentials,
};
use serde::Serialize;

/// The kinds of tasks that a worker takes. All others stay on the machine of their run.
const TAKES: [&str; 3] = ["checks", "assessments", "evaluations"];

/// The kind of tasks that it takes besides if its toolchain is that of the run.
const BUILDS: &str = "builds";

/// The topic of the server, and that of each machine.
const SERVER_TOPIC: &str = "workers";
const MACHINE_TOPIC: &str = "worker";

/// The workers behind a server.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ServerFacts {
    /// The address of the server.
    pub server: String,
    /// The reason why nobody can be asked; `None` if the server answered.
    pub problem: Option<String>,
    /// The machines that are there.
    pub machines: Vec<RemoteMachineFacts>,
}

/// Another machine, as its worker announces it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RemoteMachineFacts {
    /// Name of the machine.
    pub name: String,
    /// Its processor.
    pub cpu: String,
    /// The number of its cores that take tasks.
    pub cores: u32,
    /// The version of its bakeoff.
    pub bakeoff: String,
    /// The fingerprint of its engine.
    pub engine: String,
    /// The level of its fence.
    pub fence: String,
    /// The fingerprint of its toolchain; empty if it has none.
    pub toolchain: String,
    /// The number of tasks that it did for anybody since it was started.
    pub tasks: u64,
    /// The kinds of tasks that it would take of a run on this machine.
    pub takes: Vec<&'static str>,
    /// The reason why it takes none, if it takes none.
    pub refused: Option<String>,
}

impl RemoteMachineFacts {
    fn of(status: MachineStatus, own_toolchain: &str) -> Self {
        let MachineStatus {
            machine,
            facts,
            state,
        } = status;
        let refused = match state {
            MachineState::Here => None,
            MachineState::Gone => Some("it left".to_owned()),
            MachineState::Unfit(reason) | MachineState::StruckOff(reason) => Some(reason),
        };
        let mut takes = match refused {
            None => TAKES.to_vec(),
            Some(_) => Vec::new(),
        };
        if refused.is_none() && facts.builds_for(own_toolchain) {
            takes.push(BUILDS);
        }
        Self {
            name: machine.to_string(),
            cpu: facts.cpu,
            cores: facts.cores,
            bakeoff: facts.bakeoff,
            engine: facts.engine,
            fence: facts.fence,
            toolchain: facts.toolchain,
            tasks: facts.tasks,
            takes,
            refused,
        }
    }
}

impl ServerFacts {
    /// Asks a server who is there. It takes two seconds, and makes the streams of the team there if they are missing.
    pub async fn ask(
        address: &ServerAddress,
        credentials: &ServerCredentials,
        unconfined: Unconfined,
    ) -> Self {
        let server = address.to_string();
        let toolchain = Toolchain::find_unchanged().await;
        let toolchain = toolchain.map_or_else(|_| String::new(), |found| found.fingerprint());
        let ask = async || {
            let confinement = KnownMachine::default().confinement(unconfined).await?;
            let recheck = RecheckShare::default();
            let known = (&confinement, toolchain.clone());
            RemoteWorkers::connect(address, credentials, recheck, known).await
        };
        match ask().await {
            Ok(workers) => Self::of(server, workers.machines(), &toolchain),
            Err(error) => Self {
                server,
                problem: Some(error.to_string()),
                machines: Vec::new(),
            },
        }
    }

    fn of(server: String, machines: Vec<MachineStatus>, own_toolchain: &str) -> Self {
        let machines = machines.into_iter();
        let machines = machines.map(|one| RemoteMachineFacts::of(one, own_toolchain));
        Self {
            server,
            problem: None,
            machines: machines.collect(),
        }
    }

    /// Returns the findings: one for the server, and one for each machine.
    pub(super) fn findings(&self) -> Vec<MachineFinding> {
        let mut all = vec![self.finding()];
        all.extend(self.machines.iter().map(machine));
        all
    }

    fn finding(&self) -> MachineFinding {
        let server = &self.server;
        if let Some(problem) = &self.problem {
            return MachineFinding::bad(SERVER_TOPIC, problem)
                .means("A run with --workers at this server would not begin.");
        }
        let fit = self.machines.iter().filter(|one| one.refused.is_none());
        let cores: u64 = fit.clone().map(|one| u64::from(one.cores)).sum();
        match fit.count() {
            0 => MachineFinding::limited(SERVER_TOPIC, format!("none at {server} that fits"))
                .means("A run with --workers does all here until one comes.")
                .next(format!(
                    "start one on another machine: bakeoff worker {server}"
                )),
            machines => {
                let machines = wording::counted(machines, "machine");
                let found = format!("{machines} with {cores} cores at {server}");
                MachineFinding::good(SERVER_TOPIC, found).means(
                    "A run with --workers has its checks, assessments and evaluations done there, and a search its builds. \
                     Programs, what races and all that is timed stay on this machine.",
                )
            }
        }
    }
}

fn machine(one: &RemoteMachineFacts) -> MachineFinding {
    let RemoteMachineFacts {
        name,
        cpu,
        cores,
        fence,
        tasks,
        ..
    } = one;
    let tasks = wording::counted(*tasks, "task");
    let facts = format!("{name}: {cores} cores of {cpu}, fence {fence}, {tasks} done");
    match &one.refused {
        None if one.takes.contains(&BUILDS) => MachineFinding::good(MACHINE_TOPIC, facts),
        None => MachineFinding::good(MACHINE_TOPIC, facts).means(match one.toolchain.as_str() {
            "" => "It builds no source: it has no Rust compiler.".to_owned(),
            toolchain => format!(
                "It builds no source: its toolchain is {toolchain}, which is not that of this machine."
            ),
        }),
        Some(reason) => MachineFinding::limited(MACHINE_TOPIC, facts)
            .means(format!("It takes no task of this machine: {reason}."))
            .next("start the same bakeoff there, on a processor of the same kind and with a fence"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::finding::FindingState;
    use super::*;
    use bakeoff_workers::{MachineName, WorkerFacts};

    fn status(name: &str, cores: u32, state: MachineState) -> MachineStatus {
        MachineStatus {
            machine: MachineName::like(name).unwrap(),
            facts: WorkerFacts {
                bakeoff: "1".to_owned(),
                engine: "e".to_owned(),
                fence: "standard".to_owned(),
                cpu: "a processor".to_owned(),
                cores,
                start: 1,
                tasks: 1,
                toolchain: "rustc-1".to_owned(),
            },
            state,
        }
    }

    #[test]
    fn each_machine_is_named_with_what_it_takes_or_why_it_takes_nothing() {
        let unfit = MachineState::Unfit("its engine is x, and that of the run is y".to_owned());
        let machines = vec![
            status("build-2", 8, MachineState::Here),
            status("old", 4, unfit),
        ];
        let address = || "nats://a:4222/t".to_owned();
        let without = ServerFacts::of(address(), machines.clone(), "rustc-2");
        assert_eq!(without.machines[0].takes, TAKES);
        let means = &without.findings()[1].means;
        assert!(means.contains("its toolchain is rustc-1"), "{means}");
        let facts = ServerFacts::of(address(), machines, "rustc-1");
        assert_eq!(facts.machines[0].takes, [&TAKES[..], &[BUILDS]].concat());
        assert!(facts.machines[1].takes.is_empty());
        let findings = facts.findings();
        let states: Vec<FindingState> = findings.iter().map(|one| one.state).collect();
        let expected = [
            FindingState::Good,
            FindingState::Good,
            FindingState::Limited,
        ];
        assert_eq!(states, expected);
        assert_eq!(
            findings[0].found,
            "1 machine with 8 cores at nats://a:4222/t"
        );
        assert_eq!(
            findings[1].found,
            "build-2: 8 cores of a processor, fence standard, 1 task done"
        );
        assert!(findings[2].means.contains("its engine is x"));
    }

    #[test]
    fn a_server_without_workers_and_one_that_is_not_there_say_what_to_do() {
        let none = ServerFacts::of("nats://a:4222/t".to_owned(), Vec::new(), "");
        let finding = &none.findings()[0];
        assert_eq!(finding.state, FindingState::Limited);
        let next = finding.next.as_ref().unwrap();
        assert!(next.contains("bakeoff worker nats://a:4222/t"), "{next}");
        let gone = ServerFacts {
            problem: Some("no server of workers answers at a".to_owned()),
            ..none
        };
        assert_eq!(gone.findings()[0].state, FindingState::Bad);
        assert!(gone.findings()[0].found.contains("no server"));
    }
}

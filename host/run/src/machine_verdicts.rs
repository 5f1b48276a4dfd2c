//! Races on machines of other kinds as a report has them: each is judged as if it were the only one of its run.

use super::evidence::{Evidence, KeptMachineRace, MachineOutcome, Record};
use bakeoff_domain::measurement::Replica;
use bakeoff_domain::report::{MachineRace, RacelessMachine, Report, with_machines};
use bakeoff_domain::spec::{RaceMachines, Source};

impl KeptMachineRace {
    /// Returns true if there is a race.
    pub(super) fn has_raced(&self) -> bool {
        matches!(self.outcome, MachineOutcome::Raced { .. })
    }

    /// Returns the number of replicas.
    pub(super) fn replicas(&self) -> &[Replica] {
        match &self.outcome {
            MachineOutcome::Raced { replicas, .. } => replicas,
            MachineOutcome::LeftOut(_) => &[],
        }
    }

    /// Returns a text for people about the end of the race.
    pub(super) fn news(&self) -> String {
        let Self { machine, cpu, .. } = self;
        match &self.outcome {
            MachineOutcome::Raced { replicas, .. } => {
                format!(
                    "raced on {cpu} (worker {machine}): {} replicas",
                    replicas.len()
                )
            }
            MachineOutcome::LeftOut(reason) => {
                format!("no race on {cpu} (worker {machine}): {reason}")
            }
        }
    }

    /// Returns the evidence of the same run as if the race of this machine were its only one, judged by time alone.
    fn evidence(&self, record: &Record) -> Option<Evidence> {
        let MachineOutcome::Raced { race, replicas } = &self.outcome else {
            return None;
        };
        let mut record = Record {
            race: Some((**race).clone()),
            machine_races: Vec::new(),
            build_rounds: Vec::new(),
            aggregations: Vec::new(),
            opinions: Vec::new(),
            judge: None,
            generation: None,
            rounds: None,
            ..record.clone()
        };
        record.experiment.measure.machines = RaceMachines::Here;
        let criteria = &mut record.experiment.criteria;
        criteria.retain(|criterion| criterion.source == Source::Time);
        record.environment.cpu.clone_from(&self.cpu);
        record.environment.engine.clone_from(&self.engine);
        Some(Evidence {
            record,
            replicas: replicas.clone(),
            natively: None,
        })
    }
}

/// Returns true if an outcome reads back as it was written: JSON has no number that is none.
pub(super) fn is_readable(outcome: &MachineOutcome) -> bool {
    let text = serde_json::to_string(outcome);
    text.is_ok_and(|text| serde_json::from_str::<MachineOutcome>(&text).is_ok())
}

/// Returns the report with what the races on other machines say, if the experiment asks for them. `conclude` makes a report
/// of the evidence of each.
///
/// # Errors
/// The evidence of a race contradicts itself.
pub(super) fn added_to(
    report: Report,
    record: &Record,
    conclude: impl Fn(&Evidence) -> Result<Report, String>,
) -> Result<Report, String> {
    if record.experiment.measure.machines != RaceMachines::Each {
        return Ok(report);
    }
    let (mut races, mut without) = (Vec::new(), Vec::new());
    for kept in &record.machine_races {
        match (&kept.outcome, kept.evidence(record)) {
            (MachineOutcome::LeftOut(reason), _) => without.push(RacelessMachine {
                machine: kept.machine.clone(),
                cpu: kept.cpu.clone(),
                reason: reason.clone(),
            }),
            (MachineOutcome::Raced { .. }, evidence) => {
                if let Some(evidence) = evidence {
                    let there = conclude(&evidence)?;
                    races.push(MachineRace::of(kept.machine.clone(), kept.cores, there));
                }
            }
        }
    }
    Ok(with_machines(report, races, without))
}

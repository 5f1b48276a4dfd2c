//! Answers of other machines that are worked out once more on the machine of the run, before one of the two counts.

use super::facts::MachineName;
use bakeoff_domain::queue::TaskKey;
use bakeoff_source::content_address;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// Share of the answers of other machines that are worked out once more here, from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RecheckShare(f64);

impl RecheckShare {
    /// Returns true for this share of all calls, at random. Nobody can tell beforehand for which: a machine that lies whenever
    /// it is not looked at would need to know.
    fn draws(self) -> bool {
        let mut random = [0; 8];
        // Without randomness, all are looked at.
        let drawn = getrandom::fill(&mut random).map(|()| u64::from_le_bytes(random) >> 11);
        let drawn = drawn.map_or(0.0, |drawn| drawn as f64 / (1_u64 << 53) as f64);
        drawn < self.0
    }
}

impl FromStr for RecheckShare {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let share = text.parse().unwrap_or(f64::NAN);
        Self::try_from(share)
    }
}

impl TryFrom<f64> for RecheckShare {
    type Error = String;

    fn try_from(share: f64) -> Result<Self, String> {
        if (0.0..=1.0).contains(&share) {
            Ok(Self(share))
        } else {
            Err("a share is a number from 0 to 1: 0.02 is one of 50".to_owned())
        }
    }
}

impl fmt::Display for RecheckShare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A machine that answered otherwise than the machine of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FalseAnswer {
    /// The machine.
    pub machine: MachineName,
    /// The task.
    pub task: TaskKey,
    /// The number of its answers that were taken without being worked out here.
    pub unconfirmed: u64,
}

/// An answer that does not count yet.
#[derive(Debug)]
struct HeldAnswer {
    machine: MachineName,
    digest: String,
}

/// The answers that are held back, and what was found out by them.
#[derive(Debug)]
pub(super) struct Rechecks {
    share: RecheckShare,
    held: BTreeMap<TaskKey, HeldAnswer>,
    /// Number of answers that were taken at once, by machine.
    taken: BTreeMap<MachineName, u64>,
    false_answers: Vec<(MachineName, TaskKey)>,
}

impl Rechecks {
    pub(super) fn new(share: RecheckShare) -> Self {
        Self {
            share,
            held: BTreeMap::new(),
            taken: BTreeMap::new(),
            false_answers: Vec::new(),
        }
    }

    /// Receives an answer of a machine. Returns true if it is held back.
    pub(super) fn receive(&mut self, machine: MachineName, task: &TaskKey, answer: &[u8]) -> bool {
        let mut found = self.false_answers.iter();
        let is_drawn = found.any(|(other, _)| *other == machine) || self.share.draws();
        if is_drawn {
            let digest = content_address(answer);
            self.held
                .insert(task.clone(), HeldAnswer { machine, digest });
        } else {
            *self.taken.entry(machine).or_default() += 1;
        }
        is_drawn
    }

    /// Compares the answer of this machine with the one that is held back, and returns the machine that gave another one.
    /// `None` is an answer that this machine may owe to itself, which shows nothing.
    pub(super) fn compare(&mut self, task: &TaskKey, own: Option<&[u8]>) -> Option<MachineName> {
        let HeldAnswer { machine, digest } = self.held.remove(task)?;
        if own.is_none_or(|own| content_address(own) == digest) {
            return None;
        }
        self.false_answers.push((machine.clone(), task.clone()));
        Some(machine)
    }

    /// Returns true if an answer to this task is held back.
    pub(super) fn holds(&self, task: &TaskKey) -> bool {
        self.held.contains_key(task)
    }

    /// Returns what was found out, with how much of each machine was taken all the same.
    pub(super) fn false_answers(&self) -> Vec<FalseAnswer> {
        let found = self.false_answers.iter();
        let found = found.map(|(machine, task)| FalseAnswer {
            machine: machine.clone(),
            task: task.clone(),
            unconfirmed: self.taken.get(machine).copied().unwrap_or(0),
        });
        found.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(text: &str) -> RecheckShare {
        text.parse().unwrap()
    }

    #[test]
    fn a_share_is_drawn_about_as_often_as_it_says() {
        let drawn = |text: &str| {
            let share = share(text);
            (0..4_000).filter(|_| share.draws()).count()
        };
        assert_eq!(drawn("0"), 0);
        assert_eq!(drawn("1"), 4_000);
        // 4,000 draws of a quarter: 1,000, with a standard deviation of 27.
        let quarter = drawn("0.25");
        assert!((780..1_220).contains(&quarter), "{quarter}");
        for wrong in ["", "2", "-0.1", "NaN", "2 %", "inf"] {
            assert!(wrong.parse::<RecheckShare>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn another_answer_is_found_out_and_the_same_or_none_is_not() {
        let machine = MachineName::like("a").unwrap();
        let task = TaskKey::new("check");
        for (own, is_found) in [
            (Some(&b"wrong"[..]), true),
            (Some(&b"right"[..]), false),
            (None, false),
        ] {
            let mut rechecks = Rechecks::new(share("1"));
            assert!(rechecks.receive(machine.clone(), &task, b"right"));
            assert!(rechecks.holds(&task));
            let found = rechecks.compare(&task, own);
            assert_eq!(found, is_found.then(|| machine.clone()));
            assert_eq!(rechecks.false_answers().len(), usize::from(is_found));
            assert_eq!(rechecks.compare(&task, Some(b"wrong")), None, "only once");
        }
        let mut late = Rechecks::new(share("0"));
        assert!(!late.receive(machine.clone(), &task, b"believed"));
        late.share = share("1");
        assert!(late.receive(machine.clone(), &task, b"a lie"));
        assert_eq!(late.compare(&task, Some(b"right")), Some(machine.clone()));
        assert_eq!(late.false_answers()[0].unconfirmed, 1);
        late.share = share("0");
        let is_held = late.receive(machine.clone(), &task, b"right");
        assert!(is_held, "nothing of a liar counts any more");
        let mut none = Rechecks::new(share("0"));
        assert!(!none.receive(machine, &task, b"right"));
        assert_eq!(none.compare(&task, Some(b"wrong")), None);
    }
}

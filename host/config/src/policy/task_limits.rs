//! Limits of a task that somebody else sent to this machine.

use super::Policy;
use crate::fields::options::{FUEL, MEMORY, OUTPUT, WALL};
use crate::section::At;
use crate::units::{show_bytes, show_duration};
use bakeoff_domain::spec::Limits;

impl Policy {
    /// Checks the limits of a task that somebody else sent: they must be such as an experiment file can say, and within
    /// this policy. Unlike an experiment's defaults they are never lowered, since the result would be another one.
    ///
    /// # Errors
    /// The limit that is too high, with the most that it may be.
    pub fn permit_task(&self, limits: &Limits) -> Result<(), String> {
        let bytes = |bytes: u64| show_bytes(bytes);
        let memory = most(self.memory_bytes.as_ref(), *MEMORY.kind.0.end());
        permitted("memory", limits.memory_bytes, memory, bytes)?;
        let fuel = most(self.fuel.as_ref(), FUEL.kind.0.end().unsigned_abs());
        permitted("fuel", limits.fuel, fuel, |fuel| fuel.to_string())?;
        let wall = most(self.wall.as_ref(), *WALL.kind.0.end());
        permitted("wall", limits.wall, wall, show_duration)?;
        let output = most(self.output_bytes.as_ref(), *OUTPUT.kind.0.end());
        permitted("output", limits.output_bytes, output, bytes)
    }
}

fn most<T: Copy + Ord>(of_policy: Option<&At<T>>, of_files: T) -> T {
    of_policy.map_or(of_files, |at| at.value.min(of_files))
}

fn permitted<T: Copy + Ord>(
    name: &str,
    wanted: T,
    most: T,
    show: impl Fn(T) -> String,
) -> Result<(), String> {
    if wanted <= most {
        return Ok(());
    }
    Err(format!(
        "it wants {name} = {}, and this machine's policy lets a task have {}",
        show(wanted),
        show(most)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_has_no_more_than_the_policy_or_a_file_lets_it() {
        let open = Policy::default();
        assert_eq!(open.permit_task(&Limits::default()), Ok(()));
        let huge = Limits {
            memory_bytes: u64::MAX,
            ..Limits::default()
        };
        let refused = open.permit_task(&huge).unwrap_err();
        assert!(refused.contains("memory"), "{refused}");
        let strict = Policy::parse("[limits]\nwall = \"2s\"\n", "policy.toml").unwrap();
        let refused = strict.permit_task(&Limits::default()).unwrap_err();
        assert!(
            refused.contains("wall") && refused.contains("2 s"),
            "{refused}"
        );
    }
}

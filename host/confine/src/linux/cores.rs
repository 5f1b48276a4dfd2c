//! Cores that threads may run on.

use rustix::thread::CpuSet;
use std::io;

/// Returns the numbers of the cores that this thread may run on, in ascending order; none if the system does not say.
pub fn usable_cores() -> Vec<usize> {
    let Ok(cores) = rustix::thread::sched_getaffinity(None) else {
        return Vec::new();
    };
    let all = 0..CpuSet::MAX_CPU;
    all.filter(|core| cores.is_set(*core)).collect()
}

/// Pins this thread, and those that it starts from now on, to one core.
///
/// # Errors
/// The machine has no such core, or this process may not use it.
pub fn pin(core: usize) -> io::Result<()> {
    if core >= CpuSet::MAX_CPU {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut cores = CpuSet::new();
    cores.set(core);
    Ok(rustix::thread::sched_setaffinity(None, &cores)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_pinned_to_a_core_and_no_other_thread_is() {
        let all = usable_cores();
        let last = *all.last().unwrap();
        let pinned = std::thread::spawn(move || {
            pin(last).unwrap();
            usable_cores()
        });
        assert_eq!(pinned.join().unwrap(), [last]);
        assert_eq!(usable_cores(), all);
        assert!(pin(CpuSet::MAX_CPU).is_err());
    }
}

//! Many runs over all cores.

use std::ops::AddAssign;

/// The sum over all seeds below `runs`, over all cores.
pub(crate) fn over_seeds<T>(runs: u64, one: impl Fn(u64) -> T + Sync) -> T
where
    T: AddAssign + Default + Send,
{
    let threads = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u64);
    std::thread::scope(|scope| {
        let one = &one;
        let share = |first: u64| {
            let mut sum = T::default();
            (first..runs)
                .step_by(threads as usize)
                .for_each(|seed| sum += one(seed));
            sum
        };
        let workers: Vec<_> = (0..threads)
            .map(|first| scope.spawn(move || share(first)))
            .collect();
        let mut total = T::default();
        for worker in workers {
            total += worker.join().expect("a run does not panic");
        }
        total
    })
}

/// Several counts at once, as runs add to them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tally<const N: usize>(pub(crate) [u64; N]);

impl<const N: usize> Default for Tally<N> {
    fn default() -> Self {
        Self([0; N])
    }
}

impl<const N: usize> AddAssign for Tally<N> {
    fn add_assign(&mut self, other: Self) {
        for (own, more) in self.0.iter_mut().zip(other.0) {
            *own += more;
        }
    }
}

/// The number of runs for which `says` returns true.
pub(crate) fn count(runs: u64, says: impl Fn(u64) -> bool + Sync) -> u64 {
    over_seeds(runs, |seed| u64::from(says(seed)))
}

/// A share of the runs, in per cent.
pub(crate) fn per_cent(count: u64, runs: u64) -> f64 {
    100.0 * count as f64 / runs as f64
}

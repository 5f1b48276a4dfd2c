//! A pair of variants of known ratio, set by the environment: `PEER_SOURCE` is `spin` or `walk`,
//! `PEER_ROUNDS` the rounds of a call, `PEER_WORK` the work of both variants in per mille.

#[path = "../../../../components/spin/spin.rs"]
mod spin;
#[path = "../../../../components/walk/walk.rs"]
mod walk;

use std::hint::black_box;

/// One variant of the pair.
#[derive(Clone, Copy)]
pub struct Side {
    call: fn(u32, u64) -> u64,
    rounds: u32,
}

impl Side {
    /// Returns the first variant (0) or the second (1).
    ///
    /// # Panics
    /// A variable of the environment is missing or invalid.
    pub fn new(index: usize) -> Self {
        let read = |name: &str| std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set"));
        let number = |text: &str| -> u64 { text.trim().parse().expect("a number") };
        let work = read("PEER_WORK");
        let work = number(work.split(',').nth(index).expect("two numbers"));
        Self {
            call: match read("PEER_SOURCE").as_str() {
                "walk" => walk::spin,
                _ => spin::spin,
            },
            rounds: (number(&read("PEER_ROUNDS")) * work / 1000) as u32,
        }
    }

    /// Makes one call. Both variants run the same code.
    #[inline(never)]
    pub fn call(self) -> u64 {
        (black_box(self.call))(black_box(self.rounds), black_box(1))
    }
}

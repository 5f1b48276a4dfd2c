//! A generated load: on every core, threads and processes that come and go.
//!
//! They belong to a process of their own, so that no sum over children includes their time.

use std::hint::black_box;
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The longest burst or pause, in milliseconds.
const LONGEST_MS: u64 = 80;

/// The bytes that a burst walks over: more than a core's own caches hold.
const WALK_BYTES: usize = 8 << 20;

/// The option that makes this program run one burst and end: `--burst MILLISECONDS`.
const BURST: &str = "--burst";

/// The option that makes this program generate the load and nothing else: `--noise SEED`.
const NOISE: &str = "--noise";

/// Load on every core, until it is dropped.
pub(crate) struct Noise(Child);

impl Noise {
    /// Starts the load, which is the same each time for the same seed.
    ///
    /// # Errors
    /// The process cannot be started.
    pub(crate) fn begin(seed: u64) -> std::io::Result<Self> {
        let child = Command::new(std::env::current_exe()?)
            .args([NOISE, &seed.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        Ok(Self(child))
    }
}

impl Drop for Noise {
    fn drop(&mut self) {
        // It ends when its input does, also if this process is killed. If it has ended before,
        // there is nothing to wait for.
        drop(self.0.stdin.take());
        drop(self.0.wait());
    }
}

/// Returns true if this process was started as a burst or as the load, after running as such.
pub(crate) fn was_noise() -> bool {
    let number = |option: &str| -> Option<u64> {
        let mut arguments = std::env::args().skip_while(|argument| argument != option);
        arguments.nth(1)?.parse().ok()
    };
    if let Some(ms) = number(BURST) {
        burst(Duration::from_millis(ms));
        return true;
    }
    let Some(seed) = number(NOISE) else {
        return false;
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    for core in 0..cores as u64 {
        std::thread::spawn(move || disturb((seed << 8) | core));
    }
    // Until the input ends: what is read does not matter.
    let mut input = Vec::new();
    drop(std::io::stdin().read_to_end(&mut input));
    true
}

/// Runs pauses, bursts of this thread, and bursts of a process of their own, in random order,
/// without end.
fn disturb(mut state: u64) {
    loop {
        let random = split_mix(&mut state);
        let ms = 1 + (random >> 8) % LONGEST_MS;
        match random % 3 {
            0 => std::thread::sleep(Duration::from_millis(ms)),
            1 => burst(Duration::from_millis(ms)),
            _ => burst_elsewhere(ms),
        }
    }
}

/// Runs a burst: half of it arithmetic, half of it a walk through memory.
fn burst(length: Duration) {
    let start = Instant::now();
    let mut state = 1;
    while start.elapsed() < length / 2 {
        for _ in 0..1_000 {
            black_box(split_mix(&mut state));
        }
    }
    let mut bytes = vec![0_u8; WALK_BYTES];
    while start.elapsed() < length {
        for byte in bytes.iter_mut().step_by(64) {
            *byte = byte.wrapping_add(1);
        }
        black_box(&mut bytes);
    }
}

fn burst_elsewhere(ms: u64) {
    let started = std::env::current_exe().and_then(|program| {
        Command::new(program)
            .args([BURST, &ms.to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
    });
    if started.is_err() {
        burst(Duration::from_millis(ms));
    }
}

/// Returns the next number of SplitMix64 (Steele, Lea and Flood, 2014).
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

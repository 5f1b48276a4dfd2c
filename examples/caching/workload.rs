//! Traces of requests, and a replay that tells what hit.

use crate::bakeoff::Rng;
use std::collections::HashSet;

/// Nobody leaves.
const NONE: u32 = u32::MAX;
/// Keys, as a share of the requests: one in five.
const KEYS_SHARE: u32 = 5;
/// A scan passes over so many keys, as a share of the requests.
const SCAN_SHARE: u32 = 20;

pub fn generate(instance: String) -> (Vec<u32>, u32) {
    let mut parts = instance.split('-');
    let kind = parts.next().unwrap_or_default();
    let mut number = || parts.next().and_then(|part| part.parse::<u32>().ok()).expect("a number");
    let (requests, percent, seed) = (number(), number(), number());
    let keys = (requests / KEYS_SHARE).max(1);
    let capacity = (keys * percent / 100).max(1);
    let mut rng = Rng::new(u64::from(seed));
    let zipf = Zipf::new(keys);
    let mut trace = Vec::with_capacity(requests as usize);
    while trace.len() < requests as usize {
        // Every few requests, a scan touches keys once that nobody asks for again soon.
        if kind == "scan" && rng.below(u64::from(requests / 4).max(1)) == 0 {
            let start = keys + rng.below(u64::from(keys)) as u32;
            trace.extend(start..start + requests / SCAN_SHARE);
        } else {
            trace.push(zipf.draw(&mut rng));
        }
    }
    trace.truncate(requests as usize);
    (trace, capacity)
}

/// Zipf's law: the key of rank r is asked for in proportion to 1/r.
struct Zipf {
    cumulative: Vec<f64>,
    keys: Vec<u32>,
}

impl Zipf {
    fn new(count: u32) -> Self {
        let mut sum = 0.0;
        let cumulative = (1..=count).map(|rank| {
            sum += 1.0 / f64::from(rank);
            sum
        });
        let cumulative = cumulative.collect();
        // That a key is popular is not to be seen from its number.
        let mut keys: Vec<u32> = (0..count).collect();
        Rng::new(u64::from(count)).shuffle(&mut keys);
        Self { cumulative, keys }
    }

    fn draw(&self, rng: &mut Rng) -> u32 {
        let sum = self.cumulative.last().copied().unwrap_or(1.0);
        let at = rng.f64() * sum;
        let rank = self.cumulative.partition_point(|end| *end < at);
        self.keys[rank.min(self.keys.len() - 1)]
    }
}

/// The number of requests whose key was in the cache, or what is wrong with the answer.
fn replay(requests: &[u32], capacity: u32, answer: &[u32]) -> Result<u32, String> {
    if requests.len() != answer.len() {
        let (wanted, got) = (requests.len(), answer.len());
        return Err(format!("expected {wanted} answers, got {got}"));
    }
    let mut cached = HashSet::with_capacity(capacity as usize + 1);
    let mut hits = 0;
    for (index, (key, leaves)) in requests.iter().zip(answer).enumerate() {
        if !cached.insert(*key) {
            hits += 1;
        }
        if *leaves != NONE && !cached.remove(leaves) {
            return Err(format!("request {index}: key {leaves} leaves and is not in the cache"));
        }
        if cached.len() > capacity as usize {
            return Err(format!("request {index}: the cache has more than {capacity} keys"));
        }
    }
    Ok(hits)
}

pub fn check(requests: Vec<u32>, capacity: u32, answer: Vec<u32>) -> Result<(), String> {
    replay(&requests, capacity, &answer).map(|_| ())
}

pub fn assess(requests: Vec<u32>, capacity: u32, answer: Vec<u32>) -> Vec<(String, f64)> {
    let hits = replay(&requests, capacity, &answer).unwrap_or(0);
    let share = 100.0 * f64::from(hits) / (requests.len().max(1) as f64);
    vec![("hits".to_owned(), share)]
}

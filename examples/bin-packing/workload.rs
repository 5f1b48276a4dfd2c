//! Instances by name, KIND-COUNT-NUMBER: the same ones in every run.
//!
//! `uniform` are weights from 20 to 100 for bins of 150. `triplets` are made by cutting bins of 1,000
//! into three: a perfect packing has a third as many bins as weights.

use crate::bakeoff::Rng;

pub fn generate(instance: String) -> (u32, Vec<u32>) {
    let parts: Vec<&str> = instance.split('-').collect();
    let [kind, count, number] = parts[..] else {
        panic!("an instance is called KIND-COUNT-NUMBER");
    };
    let count: u64 = count.parse().expect("a count of weights");
    let number: u64 = number.parse().expect("a number");
    let mut rng = Rng::new(1_000_000 * number + count);
    match kind {
        "uniform" => {
            let weights = (0..count).map(|_| 20 + rng.below(81) as u32);
            (150, weights.collect())
        }
        "triplets" => {
            let bins = (0..count / 3).flat_map(|_| {
                let first = 380 + rng.below(120) as u32;
                let second = 250 + rng.below(u64::from((1_000 - first) / 2 - 250)) as u32;
                [first, second, 1_000 - first - second]
            });
            (1_000, bins.collect())
        }
        _ => panic!("the kinds are uniform and triplets"),
    }
}

pub fn check(capacity: u32, weights: Vec<u32>, answer: Vec<u32>) -> Result<(), String> {
    if answer.len() != weights.len() {
        return Err(format!("{} bins are given for {} weights", answer.len(), weights.len()));
    }
    let used = bins(&answer);
    if used > weights.len() {
        return Err(format!("there is a bin {}, and not so many weights", used - 1));
    }
    let mut filled = vec![0; used];
    for (weight, bin) in weights.iter().zip(&answer) {
        filled[*bin as usize] += weight;
    }
    match filled.iter().position(|sum| *sum > capacity) {
        Some(bin) => Err(format!("bin {bin} holds {} of {capacity}", filled[bin])),
        None => Ok(()),
    }
}

pub fn assess(_: u32, _: Vec<u32>, answer: Vec<u32>) -> Vec<(String, f64)> {
    vec![("bins".to_owned(), bins(&answer) as f64)]
}

fn bins(answer: &[u32]) -> usize {
    answer.iter().max().map_or(0, |last| *last as usize + 1)
}

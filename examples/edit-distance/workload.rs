//! A text of few letters and a copy of it with mistakes, or another text. The answer is checked by another way than those
//! that are likely to be tried: by how far one comes on each diagonal with so many changes.

use crate::bakeoff::Rng;

pub fn generate(size: u32, seed: u64) -> (Vec<u8>, Vec<u8>) {
    let mut rng = Rng::new(seed);
    let letters = 2 + rng.below(24);
    let letter = |rng: &mut Rng| b'a' + rng.below(letters) as u8;
    let a: Vec<u8> = (0..size).map(|_| letter(&mut rng)).collect();
    let mut b = Vec::new();
    match rng.below(16) {
        0 => b.extend((0..rng.below(4)).map(|_| letter(&mut rng))),
        1 => b.extend_from_slice(&a),
        2 | 3 => b.extend((0..size).map(|_| letter(&mut rng))),
        _ => {
            let mistakes = 1 + rng.below(40);
            for own in &a {
                match rng.below(100) {
                    chance if chance >= mistakes => b.push(*own),
                    chance if chance % 3 == 0 => {}
                    chance if chance % 3 == 1 => b.push(letter(&mut rng)),
                    _ => b.extend([letter(&mut rng), *own]),
                }
            }
        }
    }
    (a, b)
}

pub fn check(a: Vec<u8>, b: Vec<u8>, answer: u32) -> Result<(), String> {
    let expected = changes(&a, &b);
    match answer == expected {
        true => Ok(()),
        false => Err(format!("expected {expected}, got {answer}")),
    }
}

/// The least number of changes, by the furthest place in `a` on each diagonal.
fn changes(a: &[u8], b: &[u8]) -> u32 {
    let (n, m) = (a.len() as i64, b.len() as i64);
    let middle = m + 1;
    let mut furthest = vec![-1_i64; (n + m + 3) as usize];
    for count in 0.. {
        let before = furthest.clone();
        for diagonal in (-count).max(-m)..=count.min(n) {
            let at = (diagonal + middle) as usize;
            let reached = match count {
                0 => 0,
                _ => (before[at] + 1).max(before[at - 1] + 1).max(before[at + 1]),
            };
            let mut i = reached.min(n).min(m + diagonal);
            while i < n && i - diagonal < m && a[i as usize] == b[(i - diagonal) as usize] {
                i += 1;
            }
            furthest[at] = i;
            if diagonal == n - m && i == n {
                return count as u32;
            }
        }
    }
    unreachable!("all of one text can be replaced by the other")
}

//! Two kinds of text: an even size is natural, an odd size is adversarial.
//!
//! Natural text is made of words, the frequent ones short, and the pattern is a phrase of it.
//! Adversarial text is one letter over and over with another one here and there, and the pattern
//! has that one somewhere in its middle: whoever compares from either end gets far before he finds out.
//! Which letters these are, and how much stands on either side of the other one, is drawn each time.

use crate::bakeoff::Rng;

/// The most letters of a pattern on either side of the other one.
const ADVERSARIAL_SIDE: usize = 40;

pub fn generate(size: u32, seed: u64) -> (Vec<u8>, Vec<u8>) {
    let mut rng = Rng::new(seed);
    if size % 2 == 0 {
        natural(size as usize, &mut rng)
    } else {
        adversarial(size as usize, &mut rng)
    }
}

fn natural(size: usize, rng: &mut Rng) -> (Vec<u8>, Vec<u8>) {
    let words: Vec<Vec<u8>> = (0..2000).map(|rank| word(2 + rank / 250, rng)).collect();
    let mut text = Vec::with_capacity(size + 16);
    while text.len() < size {
        // The product of two draws prefers low ranks, as language does.
        let rank = rng.below(2000) * rng.below(2000) / 2000;
        text.extend_from_slice(&words[rank as usize]);
        text.push(b' ');
    }
    text.truncate(size);
    let length = size.min(24);
    let start = rng.below((size - length + 1) as u64) as usize;
    let pattern = text[start..start + length].to_vec();
    (text, pattern)
}

/// Consonants and vowels in turn, with the frequencies of neither, but some of each.
fn word(letters: usize, rng: &mut Rng) -> Vec<u8> {
    let draw = |letters: &[u8], rng: &mut Rng| letters[rng.below(letters.len() as u64) as usize];
    let mut vowel = rng.below(2) == 0;
    (0..letters)
        .map(|_| {
            vowel = !vowel;
            if vowel {
                draw(b"eeeeaaaiioou", rng)
            } else {
                draw(b"tttnnnsssrrrhhllddcmfpgwybvkxjqz", rng)
            }
        })
        .collect()
}

fn adversarial(size: usize, rng: &mut Rng) -> (Vec<u8>, Vec<u8>) {
    let usual = b'a' + rng.below(26) as u8;
    let other = b'a' + (usual - b'a' + 1 + rng.below(25) as u8) % 26;
    let mut text = vec![usual; size];
    let mut next = 0;
    loop {
        next += ADVERSARIAL_SIDE / 2 + rng.below(8 * ADVERSARIAL_SIDE as u64) as usize;
        match text.get_mut(next) {
            Some(letter) => *letter = other,
            None => break,
        }
    }
    let mut side = || ADVERSARIAL_SIDE - rng.below(ADVERSARIAL_SIDE as u64 / 2) as usize;
    let (before, after) = (side(), side());
    let mut pattern = vec![usual; before + 1 + after];
    pattern[before] = other;
    (text, pattern)
}

/// Compares with what an automaton finds: for each end of the text, the longest start of the
/// pattern that it has (Knuth, Morris and Pratt).
pub fn check(text: Vec<u8>, pattern: Vec<u8>, answer: Vec<u32>) -> Result<(), String> {
    let mut got = answer.into_iter();
    let mut matched = 0;
    let borders = borders(&pattern);
    for (i, &letter) in text.iter().enumerate() {
        while matched > 0 && (matched == pattern.len() || pattern[matched] != letter) {
            matched = borders[matched - 1];
        }
        if pattern.get(matched) == Some(&letter) {
            matched += 1;
        }
        if matched > 0 && matched == pattern.len() {
            let expected = (i + 1 - matched) as u32;
            match got.next() {
                Some(got) if got == expected => {}
                Some(got) => return Err(format!("expected {expected} next, got {got}")),
                None => return Err(format!("expected {expected} next, got no more")),
            }
        }
    }
    match got.next() {
        Some(got) => Err(format!("expected no more, got {got}")),
        None => Ok(()),
    }
}

/// For each start of the pattern: how long the longest shorter start is that also ends it.
fn borders(pattern: &[u8]) -> Vec<usize> {
    let mut borders = vec![0; pattern.len()];
    for i in 1..pattern.len() {
        let mut border = borders[i - 1];
        while border > 0 && pattern[border] != pattern[i] {
            border = borders[border - 1];
        }
        borders[i] = border + usize::from(pattern[border] == pattern[i]);
    }
    borders
}

//! Two kinds of text: an even size is natural, an odd size is adversarial.
//!
//! Natural text is made of words, the frequent ones short, and the pattern is a phrase of it.
//! Adversarial text is one letter over and over with another one here and there, and the pattern
//! has that one in its middle: whoever compares from either end gets far before he finds out.

use crate::bakeoff::Rng;

const ADVERSARIAL_HALF: usize = 32;

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
    let mut text = vec![b'a'; size];
    let mut next = 0;
    loop {
        next += ADVERSARIAL_HALF / 2 + rng.below(8 * ADVERSARIAL_HALF as u64) as usize;
        match text.get_mut(next) {
            Some(letter) => *letter = b'b',
            None => break,
        }
    }
    let mut pattern = vec![b'a'; 2 * ADVERSARIAL_HALF];
    pattern[ADVERSARIAL_HALF] = b'b';
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

//! Crochemore and Perrin's two-way search: linear time, constant memory.
//!
//! The pattern is cut in two so that a mismatch in the right part allows a shift by as much as was
//! compared, and one in the left part a shift by the pattern's period.

pub fn find_all(text: Vec<u8>, pattern: Vec<u8>) -> Vec<u32> {
    let mut found = Vec::new();
    let length = pattern.len();
    if length == 0 {
        return found;
    }
    let (cut, period) = critical_cut(&pattern);
    let periodic = pattern[..cut] == pattern[period..period + cut];
    let shift = if periodic {
        period
    } else {
        cut.max(length - cut) + 1
    };
    // How much of the pattern's start is known to match, after a shift by the period.
    let mut known = 0;
    let mut at = 0;
    while let Some(window) = text.get(at..at + length) {
        let mut right = cut.max(known);
        while right < length && pattern[right] == window[right] {
            right += 1;
        }
        if right < length {
            at += right - cut + 1;
            known = 0;
            continue;
        }
        let mut left = cut;
        while left > known && pattern[left - 1] == window[left - 1] {
            left -= 1;
        }
        let matches = left <= known;
        if matches {
            found.push(at as u32);
        }
        if periodic {
            at += period;
            known = length - period;
        } else {
            // A match proves less than a mismatch: only the period of the right part.
            at += if matches { 1 } else { shift };
        }
    }
    found
}

/// Where to cut, and the period of the right part: the later one of the greatest suffixes by both
/// orders of the alphabet.
fn critical_cut(pattern: &[u8]) -> (usize, usize) {
    let ascending = greatest_suffix(pattern, |a, b| a < b);
    let descending = greatest_suffix(pattern, |a, b| a > b);
    ascending.max(descending)
}

/// The start and the period of the suffix that no other one exceeds.
fn greatest_suffix(pattern: &[u8], less: fn(u8, u8) -> bool) -> (usize, usize) {
    let (mut suffix, mut candidate, mut equal, mut period) = (0, 1, 0, 1);
    while candidate + equal < pattern.len() {
        let (new, old) = (pattern[candidate + equal], pattern[suffix + equal]);
        if new == old {
            equal += 1;
            if equal == period {
                candidate += period;
                equal = 0;
            }
        } else if less(new, old) {
            candidate += equal + 1;
            equal = 0;
            period = candidate - suffix;
        } else {
            suffix = candidate;
            candidate += 1;
            equal = 0;
            period = 1;
        }
    }
    (suffix, period)
}

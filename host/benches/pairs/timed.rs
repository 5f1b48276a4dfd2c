//! Pairs of which one is known to be faster by a wide margin.

/// Two sources that do the same.
pub(crate) struct Timed {
    /// What they do, and by what they differ.
    pub(crate) name: &'static str,
    /// The source that is faster: by its growth, or by what it does not do.
    pub(crate) faster: &'static str,
    /// The source that is slower.
    pub(crate) slower: &'static str,
}

const fn timed(name: &'static str, faster: &'static str, slower: &'static str) -> Timed {
    Timed {
        name,
        faster,
        slower,
    }
}

/// All of them.
pub(crate) const TIMED: [Timed; 10] = [
    timed(
        "sorting: the library's, by insertion",
        "pub fn sorted(v: &[i64]) -> Vec<i64> { let mut v = v.to_vec(); v.sort_unstable(); v }",
        "pub fn sorted(v: &[i64]) -> Vec<i64> { let mut r: Vec<i64> = Vec::new(); for &x in v { let mut i = r.len(); r.push(x); while i > 0 && r[i - 1] > x { r[i] = r[i - 1]; i -= 1; } r[i] = x; } r }",
    ),
    timed(
        "parsing: digits, a String for each word",
        "pub fn total(s: &str) -> u64 { let (mut sum, mut n) = (0u64, 0u64); for b in s.bytes() { if b.is_ascii_digit() { n = n.wrapping_mul(10).wrapping_add(u64::from(b - b'0')); } else { sum = sum.wrapping_add(n); n = 0; } } sum.wrapping_add(n) }",
        "pub fn total(s: &str) -> u64 { let mut sum = 0u64; let mut word = String::new(); for c in s.chars().chain(Some(' ')) { if c.is_ascii_digit() { word = format!(\"{word}{c}\"); } else { sum = sum.wrapping_add(word.chars().fold(0u64, |n, c| n.wrapping_mul(10).wrapping_add(c as u64 - 48))); word = String::new(); } } sum }",
    ),
    timed(
        "hashing: a polynomial by Horner, by powers",
        "pub fn hash(v: &[u8]) -> u64 { v.iter().fold(0u64, |h, &b| h.wrapping_mul(31).wrapping_add(u64::from(b))) }",
        "pub fn hash(v: &[u8]) -> u64 { let n = v.len(); v.iter().enumerate().map(|(i, &b)| u64::from(b).wrapping_mul(31u64.wrapping_pow((n - 1 - i) as u32))).fold(0u64, u64::wrapping_add) }",
    ),
    timed(
        "strings: reversed in place, inserted in front",
        "pub fn reversed(s: &str) -> String { s.chars().rev().collect() }",
        "pub fn reversed(s: &str) -> String { let mut r = String::new(); for c in s.chars() { r.insert(0, c); } r }",
    ),
    timed(
        "records: totals by key, sorted or searched",
        "pub struct Sale { pub shop: u32, pub cents: u64 }\npub fn shops(v: &[Sale]) -> usize { let mut k: Vec<u32> = v.iter().map(|s| s.shop ^ (s.cents as u32)).collect(); k.sort_unstable(); k.dedup(); k.len() }",
        "pub struct Sale { pub shop: u32, pub cents: u64 }\npub fn shops(v: &[Sale]) -> usize { let mut k: Vec<u32> = Vec::new(); for s in v { let x = s.shop ^ (s.cents as u32); if !k.contains(&x) { k.push(x); } } k.len() }",
    ),
    timed(
        "maps: counted in a map, counted anew",
        "use std::collections::BTreeMap;\npub fn counts(v: &[u32]) -> BTreeMap<u32, u32> { let mut m = BTreeMap::new(); for &x in v { *m.entry(x).or_insert(0) += 1; } m }",
        "use std::collections::BTreeMap;\npub fn counts(v: &[u32]) -> BTreeMap<u32, u32> { v.iter().map(|x| (*x, v.iter().filter(|y| *y == x).count() as u32)).collect() }",
    ),
    timed(
        "options: the largest one, kept or sorted for",
        "pub fn most(v: &[Option<i32>]) -> Option<i32> { v.iter().flatten().copied().max() }",
        "pub fn most(v: &[Option<i32>]) -> Option<i32> { let mut k: Vec<i32> = v.iter().flatten().copied().collect(); k.sort(); k.pop() }",
    ),
    timed(
        "searching: two that add up, by a set or by pairs",
        "use std::collections::BTreeSet;\npub fn opposite(v: &[i32]) -> usize { let s: BTreeSet<i32> = v.iter().copied().collect(); v.iter().filter(|x| s.contains(&x.wrapping_neg())).count() }",
        "pub fn opposite(v: &[i32]) -> usize { v.iter().filter(|x| v.iter().any(|y| *y == x.wrapping_neg())).count() }",
    ),
    timed(
        "sums: of every prefix, running or anew",
        "pub fn prefixes(v: &[u64]) -> Vec<u64> { let mut s = 0u64; v.iter().map(|x| { s = s.wrapping_add(*x); s }).collect() }",
        "pub fn prefixes(v: &[u64]) -> Vec<u64> { (0..v.len()).map(|i| v[..=i].iter().fold(0u64, |a, b| a.wrapping_add(*b).rotate_left(1).rotate_right(1))).collect() }",
    ),
    timed(
        "text: a table of bytes, a map of characters",
        "pub fn vowels(s: &str) -> usize { s.bytes().filter(|b| matches!(b, b'a' | b'e' | b'i' | b'o' | b'u')).count() }",
        "pub fn vowels(s: &str) -> usize { s.chars().map(|c| c.to_string()).filter(|c| [\"a\", \"e\", \"i\", \"o\", \"u\"].contains(&c.as_str())).count() }",
    ),
];

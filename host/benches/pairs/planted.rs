//! Pairs of a right function and one that is wrong on few inputs.

/// A right function and a subtly wrong one, as two sources.
pub(crate) struct Planted {
    /// What is wrong.
    pub(crate) name: &'static str,
    /// The source that is right.
    pub(crate) right: &'static str,
    /// The source that differs on some inputs.
    pub(crate) wrong: &'static str,
}

const fn planted(name: &'static str, right: &'static str, wrong: &'static str) -> Planted {
    Planted { name, right, wrong }
}

/// All of them.
pub(crate) const PLANTED: [Planted; 20] = [
    planted(
        "off by one: the last window is not looked at",
        "pub fn peaks(v: &[i32]) -> usize { v.windows(2).filter(|w| w[0] < w[1]).count() }",
        "pub fn peaks(v: &[i32]) -> usize { (1..v.len().max(1) - usize::from(v.len() > 1)).filter(|&i| v[i - 1] < v[i]).count() }",
    ),
    planted(
        "wrong on empty: the maximum of nothing is 0",
        "pub fn largest(v: &[i64]) -> Option<i64> { v.iter().copied().max() }",
        "pub fn largest(v: &[i64]) -> Option<i64> { Some(v.iter().copied().max().unwrap_or(0)) }",
    ),
    planted(
        "duplicates: those that are not neighbours stay",
        "use std::collections::BTreeSet;\npub fn distinct(v: &[u32]) -> usize { v.iter().collect::<BTreeSet<_>>().len() }",
        "pub fn distinct(v: &[u32]) -> usize { let mut v = v.to_vec(); v.dedup(); v.len() }",
    ),
    planted(
        "negative: the remainder keeps the sign",
        "pub fn odd(v: &[i32]) -> usize { v.iter().filter(|&&x| x % 2 != 0).count() }",
        "pub fn odd(v: &[i32]) -> usize { v.iter().filter(|&&x| x % 2 == 1).count() }",
    ),
    planted(
        "overflow: the mean of two large numbers",
        "pub fn middle(a: u32, b: u32) -> u32 { ((u64::from(a) + u64::from(b)) / 2) as u32 }",
        "pub fn middle(a: u32, b: u32) -> u32 { a.wrapping_add(b) / 2 }",
    ),
    planted(
        "Unicode: bytes instead of characters",
        "pub fn length(s: &str) -> usize { s.chars().count() }",
        "pub fn length(s: &str) -> usize { s.len() }",
    ),
    planted(
        "NaN: the least of floats by <",
        "pub fn least(v: &[f64]) -> f64 { v.iter().copied().fold(f64::INFINITY, f64::min) }",
        "pub fn least(v: &[f64]) -> f64 { let mut m = f64::INFINITY; for &x in v { if !(m <= x) { m = x; } } m }",
    ),
    planted(
        "last element: the last run is not closed",
        "pub fn longest(v: &[u8]) -> usize { v.chunk_by(|a, b| a == b).map(<[u8]>::len).max().unwrap_or(0) }",
        "pub fn longest(v: &[u8]) -> usize { let (mut best, mut run) = (usize::from(!v.is_empty()), 1); for w in v.windows(2) { if w[0] == w[1] { run += 1; } else { best = best.max(run); run = 1; } } best }",
    ),
    planted(
        "rare length: a power of two",
        "pub fn sum(v: &[u32]) -> u32 { v.iter().fold(0, |a, &b| a.wrapping_add(b)) }",
        "pub fn sum(v: &[u32]) -> u32 { if v.len() == 16 { v[..15].iter().fold(0, |a, &b| a.wrapping_add(b)) } else { v.iter().fold(0, |a, &b| a.wrapping_add(b)) } }",
    ),
    planted(
        "rare length: the rest of blocks of four",
        "pub fn xor(v: &[u8]) -> u8 { v.iter().fold(0, |a, &b| a ^ b) }",
        "pub fn xor(v: &[u8]) -> u8 { let mut c = v.chunks_exact(4); let mut x = 0; for b in &mut c { x ^= b[0] ^ b[1] ^ b[2] ^ b[3]; } let r = c.remainder(); if r.len() < 3 { for b in r { x ^= b; } } else { x ^= r[0] ^ r[1]; } x }",
    ),
    planted(
        "overflow: the absolute value of the smallest",
        "pub fn size(x: i32) -> u32 { x.unsigned_abs() }",
        "pub fn size(x: i32) -> u32 { if x == i32::MIN { 0 } else { x.unsigned_abs() } }",
    ),
    planted(
        "stability: equal keys change places",
        "pub fn by_key(v: &[(u8, u32)]) -> Vec<(u8, u32)> { let mut v = v.to_vec(); v.sort_by_key(|p| p.0); v }",
        "pub fn by_key(v: &[(u8, u32)]) -> Vec<(u8, u32)> { let mut v = v.to_vec(); v.sort(); v }",
    ),
    planted(
        "ends of lines: \\r\\n",
        "pub fn lines(s: &str) -> Vec<String> { s.lines().map(str::to_owned).collect() }",
        "pub fn lines(s: &str) -> Vec<String> { let mut l: Vec<String> = s.split('\\n').map(str::to_owned).collect(); if l.last().is_some_and(String::is_empty) { l.pop(); } l }",
    ),
    planted(
        "white space: only the blank counts",
        "pub fn words(s: &str) -> usize { s.split_whitespace().count() }",
        "pub fn words(s: &str) -> usize { s.split(' ').filter(|w| !w.is_empty()).count() }",
    ),
    planted(
        "a constant of the source: < for ≤",
        "pub fn grade(x: u32) -> u8 { if x >= 86_400 { 2 } else if x > 3_617 { 1 } else { 0 } }",
        "pub fn grade(x: u32) -> u8 { if x > 86_400 { 2 } else if x > 3_617 { 1 } else { 0 } }",
    ),
    planted(
        "parsing: a sign in front",
        "pub fn number(s: &str) -> Option<i32> { s.parse().ok() }",
        "pub fn number(s: &str) -> Option<i32> { let (neg, d) = match s.strip_prefix('-') { Some(d) => (true, d), None => (false, s) }; if d.is_empty() || !d.bytes().all(|b| b.is_ascii_digit()) { return None; } let n: i64 = d.parse().ok()?; i32::try_from(if neg { -n } else { n }).ok() }",
    ),
    planted(
        "case: only letters of ASCII",
        "pub fn lower(s: &str) -> String { s.to_lowercase() }",
        "pub fn lower(s: &str) -> String { s.to_ascii_lowercase() }",
    ),
    planted(
        "options: a missing value counts as 0",
        "pub fn smallest(v: &[Option<i32>]) -> Option<i32> { v.iter().flatten().copied().min() }",
        "pub fn smallest(v: &[Option<i32>]) -> Option<i32> { v.iter().map(|x| x.unwrap_or(0)).min() }",
    ),
    planted(
        "two lists: the rest of the longer one",
        "pub fn merge(a: &[i32], b: &[i32]) -> Vec<i32> { let mut v = [a, b].concat(); v.sort(); v }",
        "pub fn merge(a: &[i32], b: &[i32]) -> Vec<i32> { let n = if a.len() > b.len() + 1 { a.len() - 1 } else { a.len() }; let mut v = [&a[..n], b].concat(); v.sort(); v }",
    ),
    planted(
        "maps: the first of two values stays",
        "use std::collections::BTreeMap;\npub fn last(v: &[(u16, u16)]) -> BTreeMap<u16, u16> { v.iter().copied().collect() }",
        "use std::collections::BTreeMap;\npub fn last(v: &[(u16, u16)]) -> BTreeMap<u16, u16> { let mut m = BTreeMap::new(); for &(k, x) in v { m.entry(k).or_insert(x); } m }",
    ),
];

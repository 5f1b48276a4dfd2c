//! Pairs of sources in C: functions of which one is wrong on few inputs, and functions of which one is known to be faster.

use super::figures::{Demand, Figures, Unit};
use super::{Failure, compare_files, is_found, is_right};
use std::fs;

/// Two functions in C of the same types.
struct Pair {
    /// The difference.
    name: &'static str,
    /// The parameters and the result in WIT.
    wit: &'static str,
    /// The head of the function in C.
    head: &'static str,
    /// The bodies: right and wrong, or faster and slower.
    bodies: [&'static str; 2],
}

const fn pair(
    name: &'static str,
    [wit, head]: [&'static str; 2],
    first: &'static str,
    second: &'static str,
) -> Pair {
    Pair {
        name,
        wit,
        head,
        bodies: [first, second],
    }
}

/// Types of functions, in WIT and in C.
const COUNT: [&str; 2] = [
    "(v: list<s32>) -> u32",
    "uint32_t f(prototype_list_s32_t *v)",
];
const FOUND: [&str; 2] = [
    "(v: list<s64>) -> option<s64>",
    "bool f(prototype_list_s64_t *v, int64_t *ret)",
];
const MIDDLE: [&str; 2] = [
    "(a: u32, b: u32) -> u32",
    "uint32_t f(uint32_t a, uint32_t b)",
];
const PRODUCT: [&str; 2] = ["(a: s32, b: s32) -> s64", "int64_t f(int32_t a, int32_t b)"];
const SIZE: [&str; 2] = ["(x: s32) -> u32", "uint32_t f(int32_t x)"];
const GRADE: [&str; 2] = ["(x: u32) -> u32", "uint32_t f(uint32_t x)"];
const WORDS: [&str; 2] = ["(s: string) -> u32", "uint32_t f(prototype_string_t *s)"];
const BYTES: [&str; 2] = ["(v: list<u8>) -> u64", "uint64_t f(prototype_list_u8_t *v)"];
const BELOW: [&str; 2] = [
    "(v: list<s32>, x: s32) -> u32",
    "uint32_t f(prototype_list_s32_t *v, int32_t x)",
];
const LEAST: [&str; 2] = ["(v: list<f64>) -> f64", "double f(prototype_list_f64_t *v)"];
const LIST: [&str; 2] = [
    "(v: list<s64>) -> list<s64>",
    "void f(prototype_list_s64_t *v, prototype_list_s64_t *ret)",
];
const SUMS: [&str; 2] = [
    "(v: list<u64>) -> list<u64>",
    "void f(prototype_list_u64_t *v, prototype_list_u64_t *ret)",
];
const TURNED: [&str; 2] = [
    "(v: list<u8>) -> list<u8>",
    "void f(prototype_list_u8_t *v, prototype_list_u8_t *ret)",
];

/// Pairs of which the second is wrong.
const PLANTED: [Pair; 12] = [
    pair(
        "off by one: the last pair is not looked at",
        COUNT,
        "uint32_t n = 0; for (size_t i = 1; i < v->len; i++) n += v->ptr[i - 1] < v->ptr[i]; return n;",
        "uint32_t n = 0; for (size_t i = 1; i + 1 < v->len; i++) n += v->ptr[i - 1] < v->ptr[i]; return n;",
    ),
    pair(
        "negative: the remainder keeps the sign",
        COUNT,
        "uint32_t n = 0; for (size_t i = 0; i < v->len; i++) n += v->ptr[i] % 2 != 0; return n;",
        "uint32_t n = 0; for (size_t i = 0; i < v->len; i++) n += v->ptr[i] % 2 == 1; return n;",
    ),
    pair(
        "an end that is too large: the maximum begins at 0",
        FOUND,
        "if (!v->len) return false; *ret = v->ptr[0]; for (size_t i = 1; i < v->len; i++) if (v->ptr[i] > *ret) *ret = v->ptr[i]; return true;",
        "*ret = 0; for (size_t i = 0; i < v->len; i++) if (v->ptr[i] > *ret) *ret = v->ptr[i]; return v->len > 0;",
    ),
    pair(
        "overflow: the mean of two large numbers",
        MIDDLE,
        "return ((uint64_t)a + b) / 2;",
        "return (a + b) / 2;",
    ),
    pair(
        "overflow: a product of 32 bits",
        PRODUCT,
        "return (int64_t)a * b;",
        "return (int32_t)((uint32_t)a * (uint32_t)b);",
    ),
    pair(
        "overflow: the absolute value of the smallest",
        SIZE,
        "return x < 0 ? 0u - (uint32_t)x : (uint32_t)x;",
        "return x == INT32_MIN ? 0 : x < 0 ? (uint32_t)-x : (uint32_t)x;",
    ),
    pair(
        "a constant of the source: > for >=",
        GRADE,
        "return x >= 86400 ? 2 : x > 3617 ? 1 : 0;",
        "return x > 86400 ? 2 : x > 3617 ? 1 : 0;",
    ),
    pair(
        "white space: only the blank counts",
        WORDS,
        "uint32_t n = 0; bool in = false; for (size_t i = 0; i < s->len; i++) { uint8_t c = s->ptr[i]; bool w = !(c == ' ' || (c >= 9 && c <= 13)); n += w && !in; in = w; } return n;",
        "uint32_t n = 0; bool in = false; for (size_t i = 0; i < s->len; i++) { uint8_t c = s->ptr[i]; bool w = c != ' '; n += w && !in; in = w; } return n;",
    ),
    pair(
        "signs: bytes as signed characters",
        BYTES,
        "uint64_t h = 7; for (size_t i = 0; i < v->len; i++) h = h * 31 + v->ptr[i]; return h;",
        "uint64_t h = 7; for (size_t i = 0; i < v->len; i++) h = h * 31 + (signed char)v->ptr[i]; return h;",
    ),
    pair(
        "rare length: the rest of blocks of four",
        BYTES,
        "uint64_t x = 0; for (size_t i = 0; i < v->len; i++) x ^= v->ptr[i]; return x;",
        "uint64_t x = 0; size_t i = 0; for (; i + 4 <= v->len; i += 4) x ^= v->ptr[i] ^ v->ptr[i + 1] ^ v->ptr[i + 2] ^ v->ptr[i + 3]; \
         if (v->len - i == 3) return x ^ v->ptr[i] ^ v->ptr[i + 1]; for (; i < v->len; i++) x ^= v->ptr[i]; return x;",
    ),
    pair(
        "equal values: <= for <",
        BELOW,
        "uint32_t n = 0; for (size_t i = 0; i < v->len; i++) n += v->ptr[i] < x; return n;",
        "uint32_t n = 0; for (size_t i = 0; i < v->len; i++) n += v->ptr[i] <= x; return n;",
    ),
    pair(
        "NaN: the least of floats by <",
        LEAST,
        "double m = INFINITY; for (size_t i = 0; i < v->len; i++) m = fmin(m, v->ptr[i]); return m;",
        "double m = INFINITY; for (size_t i = 0; i < v->len; i++) if (!(m <= v->ptr[i])) m = v->ptr[i]; return m;",
    ),
];

/// Pairs of which the first is faster, by its growth.
const TIMED: [Pair; 6] = [
    pair(
        "sorting: the library's, by insertion",
        LIST,
        "qsort(v->ptr, v->len, sizeof *v->ptr, order); *ret = *v;",
        "for (size_t i = 1; i < v->len; i++) { int64_t x = v->ptr[i]; size_t j = i; for (; j > 0 && v->ptr[j - 1] > x; j--) v->ptr[j] = v->ptr[j - 1]; v->ptr[j] = x; } *ret = *v;",
    ),
    pair(
        "hashing: a polynomial by Horner, by powers",
        BYTES,
        "uint64_t h = 0; for (size_t i = 0; i < v->len; i++) h = h * 31 + v->ptr[i]; prototype_list_u8_free(v); return h;",
        "uint64_t h = 0; for (size_t i = 0; i < v->len; i++) { uint64_t p = v->ptr[i]; for (size_t j = i + 1; j < v->len; j++) p = p * 31; h += p; } prototype_list_u8_free(v); return h;",
    ),
    pair(
        "sums: of every prefix, running or anew",
        SUMS,
        "uint64_t s = 0; for (size_t i = 0; i < v->len; i++) v->ptr[i] = s += v->ptr[i]; *ret = *v;",
        "for (size_t i = v->len; i-- > 0;) { uint64_t s = 0; for (size_t j = 0; j <= i; j++) s += v->ptr[j]; v->ptr[i] = s; } *ret = *v;",
    ),
    pair(
        "searching: those with an opposite, sorted or by pairs",
        FOUND,
        "int64_t n = 0; qsort(v->ptr, v->len, sizeof *v->ptr, order); for (size_t i = 0; i < v->len; i++) { int64_t x = (int64_t)(0 - (uint64_t)v->ptr[i]); n += bsearch(&x, v->ptr, v->len, sizeof x, order) != NULL; } *ret = n; prototype_list_s64_free(v); return true;",
        "int64_t n = 0; for (size_t i = 0; i < v->len; i++) { int64_t x = (int64_t)(0 - (uint64_t)v->ptr[i]); bool is = false; for (size_t j = 0; j < v->len; j++) is |= v->ptr[j] == x; n += is; } *ret = n; prototype_list_s64_free(v); return true;",
    ),
    pair(
        "bytes: turned round in place, inserted in front",
        TURNED,
        "for (size_t i = 0; i < v->len / 2; i++) { uint8_t b = v->ptr[i]; v->ptr[i] = v->ptr[v->len - 1 - i]; v->ptr[v->len - 1 - i] = b; } *ret = *v;",
        "for (size_t i = 1; i < v->len; i++) { uint8_t b = v->ptr[i]; memmove(v->ptr + 1, v->ptr, i); v->ptr[0] = b; } *ret = *v;",
    ),
    pair(
        "counting: distinct numbers, sorted or by pairs",
        FOUND,
        "int64_t n = 0; qsort(v->ptr, v->len, sizeof *v->ptr, order); for (size_t i = 0; i < v->len; i++) n += i == 0 || v->ptr[i] != v->ptr[i - 1]; *ret = n; prototype_list_s64_free(v); return true;",
        "int64_t n = 0; for (size_t i = 0; i < v->len; i++) { size_t j = 0; while (j < i && v->ptr[j] != v->ptr[i]) j++; n += j == i; } *ret = n; prototype_list_s64_free(v); return true;",
    ),
];

/// The beginning of each source.
const BEGINNING: &str = "#include \"prototype.h\"\n#include <math.h>\n#include <stdlib.h>\n#include <string.h>\n\
    static inline int order(const void *a, const void *b) {\n  \
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;\n  return (x > y) - (x < y);\n}\n";

/// Compares all pairs.
pub(super) fn compare_all(figures: &mut Figures) -> Result<(), Failure> {
    let (mut found, mut right, mut seconds) = (0.0, 0.0, 0.0);
    for pair in &PLANTED {
        let (said, _) = pair.compare([0, 1])?;
        found += f64::from(u8::from(is_found(pair.name, &said)));
    }
    for pair in &TIMED {
        let (said, took) = pair.compare([1, 0])?;
        right += f64::from(u8::from(is_right(pair.name, &said, took)));
        seconds += took;
    }
    let share = 100.0 * found / PLANTED.len() as f64;
    let what = "planted differences in C that are found";
    figures.row("", what, share, Unit::PerCent, Demand::AtLeast(100.0));
    let share = 100.0 * right / TIMED.len() as f64;
    let what = "pairs in C whose verdict is right";
    figures.row("", what, share, Unit::PerCent, Demand::AtLeast(100.0));
    let what = "the way to an answer, seconds: mean";
    let mean = seconds / TIMED.len() as f64;
    figures.row("", what, mean, Unit::One, Demand::None);
    Ok(())
}

impl Pair {
    /// Returns what a comparison of the bodies in this order says, and the seconds that it took.
    fn compare(&self, order: [usize; 2]) -> Result<(serde_json::Value, f64), Failure> {
        let folder = tempfile::tempdir()?;
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text);
        let wit = format!(
            "package bench:pairs;\nworld prototype {{ export f: func{}; }}\n",
            self.wit
        );
        write("pair.wit", &wit)?;
        let head = self.head.replace(" f(", " exports_prototype_f(");
        for (name, place) in ["a.c", "b.c"].into_iter().zip(order) {
            let body = self.bodies[place];
            write(name, &format!("{BEGINNING}{head} {{ {body} }}\n"))?;
        }
        let options = ["--wit", "pair.wit", "--call", "f"];
        compare_files(folder.path(), ["a.c", "b.c"], &options)
    }
}

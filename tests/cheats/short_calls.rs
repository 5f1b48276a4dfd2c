//! Calls far shorter than reading the CPU clock: a table that is filled in an earlier call is gone here
//! too, and one that lies in the component is what it is.

use super::experiment::{assert_wins, run, wins, written};

const WIT: &str = "package short:calls;
world prototype { export mixed: func(number: u64) -> u64; }
world workload { export generate: func(size: u32, seed: u64) -> u64; }
";

const WORKLOAD: &str = "pub fn generate(_size: u32, seed: u64) -> u64 {
    seed
}
";

const MIX: &str = "const fn mix(number: u64) -> u64 {
    let mut state = (number & 255) | 256;
    let mut round = 0;
    while round < 200 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        round += 1;
    }
    state
}
";

const HONEST: &str = "pub fn mixed(number: u64) -> u64 { mix(std::hint::black_box(number)) }\n";

/// All answers, as soon as one is asked for.
const IN_STATIC: &str = "use std::cell::Cell;
thread_local! { static TABLE: Cell<Option<[u64; 256]>> = const { Cell::new(None) }; }
pub fn mixed(number: u64) -> u64 {
    let table = TABLE.get().unwrap_or_else(|| {
        let table = std::array::from_fn(|number| mix(std::hint::black_box(number as u64)));
        TABLE.set(Some(table));
        table
    });
    table[(number & 255) as usize]
}
";

/// The answer of the last call, or that of a call to come.
const REMEMBERS: &str = "use std::cell::Cell;
thread_local! { static LAST: Cell<[(u64, u64); 2]> = const { Cell::new([(u64::MAX, 0); 2]) }; }
pub fn mixed(number: u64) -> u64 {
    for (known, answer) in LAST.get() {
        if known == number & 255 { return answer; }
    }
    let next = (number + 1) & 255;
    let both = [(number & 255, mix(std::hint::black_box(number))), (next, mix(std::hint::black_box(next)))];
    LAST.set(both);
    both[0].1
}
";

/// The same table, made by the compiler.
const IN_COMPONENT: &str = "const TABLE: [u64; 256] = {
    let mut table = [0; 256];
    let mut number = 0;
    while number < 256 {
        table[number] = mix(number as u64);
        number += 1;
    }
    table
};
pub fn mixed(number: u64) -> u64 { TABLE[(number & 255) as usize] }
";

const EXPERIMENT: &str = "name = \"short\"
problem = \"Mix a number.\"
interface = { wit = \"mixed.wit\", call = \"mixed\" }
workload = { source = \"workload.rs\", sizes = [1] }
";

#[test]
fn memory_of_earlier_calls_wins_nothing_in_short_calls_and_a_table_in_the_component_does() {
    let files = [("mixed.wit", WIT), ("workload.rs", WORKLOAD)];
    let prototypes = [
        ("honest", HONEST),
        ("in-static", IN_STATIC),
        ("remembers", REMEMBERS),
        ("in-component", IN_COMPONENT),
    ];
    let prototypes = prototypes.map(|(name, own)| written(name, &format!("{own}{MIX}")));
    let (_, report) = run(EXPERIMENT, &files, &prototypes, &["--budget", "20s"]);
    assert!(report["too_short"].is_null(), "{}", report["too_short"]);
    assert_wins(&report, "in-component", "honest");
    for cheat in ["in-static", "remembers"] {
        let won = wins(&report, cheat, "honest");
        assert!(won.is_empty(), "{cheat}: {won:#?}");
    }
}

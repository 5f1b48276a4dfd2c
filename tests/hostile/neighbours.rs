//! Ten thousand trials of a good component beside each attack on a running machine, the two in one
//! process and one engine, as variants of a replica are: every answer right, and memory flat.

use super::batch::{WIT, approach};
use super::components::{Answerer, built, crowded, growing_table, looping};
use crate::wasi::{components, floods};
use bakeoff_compile::engine::{self, Profile};
use bakeoff_domain::spec::Limits;
use bakeoff_sandbox::invoke::Value;
use bakeoff_sandbox::{Imports, Instance, PreparedComponent, Sandbox};
use bakeoff_source::{Folders, GrantedFolder, read_granted};
use std::fs;
use std::process::Command;
use std::sync::Arc;

/// Trials of the good component beside one attack.
const TRIALS: u64 = 10_000;

/// Trials beside one attack in the suite.
const TRIALS_IN_SUITE: u64 = 40;

/// The variable that says how many trials another process makes.
const TRIALS_VARIABLE: &str = "BAKEOFF_TEST_TRIALS";

/// An attack comes after so many trials, again and again.
const ATTACK_EVERY: u64 = 20;

/// Memory may differ by this much between the middle and the end, in bytes: an allocator's pools.
const FLAT_BYTES: u64 = 16 << 20;

const SOURCES: [&str; 8] = [
    "looping",
    "grows_to_the_limit",
    "grows_and_goes_on",
    "infinite_recursion",
    "huge_list_return",
    "list_that_is_not_there",
    "panics_in_colour",
    "leaves_marks",
];

/// What is to be called of an attack, and what it may import.
#[derive(Clone, Copy)]
enum World {
    /// The problem's own function, and nothing.
    Plain,
    /// A function of a number, and WASI with a granted folder.
    Wasi,
}

/// Every attack by name, as a component.
fn attacks(good: &[u8]) -> Vec<(&'static str, World, Vec<u8>)> {
    let mut attacks = plain_attacks(good);
    attacks.extend(wasi_attacks());
    attacks
}

/// Attacks that import WASI: on outputs, clocks, randomness, files and the host's tables.
fn wasi_attacks() -> Vec<(&'static str, World, Vec<u8>)> {
    let writes = |bytes| components::writes(bytes, u64::MAX, "", "(i64.const 0)");
    [
        ("output flood", writes(4096)),
        ("empty writes", writes(0)),
        ("clock flood", components::clocks(u64::MAX)),
        ("sleep for ever", components::sleeps(u64::MAX)),
        ("naps", floods::naps()),
        ("random bytes at once", components::random_bytes(50 << 20)),
        ("random flood", floods::draws()),
        ("hoarded pollables", components::hoards(u32::MAX)),
        ("own resources", floods::makes_resources()),
        ("endless reads", floods::reads_again()),
        ("opened files", floods::opens()),
        ("folders listed", floods::lists()),
        ("kept lists", floods::keeps_lists()),
        ("exit", components::exits()),
    ]
    .map(|(name, component)| (name, World::Wasi, component))
    .into()
}

fn plain_attacks(good: &[u8]) -> Vec<(&'static str, World, Vec<u8>)> {
    let mut attacks: Vec<_> = SOURCES
        .iter()
        .map(|name| (*name, built(&approach(name), WIT, "top-k")))
        .collect();
    let looping_start = Answerer {
        start: Some(looping),
        ..Answerer::default()
    };
    let growing_table = Answerer {
        call: Some(growing_table),
        table: Some(1),
        ..Answerer::default()
    };
    attacks.push(("looping start", looping_start.component()));
    attacks.push(("many memories", crowded(good, 20, 8, 1)));
    attacks.push(("many instances", crowded(good, 600, 0, 0)));
    attacks.push(("growing table", growing_table.component()));
    let plain = |(name, component)| (name, World::Plain, component);
    attacks.into_iter().map(plain).collect()
}

/// A folder with the file `inner/b`.
fn granted() -> Folders {
    let home = tempfile::tempdir().unwrap();
    fs::create_dir_all(home.path().join("data/inner")).unwrap();
    fs::write(home.path().join("data/inner/b"), [1, 2, 4]).unwrap();
    let folders = read_granted(&[GrantedFolder {
        at: "/data".into(),
        home: home.path().to_owned(),
        folder: "data".into(),
        shown: "data".into(),
    }]);
    folders.unwrap()
}

/// A million calls of the host take a second, so what floods it has less fuel.
fn limits(world: World) -> Limits {
    Limits {
        memory_bytes: 64 << 20,
        fuel: match world {
            World::Plain => 20_000_000,
            World::Wasi => 1_000_000,
        },
        output_bytes: 64 << 10,
        ..Limits::default()
    }
}

fn prepared(sandbox: &Sandbox, component: &[u8], imports: Imports) -> PreparedComponent {
    let code = engine::precompile(Profile::Checked, component).unwrap();
    // SAFETY: the line above compiled it, for an engine of the same profile.
    unsafe { sandbox.prepare(&code, imports) }.unwrap()
}

/// The numbers of a trial, which no other trial has, and the five largest of them.
fn trial(number: u64) -> (Arc<[Value]>, Vec<i64>) {
    let mix = |at: u64| (number << 16 | at).wrapping_mul(0x9e37_79b9_7f4a_7c15) as i64 >> 20;
    let values: Vec<i64> = (0..500).map(mix).collect();
    let mut largest = values.clone();
    largest.sort_unstable_by(|a, b| b.cmp(a));
    largest.truncate(5);
    ([Value::S64List(values), Value::U32(5)].into(), largest)
}

fn call(instance: &mut Instance, arguments: &Arc<[Value]>) -> Result<Option<Value>, ()> {
    let callee = instance.callee(&["top-k".to_owned()]).unwrap();
    let answered = instance.call(&callee, arguments).map_err(drop)?;
    Ok(answered.value)
}

/// One call of an attack; whether it was ended.
fn is_ended(attack: &PreparedComponent, world: World, of_trial: &Arc<[Value]>) -> bool {
    let Ok(mut instance) = attack.instantiate() else {
        return true;
    };
    match world {
        World::Plain => call(&mut instance, of_trial).is_err(),
        World::Wasi => {
            let callee = instance.callee(&["solve".to_owned()]).unwrap();
            instance.call(&callee, &[Value::U32(7)].into()).is_err()
        }
    }
}

/// Memory that this process has resident, in bytes.
fn resident_bytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.unwrap().trim().trim_end_matches(" kB");
    kib.parse::<u64>().unwrap() << 10
}

/// Run it alone: memory is that of the whole process.
#[test]
#[ignore = "takes minutes: one of the campaigns in CONTRIBUTING"]
fn ten_thousand_trials_beside_each_attack() {
    let asked = std::env::var(TRIALS_VARIABLE).ok();
    let trials = asked.map_or(TRIALS, |count| count.parse().unwrap());
    let good = built(&approach("good"), WIT, "top-k");
    let folders = Arc::new(granted());
    for (name, world, component) in attacks(&good) {
        let imports = match world {
            World::Plain => Imports::None,
            World::Wasi => Imports::Wasi(Arc::clone(&folders)),
        };
        let sandbox = Sandbox::new(Profile::Checked, limits(world)).unwrap();
        let well_behaved = prepared(&sandbox, &good, Imports::None);
        let attack = prepared(&sandbox, &component, imports);
        let mut kept = well_behaved.instantiate().unwrap();
        let (mut right, mut held_off, mut midway) = (0, 0, 0);
        for number in 0..trials {
            let (arguments, largest) = trial(number);
            if number % ATTACK_EVERY == 0 {
                held_off += u64::from(is_ended(&attack, world, &arguments));
            }
            // By turns in an instance that stays, and in a new one.
            let mut fresh = (number % 2 == 1).then(|| well_behaved.instantiate().unwrap());
            let answer = call(fresh.as_mut().unwrap_or(&mut kept), &arguments);
            right +=
                u64::from(matches!(answer, Ok(Some(Value::S64List(found))) if found == largest));
            if number == trials / 2 {
                midway = resident_bytes();
            }
        }
        let end = resident_bytes();
        println!(
            "{name}: {right} of {trials} right, {held_off} attacks ended, {} MiB midway, {} MiB at the end",
            midway >> 20,
            end >> 20
        );
        assert_eq!(right, trials, "{name}");
        let harmless = ["grows_and_goes_on", "leaves_marks"].contains(&name);
        let expected = if harmless { 0 } else { trials / ATTACK_EVERY };
        assert_eq!(held_off, expected, "{name}");
        assert!(
            end.abs_diff(midway) < FLAT_BYTES,
            "{name}: {midway} bytes, then {end}"
        );
    }
}

/// The same with fewer trials, in a process of its own.
#[test]
fn trials_beside_each_attack_are_right_and_memory_is_flat() {
    let output = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "hostile::neighbours::ten_thousand_trials_beside_each_attack",
        ])
        .args(["--ignored", "--nocapture"])
        .env(TRIALS_VARIABLE, TRIALS_IN_SUITE.to_string())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{said}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let right = format!("{TRIALS_IN_SUITE} of {TRIALS_IN_SUITE} right");
    assert_eq!(said.matches(&right).count(), 26, "{said}");
}

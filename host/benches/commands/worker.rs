//! The program that the bench `commands` compiles and has compared with itself: it does as much of one thing as its
//! arguments say.
//!
//! ```text
//! worker loop 1000 2000     rounds of arithmetic, all numbers together; words that are no numbers do nothing
//! worker part 1000 20       rounds, and milliseconds of sleep
//! worker children 1000      four processes with so many rounds each, at the same time
//! worker read FILE          a file, twice, piece by piece
//! worker memory 64          a byte in each page of so many MiB
//! worker lines 1000         lines on stdout, with some rounds before each
//! worker metric 100         a line METRIC with a number that lies around this one
//! worker burn               a core, on and off, until stdin ends
//! worker reads FILE         a file again and again, on and off, until stdin ends
//! ```

use std::fs::File;
use std::hint::black_box;
use std::io::{BufWriter, Read, Write};
use std::process::{Command, Stdio, exit};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The bytes that are read at a time.
const PIECE_BYTES: usize = 64 << 10;
/// The processes that `children` starts.
const CHILDREN: usize = 4;
/// The rounds before each line.
const ROUNDS_OF_LINE: u64 = 500;
/// The longest time for which a neighbour works, and for which it pauses.
const SPELL_MS: u64 = 300;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let numbers: Vec<u64> = words.iter().filter_map(|word| word.parse().ok()).collect();
    let first = numbers.first().copied().unwrap_or(0);
    let file = words.get(1).map_or("", String::as_str);
    match words.first().map_or("", String::as_str) {
        "loop" => work(numbers.iter().sum()),
        "part" => {
            work(first);
            thread::sleep(Duration::from_millis(numbers.get(1).copied().unwrap_or(0)));
        }
        "children" => children(first),
        "read" => {
            read(file);
            read(file);
        }
        "memory" => {
            let mut bytes = vec![0_u8; (first as usize) << 20];
            bytes.iter_mut().step_by(4096).for_each(|byte| *byte = 1);
            black_box(&bytes);
        }
        "lines" => lines(first),
        "metric" => {
            let share = (draw() >> 11) as f64 / (1_u64 << 53) as f64;
            println!("METRIC loss={}", first as f64 * (0.8 + 0.4 * share));
        }
        "burn" => neighbour(|| work(100_000)),
        "reads" => neighbour(|| read(file)),
        _ => exit(2),
    }
}

/// Does rounds that no compiler can leave out and no processor can do side by side.
fn work(rounds: u64) {
    let mut state = black_box(1_u64);
    for _ in 0..rounds {
        state = mix(state);
    }
    black_box(state);
}

/// Returns the next number of a chain, by two steps of SplitMix64 (Steele, Lea and Flood, 2014).
fn mix(state: u64) -> u64 {
    let z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z ^ (z >> 27)
}

fn children(rounds: u64) {
    let program = std::env::current_exe().expect("a path");
    let started = (0..CHILDREN).map(|_| {
        Command::new(&program)
            .args(["loop", &rounds.to_string()])
            .stdin(Stdio::null())
            .spawn()
            .expect("a child")
    });
    for mut child in started.collect::<Vec<_>>() {
        if !child.wait().expect("a status").success() {
            exit(1);
        }
    }
}

fn read(file: &str) {
    let mut file = File::open(file).expect("a file");
    let mut piece = vec![0_u8; PIECE_BYTES];
    loop {
        match file.read(&mut piece).expect("bytes") {
            0 => break,
            count => black_box(&piece[..count]),
        };
    }
}

fn lines(count: u64) {
    let mut out = BufWriter::new(std::io::stdout().lock());
    for line in 0..count {
        work(ROUNDS_OF_LINE);
        writeln!(out, "line {line:>10} of what somebody wanted to know").expect("stdout");
    }
    out.flush().expect("stdout");
}

/// Returns a number that nobody knew before.
fn draw() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let nanoseconds = since.map_or(0, |since| since.as_nanos() as u64);
    (0..4).fold(nanoseconds ^ u64::from(std::process::id()), |state, _| {
        mix(state)
    })
}

/// Does something on and off, for drawn times, until stdin ends.
fn neighbour(something: impl Fn()) {
    thread::spawn(|| {
        let mut rest = Vec::new();
        drop(std::io::stdin().read_to_end(&mut rest));
        exit(0);
    });
    loop {
        let (start, spell) = (Instant::now(), Duration::from_millis(draw() % SPELL_MS));
        while start.elapsed() < spell {
            something();
        }
        thread::sleep(Duration::from_millis(draw() % SPELL_MS));
    }
}

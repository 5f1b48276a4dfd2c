//! E20: what ten pages of `bakeoff serve` that follow a run take from it: runs of two identical variants, which end
//! with their budget, in turns with and without a server and ten viewers. A viewer is a connection that reads all
//! that its page is sent; what a browser does with that is its own.

use super::figures::{Demand, Figures, Unit};
use super::runs;
use super::spin::{Failure, Listed, Ran, Setup, Source, Spin};
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The number of viewers.
const VIEWERS: usize = 10;
/// The demand on what the calls of a run take, with viewers over without.
const CALL_MAX: f64 = 1.02;
/// The demand on the CPU time of samples that a budget has room for, with viewers over without.
const TIMED_MIN: f64 = 0.9;
/// The time after which a server or a run that does not begin is given up.
const PATIENCE: Duration = Duration::from_secs(60);

/// Runs the same race by turns with and without viewers.
pub(crate) fn viewers(figures: &mut Figures) -> Result<(), Failure> {
    let pairs = runs(16, 3);
    let spin = Spin::new(&Setup {
        source: Source::Spin,
        work: &[1000, 1000],
        rounds: &[100_000],
        listed: Listed::AsNumbered,
        measure: "budget = \"10 s\"\npractical = 0.0001\nprecision = 0.0001",
    })?;
    // Fills the cache.
    spin.run(pairs + 1)?;
    let (mut call, mut timed, mut events) = (Vec::new(), Vec::new(), 0);
    for seed in 1..=pairs {
        let alone_first = seed % 2 == 0;
        let alone = alone_first
            .then(|| measured(&spin.run(seed)?))
            .transpose()?;
        let (watched, seen) = watched(&spin, seed)?;
        let alone = match alone {
            Some(alone) => alone,
            None => measured(&spin.run(seed)?)?,
        };
        call.push(watched.call_ns / alone.call_ns);
        timed.push(watched.timed_s / alone.timed_s);
        events += seen;
    }
    let what = format!("{VIEWERS} viewers: time of a call, with ÷ without");
    row(figures, &what, call, Demand::AtMost(CALL_MAX));
    let what = format!("{VIEWERS} viewers: time in samples, with ÷ without");
    row(figures, &what, timed, Demand::AtLeast(TIMED_MIN));
    let each = events as f64 / (pairs as f64 * VIEWERS as f64);
    let what = "  events that a viewer was sent, of a run";
    figures.row("", what, each, Unit::One, Demand::None);
    Ok(())
}

/// The samples of a run.
struct Measured {
    /// CPU time of a call on average, in nanoseconds.
    call_ns: f64,
    /// CPU time of all samples, in seconds.
    timed_s: f64,
}

fn measured(ran: &Ran) -> Result<Measured, Failure> {
    let output = Command::new(env!("CARGO_BIN_EXE_bakeoff"))
        .args(["export", "--table", "samples", "--format", "jsonl"])
        .arg(ran.results.path())
        .output()?;
    let (mut calls, mut timed_ns) = (0.0, 0.0);
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let sample: Value = serde_json::from_str(line)?;
        let number = |name: &str| sample[name].as_f64().ok_or("a sample lacks a number");
        calls += number("calls")?;
        timed_ns += number("cpu_ns")?;
    }
    Ok(Measured {
        call_ns: timed_ns / calls,
        timed_s: timed_ns / 1e9,
    })
}

/// Runs the race while a server and its viewers look at it, and returns the number of events that these were sent.
fn watched(spin: &Spin, seed: u64) -> Result<(Measured, usize), Failure> {
    let results = tempfile::tempdir()?;
    let mut server = Server::start(results.path())?;
    let mut run = spin
        .command(seed, results.path())
        .stdout(Stdio::null())
        .spawn()?;
    let viewers = server.viewers();
    let status = run.wait()?;
    let viewers = viewers?;
    server.end()?;
    let mut events = 0;
    for viewer in viewers {
        let seen = viewer.join().map_err(|_| "a viewer broke")?;
        if seen == 0 {
            return Err("a viewer was sent no event".into());
        }
        events += seen;
    }
    if !matches!(status.code(), Some(0 | 1)) {
        return Err(format!("bakeoff run: {status}").into());
    }
    let ran = Ran {
        report: Value::Null,
        cpu_s: 0.0,
        results,
    };
    Ok((measured(&ran)?, events))
}

/// A server of a folder of results.
struct Server {
    child: Child,
    host: String,
    path: String,
    cookie: String,
}

impl Server {
    fn start(results: &Path) -> Result<Self, Failure> {
        let mut child = Command::new(env!("CARGO_BIN_EXE_bakeoff"))
            .arg("serve")
            .arg(results)
            .stdout(Stdio::piped())
            .spawn()?;
        let output = child.stdout.take().ok_or("no output")?;
        let mut address = String::new();
        BufReader::new(output).read_line(&mut address)?;
        let address = address.trim().strip_prefix("http://");
        let (host, entry) = address
            .and_then(|address| address.split_once('/'))
            .ok_or("no address")?;
        let mut server = Self {
            child,
            host: host.to_owned(),
            path: format!("/{entry}"),
            cookie: String::new(),
        };
        let mut entered = String::new();
        server.get("")?.read_to_string(&mut entered)?;
        let header = |name: &str| {
            let found = entered.lines().find_map(|line| {
                let (key, value) = line.split_once(": ")?;
                key.eq_ignore_ascii_case(name).then(|| value.to_owned())
            });
            found.ok_or_else(|| format!("no {name}: {entered}"))
        };
        let cookie = header("set-cookie")?;
        server.cookie = cookie.split(';').next().unwrap_or_default().to_owned();
        server.path = header("location")?;
        Ok(server)
    }

    /// Asks for a page below the first one.
    fn get(&self, below: &str) -> Result<BufReader<TcpStream>, Failure> {
        let mut stream = TcpStream::connect(&self.host)?;
        let Self {
            host, path, cookie, ..
        } = self;
        write!(
            stream,
            "GET {path}{below} HTTP/1.0\r\nHost: {host}\r\nCookie: {cookie}\r\n\r\n"
        )?;
        Ok(BufReader::new(stream))
    }

    /// Waits for the run, and follows it by every viewer until the server ends: each returns the number of its events.
    fn viewers(&self) -> Result<Vec<JoinHandle<usize>>, Failure> {
        let started = Instant::now();
        let id = loop {
            let mut list = String::new();
            self.get("")?.read_to_string(&mut list)?;
            if let Some((_, rest)) = list.split_once("href=\"runs/") {
                break rest.split('/').next().unwrap_or_default().to_owned();
            }
            if started.elapsed() > PATIENCE {
                return Err("the run did not begin".into());
            }
            std::thread::sleep(Duration::from_millis(100));
        };
        let follow = |_| {
            let events = self.get(&format!("runs/{id}/events"))?;
            Ok(std::thread::spawn(move || {
                let lines = events.lines().map_while(Result::ok);
                lines.filter(|line| line.starts_with("id: ")).count()
            }))
        };
        (0..VIEWERS).map(follow).collect()
    }

    fn end(&mut self) -> Result<(), Failure> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

/// Prints the median of ratios, and the interval that holds that of all such pairs with 95 %, whatever their
/// distribution: from one ratio to another in their order.
fn row(figures: &mut Figures, what: &str, mut ratios: Vec<f64>, demand: Demand) {
    ratios.sort_by(f64::total_cmp);
    let cut = cut(ratios.len());
    let interval = match cut {
        Some(cut) => format!("{:.3}–{:.3}", ratios[cut], ratios[ratios.len() - 1 - cut]),
        None => "too few pairs for an interval".to_owned(),
    };
    let median = super::support::median(ratios);
    figures.row("E20", what, median, Unit::One, demand);
    println!("     {median:.3}, 95 %: {interval}");
}

/// Returns the number of ratios at either end that the interval of the median leaves out; `None` if there are too few.
fn cut(count: usize) -> Option<usize> {
    // The chance that at most so many of them lie on one side of the median.
    let (mut of_one, mut chance) = (0.5_f64.powi(count as i32), 0.0);
    let mut cut = None;
    for left_out in 0..count {
        chance += of_one;
        if chance > 0.025 {
            break;
        }
        cut = Some(left_out);
        of_one *= (count - left_out) as f64 / (left_out + 1) as f64;
    }
    cut
}

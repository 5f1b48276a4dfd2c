//! What workers on other machines give and cost: candidates of two seconds of CPU time on one and on two workers, each pinned
//! to a core of this machine, behind a real server of NATS; what the way through it adds to a task; and how that goes on with
//! up to 1,000 machines, by a simulation with the latencies that were measured in the same run.
//!
//! ```text
//! cargo bench --bench workers [-- --quick] [--json FILE]
//! ```
//!
//! The server is `nats-server` in the search path, or the program that `NATS_SERVER` names. The workers are this program, with
//! the service that `bakeoff worker` has; a candidate is a loop that ends when its thread has used up its time. Nothing is
//! built.

mod candidate;
#[path = "../../domain/benches/figures/mod.rs"]
mod figures;
mod latency;
mod nats_server;
mod queue;
mod simulation;
#[path = "../support/mod.rs"]
mod support;

use candidate::WorkerProcess;
use figures::{Demand, Figures, Unit};
use nats_server::NatsServer;
use queue::{Batch, Elsewhere};
use simulation::{Costs, efficiency};
use std::error::Error;
use std::time::Duration;
use support::is_quick;

/// CPU time of a candidate.
const CANDIDATE: Duration = Duration::from_secs(2);

/// Size of the content of a candidate, in bytes: that of an ordinary component.
const CONTENT_BYTES: usize = 64 << 10;

/// Tasks that do nothing, and how many of them are under way at once.
const EMPTY_TASKS: usize = 2_000;
const EMPTY_AT_ONCE: usize = 32;

/// Candidates of the simulated runs.
const CANDIDATES: usize = 1_000;

/// Numbers of machines that are simulated.
const MACHINES: [usize; 9] = [2, 5, 10, 30, 100, 200, 333, 500, 1_000];

/// A server that is far away: the time of a message to it or from it, how many messages one after the other a candidate takes
/// (its task, its answer, the questions for its content and the parts of that), and the bytes that it takes or gives in a second.
const FAR: Duration = Duration::from_millis(10);
const FAR_HOPS: u32 = 14;
const FAR_BYTES_PER_S: f64 = 125e6;

/// The least efficiency that is demanded, of as many machines as there are tenths of candidates, in percent.
const EFFICIENCY_MIN: f64 = 90.0;

fn main() -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Runtime::new()?;
    let mut arguments = std::env::args().skip(1);
    if arguments.next().as_deref() == Some("worker") {
        return runtime.block_on(candidate::serve(&arguments.collect::<Vec<_>>()));
    }
    let Some(server) = NatsServer::start()? else {
        println!("SKIPPED: there is no nats-server in the search path, and NATS_SERVER names none");
        return Ok(());
    };
    runtime.block_on(all(&server))
}

async fn all(server: &NatsServer) -> Result<(), Box<dyn Error>> {
    let mut figures = Figures::begin();
    let cores = bakeoff_confine::usable_cores();
    let candidates = if is_quick() { 6 } else { 40 };
    let mut alone = None;
    for machines in 1..=cores.len().min(2) {
        let address = server.address("bench");
        let pinned = cores.iter().take(machines).enumerate();
        let workers = pinned.map(|(number, core)| {
            WorkerProcess::start(&address, &format!("w{number}"), 1, Some(*core))
        });
        let _workers = workers.collect::<Result<Vec<_>, _>>()?;
        let elsewhere = Elsewhere::join(&address, machines).await?;
        let batch = Batch::of_candidates(candidates, CANDIDATE, CONTENT_BYTES);
        let done = elsewhere.run(batch).await?;
        let wall = done.wall.as_secs_f64();
        let busy = 100.0 * done.at_work.as_secs_f64() / (wall * machines as f64);
        let what = format!("{machines} workers on a core each: time in which they had a task");
        figures.row(
            "W1",
            &what,
            busy,
            Unit::PerCent,
            Demand::AtLeast(EFFICIENCY_MIN),
        );
        let alone = *alone.get_or_insert(wall);
        if machines > 1 {
            let what = format!("{machines} workers beside one: times as fast");
            figures.row("W2", &what, alone / wall, Unit::One, Demand::AtLeast(1.8));
        }
    }
    let here = queue::embedded(EMPTY_TASKS, EMPTY_AT_ONCE).await?;
    let address = server.address("bench");
    let worker = WorkerProcess::start(&address, "w0", EMPTY_AT_ONCE, None)?;
    let elsewhere = Elsewhere::join(&address, EMPTY_AT_ONCE).await?;
    let done = elsewhere.run(Batch::of_nothing(EMPTY_TASKS)).await?;
    drop(worker);
    let through = done.wall / EMPTY_TASKS as u32;
    println!(
        "a task that does nothing: {here:.1?} in the embedded queue, {through:.1?} through the server"
    );
    let times = through.as_secs_f64() / here.as_secs_f64();
    figures.row(
        "W3",
        "an empty task through the server, over one here",
        times,
        Unit::One,
        Demand::None,
    );
    let added = 100.0 * through.as_secs_f64() / CANDIDATE.as_secs_f64();
    figures.row(
        "W4",
        "what that adds to a candidate",
        added,
        Unit::PerCent,
        Demand::AtMost(1.0),
    );
    let latencies = latency::measure(&server.address("bench"), is_quick()).await?;
    println!(
        "a task and an answer of 1 KiB: {:.2?}; a blob of 8 MiB: kept in {:.1?}, fetched in {:.1?}",
        latencies.round_trip, latencies.put, latencies.get
    );
    let costs = Costs {
        candidate: CANDIDATE,
        per_task: through,
        round_trip: latencies.round_trip,
        content: latencies.time_of(CONTENT_BYTES),
    };
    simulated("here", &costs, &mut figures);
    let far = Costs {
        round_trip: costs.round_trip + FAR_HOPS * FAR,
        content: costs.content
            + Duration::from_secs_f64(2.0 * CONTENT_BYTES as f64 / FAR_BYTES_PER_S),
        ..costs
    };
    simulated("far", &far, &mut figures);
    Ok(figures.finish()?)
}

/// Prints how efficient simulated machines are, and up to how many of them.
fn simulated(place: &str, costs: &Costs, figures: &mut Figures) {
    for machines in MACHINES {
        let value = 100.0 * efficiency(CANDIDATES, machines, costs);
        let what = format!("{place}: {CANDIDATES} candidates on {machines} machines, efficiency");
        let demand = if machines * 10 <= CANDIDATES {
            Demand::AtLeast(EFFICIENCY_MIN)
        } else {
            Demand::None
        };
        figures.row("W5", &what, value, Unit::PerCent, demand);
    }
    // So many candidates that it does not matter that the last ones do not come out even.
    let steady = |machines: usize| 100.0 * efficiency(machines * 20, machines, costs);
    let most = (1..=10_000).take_while(|machines| steady(*machines) >= EFFICIENCY_MIN);
    let most = most.last().unwrap_or(0) as f64;
    let what = format!("{place}: most machines with {EFFICIENCY_MIN} %, 20 candidates each");
    figures.row("W6", &what, most, Unit::One, Demand::None);
}

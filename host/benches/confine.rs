//! What a fence costs: a child from spawn to exit, confined beside unconfined, in turns.
//!
//! `cargo bench --bench confine` prints the medians and their ratio for a runner and a builder.

use bakeoff::confine::{Confinement, Fence, Host, Job, PROBE, Processes};
use std::time::{Duration, Instant};

/// Children of each kind.
const ROUNDS: usize = 300;

#[tokio::main]
async fn main() {
    let host = Host::with_program(env!("CARGO_BIN_EXE_bakeoff"));
    let bare = Host {
        landlock_at_most: Some(0),
        seccomp: false,
        ..host.clone()
    };
    let bare = Confinement::allow_unconfined_on(bare).await;
    let confined = match Confinement::probe_on(host).await {
        Ok(confinement) => confinement,
        Err(unavailable) => {
            println!("{unavailable}");
            return;
        }
    };
    let builder = Fence {
        execute: vec!["/usr".into()],
        read: vec!["/etc".into()],
        write: vec![std::env::temp_dir()],
        processes: Processes::Spawn { at_most: 64 },
        ..Fence::closed()
    };
    println!("child      unconfined   {:>9}   ratio", confined.level());
    for (name, fence) in [("runner", Fence::closed()), ("builder", builder)] {
        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..ROUNDS {
            for (confinement, times) in [&bare, &confined].into_iter().zip(&mut times) {
                times.push(life(confinement, &fence).await);
            }
        }
        let [bare, confined] = times.map(median);
        let ratio = confined.as_secs_f64() / bare.as_secs_f64();
        println!("{name:<10} {bare:>10.2?}   {confined:>9.2?}   {ratio:.2}");
    }
}

/// One child that does nothing, from spawn to exit.
async fn life(confinement: &Confinement, fence: &Fence) -> Duration {
    let nothing = postcard::to_stdvec(&Vec::<u8>::new()).expect("an empty list has bytes");
    let start = Instant::now();
    let job = Job::new(PROBE.name, &[], fence.clone());
    let parts = [&nothing[..]];
    let job = Job {
        payload: &parts,
        ..job
    };
    let child = confinement.spawn(job).await.expect("a child starts");
    child.finish().await;
    start.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

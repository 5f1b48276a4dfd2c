//! What a fence costs: a child from spawn to exit, confined beside unconfined, in turns.
//!
//! `cargo bench --bench confine` prints the medians and their ratio for a runner and a builder.

use bakeoff::confine::{Confinement, Fence, Host, Job, PROBE, Processes};
use std::time::{Duration, Instant};

/// Children of each kind.
const ROUNDS: usize = 300;

#[tokio::main]
async fn main() {
    let wrapped = Host::with_program(env!("CARGO_BIN_EXE_bakeoff"));
    let plain = Host {
        bubblewrap: false,
        ..wrapped.clone()
    };
    let bare = Host {
        landlock_at_most: Some(0),
        seccomp: false,
        ..plain.clone()
    };
    let bare = Confinement::allow_unconfined_on(bare).await;
    let (plain, wrapped) = match (
        Confinement::probe_on(plain).await,
        Confinement::probe_on(wrapped).await,
    ) {
        (Ok(plain), Ok(wrapped)) => (plain, wrapped),
        (Err(unavailable), _) | (_, Err(unavailable)) => {
            println!("{unavailable}");
            return;
        }
    };
    println!("child                unconfined    confined   ratio");
    compare("runner", &bare, &plain, &Fence::closed()).await;
    compare("builder", &bare, &plain, &builder()).await;
    if let Some(layer) = wrapped.outer_layer() {
        compare(&format!("builder, {layer}"), &bare, &wrapped, &builder()).await;
    }
}

/// Children of both kinds in turns.
async fn compare(name: &str, bare: &Confinement, confined: &Confinement, fence: &Fence) {
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        for (confinement, times) in [bare, confined].into_iter().zip(&mut times) {
            times.push(life(confinement, fence).await);
        }
    }
    let [bare, confined] = times.map(median);
    let ratio = confined.as_secs_f64() / bare.as_secs_f64();
    println!("{name:<20} {bare:>10.2?}  {confined:>10.2?}   {ratio:.2}");
}

fn builder() -> Fence {
    Fence {
        execute: vec!["/usr".into()],
        read: vec!["/etc".into()],
        write: vec![std::env::temp_dir()],
        processes: Processes::Spawn { at_most: 64 },
        ..Fence::closed()
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

//! Latencies of a server, by the wires of a run and a worker.

use crate::support::median;
use bakeoff_source::content_address;
use bakeoff_workers::{MachineName, ServerAddress, ServerCredentials};
use std::error::Error;
use std::time::{Duration, Instant};

/// Bytes of the blob.
const BLOB_BYTES: usize = 8 << 20;

/// Bytes of a small task, and of its answer.
const SMALL_BYTES: usize = 1 << 10;

/// Latencies, as medians.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Latencies {
    /// Time of a small task to a worker, and of an answer back.
    pub(crate) round_trip: Duration,
    /// Time to have the blob kept.
    pub(crate) put: Duration,
    /// Time to fetch it.
    pub(crate) get: Duration,
}

impl Latencies {
    /// Returns the time in which so many bytes are kept and fetched, by the rates of the blob.
    pub(crate) fn time_of(&self, bytes: usize) -> Duration {
        (self.put + self.get).mul_f64(bytes as f64 / BLOB_BYTES as f64)
    }
}

/// Measures the latencies of a server.
pub(crate) async fn measure(address: &str, is_quick: bool) -> Result<Latencies, Box<dyn Error>> {
    let address = ServerAddress::parse(address)?;
    let machine = MachineName::try_from("latency".to_owned())?;
    let none = ServerCredentials::default();
    let worker = bakeoff_workers::connect_worker(&address, &none, &machine, 1).await?;
    let mut run = bakeoff_workers::connect_run(&address, &none, "latency").await?;
    let (trips, blobs) = if is_quick { (50, 3) } else { (500, 20) };
    let mut round_trips = Vec::new();
    for number in 0..trips {
        let began = Instant::now();
        let there = async {
            let task = worker.wire.next().await?;
            let answer = worker.wire.answer("latency", task.bytes).await;
            task.hand.is_over().await?;
            answer
        };
        let id = format!("trip {number}");
        let back = async {
            let sent = run.wire.send(&machine, &id, vec![7; SMALL_BYTES]).await;
            (sent, run.answers.recv().await)
        };
        let (there, (sent, back)) = tokio::join!(there, back);
        there?;
        sent?;
        back.ok_or("the answer did not arrive")?;
        round_trips.push(began.elapsed().as_secs_f64());
    }
    let (mut puts, mut gets) = (Vec::new(), Vec::new());
    for number in 0..blobs {
        let mut blob = vec![7; BLOB_BYTES];
        blob[0] = number;
        let digest = content_address(&blob);
        let began = Instant::now();
        run.wire.put(&digest, &blob).await?;
        puts.push(began.elapsed().as_secs_f64());
        let began = Instant::now();
        let got = worker.wire.get(&digest, BLOB_BYTES).await?;
        gets.push(began.elapsed().as_secs_f64());
        if got != blob {
            return Err("the blob is another one".into());
        }
    }
    let of = |times| Duration::from_secs_f64(median(times));
    Ok(Latencies {
        round_trip: of(round_trips),
        put: of(puts),
        get: of(gets),
    })
}

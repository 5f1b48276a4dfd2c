//! The criterion bench: one side (`PEER_SIDE`), so that the other can be the baseline.

use criterion::{Criterion, criterion_group, criterion_main};

fn work(criterion: &mut Criterion) {
    let side = std::env::var("PEER_SIDE").map_or(0, |side| side.parse().expect("0 or 1"));
    let side = peers::Side::new(side);
    criterion.bench_function("work", |bencher| bencher.iter(|| side.call()));
}

criterion_group!(benches, work);
criterion_main!(benches);

//! The tango bench: both sides, paired.

use tango_bench::{IntoBenchmarks, benchmark_fn, tango_benchmarks};

fn sides() -> impl IntoBenchmarks {
    [
        benchmark_fn("first/work", |bencher| {
            let side = peers::Side::new(0);
            bencher.iter(move || side.call())
        }),
        benchmark_fn("second/work", |bencher| {
            let side = peers::Side::new(1);
            bencher.iter(move || side.call())
        }),
    ]
}

tango_benchmarks!(sides());

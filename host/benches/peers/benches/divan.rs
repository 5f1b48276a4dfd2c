//! The divan bench: both sides, one after the other.

fn main() {
    divan::main();
}

#[divan::bench(args = [0, 1])]
fn side(bencher: divan::Bencher, index: usize) {
    let side = peers::Side::new(index);
    bencher.bench_local(|| side.call());
}

//! The zenbench bench: both sides, interleaved.

use zenbench::prelude::*;

fn sides(suite: &mut Suite) {
    suite.group("sides", |group| {
        for (index, name) in ["first", "second"].into_iter().enumerate() {
            let side = peers::Side::new(index);
            group.bench(name, move |bencher| bencher.iter(move || side.call()));
        }
    });
}

zenbench::main!(sides);

//! What children can and cannot do behind their fences, tried by a child that is told to try.

use bakeoff::confine::*;

#[tokio::test]
async fn the_probe_passes_here() {
    let confinement = Confinement::probe_on(Host::with_program(env!("CARGO_BIN_EXE_bakeoff")))
        .await
        .unwrap();
    assert_eq!(confinement.level(), Level::Full);
}

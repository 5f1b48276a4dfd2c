//! A trial build, which shows whether the compiler works behind the fences of this machine.

use super::build_protocol::BuildKind;
use super::builder::Builder;
use super::child_output::BuiltComponent;
use super::failures::build_failure;
use super::request::BuildRequest;
use super::toolchain::Toolchain;
use bakeoff_confine::Confinement;
use bakeoff_domain::failure::{Failure, FailureClass};
use bakeoff_domain::spec::Limits;
use bakeoff_source::BuildInput;
use bakeoff_source::interface::{Interface, WitFile, World};
use std::sync::Arc;

/// The smallest interface.
const WIT: &str = "package bakeoff:trial;\nworld prototype { export nothing: func(); }\n";

/// A prototype of [`WIT`].
const SOURCE: &str = "pub fn nothing() {}\n";

/// Returns the confinement, without its outer layer if the compiler does not work inside it: a second
/// fence is useful, but no reason for builds to fail.
pub async fn usable_confinement(toolchain: &Toolchain, confinement: Confinement) -> Confinement {
    if confinement.outer_layer().is_none() {
        return confinement;
    }
    match try_build(toolchain, &confinement).await {
        Ok(_) => confinement,
        Err(_) => confinement.without_outer_layer(),
    }
}

/// Builds the smallest prototype with compiler, linker and engine.
async fn try_build(
    toolchain: &Toolchain,
    confinement: &Confinement,
) -> Result<Arc<BuiltComponent>, Failure> {
    let file = WitFile {
        name: "trial.wit".to_owned(),
        text: WIT.to_owned(),
    };
    let interface = Interface::parse(vec![file], "nothing")
        .map_err(|error| build_failure(FailureClass::BuildFailed, error.to_string()))?;
    let request = BuildRequest {
        interface: Arc::new(interface),
        world: World::Prototype,
        code: BuildInput::Source {
            path_shown: "trial.rs".to_owned(),
            text: SOURCE.into(),
        },
        kind: BuildKind::Release,
        memory_bytes: Limits::default().memory_bytes,
        parameters: false,
    };
    let builder = Builder::new(toolchain.clone(), confinement.clone(), None, 1);
    builder.build(&request).await
}

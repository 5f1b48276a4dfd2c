//! The trial build: does the compiler work behind the fences of this machine?

use super::builder::{Builder, Built, CodeBytes, Request};
use super::order::{Kind, build_failure};
use super::toolchain::Toolchain;
use crate::confine::Confinement;
use crate::interface::{Interface, WitFile, World};
use bakeoff_domain::failure::{Failure, FailureClass};
use std::sync::Arc;

/// The smallest problem there is.
const WIT: &str = "package bakeoff:trial;\nworld prototype { export nothing: func(); }\n";

/// A prototype of it.
const SOURCE: &str = "pub fn nothing() {}\n";

/// The same confinement, without its outer layer if the compiler does not work inside that: a
/// second fence is worth having, but no reason for a build to fail.
pub async fn fit(toolchain: &Toolchain, confinement: Confinement) -> Confinement {
    if confinement.outer_layer().is_none() {
        return confinement;
    }
    match try_build(toolchain, &confinement).await {
        Ok(_) => confinement,
        Err(_) => confinement.without_outer_layer(),
    }
}

/// Builds the smallest prototype there is, as any other is built: compiler, linker and engine.
async fn try_build(
    toolchain: &Toolchain,
    confinement: &Confinement,
) -> Result<Arc<Built>, Failure> {
    let file = WitFile {
        name: "trial.wit".to_owned(),
        text: WIT.to_owned(),
    };
    let interface = Interface::parse(vec![file], "nothing")
        .map_err(|error| build_failure(FailureClass::BuildFailed, error.to_string()))?;
    let request = Request {
        interface: Arc::new(interface),
        world: World::Prototype,
        code: CodeBytes::Source {
            path_shown: "trial.rs".to_owned(),
            text: SOURCE.to_owned(),
        },
        kind: Kind::Release,
    };
    let builder = Builder::new(toolchain.clone(), confinement.clone(), None, 1);
    builder.build(&request).await
}

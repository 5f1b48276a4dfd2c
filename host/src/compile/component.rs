//! In the child: from a core module to a component.

use super::failures::build_failure;
use bakeoff_domain::failure::{Failure, FailureClass};
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::{Resolve, WorldId};

/// Makes a component of a module that carries the description of its world.
pub(super) fn componentise(module: &[u8]) -> Result<Vec<u8>, Failure> {
    let encode = || {
        ComponentEncoder::default()
            .validate(true)
            .module(module)?
            .encode()
    };
    encode().map_err(|error| {
        let message = format!("the compiled module does not make a component: {error:#}");
        build_failure(FailureClass::BuildFailed, message)
    })
}

/// Makes a component of a module without a description of its world.
pub(super) fn componentise_as(
    mut module: Vec<u8>,
    resolve: &Resolve,
    world: WorldId,
) -> Result<Vec<u8>, Failure> {
    embed_component_metadata(&mut module, resolve, world, StringEncoding::UTF8).map_err(
        |error| {
            build_failure(
                FailureClass::BuildFailed,
                format!("cannot describe the module: {error:#}"),
            )
        },
    )?;
    componentise(&module)
}

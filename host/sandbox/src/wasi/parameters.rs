//! `wasi:config/store`: the values of a variant's parameters.

use super::state::VirtualWorld;
use bakeoff_compile::PARAMETER_IMPORTS;
use wasmtime::StoreContextMut;
use wasmtime::component::{ComponentType, Lift, Linker, Lower};

/// The error of the interface. Looking a value up never fails, so none is ever made.
#[derive(Clone, Debug, ComponentType, Lift, Lower)]
#[component(variant)]
pub(crate) enum StoreError {
    /// The provider of the values failed.
    #[component(name = "upstream")]
    Upstream(String),
    /// Reading the values failed.
    #[component(name = "io")]
    Io(String),
}

type Values = Vec<(String, String)>;

/// Links the interface, in each of its versions; `world` returns the virtual world of a store.
pub(crate) fn link<T: 'static>(
    linker: &mut Linker<T>,
    world: fn(&mut T) -> &mut VirtualWorld,
) -> wasmtime::Result<()> {
    for name in PARAMETER_IMPORTS {
        let mut interface = linker.instance(name)?;
        interface.func_wrap(
            "get",
            move |mut store: StoreContextMut<'_, T>, (key,): (String,)| {
                let world = world(store.data_mut());
                world.enter()?;
                let value = world.folders.parameters().get(&key).cloned();
                Ok((Ok::<Option<String>, StoreError>(value),))
            },
        )?;
        interface.func_wrap(
            "get-all",
            move |mut store: StoreContextMut<'_, T>, (): ()| {
                let world = world(store.data_mut());
                world.enter()?;
                let values = world.folders.parameters().iter();
                let values = values.map(|(name, value)| (name.clone(), value.clone()));
                Ok((Ok::<Values, StoreError>(values.collect()),))
            },
        )?;
    }
    Ok(())
}

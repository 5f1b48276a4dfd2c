//! A resource that is called in three parts: made of the input, run once, asked for the answer; and freed.

use super::paths::{self, Call, Make};
use super::signature::CallTypes;
use bakeoff_source::interface::SESSION_PARTS;
use wasmtime::component::{ComponentExportIndex, Func, Instance, ResourceAny, Type, Val};
use wasmtime::{AsContextMut as _, Store, bail};

/// Observer of a call in parts, told when a part ends.
pub trait Parts {
    /// A part ended, and another one follows.
    fn part_ended(&mut self);
}

/// The parts of a call, looked up.
pub(super) struct Session<T: 'static> {
    pub(super) call: Call<T>,
    pub(super) types: CallTypes,
}

/// Looks up the functions of the resource `name` of the exported instance `interface`; `None` if one is
/// missing.
pub(super) fn look_up<T: Parts + 'static>(
    store: &mut Store<T>,
    instance: &Instance,
    interface: Option<&ComponentExportIndex>,
    name: &str,
) -> Option<Session<T>> {
    let mut part = |kind: &str, part: &str| {
        let full = format!("[{kind}]{name}.{part}");
        let index = instance.get_export_index(&mut *store, interface, &full);
        index.and_then(|index| instance.get_func(&mut *store, index))
    };
    let [first, second, third] = SESSION_PARTS;
    let prepare = part("static", first)?;
    let run = part("method", second)?;
    let output = part("method", third)?;
    let run = run.typed::<(ResourceAny,), ()>(&*store).ok()?;
    let (prepare_ty, output_ty) = (prepare.ty(&*store), output.ty(&*store));
    let types = CallTypes {
        params: prepare_ty.params().map(|(_, ty)| ty).collect(),
        result: output_ty.results().next(),
    };
    let prepare = preparing(store, prepare, &types.params);
    let output = paths::method(store, output, types.result.as_ref());
    let call: Call<T> = Box::new(move |mut store, arguments| {
        let handle = prepare(store.as_context_mut(), arguments)?;
        store.data_mut().part_ended();
        run.call(store.as_context_mut(), (handle,))?;
        store.data_mut().part_ended();
        let answer = output(store.as_context_mut(), handle)?;
        // Work may be left for this too, and so it belongs to the call.
        handle.resource_drop(store)?;
        Ok(answer)
    });
    Some(Session { call, types })
}

fn preparing<T: 'static>(store: &Store<T>, func: Func, params: &[Type]) -> Make<T> {
    if let Some(typed) = paths::making(store, func, params) {
        return typed;
    }
    Box::new(move |store, arguments| {
        let mut results = [Val::Bool(false)];
        func.call(store, &paths::vals(arguments), &mut results)?;
        match results {
            [Val::Resource(handle)] => Ok(handle),
            _ => bail!("it makes no resource"),
        }
    })
}

//! WASI for components that users bring: what they get, and what becomes of those that want more.

pub(crate) mod components;
mod ends;
mod experiments;
pub(crate) mod floods;
mod policy;

use bakeoff_compile::engine::{self, Profile};
use bakeoff_domain::attempt::{Attempt, AttemptKind};
use bakeoff_domain::spec::Limits;
use bakeoff_sandbox::invoke::Value;
use bakeoff_sandbox::{CallResult, GuestError, Imports, Instance, Sandbox};
use bakeoff_source::Folders;
use components::component;
use std::sync::Arc;

/// Limits that a test's flood reaches soon.
fn limits() -> Limits {
    Limits {
        memory_bytes: 16 << 20,
        output_bytes: 1 << 20,
        ..Limits::default()
    }
}

/// A component in a sandbox of this profile, called again and again on one instance.
struct Guest {
    prepared: bakeoff_sandbox::PreparedComponent,
    instance: Option<Result<Instance, GuestError>>,
}

impl Guest {
    fn new(profile: Profile, component: &[u8]) -> Self {
        Self::with_folders(profile, component, Folders::default())
    }

    fn with_folders(profile: Profile, component: &[u8], folders: Folders) -> Self {
        let code = engine::precompile(profile, component).unwrap();
        let sandbox = Sandbox::new(profile, limits()).unwrap();
        // SAFETY: the engine made the code just now.
        let prepared = unsafe { sandbox.prepare(&code, Imports::Wasi(Arc::new(folders))) };
        let prepared = prepared.unwrap();
        let instance = Some(prepared.instantiate());
        Self { prepared, instance }
    }

    fn call(&mut self, n: u32) -> Result<CallResult, GuestError> {
        let mut instance = self.instance.take().unwrap()?;
        let callee = instance.callee(&["solve".to_owned()]).unwrap();
        let answered = instance.call(&callee, &[Value::U32(n)].into());
        self.instance = Some(Ok(instance));
        answered
    }

    /// The answer, which is a number.
    fn number(&mut self, n: u32) -> u64 {
        match self.call(n).unwrap().value {
            Some(Value::U64(number)) => number,
            other => panic!("{other:?} is no number"),
        }
    }

    /// The class and limit of a error.
    fn error(&mut self) -> (String, String) {
        let error = self.call(7).unwrap_err();
        (
            error.class.name().to_owned(),
            error.limit.unwrap_or_default(),
        )
    }

    fn attempts(&self) -> Vec<(AttemptKind, u64)> {
        let kinds = |attempt: Attempt| (attempt.what, attempt.times);
        self.prepared.attempts().into_iter().map(kinds).collect()
    }
}

/// What must hold in both engines.
fn in_both(test: impl Fn(Profile)) {
    test(Profile::Checked);
    test(Profile::Timed);
}

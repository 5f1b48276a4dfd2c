//! Components of another machine, which are compiled here once more: code that was compiled elsewhere is never loaded.

use super::build_protocol::{BuildKind, BuildTask, TaskInput};
use super::build_worker::{BuildEnd, request_build};
use super::builder::Builder;
use super::cache::Name;
use super::failures::build_failure;
use super::layout::SCHEME as LAYOUT_SCHEME;
use super::reserve::SCHEME as RESERVE_SCHEME;
use crate::engine::{self, Profile};
use bakeoff_confine::tasks::wire;
use bakeoff_domain::failure::{Failure, FailureClass};
use bakeoff_source::interface::World;
use bakeoff_source::{COMPONENT_BYTES_MAX, oversize_component};
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// The name of such a component in messages.
const SHOWN: &str = "a component of another machine";

/// Code of a component in the timed profile, one for each layout.
pub type TimedCode = Arc<[Vec<u8>]>;

impl Builder {
    /// Returns the code of a component in the checked profile, compiled behind the fence of builds or taken from the cache.
    ///
    /// # Errors
    /// The component is none that can be loaded, or the machine cannot build.
    pub async fn precompile(&self, component: &[u8]) -> Result<Arc<[u8]>, Failure> {
        let engine = fingerprint(Profile::Checked)?;
        let name = self.name_of(&[b"precompiled", engine.as_bytes(), component]);
        if let Some(known) = self.known::<Vec<u8>>(&name) {
            return Ok(known.into());
        }
        let (checked, _) = self.compile_finished(component, 0).await?;
        if let Some(cache) = &self.cache {
            cache.put(&name, &checked);
        }
        Ok(checked.into())
    }

    /// Returns the code of a component in the timed profile, in all its layouts, as [`Builder::precompile`]. All of
    /// `memory_bytes` is reserved for it in advance.
    ///
    /// # Errors
    /// As for [`Builder::precompile`].
    pub async fn precompile_timed(
        &self,
        component: &[u8],
        memory_bytes: u64,
    ) -> Result<TimedCode, Failure> {
        let engine = fingerprint(Profile::Timed)?;
        let schemes = format!("{engine} {LAYOUT_SCHEME} {RESERVE_SCHEME} {memory_bytes}");
        let name = self.name_of(&[b"precompiled to be timed", schemes.as_bytes(), component]);
        if let Some(known) = self.known::<Vec<Vec<u8>>>(&name) {
            return Ok(known.into());
        }
        let (_, timed) = self
            .compile_finished(component, memory_bytes.max(1))
            .await?;
        if let Some(cache) = &self.cache {
            cache.put(&name, &timed);
        }
        Ok(timed.into())
    }

    /// Returns the name of code in the cache, which depends on the level of the fence, too.
    fn name_of(&self, parts: &[&[u8]; 3]) -> Name {
        let level = self.worker.confinement.level().name();
        Name::of(&[parts[0], parts[1], level.as_bytes(), parts[2]])
    }

    fn known<T: DeserializeOwned>(&self, name: &Name) -> Option<T> {
        self.cache.as_ref().and_then(|cache| cache.get(name))
    }

    /// Returns the code of a component for the checked profile, and for the timed one if memory is reserved for it.
    async fn compile_finished(
        &self,
        component: &[u8],
        memory_bytes: u64,
    ) -> Result<(Vec<u8>, Vec<Vec<u8>>), Failure> {
        if component.len() > COMPONENT_BYTES_MAX {
            return Err(oversize_component(SHOWN, component.len() as u64));
        }
        let task = BuildTask {
            files: Vec::new(),
            call: String::new(),
            world: World::Prototype,
            kind: BuildKind::Release,
            code: TaskInput::Finished,
            path_shown: SHOWN.to_owned(),
            granted: Vec::new(),
            parameters: false,
            wasi: self.wasi,
            memory_bytes,
            crates: None,
            code_is_wanted: true,
        };
        let task = wire::sealed(component.to_vec(), &task);
        let (output, end) = request_build(self.worker(), &task)
            .await
            .map_err(of_machine)?;
        match end {
            BuildEnd::Exited(exit, wall_time) => output.into_code(SHOWN, &exit, wall_time),
            BuildEnd::NotStarted(reason) => Err(of_machine(reason)),
        }
    }
}

fn of_machine(why: String) -> Failure {
    build_failure(FailureClass::MachineFailed, why)
}

fn fingerprint(profile: Profile) -> Result<String, Failure> {
    engine::fingerprint(profile).map_err(|error| of_machine(format!("{error:#}")))
}

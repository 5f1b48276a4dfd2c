//! The builds of a run: from code to components, several at once.

use super::error::RunError;
use super::session::Run;
use super::variant_state::{find, find_mut};
use crate::compile::{BuildKind, BuildRecord, BuiltComponent};
use crate::events::{Event, Origin, Stage};
use crate::source::BuildInput;
use crate::store::{self, IterationFile, Key, SafeId};
use bakeoff_domain::failure::{Failure, FailureClass};
use bakeoff_domain::variant::VariantId;
use std::sync::Arc;
use tokio::task::JoinSet;

impl Run<'_> {
    /// Builds every variant, and the same code only once. A build that fails is a failure of its
    /// variants.
    pub(super) async fn build(&mut self) -> Result<(), RunError> {
        self.stage_started(Stage::Build, self.variants.len())?;
        self.report_changed_builds()?;
        self.start_variants()?;
        let mut building = JoinSet::new();
        for (_, code, same_code) in self.builds() {
            let request = self.context.prototype(code, BuildKind::Release);
            let builder = Arc::clone(&self.context.tools.builder);
            building.spawn(async move { (same_code, builder.build(&request).await) });
        }
        while let Some(done) = building.join_next().await {
            let (same_code, result) = done.map_err(|error| RunError::Engine(error.to_string()))?;
            for id in same_code {
                self.on_build(&id, result.clone())?;
            }
            // Only now: what is finished is kept also when the user asks to stop.
            self.refuse_if_interrupted()?;
        }
        self.stage_done(Stage::Build)
    }

    /// Emits the start of work on every variant, or its earlier failure. Code that does not compile
    /// is not compiled again; other failures may be due to the machine, and are tried again.
    /// Earlier builds come from the build cache.
    fn start_variants(&mut self) -> Result<(), RunError> {
        let ids: Vec<VariantId> = self.variants.iter().map(|one| one.id().clone()).collect();
        for id in ids {
            self.store.emit(Event::ApproachStart {
                approach_id: id.as_str().to_owned(),
            })?;
            let Some(state) = find(&self.variants, &id) else {
                continue;
            };
            if let Some(failure) = state.failure.clone() {
                self.on_build(&id, Err(failure))?;
                continue;
            }
            let (key, owner) = (self.keys.build(state), state.owner());
            let record: Option<BuildRecord> =
                self.store.get(store::ResultKind::Build, &key, owner)?;
            let known = record.filter(|record| {
                let failure = record.failure.as_ref();
                failure.is_some_and(|failure| failure.class == FailureClass::BuildFailed)
            });
            match known.and_then(|record| record.failure) {
                Some(failure) => self.fail(&id, failure)?,
                None => {
                    let variant_id = id.as_str().to_owned();
                    self.store.emit(Event::BuildStart { variant_id })?;
                }
            }
        }
        Ok(())
    }

    /// Returns the builds to do: the key and code of each, and the variants that it is for.
    pub(super) fn builds(&self) -> Vec<(Key, BuildInput, Vec<VariantId>)> {
        let mut builds: Vec<(Key, BuildInput, Vec<VariantId>)> = Vec::new();
        for state in self.variants.iter().filter(|state| state.is_alive()) {
            let Some(code) = &state.code else { continue };
            let key = self.keys.build(state);
            match builds.iter_mut().find(|(known, ..)| *known == key) {
                Some((.., same_code)) => same_code.push(state.id().clone()),
                None => builds.push((key, code.clone(), vec![state.id().clone()])),
            }
        }
        builds
    }

    /// Stores the result of a build, and emits it.
    fn on_build(
        &mut self,
        id: &VariantId,
        result: Result<Arc<BuiltComponent>, Failure>,
    ) -> Result<(), RunError> {
        if let Err(failure) = &result
            && failure.class.is_machine_fault()
        {
            return Err(RunError::Machine(failure.message.clone()));
        }
        let Some(state) = find_mut(&mut self.variants, id) else {
            return Ok(());
        };
        let key = self.keys.build(state);
        let text = state.code.as_ref().and_then(BuildInput::text);
        let record = match &result {
            Ok(built) => BuildRecord::of(built, text),
            Err(failure) => BuildRecord::failed(failure.clone(), text),
        };
        let owner = state.owner();
        // The same component again, because the cache had lost it: earlier runs rest on what is kept.
        let kept: Option<BuildRecord> = self.store.get(store::ResultKind::Build, &key, owner)?;
        let is_same = |kept: &BuildRecord| {
            kept.digest.is_some() && kept.digest == record.digest && kept.imports.is_some()
        };
        let record = match kept.filter(is_same) {
            Some(kept) => kept,
            None => {
                self.store
                    .put(store::ResultKind::Build, &key, owner, &record)?;
                record
            }
        };
        state.build = Some(record);
        match result {
            Ok(built) => {
                self.store.files().contents().put(&built.component)?;
                let event = Event::BuildComplete {
                    variant_id: id.as_str().to_owned(),
                    origin: match built.cached {
                        true => Origin::Kept,
                        false => Origin::New,
                    },
                    cpu_seconds: built.cpu.as_secs_f64(),
                    component_bytes: built.component.len() as u64,
                };
                state.take_built(built);
                self.store.emit(event)?;
            }
            Err(failure) => self.fail(id, failure)?,
        }
        self.write_iteration(id)
    }

    /// Writes the results of a build for people to look at, beside the results: source, component
    /// and the compiler's messages.
    fn write_iteration(&self, id: &VariantId) -> Result<(), RunError> {
        let Some(state) = find(&self.variants, id) else {
            return Ok(());
        };
        let number = state.variant.iteration.number;
        let id = SafeId::new(id.as_str())?;
        let files = self.store.files();
        if let Some(text) = state.code.as_ref().and_then(BuildInput::text) {
            files.write_iteration(&id, number, IterationFile::Source, text.as_bytes())?;
        }
        if let Some(built) = &state.built {
            files.write_iteration(&id, number, IterationFile::Component, &built.component)?;
        }
        if let Some(failure) = &state.failure {
            let log = format!("{}: {}\n", failure.class, failure.message);
            files.write_iteration(&id, number, IterationFile::Log, log.as_bytes())?;
        }
        Ok(())
    }
}

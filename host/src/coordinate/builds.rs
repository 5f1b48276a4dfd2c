//! From code to components, several at once.

use super::{Run, RunError};
use crate::build::{CodeBytes, Kind, Request};
use crate::events::{Event, Origin, Stage};
use crate::interface::World;
use crate::store::{self, IterationFile, Key, Owner, SafeId};
use bakeoff_domain::failure::{Failure, FailureClass};
use std::sync::Arc;
use tokio::task::JoinSet;

/// What is kept of a build; the bytes are in the build cache.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct BuildRecord {
    /// SHA-256 of the component, in hexadecimal; `None` if there is none.
    pub(super) digest: Option<String>,
    pub(super) component_bytes: u64,
    pub(super) cpu_seconds: f64,
    pub(super) failure: Option<Failure>,
}

impl Run<'_> {
    /// Builds everyone, those of the same code once. A build that fails is its variants' failure.
    pub(super) async fn build(&mut self) -> Result<(), RunError> {
        self.stage(Stage::Build, self.candidates.len())?;
        self.tell_changed_builds()?;
        self.recall_failures()?;
        let mut building = JoinSet::new();
        for (_, code, alike) in self.builds() {
            let request = Request {
                interface: Arc::clone(&self.workshop.interface),
                world: World::Prototype,
                code,
                kind: Kind::Release,
            };
            let builder = Arc::clone(&self.workshop.tools.builder);
            building.spawn(async move { (alike, builder.build(&request).await) });
        }
        for index in 0..self.candidates.len() {
            let id = self.candidates[index].id.clone();
            match self.candidates[index].failure.clone() {
                Some(failure) => self.store.emit(Event::VariantFailed {
                    variant_id: id,
                    failure,
                })?,
                None => self.store.emit(Event::BuildStart { variant_id: id })?,
            };
        }
        while let Some(done) = building.join_next().await {
            let (alike, result) = done.map_err(|error| RunError::Engine(error.to_string()))?;
            for index in alike {
                self.built(index, result.clone())?;
            }
            // Only now: what is finished is kept also when the user asks to stop.
            self.refuse_if_interrupted()?;
        }
        self.stage_done(Stage::Build)
    }

    /// What is to be built, by the key of the build, and for whom.
    fn builds(&self) -> Vec<(Key, CodeBytes, Vec<usize>)> {
        let mut builds: Vec<(Key, CodeBytes, Vec<usize>)> = Vec::new();
        for (index, candidate) in self.candidates.iter().enumerate() {
            let Some(code) = candidate.code.as_ref().filter(|_| candidate.is_alive()) else {
                continue;
            };
            let key = self.keys.build(candidate);
            match builds.iter_mut().find(|(known, ..)| *known == key) {
                Some((.., alike)) => alike.push(index),
                None => builds.push((key, code.clone(), vec![index])),
            }
        }
        builds
    }

    /// What does not compile does not compile a second time either. Other failures may be the
    /// machine's, and are tried again; what was built is in the build cache.
    fn recall_failures(&mut self) -> Result<(), RunError> {
        for candidate in &mut self.candidates {
            if !candidate.is_alive() {
                continue;
            }
            let key = self.keys.build(candidate);
            let owner = Owner {
                variant: &candidate.id,
                iteration: 1,
            };
            let record: Option<BuildRecord> = self.store.recall(store::Kind::Build, &key, owner)?;
            let failure = record.and_then(|record| record.failure);
            candidate.failure =
                failure.filter(|failure| failure.class == FailureClass::BuildFailed);
        }
        Ok(())
    }

    fn built(
        &mut self,
        index: usize,
        result: Result<Arc<crate::build::Built>, Failure>,
    ) -> Result<(), RunError> {
        if let Err(failure) = &result
            && failure.class.is_of_the_machine()
        {
            return Err(RunError::Machine(failure.message.clone()));
        }
        let candidate = &mut self.candidates[index];
        let key = self.keys.build(candidate);
        let owner = Owner {
            variant: &candidate.id,
            iteration: 1,
        };
        let (record, event) = match result {
            Ok(built) => {
                let record = BuildRecord {
                    digest: Some(built.digest.clone()),
                    component_bytes: built.component.len() as u64,
                    cpu_seconds: built.cpu.as_secs_f64(),
                    failure: None,
                };
                let event = Event::BuildComplete {
                    variant_id: candidate.id.clone(),
                    origin: if built.cached {
                        Origin::Kept
                    } else {
                        Origin::New
                    },
                    cpu_seconds: record.cpu_seconds,
                    component_bytes: record.component_bytes,
                };
                candidate.built = Some(built);
                (record, event)
            }
            Err(failure) => {
                candidate.failure = Some(failure.clone());
                let event = Event::VariantFailed {
                    variant_id: candidate.id.clone(),
                    failure: failure.clone(),
                };
                let record = BuildRecord {
                    digest: None,
                    component_bytes: 0,
                    cpu_seconds: 0.0,
                    failure: Some(failure),
                };
                (record, event)
            }
        };
        self.store.keep(store::Kind::Build, &key, owner, &record)?;
        self.store.emit(event)?;
        self.write_iteration(index)
    }

    /// What was built, beside the results: source, component, and what the compiler said.
    fn write_iteration(&self, index: usize) -> Result<(), RunError> {
        let candidate = &self.candidates[index];
        let id = SafeId::new(&candidate.id)?;
        let files = self.store.files();
        if let Some(source) = candidate.source() {
            files.write_iteration(&id, 1, IterationFile::Source, source.as_bytes())?;
        }
        if let Some(built) = &candidate.built {
            files.write_iteration(&id, 1, IterationFile::Component, &built.component)?;
        }
        if let Some(failure) = &candidate.failure {
            let log = format!("{}: {}\n", failure.class, failure.message);
            files.write_iteration(&id, 1, IterationFile::Log, log.as_bytes())?;
        }
        Ok(())
    }
}

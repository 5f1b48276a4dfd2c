//! The builds of a run: from code to components.

use super::child_tasks::{anywhere, build_task, core_task, with_compiler};
use super::child_work::{Build, BuiltPrototype, Check};
use super::error::RunError;
use super::preparation::Preparation;
use super::session::Run;
use super::standing::Step;
use super::variant_state::{VariantState, find, find_mut};
use bakeoff_compile::{BuildKind, BuildRecord, BuiltComponent};
use bakeoff_domain::failure::{Failure, FailureClass};
use bakeoff_domain::queue::{Dependency, TaskKey};
use bakeoff_domain::variant::VariantId;
use bakeoff_source::BuildInput;
use bakeoff_store::events::{Event, Origin};
use bakeoff_store::{IterationFile, Key, SafeId};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A build, and the variants that have its code.
pub(super) struct SameBuild {
    pub(super) key: Key,
    pub(super) code: BuildInput,
    /// True if the component is granted the values of parameters.
    pub(super) swept: bool,
    pub(super) ids: Vec<VariantId>,
}

impl Run<'_> {
    /// Adds a task for every build, and one for the check of each variant, which waits for its build. If a build fails,
    /// its variants fail and are not checked.
    pub(super) fn add_builds_and_checks(
        &mut self,
        preparation: &mut Preparation,
    ) -> Result<(), RunError> {
        for SameBuild {
            key,
            code,
            swept,
            ids,
        } in self.builds()
        {
            let build = build_task(&key);
            let request = self.context.prototype(code, BuildKind::Release, swept);
            let mut task = core_task("build", build.clone(), None);
            if self.builds_elsewhere {
                task = with_compiler(task, &self.context.tools.builder, &request);
            }
            let building = self.tasks.add(task, Build(request))?;
            // Of variants that are the same, the first is checked: the others wait for what is kept of it.
            let mut first_checks: BTreeMap<Option<&str>, TaskKey> = BTreeMap::new();
            for state in ids.iter().filter_map(|id| find(&self.variants, id)) {
                let check = self.keys.check(&key, state.files.as_ref());
                let check = TaskKey::new(format!("check of {} {}", state.id(), check.digest()));
                let task = core_task("check", check.clone(), Some(&build));
                let mut task = anywhere(task, state.files.as_ref());
                let files = state.files.as_ref().map(|files| files.digest.as_str());
                match first_checks.get(&files) {
                    Some(first) => task.after.push(Dependency::on_end(first.clone())),
                    None => drop(first_checks.insert(files, check.clone())),
                }
                let work = Check {
                    prototype: BuiltPrototype {
                        build: build.clone(),
                        files: state.files.clone(),
                    },
                    seed: self.context.config.seed,
                    repeats_fuel: self.context.config.repeats_fuel,
                };
                let checking = self.tasks.add(task, work)?;
                preparation.checks.insert(checking, state.id().clone());
            }
            preparation.builds.insert(building, ids);
        }
        Ok(())
    }

    /// Emits the start of work on every variant, and its earlier failure if it has one. Code that does not compile
    /// is not compiled again; other failures may be due to the machine, and are tried again.
    /// Earlier builds come from the build cache.
    pub(super) fn start_variants(&mut self) -> Result<(), RunError> {
        let ids: Vec<VariantId> = self.variants.iter().map(|one| one.id().clone()).collect();
        for id in ids {
            self.store.emit(Event::ApproachStart {
                approach_id: id.as_str().to_owned(),
            })?;
            let Some(state) = find_mut(&mut self.variants, &id) else {
                continue;
            };
            // Code that cannot be read counts as a build that failed, and is kept as one.
            if let Some(failure) = state.failure.take() {
                self.on_build(&id, Err(failure))?;
                continue;
            }
            let (key, owner) = (self.keys.build(state), state.owner());
            let record: Option<BuildRecord> =
                self.store
                    .get(bakeoff_store::ResultKind::Build, &key, owner)?;
            let known = record.filter(|record| {
                let failure = record.failure.as_ref();
                failure.is_some_and(|failure| failure.class == FailureClass::BuildFailed)
            });
            if let Some(record) = known {
                self.apply(Step::Built(&id, &record))?;
            }
        }
        Ok(())
    }

    /// Returns the builds to do.
    pub(super) fn builds(&self) -> Vec<SameBuild> {
        let mut builds: Vec<SameBuild> = Vec::new();
        for state in self.variants.iter().filter(|state| state.is_alive()) {
            let Some(code) = &state.code else { continue };
            let key = self.keys.build(state);
            match builds.iter_mut().find(|known| known.key == key) {
                Some(same) => same.ids.push(state.id().clone()),
                None => builds.push(SameBuild {
                    key,
                    code: code.clone(),
                    swept: state.is_swept(),
                    ids: vec![state.id().clone()],
                }),
            }
        }
        builds
    }

    /// Stores the result of a build, and emits it.
    pub(super) fn on_build(
        &mut self,
        id: &VariantId,
        result: Result<Arc<BuiltComponent>, Failure>,
    ) -> Result<(), RunError> {
        if let Err(failure) = &result
            && failure.class.is_machine_fault()
        {
            return Err(RunError::Machine(failure.message.clone()));
        }
        let Some(state) = find(&self.variants, id) else {
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
        let kept: Option<BuildRecord> =
            self.store
                .get(bakeoff_store::ResultKind::Build, &key, owner)?;
        let is_same = |kept: &BuildRecord| {
            kept.digest.is_some() && kept.digest == record.digest && kept.imports.is_some()
        };
        let record = match kept.filter(is_same) {
            Some(kept) => kept,
            None => {
                self.store
                    .put(bakeoff_store::ResultKind::Build, &key, owner, &record)?;
                record
            }
        };
        self.apply(Step::Built(id, &record))?;
        if let Ok(built) = result {
            self.store.files().contents().put(&built.component)?;
            let event = Event::BuildComplete {
                variant_id: id.as_str().to_owned(),
                origin: if built.cached {
                    Origin::Kept
                } else {
                    Origin::New
                },
                cpu_seconds: built.cpu.as_secs_f64(),
                component_bytes: built.component.len() as u64,
            };
            if let Some(state) = find_mut(&mut self.variants, id) {
                state.take_built(built);
            }
            self.store.emit(event)?;
        }
        self.write_iteration(id)
    }

    /// Returns true if an earlier variant of the same approach has the same code, whose files for people serve for
    /// both.
    fn repeats_code(&self, state: &VariantState) -> bool {
        let is_same = |other: &&VariantState| other.variant.approach == state.variant.approach;
        let first = self.variants.iter().find(is_same);
        state.is_swept() && first.is_some_and(|first| first.id() != state.id())
    }

    /// Writes the results of a build for people to look at, beside the results: source, component
    /// and the compiler's messages.
    fn write_iteration(&self, id: &VariantId) -> Result<(), RunError> {
        let Some(state) = find(&self.variants, id) else {
            return Ok(());
        };
        if self.repeats_code(state) {
            return Ok(());
        }
        let number = state.variant.iteration.number;
        let id = SafeId::new(id.as_str())?;
        let files = self.store.files();
        let source = state.code.as_ref();
        let source = source.and_then(|code| Some((code.text()?, code.language()?)));
        if let Some((text, language)) = source {
            let file = IterationFile::Source(language);
            files.write_iteration(&id, number, file, text.as_bytes())?;
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

//! Reading the messages of a builder child, and the component that it built.

use super::build_protocol::{BuildEvent, BuildKind, BuildStage, ComponentSummary};
use super::child_job::processes_max;
use super::exit_failure::{WallTime, classify_exit};
use super::failures::cut;
use super::layout;
use super::marks::MARK_POINTS_MAX;
use super::request::BuildRequest;
use bakeoff_confine::{Child, Exit, ExitCause};
use bakeoff_domain::coverage::CoverageMap;
use bakeoff_domain::failure::Failure;
use bakeoff_domain::function_fuel::FuelMap;
use bakeoff_source::{BuildInput, COMPONENT_BYTES_MAX, content_address};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::time::Duration;

/// The longest wait for a killed child to end. The kernel takes milliseconds.
const EXIT_WAIT_MAX: Duration = Duration::from_secs(5);

/// The most bytes of an encoded map of points. An entry of two bytes takes four times as many in memory.
const MAP_BYTES_MAX: usize = 8 << 20;

/// A component that was built, with its machine code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuiltComponent {
    /// The component.
    pub component: Vec<u8>,
    /// SHA-256 of the component, in hexadecimal.
    pub digest: String,
    /// The machine code for [`Profile::Checked`](crate::engine::Profile::Checked).
    pub checked: Vec<u8>,
    /// The machine code for [`Profile::Timed`](crate::engine::Profile::Timed), in versions that differ
    /// in the addresses of functions. Empty for workloads, and builds that are not checked and measured, which are
    /// never timed.
    pub timed: Vec<Vec<u8>>,
    /// The points of a build for coverage, with the lines of its source.
    pub coverage: Option<CoverageMap>,
    /// The imports, as components name them, without interfaces that hold only types.
    pub imports: Vec<String>,
    /// The exports with signatures: `top-k: func(…) -> …`.
    pub exports: Vec<String>,
    /// The number of functions in all modules.
    pub functions: u32,
    /// The largest body of a function, in bytes.
    pub function_bytes_max: u64,
    /// The most locals of a function.
    pub locals_max: u32,
    /// True if memory for arguments comes from the allocator that every source gets, and from no code of
    /// the author's.
    pub our_allocator: bool,
    /// Logical lines of the source, which do not depend on its layout; `None` if there is no source.
    pub source_lines: Option<u64>,
    /// True if the component exchanges strings in another encoding than UTF-8, which the host recodes.
    pub recodes: bool,
    /// CPU time of the whole build in all its processes. An entry of the cache has the time of its own build.
    pub cpu: Duration,
    /// CPU time from source to component, the compiler's included; zero for a component that the
    /// user brought.
    pub source_cpu: Duration,
    /// True if the component came from the cache.
    pub cached: bool,
    /// The points of a build for fuel by function, with the functions of its source.
    pub function_fuel: Option<FuelMap>,
}

/// The messages that a child sent before it ended.
#[derive(Default)]
pub(super) struct ChildOutput {
    stage: Option<BuildStage>,
    failed: Option<Failure>,
    done: Option<ComponentSummary>,
    /// True once a program is announced.
    has_program: bool,
    /// A program, or the component, its code for the checked profile, and versions for the timed one.
    blobs: Vec<Vec<u8>>,
}

/// Passes on all messages of a child, and waits until it ends or its wall time is over.
pub(super) async fn watch(
    mut child: Child,
    wall: Duration,
    pass_on: &mut (dyn FnMut(Vec<u8>) + Send),
) -> (Exit, WallTime) {
    let until = tokio::time::Instant::now() + wall;
    let read = async {
        while let Ok(Some(frame)) = child.next_frame().await {
            pass_on(frame);
        }
    };
    let mut wall_time = match tokio::time::timeout_at(until, read).await {
        Ok(()) => WallTime::Kept,
        Err(_) => WallTime::Exceeded,
    };
    if wall_time == WallTime::Exceeded {
        child.kill();
    }
    // A killed child ends at once; a child that has sent all and lingers is killed when it is dropped.
    let until = until.max(tokio::time::Instant::now() + EXIT_WAIT_MAX);
    let exit = tokio::time::timeout_at(until, child.finish()).await;
    let exit = exit.unwrap_or_else(|_| {
        wall_time = WallTime::Exceeded;
        Exit {
            cause: ExitCause::Killed,
            stderr: Vec::new(),
            cpu: Duration::ZERO,
            max_rss_bytes: 0,
        }
    });
    (exit, wall_time)
}

impl ChildOutput {
    /// Takes the next frame. Frames after a failure, blobs beyond the expected number and frames that
    /// are not events are ignored; the job bounds their size.
    pub(super) fn take(&mut self, frame: Vec<u8>) {
        if self.failed.is_some() {
            return;
        }
        if self.done.is_some() || self.has_program {
            if self.blobs.len() < 2 + layout::VERSIONS_MAX {
                self.blobs.push(frame);
            }
            return;
        }
        match BuildEvent::read(&frame) {
            Some(BuildEvent::Stage(stage)) => self.stage = Some(stage),
            Some(BuildEvent::Failed {
                class,
                message,
                phase,
                limit,
            }) => {
                self.failed = Some(Failure {
                    class,
                    message,
                    phase,
                    limit,
                });
            }
            Some(BuildEvent::Done(summary)) => self.done = Some(summary),
            Some(BuildEvent::Program) => self.has_program = true,
            None => {}
        }
    }

    pub(super) fn into_built(
        self,
        request: &BuildRequest,
        exit: &Exit,
        wall_time: WallTime,
    ) -> Result<BuiltComponent, Failure> {
        if let Some(failure) = self.failed {
            return Err(bounded(failure));
        }
        let shown = request.code.path_shown();
        let processes_max = processes_max(matches!(request.code, BuildInput::Source { .. }));
        let died = || classify_exit(self.stage, exit, wall_time, processes_max, shown);
        let summary = self.done.ok_or_else(died)?;
        let mut blobs = self.blobs.into_iter();
        let (Some(component), Some(checked)) = (blobs.next(), blobs.next()) else {
            return Err(died());
        };
        let mut timed: Vec<Vec<u8>> = blobs.collect();
        let coverage = match request.kind {
            BuildKind::Coverage => {
                let map: Option<CoverageMap> = timed.pop().and_then(|map| read_map(&map));
                let map = map.filter(|map| map.points <= MARK_POINTS_MAX);
                Some(map.ok_or_else(died)?)
            }
            BuildKind::Release | BuildKind::Diagnostic | BuildKind::FunctionFuel => None,
        };
        let function_fuel = if request.kind == BuildKind::FunctionFuel {
            let map: Option<FuelMap> = timed.pop().and_then(|map| read_map(&map));
            let map = map.filter(|map| map.points <= MARK_POINTS_MAX);
            Some(map.ok_or_else(died)?)
        } else {
            None
        };
        if timed.len() != summary.layouts as usize {
            return Err(died());
        }
        Ok(BuiltComponent {
            digest: content_address(&component),
            component,
            checked,
            timed,
            coverage,
            imports: summary.imports,
            exports: summary.exports,
            functions: summary.functions,
            function_bytes_max: summary.function_bytes_max,
            locals_max: summary.locals_max,
            our_allocator: summary.our_allocator,
            source_lines: summary.source_lines,
            recodes: summary.recodes,
            // The exit status of an outer layer does not include the CPU time used inside.
            cpu: exit.cpu.max(summary.cpu),
            source_cpu: summary.source_cpu,
            cached: false,
            function_fuel,
        })
    }

    /// Returns the code of a component that a child only compiled: for the checked profile, and all layouts for the timed
    /// one.
    pub(super) fn into_code(
        self,
        shown: &str,
        exit: &Exit,
        wall_time: WallTime,
    ) -> Result<(Vec<u8>, Vec<Vec<u8>>), Failure> {
        if let Some(failure) = self.failed {
            return Err(bounded(failure));
        }
        let layouts = self.done.as_ref().map(|summary| summary.layouts as usize);
        // The component itself comes first, which here has no bytes.
        let mut blobs = self.blobs.into_iter().skip(1);
        let checked = blobs.next();
        let timed: Vec<Vec<u8>> = blobs.collect();
        checked
            .filter(|_| layouts == Some(timed.len()))
            .map(|checked| (checked, timed))
            .ok_or_else(|| classify_exit(self.stage, exit, wall_time, processes_max(false), shown))
    }

    /// Returns the component that a child built without code, and whether memory for arguments comes from the allocator that
    /// every source gets.
    pub(super) fn into_component(
        self,
        shown: &str,
        exit: &Exit,
        wall_time: WallTime,
    ) -> Result<(Vec<u8>, bool), Failure> {
        if let Some(failure) = self.failed {
            return Err(bounded(failure));
        }
        let our_allocator = self.done.as_ref().map(|summary| summary.our_allocator);
        let component = self.blobs.into_iter().next();
        component
            .filter(|component| component.len() <= COMPONENT_BYTES_MAX)
            .zip(our_allocator)
            .ok_or_else(|| classify_exit(self.stage, exit, wall_time, processes_max(true), shown))
    }

    /// Returns the program that a child built of a source.
    pub(super) fn into_program(
        self,
        shown: &str,
        exit: &Exit,
        wall_time: WallTime,
    ) -> Result<Vec<u8>, Failure> {
        if let Some(failure) = self.failed {
            return Err(bounded(failure));
        }
        let mut blobs = self.blobs.into_iter().filter(|_| self.has_program);
        let program = blobs
            .next()
            .filter(|program| program.len() <= COMPONENT_BYTES_MAX);
        let died = || {
            let stage = Some(BuildStage::Source);
            classify_exit(stage, exit, wall_time, processes_max(true), shown)
        };
        program.ok_or_else(died)
    }
}

/// Reads the encoded map of a build; `None` if it is none, or too large.
fn read_map<T: DeserializeOwned>(map: &[u8]) -> Option<T> {
    let within = map.len() <= MAP_BYTES_MAX;
    within.then(|| postcard::from_bytes(map).ok()).flatten()
}

/// Returns a failure whose texts have the length of a message.
fn bounded(mut failure: Failure) -> Failure {
    failure.message = cut(&failure.message);
    failure.limit = failure.limit.as_deref().map(cut);
    failure
}

#[cfg(test)]
mod tests {
    use super::super::child_job::{closed_fence, job};
    use super::*;
    use crate::scripted_child;

    /// A child that sends nothing, and one that closes its pipes and stays, are both killed in time.
    #[tokio::test]
    async fn a_builder_has_its_wall_time_and_no_more() {
        for then in ["exec sleep 300", "exec sleep 300 >&- 2>&-"] {
            let folder = tempfile::tempdir().unwrap();
            let confinement = scripted_child::confinement(folder.path(), &[], then).await;
            let child = confinement.spawn(job(&[], closed_fence(false)));
            let child = child.await.unwrap();
            let mut nobody = |_| {};
            let watched = watch(child, Duration::from_millis(200), &mut nobody);
            let (exit, wall_time) = tokio::time::timeout(Duration::from_secs(60), watched)
                .await
                .expect("it is killed when its wall time is over");
            assert_eq!(
                (wall_time, exit.cause),
                (WallTime::Exceeded, ExitCause::Killed),
                "{then}"
            );
        }
    }
}

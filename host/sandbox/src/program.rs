//! A program that stands for a component: calls go to its host as lines of JSON.

use super::cpu_wall_time::CpuWallTime;
use super::guest_error::GuestError;
use super::invoke::{
    CallTypes, Value, ValueJsonError, answer_from_json, arguments_as_json, has_json,
};
use super::limiter::PeakMemory;
use bakeoff_compile::engine::Profile;
use bakeoff_confine::{
    MeasuredAnswer, ProgramError, ProgramFailure, ProgramFile, ProgramLink, ProgramStart,
};
use bakeoff_domain::failure::FailureClass;
use bakeoff_domain::spec::Limits;
use bakeoff_source::{FolderNode, FolderPlace, FolderProgram, Folders};
use std::cell::RefCell;

/// The most characters that are shown of a line that is no JSON.
const SHOWN_CHARS_MAX: usize = 60;

/// The units of fuel that stand for a nanosecond of CPU time, about as many as a component uses up in it.
const FUEL_PER_NS: u64 = 3;

/// A program that stands for a component, behind its host.
pub(super) struct Program {
    link: RefCell<ProgramLink>,
    profile: Profile,
}

/// The answer of a program, and its cost.
pub(super) struct ProgramAnswer {
    pub(super) value: Option<Value>,
    pub(super) time: CpuWallTime,
    /// Fuel, as CPU time stands for it, where calls are checked; otherwise 0.
    pub(super) fuel: u64,
}

impl Program {
    /// Gives a program to the next host that was started beside this process.
    pub(super) fn open(
        program: &FolderProgram,
        folders: &Folders,
        profile: Profile,
        limits: &Limits,
    ) -> Result<Self, GuestError> {
        let mut files = vec![ProgramFile {
            path: program.file.clone(),
            bytes: program.bytes.clone(),
        }];
        for (at, place) in folders.mounts() {
            add_files(folders, at.trim_start_matches('/'), place, &mut files);
        }
        let start = ProgramStart {
            command: program.command.clone(),
            file: program.file.clone(),
            files,
            answer_bytes_max: limits.output_bytes,
            timing: program.timing,
        };
        let link = ProgramLink::open(start).map_err(error_of)?;
        Ok(Self {
            link: RefCell::new(link),
            profile,
        })
    }

    /// Starts the program anew where calls are checked. Where they are timed it goes on: what it keeps cannot be taken
    /// from it without its start-up being timed.
    pub(super) fn instantiate(&self) -> Result<(), GuestError> {
        match self.profile {
            Profile::Checked => self.link.borrow_mut().start().map_err(error_of),
            Profile::Timed => Ok(()),
        }
    }

    /// Checks that a function can be answered in JSON; where calls are timed, it was checked before.
    pub(super) fn check(&self, types: &CallTypes, functions: u64) -> Result<(), GuestError> {
        if self.profile == Profile::Timed {
            return Ok(());
        }
        let unfit = |why: String| GuestError::new(FailureClass::WrongWorld, why);
        if functions > 1 {
            let why = "a program answers one function, and a resource has several";
            return Err(unfit(why.to_owned()));
        }
        has_json(types).map_err(|error| unfit(format!("a program cannot answer this: {error}")))
    }

    /// Calls the program. Its CPU time stands for fuel where calls are checked.
    pub(super) fn call(
        &self,
        types: &CallTypes,
        arguments: &[Value],
    ) -> Result<ProgramAnswer, GuestError> {
        let unfit = |error: String| GuestError::new(FailureClass::WrongAnswer, error);
        let line = arguments_as_json(arguments, types).map_err(|error| unfit(error.to_string()))?;
        let answered = self.link.borrow_mut().call(line).map_err(error_of)?;
        let MeasuredAnswer {
            line,
            cpu_ns,
            wall_ns,
        } = answered;
        let value = answer_from_json(&line, types).map_err(|error| match error {
            ValueJsonError::Syntax(_) => {
                let shown: String = line.chars().take(SHOWN_CHARS_MAX).collect();
                unfit(format!("{error}; the line begins with {shown:?}"))
            }
            error => unfit(error.to_string()),
        })?;
        Ok(ProgramAnswer {
            value,
            time: CpuWallTime { cpu_ns, wall_ns },
            fuel: match self.profile {
                Profile::Checked => cpu_ns.saturating_mul(FUEL_PER_NS),
                Profile::Timed => 0,
            },
        })
    }

    /// Ends the program, and returns the most memory that it had.
    pub(super) fn peak(&self) -> PeakMemory {
        PeakMemory {
            bytes: self.link.borrow_mut().end().unwrap_or(0),
            denied: false,
        }
    }
}

/// Adds the files of a granted folder, at the same paths below the program's folder.
fn add_files(folders: &Folders, at: &str, place: FolderPlace, files: &mut Vec<ProgramFile>) {
    match folders.at(place) {
        FolderNode::File(bytes) => files.push(ProgramFile {
            path: at.to_owned(),
            bytes: bytes.to_vec(),
        }),
        FolderNode::Folder(entries) => {
            for (name, below) in (0..entries).filter_map(|entry| folders.entry(place, entry)) {
                add_files(folders, &format!("{at}/{name}"), below, files);
            }
        }
    }
}

fn error_of(error: ProgramError) -> GuestError {
    let failure = match error {
        ProgramError::Failed(failure) => failure,
        lost @ ProgramError::Lost(_) => {
            return GuestError::new(FailureClass::RunnerCrashed, lost.to_string());
        }
    };
    match failure {
        ProgramFailure::NotStarted(why) => GuestError::new(
            FailureClass::Exited,
            format!("the program cannot be started: {why}"),
        ),
        ProgramFailure::Ended { how, said } => {
            let said = said.map_or_else(String::new, |said| format!("; its last output: {said}"));
            GuestError::new(
                FailureClass::Exited,
                format!("the program {how} instead of answering{said}"),
            )
        }
        ProgramFailure::TooLong(bytes) => GuestError {
            class: FailureClass::OutputLimit,
            message: "answered with a longer line than it may".to_owned(),
            limit: Some(format!("output = {bytes} bytes")),
        },
        ProgramFailure::MoreThanOneLine => GuestError::new(
            FailureClass::WrongAnswer,
            "wrote more than one line for one request",
        ),
        ProgramFailure::NoTurn => {
            GuestError::new(FailureClass::WrongAnswer, "wrote to stdout in its call")
        }
        ProgramFailure::NotText => GuestError::new(
            FailureClass::WrongAnswer,
            "answered with bytes that are not UTF-8",
        ),
    }
}

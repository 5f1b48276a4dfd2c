//! The protocol between the parent and a runner: requests and replies.
//!
//! A request is one message: a header and, behind it, the precompiled components and the other contents that it points
//! into. Code is pointed at in another way than content, so that nothing is loaded as code that was sent as content. Replies
//! are small frames. The next step of a runner is an [announcement](super::announcement), not a reply.

use super::requests::Requests;
use super::wave_case::WaveCase;
use bakeoff_domain::report::CaseLabel;
use bakeoff_domain::spec::Limits;
use bakeoff_sandbox::Imports;
use bakeoff_source::{Folders, PackedFolders, StartedProgram};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A precompiled component behind the header: its place among all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuestCode(u32);

/// A range of the contents behind the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blob {
    start: u64,
    len: u64,
}

/// A guest's code, with the files that it is granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guest {
    /// The component.
    pub code: GuestCode,
    /// The files, and values of parameters, if there are any.
    pub files: Option<Blob>,
}

/// A request to a runner.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunnerRequest<C> {
    /// The path of the export that is called.
    pub path: Vec<String>,
    /// The limits of every call, workload or prototype.
    pub limits: Limits,
    /// The source of inputs.
    pub inputs: RunnerInputs<GuestCode>,
    /// The call that the runner serves.
    pub call: C,
}

/// The source of inputs and judge of answers. `W` is the workload's code in the checked profile:
/// its bytes, or their place in a request.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum RunnerInputs<W> {
    /// The workload component.
    Workload {
        /// The code of the workload.
        code: W,
        /// The requests to `generate`, one for each case.
        requests: Requests,
        /// The meaning of the generated value: the argument list (a tuple) or the only argument.
        arguments: Arguments,
        /// `true` if the workload exports `check`.
        oracle: bool,
        /// `true` if the workload exports `assess`.
        assesses: bool,
    },
    /// Calls and expected answers, in WAVE.
    Cases(Vec<WaveCase>),
}

impl<W> RunnerInputs<W> {
    /// Returns the number of cases.
    pub fn cases(&self) -> usize {
        match self {
            Self::Workload { requests, .. } => requests.cases(),
            Self::Cases(cases) => cases.len(),
        }
    }

    /// Returns true if right answers can be told from wrong ones.
    pub fn has_oracle(&self) -> bool {
        match self {
            Self::Workload { oracle, .. } => *oracle,
            Self::Cases(cases) => cases.iter().all(|case| case.expect.is_some()),
        }
    }

    /// Returns true if the cases are instances of one set.
    pub fn are_instances(&self) -> bool {
        matches!(
            self,
            Self::Workload {
                requests: Requests::Instances(_),
                ..
            }
        )
    }

    /// Returns the label of each case in reports: its size, its name, or the call itself.
    pub fn labels(&self) -> Vec<CaseLabel> {
        match self {
            Self::Workload { requests, .. } => requests.labels(),
            Self::Cases(cases) => {
                let calls = cases.iter().map(|case| case.call.clone());
                calls.map(CaseLabel::Call).collect()
            }
        }
    }

    /// Returns the same inputs with the workload's code in another form.
    pub fn map_code<V>(&self, form: impl FnOnce(&W) -> V) -> RunnerInputs<V> {
        match self {
            Self::Cases(cases) => RunnerInputs::Cases(cases.clone()),
            Self::Workload {
                code,
                requests,
                arguments,
                oracle,
                assesses,
            } => RunnerInputs::Workload {
                code: form(code),
                requests: requests.clone(),
                arguments: *arguments,
                oracle: *oracle,
                assesses: *assesses,
            },
        }
    }
}

/// The meaning of the value that `generate` returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Arguments {
    /// A tuple with one item for each parameter.
    Tuple,
    /// The only argument.
    Single,
}

/// A request that is being put together.
#[derive(Debug, Default)]
pub struct Bundle {
    /// The bytes of all code, and the length of each.
    code: Vec<u8>,
    lengths: Vec<u64>,
    /// All other contents.
    bytes: Vec<u8>,
    /// Granted files by their digest: several variants may have the same ones.
    files: BTreeMap<String, Blob>,
    /// The programs among the guests, in the order of the guests.
    programs: Vec<StartedProgram>,
}

impl Bundle {
    /// Adds the code of a component, and returns its place.
    pub fn add_code(&mut self, bytes: &[u8]) -> GuestCode {
        let place = GuestCode(u32::try_from(self.lengths.len()).unwrap_or(u32::MAX));
        self.lengths.push(bytes.len() as u64);
        self.code.extend_from_slice(bytes);
        place
    }

    /// Adds a content, and returns its place.
    pub fn add(&mut self, bytes: &[u8]) -> Blob {
        let start = self.bytes.len() as u64;
        self.bytes.extend_from_slice(bytes);
        Blob {
            start,
            len: bytes.len() as u64,
        }
    }

    /// Adds granted files unless they are there already, and returns their place.
    pub fn add_files(&mut self, files: &PackedFolders) -> Blob {
        if let Some(blob) = self.files.get(&files.digest) {
            return *blob;
        }
        let blob = self.add(&files.bytes);
        self.files.insert(files.digest.clone(), blob);
        blob
    }

    /// Adds a guest's code and the files that it is granted.
    pub fn add_guest(&mut self, code: &[u8], files: Option<&PackedFolders>) -> Guest {
        self.programs
            .extend(files.and_then(|files| files.program.clone()));
        Guest {
            code: self.add_code(code),
            files: files.map(|files| self.add_files(files)),
        }
    }

    /// Returns the programs among the guests, in the order of the guests, which is that in which they are loaded.
    pub fn programs(&self) -> &[StartedProgram] {
        &self.programs
    }

    /// Returns the whole message.
    ///
    /// # Errors
    /// The header cannot be written. No valid request causes this.
    pub fn seal<C: Serialize>(
        self,
        request: &RunnerRequest<C>,
    ) -> Result<Vec<u8>, postcard::Error> {
        let header = postcard::to_stdvec(request)?;
        let mut code = &self.code[..];
        let parts = RequestParts {
            header: &header,
            code: self
                .lengths
                .iter()
                .filter_map(|length| code.split_off(..usize::try_from(*length).ok()?))
                .collect(),
            content: &self.bytes,
        };
        Ok(parts.to_message())
    }
}

/// A request message as its parts, without a look into them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestParts<'a> {
    /// The encoded header: a [`RunnerRequest`].
    pub header: &'a [u8],
    /// Each precompiled component.
    pub code: Vec<&'a [u8]>,
    /// All other contents.
    pub content: &'a [u8],
}

/// The most precompiled components of a request: as many as a replica may have variants, and more.
const CODE_MAX: usize = 1 << 16;

impl<'a> RequestParts<'a> {
    /// Takes a message apart.
    ///
    /// # Errors
    /// The message was not made by [`to_message`](Self::to_message).
    pub fn read(message: &'a [u8]) -> Result<Self, String> {
        let (header, rest) = split(message).ok_or("a request that is shorter than its header")?;
        let (count, mut rest) = number(rest).ok_or("a request without its code")?;
        if count > CODE_MAX {
            return Err("a request with too many components".to_owned());
        }
        let mut code = Vec::new();
        for _ in 0..count {
            let (bytes, after) = split(rest).ok_or("a component outside the request")?;
            code.push(bytes);
            rest = after;
        }
        Ok(Self {
            header,
            code,
            content: rest,
        })
    }

    /// Returns the message.
    pub fn to_message(&self) -> Vec<u8> {
        let code: usize = self.code.iter().map(|code| 8 + code.len()).sum();
        let length = 16 + self.header.len() + code + self.content.len();
        let mut message = Vec::with_capacity(length);
        message.extend_from_slice(&(self.header.len() as u64).to_le_bytes());
        message.extend_from_slice(self.header);
        message.extend_from_slice(&(self.code.len() as u64).to_le_bytes());
        for code in &self.code {
            message.extend_from_slice(&(code.len() as u64).to_le_bytes());
            message.extend_from_slice(code);
        }
        message.extend_from_slice(self.content);
        message
    }
}

/// Splits off a number of eight bytes, the lowest first.
fn number(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (number, rest) = bytes.split_first_chunk::<8>()?;
    Some((usize::try_from(u64::from_le_bytes(*number)).ok()?, rest))
}

/// Splits off a length and as many bytes.
fn split(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = number(bytes)?;
    rest.split_at_checked(length)
}

/// A request message, read.
#[derive(Debug)]
pub struct RequestMessage<'a> {
    /// The header, without the call.
    pub request: RunnerRequest<()>,
    code: Vec<&'a [u8]>,
    content: &'a [u8],
    /// Granted files that were read already, shared between variants.
    folders: RefCell<Vec<(Blob, Arc<Folders>)>>,
}

impl<'a> RequestMessage<'a> {
    /// Reads a message, and returns its call beside it.
    ///
    /// # Errors
    /// The message was not made by [`Bundle::seal`].
    pub fn read<C: DeserializeOwned>(message: &'a [u8]) -> Result<(Self, C), String> {
        let parts = RequestParts::read(message)?;
        let request: RunnerRequest<C> =
            postcard::from_bytes(parts.header).map_err(|error| error.to_string())?;
        let opened = Self {
            request: RunnerRequest {
                path: request.path,
                limits: request.limits,
                inputs: request.inputs,
                call: (),
            },
            code: parts.code,
            content: parts.content,
            folders: RefCell::default(),
        };
        Ok((opened, request.call))
    }

    /// Returns the code of a component.
    ///
    /// # Errors
    /// The message has no such code.
    pub fn code(&self, code: GuestCode) -> Result<&'a [u8], String> {
        let place = usize::try_from(code.0).map_err(|error| error.to_string())?;
        let code = self.code.get(place).copied();
        code.ok_or_else(|| "a component outside the request".to_owned())
    }

    /// Returns the bytes of a blob.
    ///
    /// # Errors
    /// The blob points outside the message.
    pub fn blob(&self, blob: Blob) -> Result<&'a [u8], String> {
        let start = usize::try_from(blob.start).map_err(|error| error.to_string())?;
        let len = usize::try_from(blob.len).map_err(|error| error.to_string())?;
        start
            .checked_add(len)
            .and_then(|end| self.content.get(start..end))
            .ok_or_else(|| "a content outside the request".to_owned())
    }

    /// Returns the imports of a variant: WASI, with the files that it is granted.
    ///
    /// # Errors
    /// The blob points outside the message, or was not written by [`Folders::to_bytes`].
    pub fn imports(&self, granted: Option<Blob>) -> Result<Imports, String> {
        self.granted(granted).map(Imports::Wasi)
    }

    /// Returns the granted folders, which are read once for all variants that have the same.
    pub fn granted(&self, granted: Option<Blob>) -> Result<Arc<Folders>, String> {
        let Some(granted) = granted else {
            return Ok(Arc::default());
        };
        let mut read = self.folders.borrow_mut();
        if let Some((_, folders)) = read.iter().find(|(blob, _)| *blob == granted) {
            return Ok(Arc::clone(folders));
        }
        let folders = Arc::new(Folders::from_bytes(self.blob(granted)?)?);
        read.push((granted, Arc::clone(&folders)));
        Ok(folders)
    }
}

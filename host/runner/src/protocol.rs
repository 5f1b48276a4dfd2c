//! The protocol between the parent and a runner: requests and replies.
//!
//! A request is one message: a header and, behind it, the precompiled components that it points into. Replies are small
//! frames. The next step of a runner is an [announcement](super::announcement), not a reply.

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

/// A range of the bytes behind the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blob {
    start: u64,
    len: u64,
}

/// A guest's code, with the files that it is granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guest {
    /// The component.
    pub code: Blob,
    /// The files, and values of parameters, if there are any.
    pub files: Option<Blob>,
}

/// A request to a runner.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Request<C> {
    /// The path of the export that is called.
    pub path: Vec<String>,
    /// The limits of every call, workload or prototype.
    pub limits: Limits,
    /// The source of inputs.
    pub inputs: Inputs<Blob>,
    /// The call that the runner serves.
    pub call: C,
}

/// The source of inputs and judge of answers. `W` is the workload's code in the checked profile:
/// its bytes, or their place in a request.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Inputs<W> {
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

impl<W> Inputs<W> {
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
    pub fn map_code<V>(&self, form: impl FnOnce(&W) -> V) -> Inputs<V> {
        match self {
            Self::Cases(cases) => Inputs::Cases(cases.clone()),
            Self::Workload {
                code,
                requests,
                arguments,
                oracle,
                assesses,
            } => Inputs::Workload {
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
    bytes: Vec<u8>,
    /// Granted files by their digest: several variants may have the same ones.
    files: BTreeMap<String, Blob>,
    /// The programs among the guests, in the order of the guests.
    programs: Vec<StartedProgram>,
}

impl Bundle {
    /// Adds a component's bytes, and returns their place.
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
            code: self.add(code),
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
    pub fn seal<C: Serialize>(self, request: &Request<C>) -> Result<Vec<u8>, postcard::Error> {
        let header = postcard::to_stdvec(request)?;
        let mut message = Vec::with_capacity(8 + header.len() + self.bytes.len());
        message.extend_from_slice(&(header.len() as u64).to_le_bytes());
        message.extend_from_slice(&header);
        message.extend_from_slice(&self.bytes);
        Ok(message)
    }
}

/// A request message, read.
#[derive(Debug)]
pub struct Opened<'a> {
    /// The header, without the call.
    pub request: Request<()>,
    blobs: &'a [u8],
    /// Granted files that were read already, shared between variants.
    folders: RefCell<Vec<(Blob, Arc<Folders>)>>,
}

impl<'a> Opened<'a> {
    /// Reads a message, and returns its call beside it.
    ///
    /// # Errors
    /// The message was not made by [`Bundle::seal`].
    pub fn read<C: DeserializeOwned>(message: &'a [u8]) -> Result<(Self, C), String> {
        let (len, rest) = message
            .split_first_chunk::<8>()
            .ok_or("a request without a header")?;
        let len = usize::try_from(u64::from_le_bytes(*len)).map_err(|error| error.to_string())?;
        let header = rest
            .get(..len)
            .ok_or("a request that is shorter than its header")?;
        let request: Request<C> =
            postcard::from_bytes(header).map_err(|error| error.to_string())?;
        let opened = Self {
            request: Request {
                path: request.path,
                limits: request.limits,
                inputs: request.inputs,
                call: (),
            },
            blobs: &rest[len..],
            folders: RefCell::default(),
        };
        Ok((opened, request.call))
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
            .and_then(|end| self.blobs.get(start..end))
            .ok_or_else(|| "a component outside the request".to_owned())
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

//! `wasi:io`: streams over memory, and waiting in virtual time. Nothing waits in real time: inputs
//! and outputs are always ready, and waiting for a time advances the clock to it.

use super::state::{Handle, VirtualWorld};
use bakeoff_source::FolderNode;
use wasmtime::component::Resource;
use wasmtime::{Result, bail};
use wasmtime_wasi::p2::bindings::sync::io::{poll, streams};
use wasmtime_wasi::p2::{
    DynInputStream, DynOutputStream, DynPollable, IoError, StreamError, StreamResult,
};
use wasmtime_wasi_io::bindings::wasi::io::error;

/// The most bytes of one read; a guest asks again for more.
const CHUNK_BYTES: u64 = 64 << 10;

/// The bytes of a read that count as one host call.
const BYTES_PER_CALL: u64 = 1 << 10;

/// The most bytes of a blocking write, by the specification of the interface.
const BLOCKING_WRITE_BYTES: u64 = 4096;

fn trap(error: wasmtime::Error) -> StreamError {
    StreamError::Trap(error)
}

impl error::Host for VirtualWorld {}

impl error::HostError for VirtualWorld {
    fn to_debug_string(&mut self, _: Resource<IoError>) -> Result<String> {
        self.enter()?;
        // No stream here fails with such an error, so no guest has one.
        Ok("an error".to_owned())
    }

    fn drop(&mut self, error: Resource<IoError>) -> Result<()> {
        self.release(&error)
    }
}

impl poll::Host for VirtualWorld {
    fn poll(&mut self, pollables: Vec<Resource<DynPollable>>) -> Result<Vec<u32>> {
        self.charge(1 + pollables.len() as u64)?;
        let times: Vec<u64> = pollables
            .iter()
            .map(|pollable| self.ready_at(pollable))
            .collect::<Result<_>>()?;
        let Some(first) = times.iter().copied().min() else {
            bail!("an empty list of pollables would never be ready");
        };
        self.sleep_until(first)?;
        let now = self.now_ns();
        let ready = times.iter().enumerate().filter(|(_, time)| **time <= now);
        Ok(ready.map(|(index, _)| index as u32).collect())
    }
}

impl poll::HostPollable for VirtualWorld {
    fn ready(&mut self, pollable: Resource<DynPollable>) -> Result<bool> {
        self.enter()?;
        // Reading the clock advances it, so that polling in a loop ends.
        let now = self.read_clock();
        Ok(self.ready_at(&pollable)? <= now)
    }

    fn block(&mut self, pollable: Resource<DynPollable>) -> Result<()> {
        self.enter()?;
        let until = self.ready_at(&pollable)?;
        self.sleep_until(until)
    }

    fn drop(&mut self, pollable: Resource<DynPollable>) -> Result<()> {
        self.release(&pollable)
    }
}

impl VirtualWorld {
    fn ready_at(&mut self, pollable: &Resource<DynPollable>) -> Result<u64> {
        match self.handle(pollable)? {
            Handle::ReadyAt(time) => Ok(*time),
            _ => bail!("the handle is not a pollable"),
        }
    }

    /// Reads the next bytes of an input: at most `len`, and at least one if `len` is not 0.
    fn read(&mut self, stream: &Resource<DynInputStream>, len: u64) -> StreamResult<Vec<u8>> {
        self.enter().map_err(trap)?;
        let Handle::Reading(place, at) = self.handle(stream).map_err(trap)?.clone() else {
            return Err(StreamError::Closed);
        };
        let FolderNode::File(contents) = self.folders.at(place) else {
            return Err(StreamError::Closed);
        };
        let from = usize::try_from(at).unwrap_or(usize::MAX);
        let rest = contents.get(from..).unwrap_or_default();
        if rest.is_empty() {
            return Err(StreamError::Closed);
        }
        let len = (len.min(CHUNK_BYTES) as usize).min(rest.len());
        let bytes = rest[..len].to_vec();
        self.charge(len as u64 / BYTES_PER_CALL).map_err(trap)?;
        *self.handle(stream).map_err(trap)? = Handle::Reading(place, at + len as u64);
        Ok(bytes)
    }

    fn write_zeros(&mut self, len: u64) -> StreamResult<()> {
        self.enter().map_err(trap)?;
        let zeros = [0; 4096];
        let mut left = len;
        while left > 0 {
            let chunk = left.min(zeros.len() as u64);
            self.write(&zeros[..chunk as usize]).map_err(trap)?;
            left -= chunk;
        }
        Ok(())
    }

    fn check_blocking_length(bytes: u64) -> StreamResult<()> {
        if bytes <= BLOCKING_WRITE_BYTES {
            Ok(())
        } else {
            Err(StreamError::trap(
                "a blocking write takes at most 4096 bytes",
            ))
        }
    }
}

impl streams::Host for VirtualWorld {
    fn convert_stream_error(&mut self, error: StreamError) -> Result<streams::StreamError> {
        match error {
            StreamError::Closed => Ok(streams::StreamError::Closed),
            StreamError::LastOperationFailed(error) | StreamError::Trap(error) => Err(error),
        }
    }
}

impl streams::HostInputStream for VirtualWorld {
    fn read(&mut self, stream: Resource<DynInputStream>, len: u64) -> StreamResult<Vec<u8>> {
        VirtualWorld::read(self, &stream, len)
    }

    fn blocking_read(
        &mut self,
        stream: Resource<DynInputStream>,
        len: u64,
    ) -> StreamResult<Vec<u8>> {
        VirtualWorld::read(self, &stream, len)
    }

    fn skip(&mut self, stream: Resource<DynInputStream>, len: u64) -> StreamResult<u64> {
        Ok(VirtualWorld::read(self, &stream, len)?.len() as u64)
    }

    fn blocking_skip(&mut self, stream: Resource<DynInputStream>, len: u64) -> StreamResult<u64> {
        Ok(VirtualWorld::read(self, &stream, len)?.len() as u64)
    }

    fn subscribe(&mut self, _: Resource<DynInputStream>) -> Result<Resource<DynPollable>> {
        self.enter()?;
        self.new_handle(Handle::ReadyAt(0))
    }

    fn drop(&mut self, stream: Resource<DynInputStream>) -> Result<()> {
        self.release(&stream)
    }
}

impl streams::HostOutputStream for VirtualWorld {
    fn check_write(&mut self, _: Resource<DynOutputStream>) -> StreamResult<u64> {
        self.enter().map_err(trap)?;
        Ok(self.room_to_write())
    }

    fn write(&mut self, _: Resource<DynOutputStream>, bytes: Vec<u8>) -> StreamResult<()> {
        self.enter().map_err(trap)?;
        VirtualWorld::write(self, &bytes).map_err(trap)
    }

    fn blocking_write_and_flush(
        &mut self,
        _: Resource<DynOutputStream>,
        bytes: Vec<u8>,
    ) -> StreamResult<()> {
        self.enter().map_err(trap)?;
        Self::check_blocking_length(bytes.len() as u64)?;
        VirtualWorld::write(self, &bytes).map_err(trap)
    }

    fn flush(&mut self, _: Resource<DynOutputStream>) -> StreamResult<()> {
        self.enter().map_err(trap)
    }

    fn blocking_flush(&mut self, _: Resource<DynOutputStream>) -> StreamResult<()> {
        self.enter().map_err(trap)
    }

    fn subscribe(&mut self, _: Resource<DynOutputStream>) -> Result<Resource<DynPollable>> {
        self.enter()?;
        self.new_handle(Handle::ReadyAt(0))
    }

    fn write_zeroes(&mut self, _: Resource<DynOutputStream>, len: u64) -> StreamResult<()> {
        self.write_zeros(len)
    }

    fn blocking_write_zeroes_and_flush(
        &mut self,
        _: Resource<DynOutputStream>,
        len: u64,
    ) -> StreamResult<()> {
        Self::check_blocking_length(len)?;
        self.write_zeros(len)
    }

    fn splice(
        &mut self,
        _: Resource<DynOutputStream>,
        source: Resource<DynInputStream>,
        len: u64,
    ) -> StreamResult<u64> {
        let bytes = VirtualWorld::read(self, &source, len)?;
        VirtualWorld::write(self, &bytes).map_err(trap)?;
        Ok(bytes.len() as u64)
    }

    fn blocking_splice(
        &mut self,
        output: Resource<DynOutputStream>,
        source: Resource<DynInputStream>,
        len: u64,
    ) -> StreamResult<u64> {
        self.splice(output, source, len)
    }

    fn drop(&mut self, stream: Resource<DynOutputStream>) -> Result<()> {
        self.release(&stream)
    }
}

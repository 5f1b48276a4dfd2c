//! `wasi:io`: streams over memory, and waiting in virtual time. Nothing ever waits in real time:
//! inputs and outputs are always ready, and clocks are moved on to when they are.

use super::state::{Handle, Virtual};
use crate::artifact::Standing;
use wasmtime::component::Resource;
use wasmtime::{Result, bail};
use wasmtime_wasi::p2::bindings::sync::io::{poll, streams};
use wasmtime_wasi::p2::{
    DynInputStream, DynOutputStream, DynPollable, IoError, StreamError, StreamResult,
};
use wasmtime_wasi_io::bindings::wasi::io::error;

/// Bytes that a read or a write of zeroes moves at most; a guest asks again for more.
const CHUNK_BYTES: u64 = 64 << 10;

/// Bytes read that count as one call of the host.
const BYTES_PER_CALL: u64 = 1 << 10;

/// Bytes of a write that waits until it is done, by the interface's own rule.
const BLOCKING_WRITE_BYTES: u64 = 4096;

fn trap(error: wasmtime::Error) -> StreamError {
    StreamError::Trap(error)
}

impl error::Host for Virtual {}

impl error::HostError for Virtual {
    fn to_debug_string(&mut self, _: Resource<IoError>) -> Result<String> {
        self.enter()?;
        // No stream here ever fails with such an error; a guest cannot have one.
        Ok("an error".to_owned())
    }

    fn drop(&mut self, error: Resource<IoError>) -> Result<()> {
        self.release(&error)
    }
}

impl poll::Host for Virtual {
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

impl poll::HostPollable for Virtual {
    fn ready(&mut self, pollable: Resource<DynPollable>) -> Result<bool> {
        self.enter()?;
        // Who asks again and again waits, too: looking takes time.
        let now = self.look_at_clock();
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

impl Virtual {
    fn ready_at(&mut self, pollable: &Resource<DynPollable>) -> Result<u64> {
        match self.handle(pollable)? {
            Handle::ReadyAt(time) => Ok(*time),
            _ => bail!("a handle that is no pollable"),
        }
    }

    /// The next bytes of an input: at most so many, at least one unless none are wanted.
    fn read(&mut self, stream: &Resource<DynInputStream>, len: u64) -> StreamResult<Vec<u8>> {
        self.enter().map_err(trap)?;
        let Handle::Reading(place, at) = self.handle(stream).map_err(trap)?.clone() else {
            return Err(StreamError::Closed);
        };
        let Standing::File(contents) = self.folders.at(place) else {
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

    fn short(bytes: u64) -> StreamResult<()> {
        match bytes <= BLOCKING_WRITE_BYTES {
            true => Ok(()),
            false => Err(StreamError::trap(
                "a blocking write takes at most 4096 bytes",
            )),
        }
    }
}

impl streams::Host for Virtual {
    fn convert_stream_error(&mut self, error: StreamError) -> Result<streams::StreamError> {
        match error {
            StreamError::Closed => Ok(streams::StreamError::Closed),
            StreamError::LastOperationFailed(error) | StreamError::Trap(error) => Err(error),
        }
    }
}

impl streams::HostInputStream for Virtual {
    fn read(&mut self, stream: Resource<DynInputStream>, len: u64) -> StreamResult<Vec<u8>> {
        Virtual::read(self, &stream, len)
    }

    fn blocking_read(
        &mut self,
        stream: Resource<DynInputStream>,
        len: u64,
    ) -> StreamResult<Vec<u8>> {
        Virtual::read(self, &stream, len)
    }

    fn skip(&mut self, stream: Resource<DynInputStream>, len: u64) -> StreamResult<u64> {
        Ok(Virtual::read(self, &stream, len)?.len() as u64)
    }

    fn blocking_skip(&mut self, stream: Resource<DynInputStream>, len: u64) -> StreamResult<u64> {
        Ok(Virtual::read(self, &stream, len)?.len() as u64)
    }

    fn subscribe(&mut self, _: Resource<DynInputStream>) -> Result<Resource<DynPollable>> {
        self.enter()?;
        self.give(Handle::ReadyAt(0))
    }

    fn drop(&mut self, stream: Resource<DynInputStream>) -> Result<()> {
        self.release(&stream)
    }
}

impl streams::HostOutputStream for Virtual {
    fn check_write(&mut self, _: Resource<DynOutputStream>) -> StreamResult<u64> {
        self.enter().map_err(trap)?;
        Ok(self.room_to_write())
    }

    fn write(&mut self, _: Resource<DynOutputStream>, bytes: Vec<u8>) -> StreamResult<()> {
        self.enter().map_err(trap)?;
        Virtual::write(self, &bytes).map_err(trap)
    }

    fn blocking_write_and_flush(
        &mut self,
        _: Resource<DynOutputStream>,
        bytes: Vec<u8>,
    ) -> StreamResult<()> {
        self.enter().map_err(trap)?;
        Self::short(bytes.len() as u64)?;
        Virtual::write(self, &bytes).map_err(trap)
    }

    fn flush(&mut self, _: Resource<DynOutputStream>) -> StreamResult<()> {
        self.enter().map_err(trap)
    }

    fn blocking_flush(&mut self, _: Resource<DynOutputStream>) -> StreamResult<()> {
        self.enter().map_err(trap)
    }

    fn subscribe(&mut self, _: Resource<DynOutputStream>) -> Result<Resource<DynPollable>> {
        self.enter()?;
        self.give(Handle::ReadyAt(0))
    }

    fn write_zeroes(&mut self, _: Resource<DynOutputStream>, len: u64) -> StreamResult<()> {
        self.write_zeros(len)
    }

    fn blocking_write_zeroes_and_flush(
        &mut self,
        _: Resource<DynOutputStream>,
        len: u64,
    ) -> StreamResult<()> {
        Self::short(len)?;
        self.write_zeros(len)
    }

    fn splice(
        &mut self,
        _: Resource<DynOutputStream>,
        source: Resource<DynInputStream>,
        len: u64,
    ) -> StreamResult<u64> {
        let bytes = Virtual::read(self, &source, len)?;
        Virtual::write(self, &bytes).map_err(trap)?;
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

//! `wasi:random`: numbers that follow from a seed.

use super::state::{RANDOM_BYTES_MAX, VirtualWorld};
use bakeoff_config::units::show_bytes;
use bakeoff_domain::attempt::AttemptKind;
use bakeoff_domain::failure::FailureClass;
use wasmtime::Result;
use wasmtime_wasi::p2::bindings::random::{insecure, insecure_seed, random};

/// Bytes of randomness that count as one call of the host.
const BYTES_PER_CALL: u64 = 64;

impl VirtualWorld {
    fn random_bytes(&mut self, len: u64) -> Result<Vec<u8>> {
        if len > RANDOM_BYTES_MAX {
            return Err(self.refuse(
                AttemptKind::RandomFlood,
                FailureClass::HostLimit,
                "asked for more random bytes at once than it may",
                format!("random = {}", show_bytes(RANDOM_BYTES_MAX)),
            ));
        }
        self.charge(1 + len / BYTES_PER_CALL)?;
        let len = len as usize;
        let mut bytes = Vec::with_capacity(len + 8);
        while bytes.len() < len {
            bytes.extend(self.random_u64().to_le_bytes());
        }
        bytes.truncate(len);
        Ok(bytes)
    }
}

impl random::Host for VirtualWorld {
    fn get_random_bytes(&mut self, len: u64) -> Result<Vec<u8>> {
        self.random_bytes(len)
    }

    fn get_random_u64(&mut self) -> Result<u64> {
        self.enter()?;
        Ok(self.random_u64())
    }
}

impl insecure::Host for VirtualWorld {
    fn get_insecure_random_bytes(&mut self, len: u64) -> Result<Vec<u8>> {
        self.random_bytes(len)
    }

    fn get_insecure_random_u64(&mut self) -> Result<u64> {
        self.enter()?;
        Ok(self.random_u64())
    }
}

impl insecure_seed::Host for VirtualWorld {
    fn insecure_seed(&mut self) -> Result<(u64, u64)> {
        self.enter()?;
        Ok((self.random_u64(), self.random_u64()))
    }
}

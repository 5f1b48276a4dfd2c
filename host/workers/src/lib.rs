//! Workers on other machines. A [`Fleet`] belongs to a run: it knows which machines there are, and gives its queue a seat for
//! each of their cores; what takes a seat is sent there as bytes, and comes back as frames. A [`Service`] is the other end: it
//! takes tasks as its cores become free, and believes nothing in them.
//!
//! Both speak through a [`wire`]: NATS JetStream, or a channel in tests. The contract of tasks and frames is that of
//! [`bakeoff_confine::tasks`].

mod address;
mod error;
mod facts;
mod fleet;
mod fleet_state;
mod machines;
mod messages;
#[cfg(feature = "nats")]
mod nats;
mod rechecks;
mod remote_worker;
mod service;
#[cfg(test)]
mod tests;
pub mod wire;

pub use address::{ServerAddress, ServerCredentials};
pub use error::WorkersError;
pub use facts::{MachineName, WorkerFacts};
pub use fleet::{Fleet, MachineStatus, Racer};
pub use fleet_state::{PackedTask, Packer};
pub use machines::MachineState;
pub use rechecks::{FalseAnswer, RecheckShare};
pub use service::{Service, ServiceEvent, TaskContents, TaskServer};

/// Connects a run to a server of workers.
///
/// # Errors
/// The server does not answer, refuses the credentials, or has no JetStream.
pub async fn connect_run(
    address: &ServerAddress,
    credentials: &ServerCredentials,
    session: &str,
) -> Result<wire::RunEnds, WorkersError> {
    #[cfg(feature = "nats")]
    return nats::connect_run(address, credentials, session).await;
    #[cfg(not(feature = "nats"))]
    {
        let _ = (credentials, session);
        Err(WorkersError::NotBuiltIn(address.to_string()))
    }
}

/// Connects the worker of this machine to a server.
///
/// # Errors
/// As for [`connect_run`].
pub async fn connect_worker(
    address: &ServerAddress,
    credentials: &ServerCredentials,
    machine: &MachineName,
    cores: usize,
) -> Result<wire::WorkerEnds, WorkersError> {
    #[cfg(feature = "nats")]
    return nats::connect_worker(address, credentials, machine, cores).await;
    #[cfg(not(feature = "nats"))]
    {
        let _ = (credentials, machine, cores);
        Err(WorkersError::NotBuiltIn(address.to_string()))
    }
}

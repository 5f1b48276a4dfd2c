//! `wasi:cli`: no environment, no arguments, no terminal; an empty input, bounded outputs.

use super::state::{Handle, VirtualWorld};
use crate::guest_error::{GuestError, Refusal};
use bakeoff_domain::attempt::AttemptKind;
use bakeoff_domain::failure::FailureClass;
use wasmtime::Result;
use wasmtime::component::Resource;
use wasmtime_wasi::p2::bindings::cli::{
    environment, exit, stderr, stdin, stdout, terminal_input, terminal_output, terminal_stderr,
    terminal_stdin, terminal_stdout,
};
use wasmtime_wasi::p2::{DynInputStream, DynOutputStream};

impl environment::Host for VirtualWorld {
    fn get_environment(&mut self) -> Result<Vec<(String, String)>> {
        self.enter()?;
        Ok(Vec::new())
    }

    fn get_arguments(&mut self) -> Result<Vec<String>> {
        self.enter()?;
        Ok(Vec::new())
    }

    fn initial_cwd(&mut self) -> Result<Option<String>> {
        self.enter()?;
        Ok(None)
    }
}

impl VirtualWorld {
    /// The error of a guest that ends its process instead of returning.
    fn exited(&self, status: u8) -> wasmtime::Error {
        let status = format!("status {status}");
        self.record(AttemptKind::Exit, &status);
        let message = format!("ended its process with {status} instead of answering");
        wasmtime::Error::new(Refusal(GuestError::new(FailureClass::Exited, message)))
    }
}

impl exit::Host for VirtualWorld {
    fn exit(&mut self, status: Result<(), ()>) -> Result<()> {
        Err(self.exited(u8::from(status.is_err())))
    }

    fn exit_with_code(&mut self, status: u8) -> Result<()> {
        Err(self.exited(status))
    }
}

impl stdin::Host for VirtualWorld {
    fn get_stdin(&mut self) -> Result<Resource<DynInputStream>> {
        self.enter()?;
        self.new_handle(Handle::EmptyInput)
    }
}

impl stdout::Host for VirtualWorld {
    fn get_stdout(&mut self) -> Result<Resource<DynOutputStream>> {
        self.enter()?;
        self.new_handle(Handle::Output)
    }
}

impl stderr::Host for VirtualWorld {
    fn get_stderr(&mut self) -> Result<Resource<DynOutputStream>> {
        self.enter()?;
        self.new_handle(Handle::Output)
    }
}

impl terminal_input::Host for VirtualWorld {}

impl terminal_input::HostTerminalInput for VirtualWorld {
    fn drop(&mut self, terminal: Resource<terminal_input::TerminalInput>) -> Result<()> {
        self.release(&terminal)
    }
}

impl terminal_output::Host for VirtualWorld {}

impl terminal_output::HostTerminalOutput for VirtualWorld {
    fn drop(&mut self, terminal: Resource<terminal_output::TerminalOutput>) -> Result<()> {
        self.release(&terminal)
    }
}

impl terminal_stdin::Host for VirtualWorld {
    fn get_terminal_stdin(&mut self) -> Result<Option<Resource<terminal_input::TerminalInput>>> {
        self.enter()?;
        Ok(None)
    }
}

impl terminal_stdout::Host for VirtualWorld {
    fn get_terminal_stdout(&mut self) -> Result<Option<Resource<terminal_output::TerminalOutput>>> {
        self.enter()?;
        Ok(None)
    }
}

impl terminal_stderr::Host for VirtualWorld {
    fn get_terminal_stderr(&mut self) -> Result<Option<Resource<terminal_output::TerminalOutput>>> {
        self.enter()?;
        Ok(None)
    }
}

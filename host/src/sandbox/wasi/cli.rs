//! `wasi:cli`: no environment, no arguments, no terminal; an empty input, bounded outputs.

use super::state::{Handle, Refusal, Virtual};
use crate::sandbox::outcome::Breach;
use bakeoff_domain::attempt::AttemptKind;
use bakeoff_domain::failure::FailureClass;
use wasmtime::Result;
use wasmtime::component::Resource;
use wasmtime_wasi::p2::bindings::cli::{
    environment, exit, stderr, stdin, stdout, terminal_input, terminal_output, terminal_stderr,
    terminal_stdin, terminal_stdout,
};
use wasmtime_wasi::p2::{DynInputStream, DynOutputStream};

impl environment::Host for Virtual {
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

impl Virtual {
    /// Ending the process is a failure: whoever is called answers.
    fn exited(&self, status: u8) -> wasmtime::Error {
        let words = format!("status {status}");
        self.note(AttemptKind::Exit, &words);
        let message = format!("ended its process with {words} instead of answering");
        wasmtime::Error::new(Refusal(Breach::new(FailureClass::Exited, message)))
    }
}

impl exit::Host for Virtual {
    fn exit(&mut self, status: Result<(), ()>) -> Result<()> {
        Err(self.exited(u8::from(status.is_err())))
    }

    fn exit_with_code(&mut self, status: u8) -> Result<()> {
        Err(self.exited(status))
    }
}

impl stdin::Host for Virtual {
    fn get_stdin(&mut self) -> Result<Resource<DynInputStream>> {
        self.enter()?;
        self.give(Handle::EmptyInput)
    }
}

impl stdout::Host for Virtual {
    fn get_stdout(&mut self) -> Result<Resource<DynOutputStream>> {
        self.enter()?;
        self.give(Handle::Output)
    }
}

impl stderr::Host for Virtual {
    fn get_stderr(&mut self) -> Result<Resource<DynOutputStream>> {
        self.enter()?;
        self.give(Handle::Output)
    }
}

impl terminal_input::Host for Virtual {}

impl terminal_input::HostTerminalInput for Virtual {
    fn drop(&mut self, terminal: Resource<terminal_input::TerminalInput>) -> Result<()> {
        self.release(&terminal)
    }
}

impl terminal_output::Host for Virtual {}

impl terminal_output::HostTerminalOutput for Virtual {
    fn drop(&mut self, terminal: Resource<terminal_output::TerminalOutput>) -> Result<()> {
        self.release(&terminal)
    }
}

impl terminal_stdin::Host for Virtual {
    fn get_terminal_stdin(&mut self) -> Result<Option<Resource<terminal_input::TerminalInput>>> {
        self.enter()?;
        Ok(None)
    }
}

impl terminal_stdout::Host for Virtual {
    fn get_terminal_stdout(&mut self) -> Result<Option<Resource<terminal_output::TerminalOutput>>> {
        self.enter()?;
        Ok(None)
    }
}

impl terminal_stderr::Host for Virtual {
    fn get_terminal_stderr(&mut self) -> Result<Option<Resource<terminal_output::TerminalOutput>>> {
        self.enter()?;
        Ok(None)
    }
}

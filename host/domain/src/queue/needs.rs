//! Resources that tasks take while they are leased.

/// Use of the machine's cores by a task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cpu {
    /// No core: the task waits for something else.
    #[default]
    None,
    /// A core for itself, whatever runs on the others.
    Core,
    /// A core for itself, while the others run only tasks that need quiet as well.
    QuietCore,
    /// A core for itself, while nothing runs on the others.
    WholeMachine,
}

/// Number of a seat: the place for one task on another machine. No number is used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SeatId(pub u64);

/// Machines on which a task may run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// This machine alone.
    #[default]
    Here,
    /// Any machine: the first attempt takes a [seat](SeatId) if one is free, and all others run here.
    Anywhere,
    /// Any machine with the compiler of this one: the first attempt takes such a seat if one is free.
    WithCompiler,
}

/// Tokens of a rate limit that an attempt uses up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tokens {
    /// The name of the limit.
    pub rate: String,
    /// The number of tokens.
    pub count: u32,
}

/// Resources that a task takes while it is leased.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Use of cores.
    pub cpu: Cpu,
    /// Memory in bytes.
    pub memory_bytes: u64,
    /// Tokens of a rate limit, which do not come back when the task ends.
    pub tokens: Option<Tokens>,
    /// Machines on which it may run. On another one it takes no core and no memory of this one.
    pub place: Place,
}

impl Needs {
    /// Returns the needs of a task that takes a core or cores, and nothing else.
    pub fn cpu(cpu: Cpu) -> Self {
        Self {
            cpu,
            ..Self::default()
        }
    }
}

//! What tasks take while they are leased.

/// How a task uses the machine's cores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cpu {
    /// It waits for something else, and takes no core.
    #[default]
    None,
    /// It has a core of its own, whatever runs on the others.
    Core,
    /// It has a core of its own, and on the others runs only what needs quiet as well.
    QuietCore,
    /// It has a core of its own, and nothing runs on the others.
    WholeMachine,
}

/// Tokens of a rate limit that an attempt uses up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tokens {
    /// The name of the limit.
    pub rate: String,
    /// The number of tokens.
    pub count: u32,
}

/// What a task takes while it is leased.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Its use of cores.
    pub cpu: Cpu,
    /// Memory in bytes.
    pub memory_bytes: u64,
    /// Tokens, which do not come back.
    pub tokens: Option<Tokens>,
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

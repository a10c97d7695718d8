//! The ways guest code can end badly, as types, and how `wasmtime`'s errors are told apart.
//!
//! Messages are verb phrases about the guest (`ran longer than its 1 s limit`): the layer above puts the plugin's
//! name and release before them and the work after them. Nothing above this file sees a `wasmtime` error.

use super::store::Stopped;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;
use wasmtime::Trap;

/// Longest engine text quoted in a message, in characters; more is noise to whoever reads it.
const QUOTE: usize = 300;

/// Why a guest gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// It ran too long. The plugin's fault.
    #[error("ran longer than its {} limit", Seconds(*.limit))]
    Deadline {
        /// The limit of this kind of work.
        limit: Duration,
    },
    /// It asked for too much memory. The plugin's fault.
    #[error("needed more than its limit of {} of memory", Bytes(*.limit))]
    Memory {
        /// The limit of this kind of work, in bytes.
        limit: usize,
        /// What it asked for in all, in bytes.
        asked: usize,
    },
    /// It asked for too large a table. The plugin's fault.
    #[error("needed a table of {asked} elements, over its limit of {limit}")]
    Table {
        /// Elements allowed.
        limit: usize,
        /// Elements asked for.
        asked: usize,
    },
    /// Its answer is too large. The plugin's fault.
    #[error("handed over more than its limit of {}", Bytes(*.limit))]
    HandedOver {
        /// The limit of this kind of work, in bytes.
        limit: usize,
    },
    /// It recursed too deep. The plugin's fault.
    #[error("overflowed its stack of {}", Bytes(*.limit))]
    StackOverflow {
        /// The stack's size in bytes.
        limit: usize,
    },
    /// It panicked, reached memory that is not its own, or handed over something that is not what it promised.
    /// The plugin's fault.
    #[error("stopped with a fault ({text})")]
    Trap {
        /// The engine's words.
        text: String,
    },
    /// It could not be started: too many instances, or a fault in its start-up code. The plugin's fault.
    #[error("could not be started ({text})")]
    Start {
        /// The engine's words.
        text: String,
    },
    /// It does not compile. The plugin's fault.
    #[error("is not a valid component ({text})")]
    Compile {
        /// The engine's words.
        text: String,
    },
    /// Compiling it took too long. The plugin's fault, on a machine that is not overloaded.
    #[error("takes longer to compile than its {} limit", Seconds(*.limit))]
    CompileTime {
        /// The limit for a file of its length.
        limit: Duration,
    },
    /// Compiling it takes too much memory. The plugin's fault.
    #[error("takes more memory to compile than its limit of {}", Bytes(*.limit))]
    CompileMemory {
        /// The limit, in bytes.
        limit: usize,
    },
    /// The compiler fell over it: a stack that overflowed, an allocation that failed. The plugin's fault, or ours.
    #[error("ended its compiler ({text})")]
    CompilerEnded {
        /// How it ended, and its first words about that.
        text: String,
    },
    /// Its functions are not those of the contract it states. The plugin's fault.
    #[error("does not have the functions of `{contract}` ({text})")]
    Link {
        /// The contract it states, for example `abi-mcp:mapper@0.1.0`.
        contract: String,
        /// The engine's words.
        text: String,
    },
    /// It needs what it was not granted, or its own manifest cannot be read.
    #[error("is not run: {text}")]
    Ungranted {
        /// What is missing.
        text: String,
    },
    /// A directory it was granted cannot be opened. The operator's to see to.
    #[error("was granted the directory `{}`, which cannot be opened ({text})", .path.display())]
    Grant {
        /// The directory on this machine.
        path: PathBuf,
        /// The system's words.
        text: String,
    },
    /// The caller no longer wants the answer. Nobody's fault.
    #[error("was cancelled")]
    Cancelled,
    /// The host could not run it. Our fault, or the machine's.
    #[error("could not be run by the host ({text})")]
    Host {
        /// What happened.
        text: String,
    },
}

impl Error {
    /// A stable name for this kind of error.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Deadline { .. } => "sandbox::deadline",
            Self::Memory { .. } => "sandbox::memory",
            Self::Table { .. } => "sandbox::table",
            Self::HandedOver { .. } => "sandbox::handed_over",
            Self::StackOverflow { .. } => "sandbox::stack_overflow",
            Self::Trap { .. } => "sandbox::trap",
            Self::Start { .. } => "sandbox::start",
            Self::Compile { .. } => "sandbox::compile",
            Self::CompileTime { .. } => "sandbox::compile_time",
            Self::CompileMemory { .. } => "sandbox::compile_memory",
            Self::CompilerEnded { .. } => "sandbox::compiler_ended",
            Self::Link { .. } => "sandbox::link",
            Self::Ungranted { .. } => "sandbox::ungranted",
            Self::Grant { .. } => "sandbox::grant",
            Self::Cancelled => "sandbox::cancelled",
            Self::Host { .. } => "sandbox::host",
        }
    }

    /// What whoever runs this program could do about it, where something can be done.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::CompileTime { .. } => Some(
                "if it is trusted, give it more time: `time_ms` under `[limits.compile]` of the configuration, and start again",
            ),
            Self::CompileMemory { .. } => Some(
                "if it is trusted, give it more memory: `memory_mib` under `[limits.compile]` of the configuration, and start \
                 again",
            ),
            Self::CompilerEnded { .. } => Some("tell its author; a smaller or simpler build may compile"),
            _ => None,
        }
    }

    /// A component that lacks a function of its contract, or has it with other types.
    pub(crate) fn link(contract: &str, error: &wasmtime::Error) -> Self {
        Self::Link { contract: contract.to_owned(), text: words(error) }
    }
}

/// What was being done when `wasmtime` gave an error that none of our own limits explains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Making an instance.
    Start,
    /// Calling one of its functions.
    Call,
}

/// Tells `wasmtime`'s errors apart by type.
pub(super) fn classify(error: &wasmtime::Error, stage: Stage, handed_over: usize, stack: usize) -> Error {
    if let Some(stopped) = error.downcast_ref::<Stopped>() {
        return stopped.0.clone();
    }
    if error.downcast_ref::<Trap>() == Some(&Trap::StackOverflow) {
        return Error::StackOverflow { limit: stack };
    }
    if is_hostcall_fuel(error) {
        return Error::HandedOver { limit: handed_over };
    }
    let text = words(error);
    match stage {
        Stage::Start => Error::Start { text },
        Stage::Call => Error::Trap { text },
    }
}

/// The engine's own words for a cause: the first line, without its prefix, of bounded length.
pub(super) fn words(error: &wasmtime::Error) -> String {
    let cause = error.root_cause().to_string();
    let line = cause.lines().next().unwrap_or_default();
    quoted(line.trim_start_matches("wasm trap: "))
}

/// A line of bounded length without controls.
pub(super) fn quoted(line: &str) -> String {
    line.chars().filter(|c| !c.is_control()).take(QUOTE).collect()
}

/// Whether the guest's answer was too large for the host to copy.
///
/// The engine keeps this error's type to itself, so its name (not its words) is the only mark. The engine's release is
/// pinned, and `an_answer_over_the_limit_is_not_copied` fails should a new one rename it.
fn is_hostcall_fuel(error: &wasmtime::Error) -> bool {
    format!("{:?}", error.root_cause()) == "HostcallFuelExhausted"
}

/// Whole seconds or milliseconds.
struct Seconds(Duration);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.subsec_millis() {
            0 => write!(f, "{} s", self.0.as_secs()),
            _ => write!(f, "{} ms", self.0.as_millis()),
        }
    }
}

/// Whole MiB, KiB or bytes.
struct Bytes(usize);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            bytes if bytes >= 1 << 20 && bytes.is_multiple_of(1 << 20) => write!(f, "{} MiB", bytes >> 20),
            bytes if bytes >= 1 << 10 && bytes.is_multiple_of(1 << 10) => write!(f, "{} KiB", bytes >> 10),
            bytes => write!(f, "{bytes} bytes"),
        }
    }
}

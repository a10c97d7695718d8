//! The one table of what guest code may use, by the kind of work it does.
//!
//! Nothing here enforces anything: `store` turns a row into a limited store. Configuration and tests change rows,
//! never code elsewhere.

use std::time::Duration;

const MIB: usize = 1 << 20;

/// What a guest is asked to do. Each kind has a row in [`Limits`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Work {
    /// Be compiled and linked; nothing of it runs.
    Prepare,
    /// Say whether a manifest is understood.
    Recognise,
    /// Turn a manifest into methods and render their signatures, in one instance.
    Map,
    /// Say which functions an engine can run.
    Support,
    /// Write a tool manifest in a format of the ecosystem's own.
    Project,
    /// Encode the arguments of one call.
    Encode,
    /// Decode the result of one call.
    Decode,
    /// Explain one failure.
    Explain,
    /// Execute a function in an engine.
    Execute,
    /// Say which tools an extension has.
    List,
    /// Run a tool of an extension.
    Extend,
}

impl Work {
    /// The work as it reads in a message: `ran longer than its 1 s limit while` ... .
    #[must_use]
    pub fn doing(self) -> &'static str {
        match self {
            Self::Prepare => "being compiled",
            Self::Recognise => "recognising a manifest",
            Self::Map => "mapping a manifest",
            Self::Support => "saying which functions it can run",
            Self::Project => "writing a tool manifest",
            Self::Encode => "encoding arguments",
            Self::Decode => "decoding a result",
            Self::Explain => "explaining a failure",
            Self::Execute => "executing a function",
            Self::List => "listing its tools",
            Self::Extend => "running a tool",
        }
    }
}

/// What one call may use. The call's store is dropped when it goes over any of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Wall-clock time from the moment a worker takes the job. Protects the worker threads from endless loops.
    pub time: Duration,
    /// Bytes of linear memory, all memories of the call together. Protects the host's memory.
    pub memory: usize,
    /// Bytes the guest may hand over in one answer, counted as the host's own copies. Protects the host's heap, which
    /// the guest's memory limit does not cover.
    pub handed_over: usize,
}

/// What every call may make, whatever its work. Real guests stay far below; each number stops a bomb.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    /// Core instances in one component. Python's component needs more than 20; each costs the host some KiB.
    pub instances: usize,
    /// Linear memories. A component of two linked modules has two; each reserves 4 GiB of address space.
    pub memories: usize,
    /// Tables. One for each core module is usual.
    pub tables: usize,
    /// Elements in one table (functions a guest can call indirectly). Each costs the host 8 bytes.
    pub table_elements: usize,
    /// Live resource handles. Mappers have none; an extension has one for each open stream or file.
    pub handles: usize,
    /// Bytes of stack for guest code. Beyond it a guest that recurses stops; host threads have room for it.
    pub stack: usize,
}

/// The table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// For [`Work::Prepare`], [`Work::Recognise`], [`Work::Map`], [`Work::Support`], [`Work::Project`] and [`Work::List`]:
    /// whole manifests, once for each app, on any machine. Manifests of 1,600 methods take tens of milliseconds.
    pub manifest: Bounds,
    /// For [`Work::Encode`] and [`Work::Decode`]: one call's values; a person or model is waiting.
    pub codec: Bounds,
    /// For [`Work::Explain`]: a few hundred bytes in, a sentence out, possibly by several decoders in turn. One that brings a
    /// JavaScript engine starts with 9 MiB and takes 2 to 5 ms.
    pub explain: Bounds,
    /// For [`Work::Execute`]: real computation.
    pub engine: Bounds,
    /// For [`Work::Extend`]: real work, possibly with a network's answer in it.
    pub extension: Bounds,
    /// For requests of extensions.
    pub web: WebBounds,
    /// For making machine code of a component, in a process of its own.
    pub compile: CompileBounds,
    /// For every kind of work.
    pub counts: Counts,
}

/// What the requests of one call may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WebBounds {
    /// Requests, redirects included.
    pub requests: u32,
    /// Bytes of one answer's body. It is passed on as it comes; the bound protects whoever pays for the line.
    pub response: usize,
    /// From the first lookup to a usable connection, TLS included.
    pub connect: Duration,
    /// Without a byte, from the request to its answer and within the answer.
    pub silence: Duration,
}

/// What compiling one component may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompileBounds {
    /// Wall-clock time for any file. An honest component takes half a second for each MiB on an idle machine and a release
    /// build; small ones wait for processors more than they compute. Protects the workers and the processors.
    pub time: Duration,
    /// Time on top for each MiB of the file, begun ones counted: 20 times what is usual.
    pub time_per_mib: Duration,
    /// Bytes of resident memory of the compiler's process, this program's own code in it. Protects the machine's memory.
    pub memory: usize,
}

impl CompileBounds {
    /// The time for a file of `length` bytes.
    #[must_use]
    pub fn time_for(&self, length: usize) -> Duration {
        let mebibytes = u32::try_from(length.div_ceil(MIB)).unwrap_or(u32::MAX);
        self.time.saturating_add(self.time_per_mib.saturating_mul(mebibytes))
    }
}

impl Default for CompileBounds {
    /// 3 minutes for the largest component seen (12 MiB of JavaScript, 6 s), 12 for the largest file that is read.
    fn default() -> Self {
        Self { time: Duration::from_secs(60), time_per_mib: Duration::from_secs(10), memory: 2048 * MIB }
    }
}

impl Default for WebBounds {
    fn default() -> Self {
        Self { requests: 64, response: 32 * MIB, connect: Duration::from_secs(10), silence: Duration::from_secs(20) }
    }
}

impl Limits {
    /// The row for a kind of work.
    #[must_use]
    pub fn of(&self, work: Work) -> Bounds {
        match work {
            Work::Prepare | Work::Recognise | Work::Map | Work::Support | Work::Project | Work::List => self.manifest,
            Work::Encode | Work::Decode => self.codec,
            Work::Explain => self.explain,
            Work::Execute => self.engine,
            Work::Extend => self.extension,
        }
    }

    /// The most memory any kind of work allows; a component that declares more can never start.
    #[must_use]
    pub fn largest_memory(&self) -> usize {
        [self.manifest, self.codec, self.explain, self.engine, self.extension]
            .iter()
            .map(|bounds| bounds.memory)
            .max()
            .unwrap_or_default()
    }
}

impl Default for Limits {
    fn default() -> Self {
        let bounds = |time, memory, handed_over| Bounds { time, memory: memory * MIB, handed_over: handed_over * MIB };
        Self {
            manifest: bounds(Duration::from_secs(20), 512, 64),
            codec: bounds(Duration::from_secs(1), 64, 64),
            explain: bounds(Duration::from_millis(200), 32, 1),
            engine: bounds(Duration::from_secs(30), 256, 64),
            extension: bounds(Duration::from_secs(30), 256, 64),
            web: WebBounds::default(),
            compile: CompileBounds::default(),
            counts: Counts {
                instances: 100,
                memories: 8,
                tables: 100,
                table_elements: 100_000,
                handles: 1_000,
                stack: super::engine::WASM_STACK,
            },
        }
    }
}

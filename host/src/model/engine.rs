//! What an engine says of itself and of a call that failed.

/// What an engine is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineAbout {
    /// What it runs, by its own name.
    pub name: String,
    /// The release of what it runs.
    pub release: String,
    /// The licence of the component, as an SPDX expression.
    pub licence: String,
    /// What this build lacks, one line each.
    pub limits: Vec<String>,
}

/// A call-spec an engine cannot run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsupported {
    /// Its position in the list that was asked about.
    pub index: usize,
    /// What is missing.
    pub reason: String,
}

/// Which part of a call failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// An argument could not be read; the function was not run.
    Arguments,
    /// The function refused or failed.
    Execution,
    /// The result could not be written down.
    Outcome,
}

/// Why an engine's call failed, in the ecosystem's own words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineFailure {
    /// Which part failed.
    pub stage: Stage,
    /// The argument, where one is to blame.
    pub argument: Option<String>,
    /// The ecosystem's own error code.
    pub code: Option<String>,
    /// One line.
    pub message: String,
}

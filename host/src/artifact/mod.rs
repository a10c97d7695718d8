//! artifact.

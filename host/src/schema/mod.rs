//! The schemas a model sees, and holding values to them.
//!
//! [`portable`] narrows a mapper's full JSON Schema to the profile that real clients accept; [`arguments`] holds what a
//! caller sends to the narrowed schema, and says what is wrong; [`result`] folds what a backend answers into text and
//! structure that fit it. Pure functions: no apps, no tools, no I/O.

pub(crate) mod arguments;
pub(crate) mod portable;
pub(crate) mod result;

/// The largest integer JavaScript holds exactly, 2^53 - 1; its clients round what is larger without a word.
pub(crate) const SAFE_INTEGER: u64 = (1 << 53) - 1;

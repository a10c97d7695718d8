//! The one way this program compiles a schema.
//!
//! Draft 2020-12, nothing fetched, patterns by a linear-time engine of bounded size: a stranger's pattern can be
//! refused here but never be slow later.

use jsonschema::{Draft, PatternOptions, Validator};
use serde_json::{Value, json};

/// The largest compiled pattern, in bytes: far above any hex, uuid or digits pattern, far below what is felt.
const PATTERN_SIZE: usize = 1 << 20;

/// A schema the validator does not take.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the schema cannot be compiled: {0}")]
pub(crate) struct Uncompilable(String);

/// Compiles a schema for many checks.
///
/// # Errors
///
/// For a schema that is not valid in draft 2020-12; never for one this module made.
pub(crate) fn compile(schema: &Value) -> Result<Validator, Uncompilable> {
    jsonschema::options()
        .with_draft(Draft::Draft202012)
        .with_pattern_options(PatternOptions::regex().size_limit(PATTERN_SIZE).dfa_size_limit(PATTERN_SIZE))
        .should_validate_formats(false)
        .build(schema)
        .map_err(|error| Uncompilable(error.to_string()))
}

/// Whether every client and the engine read a pattern: no look-around, no back-reference, not too large.
pub(super) fn is_portable_pattern(pattern: &str) -> bool {
    compile(&json!({"type": "string", "pattern": pattern})).is_ok()
}

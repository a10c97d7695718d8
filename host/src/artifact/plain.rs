//! What the functions of a component without a contract of ours would be.
//!
//! In come its bytes, out come its tools as WIT spells them, and the functions that are none, with the reason. The types
//! are read from the compiled component, so it is compiled; nothing of it runs.

use crate::artifact::{Digest, cache};
use crate::contract::plain_functions;
use crate::model::Skipped;
use crate::sandbox::{self, Sandbox};

/// The functions of a component, as tools and as what is skipped. Blocks while it compiles, within the sandbox's bounds.
///
/// # Errors
/// What the compiler says of it.
pub fn functions(bytes: &[u8], sandbox: &Sandbox) -> Result<(Vec<String>, Vec<Skipped>), sandbox::Error> {
    let compiled = cache::compiled(bytes, &Digest::of(bytes), None, &sandbox.compiler(false))?;
    Ok(plain_functions(&compiled))
}

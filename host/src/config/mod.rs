//! What the operator said, checked: environment variables today, `abi-mcp.toml` beside them later.
//!
//! In: a way to look a variable up. Out: [`Settings`], plain values. Nothing below this reads the environment.

mod settings;

pub use settings::{Error, ManifestSetting, Settings};

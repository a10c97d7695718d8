//! What the operator said, checked: `abi-mcp.toml`, environment variables over it, and flags over both.
//!
//! In: a way to look a variable up, and where the file is. Out: [`Settings`], plain values. Nothing below this reads
//! the environment or the file. The file goes: [`file`] (find, read) -> [`reader`] (text to checked values, by the types
//! of [`schema`] and [`words`]) -> `resolve` -> [`settings`]; `supply` reads it again while the process serves, with what was
//! `dropped` into the plugin folder; [`docs`] makes the operator's page of the same schema.

pub mod append;
pub mod docs;
mod dropped;
pub mod file;
pub mod reader;
mod resolve;
pub mod schema;
mod secrets;
mod settings;
mod supply;
pub mod words;

pub use dropped::Odd;
pub use file::{ConfigFile, FileError, Place};
pub use settings::{Error, ManifestSetting, Settings};
pub use supply::ConfiguredPlugins;

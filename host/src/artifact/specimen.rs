//! Files for tests: the hostile guest, variants of it, and small components made byte by byte.

use super::plugin::{Origin, Plugin};
use crate::model::PluginRelease;
use crate::sandbox::{Limits, Sandbox};
use std::path::PathBuf;
use std::sync::Arc;

/// The hostile guest as `cargo xtask guests` built it.
pub(super) fn hostile() -> Vec<u8> {
    guest("hostile")
}

/// A test guest as `cargo xtask guests` built it.
pub(crate) fn guest(name: &str) -> Vec<u8> {
    let folder = std::env::var_os("ABI_MCP_TEST_GUESTS")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../components/tests"), PathBuf::from);
    let path = folder.join(format!("{name}.wasm"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("`{}`: {error}: run `cargo xtask guests`", path.display()))
}

/// The hostile guest with another persona (see its `behave.rs`); also another digest.
pub(super) fn persona(persona: &str) -> Vec<u8> {
    let mark = b"persona=tidy";
    let width = 40;
    let mut bytes = hostile();
    let places: Vec<usize> = (0..bytes.len() - width).filter(|at| bytes[*at..].starts_with(mark)).collect();
    let [at] = places[..] else { panic!("the persona is in the guest {} times, not once", places.len()) };
    let text = format!("{:width$}", format!("persona={persona}"));
    bytes[at..at + width].copy_from_slice(text.as_bytes());
    bytes
}

/// Bytes with a custom section added: the same component, another digest.
pub(super) fn marked(mut bytes: Vec<u8>, mark: &str) -> Vec<u8> {
    bytes.extend(section(0, &[name("mark"), mark.as_bytes().to_vec()].concat()));
    bytes
}

/// Replaces every occurrence of a text by one of the same length.
pub(super) fn replaced(mut bytes: Vec<u8>, from: &str, to: &str) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let mut at = 0;
    while at + from.len() <= bytes.len() {
        if bytes[at..].starts_with(from.as_bytes()) {
            bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
        }
        at += 1;
    }
    bytes
}

/// A component that exports one empty interface under each name, and imports one under each.
pub(super) fn component(imports: &[&str], exports: &[&str]) -> Vec<u8> {
    let mut bytes = b"\0asm\x0d\0\x01\0".to_vec();
    bytes.extend(section(7, &[1, 0x42, 0])); // one type: an instance without members
    let import = |import: &&str| [vec![0], name(import), vec![5, 0]].concat();
    bytes.extend(section(10, &vector(imports.iter().map(import).collect())));
    bytes.extend(section(5, &[1, 1, 0])); // one instance without members, after the imported ones
    let local = u8::try_from(imports.len()).unwrap();
    let export = |export: &&str| [vec![0], name(export), vec![5, local, 0]].concat();
    bytes.extend(section(11, &vector(exports.iter().map(export).collect())));
    bytes
}

/// A core module that imports the given function of no arguments.
pub(super) fn module(import: (&str, &str)) -> Vec<u8> {
    let mut bytes = b"\0asm\x01\0\0\0".to_vec();
    bytes.extend(section(1, &[1, 0x60, 0, 0]));
    bytes.extend(section(2, &[vec![1], name(import.0), name(import.1), vec![0, 0]].concat()));
    bytes
}

/// A core module of a memory with this minimum, in pages of 64 KiB.
pub(super) fn memory_module(pages: u32) -> Vec<u8> {
    let mut bytes = b"\0asm\x01\0\0\0".to_vec();
    bytes.extend(section(5, &[vec![1, 0], leb(pages)].concat()));
    bytes
}

/// A core module whose start function never ends.
pub(super) fn looping_module() -> Vec<u8> {
    let mut bytes = b"\0asm\x01\0\0\0".to_vec();
    bytes.extend(section(1, &[1, 0x60, 0, 0]));
    bytes.extend(section(3, &[1, 0]));
    bytes.extend(section(8, &[0]));
    bytes.extend(section(10, &[1, 7, 0, 0x03, 0x40, 0x0c, 0, 0x0b, 0x0b]));
    bytes
}

/// A component with one more core module, instantiated `times` times whenever the component is.
pub(super) fn with_module(mut component: Vec<u8>, module: &[u8], times: u32) -> Vec<u8> {
    let mut modules = 0;
    let mut depth = 0;
    for payload in wasmparser::Parser::new(0).parse_all(&component) {
        match payload.unwrap() {
            wasmparser::Payload::ModuleSection { .. } if depth == 1 => modules += 1,
            wasmparser::Payload::Version { .. } => depth += 1,
            wasmparser::Payload::End(_) => depth -= 1,
            _ => {}
        }
    }
    component.extend(section(1, module));
    let instance = [vec![0], leb(modules), vec![0]].concat();
    component.extend(section(2, &vector(vec![instance; times as usize])));
    component
}

/// A plugin of these bytes in a sandbox, third party for the ecosystem `testing`.
pub(super) fn plugin(name: &str, release: &str, bytes: Vec<u8>, sandbox: &Arc<Sandbox>) -> Arc<Plugin> {
    load(name, release, Origin::ThirdParty { ecosystems: ["testing".to_owned()].into() }, bytes, sandbox)
}

/// A plugin of these bytes; its compiled code is shared by all tests of a process.
pub(super) fn load(name: &str, release: &str, origin: Origin, bytes: Vec<u8>, sandbox: &Arc<Sandbox>) -> Arc<Plugin> {
    let cache = std::env::temp_dir().join(format!("abi-mcp-tests-{}", rustix::process::geteuid().as_raw()));
    let release = PluginRelease(release.to_owned());
    Arc::new(Plugin::load(name, release, origin, bytes.into(), sandbox, Some(cache)).unwrap())
}

/// The usual limits.
pub(super) fn sandbox() -> Arc<Sandbox> {
    Sandbox::new(Limits::default())
}

fn section(id: u8, content: &[u8]) -> Vec<u8> {
    [vec![id], leb(u32::try_from(content.len()).unwrap()), content.to_vec()].concat()
}

fn vector(items: Vec<Vec<u8>>) -> Vec<u8> {
    [leb(u32::try_from(items.len()).unwrap()), items.concat()].concat()
}

fn name(text: &str) -> Vec<u8> {
    [leb(u32::try_from(text.len()).unwrap()), text.as_bytes().to_vec()].concat()
}

fn leb(mut number: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

//! What plugins cost that are configured, accepted and never called: starts, memory, processor time.
//!
//! In comes the binary and the tree's built components, out come rows for no, one and twenty plugins, each next to none at
//! all in the same run. Half of the plugins bring tools, half are mappers of an ecosystem nobody serves; each is a file of
//! its own with its own digest, padded to the size that a plugin with a language's runtime has.

use super::memory;
use super::session::Session;
use super::start;
use super::statistics::Samples;
use super::table::Table;
use crate::tree::Tree;
use anyhow::{Context, Result, ensure};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// How many plugins are configured.
const COUNTS: [usize; 3] = [0, 1, 20];

/// Bytes of each plugin's file.
const SIZE: usize = 2 << 20;

/// From the list to a quiet process: the look at all plugin files, which follows the first list, is over by then.
const SETTLED: Duration = Duration::from_secs(4);

/// Adds the rows; a note where the components are not built.
pub(super) fn measure(binary: &Path, tree: &Tree, starts: usize, table: &mut Table) -> Result<()> {
    let components = tree.components();
    let (tools, mapper) = (components.join("examples/search-files.wasm"), components.join("calimero-1.wasm"));
    if !tools.is_file() || !mapper.is_file() {
        table.note("no components are built, so idle plugins are not measured: `cargo xtask guests`".to_owned());
        return Ok(());
    }
    let mut none: Option<(Samples, Samples)> = None;
    for count in COUNTS {
        let place = Place::new(tree, count)?;
        place.accept(binary, &tools, &mapper)?;
        let served = || place.command(binary, &["serve"]);
        // The first one that brings tools is `p0`.
        let listed = if count == 0 { "\"tools\"" } else { "\"p0_search\"" };
        let initialize = start::to_first_line(served, starts).context("spawn to initialize reply")?;
        let list = start::to_tool_list(served, listed, starts).context("spawn to tools/list reply")?;
        let plugins = if count == 1 { "1 idle plugin".to_owned() } else { format!("{count} idle plugins") };
        let base = |at: fn(&(Samples, Samples)) -> &Samples| none.as_ref().map(|none| ("none", at(none)));
        table.row(&format!("spawn to `initialize` reply, {plugins}"), &initialize, base(|none| &none.0));
        table.row(&format!("spawn to `tools/list` reply, {plugins}"), &list, base(|none| &none.1));
        let (first, again) = (settled(&mut served())?, settled(&mut served())?);
        table.note(format!("{plugins} of {} MB: the first time {first}; from the second on {again}", SIZE >> 20));
        none.get_or_insert((initialize, list));
    }
    Ok(())
}

/// Memory and processor time of a server that has listed its tools and is left alone.
fn settled(command: &mut Command) -> Result<String> {
    let mut session = Session::start(command)?;
    session.initialize()?;
    session.request("tools/list", json!({}))?;
    let (early, listed) = (memory::resident(session.id())?, memory::processor_time(session.id())?);
    std::thread::sleep(SETTLED);
    let (late, settled) = (memory::resident(session.id())?, memory::processor_time(session.id())?);
    session.end()?;
    Ok(format!(
        "{:.1} MB and {} ms of processor time after `tools/list`, {:.1} MB and {} ms once all files were looked at",
        early.megabytes(),
        listed.as_millis(),
        late.megabytes(),
        settled.as_millis()
    ))
}

/// A folder with a configuration, its plugins and everything a server keeps.
struct Place {
    folder: PathBuf,
    count: usize,
}

impl Place {
    fn new(tree: &Tree, count: usize) -> Result<Self> {
        let folder = tree.bench().join(format!("plugins-{count}"));
        // Of an earlier run; there may be none.
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(folder.join("files")).with_context(|| format!("cannot make `{}`", folder.display()))?;
        Ok(Self { folder, count })
    }

    /// Writes the plugins and the configuration, and has the program accept each of them.
    fn accept(&self, binary: &Path, tools: &Path, mapper: &Path) -> Result<()> {
        let mut configuration = "[node]\nserve = false\n".to_owned();
        for at in 0..self.count {
            let (original, says) = match at % 2 {
                0 => (tools, "grants = { directories = [{ guest = \"/files\", host = \"files\" }] }"),
                _ => (mapper, "ecosystems = [\"nobodys\"]"),
            };
            std::fs::write(self.folder.join(format!("p{at}.wasm")), padded(std::fs::read(original)?, at))?;
            configuration.push_str(&format!("[[plugin]]\nname = \"p{at}\"\nfile = \"p{at}.wasm\"\n{says}\n"));
        }
        std::fs::write(self.folder.join("abi-mcp.toml"), configuration)?;
        for at in 0..self.count {
            let name = format!("p{at}");
            let done = self.command(binary, &["plugin", "accept", &name]).output()?;
            ensure!(done.status.success(), "`{name}` is not accepted: {}", String::from_utf8_lossy(&done.stderr));
        }
        Ok(())
    }

    fn command(&self, binary: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(binary);
        command.args(arguments).arg("--config").arg(self.folder.join("abi-mcp.toml"));
        command.env("ABI_MCP_CACHE_DIR", self.folder.join("cache"));
        command.env("CALIMERO_MCP_STATE_DIR", self.folder.join("state")).env("RUST_LOG", "off");
        command
    }
}

/// A component that does the same, of the usual size and with a digest of its own: a custom section is added.
fn padded(mut component: Vec<u8>, mark: usize) -> Vec<u8> {
    let name = b"padding";
    let padding = SIZE.saturating_sub(component.len());
    let content: Vec<u8> = (0..padding).map(|at| (at.wrapping_mul(31) ^ (at >> 8) ^ mark) as u8).collect();
    let mut length = 1 + name.len() + content.len();
    component.push(0);
    while length >= 0x80 {
        component.push((length & 0x7f) as u8 | 0x80);
        length >>= 7;
    }
    component.push(length as u8);
    component.push(name.len() as u8);
    component.extend(name);
    component.extend(content);
    component
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_padded_component_has_the_size_and_differs_from_every_other() {
        let (one, other) = (padded(b"\0asm".to_vec(), 1), padded(b"\0asm".to_vec(), 2));
        assert!(one.len() >= SIZE && one.len() < SIZE + 20, "{}", one.len());
        assert_ne!(one, other);
        let large = padded(vec![0; SIZE + 1], 1);
        assert_eq!(large.len(), SIZE + 1 + 3 + 7, "an empty section");
    }
}

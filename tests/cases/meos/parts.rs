//! Where the engine and the catalogs are, and a server of them.
//!
//! In come two folders, `components/engine` of the repository (or the one `ABI_MCP_MEOS` names) and the corpus; out come
//! servers. Knows no function.

use abi_mcp_tests::{Client, Reply, Spawn};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// What a server of MEOS is made of.
pub(crate) struct Parts {
    pub(crate) engine: PathBuf,
    /// The catalog of the release the engine runs.
    pub(crate) catalog: PathBuf,
}

impl Parts {
    /// `None` where they were not built, and a line that says so.
    pub(crate) fn find() -> Option<Self> {
        let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../components/engine");
        let folder = std::env::var_os("ABI_MCP_MEOS").map_or(built, PathBuf::from);
        let parts = Self { engine: folder.join("meos-engine.wasm"), catalog: folder.join("meos-catalog.json") };
        if let Some(missing) = [&parts.engine, &parts.catalog].into_iter().find(|path| !path.is_file()) {
            println!("skipped: there is no {}; `cargo xtask engine` builds it", missing.display());
            return None;
        }
        Some(parts)
    }

    /// `serve` with the engine and its own catalog.
    pub(crate) fn serve(&self) -> Spawn {
        self.serve_catalog(&self.catalog)
    }

    /// `serve` with the engine and another catalog.
    pub(crate) fn serve_catalog(&self, catalog: &Path) -> Spawn {
        let mut manifest = std::ffi::OsString::from("meos=");
        manifest.push(catalog);
        Spawn::serve(env!("CARGO_BIN_EXE_abi-mcp"))
            .argument("--manifest")
            .argument(manifest)
            .argument("--engine")
            .argument(&self.engine)
    }
}

/// The catalog of MobilityDB 1.4.0dev, unpacked into a folder that lives as long as the answer; `None` and a line where
/// there is no corpus.
pub(crate) fn corpus_catalog() -> Option<(PathBuf, TempDir)> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus");
    let packed = std::env::var_os("ABI_MCP_CORPUS").map_or(beside, PathBuf::from).join("meos/meos-idl.json.gz");
    if !packed.is_file() {
        println!("skipped: there is no {}; set ABI_MCP_CORPUS", packed.display());
        return None;
    }
    let unpacked = Command::new("gzip").arg("-dc").arg(&packed).output();
    let Some(unpacked) = unpacked.ok().filter(|output| output.status.success()) else {
        println!("skipped: `gzip -dc {}` does not run here", packed.display());
        return None;
    };
    let folder = tempfile::tempdir().unwrap();
    let catalog = folder.path().join("meos-idl.json");
    std::fs::write(&catalog, unpacked.stdout).unwrap();
    Some((catalog, folder))
}

/// Starts a server and waits until it has read the catalog: the first reading compiles the mapper and takes seconds.
///
/// # Panics
/// When it has no function after three minutes.
pub(crate) fn ready(spawn: &Spawn) -> Client {
    let mut client = spawn.connect();
    let started = Instant::now();
    while client.tools().is_empty() {
        assert!(started.elapsed() < Duration::from_secs(180), "no function: {}", client.stderr());
        std::thread::sleep(Duration::from_millis(100));
    }
    client
}

/// One call of a function, the way a model makes it where not all are listed.
pub(crate) fn run(client: &mut Client, function: &str, arguments: &Value) -> Reply {
    client.call("call", json!({"method": function, "args": arguments}))
}

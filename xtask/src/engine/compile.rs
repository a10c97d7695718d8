//! Runs the compiler over the units, two at a time, and only over those that changed.
//!
//! Comes in: units. Goes out: their objects. Beside each object lies the digest of everything it was made from: an
//! interrupted build goes on where it stopped, and a touched file costs one compiler run.

use super::digest::Digest;
use super::recipe::Unit;
use anyhow::{Context, Result, bail};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Zig as a C and C++ compiler, run in the work folder.
#[derive(Debug, Clone)]
pub(super) struct Compiler {
    pub(super) zig: PathBuf,
    pub(super) work: PathBuf,
}

impl Compiler {
    /// One of zig's tools, with its cache inside the work folder.
    pub(super) fn tool(&self, tool: &str) -> Command {
        let mut command = Command::new(&self.zig);
        command.arg(tool).current_dir(&self.work).stdin(Stdio::null());
        command
            .env("ZIG_GLOBAL_CACHE_DIR", self.work.join("cache"))
            .env("ZIG_LOCAL_CACHE_DIR", self.work.join("cache"));
        command
    }

    /// Compiles what is not current and answers with how many that was.
    pub(super) fn compile(&self, units: &[Unit]) -> Result<usize> {
        let mut stale = Vec::new();
        for unit in units {
            let key = self.key(unit)?;
            if !self.is_current(unit, &key) {
                stale.push((unit, key));
            }
        }
        let (next, failed) = (AtomicUsize::new(0), Mutex::new(None));
        let report = Report::new(stale.len());
        std::thread::scope(|scope| {
            for _ in 0..workers() {
                scope.spawn(|| {
                    while let Some((unit, key)) = stale.get(next.fetch_add(1, Ordering::Relaxed)) {
                        report.begins(&unit.name);
                        if let Err(error) = self.one(unit, key) {
                            next.store(usize::MAX / 2, Ordering::Relaxed);
                            if let Ok(mut failed) = failed.lock() {
                                failed.get_or_insert(error);
                            }
                        }
                    }
                });
            }
        });
        report.ends();
        match failed.into_inner() {
            Ok(None) => Ok(stale.len()),
            Ok(Some(error)) => Err(error),
            Err(_) => bail!("a compiler run's watcher failed"),
        }
    }

    fn one(&self, unit: &Unit, key: &str) -> Result<()> {
        let object = self.work.join(&unit.object);
        if let Some(folder) = object.parent() {
            std::fs::create_dir_all(folder).with_context(|| format!("cannot create `{}`", folder.display()))?;
        }
        let tool = if unit.source.extension().is_some_and(|end| end == "cpp") { "c++" } else { "cc" };
        let mut command = self.tool(tool);
        command.args(&unit.arguments).arg("-c").arg(&unit.source).arg("-o").arg(&unit.object);
        let output = command.output().with_context(|| format!("cannot start `{}`", self.zig.display()))?;
        if !output.status.success() {
            let text = String::from_utf8_lossy(&output.stderr);
            let shown: Vec<&str> = text.lines().take(30).collect();
            bail!("`{}` does not compile:\n{}", unit.name, shown.join("\n"));
        }
        std::fs::write(key_file(&object), key).with_context(|| format!("cannot write beside `{}`", object.display()))
    }

    fn key(&self, unit: &Unit) -> Result<String> {
        let mut digest = Digest::new();
        for argument in &unit.arguments {
            digest.bytes(argument.as_bytes());
        }
        digest.bytes(unit.headers.as_bytes());
        digest.file(&self.work.join(&unit.source))?;
        Ok(digest.finish())
    }

    fn is_current(&self, unit: &Unit, key: &str) -> bool {
        let object = self.work.join(&unit.object);
        object.is_file() && std::fs::read_to_string(key_file(&object)).is_ok_and(|text| text == key)
    }
}

fn key_file(object: &Path) -> PathBuf {
    let mut name = object.as_os_str().to_owned();
    name.push(".key");
    PathBuf::from(name)
}

/// As many as there are processors; GEOS takes about 500 MB a run.
fn workers() -> usize {
    std::thread::available_parallelism().map_or(2, |count| count.get().min(8))
}

/// `[ 37/215] name`: rewritten on a terminal, now and then in a log.
struct Report {
    total: usize,
    done: AtomicUsize,
    terminal: bool,
    shown: Mutex<Instant>,
}

impl Report {
    fn new(total: usize) -> Self {
        Self {
            total,
            done: AtomicUsize::new(0),
            terminal: std::io::stderr().is_terminal(),
            shown: Mutex::new(Instant::now()),
        }
    }

    fn begins(&self, name: &str) {
        let number = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        let Ok(mut shown) = self.shown.lock() else { return };
        let pause = if self.terminal { Duration::from_millis(100) } else { Duration::from_secs(15) };
        if shown.elapsed() < pause && number != 1 {
            return;
        }
        *shown = Instant::now();
        let width = self.total.to_string().len();
        let line = format!("[{number:>width$}/{}] {name}", self.total);
        let mut stderr = std::io::stderr();
        // Progress that nobody can read any more is no reason to stop the work.
        let _ = if self.terminal { write!(stderr, "\r\x1b[K{line}") } else { writeln!(stderr, "{line}") };
        let _ = stderr.flush();
    }

    fn ends(&self) {
        if self.terminal && self.total > 0 {
            eprint!("\r\x1b[K");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_is_stale_when_its_source_its_flags_or_a_header_changed() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let compiler = Compiler { zig: PathBuf::from("zig"), work: folder.path().to_path_buf() };
        std::fs::write(folder.path().join("a.c"), "int a;")?;
        std::fs::write(folder.path().join("a.o"), "object")?;
        let unit = Unit {
            name: "a.c".into(),
            source: "a.c".into(),
            object: "a.o".into(),
            arguments: vec!["-O2".into()],
            headers: "h1".into(),
        };
        std::fs::write(folder.path().join("a.o.key"), compiler.key(&unit)?)?;
        assert!(compiler.is_current(&unit, &compiler.key(&unit)?));
        let flags = Unit { arguments: vec!["-O1".into()], ..unit.clone() };
        let headers = Unit { headers: "h2".into(), ..unit.clone() };
        for changed in [&flags, &headers] {
            assert!(!compiler.is_current(changed, &compiler.key(changed)?));
        }
        std::fs::write(folder.path().join("a.c"), "int b;")?;
        assert!(!compiler.is_current(&unit, &compiler.key(&unit)?));
        Ok(())
    }
}

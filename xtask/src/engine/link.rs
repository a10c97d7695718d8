//! Links the objects and the Rust half to one module, and makes a component of it.
//!
//! Comes in: objects, the static library, zig's own C library. Goes out: a component without imports. Indirect calls
//! are made tolerant of MEOS' habit of calling functions through other signatures (`wasm-opt --fpcast-emu`).

use super::compile::Compiler;
use super::fetch::Fetched;
use crate::{guests, process};
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;
use wit_component::{StringEncoding, embed_component_metadata};

/// The contract's functions: what the module exports.
const FUNCTIONS: [&str; 4] = ["describe", "accepts", "supported", "execute"];
const INTERFACE: &str = "abi-mcp:engine/engine@0.1.0";

/// C's stack, in bytes. GEOS recurses over nested collections; the memory is untouched until then.
const STACK: u32 = 4 << 20;

/// Zig's C library for the target, built by zig at the first use (half a minute).
pub(super) fn c_library(compiler: &Compiler) -> Result<Vec<PathBuf>> {
    let source = Path::new("generated/empty.c");
    super::recipe::write(&compiler.work.join(source), "int abi_mcp_empty(void) { return 0; }\n")?;
    let mut command = compiler.tool("build-exe");
    command.args([
        "--verbose-link",
        "-target",
        "wasm32-wasi",
        "-O",
        "ReleaseFast",
        "-lc",
        "-fno-entry",
        "-mexec-model=reactor",
    ]);
    command.arg("-femit-bin=generated/empty.wasm").arg(source);
    let done = process::quietly(&mut command, "preparing the C library (once, half a minute)", None)?;
    ensure!(done.status.success(), "zig cannot build its C library:\n{}", tail(&done.stderr));
    let line =
        done.stderr.lines().rfind(|line| line.starts_with("wasm-ld ")).context("zig did not say how it links")?;
    let found = archives(line);
    ensure!(found.len() >= 2, "zig's link names no C library:\n{line}");
    Ok(found.into_iter().map(PathBuf::from).collect())
}

/// The libraries of a link line, without zig's debugging aid.
fn archives(line: &str) -> Vec<&str> {
    line.split_whitespace().filter(|word| word.ends_with(".a") && !word.contains("ubsan")).collect()
}

/// Links to a module, `linked.wasm` in the work folder.
pub(super) fn link(compiler: &Compiler, objects: &[PathBuf], glue: &Path, libraries: &[PathBuf]) -> Result<PathBuf> {
    let mut arguments: Vec<String> = vec![
        "--no-entry".into(),
        "--gc-sections".into(),
        "--strip-all".into(),
        "--stack-first".into(),
        "--wrap=free".into(),
        "--wrap=realloc".into(),
        "--fatal-warnings".into(),
        "-z".into(),
        format!("stack-size={STACK}"),
        "--error-limit=20".into(),
        "--export=cabi_realloc".into(),
    ];
    for function in FUNCTIONS {
        arguments.push(format!("--export={INTERFACE}#{function}"));
        arguments.push(format!("--export=cabi_post_{INTERFACE}#{function}"));
    }
    let files = objects.iter().map(PathBuf::as_path).chain([glue]).chain(libraries.iter().map(PathBuf::as_path));
    arguments.extend(files.map(|file| file.display().to_string()));
    let out = compiler.work.join("linked.wasm");
    arguments.extend(["-o".into(), "linked.wasm".into()]);
    // Hundreds of objects do not fit on every system's command line.
    let quoted: Vec<String> =
        arguments.iter().map(|argument| format!("\"{}\"", argument.replace('\\', "\\\\"))).collect();
    std::fs::write(compiler.work.join("link.arguments"), quoted.join("\n"))
        .context("cannot write the linker's arguments")?;
    let done = process::quietly(compiler.tool("wasm-ld").arg("@link.arguments"), "linking", None)?;
    ensure!(done.status.success(), "the engine does not link:\n{}", tail(&done.stderr));
    Ok(out)
}

/// Runs binaryen over the linked module.
pub(super) fn optimise(fetched: &Fetched, work: &Path, module: &Path) -> Result<PathBuf> {
    let out = work.join("optimised.wasm");
    let mut command = Command::new("node");
    command.arg(&fetched.wasm_opt).arg(module).arg("-o").arg(&out).args([
        "--enable-exception-handling",
        "--enable-reference-types",
        "--enable-bulk-memory",
        "--enable-bulk-memory-opt",
        "--enable-sign-ext",
        "--enable-mutable-globals",
        "--enable-nontrapping-float-to-int",
        "--enable-multivalue",
        "--enable-call-indirect-overlong",
        "--fpcast-emu",
        "--pass-arg=max-func-params@24",
        "-O1",
    ]);
    let done = process::quietly(&mut command, "making indirect calls tolerant", None)?;
    ensure!(done.status.success(), "binaryen cannot process the module:\n{}", tail(&done.stderr));
    Ok(out)
}

/// Wraps the module as a component of the engine contract.
pub(super) fn componentise(wit: &Path, module: &Path) -> Result<Vec<u8>> {
    let mut bytes = std::fs::read(module).with_context(|| format!("cannot read `{}`", module.display()))?;
    let mut resolve = wit_parser::Resolve::default();
    let (package, _) =
        resolve.push_dir(wit).with_context(|| format!("cannot read the contract `{}`", wit.display()))?;
    let world = resolve.select_world(&[package], Some("engine-component"))?;
    embed_component_metadata(&mut bytes, &resolve, world, StringEncoding::UTF8)?;
    guests::without_imports(&bytes)
}

/// The last lines of a program's words.
fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines.get(lines.len().saturating_sub(30)..).unwrap_or_default().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_c_library_is_read_from_zigs_own_link_line() {
        let line = "wasm-ld -z stack-size=1 -o t.wasm /c/crt1.o /c/libc.a /c/libzigc.a t.o /c/libcompiler_rt.a /c/libubsan_rt.a";
        assert_eq!(archives(line), ["/c/libc.a", "/c/libzigc.a", "/c/libcompiler_rt.a"]);
    }
}

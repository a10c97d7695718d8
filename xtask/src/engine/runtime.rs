//! The C++ runtime GEOS needs, with exceptions.
//!
//! Zig's own libc++ for this target is built without exceptions. Its sources are part of zig: the pieces GEOS uses are
//! compiled again, with the flags GEOS is compiled with.

use super::recipe::{self, EXCEPTIONS, Unit};
use std::path::PathBuf;

/// Zig's library folder, below the work folder.
const LIB: &str = "python/packages/ziglang/lib";

/// libc++ without files, threads and time zones.
const LIBCXX: &[&str] = &[
    "algorithm",
    "any",
    "bind",
    "call_once",
    "charconv",
    "chrono",
    "error_category",
    "exception",
    "expected",
    "functional",
    "hash",
    "ios",
    "ios.instantiations",
    "iostream",
    "locale",
    "memory",
    "memory_resource",
    "new",
    "new_handler",
    "new_helpers",
    "optional",
    "ostream",
    "random",
    "random_shuffle",
    "regex",
    "ryu/d2fixed",
    "ryu/d2s",
    "ryu/f2s",
    "stdexcept",
    "string",
    "strstream",
    "system_error",
    "typeinfo",
    "valarray",
    "variant",
    "vector",
    "verbose_abort",
];

const LIBCXXABI: &[&str] = &[
    "abort_message",
    "cxa_aux_runtime",
    "cxa_default_handlers",
    "cxa_exception",
    "cxa_exception_storage",
    "cxa_guard",
    "cxa_handlers",
    "cxa_personality",
    "cxa_vector",
    "cxa_virtual",
    "fallback_malloc",
    "private_typeinfo",
    "stdlib_exception",
    "stdlib_new_delete",
    "stdlib_stdexcept",
    "stdlib_typeinfo",
];

const FLAGS: &[&str] = &[
    "-std=c++23",
    "-O2",
    "-DNDEBUG",
    "-fwasm-exceptions",
    "-D_LIBCPP_BUILDING_LIBRARY",
    "-DLIBCXX_BUILDING_LIBCXXABI",
    "-D_LIBCXXABI_BUILDING_LIBRARY",
    "-D_LIBCXXABI_HAS_NO_THREADS",
    "-DLIBCXXABI_SILENT_TERMINATE",
];

/// The frames' half: C, and only what wasm's exceptions call.
const UNWIND: &[&str] = &[
    "-O2",
    "-DNDEBUG",
    "-fwasm-exceptions",
    "-D_LIBUNWIND_HAS_NO_THREADS",
    "-D_LIBUNWIND_IS_NATIVE_ONLY",
    "-D_LIBUNWIND_HIDE_SYMBOLS",
    "-D__WASM_EXCEPTIONS__",
];

/// The runtime's units.
pub(super) fn units() -> Vec<Unit> {
    let include = ["libcxx/src", "libcxxabi/include", "libcxxabi/src", "libcxx/libc", "libunwind/include"];
    let libcxx = LIBCXX.iter().map(|name| format!("libcxx/src/{name}.cpp"));
    let libcxxabi = LIBCXXABI.iter().map(|name| format!("libcxxabi/src/{name}.cpp"));
    let mut made: Vec<Unit> = libcxx.chain(libcxxabi).map(|name| unit(&name, FLAGS, &include)).collect();
    made.push(unit("libunwind/src/Unwind-wasm.c", UNWIND, &include));
    made
}

fn unit(name: &str, flags: &[&str], include: &[&str]) -> Unit {
    let mut extra: Vec<String> = EXCEPTIONS.iter().map(|&flag| flag.to_owned()).collect();
    extra.extend(include.iter().map(|folder| format!("-I{LIB}/{folder}")));
    // The sources are one pinned package: nothing of them changes without its folder being fetched anew.
    let mut made = recipe::unit(&format!("../{LIB}/{name}"), flags, extra, "");
    made.name = name.to_owned();
    made.object = PathBuf::from(format!("objects/{name}.o"));
    made
}

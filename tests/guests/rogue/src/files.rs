//! Reaching for files, inside `/data` and out of it.

use crate::bindings::exports::abi_mcp::tool::tools::{Failure, Reply};
use crate::bindings::wasi::filesystem::preopens::get_directories;
use crate::bindings::wasi::filesystem::types::{Descriptor, DescriptorFlags, ErrorCode, OpenFlags, PathFlags};
use crate::{failed, text};

fn data() -> Result<Descriptor, Failure> {
    let directories = get_directories();
    let found = directories.into_iter().find(|(_, name)| name == "/data");
    found.map(|(directory, _)| directory).ok_or_else(|| failed("there is no /data"))
}

pub fn read(path: &str) -> Result<Reply, Failure> {
    let file = data()?.open_at(PathFlags::SYMLINK_FOLLOW, path, OpenFlags::empty(), DescriptorFlags::READ);
    let read = file.and_then(|file| file.read(4096, 0)).map_err(refused)?;
    Ok(text(&String::from_utf8_lossy(&read.0)))
}

pub fn write(path: &str) -> Result<Reply, Failure> {
    let file = data()?.open_at(PathFlags::SYMLINK_FOLLOW, path, OpenFlags::CREATE, DescriptorFlags::WRITE);
    file.and_then(|file| file.write(b"written", 0)).map_err(refused)?;
    Ok(text("written"))
}

/// Makes a link that leads out, and reads through it.
pub fn link(target: &str) -> Result<Reply, Failure> {
    data()?.symlink_at(target, "way-out").map_err(refused)?;
    read("way-out")
}

fn refused(code: ErrorCode) -> Failure {
    failed(&format!("refused: {code:?}"))
}

//! `compile-component`: the process in which a server compiles one component. Hidden, because only a server can use it.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::process::ExitCode;

/// Compiles what comes on stdin, answers on stdout, and ends. Reads no settings and writes no file.
pub(super) fn run() -> ExitCode {
    let served = pipes().and_then(|(orders, answers)| crate::sandbox::compile_for_parent(orders, answers));
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Stdin and stdout as they are: machine code is no text, and needs no line buffer.
fn pipes() -> io::Result<(File, File)> {
    let own = |stream: &dyn AsFd| stream.as_fd().try_clone_to_owned().map(File::from);
    Ok((own(&io::stdin())?, own(&io::stdout())?))
}

//! The compiler process: one component in, its machine code out, and the end.
//!
//! It trusts whoever started it and nothing it is given to compile. Its memory is bounded by the kernel from here on, and
//! it does not outlive its parent, however that ends.

use super::message::{Answer, Order};
use crate::sandbox::engine;
use crate::sandbox::error::words;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::io::{self, Read, Write};

/// Bytes of stack to compile on; the compiler recurses on strangers' functions. Reserved, not used.
const STACK: usize = 8 << 20;

/// What a compiler may reserve beyond the memory it may use: stacks, and the halves of growing buffers nobody touches.
const RESERVED: u64 = 512 << 20;

/// Serves one order.
///
/// # Errors
/// There is no order, or nobody to answer.
pub(crate) fn serve(mut orders: impl Read + Send + 'static, mut answers: impl Write) -> io::Result<()> {
    let Order { memory, wasm } = Order::read(&mut orders)?;
    bound(memory)?;
    // Nothing follows the order but the end, and that comes when the parent ends.
    std::thread::Builder::new().name("parent".to_owned()).spawn(move || {
        let _ = io::copy(&mut orders, &mut io::sink());
        std::process::exit(1);
    })?;
    let compiling = std::thread::Builder::new().name("compiler".to_owned()).stack_size(STACK);
    let answer = compiling.spawn(move || compile(&wasm))?.join();
    // A panic has said on stderr why.
    answer.map_err(|_| io::Error::other("the compiler panicked"))?.write(&mut answers)
}

fn compile(wasm: &[u8]) -> Answer {
    match engine::runtime() {
        Err(error) => Answer::Trouble(error.to_string()),
        Ok(runtime) => match runtime.engine.precompile_component(wasm) {
            Ok(code) => Answer::Code(code),
            Err(error) => Answer::Invalid(words(&error)),
        },
    }
}

/// Bounds this process's private memory, and leaves no dump of it behind. Not its address space: that decides how the
/// engine compiles, and both processes have to decide alike.
fn bound(memory: u64) -> io::Result<()> {
    for (resource, most) in
        [(Resource::Data, memory.saturating_add(memory).saturating_add(RESERVED)), (Resource::Core, 0)]
    {
        let most = getrlimit(resource).maximum.map_or(most, |allowed| allowed.min(most));
        setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })?;
    }
    Ok(())
}

//! MEOS itself behind [`Machine`]: the one file that speaks to C.
//!
//! The C side (`c/engine.h`) gives a table of functions and calls them guarded; memory is the component's own, shared
//! with C, and taken from C's allocator by both halves.
#![allow(unsafe_code, reason = "the border to C: addresses and foreign functions have no safe form")]

use crate::machine::{Address, Function, Machine, Refusal, Slot};
use crate::signature::Signature;
use core::ffi::{CStr, c_char, c_void};
use std::alloc::{GlobalAlloc, Layout};

type Trampoline = unsafe extern "C" fn(*const Slot, *mut Slot);

#[repr(C)]
struct Row {
    name: *const c_char,
    signature: *const c_char,
    call: Trampoline,
}

#[repr(C)]
struct Named {
    name: *const c_char,
    number: i32,
}

unsafe extern "C" {
    static abi_mcp_functions: Row;
    static abi_mcp_function_count: u32;
    static abi_mcp_errors: Named;
    static abi_mcp_error_count: u32;
    static abi_mcp_structures: Named;
    static abi_mcp_structure_count: u32;
    static abi_mcp_release: *const c_char;
    static abi_mcp_has_geos: i32;
    fn abi_mcp_call(call: Trampoline, arguments: *const Slot, result: *mut Slot) -> i32;
    fn abi_mcp_failure_code() -> i32;
    fn abi_mcp_failure_text() -> *const c_char;
    fn abi_mcp_start() -> i32;
    fn aligned_alloc(alignment: usize, size: usize) -> *mut c_void;
    fn calloc(count: usize, size: usize) -> *mut c_void;
    fn free(at: *mut c_void);
}

/// `abi_mcp_call`'s answers.
const RETURNED: i32 = 0;
const REFUSED: i32 = 1;

/// C's allocator for Rust: one heap, one owner of the memory's end.
struct CHeap;

// SAFETY: `aligned_alloc` gives memory of the asked size and alignment or null, and `free` takes any of it.
unsafe impl GlobalAlloc for CHeap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let alignment = layout.align().max(16);
        let size = layout.size().next_multiple_of(alignment);
        // SAFETY: the alignment is a power of two and divides the size.
        unsafe { aligned_alloc(alignment, size) }.cast()
    }

    unsafe fn dealloc(&self, at: *mut u8, _: Layout) {
        // SAFETY: `at` came from `alloc`.
        unsafe { free(at.cast()) }
    }
}

#[global_allocator]
static HEAP: CHeap = CHeap;

/// MEOS, started once for the instance's one call.
#[derive(Debug, Default)]
pub(crate) struct Meos {
    started: bool,
}

impl Meos {
    fn start(&mut self) -> Result<(), Refusal> {
        if self.started {
            return Ok(());
        }
        self.started = true;
        // SAFETY: called once, before any other function of the library.
        ended(unsafe { abi_mcp_start() })
    }
}

impl Machine for Meos {
    fn release(&self) -> String {
        // SAFETY: a constant string of the generated table.
        string(unsafe { abi_mcp_release })
    }

    fn has_geos(&self) -> bool {
        // SAFETY: a constant of the generated table.
        unsafe { abi_mcp_has_geos != 0 }
    }

    fn function(&self, name: &str) -> Option<Function> {
        let index = rows().binary_search_by(|row| bytes(row.name).cmp(name.as_bytes())).ok()?;
        let signature = Signature::read(&string(rows().get(index)?.signature))?;
        Some(Function { index, signature })
    }

    fn structure(&self, name: &str) -> Option<u32> {
        // SAFETY: the table and its length are constants of the generated file.
        let rows =
            unsafe { core::slice::from_raw_parts(&raw const abi_mcp_structures, abi_mcp_structure_count as usize) };
        rows.iter().find(|row| bytes(row.name) == name.as_bytes())?.number.try_into().ok()
    }

    fn error_name(&self, code: i32) -> Option<String> {
        // SAFETY: the table and its length are constants of the generated file.
        let rows = unsafe { core::slice::from_raw_parts(&raw const abi_mcp_errors, abi_mcp_error_count as usize) };
        rows.iter().find(|row| row.number == code).map(|row| string(row.name))
    }

    fn call(&mut self, function: &Function, arguments: &[Slot]) -> Result<Slot, Refusal> {
        self.start()?;
        let missing = || Refusal { code: None, text: "the call does not fit the function".to_owned() };
        let row = rows().get(function.index).ok_or_else(missing)?;
        if arguments.len() != function.signature.parameters.len() {
            return Err(missing());
        }
        let mut result: Slot = 0;
        // SAFETY: the trampoline reads one slot for each parameter, which was just counted, and writes one result. That
        // the slots hold what the parameters want is what `check` and `arguments` are for.
        ended(unsafe { abi_mcp_call(row.call, arguments.as_ptr(), &raw mut result) })?;
        Ok(result)
    }

    fn allocate(&mut self, bytes: u32) -> Address {
        // SAFETY: any size is fine; null is noticed below.
        let at = unsafe { calloc(1, bytes.max(1) as usize) };
        if at.is_null() {
            core::arch::wasm32::unreachable();
        }
        at as Address
    }

    fn write(&mut self, at: Address, bytes: &[u8]) {
        // SAFETY: the caller allocated at least so many bytes there.
        unsafe { core::ptr::copy_nonoverlapping(bytes.as_ptr(), at as *mut u8, bytes.len()) }
    }

    fn read(&self, at: Address, bytes: u32) -> Vec<u8> {
        // SAFETY: the library or we put a value of that size there.
        unsafe { core::slice::from_raw_parts(at as *const u8, bytes as usize) }.to_vec()
    }

    fn text(&self, at: Address) -> Vec<u8> {
        bytes(at as *const c_char).to_vec()
    }
}

fn rows() -> &'static [Row] {
    // SAFETY: the table and its length are constants of the generated file.
    unsafe { core::slice::from_raw_parts(&raw const abi_mcp_functions, abi_mcp_function_count as usize) }
}

fn bytes(at: *const c_char) -> &'static [u8] {
    // SAFETY: only called with C strings that are constants or live as long as the instance.
    unsafe { CStr::from_ptr(at) }.to_bytes()
}

fn string(at: *const c_char) -> String {
    String::from_utf8_lossy(bytes(at)).into_owned()
}

fn ended(how: i32) -> Result<(), Refusal> {
    if how == RETURNED {
        return Ok(());
    }
    // SAFETY: plain reads of what the guard kept.
    let (code, text) = unsafe { (abi_mcp_failure_code(), string(abi_mcp_failure_text())) };
    Err(Refusal { code: (how == REFUSED).then_some(code), text })
}

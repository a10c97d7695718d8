//! An allocator that never returns from one size of request, so that a test can hang a guest while the *host* is
//! handing it an argument (`cabi_realloc` runs outside every exported function).

use std::alloc::{GlobalAlloc, Layout, System};

/// The size, in bytes, that is never served.
const CURSED: usize = 77_777;

struct Cursed;

#[global_allocator]
static ALLOCATOR: Cursed = Cursed;

// SAFETY: every request that returns at all is the system allocator's own answer.
unsafe impl GlobalAlloc for Cursed {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.size() == CURSED {
            crate::behave::forever();
        }
        // SAFETY: the caller's promises are passed on unchanged.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promises are passed on unchanged.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's promises are passed on unchanged.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

//! The misdeeds that need nothing but a processor and memory.

use std::hint::black_box;

/// Does one of them, or nothing.
pub fn misbehave(behave: &str) {
    match behave {
        "spin" => loop {
            black_box(0);
        },
        "bomb" => {
            let mut all = Vec::new();
            loop {
                all.push(vec![1_u8; 1 << 20]);
                black_box(&all);
            }
        }
        "trap" => panic!("as asked"),
        "stack" => {
            black_box(recurse(black_box(1)));
        }
        _ => {}
    }
}

/// A text of 100 MB: within its memory, over what it may hand over.
pub fn flood() -> String {
    "x".repeat(100 << 20)
}

/// The way the results are combined keeps the compiler from making a loop of it.
fn recurse(depth: u64) -> u64 {
    if depth == 0 { 7 } else { recurse(depth.wrapping_add(2)).rotate_left(3) ^ depth }
}

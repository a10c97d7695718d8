//! The misdeeds that need no contract: they can be done from any exported function.

use std::hint::black_box;

/// Who this instance is by birth: text up to the first space. Tests overwrite it in the built file.
static PERSONA: [u8; 40] = *b"persona=tidy                            ";

/// The persona's text.
pub fn persona() -> String {
    // Read through `black_box`, or the compiler folds the default into the code and patching changes nothing.
    let text = String::from_utf8_lossy(black_box(&PERSONA)).into_owned();
    text.trim_start_matches("persona=").trim_end().to_owned()
}

/// The behaviour some input asks for: the `behave` member of a manifest, or the whole of a plan.
pub fn asked(input: &[u8]) -> String {
    member(input, "behave").unwrap_or_else(|| String::from_utf8_lossy(input).into_owned())
}

/// A string member of a flat JSON object without escapes; enough for manifests that only tests write.
pub fn member(input: &[u8], name: &str) -> Option<String> {
    let text = std::str::from_utf8(input).ok()?;
    let (_, rest) = text.split_once(&format!("\"{name}\":\""))?;
    rest.split_once('"').map(|(value, _)| value.to_owned())
}

/// Does one of the misdeeds, or nothing.
pub fn misbehave(behaviour: &str) {
    match behaviour {
        "loop" => forever(),
        "memory" => take_all_memory(),
        "stack" => {
            black_box(recurse(black_box(1)));
        }
        "frames" => {
            black_box(recurse_with_frames(1));
        }
        "panic" => panic!("a guest's words"),
        "wild-pointer" => wild_pointer(),
        "two-gigabytes" => drop(black_box(two_gigabytes())),
        _ => {}
    }
}

/// Never returns, and does nothing the compiler may remove.
pub fn forever() -> ! {
    let mut turns = 0_u64;
    loop {
        turns = black_box(turns.wrapping_add(1));
    }
}

/// A text of 100 MB: within a mapper's memory, far over what it may hand over.
pub fn flood() -> String {
    "x".repeat(100 << 20)
}

/// A text of two gigabytes, the most a 32-bit guest can name.
pub fn two_gigabytes() -> String {
    "x".repeat((2 << 30) - 1)
}

fn take_all_memory() {
    let mut pages = Vec::new();
    loop {
        pages.push(vec![1_u8; 64 << 10]);
        black_box(&pages);
    }
}

/// Uses up the engine's stack: its frames hold nothing that lives in memory. The way the results are combined keeps the
/// compiler from making a loop of it.
fn recurse(depth: u64) -> u64 {
    if depth == 0 { 7 } else { recurse(depth.wrapping_add(2)).rotate_left(3) ^ depth }
}

/// Uses up the guest's own stack, which lies in its memory.
#[allow(unconditional_recursion)]
fn recurse_with_frames(depth: u64) -> u64 {
    let frame = [depth; 64];
    black_box(&frame);
    recurse_with_frames(depth + 1) + black_box(frame)[0]
}

fn wild_pointer() {
    // SAFETY: none; the sandbox has to catch it.
    black_box(unsafe { *black_box(0xffff_fff0_usize as *const u32) });
}

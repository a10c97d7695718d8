//! A component that knows nothing of this program: its functions have plain WIT types, and it states none of our
//! contracts. One of its interfaces has a resource, so some of its functions cannot be tools.

mod bindings {
    wit_bindgen::generate!({ path: "wit", world: "plain", pub_export_macro: true });
}

use bindings::exports::test::plain::{handles, trouble, types};
use std::sync::atomic::{AtomicU32, Ordering};

struct Plain;

bindings::export!(Plain with_types_in bindings);

/// State an instance would keep from one call to the next.
static CALLS: AtomicU32 = AtomicU32::new(0);

impl bindings::Guest for Plain {
    fn greet(name: String, times: Option<u8>) -> String {
        vec![format!("Hello, {name}."); times.unwrap_or(1).into()].join(" ")
    }
}

impl types::Guest for Plain {
    fn move_by(point: types::Point, (x, y): (i32, i32)) -> types::Point {
        types::Point { x: point.x.wrapping_add(x), y: point.y.wrapping_add(y), label: point.label }
    }

    fn echo_shape(shape: types::Shape) -> types::Shape {
        shape
    }

    fn echo_wide(wide: types::Wide) -> types::Wide {
        wide
    }

    fn echo_colour(colour: types::Colour) -> types::Colour {
        colour
    }

    fn echo_rights(rights: types::Rights) -> types::Rights {
        rights
    }

    fn echo_char(letter: char) -> char {
        letter
    }

    fn echo_maybe(maybe: Option<u8>) -> Option<u8> {
        maybe
    }

    fn echo_nested(outcome: Result<u32, String>) -> Result<u32, String> {
        outcome
    }

    fn divide(a: f64, b: f64) -> f64 {
        a / b
    }

    fn echo(text: String) -> String {
        text
    }
}

impl trouble::Guest for Plain {
    fn parse(text: String) -> Result<i64, String> {
        text.parse().map_err(|error| format!("{text:?} is no number: {error}"))
    }

    fn check(size: u32) -> Result<(), trouble::Problem> {
        match size {
            0 => Err(trouble::Problem::Unknown),
            1..10 => Ok(()),
            _ => Err(trouble::Problem::TooLarge(size)),
        }
    }

    fn trap() {
        panic!("as asked")
    }

    fn spin() {
        while CALLS.load(Ordering::Relaxed) < u32::MAX {
            std::hint::spin_loop();
        }
    }

    fn count() -> u32 {
        CALLS.fetch_add(1, Ordering::Relaxed) + 1
    }

    fn echo(text: String) -> String {
        format!("trouble: {text}")
    }
}

struct File(String);

impl handles::GuestFile for File {
    fn new(name: String) -> Self {
        Self(name)
    }

    fn name(&self) -> String {
        self.0.clone()
    }
}

impl handles::Guest for Plain {
    type File = File;

    fn open(name: String) -> handles::File {
        handles::File::new(File(name))
    }

    fn exists(name: String) -> bool {
        !name.is_empty()
    }
}

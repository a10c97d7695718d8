//! Finds the bundled components, or stops with the one line that says how to get them.

fn main() {}

//! Makes a component of the module that `cargo build --release --target wasm32-unknown-unknown` wrote.
//!
//! `cargo run --package component [MODULE [COMPONENT]]`

use std::error::Error;
use wit_component::ComponentEncoder;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut next = |otherwise: &str| arguments.next().unwrap_or_else(|| otherwise.to_owned());
    let module = next("target/wasm32-unknown-unknown/release/{{module}}.wasm");
    let component = next("{{name}}.wasm");
    let bytes = std::fs::read(&module).map_err(|error| {
        format!("cannot read `{module}`: {error}; `cargo build --release --target wasm32-unknown-unknown` makes it")
    })?;
    let encoded = ComponentEncoder::default().validate(true).module(&bytes)?.encode()?;
    std::fs::write(&component, &encoded)?;
    println!("{component}: {} bytes", encoded.len());
    Ok(())
}

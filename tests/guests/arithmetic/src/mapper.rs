//! The mapper role: one method a line.

mod bindings {
    wit_bindgen::generate!({ path: "../../../wit/mapper/0.1.0", world: "mapper", pub_export_macro: true });
}

use crate::{FORMAT, HEAD};
use bindings::exports::abi_mcp::mapper::{codec, schema, signature};

struct Arithmetic;

bindings::export!(Arithmetic with_types_in bindings);

const SCHEMA: &str =
    r#"{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"required":["a","b"]}"#;

fn functions(manifest: &[u8]) -> Option<Vec<String>> {
    let names = std::str::from_utf8(manifest).ok()?.strip_prefix(HEAD)?;
    Some(names.lines().map(str::to_owned).collect())
}

impl schema::Guest for Arithmetic {
    fn recognise(manifest: Vec<u8>) -> Option<schema::Recognition> {
        functions(&manifest)?;
        Some(schema::Recognition {
            ecosystem: "arithmetic".to_owned(),
            format: "arithmetic".to_owned(),
            subject_version: None,
            fit: schema::Fit::Exact,
            reasons: Vec::new(),
        })
    }

    fn map_manifest(manifest: Vec<u8>, _: schema::Options) -> Result<schema::Mapping, schema::Fault> {
        let names = functions(&manifest).ok_or_else(|| schema::Fault::NotRecognised("a poem".to_owned()))?;
        let methods = names.iter().map(|name| method(name)).collect();
        Ok(schema::Mapping { methods, skipped: Vec::new(), notes: Vec::new() })
    }
}

impl signature::Guest for Arithmetic {
    fn render(_: Vec<u8>, names: Vec<String>) -> Result<Vec<String>, signature::Fault> {
        Ok(names.iter().map(|name| format!("{name}(a: int, b: int) -> int")).collect())
    }
}

impl codec::Guest for Arithmetic {
    fn encode_arguments(_: Vec<u8>, json: String) -> Result<codec::Encoded, Vec<codec::Problem>> {
        Ok(codec::Encoded { json, alternatives: Vec::new() })
    }

    fn decode_result(_: Vec<u8>, value: String) -> Result<String, Vec<codec::Problem>> {
        Ok(value)
    }
}

fn method(name: &str) -> schema::Method {
    let parameter = |name: &str| schema::Parameter { name: name.to_owned(), required: true, doc: None };
    schema::Method {
        name: name.to_owned(),
        title: None,
        doc: Some(format!("Applies {name} to two numbers.")),
        role: schema::Role::Ordinary,
        access: schema::Access::View,
        destructive: Some(false),
        idempotent: Some(true),
        open_world: Some(false),
        category: Some(if name == "add" { "sum" } else { "other" }.to_owned()),
        keywords: if name == "add" { vec!["plus".to_owned()] } else { Vec::new() },
        parameters: vec![parameter("a"), parameter("b")],
        input_schema: SCHEMA.to_owned(),
        output_schema: Some(r#"{"type":"integer"}"#.to_owned()),
        plan: Vec::new(),
        // `raw` is a function whose mapper knows no way to call it.
        call_spec: (name != "raw").then(|| schema::CallSpec { format: FORMAT.to_owned(), bytes: name.into() }),
        needs_encode: false,
        needs_decode: false,
        meta: None,
    }
}

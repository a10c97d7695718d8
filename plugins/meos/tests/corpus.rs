//! The real catalog, where the corpus is at hand: `<repository>/../shared/corpus`, or where `ABI_MCP_CORPUS` says.
//! Without it each test says that it skipped.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests and their helpers speak by panicking, and say when they skip"
)]

use abi_mcp_meos_call::{Argument, Call, Codec, Decoder, Input, Output};
use abi_mcp_sdk::serde_json::{Map, Value, from_slice};
use abi_mcp_sdk::{Mapper, Mapping, Method, Options, Projection};
use meos::Meos;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

fn corpus(file: &str) -> Option<PathBuf> {
    let folder =
        std::env::var_os("ABI_MCP_CORPUS").map_or_else(|| PathBuf::from("../../../shared/corpus"), PathBuf::from);
    let path = folder.join("meos").join(file);
    if path.exists() {
        return Some(path);
    }
    println!("skipped: no `{}`", path.display());
    None
}

/// The catalog, unpacked by the machine's own tool.
fn catalog() -> Option<Vec<u8>> {
    let unpacked = Command::new("gzip").arg("-dc").arg(corpus("meos-idl.json.gz")?).output();
    match unpacked {
        Ok(output) if output.status.success() => Some(output.stdout),
        _ => {
            println!("skipped: no `gzip` to unpack the catalog with");
            None
        }
    }
}

fn mapping() -> Option<(Value, Mapping)> {
    let bytes = catalog()?;
    let mapping = Meos::map(&bytes, &Options::default()).unwrap();
    Some((from_slice(&bytes).unwrap(), mapping))
}

fn call(method: &Method) -> Call {
    from_slice(&method.call_spec.as_ref().unwrap().bytes).unwrap()
}

fn decoders(call: &Call) -> Vec<&Decoder> {
    fn of(input: &Input) -> Option<&Decoder> {
        match input {
            Input::Decoded(decoder) | Input::Structs { element: decoder, .. } => Some(decoder),
            Input::Array(element) => of(element),
            Input::Scalar(_) | Input::Enum(_) => None,
        }
    }
    let value = |argument: &'_ Argument| matches!(argument, Argument::Given { .. });
    call.arguments
        .iter()
        .filter(|argument| value(argument))
        .filter_map(|argument| match argument {
            Argument::Given { value, .. } => of(value),
            _ => None,
        })
        .collect()
}

fn writers(output: &Output) -> Vec<&Codec> {
    match output {
        Output::Encoded(codec) | Output::Structs { codec, .. } => vec![codec],
        Output::FirstEncoded(codecs) => codecs.iter().collect(),
        Output::Array { element, .. } => writers(element),
        Output::Nothing | Output::Scalar(_) | Output::Enum(_) => Vec::new(),
    }
}

#[test]
fn compat_is_what_the_original_generator_writes_byte_for_byte() {
    let (Some(catalog), Some(wanted)) = (catalog(), corpus("meos-mcp.json")) else { return };
    let settings = Map::from_iter([("compat".to_owned(), Value::Bool(true))]);
    let started = Instant::now();
    let written = Meos::project(&catalog, "mcp-tools", &settings).unwrap();
    println!(
        "projected {} bytes in {:?} (the original generator's core, in Python: 131 ms)",
        written.len(),
        started.elapsed()
    );
    assert!(written == std::fs::read(wanted).unwrap(), "the manifests differ");
}

#[test]
fn what_the_original_exposes_is_mapped_and_what_it_lost_by_accident_is_recovered() {
    let Some((catalog, mapping)) = mapping() else { return };
    let functions = catalog["functions"].as_array().unwrap();
    let exposable = |function: &&Value| function["network"]["exposable"] == true;
    let exposed: BTreeSet<&str> = functions.iter().filter(exposable).filter_map(|it| it["name"].as_str()).collect();
    let mapped: BTreeSet<&str> = mapping.methods.iter().map(|method| method.name.as_str()).collect();
    let lost: Vec<_> = exposed.difference(&mapped).collect();
    let recovered = mapped.difference(&exposed).count();
    println!(
        "{} of {} mapped, {recovered} recovered, {} skipped",
        exposed.len() - lost.len(),
        exposed.len(),
        mapping.skipped.len()
    );
    assert_eq!(lost, [&"cbuffer_set_srid", &"pose_set_srid"], "only what changes its argument in place");
    assert!(recovered >= 300, "recovered {recovered}");
    assert_eq!(mapping.methods.len() + mapping.skipped.len(), functions.len());
}

#[test]
fn every_codec_is_a_function_of_the_catalog_with_as_many_parameters() {
    let Some((catalog, mapping)) = mapping() else { return };
    let functions = catalog["functions"].as_array().unwrap();
    let lengths: BTreeMap<&str, usize> = functions
        .iter()
        .map(|function| (function["name"].as_str().unwrap(), function["params"].as_array().unwrap().len()))
        .collect();
    for method in &mapping.methods {
        let call = call(method);
        assert_eq!(lengths.get(call.function.as_str()), Some(&call.arguments.len()), "{}", method.name);
        let read = decoders(&call).into_iter().flat_map(|it| it.text.iter().chain(&it.mfjson).chain(&it.hexwkb));
        for codec in read.chain(writers(&call.result.value)) {
            assert_eq!(
                lengths.get(codec.function.as_str()),
                Some(&(codec.then.len() + 1)),
                "{}: {codec:?}",
                method.name
            );
        }
    }
}

#[test]
fn a_group_s_lists_are_equally_long_and_everything_can_be_read() {
    let Some((_, mapping)) = mapping() else { return };
    for method in &mapping.methods {
        let call = call(method);
        let decoders = decoders(&call);
        assert!(decoders.iter().all(|it| !it.text.is_empty() || !it.hexwkb.is_empty()), "{}", method.name);
        let grouped = decoders.iter().filter(|it| it.group.is_some());
        let lists =
            grouped.flat_map(|it| [it.text.len(), it.mfjson.len(), it.hexwkb.len()]).filter(|length| *length > 0);
        assert!(lists.collect::<BTreeSet<_>>().len() <= 1, "{}", method.name);
    }
}

#[test]
fn a_method_s_texts_are_short() {
    let Some((_, mapping)) = mapping() else { return };
    let size = |method: &Method| {
        method.input_schema.to_string().len() + method.doc.as_ref().map_or(0, String::len) + method.signature.len()
    };
    let mut sizes: Vec<usize> = mapping.methods.iter().map(size).collect();
    sizes.sort_unstable();
    println!("bytes a method: median {}, most {}", sizes[sizes.len() / 2], sizes[sizes.len() - 1]);
    assert!(sizes[sizes.len() / 2] < 700);
}

#[test]
fn operands_have_the_types_people_know_them_by() {
    let Some((_, mapping)) = mapping() else { return };
    let signature = |name: &str| {
        let method = mapping.methods.iter().find(|method| method.name == name);
        method.map(|method| method.signature.clone()).unwrap_or_else(|| panic!("no {name}"))
    };
    for expected in [
        "tpoint_length(temp: tgeompoint | tgeogpoint) -> float",
        "tpoint_speed(temp: tgeompoint | tgeogpoint) -> tfloat",
        "floatset_value_n(s: floatset, n: int) -> float | null",
        "adjacent_span_int(s: intspan, i: int) -> bool",
        "left_set_int(s: intset, i: int) -> bool",
        "tfloat_values(temp: tfloat) -> float[]",
        "tnumber_at_span(temp: tint | tfloat, span: intspan | floatspan) -> tint | tfloat",
        "tpoint_at_geom(temp: tgeompoint, gs: geometry, zspan?: floatspan) -> tgeompoint",
        "tcbuffer_make(tpoint: tgeompoint, tfloat: tfloat) -> tcbuffer",
        "spanset_make(spans: span[]) -> spanset",
        "tgeo_stboxes(temp: tgeompoint | tgeometry | tgeogpoint | tgeography) -> stbox[]",
        "timestamptz_to_set(t: timestamptz) -> tstzset",
        "set_hash_extended(s: set, seed: uint64) -> uint64",
        "intersection_geo_set(gs: geometry | geography, s: geomset | geogset) -> geomset | geogset",
    ] {
        assert_eq!(signature(expected.split('(').next().unwrap()), expected);
    }
}

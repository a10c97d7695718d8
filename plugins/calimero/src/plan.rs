//! A plan: what encoding one call of a method needs, cut out of the manifest in the manifest's own notation.
//!
//! Compact JSON `{"params": […], "types": {…}, "arrays": […]}`: the parameters, the named types they reach, and
//! which of those are arrays although the notation says records. Nothing in it is trusted when it comes back.

use crate::manifest::{Manifest, Method};
use crate::table::Table;
use crate::types::{Field, Flaw};
use abi_mcp_sdk::json::{Object, element, parse};
use abi_mcp_sdk::serde_json::{Value, json};

/// A plan read back.
pub(crate) struct Plan {
    pub(crate) params: Vec<Field>,
    pub(crate) table: Table,
}

/// Writes the plan of a method, or nothing when its arguments go out as they come in.
pub(crate) fn write(manifest: &Manifest, method: &Method) -> Vec<u8> {
    let types = || method.params.iter().map(|param| &param.of);
    if !manifest.table.takes_bytes(types()) {
        return Vec::new();
    }
    let mut named = Object::new();
    let mut arrays = Vec::new();
    for name in manifest.table.reach(types()) {
        if let Some(written) = manifest.types.get(name) {
            named.insert(name.to_owned(), without_docs(written));
        }
        if manifest.tuple_variants.iter().any(|it| it == name) {
            arrays.push(name);
        }
    }
    let plan = json!({ "params": without_docs(&method.written_params), "types": named, "arrays": arrays });
    plan.to_string().into_bytes()
}

impl Plan {
    /// Reads a plan; `None` for the empty one, which asks for nothing.
    pub(crate) fn read(plan: &[u8]) -> Result<Option<Self>, String> {
        if plan.is_empty() {
            return Ok(None);
        }
        let plan = parse(plan)?;
        let params = plan.get("params").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let read = |(index, param)| Field::read(param, &element("params", index));
        let params = params.iter().enumerate().map(read).collect::<Result<Vec<_>, _>>();
        let params = params.map_err(|Flaw { at, problem }| format!("{problem} at `{at}`"))?;

        let mut table = Table::read(plan.get("types").and_then(Value::as_object));
        let arrays = plan.get("arrays").and_then(Value::as_array).into_iter().flatten();
        table.mark_positional(&arrays.filter_map(|name| Some(name.as_str()?.to_owned())).collect::<Vec<_>>());
        Ok(Some(Self { params, table }))
    }
}

/// The same notation without the author's words, which encoding does not need. Every key of the notation is one of
/// the format's own, so a `doc` is never a name.
fn without_docs(written: &Value) -> Value {
    match written {
        Value::Object(object) => {
            let kept = object.iter().filter(|(key, _)| key.as_str() != "doc" && key.as_str() != "pattern");
            Value::Object(kept.map(|(key, value)| (key.clone(), without_docs(value))).collect())
        }
        Value::Array(values) => values.iter().map(without_docs).collect(),
        scalar => scalar.clone(),
    }
}

//! A behaviour for any manifest: it returns something of the declared type.
//!
//! A parameter of the same type as the return value is returned as it came; otherwise the smallest value of the type.
//! Enough to serve manifests of other people's applications to a client under test. It keeps the last call in the
//! state (`last`), so that a test can see what a guest would have seen.

use serde_json::{Map, Value, json};

use crate::app::{Behaviour, GuestError, GuestState};

/// Types nested deeper than this end in `null`; a recursive type would not end at all.
const DEPTH: usize = 8;

/// See the module.
pub struct Sample {
    manifest: Value,
}

impl Sample {
    /// A behaviour for `manifest`.
    #[must_use]
    pub fn new(manifest: &Value) -> Self {
        Self { manifest: manifest.clone() }
    }

    fn smallest(&self, ty: &Value, depth: usize) -> Value {
        if depth == 0 {
            return Value::Null;
        }
        let inner = |ty: &Value| self.smallest(ty, depth - 1);
        let kind = ty.get("kind").and_then(Value::as_str).unwrap_or_default();
        match kind {
            "bool" => json!(false),
            "i32" | "i64" | "u32" | "u64" => json!(0),
            "f32" | "f64" => json!(0.0),
            "string" => json!(""),
            "bytes" => {
                let size = ty.get("size").and_then(Value::as_u64).unwrap_or_default().min(1024);
                (0..size).map(|_| json!(0)).collect()
            }
            "list" => json!([]),
            "map" => json!({}),
            "tuple" => items(ty, "elements").iter().map(inner).collect(),
            "alias" => ty.get("target").map(inner).unwrap_or_default(),
            "variant" => self.first_variant(ty, depth),
            "record" => match ty.get("inner_type") {
                Some(wrapped) => inner(wrapped),
                None => {
                    let field = |field: &Value| (name(field), field.get("type").map(inner).unwrap_or_default());
                    Value::Object(items(ty, "fields").iter().map(field).collect())
                }
            },
            _ => {
                let target =
                    ty.get("$ref").and_then(Value::as_str).and_then(|name| self.manifest.get("types")?.get(name));
                target.map(inner).unwrap_or_default()
            }
        }
    }

    fn first_variant(&self, ty: &Value, depth: usize) -> Value {
        let variants = items(ty, "variants");
        let unit = variants.iter().find(|variant| variant.get("payload").is_none());
        match (unit, variants.first()) {
            (Some(unit), _) => json!(name(unit)),
            (None, Some(first)) => {
                let payload = first.get("payload").map(|ty| self.smallest(ty, depth - 1)).unwrap_or_default();
                Value::Object(Map::from_iter([(name(first), payload)]))
            }
            (None, None) => Value::Null,
        }
    }
}

impl Behaviour for Sample {
    fn call(&self, state: &mut GuestState, method: &str, args: &Value) -> Result<Value, GuestError> {
        state.insert("last".into(), json!({ "method": method, "args": args }));
        let methods = items(&self.manifest, "methods");
        let declared = methods.iter().find(|declared| name(declared) == method).ok_or(GuestError::NotFound)?;
        let returns = declared.get("returns").unwrap_or(&Value::Null);
        let same = items(declared, "params").iter().find(|param| param.get("type") == Some(returns));
        match same.and_then(|param| args.get(name(param))) {
            Some(value) => Ok(value.clone()),
            None => Ok(self.smallest(returns, DEPTH)),
        }
    }
}

fn items<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn name(value: &Value) -> String {
    value.get("name").and_then(Value::as_str).unwrap_or_default().to_owned()
}

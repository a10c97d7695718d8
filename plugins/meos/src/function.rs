//! One function of a catalog, as a mapping needs it.
//!
//! Reads what the catalog's generators write and ignores the rest; knows the document's keys, not their meaning.

use abi_mcp_sdk::serde_json::Value;
use serde::Deserialize;

/// A C function.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Function {
    /// The C identifier.
    pub(crate) name: String,
    /// What it returns.
    pub(crate) return_type: Spelling,
    /// In C order.
    pub(crate) params: Vec<Param>,
    /// What it does, in somebody's words.
    pub(crate) doc: Option<String>,
    /// `accessor`, `predicate`, ..
    pub(crate) category: Option<String>,
    /// The group of the library's manual it is in.
    pub(crate) group: Option<String>,
    /// Whether it is offered, and why not.
    pub(crate) network: Option<Network>,
    shape: Option<Shape>,
    wire: Option<Wire>,
    /// False where headers announce it and no source has it.
    pub(crate) defined: Option<bool>,
    /// Its SQL name.
    pub(crate) sqlfn: Option<String>,
    /// Its SQL operator.
    pub(crate) sqlop: Option<String>,
    /// Every SQL overload of the wrapper that ends up in it, and often in its siblings too.
    #[serde(default)]
    pub(crate) sql_signatures: Vec<SqlSignature>,
}

/// A C type as written and with its typedefs resolved.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Spelling {
    pub(crate) c: String,
    pub(crate) canonical: Option<String>,
}

/// A C parameter.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Param {
    pub(crate) name: String,
    #[serde(rename = "cType", alias = "c")]
    pub(crate) c: String,
    pub(crate) canonical: Option<String>,
    pub(crate) doc: Option<String>,
}

/// Whether a function is offered.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Network {
    #[serde(default)]
    exposable: Value,
    /// Why not: causes with `; ` between them.
    pub(crate) reason: Option<String>,
}

impl Network {
    pub(crate) fn is_exposable(&self) -> bool {
        self.exposable == Value::Bool(true)
    }
}

/// What the generator found out about parameters.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Shape {
    #[serde(default)]
    nullable: Vec<String>,
    #[serde(default)]
    output_arrays: Vec<OutputArray>,
}

#[derive(Debug, Clone, Deserialize)]
struct OutputArray {
    param: String,
}

/// How the generator would pass values; only what it found out about types and lengths is read.
#[derive(Debug, Clone, Default, Deserialize)]
struct Wire {
    #[serde(default)]
    params: Vec<WireParam>,
    result: Option<WireResult>,
}

#[derive(Debug, Clone, Default, Deserialize)]
struct WireParam {
    #[serde(default)]
    name: String,
    #[serde(default)]
    kinds: Vec<String>,
    element: Option<Box<WireParam>>,
}

#[derive(Debug, Clone, Deserialize)]
struct WireResult {
    count_function: Option<String>,
}

/// One SQL overload.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct SqlSignature {
    pub(crate) args: Vec<String>,
    pub(crate) ret: Option<String>,
    #[serde(rename = "sqlName")]
    pub(crate) name: Option<String>,
}

impl Function {
    /// Reads one entry of `functions`.
    pub(crate) fn read(entry: &Value) -> Result<Self, String> {
        Self::deserialize(entry).map_err(|error| format!("the catalog's entry is broken: {error}"))
    }

    /// Whether the catalog says that this parameter may be a null pointer, in its facts or in its words.
    pub(crate) fn is_nullable(&self, param: &Param) -> bool {
        let said = param.doc.as_ref().is_some_and(|doc| doc.contains("NULL"));
        said || self.shape.as_ref().is_some_and(|shape| shape.nullable.contains(&param.name))
    }

    /// The MEOS types that the function's own checks let through in this parameter, where the catalog knows them.
    pub(crate) fn checked_types(&self, param: &str) -> &[String] {
        let params = self.wire.as_ref().map(|wire| wire.params.as_slice()).unwrap_or_default();
        let Some(found) = params.iter().find(|it| it.name == param) else { return &[] };
        found.element.as_ref().map_or(&found.kinds, |element| &element.kinds)
    }

    /// The function that says how long the array is that this one returns, where the catalog knows it.
    pub(crate) fn count_function(&self) -> Option<&str> {
        self.wire.as_ref()?.result.as_ref()?.count_function.as_deref()
    }

    /// Whether the function makes an array and leaves its address in this parameter.
    pub(crate) fn makes_array_in(&self, param: &Param) -> bool {
        self.shape.as_ref().is_some_and(|shape| shape.output_arrays.iter().any(|array| array.param == param.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use abi_mcp_sdk::serde_json::json;

    #[test]
    fn an_entry_is_read_and_a_broken_one_says_what_is_wrong() {
        let entry = json!({
            "name": "f", "returnType": { "c": "int", "canonical": "int" }, "shape": { "nullable": ["a"] },
            "params": [{ "name": "a", "cType": "int" }, { "name": "b", "cType": "int", "doc": "B, may be NULL" },
                       { "name": "c", "cType": "int" }],
            "network": { "exposable": true },
        });
        let function = Function::read(&entry).unwrap();
        let nullable: Vec<bool> = function.params.iter().map(|param| function.is_nullable(param)).collect();
        assert_eq!(nullable, [true, true, false]);
        assert!(function.network.as_ref().unwrap().is_exposable());
        assert!(Function::read(&json!({ "name": "f" })).unwrap_err().contains("returnType"));
    }
}

//! Bytes: an array of numbers on the wire, with text forms a caller may write instead.

use super::Way;
use abi_mcp_sdk::serde_json::{Value, json};

/// The size at which bytes are ambiguous: raw bytes, a base58 id or a hex id; the ABI says the same of all three.
pub(super) const ID: u64 = 32;

/// Largest size whose text pattern counts the digits itself. A validator compiles a counted pattern into as many
/// states, so above this the length is a keyword of its own.
const LARGEST_COUNTED: u64 = 1024;

const BASE58_OF_32_BYTES: &str = "^[1-9A-HJ-NP-Za-km-z]{32,44}$";

/// The schema of bytes, with the hint that tells a reader which forms there are.
pub(super) fn schema(size: Option<u64>, way: Way) -> Value {
    let (texts, hint) = match (way, size) {
        (Way::In, Some(ID)) => {
            (vec![hex(Some(ID)), base58()], "bytes: a hex string, a base58 id or a 32-byte array".to_owned())
        }
        (Way::In, Some(size)) => (vec![hex(Some(size))], format!("bytes: a hex string or a {size}-byte array")),
        (Way::In, None) => (vec![hex(None)], "bytes: a hex string or a byte array".to_owned()),
        // What an application writes for 32 bytes depends on its type, which the ABI does not tell.
        (Way::Out, Some(ID)) => {
            (vec![hex(Some(ID)), base58()], "bytes: a 32-byte array, a base58 id or a hex string".to_owned())
        }
        (Way::InUntagged, Some(ID)) => (vec![base58()], "bytes: a base58 id or a 32-byte array".to_owned()),
        (Way::InUntagged | Way::Out, Some(size)) => (Vec::new(), format!("bytes: a {size}-byte array")),
        (Way::InUntagged | Way::Out, None) => (Vec::new(), "bytes: a byte array".to_owned()),
    };
    if texts.is_empty() {
        let mut schema = array(size);
        if let Some(object) = schema.as_object_mut() {
            object.insert("description".to_owned(), Value::from(hint));
        }
        return schema;
    }
    let mut forms = texts;
    forms.push(array(size));
    json!({ "anyOf": forms, "description": hint })
}

/// The text forms of a 32-byte id, as the key of a map.
pub(super) fn id_text() -> Value {
    json!({ "anyOf": [hex(Some(ID)), base58()] })
}

fn hex(size: Option<u64>) -> Value {
    match size {
        None => json!({ "type": "string", "pattern": "^(?:[0-9a-fA-F]{2})*$" }),
        Some(size) if size <= LARGEST_COUNTED => {
            json!({ "type": "string", "pattern": format!("^[0-9a-fA-F]{{{}}}$", size * 2) })
        }
        Some(size) => {
            let digits = size.saturating_mul(2);
            json!({ "type": "string", "pattern": "^[0-9a-fA-F]*$", "minLength": digits, "maxLength": digits })
        }
    }
}

fn base58() -> Value {
    json!({ "type": "string", "pattern": BASE58_OF_32_BYTES })
}

fn array(size: Option<u64>) -> Value {
    let byte = json!({ "type": "integer", "minimum": 0, "maximum": 255 });
    match size {
        None => json!({ "type": "array", "items": byte }),
        Some(size) => json!({ "type": "array", "items": byte, "minItems": size, "maxItems": size }),
    }
}

//! The forms one value of the kind `bytes` may take on the wire, likeliest first.
//!
//! With 32 bytes the ABI does not tell raw bytes from an id: a `[u8; 32]` is read as an array of numbers, the SDK's
//! own ids as base58 or hex text, all described alike. So each form a caller gives comes with the others.

use abi_mcp_sdk::json::kind_of;
use abi_mcp_sdk::serde_json::Value;

/// The ambiguous size.
pub(crate) const ID: u64 = 32;

/// A value in one form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Form {
    /// An array of numbers.
    Array(Vec<u8>),
    /// Text as it stands.
    Text(String),
}

impl Form {
    /// Appends the form as JSON.
    pub(crate) fn write(&self, out: &mut String) {
        match self {
            Self::Text(text) => out.push_str(&Value::from(text.as_str()).to_string()),
            Self::Array(bytes) => {
                out.push('[');
                for (index, byte) in bytes.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    out.push_str(&byte.to_string());
                }
                out.push(']');
            }
        }
    }
}

/// Reads a value a caller gave for `bytes` of this size.
///
/// # Errors
///
/// What was found and expected, and at which element if it is one.
pub(crate) fn forms(value: &Value, size: Option<u64>) -> Result<Vec<Form>, (Option<usize>, String)> {
    match value {
        Value::String(text) if size == Some(ID) => id_from_text(text).map_err(|problem| (None, problem)),
        Value::String(text) => {
            let bytes = from_hex(text, size).map_err(|problem| (None, problem))?;
            Ok(vec![Form::Array(bytes)])
        }
        Value::Array(elements) => {
            let bytes = from_array(elements, size)?;
            let base58 = (size == Some(ID)).then(|| Form::Text(bs58::encode(&bytes).into_string()));
            Ok([Form::Array(bytes)].into_iter().chain(base58).collect())
        }
        other => Err((None, format!("expected {}, found {}", expected(size), kind_of(other)))),
    }
}

fn id_from_text(text: &str) -> Result<Vec<Form>, String> {
    if text.len() == 64 {
        let bytes = from_hex(text, Some(ID))?;
        let base58 = bs58::encode(&bytes).into_string();
        return Ok(vec![Form::Array(bytes), Form::Text(text.to_owned()), Form::Text(base58)]);
    }
    // The length bound keeps decoding, which is quadratic, from being asked for a novel.
    let decoded = if text.len() <= 44 { bs58::decode(text).into_vec().ok() } else { None };
    match decoded {
        Some(bytes) if bytes.len() == 32 => Ok(vec![Form::Text(text.to_owned()), Form::Array(bytes)]),
        _ => Err(format!("expected {}", expected(Some(ID)))),
    }
}

fn from_hex(text: &str, size: Option<u64>) -> Result<Vec<u8>, String> {
    if let Some(size) = size
        && u64::try_from(text.len()) != Ok(size.saturating_mul(2))
    {
        return Err(format!("expected {}, found {} characters", expected(Some(size)), text.chars().count()));
    }
    hex::decode(text).map_err(|error| match error {
        hex::FromHexError::OddLength => {
            format!("expected an even number of hex digits, found {}", text.chars().count())
        }
        hex::FromHexError::InvalidHexCharacter { c, index } => {
            format!("expected hex digits, found `{}` at position {index}", c.escape_default())
        }
        hex::FromHexError::InvalidStringLength => "expected hex digits".to_owned(),
    })
}

fn from_array(elements: &[Value], size: Option<u64>) -> Result<Vec<u8>, (Option<usize>, String)> {
    if let Some(size) = size
        && u64::try_from(elements.len()) != Ok(size)
    {
        return Err((None, format!("expected {size} bytes, found {}", elements.len())));
    }
    let byte = |(index, value): (usize, &Value)| {
        whole(value)
            .and_then(|number| u8::try_from(number).ok())
            .ok_or_else(|| (Some(index), "expected a whole number from 0 to 255".to_owned()))
    };
    elements.iter().enumerate().map(byte).collect()
}

/// A whole number; JSON Schema counts `222.0` as one, the application's reader does not.
fn whole(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| {
        let number = value.as_f64().filter(|number| number.fract() == 0.0 && (0.0..=255.0).contains(number))?;
        (0..=255_u8).find(|byte| f64::from(*byte) == number).map(u64::from)
    })
}

fn expected(size: Option<u64>) -> String {
    match size {
        None => "a hex string or a byte array".to_owned(),
        Some(ID) => "64 hex digits, a base58 id of 32 bytes or an array of 32 bytes".to_owned(),
        Some(size) => format!("{} hex digits or an array of {size} bytes", size.saturating_mul(2)),
    }
}

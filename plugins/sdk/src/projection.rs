//! What a mapper's author implements to write tool manifests as well.
//!
//! It mirrors the optional interface `projection` of `wit/mapper/0.1.0/mapper.wit`; [`crate::export_projection!`]
//! translates.

use crate::mapper::Fault;
use serde_json::{Map, Value};

/// Writes a manifest's tools in a format of the ecosystem's own.
pub trait Projection {
    /// The formats this mapper writes. At least one.
    fn formats() -> &'static [&'static str];

    /// Writes the manifest's tools in one of those formats. `settings` belong to the format.
    ///
    /// # Errors
    ///
    /// [`Fault::NotRecognised`] for a manifest or a format that is not one of this mapper's, [`Fault::Malformed`] for
    /// a broken manifest or a setting that is not understood.
    fn project(manifest: &[u8], format: &str, settings: &Map<String, Value>) -> Result<Vec<u8>, Fault>;
}

/// Reads settings as the host hands them over; no text at all is no setting.
#[cfg_attr(not(any(test, target_arch = "wasm32")), expect(dead_code, reason = "only components are handed text"))]
pub(crate) fn settings(text: &str) -> Result<Map<String, Value>, Fault> {
    let malformed = |problem: String| Fault::Malformed { at: "settings".to_owned(), problem };
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    match crate::json::parse(text.as_bytes()).map_err(malformed)? {
        Value::Object(settings) => Ok(settings),
        _ => Err(malformed("expected a JSON object".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_an_object_or_nothing() {
        assert!(settings("").unwrap().is_empty());
        assert_eq!(settings(r#"{"compat":true}"#).unwrap().get("compat"), Some(&Value::Bool(true)));
        let refused = settings("[]").unwrap_err();
        assert_eq!(
            refused,
            Fault::Malformed { at: "settings".to_owned(), problem: "expected a JSON object".to_owned() }
        );
    }
}

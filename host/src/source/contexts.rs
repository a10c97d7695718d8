//! What a call runs against: contexts, and finding the one a caller means.

use crate::source::Unit;

/// One context of an app.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Context {
    /// As the node writes it: base58 or 64 hex digits, by node release.
    pub id: String,
    /// The service it runs, for a bundle of several.
    pub service: Option<String>,
}

/// What a caller's word for a context turned out to mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContextMatch {
    /// A context of the app and service, by its id as the node writes it.
    Own(String),
    /// It exists, or is the id of one, but not of this app and service.
    Foreign,
    /// Neither an id nor an alias.
    Unknown,
}

impl Context {
    /// Whether it runs the unit's service. An app without named services has only one thing to run.
    #[must_use]
    pub fn serves(&self, unit: &Unit) -> bool {
        match &unit.service {
            None => true,
            Some(service) => self.service.as_ref() == Some(service),
        }
    }

    /// Whether `text` names this context, in either text form of the same 32 bytes.
    #[must_use]
    pub fn is_named(&self, text: &str) -> bool {
        is_same_id(&self.id, text)
    }
}

/// Whether two texts are one id, in either text form.
#[must_use]
pub(crate) fn is_same_id(own: &str, given: &str) -> bool {
    own == given || matches!((id_bytes(own), id_bytes(given)), (Some(own), Some(given)) if own == given)
}

/// Whether `text` is written like an id; anything else can only be an alias.
#[must_use]
pub fn is_id(text: &str) -> bool {
    id_bytes(text).is_some()
}

/// The base58 form of an id in hex; `None` for anything else. Nodes before autumn 2026 read no other.
#[must_use]
pub fn base58_of(hex_id: &str) -> Option<String> {
    let bytes: [u8; 32] = hex::decode(hex_id).ok()?.try_into().ok()?;
    Some(bs58::encode(bytes).into_string())
}

/// The 32 bytes behind an id, from 64 hex digits or from base58; `None` for anything else (an alias).
///
/// Nodes before autumn 2026 write base58, newer ones hex; a caller may hold either (node API page, §1.1).
#[must_use]
fn id_bytes(text: &str) -> Option<[u8; 32]> {
    let bytes = if text.len() == 64 { hex::decode(text).ok()? } else { bs58::decode(text).into_vec().ok()? };
    bytes.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_text_forms_of_an_id_name_the_same_context() {
        let bytes = [7_u8; 32];
        let context = Context { id: bs58::encode(bytes).into_string(), service: None };
        assert!(context.is_named(&hex::encode(bytes)));
        assert!(context.is_named(&context.id.clone()));
        assert!(!context.is_named(&hex::encode([8_u8; 32])));
        assert!(!context.is_named("my-alias"));
        assert!(!context.is_named(""));
    }
}

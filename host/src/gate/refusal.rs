//! A call that did not pass: what to say, and whose guide to show with it.

use crate::source::{App, Context, Unit};
use std::sync::Arc;

/// Why a call does not run; a reply the model can act on.
#[derive(Debug, Clone, PartialEq)]
pub struct Refusal {
    /// The app whose guide is shown first, where a guide helps.
    pub guide_of: Option<Arc<App>>,
    /// What to do. The wording is an interface: clients match it, so it never changes.
    pub text: String,
}

impl Refusal {
    /// No handle, or one that does not fit: get one.
    #[must_use]
    pub fn select_first(unit: &Unit) -> Self {
        Self {
            guide_of: Some(Arc::clone(&unit.app)),
            text: format!("Call select_app for {} and retry with the returned app_handle.", unit.app.label()),
        }
    }

    /// No handle, and nothing that tells which app is meant.
    #[must_use]
    pub fn select_any() -> Self {
        Self::plain("Call select_app for the application and retry with the returned app_handle.")
    }

    /// A planning handle: good, but it names no context.
    #[must_use]
    pub fn no_context(unit: &Unit) -> Self {
        Self::plain(format!(
            "This app_handle names no context. Call select_app for {} with a context and retry with the returned \
             app_handle.",
            unit.app.label()
        ))
    }

    /// The context belongs to something else.
    #[must_use]
    pub fn foreign_context(unit: &Unit, named: &str, contexts: &[Context]) -> Self {
        let label = unit.label();
        let own = listed(unit, contexts);
        Self::plain(format!(
            "Error: Context \"{named}\" does not belong to \"{label}\". Contexts for \"{label}\": {own}"
        ))
    }

    /// There is no such context.
    #[must_use]
    pub fn unknown_context(unit: &Unit, named: &str, contexts: &[Context]) -> Self {
        let label = unit.label();
        let own = listed(unit, contexts);
        Self::plain(format!(
            "Error: Context \"{named}\" not found: it is neither a context id nor an alias on this node. \
             Contexts for \"{label}\": {own}"
        ))
    }

    fn plain(text: impl Into<String>) -> Self {
        Self { guide_of: None, text: text.into() }
    }
}

/// The ids a caller may name; never the rejected value itself.
fn listed(unit: &Unit, contexts: &[Context]) -> String {
    let ids: Vec<&str> = contexts.iter().filter(|context| context.serves(unit)).map(|context| &*context.id).collect();
    if ids.is_empty() { "(none)".to_owned() } else { ids.join(", ") }
}

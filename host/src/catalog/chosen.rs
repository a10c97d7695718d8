//! Which apps and methods the operator wants as tools.

use crate::catalog::slug::{sanitise, slug};
use crate::source::App;

/// The operator's choice; everything unless told.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Chosen {
    /// Only methods that read.
    pub read_only: bool,
    /// Only apps named here: by package, slug, display name or id. The others are left to `call`.
    pub apps: Option<Vec<String>>,
    /// Only methods of these categories, of those that have one.
    pub categories: Option<Vec<String>>,
}

impl Chosen {
    /// Whether an app's methods become tools.
    #[must_use]
    pub fn has(&self, app: &App) -> bool {
        self.apps.as_ref().is_none_or(|names| names.iter().any(|name| is_named(app, name)))
    }

    /// Whether methods of a category become tools.
    #[must_use]
    pub fn has_category(&self, category: Option<&str>) -> bool {
        let (Some(chosen), Some(category)) = (&self.categories, category) else { return true };
        chosen.iter().any(|name| name.to_lowercase() == category.to_lowercase())
    }

    /// The names that mean none of these apps.
    #[must_use]
    pub fn unmatched<'a, A: AsRef<App>>(&'a self, apps: &[A]) -> Vec<&'a str> {
        let names = self.apps.iter().flatten().map(String::as_str);
        names.filter(|name| !apps.iter().any(|app| is_named(app.as_ref(), name))).collect()
    }
}

fn is_named(app: &App, name: &str) -> bool {
    let display = app.name.as_deref().is_some_and(|display| display.to_lowercase() == name.to_lowercase());
    app.id == name
        || app.package.as_deref() == Some(name)
        || slug(app.package.as_deref(), &app.id, None) == sanitise(name)
        || display
}

//! From what a person calls an app to the one app that is meant.

use crate::source::App;
use crate::source::contexts::is_same_id;
use std::sync::Arc;

/// Why a name did not lead to one app. The texts are the Calimero server page's, §7.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    /// Nothing has this name.
    #[error("Application \"{query}\" not found. Installed: {}", list(.installed))]
    NotFound {
        /// What was asked for.
        query: String,
        /// Labels of what is there.
        installed: Vec<String>,
    },
    /// Several packages have it.
    #[error("Application \"{query}\" is ambiguous: {}. Pass the full package name or the application id.", .packages.join(", "))]
    Ambiguous {
        /// What was asked for.
        query: String,
        /// The packages.
        packages: Vec<String>,
    },
    /// One package, several signers.
    #[error("Application \"{query}\" is published by several signers: {}. Pass the application id.", .ids.join(", "))]
    SeveralSigners {
        /// What was asked for.
        query: String,
        /// `<id> (signer <s>)` each.
        ids: Vec<String>,
    },
}

fn list(labels: &[String]) -> String {
    if labels.is_empty() { "(none)".to_owned() } else { labels.join(", ") }
}

/// Finds the one app a name, package or id means. Tiers, the first with any match decides: the id, in either text form; exact package;
/// last package segment or display name, ignoring case. Whole segments only: `chat` is not `chat-v2` (A17).
///
/// # Errors
/// Nothing, or more than one app, in the deciding tier.
pub fn resolve<'a>(apps: &'a [Arc<App>], query: &str) -> Result<&'a Arc<App>, ResolveError> {
    let tiers: [&dyn Fn(&App) -> bool; 3] =
        [&|app| is_same_id(&app.id, query), &|app| app.package.as_deref() == Some(query), &|app| {
            is_short_name(app, query)
        }];
    for tier in tiers {
        let matches: Vec<&Arc<App>> = apps.iter().filter(|app| tier(app)).collect();
        match matches.as_slice() {
            [] => {}
            [one] => return Ok(one),
            several => return Err(conflict(several, query)),
        }
    }
    Err(ResolveError::NotFound {
        query: query.to_owned(),
        installed: apps.iter().map(|app| app.label().to_owned()).collect(),
    })
}

fn is_short_name(app: &App, query: &str) -> bool {
    let same = |text: &str| text.to_lowercase() == query.to_lowercase();
    let segment = app.package.as_deref().and_then(|package| package.rsplit('.').next());
    segment.is_some_and(same) || app.name.as_deref().is_some_and(same)
}

fn conflict(apps: &[&Arc<App>], query: &str) -> ResolveError {
    let mut packages: Vec<String> = apps.iter().map(|app| app.label().to_owned()).collect();
    packages.sort();
    packages.dedup();
    let query = query.to_owned();
    if packages.len() > 1 {
        return ResolveError::Ambiguous { query, packages };
    }
    let signer = |app: &App| app.signer.clone().unwrap_or_else(|| "unknown".to_owned());
    ResolveError::SeveralSigners {
        query,
        ids: apps.iter().map(|app| format!("{} (signer {})", app.id, signer(app))).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn app(id: &str, package: &str, signer: &str, name: Option<&str>) -> Arc<App> {
        Arc::new(App {
            id: id.to_owned(),
            package: (!package.is_empty()).then(|| package.to_owned()),
            version: None,
            name: name.map(str::to_owned),
            signer: Some(signer.to_owned()),
            guide: None,
            content: String::new(),
            services: Vec::new(),
            record: crate::model::JsonObject::new(),
            metadata: None,
            origin: crate::source::Origin::Node,
        })
    }

    #[test]
    fn a17_short_names_match_whole_segments_and_never_guess() {
        let v2 = [app("1", "com.x.mero-chat-v2", "s", None)];
        assert_eq!(
            resolve(&v2, "mero-chat").unwrap_err().to_string(),
            "Application \"mero-chat\" not found. Installed: com.x.mero-chat-v2"
        );
        let notes = [app("1", "com.x.notes", "s", None), app("2", "org.y.notes", "s", None)];
        assert_eq!(
            resolve(&notes, "notes").unwrap_err().to_string(),
            "Application \"notes\" is ambiguous: com.x.notes, org.y.notes. Pass the full package name or the application id."
        );
        let twice = [app("1", "com.x.notes", "s", None), app("2", "com.x.notes", "t", None)];
        assert_eq!(
            resolve(&twice, "com.x.notes").unwrap_err().to_string(),
            "Application \"com.x.notes\" is published by several signers: 1 (signer s), 2 (signer t). Pass the application id."
        );
        assert_eq!(resolve(&[], "x").unwrap_err().to_string(), "Application \"x\" not found. Installed: (none)");
    }

    #[test]
    fn an_exact_package_beats_another_apps_display_name() {
        let apps = [app("1", "com.x.notes", "s", None), app("2", "org.y.other", "s", Some("com.x.notes"))];
        assert_eq!(resolve(&apps, "com.x.notes").unwrap().id, "1");
        assert_eq!(resolve(&apps, "2").unwrap().id, "2");
        assert_eq!(resolve(&apps, "NOTES").unwrap().id, "1");
        let clash = [app("1", "com.x.notes", "s", None), app("2", "org.y.other", "s", Some("Notes"))];
        assert!(matches!(resolve(&clash, "notes"), Err(ResolveError::Ambiguous { .. })));
    }
}

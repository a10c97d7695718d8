//! The order of trust, with the hostile guest in several personas.

use super::*;
use crate::artifact::specimen::{hostile, load, marked, persona, sandbox};

fn manifest() -> Arc<[u8]> {
    b"{\"behave\":\"tidy\",\"subject\":\"0.10.2\"}".as_slice().into()
}

fn third_party(ecosystems: &[&str]) -> Origin {
    Origin::ThirdParty { ecosystems: ecosystems.iter().map(|name| (*name).to_owned()).collect() }
}

/// Plugins of name, release, origin and persona, each with a digest of its own.
fn registry(plugins: &[(&str, &str, Origin, &str)], pins: Vec<Pin>) -> Registry {
    let sandbox = sandbox();
    let load = |(name, release, origin, who): &(&str, &str, Origin, &str)| {
        let bytes = if *who == "tidy" { hostile() } else { persona(who) };
        load(name, release, origin.clone(), marked(bytes, name), &sandbox)
    };
    Registry::new(plugins.iter().map(load).collect(), pins)
}

async fn selected(registry: &Registry) -> Selected {
    registry.select(&Recogniser::new(manifest()), "testing", &Cancel::new()).await.unwrap()
}

fn pin(plugin: &str, subjects: Option<&str>) -> Pin {
    let subjects = subjects.map(SubjectRange::parse);
    Pin { plugin: plugin.to_owned(), ecosystem: "testing".to_owned(), subjects }
}

#[tokio::test]
async fn bundled_goes_before_third_party_and_a_pin_before_both() {
    let plugins =
        [("stranger", "9.0.0", third_party(&["testing"]), "tidy"), ("ours", "0.1.0", Origin::Bundled, "compatible")];
    let unpinned = selected(&registry(&plugins, Vec::new())).await;
    assert_eq!(unpinned.why, "bundled plugin `ours` 0.1.0: compatible fit for hostile/1 0.10.2");
    let pinned = selected(&registry(&plugins, vec![pin("stranger", None)])).await;
    assert_eq!(pinned.plugin.name(), "stranger");
    assert!(pinned.why.starts_with("pinned plugin"), "{}", pinned.why);
}

#[tokio::test]
async fn a_pin_covers_its_subject_versions_only() {
    let plugins = [("stranger", "9.0.0", third_party(&[]), "tidy"), ("ours", "0.1.0", Origin::Bundled, "tidy")];
    let name = async |range: &str| {
        selected(&registry(&plugins, vec![pin("stranger", Some(range))])).await.plugin.name().to_owned()
    };
    assert_eq!(name(">=0.10, <0.11").await, "stranger");
    assert_eq!(name("<0.10").await, "ours");
    assert_eq!(name("G3, G4").await, "ours");
    assert!(SubjectRange::parse("G3, G4").covers(&SubjectVersion("G4".to_owned())));
    assert!(SubjectRange::parse(">=0.10").covers(&SubjectVersion("0.10".to_owned())));
}

#[tokio::test]
async fn a_third_party_is_not_listened_to_about_ecosystems_it_was_not_assigned() {
    let claims = [("stranger", "9.0.0", third_party(&["elsewhere"]), "tidy")];
    let error = registry(&claims, Vec::new())
        .select(&Recogniser::new(manifest()), "testing", &Cancel::new())
        .await
        .unwrap_err();
    assert_eq!(error.code(), "select::not_recognised");
    // Nor may one that was assigned the ecosystem say that the manifest is of another.
    let other = [("stranger", "9.0.0", third_party(&["elsewhere", "testing"]), "ecosystem=elsewhere")];
    let registered = registry(&other, Vec::new());
    let error = registered.select(&Recogniser::new(manifest()), "testing", &Cancel::new()).await.unwrap_err();
    assert_eq!(error.code(), "select::not_recognised");
    let found = registered.select(&Recogniser::new(manifest()), "elsewhere", &Cancel::new()).await.unwrap();
    assert_eq!(found.recognition.ecosystem, "elsewhere");
    let none = [("stranger", "9.0.0", third_party(&[]), "tidy")];
    let error =
        registry(&none, Vec::new()).select(&Recogniser::new(manifest()), "testing", &Cancel::new()).await.unwrap_err();
    let text = error.to_string();
    let (said, hint) = text.split_once("\nhint: ").unwrap();
    assert_eq!(said, "no plugin understands the manifest as one of `testing` (asked: none)");
    assert!(
        hint.contains(r#"`ecosystems = ["testing"]`"#) && hint.contains("accept") && !hint.contains("stranger"),
        "{hint}"
    );
    let asked = [("stranger", "9.0.0", third_party(&["testing"]), "ecosystem=elsewhere")];
    let error =
        registry(&asked, Vec::new()).select(&Recogniser::new(manifest()), "testing", &Cancel::new()).await.unwrap_err();
    assert!(!error.to_string().contains("hint"), "whoever was asked need not be assigned: {error}");
}

#[tokio::test]
async fn a_stranger_never_sees_manifests_of_others() {
    // One that is asked at all would panic, and be named among those passed over.
    for stranger in [third_party(&["elsewhere"]), third_party(&[]), Origin::Named] {
        let plugins = [("spy", "9.0.0", stranger, "panic")];
        let pins = vec![Pin { plugin: "spy".to_owned(), ecosystem: "elsewhere".to_owned(), subjects: None }];
        let error =
            registry(&plugins, pins).select(&Recogniser::new(manifest()), "testing", &Cancel::new()).await.unwrap_err();
        assert!(
            matches!(&error, SelectError::NotRecognised { asked, passed_over, .. } if asked.is_empty() && passed_over.is_empty()),
            "{error}"
        );
    }
}

#[tokio::test]
async fn a_manifest_of_another_ecosystem_than_its_source_says_is_told_with_both() {
    let plugins = [("ours", "0.1.0", Origin::Bundled, "tidy")];
    let error =
        registry(&plugins, Vec::new()).select(&Recogniser::new(manifest()), "else", &Cancel::new()).await.unwrap_err();
    assert_eq!(error.code(), "select::other_ecosystem");
    assert!(error.to_string().starts_with("the manifest is one of `testing`, and was given as one of `else`"));
}

#[tokio::test]
async fn exact_goes_before_compatible_then_the_narrower_then_the_newer() {
    let bundled = Origin::Bundled;
    let fit = [("a", "9.0.0", bundled.clone(), "compatible"), ("b", "0.1.0", bundled.clone(), "tidy")];
    assert_eq!(selected(&registry(&fit, Vec::new())).await.plugin.name(), "b");
    let narrow = [("a", "9.0.0", bundled.clone(), "vague"), ("b", "0.1.0", bundled.clone(), "tidy")];
    assert_eq!(selected(&registry(&narrow, Vec::new())).await.plugin.name(), "b");
    let newer = [("a", "0.9.0", bundled.clone(), "tidy"), ("b", "0.10.0", bundled, "tidy")];
    assert_eq!(selected(&registry(&newer, Vec::new())).await.plugin.name(), "b");
}

#[tokio::test]
async fn a_tie_between_different_plugins_names_them() {
    let plugins = [("a", "1.0.0", Origin::Bundled, "tidy"), ("b", "1.0.0", Origin::Bundled, "tidy")];
    let error = registry(&plugins, Vec::new())
        .select(&Recogniser::new(manifest()), "testing", &Cancel::new())
        .await
        .unwrap_err();
    assert_eq!(error.code(), "select::tie");
    assert!(error.to_string().contains("`a` 1.0.0, `b` 1.0.0"), "{error}");
    assert!(error.to_string().contains("hint: pin one"), "{error}");
}

#[tokio::test]
async fn a_plugin_that_fails_is_reported_and_passed_over() {
    let plugins = [("bad", "9.0.0", Origin::Bundled, "panic"), ("good", "0.1.0", Origin::Bundled, "tidy")];
    let found = selected(&registry(&plugins, Vec::new())).await;
    assert_eq!(found.plugin.name(), "good");
    assert_eq!(found.passed_over[0].code(), "sandbox::trap");
    let only = registry(&plugins[..1], Vec::new())
        .select(&Recogniser::new(manifest()), "testing", &Cancel::new())
        .await
        .unwrap_err();
    assert!(only.to_string().contains("plugin `bad` 9.0.0 stopped with a fault"), "{only}");
    let cancel = Cancel::new();
    cancel.cancel();
    let cancelled =
        registry(&plugins, Vec::new()).select(&Recogniser::new(manifest()), "testing", &cancel).await.unwrap_err();
    assert_eq!(cancelled.code(), "select::cancelled");
}

#[test]
fn decoders_are_asked_own_first_then_newest_first_and_strangers_only_about_their_ecosystems() {
    let plugins = [
        ("old", "0.9.0", Origin::Bundled, "tidy"),
        ("own", "0.1.0", Origin::Bundled, "tidy"),
        ("new", "0.10.0", Origin::Bundled, "tidy"),
        ("stranger", "9.0.0", third_party(&["elsewhere"]), "tidy"),
        ("assigned", "0.5.0", third_party(&["testing"]), "tidy"),
    ];
    let registry = registry(&plugins, Vec::new());
    let own = *registry.plugins()[1].digest();
    let names: Vec<String> =
        registry.decoders(Some(&own), "testing").iter().map(|plugin| plugin.name().to_owned()).collect();
    assert_eq!(names, ["own", "new", "old", "assigned"]);
}

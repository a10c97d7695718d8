//! Reading a manifest: an enriched MEOS catalog, alone or in an envelope with the operator's overrides.
//!
//! Bytes in; out comes a [`Catalog`] whose functions are still JSON, overrides applied. What one function says is
//! read in [`crate::function`]; nothing here knows what any of it means.

use abi_mcp_sdk::json::{self, Object};
use abi_mcp_sdk::serde_json::Value;
use abi_mcp_sdk::{Fault, Fit, Recognition};

/// The format this mapper names its manifests by; the catalogs themselves carry no name.
pub(crate) const FORMAT: &str = "meos-catalog";

/// A catalog, as JSON.
pub(crate) struct Catalog {
    /// In the catalog's order.
    pub(crate) functions: Vec<Value>,
    /// The enumerations: `{name, values: [{name, value}]}`.
    pub(crate) enums: Vec<Value>,
    /// The MEOS release it describes, where it says so.
    pub(crate) release: Option<String>,
    /// The commit it was generated from, where it says so.
    pub(crate) commit: Option<String>,
    /// Whether overrides came with it.
    pub(crate) overridden: bool,
    /// Functions that an override names and the catalog lacks.
    pub(crate) unknown_overrides: Vec<String>,
}

impl Catalog {
    /// Reads `{"functions": ..}` or `{"catalog": {"functions": ..}, "overrides": {..}}`.
    ///
    /// Only JSON and `functions` are required here, as by the original generator; see [`Catalog::enriched`].
    pub(crate) fn read(manifest: &[u8]) -> Result<Self, Fault> {
        let Value::Object(root) = json::parse(manifest).map_err(Fault::NotRecognised)? else {
            return Err(Fault::NotRecognised("expected a JSON object: a MEOS catalog".to_owned()));
        };
        let (mut catalog, overrides) = open(root)?;
        let Some(functions) = catalog.shift_remove("functions") else {
            return Err(Fault::NotRecognised("the catalog has no `functions`".to_owned()));
        };
        let Value::Array(mut functions) = functions else {
            return Err(malformed("functions", "expected a list"));
        };
        let overridden = overrides.is_some();
        let unknown_overrides = match overrides {
            Some(overrides) => apply(overrides, &mut functions)?,
            None => Vec::new(),
        };
        let text = |of: &Value| of.as_str().map(str::to_owned);
        Ok(Self {
            functions,
            enums: match catalog.shift_remove("enums") {
                Some(Value::Array(enums)) => enums,
                _ => Vec::new(),
            },
            release: catalog.get("meos").and_then(|meos| meos.get("release")).and_then(text),
            commit: catalog.get("sourceCommit").and_then(text),
            overridden,
            unknown_overrides,
        })
    }

    /// The same, refusing a catalog that nothing can be projected from.
    pub(crate) fn enriched(manifest: &[u8]) -> Result<Self, Fault> {
        let catalog = Self::read(manifest)?;
        if catalog.is_enriched() {
            return Ok(catalog);
        }
        let found =
            "the catalog is not enriched: no function carries `network`; run the catalog generator's enrichment";
        Err(Fault::NotRecognised(found.to_owned()))
    }

    fn is_enriched(&self) -> bool {
        self.functions.iter().any(|function| function.get("network").is_some())
    }

    /// What the host is told of it; nothing when it is some other document that happens to list functions.
    pub(crate) fn recognition(&self) -> Option<Recognition> {
        let looks_like_c = |function: &Value| function.get("params").is_some() && function.get("returnType").is_some();
        let described = |function: &Value| function.get("wire").is_some() || looks_like_c(function);
        if !self.functions.first().is_some_and(described) {
            return None;
        }
        let enriched = self.is_enriched();
        let mut reasons = vec![format!("a catalog of {} C functions", self.functions.len())];
        reasons.push(if enriched { "enriched with `network`" } else { "not enriched: no `network`" }.to_owned());
        reasons.extend(self.release.as_ref().map(|release| format!("describes MEOS {release}")));
        reasons.extend(self.commit.as_ref().map(|commit| format!("generated from commit {commit}")));
        reasons.extend(self.overridden.then(|| "with overrides".to_owned()));
        Some(Recognition {
            ecosystem: "meos".to_owned(),
            format: FORMAT.to_owned(),
            subject_version: self.release.clone(),
            fit: if enriched { Fit::Exact } else { Fit::Compatible },
            reasons,
        })
    }
}

fn malformed(at: &str, problem: &str) -> Fault {
    Fault::Malformed { at: at.to_owned(), problem: problem.to_owned() }
}

/// Takes an envelope apart; a bare catalog is its own.
fn open(mut root: Object) -> Result<(Object, Option<Value>), Fault> {
    if root.contains_key("functions") {
        return Ok((root, None));
    }
    match root.shift_remove("catalog") {
        None => Ok((root, None)),
        Some(Value::Object(catalog)) => Ok((catalog, root.shift_remove("overrides").filter(|it| !it.is_null()))),
        Some(_) => Err(malformed("catalog", "expected a JSON object: a MEOS catalog")),
    }
}

/// Merges `functions.<name>` over each function of that name, key by key and no deeper, and answers the names it did
/// not find. `types` may be there as well, as in the files of the original generator; nothing read here depends on it.
fn apply(overrides: Value, functions: &mut [Value]) -> Result<Vec<String>, Fault> {
    let Value::Object(mut overrides) = overrides else {
        return Err(malformed("overrides", "expected a JSON object with `functions` or `types`"));
    };
    let mut by_name = match overrides.shift_remove("functions") {
        None => return Ok(Vec::new()),
        Some(Value::Object(by_name)) => by_name,
        Some(_) => return Err(malformed("overrides.functions", "expected a JSON object, one key a function")),
    };
    for function in functions {
        let Some(function) = function.as_object_mut() else { continue };
        let Some(name) = function.get("name").and_then(Value::as_str) else { continue };
        let Some(over) = by_name.shift_remove(name) else { continue };
        let Value::Object(over) = over else {
            return Err(malformed(&json::member("overrides.functions", name), "expected a JSON object"));
        };
        for (key, value) in over {
            function.insert(key, value);
        }
    }
    Ok(by_name.into_iter().map(|(name, _)| name).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Catalog {
        Catalog::read(text.as_bytes()).expect("a catalog")
    }

    fn refusal(text: &str) -> String {
        match Catalog::enriched(text.as_bytes()).err().expect("a refusal") {
            Fault::NotRecognised(found) => found,
            Fault::Malformed { at, problem } => format!("{at}: {problem}"),
            Fault::TooLarge(bound) => bound,
        }
    }

    #[test]
    fn what_the_original_generator_refuses_is_refused_with_the_reason() {
        assert!(refusal("{}").contains("no `functions`"));
        assert!(refusal(r#"{"functions": []}"#).contains("not enriched"));
        assert!(refusal(r#"{"functions": [{"name": "f", "params": []}]}"#).contains("not enriched"));
        assert!(refusal("[1]").contains("expected a JSON object"));
        assert!(refusal(r#"{"functions": {}}"#).contains("functions: expected a list"));
    }

    #[test]
    fn an_override_replaces_whole_keys_of_the_function_it_names() {
        let catalog = read(
            r#"{"catalog": {"functions": [{"name": "f", "network": {"exposable": true, "method": "POST"}}, {"name": "g"}]},
                "overrides": {"functions": {"f": {"network": {"exposable": false}, "doc": "d"}, "gone": {}},
                              "types": {"Temporal": {"meosType": "temporal"}}}}"#,
        );
        assert_eq!(catalog.functions[0].to_string(), r#"{"name":"f","network":{"exposable":false},"doc":"d"}"#);
        assert_eq!(catalog.unknown_overrides, ["gone"]);
        assert!(catalog.overridden);
    }

    #[test]
    fn overrides_of_another_shape_are_refused_where_they_are_wrong() {
        let with =
            |overrides: &str| format!(r#"{{"catalog": {{"functions": [{{"name":"f"}}]}}, "overrides": {overrides}}}"#);
        assert!(refusal(&with("[]")).starts_with("overrides: "));
        assert!(refusal(&with(r#"{"functions": []}"#)).starts_with("overrides.functions: "));
        assert!(refusal(&with(r#"{"functions": {"f": 1}}"#)).starts_with("overrides.functions.f: "));
    }

    #[test]
    fn a_document_that_only_happens_to_list_functions_is_not_ours() {
        assert_eq!(read(r#"{"functions": []}"#).recognition(), None);
        assert_eq!(read(r#"{"functions": [{"name": "f", "inputs": []}]}"#).recognition(), None);
    }

    #[test]
    fn a_catalog_says_its_release_and_its_commit_where_it_has_them() {
        let catalog = read(
            r#"{"meos": {"release": "1.3.0"}, "sourceCommit": "abc",
                "functions": [{"name": "f", "wire": {}, "network": {"exposable": true}}]}"#,
        );
        let recognition = catalog.recognition().unwrap();
        assert_eq!((recognition.subject_version.as_deref(), recognition.fit), (Some("1.3.0"), Fit::Exact));
        assert!(recognition.reasons.iter().any(|reason| reason.contains("abc")));
    }
}

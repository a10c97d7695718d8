//! The words about a function: what the catalog says it does, and what SQL calls it.
//!
//! Composed of facts of the catalog and of nothing else. One of those facts needs care: functions that share an SQL
//! wrapper share its name in the catalog, so `ttext_initcap` is said to be `lower`.

use crate::function::Function;
use abi_mcp_sdk::json::Object;
use abi_mcp_sdk::serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The SQL names of a catalog.
pub(crate) struct Sql {
    /// Names by what they are claimed for: the SQL name and the C types of the parameters.
    owners: BTreeMap<(String, String), BTreeSet<String>>,
    /// Whether the overloads are SQL's own, so that their results are. Catalogs that describe a release derive them
    /// from the C sources, which know the types of operands and not those of results.
    results: bool,
}

/// What SQL calls one function.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    name: Option<String>,
    /// As an overload: `length(tgeompoint)`.
    overload: Option<String>,
    operator: Option<String>,
}

impl Sql {
    /// Finds out which functions SQL names are really the names of.
    pub(crate) fn new<'a>(functions: impl Iterator<Item = &'a Function>, results: bool) -> Self {
        let mut owners: BTreeMap<_, BTreeSet<String>> = BTreeMap::new();
        for function in functions {
            if let Some(name) = function.sqlfn.as_ref().filter(|name| ends_like(&function.name, name)) {
                owners.entry(claim(function, name)).or_default().insert(function.name.clone());
            }
        }
        Self { owners, results }
    }

    /// The facts of a function. `overload` is the SQL overload that fits it best, if one does.
    pub(crate) fn facts(&self, function: &Function, overload: Option<usize>) -> Facts {
        let operator = function.sqlop.clone();
        let signature = overload.and_then(|index| function.sql_signatures.get(index));
        let name = signature.and_then(|it| it.name.clone()).or_else(|| function.sqlfn.clone());
        let Some(name) = name.filter(|name| self.is_its_own(function, name, signature.is_some())) else {
            return Facts { operator, ..Facts::default() };
        };
        let overload = signature.map(|it| format!("{name}({})", it.args.join(", ")));
        Facts { name: Some(name), overload, operator }
    }

    /// The types of the results of overloads, as far as SQL tells them of this function.
    pub(crate) fn results<'a>(&self, function: &'a Function, overloads: impl Iterator<Item = usize>) -> Vec<&'a str> {
        let result = |index: usize| function.sql_signatures.get(index)?.ret.as_deref();
        let own = function.sqlfn.as_ref().is_some_and(|name| self.is_its_own(function, name, true));
        if self.results && own { overloads.filter_map(result).collect() } else { Vec::new() }
    }

    /// Whether a name is this function's and not that of another one with the same wrapper.
    fn is_its_own(&self, function: &Function, name: &str, matches: bool) -> bool {
        if ends_like(&function.name, name) {
            return true;
        }
        let another = self.owners.get(&claim(function, name)).is_some_and(|owners| !owners.is_empty());
        !another && (matches || plain(&function.name).contains(&plain(name)))
    }
}

fn claim(function: &Function, name: &str) -> (String, String) {
    let types: Vec<&str> = function.params.iter().map(|param| param.c.as_str()).collect();
    (name.to_owned(), types.join(","))
}

fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|character| character.to_ascii_lowercase()).collect()
}

fn ends_like(function: &str, name: &str) -> bool {
    let name = plain(name);
    !name.is_empty() && plain(function).ends_with(&name)
}

impl Facts {
    /// The method's words: the catalog's own, then SQL's.
    pub(crate) fn doc(&self, function: &Function) -> String {
        let own = function.doc.as_deref().map(str::trim).filter(|doc| !doc.is_empty());
        let mut doc = match own {
            Some(own) => own.to_owned(),
            None => format!("MEOS {}.", function.category.as_deref().unwrap_or("function")),
        };
        let sql = match (self.overload.as_ref().or(self.name.as_ref()), &self.operator) {
            (Some(name), Some(operator)) => format!("`{name}`, operator `{operator}`"),
            (Some(name), None) => format!("`{name}`"),
            (None, Some(operator)) => format!("operator `{operator}`"),
            (None, None) => return doc,
        };
        doc.push_str(if doc.ends_with(['.', '!', '?']) { " SQL: " } else { ". SQL: " });
        doc.push_str(&sql);
        doc
    }

    /// The same for `_meta`.
    pub(crate) fn meta(&self, function: &Function) -> Object {
        let facts = [
            ("category", &function.category),
            ("sql", &self.name),
            ("operator", &self.operator),
            ("group", &function.group),
        ];
        let given = |(key, value): (&str, &Option<String>)| {
            value.as_ref().map(|value| (key.to_owned(), Value::from(value.as_str())))
        };
        facts.into_iter().filter_map(given).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use abi_mcp_sdk::serde_json::json;

    fn function(name: &str, sqlfn: &str, signatures: &Value) -> Function {
        let entry = json!({
            "name": name, "returnType": { "c": "Temporal *" }, "sqlfn": sqlfn, "sqlSignatures": signatures,
            "params": [{ "name": "temp", "cType": "const Temporal *" }], "category": "transformation",
        });
        Function::read(&entry).unwrap()
    }

    #[test]
    fn a_name_of_a_shared_wrapper_belongs_to_the_function_that_is_called_like_it() {
        let overload = json!([{ "args": ["ttext"], "ret": "ttext" }]);
        let lower = function("ttext_lower", "lower", &overload);
        let initcap = function("ttext_initcap", "lower", &overload);
        let sql = Sql::new([&lower, &initcap].into_iter(), true);
        assert_eq!(sql.facts(&lower, Some(0)).overload.as_deref(), Some("lower(ttext)"));
        assert_eq!(sql.facts(&initcap, Some(0)), Facts::default());
        assert_eq!(sql.results(&lower, std::iter::once(0)), ["ttext"]);
        assert!(sql.results(&initcap, std::iter::once(0)).is_empty());
    }

    #[test]
    fn a_name_like_no_function_is_believed_when_an_overload_fits() {
        let at_time = function("temporal_at_tstzspan", "atTime", &json!([{ "args": ["tint"], "ret": "tint" }]));
        let sql = Sql::new(std::iter::once(&at_time), true);
        assert_eq!(sql.facts(&at_time, Some(0)).name.as_deref(), Some("atTime"));
        assert_eq!(sql.facts(&at_time, None).name, None);
    }

    #[test]
    fn results_of_derived_overloads_are_not_believed() {
        let lower = function("ttext_lower", "lower", &json!([{ "args": ["ttext"], "ret": "ttext" }]));
        assert!(Sql::new(std::iter::once(&lower), false).results(&lower, std::iter::once(0)).is_empty());
    }

    #[test]
    fn words_are_the_catalog_s_then_sql_s() {
        let mut lower = function("ttext_lower", "lower", &json!([{ "args": ["ttext"] }]));
        let sql = Sql::new(std::iter::once(&lower), true);
        assert_eq!(sql.facts(&lower, Some(0)).doc(&lower), "MEOS transformation. SQL: `lower(ttext)`");
        lower.doc = Some(" Lower case ".to_owned());
        lower.sqlop = Some("@".to_owned());
        assert_eq!(sql.facts(&lower, None).doc(&lower), "Lower case. SQL: `lower`, operator `@`");
    }
}

//! What of a plugin's settings no log line may show.
//!
//! In comes a plugin as the operator wants it, and the redactor learns the values of its environment variables, which
//! are granted because they are secrets more often than not, and what stands in its `config` under a key that sounds like
//! one. Before the plugin runs for the first time, because what it logs, prints or fails with is its own affair.

use crate::artifact::Wanted;
use crate::redact::{Redactor, Secret};
use serde_json::Value;

/// Shorter values are words like `metric` or `true`, which would be blanked out wherever they stand.
const SHORTEST: usize = 6;

/// What a key that leads to a secret has in its name, whatever else stands around it.
const TELLTALES: [&str; 10] =
    ["token", "key", "secret", "password", "passwd", "passphrase", "credential", "authorization", "cookie", "private"];

/// Teaches the redactor what a plugin is given.
pub(super) fn learn(wanted: &Wanted, redactor: &Redactor) {
    for value in wanted.variables.values() {
        learn_text(value, redactor);
    }
    for (key, value) in &wanted.values {
        learn_value(value, sounds_secret(key), redactor);
    }
}

fn sounds_secret(key: &str) -> bool {
    let key = key.to_lowercase();
    TELLTALES.iter().any(|telltale| key.contains(telltale))
}

fn learn_value(value: &Value, is_secret: bool, redactor: &Redactor) {
    match value {
        Value::Object(members) => {
            members.iter().for_each(|(key, value)| learn_value(value, is_secret || sounds_secret(key), redactor));
        }
        Value::Array(items) => items.iter().for_each(|item| learn_value(item, is_secret, redactor)),
        Value::String(text) if is_secret => {
            learn_text(text, redactor);
            // A plugin gets its configuration as JSON text.
            learn_text(value.to_string().trim_matches('"'), redactor);
        }
        Value::Number(number) if is_secret => learn_text(&number.to_string(), redactor),
        _ => {}
    }
}

/// A value, and each of its lines: a key of several is logged line by line.
fn learn_text(text: &str, redactor: &Redactor) {
    let parts = std::iter::once(text).chain(text.lines()).map(str::trim);
    parts.filter(|part| part.chars().count() >= SHORTEST).for_each(|part| redactor.learn(&Secret::new(part)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{ConfigFile, resolve};

    fn redactor(config: &str, variable: &str) -> Redactor {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("abi-mcp.toml");
        std::fs::write(&path, format!("[[plugin]]\nname = \"p\"\nfile = \"p.wasm\"\n[plugin.config]\n{config}\n"))
            .unwrap();
        let file = ConfigFile::read(Some(crate::config::Place { path, named: true })).unwrap();
        let mut wanted = resolve::plugins(&file.written, file.place.as_ref()).unwrap().remove(0);
        wanted.variables = [("GRANTED".to_owned(), variable.to_owned())].into();
        let redactor = Redactor::new(None);
        learn(&wanted, &redactor);
        redactor
    }

    #[test]
    fn granted_variables_and_what_sounds_like_a_secret_are_hidden_and_nothing_else() {
        let config = r#"
            api_key = "FIXTURE-a"
            apiToken = "FIXTURE\"b"
            units = "metric-system"
            pass_number = 1234567
            login = { user = "somebody", Password = "FIXTURE-c" }
            credentials = ["FIXTURE-d", { of = "FIXTURE-e" }]
            token = "abc"
        "#;
        let redactor = redactor(config, "FIXTURE-f\nFIXTURE-g\n");
        for hidden in
            ["FIXTURE-a", "FIXTURE\"b", "FIXTURE\\\"b", "FIXTURE-c", "FIXTURE-d", "FIXTURE-e", "FIXTURE-f", "FIXTURE-g"]
        {
            assert_eq!(redactor.redact(&format!("so {hidden} it is")), "so *** it is", "{hidden}");
        }
        for shown in ["metric-system", "somebody", "abc", "1234567"] {
            assert_eq!(redactor.redact(shown), shown);
        }
    }
}

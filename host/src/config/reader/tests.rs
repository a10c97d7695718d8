//! Reading: what is accepted, and that nothing that is refused shows a value.

use super::*;
use crate::config::schema::Written;

fn trouble(text: &str) -> Trouble {
    read::<Written>(text).unwrap_err()
}

#[test]
fn a_whole_file_is_read() {
    let text = r#"
        [node]
        serve = false
        [[manifest]]
        ecosystem = "arithmetic"
        file = "f.txt"
        [[plugin]]
        name = "weather"
        file = "weather.wasm"
        ecosystems = ["weather", "tides"]
        pins = [{ ecosystem = "weather", subjects = ">=0.9, <1" }]
        grants = { http = ["API.example.org"], directories = [{ guest = "/n", host = "n" }], clocks = true }
        [plugin.config]
        units = "metric"
        nested = { since = 2026-01-02, many = [1, 2.5, true] }
        [tools]
        budget = 0x40
        [limits.engine]
        time_ms = 60_000
    "#;
    let (written, warnings) = read::<Written>(text).unwrap();
    assert_eq!(warnings, Vec::<String>::new());
    let plugin = &written.plugin[0];
    assert_eq!(plugin.name.at, Position { line: 8, column: 16 });
    assert_eq!(plugin.grants.as_ref().unwrap().http[0].0, "api.example.org");
    assert_eq!(plugin.config["nested"], serde_json::json!({"since": "2026-01-02", "many": [1, 2.5, true]}));
    assert_eq!(written.tools.unwrap().budget.unwrap().0, 64);
    assert_eq!(written.limits.unwrap().engine.unwrap().time_ms.unwrap().0, 60_000);
}

#[test]
fn g03_a_line_that_cannot_be_read_is_named_by_its_place_and_never_shown() {
    let cases = [
        ("password = FIXTURESECRET", 1, 12),
        ("[node]\nusername = \"a\"\npassword_file = FIXTURESECRET\n", 3, 17),
        ("[node]\npassword_file = \"FIXTURESECRET\n", 2, 31),
        ("{\"password\": FIXTURESECRET}", 1, 1),
        ("[node]\npassword = \"FIXTURESECRET\"", 2, 1),
        ("[node]\nurl = [\"FIXTURESECRET\"]", 2, 7),
        ("[node]\nserve = \"FIXTURESECRET\"", 2, 9),
        ("[node]\npassword_variable = \"FIXTURE-SECRET\"", 2, 21),
        ("[tools]\nbudget = \"FIXTURESECRET\"", 2, 10),
        ("[[plugin]]\nname = \"FIXTURESECRET\"\nfile = \"x\"", 2, 8),
        ("node = \"FIXTURESECRET\"", 1, 8),
        ("[node]\nurl = \"a\"\nurl = \"FIXTURESECRET\"", 3, 1),
    ];
    for (text, line, column) in cases {
        let found = trouble(text);
        let shown = format!("{found:?} {}", found.problem);
        assert!(!shown.contains("FIXTURE"), "{text}: {shown}");
        assert_eq!(found.at, Position { line, column }, "{text}: {shown}");
    }
}

#[test]
fn a_value_of_another_kind_is_told_with_both_kinds_and_the_whole_key() {
    let found = trouble("[limits.engine]\ntime_ms = \"long\"").problem.to_string();
    assert_eq!(found, "`limits.engine.time_ms` is a text; expected a whole number from 1 to 3600000");
    let found = trouble("[limits.engine]\ntime_ms = 0").problem.to_string();
    assert_eq!(found, "`limits.engine.time_ms` holds something else than a whole number from 1 to 3600000");
    let found = trouble("[[manifest]]\necosystem = \"x\"").problem.to_string();
    assert_eq!(found, "`manifest` has no `file`, which it needs");
}

#[test]
fn a_key_nobody_knows_is_a_warning_with_the_nearest_known_one() {
    let (_, warnings) = read::<Written>("[tools]\nbudgets = 3\nfrobnicate = 1\n[nodes]\n").unwrap();
    assert_eq!(
        warnings,
        [
            "4:2: `nodes` means nothing here and is ignored; did you mean `node`?",
            "2:1: `tools.budgets` means nothing here and is ignored; did you mean `budget`?",
            "3:1: `tools.frobnicate` means nothing here and is ignored",
        ]
    );
}

#[test]
fn a_key_that_would_hold_a_secret_is_refused_and_one_that_leads_to_it_is_not() {
    for text in ["[node]\npassword = \"x\"", "[node]\nauth_token = \"x\"", "api_key = \"x\"", "[node]\nmy-secret = 1"] {
        let found = trouble(text).problem;
        assert!(matches!(found, Problem::Secret { .. }), "{text}: {found:?}");
        assert!(found.to_string().contains("hint: keep it in a file"), "{found}");
    }
    let (_, warnings) = read::<Written>("[node]\nsecret_file = \"x\"").unwrap();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    // A plugin's own values have names of its own.
    read::<Written>("[[plugin]]\nname = \"p\"\nfile = \"f\"\nconfig = { token_count = 3 }").unwrap();
}

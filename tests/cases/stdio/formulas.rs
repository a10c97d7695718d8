//! A whole ecosystem of a stranger's, with the real binary: formula sheets, which nothing in the host has heard of.
//!
//! The plugin is the example `plugins/examples/formulas`: mapper, engine and error decoder in one component.

use crate::SOON;
use crate::configured::Folder;
use crate::hosted::component;
use abi_mcp_tests::{Client, Spawn};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// A sheet as a person would keep one, with one function that is badly written.
const SHEET: &str = r#"{
  "formulas": "1",
  "title": "Pumps and people",
  "constants": [{"name": "g", "value": 9.80665, "unit": "m/s2"}],
  "functions": [
    {
      "name": "body_mass_index",
      "doc": "Relates mass to height.",
      "words": ["obesity"],
      "takes": [
        {"name": "mass", "unit": "kg", "doc": "what the scales show", "minimum": 0},
        {"name": "height", "unit": "m", "minimum": 0, "maximum": 3}
      ],
      "gives": {"unit": "kg/m2"},
      "formula": "mass / height^2"
    },
    {
      "name": "head",
      "doc": "The height a column of a liquid reaches under a pressure.",
      "takes": [{"name": "pressure", "unit": "Pa"}, {"name": "density", "unit": "kg/m3", "default": 1000, "above": 0}],
      "gives": {"unit": "m"},
      "formula": "pressure / (density * g)"
    },
    {
      "name": "nozzle_speed",
      "takes": [{"name": "pressure", "unit": "Pa"}],
      "gives": {"unit": "m/s"},
      "formula": "sqrt(2 * g * head(pressure))"
    },
    {"name": "unfinished", "takes": [{"name": "x", "unit": "m"}], "formula": "2 * (x"}
  ]
}"#;

/// The line of the configuration that assigns the plugin its ecosystem.
const ASSIGNED: &str = "ecosystems = [\"formulas\"]";

/// A configuration with the sheet, beside the plugin's file, which nobody has added.
fn folder() -> Folder {
    let folder = Folder::new();
    std::fs::write(folder.path("sheet.json"), SHEET).unwrap();
    std::fs::write(folder.path("formulas.wasm"), component("examples/formulas")).unwrap();
    folder.configure("[[manifest]]\necosystem = \"formulas\"\nfile = \"sheet.json\"\n");
    folder
}

fn add(folder: &Folder, more: &[&str]) -> String {
    let file = folder.path("formulas.wasm");
    let added = folder.run(&[&["plugin", "add", "sheets", file.to_str().unwrap()], more].concat());
    assert!(added.good, "{}", added.stderr);
    added.stdout
}

/// The sheet and the plugin, added for its ecosystem.
fn with_plugin() -> Folder {
    let folder = folder();
    add(&folder, &["--ecosystem", "formulas"]);
    folder
}

/// A client of which everything has been read, however busy this machine is.
fn connect(spawn: Spawn) -> Client {
    let mut client = spawn.connect();
    let waited = client.call("call", json!({"method": "nothing"}));
    assert!(waited.is_error, "{}", waited.text);
    client
}

/// Looks again until it is so.
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < 6 * SOON, "{what}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn names(client: &mut Client) -> Vec<String> {
    client.tools().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

fn number(client: &mut Client, function: &str, arguments: Value) -> f64 {
    let reply = client.call(function, arguments);
    assert!(!reply.is_error, "{}", reply.text);
    assert_eq!(reply.raw["structuredContent"]["result"].to_string(), reply.text);
    reply.text.parse().unwrap()
}

fn assert_computes(client: &mut Client) {
    let index = number(client, "body_mass_index", json!({"mass": 70, "height": 1.75}));
    assert!((index - 22.857_142_857).abs() < 1e-9, "{index}");
    // Ten metres of water are about one atmosphere.
    let head = number(client, "head", json!({"pressure": 98_066.5}));
    assert!((head - 10.0).abs() < 1e-12, "{head}");
    let oil = number(client, "head", json!({"pressure": 98_066.5, "density": 800}));
    assert!((oil - 12.5).abs() < 1e-12, "{oil}");
    let speed = number(client, "nozzle_speed", json!({"pressure": 98_066.5}));
    assert!((speed - (2.0 * 9.80665 * 10.0_f64).sqrt()).abs() < 1e-12, "{speed}");
}

#[test]
fn a_strangers_ecosystem_is_added_with_one_file_listed_and_computes() {
    let folder = with_plugin();
    let mut client = connect(folder.serve());
    assert_eq!(names(&mut client), ["body_mass_index", "head", "nozzle_speed"]);
    let tool = client.tool("body_mass_index");
    let description = tool["description"].as_str().unwrap();
    assert!(description.contains("Relates mass to height."), "{description}");
    assert!(description.contains("body_mass_index(mass: kg, height: m) -> kg/m2"), "{description}");
    assert!(description.contains("mass / height^2"), "{description}");
    let mass = &tool["inputSchema"]["properties"]["mass"];
    assert_eq!(*mass, json!({"type": "number", "minimum": 0, "description": "kg: what the scales show"}));
    assert_eq!(tool["annotations"]["readOnlyHint"], true);
    assert_eq!(client.tool("head")["inputSchema"]["required"], json!(["pressure"]));
    assert_computes(&mut client);

    let listed = folder.run(&["plugin", "list"]);
    let line = listed.stdout.lines().find(|line| line.starts_with("sheets")).unwrap();
    assert!(line.contains("mapper 0.1.0, error decoder 0.1.0, engine 0.1.0") && line.contains("accepted"), "{line}");
    assert!(
        listed.stdout.contains("third party plugin `sheets`") && listed.stdout.contains("exact fit for formulas/1")
    );
}

#[test]
fn a_sheet_named_on_the_command_line_needs_the_plugin_alone() {
    let folder = folder();
    folder.configure("");
    add(&folder, &["--ecosystem", "formulas"]);
    let sheet = format!("formulas={}", folder.path("sheet.json").display());
    let mut client = connect(folder.serve().argument("--manifest").argument(sheet));
    assert_eq!(names(&mut client), ["body_mass_index", "head", "nozzle_speed"]);
    assert_computes(&mut client);
}

#[test]
fn folded_functions_are_found_by_what_people_call_them_and_called_by_name() {
    let folder = with_plugin();
    folder.append("[tools]\nbudget = 1\n");
    let mut client = connect(folder.serve());
    assert_eq!(names(&mut client), ["find_tools", "describe_tool", "call"]);
    let found = client.call("find_tools", json!({"query": "obesity"})).text;
    assert!(found.contains("1. body_mass_index(mass: kg, height: m) -> kg/m2"), "{found}");
    assert!(found.contains(r#"{"method":"body_mass_index","args":{"mass":1,"height":1}}"#), "{found}");
    let described = client.call("describe_tool", json!({"tool": "head"})).first();
    assert_eq!(described["inputSchema"]["properties"]["density"]["default"], 1000, "{described}");
    let reply = client.call("call", json!({"method": "head", "args": {"pressure": 98_066.5, "density": 500}}));
    assert_eq!(reply.text, "20");
}

#[test]
fn wrong_arguments_are_refused_with_the_bound_and_the_signature() {
    let folder = with_plugin();
    let mut client = connect(folder.serve());
    let refused = client.call("body_mass_index", json!({"mass": -1, "heigth": 1.75}));
    assert!(refused.is_error, "{}", refused.text);
    for says in
        ["`mass`: expected a number, 0 or more; found the number -1", "did you mean `height`?", "height: m) -> kg/m2"]
    {
        assert!(refused.text.contains(says), "{says}: {}", refused.text);
    }
    let refused = client.call("head", json!({"pressure": "much"}));
    assert!(
        refused.is_error && refused.text.contains("head(pressure: Pa, density: kg/m3 = 1000) -> m"),
        "{}",
        refused.text
    );
}

#[test]
fn what_cannot_be_computed_says_where_and_what_to_do() {
    let folder = with_plugin();
    let mut client = connect(folder.serve());
    for (function, arguments, says) in [
        (
            "body_mass_index",
            json!({"mass": 70, "height": 0}),
            "Error: division by zero, in `body_mass_index` at character 6 of `mass / height^2`\n\
             hint: choose arguments for which the divisor is not 0",
        ),
        (
            "nozzle_speed",
            json!({"pressure": -1}),
            "Error: `sqrt` has no value there, in `nozzle_speed` at character 1 of `sqrt(2 * g * head(pressure))`\n\
             hint: choose arguments for which it is defined",
        ),
        (
            "head",
            json!({"pressure": 1e300, "density": 1e-300}),
            "Error: the result of `/` is too large, in `head` at character 10 of `pressure / (density * g)`\n\
             hint: choose arguments whose result stays below 1.8e308",
        ),
    ] {
        let failed = client.call(function, arguments);
        assert!(failed.is_error);
        assert_eq!(failed.text, says);
    }
    assert_computes(&mut client);
}

#[test]
fn a_function_that_is_badly_written_costs_itself_alone_and_says_where() {
    let folder = with_plugin();
    let mut client = connect(folder.serve());
    assert_computes(&mut client);
    let line = client.stderr_line("no tool for formulas");
    assert!(line.contains("unfinished: formula: character 7: expected `)`, found the end"), "{line}");
    let text = client.call("call", json!({"method": "unfinished", "args": {"x": 1}})).text;
    assert!(text.contains("cannot be called here: formula: character 7: expected `)`"), "{text}");
}

#[test]
fn without_an_assignment_nothing_is_served_and_the_message_has_the_line_that_does_it() {
    let folder = folder();
    let said = add(&folder, &[]);
    assert!(said.contains("it is assigned no ecosystem") && said.contains("`ecosystems`"), "{said}");
    let mut client = connect(folder.serve());
    assert!(names(&mut client).is_empty());
    let text = client.call("call", json!({"method": "head"})).text;
    assert!(text.contains("no plugin understands the manifest as one of `formulas`"), "{text}");
    assert!(text.contains(ASSIGNED) && text.contains("`[[plugin]]`") && !text.contains("sheets"), "{text}");
    assert!(folder.run(&["plugin", "list"]).stdout.contains(ASSIGNED));

    // The operator does what it says, while the server runs.
    let written = std::fs::read_to_string(folder.path("abi-mcp.toml")).unwrap();
    assert!(written.contains("ecosystems = []"), "{written}");
    folder.configure(&written.replace("ecosystems = []", ASSIGNED));
    let accepted = folder.run(&["plugin", "accept", "sheets"]);
    assert!(accepted.good && accepted.stdout.contains("ecosystems: + formulas"), "{}", accepted.stderr);
    until("the plugin never serves", || names(&mut client).contains(&"head".to_owned()));
    assert_computes(&mut client);
}

#[test]
fn it_is_not_asked_about_manifests_of_other_ecosystems() {
    let folder = with_plugin();
    // It would know this sheet; but the operator says that it is of an ecosystem it was not assigned.
    std::fs::write(folder.path("other.json"), SHEET.replace("body_mass_index", "secret_index")).unwrap();
    folder.append("[[manifest]]\necosystem = \"arithmetic\"\nfile = \"other.json\"\n");
    let mut client = connect(folder.serve());
    assert_computes(&mut client);
    assert!(client.call("call", json!({"method": "secret_index"})).is_error);
    let line = client.stderr_line("no plugin understands the manifest as one of `arithmetic`");
    assert!(line.contains("asked: `calimero-0`") && !line.contains("sheets"), "{line}");
}

#[test]
fn a_file_that_is_no_sheet_is_refused_by_the_plugin_that_was_asked() {
    let folder = with_plugin();
    for (sheet, says) in [
        (r#"{"formulas": "2", "functions": []}"#.to_owned(), "no plugin understands the manifest as one of `formulas`"),
        (
            r#"{"formulas": "1", "functions": {}}"#.to_owned(),
            "malformed manifest at `functions`: expected an array, found an object",
        ),
        (format!(r#"{{"formulas": "1", "x": "{}"}}"#, "x".repeat(1 << 20)), "1048576 bytes at most"),
    ] {
        std::fs::write(folder.path("sheet.json"), sheet).unwrap();
        let mut client = connect(folder.serve());
        assert!(names(&mut client).is_empty());
        let text = client.call("call", json!({"method": "head"})).text;
        assert!(text.contains(says) && text.contains("sheets"), "{text}");
    }
}

#[test]
fn a_sheet_that_is_edited_while_it_is_served_computes_what_it_says_now() {
    let folder = with_plugin();
    let mut client = connect(folder.serve());
    assert_computes(&mut client);
    std::fs::write(folder.path("sheet.json"), SHEET.replace("mass / height^2", "1.3 * mass / height^2.5")).unwrap();
    until("the new formula is never served", || {
        // A call that names what is not there has the files looked at again.
        client.call("call", json!({"method": "nothing"}));
        client.tool("body_mass_index")["description"].as_str().unwrap().contains("1.3 * mass")
    });
    let index = number(&mut client, "body_mass_index", json!({"mass": 70, "height": 1.75}));
    assert!((index - 1.3 * 70.0 / 1.75_f64.powf(2.5)).abs() < 1e-9, "{index}");
}

#[test]
fn the_component_passes_its_own_check_with_a_real_sheet() {
    let folder = folder();
    let (file, sheet) = (folder.path("formulas.wasm"), folder.path("sheet.json"));
    let checked = folder.run(&["plugin", "check", file.to_str().unwrap(), "--manifest", sheet.to_str().unwrap()]);
    assert!(checked.good && !checked.stdout.contains("BAD"), "{}{}", checked.stdout, checked.stderr);
    for line in ["ok    manifest: recognised as `formulas/1`, Exact", "3 methods, 1 left out", "ok    engine: survives"]
    {
        assert!(checked.stdout.contains(line), "{}", checked.stdout);
    }
}

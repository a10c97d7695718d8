//! The harness itself: a difference fails, blessing repairs, a slip in a file is named, what stops is never an answer.

use crate::{
    Called, Decoder, Encoded, Explanation, Extension, Failure, Fault, Mapper, Mapping, Method, Outcome, Problem,
    Recognition, Settings, Skipped, Stopped, Subject, Tool, Tools, run,
};
use std::fs;
use std::path::{Path, PathBuf};

/// Maps every document to one method whose name is the document's length; its one tool repeats what it finds.
#[derive(Default)]
struct Length {
    without_tools: bool,
    opened: Settings,
}

impl Subject for Length {
    fn mapper(&mut self) -> Option<&mut dyn Mapper> {
        Some(self)
    }

    fn decoder(&mut self) -> Option<&mut dyn Decoder> {
        Some(self)
    }

    fn extension(&mut self) -> Option<&mut dyn Extension> {
        if self.without_tools { None } else { Some(self) }
    }

    fn is_whole(&self) -> bool {
        true
    }

    fn accept(&self) -> String {
        "BLESS=1 this".to_owned()
    }
}

impl Mapper for Length {
    fn recognise(&mut self, _: &str) -> Result<Option<Recognition>, Stopped> {
        Ok(None)
    }

    fn map(&mut self, manifest: &str) -> Result<Result<Mapping, Fault>, Stopped> {
        let method =
            Method { name: format!("bytes{}", manifest.len()), input_schema: "{}".to_owned(), ..Method::default() };
        Ok(Ok(Mapping { methods: vec![method], ..Mapping::default() }))
    }

    fn encode(&mut self, _: &[u8], arguments: &str) -> Result<Result<Encoded, Vec<Problem>>, Stopped> {
        Ok(Ok(Encoded { json: arguments.to_owned(), alternatives: Vec::new() }))
    }

    fn decode(&mut self, _: &[u8], value: &str) -> Result<Result<String, Vec<Problem>>, Stopped> {
        Ok(Ok(value.to_owned()))
    }
}

impl Decoder for Length {
    fn explain(&mut self, failure: &Failure) -> Result<Option<Explanation>, Stopped> {
        match failure {
            Failure::Transport(words) if words == "trap" => Err(Stopped("stopped with a fault".to_owned())),
            _ => Ok(None),
        }
    }
}

impl Extension for Length {
    fn open(&mut self, _: &Path, settings: &Settings) -> Result<Box<dyn Tools + '_>, Stopped> {
        self.opened = settings.clone();
        Ok(Box::new(Echo(&self.opened)))
    }
}

struct Echo<'a>(&'a Settings);

impl Tools for Echo<'_> {
    fn list(&mut self) -> Result<(Vec<Tool>, Vec<Skipped>), Stopped> {
        Ok((vec![Tool { name: "echo".to_owned(), input_schema: "{}".to_owned(), ..Tool::default() }], Vec::new()))
    }

    fn call(&mut self, _: &str, arguments: &str) -> Result<Called, Stopped> {
        let text = self.0.config.iter().map(|(key, value)| format!("{key} is {value}")).collect();
        Ok(Called::Reply { text: Some(text), structured: Some(arguments.to_owned()) })
    }
}

/// A folder that goes with its test.
struct Folder(PathBuf);

impl Folder {
    fn with(name: &str, files: &[(&str, &str)]) -> Self {
        let folder = std::env::temp_dir().join(format!("abi-mcp-golden-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("one")).unwrap();
        let folder = Self(folder);
        files.iter().for_each(|(file, text)| folder.write(file, text));
        folder
    }

    fn write(&self, file: &str, text: &str) {
        fs::write(self.0.join("one").join(file), text).unwrap();
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.0.join("one").join(file)).unwrap()
    }

    fn run(&self, bless: bool) -> Outcome {
        run(&self.0, &mut Length::default(), bless)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_missing_answer_fails_and_names_the_command_until_it_is_blessed() {
    let folder = Folder::with("missing", &[("manifest.json", "{}")]);
    let failure = folder.run(false).failure().unwrap();
    assert!(failure.contains("expected.json: is missing") && failure.ends_with("after: BLESS=1 this"), "{failure}");
    let blessed = folder.run(true);
    assert_eq!((blessed.failure(), blessed.written.len()), (None, 1));
    let held = folder.run(false);
    assert_eq!((held.failure(), held.cases, held.compared), (None, 1, 1));
}

#[test]
fn a_changed_answer_fails_with_the_lines_that_differ_and_changes_no_file() {
    let folder = Folder::with("changed", &[("manifest.json", "{}")]);
    folder.run(true);
    let written = folder.read("expected.json");
    folder.write("manifest.json", "{ }");
    let failure = folder.run(false).failure().unwrap();
    assert!(
        failure.contains("-       \"name\": \"bytes2\"") && failure.contains("+       \"name\": \"bytes3\""),
        "{failure}"
    );
    assert_eq!(folder.read("expected.json"), written);
}

#[test]
fn calls_and_failures_are_completed_in_place_with_every_digit() {
    let calls = r#"[{"method":"bytes2","arguments":{"a":18446744073709551616}},
                    {"tool":"echo","arguments":{"b":1.10}},{"method":"none","result":1}]"#;
    let folder = Folder::with(
        "calls",
        &[
            ("manifest.json", "{}"),
            ("calls.json", calls),
            ("failures.json", r#"[{"transport":"refused"}]"#),
            ("settings.json", r#"{"config":{"word":["Hi"]}}"#),
        ],
    );
    assert_eq!(folder.run(true).failure(), None);
    let calls = folder.read("calls.json");
    assert_eq!(calls.matches("18446744073709551616").count(), 2, "{calls}");
    assert!(calls.matches("1.10").count() == 2 && calls.contains(r#""text": "word is [\"Hi\"]""#), "{calls}");
    assert!(calls.contains("no method `none`"), "{calls}");
    assert!(folder.read("failures.json").contains("\"explanation\": null"));
    assert!(folder.read("tools.json").contains("\"name\": \"echo\""));
    assert_eq!(folder.run(false).failure(), None);
}

#[test]
fn a_slip_in_a_file_is_named_with_the_file_and_nothing_is_blessed() {
    for (file, text, slip) in [
        ("calls.json", r#"[{"tool":"echo","argument":{}}]"#, "`argument`"),
        ("calls.json", r#"[{"method":"a","arguments":{},"result":1}]"#, "either `arguments` or a `result`"),
        ("calls.json", r#"[{"arguments":{}}]"#, "either a `method` or a `tool`"),
        ("calls.json", "{}", "array of objects"),
        ("failures.json", r#"[{"guest":{"kind":"a","mesage":"b"}}]"#, "`mesage`"),
        ("failures.json", r#"[{"http":{"status":70000}}]"#, "65535"),
        ("failures.json", r#"[{"gest":{}}]"#, "not one guest"),
        ("settings.json", r#"{"env":{}}"#, "`env`"),
        ("settings.json", r#"{"directories":{"/notes":"../.."}}"#, "a folder of the case"),
        ("settings.json", r#"{"environment":{"A":1}}"#, "expected a string"),
        ("call.json", "[]", "no file of a case"),
        ("expected.json", "{}", "no manifest.json"),
    ] {
        let folder = Folder::with("slip", &[(file, text)]);
        for bless in [false, true] {
            let outcome = folder.run(bless);
            let failure = outcome.failure().unwrap_or_default();
            assert!(failure.contains(&format!("one/{file}")) && failure.contains(slip), "{file} {text}: {failure}");
            assert_eq!(outcome.accept, None, "{text}");
        }
        assert_eq!(folder.read(file), text);
    }
}

#[test]
fn what_stops_a_plugin_is_never_blessed() {
    let folder = Folder::with("stopped", &[("failures.json", r#"[{"transport":"trap"}]"#)]);
    let failure = folder.run(true).failure().unwrap();
    assert!(failure.contains("failures.json: entry 1: the decoder stopped with a fault"), "{failure}");
}

#[test]
fn a_file_for_a_role_the_plugin_does_not_have_is_a_mistake() {
    let folder = Folder::with("role", &[("calls.json", r#"[{"tool":"echo"}]"#), ("tools.json", "{}")]);
    let mut subject = Length { without_tools: true, ..Length::default() };
    let outcome = run(&folder.0, &mut subject, true);
    let failure = outcome.failure().unwrap();
    assert!(failure.contains("calls.json: is for a tool, and the plugin has no such role"), "{failure}");
    assert_eq!(
        (folder.read("calls.json").as_str(), folder.read("tools.json").as_str()),
        (r#"[{"tool":"echo"}]"#, "{}")
    );
}

#[test]
fn a_folder_without_cases_is_a_failure() {
    let folder = Folder::with("empty", &[]);
    assert!(folder.run(false).failure().unwrap().contains("no file of a case"));
    fs::remove_dir_all(folder.0.join("one")).unwrap();
    assert!(folder.run(true).failure().unwrap().contains("no case in"));
    fs::remove_dir_all(&folder.0).unwrap();
    assert!(folder.run(false).failure().unwrap().contains("cannot read"));
}

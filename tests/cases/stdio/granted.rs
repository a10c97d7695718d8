//! A tool extension of the configuration file, with the real binary: what it asks for, what it is granted, and that its
//! tools are those that were accepted.

use crate::configured::Folder;
use crate::hosted::component_file;
use abi_mcp_tests::Client;
use serde_json::json;

const CONFIGURATION: &str = "\
[[plugin]]
name = \"notes\"
file = \"notes.wasm\"
grants = { clocks = true, directories = [{ guest = \"/files\", host = \"files\" }] }
";

/// A folder with the example `search-files` configured as `notes`, and a file for it to find.
fn folder(configuration: &str) -> Folder {
    let folder = Folder::new();
    folder.configure(configuration);
    std::fs::copy(component_file("examples/search-files"), folder.path("notes.wasm")).unwrap();
    std::fs::create_dir(folder.path("files")).unwrap();
    std::fs::write(folder.path("files/today.md"), "a report\n").unwrap();
    std::fs::write(folder.path("secret.txt"), "not for it\n").unwrap();
    folder
}

fn accept(folder: &Folder) {
    let accepted = folder.run(&["plugin", "accept", "notes"]);
    assert!(accepted.good, "{}", accepted.stderr);
}

fn notes(client: &mut Client) -> Vec<String> {
    let tools = client.tools();
    let names = tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned());
    names.filter(|name| name.starts_with("notes_")).collect()
}

#[test]
fn grants_of_the_file_reach_the_extension_and_its_tools_are_those_that_were_accepted() {
    let folder = folder(CONFIGURATION);
    assert!(notes(&mut folder.serve().connect()).is_empty(), "nobody accepted it");
    accept(&folder);
    let mut client = folder.serve().connect();
    assert_eq!(notes(&mut client), ["notes_list", "notes_read", "notes_search"]);
    let found = client.call("notes_search", json!({"text": "report"}));
    assert!(!found.is_error && found.text.contains("today.md"), "{}", found.text);
    let outside = client.call("notes_read", json!({"path": "/files/../secret.txt"}));
    assert!(outside.is_error && !outside.text.contains("not for it"), "{}", outside.text);
}

/// What the `rogue` guest lists is told by its configuration, which is no part of what was accepted.
#[test]
fn an_extension_that_lists_other_tools_than_were_accepted_is_not_put_in_place() {
    let rogue = |behave: &str| {
        format!(
            "[[plugin]]\nname = \"notes\"\nfile = \"notes.wasm\"\nconfig = {{ behave = \"{behave}\" }}\n\
             [plugin.grants]\nhttp = [\"127.0.0.1\"]\nenvironment = [\"GRANTED\"]\nclocks = true\nrandom = true\n\
             state = true\ndirectories = [{{ guest = \"/data\", host = \"files\", writable = true }}]\n"
        )
    };
    let folder = folder(&rogue("tidy"));
    std::fs::copy(component_file("rogue"), folder.path("notes.wasm")).unwrap();
    accept(&folder);
    let mut client = folder.serve().connect();
    assert_eq!(notes(&mut client), ["notes_act", "notes_typed"]);

    folder.configure(&rogue("grab"));
    client.stderr_line("it lists other tools than were accepted");
    assert_eq!(notes(&mut client), ["notes_act", "notes_typed"]);
    let answer = client.call("notes_act", json!({"behave": "echo", "at": "still here"}));
    assert_eq!(answer.text, "still here");
}

#[test]
fn a_wider_grant_is_refused_until_it_is_accepted() {
    let folder = folder(CONFIGURATION);
    accept(&folder);
    folder.configure(&CONFIGURATION.replace("host = \"files\"", "host = \"files\", writable = true"));
    let listed = folder.run(&["plugin", "list"]);
    let told = format!("{}{}", listed.stdout, listed.stderr);
    assert!(told.contains("read-write") && told.contains("plugin accept notes"), "{told}");
    assert!(notes(&mut folder.serve().connect()).is_empty());
    accept(&folder);
    assert!(!notes(&mut folder.serve().connect()).is_empty());
}

#[test]
fn what_it_asks_for_and_is_not_granted_names_the_line_that_would_allow_it() {
    let folder = folder("[[plugin]]\nname = \"notes\"\nfile = \"notes.wasm\"\n");
    let refused = folder.run(&["plugin", "accept", "notes"]);
    assert!(!refused.good, "{}", refused.stdout);
    assert!(refused.stderr.contains("director") && refused.stderr.contains("grants"), "{}", refused.stderr);
}

//! Variables, the file below them, and what each is refused for.

use super::*;
use tempfile::TempDir;

fn read(variables: &[(&str, &str)]) -> Result<Settings, Error> {
    with(ConfigFile::read(None).unwrap(), variables)
}

fn with(file: ConfigFile, variables: &[(&str, &str)]) -> Result<Settings, Error> {
    let find = |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
    Settings::resolve(file, find, Some(PathBuf::from("/srv/someone")))
}

/// A folder with a configuration in it.
fn configured(text: &str) -> (TempDir, ConfigFile) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("abi-mcp.toml");
    std::fs::write(&path, text).unwrap();
    let file = ConfigFile::read(Some(Place { path, named: true })).unwrap();
    (folder, file)
}

#[test]
fn values_are_trimmed_and_blank_ones_count_as_unset() {
    let settings = read(&[("CALIMERO_NODE_URL", " http://127.0.0.1:2528 "), ("CALIMERO_NODE_NAME", "  ")]).unwrap();
    assert_eq!(settings.node.node_url.as_deref(), Some("http://127.0.0.1:2528"));
    assert_eq!(settings.node.node_name, None);
    assert_eq!(settings.node.node_home, Some(PathBuf::from("/srv/someone/.calimero")));
    assert_eq!(settings.state_dir, Some(PathBuf::from("/srv/someone/.config/calimero/mcp")));
    assert_eq!(settings.tool_budget, 100);
}

#[test]
fn a_password_comes_from_its_variable_or_else_from_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("password");
    std::fs::write(&file, " FIXTURE-PASSWORD\n").unwrap();
    let file = file.to_str().unwrap();
    let settings = read(&[("CALIMERO_PASSWORD_FILE", file), ("CALIMERO_USERNAME", "admin")]).unwrap();
    assert_eq!(settings.node.password.as_ref().map(Secret::expose), Some("FIXTURE-PASSWORD"));
    assert_eq!(settings.node.redactor.redact("it is FIXTURE-PASSWORD"), "it is ***", "known from the start");
    let settings = read(&[("CALIMERO_PASSWORD_FILE", "/nowhere"), ("CALIMERO_PASSWORD", "other")]).unwrap();
    assert_eq!(settings.node.password.as_ref().map(Secret::expose), Some("other"));
    assert!(!format!("{settings:?}").contains("other"), "{settings:?}");
}

#[test]
fn g03_a_password_file_that_cannot_be_read_is_fatal_by_its_name_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (empty, binary) = (folder.path().join("empty"), folder.path().join("binary"));
    std::fs::write(&empty, " \n").unwrap();
    std::fs::write(&binary, b"FIXTURE\xff\xfe").unwrap();
    for file in [folder.path().join("missing"), empty, binary] {
        let file = file.to_str().unwrap();
        let error = read(&[("CALIMERO_PASSWORD_FILE", file)]).unwrap_err().to_string();
        assert!(error.starts_with(&format!("CALIMERO_PASSWORD_FILE names {file}, which ")), "{error}");
        assert!(!error.contains("FIXTURE"), "{error}");
    }
}

#[test]
fn an_unknown_toolset_is_told_and_the_others_count() {
    let settings = read(&[("CALIMERO_MCP_TOOLSETS", "blobs, storage"), ("CALIMERO_MCP_APPS", "kv, com.x.y,")]).unwrap();
    assert_eq!(settings.modes.toolsets, Toolsets::parse("blobs").0);
    assert_eq!(settings.warnings.len(), 1);
    assert!(settings.warnings[0].contains("`storage`"), "{:?}", settings.warnings);
    assert_eq!(settings.apps.unwrap(), ["kv", "com.x.y"]);
    let settings = read(&[]).unwrap();
    assert!(settings.modes == Modes::default() && settings.warnings.is_empty() && settings.apps.is_none());
}

#[test]
fn a_budget_that_is_no_number_is_refused_by_name() {
    let error = read(&[("ABI_MCP_TOOLS", "many")]).unwrap_err().to_string();
    assert_eq!(error, "ABI_MCP_TOOLS is `many`; expected how many tools to list at most, for example 100");
}

#[test]
fn a_variable_wins_over_the_file_and_the_file_over_what_is_usual() {
    let text = r#"
        [node]
        url = "http://127.0.0.1:1"
        name = "second"
        [tools]
        budget = 7
        apps = ["kv"]
        toolsets = ["blobs", "storage"]
        read_only = true
        [limits.codec]
        memory_mib = 5
        [limits.compile]
        time_ms = 5000
    "#;
    let (_folder, file) = configured(text);
    let settings = with(file.clone(), &[]).unwrap();
    assert_eq!(settings.node.node_url.as_deref(), Some("http://127.0.0.1:1"));
    assert_eq!((settings.tool_budget, settings.modes.read_only), (7, true));
    assert_eq!(settings.limits.codec.memory, 5 << 20);
    assert_eq!(settings.limits.codec.time, Limits::default().codec.time);
    let compile = settings.limits.compile;
    assert_eq!((compile.time_for(64 << 20).as_millis(), compile.memory), (5_000, Limits::default().compile.memory));
    assert_eq!(settings.apps.unwrap(), ["kv"]);
    assert!(settings.warnings[0].contains("tools.toolsets names `storage`"), "{:?}", settings.warnings);
    let variables = [
        ("CALIMERO_NODE_URL", "http://127.0.0.1:2"),
        ("ABI_MCP_TOOLS", "9"),
        ("CALIMERO_MCP_READ_ONLY", "0"),
        ("CALIMERO_MCP_TOOLSETS", "core"),
    ];
    let settings = with(file, &variables).unwrap();
    assert_eq!(settings.node.node_url.as_deref(), Some("http://127.0.0.1:2"));
    assert_eq!(settings.node.node_name.as_deref(), Some("second"));
    assert_eq!((settings.tool_budget, settings.modes.read_only), (9, false));
    assert!(settings.warnings.is_empty(), "{:?}", settings.warnings);
}

#[test]
fn secrets_come_by_file_or_variable_and_a_missing_one_is_fatal_by_its_key() {
    let (folder, file) = configured("[node]\npassword_file = \"password\"\ntoken_variable = \"MINE\"\n");
    let error = with(file.clone(), &[("MINE", "FIXTURE-TOKEN")]).unwrap_err().to_string();
    assert!(error.starts_with("node.password_file names ") && !error.contains("FIXTURE"), "{error}");
    std::fs::write(folder.path().join("password"), "FIXTURE-PASSWORD\n").unwrap();
    let settings = with(file.clone(), &[("MINE", "FIXTURE-TOKEN")]).unwrap();
    assert_eq!(settings.node.password.as_ref().map(Secret::expose), Some("FIXTURE-PASSWORD"));
    assert_eq!(settings.node.redactor.redact("FIXTURE-TOKEN, FIXTURE-PASSWORD"), "***, ***");
    let error = with(file, &[]).unwrap_err().to_string();
    assert_eq!(error, "node.token_variable names the environment variable `MINE`, which is not set");
}

#[test]
fn a_node_is_served_where_its_table_says_so_or_nothing_else_is_named() {
    let served = |text: &str| with(configured(text).1, &[]).unwrap().serves_node();
    let manifest = "[[manifest]]\necosystem = \"a\"\nfile = \"f\"\n";
    assert!(served("") && served("[node]\n") && !served(manifest));
    assert!(served(&format!("[node]\n{manifest}")) && !served("[node]\nserve = false\n"));
}

#[test]
fn relative_paths_start_at_the_files_folder_and_two_of_one_name_are_refused() {
    let plugin = "[[plugin]]\nname = \"p\"\nfile = \"p.wasm\"\n                  grants = { directories = [{ guest = \"/n\", host = \"n\" }], http = [\"b\", \"a\", \"b\"] }\n";
    let (folder, file) = configured(plugin);
    let wanted = resolve::plugins(&file.written, file.place.as_ref()).unwrap();
    assert_eq!(wanted[0].file, folder.path().join("p.wasm"));
    assert_eq!(wanted[0].grants.directories[0].host, Some(folder.path().join("n")));
    assert_eq!(wanted[0].grants.http, ["a", "b"]);
    let without_file = format!("{}[plugin_folder]\npath = \"mine\"\n", plugin.replace("file = \"p.wasm\"\n", ""));
    let (folder, file) = configured(&without_file);
    let wanted = resolve::plugins(&file.written, file.place.as_ref()).unwrap();
    assert_eq!(wanted[0].file, folder.path().join("mine/p.wasm"), "a block need not name the file of its name");
    assert_eq!(with(file, &[]).unwrap().plugin_folder, Some(folder.path().join("mine")));
    let error = with(configured(&plugin.repeat(2)).1, &[]).unwrap_err().to_string();
    assert!(error.contains(":6:8: `plugin.name` is the same in two entries"), "{error}");
}

#[test]
fn a_file_that_was_named_must_be_there_and_the_usual_one_need_not() {
    let home = tempfile::tempdir().unwrap();
    let usual = Place::choose(None, Some(home.path())).unwrap();
    assert_eq!(usual.path, home.path().join("abi-mcp/abi-mcp.toml"));
    assert_eq!(usual.lock(), home.path().join("abi-mcp/abi-mcp.lock"));
    assert!(!ConfigFile::read(Some(usual.clone())).unwrap().found);
    let error = ConfigFile::read(Some(Place { named: true, ..usual })).unwrap_err().to_string();
    assert!(error.contains("there is no such file"), "{error}");
    assert_eq!(Place::choose(None, Some(Path::new("relative"))), None, "it would be in the current directory");
    let folder = Place { path: home.path().to_owned(), named: true };
    assert!(ConfigFile::read(Some(folder)).unwrap_err().to_string().contains("no regular file"));
}

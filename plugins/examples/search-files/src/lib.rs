//! An extension with three tools over the directories it is granted: `list`, `read` and `search`.
//!
//! It asks for one directory, `/files`, to read. Paths are those the extension sees: `/files/notes/today.md`. What leaves
//! a directory (`..`, a link) is refused by the host; this code does not try to judge paths itself. Which lines match is
//! [`lines`]' business, how files are reached [`files`]'.

#[cfg(target_arch = "wasm32")]
mod files;
mod lines;

use abi_mcp_sdk_tool::serde_json::{Value, json};
use abi_mcp_sdk_tool::{Class, Extension, Failure, Hints, Reply, Tool};

struct SearchFiles;

abi_mcp_sdk_tool::export_extension!(
    SearchFiles,
    r#"{"name": "search-files", "release": "0.1.0", "asks": {"directories": [{"guest": "/files"}]}}"#
);

/// Where paths begin.
const ROOT: &str = "/files";

impl Extension for SearchFiles {
    fn tools() -> Vec<Tool> {
        let path = json!({"type": "string", "description": "a path that begins with /files; the whole directory unless given"});
        let of_files = |tool: Tool| Tool { hints: Hints::READS, category: Some("files".to_owned()), ..tool };
        let list = Tool::new(
            "list",
            "Lists a directory: names, whether each is a directory, sizes in bytes.",
            json!({"type": "object", "properties": {"path": path}}),
        );
        let read = Tool::new(
            "read",
            "Reads a text file, or some lines of it.",
            json!({
                "type": "object",
                "properties": {
                    "path": {"type": "string", "description": "a file, such as /files/notes/today.md"},
                    "from": {"type": "integer", "minimum": 1, "description": "the first line wanted; 1 unless given"},
                    "count": {"type": "integer", "minimum": 1, "maximum": 2000, "description": "how many lines; 500 unless given"},
                },
                "required": ["path"],
            }),
        );
        let search = Tool {
            keywords: ["grep", "find", "look", "text"].map(str::to_owned).to_vec(),
            output_schema: Some(json!({
                "type": "object",
                "properties": {
                    "matches": {"type": "array", "items": {
                        "type": "object",
                        "properties": {"path": {"type": "string"}, "line": {"type": "integer"}, "text": {"type": "string"}},
                        "required": ["path", "line", "text"],
                    }},
                    "files": {"type": "integer", "description": "how many files were looked into"},
                    "complete": {"type": "boolean", "description": "false where there are more matches or files"},
                },
                "required": ["matches", "files", "complete"],
            })),
            ..Tool::new(
                "search",
                "Finds the lines that hold a text, in every text file below a directory. Ignores case.",
                json!({
                    "type": "object",
                    "properties": {"text": {"type": "string", "minLength": 1}, "path": path},
                    "required": ["text"],
                }),
            )
        };
        vec![of_files(list), of_files(read), of_files(search)]
    }

    fn call(tool: &str, arguments: &Value) -> Result<Reply, Failure> {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str);
        let number = |name: &str| arguments.get(name).and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
        let path = text("path").unwrap_or(ROOT);
        match tool {
            "list" => files::list(path).map(Reply::text),
            "read" => {
                let whole = files::read(path)?;
                Ok(Reply::text(lines::some_of(&whole, number("from").unwrap_or(1), number("count").unwrap_or(500))))
            }
            "search" => files::search(path, text("text").unwrap_or_default()).map(Reply::value),
            other => Err(Failure::new(Class::Arguments, format!("there is no tool `{other}`"))),
        }
    }
}

/// Off WebAssembly there is no directory.
#[cfg(not(target_arch = "wasm32"))]
mod files {
    use super::{Class, Failure, Value};

    fn none<T>(path: &str) -> Result<T, Failure> {
        Err(Failure::new(Class::NotAllowed, format!("`{path}` cannot be reached outside the sandbox")))
    }

    pub(crate) fn list(path: &str) -> Result<String, Failure> {
        none(path)
    }

    pub(crate) fn read(path: &str) -> Result<String, Failure> {
        none(path)
    }

    pub(crate) fn search(path: &str, text: &str) -> Result<Value, Failure> {
        // What would be done with a file's text; there is none.
        drop(crate::lines::matching("", text, 1));
        none(path)
    }
}

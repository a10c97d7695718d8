//! The one schema of `abi-mcp.toml`: what each table and key is for, what belongs there, and an example of it.
//!
//! The types are the file *as written*; `resolve` makes [`super::Settings`] of them. The doc comments here are also the
//! generated page `docs/configuration.md` (`docs`), so they are written for operators.

use super::reader::{Key, Located, Reader, Section, Trouble, Value};
use super::words::{Ecosystem, FilePath, GuestPath, Host, Number, PluginName, RoleWord, Subjects, Variable};
use crate::model::JsonObject;
use toml::Spanned;
use toml::de::DeValue;

/// Makes tables: each a struct that is read by its own field names, with its documentation as data beside it.
macro_rules! tables {
    ($(
        $(#[doc = $about:literal])*
        pub struct $name:ident {
            $($(#[doc = $key_about:literal])* pub $key:ident: $type:ty = $example:literal,)*
        }
    )*) => {$(
        $(#[doc = $about])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $name {
            $($(#[doc = $key_about])* pub $key: $type,)*
        }

        impl $name {
            const KEYS: &'static [Key] = &[$(Key {
                name: stringify!($key),
                about: concat!($($key_about, "\n"),*),
                expected: <$type as Value>::EXPECTED,
                section: <$type as Value>::section,
                example: $example,
            },)*];
        }

        impl Value for $name {
            const EXPECTED: &'static str = "a table";

            fn section() -> Option<Section> {
                Some(Section { about: concat!($($about, "\n"),*), keys: Self::KEYS, repeated: false })
            }

            fn read(value: &Spanned<DeValue<'_>>, reader: &mut Reader<'_>) -> Result<Self, Trouble> {
                let table = reader.table(value, Self::EXPECTED, Self::KEYS)?;
                Ok(Self { $($key: reader.field(table, value, stringify!($key))?),* })
            }
        }
    )*};
}

tables! {
    /// Everything can be left out; the file itself, too.
    pub struct Written {
        /// The node whose applications are served.
        pub node: Option<Node> = "",
        /// Manifest files whose functions are served.
        pub manifest: Vec<Manifest> = "",
        /// Plugins that do not come with abi-mcp.
        pub plugin: Vec<Plugin> = "",
        /// Where plugin files can be dropped in.
        pub plugin_folder: Option<PluginFolder> = "",
        /// Which tools there are.
        pub tools: Option<Tools> = "",
        /// What one piece of a plugin's work may use.
        pub limits: Option<LimitRows> = "",
        /// A record of every call.
        pub audit: Option<Audit> = "",
    }

    /// The node whose applications are served. Without this table a node is looked for where nothing else is to be
    /// served. Secrets do not belong in this file: name the file or the environment variable that holds one.
    pub struct Node {
        /// Whether a node is served at all.
        pub serve: Option<bool> = "true",
        /// The node's address; discovery is skipped.
        pub url: Option<String> = "\"http://127.0.0.1:2528\"",
        /// Which of several nodes on this machine.
        pub name: Option<String> = "\"default\"",
        /// The folder that holds the nodes of this machine.
        pub home: Option<FilePath> = "\"nodes\"",
        /// Who to log in as.
        pub username: Option<String> = "\"alice\"",
        /// The file with the password.
        pub password_file: Option<FilePath> = "\"node.password\"",
        /// The environment variable with the password.
        pub password_variable: Option<Variable> = "\"NODE_PASSWORD\"",
        /// The file with an access token.
        pub token_file: Option<FilePath> = "\"node.token\"",
        /// The environment variable with an access token.
        pub token_variable: Option<Variable> = "\"NODE_TOKEN\"",
        /// Send credentials over plain HTTP to another machine.
        pub allow_cleartext: Option<bool> = "false",
    }

    /// A manifest file whose functions are served; an engine runs them.
    pub struct Manifest {
        /// The ecosystem it is of.
        pub ecosystem: Located<Ecosystem> = "\"arithmetic\"",
        /// The manifest.
        pub file: FilePath = "\"functions.json\"",
        /// Changes to it: hidden functions, corrected categories, better words.
        pub overrides: Option<FilePath> = "\"overrides.json\"",
    }

    /// A plugin that does not come with abi-mcp. `abi-mcp plugin add NAME FILE` writes such a block and accepts the file;
    /// a plugin that was not accepted is not run (docs/plugins.md).
    pub struct Plugin {
        /// What it is called here.
        pub name: Located<PluginName> = "\"weather\"",
        /// The component. Unless given, the file of that name in the plugin folder: `weather.wasm` of `weather`.
        pub file: Option<FilePath> = "\"weather.wasm\"",
        /// What it is for; the file must say the same. Unless given, whatever the file says.
        pub roles: Option<Vec<RoleWord>> = "[\"mapper\", \"errors\"]",
        /// The ecosystems whose manifests and failures it sees; of others it never learns anything.
        pub ecosystems: Vec<Ecosystem> = "[\"weather\"]",
        /// Ecosystems it serves before the plugins that come with abi-mcp.
        pub pins: Vec<PinRow> = "[{ ecosystem = \"weather\", subjects = \">=0.9, <1\" }]",
        /// What it may reach. Nothing unless said.
        pub grants: Option<GrantTable> = "",
        /// Values of your own for the plugin; handed to it as they are.
        pub config: JsonObject = "{ units = \"metric\" }",
    }

    /// Pinned before every other plugin for an ecosystem.
    pub struct PinRow {
        /// The ecosystem.
        pub ecosystem: Ecosystem = "\"weather\"",
        /// Which of its subject versions; all unless given.
        pub subjects: Option<Subjects> = "\">=0.9, <1\"",
    }

    /// What a plugin may reach, if it also asks for it itself. Nothing a model can call changes this.
    pub struct GrantTable {
        /// Hosts it may make HTTP requests to. Exact names; addresses of this machine and of private networks only where
        /// they are listed themselves.
        pub http: Vec<Host> = "[\"api.example.org\"]",
        /// Directories it sees.
        pub directories: Vec<Directory> = "[{ guest = \"/notes\", host = \"notes\" }]",
        /// Environment variables it can read.
        pub environment: Vec<Variable> = "[\"LANG\"]",
        /// Whether it can read clocks.
        pub clocks: Option<bool> = "true",
        /// Whether it can draw random numbers.
        pub random: Option<bool> = "true",
        /// Whether it keeps values from one call to the next.
        pub state: Option<bool> = "true",
    }

    /// One directory of a plugin.
    pub struct Directory {
        /// Where the plugin finds it.
        pub guest: GuestPath = "\"/notes\"",
        /// The directory on this machine.
        pub host: FilePath = "\"notes\"",
        /// Whether it can write there.
        pub writable: Option<bool> = "false",
    }

    /// Where plugin files can be dropped in: `NAME.wasm` is a plugin `NAME` without a `[[plugin]]` block, with no ecosystem
    /// and no grant. Like every other it is not run before `abi-mcp plugin accept NAME`.
    pub struct PluginFolder {
        /// The folder; `plugins` beside this file unless given.
        pub path: FilePath = "\"plugins\"",
    }

    /// Which tools there are, and how many of them are listed.
    pub struct Tools {
        /// How many tools are listed at most, the fixed ones included. What does not fit is found by search.
        pub budget: Option<Number<10_000>> = "100",
        /// The apps whose methods become tools; all unless given.
        pub apps: Option<Vec<String>> = "[\"com.example.kv\"]",
        /// The categories whose methods become tools; all unless given.
        pub categories: Option<Vec<String>> = "[\"temporal\"]",
        /// Groups of fixed tools beside the core ones: `blobs`, `governance`, `all`.
        pub toolsets: Option<Vec<String>> = "[\"blobs\"]",
        /// Whether only methods that read can be called.
        pub read_only: Option<bool> = "false",
        /// Whether methods meant for the node (event handlers, timers) become tools too.
        pub list_internal: Option<bool> = "false",
    }

    /// What one piece of a plugin's work may use, by kind of work. A row that is left out keeps its usual values.
    pub struct LimitRows {
        /// Recognising and mapping a manifest, listing an engine's support, writing a tool manifest.
        pub manifest: Option<LimitRow> = "",
        /// Encoding arguments and decoding results of one call.
        pub codec: Option<LimitRow> = "",
        /// Explaining one failure.
        pub explain: Option<LimitRow> = "",
        /// Running one function in an engine.
        pub engine: Option<LimitRow> = "",
        /// Running one tool of an extension.
        pub extension: Option<LimitRow> = "",
        /// Making machine code of one plugin, once for each machine, in a process of its own.
        pub compile: Option<CompileRow> = "",
    }

    /// One kind of work.
    pub struct LimitRow {
        /// Wall-clock time, in milliseconds.
        pub time_ms: Option<Number<3_600_000>> = "30000",
        /// Memory of the plugin, in MiB.
        pub memory_mib: Option<Number<4_096>> = "256",
        /// What the plugin may hand over in one answer, in MiB.
        pub handed_over_mib: Option<Number<4_096>> = "64",
    }

    /// Compiling one plugin.
    pub struct CompileRow {
        /// Wall-clock time, in milliseconds, for a file of any length. Unless given, 60 s and 10 s more for each MiB.
        pub time_ms: Option<Number<3_600_000>> = "60000",
        /// Memory of the process that compiles, in MiB.
        pub memory_mib: Option<Number<65_536>> = "2048",
    }

    /// A record of every call: who ran, how long, how it ended, how much memory and how many bytes it took; never arguments
    /// or results. `abi-mcp plugin list --stats` adds it up (docs/plugins.md).
    pub struct Audit {
        /// The file lines are added to.
        pub file: FilePath = "\"audit.log\"",
    }
}

impl Written {
    /// The file that says nothing.
    #[must_use]
    pub fn empty() -> Self {
        Self {
            node: None,
            manifest: Vec::new(),
            plugin: Vec::new(),
            plugin_folder: None,
            tools: None,
            limits: None,
            audit: None,
        }
    }
}

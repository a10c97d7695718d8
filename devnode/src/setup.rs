//! What a dev node is started with.
//!
//! [`Setup::demo`] is what a newcomer wants; tests change single fields. Nothing here runs.

use serde_json::{Value, json};

use crate::app::App;
use crate::apps;

/// Everything a node is started with. All fields may be set freely before [`crate::DevNode::start`].
#[derive(Clone)]
pub struct Setup {
    /// TCP port on `127.0.0.1`; 0 takes a free one.
    pub port: u16,
    /// A path before every route, as behind a reverse proxy, e.g. `/calimero/node1`. Everything else is an empty 404.
    pub base_path: String,
    /// Which node to be.
    pub generation: Generation,
    /// The text form of context ids in answers.
    pub context_ids: IdText,
    /// How the error value of a guest is put into the error text.
    pub guest_errors: GuestErrorText,
    /// Who may come in.
    pub access: Access,
    /// Refuse, as real nodes since 2026-07 do, a manifest whose methods are unsorted or whose references dangle.
    /// Off by default so that tests may serve any manifest.
    pub verify_manifests: bool,
    /// Applications installed at start, in this order.
    pub installed: Vec<Seed>,
    /// Applications that `install-application` can find.
    pub registry: Vec<App>,
}

/// One application installed at start.
#[derive(Clone)]
pub struct Seed {
    /// The application.
    pub app: App,
    /// Its alias, if any.
    pub alias: Option<String>,
    /// A context made for it in a namespace of its own, if any.
    pub context: Option<SeedContext>,
}

/// A context made at start.
#[derive(Clone)]
pub struct SeedContext {
    /// Its alias, if any.
    pub alias: Option<String>,
    /// Its name, if any. The namespace gets the same one.
    pub name: Option<String>,
    /// The service, for an application with several.
    pub service: Option<String>,
    /// The arguments of the initialiser; `Value::Null` sends no bytes.
    pub init: Value,
}

/// Which release of the node answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generation {
    /// The recorded node of August 2026: drops newer ABI keys and the guide, ignores unknown RPC parameters, wants a
    /// URL for an installation.
    August2026,
    /// The one after it: keeps them, refuses unknown RPC parameters, installs by package and version too.
    Newer,
}

/// Text form of a context id in answers. Base58 is the only form read in base58 mode (join and leave take both);
/// in hex mode both are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdText {
    /// 32 to 44 base58 characters.
    Base58,
    /// 64 hex characters, as the newest peer expects.
    Hex,
}

/// What follows `the method call returned an error: ` (`calimero-node-api.md` §6.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GuestErrorText {
    /// Rust's debug form of the bytes, `[123, 34, …]`.
    ByteList,
    /// The text itself.
    Text,
}

/// Who may use the routes that are not public.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Access {
    /// Everybody: `auth_mode = "proxy"`.
    Open,
    /// Nobody: every such route answers 401 with an empty body and no header, as without a token.
    Closed,
    /// Only requests with `Authorization: Bearer` and this token; others as in [`Access::Closed`].
    Bearer(String),
    /// `auth_mode = "embedded"` with one account: the auth service is mounted and its tokens are checked.
    Embedded {
        /// The user name.
        user: String,
        /// The password.
        password: String,
    },
}

impl Setup {
    /// A node with nothing on it.
    #[must_use]
    pub fn empty() -> Self {
        Self {
            port: 0,
            base_path: String::new(),
            generation: Generation::Newer,
            context_ids: IdText::Base58,
            guest_errors: GuestErrorText::ByteList,
            access: Access::Open,
            verify_manifests: false,
            installed: Vec::new(),
            registry: vec![
                apps::kv_store(),
                apps::kv_store_next(),
                apps::types_lab(),
                apps::notes(),
                apps::two_services(),
            ],
        }
    }

    /// The node of `abi-mcp demo`: kv-store (alias `kv`) and types-lab (alias `lab`), each with a namespace and a
    /// context of the same alias.
    #[must_use]
    pub fn demo() -> Self {
        Self::empty()
            .with(Seed::new(apps::kv_store(), "kv"))
            .with(Seed::new(apps::types_lab(), "lab").init(json!({ "title": "lab", "limit": null })))
    }

    /// Adds an application installed at start.
    #[must_use]
    pub fn with(mut self, seed: Seed) -> Self {
        self.installed.push(seed);
        self
    }
}

impl Default for Setup {
    fn default() -> Self {
        Self::demo()
    }
}

impl Seed {
    /// `app` with one context; `alias` is the alias of both and the name of the context.
    #[must_use]
    pub fn new(app: App, alias: &str) -> Self {
        Self {
            app,
            alias: Some(alias.into()),
            context: Some(SeedContext {
                alias: Some(alias.into()),
                name: Some(alias.into()),
                service: None,
                init: Value::Null,
            }),
        }
    }

    /// `app` installed and nothing else.
    #[must_use]
    pub fn bare(app: App) -> Self {
        Self { app, alias: None, context: None }
    }

    /// Sets the initialiser's arguments.
    #[must_use]
    pub fn init(mut self, arguments: Value) -> Self {
        if let Some(context) = &mut self.context {
            context.init = arguments;
        }
        self
    }

    /// Chooses the service.
    #[must_use]
    pub fn service(mut self, name: &str) -> Self {
        if let Some(context) = &mut self.context {
            context.service = Some(name.into());
        }
        self
    }
}

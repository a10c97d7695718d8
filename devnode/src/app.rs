//! An application: what it says about itself, and how it behaves.
//!
//! An [`App`] is one *version* of a package: manifest, metadata and a Rust [`Behaviour`] in place of WebAssembly. It
//! knows nothing of contexts; the state of each is handed to the behaviour.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::ids::{Id, did_key};

/// The state of one context.
pub type GuestState = Map<String, Value>;

/// What an application does. One value serves all contexts and must keep everything in `state`.
pub trait Behaviour: Send + Sync {
    /// Runs `method` with arguments that were already read by the manifest: every declared key is there, missing
    /// nullable ones are `null`, and unknown keys of nested records are gone.
    ///
    /// # Errors
    /// Whatever the guest would have said. Changes of `state` made before an error are dropped, as on the node.
    fn call(&self, state: &mut GuestState, method: &str, args: &Value) -> Result<Value, GuestError>;

    /// Runs the initialiser for a new context; `args` is `null` when no bytes were sent.
    ///
    /// # Errors
    /// As [`Behaviour::call`]; the context is then not made.
    fn init(&self, state: &mut GuestState, args: &Value) -> Result<(), GuestError> {
        let _ = (state, args);
        Ok(())
    }

    /// How long the guest takes before it answers.
    fn delay(&self, method: &str, args: &Value) -> Duration {
        let _ = (method, args);
        Duration::ZERO
    }
}

/// Why a guest gave no value.
#[derive(Clone, Debug, PartialEq)]
pub enum GuestError {
    /// `Err(value)` was returned.
    Returned(Value),
    /// The guest panicked with this message; the place is added by the node.
    Panicked(String),
    /// The engine stopped it, e.g. `unreachable code reached`.
    Trap(String),
    /// There is no such export.
    NotFound,
    /// An error type of the node itself with its data, e.g. `UpgradeInProgress`.
    Typed {
        /// `error.type`.
        kind: String,
        /// `error.data`; absent when `None`.
        data: Option<Value>,
    },
}

/// Where the JSON of a value is narrower than, or unlike, what the manifest says of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wire {
    /// `bytes` of 32 that travel as base58; the name is that of the SDK type.
    Base58(&'static str),
    /// `bytes` of 32 that travel as 64 hex characters.
    Hex(&'static str),
    /// A `u32` that is a `u8` in the guest.
    U8,
}

/// Facts about the wire that a manifest cannot say, by `method.param`, `Type` or `Type.field`.
pub type Hints = BTreeMap<&'static str, Wire>;

/// One WebAssembly module of an application.
#[derive(Clone)]
pub struct Service {
    /// The name; empty for the only module of an ordinary application.
    pub name: String,
    /// Its ABI; `None` for a module without one.
    pub manifest: Option<Arc<Value>>,
    /// What the manifest cannot say.
    pub hints: Hints,
    /// What it does.
    pub behaviour: Arc<dyn Behaviour>,
}

/// One version of an application.
#[derive(Clone)]
pub struct App {
    /// Package name, e.g. `com.calimero.kv-store`; absent in stub rows.
    pub package: Option<String>,
    /// Version; absent in stub rows.
    pub version: Option<String>,
    /// `did:key:z…` of the signer; absent for raw WebAssembly.
    pub signer: Option<String>,
    /// What the node stores as metadata.
    pub metadata: Metadata,
    /// One for an ordinary application; several are reached by name.
    pub services: Vec<Service>,
    /// Where `install-application` and `install-dev-application` find it.
    pub source: String,
}

/// The metadata of an application row.
#[derive(Clone, Debug)]
pub enum Metadata {
    /// What a bundle says, flattened to JSON by the node.
    Bundle {
        /// The title.
        name: String,
        /// One sentence.
        description: Option<String>,
        /// The author's Markdown; only newer nodes pass it on.
        guide: Option<String>,
        /// A `data:` URI.
        icon: Option<String>,
    },
    /// Bytes the installer gave.
    Raw(Vec<u8>),
}

impl App {
    /// A signed bundle with one service.
    #[must_use]
    pub fn new(package: &str, version: &str, manifest: Value, behaviour: Arc<dyn Behaviour>) -> Self {
        let service =
            Service { name: String::new(), manifest: Some(Arc::new(manifest)), hints: Hints::new(), behaviour };
        Self::with_services(package, version, vec![service])
    }

    /// A signed bundle with named services.
    #[must_use]
    pub fn with_services(package: &str, version: &str, services: Vec<Service>) -> Self {
        let name = package.rsplit('.').next().unwrap_or(package).to_owned();
        Self {
            package: Some(package.into()),
            version: Some(version.into()),
            signer: Some(did_key(&Id::digest(b"abi-mcp development signer"))),
            metadata: Metadata::Bundle { name, description: None, guide: None, icon: None },
            services,
            source: format!("https://apps.example.com/{package}-{version}.mpk"),
        }
    }

    /// Sets title and description.
    #[must_use]
    pub fn titled(mut self, title: &str, text: &str) -> Self {
        if let Metadata::Bundle { name, description, .. } = &mut self.metadata {
            title.clone_into(name);
            *description = Some(text.into());
        }
        self
    }

    /// Sets the guide.
    #[must_use]
    pub fn guided(mut self, text: &str) -> Self {
        if let Metadata::Bundle { guide, .. } = &mut self.metadata {
            *guide = Some(text.into());
        }
        self
    }

    /// Sets the wire facts of the first service.
    #[must_use]
    pub fn hinted(mut self, hints: Hints) -> Self {
        if let Some(service) = self.services.first_mut() {
            service.hints = hints;
        }
        self
    }

    /// Turns it into raw WebAssembly: no signer, and these bytes as metadata.
    #[must_use]
    pub fn raw(mut self, metadata: &[u8]) -> Self {
        self.signer = None;
        self.metadata = Metadata::Raw(metadata.to_vec());
        self
    }

    /// The application id. A bundle keeps its id over versions; raw WebAssembly gets one for each build.
    #[must_use]
    pub fn id(&self) -> Id {
        match (&self.package, &self.signer) {
            (Some(package), Some(signer)) => Id::of(&[b"application", package.as_bytes(), signer.as_bytes()]),
            _ => Id::of(&[b"raw application", self.bytecode().bytes(), self.source.as_bytes()]),
        }
    }

    /// The bytes kept as the application's blob: a JSON account of the bundle in place of the gzip archive.
    #[must_use]
    pub fn bundle(&self) -> Vec<u8> {
        let services: Vec<Value> = self
            .services
            .iter()
            .map(|service| json!({ "name": service.name, "abi": service.manifest.as_deref() }))
            .collect();
        let bundle = json!({
            "version": "1.0", "package": self.package, "appVersion": self.version, "signerId": self.signer,
            "metadata": String::from_utf8_lossy(&self.metadata_bytes(true)), "services": services,
        });
        bundle.to_string().into_bytes()
    }

    /// The id of [`App::bundle`].
    #[must_use]
    pub fn bytecode(&self) -> Id {
        Id::digest(&self.bundle())
    }

    /// What the row's `metadata` holds; `with_guide` as newer nodes do.
    pub(crate) fn metadata_bytes(&self, with_guide: bool) -> Vec<u8> {
        let Metadata::Bundle { name, description, guide, icon } = (match &self.metadata {
            Metadata::Raw(bytes) => return bytes.clone(),
            bundle @ Metadata::Bundle { .. } => bundle,
        }) else {
            return Vec::new();
        };
        let mut object = Map::new();
        let mut put = |key: &str, value: Option<&str>| {
            if let Some(value) = value {
                object.insert(key.into(), value.into());
            }
        };
        put("package", self.package.as_deref());
        put("version", self.version.as_deref());
        put("name", Some(name));
        put("description", description.as_deref());
        put("author", Some("abi-mcp"));
        put("icon", icon.as_deref());
        put("license", Some("MIT OR Apache-2.0"));
        if with_guide {
            put("guide", guide.as_deref());
        }
        Value::Object(object).to_string().into_bytes()
    }

    /// Whether services are chosen by name.
    pub(crate) fn is_multi(&self) -> bool {
        self.services.iter().any(|service| !service.name.is_empty())
    }

    /// The names of the services, sorted and joined as the node's messages have them.
    pub(crate) fn service_names(&self) -> String {
        let mut names: Vec<&str> = self.services.iter().map(|service| service.name.as_str()).collect();
        names.sort_unstable();
        names.join(", ")
    }

    /// The service of a context or of an ABI request.
    pub(crate) fn service(&self, name: Option<&str>) -> Option<&Service> {
        match (name, self.services.as_slice()) {
            (None, [only]) => Some(only),
            (None, _) => None,
            (Some(name), services) => services.iter().find(|service| !service.name.is_empty() && service.name == name),
        }
    }
}

//! A whole manifest, read leniently: unknown keys are ignored, one method of the wrong shape loses only itself.

use crate::generation::{Generation, detect};
use crate::table::Table;
use crate::types::{Field, Flaw, Type, is_true, repeated_name, text};
use abi_mcp_sdk::json::{Object, element, kind_of, parse};
use abi_mcp_sdk::serde_json::Value;
use abi_mcp_sdk::{Access, Fault, Skipped};

/// Largest manifest read, in bytes: a hundred times the largest real one. Protects the sandbox's memory.
const LARGEST: usize = 4 * 1024 * 1024;

/// A manifest of this format, as far as can be said before its methods are looked at.
pub(crate) struct Head {
    pub(crate) root: Value,
    /// `schema_version` as written.
    pub(crate) format: String,
    pub(crate) generation: Generation,
    /// What showed the generation.
    pub(crate) mark: String,
}

/// A manifest.
pub(crate) struct Manifest {
    pub(crate) generation: Generation,
    pub(crate) table: Table,
    /// `types` as written, which plans are cut from.
    pub(crate) types: Object,
    /// Names of the records that are arrays on the wire although the manifest does not say so.
    pub(crate) tuple_variants: Vec<String>,
    pub(crate) methods: Vec<Method>,
    pub(crate) skipped: Vec<Skipped>,
}

/// A method as the manifest has it.
pub(crate) struct Method {
    pub(crate) name: String,
    pub(crate) params: Vec<Field>,
    /// `params` as written, which plans are cut from.
    pub(crate) written_params: Value,
    /// `None`: nothing is returned.
    pub(crate) returns: Option<Type>,
    pub(crate) returns_nullable: bool,
    pub(crate) access: Access,
    pub(crate) doc: Option<String>,
    pub(crate) returns_doc: Option<String>,
    pub(crate) destructive: bool,
    pub(crate) idempotent: bool,
    pub(crate) role: abi_mcp_sdk::Role,
    pub(crate) xcall_callable: bool,
    pub(crate) xcall_callers: Option<String>,
}

impl Head {
    /// Reads what recognition needs.
    ///
    /// # Errors
    ///
    /// [`Fault::NotRecognised`] when this is no `wasm-abi/1` manifest, [`Fault::TooLarge`].
    pub(crate) fn read(manifest: &[u8]) -> Result<Self, Fault> {
        if manifest.len() > LARGEST {
            return Err(Fault::TooLarge(format!("{} bytes, at most {LARGEST} are read", manifest.len())));
        }
        let root = parse(manifest).map_err(Fault::NotRecognised)?;
        let format = match root.get("schema_version").and_then(Value::as_str) {
            Some(version) if version == "wasm-abi/1" || version.starts_with("wasm-abi/1.") => version.to_owned(),
            Some(version) => {
                return Err(Fault::NotRecognised(format!(
                    "`schema_version` is `{version}`; this mapper reads wasm-abi/1"
                )));
            }
            None => return Err(Fault::NotRecognised("not a JSON object with a `schema_version`".to_owned())),
        };
        let (generation, mark) = detect(&root);
        Ok(Self { root, format, generation, mark })
    }
}

impl Manifest {
    /// Reads a whole manifest. `tuple_variants`: whether to look for the emitter quirk of that name, by generation.
    pub(crate) fn read(manifest: &[u8], tuple_variants: impl Fn(Generation) -> bool) -> Result<Self, Fault> {
        let Head { mut root, generation, .. } = Head::read(manifest)?;
        let types = match root.get_mut("types").map(Value::take) {
            Some(Value::Object(types)) => types,
            None => Object::new(),
            Some(other) => return Err(malformed("types", "an object", &other)),
        };
        let written = match root.get_mut("methods").map(Value::take) {
            Some(Value::Array(methods)) => methods,
            None => return Err(malformed("methods", "an array", &Value::Null)),
            Some(other) => return Err(malformed("methods", "an array", &other)),
        };
        let mut table = Table::read(Some(&types));
        let tuple_variants = if tuple_variants(generation) { table.mark_tuple_variants() } else { Vec::new() };

        let state_root = root.get("state_root").and_then(Value::as_str);
        let initialiser = initialiser(&written, state_root);
        let (mut methods, mut skipped) = (Vec::new(), Vec::new());
        for (index, written) in written.into_iter().enumerate() {
            match Method::read(written, index == initialiser.unwrap_or(usize::MAX)) {
                Ok(method) => methods.push(method),
                Err((name, flaw)) => skipped.push(skip(name, index, &flaw)),
            }
        }
        Ok(Self { generation, table, types, tuple_variants, methods, skipped })
    }
}

impl Method {
    /// Reads a method; the error carries its name, if it has one.
    fn read(mut written: Value, initialiser: bool) -> Result<Self, (Option<String>, Flaw)> {
        let Some(name) = text(written.get("name")) else {
            return Err((None, Flaw::new("name", "expected a name")));
        };
        if name.starts_with("__calimero") {
            return Err((Some(name), Flaw::new("", "an export of the SDK, not a method of the app")));
        }
        let written_params = written.get_mut("params").map_or(Value::Array(Vec::new()), Value::take);
        let params = match read_params(&written_params) {
            Ok(params) => params,
            Err(flaw) => return Err((Some(name), flaw)),
        };
        let returns = written.get("returns").filter(|returns| !returns.is_null());
        // A result that cannot be described can still be handed on.
        let returns = returns.map(|returns| {
            Type::read(Some(returns), "")
                .unwrap_or_else(|flaw| Type::Unknown { why: flaw.problem, shown: "unknown".to_owned() })
        });
        let role = if initialiser {
            abi_mcp_sdk::Role::Initialiser
        } else if is_true(written.get("handler")) {
            abi_mcp_sdk::Role::Handler
        } else if written.get("tee_every_secs").is_some_and(|every| !every.is_null()) {
            abi_mcp_sdk::Role::Timer
        } else {
            abi_mcp_sdk::Role::Ordinary
        };
        let access = match written.get("intent").and_then(Value::as_str) {
            Some("read_only") => Access::View,
            Some("mutating") => Access::Mutate,
            _ => Access::Unspecified,
        };
        Ok(Self {
            params,
            written_params,
            returns,
            returns_nullable: is_true(written.get("returns_nullable")),
            access,
            doc: text(written.get("doc")),
            returns_doc: text(written.get("returns_doc")),
            destructive: is_true(written.get("destructive")),
            idempotent: is_true(written.get("idempotent")),
            role,
            xcall_callable: is_true(written.get("xcall_callable")),
            xcall_callers: text(written.get("xcall_callers")),
            name,
        })
    }
}

fn read_params(written: &Value) -> Result<Vec<Field>, Flaw> {
    let Some(written) = written.as_array() else {
        return Err(Flaw::new("params", format!("expected an array, found {}", kind_of(written))));
    };
    let read = |(index, param)| Field::read(param, &element("params", index));
    let params = written.iter().enumerate().map(read).collect::<Result<Vec<_>, _>>()?;
    match repeated_name(&params) {
        Some(name) => Err(Flaw::new("params", format!("two parameters are named `{name}`"))),
        None => Ok(params),
    }
}

/// The position of the initialiser: `init`, or, as the first emitter wrote it, what returns the state itself.
fn initialiser(methods: &[Value], state_root: Option<&str>) -> Option<usize> {
    let named = methods.iter().position(|method| method.get("name").and_then(Value::as_str) == Some("init"));
    named.or_else(|| {
        let returns = |method: &Value| method.pointer("/returns/$ref").and_then(Value::as_str).map(str::to_owned);
        let state_root = state_root?;
        methods.iter().position(|method| returns(method).as_deref() == Some(state_root))
    })
}

fn skip(name: Option<String>, index: usize, flaw: &Flaw) -> Skipped {
    let method = name.unwrap_or_else(|| format!("#{index}"));
    let reason = match flaw.at.as_str() {
        "" => flaw.problem.clone(),
        at => format!("{} at `{}.{at}`", flaw.problem, element("methods", index)),
    };
    Skipped { method, reason }
}

fn malformed(at: &str, expected: &str, found: &Value) -> Fault {
    let found = if found.is_null() { "nothing" } else { kind_of(found) };
    Fault::Malformed { at: at.to_owned(), problem: format!("expected {expected}, found {found}") }
}

//! Says what a file is before anything of it is compiled: a plugin, and of which contract, or why not.
//!
//! In come bytes, out comes the list of contracts the component states by its own exported interface names. Nothing
//! is executed or validated beyond the file's structure; whether the functions behind the names have the right types
//! shows when the component is linked.

use crate::contract::supported::{CONTRACTS, Contract, PLAIN, Range};
use crate::model::ContractVersion;
use std::fmt;
use wasmparser::{
    ComponentAlias, ComponentExternalKind, ComponentOuterAliasKind, ComponentType, ComponentTypeRef, Encoding,
    InstanceTypeDeclaration, Parser, Payload, TypeBounds,
};

/// The namespace of our contracts; an export of it makes a component a plugin of some release of ours.
const NAMESPACE: &str = "abi-mcp:";

/// Most names quoted in one message.
const QUOTED: usize = 5;

/// What a component states of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inspection {
    /// The contracts it states and this host speaks; at least one, one for each role.
    pub contracts: Vec<Stated>,
    /// The interfaces whose functions it imports; one that it takes only types from is not among them.
    pub imports: Vec<String>,
}

/// One contract a component states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stated {
    /// The version in the component's interface names.
    pub version: ContractVersion,
    /// The row of the host's table that serves it.
    pub contract: &'static Contract,
}

/// Why a file is no plugin for this host.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InspectError {
    /// Not a component at all. The user's mistake, most likely the wrong file.
    #[error("not a plugin: the file is {found}; expected a WebAssembly component\nhint: {}", .found.next_step())]
    NotAPlugin {
        /// What it is instead.
        found: Found,
    },
    /// A component without any of our contracts.
    #[error(
        "not a plugin: the component exports {}, and no contract of `{NAMESPACE}*` (supported: {})\n\
         hint: build it for one of the supported contracts; to have its own functions as tools, add it as an extension \
         (`--extension NAME=FILE`)", names(.exports), supported()
    )]
    NoContract {
        /// What it exports.
        exports: Vec<String>,
    },
    /// A contract without a version, or with one that was never released.
    #[error(
        "not a plugin: the component exports `{export}`, which declares no released contract version \
         (supported: {})\nhint: build it for a released contract",
        supported()
    )]
    Unversioned {
        /// The export.
        export: String,
    },
    /// Made for a later release of this host.
    #[error(
        "contract too new: the plugin was built for `{package}@{found}`, this host speaks {}\n\
         hint: update abi-mcp, or build the plugin for an older contract",
        spoken(package)
    )]
    TooNew {
        /// The WIT package.
        package: String,
        /// The version the plugin states.
        found: ContractVersion,
    },
    /// Made for a release of this host that is long gone.
    #[error(
        "contract too old: the plugin was built for `{package}@{found}`, this host speaks {}\n\
         hint: ask the plugin's author for a newer release, or build it again for a newer contract",
        spoken(package)
    )]
    TooOld {
        /// The WIT package.
        package: String,
        /// The version the plugin states.
        found: ContractVersion,
    },
    /// Part of a contract is missing. The plugin author's mistake.
    #[error("incomplete plugin: it states `{contract}` but does not export {}", names(.missing))]
    Incomplete {
        /// The contract.
        contract: String,
        /// The interfaces it lacks.
        missing: Vec<String>,
    },
    /// It wants something from the host that its contract does not give.
    #[error(
        "the plugin imports {}; to `{contract}` the host offers {}\n\
         hint: {}", names(.imports), offered(.offers), without(.offers)
    )]
    Imports {
        /// The contract.
        contract: String,
        /// What it imports beyond the offer.
        imports: Vec<String>,
        /// What the host offers.
        offers: &'static [&'static str],
    },
    /// It declares more memory than any limit allows.
    #[error("the plugin declares {declared} bytes of memory, over the limit of {limit}")]
    Memory {
        /// The minimum it declares, in bytes.
        declared: u64,
        /// The largest limit, in bytes.
        limit: u64,
    },
}

impl InspectError {
    /// A stable name for this kind of error.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotAPlugin { .. } => "contract::not_a_plugin",
            Self::NoContract { .. } => "contract::none",
            Self::Unversioned { .. } => "contract::unversioned",
            Self::TooNew { .. } => "contract::too_new",
            Self::TooOld { .. } => "contract::too_old",
            Self::Incomplete { .. } => "contract::incomplete",
            Self::Imports { .. } => "contract::imports",
            Self::Memory { .. } => "contract::memory",
        }
    }
}

/// What a file is that is no component.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Found {
    /// No byte in it.
    Empty,
    /// Machine code: an engine's precompiled file or a native library.
    MachineCode,
    /// Something without WebAssembly's first four bytes.
    Other {
        /// Its first bytes, readable.
        start: String,
    },
    /// A WebAssembly module, not yet a component.
    Module {
        /// What it imports, as `module::name`.
        imports: Vec<String>,
    },
    /// WebAssembly, but cut off or damaged.
    Damaged {
        /// What the parser says, with the offset.
        problem: String,
    },
}

impl Found {
    fn next_step(&self) -> &'static str {
        match self {
            Self::Empty | Self::Other { .. } => "check the path; a plugin is a `.wasm` file",
            Self::MachineCode => "give the `.wasm` file it was made from; machine code is never accepted from outside",
            Self::Module { .. } => "make a component of it, for example with `wasm-tools component new`",
            Self::Damaged { .. } => "fetch or build the file again",
        }
    }
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("empty"),
            Self::MachineCode => f.write_str("machine code (precompiled, or a native library)"),
            Self::Other { start } => write!(f, "not WebAssembly (it starts with {start:?})"),
            Self::Module { imports } if imports.is_empty() => f.write_str("a core module"),
            Self::Module { imports } => write!(f, "a core module that imports {}", names(imports)),
            Self::Damaged { problem } => write!(f, "cut off or damaged ({problem})"),
        }
    }
}

/// Looks at a file's bytes.
///
/// `largest_memory` is the most memory any limit allows, in bytes: a component that declares more could never start.
///
/// # Errors
/// When it is no plugin this host can run; the error says what it is and what to do.
pub fn inspect(bytes: &[u8], largest_memory: usize) -> Result<Inspection, InspectError> {
    let outline = Outline::read(bytes).map_err(|found| InspectError::NotAPlugin { found })?;
    let contracts = outline.contracts()?;
    outline.judged(contracts, largest_memory)
}

/// The same for a file that is wanted for its tools: a component that states no contract has its functions
/// ([`PLAIN`]).
///
/// # Errors
/// Those of [`inspect`].
pub fn inspect_extension(bytes: &[u8], largest_memory: usize) -> Result<Inspection, InspectError> {
    let outline = Outline::read(bytes).map_err(|found| InspectError::NotAPlugin { found })?;
    let contracts = match outline.contracts() {
        Err(InspectError::NoContract { .. }) if outline.callable => {
            vec![Stated { version: PLAIN.version, contract: &PLAIN }]
        }
        other => other?,
    };
    outline.judged(contracts, largest_memory)
}

/// Every name a component exports, in its own order; for people, since [`inspect`] has looked at them.
///
/// # Errors
/// When the file is no component.
pub fn exports(bytes: &[u8]) -> Result<Vec<String>, InspectError> {
    Outline::read(bytes).map(|outline| outline.exports).map_err(|found| InspectError::NotAPlugin { found })
}

/// A component's outside.
#[derive(Debug, Default)]
struct Outline {
    imports: Vec<String>,
    /// Those of the imports that have functions or resources.
    used: Vec<String>,
    exports: Vec<String>,
    /// Whether one of the exports is a function or can have some.
    callable: bool,
    /// The largest memory one of its modules starts with, in bytes.
    memory: u64,
}

impl Outline {
    /// Holds the component to the contracts it is used for, and to the limits.
    fn judged(self, contracts: Vec<Stated>, largest_memory: usize) -> Result<Inspection, InspectError> {
        for stated in &contracts {
            self.check(stated)?;
        }
        let limit = largest_memory as u64;
        if self.memory > limit {
            return Err(InspectError::Memory { declared: self.memory, limit });
        }
        Ok(Inspection { contracts, imports: self.used })
    }

    fn read(bytes: &[u8]) -> Result<Self, Found> {
        if bytes.is_empty() {
            return Err(Found::Empty);
        }
        if bytes.starts_with(b"\x7fELF") {
            return Err(Found::MachineCode);
        }
        if !bytes.starts_with(b"\0asm") {
            let start = bytes.get(..16).unwrap_or(bytes);
            return Err(Found::Other { start: String::from_utf8_lossy(start).into_owned() });
        }
        let damaged = |error: wasmparser::BinaryReaderError| Found::Damaged { problem: first_line(&error.to_string()) };
        if Parser::is_core_wasm(bytes) {
            return Err(Found::Module { imports: module_imports(bytes).map_err(damaged)? });
        }
        Self::read_component(bytes).map_err(damaged)
    }

    fn read_component(bytes: &[u8]) -> wasmparser::Result<Self> {
        let mut outline = Self::default();
        // How deep the parser is in modules and components within the component.
        let mut depth = 0_usize;
        let mut types = Types::default();
        for payload in Parser::new(0).parse_all(bytes) {
            match payload? {
                Payload::Version { encoding: Encoding::Module, .. } | Payload::Version { .. } => depth += 1,
                Payload::End(_) => depth = depth.saturating_sub(1),
                Payload::MemorySection(memories) => {
                    for memory in memories {
                        outline.memory = outline.memory.max(minimum(memory?));
                    }
                }
                Payload::ComponentTypeSection(section) if depth == 1 => {
                    for entry in section {
                        types.0.push(can_be_called(&entry?));
                    }
                }
                Payload::ComponentAliasSection(aliases) if depth == 1 => {
                    for alias in aliases {
                        types.count_alias(&alias?);
                    }
                }
                Payload::ComponentImportSection(imports) if depth == 1 => {
                    for import in imports {
                        let import = import?;
                        if types.of_import(import.ty) {
                            outline.used.push(import.name.name.to_owned());
                        }
                        outline.imports.push(import.name.name.to_owned());
                    }
                }
                Payload::ComponentExportSection(exports) if depth == 1 => {
                    for export in exports {
                        let export = export?;
                        if export.kind == ComponentExternalKind::Type {
                            types.0.push(true);
                        }
                        outline.callable |=
                            matches!(export.kind, ComponentExternalKind::Func | ComponentExternalKind::Instance);
                        outline.exports.push(export.name.name.to_owned());
                    }
                }
                _ => {}
            }
        }
        Ok(outline)
    }

    /// The contracts stated, one for each role: the newest version this host speaks. A role that is stated in other
    /// versions only is refused, not left out: its loss would show much later and with no word of versions (D05).
    fn contracts(&self) -> Result<Vec<Stated>, InspectError> {
        let mut spoken: Vec<Stated> = Vec::new();
        let mut refused = Vec::new();
        for export in self.exports.iter().filter(|name| name.starts_with(NAMESPACE)) {
            match stated(export) {
                Ok(stated) => spoken.push(stated),
                Err(error) => refused.push((package_of(export), error)),
            }
        }
        let lost = |package: &str| {
            Range::of(package).is_some() && !spoken.iter().any(|stated| stated.contract.package == package)
        };
        if let Some(at) = refused.iter().position(|(package, _)| lost(package)) {
            return Err(refused.swap_remove(at).1);
        }
        spoken.sort_by_key(|stated| (stated.contract.role, std::cmp::Reverse(stated.version)));
        spoken.dedup_by_key(|stated| stated.contract.role);
        match (spoken.is_empty(), refused.into_iter().next()) {
            (false, _) => Ok(spoken),
            (true, Some((_, error))) => Err(error),
            (true, None) => Err(InspectError::NoContract { exports: self.exports.clone() }),
        }
    }

    /// Whether all of a contract is there, and nothing is wanted that it does not give.
    fn check(&self, stated: &Stated) -> Result<(), InspectError> {
        let Stated { version, contract } = stated;
        let exported = |interface: &str| {
            self.exports.iter().any(|export| {
                split(export).is_some_and(|(package, name, found)| {
                    package == contract.package
                        && name == interface
                        && found.and_then(ContractVersion::parse).is_some_and(|found| found.track() == version.track())
                })
            })
        };
        let named = || format!("{}@{version}", contract.package);
        let missing: Vec<String> =
            contract.exports.iter().filter(|name| !exported(name)).map(|name| (*name).to_owned()).collect();
        if !missing.is_empty() {
            return Err(InspectError::Incomplete { contract: named(), missing });
        }
        let offers = contract.offers;
        // One that was not made for this host may name interfaces only for their types.
        let all = if contract.is_plain() { &self.used } else { &self.imports };
        let imports: Vec<String> = all.iter().filter(|import| !is_offered(import, offers)).cloned().collect();
        if !imports.is_empty() {
            return Err(InspectError::Imports { contract: named(), imports, offers });
        }
        Ok(())
    }
}

/// The contract of a name such as `abi-mcp:mapper@0.1.0`; `None` when this host does not speak it.
pub(super) fn of_contract(name: &str) -> Option<Stated> {
    let (package, version) = name.split_once('@')?;
    let version = ContractVersion::parse(version)?;
    let rows = CONTRACTS.iter().chain([&PLAIN]);
    let row = rows.into_iter().find(|row| row.package == package && row.version.track() == version.track())?;
    Some(Stated { version, contract: row })
}

/// Whether one of the offers is the same interface on the same track.
fn is_offered(import: &str, offers: &[&str]) -> bool {
    let parts = |name: &str| {
        let (package, interface, version) = split(name)?;
        Some((package.to_owned(), interface.to_owned(), ContractVersion::parse(version?)?.track()))
    };
    let wanted = parts(import);
    wanted.is_some() && offers.iter().any(|offer| parts(offer) == wanted)
}

/// The component's types so far, by index: whether something of an instance of each can be called or held. Only what
/// an import can refer to has to be right; of everything else the worst is assumed.
#[derive(Default)]
struct Types(Vec<bool>);

impl Types {
    fn count_alias(&mut self, alias: &ComponentAlias<'_>) {
        let makes_a_type = match alias {
            ComponentAlias::InstanceExport { kind, .. } => *kind == ComponentExternalKind::Type,
            ComponentAlias::Outer { kind, .. } => *kind == ComponentOuterAliasKind::Type,
            ComponentAlias::CoreInstanceExport { .. } => false,
        };
        if makes_a_type {
            self.0.push(true);
        }
    }

    fn of_import(&mut self, ty: ComponentTypeRef) -> bool {
        match ty {
            ComponentTypeRef::Instance(index) => {
                usize::try_from(index).ok().and_then(|index| self.0.get(index).copied()).unwrap_or(true)
            }
            ComponentTypeRef::Type(_) => {
                self.0.push(true);
                true
            }
            _ => true,
        }
    }
}

/// Whether an instance type has functions or resources; any other type counts as one that does.
fn can_be_called(ty: &ComponentType<'_>) -> bool {
    let ComponentType::Instance(declarations) = ty else { return true };
    declarations.iter().any(|declaration| match declaration {
        InstanceTypeDeclaration::Export { ty, .. } => {
            !matches!(ty, ComponentTypeRef::Type(TypeBounds::Eq(_)) | ComponentTypeRef::Value(_))
        }
        _ => false,
    })
}

/// The contract an exported name of our namespace states.
fn stated(export: &str) -> Result<Stated, InspectError> {
    let unversioned = || InspectError::Unversioned { export: export.to_owned() };
    let (package, _, version) = split(export).ok_or_else(unversioned)?;
    let found = version.and_then(ContractVersion::parse).ok_or_else(unversioned)?;
    let row = CONTRACTS.iter().find(|row| row.package == package && row.version.track() == found.track());
    if let Some(contract) = row {
        return Ok(Stated { version: found, contract });
    }
    let package = package.to_owned();
    match Range::of(&package) {
        Some(range) if found < range.oldest => Err(InspectError::TooOld { package, found }),
        // A package this host has never heard of belongs to a later release.
        _ => Err(InspectError::TooNew { package, found }),
    }
}

fn package_of(export: &str) -> &str {
    split(export).map_or(export, |(package, _, _)| package)
}

/// `abi-mcp:mapper/schema@0.1.0` in its parts: package, interface, version.
fn split(name: &str) -> Option<(&str, &str, Option<&str>)> {
    let (path, version) = match name.split_once('@') {
        Some((path, version)) => (path, Some(version)),
        None => (name, None),
    };
    let (package, interface) = path.split_once('/')?;
    Some((package, interface, version))
}

fn minimum(memory: wasmparser::MemoryType) -> u64 {
    let page = memory.page_size_log2.unwrap_or(16).min(16);
    memory.initial.saturating_mul(1 << page)
}

fn module_imports(bytes: &[u8]) -> wasmparser::Result<Vec<String>> {
    let mut names = Vec::new();
    for payload in Parser::new(0).parse_all(bytes) {
        if let Payload::ImportSection(imports) = payload? {
            for import in imports.into_imports() {
                let import = import?;
                names.push(format!("{}::{}", import.module, import.name));
            }
        }
    }
    Ok(names)
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}

/// The first few names, in backticks.
fn names(names: &[String]) -> String {
    if names.is_empty() {
        return "nothing".to_owned();
    }
    let clean = |name: &String| format!("`{}`", name.chars().filter(|c| !c.is_control()).take(100).collect::<String>());
    let mut text = names.iter().take(QUOTED).map(clean).collect::<Vec<_>>().join(", ");
    if names.len() > QUOTED {
        text.push_str(&format!(" and {} more", names.len() - QUOTED));
    }
    text
}

fn without(offers: &[&str]) -> &'static str {
    if offers.is_empty() {
        "build it for `wasm32-unknown-unknown`, without WASI"
    } else {
        "build it without what it needs that import for; `wit/tool` says what there is"
    }
}

fn offered(offers: &[&str]) -> String {
    names(&offers.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
}

/// All contracts this host speaks.
fn supported() -> String {
    let mut packages: Vec<&str> = CONTRACTS.iter().map(|row| row.package).collect();
    packages.dedup();
    packages.iter().map(|package| format!("`{package}` {}", range(package))).collect::<Vec<_>>().join(", ")
}

/// What this host speaks of one package.
fn spoken(package: &str) -> String {
    match Range::of(package) {
        Some(range) => range.to_string(),
        None => format!("no version of it (supported: {})", supported()),
    }
}

fn range(package: &str) -> String {
    Range::of(package).map_or_else(String::new, |range| range.to_string())
}

#[cfg(test)]
mod tests;

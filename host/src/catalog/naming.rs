//! Tool names for the whole catalog at once.
//!
//! Apps with their methods and the names already taken come in; one name a method goes out: unique,
//! `^[a-z][a-z0-9_]*$`, at most [`LIMIT`] characters. The same set of apps gives the same names whatever order apps
//! and methods come in, and after every restart, because a client keeps names in prompts, settings and permission
//! lists. Does not know schemas, and lists nothing.
//!
//! How a name is made:
//!
//! 1. The method: [`sanitise`]d. Where several methods of one app meet in one form, the method that is spelled
//!    exactly so keeps it and every other one ends in a hash of its own name; overloads of one name all end in a hash
//!    of their name and parameters. So a further method changes no other name, unless it meets it.
//! 2. The app: its [`slug`], unique in the catalog by a piece of the application id.
//! 3. `<slug>_<method>`; too long: the slug is cut, then the whole, ending in a hash of the full name.
//! 4. A name that is taken (a fixed tool, an earlier app) is built again with the slug and a piece of the id.

use super::slug::{sanitise, slug, tail};
use crate::text::short_hash;
use std::collections::{BTreeSet, HashMap, HashSet};

/// The longest tool name, in characters: 64, which clients allow the final name, less the longest usual prefix,
/// `mcp__<server>__` with a server name of eight characters (`mcp-protocol` §13).
pub(crate) const LIMIT: usize = 49;

/// What is left of a slug in a name that would be over the limit.
const SLUG_CUT: usize = 20;

/// `_` and six hex digits.
const HASH_SUFFIX: usize = 7;

/// How the app part of the names is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AppPart<'a> {
    /// From package, id and service.
    Derived,
    /// As configured; sanitised, and made unique like any other.
    #[cfg_attr(not(test), expect(dead_code, reason = "configured names come with the configuration file"))]
    Given(&'a str),
    /// None: the methods keep their own names, as an engine's functions do.
    Empty,
}

/// One app, or one service of an app.
#[derive(Debug, Clone)]
pub(crate) struct NamedUnit<'a> {
    /// The package, where the app has one.
    pub(crate) package: Option<&'a str>,
    /// The application id; tells apps of one package apart.
    pub(crate) id: &'a str,
    /// The service, for an app that has several.
    pub(crate) service: Option<&'a str>,
    /// How its names begin.
    pub(crate) app_part: AppPart<'a>,
    /// Whether everything else is named first: a stranger's tool takes no name that an app's would have.
    pub(crate) yields: bool,
    /// The methods that become tools.
    pub(crate) methods: Vec<NamedMethod<'a>>,
}

/// What tells a method from its neighbours.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NamedMethod<'a> {
    /// As the app calls it.
    pub(crate) name: &'a str,
    /// In declaration order; tell overloads apart.
    pub(crate) parameters: Vec<&'a str>,
}

/// The names of all tools, in the order of the units and their methods.
///
/// `reserved` are the names of the fixed tools. Never fails: a name that is taken gets another number.
pub(crate) fn tool_names<'a>(units: &[NamedUnit<'_>], reserved: impl IntoIterator<Item = &'a str>) -> Vec<Vec<String>> {
    let mut taken: HashSet<String> = reserved.into_iter().map(str::to_owned).collect();
    let mut names: Vec<Vec<String>> = units.iter().map(|unit| vec![String::new(); unit.methods.len()]).collect();
    let mut slugs = BTreeSet::new();
    for (position, unit) in in_catalog_order(units) {
        let slug = UnitSlug::new(unit, &mut slugs);
        let Some(row) = names.get_mut(position) else { continue };
        for (method, local) in in_naming_order(&unit.methods) {
            let name = slug.free_name(&local, &taken);
            taken.insert(name.clone());
            if let Some(cell) = row.get_mut(method) {
                *cell = name;
            }
        }
    }
    names
}

/// Units by package (id where there is none), id and service, those that yield last, so that the order of a node's answer decides nothing.
fn in_catalog_order<'u, 'a>(units: &'u [NamedUnit<'a>]) -> Vec<(usize, &'u NamedUnit<'a>)> {
    let mut sorted: Vec<_> = units.iter().enumerate().collect();
    let key = |(position, unit): &(usize, &NamedUnit<'a>)| {
        (unit.yields, unit.package.unwrap_or(unit.id), unit.id, unit.service, *position)
    };
    sorted.sort_by(|a, b| key(a).cmp(&key(b)));
    sorted
}

/// The app part of one unit's names: a base that may be cut, and a suffix that may not.
struct UnitSlug {
    base: String,
    suffix: String,
    /// The base where a name is taken: of an app without an app part, the one it would have.
    fallback: String,
    tail: String,
}

impl UnitSlug {
    /// The unit's slug, unique among `slugs`, and remembered there.
    fn new(unit: &NamedUnit<'_>, slugs: &mut BTreeSet<String>) -> Self {
        let derived = slug(unit.package, unit.id, unit.service);
        let base = match unit.app_part {
            AppPart::Derived => derived.clone(),
            AppPart::Given(text) => slug(Some(text), unit.id, unit.service),
            AppPart::Empty => String::new(),
        };
        let tail = tail(unit.id);
        let fallback = if base.is_empty() { derived } else { base.clone() };
        let mut suffix = String::new();
        if !base.is_empty() {
            let free = suffixes(&tail).find(|suffix| !slugs.contains(&format!("{base}{suffix}")));
            suffix = free.unwrap_or_default();
            slugs.insert(format!("{base}{suffix}"));
        }
        Self { base, suffix, fallback, tail }
    }

    /// A name of this unit that nobody has.
    fn free_name(&self, local: &str, taken: &HashSet<String>) -> String {
        let first = compose(&self.base, &self.suffix, local);
        if !taken.contains(&first) {
            return first;
        }
        suffixes(&self.tail)
            // The plain slug may be another app's; only an app without an app part can still take it.
            .filter(|suffix| self.base.is_empty() || !suffix.is_empty())
            .map(|suffix| compose(&self.fallback, &suffix, local))
            .find(|name| !taken.contains(name))
            .unwrap_or(first)
    }
}

/// Nothing, then the tail, then the tail with a number, without end.
fn suffixes(tail: &str) -> impl Iterator<Item = String> {
    let tail = format!("_{tail}");
    let numbered = tail.clone();
    [String::new(), tail].into_iter().chain((2_u64..).map(move |number| format!("{numbered}_{number}")))
}

/// `<base><suffix>_<local>` within the limit.
///
/// The base is cut first, then the whole; the hash is of the full name, so that two long names with one beginning
/// stay two.
fn compose(base: &str, suffix: &str, local: &str) -> String {
    let join = |base: &str| {
        if base.is_empty() { local.to_owned() } else { format!("{base}{suffix}_{local}") }
    };
    let full = identifier(join(base));
    if full.len() <= LIMIT {
        return full;
    }
    let shorter = identifier(join(prefix(base, SLUG_CUT)));
    if shorter.len() <= LIMIT {
        return shorter;
    }
    format!("{}_{}", prefix(&shorter, LIMIT - HASH_SUFFIX), short_hash(&full))
}

/// The name with a letter in front; only a method without an app part can need it.
fn identifier(name: String) -> String {
    if name.starts_with(|c: char| c.is_ascii_lowercase()) {
        return name;
    }
    format!("m_{}", name.trim_start_matches('_'))
}

/// The first `length` characters of an ASCII text.
fn prefix(text: &str, length: usize) -> &str {
    text.get(..length).unwrap_or(text)
}

/// The methods' part of the names with their positions, in the order in which they may claim a name: those without
/// a hash first, then by name and parameters, so that the manifest's order decides nothing.
fn in_naming_order(methods: &[NamedMethod<'_>]) -> Vec<(usize, String)> {
    let plain: Vec<String> = methods.iter().map(|method| plain_name(method.name)).collect();
    let mut meeting: HashMap<&str, BTreeSet<&str>> = HashMap::new();
    let mut same_name: HashMap<&str, usize> = HashMap::new();
    for (method, plain) in methods.iter().zip(&plain) {
        meeting.entry(plain).or_default().insert(method.name);
        *same_name.entry(method.name).or_default() += 1;
    }
    let mut named: Vec<_> = methods
        .iter()
        .zip(&plain)
        .enumerate()
        .map(|(position, (method, plain))| {
            let overloaded = same_name.get(method.name).is_some_and(|count| *count > 1);
            let meets = meeting.get(plain.as_str()).is_some_and(|names| names.len() > 1);
            let local = if overloaded {
                Some(format!("{}({})", method.name, method.parameters.join(",")))
            } else if meets && method.name != plain {
                Some(method.name.to_owned())
            } else {
                None
            };
            let hashed = local.map(|key| format!("{plain}_{}", short_hash(&key)));
            (hashed.is_some(), method, position, hashed.unwrap_or_else(|| plain.clone()))
        })
        .collect();
    named.sort_by(|a, b| (a.0, a.1, a.2).cmp(&(b.0, b.1, b.2)));
    named.into_iter().map(|(_, _, position, local)| (position, local)).collect()
}

/// The method's name sanitised; a name with no ASCII letter is named by its hash.
fn plain_name(name: &str) -> String {
    let plain = sanitise(name);
    if plain.contains(|c: char| c.is_ascii_lowercase()) { plain } else { format!("m_{}", short_hash(name)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit<'a>(package: &'a str, id: &'a str, methods: &[&'a str]) -> NamedUnit<'a> {
        let methods = methods.iter().map(|name| NamedMethod { name, parameters: vec![] }).collect();
        NamedUnit { package: Some(package), id, service: None, app_part: AppPart::Derived, yields: false, methods }
    }

    fn names(units: &[NamedUnit<'_>]) -> Vec<String> {
        let all: Vec<String> = tool_names(units, ["node_status", "call"]).concat();
        let distinct: HashSet<String> = all.iter().map(|name| name.to_lowercase()).collect();
        assert_eq!(distinct.len(), all.len(), "{all:?}");
        for name in &all {
            assert!(name.len() <= LIMIT && name.starts_with(|c: char| c.is_ascii_lowercase()), "{name}");
            assert!(name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'), "{name}");
        }
        all
    }

    fn is_hashed(name: &str, stem: &str) -> bool {
        name.strip_prefix(stem).and_then(|rest| rest.strip_prefix('_')).is_some_and(|hash| {
            hash.len() == 6 && hash.chars().all(|c| c.is_ascii_hexdigit() && !c.is_ascii_uppercase())
        })
    }

    #[test]
    fn a_tool_is_named_app_then_method() {
        assert_eq!(names(&[unit("com.example.kv-store", "A", &["get", "set"])]), ["kv_store_get", "kv_store_set"]);
    }

    #[test]
    fn a13_two_services_with_one_method_are_two_tools() {
        let service = |service| NamedUnit { service: Some(service), ..unit("com.x.lobby", "A", &["get"]) };
        assert_eq!(names(&[service("worker"), service("api")]), ["lobby_worker_get", "lobby_api_get"]);
        names(&[service("ok-1"), service("ok_1"), service("OK 1")]);
    }

    #[test]
    fn a_long_slug_is_cut_before_a_long_method() {
        let app = "com.x.a-very-long-application";
        let all =
            names(&[unit(app, "A", &["get", "reconcile_every_item", "reconcile_every_pending_transaction_again"])]);
        assert_eq!(all[0], "a_very_long_application_get");
        assert_eq!(all[1], "a_very_long_application_reconcile_every_item");
        assert!(is_hashed(&all[2], "a_very_long_applicat_reconcile_every_pendi"), "{}", all[2]);
        assert_eq!(all[2].len(), 49);
    }

    #[test]
    fn c03_a_name_over_the_limit_is_cut_and_still_callable_by_one_name() {
        let method = "get_active_ingredient_application_number_manufacturer_name_and_route_by_drug_name";
        let all = names(&[unit("com.example.application-with-a-long-name", "A", &[method])]);
        assert_eq!(all[0].len(), LIMIT);
    }

    #[test]
    fn c04_long_names_with_one_beginning_stay_apart_and_stable() {
        let (one, two, three) = (
            format!("m{}_one", "a".repeat(70)),
            format!("m{}_two", "a".repeat(70)),
            format!("m{}_three", "a".repeat(70)),
        );
        let first = names(&[unit("com.x.app", "A", &[&one, &two])]);
        let second = names(&[unit("com.x.app", "A", &[&three, &two, &one])]);
        assert_eq!([&first[0], &first[1]], [&second[2], &second[1]]);
    }

    #[test]
    fn c05_names_that_differ_in_punctuation_or_case_are_five_tools() {
        let all = names(&[unit("com.x.app", "A", &["foo.list", "foo/list", "foo list", "foo_list", "FOO_LIST"])]);
        assert_eq!(all[3], "app_foo_list");
        for name in [&all[0], &all[1], &all[2], &all[4]] {
            assert!(is_hashed(name, "app_foo_list"), "{name}");
        }
        let alone = names(&[unit("com.x.app", "A", &["foo_list", "FOO_LIST"])]);
        assert_eq!(alone[1], all[4], "the others do not matter");
    }

    #[test]
    fn c06_dots_slashes_and_spaces_become_underscores() {
        let all = names(&[unit("com.x.app", "A", &["admin.keys.list", "ns:action", "user/profile", "a b"])]);
        assert_eq!(all, ["app_admin_keys_list", "app_ns_action", "app_user_profile", "app_a_b"]);
    }

    #[test]
    fn c07_names_of_another_script_are_named_by_their_hash() {
        let all = names(&[unit("com.x.app", "A", &["获取天气", "数据库", "日本語", "émigré", "emigre"])]);
        assert!(all.iter().all(|name| name.len() > "app_m".len()), "{all:?}");
        assert!(is_hashed(&all[0], "app_m"), "{all:?}");
        assert_eq!(all[4], "app_emigre");
    }

    #[test]
    fn a15_two_apps_of_one_slug_are_told_apart_by_id_in_any_order() {
        let (a, b) = (unit("com.a.kv-store", "AAA", &["get"]), unit("org.b.kv_store", "BBB", &["get"]));
        assert_eq!(names(&[a.clone(), b.clone()]), ["kv_store_get", "kv_store_bbb_get"]);
        assert_eq!(names(&[b, a]), ["kv_store_bbb_get", "kv_store_get"]);
    }

    #[test]
    fn three_apps_of_one_slug_and_one_tail_are_numbered() {
        let apps = ["sameid-1", "sameid-2", "sameid-3"].map(|id| unit("com.a.kv", id, &["get"]));
        assert_eq!(names(&apps), ["kv_get", "kv_sameid_get", "kv_sameid_2_get"]);
    }

    #[test]
    fn a_name_of_a_fixed_tool_or_another_app_is_built_again_with_the_id() {
        assert_eq!(
            names(&[unit("com.x.node", "nodeapp-id", &["status", "peers"])]),
            ["node_nodeap_status", "node_peers"]
        );
        let apps = [unit("com.x.kv", "a-id", &["store_get"]), unit("com.y.kv-store", "b-id", &["get", "set"])];
        assert_eq!(names(&apps), ["kv_store_get", "kv_store_bid_get", "kv_store_set"]);
    }

    #[test]
    fn d10_apps_whose_names_meet_are_four_tools() {
        names(&[
            unit("p1", "1", &["get"]),
            unit("p2", "2", &["get"]),
            unit("p", "3", &["x_get"]),
            unit("p_x", "4", &["get"]),
        ]);
    }

    #[test]
    fn d10_an_extension_yields_to_apps_whatever_it_calls_itself() {
        let extension = |name, methods: &[&'static str]| NamedUnit { yields: true, ..unit(name, name, methods) };
        let all = names(&[
            extension("a", &["get", "x"]),
            extension("node", &["status"]),
            unit("com.x.a", "1", &["get"]),
            unit("com.x.a-x", "2", &["y"]),
            extension("a-x", &["y"]),
        ]);
        assert_eq!(all, ["a_a_get", "a_a_x", "node_node_status", "a_get", "a_x_y", "a_x_ax_y"]);
    }

    #[test]
    fn c23_overloads_are_told_apart_by_their_parameters_in_any_order() {
        let method = |parameters: &[&'static str]| NamedMethod { name: "transfer", parameters: parameters.to_vec() };
        let methods = [method(&["to"]), method(&["to", "amount"]), method(&["to", "amount", "memo"])];
        let with = |methods: Vec<_>| NamedUnit { methods, ..unit("com.x.bank", "A", &[]) };
        let first = names(&[with(methods.to_vec())]);
        let second = names(&[with(methods.iter().rev().cloned().collect())]);
        assert!(first.iter().all(|name| is_hashed(name, "bank_transfer")), "{first:?}");
        assert_eq!(first, second.into_iter().rev().collect::<Vec<_>>());
        names(&[with(vec![method(&["to"]), method(&["to"])])]);
    }

    #[test]
    fn an_engines_functions_keep_their_own_names_unless_taken() {
        let engine = |id, methods: &[&'static str]| NamedUnit { app_part: AppPart::Empty, ..unit("geo", id, methods) };
        assert_eq!(
            names(&[engine("e1", &["temporal_merge", "call", "9x", "_y"])]),
            ["temporal_merge", "geo_call", "m_9x", "m_y"]
        );
        assert_eq!(names(&[engine("e1", &["f"]), engine("e2", &["f"])]), ["f", "geo_f"]);
        let given = NamedUnit { app_part: AppPart::Given("Traj"), ..unit("geo", "e1", &["f"]) };
        assert_eq!(names(&[given]), ["traj_f"]);
    }

    #[test]
    fn odd_names_of_every_length_stay_unique_and_within_the_limit() {
        let odd: Vec<String> = (0..80).flat_map(|n| ["x", "_", "é", "X.", "9"].map(|part| part.repeat(n))).collect();
        let methods: Vec<&str> = odd.iter().map(String::as_str).collect::<BTreeSet<_>>().into_iter().collect();
        let empty = NamedUnit { app_part: AppPart::Empty, ..unit("com.q", "9", &methods) };
        let long = "com.x.an-application-with-a-really-long-name-indeed-it-is-long";
        names(&[unit("com.x.a", "1", &methods), unit(long, "2", &methods), unit(long, "3", &methods), empty]);
    }
}

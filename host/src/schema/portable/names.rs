//! Top-level property names that clients accept.
//!
//! One name outside `^[a-zA-Z0-9_.-]{1,64}$` makes a model API refuse every request of the session
//! (`mcp-protocol` §13), so such a parameter is listed under another name and mapped back before it is encoded.

use crate::text::short_hash;
use std::collections::HashMap;

/// The longest property name, in characters.
const LONGEST: usize = 64;

/// `_` and six hex digits.
const HASH_SUFFIX: usize = 7;

/// The name on the wire of each original, in the same order; all different, none of `reserved`.
///
/// A name that is fine stays. Any other one has each run of bad characters as one `_`, and ends in a hash of the
/// original where that meets another name or is too long; so no name depends on the order of the parameters.
pub(super) fn assign<'a>(originals: impl Iterator<Item = &'a str>, reserved: &[&str]) -> Vec<String> {
    let originals: Vec<&str> = originals.collect();
    let candidates: Vec<String> = originals.iter().map(|name| candidate(name)).collect();
    let mut claims: HashMap<&str, usize> = reserved.iter().map(|name| (*name, 1)).collect();
    for name in &candidates {
        *claims.entry(name).or_default() += 1;
    }
    let mut wires: Vec<String> = Vec::with_capacity(originals.len());
    for (original, candidate) in originals.iter().zip(&candidates) {
        let alone = claims.get(candidate.as_str()).is_none_or(|count| *count == 1);
        let mut wire = if candidate == original || alone { candidate.clone() } else { hashed(candidate, original) };
        // Six hex digits meet once in sixteen million; then the order does decide.
        while wire != *original && (claims.contains_key(wire.as_str()) && wire != *candidate || wires.contains(&wire)) {
            wire = hashed(candidate, &wire);
        }
        wires.push(wire);
    }
    wires
}

fn candidate(original: &str) -> String {
    if is_portable(original) {
        return original.to_owned();
    }
    let parts = original.split(|c: char| !is_portable_letter(c)).filter(|part| !part.is_empty());
    let name = parts.collect::<Vec<_>>().join("_");
    if name.is_empty() {
        return format!("p_{}", short_hash(original));
    }
    if name.len() > LONGEST { hashed(&name, original) } else { name }
}

fn hashed(name: &str, original: &str) -> String {
    let stem = name.get(..LONGEST - HASH_SUFFIX).unwrap_or(name);
    format!("{stem}_{}", short_hash(original))
}

fn is_portable(name: &str) -> bool {
    (1..=LONGEST).contains(&name.len()) && name.chars().all(is_portable_letter)
}

fn is_portable_letter(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.' | '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c08_every_name_is_portable_and_good_ones_stay() {
        let long = "k".repeat(70);
        let originals = ["uids[]", "fields[users]", "naïve", "a b", &long, "ok.name-1"];
        let wires = assign(originals.into_iter(), &[]);
        assert_eq!(wires[..4], ["uids", "fields_users", "na_ve", "a_b"]);
        assert_eq!(wires[5], "ok.name-1");
        assert!(wires.iter().all(|wire| is_portable(wire)), "{wires:?}");
    }

    #[test]
    fn names_that_meet_end_in_a_hash_and_the_order_does_not_matter() {
        let odd: Vec<String> = (0..70).flat_map(|n| ["[", "é", "x y", "_", "日"].map(|part| part.repeat(n))).collect();
        let mut originals: Vec<&str> =
            odd.iter().map(String::as_str).chain(["a b", "a_b", "a-b", "a/b", "app_handle"]).collect();
        originals.sort_unstable();
        originals.dedup();
        let wires = assign(originals.iter().copied(), &["_context"]);
        let distinct: std::collections::HashSet<_> = wires.iter().collect();
        assert_eq!(distinct.len(), originals.len());
        assert!(wires.iter().all(|wire| is_portable(wire) && wire != "_context"));
        let backwards = assign(originals.iter().rev().copied(), &["_context"]);
        assert_eq!(wires, backwards.into_iter().rev().collect::<Vec<_>>());
    }

    #[test]
    fn a_name_of_the_hosts_own_is_not_given_away() {
        assert_ne!(assign(["_context[]"].into_iter(), &["_context"]), ["_context"]);
    }
}

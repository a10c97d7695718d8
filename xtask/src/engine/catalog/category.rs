//! What kind of operation a function is, told from its name and result.
//!
//! The categories and the order in which they are tried are those of MobilityDB's own catalogs. Where those go wrong by
//! the letter of a name, the rule here is by its sense; each such place is marked "unlike the original".

use super::ctype::CType;

/// Suffixes of functions that read or write a value.
const FORMS: [&str; 8] = ["wkb", "hexwkb", "text", "ewkt", "ewkb", "mfjson", "geojson", "hexewkb"];

/// Spatial relations; `e`, `a` and `t` before them ask ever, always and when.
const RELATIONS: [&str; 6] = ["contains", "covers", "disjoint", "dwithin", "intersects", "touches"];

/// The category of a function. `writes_result` says that the value returned only tells whether a result was written.
pub(super) fn of(name: &str, returns: &CType, writes_result: bool) -> &'static str {
    let words: Vec<&str> = name.split('_').collect();
    let first = words.first().copied().unwrap_or_default();
    match () {
        () if first == "meos" => "lifecycle",
        () if first == "rtree" => "index",
        () if is_io(&words) => "io",
        () if matches!(words.last(), Some(&("transfn" | "combinefn" | "finalfn" | "tagg" | "collect"))) => "aggregate",
        () if is_predicate(&words, returns, writes_result) => "predicate",
        () if is_constructor(&words) => "constructor",
        () if matches!(first, "union" | "intersection" | "minus" | "difference") => "setop",
        () if words.iter().skip(1).rev().skip(1).any(|word| matches!(*word, "to" | "from" | "as")) => "conversion",
        () if is_accessor(&words) => "accessor",
        () => "transformation",
    }
}

fn is_io(words: &[&str]) -> bool {
    match words {
        [_, .., "in" | "out"] => true,
        [_, .., "as" | "from", form] => FORMS.contains(form),
        _ => false,
    }
}

fn is_predicate(words: &[&str], returns: &CType, writes_result: bool) -> bool {
    let first = words.first().copied().unwrap_or_default();
    let is_relation = |word: &str| RELATIONS.contains(&word);
    let compares = first.strip_prefix('t').is_some_and(|rest| matches!(rest, "eq" | "ne" | "lt" | "le" | "gt" | "ge"));
    // Unlike the original: `eintersects` asks as much as `tintersects` does, and a flag beside a result asks nothing.
    let relates =
        is_relation(first) || ["e", "a", "t"].iter().any(|when| first.strip_prefix(when).is_some_and(is_relation));
    matches!(first, "always" | "ever")
        || compares
        || relates
        || words.last() == Some(&"cmp")
        || (returns.base == "bool" && returns.stars == 0 && !writes_result)
}

/// Unlike the original: what follows `make` (`make2d`, `make_gaps`) does not matter.
fn is_constructor(words: &[&str]) -> bool {
    let made = words.iter().skip(1).any(|word| matches!(*word, "make" | "make2d" | "make3dz"));
    made && !words.contains(&"simple") || matches!(words, [_, .., "copy"])
}

fn is_accessor(words: &[&str]) -> bool {
    // Unlike the original: these change a value, or a text's letters, and only end like an accessor.
    const CHANGES: [&str; 7] = ["at", "minus", "restrict", "shift", "scale", "set", "expand"];
    let at_moment = matches!(words, [_, "value", "at", "timestamptz"]);
    let changes = !at_moment && words.iter().skip(1).any(|word| CHANGES.contains(word));
    let letters = matches!(words, ["text" | "ttext" | "textset", "lower" | "upper"]);
    if changes || letters || words.first() == Some(&"distance") {
        return false;
    }
    let is_bound =
        |word: &str| word.strip_prefix(['x', 'y', 'z', 't']).is_some_and(|rest| matches!(rest, "min" | "max"));
    match words {
        [_, .., "value" | "values" | "lower" | "upper" | "duration" | "srid" | "length" | "n"] => true,
        [_, .., "start" | "end" | "get" | "num", _] => true,
        // The bounds of boxes, which the original takes for predicates because they return a flag.
        [_, bound] | [_, bound, "inc"] => is_bound(bound) || matches!(words, ["tpoint", "direction"]),
        [_, "value", "at", "timestamptz"] => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fall_into_the_categories_of_the_original() {
        let cases = [
            ("meos_initialize", "lifecycle"),
            ("rtree_search", "index"),
            ("tfloat_in", "io"),
            ("temporal_as_hexwkb", "io"),
            ("tint_tsum_transfn", "aggregate"),
            ("ever_eq_tint_int", "predicate"),
            ("teq_tint_int", "predicate"),
            ("span_cmp", "predicate"),
            ("tbox_make", "constructor"),
            ("union_set_int", "setop"),
            ("tint_to_tfloat", "conversion"),
            ("tpoint_length", "accessor"),
            ("spanset_span_n", "accessor"),
            ("temporal_start_instant", "accessor"),
            ("temporal_round", "transformation"),
            ("minus_date_int", "setop"),
        ];
        for (name, want) in cases {
            assert_eq!(of(name, &CType::plain("int"), false), want, "{name}");
        }
        assert_eq!(of("anything", &CType::plain("bool"), false), "predicate");
    }

    #[test]
    fn sense_wins_over_the_letters_of_a_name() {
        let of = |name: &str, writes_result| of(name, &CType::plain("bool"), writes_result);
        for name in ["floatset_value_n", "stbox_xmin", "tbox_tmax_inc", "tint_value_at_timestamptz"] {
            assert_eq!(of(name, true), "accessor", "{name}");
        }
        let of = |name: &str| super::of(name, &CType::plain("int"), false);
        assert_eq!(of("eintersects_tgeo_geo"), "predicate");
        assert_eq!(of("tfloat_at_value"), "transformation");
        assert_eq!(of("tspatial_set_srid"), "transformation");
        assert_eq!(of("ttext_lower"), "transformation");
        assert_eq!(of("pose_make_2d"), "constructor");
    }
}

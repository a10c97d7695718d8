//! Which SQL types each parameter of a function really accepts.
//!
//! Comes in: a prototype, the checks its body begins with and the words of its name. Goes out: for every parameter the
//! types it may have, narrowed from what its C type can hold, and the combinations of them that make sense: a `tint`
//! goes with an `intspan`. Without SQL files this is what tells `Temporal *` apart.

use super::ctype::Typedefs;
use super::definition::Definition;
use super::header::Prototype;
use super::kinds::{self, Kinds};

/// The types of every C parameter; empty for one that has no SQL type, such as a callback.
pub(super) fn accepts(
    prototype: &Prototype,
    definition: Option<&Definition>,
    family: &str,
    typedefs: &Typedefs,
) -> Vec<Kinds> {
    let parameters = &prototype.parameters.list;
    let mut found: Vec<Kinds> =
        parameters.iter().map(|it| kinds::of_c_type(&it.ctype, &typedefs.canonical(&it.ctype))).collect();
    let named = by_name(&prototype.name, &found);
    for (at, kinds) in named.iter().chain(&by_checks(definition)) {
        narrow(&mut found, *at, kinds);
    }
    narrow_containers(&mut found, &named);
    for (at, parameter) in parameters.iter().enumerate() {
        // The range of heights of `tpoint_at_geom`; nothing else tells that it is not one of times.
        if parameter.name == "zspan" {
            narrow(&mut found, at, &["floatspan"]);
        }
    }
    for (at, kinds) in found.iter_mut().enumerate() {
        let general =
            parameters.get(at).is_some_and(|it| *kinds == kinds::of_c_type(&it.ctype, &it.ctype)) && kinds.len() > 5;
        let own = family_kinds(family);
        // The optional families lie in the plane: cbuffers, poses and networks have no geodetic form.
        if !own.is_empty() && kinds.iter().any(|kind| kinds::base(kind) == Some("geometry")) {
            kinds.retain(|kind| kinds::base(kind) != Some("geography"));
        }
        if general && own.iter().any(|kind| kinds.contains(kind)) {
            kinds.retain(|kind| own.contains(kind));
        }
    }
    found
}

/// Keeps the wanted types, unless nothing would be left.
fn narrow(found: &mut [Kinds], at: usize, wanted: &[&str]) {
    let Some(kinds) = found.get_mut(at) else { return };
    if kinds.iter().any(|kind| wanted.contains(kind)) {
        kinds.retain(|kind| wanted.contains(kind));
    }
}

/// In `union_date_set` the set is one of dates: a value named beside a container is of the kind within it.
fn narrow_containers(found: &mut [Kinds], named: &[(usize, Kinds)]) {
    let is_value = |kind: &&'static str| kinds::base(kind) == Some(*kind);
    let [first, second] = named else { return };
    for (value, container) in [(first, second), (second, first)] {
        let bases: Kinds = value.1.iter().copied().filter(is_value).collect();
        let holds = |kind: &&'static str| kinds::base(kind).is_some_and(|base| bases.contains(&base));
        let holds_values = |kind: &&'static str| kind.ends_with("set") || kind.ends_with("span");
        let general = container.1.len() > 2 && container.1.iter().all(holds_values);
        if general && !bases.is_empty() {
            let wanted: Kinds = container.1.iter().copied().filter(holds).collect();
            narrow(found, container.0, &wanted);
        }
    }
}

/// What a header of an optional family is about, where nothing else is said.
fn family_kinds(family: &str) -> &'static [&'static str] {
    match family {
        "CBUFFER" => &["tcbuffer", "cbufferset"],
        "NPOINT" => &["tnpoint", "npointset"],
        "POSE" => &["tpose", "poseset"],
        "RGEO" => &["trgeometry"],
        _ => &[],
    }
}

/// The words of a function's name that stand for types, each for the next parameter that can have that type:
/// `contains_set_text`, `temporal_at_tstzset`.
fn by_name(name: &str, found: &[Kinds]) -> Vec<(usize, Kinds)> {
    let words: Vec<&str> = name.split('_').collect();
    // `tfloat_from_base_temp` makes a tfloat over the time of any temporal value.
    if name.ends_with("_from_base_temp") {
        return Vec::new();
    }
    let mut narrowed = Vec::new();
    let mut used: Vec<usize> = Vec::new();
    for (at, possible) in found.iter().enumerate() {
        let fits = |word: &str| kinds::of_word(word).filter(|kinds| kinds.iter().any(|kind| possible.contains(kind)));
        // Mostly in the order of the parameters; `union_date_span` takes them the other way round.
        let next = used.last().map_or(0, |last| last + 1);
        let order = (next..words.len()).chain(0..next).filter(|word| !used.contains(word));
        let hit = order.into_iter().find_map(|word_at| Some((word_at, fits(words.get(word_at)?)?)));
        if let Some((word_at, kinds)) = hit {
            used.push(word_at);
            narrowed.push((at, kinds));
        }
    }
    narrowed
}

/// What the checks say: `VALIDATE_TFLOAT(temp, ..)`, `ensure_set_isof_type(s, T_INTSET)`,
/// `ensure_tpoint_type(temp->temptype)`, `ensure_valid_tgeo_geo(temp, gs)`.
fn by_checks(definition: Option<&Definition>) -> Vec<(usize, Kinds)> {
    let Some(definition) = definition else { return Vec::new() };
    let position = |word: &String| definition.parameters.iter().position(|parameter| parameter == word);
    let mut narrowed = Vec::new();
    for (check, words) in &definition.checks {
        let mut checked: Vec<usize> = words.iter().filter_map(position).collect();
        checked.dedup();
        let numbered: Kinds = words.iter().filter_map(|word| kinds::of_number(word)).flatten().collect();
        let mut first = |kinds: Option<Kinds>| narrowed.extend(checked.first().copied().zip(kinds));
        if let Some(word) = check.strip_prefix("VALIDATE_") {
            first(kinds::of_word(&word.to_ascii_lowercase()));
        } else if check.ends_with("_isof_type") {
            first(Some(numbered).filter(|kinds| !kinds.is_empty()));
        } else if let Some(pair) = check.strip_prefix("ensure_valid_") {
            let pair: Vec<Option<Kinds>> = pair.split('_').map(kinds::of_word).collect();
            if let (Ok([a, b]), [first, second]) = (<[_; 2]>::try_from(pair), checked.as_slice()) {
                narrowed.extend([Some(*first).zip(a), Some(*second).zip(b)].into_iter().flatten());
            }
        } else if let Some(word) = check.strip_prefix("ensure_").and_then(|rest| rest.strip_suffix("_type_all")) {
            first(kinds::of_word(word));
        } else if let Some(word) = check.strip_prefix("ensure_").and_then(|rest| rest.strip_suffix("_type")) {
            // MEOS' own `tgeo_type` leaves the points out.
            first(if word == "tgeo" { Some(vec!["tgeometry", "tgeography"]) } else { kinds::of_word(word) });
        }
    }
    narrowed
}

/// The combinations of types that go together, in the order of the tables of [`kinds`].
///
/// `alike` pairs parameters of one C type: they are of one SQL type.
pub(super) fn combinations(accepts: &[Kinds], alike: &dyn Fn(usize, usize) -> bool) -> Vec<Vec<&'static str>> {
    let strict = combined(accepts, alike, &together);
    // The rule of thumb is wrong about this function; then everything may go with everything.
    if strict.is_empty() { combined(accepts, &|_, _| false, &|_, _| true) } else { strict }
}

fn combined(
    accepts: &[Kinds],
    alike: &dyn Fn(usize, usize) -> bool,
    together: &dyn Fn(&str, &str) -> bool,
) -> Vec<Vec<&'static str>> {
    let mut found: Vec<Vec<&'static str>> = vec![Vec::new()];
    for (at, kinds) in accepts.iter().enumerate() {
        let goes = |earlier: &[&'static str], kind: &'static str| {
            earlier.iter().enumerate().all(|(before, other)| {
                let open = |at: usize| accepts.get(at).is_some_and(|kinds| kinds.len() > 1);
                // A set beside any temporal value is one of its values; only where a set of times is all there can
                // be, it is one of times.
                let of_times = |a: &str, b: &str| a == "tstzset" && kinds::is_temporal(b);
                match (open(before), open(at)) {
                    (true, true) if alike(before, at) => *other == kind,
                    (true, true) if of_times(other, kind) || of_times(kind, other) => false,
                    (false, false) => true,
                    _ => together(other, kind),
                }
            })
        };
        let longer: Vec<Vec<&'static str>> = found
            .iter()
            .flat_map(|earlier| {
                kinds.iter().filter(|kind| goes(earlier, kind)).map(|kind| [earlier.as_slice(), &[*kind]].concat())
            })
            .collect();
        if longer.is_empty() {
            return Vec::new();
        }
        found = longer;
    }
    found
}

/// Whether two types can be arguments of one call. Times go with everything; values only with values of their kind.
fn together(a: &str, b: &str) -> bool {
    let free = |kind: &str| {
        matches!(kind, "timestamptz" | "date" | "interval" | "boolean" | "text" | "integer" | "float" | "bigint")
    };
    match (kinds::base(a), kinds::base(b)) {
        (Some(a_base), Some(b_base)) => {
            let own = |kind: &str, base: &str| kind == base && free(kind);
            let time = |base: &str| base == "timestamptz";
            let planar = |base: &str| matches!(base, "cbuffer" | "npoint" | "pose" | "rgeometry");
            a_base == b_base
                || own(a, a_base)
                || own(b, b_base)
                || (time(a_base) && kinds::is_temporal(b))
                || (time(b_base) && kinds::is_temporal(a))
                || (a_base == "geometry" && planar(b_base))
                || (b_base == "geometry" && planar(a_base))
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{definition, header};
    use super::*;

    fn accepted(prototype: &str, body: &str, family: &str) -> Vec<Kinds> {
        let header = header::read(&format!("{prototype};"));
        let definitions = definition::read(&format!("{prototype} {{ {body} }}"));
        accepts(&header.functions[0], definitions.first(), family, &Typedefs::default())
    }

    #[test]
    fn checks_and_names_narrow_what_a_c_type_can_hold() {
        let of = |prototype, body| accepted(prototype, body, "CORE");
        assert_eq!(
            of("double size(const Temporal *temp)", "VALIDATE_TPOINT(temp, 0);"),
            [["tgeompoint", "tgeogpoint"]]
        );
        assert_eq!(
            of("bool in_set(const Set *s, int n)", "if (! ensure_set_isof_type(s, T_INTSET)) return 0;"),
            [["intset"], ["integer"]]
        );
        assert_eq!(
            of("Temporal *cut(const Temporal *t, const GSERIALIZED *g)", "ensure_valid_tgeom_geom(t, g);"),
            [vec!["tgeompoint", "tgeometry"], vec!["geometry"]]
        );
        assert_eq!(of("Temporal *tint_over_tstzset(const Temporal *a, const Set *b)", ""), [["tint"], ["tstzset"]]);
        assert_eq!(of("Temporal *temporal_any(const Temporal *a)", "")[0].len(), 12);
    }

    #[test]
    fn a_value_named_beside_a_container_tells_what_is_in_it() {
        let of = |prototype| accepted(prototype, "", "CORE");
        assert_eq!(of("Set *union_date_set(DateADT d, const Set *s)"), [["date"], ["dateset"]]);
        assert_eq!(of("SpanSet *union_float_span(const Span *s, double d)"), [["floatspan"], ["float"]]);
        assert_eq!(of("bool adjacent_span_float(const Span *s, double d)"), [["floatspan"], ["float"]]);
        assert_eq!(of("Temporal *temporal_shift_int(const Temporal *t, int n)")[0].len(), 12);
    }

    #[test]
    fn a_family_s_header_speaks_of_its_own_types() {
        assert_eq!(accepted("int f(const Temporal *a, const Set *b)", "", "NPOINT"), [["tnpoint"], ["npointset"]]);
        assert_eq!(accepted("int f(const Span *a)", "", "NPOINT")[0].len(), 5);
        assert_eq!(accepted("int f(const GSERIALIZED *a)", "", "RGEO"), [["geometry"]]);
    }

    #[test]
    fn values_go_with_values_of_their_kind_and_with_every_time() {
        let none = |_: usize, _: usize| false;
        let numbers = combinations(&[vec!["tint", "tfloat"], vec!["intspan", "floatspan"]], &none);
        assert_eq!(numbers, [["tint", "intspan"], ["tfloat", "floatspan"]]);
        let times = combinations(&[vec!["tint", "tgeompoint"], vec!["tstzspan"], vec!["boolean"]], &none);
        assert_eq!(times.len(), 2);
        let containers = combinations(&[vec!["intspan", "tstzspan"], vec!["intspanset", "tstzspanset"]], &none);
        assert_eq!(containers, [["intspan", "intspanset"], ["tstzspan", "tstzspanset"]]);
        let same = combinations(&[vec!["tint", "tgeompoint"], vec!["tint", "tgeompoint"]], &|_, _| true);
        assert_eq!(same, [["tint", "tint"], ["tgeompoint", "tgeompoint"]]);
        let planar = combinations(&[vec!["tcbuffer"], vec!["geometry", "geography"]], &none);
        assert_eq!(planar, [["tcbuffer", "geometry"]]);
        let odd = combinations(&[vec!["tgeompoint", "tgeogpoint"], vec!["tfloat"]], &none);
        assert_eq!(odd.len(), 2, "a rule that leaves nothing does not hold");
    }
}

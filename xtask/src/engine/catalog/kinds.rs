//! The types of MEOS as SQL names them, and the words that stand for one or several of them.
//!
//! One C type holds many SQL types: a `Temporal *` is a `tint` or a `tgeompoint`. A [`Kinds`] is the list of those a
//! parameter accepts. Words come from the names of functions (`tpoint`), of checks (`VALIDATE_TPOINT`) and of MEOS'
//! own type numbers (`T_TGEOMPOINT`).

use super::ctype::CType;

/// SQL types that one parameter accepts, in the order of the tables below.
pub(super) type Kinds = Vec<&'static str>;

const TEMPORALS: [&str; 12] = [
    "tbool",
    "tint",
    "tfloat",
    "ttext",
    "tgeompoint",
    "tgeogpoint",
    "tgeometry",
    "tgeography",
    "tcbuffer",
    "tnpoint",
    "tpose",
    "trgeometry",
];

const SETS: [&str; 11] = [
    "intset",
    "bigintset",
    "floatset",
    "textset",
    "dateset",
    "tstzset",
    "geomset",
    "geogset",
    "cbufferset",
    "npointset",
    "poseset",
];

const SPANS: [&str; 5] = ["intspan", "bigintspan", "floatspan", "datespan", "tstzspan"];

const SPAN_SETS: [&str; 5] = ["intspanset", "bigintspanset", "floatspanset", "datespanset", "tstzspanset"];

const GEOS: [&str; 2] = ["geometry", "geography"];

/// C types and the SQL types they hold.
const C_TYPES: [(&str, &[&str]); 24] = [
    ("Temporal", &TEMPORALS),
    ("TInstant", &TEMPORALS),
    ("TSequence", &TEMPORALS),
    ("TSequenceSet", &TEMPORALS),
    ("Set", &SETS),
    ("Span", &SPANS),
    ("SpanSet", &SPAN_SETS),
    ("GSERIALIZED", &GEOS),
    ("Cbuffer", &["cbuffer"]),
    ("Npoint", &["npoint"]),
    ("Nsegment", &["nsegment"]),
    ("Pose", &["pose"]),
    ("TBox", &["tbox"]),
    ("STBox", &["stbox"]),
    ("Interval", &["interval"]),
    ("text", &["text"]),
    ("char", &["text"]),
    ("TimestampTz", &["timestamptz"]),
    ("Timestamp", &["timestamp"]),
    ("TimeADT", &["time"]),
    ("DateADT", &["date"]),
    ("bool", &["boolean"]),
    ("double", &["float"]),
    ("float", &["float"]),
];

/// Words for several types, or other words for one.
const WORDS: [(&str, &[&str]); 34] = [
    ("tnumber", &["tint", "tfloat"]),
    ("tpoint", &["tgeompoint", "tgeogpoint"]),
    ("tgeo", &["tgeompoint", "tgeogpoint", "tgeometry", "tgeography"]),
    ("tgeom", &["tgeompoint", "tgeometry"]),
    ("tgeog", &["tgeogpoint", "tgeography"]),
    (
        "tspatial",
        &["tgeompoint", "tgeogpoint", "tgeometry", "tgeography", "tcbuffer", "tnpoint", "tpose", "trgeometry"],
    ),
    ("tnumber_tpoint", &["tint", "tfloat", "tgeompoint", "tgeogpoint"]),
    ("trgeo", &["trgeometry"]),
    ("temporal", &TEMPORALS),
    ("talpha", &["tbool", "ttext"]),
    ("set", &SETS),
    ("span", &SPANS),
    ("spanset", &SPAN_SETS),
    ("numset", &["intset", "bigintset", "floatset"]),
    ("numspan", &["intspan", "bigintspan", "floatspan"]),
    ("numspanset", &["intspanset", "bigintspanset", "floatspanset"]),
    ("geoset", &["geomset", "geogset"]),
    ("spatialset", &["geomset", "geogset", "cbufferset", "npointset", "poseset"]),
    ("geo", &GEOS),
    ("geom", &["geometry"]),
    ("geog", &["geography"]),
    ("point", &GEOS),
    ("geompoint", &["geometry"]),
    ("geogpoint", &["geography"]),
    ("box", &["tbox", "stbox"]),
    ("int", &["integer"]),
    ("bigint", &["bigint"]),
    ("double", &["float"]),
    ("float", &["float"]),
    ("bool", &["boolean"]),
    ("tstz", &["timestamptz"]),
    ("period", &["tstzspan"]),
    ("interv", &["interval"]),
    ("timestamptz", &["timestamptz"]),
];

/// What a parameter of that C type may be, as far as C tells; empty for what has no SQL type.
pub(super) fn of_c_type(written: &CType, canonical: &CType) -> Kinds {
    if let Some((_, kinds)) = C_TYPES.iter().find(|(name, _)| *name == written.name()) {
        return kinds.to_vec();
    }
    match (canonical.base.as_str(), canonical.stars) {
        ("int" | "short" | "signed char" | "unsigned char" | "unsigned short", 0 | 1) => vec!["integer"],
        ("int64_t" | "uint32_t" | "uint64_t" | "size_t" | "long", 0 | 1) => vec!["bigint"],
        _ => Vec::new(),
    }
}

/// The types a lower-case word stands for: a type's own name, or a word for several.
pub(super) fn of_word(word: &str) -> Option<Kinds> {
    if let Some((_, kinds)) = WORDS.iter().find(|(known, _)| *known == word) {
        return Some(kinds.to_vec());
    }
    let own = C_TYPES.iter().flat_map(|(_, kinds)| kinds.iter()).find(|kind| **kind == word);
    if let Some(own) = own {
        return Some(vec![*own]);
    }
    // The subtypes of temporal types: `tintseq`, `tfloatinst`.
    ["inst", "seqset", "seq"]
        .iter()
        .find_map(|subtype| of_word(word.strip_suffix(subtype).filter(|base| base.starts_with('t'))?))
}

/// The types of one of MEOS' type numbers, such as `T_TINT`.
pub(super) fn of_number(name: &str) -> Option<Kinds> {
    let word = name.strip_prefix("T_")?.to_ascii_lowercase();
    match word.as_str() {
        "int4" => Some(vec!["integer"]),
        "int8" => Some(vec!["bigint"]),
        "float8" => Some(vec!["float"]),
        _ => of_word(&word),
    }
}

/// Whether it is a type of values that change over time.
pub(super) fn is_temporal(kind: &str) -> bool {
    TEMPORALS.contains(&kind)
}

/// The type of the values within: `float` for `tfloat`, `floatset` and `floatspan`. Boxes have none.
pub(super) fn base(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "tbool" | "boolean" => "boolean",
        "tint" | "intset" | "intspan" | "intspanset" | "integer" => "integer",
        "bigintset" | "bigintspan" | "bigintspanset" | "bigint" => "bigint",
        "tfloat" | "floatset" | "floatspan" | "floatspanset" | "float" => "float",
        "ttext" | "textset" | "text" => "text",
        "dateset" | "datespan" | "datespanset" | "date" => "date",
        "tstzset" | "tstzspan" | "tstzspanset" | "timestamptz" => "timestamptz",
        "tgeompoint" | "tgeometry" | "geomset" | "geometry" => "geometry",
        "tgeogpoint" | "tgeography" | "geogset" | "geography" => "geography",
        "tcbuffer" | "cbufferset" | "cbuffer" => "cbuffer",
        "tnpoint" | "npointset" | "npoint" | "nsegment" => "npoint",
        "tpose" | "poseset" | "pose" => "pose",
        "trgeometry" => "rgeometry",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_function_names_stand_for_types() {
        assert_eq!(of_word("tfloat"), Some(vec!["tfloat"]));
        assert_eq!(of_word("tpoint"), Some(vec!["tgeompoint", "tgeogpoint"]));
        assert_eq!(of_word("tintseqset"), Some(vec!["tint"]));
        assert_eq!(of_word("length"), None);
        assert_eq!(of_word("seq"), None);
        assert_eq!(of_number("T_INT8"), Some(vec!["bigint"]));
        assert_eq!(of_number("T_TSTZSPAN"), Some(vec!["tstzspan"]));
        assert_eq!(of_number("LINEAR"), None);
    }

    #[test]
    fn every_valued_type_has_a_base() {
        for kind in TEMPORALS.iter().chain(&SETS).chain(&SPANS).chain(&SPAN_SETS).chain(&GEOS) {
            assert!(base(kind).is_some(), "{kind}");
        }
        assert_eq!(base("tbox"), None);
    }

    #[test]
    fn a_c_type_holds_what_it_can_hold() {
        let of = |name: &str, canonical: &str| of_c_type(&CType::plain(name), &CType::plain(canonical));
        assert_eq!(of("Span", "Span").len(), 5);
        assert_eq!(of("DateADT", "int"), ["date"]);
        assert_eq!(of("int32", "int"), ["integer"]);
        assert_eq!(of("SkipList", "struct SkipList"), Vec::<&str>::new());
    }
}

//! What a function's name says about its operands.
//!
//! MEOS names functions by their operand types: `nad_tfloat_tbox`, `tpoint_length`, `adjacent_span_int`,
//! `tgeompoint_to_tnpoint`. A name in, the types each of its words stands for out. Which parameter a word belongs to
//! is decided in [`crate::choose`].

use crate::types::{Base, Kind, TYPES, Type, all, named};

/// The words of a name that speak of operands, and of the result.
pub(crate) struct Words<'a> {
    /// In order.
    pub(crate) operands: Vec<&'a str>,
    /// The word for what comes out, where the name has one.
    pub(crate) result: Option<&'a str>,
}

impl<'a> Words<'a> {
    /// Takes a name apart.
    pub(crate) fn of(name: &'a str) -> Self {
        let split = |text: &'a str| text.split('_').collect::<Vec<_>>();
        if let Some((from, to)) = name.split_once("_to_") {
            return Self { operands: split(from), result: to.split('_').next() };
        }
        if let Some((result, from)) = name.split_once("_from_") {
            return Self { operands: split(from), result: result.split('_').next() };
        }
        let words = split(name);
        let constructs = words.get(1).is_some_and(|word| word.starts_with("make") || *word == "in");
        if constructs {
            return Self { operands: Vec::new(), result: words.first().copied() };
        }
        Self { operands: words, result: None }
    }

    /// The kinds of number, text or time that stand alone in the name: `int` in `adjacent_span_int`.
    pub(crate) fn bases(&self) -> Vec<Base> {
        self.operands.iter().filter_map(|word| base(word)).collect()
    }
}

fn base(word: &str) -> Option<Base> {
    Some(match word {
        "int" => Base::Int,
        "bigint" => Base::BigInt,
        "float" => Base::Float,
        "text" => Base::Text,
        "date" => Base::Date,
        "timestamptz" => Base::TimestampTz,
        _ => return None,
    })
}

/// The types a word stands for, in the order of trying; none when it is not about types.
pub(crate) fn types(word: &str) -> Vec<&'static Type> {
    let list = |names: &[&str]| TYPES.iter().filter(|it| names.contains(&it.name)).collect::<Vec<_>>();
    match word {
        "temporal" => all(Kind::Temporal),
        "tnumber" => list(&["tint", "tfloat"]),
        "tpoint" => list(&["tgeompoint", "tgeogpoint"]),
        "tgeo" => list(&["tgeompoint", "tgeometry", "tgeogpoint", "tgeography"]),
        "tspatial" => all(Kind::Temporal).into_iter().filter(|it| it.is_spatial()).collect(),
        "trgeo" => list(&["trgeometry"]),
        "set" => all(Kind::Set),
        "geoset" => list(&["geomset", "geogset"]),
        "spatialset" => all(Kind::Set).into_iter().filter(|it| it.is_spatial()).collect(),
        "span" => all(Kind::Span),
        "numspan" => list(&["intspan", "floatspan"]),
        "zspan" => list(&["floatspan"]),
        "spanset" => all(Kind::SpanSet),
        "geo" | "point" => list(&["geometry", "geography"]),
        "geom" | "geompoint" | "line" => list(&["geometry"]),
        "geog" | "geogpoint" => list(&["geography"]),
        "tintbox" => list(&["tboxint"]),
        "tfloatbox" => list(&["tboxfloat"]),
        _ => match named(word).or_else(|| named(subtype_removed(word)?)) {
            Some(it) => vec![it],
            None => subtype_removed(word).filter(|rest| *rest != word).map(types).unwrap_or_default(),
        },
    }
}

/// `tpointseqset` without the part that says how the value is laid out in time.
fn subtype_removed(word: &str) -> Option<&str> {
    word.strip_suffix("seqset").or_else(|| word.strip_suffix("seq")).or_else(|| word.strip_suffix("inst"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(word: &str) -> Vec<&'static str> {
        types(word).iter().map(|it| it.name).collect()
    }

    #[test]
    fn a_word_is_a_type_a_family_or_nothing() {
        assert_eq!(names("tfloat"), ["tfloat"]);
        assert_eq!(names("tpoint"), ["tgeompoint", "tgeogpoint"]);
        assert_eq!(names("tpointseqset"), ["tgeompoint", "tgeogpoint"]);
        assert_eq!(names("tboolinst"), ["tbool"]);
        assert_eq!(names("trgeo"), ["trgeometry"]);
        assert_eq!(names("numspan"), ["intspan", "floatspan"]);
        assert!(names("length").is_empty() && names("seq").is_empty() && names("").is_empty());
    }

    #[test]
    fn what_a_name_says_of_the_result_is_not_taken_for_an_operand() {
        let words = Words::of("tgeompoint_to_tnpoint");
        assert_eq!((words.operands, words.result), (vec!["tgeompoint"], Some("tnpoint")));
        let words = Words::of("tfloatseq_from_base_tstzspan");
        assert_eq!((words.operands, words.result), (vec!["base", "tstzspan"], Some("tfloatseq")));
        let words = Words::of("tcbuffer_make");
        assert_eq!((words.operands.len(), words.result), (0, Some("tcbuffer")));
        let words = Words::of("geo_tpose_to_trgeo");
        assert_eq!((words.operands, words.result), (vec!["geo", "tpose"], Some("trgeo")));
        assert_eq!(Words::of("adjacent_span_int").bases(), [Base::Int]);
    }
}

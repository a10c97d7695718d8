//! The words people of the field use, so that a search finds a function: for the types it takes, and for what the
//! library's names abbreviate. Never shown.

use std::collections::BTreeSet;

/// What each type is called in plain words. The unusual families (networks, circles, poses) are found by their own
/// names: who asks for a trajectory means points.
const WORDS: &[(&str, &str)] = &[
    ("tgeompoint", "trajectory moving point track trip path vehicle ship object"),
    ("tgeogpoint", "trajectory moving point track trip path gps coordinates"),
    ("tgeometry", "moving geometry"),
    ("tgeography", "moving geography"),
    ("tbool", "boolean time series"),
    ("tint", "integer time series"),
    ("tfloat", "number time series measurement sensor"),
    ("ttext", "text time series label"),
    ("tcbuffer", "circle buffer"),
    ("tnpoint", "network road route"),
    ("tpose", "pose orientation"),
    ("trgeometry", "rigid body"),
    ("geometry", "geometry polygon area region zone line shape"),
    ("geography", "geography polygon region coordinates"),
    ("stbox", "region window"),
    ("tstzspan", "time period interval window"),
    ("tstzspanset", "time periods"),
    ("tstzset", "timestamps"),
    ("timestamptz", "time instant moment"),
    ("interval", "duration"),
    ("floatspan", "range"),
    ("intspan", "range"),
];

/// What the library's short names stand for: `nad` is in a manual's glossary, not in anybody's question.
const SHORT: &[(&str, &str)] = &[
    ("nad", "nearest approach distance closest minimum"),
    ("nai", "nearest approach instant closest when"),
    ("shortestline", "shortest line closest nearest"),
    ("tdistance", "distance over time"),
    ("dwithin", "within distance near closer meet"),
    ("twavg", "time weighted average mean"),
    ("mfjson", "mf json geojson"),
    ("hexwkb", "hex wkb binary"),
    ("cumulative", "travelled so far odometer"),
    ("twcentroid", "time weighted centroid center"),
    ("simplify", "fewer points compress"),
    ("azimuth", "heading direction bearing course"),
    ("geom", "geometry"),
    ("timestamptz", "timestamp time instant"),
    ("geog", "geography"),
    ("gt", "above greater more exceed"),
    ("tgt", "above greater more exceed when"),
    ("lt", "below less under"),
    ("tlt", "below less under when"),
    ("in", "read parse text"),
    ("add", "sum plus"),
    ("sub", "minus subtract difference"),
    ("mult", "times multiply product"),
    ("div", "divide quotient ratio"),
    ("derivative", "rate change slope"),
];

/// The relationships that come as ever, always and at each moment: `eintersects`, `aintersects`, `tintersects`.
const RELATIONS: &[&str] = &["contains", "covers", "disjoint", "dwithin", "intersects", "touches", "eq", "ne"];

/// What single functions are asked for as, where neither their names nor their types say it: `tgeo_at_geom` is how one
/// learns what a ship did inside a harbour.
const FUNCTIONS: &[(&str, &str)] = &[
    ("tgeo_value_at_timestamptz", "position location where"),
    ("temporal_at_timestamptz", "position location where"),
    ("temporal_at_tstzspan", "restrict clip part during between"),
    ("temporal_minus_tstzspan", "restrict part outside except"),
    ("tgeo_at_geom", "restrict clip part inside enter leave when area"),
    ("tpoint_at_geom", "restrict clip part inside enter leave when area"),
    ("tgeo_minus_geom", "restrict part outside except"),
    ("tpoint_minus_geom", "restrict part outside except"),
    ("tgeo_at_stbox", "restrict clip part inside"),
    ("eintersects_tgeo_geo", "cross enter visit pass"),
    ("tpoint_length", "how far travelled covered metres"),
    ("tpoint_trajectory", "path way route line geometry"),
    ("tpoint_angular_difference", "turn angle turned"),
    ("tgeo_start_value", "first position location origin"),
    ("tgeo_end_value", "last position location destination"),
    ("temporal_duration", "long take took lasted"),
    ("temporal_num_instants", "points positions"),
    ("temporal_start_timestamptz", "begin departure"),
    ("temporal_end_timestamptz", "finish arrival"),
    ("temporal_tsample", "resample sampling every regular"),
    ("temporal_tprecision", "resample aggregate every granularity"),
    ("temporal_frechet_distance", "similarity similar compare"),
    ("temporal_hausdorff_distance", "similarity similar compare"),
    ("temporal_dyntimewarp_distance", "similarity similar compare dtw dynamic time warping"),
    ("temporal_simplify_dp", "douglas peucker"),
    ("temporal_stops", "stopped parked idle standing stationary"),
];

/// What a result is asked for as.
const RESULTS: &[(&str, &str)] = &[("stbox", "bounding box extent bounds"), ("tbox", "bounding box extent bounds")];

/// The words of a function, of the types it takes and of what it gives, sorted, each once.
pub(crate) fn of<'a>(function: &str, types: impl Iterator<Item = &'a str>, result: &str) -> Vec<String> {
    let types: BTreeSet<&str> = types.collect();
    let of_types = WORDS.iter().filter(|(name, _)| types.contains(name)).map(|(_, words)| *words);
    let mut words: BTreeSet<&str> = of_types.flat_map(|words| words.split(' ')).collect();
    // A step of an aggregation is no answer to a question.
    let given =
        RESULTS.iter().find(|(name, _)| *name == result && !function.ends_with("transfn")).map(|(_, words)| *words);
    words.extend(given.into_iter().flat_map(|words| words.split(' ')));
    let own = FUNCTIONS.iter().find(|(name, _)| *name == function).map(|(_, words)| *words);
    words.extend(own.into_iter().flat_map(|words| words.split(' ')));
    for token in function.split('_') {
        let relation =
            RELATIONS.iter().find(|relation| token.len() == relation.len() + 1 && token.ends_with(**relation));
        if let Some(relation) = relation {
            words.insert(relation);
            words.extend(match token.chars().next() {
                Some('e') => ["ever", "any"].as_slice(),
                Some('a') => &["always"],
                _ => &["when", "time"],
            });
        }
        let plain = relation.copied().unwrap_or(token);
        let short = SHORT.iter().find(|(short, _)| *short == plain).map(|(_, words)| *words);
        words.extend(short.into_iter().flat_map(|words| words.split(' ')));
    }
    words.into_iter().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::TYPES;

    #[test]
    fn every_type_with_words_is_a_type() {
        for (name, _) in WORDS {
            assert!(TYPES.iter().any(|known| known.name == *name), "{name}");
        }
    }

    #[test]
    fn words_come_once_and_sorted() {
        assert_eq!(
            of("f", ["tnpoint", "tpose"].into_iter(), "float"),
            ["network", "orientation", "pose", "road", "route"]
        );
        assert!(of("f", ["tint"].into_iter(), "tbox").contains(&"bounding".to_owned()));
        assert!(of("f", ["nsegment"].into_iter(), "float").is_empty());
    }

    #[test]
    fn a_function_has_the_words_it_is_asked_for_with() {
        let words = of("tgeo_at_geom", ["tgeompoint", "geometry"].into_iter(), "tgeompoint");
        assert!(["trajectory", "inside", "enter"].iter().all(|word| words.contains(&(*word).to_owned())), "{words:?}");
    }

    #[test]
    fn a_relationship_says_when_it_holds() {
        let words = of("edwithin_tgeo_tgeo", std::iter::empty(), "bool");
        assert!(["ever", "within", "distance"].iter().all(|word| words.contains(&(*word).to_owned())), "{words:?}");
        assert!(of("tintersects_tgeo_geo", std::iter::empty(), "bool").contains(&"when".to_owned()));
        assert!(of("intersects_x", std::iter::empty(), "bool").is_empty());
    }
}

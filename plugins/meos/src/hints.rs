//! What a parameter takes beyond what its types say: examples that suit the function, and words for parameters whose C
//! type, `const char *` or `int`, says nothing.
//!
//! Facts of MEOS and of the PostGIS and PROJ parts in it; names of functions and parameters in, one short line out.

use crate::types::{Base, Kind, TYPES, Type, named};

/// An example of a type that this parameter of this function takes: some want a third dimension, a line, an SRID.
pub(crate) fn example(function: &str, param: &str, it: &'static Type) -> String {
    if wants_height(function) {
        match it.name {
            "stbox" => return "STBOX ZT(((0,0,0),(3,4,5)),[2000-01-01,2000-01-02])".to_owned(),
            "tgeompoint" => return "[Point Z(0 0 0)@2000-01-01, Point Z(3 4 5)@2000-01-02]".to_owned(),
            "geometry" => return "Point Z(1 1 1)".to_owned(),
            _ => {}
        }
    }
    match (function, param, it.kind) {
        _ if function.contains("_transform") && it.is_spatial() => format!("SRID=4326;{}", it.example),
        (_, _, Kind::STBox) if function.contains("_transform") => format!("SRID=4326;{}", it.example),
        ("trgeoinst_make" | "geo_tpose_to_trgeo", _, Kind::Geo) => "Polygon((0 0,1 0,1 1,0 0))".to_owned(),
        ("geomeas_to_tpoint", ..) => "Linestring M(0 0 946684800,3 4 946771200)".to_owned(),
        (_, _, Kind::Geo) if wants_line(function) && it.base == Base::Geometry && param != "gs2" => {
            "Linestring(0 0,3 4)".to_owned()
        }
        ("tgeometry_to_tgeompoint", ..) => named("tgeompoint").map_or(it.example, |it| it.example).to_owned(),
        ("tgeography_to_tgeogpoint", ..) => named("tgeogpoint").map_or(it.example, |it| it.example).to_owned(),
        ("tfloat_to_tint" | "tgeompoint_to_tgeometry" | "tgeogpoint_to_tgeography", ..) => {
            format!("Interp=Step;{}", it.example)
        }
        (_, "inst" | "instants", Kind::Temporal) | ("temporal_to_tinstant" | "trgeo_to_tinstant", ..) => instant(it),
        (_, "seq", Kind::Temporal) | ("temporal_merge" | "temporal_insert" | "temporal_update", "temp2", _) => {
            later(it.example)
        }
        _ => it.example.to_owned(),
    }
}

fn wants_height(function: &str) -> bool {
    let word =
        |word: &str| matches!(word, "back" | "front" | "overback" | "overfront" | "volume" | "zmin" | "zmax" | "z");
    function.contains("3d") || function.split('_').any(word)
}

fn wants_line(function: &str) -> bool {
    function.starts_with("line_")
        || matches!(function, "geo_stboxes" | "geo_split_n_stboxes" | "geo_split_each_n_stboxes")
}

/// One instant of an example, after its end.
fn instant(it: &Type) -> String {
    let last = it.example.rsplit(", ").next().unwrap_or(it.example);
    later(last.trim_end_matches(']'))
}

/// The same two days later.
fn later(example: &str) -> String {
    example.replace("2000-01-02", "2000-01-04").replace("2000-01-01", "2000-01-03")
}

/// What a parameter takes, where more is known than its C type.
pub(crate) fn hint(function: &str, param: &str) -> Option<String> {
    if let Some(it) = TYPES.iter().find(|it| it.text.contains(&function) && param != "typmod") {
        return Some(format!("`{}`", it.example));
    }
    if let Some(it) = function.strip_suffix("_from_mfjson") {
        return mfjson(it);
    }
    if let Some(known) = hexwkb(function) {
        return Some(known);
    }
    let known = match (function, param) {
        (_, "typmod") => "-1 for no limits",
        (_, "variant") => "4 keeps the SRID, 0 does not",
        (_, "endian") => "`NDR` or `XDR`",
        (_, "patt") => "an intersection matrix such as `T*F**F***`",
        ("geom_buffer", "params") => "such as `quad_segs=8 endcap=round`",
        ("temporal_as_mfjson" | "geo_as_geojson", "srs") => "such as `EPSG:4326`",
        (_, "pipelinestr" | "pipeline") => {
            "a PROJ pipeline or a coordinate operation such as `urn:ogc:def:coordinateOperation:EPSG::16031`"
        }
        ("geo_from_geojson", _) => r#"`{"type":"Point","coordinates":[1,1]}`"#,
        ("geo_from_text", "wkt") => "`Point(1 1)`",
        ("bool_in", _) => "`true` or `false`",
        _ => return None,
    };
    Some(known.to_owned())
}

/// The shortest HexWKB of a kind, or of its simplest type.
fn hexwkb(function: &str) -> Option<String> {
    let known = match function {
        "set_from_hexwkb" => "011200010100000001000000",
        "span_from_hexwkb" => "011300010100000003000000",
        "spanset_from_hexwkb" => "01140001000000010100000003000000",
        "tbox_from_hexwkb" => "01011300010100000003000000",
        "stbox_from_hexwkb" => "01010000000000000000000000000000084000000000000000000000000000001040",
        "temporal_from_hexwkb" => "01230001010000000000000000000000",
        "geom_from_hexewkb" | "geog_from_hexewkb" => "0101000020E6100000000000000000F03F000000000000F03F",
        "pose_from_hexwkb" => "0101000000000000F03F000000000000F03F000000000000E03F",
        _ if function.ends_with("_from_hexwkb") => return Some("what its `_as_hexwkb` function writes".to_owned()),
        _ => return None,
    };
    Some(format!("`{known}`"))
}

/// A short MF-JSON text of a temporal type.
fn mfjson(of: &str) -> Option<String> {
    let (kind, values, interpolation) = match of {
        "tbool" => ("MovingBoolean", r#""values":[true,false]"#, "Step"),
        "tint" => ("MovingInteger", r#""values":[1,2]"#, "Step"),
        "tfloat" => ("MovingFloat", r#""values":[1.5,2.5]"#, "Linear"),
        "ttext" => ("MovingText", r#""values":["A","B"]"#, "Step"),
        "tgeompoint" | "tgeogpoint" => ("MovingPoint", r#""coordinates":[[4.3,50.8],[4.4,50.9]]"#, "Linear"),
        "tgeometry" | "tgeography" => (
            "MovingGeometry",
            r#""values":[{"type":"Point","coordinates":[4.3,50.8]},{"type":"Point","coordinates":[4.4,50.9]}]"#,
            "Step",
        ),
        _ => return None,
    };
    Some(format!(
        r#"`{{"type":"{kind}",{values},"datetimes":["2000-01-01T00:00:00+00","2000-01-02T00:00:00+00"],"lower_inc":true,"upper_inc":true,"interpolation":"{interpolation}"}}`"#
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_shows_what_it_reads_and_a_number_of_no_obvious_meaning_what_it_means() {
        assert_eq!(hint("tfloat_in", "str").as_deref(), Some("`[1.5@2000-01-01, 2.5@2000-01-02]`"));
        assert_eq!(hint("interval_in", "typmod").as_deref(), Some("-1 for no limits"));
        assert!(hint("tint_from_mfjson", "str").unwrap().contains("MovingInteger"));
        assert_eq!(hint("tpoint_length", "temp"), None);
    }
}

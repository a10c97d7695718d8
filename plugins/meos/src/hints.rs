//! What may be given for parameters whose C type, `const char *` or `int`, says nothing.
//!
//! Facts of MEOS and of the PostGIS and PROJ parts in it; names of functions and parameters in, one short line out.

use crate::types::TYPES;

/// What a parameter takes, where more is known than its C type.
pub(crate) fn hint(function: &str, param: &str) -> Option<String> {
    if let Some(it) = TYPES.iter().find(|it| it.text.contains(&function) && param != "typmod") {
        return Some(format!("`{}`", it.example));
    }
    if let Some(it) = function.strip_suffix("_from_mfjson") {
        return mfjson(it);
    }
    if function.ends_with("from_hexwkb") || function.ends_with("from_hexewkb") {
        return Some("hexadecimal digits, as the `_as_hexwkb` or `_as_hexewkb` function writes".to_owned());
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

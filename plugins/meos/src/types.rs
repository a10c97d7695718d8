//! MEOS' own types: their names, the C structs they live in, the functions that read them, the forms of their text
//! and one short example each.
//!
//! One static table; everything else that talks about types (decoders, schemas, signatures, hints) looks here. The
//! order is the order in which a text is tried: narrower readers first, readers that take almost anything last.

/// A family of types that share a C struct.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// `Temporal`, `TInstant`, `TSequence`, `TSequenceSet`.
    Temporal,
    /// `Set`.
    Set,
    /// `Span`.
    Span,
    /// `SpanSet`.
    SpanSet,
    /// `TBox`.
    TBox,
    /// `STBox`.
    STBox,
    /// `GSERIALIZED`.
    Geo,
    /// `Cbuffer`.
    Cbuffer,
    /// `Npoint`.
    Npoint,
    /// `Nsegment`.
    Nsegment,
    /// `Pose`.
    Pose,
    /// `Interval`.
    Interval,
    /// `text`.
    Text,
    /// `TimestampTz`, by value.
    TimestampTz,
    /// `Timestamp`, by value.
    Timestamp,
    /// `DateADT`, by value.
    Date,
    /// `TimeADT`, by value.
    Time,
}

/// What a set, a span or a temporal value is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Base {
    Bool,
    Int,
    BigInt,
    Float,
    Text,
    Date,
    TimestampTz,
    Geometry,
    Geography,
    Cbuffer,
    Npoint,
    Pose,
    /// A rigid geometry: a geometry that moves by poses.
    Rigid,
    /// Not made of anything else.
    None,
}

/// One type.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Type {
    /// As SQL and the manual call it.
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) base: Base,
    /// The functions that read its text, best first: which of them a MEOS release has differs.
    pub(crate) text: &'static [&'static str],
    /// The same for MF-JSON or GeoJSON.
    pub(crate) mfjson: &'static [&'static str],
    /// One short text of it.
    pub(crate) example: &'static str,
}

const fn of(kind: Kind, base: Base, name: &'static str, text: &'static [&'static str], example: &'static str) -> Type {
    Type { name, kind, base, text, mfjson: &[], example }
}

const fn temporal(
    base: Base,
    name: &'static str,
    text: &'static [&'static str],
    mfjson: &'static [&'static str],
    example: &'static str,
) -> Type {
    Type { name, kind: Kind::Temporal, base, text, mfjson, example }
}

/// Every type, in the order of trying.
pub(crate) static TYPES: &[Type] = &[
    temporal(Base::Int, "tint", &["tint_in"], &["tint_from_mfjson"], "[1@2000-01-01, 2@2000-01-02]"),
    temporal(Base::Float, "tfloat", &["tfloat_in"], &["tfloat_from_mfjson"], "[1.5@2000-01-01, 2.5@2000-01-02]"),
    temporal(Base::Bool, "tbool", &["tbool_in"], &["tbool_from_mfjson"], "[t@2000-01-01, f@2000-01-02]"),
    temporal(
        Base::Geometry,
        "tgeompoint",
        &["tgeompoint_in"],
        &["tgeompoint_from_mfjson"],
        "[Point(0 0)@2000-01-01, Point(3 4)@2000-01-02]",
    ),
    temporal(
        Base::Geometry,
        "tgeometry",
        &["tgeometry_in"],
        &["tgeometry_from_mfjson"],
        "[Point(0 0)@2000-01-01, Polygon((0 0,1 0,1 1,0 0))@2000-01-02]",
    ),
    temporal(
        Base::Cbuffer,
        "tcbuffer",
        &["tcbuffer_in"],
        &[],
        "[Cbuffer(Point(0 0),1)@2000-01-01, Cbuffer(Point(3 4),2)@2000-01-02]",
    ),
    temporal(Base::Npoint, "tnpoint", &["tnpoint_in"], &[], "[NPoint(1,0.2)@2000-01-01, NPoint(1,0.8)@2000-01-02]"),
    temporal(
        Base::Pose,
        "tpose",
        &["tpose_in"],
        &[],
        "[Pose(Point(0 0),0.5)@2000-01-01, Pose(Point(3 4),1)@2000-01-02]",
    ),
    temporal(
        Base::Geography,
        "tgeogpoint",
        &["tgeogpoint_in"],
        &["tgeogpoint_from_mfjson"],
        "[Point(4.3 50.8)@2000-01-01, Point(4.4 50.9)@2000-01-02]",
    ),
    temporal(
        Base::Geography,
        "tgeography",
        &["tgeography_in"],
        &["tgeography_from_mfjson"],
        "[Point(4.3 50.8)@2000-01-01, Linestring(4.3 50.8,4.4 50.9)@2000-01-02]",
    ),
    temporal(
        Base::Rigid,
        "trgeometry",
        &["trgeometry_in", "trgeo_in"],
        &[],
        "Polygon((0 0,1 0,1 1,0 0));[Pose(Point(0 0),0)@2000-01-01, Pose(Point(3 4),1)@2000-01-02]",
    ),
    temporal(Base::Text, "ttext", &["ttext_in"], &["ttext_from_mfjson"], "[\"A\"@2000-01-01, \"B\"@2000-01-02]"),
    of(Kind::Set, Base::Int, "intset", &["intset_in"], "{1, 2, 3}"),
    of(Kind::Set, Base::BigInt, "bigintset", &["bigintset_in"], "{1, 2, 3}"),
    of(Kind::Set, Base::Float, "floatset", &["floatset_in"], "{1.5, 2.5}"),
    of(Kind::Set, Base::TimestampTz, "tstzset", &["tstzset_in"], "{2000-01-01 08:00, 2000-01-02 08:00}"),
    of(Kind::Set, Base::Date, "dateset", &["dateset_in"], "{2000-01-01, 2000-01-02}"),
    of(Kind::Set, Base::Geometry, "geomset", &["geomset_in"], "{\"Point(0 0)\", \"Point(3 4)\"}"),
    of(
        Kind::Set,
        Base::Cbuffer,
        "cbufferset",
        &["cbufferset_in"],
        "{\"Cbuffer(Point(0 0),1)\", \"Cbuffer(Point(3 4),2)\"}",
    ),
    of(Kind::Set, Base::Npoint, "npointset", &["npointset_in"], "{\"NPoint(1,0.2)\", \"NPoint(1,0.8)\"}"),
    of(Kind::Set, Base::Pose, "poseset", &["poseset_in"], "{\"Pose(Point(0 0),0.5)\", \"Pose(Point(3 4),1)\"}"),
    of(Kind::Set, Base::Geography, "geogset", &["geogset_in"], "{\"Point(4.3 50.8)\", \"Point(4.4 50.9)\"}"),
    of(Kind::Set, Base::Text, "textset", &["textset_in"], "{\"A\", \"B\"}"),
    of(Kind::Span, Base::Int, "intspan", &["intspan_in"], "[1, 10)"),
    of(Kind::Span, Base::BigInt, "bigintspan", &["bigintspan_in"], "[1, 10)"),
    of(Kind::Span, Base::Float, "floatspan", &["floatspan_in"], "[1.5, 2.5]"),
    of(Kind::Span, Base::TimestampTz, "tstzspan", &["tstzspan_in"], "[2000-01-01 08:00, 2000-01-02 08:00]"),
    of(Kind::Span, Base::Date, "datespan", &["datespan_in"], "[2000-01-01, 2000-01-10)"),
    of(Kind::SpanSet, Base::Int, "intspanset", &["intspanset_in"], "{[1, 3), [5, 9)}"),
    of(Kind::SpanSet, Base::BigInt, "bigintspanset", &["bigintspanset_in"], "{[1, 3), [5, 9)}"),
    of(Kind::SpanSet, Base::Float, "floatspanset", &["floatspanset_in"], "{[1.5, 2.5], [3.5, 4.5]}"),
    of(
        Kind::SpanSet,
        Base::TimestampTz,
        "tstzspanset",
        &["tstzspanset_in"],
        "{[2000-01-01 08:00, 2000-01-02 08:00], [2000-01-03, 2000-01-04]}",
    ),
    of(
        Kind::SpanSet,
        Base::Date,
        "datespanset",
        &["datespanset_in"],
        "{[2000-01-01, 2000-01-03), [2000-01-05, 2000-01-09)}",
    ),
    of(Kind::TBox, Base::Int, "tboxint", &["tbox_in"], "TBOXINT XT([1,5],[2000-01-01,2000-01-02])"),
    of(Kind::TBox, Base::Float, "tboxfloat", &["tbox_in"], "TBOXFLOAT XT([1.5,2.5],[2000-01-01,2000-01-02])"),
    of(Kind::TBox, Base::None, "tbox", &["tbox_in"], "TBOXFLOAT XT([1.5,2.5],[2000-01-01,2000-01-02])"),
    of(Kind::STBox, Base::None, "stbox", &["stbox_in"], "STBOX XT(((0,0),(3,4)),[2000-01-01,2000-01-02])"),
    Type {
        name: "geometry",
        kind: Kind::Geo,
        base: Base::Geometry,
        text: &["geom_in"],
        mfjson: &["geo_from_geojson"],
        example: "Point(1 1)",
    },
    of(Kind::Geo, Base::Geography, "geography", &["geog_in"], "Point(4.35 50.85)"),
    of(Kind::Cbuffer, Base::Cbuffer, "cbuffer", &["cbuffer_in"], "Cbuffer(Point(1 1),2)"),
    of(Kind::Npoint, Base::Npoint, "npoint", &["npoint_in"], "NPoint(1,0.5)"),
    of(Kind::Nsegment, Base::None, "nsegment", &["nsegment_in"], "NSegment(1,0.2,0.8)"),
    of(Kind::Pose, Base::Pose, "pose", &["pose_in"], "Pose(Point(1 1),0.5)"),
    of(Kind::Interval, Base::None, "interval", &["pg_interval_in", "interval_in"], "1 day"),
    of(Kind::Text, Base::Text, "text", &["cstring2text"], "A"),
    of(
        Kind::TimestampTz,
        Base::TimestampTz,
        "timestamptz",
        &["pg_timestamptz_in", "timestamptz_in"],
        "2000-01-01 08:00:00+00",
    ),
    of(Kind::Timestamp, Base::None, "timestamp", &["pg_timestamp_in", "timestamp_in"], "2000-01-01 08:00:00"),
    of(Kind::Date, Base::Date, "date", &["pg_date_in", "date_in"], "2000-01-01"),
    of(Kind::Time, Base::None, "time", &["pg_time_in", "time_in"], "08:00:00"),
];

/// The type of that name.
pub(crate) fn named(name: &str) -> Option<&'static Type> {
    TYPES.iter().find(|it| it.name == name)
}

/// Every type of a kind that stands for itself; boxes of one kind of number are narrower names for `tbox`.
pub(crate) fn all(kind: Kind) -> Vec<&'static Type> {
    TYPES.iter().filter(|it| it.kind == kind && !(kind == Kind::TBox && it.base != Base::None)).collect()
}

impl Type {
    /// Where it stands in the order of trying.
    pub(crate) fn rank(&self) -> usize {
        TYPES.iter().position(|it| it.name == self.name).unwrap_or(TYPES.len())
    }

    /// What callers call it: SQL has one type for boxes of either kind of number.
    pub(crate) fn label(&self) -> &'static str {
        if self.kind == Kind::TBox { "tbox" } else { self.name }
    }

    /// Whether it has a place in space.
    pub(crate) fn is_spatial(&self) -> bool {
        use Base::{Cbuffer, Geography, Geometry, Npoint, Pose, Rigid};
        matches!(self.base, Geometry | Geography | Cbuffer | Npoint | Pose | Rigid)
    }
}

impl Kind {
    /// The kind whose values live in that C struct (or are that C scalar).
    pub(crate) fn of_struct(name: &str) -> Option<Self> {
        Some(match name {
            "Temporal" | "TInstant" | "TSequence" | "TSequenceSet" => Self::Temporal,
            "Set" => Self::Set,
            "Span" => Self::Span,
            "SpanSet" => Self::SpanSet,
            "TBox" => Self::TBox,
            "STBox" => Self::STBox,
            "GSERIALIZED" => Self::Geo,
            "Cbuffer" => Self::Cbuffer,
            "Npoint" => Self::Npoint,
            "Nsegment" => Self::Nsegment,
            "Pose" => Self::Pose,
            "Interval" => Self::Interval,
            "text" => Self::Text,
            _ => return None,
        })
    }

    /// The kind of a C scalar that people write as text.
    pub(crate) fn of_scalar(name: &str) -> Option<Self> {
        Some(match name {
            "TimestampTz" => Self::TimestampTz,
            "Timestamp" => Self::Timestamp,
            "DateADT" => Self::Date,
            "TimeADT" => Self::Time,
            _ => return None,
        })
    }

    /// The function that reads HexWKB of any type of this kind: HexWKB says what it is.
    pub(crate) fn hexwkb(self) -> Option<&'static str> {
        Some(match self {
            Self::Temporal => "temporal_from_hexwkb",
            Self::Set => "set_from_hexwkb",
            Self::Span => "span_from_hexwkb",
            Self::SpanSet => "spanset_from_hexwkb",
            Self::TBox => "tbox_from_hexwkb",
            Self::STBox => "stbox_from_hexwkb",
            Self::Cbuffer => "cbuffer_from_hexwkb",
            Self::Npoint => "npoint_from_hexwkb",
            Self::Pose => "pose_from_hexwkb",
            _ => return None,
        })
    }

    /// The functions that write any type of this kind, best first.
    pub(crate) fn writers(self) -> &'static [&'static str] {
        match self {
            Self::Temporal => &["temporal_out"],
            Self::Set => &["set_out"],
            Self::Span => &["span_out"],
            Self::SpanSet => &["spanset_out"],
            Self::TBox => &["tbox_out"],
            Self::STBox => &["stbox_out"],
            Self::Geo => &["geo_as_ewkt", "geo_out"],
            Self::Cbuffer => &["cbuffer_as_ewkt", "cbuffer_out"],
            Self::Npoint => &["npoint_out"],
            Self::Nsegment => &["nsegment_out"],
            Self::Pose => &["pose_as_ewkt", "pose_out"],
            Self::Interval => &["pg_interval_out", "interval_out"],
            Self::Text => &["text2cstring"],
            Self::TimestampTz => &["pg_timestamptz_out", "timestamptz_out"],
            Self::Timestamp => &["pg_timestamp_out", "timestamp_out"],
            Self::Date => &["pg_date_out", "date_out"],
            Self::Time => &["pg_time_out", "time_out"],
        }
    }

    /// What to call a value of which only the kind is known.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Temporal => "temporal",
            Self::Set => "set",
            Self::Span => "span",
            Self::SpanSet => "spanset",
            Self::TBox => "tbox",
            Self::STBox => "stbox",
            Self::Geo => "geometry",
            Self::Cbuffer => "cbuffer",
            Self::Npoint => "npoint",
            Self::Nsegment => "nsegment",
            Self::Pose => "pose",
            Self::Interval => "interval",
            Self::Text => "text",
            Self::TimestampTz => "timestamptz",
            Self::Timestamp => "timestamp",
            Self::Date => "date",
            Self::Time => "time",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_has_one_name_and_an_example_and_a_reader() {
        for (index, it) in TYPES.iter().enumerate() {
            assert_eq!(it.rank(), index, "{} twice", it.name);
            assert!(!it.example.is_empty() && !it.text.is_empty(), "{}", it.name);
            assert!(!it.kind.writers().is_empty());
        }
    }

    #[test]
    fn a_text_that_is_an_integer_is_tried_as_one_before_it_is_tried_as_anything_else() {
        let order: Vec<&str> = all(Kind::Temporal).iter().map(|it| it.name).collect();
        assert_eq!(order.first(), Some(&"tint"));
        // `1` is a truth value to MEOS, and almost anything is a text.
        assert!(order.iter().position(|it| *it == "tbool") > order.iter().position(|it| *it == "tfloat"));
        assert_eq!(order.last(), Some(&"ttext"));
    }

    #[test]
    fn a_moment_is_not_cut_to_its_day_by_being_tried_as_a_date_first() {
        assert!(named("tstzset").unwrap().rank() < named("dateset").unwrap().rank());
        assert!(named("tstzspan").unwrap().rank() < named("datespan").unwrap().rank());
    }
}

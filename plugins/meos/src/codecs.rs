//! The catalog's own functions as codecs: which of the readers and writers a MEOS release has, and the constants that
//! follow their first parameter.
//!
//! A name is only ever used when the catalog lists the function with a signature that fits; so a call-spec never names
//! what the release lacks.

use crate::ctype::{CType, Enums, Value};
use crate::function::{Function, Param};
use crate::types::{Kind, Type, named};
use abi_mcp_meos_call::{Argument, Codec, Constant, Scalar};
use std::collections::BTreeMap;

/// Decimal digits written: what a double holds without inventing any.
const DIGITS: i64 = 15;

/// Extended WKB: the form that keeps the SRID.
const WKB_EXTENDED: i64 = 4;

/// What a catalog can read and write.
pub(crate) struct Codecs<'a> {
    by_name: BTreeMap<&'a str, &'a Function>,
    enums: &'a Enums,
}

impl<'a> Codecs<'a> {
    /// Of the functions of a catalog, internal ones too.
    pub(crate) fn new(functions: impl Iterator<Item = &'a Function>, enums: &'a Enums) -> Self {
        Self { by_name: functions.map(|function| (function.name.as_str(), function)).collect(), enums }
    }

    /// What reads the text of a type.
    pub(crate) fn text(&self, it: &Type) -> Option<Codec> {
        let codec = self.reader(it.text)?;
        // Any text is a text, one that looks like a SQL literal too.
        let literal = (it.kind != Kind::Text).then(|| it.label().to_owned());
        Some(Codec { literal, ..codec })
    }

    /// What reads its JSON form.
    pub(crate) fn mfjson(&self, it: &Type) -> Option<Codec> {
        self.reader(it.mfjson)
    }

    /// What reads its HexWKB.
    pub(crate) fn hexwkb(&self, kind: Kind) -> Option<Codec> {
        self.reader(&[kind.hexwkb()?])
    }

    /// What writes any value of a kind.
    pub(crate) fn writer(&self, kind: Kind) -> Option<Codec> {
        self.first(kind.writers(), |function, this| {
            let takes = function.params.first().map(|param| this.ctype(param));
            takes == Some(CType::Value(Value::Coded(kind))) && this.returns_text(function)
        })
    }

    /// What writes values with a place in space with that place readable and its SRID.
    pub(crate) fn spatial_writer(&self, kind: Kind) -> Option<Codec> {
        let name = match kind {
            Kind::Temporal => "tspatial_as_ewkt",
            Kind::Set => "spatialset_as_ewkt",
            _ => return None,
        };
        self.first(&[name], |function, this| this.returns_text(function))
    }

    /// What writes temporal rigid geometries: their text where it can be read again, HexWKB where as text the result
    /// would be a dead end. MEOS itself has no reader; an engine may bring one.
    pub(crate) fn rigid_writer(&self) -> Option<Codec> {
        let readable = named("trgeometry").is_some_and(|it| self.text(it).is_some());
        let names: &[&str] = if readable { &["trgeo_out", "temporal_as_hexwkb"] } else { &["temporal_as_hexwkb"] };
        self.first(names, |function, this| this.returns_text(function))
    }

    fn reader(&self, names: &[&str]) -> Option<Codec> {
        self.first(names, |function, this| {
            function.params.first().map(|param| this.ctype(param)) == Some(CType::Value(Value::Scalar(Scalar::Cstring)))
        })
    }

    fn first(&self, names: &[&str], fits: impl Fn(&Function, &Self) -> bool) -> Option<Codec> {
        names.iter().find_map(|name| {
            let function = *self.by_name.get(name)?;
            if !fits(function, self) {
                return None;
            }
            let then = function.params.iter().skip(1).map(|param| self.constant(param)).collect::<Option<_>>()?;
            Some(Codec { function: function.name.clone(), literal: None, then })
        })
    }

    fn ctype(&self, param: &Param) -> CType {
        CType::read(&param.c, param.canonical.as_deref(), self.enums)
    }

    fn returns_text(&self, function: &Function) -> bool {
        let returned = CType::read(&function.return_type.c, function.return_type.canonical.as_deref(), self.enums);
        returned == CType::Value(Value::Scalar(Scalar::Cstring))
    }

    /// What every call passes for a further parameter of a codec.
    fn constant(&self, param: &Param) -> Option<Argument> {
        Some(match self.ctype(param) {
            CType::Value(Value::Scalar(scalar)) => Argument::Fixed(match scalar {
                Scalar::Bool => Constant::Bool(false),
                Scalar::Double => Constant::Number(0.0),
                Scalar::Cstring => Constant::Null,
                _ => Constant::Integer(integer(&param.name)),
            }),
            CType::Pointer(inner, false) if matches!(*inner, CType::Value(Value::Scalar(_))) => Argument::Ignored,
            _ => return None,
        })
    }
}

fn integer(name: &str) -> i64 {
    match name {
        "maxdd" | "precision" | "maxdecimaldigits" => DIGITS,
        // MEOS refuses 0: it would be an interval of no fields, a geometry of no kind.
        "typmod" => -1,
        "variant" => WKB_EXTENDED,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::named;
    use abi_mcp_sdk::serde_json::json;

    fn function(returns: &str, name: &str, params: &[(&str, &str)]) -> Function {
        let params: Vec<_> = params.iter().map(|(c, name)| json!({ "name": name, "cType": c })).collect();
        Function::read(&json!({ "name": name, "returnType": { "c": returns }, "params": params })).unwrap()
    }

    #[test]
    fn a_codec_is_a_function_the_catalog_has_with_a_signature_that_fits() {
        let functions = [
            function("Interval *", "interval_in", &[("const char *", "str"), ("int32", "typmod")]),
            function("Set *", "intset_in", &[("int", "i")]),
            function("char *", "temporal_out", &[("const Temporal *", "temp"), ("int", "maxdd")]),
        ];
        let enums = Enums::new();
        let codecs = Codecs::new(functions.iter(), &enums);

        let interval = codecs.text(named("interval").unwrap()).unwrap();
        assert_eq!((interval.function.as_str(), interval.literal.as_deref()), ("interval_in", Some("interval")));
        assert_eq!(interval.then, [Argument::Fixed(Constant::Integer(-1))]);
        assert_eq!(codecs.text(named("intset").unwrap()), None);
        assert_eq!(codecs.text(named("tfloat").unwrap()), None);
        let writer = codecs.writer(Kind::Temporal).unwrap();
        assert_eq!(writer.then, [Argument::Fixed(Constant::Integer(15))]);
    }

    #[test]
    fn rigid_geometries_are_written_as_what_can_be_read_again() {
        let hex: &[(&str, &str)] = &[("const Temporal *", "temp"), ("uint8_t", "variant"), ("size_t *", "size_out")];
        let mut functions = vec![
            function("char *", "temporal_as_hexwkb", hex),
            function("char *", "trgeo_out", &[("const Temporal *", "temp")]),
        ];
        let enums = Enums::new();
        let written = Codecs::new(functions.iter(), &enums).rigid_writer().unwrap();
        assert_eq!(written.function, "temporal_as_hexwkb");
        assert_eq!(written.then, [Argument::Fixed(Constant::Integer(4)), Argument::Ignored]);
        functions.push(function("Temporal *", "trgeometry_in", &[("const char *", "str")]));
        assert_eq!(Codecs::new(functions.iter(), &enums).rigid_writer().unwrap().function, "trgeo_out");
    }
}

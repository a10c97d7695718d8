//! C types as a call sees them: what goes through JSON directly, what goes through text, what goes nowhere.
//!
//! A spelling of the catalog in, a [`CType`] out. Which role a parameter plays is [`crate::shape`]'s business.

use crate::text::CNames;
use crate::types::Kind;
use abi_mcp_meos_call::Scalar;
use std::collections::BTreeMap;

/// The members of each enumeration of the catalog.
pub(crate) type Enums = BTreeMap<String, Vec<(String, i64)>>;

/// One value of C.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    /// JSON as it is.
    Scalar(Scalar),
    /// The enumeration of that name.
    Enum(String),
    /// Text, read and written by functions of MEOS: a pointer to a struct, or a scalar such as `TimestampTz`.
    Coded(Kind),
}

/// A C type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CType {
    Void,
    Value(Value),
    /// A pointer to it, and whether what it points to is only read.
    Pointer(Box<CType>, bool),
    /// Anything else, under its name.
    Unknown(String),
}

/// `GSERIALIZED ***space_bins` is the deepest in MEOS.
const MOST_STARS: usize = 3;

impl CType {
    /// Reads a spelling; where a typedef is not known, what it stands for is tried.
    pub(crate) fn read(written: &str, canonical: Option<&str>, enums: &Enums) -> Self {
        let read = Self::of(written, enums);
        match (read.is_unknown(), canonical) {
            (true, Some(canonical)) => match Self::of(canonical, enums) {
                again if again.is_unknown() => read,
                known => known,
            },
            _ => read,
        }
    }

    fn of(spelling: &str, enums: &Enums) -> Self {
        let names = CNames::of(spelling);
        let name = names.joined();
        if names.compound || names.depth > MOST_STARS {
            return Self::Unknown(spelling.to_owned());
        }
        let (inner, taken) = match (name.as_str(), names.depth) {
            ("void", 0) => (Self::Void, 0),
            ("char", 1..) => (Self::Value(Value::Scalar(Scalar::Cstring)), 1),
            (name, depth) => match (scalar(name), Kind::of_scalar(name), Kind::of_struct(name)) {
                (Some(scalar), ..) => (Self::Value(Value::Scalar(scalar)), 0),
                (_, Some(kind), _) => (Self::Value(Value::Coded(kind)), 0),
                (.., Some(kind)) if depth > 0 => (Self::Value(Value::Coded(kind)), 1),
                _ if is_callable_enum(name, enums) => (Self::Value(Value::Enum(name.to_owned())), 0),
                _ => (Self::Unknown(name.to_owned()), 0),
            },
        };
        (taken..names.depth).fold(inner, |inner, _| Self::Pointer(Box::new(inner), names.constant))
    }

    /// The name of what cannot be called with, at any depth.
    pub(crate) fn unknown(&self) -> Option<&str> {
        match self {
            Self::Unknown(name) => Some(name),
            Self::Pointer(inner, _) => inner.unknown(),
            _ => None,
        }
    }

    fn is_unknown(&self) -> bool {
        self.unknown().is_some()
    }
}

/// The C integer and floating-point types, by their names on the machines MEOS is written for.
fn scalar(name: &str) -> Option<Scalar> {
    Some(match name {
        "bool" | "_Bool" => Scalar::Bool,
        "int8_t" | "int8s" | "signed char" => Scalar::Int8,
        "int16_t" | "int16" | "short" => Scalar::Int16,
        "int" | "int32" | "int32_t" | "signed int" => Scalar::Int32,
        "int64" | "int64_t" | "long" | "long int" | "long long" | "long long int" => Scalar::Int64,
        "uint8" | "uint8_t" | "unsigned char" => Scalar::Uint8,
        "uint16" | "uint16_t" | "unsigned short" => Scalar::Uint16,
        "uint32" | "uint32_t" | "unsigned int" | "unsigned" => Scalar::Uint32,
        "uint64" | "uint64_t" | "unsigned long" | "unsigned long int" | "unsigned long long" | "size_t" => {
            Scalar::Uint64
        }
        "double" | "float8" => Scalar::Double,
        _ => return None,
    })
}

/// Enumerations a caller can mean something by. The library's numbers for its own types are none: which of them a
/// function takes shows nowhere, and a wrong one is read as another struct.
fn is_callable_enum(name: &str, enums: &Enums) -> bool {
    !name.eq_ignore_ascii_case("meostype") && enums.get(name).is_some_and(|members| !members.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(written: &str, canonical: &str) -> CType {
        let enums = Enums::from([
            ("interpType".to_owned(), vec![("STEP".to_owned(), 2)]),
            ("meosType".to_owned(), vec![("T_BOOL".to_owned(), 1)]),
        ]);
        CType::read(written, Some(canonical), &enums)
    }

    #[test]
    fn b03_a_width_is_the_same_however_it_is_spelled() {
        let hash = CType::Value(Value::Scalar(Scalar::Uint32));
        assert_eq!(read("uint32_t", "unsigned int"), hash);
        assert_eq!(read("uint32_t", "uint32_t"), hash);
        assert_eq!(read("hash_t", "unsigned int"), hash);
    }

    #[test]
    fn structs_are_coded_behind_one_pointer_and_scalars_of_time_by_value() {
        let temporal = CType::Value(Value::Coded(Kind::Temporal));
        assert_eq!(read("const Temporal *", "const struct Temporal *"), temporal);
        assert_eq!(read("const struct Temporal **", ""), CType::Pointer(Box::new(temporal), true));
        assert_eq!(read("TimestampTz", "long"), CType::Value(Value::Coded(Kind::TimestampTz)));
        let slot = CType::Pointer(Box::new(CType::Value(Value::Scalar(Scalar::Double))), false);
        assert_eq!(read("double *", "double *"), slot);
    }

    #[test]
    fn b14_what_has_no_form_outside_the_library_keeps_its_name() {
        assert_eq!(read("Datum", "Datum").unknown(), Some("Datum"));
        assert_eq!(read("meosType", "meosType").unknown(), Some("meosType"));
        assert_eq!(read("Temporal", "Temporal").unknown(), Some("Temporal"));
        assert_eq!(read("int ****", "int ****").unknown(), Some("int ****"));
        assert_eq!(read("datum_func3", "Datum (*)(Datum, Datum)").unknown(), Some("datum_func3"));
        assert_eq!(read("interpType", "enum interpType"), CType::Value(Value::Enum("interpType".to_owned())));
    }
}

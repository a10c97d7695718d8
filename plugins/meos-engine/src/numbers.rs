//! Between JSON scalars and the 64 bits of a slot: every digit kept, nothing out of range let through.

use crate::machine::Slot;
use crate::signature::{Base, Kind};
use abi_mcp_meos_call::Scalar;
use serde_json::{Number, Value, json};

/// The size of a scalar in a C array, in bytes.
pub(crate) const fn width(scalar: Scalar) -> u32 {
    match scalar {
        Scalar::Bool | Scalar::Int8 | Scalar::Uint8 => 1,
        Scalar::Int16 | Scalar::Uint16 => 2,
        Scalar::Int32 | Scalar::Uint32 | Scalar::Cstring => 4,
        Scalar::Int64 | Scalar::Uint64 | Scalar::Double => 8,
    }
}

/// The smallest and the largest value of an integer scalar, and the C name for messages.
const fn range(scalar: Scalar) -> Option<(i128, i128, &'static str)> {
    Some(match scalar {
        Scalar::Int8 => (i8::MIN as i128, i8::MAX as i128, "int8"),
        Scalar::Int16 => (i16::MIN as i128, i16::MAX as i128, "int16"),
        Scalar::Int32 => (i32::MIN as i128, i32::MAX as i128, "int32"),
        Scalar::Int64 => (i64::MIN as i128, i64::MAX as i128, "int64"),
        Scalar::Uint8 => (0, u8::MAX as i128, "uint8"),
        Scalar::Uint16 => (0, u16::MAX as i128, "uint16"),
        Scalar::Uint32 => (0, u32::MAX as i128, "uint32"),
        Scalar::Uint64 => (0, u64::MAX as i128, "uint64"),
        Scalar::Bool | Scalar::Double | Scalar::Cstring => return None,
    })
}

/// Whether a C type can carry the scalar without loss.
pub(crate) fn fits(scalar: Scalar, kind: &Kind) -> bool {
    if kind.stars > 0 {
        return false;
    }
    match (scalar, &kind.base) {
        (Scalar::Bool, Base::Bool) | (Scalar::Double, Base::Double) | (Scalar::Cstring, Base::Text) => true,
        // A C `bool` read as an `int` and the other way round are one declaration style apart.
        (Scalar::Bool, Base::Integer { .. }) => true,
        (_, Base::Integer { bytes, .. }) => range(scalar).is_some() && width(scalar) <= *bytes,
        _ => false,
    }
}

/// Reads a JSON value as a scalar that is no string.
///
/// # Errors
///
/// One line that says what was expected.
pub(crate) fn slot(scalar: Scalar, value: &Value) -> Result<Slot, String> {
    match scalar {
        Scalar::Bool => match value {
            Value::Bool(truth) => Ok(u64::from(*truth)),
            other => Err(format!("expected true or false, found {}", shown(other))),
        },
        Scalar::Double => double(value).map(f64::to_bits),
        Scalar::Cstring => Err("a string has no number".to_owned()),
        _ => integer(scalar, value),
    }
}

fn integer(scalar: Scalar, value: &Value) -> Result<Slot, String> {
    let Some((least, most, name)) = range(scalar) else { return Err("not an integer type".to_owned()) };
    let text = match value {
        Value::Number(number) => number.to_string(),
        // A 64-bit integer may come as a string: many clients' numbers lose digits beyond 2^53.
        Value::String(text) if width(scalar) == 8 => text.trim().to_owned(),
        other => return Err(format!("expected an integer, found {}", shown(other))),
    };
    let number = whole(&text).ok_or_else(|| format!("expected an integer, found {text}"))?;
    if number < least || number > most {
        return Err(format!("{text} is outside {name}, which goes from {least} to {most}"));
    }
    // Two's complement: the same 64 bits for both signs.
    let bytes = number.to_le_bytes();
    Ok(crate::machine::little_endian(bytes.get(..8).unwrap_or_default()))
}

/// The whole number a JSON number's text stands for: `12`, `1.0`, `1e3`.
fn whole(text: &str) -> Option<i128> {
    if let Ok(number) = text.parse() {
        return Some(number);
    }
    let number: f64 = text.parse().ok()?;
    // Up to 2^53 a double holds every whole number, so nothing was rounded.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    #[expect(clippy::cast_possible_truncation, reason = "whole and small, both checked")]
    (number.fract() == 0.0 && number.abs() <= EXACT).then_some(number as i128)
}

fn double(value: &Value) -> Result<f64, String> {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => match text.as_str() {
            "NaN" => Some(f64::NAN),
            "Infinity" => Some(f64::INFINITY),
            "-Infinity" => Some(f64::NEG_INFINITY),
            _ => None,
        },
        _ => None,
    };
    let is_number = value.is_number();
    match number {
        Some(number) if number.is_finite() || !is_number => Ok(number),
        _ if is_number => Err(format!("{value} is outside double")),
        _ => Err(format!("expected a number, \"NaN\", \"Infinity\" or \"-Infinity\", found {}", shown(value))),
    }
}

/// A returned scalar that is no string, as JSON. A double JSON cannot write becomes the string `NaN`, `Infinity` or
/// `-Infinity`.
pub(crate) fn json(scalar: Scalar, slot: Slot) -> Value {
    let low = |bytes: u32| -> (i64, u64) {
        let shift = 64 - 8 * bytes;
        let unsigned = slot << shift;
        (unsigned.cast_signed() >> shift, unsigned >> shift)
    };
    let (signed, unsigned) = low(width(scalar));
    match scalar {
        Scalar::Bool => json!(unsigned != 0),
        Scalar::Int8 | Scalar::Int16 | Scalar::Int32 | Scalar::Int64 => json!(signed),
        Scalar::Uint8 | Scalar::Uint16 | Scalar::Uint32 | Scalar::Uint64 => json!(unsigned),
        Scalar::Double => double_json(f64::from_bits(slot)),
        Scalar::Cstring => Value::Null,
    }
}

fn double_json(number: f64) -> Value {
    match Number::from_f64(number) {
        Some(number) => Value::Number(number),
        None if number.is_nan() => json!("NaN"),
        None if number > 0.0 => json!("Infinity"),
        None => json!("-Infinity"),
    }
}

/// A value for a message: short, and never a whole document.
pub(crate) fn shown(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Array(list) => format!("a list of {}", list.len()),
        Value::Object(_) => "an object".to_owned(),
        Value::String(text) if text.chars().count() > 40 => {
            format!("\"{}…\"", text.chars().take(40).collect::<String>())
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_keep_every_digit_and_their_range() {
        let max = Value::Number(Number::from(i64::MAX));
        assert_eq!(slot(Scalar::Int64, &max), Ok(i64::MAX.cast_unsigned()));
        assert_eq!(slot(Scalar::Int64, &json!("-9223372036854775808")), Ok(i64::MIN.cast_unsigned()));
        assert_eq!(slot(Scalar::Int32, &json!(-1)), Ok(u64::MAX));
        assert_eq!(slot(Scalar::Int32, &json!(3.0)), Ok(3));
        let text = slot(Scalar::Int32, &json!(2_147_483_648_u32)).unwrap_err();
        assert_eq!(text, "2147483648 is outside int32, which goes from -2147483648 to 2147483647");
        assert!(slot(Scalar::Uint8, &json!(-1)).is_err());
        assert!(slot(Scalar::Int32, &json!(1.5)).is_err());
        assert!(slot(Scalar::Int32, &json!("5")).is_err());
    }

    #[test]
    fn only_the_low_bytes_of_a_returned_register_count() {
        assert_eq!(json(Scalar::Bool, 1_811_412_480), json!(false));
        assert_eq!(json(Scalar::Bool, 0xff01), json!(true));
        assert_eq!(json(Scalar::Int32, 0xffff_fffd), json!(-3));
        assert_eq!(json(Scalar::Uint64, u64::MAX).to_string(), "18446744073709551615");
    }

    #[test]
    fn doubles_json_has_no_number_for_are_named() {
        for (number, expected) in [(f64::NAN, "NaN"), (f64::INFINITY, "Infinity"), (f64::NEG_INFINITY, "-Infinity")] {
            assert_eq!(json(Scalar::Double, number.to_bits()), json!(expected));
        }
        assert_eq!(slot(Scalar::Double, &json!("-Infinity")), Ok(f64::NEG_INFINITY.to_bits()));
        assert!(slot(Scalar::Double, &json!("1.5")).is_err());
        assert_eq!(json(Scalar::Double, 2f64.sqrt().to_bits()).to_string(), "1.4142135623730951");
    }
}

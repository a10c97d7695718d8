//! How one MEOS function is called: written by the mapper (`plugins/meos`), run by the engine (`plugins/meos-engine`).
//!
//! A [`Call`] is everything a call needs besides the caller's JSON arguments: one [`Argument`] for each C parameter in
//! C order, the codecs that read serialized values, and what becomes of the result. It knows no JSON Schema and no
//! MCP. Travels as the JSON bytes of a call-spec of format [`FORMAT`].

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// The call-spec's format, as a mapper states it and an engine accepts it.
pub const FORMAT: &str = "meos-call/1";

/// One function and how to call it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// The C function.
    pub function: String,
    /// One for each C parameter, in C order.
    pub arguments: Vec<Argument>,
    /// Where the result is found and how it is written.
    pub result: Outcome,
}

/// What stands in for one C parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Argument {
    /// Read from the caller's arguments.
    Given {
        /// The property of the arguments object.
        name: String,
        /// May be absent or `null`; the function then gets a null pointer (or zero for a scalar).
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        optional: bool,
        /// How it is read.
        value: Input,
    },
    /// The number of elements of the array argument of that name.
    Count(String),
    /// Where the function writes its result: one slot, whose address is passed. At most one a call.
    Output,
    /// Where the function writes the number of elements of its result. At most one a call.
    OutputCount,
    /// An address the function writes to and nobody reads, such as the size of a string that ends in zero anyway.
    Ignored,
    /// The same value in every call.
    Fixed(Constant),
}

/// A value of a C parameter that no caller chooses.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Constant {
    /// A null pointer.
    Null,
    /// For a C `bool`.
    Bool(bool),
    /// For any C integer type.
    Integer(i64),
    /// For `double`.
    Number(f64),
    /// For `const char *`.
    Text(String),
}

// By hand: derived for untagged variants it cannot read `1.5` where numbers keep every digit (`arbitrary_precision`).
impl<'de> Deserialize<'de> for Constant {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::Null => Ok(Self::Null),
            Value::Bool(flag) => Ok(Self::Bool(flag)),
            Value::String(text) => Ok(Self::Text(text)),
            Value::Number(number) => number
                .as_i64()
                .map(Self::Integer)
                .or_else(|| number.as_f64().map(Self::Number))
                .ok_or_else(|| D::Error::custom(format!("the constant `{number}` fits no C type"))),
            Value::Array(_) | Value::Object(_) => Err(D::Error::custom("a constant is a single value")),
        }
    }
}

/// How a JSON value becomes a C value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Input {
    /// Passed as it is.
    Scalar(Scalar),
    /// The name of a member; passed as its number, a C `int`.
    Enum(Vec<(String, i64)>),
    /// A string, read by one of the codecs.
    Decoded(Decoder),
    /// A list, passed as a C array of the element's C type.
    Array(Box<Input>),
    /// A list, passed as one block of C structs in a row (`const Span *`), where [`Input::Array`] passes pointers.
    Structs {
        /// The struct, for example `Span`; the engine knows its size.
        of: String,
        /// How each element is read, to a pointer whose struct is then copied into the block.
        element: Decoder,
    },
}

/// A C type a JSON value fits directly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scalar {
    /// `bool`, one byte: only the low byte of a returned register counts.
    Bool,
    /// `int8_t`.
    Int8,
    /// `int16_t`.
    Int16,
    /// `int32_t`, `int`, `DateADT`.
    Int32,
    /// `int64_t`, `TimestampTz`, `long` on the machines MEOS is written for.
    Int64,
    /// `uint8_t`.
    Uint8,
    /// `uint16_t`.
    Uint16,
    /// `uint32_t`.
    Uint32,
    /// `uint64_t`, `size_t` on the machines MEOS is written for.
    Uint64,
    /// `double`.
    Double,
    /// `const char *`, UTF-8 ending in zero.
    Cstring,
}

/// The codecs that may read one serialized value, by the form the value is in.
///
/// The engine looks at the value: it begins with `{` and ends in `}` and parses as a JSON object with a `type` or
/// `period`-like member: MF-JSON or GeoJSON; only hexadecimal digits, an even number, beginning with `00` or `01`:
/// HexWKB; anything else is text. A form without codecs falls through to text. Within a form the codecs are tried
/// in order until one succeeds.
///
/// A text in the form of a SQL literal, `tgeogpoint '[Point(0 0)@2000-01-01]'`, is the exception: what is between the
/// quotes is read, and only by the codecs whose [`Codec::literal`] is that name; `''` stands for one quote. Where no codec
/// has that name the text is read as it stands.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Decoder {
    /// The type for messages, for example `tfloat` or `Temporal`.
    #[serde(rename = "type")]
    pub type_name: String,
    /// Arguments of one group are read by the codec at the same position: `1@2000-01-01` beside `1.5@2000-01-01` is
    /// a tfloat and not a tint. The first position at which all of the group succeed wins. Lists of one group are
    /// equally long. The elements of one array agree in the same way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<u8>,
    /// For text, WKT included.
    pub text: Vec<Codec>,
    /// For MF-JSON or GeoJSON.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mfjson: Vec<Codec>,
    /// For HexWKB.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hexwkb: Vec<Codec>,
}

/// A MEOS function from or to a string, and the constants that follow its first parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Codec {
    /// The C function: `T f(const char *, ..)` to read, `char *f(T, ..)` to write. `T` may be a pointer or a scalar
    /// such as `TimestampTz`.
    pub function: String,
    /// The type this reads, where a caller may name it to leave no doubt; see [`Decoder`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub literal: Option<String>,
    /// What follows. A reader's or writer's parameter that takes an address nobody reads is [`Argument::Ignored`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub then: Vec<Argument>,
}

/// Where the result is and how it is written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Where it is.
    pub from: Place,
    /// How it is written.
    pub value: Output,
    /// The C return value, a `bool` (or an `int`, where 0 or less is no value), says whether [`Argument::Output`]
    /// was written; if not, the result is `null`. Only with [`Place::Output`].
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub presence: bool,
}

/// Where a result is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// The C return value.
    Return,
    /// The slot passed as [`Argument::Output`].
    Output,
}

/// How a C value becomes JSON. A null pointer is always `null`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Output {
    /// The function returns nothing.
    Nothing,
    /// As it is. `Cstring`: a string. Integers keep every digit.
    Scalar(Scalar),
    /// A C `int` as the member's name; a number without a member stays a number.
    Enum(Vec<(String, i64)>),
    /// Written by a codec as a string.
    Encoded(Codec),
    /// Written as a string by the first of the codecs that succeeds: what the value is shows only when it is there.
    FirstEncoded(Vec<Codec>),
    /// A C array, as a list. A null pointer or a count of zero or less is the empty list.
    Array {
        /// Each element. [`Scalar`] and scalar codecs: an array of values; pointer codecs: an array of pointers.
        element: Box<Output>,
        /// How many there are.
        count: Length,
    },
    /// One block of C structs in a row (`Span *`), as a list. Empty as [`Output::Array`] is.
    Structs {
        /// The struct, for example `STBox`; the engine knows its size.
        of: String,
        /// Writes one, from its address.
        codec: Codec,
        /// How many there are.
        count: Length,
    },
}

/// How many elements an array result has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Length {
    /// What was written to [`Argument::OutputCount`].
    Written,
    /// What that function, of C type `int f(T)`, returns for the call's argument at that position.
    Function(String, usize),
    /// As many as the caller gave in the array argument of that name.
    Given(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The wire form is a contract between two components that may be of different builds.
    #[test]
    fn a_call_is_written_as_it_is_read_and_in_the_agreed_form() {
        let text = concat!(
            r#"{"function":"f","arguments":[{"given":{"name":"a","optional":true,"value":{"array":{"decoded":"#,
            r#"{"type":"tint","group":1,"text":[{"function":"tint_in","literal":"tint","then":[{"fixed":-1},"ignored"]}]}}}}},"#,
            r#"{"given":{"name":"b","value":{"structs":{"of":"Span","element":{"type":"span","text":[]}}}}},"#,
            r#"{"count":"a"},"output-count",{"fixed":null},{"fixed":true},{"fixed":1.5},{"fixed":"x"}],"#,
            r#""result":{"from":"return","value":{"structs":{"of":"STBox","codec":{"function":"stbox_out"},"#,
            r#""count":{"given":"a"}}}}}"#,
        );
        let call: Call = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&call).unwrap(), text);
        let constants: Vec<&Constant> = call
            .arguments
            .iter()
            .filter_map(|argument| match argument {
                Argument::Fixed(constant) => Some(constant),
                _ => None,
            })
            .collect();
        let text = Constant::Text("x".to_owned());
        assert_eq!(constants, [&Constant::Null, &Constant::Bool(true), &Constant::Number(1.5), &text]);
    }

    #[test]
    fn results_of_unknown_type_name_their_writers_in_order() {
        let text = r#"{"first-encoded":[{"function":"tspatial_as_ewkt"},{"function":"temporal_out"}]}"#;
        let output: Output = serde_json::from_str(text).unwrap();
        assert!(matches!(&output, Output::FirstEncoded(codecs) if codecs.len() == 2));
        assert_eq!(serde_json::to_string(&output).unwrap(), text);
    }
}

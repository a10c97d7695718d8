//! Writes a call's result as JSON.

use crate::arguments::{Slots, element_size, load};
use crate::decode;
use crate::failure::{Failure, Stage};
use crate::machine::{Function, Machine, Slot, address, little_endian};
use crate::numbers;
use crate::signature::{Base, Kind};
use abi_mcp_meos_call::{Call, Codec, Length, Output, Place, Scalar};
use serde_json::{Value, json};

/// The longest list a result may have; beyond it a count is taken for a slip of the library's.
const LONGEST: u64 = 1_000_000;

/// Writes the result; `None` where the function gives nothing.
///
/// # Errors
///
/// A codec refused the result, or its length is not known.
pub(crate) fn write(
    machine: &mut impl Machine,
    call: &Call,
    function: &Function,
    slots: &Slots,
    returned: Slot,
) -> Result<Option<Value>, Failure> {
    if call.result.value == Output::Nothing {
        return Ok(None);
    }
    let result = &function.signature.result;
    if call.result.presence && !is_present(result, returned) {
        return Ok(Some(Value::Null));
    }
    let (value, kind) = match call.result.from {
        Place::Return => (returned, result.clone()),
        Place::Output => {
            let Some(at) = slots.output else {
                return Err(Failure::at(Stage::Outcome, "the call-spec names no output"));
            };
            let kind = output_kind(call, function).unwrap_or(Kind { stars: 0, base: Base::Opaque });
            (load(machine, &kind, at), kind)
        }
    };
    output(machine, slots, &call.result.value, value, &kind).map(Some)
}

/// The type the output address points to.
pub(crate) fn output_kind(call: &Call, function: &Function) -> Option<Kind> {
    let position = call.arguments.iter().position(|argument| *argument == abi_mcp_meos_call::Argument::Output)?;
    function.signature.parameters.get(position)?.pointee()
}

/// A `bool` says it by its low byte, an `int` by being above zero, a pointer by not being null.
fn is_present(kind: &Kind, returned: Slot) -> bool {
    if kind.is_pointer() {
        return address(returned) != 0;
    }
    match kind.base {
        Base::Integer { .. } => numbers::json(Scalar::Int32, returned).as_i64().is_some_and(|number| number > 0),
        _ => returned & 0xff != 0,
    }
}

fn output(
    machine: &mut impl Machine,
    slots: &Slots,
    output_spec: &Output,
    value: Slot,
    kind: &Kind,
) -> Result<Value, Failure> {
    match output_spec {
        Output::Nothing => Ok(Value::Null),
        Output::Scalar(Scalar::Cstring) => Ok(decode::string(machine, value).map_or(Value::Null, Value::String)),
        Output::Scalar(scalar) => Ok(numbers::json(*scalar, value)),
        Output::Enum(members) => {
            let number = numbers::json(Scalar::Int32, value);
            let found = members.iter().find(|(_, known)| number.as_i64() == Some(*known));
            Ok(found.map_or(number, |(name, _)| json!(name)))
        }
        Output::Encoded(codec) => Ok(decode::write(machine, codec, value)?.map_or(Value::Null, Value::String)),
        Output::FirstEncoded(codecs) => first_encoded(machine, codecs, value),
        Output::Array { element, count } => {
            array(machine, slots, count, value, kind, |machine, one, inner| output(machine, slots, element, one, inner))
        }
        Output::Structs { codec, count, .. } => array(machine, slots, count, value, kind, |machine, one, _| {
            Ok(decode::write(machine, codec, one)?.map_or(Value::Null, Value::String))
        }),
    }
}

/// What the first codec that takes the value writes; in vain, the last one's failure.
fn first_encoded(machine: &mut impl Machine, codecs: &[Codec], value: Slot) -> Result<Value, Failure> {
    let mut failed = Failure::at(Stage::Outcome, "the call-spec names no codec for the result");
    for codec in codecs {
        match decode::write(machine, codec, value) {
            Ok(text) => return Ok(text.map_or(Value::Null, Value::String)),
            Err(failure) => failed = failure,
        }
    }
    Err(failed)
}

fn array<M: Machine>(
    machine: &mut M,
    slots: &Slots,
    count: &Length,
    value: Slot,
    kind: &Kind,
    mut write: impl FnMut(&mut M, Slot, &Kind) -> Result<Value, Failure>,
) -> Result<Value, Failure> {
    let at = address(value);
    let length = length(machine, slots, count)?;
    let Some(inner) = kind.pointee().filter(|_| at != 0 && length > 0) else { return Ok(json!([])) };
    let size = element_size(machine, &inner);
    let mut list = Vec::new();
    for number in 0..length {
        let offset = u32::try_from(number * u64::from(size)).unwrap_or(u32::MAX);
        let one = load(machine, &inner, at.saturating_add(offset));
        list.push(write(machine, one, &inner)?);
    }
    Ok(Value::Array(list))
}

fn length(machine: &mut impl Machine, slots: &Slots, count: &Length) -> Result<u64, Failure> {
    let number = match count {
        Length::Written => match slots.count {
            Some(at) => little_endian(&machine.read(at, 4)),
            None => return Err(Failure::at(Stage::Outcome, "the call-spec names no count")),
        },
        Length::Given(name) => slots.given.iter().find(|(known, _)| known == name).map_or(0, |(_, length)| *length),
        Length::Function(name, position) => {
            let function = decode::known(machine, name, Stage::Outcome)?;
            let Some(argument) = slots.values.get(*position).copied() else {
                return Err(Failure::at(Stage::Outcome, format!("the call has no argument {position}")));
            };
            decode::call(machine, name, &function, &[argument], Stage::Outcome)?
        }
    };
    let number = numbers::json(Scalar::Int32, number).as_i64().unwrap_or(0).max(0).unsigned_abs();
    if number > LONGEST {
        return Err(Failure::at(Stage::Outcome, format!("the result has {number} elements, more than {LONGEST}")));
    }
    Ok(number)
}

//! Turns the caller's JSON arguments into C values.
//!
//! Serialized values of one group are read together: the first position at which the codecs of all of them succeed
//! wins, so that `1@2000-01-01` beside `1.5@2000-01-01` is a tfloat.

use crate::decode;
use crate::failure::{Failure, Stage};
use crate::form::{forms, reading};
use crate::machine::{Address, Function, Machine, POINTER, Slot, address, little_endian, place_text};
use crate::numbers::{self, shown};
use crate::signature::{Base, Kind};
use abi_mcp_meos_call::{Argument, Call, Decoder, Input, Scalar};
use serde_json::{Map, Value};

/// Room for a result written through an address: the largest structure MEOS gives this way has 80 bytes.
const OUTPUT: u32 = 1024;

/// The slots of a call, and where its outputs will be.
#[derive(Debug, Default)]
pub(crate) struct Slots {
    pub(crate) values: Vec<Slot>,
    pub(crate) output: Option<Address>,
    pub(crate) count: Option<Address>,
    /// The array arguments' names and how many elements the caller gave.
    pub(crate) given: Vec<(String, u64)>,
}

/// Reads the arguments of `call`.
///
/// # Errors
///
/// An argument is missing or not what its place wants; it is named.
pub(crate) fn read(
    machine: &mut impl Machine,
    call: &Call,
    function: &Function,
    given: &Map<String, Value>,
) -> Result<Slots, Failure> {
    refuse_strangers(call, given)?;
    let positions = groups(machine, call, given)?;
    let lengths = given.iter().filter_map(|(name, json)| Some((name.clone(), json.as_array()?.len() as u64)));
    let mut slots = Slots { given: lengths.collect(), ..Slots::default() };
    for (argument, kind) in call.arguments.iter().zip(&function.signature.parameters) {
        let slot = match argument {
            Argument::Given { name, optional, value } => match present(given, name, *optional)? {
                Some(json) => input(machine, value, json, kind, &positions).map_err(|failure| failure.blame(name))?,
                None => 0,
            },
            Argument::Count(name) => match given.get(name).and_then(Value::as_array) {
                Some(list) => list.len() as u64,
                None => 0,
            },
            Argument::Output => {
                let at = machine.allocate(OUTPUT);
                slots.output = Some(at);
                u64::from(at)
            }
            Argument::OutputCount => {
                let at = machine.allocate(8);
                slots.count = Some(at);
                u64::from(at)
            }
            Argument::Ignored => decode::ignored(machine),
            Argument::Fixed(value) => decode::constant(machine, value, kind),
        };
        slots.values.push(slot);
    }
    Ok(slots)
}

/// An argument the call does not know is a slip of the caller's, not something to pass over.
fn refuse_strangers(call: &Call, given: &Map<String, Value>) -> Result<(), Failure> {
    let known = |wanted: &str| {
        call.arguments.iter().any(|argument| matches!(argument, Argument::Given { name, .. } if name == wanted))
    };
    match given.keys().find(|name| !known(name)) {
        Some(name) => Err(Failure::argument(name, "there is no argument of this name")),
        None => Ok(()),
    }
}

fn present<'a>(given: &'a Map<String, Value>, name: &str, optional: bool) -> Result<Option<&'a Value>, Failure> {
    match given.get(name) {
        None | Some(Value::Null) if optional => Ok(None),
        None => Err(Failure::argument(name, "it is missing")),
        Some(Value::Null) => Err(Failure::argument(name, "it may not be null")),
        Some(value) => Ok(Some(value)),
    }
}

/// The position at which each group is read.
type Positions = Vec<(u8, usize)>;

fn groups(machine: &mut impl Machine, call: &Call, given: &Map<String, Value>) -> Result<Positions, Failure> {
    let mut members: Vec<(u8, &str, &Decoder, String)> = Vec::new();
    for argument in &call.arguments {
        let Argument::Given { name, value, .. } = argument else { continue };
        let Some(json) = given.get(name).filter(|json| !json.is_null()) else { continue };
        collect(value, json, &mut |decoder, text| {
            if let Some(group) = decoder.group {
                members.push((group, name, decoder, text));
            }
        });
    }
    let mut numbers: Vec<u8> = members.iter().map(|(group, ..)| *group).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let mut positions = Vec::new();
    for number in numbers {
        let group: Vec<_> = members.iter().filter(|(group, ..)| *group == number).collect();
        positions.push((number, position(machine, &group)?));
    }
    Ok(positions)
}

/// The first position at which all succeed. In vain, the failure of the position that got furthest is told.
fn position(machine: &mut impl Machine, group: &[&(u8, &str, &Decoder, String)]) -> Result<usize, Failure> {
    let readings: Vec<_> = group.iter().map(|(_, name, decoder, text)| (*name, reading(decoder, text))).collect();
    let length = readings.iter().map(|(_, reading)| reading.codecs.len()).max().unwrap_or(0);
    let mut furthest: Option<(usize, Failure)> = None;
    for position in 0..length {
        let mut failed = None;
        for (member, (name, reading)) in readings.iter().enumerate() {
            // A position the caller's own choice of type rules out says nothing about what is wrong.
            let failure = match reading.codecs.get(position) {
                Some(Some(codec)) => decode::read(machine, codec, &reading.text).err(),
                Some(None) => Some(Failure::at(Stage::Arguments, "the arguments are of different types")),
                None => None,
            };
            if let Some(failure) = failure {
                failed = Some((member, failure.blame(name)));
                break;
            }
        }
        match failed {
            None => return Ok(position),
            Some((member, failure)) => {
                if furthest.as_ref().is_none_or(|(best, _)| member > *best) {
                    furthest = Some((member, failure));
                }
            }
        }
    }
    Err(furthest.map_or_else(|| Failure::at(Stage::Arguments, "no codec reads it"), |(_, failure)| failure))
}

/// Every serialized string of a value, with its decoder.
fn collect<'a>(input: &'a Input, json: &Value, found: &mut impl FnMut(&'a Decoder, String)) {
    match (input, json) {
        (Input::Decoded(decoder), json) => {
            if let Some(text) = serialized(json) {
                found(decoder, text);
            }
        }
        (Input::Structs { element, .. }, Value::Array(list)) => {
            list.iter().filter_map(serialized).for_each(|text| found(element, text));
        }
        (Input::Array(element), Value::Array(list)) => list.iter().for_each(|json| collect(element, json, found)),
        _ => {}
    }
}

/// A serialized value's text. An object is MF-JSON that was not put into a string.
fn serialized(json: &Value) -> Option<String> {
    match json {
        Value::String(text) => Some(text.clone()),
        Value::Object(_) => Some(json.to_string()),
        _ => None,
    }
}

fn input(
    machine: &mut impl Machine,
    input: &Input,
    json: &Value,
    kind: &Kind,
    positions: &Positions,
) -> Result<Slot, Failure> {
    let wrong = |message: String| Failure::at(Stage::Arguments, message);
    match input {
        Input::Scalar(Scalar::Cstring) => {
            let Value::String(text) = json else {
                return Err(wrong(format!("expected a string, found {}", shown(json))));
            };
            if text.contains('\0') {
                return Err(wrong("a string may not contain the character NUL".to_owned()));
            }
            Ok(u64::from(place_text(machine, text)))
        }
        Input::Scalar(scalar) => numbers::slot(*scalar, json).map_err(wrong),
        Input::Enum(members) => member(members, json).map_err(wrong),
        Input::Decoded(decoder) => decoded(machine, decoder, json, positions),
        Input::Array(element) => array(machine, list(json)?, kind, |machine, json, inner| {
            self::input(machine, element, json, inner, positions)
        }),
        Input::Structs { element, .. } => {
            array(machine, list(json)?, kind, |machine, json, _| decoded(machine, element, json, positions))
        }
    }
}

fn list(json: &Value) -> Result<&[Value], Failure> {
    let wrong = || Failure::at(Stage::Arguments, format!("expected a list, found {}", shown(json)));
    json.as_array().map(Vec::as_slice).ok_or_else(wrong)
}

fn member(members: &[(String, i64)], json: &Value) -> Result<Slot, String> {
    let found = match json {
        Value::String(text) => members.iter().find(|(name, _)| name.eq_ignore_ascii_case(text.trim())),
        Value::Number(number) => members.iter().find(|(_, value)| number.as_i64() == Some(*value)),
        _ => None,
    };
    found.map(|(_, value)| value.cast_unsigned()).ok_or_else(|| {
        let names: Vec<&str> = members.iter().map(|(name, _)| name.as_str()).collect();
        format!("expected one of {}, found {}", names.join(", "), shown(json))
    })
}

fn decoded(
    machine: &mut impl Machine,
    decoder: &Decoder,
    json: &Value,
    positions: &Positions,
) -> Result<Slot, Failure> {
    let Some(text) = serialized(json) else {
        let message = format!("expected a {} as a string, found {}", decoder.type_name, shown(json));
        return Err(Failure::at(Stage::Arguments, message));
    };
    let reading = reading(decoder, &text);
    let chosen = decoder.group.and_then(|group| positions.iter().find(|(number, _)| *number == group));
    if let Some(Some(codec)) = chosen.and_then(|(_, position)| reading.codecs.get(*position)) {
        return decode::read(machine, codec, &reading.text);
    }
    let mut first = None;
    for codec in reading.codecs.into_iter().flatten() {
        match decode::read(machine, codec, &reading.text) {
            Ok(slot) => return Ok(slot),
            Err(failure) => first = first.or(Some(failure)),
        }
    }
    let other_form = || format!("a {} is not read from this form, only from {}", decoder.type_name, forms(decoder));
    Err(first.unwrap_or_else(|| Failure::at(Stage::Arguments, other_form())))
}

/// A C array: pointers where the parameter points to pointers, else the elements themselves.
fn array<M: Machine>(
    machine: &mut M,
    list: &[Value],
    kind: &Kind,
    mut read: impl FnMut(&mut M, &Value, &Kind) -> Result<Slot, Failure>,
) -> Result<Slot, Failure> {
    let inner = kind.pointee().unwrap_or(Kind { stars: 0, base: Base::Opaque });
    let size = element_size(machine, &inner);
    let at = machine.allocate(size.saturating_mul(u32::try_from(list.len()).unwrap_or(u32::MAX)).max(8));
    for (number, json) in (0..).zip(list) {
        let numbered =
            |failure: Failure| Failure { message: format!("element {number}: {}", failure.message), ..failure };
        if json.is_null() {
            return Err(Failure::at(Stage::Arguments, format!("element {number}: it may not be null")));
        }
        let slot = read(machine, json, &inner).map_err(numbered)?;
        let bytes = match &inner.base {
            Base::Structure(_) if inner.stars == 0 => machine.read(address(slot), size),
            _ => slot.to_le_bytes().get(..size as usize).unwrap_or_default().to_vec(),
        };
        machine.write(at + number * size, &bytes);
    }
    Ok(u64::from(at))
}

/// How many bytes one element of that type takes in an array; 0 where nobody knows.
pub(crate) fn element_size(machine: &impl Machine, kind: &Kind) -> u32 {
    if kind.is_pointer() {
        return POINTER;
    }
    match &kind.base {
        Base::Bool => 1,
        Base::Integer { bytes, .. } => *bytes,
        Base::Double => 8,
        Base::Structure(name) => machine.structure(name).unwrap_or(0),
        Base::Void | Base::Text | Base::Opaque => 0,
    }
}

/// The value of that type at an address, as a slot. Structures are their own address.
pub(crate) fn load(machine: &impl Machine, kind: &Kind, at: Address) -> Slot {
    match &kind.base {
        Base::Structure(_) | Base::Opaque | Base::Void if kind.stars == 0 => u64::from(at),
        _ => {
            let bytes = machine.read(at, element_size(machine, kind));
            let value = little_endian(&bytes);
            match kind.base {
                Base::Integer { bytes: width, signed: true } if kind.stars == 0 && width < 8 => {
                    let shift = 64 - 8 * width;
                    ((value << shift).cast_signed() >> shift).cast_unsigned()
                }
                _ => value,
            }
        }
    }
}

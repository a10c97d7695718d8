//! Says whether the library at hand can run a call-spec, and why not.
//!
//! A mapper's catalog may be of another release than the library: every function is looked up, and every C parameter is
//! compared with what the call-spec puts into it. A mismatch here would be a wrong answer there.

use crate::arguments::element_size;
use crate::machine::{Function, Machine};
use crate::numbers;
use crate::outcome::output_kind;
use crate::signature::{Base, Kind};
use abi_mcp_meos_call::{Argument, Call, Codec, Constant, Decoder, Input, Length, Output, Place, Scalar};

/// Why `call` cannot be run; `None` where it can.
pub fn unsupported(machine: &impl Machine, call: &Call) -> Option<String> {
    checked(machine, call).err()
}

fn checked(machine: &impl Machine, call: &Call) -> Result<(), String> {
    let function = look_up(machine, &call.function)?;
    lacking(&call.function)?;
    let parameters = &function.signature.parameters;
    if parameters.len() != call.arguments.len() {
        let (has, given) = (parameters.len(), call.arguments.len());
        return Err(format!("`{}` takes {has} parameters in MEOS {}, not {given}", call.function, machine.release()));
    }
    for (number, (argument, kind)) in call.arguments.iter().zip(parameters).enumerate() {
        let fits = match argument {
            Argument::Given { value, .. } => input(machine, value, kind)?,
            Argument::Count(_) => is_integer(kind),
            Argument::Output | Argument::Ignored => kind.stars > 0 || kind.base == Base::Text,
            Argument::OutputCount => kind.pointee().is_some_and(|inner| is_integer(&inner)),
            Argument::Fixed(value) => constant(value, kind),
        };
        if !fits {
            return Err(format!(
                "parameter {number} of `{}` has another C type in MEOS {}",
                call.function,
                machine.release()
            ));
        }
    }
    result(machine, call, &function)
}

fn look_up(machine: &impl Machine, name: &str) -> Result<Function, String> {
    machine.function(name).ok_or_else(|| format!("{name} is not in MEOS {}", machine.release()))
}

/// Functions that are there and cannot work in this engine, by the words of their names.
fn lacking(name: &str) -> Result<(), String> {
    const NETWORK: [&str; 6] = ["npoint", "nsegment", "npointset", "tnpoint", "route", "ways"];
    let mut words = name.split('_');
    if words.clone().any(|word| word == "transform") {
        return Err(format!("{name} needs PROJ, which is not part of this engine"));
    }
    // Reading or making a network point looks its route up, whatever is done with it then.
    if words.any(|word| NETWORK.contains(&word)) {
        return Err(format!("{name} needs a `ways` table of routes, which is not part of this engine"));
    }
    Ok(())
}

fn result(machine: &impl Machine, call: &Call, function: &Function) -> Result<(), String> {
    let kind = match call.result.from {
        Place::Return => function.signature.result.clone(),
        Place::Output => output_kind(call, function).ok_or("the call-spec's output is no parameter of the function")?,
    };
    if output(machine, &call.result.value, &kind)? {
        return Ok(());
    }
    Err(format!("the result of `{}` has another C type in MEOS {}", call.function, machine.release()))
}

fn input(machine: &impl Machine, value: &Input, kind: &Kind) -> Result<bool, String> {
    Ok(match value {
        Input::Scalar(scalar) => numbers::fits(*scalar, kind),
        Input::Enum(_) => is_integer(kind),
        Input::Decoded(decoder) => reader(machine, decoder, kind)?,
        Input::Structs { of, element } => match kind.pointee() {
            Some(inner) => is_structure(machine, &inner, of) && reader(machine, element, kind)?,
            None => false,
        },
        Input::Array(element) => match kind.pointee() {
            Some(inner) => element_size(machine, &inner) > 0 && array_element(machine, element, &inner)?,
            None => false,
        },
    })
}

fn array_element(machine: &impl Machine, element: &Input, inner: &Kind) -> Result<bool, String> {
    match (element, &inner.base) {
        // Structures in a row: the codec's pointer leads to one of them.
        (Input::Decoded(decoder), Base::Structure(_)) if inner.stars == 0 => {
            reader(machine, decoder, &Kind { stars: 1, base: inner.base.clone() })
        }
        _ => input(machine, element, inner),
    }
}

/// At least one codec for text has to be there; those of other releases are passed over.
fn reader(machine: &impl Machine, decoder: &Decoder, kind: &Kind) -> Result<bool, String> {
    let mut missing = None;
    let mut found = false;
    for codec in decoder.text.iter().chain(&decoder.mfjson).chain(&decoder.hexwkb) {
        let Some(function) = machine.function(&codec.function) else {
            missing = missing.or(Some(format!("{} is not in MEOS {}", codec.function, machine.release())));
            continue;
        };
        let takes_text = function.signature.parameters.first().is_some_and(|first| first.base == Base::Text);
        if let Err(reason) = lacking(&codec.function) {
            missing = missing.or(Some(reason));
            continue;
        }
        if !takes_text || !then_fits(codec, &function) || !same(&function.signature.result, kind) {
            return Ok(false);
        }
        found = true;
    }
    match missing {
        Some(reason) if !found => Err(reason),
        _ => Ok(found),
    }
}

fn output(machine: &impl Machine, value: &Output, kind: &Kind) -> Result<bool, String> {
    Ok(match value {
        Output::Nothing => true,
        Output::Scalar(scalar) => returns(*scalar, kind),
        Output::Enum(_) => is_integer(kind),
        Output::Encoded(codec) => writer(machine, codec, kind)?,
        Output::FirstEncoded(codecs) => {
            // Those of other releases are passed over, here and in the call.
            let answers: Vec<_> = codecs.iter().map(|codec| writer(machine, codec, kind)).collect();
            match answers.iter().find(|answer| **answer == Ok(true)) {
                Some(_) => true,
                None => answers.into_iter().find_map(Result::err).map_or(Ok(false), Err)?,
            }
        }
        Output::Structs { of, codec, count } => {
            if let Length::Function(name, _) = count {
                look_up(machine, name)?;
            }
            match kind.pointee() {
                Some(inner) => is_structure(machine, &inner, of) && writer(machine, codec, kind)?,
                None => false,
            }
        }
        Output::Array { element, count } => {
            if let Length::Function(name, _) = count {
                look_up(machine, name)?;
            }
            match kind.pointee() {
                Some(inner) => element_size(machine, &inner) > 0 && output(machine, element, &inner)?,
                None => false,
            }
        }
    })
}

fn writer(machine: &impl Machine, codec: &Codec, kind: &Kind) -> Result<bool, String> {
    let function = look_up(machine, &codec.function)?;
    let writes = function.signature.result.stars == 0 && function.signature.result.base == Base::Text;
    let takes = function.signature.parameters.first();
    Ok(writes
        && then_fits(codec, &function)
        && takes.is_some_and(|first| same(kind, first) || same(&pointed(kind), first)))
}

/// Whether elements of that type are the structure of that name, in a row.
fn is_structure(machine: &impl Machine, inner: &Kind, name: &str) -> bool {
    inner.stars == 0
        && matches!(&inner.base, Base::Structure(known) if known == name)
        && element_size(machine, inner) > 0
}

/// A structure in place is passed on by its address.
fn pointed(kind: &Kind) -> Kind {
    match &kind.base {
        Base::Structure(_) | Base::Opaque => Kind { stars: kind.stars + 1, base: kind.base.clone() },
        _ => kind.clone(),
    }
}

/// Whether a returned value of that type is the scalar: not wider, else digits would be lost.
fn returns(scalar: Scalar, kind: &Kind) -> bool {
    match (scalar, &kind.base) {
        _ if kind.stars > 0 => false,
        (Scalar::Bool, Base::Bool) | (Scalar::Double, Base::Double) | (Scalar::Cstring, Base::Text) => true,
        (Scalar::Bool | Scalar::Double | Scalar::Cstring, _) => false,
        (scalar, Base::Integer { bytes, .. }) => numbers::width(scalar) == *bytes,
        _ => false,
    }
}

fn is_integer(kind: &Kind) -> bool {
    kind.stars == 0 && matches!(kind.base, Base::Integer { .. })
}

/// Whether one type may stand for the other: pointers to structures of any kind are alike, since signatures do not name
/// most of them.
fn same(one: &Kind, other: &Kind) -> bool {
    let structure = |kind: &Kind| matches!(kind.base, Base::Structure(_) | Base::Opaque | Base::Void);
    if one.stars > 0 && one.stars == other.stars && structure(one) && structure(other) {
        return match (&one.base, &other.base) {
            (Base::Structure(one), Base::Structure(other)) => one == other,
            _ => true,
        };
    }
    match (&one.base, &other.base) {
        (Base::Integer { bytes: one_bytes, .. }, Base::Integer { bytes, .. }) => {
            one.stars == other.stars && one_bytes == bytes
        }
        _ => one == other,
    }
}

fn then_fits(codec: &Codec, function: &Function) -> bool {
    let rest = function.signature.parameters.get(1..).unwrap_or_default();
    rest.len() == codec.then.len()
        && codec.then.iter().zip(rest).all(|(argument, kind)| match argument {
            Argument::Fixed(value) => constant(value, kind),
            Argument::Ignored => kind.is_pointer(),
            _ => false,
        })
}

fn constant(value: &Constant, kind: &Kind) -> bool {
    match value {
        Constant::Null => kind.is_pointer(),
        Constant::Bool(_) => kind.stars == 0 && matches!(kind.base, Base::Bool | Base::Integer { .. }),
        Constant::Integer(_) => kind.stars == 0 && matches!(kind.base, Base::Integer { .. } | Base::Double),
        Constant::Number(_) => kind.stars == 0 && kind.base == Base::Double,
        Constant::Text(_) => kind.stars == 0 && kind.base == Base::Text,
    }
}

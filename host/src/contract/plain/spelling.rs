//! Types as WIT spells them, for whoever decides about a component and knows its WIT.
//!
//! A component does not keep the names of its records and variants, so those are spelled out where they are used.

use super::function::{Answer, Function};
use super::shape::{Shape, Whole};
use std::fmt::{self, Display, Formatter};

impl Display for Function {
    /// `parse(text: string) -> result<s64>`: the tool's name, what it takes and what it answers.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.name)?;
        listed(f, &self.parameters, |f, (name, shape)| write!(f, "{name}: {shape}"))?;
        match &self.answer {
            Answer::Nothing => f.write_str(")"),
            Answer::Value(shape) => write!(f, ") -> {shape}"),
            // What it fails with becomes the words of a tool error, whatever its type was.
            Answer::Fallible(None) => f.write_str(") -> result"),
            Answer::Fallible(Some(shape)) => write!(f, ") -> result<{shape}>"),
        }
    }
}

impl Display for Shape {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool => f.write_str("bool"),
            Self::Whole(whole) => f.write_str(whole.spelling()),
            Self::Single => f.write_str("f32"),
            Self::Double => f.write_str("f64"),
            Self::Char => f.write_str("char"),
            Self::Text => f.write_str("string"),
            Self::List(item) => write!(f, "list<{item}>"),
            Self::Fixed(item, count) => write!(f, "list<{item}, {count}>"),
            Self::Tuple(items) => {
                f.write_str("tuple<")?;
                listed(f, items, |f, item| write!(f, "{item}"))?;
                f.write_str(">")
            }
            Self::Record(fields) => braced(f, "record", fields, |f, (name, shape)| write!(f, "{name}: {shape}")),
            Self::Variant(cases) => braced(f, "variant", cases, |f, (name, shape)| match shape {
                Some(shape) => write!(f, "{name}({shape})"),
                None => f.write_str(name),
            }),
            Self::Enum(names) => braced(f, "enum", names, |f, name| f.write_str(name)),
            Self::Flags(names) => braced(f, "flags", names, |f, name| f.write_str(name)),
            Self::Option(shape) => write!(f, "option<{shape}>"),
            Self::Result(None, None) => f.write_str("result"),
            Self::Result(Some(ok), None) => write!(f, "result<{ok}>"),
            Self::Result(None, Some(error)) => write!(f, "result<_, {error}>"),
            Self::Result(Some(ok), Some(error)) => write!(f, "result<{ok}, {error}>"),
        }
    }
}

impl Whole {
    fn spelling(self) -> &'static str {
        match self {
            Self::S8 => "s8",
            Self::U8 => "u8",
            Self::S16 => "s16",
            Self::U16 => "u16",
            Self::S32 => "s32",
            Self::U32 => "u32",
            Self::S64 => "s64",
            Self::U64 => "u64",
        }
    }
}

fn braced<T>(
    f: &mut Formatter<'_>,
    kind: &str,
    items: &[T],
    one: impl Fn(&mut Formatter<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    write!(f, "{kind} {{ ")?;
    listed(f, items, one)?;
    f.write_str(" }")
}

fn listed<T>(f: &mut Formatter<'_>, items: &[T], one: impl Fn(&mut Formatter<'_>, &T) -> fmt::Result) -> fmt::Result {
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            f.write_str(", ")?;
        }
        one(f, item)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::artifact::specimen::guest;
    use crate::contract::plain::function::exported;
    use crate::sandbox::Compiled;

    #[test]
    fn a_function_reads_as_in_its_wit_with_the_types_spelled_out() {
        let compiled = Compiled::compile(&guest("plain")).unwrap();
        let (engine, component) = compiled.parts();
        let functions: Vec<String> = exported(engine, component).functions.iter().map(ToString::to_string).collect();
        let point = "record { x: s32, y: s32, label: option<string> }";
        for expected in [
            format!("move_by(point: {point}, by: tuple<s32, s32>) -> {point}"),
            "echo_colour(colour: enum { red, green, dark-blue }) -> enum { red, green, dark-blue }".to_owned(),
            "parse(text: string) -> result<s64>".to_owned(),
            "check(size: u32) -> result".to_owned(),
            "trap()".to_owned(),
            "echo_nested(outcome: result<u32, string>) -> result<u32>".to_owned(),
            "greet(name: string, times: option<u8>) -> string".to_owned(),
        ] {
            assert!(functions.contains(&expected), "{expected}: {functions:#?}");
        }
    }
}

//! Reads a function's signature as the generated table states it.
//!
//! A signature is the result's kind followed by each parameter's. A kind is one star for each pointer level and then a
//! letter, or a structure's name in braces: `*o*{Span}i` takes a pointer to a `Span` and an `int` and gives a pointer.
//! `xtask/src/engine/table.rs` writes it.

/// What a C type is at its base, without its pointer levels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Base {
    /// No value.
    Void,
    /// `bool`.
    Bool,
    /// An integer of so many bytes.
    Integer {
        /// 1, 2, 4 or 8.
        bytes: u32,
        /// Whether it has negative values.
        signed: bool,
    },
    /// `double`.
    Double,
    /// `char *`: a string ending in zero. Its pointer level is not counted.
    Text,
    /// A structure of a fixed size, by name.
    Structure(String),
    /// Anything else a pointer leads to.
    Opaque,
}

/// A C type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kind {
    /// Pointer levels.
    pub stars: u32,
    /// What is at the end of them.
    pub base: Base,
}

impl Kind {
    /// Whether a value of it is an address.
    #[must_use]
    pub fn is_pointer(&self) -> bool {
        self.stars > 0 || self.base == Base::Text
    }

    /// The type one pointer level down; `None` where there is none.
    #[must_use]
    pub fn pointee(&self) -> Option<Self> {
        Some(Self { stars: self.stars.checked_sub(1)?, base: self.base.clone() })
    }
}

/// A function's types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The C return type.
    pub result: Kind,
    /// The C parameters, in order.
    pub parameters: Vec<Kind>,
}

impl Signature {
    /// Reads `text`; `None` where it is no signature.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let mut rest = text;
        let mut kinds = Vec::new();
        while !rest.is_empty() {
            let (kind, after) = kind(rest)?;
            kinds.push(kind);
            rest = after;
        }
        let mut kinds = kinds.into_iter();
        Some(Self { result: kinds.next()?, parameters: kinds.collect() })
    }
}

fn kind(text: &str) -> Option<(Kind, &str)> {
    let base_text = text.trim_start_matches('*');
    let stars = u32::try_from(text.len() - base_text.len()).ok()?;
    if let Some(name) = base_text.strip_prefix('{') {
        let (name, after) = name.split_once('}')?;
        return Some((Kind { stars, base: Base::Structure(name.to_owned()) }, after));
    }
    let letter = base_text.chars().next()?;
    let integer = |bytes, signed| Base::Integer { bytes, signed };
    let base = match letter {
        'v' => Base::Void,
        'b' => Base::Bool,
        'c' => integer(1, true),
        'C' => integer(1, false),
        's' => integer(2, true),
        'S' => integer(2, false),
        'i' => integer(4, true),
        'I' => integer(4, false),
        'l' => integer(8, true),
        'L' => integer(8, false),
        'd' => Base::Double,
        'z' => Base::Text,
        'o' => Base::Opaque,
        _ => return None,
    };
    Some((Kind { stars, base }, base_text.get(letter.len_utf8()..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_the_result_and_then_the_parameters() {
        let read = Signature::read("*o*{Span}iz**L").unwrap();
        assert_eq!(read.result, Kind { stars: 1, base: Base::Opaque });
        assert_eq!(
            read.parameters,
            [
                Kind { stars: 1, base: Base::Structure("Span".into()) },
                Kind { stars: 0, base: Base::Integer { bytes: 4, signed: true } },
                Kind { stars: 0, base: Base::Text },
                Kind { stars: 2, base: Base::Integer { bytes: 8, signed: false } },
            ]
        );
        assert!(read.parameters.iter().map(Kind::is_pointer).eq([true, false, true, true]));
    }

    #[test]
    fn what_is_no_signature_is_refused() {
        for text in ["", "*", "{Span", "x"] {
            assert_eq!(Signature::read(text), None, "{text}");
        }
    }
}

//! A C type as a declaration spells it, and what its typedefs make of it.
//!
//! Pointers are counted and not nested: no function of the library tells `T *const *` from `T **`. It knows no sizes.

use std::collections::BTreeMap;

/// A type of a parameter or a result.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(super) struct CType {
    /// What is pointed to, or the value itself, may not be changed.
    pub(super) is_const: bool,
    /// `int`, `unsigned long`, `struct Foo`, `Temporal`; the whole type for a pointer to a function.
    pub(super) base: String,
    /// How many `*`; an array counts as one, as it does in a parameter list.
    pub(super) stars: usize,
}

impl CType {
    /// A value type.
    #[cfg(test)]
    pub(super) fn plain(base: &str) -> Self {
        Self { is_const: false, base: base.to_owned(), stars: 0 }
    }

    /// As C writes it: `const Temporal *`.
    pub(super) fn spelled(&self) -> String {
        let mut text = String::new();
        if self.is_const {
            text.push_str("const ");
        }
        text.push_str(&self.base);
        if self.stars > 0 {
            text.push(' ');
            text.push_str(&"*".repeat(self.stars));
        }
        text
    }

    /// The base without `struct`, `union` and `enum`.
    pub(super) fn name(&self) -> &str {
        let tagged = ["struct ", "union ", "enum "].iter().find_map(|tag| self.base.strip_prefix(tag));
        tagged.unwrap_or(&self.base)
    }

    /// The type one `*` less.
    pub(super) fn pointee(&self) -> Self {
        Self { stars: self.stars.saturating_sub(1), ..self.clone() }
    }

    /// Whether it is `char *`, constant or not.
    pub(super) fn is_string(&self) -> bool {
        self.base == "char" && self.stars == 1
    }

    /// Whether it is `void` itself.
    pub(super) fn is_void(&self) -> bool {
        self.base == "void" && self.stars == 0
    }
}

/// What each typedef stands for.
#[derive(Debug, Default)]
pub(super) struct Typedefs(pub(super) BTreeMap<String, CType>);

/// Names of the C standard library and of PostgreSQL that state a width. They resolve to one spelling each, the same on
/// every platform: MEOS' own headers say `long int` for 64 bits, which is 32 bits wide in WebAssembly.
const WIDTHS: [(&str, &str); 20] = [
    ("int8", "signed char"),
    ("int8_t", "signed char"),
    ("int16", "short"),
    ("int16_t", "short"),
    ("int32", "int"),
    ("int32_t", "int"),
    ("int64", "int64_t"),
    ("int64_t", "int64_t"),
    ("uint8", "unsigned char"),
    ("uint8_t", "unsigned char"),
    ("uint16", "unsigned short"),
    ("uint16_t", "unsigned short"),
    ("uint32", "uint32_t"),
    ("uint32_t", "uint32_t"),
    ("uint64", "uint64_t"),
    ("uint64_t", "uint64_t"),
    ("size_t", "size_t"),
    ("uintptr_t", "uintptr_t"),
    ("float8", "double"),
    ("_Bool", "bool"),
];

impl Typedefs {
    /// The type with every typedef resolved: scalars down to a C type of known width, structures to `struct X` where
    /// the typedef names a tag. What no header defines stays as it is.
    pub(super) fn canonical(&self, written: &CType) -> CType {
        let mut found = written.clone();
        // A typedef chain is short; the bound only keeps a circular one from turning for ever.
        for _ in 0..8 {
            if let Some((_, width)) = WIDTHS.iter().find(|(name, _)| *name == found.base) {
                found.base = (*width).to_owned();
                return found;
            }
            match self.0.get(&found.base) {
                Some(target) if target.base != found.base => {
                    found.is_const |= target.is_const;
                    found.stars += target.stars;
                    found.base.clone_from(&target.base);
                }
                _ => return found,
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typedef_chain_ends_in_a_width_and_keeps_its_pointers() {
        let long = CType::plain("long");
        let mut typedefs = Typedefs::default();
        typedefs.0.insert("int64".to_owned(), long);
        typedefs.0.insert("Stamp".to_owned(), CType::plain("int64"));
        typedefs.0.insert("Thing".to_owned(), CType::plain("struct Thing"));
        typedefs.0.insert("Pointer".to_owned(), CType { stars: 1, ..CType::plain("char") });
        let of = |is_const, base: &str, stars| {
            typedefs.canonical(&CType { is_const, base: base.to_owned(), stars }).spelled()
        };
        assert_eq!(of(true, "Stamp", 1), "const int64_t *");
        assert_eq!(of(false, "Thing", 2), "struct Thing **");
        assert_eq!(of(false, "Pointer", 0), "char *");
        assert_eq!(of(false, "Unknown", 0), "Unknown");
    }

    #[test]
    fn a_circular_typedef_ends() {
        let mut typedefs = Typedefs::default();
        typedefs.0.insert("a".to_owned(), CType::plain("b"));
        typedefs.0.insert("b".to_owned(), CType::plain("a"));
        assert_eq!(typedefs.canonical(&CType::plain("a")).stars, 0);
    }
}

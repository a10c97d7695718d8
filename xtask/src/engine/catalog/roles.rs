//! Which parameters of a function are not arguments: where it writes its result, and numbers of elements.
//!
//! Comes in: a prototype. Goes out: positions in its parameter list. C has no word for these roles; names, neighbours and
//! types tell them, by the rules of MobilityDB's own catalogs.

use super::declarator::Declared;
use super::forms::{IN_A_ROW, Types};
use super::header::Prototype;

/// Names a library gives to a number of elements.
const COUNTS: [&str; 5] = ["count", "n", "nvalues", "size", "npoints"];

/// The positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Roles {
    /// The one result is written there.
    pub(super) result: Option<usize>,
    /// The number of elements of the array returned is written there.
    pub(super) count: Option<usize>,
    /// An argument that is an array; the parameter after it is its number of elements.
    pub(super) array: Option<usize>,
}

/// Tells the roles.
pub(super) fn of(prototype: &Prototype, types: &Types<'_>) -> Roles {
    let list = &prototype.parameters.list;
    Roles { result: result(prototype, types), count: count(prototype, types), array: array(list, types) }
}

/// Whether a parameter is the length of a string that ends in zero anyway: it may be written and forgotten.
pub(super) fn is_ignored(prototype: &Prototype, parameter: &Declared) -> bool {
    prototype.returns.is_string() && parameter.ctype.base == "size_t" && parameter.ctype.stars == 1
}

/// The last parameter, where what is returned tells at most whether it was written.
fn result(prototype: &Prototype, types: &Types<'_>) -> Option<usize> {
    let (at, last) = prototype.parameters.list.iter().enumerate().next_back()?;
    let returns = types.canonical(&prototype.returns);
    let tells = returns.is_void() || returns.stars == 0 && matches!(returns.base.as_str(), "bool" | "int");
    let target = last.ctype.pointee();
    let fits = match last.ctype.stars {
        1 => types.is_value(&target) && !last.ctype.is_const,
        2 => target.base == "text" || types.writer(&target).is_some(),
        _ => false,
    };
    (matches!(last.name.as_str(), "result" | "value") && tells && fits).then_some(at)
}

/// The one address of a number beside a pointer that is returned.
fn count(prototype: &Prototype, types: &Types<'_>) -> Option<usize> {
    if prototype.returns.stars == 0 || prototype.returns.is_string() {
        return None;
    }
    let is_count = |parameter: &Declared| {
        let canonical = types.canonical(&parameter.ctype);
        let is_address = canonical.stars == 1 && !canonical.is_const;
        is_address
            && matches!(canonical.base.as_str(), "int" | "long" | "int64_t")
            && COUNTS.contains(&parameter.name.as_str())
    };
    let mut found = prototype.parameters.list.iter().enumerate().filter(|(_, parameter)| is_count(parameter));
    let first = found.next();
    first.filter(|_| found.next().is_none()).map(|(at, _)| at)
}

/// The first array whose number of elements follows at once.
fn array(list: &[Declared], types: &Types<'_>) -> Option<usize> {
    list.array_windows().position(|[array, count]| {
        let canonical = types.canonical(&count.ctype);
        let counts = canonical.stars == 0 && matches!(canonical.base.as_str(), "int" | "uint32_t" | "size_t");
        let element = array.ctype.pointee();
        let is_array = match array.ctype.stars {
            // A pointer to one thing looks like an array of them: only a parameter named `count` tells.
            1 => count.name == "count" && (IN_A_ROW.contains(&element.name()) || types.is_value(&element)),
            2 => {
                let named = COUNTS.contains(&count.name.as_str()) || count.name.starts_with('n');
                named && (element.base == "text" || types.serialized(&element, &[]).is_some())
            }
            _ => false,
        };
        counts && is_array
    })
}

#[cfg(test)]
mod tests {
    use super::super::codecs;
    use super::super::ctype::Typedefs;
    use super::super::header;
    use super::*;
    use std::collections::BTreeSet;

    fn roles(prototype: &str) -> (Option<usize>, Option<usize>, Option<usize>) {
        let codecs = "extern Span *span_in(const char *s); extern char *span_out(const Span *s);
            extern Shape *shape_in(const char *s); extern char *shape_out(const Shape *s);";
        let header = header::read(&format!("extern {prototype}; {codecs}"));
        let typedefs = Typedefs::default();
        let codecs = codecs::find(header.functions.iter(), &typedefs);
        let readers = codecs::readers(header.functions.iter(), &typedefs);
        let types = Types { typedefs: &typedefs, enumerations: BTreeSet::new(), codecs: &codecs, readers };
        let Roles { result, count, array } = of(&header.functions[0], &types);
        (result, count, array)
    }

    #[test]
    fn a_result_is_written_to_the_last_address_named_so() {
        assert_eq!(roles("bool f(const Shape *s, double *result)").0, Some(1));
        assert_eq!(roles("bool f(const Shape *s, Shape **value)").0, Some(1));
        assert_eq!(roles("Shape *f(const Shape *s, double *result)").0, None, "what is returned is the result");
        assert_eq!(roles("bool f(const Shape *s, const double *value)").0, None, "nothing is written there");
    }

    #[test]
    fn a_count_is_an_address_beside_a_pointer_that_is_returned() {
        assert_eq!(roles("Shape **f(const Shape *s, int *count)").1, Some(1));
        assert_eq!(roles("char *f(const Shape *s, int *count)").1, None);
        assert_eq!(roles("Shape **f(int *n, int *count)").1, None, "two may be it");
    }

    #[test]
    fn an_array_has_its_count_behind_it() {
        assert_eq!(roles("Shape *f(bool b, const Shape **all, int count)").2, Some(1));
        assert_eq!(
            roles("Shape *f(const Shape **all, unsigned ngeoms)").2,
            None,
            "an `unsigned` is no width of the library"
        );
        assert_eq!(roles("Shape *f(const double *values, int count)").2, Some(0));
        assert_eq!(roles("Shape *f(const Span *spans, int count)").2, Some(0));
        assert_eq!(roles("Shape *f(const Span *span, int n)").2, None, "one span and a number");
        assert_eq!(roles("Shape *f(const uint8_t *bytes, size_t count)").2, None);
    }
}

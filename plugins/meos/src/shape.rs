//! The shape of a call: what each C parameter is for, and what comes out where.
//!
//! MEOS has a handful of habits (an array is followed by its count; a value is left behind the parameter `result` and
//! the return value says whether there is one; the length of a returned array is left in `count`), and a catalog
//! shows the C types. A function in, a [`Shape`] out, or one line that says why nobody can call it.

use crate::ctype::{CType, Enums, Value};
use crate::function::{Function, Param};
use crate::hints::hint;
use crate::types::Kind;
use abi_mcp_meos_call::{Length, Place, Scalar};

/// How a function is called.
#[derive(Debug)]
pub(crate) struct Shape {
    /// One for each C parameter.
    pub(crate) slots: Vec<Slot>,
    /// What comes out.
    pub(crate) result: Returned,
    /// Where.
    pub(crate) from: Place,
    /// Whether the C return value says that something came out.
    pub(crate) presence: bool,
}

/// What a C parameter is for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    /// The caller gives it.
    Given(Given),
    /// The length of the array in the parameter of that name.
    Count(String),
    /// The result is left there.
    Output,
    /// The result's length is left there.
    OutputCount,
    /// Something is left there that nobody needs.
    Ignored,
}

/// What a caller gives.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Given {
    /// The parameter's name.
    pub(crate) name: String,
    /// Whether it may be left out.
    pub(crate) optional: bool,
    pub(crate) what: What,
    /// What it is for, in the catalog's words.
    pub(crate) doc: Option<String>,
    /// What may be given, where the C type does not tell.
    pub(crate) hint: Option<String>,
}

/// One value or many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum What {
    One(Value),
    /// A C array of them: of pointers for what is behind a pointer.
    List(Value),
    /// A C array of structs in a row.
    Structs(Kind),
}

/// What comes out.
#[derive(Debug, PartialEq)]
pub(crate) enum Returned {
    One(Value),
    List(Value, Length),
    Structs(Kind, Length),
}

impl Shape {
    /// Finds out how a function is called.
    pub(crate) fn of(function: &Function, enums: &Enums) -> Result<Self, String> {
        let returned = CType::read(&function.return_type.c, function.return_type.canonical.as_deref(), enums);
        let types: Vec<CType> =
            function.params.iter().map(|param| CType::read(&param.c, param.canonical.as_deref(), enums)).collect();
        let mut reading = Reading { function, returned: &returned, types: &types, output: None, array: None };
        let slots = reading.slots()?;
        let (output, array) = (reading.output.take(), reading.array.take());
        let counted = slots.contains(&Slot::OutputCount);
        if let Some(value) = output {
            let presence = presence(&returned)?;
            return Ok(Self { slots, result: Returned::One(value), from: Place::Output, presence });
        }
        let result = result(function, returned, counted, array)?;
        Ok(Self { slots, result, from: Place::Return, presence: false })
    }

    /// What the caller gives, in order.
    pub(crate) fn given(&self) -> impl Iterator<Item = &Given> {
        self.slots.iter().filter_map(|slot| match slot {
            Slot::Given(given) => Some(given),
            _ => None,
        })
    }
}

/// Going through the parameters.
struct Reading<'a> {
    function: &'a Function,
    returned: &'a CType,
    types: &'a [CType],
    /// What is left behind a parameter.
    output: Option<Value>,
    /// The name of the last array given.
    array: Option<String>,
}

impl Reading<'_> {
    fn slots(&mut self) -> Result<Vec<Slot>, String> {
        let mut slots = Vec::new();
        for (index, (param, ctype)) in self.function.params.iter().zip(self.types).enumerate() {
            let counts = self.counts_previous(index, &slots);
            slots.push(match counts {
                Some(array) => Slot::Count(array),
                None => self.slot(index, param, ctype)?,
            });
        }
        Ok(slots)
    }

    fn slot(&mut self, index: usize, param: &Param, ctype: &CType) -> Result<Slot, String> {
        let name = &param.name;
        if let Some(unknown) = ctype.unknown() {
            return Err(format!("{name}: there is no form of `{unknown}` outside the library"));
        }
        match ctype {
            CType::Value(Value::Coded(kind)) if self.is_array(index) => self.give(index, param, What::Structs(*kind)),
            CType::Value(value) => self.give(index, param, What::One(value.clone())),
            CType::Pointer(inner, constant) => self.pointer(index, param, inner, *constant),
            CType::Void | CType::Unknown(_) => Err(format!("{name}: no value can be given for `{}`", param.c)),
        }
    }

    fn pointer(&mut self, index: usize, param: &Param, inner: &CType, constant: bool) -> Result<Slot, String> {
        let name = &param.name;
        match inner {
            CType::Value(Value::Scalar(Scalar::Uint8)) => {
                Err(format!("{name}: takes raw bytes; the function's `hexwkb` form takes text"))
            }
            CType::Value(value) if self.is_array(index) => {
                self.array = Some(name.clone());
                self.give(index, param, What::List(value.clone()))
            }
            CType::Value(value) if !constant && matches!(name.as_str(), "result" | "value") => {
                self.output = Some(value.clone());
                Ok(Slot::Output)
            }
            CType::Value(Value::Scalar(Scalar::Int32 | Scalar::Int64)) if name == "count" && self.returns_pointer() => {
                Ok(Slot::OutputCount)
            }
            CType::Value(Value::Scalar(Scalar::Uint64)) if name.starts_with("size") => {
                if *self.returned == CType::Value(Value::Scalar(Scalar::Cstring)) {
                    Ok(Slot::Ignored)
                } else {
                    Err("returns raw bytes; the function's `hexwkb` form returns text".to_owned())
                }
            }
            _ if self.function.makes_array_in(param) || (!constant && name.ends_with("bins")) => Ok(Slot::Ignored),
            CType::Value(_) if constant => Err(format!("{name}: an array without a count of its own")),
            _ => Err(format!("{name}: a second result, or an array without a count of its own")),
        }
    }

    fn give(&self, index: usize, param: &Param, what: What) -> Result<Slot, String> {
        // An aggregate begins without a state.
        let state = index == 0 && self.function.name.ends_with("_transfn");
        let optional = state || self.function.is_nullable(param) || is_optional(&self.function.name, &param.name);
        let doc = param.doc.clone().filter(|doc| !doc.trim().is_empty());
        let hint = hint(&self.function.name, &param.name);
        Ok(Slot::Given(Given { name: param.name.clone(), optional, what, doc, hint }))
    }

    fn returns_pointer(&self) -> bool {
        matches!(self.returned, CType::Pointer(..) | CType::Value(Value::Coded(_)))
    }

    /// Whether the next parameter is an integer that counts this one.
    fn is_array(&self, index: usize) -> bool {
        let Some((next, CType::Value(Value::Scalar(scalar)))) =
            self.function.params.get(index + 1).zip(self.types.get(index + 1))
        else {
            return false;
        };
        let integer = matches!(scalar, Scalar::Int32 | Scalar::Int64 | Scalar::Uint32 | Scalar::Uint64);
        // `ngeoms` counts `geoms`; `n` alone is a position in MEOS.
        let named = next.name == "count"
            || self.function.params.get(index).is_some_and(|param| next.name.strip_prefix('n') == Some(&param.name));
        integer && named
    }

    fn counts_previous(&self, index: usize, slots: &[Slot]) -> Option<String> {
        let previous = index.checked_sub(1)?;
        match slots.get(previous)? {
            Slot::Given(given) if !matches!(given.what, What::One(_)) && self.is_array(previous) => {
                Some(given.name.clone())
            }
            _ => None,
        }
    }
}

/// Parameters that MEOS takes a null pointer for, as its sources say; catalogs without words for parameters do not.
fn is_optional(function: &str, param: &str) -> bool {
    matches!(
        (function, param),
        (_, "maxt" | "zspan" | "srs") | ("tgeo_scale", "sorigin") | ("tbox_make", "s" | "p") | ("stbox_make", "s")
    )
}

/// Whether the return value says that the result is there.
fn presence(returned: &CType) -> Result<bool, String> {
    match returned {
        CType::Void => Ok(false),
        CType::Value(Value::Scalar(Scalar::Bool | Scalar::Int32)) => Ok(true),
        _ => Err("has two results".to_owned()),
    }
}

fn result(function: &Function, returned: CType, counted: bool, array: Option<String>) -> Result<Returned, String> {
    if let Some(unknown) = returned.unknown() {
        return Err(format!("returns `{unknown}`, which has no form outside the library"));
    }
    let length = if counted { Some(Length::Written) } else { implied_length(function) };
    match (returned, length) {
        (CType::Void, _) => Err("changes its argument in place and returns nothing".to_owned()),
        (CType::Value(Value::Coded(kind)), Some(length)) => Ok(Returned::Structs(kind, length)),
        (CType::Value(Value::Coded(kind)), None) if function.name.ends_with("arr_round") => {
            let array = array.or_else(|| function.params.first().map(|param| param.name.clone()));
            array.map(|array| Returned::Structs(kind, Length::Given(array))).ok_or_else(no_length)
        }
        (CType::Value(value), _) => Ok(Returned::One(value)),
        (CType::Pointer(inner, _), length) => match (*inner, length.or(array.map(Length::Given))) {
            (CType::Value(Value::Scalar(Scalar::Uint8)), _) => {
                Err("returns raw bytes; the function's `hexwkb` form returns text".to_owned())
            }
            (CType::Value(value), Some(length)) => Ok(Returned::List(value, length)),
            (CType::Value(_), None) => Err(no_length()),
            _ => Err("returns an array of arrays".to_owned()),
        },
        (CType::Unknown(name), _) => Err(format!("returns `{name}`, which has no form outside the library")),
    }
}

fn no_length() -> String {
    "returns an array whose length shows nowhere".to_owned()
}

/// Arrays as long as another function says, which the C types do not show.
fn implied_length(function: &Function) -> Option<Length> {
    let of = match (function.count_function(), function.name.as_str()) {
        (Some(known), _) => known,
        (None, "spanset_spans" | "spanset_spanarr") => "spanset_num_spans",
        (None, "set_spans") => "set_num_values",
        (None, name) if name.ends_with("set_values") => "set_num_values",
        _ => return None,
    };
    Some(Length::Function(of.to_owned(), 0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use abi_mcp_sdk::serde_json::json;

    /// A function from `name(type name, ..) -> type`.
    fn shape(returns: &str, name: &str, params: &[(&str, &str)]) -> Result<Shape, String> {
        let params: Vec<_> = params.iter().map(|(c, name)| json!({ "name": name, "cType": c })).collect();
        let entry = json!({ "name": name, "returnType": { "c": returns }, "params": params });
        let enums = Enums::from([("meosType".to_owned(), vec![("T_BOOL".to_owned(), 1)])]);
        Shape::of(&Function::read(&entry).unwrap(), &enums)
    }

    #[test]
    fn b05_a_result_behind_a_parameter_is_no_argument_and_the_return_value_says_whether_it_is_there() {
        let shape =
            shape("bool", "floatset_value_n", &[("const Set *", "s"), ("int", "n"), ("double *", "result")]).unwrap();
        assert_eq!(shape.given().map(|given| given.name.as_str()).collect::<Vec<_>>(), ["s", "n"]);
        assert_eq!((shape.from, shape.presence), (Place::Output, true));
        assert_eq!(shape.result, Returned::One(Value::Scalar(Scalar::Double)));
    }

    #[test]
    fn an_array_takes_the_count_behind_it() {
        let made = shape("Set *", "floatset_make", &[("const double *", "values"), ("int", "count")]).unwrap();
        assert_eq!(made.slots.get(1), Some(&Slot::Count("values".to_owned())));
        let spans = shape("SpanSet *", "spanset_make", &[("Span *", "spans"), ("int", "count")]).unwrap();
        assert!(matches!(spans.given().next().unwrap().what, What::Structs(Kind::Span)));
        let clusters = [("const GSERIALIZED **", "geoms"), ("uint32_t", "ngeoms"), ("uint32_t", "k")];
        let clusters = shape("int *", "geo_cluster_kmeans", &clusters).unwrap();
        assert_eq!(clusters.result, Returned::List(Value::Scalar(Scalar::Int32), Length::Given("geoms".to_owned())));
        // A position is not a count.
        let nth = shape("Span *", "spanset_span_n", &[("const SpanSet *", "ss"), ("int", "n")]).unwrap();
        assert_eq!(nth.given().count(), 2);
    }

    #[test]
    fn arrays_that_come_out_are_lists_of_values_of_pointers_or_of_structs() {
        let of = |returns: &str, name: &str| {
            shape(returns, name, &[("const Temporal *", "temp"), ("int *", "count")]).unwrap().result
        };
        assert_eq!(of("double *", "tfloat_values"), Returned::List(Value::Scalar(Scalar::Double), Length::Written));
        assert_eq!(
            of("TSequence **", "temporal_sequences"),
            Returned::List(Value::Coded(Kind::Temporal), Length::Written)
        );
        assert_eq!(of("STBox *", "tgeo_stboxes"), Returned::Structs(Kind::STBox, Length::Written));
        let values = shape("TimestampTz *", "tstzset_values", &[("const Set *", "s")]).unwrap().result;
        let length = Length::Function("set_num_values".to_owned(), 0);
        assert_eq!(values, Returned::List(Value::Coded(Kind::TimestampTz), length));
    }

    #[test]
    fn what_nobody_reads_is_ignored() {
        let hex =
            shape("char *", "set_as_hexwkb", &[("const Set *", "s"), ("uint8_t", "variant"), ("size_t *", "size_out")]);
        assert_eq!(hex.unwrap().slots.get(2), Some(&Slot::Ignored));
        let split = [
            ("const Temporal *", "temp"),
            ("int", "vsize"),
            ("int", "vorigin"),
            ("int **", "bins"),
            ("int *", "count"),
        ];
        let split = shape("Temporal **", "tint_value_split", &split).unwrap();
        assert_eq!((split.slots.get(3), split.slots.get(4)), (Some(&Slot::Ignored), Some(&Slot::OutputCount)));
    }

    #[test]
    fn b14_what_cannot_be_called_has_one_line_that_says_why() {
        let reason = |returns: &str, params: &[(&str, &str)]| shape(returns, "f", params).unwrap_err();
        assert!(reason("Temporal *", &[("Datum", "value")]).contains("`Datum`"));
        assert!(reason("Temporal *", &[("datum_func3", "func")]).contains("`datum_func3`"));
        assert!(reason("meosType", &[("const Temporal *", "temp")]).contains("returns `meosType`"));
        assert!(reason("void", &[("Cbuffer *", "cb"), ("int32_t", "srid")]).contains("in place"));
        assert!(reason("uint8_t *", &[("const Set *", "s"), ("size_t *", "size_out")]).contains("raw bytes"));
        assert!(reason("Set *", &[("const uint8_t *", "wkb"), ("size_t", "size")]).contains("raw bytes"));
        assert!(reason("double *", &[("const Pose *", "pose")]).contains("length"));
        assert!(
            reason("GSERIALIZED *", &[("const GSERIALIZED *", "geom"), ("double *", "radius")])
                .contains("second result")
        );
    }
}

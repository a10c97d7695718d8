//! Which types a function's operands have: the heart of the mapping.
//!
//! C says `Temporal *`; the library wants a tgeompoint. What is known: the words of the function's name, the names of
//! its parameters, the SQL overloads of its wrapper, and that operands must fit each other (a span beside an `int` is
//! an intspan, two values of one C struct are of one type). Comes out: the rows of types that fit, the likeliest
//! first; a call tries them in that order. Where nothing narrows, every type of the C struct is a row.

use crate::ctype::Value;
use crate::function::{Function, SqlSignature};
use crate::names::{Words, types};
use crate::shape::{Given, Shape, What};
use crate::types::{Base, Kind, Type, all, named};

/// One type for each operand that travels as text.
pub(crate) type Row = Vec<&'static Type>;

/// What was found out.
pub(crate) struct Choice {
    /// Likeliest first; at least one, each as long as there are coded operands.
    pub(crate) rows: Vec<Row>,
    /// The SQL overloads that match rows: their position, and the row.
    pub(crate) overloads: Vec<(usize, Row)>,
}

impl Choice {
    /// Leaves only rows that something holds for, if any does.
    pub(crate) fn retain(&mut self, holds: impl Fn(&Row) -> bool) {
        if self.rows.iter().any(&holds) {
            self.rows.retain(&holds);
            self.overloads.retain(|(_, row)| holds(row));
        }
    }

    /// The SQL overload of the likeliest row that has one.
    pub(crate) fn overload(&self) -> Option<usize> {
        let of = |row: &Row| self.overloads.iter().find(|(_, overload)| same(row, overload));
        self.rows.iter().find_map(of).map(|(index, _)| *index)
    }
}

/// More rows than this add nothing but size: the last ones are only reached by values no earlier one reads.
const ROWS: usize = 24;

/// More rows than this are not even looked at while operands are combined.
const MOST_ROWS: usize = 4096;

/// An operand and the types it may have.
struct Column {
    kind: Kind,
    types: Vec<&'static Type>,
    /// Whether only the C struct or a word for a whole family is known.
    wide: bool,
}

/// Chooses for every coded operand of `shape`, in order.
pub(crate) fn choose(function: &Function, shape: &Shape) -> Choice {
    let columns = columns(function, shape);
    let mut rows = combine(&columns, true);
    if rows.is_empty() {
        rows = combine(&columns, false);
    }
    let overloads = overloads(&function.sql_signatures, &columns, &rows);
    if !overloads.is_empty() {
        rows.retain(|row| overloads.iter().any(|(_, overload)| same(row, overload)));
    }
    rows.truncate(ROWS);
    let bases = Words::of(&function.name).bases();
    rows.iter_mut().for_each(|row| narrow_boxes(row, &bases));
    Choice { rows, overloads }
}

/// The coded operand's kind.
pub(crate) fn coded(given: &Given) -> Option<Kind> {
    match &given.what {
        What::One(Value::Coded(kind)) | What::List(Value::Coded(kind)) | What::Structs(kind) => Some(*kind),
        _ => None,
    }
}

fn columns(function: &Function, shape: &Shape) -> Vec<Column> {
    let words = Words::of(&function.name);
    let bases = words.bases();
    let mut unused = words.operands;
    let mut columns = Vec::new();
    for given in shape.given() {
        let Some(kind) = coded(given) else { continue };
        let of_kind = |word: &str| types(word).into_iter().filter(|it| it.kind == kind).collect::<Vec<_>>();
        let at = unused.iter().position(|word| !of_kind(word).is_empty());
        let named = at.map(|at| of_kind(unused.remove(at))).unwrap_or_else(|| of_kind(&given.name));
        let before = columns.iter().find(|column: &&Column| column.kind == kind);
        let exception = exceptional(&function.name, &given.name);
        let certain = exception.is_some();
        let mut found = match (exception, named, before) {
            (Some(known), ..) => known,
            // The second of two operands is like the first: `temporal_merge(temp1, temp2)`.
            (None, named, Some(column)) if named.is_empty() => column.types.clone(),
            (None, named, None) if named.is_empty() => all(kind),
            (None, named, _) => named,
        };
        narrow_to_checked(&mut found, kind, function.checked_types(&given.name), certain);
        let wide = found.len() > 1;
        if wide {
            narrow_to_bases(&mut found, kind, &bases);
        }
        columns.push(Column { kind, types: found, wide });
    }
    columns
}

/// What the library checks is true, whatever names say; names are narrower where it does not check. What is known
/// from elsewhere (`certain`) is only ever narrowed.
fn narrow_to_checked(found: &mut Vec<&'static Type>, kind: Kind, checked: &[String], certain: bool) {
    if kind == Kind::TBox {
        // Checks know one box type; names tell boxes of integers from boxes of floats.
        return;
    }
    let checked: Vec<_> = all(kind).into_iter().filter(|it| checked.iter().any(|name| name == it.label())).collect();
    let both: Vec<_> = checked.iter().copied().filter(|it| found.contains(it)).collect();
    match (both.is_empty(), checked.is_empty()) {
        (false, _) => *found = both,
        (true, false) if !certain => *found = checked,
        (true, _) => {}
    }
}

/// Leaves only what is made of a base the name mentions, if that leaves anything: `left_set_int` takes an intset.
fn narrow_to_bases(found: &mut Vec<&'static Type>, kind: Kind, bases: &[Base]) {
    if !matches!(kind, Kind::Set | Kind::Span | Kind::SpanSet) {
        return;
    }
    let fitting: Vec<_> = found.iter().copied().filter(|it| bases.contains(&it.base)).collect();
    if !fitting.is_empty() {
        *found = fitting;
    }
}

/// Operands that neither name nor SQL tell, as MEOS' sources check them.
fn exceptional(function: &str, param: &str) -> Option<Vec<&'static Type>> {
    let names: &[&str] = match (function, param) {
        ("tbox_make", "s") => &["intspan", "floatspan"],
        ("tbox_make", "p") | ("stbox_make" | "temporal_extent_transfn", "s") => &["tstzspan"],
        ("tcbuffer_make" | "tpose_make", "tpoint") => &["tgeompoint"],
        ("cbuffer_make", "point") => &["geometry"],
        ("tpose_make", "tradius") => &["tfloat"],
        ("temporal_stops" | "temporal_derivative", "temp") => &["tfloat", "tgeompoint", "tgeogpoint"],
        (_, "temp") if function.starts_with("temporal_simplify_") => {
            &["tfloat", "tgeompoint", "tgeometry", "tgeogpoint", "tgeography"]
        }
        ("tnumber_trend", "temp") => &["tfloat"],
        ("tgeo_traversed_area", "temp") => &["tgeometry", "tgeography"],
        ("temporal_hausdorff_distance", _) => &["tint", "tfloat", "tgeompoint", "tgeogpoint"],
        ("temporal_round", "temp") | ("temparr_round", _) => {
            &["tfloat", "tgeompoint", "tgeometry", "tcbuffer", "tpose", "tgeogpoint", "tgeography"]
        }
        ("set_round", "s") => &["floatset", "geomset", "cbufferset", "poseset", "geogset"],
        ("set_to_tbox", "s") => &["intset", "floatset", "tstzset"],
        ("span_to_tbox", "s") => &["intspan", "floatspan", "tstzspan"],
        ("spanset_to_tbox", "ss") => &["intspanset", "floatspanset", "tstzspanset"],
        _ => return None,
    };
    Some(names.iter().filter_map(|name| named(name)).collect())
}

/// Every row whose members agree with each other, or simply every row.
fn combine(columns: &[Column], agreeing: bool) -> Vec<Row> {
    let mut rows: Vec<Row> = vec![Vec::new()];
    for (index, column) in columns.iter().enumerate() {
        let mut longer = Vec::new();
        for row in &rows {
            for it in &column.types {
                let fits = |(before, other): (&Column, &&'static Type)| agree(before, other, column, it);
                if !agreeing || columns.iter().take(index).zip(row).all(fits) {
                    let mut row = row.clone();
                    row.push(it);
                    longer.push(row);
                }
            }
        }
        // No function of MEOS comes near; a catalog made to be hostile must not fill the memory.
        longer.truncate(MOST_ROWS);
        rows = longer;
    }
    rows
}

/// Whether two operands of one call can have these types.
fn agree(column: &Column, a: &'static Type, other: &Column, b: &'static Type) -> bool {
    use Kind::{Cbuffer, Geo, Npoint, Pose, Set, Span, SpanSet, Temporal};
    match (a.kind, b.kind) {
        (Geo, Geo) => a.name == b.name,
        (Temporal, Temporal) => {
            let alike = column.types == other.types;
            if alike { a.name == b.name } else { !(a.is_spatial() && b.is_spatial()) || same_earth(a, b) }
        }
        (Set, Set) | (Span, Span) | (SpanSet, SpanSet) => column.types != other.types || a.name == b.name,
        (Set | Span | SpanSet, Set | Span | SpanSet) => a.base == b.base,
        (Temporal, Geo) | (Geo, Temporal) => {
            let (temporal, geo) = if a.kind == Temporal { (a, b) } else { (b, a) };
            !temporal.is_spatial() || same_earth(temporal, geo)
        }
        (Temporal, Set | Span | SpanSet) => !other.wide || a.base == b.base,
        (Set | Span | SpanSet, Temporal) => !column.wide || a.base == b.base,
        (Cbuffer | Npoint | Pose, Geo) => b.base == Base::Geometry,
        (Geo, Cbuffer | Npoint | Pose) => a.base == Base::Geometry,
        (Geo | Cbuffer | Npoint | Pose, Set) => !other.wide || a.base == b.base,
        (Set, Geo | Cbuffer | Npoint | Pose) => !column.wide || a.base == b.base,
        _ => true,
    }
}

/// Round or flat, both.
fn same_earth(a: &Type, b: &Type) -> bool {
    (a.base == Base::Geography) == (b.base == Base::Geography)
}

/// The SQL overloads whose arguments make one of the rows.
fn overloads(signatures: &[SqlSignature], columns: &[Column], rows: &[Row]) -> Vec<(usize, Row)> {
    let read = |(index, signature): (usize, &SqlSignature)| {
        let row = sql_row(signature, columns)?;
        rows.iter().any(|known| same(known, &row)).then_some((index, row))
    };
    signatures.iter().enumerate().filter_map(read).collect()
}

/// The overload's types for our operands: for each the first argument of its kind not yet taken, as SQL does not
/// always keep the order of C.
fn sql_row(signature: &SqlSignature, columns: &[Column]) -> Option<Row> {
    let mut arguments: Vec<&'static Type> = signature.args.iter().filter_map(|argument| sql_type(argument)).collect();
    let mut take = |kind: Kind| {
        let at = arguments.iter().position(|it| it.kind == kind)?;
        Some(arguments.remove(at))
    };
    columns.iter().map(|column| take(column.kind)).collect()
}

fn sql_type(name: &str) -> Option<&'static Type> {
    named(name.split(['(', '[']).next()?)
}

/// Boxes are not told apart here.
fn same(row: &Row, other: &Row) -> bool {
    let equal =
        |(a, b): (&&'static Type, &&'static Type)| a.name == b.name || (a.kind == b.kind && a.kind == Kind::TBox);
    row.len() == other.len() && row.iter().zip(other).all(equal)
}

/// A box beside numbers is a box of such numbers, which only its example shows.
fn narrow_boxes(row: &mut Row, bases: &[Base]) {
    let number = |base: &Base| matches!(base, Base::Int | Base::Float);
    let beside = row.iter().map(|it| it.base).find(number).or_else(|| bases.iter().copied().find(number));
    let narrower = match beside {
        Some(Base::Int) => named("tboxint"),
        Some(_) => named("tboxfloat"),
        None => None,
    };
    for it in row.iter_mut().filter(|it| it.name == "tbox") {
        *it = narrower.unwrap_or(*it);
    }
}

#[cfg(test)]
mod tests;

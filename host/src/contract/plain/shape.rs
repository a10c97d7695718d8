//! The types of values that have a JSON form.
//!
//! In comes the engine's description of a type, out comes a [`Shape`], or why there is none. Everything after this file
//! knows shapes only, and need not ask again whether a value can be written down.

use wasmtime::component::types::Type;

/// Most types one function may be made of. A small component can describe a type with a million parts.
const MAX_PARTS: usize = 4096;

/// Deepest nesting of one type.
const MAX_DEPTH: usize = 32;

/// A type whose values have a JSON form ([`super::schema`] says which).
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Shape {
    Bool,
    Whole(Whole),
    /// `f32`.
    Single,
    /// `f64`.
    Double,
    Char,
    Text,
    List(Box<Self>),
    /// A list of exactly so many.
    Fixed(Box<Self>, u32),
    Tuple(Vec<Self>),
    Record(Vec<(String, Self)>),
    Variant(Vec<(String, Option<Self>)>),
    Enum(Vec<String>),
    Option(Box<Self>),
    Result(Option<Box<Self>>, Option<Box<Self>>),
    Flags(Vec<String>),
}

/// A kind of integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whole {
    S8,
    U8,
    S16,
    U16,
    S32,
    U32,
    S64,
    U64,
}

impl Whole {
    /// The smallest and the largest.
    pub(super) fn bounds(self) -> (i64, u64) {
        match self {
            Self::S8 => (i8::MIN.into(), i8::MAX as u64),
            Self::U8 => (0, u8::MAX.into()),
            Self::S16 => (i16::MIN.into(), i16::MAX as u64),
            Self::U16 => (0, u16::MAX.into()),
            Self::S32 => (i32::MIN.into(), i32::MAX as u64),
            Self::U32 => (0, u32::MAX.into()),
            Self::S64 => (i64::MIN, i64::MAX as u64),
            Self::U64 => (0, u64::MAX),
        }
    }
}

/// Reads the types of one function; it has one budget for all of them.
#[derive(Debug)]
pub(super) struct Reader {
    left: usize,
}

impl Reader {
    pub(super) fn new() -> Self {
        Self { left: MAX_PARTS }
    }

    /// The shape of a type.
    ///
    /// # Errors
    /// What in it has no JSON form, as a noun.
    pub(super) fn read(&mut self, ty: &Type) -> Result<Shape, &'static str> {
        self.at(ty, 0)
    }

    fn at(&mut self, ty: &Type, depth: usize) -> Result<Shape, &'static str> {
        self.left = self.left.checked_sub(1).filter(|_| depth <= MAX_DEPTH).ok_or("a type too large to describe")?;
        let depth = depth + 1;
        Ok(match ty {
            Type::Bool => Shape::Bool,
            Type::S8 => Shape::Whole(Whole::S8),
            Type::U8 => Shape::Whole(Whole::U8),
            Type::S16 => Shape::Whole(Whole::S16),
            Type::U16 => Shape::Whole(Whole::U16),
            Type::S32 => Shape::Whole(Whole::S32),
            Type::U32 => Shape::Whole(Whole::U32),
            Type::S64 => Shape::Whole(Whole::S64),
            Type::U64 => Shape::Whole(Whole::U64),
            Type::Float32 => Shape::Single,
            Type::Float64 => Shape::Double,
            Type::Char => Shape::Char,
            Type::String => Shape::Text,
            Type::List(list) => Shape::List(Box::new(self.at(&list.ty(), depth)?)),
            Type::FixedLengthList(list) => Shape::Fixed(Box::new(self.at(&list.ty(), depth)?), list.len()),
            Type::Tuple(tuple) => {
                Shape::Tuple(tuple.types().map(|ty| self.at(&ty, depth)).collect::<Result<_, &'static str>>()?)
            }
            Type::Record(record) => {
                let fields = record
                    .fields()
                    .map(|field| Ok::<_, &'static str>((field.name.to_owned(), self.at(&field.ty, depth)?)));
                Shape::Record(fields.collect::<Result<_, _>>()?)
            }
            Type::Variant(variant) => {
                let cases = variant
                    .cases()
                    .map(|case| Ok::<_, &'static str>((case.name.to_owned(), self.maybe(case.ty.as_ref(), depth)?)));
                Shape::Variant(cases.collect::<Result<_, _>>()?)
            }
            Type::Enum(names) => Shape::Enum(names.names().map(str::to_owned).collect()),
            Type::Option(option) => Shape::Option(Box::new(self.at(&option.ty(), depth)?)),
            Type::Result(result) => Shape::Result(
                self.maybe(result.ok().as_ref(), depth)?.map(Box::new),
                self.maybe(result.err().as_ref(), depth)?.map(Box::new),
            ),
            Type::Flags(flags) => Shape::Flags(flags.names().map(str::to_owned).collect()),
            Type::Own(_) | Type::Borrow(_) => return Err("a resource"),
            Type::Future(_) => return Err("a future"),
            Type::Stream(_) => return Err("a stream"),
            Type::ErrorContext => return Err("an error context"),
            Type::Map(_) => return Err("a map"),
        })
    }

    /// The shape of what may carry nothing.
    fn maybe(&mut self, ty: Option<&Type>, depth: usize) -> Result<Option<Shape>, &'static str> {
        ty.map(|ty| self.at(ty, depth)).transpose()
    }
}

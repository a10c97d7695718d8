//! What the engine needs of a C library: functions by name, and the memory they work on.

use crate::signature::Signature;

/// A place in the library's memory; 0 is the null pointer.
pub type Address = u32;

/// A value of any C type as its 64 bits: integers sign-extended, a `double`'s pattern, an address.
pub type Slot = u64;

/// The size of a pointer in the library's memory: WebAssembly's.
pub(crate) const POINTER: u32 = 4;

/// A callable function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its place in the library's table.
    pub index: usize,
    /// Its types.
    pub signature: Signature,
}

/// Why a call did not return.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The library's own number for it; absent where it wanted to end the process.
    pub code: Option<i32>,
    /// The library's own words, as they came.
    pub text: String,
}

/// A C library and its memory. Nothing is ever freed: an instance lives for one call.
pub trait Machine {
    /// The library's release, such as `1.3.0rc1`.
    fn release(&self) -> String;
    /// Whether GEOS is linked.
    fn has_geos(&self) -> bool;
    /// The function of that name.
    fn function(&self, name: &str) -> Option<Function>;
    /// The size of a structure signatures name, in bytes.
    fn structure(&self, name: &str) -> Option<u32>;
    /// The name of one of the library's error codes.
    fn error_name(&self, code: i32) -> Option<String>;
    /// Calls a function with one slot for each parameter.
    ///
    /// # Errors
    ///
    /// The library reported an error or wanted to end the process.
    fn call(&mut self, function: &Function, arguments: &[Slot]) -> Result<Slot, Refusal>;
    /// Takes so many zeroed bytes, aligned for any type. Panics or traps where there are none left.
    fn allocate(&mut self, bytes: u32) -> Address;
    /// Writes bytes to memory that was allocated.
    fn write(&mut self, at: Address, bytes: &[u8]);
    /// Reads bytes; `at` is the library's or ours.
    fn read(&self, at: Address, bytes: u32) -> Vec<u8>;
    /// Reads up to the zero byte.
    fn text(&self, at: Address) -> Vec<u8>;
}

/// Copies a string with its zero byte.
pub(crate) fn place_text(machine: &mut impl Machine, text: &str) -> Address {
    let bytes = text.as_bytes();
    let at = machine.allocate(u32::try_from(bytes.len() + 1).unwrap_or(u32::MAX));
    machine.write(at, bytes);
    at
}

/// A slot's address.
#[expect(clippy::cast_possible_truncation, reason = "an address has 32 bits; the upper ones of a slot are none of it")]
pub(crate) fn address(slot: Slot) -> Address {
    slot as Address
}

/// The little-endian number in up to eight bytes.
pub(crate) fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

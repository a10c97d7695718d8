//! A C library in Rust: memory is a map of bytes, functions are closures over it.

use abi_mcp_meos_engine::{Address, Function, Machine, Refusal, Signature, Slot};

type Body = fn(&mut Memory, &[Slot]) -> Result<Slot, Refusal>;

/// Memory that only grows.
#[derive(Default)]
pub(crate) struct Memory(Vec<u8>);

impl Memory {
    pub(crate) fn take(&mut self, bytes: usize) -> Address {
        // Address 0 is the null pointer; every piece is aligned for anything.
        let at = (self.0.len().max(16)).next_multiple_of(16);
        self.0.resize(at + bytes, 0);
        u32::try_from(at).unwrap()
    }

    pub(crate) fn put(&mut self, bytes: &[u8]) -> Slot {
        let at = self.take(bytes.len());
        self.0[at as usize..at as usize + bytes.len()].copy_from_slice(bytes);
        u64::from(at)
    }

    pub(crate) fn put_text(&mut self, text: &str) -> Slot {
        self.put(format!("{text}\0").as_bytes())
    }

    pub(crate) fn store(&mut self, at: Slot, bytes: &[u8]) {
        let at = usize::try_from(at).unwrap();
        self.0[at..at + bytes.len()].copy_from_slice(bytes);
    }

    pub(crate) fn bytes(&self, at: Slot, length: usize) -> &[u8] {
        let at = usize::try_from(at).unwrap();
        &self.0[at..at + length]
    }

    pub(crate) fn int(&self, at: Slot) -> i32 {
        i32::from_le_bytes(self.bytes(at, 4).try_into().unwrap())
    }

    pub(crate) fn string(&self, at: Slot) -> String {
        let start = usize::try_from(at).unwrap();
        let end = start + self.0[start..].iter().position(|byte| *byte == 0).unwrap();
        String::from_utf8(self.0[start..end].to_vec()).unwrap()
    }
}

/// The library: what is in its table.
pub(crate) struct Library {
    pub(crate) memory: Memory,
    functions: Vec<(&'static str, &'static str, Body)>,
}

impl Library {
    pub(crate) fn new(functions: &[(&'static str, &'static str, Body)]) -> Self {
        Self { memory: Memory::default(), functions: functions.to_vec() }
    }
}

pub(crate) fn refuse(code: i32, text: &str) -> Result<Slot, Refusal> {
    Err(Refusal { code: Some(code), text: text.to_owned() })
}

impl Machine for Library {
    fn release(&self) -> String {
        "1.3.0".to_owned()
    }

    fn has_geos(&self) -> bool {
        false
    }

    fn function(&self, name: &str) -> Option<Function> {
        let index = self.functions.iter().position(|(known, ..)| *known == name)?;
        Some(Function { index, signature: Signature::read(self.functions[index].1)? })
    }

    fn structure(&self, name: &str) -> Option<u32> {
        (name == "Pair").then_some(8)
    }

    fn error_name(&self, code: i32) -> Option<String> {
        (code == 22).then(|| "MEOS_ERR_TEXT_INPUT".to_owned())
    }

    fn call(&mut self, function: &Function, arguments: &[Slot]) -> Result<Slot, Refusal> {
        assert_eq!(arguments.len(), function.signature.parameters.len(), "one slot for each parameter");
        (self.functions[function.index].2)(&mut self.memory, arguments)
    }

    fn allocate(&mut self, bytes: u32) -> Address {
        self.memory.take(bytes as usize)
    }

    fn write(&mut self, at: Address, bytes: &[u8]) {
        self.memory.store(u64::from(at), bytes);
    }

    fn read(&self, at: Address, bytes: u32) -> Vec<u8> {
        self.memory.bytes(u64::from(at), bytes as usize).to_vec()
    }

    fn text(&self, at: Address) -> Vec<u8> {
        self.memory.string(u64::from(at)).into_bytes()
    }
}

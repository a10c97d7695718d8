//! What the server and its compiler process say to each other, once each way: both are the same program of the same
//! build, so there is no version.

use std::io::{self, Read, Write};

/// Longest component and longest answer that are believed, in bytes; what is longer is not ours.
const LONGEST: u64 = 4 << 30;

/// What is to be compiled.
pub(super) struct Order<W> {
    /// Bytes of memory that may be used for it.
    pub(super) memory: u64,
    /// The component.
    pub(super) wasm: W,
}

/// What became of it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// Machine code.
    Code(Vec<u8>),
    /// It is no valid component, in the compiler's words.
    Invalid(String),
    /// It could not be compiled here, whatever it is.
    Trouble(String),
}

impl Order<&[u8]> {
    pub(super) fn write(&self, to: &mut impl Write) -> io::Result<()> {
        to.write_all(&self.memory.to_le_bytes())?;
        write_bytes(to, self.wasm)
    }
}

impl Order<Vec<u8>> {
    pub(super) fn read(from: &mut impl Read) -> io::Result<Self> {
        Ok(Self { memory: read_number(from)?, wasm: read_bytes(from)? })
    }
}

impl Answer {
    pub(super) fn write(&self, to: &mut impl Write) -> io::Result<()> {
        let (tag, bytes) = match self {
            Self::Code(code) => (0, code.as_slice()),
            Self::Invalid(text) => (1, text.as_bytes()),
            Self::Trouble(text) => (2, text.as_bytes()),
        };
        to.write_all(&[tag])?;
        write_bytes(to, bytes)
    }

    pub(super) fn read(from: &mut impl Read) -> io::Result<Self> {
        let mut tag = [0];
        from.read_exact(&mut tag)?;
        let bytes = read_bytes(from)?;
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        match tag {
            [0] => Ok(Self::Code(bytes)),
            [1] => Ok(Self::Invalid(text(bytes))),
            [2] => Ok(Self::Trouble(text(bytes))),
            _ => Err(io::Error::other("an answer of another program")),
        }
    }
}

fn write_bytes(to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    to.write_all(&(bytes.len() as u64).to_le_bytes())?;
    to.write_all(bytes)?;
    to.flush()
}

fn read_bytes(from: &mut impl Read) -> io::Result<Vec<u8>> {
    let length = read_number(from)?;
    if length > LONGEST {
        return Err(io::Error::other("a length of another program"));
    }
    let mut bytes = Vec::new();
    from.take(length).read_to_end(&mut bytes)?;
    if bytes.len() as u64 != length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(bytes)
}

fn read_number(from: &mut impl Read) -> io::Result<u64> {
    let mut number = [0; 8];
    from.read_exact(&mut number)?;
    Ok(u64::from_le_bytes(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_is_what_is_heard_and_half_of_it_is_nothing() {
        let mut said = Vec::new();
        Order { memory: 7, wasm: b"bytes".as_slice() }.write(&mut said).unwrap();
        let heard = Order::read(&mut said.as_slice()).unwrap();
        assert_eq!((heard.memory, heard.wasm.as_slice()), (7, b"bytes".as_slice()));
        for answer in [Answer::Code(vec![1, 2]), Answer::Invalid("no".to_owned()), Answer::Trouble(String::new())] {
            let mut said = Vec::new();
            answer.write(&mut said).unwrap();
            assert_eq!(Answer::read(&mut said.as_slice()).unwrap(), answer);
            for cut in 0..said.len() {
                assert!(Answer::read(&mut &said[..cut]).is_err(), "{cut}");
            }
        }
        let endless = [&[0][..], &u64::MAX.to_le_bytes()].concat();
        assert!(Answer::read(&mut endless.as_slice()).is_err());
    }
}

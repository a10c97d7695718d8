//! Identifiers and their text forms.
//!
//! Every id of the node is 32 bytes. Applications, contexts, blobs and keys are written in base58, groups and accounts
//! in lower-case hex. Ids made here are SHA-256 of what they stand for, so they are the same in every run.
//! This file does not know what an id belongs to.

use std::fmt;

use sha2::{Digest as _, Sha256};

/// 32 bytes that name something on the node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id([u8; 32]);

impl Id {
    /// The id of an empty state, an absent blob and so on: 32 ones in base58.
    pub(crate) const ZERO: Self = Self([0; 32]);

    /// Hashes `parts`, each with its length before it, so that no two lists of parts give one id.
    pub(crate) fn of(parts: &[&[u8]]) -> Self {
        let mut hasher = Sha256::new();
        for part in parts {
            hasher.update((part.len() as u64).to_be_bytes());
            hasher.update(part);
        }
        Self(hasher.finalize().into())
    }

    /// The plain SHA-256 of `bytes`.
    pub(crate) fn digest(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The bytes themselves.
    #[must_use]
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The base58 form, 32 to 44 characters.
    #[must_use]
    pub fn base58(&self) -> String {
        bs58::encode(self.0).into_string()
    }

    /// The form of 64 lower-case hex characters.
    #[must_use]
    pub fn hex(&self) -> String {
        use fmt::Write as _;
        self.0.iter().fold(String::with_capacity(64), |mut text, byte| {
            // Writing to a string cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
    }

    /// Reads base58.
    ///
    /// # Errors
    /// The node's own words: a wrong character with its place, or `invalid length N, expected a base58 encoded hash`.
    pub fn from_base58(text: &str) -> Result<Self, String> {
        let mut bytes = [0; 32];
        let length = bs58::decode(text).onto(&mut bytes).map_err(|error| error.to_string())?;
        if length == bytes.len() {
            Ok(Self(bytes))
        } else {
            Err(format!("invalid length {length}, expected a base58 encoded hash"))
        }
    }

    /// Reads 64 hex characters of either case.
    #[must_use]
    pub fn from_hex(text: &str) -> Option<Self> {
        if text.len() != 64 || !text.is_ascii() {
            return None;
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
        }
        Some(Self(bytes))
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.base58())
    }
}

/// The `did:key:z…` text of an Ed25519 key: multicodec `ed01` before the key, base58btc after the `z`.
pub(crate) fn did_key(key: &Id) -> String {
    let mut bytes = vec![0xed, 0x01];
    bytes.extend_from_slice(key.bytes());
    format!("did:key:z{}", bs58::encode(bytes).into_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_text_forms_read_back() {
        let id = Id::of(&[b"a", b"b"]);
        assert_eq!(Id::from_base58(&id.base58()), Ok(id));
        assert_eq!(Id::from_hex(&id.hex()), Some(id));
        assert_eq!(Id::ZERO.base58(), "1".repeat(32));
    }

    #[test]
    fn a_bad_id_is_told_in_the_words_of_the_node() {
        assert_eq!(Id::from_base58("zzz").unwrap_err(), "invalid length 3, expected a base58 encoded hash");
        assert_eq!(
            Id::from_base58("not-base58!").unwrap_err(),
            "provided string contained invalid character '-' at byte 3"
        );
    }

    #[test]
    fn a_signer_is_a_did_key() {
        assert!(did_key(&Id::digest(b"x")).starts_with("did:key:z6Mk"));
    }
}

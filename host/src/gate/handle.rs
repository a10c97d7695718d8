//! The signed token that binds a call to an app as its user saw it.
//!
//! `base64url(json) "." base64url(HMAC-SHA256(key, json))`, both unpadded. A handle grants nothing: it proves that
//! whoever calls was shown this version of the app and this guide, and names the context that was chosen. It does
//! not expire; whether it still fits is for [`super`] to compare with what is installed now. The key comes from
//! [`super::key`].

use super::key::Key;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;

/// The longest token that is looked at, in bytes; one of ours has a few hundred.
const LONGEST: usize = 16 * 1024;

/// What a handle says. The members go out in this order and under these one-letter names, which are part of the
/// format: tokens and keys are shared with other servers of the same state folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Handle {
    /// The application's id.
    #[serde(rename = "a")]
    pub(crate) application: String,
    /// The package, or what stands for it.
    #[serde(rename = "p")]
    pub(crate) package: String,
    /// The app's version, or nothing.
    #[serde(rename = "v")]
    pub(crate) version: String,
    /// [`guide_hash`] of the guide that was shown.
    #[serde(rename = "g")]
    pub(crate) guide: String,
    /// The context that was chosen; none in a handle for planning.
    #[serde(rename = "c", deserialize_with = "present")]
    pub(crate) context: Option<String>,
    /// The service, for an app with several.
    #[serde(rename = "s", deserialize_with = "present")]
    pub(crate) service: Option<String>,
}

impl Handle {
    /// Writes the handle as a token signed with `key`.
    pub(crate) fn mint(&self, key: &Key) -> String {
        // A struct of strings always serialises.
        let payload = serde_json::to_vec(self).unwrap_or_default();
        let signature = signer(key).chain_update(&payload).finalize().into_bytes();
        format!("{}.{}", URL_SAFE_NO_PAD.encode(payload), URL_SAFE_NO_PAD.encode(signature))
    }

    /// Reads a token; `None` for anything that `key` did not sign, whatever is wrong with it.
    ///
    /// The signature is compared in constant time, and nothing of the payload is read before it fits.
    pub(crate) fn read(token: &str, key: &Key) -> Option<Self> {
        if token.len() > LONGEST {
            return None;
        }
        // A second dot lands in the signature's part, where base64 refuses it.
        let (payload, signature) = token.split_once('.')?;
        let payload = URL_SAFE_NO_PAD.decode(payload).ok()?;
        let signature = URL_SAFE_NO_PAD.decode(signature).ok()?;
        signer(key).chain_update(&payload).verify_slice(&signature).ok()?;
        serde_json::from_slice(&payload).ok()
    }
}

fn signer(key: &Key) -> Hmac<Sha256> {
    let key: &hmac::digest::Key<Hmac<Sha256>> = &key.block().into();
    Hmac::new(key)
}

/// An option that must be written out, as null at least.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Option::deserialize(deserializer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::guide_hash;
    use sha2::Digest;

    fn key(byte: u8) -> Key {
        Key::from_bytes([byte; 32])
    }

    fn handle() -> Handle {
        Handle {
            application: "Fq1".into(),
            package: "com.x.kv".into(),
            version: "1.0.0".into(),
            guide: guide_hash(Some("# Read me")),
            context: Some("ctx".into()),
            service: None,
        }
    }

    #[test]
    fn the_format_is_the_one_other_servers_write() {
        let token = handle().mint(&key(7));
        let (payload, signature) = token.split_once('.').unwrap();
        let json = String::from_utf8(URL_SAFE_NO_PAD.decode(payload).unwrap()).unwrap();
        let guide = guide_hash(Some("# Read me"));
        let expected = format!(r#"{{"a":"Fq1","p":"com.x.kv","v":"1.0.0","g":"{guide}","c":"ctx","s":null}}"#);
        assert_eq!(json, expected);
        assert_eq!(signature.len(), 43);
        assert_eq!(signature, URL_SAFE_NO_PAD.encode(reference_hmac(&[7; 32], expected.as_bytes())));
    }

    /// HMAC as RFC 2104 writes it, so that the library's key handling is checked too.
    fn reference_hmac(key: &[u8; 32], message: &[u8]) -> Vec<u8> {
        let pad = |byte: u8| {
            let mut block = [byte; 64];
            block.iter_mut().zip(key).for_each(|(b, k)| *b ^= k);
            block
        };
        let inner = Sha256::new().chain_update(pad(0x36)).chain_update(message).finalize();
        Sha256::new().chain_update(pad(0x5c)).chain_update(inner).finalize().to_vec()
    }

    #[test]
    fn what_was_minted_is_read_back() {
        for context in [None, Some("c".to_owned())] {
            for service in [None, Some("api \u{1f600} \"x\"".to_owned())] {
                let handle = Handle { context: context.clone(), service, ..handle() };
                assert_eq!(Handle::read(&handle.mint(&key(1)), &key(1)), Some(handle));
            }
        }
    }

    #[test]
    fn another_key_reads_nothing() {
        assert_eq!(Handle::read(&handle().mint(&key(1)), &key(2)), None);
    }

    #[test]
    fn any_changed_character_is_refused() {
        let token = handle().mint(&key(1));
        for position in 0..token.len() {
            for other in ['A', 'B', '.', '=', '-', '+', ' '] {
                let mut changed = token.clone();
                changed.replace_range(position..=position, &other.to_string());
                assert!(changed == token || Handle::read(&changed, &key(1)).is_none(), "{changed}");
            }
        }
    }

    #[test]
    fn padding_extra_parts_and_rubbish_are_refused() {
        let token = handle().mint(&key(1));
        let (payload, signature) = token.split_once('.').unwrap();
        let standard = base64::engine::general_purpose::STANDARD.encode(URL_SAFE_NO_PAD.decode(payload).unwrap());
        for bad in [
            String::new(),
            ".".into(),
            payload.into(),
            format!("{payload}."),
            format!(".{signature}"),
            format!("{token}."),
            format!(".{token}"),
            format!("{token}.x"),
            format!("{token}="),
            format!("{token}\n"),
            format!(" {token}"),
            format!("{standard}=.{signature}"),
            "é.é".into(),
            "x".repeat(1 << 20),
        ] {
            assert_eq!(Handle::read(&bad, &key(1)), None, "{bad}");
        }
    }

    #[test]
    fn a_signed_text_that_is_no_handle_is_refused() {
        for payload in
            ["", "null", "{}", r#"{"a":"","p":"","v":"","g":""}"#, r#"{"a":1,"p":"","v":"","g":"","c":null,"s":null}"#]
        {
            let signature = signer(&key(1)).chain_update(payload).finalize().into_bytes();
            let token = format!("{}.{}", URL_SAFE_NO_PAD.encode(payload), URL_SAFE_NO_PAD.encode(signature));
            assert_eq!(Handle::read(&token, &key(1)), None, "{payload}");
        }
    }

    #[test]
    fn no_guide_hashes_like_an_empty_one() {
        assert_eq!(guide_hash(None), "e3b0c44298fc1c14");
        assert_eq!(guide_hash(Some("")), "e3b0c44298fc1c14");
        assert_ne!(guide_hash(Some("x")), guide_hash(None));
    }
}

//! Reading variants in the four representations of serde: external, internal, adjacent, untagged.
//!
//! In: a variant type of the manifest and JSON. Out: the value in the same representation, or serde's own words.
//! Payloads are read by `wire.rs`.

use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, EnumAccess, Error as _, VariantAccess, Visitor};
use serde_json::{Map, Value};

use super::wire::{Scope, Slot, Tuple, is_positional, list, one_of, text};

/// A variant type in one of its four representations.
#[derive(Clone, Copy)]
pub(super) struct Enumeration<'a> {
    pub(super) scope: Scope<'a>,
    pub(super) name: &'a str,
    pub(super) def: &'a Value,
}

impl<'a> Enumeration<'a> {
    fn find(&self, name: &str) -> Option<&'a Value> {
        list(self.def, "variants").iter().find(|variant| text(variant, "name") == name)
    }

    fn unknown(&self, name: &str) -> String {
        let names = list(self.def, "variants").iter().map(|variant| text(variant, "name"));
        format!("unknown variant `{name}`, expected {}", one_of(names))
    }

    fn payload(&self, variant: &'a Value) -> Option<Slot<'a>> {
        variant.get("payload").map(|ty| Slot { scope: self.scope, ty, wire: None })
    }

    /// The elements of a payload that is positional on the wire.
    fn elements(&self, payload: Slot<'a>) -> Option<Vec<Slot<'a>>> {
        if text(payload.ty, "kind") == "tuple" {
            return Some(list(payload.ty, "elements").iter().map(|ty| payload.inner(Some(ty))).collect());
        }
        let name = text(payload.ty, "$ref");
        let fields = list(self.scope.types?.get(name)?, "fields");
        is_positional(fields).then(|| fields.iter().map(|field| Slot::field(self.scope, name, field)).collect())
    }

    /// Representations that serde buffers before it looks at them.
    fn buffered(&self, value: Value) -> Result<Value, String> {
        let tag = text(self.def, "tag");
        if tag.is_empty() {
            return self.untagged(&value);
        }
        let Value::Object(mut object) = value else {
            return Err(format!("invalid type: expected internally tagged enum {}", self.name));
        };
        let chosen = match object.shift_remove(tag) {
            Some(Value::String(chosen)) => chosen,
            Some(_) => return Err("invalid type: expected variant identifier".into()),
            None => return Err(format!("missing field `{tag}`")),
        };
        let variant = self.find(&chosen).ok_or_else(|| self.unknown(&chosen))?;
        let mut whole = Map::new();
        whole.insert(tag.into(), chosen.into());
        let Some(payload) = self.payload(variant) else { return Ok(Value::Object(whole)) };
        match self.def.get("content").and_then(Value::as_str) {
            Some(content) => {
                let inner = object.shift_remove(content).ok_or_else(|| format!("missing field `{content}`"))?;
                whole.insert(content.into(), payload.deserialize(inner).map_err(|error| error.to_string())?);
            }
            None => {
                let inner = payload.deserialize(Value::Object(object)).map_err(|error| error.to_string())?;
                whole.extend(inner.as_object().cloned().unwrap_or_default());
            }
        }
        Ok(Value::Object(whole))
    }

    fn untagged(&self, value: &Value) -> Result<Value, String> {
        let fits = |variant: &'a Value| match self.payload(variant) {
            Some(payload) => payload.deserialize(value.clone()).ok(),
            None => value.is_null().then_some(Value::Null),
        };
        list(self.def, "variants")
            .iter()
            .find_map(fits)
            .ok_or_else(|| format!("data did not match any variant of untagged enum {}", self.name))
    }
}

impl<'de> DeserializeSeed<'de> for Enumeration<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Value, D::Error> {
        let untagged = self.def.get("untagged") == Some(&Value::Bool(true));
        if untagged || self.def.get("tag").is_some() {
            return self.buffered(Value::deserialize(json)?).map_err(D::Error::custom);
        }
        json.deserialize_enum("", &[], self)
    }
}

impl<'de> Visitor<'de> for Enumeration<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "enum {}", self.name)
    }

    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<Value, A::Error> {
        let ((chosen, variant), access) = data.variant_seed(VariantName(self))?;
        let Some(payload) = self.payload(variant) else {
            access.unit_variant()?;
            return Ok(chosen.into());
        };
        let value = match self.elements(payload) {
            Some(elements) => {
                let title = format!("tuple variant {}::{chosen}", self.name);
                access.tuple_variant(elements.len(), Tuple { elements, title })?
            }
            None => access.newtype_variant_seed(payload)?,
        };
        Ok(Value::Object(Map::from_iter([(chosen, value)])))
    }
}

/// The name of a variant. Looked up while it is read, so that the error stands where serde's own would.
struct VariantName<'a>(Enumeration<'a>);

impl<'de, 'a> DeserializeSeed<'de> for VariantName<'a> {
    type Value = (String, &'a Value);

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Self::Value, D::Error> {
        json.deserialize_identifier(self)
    }
}

impl<'a> Visitor<'_> for VariantName<'a> {
    type Value = (String, &'a Value);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("variant identifier")
    }

    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<Self::Value, E> {
        match self.0.find(name) {
            Some(variant) => Ok((name.to_owned(), variant)),
            None => Err(E::custom(self.0.unknown(name))),
        }
    }
}

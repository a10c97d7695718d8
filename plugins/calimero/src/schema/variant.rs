//! Enums, in each of serde's four representations.

use super::{Way, Writer, documented};
use crate::table::Resolved;
use crate::types::{Shape, Tagging, Type, Variant};
use abi_mcp_sdk::json::{Object, member};
use abi_mcp_sdk::serde_json::{Value, json};

/// How many internally tagged enums inside each other are merged into one object. serde allows any number, real
/// apps have none; below this the object is open and the node decides.
const DEEPEST_MERGE: usize = 4;

/// Most objects one internally tagged enum becomes when its members are enums themselves: their numbers multiply.
const MOST_MERGED: usize = 200;

impl<'a> Writer<'a> {
    pub(super) fn variant(&mut self, variants: &'a [Variant], tagging: &'a Tagging, way: Way, path: &str) -> Value {
        match tagging {
            Tagging::External => self.external(variants, way, path),
            Tagging::Internal(tag) => {
                let object = |variant| self.internal(variant, tag, way, path);
                one_of(variants.iter().flat_map(object).collect())
            }
            Tagging::Adjacent { tag, content } => {
                let object = |variant| self.adjacent(variant, tag, content, way, path);
                one_of(variants.iter().map(object).collect())
            }
            Tagging::Untagged => {
                let way = if way == Way::In { Way::InUntagged } else { way };
                let bare = |variant| self.untagged(variant, way, path);
                union("anyOf", variants.iter().map(bare).collect())
            }
        }
    }

    /// Bare names, and objects of one key.
    fn external(&mut self, variants: &'a [Variant], way: Way, path: &str) -> Value {
        let (mut members, mut units) = (Vec::new(), Vec::new());
        let documented_units = variants.iter().any(|variant| variant.payload.is_none() && variant.doc.is_some());
        for variant in variants {
            if variant.payload.is_none() && !documented_units {
                units.push(variant.name.as_str());
            }
        }
        if !units.is_empty() {
            members.push(json!({ "type": "string", "enum": units }));
        }
        for variant in variants {
            let schema = match &variant.payload {
                None if documented_units => name_of(variant),
                None => continue,
                Some(payload) => {
                    let payload = self.of(payload, way, &member(path, &variant.name));
                    closed(Object::from_iter([(variant.name.clone(), payload)]), &[&variant.name])
                }
            };
            members.push(documented(schema, variant.doc.as_deref()));
        }
        one_of(members)
    }

    /// `{tag: name, …}`: the payload's own members stand beside the tag, which wins over a field of its name.
    ///
    /// Several schemas when the payload is an internally tagged enum itself: one for each of its members.
    fn internal(&mut self, variant: &'a Variant, tag: &str, way: Way, path: &str) -> Vec<Value> {
        let start = Object::from_iter([(tag.to_owned(), name_of(variant))]);
        let mut merged = Vec::new();
        let path = member(path, &variant.name);
        self.merge(variant.payload.as_ref(), start, vec![tag.to_owned()], way, &path, &mut merged);
        merged.into_iter().map(|schema| documented(schema, variant.doc.as_deref())).collect()
    }

    fn merge(
        &mut self,
        payload: Option<&'a Type>,
        tags: Object,
        tag_names: Vec<String>,
        way: Way,
        path: &str,
        merged: &mut Vec<Value>,
    ) {
        let mut properties = tags;
        let mut required: Vec<Value> = tag_names.iter().map(|tag| Value::from(tag.as_str())).collect();
        let payload = payload.map(|payload| self.table.resolve(payload));
        let others = match payload {
            None => None,
            Some(Some(Resolved::Named(Shape::Record(fields)) | Resolved::Inline(Type::Record(fields))))
                if !fields.positional =>
            {
                let mut own = Object::new();
                let mut own_required = Vec::new();
                self.properties(fields, way, path, &mut own, &mut own_required);
                for (name, schema) in own {
                    properties.entry(name).or_insert(schema);
                }
                own_required.retain(|name| !required.contains(name));
                required.extend(own_required);
                None
            }
            Some(Some(Resolved::Inline(Type::Map { value, .. }))) => Some(self.of(value, way, path)),
            Some(Some(Resolved::Named(Shape::Variant { variants, tagging: Tagging::Internal(inner) })))
                if !tag_names.contains(inner)
                    && tag_names.len() < DEEPEST_MERGE
                    && merged.len() + variants.len() <= MOST_MERGED =>
            {
                for variant in variants {
                    let mut tags = properties.clone();
                    tags.insert(inner.clone(), name_of(variant));
                    let mut tag_names = tag_names.clone();
                    tag_names.push(inner.clone());
                    let path = member(path, &variant.name);
                    self.merge(variant.payload.as_ref(), tags, tag_names, way, &path, merged);
                }
                return;
            }
            // Not something serde can flatten by rules we know: the node decides.
            Some(_) => None,
        };
        let mut schema = json!({ "type": "object", "properties": properties, "required": required });
        if let (Some(others), Some(schema)) = (others, schema.as_object_mut()) {
            schema.insert("additionalProperties".to_owned(), others);
        }
        merged.push(schema);
    }

    /// `{tag: name, content: payload}`.
    fn adjacent(&mut self, variant: &'a Variant, tag: &str, content: &str, way: Way, path: &str) -> Value {
        let mut properties = Object::from_iter([(tag.to_owned(), name_of(variant))]);
        let mut required = vec![tag];
        if let Some(payload) = &variant.payload {
            properties.insert(content.to_owned(), self.of(payload, way, &member(path, &variant.name)));
            required.push(content);
        }
        documented(closed(properties, &required), variant.doc.as_deref())
    }

    /// The payload alone, null for a unit.
    fn untagged(&mut self, variant: &'a Variant, way: Way, path: &str) -> Value {
        let schema = match &variant.payload {
            Some(payload) => self.of(payload, way, &member(path, &variant.name)),
            None => json!({ "type": "null" }),
        };
        documented(schema, variant.doc.as_deref())
    }
}

fn name_of(variant: &Variant) -> Value {
    json!({ "type": "string", "const": variant.name })
}

fn closed(properties: Object, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

fn one_of(members: Vec<Value>) -> Value {
    union("oneOf", members)
}

/// A union; one member stands alone.
fn union(keyword: &str, mut members: Vec<Value>) -> Value {
    match (members.pop(), members.is_empty()) {
        (Some(only), true) => only,
        (last, _) => {
            members.extend(last);
            json!({ keyword: members })
        }
    }
}

//! The mapper role: three methods, correct unless the manifest asks otherwise.

use crate::behave::{asked, flood, member, misbehave, persona, two_gigabytes};

mod bindings {
    wit_bindgen::generate!({ path: "../../../wit/mapper/0.1.0", world: "mapper", pub_export_macro: true });
}

use bindings::exports::abi_mcp::mapper::{codec, schema, signature};

struct Hostile;

bindings::export!(Hostile with_types_in bindings);

/// Everything a hostile text can carry: direction overrides, controls, paths, a terminal escape.
const EVIL: &str = "../../../etc/passwd\u{202e}txt.\u{0}\u{1b}[31m\u{200b}C:\\x\r\n";

impl schema::Guest for Hostile {
    fn recognise(manifest: Vec<u8>) -> Option<schema::Recognition> {
        let persona = persona();
        misbehave(&persona);
        let behaviour = asked(&manifest);
        if let Some(misdeed) = behaviour.strip_prefix("recognise-") {
            misbehave(misdeed);
        }
        if persona == "stranger" || !manifest.starts_with(b"{\"behave\"") {
            return None;
        }
        let ecosystem = persona.strip_prefix("ecosystem=").unwrap_or("testing");
        let fit = if persona == "compatible" { schema::Fit::Compatible } else { schema::Fit::Exact };
        Some(schema::Recognition {
            ecosystem: if behaviour == "evil" { EVIL.to_owned() } else { ecosystem.to_owned() },
            format: "hostile/1".to_owned(),
            subject_version: if persona == "vague" { None } else { member(&manifest, "subject") },
            fit,
            reasons: vec![format!("asked to behave `{behaviour}`")],
        })
    }

    fn map_manifest(manifest: Vec<u8>, options: schema::Options) -> Result<schema::Mapping, schema::Fault> {
        let behaviour = asked(&manifest);
        misbehave(&behaviour);
        let mut methods = vec![method("get", &["key"]), method("put", &["key", "value"]), method("odd", &[])];
        if options.list_internal {
            methods.push(schema::Method { role: schema::Role::Handler, ..method("on_event", &[]) });
        }
        let mut notes = Vec::new();
        let odd = &mut methods[2];
        match behaviour.as_str() {
            "not-recognised" => return Err(schema::Fault::NotRecognised("a poem".to_owned())),
            "malformed" => {
                let problem = "expected a list".to_owned();
                return Err(schema::Fault::Malformed(schema::Malformation { at: "methods".to_owned(), problem }));
            }
            "too-large" => return Err(schema::Fault::TooLarge("at most 3 methods".to_owned())),
            "flood" => odd.doc = Some(flood()),
            "hand-over-two-gigabytes" => odd.doc = Some(two_gigabytes()),
            "garbage-schema" => odd.input_schema = "{\"type\": \"object\", ".to_owned(),
            "array-schema" => odd.input_schema = "[]".to_owned(),
            "untyped-schema" => odd.input_schema = "{}".to_owned(),
            "garbage-output-schema" => odd.output_schema = Some("nope".to_owned()),
            "garbage-meta" => odd.meta = Some("17".to_owned()),
            "twin-parameters" => odd.parameters = vec![parameter("a"), parameter("a")],
            "big-plan" => odd.plan = vec![b'p'; (1 << 20) + 1],
            // `evil` alone is refused while it is recognised, for the name of its ecosystem.
            "evil" | "evil-text" => {
                *odd = method(EVIL, &[EVIL]);
                odd.title = Some(EVIL.to_owned());
                odd.doc = Some(EVIL.to_owned());
                odd.category = Some(EVIL.to_owned());
                notes.push(schema::Note {
                    method: Some(EVIL.to_owned()),
                    path: EVIL.to_owned(),
                    text: EVIL.to_owned(),
                });
            }
            _ => {}
        }
        Ok(schema::Mapping { methods, skipped: Vec::new(), notes })
    }
}

impl signature::Guest for Hostile {
    fn render(manifest: Vec<u8>, names: Vec<String>) -> Result<Vec<String>, signature::Fault> {
        let behaviour = asked(&manifest);
        if let Some(misdeed) = behaviour.strip_prefix("render-") {
            misbehave(misdeed);
        }
        match behaviour.as_str() {
            "short-signatures" => Ok(vec!["get".to_owned()]),
            "render-fault" => Err(schema::Fault::TooLarge("signatures".to_owned())),
            _ => Ok(names.iter().map(|name| format!("{name}() -> string")).collect()),
        }
    }
}

impl codec::Guest for Hostile {
    fn encode_arguments(plan: Vec<u8>, arguments: String) -> Result<codec::Encoded, Vec<codec::Problem>> {
        let behaviour = asked(&plan);
        misbehave(&behaviour);
        let alternatives = match behaviour.as_str() {
            "many" => (0..100).map(|number| number.to_string()).collect(),
            "garbage-alternative" => vec!["{".to_owned()],
            _ => Vec::new(),
        };
        value(&behaviour, arguments).map(|json| codec::Encoded { json, alternatives })
    }

    fn decode_result(plan: Vec<u8>, raw: String) -> Result<String, Vec<codec::Problem>> {
        let behaviour = asked(&plan);
        misbehave(&behaviour);
        value(&behaviour, raw)
    }
}

/// The value handed back: the one that came in, unless asked otherwise.
fn value(behaviour: &str, given: String) -> Result<String, Vec<codec::Problem>> {
    match behaviour {
        "problems" => Err(vec![codec::Problem { at: "key".to_owned(), message: "expected hex".to_owned() }]),
        "garbage" => Ok("{not json".to_owned()),
        "flood" => Ok(flood()),
        _ => Ok(given),
    }
}

fn method(name: &str, parameters: &[&str]) -> schema::Method {
    let properties: Vec<String> = parameters.iter().map(|name| format!("{name:?}:{{\"type\":\"string\"}}")).collect();
    let properties = if name == EVIL { String::new() } else { properties.join(",") };
    schema::Method {
        name: name.to_owned(),
        title: None,
        doc: Some(format!("Does {name}.")),
        role: schema::Role::Ordinary,
        access: schema::Access::Unspecified,
        destructive: None,
        idempotent: None,
        open_world: None,
        category: None,
        keywords: Vec::new(),
        parameters: parameters.iter().map(|name| parameter(name)).collect(),
        input_schema: format!("{{\"type\":\"object\",\"properties\":{{{properties}}}}}"),
        output_schema: Some("{\"type\":\"string\"}".to_owned()),
        plan: b"tidy".to_vec(),
        call_spec: None,
        needs_encode: true,
        needs_decode: true,
        meta: None,
    }
}

fn parameter(name: &str) -> schema::Parameter {
    schema::Parameter { name: name.to_owned(), required: true, doc: None }
}

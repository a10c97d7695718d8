//! {{name}}: a mapper for manifests such as `{"{{name}}": "1", "calls": [{"name": "hello", "takes": ["who"]}]}`.
//!
//! Replace that format by yours. A mapper imports nothing and keeps nothing between calls: what encoding a call needs
//! goes into the method's `plan`.

use exports::abi_mcp::mapper::codec::{self, Encoded, Problem};
use exports::abi_mcp::mapper::schema::{
    self, Access, Fault, Fit, Malformation, Mapping, Method, Options, Parameter, Recognition, Role, Skipped,
};
use exports::abi_mcp::mapper::signature;
use serde_json::{Map, Value, json};

wit_bindgen::generate!({ path: "wit", world: "mapper" });

struct Plugin;

/// The member only manifests of this format have.
const MARK: &str = "{{name}}";

impl schema::Guest for Plugin {
    // Cheap, and never wrong about somebody else's format.
    fn recognise(manifest: Vec<u8>) -> Option<Recognition> {
        let release = release(&parse(&manifest)?)?;
        Some(Recognition {
            ecosystem: MARK.to_owned(),
            format: format!("{MARK}/{release}"),
            fit: if release == "1" { Fit::Exact } else { Fit::Compatible },
            reasons: vec![format!("`{MARK}` is `{release}`")],
            subject_version: Some(release),
        })
    }

    fn map_manifest(manifest: Vec<u8>, _options: Options) -> Result<Mapping, Fault> {
        let mut mapping = Mapping { methods: Vec::new(), skipped: Vec::new(), notes: Vec::new() };
        for (index, call) in calls(&manifest)?.iter().enumerate() {
            // One bad method is skipped with its reason and never loses the others.
            match Call::read(call) {
                Some(call) => mapping.methods.push(call.method()),
                None => mapping.skipped.push(Skipped {
                    method: format!("#{index}"),
                    reason: "expected a `name` and a list `takes` of names".to_owned(),
                }),
            }
        }
        Ok(mapping)
    }
}

impl signature::Guest for Plugin {
    fn render(manifest: Vec<u8>, names: Vec<String>) -> Result<Vec<String>, Fault> {
        let calls: Vec<Call> = calls(&manifest)?.iter().filter_map(Call::read).collect();
        let line = |name: &String| {
            let call = calls.iter().find(|call| call.name == *name).ok_or_else(|| malformed("calls", name))?;
            Ok(format!("{name}({})", call.takes.join(", ")))
        };
        names.iter().map(line).collect()
    }
}

impl codec::Guest for Plugin {
    // This format's runtime takes arguments as a list, in order.
    fn encode_arguments(plan: Vec<u8>, arguments: String) -> Result<Encoded, Vec<Problem>> {
        let names: Vec<String> = serde_json::from_slice(&plan).map_err(|error| problem(&error.to_string()))?;
        let arguments: Value = serde_json::from_str(&arguments).map_err(|error| problem(&error.to_string()))?;
        let in_order: Vec<&Value> = names.iter().map(|name| arguments.get(name).unwrap_or(&Value::Null)).collect();
        Ok(Encoded { json: json!(in_order).to_string(), alternatives: Vec::new() })
    }

    // Never asked as long as `needs_decode` is false.
    fn decode_result(_plan: Vec<u8>, value: String) -> Result<String, Vec<Problem>> {
        Ok(value)
    }
}

/// One entry of the manifest.
struct Call {
    name: String,
    takes: Vec<String>,
}

impl Call {
    fn read(call: &Value) -> Option<Self> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let takes = call.get("takes")?.as_array()?.iter().map(text).collect::<Option<Vec<String>>>()?;
        Some(Self { name: text(call.get("name")?)?, takes })
    }

    fn method(&self) -> Method {
        let properties: Map<String, Value> =
            self.takes.iter().map(|name| (name.clone(), json!({"type": "string"}))).collect();
        let input = json!({
            "type": "object", "properties": properties, "required": self.takes, "additionalProperties": false,
        });
        let parameter = |name: &String| Parameter { name: name.clone(), required: true, doc: None };
        Method {
            name: self.name.clone(),
            title: None,
            doc: None,
            role: Role::Ordinary,
            access: Access::Unspecified,
            // Leave unsaid what the format does not say.
            destructive: None,
            idempotent: None,
            open_world: None,
            category: None,
            keywords: Vec::new(),
            parameters: self.takes.iter().map(parameter).collect(),
            input_schema: input.to_string(),
            output_schema: None,
            plan: json!(self.takes).to_string().into_bytes(),
            call_spec: None,
            needs_encode: true,
            needs_decode: false,
            meta: None,
        }
    }
}

fn parse(manifest: &[u8]) -> Option<Value> {
    serde_json::from_slice(manifest).ok()
}

fn release(manifest: &Value) -> Option<String> {
    manifest.get(MARK)?.as_str().map(str::to_owned)
}

fn calls(manifest: &[u8]) -> Result<Vec<Value>, Fault> {
    let document = parse(manifest).filter(|document| release(document).is_some());
    let document = document.ok_or_else(|| Fault::NotRecognised(format!("no JSON object with a text `{MARK}`")))?;
    document.get("calls").and_then(Value::as_array).cloned().ok_or_else(|| malformed("calls", "expected a list"))
}

fn malformed(at: &str, problem: &str) -> Fault {
    Fault::Malformed(Malformation { at: at.to_owned(), problem: problem.to_owned() })
}

fn problem(message: &str) -> Vec<Problem> {
    vec![Problem { at: String::new(), message: message.to_owned() }]
}

#[cfg(target_arch = "wasm32")]
export!(Plugin);

#[cfg(test)]
mod tests {
    use super::*;
    use codec::Guest as _;
    use schema::Guest as _;
    use signature::Guest as _;

    const MANIFEST: &[u8] = br#"{"{{name}}": "1", "calls": [{"name": "greet", "takes": ["who", "how"]}, {}]}"#;

    #[test]
    fn a_call_becomes_a_method_and_its_arguments_a_list() {
        assert!(Plugin::recognise(MANIFEST.to_vec()).is_some());
        let mapping = Plugin::map_manifest(MANIFEST.to_vec(), Options { list_internal: false }).unwrap();
        assert_eq!((mapping.methods.len(), mapping.skipped.len()), (1, 1));
        assert_eq!(Plugin::render(MANIFEST.to_vec(), vec!["greet".to_owned()]).unwrap(), ["greet(who, how)"]);
        let plan = mapping.methods[0].plan.clone();
        let encoded = Plugin::encode_arguments(plan, r#"{"how": "loudly", "who": "Ada"}"#.to_owned()).unwrap();
        assert_eq!(encoded.json, r#"["Ada","loudly"]"#);
    }

    #[test]
    fn what_is_another_format_is_left_alone() {
        assert!(Plugin::recognise(b"{}".to_vec()).is_none());
        assert!(Plugin::map_manifest(b"[".to_vec(), Options { list_internal: false }).is_err());
    }
}

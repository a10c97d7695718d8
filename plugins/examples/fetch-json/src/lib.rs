//! An extension with one tool, `get`: fetches JSON over HTTP, follows redirects, and answers a part of it.
//!
//! It asks for whichever hosts its operator lists and for nothing else. Each step of a redirect is a request of its own,
//! which the host checks like the first. What an address and a pointer mean is [`request`]'s business, how a request is
//! sent [`fetch`]'s.

#[cfg(target_arch = "wasm32")]
mod fetch;
mod request;

use abi_mcp_sdk_tool::serde_json::{Value, json};
use abi_mcp_sdk_tool::{Class, Extension, Failure, Hints, Reply, Tool};

/// Bytes of one answer read; a model cannot use more.
const MOST: usize = 1 << 20;

/// Redirects followed.
const REDIRECTS: usize = 5;

struct FetchJson;

abi_mcp_sdk_tool::export_extension!(
    FetchJson,
    r#"{"name": "fetch-json", "release": "0.1.0", "asks": {"http": ["*"]}}"#
);

impl Extension for FetchJson {
    fn tools() -> Vec<Tool> {
        let input = json!({
            "type": "object",
            "properties": {
                "url": {"type": "string", "description": "http or https address of a JSON document on a granted host"},
                "pointer": {"type": "string", "description": "JSON Pointer (RFC 6901) to the part to answer, such as /items/0/name; the whole document unless given"},
            },
            "required": ["url"],
        });
        vec![Tool {
            title: Some("Fetch JSON".to_owned()),
            output_schema: Some(json!({
                "type": "object",
                "properties": {"url": {"type": "string"}, "status": {"type": "integer"}, "value": {}},
                "required": ["url", "status", "value"],
            })),
            hints: Hints { open_world: Some(true), ..Hints::READS },
            category: Some("web".to_owned()),
            keywords: ["http", "download", "api", "request"].map(str::to_owned).to_vec(),
            ..Tool::new(
                "get",
                "Fetches a JSON document from a host the operator granted, follows redirects to granted hosts, and answers it or a part of it.",
                input,
            )
        }]
    }

    fn call(_: &str, arguments: &Value) -> Result<Reply, Failure> {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str);
        let address = request::Address::parse(text("url").unwrap_or_default())?;
        let (address, status, document) = get(address)?;
        let pointer = text("pointer").unwrap_or_default();
        let part = document.pointer(pointer).ok_or_else(|| {
            Failure::new(Class::Arguments, format!("the document has nothing at `{pointer}`"))
                .hint("leave `pointer` out to see the whole document")
        })?;
        Ok(Reply::value(json!({"url": address.to_string(), "status": status, "value": part})))
    }
}

/// Fetches and parses, through as many redirects as are allowed.
fn get(mut address: request::Address) -> Result<(request::Address, u16, Value), Failure> {
    for _ in 0..=REDIRECTS {
        let answer = fetch::get(&address, MOST)?;
        if let Some(location) = answer.location.filter(|_| (300..400).contains(&answer.status)) {
            address = address.follow(&location)?;
            continue;
        }
        if !(200..300).contains(&answer.status) {
            let class = if answer.status >= 500 { Class::Temporary } else { Class::Failed };
            return Err(Failure::new(class, format!("`{address}` answered with status {}", answer.status)));
        }
        let parsed = abi_mcp_sdk_tool::serde_json::from_slice(&answer.body);
        let document =
            parsed.map_err(|error| Failure::new(Class::Failed, format!("`{address}` is not JSON: {error}")))?;
        return Ok((address, answer.status, document));
    }
    Err(Failure::new(Class::Failed, format!("`{address}` still redirects after {REDIRECTS} steps")))
}

/// Off WebAssembly there is nobody to send a request.
#[cfg(not(target_arch = "wasm32"))]
mod fetch {
    use super::{Class, Failure, request::Address};

    pub(crate) struct Answer {
        pub(crate) status: u16,
        pub(crate) location: Option<String>,
        pub(crate) body: Vec<u8>,
    }

    pub(crate) fn get(address: &Address, _: usize) -> Result<Answer, Failure> {
        Err(Failure::new(Class::NotAllowed, format!("`{address}` cannot be fetched outside the sandbox")))
    }
}

//! The engine role: each function does what its name says.

mod bindings {
    wit_bindgen::generate!({ path: "../../../wit/engine/0.1.0", world: "engine-component", pub_export_macro: true });
}

use crate::FORMAT;
use bindings::exports::abi_mcp::engine::engine::{About, CallSpec, Failure, Guest, Stage, Unsupported};
use std::sync::atomic::{AtomicI64, Ordering};

struct Arithmetic;

bindings::export!(Arithmetic with_types_in bindings);

/// State an instance would keep from one call to the next.
static CALLS: AtomicI64 = AtomicI64::new(0);

impl Guest for Arithmetic {
    fn describe() -> About {
        let text = |text: &str| text.to_owned();
        About { name: text("Arithmetic"), release: text("1"), licence: text("MIT"), limits: vec![text("no division")] }
    }

    fn accepts() -> Vec<String> {
        vec![FORMAT.to_owned()]
    }

    fn supported(specs: Vec<CallSpec>) -> Vec<Unsupported> {
        let lacking = |(at, spec): (usize, &CallSpec)| {
            let reason = (spec.bytes == b"divide").then(|| "`divide` is not in Arithmetic 1".to_owned())?;
            Some(Unsupported { index: at as u32, reason })
        };
        specs.iter().enumerate().filter_map(lacking).collect()
    }

    fn execute(spec: CallSpec, arguments: String) -> Result<Option<String>, Failure> {
        let calls = CALLS.fetch_add(1, Ordering::Relaxed) + 1;
        let refused = |stage, argument: Option<&str>, message: &str| Failure {
            stage,
            argument: argument.map(str::to_owned),
            code: Some("E_REFUSED".to_owned()),
            message: message.to_owned(),
        };
        let (a, b) = (number(&arguments, "a"), number(&arguments, "b"));
        match spec.bytes.as_slice() {
            b"add" => Ok(Some((a + b).to_string())),
            b"calls" => Ok(Some(calls.to_string())),
            b"nothing" => Ok(None),
            b"refuse" => Err(refused(Stage::Arguments, Some("a"), "not a number it likes")),
            b"fail" => Err(refused(Stage::Execution, None, "the sum is not defined\u{202e}\u{1b}[31m")),
            b"garbage" => Ok(Some("{".to_owned())),
            b"flood" => {
                let mut text = String::with_capacity((70 << 20) + 2);
                text.push('"');
                text.extend(std::iter::repeat_n('x', 70 << 20));
                text.push('"');
                Ok(Some(text))
            }
            b"trap" => panic!("as asked"),
            b"spin" => loop {
                std::hint::spin_loop();
            },
            b"bomb" => {
                let mut all = Vec::new();
                loop {
                    all.push(vec![1_u8; 1 << 20]);
                }
            }
            _ => Err(refused(Stage::Execution, None, "there is no such function")),
        }
    }
}

/// The number after `"name":`; the schema was checked before.
fn number(arguments: &str, name: &str) -> i64 {
    let rest = arguments.split(&format!("\"{name}\":")).nth(1).unwrap_or_default();
    let digits: String = rest.chars().take_while(|c| c.is_ascii_digit() || *c == '-').collect();
    digits.parse().unwrap_or_default()
}

//! Every listed tool, called once with a valid sample, several at a time through one process.
//!
//! No answer is judged here beyond its class; that they are right is the checked set's matter.

use crate::parts::{Parts, corpus_catalog, ready};
use crate::samples::Samples;
use abi_mcp_tests::{Client, Reply, Spawn};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// Calls under way at once.
const AT_ONCE: usize = 4;

/// What became of a call.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    Ok,
    /// MEOS refused, with its code.
    Meos(String),
    /// The instance ended: a trap, an exit, out of time or memory.
    Ended,
    /// The host refused the sample before anything ran.
    Refused,
    /// The engine could not read an argument, and PostgreSQL's parser, which has no codes, or the engine says why.
    Unread,
    /// None of these; there must be none.
    Other,
}

/// What a sweep found.
struct Swept {
    listed: usize,
    ok: usize,
    /// By class, the function and the first line of what it said.
    failures: BTreeMap<Class, Vec<(String, String)>>,
}

fn sweep(spawn: Spawn) -> Swept {
    let mut client = ready(&spawn.variable("ABI_MCP_TOOLS", "100000"));
    let samples = Samples::read();
    let tools = client.tools();
    let mut swept = Swept { listed: tools.len(), ok: 0, failures: BTreeMap::new() };
    let mut under_way: Vec<(&Value, Value)> = Vec::new();
    let mut tools = tools.iter();
    loop {
        while under_way.len() < AT_ONCE {
            let Some(tool) = tools.next() else { break };
            let arguments = samples.arguments(tool);
            let call = json!({"name": tool["name"], "arguments": arguments});
            under_way.push((tool, client.send("tools/call", call)));
        }
        if under_way.is_empty() {
            break;
        }
        let (tool, id) = under_way.remove(0);
        let reply = Reply::of(&client.answer(&id));
        note(&mut swept, tool, &reply);
    }
    assert_alive(&mut client);
    swept
}

fn note(swept: &mut Swept, tool: &Value, reply: &Reply) {
    let name = tool["name"].as_str().unwrap();
    let class = class(reply);
    if class == Class::Ok {
        swept.ok += 1;
        // C24, C25: an object with `result` wherever an output schema was announced.
        let structured = reply.raw.get("structuredContent").and_then(|content| content.get("result"));
        assert_eq!(structured.is_some(), tool.get("outputSchema").is_some(), "{name}: {}", reply.raw);
        return;
    }
    let line = reply.text.lines().next().unwrap_or_default().to_owned();
    swept.failures.entry(class).or_default().push((name.to_owned(), line));
}

fn class(reply: &Reply) -> Class {
    if !reply.is_error {
        return Class::Ok;
    }
    let text = &reply.text;
    if text.contains("The arguments do not fit") {
        return Class::Refused;
    }
    // `.. (MEOS_ERR_TEXT_INPUT)` at the end of the first line.
    let code = text.lines().next().and_then(|line| line.rsplit_once("(MEOS_ERR_")).map(|(_, code)| code);
    if let Some(code) = code.and_then(|code| code.split_once(')')) {
        return Class::Meos(code.0.to_owned());
    }
    if text.starts_with("Error: `") {
        return Class::Unread;
    }
    if ["stopped", "trap", "exit", "limit"].iter().any(|word| text.contains(word)) {
        return Class::Ended;
    }
    Class::Other
}

fn assert_alive(client: &mut Client) {
    let answer = client.call("floatset_value_n", json!({"s": "{1.0, 2.5}", "n": 1}));
    assert_eq!(answer.text, "1.0", "after the sweep");
}

fn show(catalog: &str, swept: &Swept) {
    println!("{catalog}: {} listed, {} ok ({:.1} %)", swept.listed, swept.ok, percent(swept.ok, swept.listed));
    for (class, failures) in &swept.failures {
        println!("  {class:?}: {}", failures.len());
        for (function, said) in failures {
            println!("    {function}: {}", said.chars().take(150).collect::<String>());
        }
    }
}

#[allow(clippy::cast_precision_loss, reason = "thousands")]
fn percent(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole as f64
}

fn assert_good(catalog: &str, swept: &Swept) {
    show(catalog, swept);
    assert!(percent(swept.ok, swept.listed) >= 90.0, "{} of {} listed succeed", swept.ok, swept.listed);
    let unclassed = swept.failures.get(&Class::Other);
    assert!(unclassed.is_none(), "failures of no class: {unclassed:?}");
}

#[test]
fn nine_of_ten_listed_functions_of_the_engines_own_catalog_succeed() {
    let Some(parts) = Parts::find() else { return };
    assert_good("own catalog", &sweep(parts.serve()));
}

/// Names of the functions the original generator exposes.
fn exposable(catalog: &Path) -> Vec<String> {
    let catalog: Value = serde_json::from_slice(&std::fs::read(catalog).unwrap()).unwrap();
    let functions = catalog["functions"].as_array().unwrap().iter();
    let exposed = functions.filter(|function| function["network"]["exposable"] == true);
    exposed.map(|function| function["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn three_quarters_of_the_corpus_catalog_are_listed_and_nine_of_ten_of_those_succeed() {
    let Some(parts) = Parts::find() else { return };
    let Some((catalog, _folder)) = corpus_catalog() else { return };
    let exposable = exposable(&catalog);
    assert_eq!(exposable.len(), 1641);
    let serve = parts.serve_catalog(&catalog);
    let listed: Vec<Value> = ready(&serve.clone().variable("ABI_MCP_TOOLS", "100000")).tools();
    let names: std::collections::HashSet<&str> = listed.iter().filter_map(|tool| tool["name"].as_str()).collect();
    let found = exposable.iter().filter(|name| names.contains(name.as_str())).count();
    println!("corpus catalog: {found} of 1641 exposable are listed ({:.1} %)", percent(found, 1641));
    let swept = sweep(serve);
    assert!(percent(found, 1641) >= 75.0, "{found} of 1641 are listed");
    assert_good("corpus catalog", &swept);
}

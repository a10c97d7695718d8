//! Reaching tools that are not listed: ranked search, and one tool's full definition.

use crate::catalog::{CatalogUnit, definition};
use crate::model::{JsonObject, ToolReply};
use crate::tools::Server;
use crate::tools::app::text;
use serde_json::{Value, json};

/// Answers when nothing is said, and at most: a page of these stays under 2,000 tokens.
const DEFAULT_LIMIT: usize = 10;
const MOST: usize = 50;

/// Longest description in an answer, in characters; `describe_tool` has all of it.
const SHORT: usize = 200;

/// Searches all tools by words.
pub(crate) fn find_tools(server: &Server, arguments: &JsonObject) -> Result<ToolReply, ToolReply> {
    let query = text(arguments, "query").unwrap_or_default();
    let limit = arguments
        .get("limit")
        .and_then(Value::as_u64)
        .map_or(DEFAULT_LIMIT, |limit| usize::try_from(limit).unwrap_or(MOST).clamp(1, MOST));
    let words = words(query);
    if words.is_empty() {
        return Err(ToolReply::error("Error: `query` holds no word to search for"));
    }
    let snapshot = server.catalog.snapshot();
    let mut hits: Vec<(usize, &str, &CatalogUnit, String)> = Vec::new();
    for unit in &snapshot.units {
        for (name, method) in unit.tools() {
            let about = crate::catalog::full_text(method.method.doc.as_deref(), &method.method.signature);
            let score = score(&words, name, method.method.category.as_deref(), &about);
            if score > 0 {
                hits.push((score, name, unit, about));
            }
        }
    }
    hits.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    let found = hits.len();
    let tools: Vec<Value> = hits
        .into_iter()
        .take(limit)
        .map(|(_, name, unit, about)| {
            json!({"tool": name, "app": unit.unit.label(), "about": about.chars().take(SHORT).collect::<String>()})
        })
        .collect();
    let answer = json!({"found": found, "tools": tools});
    Ok(structured(answer))
}

/// One tool in full.
pub(crate) fn describe_tool(server: &Server, arguments: &JsonObject) -> Result<ToolReply, ToolReply> {
    let name = text(arguments, "tool").unwrap_or_default();
    let snapshot = server.catalog.snapshot();
    let found = snapshot.tool(name).filter(|(unit, _)| unit.tools().iter().any(|(shown, _)| *shown == name));
    let Some((unit, method)) = found else {
        return Err(ToolReply::error(format!("Error: there is no tool `{name}`; find_tools searches for one")));
    };
    let tool = definition(unit, name, method);
    let answer = json!({
        "tool": tool.name,
        "app": unit.unit.app.label(),
        "service": unit.unit.service,
        "method": method.method.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": *tool.input_schema,
        "outputSchema": tool.output_schema.as_deref(),
    });
    Ok(structured(answer))
}

fn structured(answer: Value) -> ToolReply {
    let text = serde_json::to_string_pretty(&answer).unwrap_or_default();
    ToolReply { structured: Some(answer), ..ToolReply::text(text) }
}

fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// How well a tool fits: a word that is a part of the name counts most, then the category, then the text.
fn score(query: &[String], name: &str, category: Option<&str>, about: &str) -> usize {
    let (name, about) = (words(name), about.to_lowercase());
    let category = category.unwrap_or_default().to_lowercase();
    query
        .iter()
        .map(|word| {
            let in_name = if name.iter().any(|part| part == word) {
                8
            } else if name.iter().any(|part| part.starts_with(word.as_str())) {
                4
            } else {
                0
            };
            in_name + if category == *word { 3 } else { 0 } + usize::from(about.contains(word.as_str()))
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_of_the_name_beats_a_word_of_the_text() {
        let query = words("remove entry");
        assert!(score(&query, "kv_store_remove", None, "Removes one.") > score(&query, "kv_store_set", None, "entry"));
        assert_eq!(score(&query, "kv_store_len", None, "How many."), 0);
    }
}

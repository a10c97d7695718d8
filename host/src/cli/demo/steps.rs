//! Showing a session: one step a line or a few, with its time, and a check that it went as it must.

use crate::cli::demo::client::Client;
use anyhow::{Context, ensure};
use serde_json::{Value, json};
use std::time::Instant;

/// Longest piece of an answer shown, in characters; the demo is to be read, not archived.
const SHOWN: usize = 220;

/// A session in progress.
#[derive(Debug)]
pub(crate) struct Steps {
    client: Client,
    count: usize,
}

/// What a tool answered.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The first text block of a success; the last of a failure, which says what to do after any guide.
    pub(crate) text: String,
    /// Whether it is a failure.
    pub(crate) is_error: bool,
}

impl Steps {
    /// Shows what `client` does.
    pub(crate) fn new(client: Client) -> Self {
        Self { client, count: 0 }
    }

    /// One protocol request; prints what `show` makes of the result.
    pub(crate) fn request(
        &mut self,
        title: &str,
        method: &str,
        params: Value,
        show: impl FnOnce(&Value) -> String,
    ) -> anyhow::Result<Value> {
        let started = Instant::now();
        let result = self.client.request(method, params).with_context(|| title.to_owned())?;
        self.print(title, &show(&result), started);
        Ok(result)
    }

    /// One tool call that must succeed.
    pub(crate) fn call(&mut self, title: &str, tool: &str, arguments: Value) -> anyhow::Result<Answer> {
        let answer = self.tool(title, tool, arguments)?;
        ensure!(!answer.is_error, "{title}: {tool} failed: {}", answer.text);
        Ok(answer)
    }

    /// One tool call that must be refused, with a text the model can act on.
    pub(crate) fn refused(&mut self, title: &str, tool: &str, arguments: Value, says: &str) -> anyhow::Result<()> {
        let answer = self.tool(title, tool, arguments)?;
        ensure!(answer.is_error, "{title}: {tool} should have failed, but answered: {}", answer.text);
        ensure!(answer.text.contains(says), "{title}: expected `{says}` in: {}", answer.text);
        Ok(())
    }

    fn tool(&mut self, title: &str, tool: &str, arguments: Value) -> anyhow::Result<Answer> {
        let started = Instant::now();
        let params = json!({"name": tool, "arguments": arguments});
        let result = self.client.request("tools/call", params).with_context(|| format!("{title} ({tool})"))?;
        let is_error = result.get("isError") == Some(&Value::Bool(true));
        let blocks = result.get("content").and_then(Value::as_array);
        let block = blocks.and_then(|blocks| if is_error { blocks.last() } else { blocks.first() });
        let text = block.and_then(|block| block.get("text")).and_then(Value::as_str).unwrap_or_default().to_owned();
        let mark = if is_error { "refused: " } else { "" };
        self.print(title, &format!("{tool} -> {mark}{text}"), started);
        Ok(Answer { text, is_error })
    }

    fn print(&mut self, title: &str, shown: &str, started: Instant) {
        self.count += 1;
        let took = started.elapsed().as_secs_f64() * 1_000.0;
        println!("\n{:>2}. {title}  [{took:.1} ms]", self.count);
        let mut short: String = shown.chars().take(SHOWN).collect();
        if short.len() < shown.len() {
            short.push_str(" ...");
        }
        for line in short.lines() {
            println!("    {line}");
        }
    }

    /// Ends the session the way clients do.
    pub(crate) fn close(self) -> anyhow::Result<()> {
        self.client.close()
    }
}

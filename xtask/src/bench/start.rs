//! From the start of a process to its answers.

use super::session::{Session, initialize_parameters};
use super::statistics::Samples;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::process::Command;
use std::time::Instant;

/// Spawn, write `initialize`, and the time until the first line comes back. `cat` answers with the request itself,
/// which makes it the price of a process and two pipes.
pub(super) fn to_first_line(command: impl Fn() -> Command, times: usize) -> Result<Samples> {
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": initialize_parameters()});
    let one = || -> Result<_> {
        let started = Instant::now();
        let mut session = Session::start(&mut command())?;
        session.write(&request)?;
        let line = session.line()?;
        let reply: Value = serde_json::from_str(&line.text).context("the first line is no JSON")?;
        ensure!(
            reply.get("id") == Some(&json!(1)) && reply.get("error").is_none(),
            "the first line is `{}`",
            line.text
        );
        session.end()?;
        Ok(line.at.duration_since(started))
    };
    samples(one, times)
}

/// Spawn, handshake, and the time until the tools are listed, with the one `listed` names among them.
pub(super) fn to_tool_list(command: impl Fn() -> Command, listed: &str, times: usize) -> Result<Samples> {
    let one = || -> Result<_> {
        let started = Instant::now();
        let mut session = Session::start(&mut command())?;
        session.initialize()?;
        let id = session.send("tools/list", json!({}))?;
        let (at, list) = session.reply(id)?;
        ensure!(list.to_string().contains(listed), "the list lacks {listed}: {list}");
        session.end()?;
        Ok(at.duration_since(started))
    };
    samples(one, times)
}

fn samples(one: impl Fn() -> Result<std::time::Duration>, times: usize) -> Result<Samples> {
    // The first start reads the file from disk; users start more than once.
    one()?;
    let measured = (0..times).map(|_| one()).collect::<Result<Vec<_>>>()?;
    Samples::new(measured).context("nothing was measured")
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn cat_is_a_baseline_because_it_answers_with_the_request() -> Result<()> {
        let samples = to_first_line(|| Command::new("cat"), 3)?;
        assert!(samples.median() > std::time::Duration::ZERO);
        Ok(())
    }

    #[test]
    fn a_server_that_refuses_the_handshake_is_not_measured() {
        let refusing = || {
            let mut command = Command::new("sh");
            command
                .args(["-c", r#"read a; echo '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}'; read b"#]);
            command
        };
        assert!(to_first_line(refusing, 1).is_err());
    }
}

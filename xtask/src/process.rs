//! Runs other programs: quietly with a progress line, or loudly with our own terminal.
//!
//! Comes in: a prepared command. Goes out: what it wrote and how it ended. It knows nothing of what the commands mean.

use crate::progress::Progress;
use anyhow::{Context, Result, bail};
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// What a quiet command did.
pub(crate) struct Finished {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) took: Duration,
}

/// Runs `command` without showing its output; after a second a progress line says `what`, the seconds and the
/// command's own latest line.
///
/// With a `deadline` the command is killed when it is over, which is an error.
pub(crate) fn quietly(command: &mut Command, what: &str, deadline: Option<Duration>) -> Result<Finished> {
    let name = command.get_program().to_string_lossy().into_owned();
    let progress = Progress::start(what);
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start `{name}`"))?;
    let stdout = collect(child.stdout.take());
    let stderr = follow(child.stderr.take(), &progress);
    let status = wait(&mut child, deadline).with_context(|| format!("`{name}` did not end by itself"))?;
    let (stdout, stderr) = (text(stdout), text(stderr));
    Ok(Finished { status, stdout, stderr, took: progress.finish() })
}

/// Runs `command` on our own terminal.
pub(crate) fn loudly(command: &mut Command) -> Result<ExitStatus> {
    let name = command.get_program().to_string_lossy().into_owned();
    command.status().with_context(|| format!("cannot start `{name}`"))
}

/// The trimmed standard output of a short command; `None` when it cannot run or fails.
pub(crate) fn answer(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn collect(pipe: Option<impl Read + Send + 'static>) -> JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // A pipe that breaks has said all it will say.
            let _ = pipe.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn follow(pipe: Option<impl Read + Send + 'static>, progress: &Progress) -> JoinHandle<String> {
    let detail = progress.detail();
    std::thread::spawn(move || {
        let mut all = String::new();
        let Some(pipe) = pipe else { return all };
        for line in BufReader::new(pipe).split(b'\n').map_while(Result::ok) {
            let line = String::from_utf8_lossy(&line).into_owned();
            if let Ok(mut detail) = detail.lock() {
                detail.clear();
                detail.push_str(line.trim());
            }
            all.push_str(&line);
            all.push('\n');
        }
        all
    })
}

fn text(reader: JoinHandle<String>) -> String {
    reader.join().unwrap_or_default()
}

fn wait(child: &mut Child, deadline: Option<Duration>) -> Result<ExitStatus> {
    let Some(limit) = deadline else { return Ok(child.wait()?) };
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if started.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            bail!("no answer within {} s, stopped", limit.as_secs());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn both_streams_are_kept_apart() -> Result<()> {
        let done = quietly(Command::new("sh").args(["-c", "echo out; echo err >&2; exit 3"]), "test", None)?;
        assert_eq!((done.stdout.as_str(), done.stderr.as_str()), ("out\n", "err\n"));
        assert_eq!(done.status.code(), Some(3));
        Ok(())
    }

    #[test]
    fn a_command_that_hangs_is_stopped_at_its_deadline() {
        let started = Instant::now();
        let error = quietly(Command::new("sleep").arg("60"), "test", Some(Duration::from_millis(100)));
        assert!(error.is_err());
        assert!(started.elapsed() < Duration::from_secs(30));
    }
}

//! Compiles components in a process of our own, so that a stranger's bytes cannot keep the compiler busy for ever, fill
//! this process's memory with it, or bring this process down with it.
//!
//! In comes a component, out comes machine code, or an error that says which bound was met. The process is this very
//! program under a hidden verb ([`child`]); it has no environment, no folder and no file but three pipes, and ends with
//! its deadline, with its memory ([`watch`]), or with us, whichever is first: it watches the pipe we keep open. Which
//! file the program is, the command line says; without one (a test, a program that uses this library) components are
//! compiled in this process, without bounds.

pub(crate) mod child;
mod message;
mod watch;

use super::{CompileBounds, Compiled, Error};
use message::{Answer, Order};
use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use watch::Watch;

/// The verb under which this program compiles one component.
pub(crate) const VERB: &str = "compile-component";

/// Bytes of what a compiler that failed says on stderr that are looked at: its last words are a panic's.
const LAST_WORDS: u64 = 4 << 10;

/// Compiles one plugin's components.
#[derive(Debug, Clone)]
pub(crate) struct Compiler {
    pub(super) program: Option<PathBuf>,
    pub(super) bounds: CompileBounds,
    /// Whether a component may be compiled in this process where no other can be started. True for those that come with
    /// this program, so that a machine without processes to spare still serves its apps.
    pub(super) is_ours: bool,
}

/// A component that was compiled.
#[derive(Debug)]
pub(crate) enum Built {
    /// In this process.
    Here(Compiled),
    /// In a process of our own.
    There(MachineCode),
}

/// Machine code that a compiler process of ours made of a component. Nothing else makes one of these, which is what
/// [`Compiled::of_child`] relies on.
pub(crate) struct MachineCode(Vec<u8>);

impl MachineCode {
    /// As bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl std::fmt::Debug for MachineCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "MachineCode({} bytes)", self.0.len())
    }
}

impl Compiler {
    /// Compiles a component. Blocks for as long as that takes, so call it on a worker.
    ///
    /// # Errors
    /// [`Error::Compile`] when it is not valid, [`Error::CompileTime`] and [`Error::CompileMemory`] when it needs more
    /// than it may, [`Error::CompilerEnded`] when the compiler fell over it, [`Error::Host`] when it could not be started.
    pub(crate) fn compile(&self, wasm: &[u8]) -> Result<Built, Error> {
        let Some(program) = &self.program else { return Compiled::compile(wasm).map(Built::Here) };
        match Process::start(program) {
            Ok(process) => process.compile(wasm, self.bounds).map(Built::There),
            Err(error) if self.is_ours => {
                tracing::warn!(%error, "no process to compile in; a component of this program is compiled in the server");
                Compiled::compile(wasm).map(Built::Here)
            }
            Err(error) => Err(Error::Host { text: format!("there is no process to compile it in: {error}") }),
        }
    }
}

/// A compiler process under way. Killed and waited for when dropped, so that none is left behind however this ends.
struct Process {
    child: Child,
    stdin: ChildStdin,
    stdout: ChildStdout,
    stderr: ChildStderr,
}

impl Process {
    fn start(program: &PathBuf) -> std::io::Result<Self> {
        let mut child = Command::new(program)
            .arg0("abi-mcp")
            .arg(VERB)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        match (child.stdin.take(), child.stdout.take(), child.stderr.take()) {
            (Some(stdin), Some(stdout), Some(stderr)) => Ok(Self { child, stdin, stdout, stderr }),
            _ => Err(std::io::Error::other("a process without pipes")),
        }
    }

    fn compile(mut self, wasm: &[u8], bounds: CompileBounds) -> Result<MachineCode, Error> {
        let watch = Watch::start(self.child.id(), bounds.time_for(wasm.len()), bounds.memory)?;
        let order = Order { memory: bounds.memory as u64, wasm };
        // The process reads everything before it writes anything, so this cannot wait for each other. Our end of its
        // stdin stays open until we have its answer: its end means that we are gone.
        let answer = order.write(&mut self.stdin).and_then(|()| Answer::read(&mut self.stdout));
        let stopped = watch.end();
        match (answer, stopped) {
            (Ok(Answer::Code(code)), _) => Ok(MachineCode(code)),
            (Ok(Answer::Invalid(text)), _) => Err(Error::Compile { text }),
            (Ok(Answer::Trouble(text)), _) => Err(Error::Host { text }),
            (Err(_), Some(stopped)) => Err(stopped),
            (Err(error), None) => Err(self.ended(&error)),
        }
    }

    /// What a process that broke off had to say.
    fn ended(mut self, error: &std::io::Error) -> Error {
        let _ = self.child.kill();
        let status = self.child.wait().map_or_else(|error| error.to_string(), how);
        let mut words = Vec::new();
        let _ = (&mut self.stderr).take(LAST_WORDS).read_to_end(&mut words);
        let words = String::from_utf8_lossy(&words);
        let words = words.lines().find(|line| !line.trim().is_empty()).map(super::error::quoted);
        Error::CompilerEnded { text: format!("{status}: {}", words.unwrap_or_else(|| error.to_string())) }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // One that has ended is not harmed, and one that was waited for is not killed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn how(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(signal), _) => format!("signal {signal}"),
        (None, Some(code)) => format!("exit code {code}"),
        (None, None) => "ended".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn compiler(program: Option<&str>, is_ours: bool) -> Compiler {
        Compiler { program: program.map(PathBuf::from), bounds: CompileBounds::default(), is_ours }
    }

    /// The smallest component there is.
    const EMPTY: &[u8] = b"\0asm\x0d\0\x01\0";

    #[test]
    fn without_a_process_only_what_comes_with_this_program_is_compiled() {
        assert!(matches!(compiler(None, false).compile(EMPTY), Ok(Built::Here(_))));
        assert!(matches!(compiler(Some("/nowhere/abi-mcp"), true).compile(EMPTY), Ok(Built::Here(_))));
        let error = compiler(Some("/nowhere/abi-mcp"), false).compile(EMPTY).unwrap_err();
        assert!(matches!(&error, Error::Host { text } if text.contains("no process to compile it in")), "{error}");
    }

    #[test]
    fn a_compiler_that_breaks_off_is_told_with_its_last_words() {
        // Says that there is no such file, and ends.
        let error = compiler(Some("/bin/cat"), false).compile(EMPTY).unwrap_err();
        assert!(matches!(&error, Error::CompilerEnded { text } if text.starts_with("exit code 1: ")), "{error}");
        assert!(error.hint().is_some() && !error.to_string().contains('\n'), "{error}");
    }

    #[test]
    fn what_a_compiler_process_answers_can_be_run_and_is_told_apart_from_what_is_no_component() {
        let answer = |wasm: &'static [u8]| {
            let mut order = Vec::new();
            Order { memory: 1 << 40, wasm }.write(&mut order).unwrap();
            let orders = std::io::Cursor::new(order).chain(Silent);
            let mut answers = Vec::new();
            child::serve(orders, &mut answers).unwrap();
            Answer::read(&mut answers.as_slice()).unwrap()
        };
        let Answer::Code(code) = answer(EMPTY) else { panic!("it is a component") };
        Compiled::of_child(&MachineCode(code)).unwrap();
        assert!(matches!(answer(b"\0asm\x01\0\0\0"), Answer::Invalid(_)), "a module is none");
    }

    /// A parent that stays.
    struct Silent;

    impl Read for Silent {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            loop {
                std::thread::sleep(Duration::from_secs(3600));
            }
        }
    }

    #[test]
    fn a_longer_file_has_more_time() {
        let bounds = CompileBounds::default();
        assert_eq!(bounds.time_for(1), Duration::from_secs(70));
        assert_eq!(bounds.time_for((12 << 20) + 1), Duration::from_secs(190));
    }
}

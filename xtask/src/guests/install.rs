//! Installs what a guest build needs, where that may be done without asking, and says so first.
//!
//! Two ways: `rustup target add`, and on Debian, for root, the distribution's Rust with the sources of std. Both are
//! left out when `CARGO_NET_OFFLINE` says so.

use super::TARGET;
use super::toolchain::{Attempts, Toolchain, executable, on_path};
use crate::process;
use anyhow::Result;
use std::process::Command;
use std::time::Duration;

/// A server that does not answer must not hold a build: the target is 25 MB and takes seconds on a working line.
const RUSTUP_DEADLINE: Duration = Duration::from_secs(60);

/// Debian's packages are some 200 MB.
const APT_DEADLINE: Duration = Duration::from_secs(600);

/// Adds the target to a toolchain of rustup's; true when that worked.
pub(super) fn add_target(toolchain: &Toolchain, attempts: &mut Attempts) -> bool {
    let Some(rustup) = on_path(&executable("rustup")) else {
        attempts.note("rustup: not on the search path");
        return false;
    };
    let Some(name) = toolchain.rustup_name() else {
        attempts.note(format!("rustup: `{}` is not one of its toolchains", toolchain.sysroot.display()));
        return false;
    };
    if offline() {
        attempts.note("rustup target add: left out, CARGO_NET_OFFLINE is set");
        return false;
    }
    let what = format!("rustup target add --toolchain {name} {TARGET}");
    println!("the compiler lacks the target of the components; running `{what}`");
    let mut command = Command::new(rustup);
    command.args(["target", "add", "--toolchain", name, TARGET]).env("RUSTUP_MAX_RETRIES", "0");
    command.env_remove("RUSTUP_TOOLCHAIN");
    report(&what, process::quietly(&mut command, "adding the target", Some(RUSTUP_DEADLINE)), attempts)
}

/// Installs Debian's Rust with the sources of std, if this is Debian and we are root; true when that worked.
pub(super) fn debian_packages(attempts: &mut Attempts) -> bool {
    let Some(debian) = Debian::here() else { return false };
    let what = debian.command_line();
    if !is_root() {
        attempts.note(format!("{what}: left out, needs root"));
        return false;
    }
    if offline() {
        attempts.note(format!("{what}: left out, CARGO_NET_OFFLINE is set"));
        return false;
    }
    println!("no toolchain has the target of the components; running `{what}`");
    let apt = |arguments: &[&str]| {
        let mut command = Command::new("apt-get");
        command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
        process::quietly(&mut command, "running apt-get", Some(APT_DEADLINE))
    };
    let mut install = vec!["install", "-y", "--no-install-recommends"];
    install.extend(debian.packages());
    let first = apt(&install);
    if first.as_ref().is_ok_and(|done| done.status.success()) {
        return report(&what, first, attempts);
    }
    // A fresh machine often has no package lists, or old ones.
    report("apt-get update", apt(&["update"]), attempts) && report(&what, apt(&install), attempts)
}

/// A Debian release whose packages can build the guests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Debian {
    /// 12, whose own Rust is too old; the `-web` packages are kept new for browsers.
    Bookworm,
    /// 13.
    Trixie,
}

impl Debian {
    /// The release of this machine, if it is one of them.
    pub(super) fn here() -> Option<Self> {
        Self::from_release_file(&std::fs::read_to_string("/etc/os-release").ok()?)
    }

    fn from_release_file(text: &str) -> Option<Self> {
        let value = |key: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='))?;
            Some(line.trim_matches('"').to_owned())
        };
        if value("ID")? != "debian" {
            return None;
        }
        match value("VERSION_ID")?.as_str() {
            "12" => Some(Self::Bookworm),
            "13" => Some(Self::Trixie),
            _ => None,
        }
    }

    fn packages(self) -> &'static [&'static str] {
        match self {
            Self::Bookworm => &["rustc-web", "cargo-web", "rust-web-src", "lld-19"],
            Self::Trixie => &["rustc", "cargo", "rust-src", "lld"],
        }
    }

    /// What a person would type.
    pub(super) fn command_line(self) -> String {
        format!("apt-get install {}", self.packages().join(" "))
    }
}

/// Cargo's own switch for a machine without a network.
fn offline() -> bool {
    std::env::var("CARGO_NET_OFFLINE").is_ok_and(|value| value == "true" || value == "1")
}

fn is_root() -> bool {
    process::answer(Command::new("id").arg("-u")).as_deref() == Some("0")
}

/// Notes how an attempt went and says so; true when it worked.
fn report(what: &str, done: Result<process::Finished>, attempts: &mut Attempts) -> bool {
    match done {
        Ok(done) if done.status.success() => {
            println!("  done in {:.1} s", done.took.as_secs_f32());
            attempts.note(format!("{what}: done in {:.1} s", done.took.as_secs_f32()));
            true
        }
        Ok(done) => {
            let words = done.stderr.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with("info:"));
            let words = words.take(3).collect::<Vec<_>>().join(" / ");
            attempts.note(format!("{what}: failed after {:.1} s: {words}", done.took.as_secs_f32()));
            false
        }
        Err(error) => {
            attempts.note(format!("{what}: {error:#}"));
            false
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Debian;

    #[test]
    fn the_release_file_tells_which_packages_fit() {
        let twelve = "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nVERSION_ID=\"12\"\nID=debian\n";
        assert_eq!(Debian::from_release_file(twelve), Some(Debian::Bookworm));
        assert_eq!(Debian::from_release_file("ID=debian\nVERSION_ID=\"13\"\n"), Some(Debian::Trixie));
        assert_eq!(Debian::from_release_file("ID=debian\nVERSION_ID=\"11\"\n"), None);
        assert_eq!(Debian::from_release_file("ID=ubuntu\nVERSION_ID=\"12\"\n"), None);
    }
}

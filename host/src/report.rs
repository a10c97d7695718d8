//! Errors as text.

/// An error with its causes, each said once, in the form `error: …` and `  caused by: …`.
#[must_use]
pub fn failure(error: &anyhow::Error) -> String {
    let mut text = format!("error: {error}");
    let mut said = error.to_string();
    for cause in error.chain().skip(1) {
        let cause = cause.to_string();
        // Many libraries put their cause into their own message as well.
        if !said.contains(&cause) {
            text.push_str(&format!("\n  caused by: {cause}"));
        }
        said = cause;
    }
    text
}

/// An error with its causes in one text, `…: …: …`, each said once.
#[must_use]
pub fn line(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let words = inner.to_string();
        if !text.contains(&words) {
            text.push_str(&format!(": {words}"));
        }
        cause = inner.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_said_once() {
        let error = anyhow::anyhow!("disk full").context("cannot write: disk full").context("demo failed");
        assert_eq!(failure(&error), "error: demo failed\n  caused by: cannot write: disk full");
    }
}

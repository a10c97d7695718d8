//! Guides: the author's Markdown, its address, and the procedures it names.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use sha2::{Digest, Sha256};

/// Everything but what RFC 3986 calls unreserved.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The template of every guide's address.
#[must_use]
pub fn uri_template() -> &'static str {
    "calimero://apps/{applicationId}/{version}/guide"
}

/// The address of one app's guide; an app without a version has none.
#[must_use]
pub fn uri(application_id: &str, version: Option<&str>) -> Option<String> {
    let version = version.filter(|version| !version.is_empty())?;
    let part = |text| utf8_percent_encode(text, SEGMENT);
    Some(format!("calimero://apps/{}/{}/guide", part(application_id), part(version)))
}

/// Hex digits of a guide's hash.
const GUIDE_HASH: usize = 16;

/// The first 16 hex digits of the SHA-256 of the guide, or of nothing.
pub(crate) fn guide_hash(guide: Option<&str>) -> String {
    let mut hash = hex::encode(Sha256::digest(guide.unwrap_or_default().as_bytes()));
    hash.truncate(GUIDE_HASH);
    hash
}

/// The titles of the procedures a guide describes: the `### ` headings under `## Procedures`, outside code fences.
///
/// Rules of the Calimero server page, §13: a fence is a line of spaces and three backticks (a tab-indented one is
/// not); another `## ` heading ends the section.
#[must_use]
pub fn procedures(guide: &str) -> Vec<String> {
    let (mut fenced, mut inside, mut titles) = (false, false, Vec::new());
    for line in guide.strip_prefix('\u{feff}').unwrap_or(guide).split('\n') {
        let line = line.trim_end();
        if line.trim_start_matches(' ').starts_with("```") {
            fenced = !fenced;
        } else if fenced {
        } else if line.starts_with("## ") {
            inside = line == "## Procedures";
        } else if let Some(title) = line.strip_prefix("### ").filter(|_| inside) {
            titles.push(title.trim().to_owned());
        }
    }
    titles
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_headings_of_the_procedures_section_count() {
        let guide =
            "\u{feff}# App\r\n## Procedures\r\n### One\r\n```\n### not one\n```\n### Two \n## Other\n### three\n";
        assert_eq!(procedures(guide), ["One", "Two"]);
        assert_eq!(procedures("## procedures\n### no\n"), Vec::<String>::new());
    }

    #[test]
    fn an_address_escapes_both_parts_and_needs_a_version() {
        assert_eq!(uri("a/b", Some("1.0 x")).as_deref(), Some("calimero://apps/a%2Fb/1.0%20x/guide"));
        assert_eq!(uri("a", None), None);
        assert_eq!(uri("a", Some("")), None);
    }
}

//! Text from strangers made fit to be read: cleaned, and cut where it must be short.
//!
//! Whatever a plugin or an application wrote passes through [`clean_text`] (several lines) or [`clean_line`] (one)
//! before it is listed, answered or logged. [`short_hash`] tells long texts apart in a few characters, [`nearest`] finds
//! the name that was meant. Knows no tools, apps or protocols.

use sha2::{Digest, Sha256};

/// Marks a cut.
const ELLIPSIS: char = '…';

/// How alike an unknown name must be to a known one to be taken for a slip (0 to 1, Jaro-Winkler).
const ALIKE: f64 = 0.75;

/// The known name most like an unknown one, if any is like it at all.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = cut(&name.to_lowercase(), 128);
    let rated = known.into_iter().map(|candidate| (strsim::jaro_winkler(&name, &candidate.to_lowercase()), candidate));
    let best = rated.reduce(|best, next| if next.0 > best.0 { next } else { best })?;
    (best.0 >= ALIKE).then_some(best.1)
}

/// Text without control, bidirectional, zero-width and other invisible characters; newlines and tabs stay.
///
/// Invisible characters can make a person and a model read two different texts ("tag" characters and variation
/// selectors even carry whole hidden sentences). Every kind of line end becomes `\n`.
pub(crate) fn clean_text(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\r' if letters.peek() == Some(&'\n') => {}
            '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => clean.push('\n'),
            '\n' | '\t' => clean.push(letter),
            _ if is_invisible(letter) => {}
            _ => clean.push(letter),
        }
    }
    clean
}

/// [`clean_text`] on one line: every run of white space is one space, none at the ends.
pub(crate) fn clean_line(text: &str) -> String {
    clean_text(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text in at most `limit` UTF-16 units, with `…` where it was cut.
pub(crate) fn cut(text: &str, limit: usize) -> String {
    if units(text) <= limit {
        return text.to_owned();
    }
    let room = limit.saturating_sub(ELLIPSIS.len_utf16());
    let mut used = 0;
    let kept: String = text
        .chars()
        .take_while(|letter| {
            used += letter.len_utf16();
            used <= room
        })
        .collect();
    let mut kept = kept.trim_end().to_owned();
    kept.push(ELLIPSIS);
    kept
}

pub(crate) fn units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// Characters with no shape of their own (Unicode's default-ignorable ones, bidi controls, C0 and C1) and
/// non-characters.
fn is_invisible(letter: char) -> bool {
    letter.is_control()
        || matches!(letter,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
        || (u32::from(letter) & 0xfffe) == 0xfffe
}

/// The first six hex digits of the SHA-256 of a text.
pub(crate) fn short_hash(text: &str) -> String {
    let mut hash = hex::encode(Sha256::digest(text.as_bytes()));
    hash.truncate(6);
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invisible_characters_go_and_line_structure_stays() {
        let dirty =
            "a\u{202e}b\u{2066}c\u{200b}d\u{feff}e\u{0}f\u{1b}[31mg\u{e0041}h\u{fe0f}\r\n\ti\rj\u{2028}k\u{ad}\u{fffe}";
        assert_eq!(clean_text(dirty), "abcdef[31mgh\n\ti\nj\nk");
        assert_eq!(clean_text("naïve 日本語 😀"), "naïve 日本語 😀");
        assert_eq!(clean_line(" a \n\t b\u{202e} "), "a b");
    }

    #[test]
    fn cleaning_is_idempotent_for_every_character() {
        for letter in (0..=0x10_ffff).filter_map(char::from_u32) {
            let once = clean_text(&format!("x{letter}y"));
            assert_eq!(clean_text(&once), once);
        }
    }
}

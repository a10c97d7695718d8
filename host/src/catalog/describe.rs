//! Text for a model to read: cleaned, and cut where clients cut.
//!
//! An author's words come in, plain text of a bounded length goes out. Whatever a plugin or an application wrote
//! passes through [`clean_text`] (several lines) or [`clean_line`] (one) before it is listed, answered or logged.
//! Does not know tools, apps or protocols.

/// The longest description of a tool, in UTF-16 units, so that it is under 1,024 however a client counts.
///
/// OpenAI's API refuses 1,025 characters and Claude Code cuts at 2,048 (`mcp-protocol` §13). A UTF-16 unit is the
/// narrowest of the usual measures: a text is never longer in characters.
pub(crate) const DESCRIPTION_UNITS: usize = 1023;

/// The longest title, in UTF-16 units; clients show it in one line of a menu.
const TITLE_UNITS: usize = 120;

/// Marks a cut.
const ELLIPSIS: char = '…';

/// A tool's description: the author's doc, a blank line, the signature.
///
/// At most [`DESCRIPTION_UNITS`]. The doc is cut, never the signature; a signature that is too long by itself
/// stands alone and is cut at its end.
pub(crate) fn describe(doc: Option<&str>, signature: &str) -> String {
    let signature = cut(clean_text(signature).trim(), DESCRIPTION_UNITS);
    let doc = clean_text(doc.unwrap_or_default());
    let doc = doc.trim();
    let room = DESCRIPTION_UNITS.saturating_sub(units(&signature) + 2);
    if doc.is_empty() || room < 2 {
        return signature;
    }
    let doc = cut(doc, room);
    if signature.is_empty() { doc } else { format!("{doc}\n\n{signature}") }
}

/// Doc and signature in full, cleaned but not cut, for answers that are asked for.
pub(crate) fn full_text(doc: Option<&str>, signature: &str) -> String {
    let (doc, signature) = (clean_text(doc.unwrap_or_default()), clean_text(signature));
    match doc.trim() {
        "" => signature,
        doc => format!("{doc}\n\n{signature}"),
    }
}

/// A tool's title: the method's name as words, then the app's display name in brackets.
///
/// `set_blocks` of `Mero Blocks` reads `Set blocks (Mero Blocks)`. A name that a tool's name cannot spell (capitals,
/// dots, another script) is shown as it is, so that the original stays visible.
pub(crate) fn title(declared: Option<&str>, method: &str, app: &str) -> String {
    let declared = declared.map(clean_line).filter(|text| !text.is_empty());
    let words = declared.unwrap_or_else(|| {
        let spelled = method.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        if spelled { as_words(method) } else { clean_line(method) }
    });
    let app = clean_line(app);
    let whole = if app.is_empty() { words } else { format!("{words} ({app})") };
    cut(&whole, TITLE_UNITS)
}

/// `set_blocks` to `Set blocks`; a name of underscores only stays as it is.
fn as_words(name: &str) -> String {
    let words = name.split('_').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    let mut letters = words.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => name.to_owned(),
    }
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

fn units(text: &str) -> usize {
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

#[cfg(test)]
mod tests {
    use super::*;

    const SIGNATURE: &str = "[mut] set(key: string, value?: string) -> unit";

    #[test]
    fn the_doc_comes_first_then_a_blank_line_then_the_signature() {
        assert_eq!(describe(Some("Stores a value.\n"), SIGNATURE), format!("Stores a value.\n\n{SIGNATURE}"));
        assert_eq!(describe(None, SIGNATURE), SIGNATURE);
        assert_eq!(describe(Some(" \n\u{200b}"), SIGNATURE), SIGNATURE);
        assert_eq!(describe(Some("Only words."), ""), "Only words.");
    }

    #[test]
    fn c20_a_long_doc_is_cut_and_the_signature_is_not() {
        let doc = format!("{}Never call twice.", "word ".repeat(1800));
        let text = describe(Some(&doc), SIGNATURE);
        assert!(text.encode_utf16().count() < 1024, "{}", text.len());
        assert!(text.ends_with(&format!("…\n\n{SIGNATURE}")), "{text}");
    }

    #[test]
    fn c20_a_cut_falls_on_a_character_boundary_wherever_the_emoji_stands() {
        for before in 950..1030 {
            let doc = format!("{}😀😀{}", "a".repeat(before), "é".repeat(100));
            let text = describe(Some(&doc), SIGNATURE);
            assert!(text.encode_utf16().count() < 1024);
            assert!(text.ends_with(SIGNATURE));
        }
    }

    #[test]
    fn a_signature_over_the_limit_stands_alone_and_is_cut_at_its_end() {
        let text = describe(Some("doc"), &"s".repeat(5000));
        assert_eq!(text.encode_utf16().count(), DESCRIPTION_UNITS);
        assert!(text.starts_with("sss") && text.ends_with('…'));
    }

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

    #[test]
    fn a_title_reads_as_words_and_shows_a_name_it_cannot_spell() {
        assert_eq!(title(None, "set_blocks", "Mero Blocks"), "Set blocks (Mero Blocks)");
        assert_eq!(title(None, "_a__b_", "X"), "A b (X)");
        assert_eq!(title(Some("Put it there"), "put", "X"), "Put it there (X)");
        assert_eq!(title(None, "get", ""), "Get");
    }

    #[test]
    fn c03_c07_the_original_name_is_visible_in_the_title() {
        assert_eq!(title(None, "获取天气", "Weather"), "获取天气 (Weather)");
        assert_eq!(title(None, "foo.list", "X"), "foo.list (X)");
        let long = "get_active_ingredient_application_number_manufacturer_name_and_route_by_drug_name";
        assert!(title(None, long, "X").contains("route by drug name"));
    }
}
